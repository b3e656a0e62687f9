#include "view/input_labels.h"

// A value of a label, with the key as text.
struct label_value {
    struct hp_span key;
    uint32_t value; // number of the string
};

// Order labels by key, then by the numbers of their values.
static int by_key(const void *left, const void *right) {
    const struct label_value *a = left, *b = right;
    int order = hp_span_compare(a->key, b->key);
    return order ? order : (a->value > b->value) - (a->value < b->value);
}

void hp_label_counts_find(struct hp_label_counts *counts, const struct hp_view *view,
                          uint32_t source) {
    const struct hp_profile *profile = view->profile;
    HP_VEC(struct label_value) found = {0};
    const struct hp_input_record *input;
    hp_vec_each (input, &profile->inputs.records) {
        bool is_of_it = source == HP_ANY_SOURCE || input->source == source;
        for (uint32_t k = 0; is_of_it && k < input->labels; k++) {
            const struct hp_label *label =
                &profile->inputs.labels.at[input->first_label + k];
            struct label_value value = {hp_strtab_span(&profile->strings, label->key),
                                        label->value.n};
            hp_vec_push(&found, value);
        }
    }
    hp_vec_sort(&found, by_key);
    *counts = (struct hp_label_counts){.all = {0}};
    for (size_t i = 0; i < found.count; i++) {
        const struct label_value *own = &found.at[i];
        bool is_new_key = i == 0 || !hp_span_equal(own->key, own[-1].key);
        if (is_new_key) {
            hp_vec_push(&counts->all, ((struct hp_label_count){own->key, 0}));
        }
        counts->all.at[counts->all.count - 1].values +=
            is_new_key || own->value != own[-1].value;
    }
    hp_vec_done(&found);
}
