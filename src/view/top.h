// Flat and cum values of nodes, as rows: one for each function, line, file, module or
// address, or for each input, thread or label.
#ifndef HP_VIEW_TOP_H
#define HP_VIEW_TOP_H

#include "view/spread.h"
#include "view/view.h"

// Whether rows are parts of stacks, that is objects of a size or an age: see size_rows.h.
static inline bool hp_is_of_parts(enum hp_granularity by) {
    return by == HP_BY_SIZE || by == HP_BY_AGE;
}

// Sums by node: flat of the stacks that end at the node, cum of the stacks that pass it,
// each added once.  Rows of inputs, threads or labels have equal flat and cum.  The sums
// are in separate dense arrays, as most of the time is spent on them.
struct hp_top {
    size_t metrics;                    // number of metrics that are added up
    enum hp_metric of[HP_METRICS + 1]; // metric of each slot
    size_t slot[HP_METRICS]; // slot of each metric; SIZE_MAX: the metric is not added up
    hp_fixed *flat, *cum;    // [node * metrics + slot]
    // Errors of flat and of cum, by column; NULL: not added up.
    struct hp_error *flat_errors[HP_COLUMNS], *cum_errors[HP_COLUMNS];
    // Set if few rows are shown: errors are then kept for shown rows only.  `place` is,
    // for each node, the number of its row + 1, or 0 if it is not shown: the index into
    // the errors.  `leaf` is, for each stack of the profile, its first visible node, or
    // 0.  NULL: errors are indexed by node.
    uint32_t *place;
    hp_node_id *leaf;
    // Error of a value whose errors are not added up: {0} if the column is exact, else
    // NULL.
    const struct hp_error *exact[HP_COLUMNS];
    enum hp_sort sort; // order of the rows: by flat, cum or name
    size_t sorted;     // number of rows that are sorted; the others come after them
    // Number of rows among which the first were chosen: see hp_chosen_among().  0 or 1:
    // there was no such choice, as for rows of inputs.
    double among[HP_COLUMNS];
    // Number of samples by node, at most HP_MANY_SAMPLES; valid only while stacks are
    // added up.
    unsigned char *samples[HP_COLUMNS];
    uint32_t *seen;    // by node: number of the last stack that was added; 0: none
    uint64_t *size_of; // by node, for rows of sizes; UINT64_MAX: mixed sizes; else NULL
    struct hp_spread spread;       // spread of rows with options.spread; else {0}
    struct hp_part_columns *parts; // columns of options.sizes or ages; else NULL
};

// The columns in which a view shows errors of flat and of cum, and the number of rows
// that show them; SIZE_MAX: all rows.
struct hp_top_errors {
    bool flat[HP_COLUMNS], cum[HP_COLUMNS];
    size_t rows;
};

// Allocate the sums, all 0.  Nodes that are added to the naming later have no sums.
void hp_top_init(struct hp_top *top, const struct hp_view *view,
                 struct hp_top_errors errors);
void hp_top_done(struct hp_top *top);

// Add up all visible stacks, and add a row for each node with flat or cum other than 0.
void hp_top_sum_nodes(struct hp_top *top, struct hp_view *view);
// Remove rows whose flat and cum are 0 in all metrics that were added up.
void hp_top_drop_nothing(const struct hp_top *top, struct hp_view *view);
// hp_top_sort_rows() sorts at least the `first` rows to the front, and hp_top_sort_rest()
// the remaining ones.  hp_top_sum_errors() adds up the errors of the rows that are shown,
// if they are not known yet.
void hp_top_sort_rows(struct hp_top *top, struct hp_view *view, enum hp_sort sort,
                      size_t first);
void hp_top_sort_rest(struct hp_top *top, const struct hp_view *view);
void hp_top_sum_errors(struct hp_top *top, const struct hp_view *view);

// Add the value of a stack, or of a part of it, to flat or cum (`sums`) of a node.
void hp_top_add(const struct hp_top *top, hp_fixed *sums, hp_node_id node,
                const struct hp_values *values);

// Flat and cum of a node.  is_unknown is set for a metric that is not added up.
struct hp_amount hp_top_flat(const struct hp_top *top, hp_node_id node,
                             enum hp_metric metric);
struct hp_amount hp_top_cum(const struct hp_top *top, hp_node_id node,
                            enum hp_metric metric);

#endif
