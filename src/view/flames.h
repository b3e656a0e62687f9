// Stacks of names as the boxes of a flame graph: each as wide as what its function holds with
// all that it calls, and on the box of its caller.
//
// Of a comparison a box is as wide as the larger of what there was and what there is, so that
// what is gone has a place.  A trend compares the last dump with the first, of the process that has
// grown most.
#ifndef HP_VIEW_FLAMES_H
#define HP_VIEW_FLAMES_H

#include "view/difference.h"
#include "view/trends.h"
#include "view/view.h"

struct hp_flame {
    hp_node_id name;        // of the first, and of those that are merged, nothing
    uint32_t parent;        // HP_NO_PARENT: it is the first, which stands for all
    uint32_t depth;         // 0 of the first
    uint32_t merged;        // it stands for so many that are too small; 0: for itself
    uint32_t stacks, end;   // those that pass it are from the one up to the other
    hp_fixed before, after; // before: 0 but in a comparison
    hp_fixed left, width;   // from the left edge of the first
    uint32_t change;        // of its rows, where it was compared, + 1; 0: none
    struct hp_error error; // of what there is, where the view has it and compares nothing
};

struct hp_flames {
    HP_VEC(struct hp_flame) all; // callers before what they call, side by side by name
    uint32_t depth;              // the largest
    hp_fixed least;              // what holds less is merged
    bool is_comparison;
    struct hp_difference difference;
};

// Of a view of HP_SHAPE_NAMES.  Boxes of less than 1/1000 of all, or of more if names would else
// fill more than `most_bytes`, are merged: of each caller into one.
void hp_flames_init(struct hp_flames *flames, const struct hp_view *view,
                    size_t most_bytes);
void hp_flames_done(struct hp_flames *flames);

// What a page compares; to be done with.
void hp_page_sides(const struct hp_view *view, struct hp_sides *sides);

const struct hp_change *hp_flame_change(const struct hp_flames *flames,
                                        const struct hp_flame *flame);

// What a page of a comparison has beside its rows: what changed by flat and by cum; and in the boxes
// of the flame graph but merged ones.
struct hp_page_box {
    hp_node_id name;
    uint32_t parent; // among these; HP_NO_PARENT: none
    struct hp_change change;
};

struct hp_page_changes {
    const struct hp_difference *by[2]; // flat, cum
    struct hp_difference made[2];      // those that are not the report's own
    HP_VEC(struct hp_page_box) boxes;
    // Of a trend:
    struct hp_trends other;   // by the other of flat and cum
    struct hp_error *sampled; // of each of view->series, of all that it holds
};

#endif
