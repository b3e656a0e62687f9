// A profile as rows: one of each function, line, file, module or address, or of inputs,
// threads and labels.
#ifndef HP_VIEW_TOP_H
#define HP_VIEW_TOP_H

#include "view/spread.h"
#include "view/view.h"

// Of each node of the naming: of the stacks that end there, and of those that pass there, each
// once.  Of groups of inputs both are the same.  The busy sums are as close together as can be.
struct hp_top {
    size_t metrics;                    // that are added up
    enum hp_metric of[HP_METRICS + 1]; // the metric of each slot
    size_t slot[HP_METRICS];           // the slot of each metric; SIZE_MAX if it has none
    hp_fixed *flat, *cum;              // [node * metrics + slot]
    struct hp_error *flat_errors[HP_COLUMNS], *cum_errors[HP_COLUMNS]; // NULL: not wanted
    // If few rows are shown, of each node its place in these, 0 if it is not shown, and of each
    // stack its leaf, 0 if it is not seen; or NULL: the place is the node's number.
    uint32_t *place;
    hp_node_id *leaf;
    const struct hp_error
        *exact[HP_COLUMNS];   // where errors are not wanted: NULL, or there are none
    enum hp_sort sort;        // of the rows
    size_t sorted;            // so many of them are; the others are behind them
    double among[HP_COLUMNS]; // hp_chosen_among() of rows that stand for places, or 1
    unsigned char *samples[HP_COLUMNS]; // of each node, while that is wanted; or NULL
    uint32_t *seen; // the number of the last stack that the node was counted in; 0: none
    uint64_t *size_of; // of each node, if rows stand for sizes; UINT64_MAX: mixed ones
    struct hp_spread spread;       // if it was asked for
    struct hp_part_columns *parts; // the same; or NULL
};

// Which errors a view shows, and of how many rows: SIZE_MAX if of all.
struct hp_top_errors {
    bool flat[HP_COLUMNS], cum[HP_COLUMNS];
    size_t rows;
};

void hp_top_init(struct hp_top *top, const struct hp_view *view,
                 struct hp_top_errors errors);
void hp_top_done(struct hp_top *top);

// Add up all stacks, and make a row of each node that they pass, if it holds anything.
void hp_top_sum_nodes(struct hp_top *top, struct hp_view *view);
// Of rows that others have made, keep those that do.
void hp_top_drop_nothing(const struct hp_top *top, struct hp_view *view);
// So many rows at least in the order asked for, and the rest when that is asked for; and errors, if
// they are still wanting, of the rows that are shown.
void hp_top_sort_rows(struct hp_top *top, struct hp_view *view, enum hp_sort sort,
                      size_t first);
void hp_top_sort_rest(struct hp_top *top, const struct hp_view *view);
void hp_top_sum_errors(struct hp_top *top, const struct hp_view *view);

// Add what a stack, or a part of it, has to the sums of a node.
void hp_top_add(const struct hp_top *top, hp_fixed *sums, hp_node_id node,
                const struct hp_values *values);

// Unknown of a metric that is not added up.
struct hp_amount hp_top_flat(const struct hp_top *top, hp_node_id node,
                             enum hp_metric metric);
struct hp_amount hp_top_cum(const struct hp_top *top, hp_node_id node,
                            enum hp_metric metric);

#endif
