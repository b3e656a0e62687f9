// Lifetimes of the objects that a process allocated last, from the records of
// prof_recent, by the function that allocated them.
#ifndef HP_VIEW_RECENT_ROWS_H
#define HP_VIEW_RECENT_ROWS_H

#include "stats/survival.h"
#include "view/view.h"
#include "view/visible_frames.h"

// --- recent pairs ----------------------------------------------------------------------
//
// Pairs of stacks in the records of recent frees (prof_recent): one stack allocated an
// object and another one freed it.

// The pair of stacks that most objects of a row share.  If several pairs have as many
// objects, it is the pair with the smaller stack numbers.
struct hp_recent_pair {
    // Number of objects that `alloc` allocated and `free` freed; 0: no object of the row
    // was freed.
    size_t count;
    uint32_t alloc, free; // numbers of stacks of the profile
};

// Collects the pair of stacks of each freed object, in any order.  {0} is empty;
// hp_vec_done(&all) frees it.
struct hp_recent_pairs {
    HP_VEC(uint64_t) all; // allocating stack << 32 | freeing stack
};

// Add the pair of stacks of one object.  hp_recent_pairs_most() sorts `pairs` and returns
// the most frequent pair.
void hp_recent_pairs_add(struct hp_recent_pairs *pairs, uint32_t alloc, uint32_t freed);
struct hp_recent_pair hp_recent_pairs_most(struct hp_recent_pairs *pairs);

// Find the visible nodes of a stack of the profile, leaf first, in frames->nodes.
// Returns their number; 0: filters leave nothing of the stack.
size_t hp_recent_stack(const struct hp_view *view, uint32_t stack,
                       struct hp_visible_frames *frames);

// Write the names of a stack, root first, as in "main;f;g".  Replaces `text`, which ends
// in a NUL.
void hp_recent_stack_text(const struct hp_view *view, uint32_t stack,
                          struct hp_buffer *text);

// --- recent rows -----------------------------------------------------------------------

// Sizes of buffers, in bytes with the NUL.
enum {
    HP_LIFESPAN_SIZE = 32,                         // text of one lifetime
    HP_LIFESPANS_SIZE = 3 * HP_LIFESPAN_SIZE + 16, // text of a lifetime with its interval
};

// The lifetimes that a row shows: times by which a share of objects or bytes is freed.
enum hp_lifespan_of {
    HP_HALF_OF_OBJECTS, // half of the objects
    HP_MOST_OF_OBJECTS, // nine of ten objects
    HP_HALF_OF_BYTES,   // half of the bytes
    HP_LIFESPANS,       // number of these
};

// Lifetimes of the objects that one node allocated.
struct hp_recent_row {
    // Number of the node; node_count for the total, node_count + 1 for the stacks that
    // filters leave.
    size_t place;
    // Numbers of records: all; objects that are still live; objects freed by another
    // thread than the one that allocated them.
    size_t sampled, live, by_others;
    // Numbers of records that the estimates exclude: objects with a time of death before
    // their birth, and freed objects whose time of death is not known.
    size_t negative, no_time;
    // Number of batches: objects that one stack freed in one tick of the clock.
    size_t batches;
    size_t largest_batch; // number of objects of the largest batch
    struct hp_recent_pair pair;
    // Lifetimes by enum hp_lifespan_of, in seconds; INFINITY: the share is not reached.
    struct hp_lifespan spans[HP_LIFESPANS];
    char texts[HP_LIFESPANS][HP_LIFESPANS_SIZE]; // `spans` as text
    hp_node_id freed_by; // leaf of the stacks that freed most of the objects
    bool is_freed;       // some object was freed by a visible stack: freed_by is set
};

// The data of a report of lifetimes with --recent, in view->extra.
struct hp_recent_rows {
    // In seconds: the time from the first allocation to the end of the file, and one tick
    // of its clock.
    double window, tick;
    // One for each of view->rows, in the same order: most records first.
    HP_VEC(struct hp_recent_row) rows;
    struct hp_recent_row total, filtered;
    struct hp_buffer alloc, free; // buffers for texts that hp_recent_cell() returns
};

// Whether a report of lifetimes uses the records of prof_recent, instead of a series of
// dumps.
bool hp_view_is_recent(const struct hp_view *view);

// Build the rows of a report from records, with view->extra; returns an error code.
// The texts of its cells are valid until the next cell is read.
HP_MUST_CHECK int hp_recent_rows_build(struct hp_view *view, struct hp_err *err);
void hp_recent_rows_done(struct hp_recent_rows *rows);

// Write a lifetime as "36 ms"; "not reached" for INFINITY; "<4 ms" if it is shorter than
// one tick of 4 ms.  `out` has room for HP_LIFESPAN_SIZE bytes.
void hp_lifespan_format(char *out, double seconds, double tick);

#endif
