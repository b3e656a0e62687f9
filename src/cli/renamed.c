#include "cli/renamed.h"

#include <stddef.h>
#include <string.h>

static const struct {
    const char *old, *name;
} renamed[] = {
    {"all-frames", "frames=all"},
    {"ages", "columns=age"},
    {"base-files-from", "files-from=FILE --to"},
    {"compat", "estimator"},
    {"features", "build-options"},
    {"full-names", "names=full"},
    {"keep-damaged", "damaged=use"},
    {"no-error", "confidence=none"},
    {"no-unbias", "estimator=none"},
    {"print", "used"},
    {"shards", "tasks"},
    {"short-names", "names=short"},
    {"sizes", "columns=sizes"},
    {"snapshots", "dumps"},
    {"spread", "columns=spread"},
    {"strict", "damaged=reject"},
};

const char *hp_cli_renamed(const char *name) {
    for (size_t i = 0; i < sizeof renamed / sizeof *renamed; i++) {
        if (strcmp(renamed[i].old, name) == 0) {
            return renamed[i].name;
        }
    }
    return NULL;
}
