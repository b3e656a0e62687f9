// Free bytes inside slabs, per size class, and the stacks that hold objects of the class.
//
// A stack keeps a slab from being returned only if no other stack has objects in that
// slab.  A dump does not show which stacks share a slab.  So no number here attributes
// free bytes to stacks.
//
// account_waste.c adds up the size classes of all inputs, finds the holders of each class
// and makes two levels of rows: a class, and below it its largest holders.
#ifndef HP_VIEW_ACCOUNT_WASTE_H
#define HP_VIEW_ACCOUNT_WASTE_H

#include "view/view.h"

// Verdict on the stacks that keep the slabs of a class in use.
enum hp_waste_verdict {
    HP_WASTE_ONE_HOLDER, // one stack has almost all objects of the class
    HP_WASTE_SEVERAL, // several stacks have objects: the one that keeps slabs is unknown
    // One stack has objects, but too few samples, or too many of unknown size.
    HP_WASTE_FEW,
    HP_WASTE_NOBODY, // no object of the class was sampled
    // No sampled object is known to be of the class, but some samples have no known size.
    HP_WASTE_UNKNOWN,
    HP_WASTE_VERDICTS, // number of verdicts
};

// Return the explanation of a verdict, to be printed after "96 B: "; a static string.
const char *hp_waste_text(enum hp_waste_verdict verdict);

// A row: a size class, or below it a stack that holds objects of that class.  Numbers
// that the row does not have are NAN.
struct hp_waste_row {
    // Class only: bytes of one object; number of slabs; number of slabs with free
    // regions.  `objects`: number of live objects of the class or the stack; an estimate
    // for a stack.
    double size, slabs, nonfull, objects;
    double free; // class only: free bytes in its slabs
    // Class only: bytes that callers asked for, as a share of the bytes of the sampled
    // live objects.
    double requested;
    double share;          // stack only: its share of the class's estimated objects
    struct hp_amount live; // bytes of live objects
    struct hp_error error; // stack only: sampling error of `live`
    enum hp_waste_verdict verdict; // class only
    char *note; // class only: the verdict as a sentence; owned; NULL: none
};

// The rows of the report of free memory in slabs, from hp_waste_build().
struct hp_waste {
    HP_VEC(struct hp_waste_row) of; // parallel to view->rows
    // Bytes of all classes that have rows: free bytes in their slabs, and all bytes of
    // their slabs.
    hp_int128 free, slabs;
};

// Build the rows of an account report with options.waste, instead of the tables of
// statistics.  The result is stored in view->extra, which owns it.  HP_E_EMPTY: no size
// classes, or nothing is free.
int hp_waste_build(struct hp_view *view, struct hp_err *err);
// Free the notes and rows of `waste`, but not `waste` itself.
void hp_waste_done(struct hp_waste *waste);

#endif
