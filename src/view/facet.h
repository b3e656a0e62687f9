// What a page keeps stacks apart by beside their calls, whatever its rows stand for: the thread, or a label, that
// samples have.
#ifndef HP_VIEW_FACET_H
#define HP_VIEW_FACET_H

#include "model/profile.h"

// {0}: nothing.
struct hp_facet {
    char *key; // "thread", "label:tenant"
    struct hp_strtab names;
    HP_VEC(hp_string) values; // of them, in byte order
    uint32_t *of_set;         // of each set of labels a place in `values`
};

// By what the options ask for.
void hp_facet_init(struct hp_facet *facet, const struct hp_profile *profile,
                   const struct hp_report_options *options);
void hp_facet_done(struct hp_facet *facet);

#endif
