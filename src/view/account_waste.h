// What is free in slabs, by size class, and who holds objects there.
//
// Who holds them keeps the slabs only where nobody else does: which of several it is no dump tells.
// So no number here charges what is free to stacks.
#ifndef HP_VIEW_ACCOUNT_WASTE_H
#define HP_VIEW_ACCOUNT_WASTE_H

#include "view/view.h"

// What may be said of who has the slabs of a class.
enum hp_waste_told {
    HP_WASTE_ONE_HOLDER, // almost only it has objects there
    HP_WASTE_SEVERAL,    // which of them keeps the slabs is not known
    HP_WASTE_FEW,        // one holder, by too few samples, or too many of unknown sizes
    HP_WASTE_NOBODY,     // no object of the class was sampled
    HP_WASTE_UNKNOWN,    // the same, but of some samples sizes are not told
    HP_WASTE_TOLD,
};

// The sentence that follows "96 B: ".
const char *hp_waste_text(enum hp_waste_told told);

// A class, or below it a stack that holds objects of it.
struct hp_waste_row {
    double size, slabs, nonfull, objects; // of a class, or NAN; objects of both
    double free;                          // bytes, of a class
    double requested;        // share of what live objects take that was asked for, or NAN
    double share;            // of a stack, of the class's objects in the profile
    struct hp_amount live;   // bytes of objects
    struct hp_error error;   // of that, of a stack
    enum hp_waste_told told; // of a class
    char *note;              // that as a sentence; or NULL
};

struct hp_waste {
    HP_VEC(struct hp_waste_row) of; // as many as view->rows
    hp_int128 free, slabs;          // bytes of all classes
};

// Instead of the tables, as a report of accounts has them with options.waste.
int hp_waste_build(struct hp_view *view, struct hp_err *err);
void hp_waste_cell(const struct hp_view *view, size_t row, int field,
                   struct hp_content *content);
void hp_waste_done(struct hp_waste *waste);

#endif
