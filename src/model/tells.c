#include "model/tells.h"

static bool lacks(const struct hp_input_record *input, enum hp_metric metric) {
    return input->lacks >> metric & 1;
}

// Texts have room for what was allocated, though few writers fill it in.
bool hp_input_tells(const struct hp_input_record *input, enum hp_metric metric) {
    bool is_inuse = hp_column_of(metric) == HP_COLUMN_INUSE;
    bool only_alloc = lacks(input, HP_INUSE_SPACE);
    return !lacks(input, metric) &&
           (is_inuse ? !only_alloc : input->has_alloc || only_alloc);
}

const char *hp_input_untold(const struct hp_input_record *input, enum hp_metric metric) {
    bool is_inuse = hp_column_of(metric) == HP_COLUMN_INUSE;
    if (input->stacks == 0) {
        return input->period > 0 ? NULL : "anything, not even a sample period";
    }
    if (hp_input_tells(input, metric)) {
        return NULL;
    }
    if (hp_input_tells(input, is_inuse ? HP_INUSE_SPACE : HP_ALLOC_SPACE)) {
        return "how many objects there are";
    }
    return is_inuse ? "what is in use" : "what was allocated and freed (prof_accum)";
}

bool hp_profile_tells(const struct hp_profile *profile, enum hp_metric metric) {
    const struct hp_input_record *input;
    hp_vec_each (input, &profile->inputs) {
        if (hp_input_is_used(input) && hp_input_tells(input, metric)) {
            return true;
        }
    }
    return false;
}
