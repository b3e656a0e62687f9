// How long what a process allocated last lived, or has lived so far, by who allocated it.
#ifndef HP_VIEW_RECENT_ROWS_H
#define HP_VIEW_RECENT_ROWS_H

#include "stats/survival.h"
#include "view/recent_pairs.h"
#include "view/view.h"

enum {
    HP_LIFESPAN_SIZE = 32,                         // of a text
    HP_LIFESPANS_SIZE = 3 * HP_LIFESPAN_SIZE + 16, // of one with its interval
};

// Lifetimes that a row shows.
enum hp_lifespan_of {
    HP_HALF_OF_OBJECTS,
    HP_MOST_OF_OBJECTS, // nine of ten
    HP_HALF_OF_BYTES,
    HP_LIFESPANS,
};

struct hp_recent_row {
    size_t place; // its node; or, behind the nodes, the total, what filters leave
    size_t sampled, live, by_others;
    size_t negative,
        no_time;    // freed before they were made; freed nobody knows when: left out
    size_t batches; // of deaths
    size_t largest_batch;
    struct hp_recent_pair pair;
    struct hp_lifespan spans[HP_LIFESPANS]; // in seconds; INFINITY: not reached
    char texts[HP_LIFESPANS][HP_LIFESPANS_SIZE];
    hp_node_id freed_by; // whoever freed most of them
    bool is_freed;
};

// What a report of lifetimes by --recent is in view->extra.
struct hp_recent_rows {
    double window,
        tick; // seconds from the first allocation to the last time; of the clock
    HP_VEC(struct hp_recent_row) rows;
    struct hp_recent_row total, filtered;
    struct hp_buffer alloc, free; // stacks of the cell at hand
};

// Whether lifetimes are of these, and not of a series of dumps.
bool hp_view_is_recent(const struct hp_view *view);

HP_MUST_CHECK int hp_recent_rows_build(struct hp_view *view, struct hp_err *err);
void hp_recent_rows_done(struct hp_recent_rows *rows);
void hp_recent_cell(const struct hp_view *view, size_t row, int field,
                    struct hp_content *content);

// "36 ms", "not reached", "<4 ms" of what is below a tick; `out` has room for HP_LIFESPAN_SIZE.
void hp_lifespan_format(char *out, double seconds, double tick);

#endif
