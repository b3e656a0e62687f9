// The changes of a stack are pairs of numbers in LEB128, low 7 bits first:
//
//     number of dumps since the last change, or since the first dump
//     difference of the value, zigzag
//
// They are stored in chunks, as the changes of all stacks grow at the same time.
#include "view/stack_series.h"

#include "base/varint.h"

#include <stdlib.h>
#include <string.h>

enum {
    CHUNK = 56, // bytes of a chunk
};

// A chunk of the bytes of a stack's changes, in a linked list.
struct series_chunk {
    struct series_chunk *next;
    uint8_t bytes[CHUNK];
};

// The changes of one stack.
struct hp_changes {
    struct series_chunk *first, *last;
    size_t size; // bytes in all chunks
    // `held`: value of the stack in dump `at`, the last dump in which it changed.  `now`:
    // its value in dump `seen`, the last dump that had the stack.
    hp_fixed held, now;
    uint32_t stack;
    uint32_t at, seen;
};

// --- writing --------------------------------------------------------------------------------

// Append a byte to the changes of a stack; allocate a chunk if the last one is full.
static void put_byte(struct hp_arena *arena, struct hp_changes *changes, uint8_t byte) {
    size_t at = changes->size++ % CHUNK;
    if (at == 0) {
        struct series_chunk *next =
            hp_arena_alloc(arena, sizeof *next, alignof(struct series_chunk));
        *(changes->last ? &changes->last->next : &changes->first) = next;
        changes->last = next;
    }
    changes->last->bytes[at] = byte;
}

// Append a number in LEB128 to the changes of a stack.
static void put(struct hp_arena *arena, struct hp_changes *changes, hp_uint128 number) {
    uint8_t bytes[HP_VARINT_MAX_LONG], *end = hp_varint_put(bytes, number);
    for (const uint8_t *at = bytes; at < end; at++) {
        put_byte(arena, changes, *at);
    }
}

// Append a change if the value of a stack in `dump` differs from the last one recorded.
static void change(struct hp_arena *arena, struct hp_changes *changes, uint32_t dump,
                   hp_fixed value) {
    hp_int128 more = value - changes->held;
    if (more != 0) {
        put(arena, changes, dump - changes->at);
        put(arena, changes, hp_zigzag(more));
        changes->held = value;
        changes->at = dump;
    }
}

void hp_stack_series_init(struct hp_stack_series *series, size_t stacks) {
    *series = (struct hp_stack_series){
        .of_stack = hp_alloc(stacks * sizeof *series->of_stack),
    };
}

void hp_stack_series_done(struct hp_stack_series *series) {
    hp_vec_done(&series->changes);
    hp_arena_done(&series->arena);
    free(series->of_stack);
    *series = (struct hp_stack_series){.of_stack = NULL};
}

// Record the changes of a stack in the dumps before `dump`: its value in the last dump
// that had it, and then 0 if the next dump lacks it.
static void settle(struct hp_arena *arena, struct hp_changes *changes, uint32_t dump) {
    change(arena, changes, changes->seen, changes->now);
    if (changes->seen + 1 < dump) {
        change(arena, changes, changes->seen + 1, 0);
    }
}

void hp_stack_series_add(struct hp_stack_series *series, uint32_t stack, uint32_t dump,
                         hp_fixed value) {
    uint32_t *number = &series->of_stack[stack];
    if (*number == 0) {
        struct hp_changes none = {.stack = stack, .seen = dump};
        hp_vec_push(&series->changes, none);
        *number = (uint32_t)series->changes.count;
    }
    struct hp_changes *changes = &series->changes.at[*number - 1];
    if (changes->seen < dump) {
        settle(&series->arena, changes, dump);
        changes->seen = dump;
        changes->now = 0;
    }
    changes->now += value;
}

// Order of changes by stack.
static int by_stack(const void *left, const void *right) {
    const struct hp_changes *a = left, *b = right;
    return (a->stack > b->stack) - (a->stack < b->stack);
}

void hp_stack_series_sort(struct hp_stack_series *series, uint32_t dumps) {
    struct hp_changes *changes;
    hp_vec_each (changes, &series->changes) {
        settle(&series->arena, changes, dumps);
    }
    hp_vec_sort(&series->changes, by_stack);
    free(series->of_stack);
    series->of_stack = NULL;
    series->dumps = dumps;
}

// --- reading --------------------------------------------------------------------------------

// Reads the changes of one stack.
struct change_reader {
    const struct series_chunk *piece; // chunk of the next byte
    size_t at, size;                  // offset of the next byte, and number of all bytes
};

// Read a number in LEB128.
static hp_uint128 get(struct change_reader *reader) {
    uint8_t bytes[HP_VARINT_MAX_LONG];
    size_t size = 0;
    do {
        bytes[size] = reader->piece->bytes[reader->at++ % CHUNK];
        reader->piece = reader->at % CHUNK == 0 ? reader->piece->next : reader->piece;
    } while (bytes[size++] & HP_VARINT_MORE);
    hp_uint128 number = 0;
    hp_varint_get_long(bytes, size, &number);
    return number;
}

// Add the changes of a stack to sums[dump] of each dump.
static void add_changes(const struct hp_changes *changes, hp_fixed *sums) {
    struct change_reader reader = {changes->first, 0, changes->size};
    uint32_t dump = 0;
    while (reader.at < reader.size) {
        dump += (uint32_t)get(&reader);
        sums[dump] += hp_unzigzag(get(&reader));
    }
}

// --- rows -----------------------------------------------------------------------------------

// For each row that can be asked for (a place, see hp_row_values_of()), the stacks that
// it is the sum of.  Those of place n are stacks[first[n]] to stacks[first[n + 1] - 1].
struct place_stacks {
    size_t *first;
    uint32_t *stacks;
};

// Values of one row, which are made on demand.
struct hp_row_values {
    struct place_stacks of;
    // The row that was made last: its series (NULL: no row was made) and its place.
    const struct hp_stack_series *series;
    size_t place;
    hp_fixed *changes; // buffer: difference from the dump before, for each dump
    double *values;    // values of the row in each dump
};

// Call `add` for each stack and each row that it is added to: its nodes, the total, and
// the sum of the stacks that filters leave.
static void each_pair(const struct hp_members *members, struct place_stacks *of,
                      void add(struct place_stacks *of, size_t node, size_t stack)) {
    for (size_t s = 0; s + 1 < members->first.count; s++) {
        for (size_t i = members->first.at[s]; i < members->first.at[s + 1]; i++) {
            add(of, members->nodes.at[i].n, s);
        }
        add(of, members->node_count, s);
        if (hp_members_has(members, s)) {
            add(of, members->node_count + 1, s);
        }
    }
}

// Count a stack of row `node` in first[node + 2].  Once the counts are added up,
// first[node + 1] is the beginning of the list of `node`, for put_pair().
static void count_pair(struct place_stacks *of, size_t node, size_t stack) {
    (void)stack;
    of->first[node + 2]++;
}

// Put a stack into the list of row `node`, at its next free index, first[node + 1].
static void put_pair(struct place_stacks *of, size_t node, size_t stack) {
    of->stacks[of->first[node + 1]++] = (uint32_t)stack;
}

// Make the lists of stacks by row: count the stacks of each row, then put them into its
// list.  After both passes `first` contains the beginnings of the lists.
static void sort_stacks(struct place_stacks *of, const struct hp_members *members) {
    size_t nodes = members->node_count + 2;
    of->first = hp_alloc((nodes + 2) * sizeof *of->first);
    each_pair(members, of, count_pair);
    for (size_t i = 1; i < nodes + 2; i++) {
        of->first[i] += of->first[i - 1];
    }
    of->stacks = hp_alloc(of->first[nodes + 1] * sizeof *of->stacks);
    each_pair(members, of, put_pair);
}

struct hp_row_values *hp_row_values_new(const struct hp_members *members, size_t dumps) {
    struct hp_row_values *row = hp_alloc(sizeof *row);
    sort_stacks(&row->of, members);
    row->changes = hp_alloc(dumps * sizeof *row->changes);
    row->values = hp_alloc(dumps * sizeof *row->values);
    return row;
}

void hp_row_values_free(struct hp_row_values *values) {
    if (values) {
        free(values->of.first);
        free(values->of.stacks);
        free(values->changes);
        free(values->values);
        free(values);
    }
}

// Add up the changes of the stacks of a row in row->changes.
static void make_row(struct hp_row_values *row, const struct hp_stack_series *series,
                     size_t place) {
    size_t all = series->changes.count, end = row->of.first[place + 1];
    memset(row->changes, 0, series->dumps * sizeof *row->changes);
    for (size_t i = row->of.first[place]; i < end && all > 0; i++) {
        struct hp_changes wanted = {.stack = row->of.stacks[i]};
        const struct hp_changes *found =
            bsearch(&wanted, series->changes.at, all, sizeof wanted, by_stack);
        if (found) {
            add_changes(found, row->changes);
        }
    }
}

const double *hp_row_values_of(struct hp_row_values *values,
                               const struct hp_stack_series *series, size_t place,
                               enum hp_metric metric) {
    if (values->series == series && values->place == place) {
        return values->values;
    }
    hp_fixed now = 0;
    make_row(values, series, place);
    for (size_t i = 0; i < series->dumps; i++) {
        now += values->changes[i];
        values->values[i] = hp_fixed_double(now, metric);
    }
    values->series = series;
    values->place = place;
    return values->values;
}
