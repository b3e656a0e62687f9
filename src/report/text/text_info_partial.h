// What `info` shows of an aggregate file of more dumps than are recorded individually: one
// block for all of its groups of dumps.
#ifndef HP_REPORT_TEXT_TEXT_INFO_PARTIAL_H
#define HP_REPORT_TEXT_TEXT_INFO_PARTIAL_H

#include "view/view.h"

// Whether an input is a group of dumps of an aggregate file.
bool hp_text_is_group(const struct hp_input_record *input);

// Whether input number `i` is the first group of its aggregate file.
bool hp_text_is_first_group(const struct hp_view *view, size_t i);

// Sums over the groups of an aggregate file; those of dumps that are used.
struct hp_text_group_sums {
    uint64_t dumps, stacks;
    struct hp_values total;
};

struct hp_text_group_sums hp_text_group_sums(const struct hp_view *view, size_t i);

// Write the block of an aggregate file, whose first group is input number `i`.
void hp_text_put_partial(struct hp_sink *out, const struct hp_view *view, size_t i);

// Write a line with the labels of all dumps of an aggregate file, and how many values each
// has; nothing if they have none.
void hp_text_put_labels(struct hp_sink *out, const struct hp_view *view, uint32_t source);

#endif
