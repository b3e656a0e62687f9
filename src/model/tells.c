#include "model/tells.h"

bool hp_input_tells(const struct hp_input_record *input, enum hp_metric metric) {
    bool is_space = hp_fraction(metric) == HP_SPACE_FRACTION;
    bool tells_column =
        hp_column_of(metric) == HP_COLUMN_ALLOC ? input->has_alloc : !input->lacks_inuse;
    return tells_column && (is_space || !input->lacks_objects);
}

bool hp_profile_tells(const struct hp_profile *profile, enum hp_metric metric) {
    const struct hp_input_record *input;
    hp_vec_each (input, &profile->inputs) {
        if (input->public.status <= HP_INPUT_KEPT_DAMAGED &&
            hp_input_tells(input, metric)) {
            return true;
        }
    }
    return false;
}
