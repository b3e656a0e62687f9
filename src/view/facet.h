// What a page tells stacks apart by beside their calls, whatever its rows stand for: the thread, or a label, that
// samples have, and so the stacks; or the group of the inputs that they are of, which several share.
#ifndef HP_VIEW_FACET_H
#define HP_VIEW_FACET_H

#include "model/profile.h"

struct hp_view;

// The place of what samples do not tell.
#define HP_OF_INPUTS UINT32_MAX

struct hp_facet_input {
    const struct hp_input_record *record;
    uint32_t place;
};

// {0}: nothing.
struct hp_facet {
    char *key; // "thread", "label:tenant", "input"
    struct hp_strtab names;
    HP_VEC(hp_string) values; // of them, in byte order
    uint32_t *of_set; // of each set of labels a place in `values`, or HP_OF_INPUTS
    HP_VEC(struct hp_facet_input) inputs; // where those count
};

// By what the view's options ask for.
void hp_facet_init(struct hp_facet *facet, const struct hp_view *view);
void hp_facet_done(struct hp_facet *facet);

// Whether each value is of whole inputs, and of no labels of samples.
bool hp_facet_is_of_inputs(const struct hp_view *view);

// What the inputs of a value tell of a column, as a view of them alone would have it.
struct hp_facet_part {
    bool is_told;   // one of them does
    bool is_chosen; // what sampling missed is a matter: see unseen.h
    uint64_t period;
};

struct hp_facet_part hp_facet_part(const struct hp_view *view, uint32_t place,
                                   enum hp_column column);

#endif
