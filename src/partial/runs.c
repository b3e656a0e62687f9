// Runs are partials of stacks alone, with the sums of groups of their dumps, whether these will be told
// of or not.  Merging goes through some of them at a time, a stack after the other, as all have one
// order; equal stacks are added up as hp_profile_add() adds them.  More runs than are open at a time
// first become one.
#include "partial/runs.h"

#include "partial/partial_reader.h"
#include "partial/partial_writer.h"
#include "partial/shards.h"

#include <stdlib.h>
#include <string.h>

enum {
    WAYS =
        16, // runs that are open at a time: each holds a block and what its frames are called
};

// --- writing ------------------------------------------------------------------------------

struct run_writer {
    struct hp_partial_writer *w; // whose blocks go to it
    struct hp_sink sink;
    struct hp_run_output out;
    struct hp_stack_run run; // in the end, where it is
};

// Stays where it is between begin and end, which also follows a failure in between; nobody else writes
// a run meanwhile.
static int run_begin(struct run_writer *run, struct hp_partial_writer *w,
                     const struct hp_stack_run *told, struct hp_run_store *store,
                     struct hp_err *err) {
    run->w = w;
    run->run = *told;
    hp_sink_init(&run->sink, hp_run_put, &run->out);
    hp_block_writer_init(&w->blocks, &run->sink);
    w->blocks.is_run = true;
    return hp_run_begin(&run->out, store, &run->run, err);
}

static int run_end(struct run_writer *run, struct hp_err *err) {
    int ret = hp_block_writer_end(&run->w->blocks, err);
    if (ret == HP_OK && hp_sink_close(&run->sink, err) != HP_OK) {
        ret = hp_fail(err, HP_E_OUTPUT, "cannot write what memory does not hold");
        err->sys = run->sink.error;
    }
    hp_run_end(&run->out);
    hp_block_writer_done(&run->w->blocks);
    return ret;
}

// Sets of labels that stacks have, numbered in their order.
static void take_sets(struct hp_partial_writer *w, struct hp_stack_run *run) {
    const struct hp_profile *profile = w->profile;
    size_t count = profile->tag_sets.strings.count;
    uint32_t *rank = hp_tags_ranks(&profile->tag_sets, &profile->strings);
    uint32_t *set_at = hp_alloc((count + 1) * sizeof *set_at);
    const hp_string *set;
    w->set_rank = hp_alloc((count + 1) * sizeof *w->set_rank);
    hp_vec_each (set, &profile->tags) {
        set_at[rank[set->n]] = set->n;
    }
    for (size_t i = 1; i < count; i++) {
        if (set_at[i] > 0) {
            hp_vec_push(&run->sets, (hp_string){set_at[i]});
            w->set_rank[set_at[i]] = (uint32_t)run->sets.count;
        }
    }
    free(set_at);
    free(rank);
}

static void take_groups(struct hp_partial_writer *w, struct hp_profile *profile) {
    w->has_between = profile->keeps.partial && !profile->drops_identities;
    if (w->has_between) {
        hp_profile_sum_groups(profile);
        hp_replicates_settle(&profile->between[0].sums);
        w->between.sums = profile->between[0].sums;
        profile->between[0].sums = (struct hp_replicates){.overflow = false};
        profile->overflow |= w->between.sums.overflow;
    }
    hp_order_replicates(w);
}

int hp_profile_spill(struct hp_profile *profile, struct hp_run_store *store,
                     struct hp_err *err) {
    struct hp_partial_writer w = {.profile = profile};
    struct run_writer run;
    struct hp_stack_run own = {.source = HP_RUN_OWN,
                               .frames = (uint32_t)profile->frames.count};
    uint32_t *frames = hp_profile_frame_ranks(profile);
    w.frame_rank = frames;
    take_sets(&w, &own); // and what else takes time, before others have to wait
    hp_order_stacks(&w);
    take_groups(&w, profile);
    int ret = run_begin(&run, &w, &own, store, err);
    if (ret == HP_OK) {
        hp_put_stacks(&w);
        ret = run_end(&run, err);
        hp_profile_take_run(profile, &run.run, w.rank);
        w.rank = NULL;
    } else {
        hp_stack_run_done(&own);
    }
    hp_between_done(&w.between);
    free(w.set_rank);
    free(w.order);
    free(w.rank);
    free(frames);
    return ret;
}

// --- cursors ------------------------------------------------------------------------------

// A stack of a run, or of those in memory, and those behind it.
struct cursor {
    struct hp_partial_writer *w;
    const struct hp_stack_run *run; // NULL: in memory
    struct hp_run_input input;
    struct hp_block_reader blocks;
    struct hp_stack_codec codec;
    struct hp_frame_table table; // of the frames of the run
    HP_VEC(uint32_t) frames;     // of the run, as in the profile
    struct hp_stack_row row;     // as in the profile
    uint64_t number;             // of the stack, among those of the run
    uint64_t next;
    bool at_end;
};

static int by_number(const void *left, const void *right) {
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

// As those of the profile are in order, those of the run are where they are sorted by these.
static void take_frames(struct cursor *cursor) {
    const struct hp_profile *profile = cursor->w->profile;
    const struct hp_stack_run *run = cursor->run;
    uint32_t module = 0;
    if (run->source == HP_RUN_FINAL) {
        hp_frames_take(&cursor->table, cursor->w);
        return;
    }
    hp_vec_append(&cursor->frames, profile->runs.sources.at[run->source].frames.at,
                  run->frames);
    hp_vec_sort(&cursor->frames, by_number);
    for (size_t i = 0; i < cursor->frames.count; i++) {
        const struct hp_frame *all = profile->frames.at;
        const uint32_t *frame = &cursor->frames.at[i];
        module += i > 0 && all[frame[0]].module.n != all[frame[-1]].module.n;
        hp_frame_table_add(&cursor->table, module);
    }
}

static void take_names(struct cursor *cursor) {
    const struct hp_stack_run *run = cursor->run;
    struct hp_stack_row *row = &cursor->row;
    uint32_t *frame;
    for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
        if (!hp_profile_has_errors(cursor->w->profile,
                                   i)) { // of another dump they are not known
            row->whole[i].error = (struct hp_error){0};
        }
    }
    if (run->source == HP_RUN_FINAL) {
        return;
    }
    hp_vec_each (frame, &row->path) {
        *frame = cursor->frames.at[*frame];
    }
    row->set = row->set > 0 ? cursor->w->set_rank[run->sets.at[row->set - 1].n] : 0;
}

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

// To the next stack.
static int advance(struct cursor *cursor, struct hp_err *err) {
    int ret = HP_OK;
    cursor->number = cursor->next;
    if (!cursor->run) {
        cursor->at_end = cursor->next == cursor->w->stacks;
        if (!cursor->at_end) {
            hp_take_stack(&cursor->row, cursor->w, cursor->next++);
        }
        return HP_OK;
    }
    while (ret == HP_OK && !cursor->at_end &&
           !hp_stack_decode(&cursor->codec, &cursor->row)) {
        ret = cursor->codec.state.damage
                  ? hp_fail(err, HP_E_IO, "what memory does not hold is damaged: %s",
                            cursor->codec.state.damage)
                  : next_block(cursor, err);
    }
    if (ret == HP_OK && !cursor->at_end) {
        take_names(cursor);
        cursor->next++;
    }
    return ret;
}

static int cursor_open(struct cursor *cursor, struct hp_partial_writer *w,
                       const struct hp_stack_run *run, struct hp_err *err) {
    *cursor = (struct cursor){.w = w, .run = run};
    int ret = HP_OK;
    if (run) {
        cursor->input = (struct hp_run_input){.run = run, .fd = w->profile->store->fd};
        take_frames(cursor);
        cursor->codec.frames = &cursor->table;
        ret = hp_block_reader_init(&cursor->blocks,
                                   (struct hp_block_source){hp_run_read, &cursor->input},
                                   err);
        cursor->blocks.is_run = true;
        ret = ret == HP_OK ? next_block(cursor, err) : ret;
    }
    return ret == HP_OK ? advance(cursor, err) : ret;
}

static void cursor_done(struct cursor *cursor) {
    if (cursor->run) {
        hp_block_reader_done(&cursor->blocks);
    }
    hp_stack_codec_done(&cursor->codec);
    hp_frame_table_done(&cursor->table);
    hp_stack_row_done(&cursor->row);
    hp_vec_done(&cursor->frames);
}

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

// --- sums ---------------------------------------------------------------------------------

// Of equal stacks.
struct sum {
    struct hp_stack_row row;
    struct hp_sizes sizes[HP_COLUMNS]; // of stack 0
    hp_int128 groups[HP_COLUMNS][HP_REPLICATES];
    bool overflow;
};

static void add_groups(struct sum *sum, const struct hp_stack_row *row,
                       enum hp_column column) {
    const struct hp_group_sum *group;
    hp_vec_each (group, &row->groups[column]) {
        hp_int128 *to = &sum->groups[column][group->group];
        sum->overflow |= __builtin_add_overflow(*to, group->bytes, to);
    }
}

static void add_parts(struct sum *sum, const struct hp_stack_row *row,
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

static void add_whole(struct sum *sum, const struct hp_size_part *whole,
                      struct hp_size_part *to) {
    bool overflow = __builtin_add_overflow(to->objects, whole->objects, &to->objects);
    overflow |= __builtin_add_overflow(to->bytes, whole->bytes, &to->bytes);
    sum->overflow |= overflow || !hp_error_add(&to->error, &whole->error);
}

static void sum_begin(struct sum *sum, const struct hp_stack_row *first) {
    hp_stack_row_clear(&sum->row);
    sum->row.set = first->set;
    hp_vec_append(&sum->row.path, first->path.at, first->path.count);
    memset(sum->groups, 0, sizeof sum->groups);
    for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
        hp_sizes_clear(&sum->sizes[i]);
    }
}

static void sum_add(struct sum *sum, const struct hp_stack_row *row) {
    for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
        add_whole(sum, &row->whole[i], &sum->row.whole[i]);
        add_parts(sum, row, i);
        add_groups(sum, row, i);
    }
}

static void sum_end(struct sum *sum) {
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

static void sum_done(struct sum *sum) {
    hp_stack_row_done(&sum->row);
    for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
        hp_sizes_done(&sum->sizes[i]);
    }
}

// --- merging ------------------------------------------------------------------------------

struct merge {
    struct hp_partial_writer *w;
    struct hp_frame_table frames; // of the profile
    HP_VEC(struct hp_stack_run)
    runs;               // of which the first `done` have been merged; of these
    size_t done, given; // the first `given` are the profile's
    uint64_t numbers;   // of stacks in runs are below
    // Of each number the place of its stack in the run that it became a part of, or in the result.
    bool needs_places;
    HP_VEC(uint32_t) places;
    struct sum sum;
    struct hp_sharder sharder;       // of the result: runs are of all stacks
    struct cursor cursors[WAYS + 1]; // that are open
    size_t open;
};

static void note_place(struct merge *merge, const struct cursor *cursor, uint64_t place) {
    struct hp_partial_writer *w = merge->w;
    if (!cursor->run) {
        w->rank[w->order[cursor->number]] = (uint32_t)place;
    } else if (merge->needs_places) {
        *hp_vec_reach(&merge->places, (size_t)(cursor->run->first + cursor->number)) =
            (uint32_t)place;
    }
}

// The first stack of all that are open, and how many have it; NULL if there is none.
static struct cursor *first_of(struct merge *merge, size_t *equal) {
    struct cursor *first = NULL;
    for (struct cursor *next = merge->cursors; next < merge->cursors + merge->open;
         next++) {
        int order = next->at_end ? 1 : first ? compare(&next->row, &first->row) : -1;
        if (order <= 0) {
            first = order < 0 ? next : first;
            *equal = order < 0 ? 1 : *equal + 1;
        }
    }
    return first;
}

// What all have of that stack, called `place` from now on.
static const struct hp_stack_row *add_equal(struct merge *merge, struct cursor *first,
                                            size_t equal, uint64_t place) {
    if (equal > 1) {
        sum_begin(&merge->sum, &first->row);
    }
    for (struct cursor *next = first; next < merge->cursors + merge->open; next++) {
        if (!next->at_end && compare(&next->row, &first->row) == 0) {
            note_place(merge, next, place);
            if (equal > 1) {
                sum_add(&merge->sum, &next->row);
            }
        }
    }
    if (equal == 1) {
        return &first->row;
    }
    sum_end(&merge->sum);
    return &merge->sum.row;
}

static int advance_equal(struct merge *merge, struct cursor *first, struct hp_err *err) {
    int ret = HP_OK;
    for (struct cursor *next = merge->cursors + merge->open; next-- > first;) {
        if (ret == HP_OK && !next->at_end &&
            (next == first || compare(&next->row, &first->row) == 0)) {
            ret = advance(next, err); // the first goes on last
        }
    }
    return ret;
}

static bool is_in_shard(struct merge *merge, const struct hp_stack_row *row) {
    return hp_sharder_has(&merge->sharder, row->path.at, row->path.count);
}

static int merge_open(struct merge *merge, struct hp_partial_writer *to, uint64_t *place,
                      struct hp_err *err) {
    struct hp_stack_codec codec = {.frames = &merge->frames,
                                   .has_groups = to->has_between};
    struct cursor *first;
    uint64_t end = *place + UINT32_MAX;
    size_t equal = 0;
    int ret = HP_OK;
    while (ret == HP_OK && (first = first_of(merge, &equal)) != NULL) {
        bool is_told = to != merge->w || is_in_shard(merge, &first->row);
        uint64_t own = is_told ? (*place)++ : HP_NO_RANK;
        const struct hp_stack_row *row = add_equal(merge, first, equal, own);
        if (is_told) {
            hp_put_stack(to, &codec, row);
        }
        if (merge->sum.overflow) {
            ret = hp_fail(err, HP_E_LIMIT, "a sum exceeds 2^127 units");
        } else if (*place == end) {
            ret = hp_fail(err, HP_E_LIMIT, "more stacks than a partial holds");
        }
        ret = ret == HP_OK ? advance_equal(merge, first, err) : ret;
    }
    hp_stack_encode_end(&codec, &to->blocks);
    hp_stack_codec_done(&codec);
    return ret;
}

// The next `count` runs, and what is in memory if that is asked for; *place is that of the first
// stack.
static int merge_next(struct merge *merge, size_t count, struct hp_partial_writer *to,
                      uint64_t *place, struct hp_err *err) {
    bool is_last = to == merge->w;
    int ret = HP_OK;
    merge->open = 0;
    for (size_t i = 0; ret == HP_OK && i < count + is_last; i++) {
        const struct hp_stack_run *run =
            i < count ? &merge->runs.at[merge->done + i] : NULL;
        ret = cursor_open(&merge->cursors[merge->open++], merge->w, run, err);
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

// Some runs into one.
static int merge_some(struct merge *merge, size_t count, struct hp_err *err) {
    const struct hp_profile *profile = merge->w->profile;
    struct hp_partial_writer w = {
        .profile = profile,
        .has_between = profile->keeps.partial && !profile->drops_identities,
    };
    struct run_writer run;
    uint64_t place = merge->numbers;
    struct hp_stack_run own = {.first = merge->numbers, .source = HP_RUN_FINAL};
    int ret = run_begin(&run, &w, &own, profile->store, err);
    if (ret != HP_OK) {
        return ret;
    }
    ret = merge_next(merge, count, &w, &place, err);
    run.run.stacks = place - run.run.first;
    merge->numbers = place;
    struct hp_err last = {0};
    int end = run_end(&run, ret == HP_OK ? err : &last);
    hp_vec_push(&merge->runs, run.run);
    if (ret == HP_OK && end == HP_OK && merge->needs_places && place > UINT32_MAX) {
        return hp_fail(err, HP_E_LIMIT, "more stacks than a partial holds");
    }
    return ret == HP_OK ? end : ret;
}

// Where stacks of runs went that were merged into others, these know: they are behind them.
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
    merge->numbers = profile->runs.stacks;
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
