#include "model/input.h"

#include "base/memory.h"
#include "model/error.h"

#include <stdlib.h>
#include <string.h>

bool hp_input_has_maps(const struct hp_input_record *input) {
    return input->maps.of[0] != 0 || input->maps.of[1] != 0;
}

enum hp_kinship hp_input_kinship(const struct hp_input_record *a,
                                 const struct hp_input_record *b) {
    bool have_maps = hp_input_has_maps(a) && hp_input_has_maps(b);
    if (have_maps && memcmp(&a->maps, &b->maps, sizeof a->maps) == 0) {
        return HP_KINSHIP_SAME;
    }
    if (have_maps && a->maps_stay && b->maps_stay) {
        return HP_KINSHIP_OTHER;
    }
    if (a->pid == 0 || b->pid == 0) {
        return HP_KINSHIP_UNKNOWN;
    }
    return a->pid == b->pid && a->process == b->process ? HP_KINSHIP_SAME
                                                        : HP_KINSHIP_OTHER;
}

void hp_input_set_err(struct hp_input_record *input, const struct hp_err *err) {
    free(input->err);
    input->err = NULL;
    if (err) {
        input->err = hp_alloc(sizeof *err);
        *input->err = *err;
    }
    input->public.err = input->err;
}

bool hp_input_is_used(const struct hp_input_record *input) {
    return input->public.status <= HP_INPUT_KEPT_DAMAGED;
}

const char *hp_producer_text(enum hp_producer producer) {
    static const char *const texts[] = {
        [HP_PRODUCER_JEMALLOC] = "jemalloc heap_v2",
        [HP_PRODUCER_JEMALLOC_3] = "jemalloc 3 heap profile",
        [HP_PRODUCER_GPERFTOOLS] = "gperftools heap profile",
        [HP_PRODUCER_GPERFTOOLS_SAMPLE] = "gperftools heap sample",
        [HP_PRODUCER_GPERFTOOLS_GROWTH] = "gperftools heap growth",
        [HP_PRODUCER_GO] = "Go heap profile",
        [HP_PRODUCER_PPROF] = "pprof profile",
        [HP_PRODUCER_PPROF_GO] = "pprof profile",
        [HP_PRODUCER_PPROF_TCMALLOC] = "pprof profile",
        [HP_PRODUCER_PPROF_JEMALLOC] = "pprof profile",
        [HP_PRODUCER_PPROF_OURS] = "pprof profile",
        [HP_PRODUCER_UNKNOWN] = "heap profile",
    };

    return texts[producer];
}

static const char *version_of_jemalloc(const struct hp_input_record *input) {
    if (input->listed > 0 || input->slabs.bytes > 0) {
        return "ClickHouse's jemalloc";
    }
    return input->scaling == HP_SCALING_UNBIASED ? "jemalloc 5.3 or later"
           : input->scaling == HP_SCALING_RAW
               ? "jemalloc 4.0 to 5.2, or later with prof_unbias:false"
               : "jemalloc 4.0 or later";
}

const char *hp_writer_text(const struct hp_input_record *input) {
    static const char *const texts[] = {
        [HP_PRODUCER_JEMALLOC_3] = "jemalloc up to 3.6",
        [HP_PRODUCER_GPERFTOOLS] = "gperftools",
        [HP_PRODUCER_GPERFTOOLS_SAMPLE] = "gperftools",
        [HP_PRODUCER_GPERFTOOLS_GROWTH] = "gperftools",
        [HP_PRODUCER_GO] = "Go",
        [HP_PRODUCER_PPROF_GO] = "Go",
        [HP_PRODUCER_PPROF_TCMALLOC] = "tcmalloc",
        [HP_PRODUCER_PPROF_JEMALLOC] = "jemalloc_pprof",
        [HP_PRODUCER_PPROF_OURS] = "hprof-agg",
        [HP_PRODUCER_UNKNOWN] = NULL,
    };

    return input->producer == HP_PRODUCER_JEMALLOC ? version_of_jemalloc(input)
                                                   : texts[input->producer];
}

// --- metrics ----------------------------------------------------------------------------

static bool is_missing(const struct hp_input_record *input, enum hp_metric metric) {
    return input->missing_metrics >> metric & 1;
}

// Texts have room for what was allocated, though few writers fill it in.
bool hp_input_has_metric(const struct hp_input_record *input, enum hp_metric metric) {
    bool is_inuse = hp_column_of(metric) == HP_COLUMN_INUSE;
    bool only_alloc = is_missing(input, HP_INUSE_SPACE);
    return !is_missing(input, metric) &&
           (is_inuse ? !only_alloc : input->has_alloc || only_alloc);
}

const char *hp_input_missing(const struct hp_input_record *input, enum hp_metric metric) {
    bool is_inuse = hp_column_of(metric) == HP_COLUMN_INUSE;
    if (input->stacks == 0) {
        return input->period > 0 ? NULL : "anything, not even a sample period";
    }
    if (hp_input_has_metric(input, metric)) {
        return NULL;
    }
    if (hp_input_has_metric(input, is_inuse ? HP_INUSE_SPACE : HP_ALLOC_SPACE)) {
        return "how many objects there are";
    }
    return is_inuse ? "what is in use" : "what was allocated and freed (prof_accum)";
}
