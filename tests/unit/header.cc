#include "hprof-agg/hprof-agg.h"

int main() {
    return hp_version() == nullptr;
}
