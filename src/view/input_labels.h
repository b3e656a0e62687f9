// The labels of the dumps of an input, and how many values each has.
#ifndef HP_VIEW_INPUT_LABELS_H
#define HP_VIEW_INPUT_LABELS_H

#include "view/view.h"

// A label, and its number of different values.
struct hp_label_count {
    struct hp_span key;
    size_t values;
};

// Labels in the order of their keys.
struct hp_label_counts {
    HP_VEC(struct hp_label_count) all;
};

// In place of the number of a partial: all inputs.
#define HP_ANY_SOURCE UINT32_MAX

// Find the labels of the dumps in the partial with number `source`.  The caller frees
// counts->all.
void hp_label_counts_find(struct hp_label_counts *counts, const struct hp_view *view,
                          uint32_t source);

#endif
