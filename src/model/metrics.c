#include "model/metrics.h"

#include "model/error.h"

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
