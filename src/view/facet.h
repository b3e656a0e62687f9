// The facet of a page: a property besides the calls by which the page separates stacks
// and lets its reader choose, whatever its rows represent.
//
// The property is either one of samples, and so of stacks (the thread, or a label), or
// one of inputs (such as the program, or a label), when stacks do not have it.  One stack
// can belong to several inputs.
#ifndef HP_VIEW_FACET_H
#define HP_VIEW_FACET_H

#include "view/view.h"

// Find the label or property by which the page of a view divides stacks, as options.by
// (and options.label) ask, and its values.  Free with hp_facet_done().
void hp_facet_init(struct hp_facet *facet, const struct hp_view *view);
void hp_facet_done(struct hp_facet *facet);

// Whether the property by which a page divides stacks is one of whole inputs, and none of
// its values is a label of samples.
bool hp_facet_is_of_inputs(const struct hp_view *view);

// Properties of a column over the inputs with one value of the label or property that a
// page divides stacks by, as a view of only these inputs would have them.
// hp_facet_part() computes them for the value at `place`, an index into hp_facet.values.
struct hp_facet_part {
    bool has_values; // an input has a metric of the column
    bool is_chosen;  // sampling may have missed much: hp_is_much_unseen()
    uint64_t period; // the largest sample period; 0: no input is sampled
};

struct hp_facet_part hp_facet_part(const struct hp_view *view, uint32_t place,
                                   enum hp_column column);

#endif
