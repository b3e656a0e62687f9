// Stacks of names as the boxes of a flame graph.  A box is as wide as the memory of its
// function with all its callees (cum), and is drawn on the box of its caller.
//
// In a comparison a box is as wide as the larger of its values before and after, so that
// code that is gone keeps a place.  A trend compares the last dump with the first, of the
// process that has grown most.
//
// Read hp_flames_init() first.  A page (page.c) keeps the changes of the boxes in struct
// hp_page_changes after the boxes themselves are gone.
#ifndef HP_VIEW_FLAMES_H
#define HP_VIEW_FLAMES_H

#include "view/difference.h"
#include "view/trends.h"
#include "view/view.h"

// A box of a flame graph.  The first one is the root: all stacks.
struct hp_flame {
    hp_node_id name;        // node of the function; unused by the root and merged boxes
    uint32_t parent;        // index of the caller's box; HP_NO_PARENT: this is the root
    uint32_t depth;         // number of boxes below it; 0: the root
    uint32_t merged;        // number of small boxes merged into this one; 0: a single box
    uint32_t stacks, end;   // range [stacks, end) of the view's stacks through it
    hp_fixed before, after; // its values; `before` is 0 except in a comparison
    hp_fixed left, width;   // in the unit of values; `left` is from the root's left edge
    uint32_t change; // index into the rows of hp_flames.difference, + 1; 0: not compared
    struct hp_error error; // error of `after`; {0} in a comparison, or if not known
};

// A flame graph.
struct hp_flames {
    // Callers before their callees; the callees of one caller are in the order of names.
    HP_VEC(struct hp_flame) all;
    uint32_t depth; // the largest depth of a box
    hp_fixed least; // boxes of a smaller value are merged
    bool is_comparison;
    struct hp_difference difference; // change of each box; valid if is_comparison
};

// Make the boxes of a view whose stacks are HP_STACKS_OF_NAMES.  Boxes of less than
// 1/1000 of the total are merged, those of one caller into one.  The limit rises until
// the boxes and their names fit in about `most_bytes`.  Free with hp_flames_done().
void hp_flames_init(struct hp_flames *flames, const struct hp_view *view,
                    size_t most_bytes);
void hp_flames_done(struct hp_flames *flames);

// Set the two sides that a page of a comparison or trend compares; free with
// hp_sides_done().
void hp_page_sides(const struct hp_view *view, struct hp_sides *sides);

// Return the change of a box, or NULL if it was not compared.
const struct hp_change *hp_flame_change(const struct hp_flames *flames,
                                        const struct hp_flame *flame);

// The name, caller and change of a box of the flame graph, kept by a page of a
// comparison.
struct hp_page_box {
    hp_node_id name;
    uint32_t parent; // index in hp_page_changes.boxes; HP_NO_PARENT: none
    struct hp_change change;
};

// The changes that a page of a comparison shows in addition to its rows: of functions by
// flat and by cum, and of all boxes of the flame graph that are not merged.
struct hp_page_changes {
    const struct hp_difference *by[2]; // flat, cum; may point to the report's own
    // Comparisons made for the page, which `by` points to; owned; {0}: the report has
    // this one.
    struct hp_difference made[2];
    HP_VEC(struct hp_page_box) boxes; // callers before their callees
    // Trends only:
    struct hp_trends other;   // trends by cum if the report is by flat, and the reverse
    struct hp_error *sampled; // total sampling error of each dump in view->series; owned
};

#endif
