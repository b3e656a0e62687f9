// Merging reads several runs at a time, one stack after the other, because the stacks of
// all runs are in the same order. Stacks with equal labels and frames are added up in the
// way hp_profile_add() does it. If there are more runs than can be open at a time, some
// are first merged into one run.
#include "partial/partial_reader.h"
#include "partial/partial_writer.h"
#include "partial/runs.h"
#include "partial/shards.h"

#include <stdlib.h>
#include <string.h>

enum {
    // Runs that are open at a time: each holds a block and the numbers of its frames.
    WAYS = 20,
};

// --- cursors ---------------------------------------------------------------------------

// A position among the stacks of a run, or among the stacks in memory in their order.
struct cursor {
    struct hp_partial_writer *w;
    const struct hp_stack_run *run; // NULL: the stacks in memory
    struct hp_run_input input;      // the bytes of the run
    struct hp_block_reader blocks;
    struct hp_stack_codec codec;
    struct hp_frame_table table; // frames of the run by module
    HP_VEC(uint32_t) sorted;     // for a run of no partial: its frames, ascending
    size_t frame_count;          // sum of the depths of all stacks read so far
    struct hp_stack_row row;     // the current stack, with numbers of the profile
    struct hp_stack_row last;    // the stack before `row` in the same run
    uint64_t number;             // place of the current stack in the run
    uint64_t next;               // place of the next one
    bool at_end;                 // there is no current stack
};

// Order numbers of frames.
static int by_number(const void *left, const void *right) {
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

// Set how the run of a cursor numbers its frames: cursor->table, and codec.names. A run
// of no partial numbered its frames in canonical order. The frames of the profile are in
// canonical order too, so that sorting the frames of the run by their numbers in the
// profile restores the numbering of the run.
static void take_frames(struct cursor *cursor) {
    const struct hp_profile *profile = cursor->w->profile;
    const struct hp_stack_run *run = cursor->run;
    const struct hp_frame *all = profile->frames.at;
    if (run->source == HP_RUN_FINAL) {
        hp_frames_take(&cursor->table, cursor->w);
        return;
    }
    const struct hp_run_source *source = &profile->runs.sources.at[run->source];
    const uint32_t *frames = hp_vec_from(&profile->runs.frames, source->first_frame);
    if (run->partial) {
        hp_frame_table_take(&cursor->table, source->ends.at, source->ends.count);
        cursor->codec.names = frames;
        return;
    }
    HP_VEC(uint32_t) ends = {0};
    hp_vec_reserve(&cursor->sorted, run->frames);
    hp_vec_append(&cursor->sorted, frames, run->frames);
    hp_vec_sort(&cursor->sorted, by_number);
    cursor->codec.names = cursor->sorted.at;
    for (uint32_t i = 0; i < run->frames; i++) {
        const uint32_t *frame = &cursor->sorted.at[i];
        bool is_last = i + 1 == run->frames;
        if (is_last || all[frame[0]].module.n != all[frame[1]].module.n) {
            hp_vec_push(&ends, i + 1);
        }
    }
    hp_frame_table_take(&cursor->table, ends.at, ends.count);
    hp_vec_done(&ends);
}

// Set an error about damage of a run: with `code` and the path of the partial that the
// run was copied from, or HP_E_IO for a run that this program wrote. Returns the code.
static int fail(const struct hp_stack_run *run, enum hp_code code, const char *why,
                struct hp_err *err) {
    if (run->partial) {
        hp_fail(err, code,
                code == HP_E_FORMAT
                    ? HP_MESSAGE("damaged-stacks", "damaged: %s (section %d)")
                    : HP_MESSAGE("stacks-too-large", "%s (section %d)"),
                hp_words(why), HP_SECTION_STACKS);
        hp_err_locate(err, run->partial, 0);
        return code;
    }
    return hp_fail(err, HP_E_IO,
                   HP_MESSAGE("spill-damaged",
                              "the temporary file of stacks is damaged: %s"),
                   hp_words(why));
}

// Compare two stacks by labels and frames, in the order of partial_stacks.c. Returns a
// number below, above or equal to 0.
static int compare(const struct hp_stack_row *a, const struct hp_stack_row *b) {
    size_t i = 0, depth = a->path.count < b->path.count ? a->path.count : b->path.count;
    if (a->set != b->set) {
        return a->set < b->set ? -1 : 1;
    }
    while (i < depth && a->path.at[i] == b->path.at[i]) {
        i++;
    }
    if (i == depth) {
        return (a->path.count > b->path.count) - (a->path.count < b->path.count);
    }
    return a->path.at[i] < b->path.at[i] ? -1 : 1;
}

// Convert a decoded stack: replace the number of its set of labels in the run by that in
// the file to write, and clear errors of columns whose errors the profile does not keep.
static int take_names(struct cursor *cursor, struct hp_stack_row *row,
                      struct hp_err *err) {
    const struct hp_stack_run *run = cursor->run;
    for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
        // The errors of a column are unknown for all stacks if one dump has none.
        if (!hp_profile_has_errors(cursor->w->profile, i)) {
            row->whole[i].error = (struct hp_error){0};
        }
    }
    if (run->source == HP_RUN_FINAL || row->set == 0) {
        return HP_OK;
    }
    if (row->set > run->sets.count) {
        return fail(run, HP_E_FORMAT,
                    HP_WORDS("merged-stack-labels",
                             "a stack has labels that are in no table"),
                    err);
    }
    row->set = cursor->w->set_rank[run->sets.at[row->set - 1].n];
    return HP_OK;
}

// Check the current stack, because the content of a partial is untrusted: stacks must be
// in strictly rising order, and all together must not have more frames than a real file
// of this size.
static int check(struct cursor *cursor, struct hp_err *err) {
    cursor->frame_count += cursor->row.path.count;
    if (cursor->next > 0 && compare(&cursor->last, &cursor->row) >= 0) {
        return fail(cursor->run, HP_E_FORMAT,
                    HP_WORDS("stack-order", "a stack is not in its place"), err);
    }
    bool fits = !cursor->run->partial ||
                hp_stack_frames_fit(cursor->frame_count, cursor->run->size);
    return fits ? HP_OK : fail(cursor->run, HP_E_LIMIT, HP_STACK_FRAMES_TOO_MANY, err);
}

// Read the next block of stacks; sets at_end after the last.
static int next_block(struct cursor *cursor, struct hp_err *err) {
    struct hp_block_reader *blocks = &cursor->blocks;
    int ret = hp_block_next(blocks, err);
    cursor->at_end = ret != HP_OK || blocks->section != HP_SECTION_STACKS;
    if (!cursor->at_end) {
        struct hp_numbers block = {blocks->raw.at, blocks->raw.at + blocks->raw.count,
                                   NULL};
        hp_stack_decode_begin(&cursor->codec, &block);
    }
    return ret;
}

// Read the next stack of a run to cursor->row; sets at_end after the last.
static int decode_next(struct cursor *cursor, struct hp_err *err) {
    int ret = HP_OK;
    struct hp_stack_row other = cursor->last;
    cursor->last = cursor->row;
    cursor->row = other;
    while (ret == HP_OK && !cursor->at_end &&
           !hp_stack_decode(&cursor->codec, &cursor->row)) {
        const char *damage = cursor->codec.state.damage;
        ret = damage ? fail(cursor->run, HP_E_FORMAT, damage, err)
                     : next_block(cursor, err);
    }
    if (ret == HP_OK && !cursor->at_end) {
        ret = take_names(cursor, &cursor->row, err);
        ret = ret == HP_OK ? check(cursor, err) : ret;
    }
    return ret;
}

// Advance a cursor to the next stack, or to the end.
static int advance(struct cursor *cursor, struct hp_err *err) {
    int ret = HP_OK;
    cursor->number = cursor->next;
    if (cursor->run) {
        ret = decode_next(cursor, err);
    } else if (cursor->next < cursor->w->stacks) {
        hp_take_stack(&cursor->row, cursor->w, cursor->next);
    } else {
        cursor->at_end = true;
    }
    cursor->next++;
    return ret;
}

// Open a cursor at the first stack of `run`, or, if that is NULL, of the stacks in
// memory. Call cursor_done() also after a failure.
static int cursor_open(struct cursor *cursor, struct hp_partial_writer *w,
                       const struct hp_stack_run *run, struct hp_err *err) {
    *cursor = (struct cursor){.w = w, .run = run};
    int ret = HP_OK;
    if (run) {
        cursor->input =
            (struct hp_run_input){.run = run, .fd = w->profile->settings.store->fd};
        cursor->codec.frames = &cursor->table;
        take_frames(cursor);
        ret = hp_block_reader_init(&cursor->blocks,
                                   (struct hp_block_source){hp_run_read, &cursor->input},
                                   err);
        cursor->blocks.is_run = true;
        ret = ret == HP_OK ? next_block(cursor, err) : ret;
    }
    return ret == HP_OK ? advance(cursor, err) : ret;
}

// Free the memory of a cursor.
static void cursor_done(struct cursor *cursor) {
    if (cursor->run) {
        hp_block_reader_done(&cursor->blocks);
    }
    hp_stack_codec_done(&cursor->codec);
    hp_frame_table_done(&cursor->table);
    hp_stack_row_done(&cursor->row);
    hp_stack_row_done(&cursor->last);
    hp_vec_done(&cursor->sorted);
}

// --- sums ------------------------------------------------------------------------------

// The sum of stacks with equal labels and frames.
struct stack_sum {
    struct hp_stack_row row;
    struct hp_sizes sizes[HP_COLUMNS];           // parts of the sum, as those of stack 0
    hp_int128 groups[HP_COLUMNS][HP_REPLICATES]; // sums over replicates, in bytes
    bool overflow;
};

// Add the sums of a stack over replicates, in one column.
static void add_groups(struct stack_sum *sum, const struct hp_stack_row *row,
                       enum hp_column column) {
    const struct hp_group_sum *group;
    hp_vec_each (group, &row->groups[column]) {
        hp_int128 *to = &sum->groups[column][group->group];
        sum->overflow |= __builtin_add_overflow(*to, group->bytes, to);
    }
}

// Add a stack's objects by size (struct hp_size_part), in one column.
static void add_parts(struct stack_sum *sum, const struct hp_stack_row *row,
                      enum hp_column column) {
    struct hp_sizes *sizes = &sum->sizes[column];
    const struct hp_size_part *part;
    hp_vec_each (part, &row->parts[column]) {
        hp_sizes_add(sizes, 0, part);
    }
    if (row->is_full[column]) {
        hp_sizes_fill(sizes, 0);
    }
    sum->overflow |= sizes->overflow;
}

// Add the values and errors of a stack in one column to `to`.
static void add_whole(struct stack_sum *sum, const struct hp_size_part *whole,
                      struct hp_size_part *to) {
    bool overflow = __builtin_add_overflow(to->objects, whole->objects, &to->objects);
    overflow |= __builtin_add_overflow(to->bytes, whole->bytes, &to->bytes);
    sum->overflow |= overflow || !hp_error_add(&to->error, &whole->error);
}

// Begin a sum of stacks with the labels and frames of `first`.
static void sum_begin(struct stack_sum *sum, const struct hp_stack_row *first) {
    hp_stack_row_clear(&sum->row);
    sum->row.set = first->set;
    hp_vec_append(&sum->row.path, first->path.at, first->path.count);
    memset(sum->groups, 0, sizeof sum->groups);
    for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
        hp_sizes_clear(&sum->sizes[i]);
    }
}

// Add one stack, with its objects by size and its sums over replicates, in both columns.
static void sum_add(struct stack_sum *sum, const struct hp_stack_row *row) {
    for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
        add_whole(sum, &row->whole[i], &sum->row.whole[i]);
        add_parts(sum, row, i);
        add_groups(sum, row, i);
    }
}

// Copy the objects by size and the sums over replicates to sum->row, which is then
// complete.
static void sum_end(struct stack_sum *sum) {
    for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
        hp_take_parts(&sum->row, &sum->sizes[i], 0, i);
        for (uint32_t k = 0; k < HP_REPLICATES; k++) {
            if (sum->groups[i][k] != 0) {
                hp_vec_push(&sum->row.groups[i],
                            ((struct hp_group_sum){k, sum->groups[i][k]}));
            }
        }
    }
}

static void sum_done(struct stack_sum *sum) {
    hp_stack_row_done(&sum->row);
    for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
        hp_sizes_done(&sum->sizes[i]);
    }
}

// --- merging ---------------------------------------------------------------------------

// State of merging all runs of a profile, and the stacks in memory, into one.
struct merge {
    struct hp_partial_writer *w;
    struct hp_frame_table frames; // frames of the profile by module
    // The runs of the profile, `given` of them, then the runs made by merging. The first
    // `done` runs have been merged into others.
    HP_VEC(struct hp_stack_run)
    runs;
    size_t done, given;   // see `runs`
    uint64_t next_number; // number of the first stack of the next run made here
    // By number of a stack in a run: number of the stack that it was merged into, or
    // finally its place in the result. Only kept if needs_places is set, because the
    // history refers to stacks.
    bool needs_places;
    HP_VEC(uint32_t) places;
    struct stack_sum sum;
    struct hp_values total;    // sum of all stacks of the result
    struct hp_sharder sharder; // shards to write; runs have the stacks of all shards
    struct cursor cursors[WAYS + 1]; // open cursors
    size_t open;                     // number of open cursors
    // Heap of the cursors that are not at their end, from index 1 on: the cursor at i / 2
    // is never after that at i.
    struct cursor *heap[WAYS + 2];
    size_t waiting; // cursors in `heap`
    // Cursors taken out of the heap: all are at the same stack.
    struct cursor *equal[WAYS + 1];
    size_t equals; // cursors in `equal`
};

// Record that the current stack of a cursor becomes stack number `place` of the result.
static void note_place(struct merge *merge, const struct cursor *cursor, uint64_t place) {
    struct hp_partial_writer *w = merge->w;
    if (!cursor->run) {
        w->rank[w->order[cursor->number]] = (uint32_t)place;
    } else if (merge->needs_places) {
        *hp_vec_reach(&merge->places, (size_t)(cursor->run->first + cursor->number)) =
            (uint32_t)place;
    }
}

// --- which is next ---------------------------------------------------------------------

// Whether the current stack of a cursor comes before that of another in the order of the
// file.
static bool is_before(const struct cursor *a, const struct cursor *b) {
    return compare(&a->row, &b->row) < 0;
}

// Add a cursor to the heap.
static void enqueue(struct merge *merge, struct cursor *cursor) {
    size_t i = ++merge->waiting;
    for (; i > 1 && is_before(cursor, merge->heap[i / 2]); i /= 2) {
        merge->heap[i] = merge->heap[i / 2];
    }
    merge->heap[i] = cursor;
}

// Remove the first cursor from the heap, which must not be empty.
static struct cursor *take_first(struct merge *merge) {
    struct cursor *first = merge->heap[1], *moved = merge->heap[merge->waiting--];
    size_t i = 1, next;
    for (; (next = 2 * i) <= merge->waiting; i = next) {
        next +=
            next < merge->waiting && is_before(merge->heap[next + 1], merge->heap[next]);
        if (!is_before(merge->heap[next], moved)) {
            break;
        }
        merge->heap[i] = merge->heap[next];
    }
    merge->heap[i] = moved;
    return first;
}

// Move all cursors whose stack is equal to the first one from the heap to merge->equal.
// Returns false if the heap is empty.
static bool take_equal(struct merge *merge) {
    merge->equals = 0;
    while (merge->waiting > 0 &&
           (merge->equals == 0 ||
            compare(&merge->heap[1]->row, &merge->equal[0]->row) == 0)) {
        merge->equal[merge->equals++] = take_first(merge);
    }
    return merge->equals > 0;
}

// Advance the cursors in merge->equal, and return them to the heap unless they are at
// their end.
static int advance_equal(struct merge *merge, struct hp_err *err) {
    int ret = HP_OK;
    for (size_t i = 0; ret == HP_OK && i < merge->equals; i++) {
        ret = advance(merge->equal[i], err);
        if (ret == HP_OK && !merge->equal[i]->at_end) {
            enqueue(merge, merge->equal[i]);
        }
    }
    return ret;
}

// Returns the sum of the stack at all cursors in merge->equal, and records for each that
// it becomes stack number `place` of the result. The returned row is valid until one of
// the cursors is advanced.
static const struct hp_stack_row *add_equal(struct merge *merge, uint64_t place) {
    for (size_t i = 0; i < merge->equals; i++) {
        note_place(merge, merge->equal[i], place);
    }
    if (merge->equals == 1) {
        return &merge->equal[0]->row;
    }
    sum_begin(&merge->sum, &merge->equal[0]->row);
    for (size_t i = 0; i < merge->equals; i++) {
        sum_add(&merge->sum, &merge->equal[i]->row);
    }
    sum_end(&merge->sum);
    return &merge->sum.row;
}

// Add a stack to merge->total; sets sum.overflow if that is too large, which it can be
// even if no stack is.
static void add_to_total(struct merge *merge, const struct hp_stack_row *row) {
    struct hp_values values;
    for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
        values.of[hp_objects_of(i)] = row->whole[i].objects;
        values.of[hp_space_of(i)] = row->whole[i].bytes;
    }
    merge->sum.overflow |= !hp_values_add(&merge->total, &values);
}

// Whether a stack is in the shards to write.
static bool is_in_shard(struct merge *merge, const struct hp_stack_row *row) {
    return hp_sharder_has(&merge->sharder, row->path.at, row->path.count);
}

// Merge the stacks of all cursors in the heap, and write the result to `to`, a run or the
// partial itself. *place is the number of the first stack in the result, and becomes the
// number after the last. If `to` is the partial, only the stacks of its shards are
// written.
static int merge_open(struct merge *merge, struct hp_partial_writer *to, uint64_t *place,
                      struct hp_err *err) {
    struct hp_stack_codec codec = {.frames = &merge->frames,
                                   .has_groups = to->has_between};
    uint64_t end = *place + UINT32_MAX;
    int ret = HP_OK;
    while (ret == HP_OK && take_equal(merge)) {
        bool is_written = to != merge->w || is_in_shard(merge, &merge->equal[0]->row);
        uint64_t own = is_written ? (*place)++ : HP_NO_RANK;
        const struct hp_stack_row *row = add_equal(merge, own);
        if (is_written) {
            hp_put_stack(to, &codec, row);
        }
        if (to == merge->w) {
            add_to_total(merge, row);
        }
        if (merge->sum.overflow) {
            ret =
                hp_fail(err, HP_E_LIMIT,
                        HP_MESSAGE("merged-sum-too-large", "a sum exceeds 2^127 units"));
        } else if (*place == end) {
            ret = hp_fail(err, HP_E_LIMIT,
                          HP_MESSAGE("merged-many-stacks",
                                     "more stacks than an aggregate file can have"));
        }
        ret = ret == HP_OK ? advance_equal(merge, err) : ret;
    }
    hp_stack_encode_end(&codec, &to->blocks);
    hp_stack_codec_done(&codec);
    return ret;
}

// Merge the next `count` runs, and, if `to` is the partial itself, the stacks in memory,
// and write the result to `to`. *place is the number of the first stack written, and
// becomes the number after the last. Frees the runs, except those of the profile.
static int merge_next(struct merge *merge, size_t count, struct hp_partial_writer *to,
                      uint64_t *place, struct hp_err *err) {
    bool is_last = to == merge->w;
    int ret = HP_OK;
    merge->open = merge->waiting = 0;
    for (size_t i = 0; ret == HP_OK && i < count + is_last; i++) {
        const struct hp_stack_run *run =
            i < count ? &merge->runs.at[merge->done + i] : NULL;
        struct cursor *cursor = &merge->cursors[merge->open++];
        ret = cursor_open(cursor, merge->w, run, err);
        if (ret == HP_OK && !cursor->at_end) {
            enqueue(merge, cursor);
        }
    }
    ret = ret == HP_OK ? merge_open(merge, to, place, err) : ret;
    for (size_t i = 0; i < merge->open; i++) {
        cursor_done(&merge->cursors[i]);
    }
    for (size_t i = merge->done; i < merge->done + count; i++) {
        if (i >= merge->given) {
            hp_stack_run_done(&merge->runs.at[i]);
        }
    }
    merge->done += count;
    return ret;
}

// Merge the next `count` runs into a new run, which is appended to merge->runs.
static int merge_some(struct merge *merge, size_t count, struct hp_err *err) {
    const struct hp_profile *profile = merge->w->profile;
    struct hp_partial_writer w = {
        .profile = profile,
        .has_between = profile->keeps.partial && !profile->settings.drops_identities,
    };
    struct hp_run_writer run;
    uint64_t place = merge->next_number;
    struct hp_stack_run own = {.first = merge->next_number, .source = HP_RUN_FINAL};
    int ret = hp_run_writer_begin(&run, &w.blocks, &own, profile->settings.store, err);
    if (ret != HP_OK) {
        return ret;
    }
    ret = merge_next(merge, count, &w, &place, err);
    run.run.stacks = place - run.run.first;
    merge->next_number = place;
    struct hp_err last = {0};
    int end = hp_run_writer_end(&run, ret == HP_OK ? err : &last);
    hp_vec_push(&merge->runs, run.run);
    if (ret == HP_OK && end == HP_OK && merge->needs_places && place > UINT32_MAX) {
        return hp_fail(err, HP_E_LIMIT,
                       HP_MESSAGE("written-many-stacks",
                                  "more stacks than an aggregate file can have"));
    }
    return ret == HP_OK ? end : ret;
}

// Set w->run_rank to the final places, in the file, of the stacks in the runs of the
// profile. A run that was merged into another one is before that one in merge->runs:
// going backwards, the places of the stacks in the other run are final already. `last` is
// the number of runs that were merged into others.
static void resolve_places(struct merge *merge, size_t last) {
    struct hp_partial_writer *w = merge->w;
    size_t given = (size_t)w->profile->runs.stacks;
    for (size_t i = last; i-- > 0;) {
        const struct hp_stack_run *run = &merge->runs.at[i];
        uint32_t *places = merge->places.at + run->first;
        for (uint64_t k = 0; k < run->stacks; k++) {
            places[k] = merge->places.at[places[k]];
        }
    }
    w->run_rank = hp_alloc((given + 1) * sizeof *w->run_rank);
    memcpy(w->run_rank, merge->places.at, given * sizeof *w->run_rank);
}

int hp_put_runs(struct hp_partial_writer *w, struct hp_err *err) {
    const struct hp_profile *profile = w->profile;
    struct merge *merge = hp_alloc(sizeof *merge);
    uint64_t place = 0;
    int ret = HP_OK;
    merge->w = w;
    merge->given = profile->runs.all.count;
    merge->next_number = profile->runs.stacks;
    merge->needs_places = w->has_history;
    hp_vec_append(&merge->runs, profile->runs.all.at, profile->runs.all.count);
    hp_frames_take(&merge->frames, w);
    hp_sharder_init(&merge->sharder, profile, w->shards);
    while (ret == HP_OK && merge->runs.count - merge->done > WAYS) {
        size_t more = merge->runs.count - merge->done - WAYS + 1;
        ret = merge_some(merge, more < WAYS ? more : WAYS, err);
    }
    size_t last = merge->done;
    if (ret == HP_OK) {
        ret = merge_next(merge, merge->runs.count - last, w, &place, err);
    }
    if (ret == HP_OK && merge->needs_places) {
        resolve_places(merge, last);
    }
    for (size_t i = merge->given; i < merge->runs.count; i++) {
        hp_stack_run_done(&merge->runs.at[i]);
    }
    hp_vec_done(&merge->runs);
    hp_vec_done(&merge->places);
    hp_frame_table_done(&merge->frames);
    hp_sharder_done(&merge->sharder);
    sum_done(&merge->sum);
    free(merge);
    return ret;
}
