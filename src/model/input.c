#include "model/input.h"

const char *hp_producer_text(enum hp_producer producer) {
    static const char *const texts[] = {
        [HP_PRODUCER_JEMALLOC] = "jemalloc heap_v2",
        [HP_PRODUCER_JEMALLOC_3] = "jemalloc 3 heap profile",
        [HP_PRODUCER_GPERFTOOLS] = "gperftools heap profile",
        [HP_PRODUCER_GPERFTOOLS_SAMPLE] = "gperftools heap sample",
        [HP_PRODUCER_GPERFTOOLS_GROWTH] = "gperftools heap growth",
        [HP_PRODUCER_GO] = "Go heap profile",
        [HP_PRODUCER_PPROF] = "pprof profile",
        [HP_PRODUCER_UNTOLD] = "heap profile",
    };

    return texts[producer];
}
