// The facet of a page: a property besides the calls by which the page separates stacks
// and lets its reader choose, whatever its rows represent.
//
// The property is either one of samples, and so of stacks (the thread, or a label), or
// the group of the inputs, when stacks do not have it.  One stack can belong to several
// inputs.
#ifndef HP_VIEW_FACET_H
#define HP_VIEW_FACET_H

#include "model/profile.h"

struct hp_view;

// The place of stacks whose samples do not have the property: their inputs decide.
#define HP_OF_INPUTS UINT32_MAX

// An input and its value of the facet.
struct hp_facet_input {
    const struct hp_input_record *record; // borrowed
    uint32_t place;                       // in hp_facet.values
};

// {0}: the page has no facet.  A place is an index into `values`.
struct hp_facet {
    char *key; // "thread", "label:tenant", "input"
    struct hp_strtab names;
    HP_VEC(hp_string) values; // strings of `names`, in byte order
    uint32_t *of_set;         // for each set of labels its place, or HP_OF_INPUTS; owned
    HP_VEC(struct hp_facet_input) inputs; // empty if only samples have the property
};

// Make the facet that options.by (and options.label) of the view ask for.  Free with
// hp_facet_done().
void hp_facet_init(struct hp_facet *facet, const struct hp_view *view);
void hp_facet_done(struct hp_facet *facet);

// Whether all values of the facet belong to whole inputs, and none to labels of samples.
bool hp_facet_is_of_inputs(const struct hp_view *view);

// Properties of a column over the inputs with one value of the facet, as a view of these
// inputs alone would have them.
struct hp_facet_part {
    bool is_told;    // an input has a metric of the column
    bool is_chosen;  // memory that sampling missed has to be allowed for: see unseen.h
    uint64_t period; // the largest sample period; 0: no input is sampled
};

struct hp_facet_part hp_facet_part(const struct hp_view *view, uint32_t place,
                                   enum hp_column column);

#endif
