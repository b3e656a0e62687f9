// When partials are merged into one partial, the stacks of each are in the order in which
// they are written again. So their blocks are copied to runs unchanged; hp_put_runs()
// merges these, and only then detects damage of the stacks.
#include "partial/partial_reader.h"

enum {
    RUN_SHARE = 4, // a run ends when it has more than 1/4 of partials->stack_memory
    // Stacks of partials of few dumps are moved to a run when they take more bytes than
    // this.
    FEW_ROOM = 4 << 20,
};

// Whether runs can be made at all: there is a store, a partial is to be made, and no
// further sample types refer to stacks by number.
static bool makes_runs(const struct hp_partial_reader *r) {
    return r->to->store && r->profile->keeps.partial && r->profile->types.of.count == 0;
}

bool hp_reader_stays_packed(struct hp_partial_reader *r) {
    const struct hp_profile *profile = r->profile;
    struct hp_packed_stacks *packed = &r->packed;
    bool keeps_sets = profile->keeps.labels || profile->keeps.threads;
    if (!packed->is_known) {
        packed->is_known = true;
        packed->is_any =
            makes_runs(r) && hp_reader_has_many(r) && (keeps_sets || r->sets.count == 1);
    }
    return packed->is_any;
}

// Add a source of runs that records how the partial numbers its frames. Add the sum of
// the partial's stacks, which is the sum of its groups of dumps, to the total of all
// runs. Returns the index of the source in runs->sources.
static uint32_t add_source(struct hp_partial_reader *r) {
    struct hp_stack_runs *runs = &r->profile->runs;
    struct hp_run_source source = {.first_frame = runs->frames.count};
    uint32_t end = 0;
    const hp_frame_id *frame;
    hp_vec_each (frame, &r->frames) {
        hp_vec_push(&runs->frames, frame->n);
    }
    const struct hp_module_frames *frames;
    hp_vec_each (frames, &r->frame_table.of) {
        end = frames->count > 0 ? frames->first + frames->count : end;
        hp_vec_push(&source.ends, end);
    }
    const struct hp_input_record *group;
    hp_vec_each (group, &r->groups) {
        runs->overflow |= !hp_values_add(&runs->total, &group->total);
    }
    r->profile->overflow |= runs->overflow;
    hp_vec_push(&runs->sources, source);
    return (uint32_t)runs->sources.count - 1;
}

// Begin a run in memory for the blocks of this partial.
static int begin_run(struct hp_partial_reader *r, struct hp_err *err) {
    struct hp_packed_stacks *packed = &r->packed;
    if (!r->kept_name) {
        r->kept_name = hp_reader_kept_text(r, hp_span_of(r->name));
        packed->source = add_source(r);
    }
    struct hp_stack_run run = {.partial = r->kept_name, .source = packed->source};
    for (size_t i = 1; i < r->sets.count; i++) {
        hp_vec_push(&run.sets, r->sets.at[i]);
    }
    packed->is_open = true;
    return hp_run_writer_begin(&packed->writer, &packed->blocks, &run, NULL, err);
}

// End the open run, move it to the file of the store unless it may stay in memory, and
// append it to the runs of the profile, also after a failure.
static int end_run(struct hp_partial_reader *r, struct hp_err *err) {
    struct hp_packed_stacks *packed = &r->packed;
    struct hp_stack_run *run = &packed->writer.run;
    int ret = hp_run_writer_end(&packed->writer, err);
    packed->is_open = false;
    ret = ret == HP_OK ? hp_run_keep(r->to->store, run, err) : ret;
    hp_stack_runs_add(&r->profile->runs, run);
    return ret;
}

void hp_reader_pack_stacks(struct hp_partial_reader *r) {
    struct hp_packed_stacks *packed = &r->packed;
    int ret = packed->is_open ? HP_OK : begin_run(r, &r->spill_err);
    r->has_spilled = true;
    packed->writer.run.stacks += hp_stack_count(&r->row);
    hp_block_copy(&packed->blocks, &r->blocks);
    r->row.at = r->row.end;
    if (ret == HP_OK && packed->blocks.bytes > r->to->stack_memory / RUN_SHARE) {
        ret = end_run(r, &r->spill_err);
    }
    if (ret != HP_OK) {
        hp_numbers_fail(&r->row, HP_WORDS("packed-not-spilled",
                                          "cannot write the temporary file"));
    }
}

int hp_reader_end_packed(struct hp_partial_reader *r, struct hp_err *err) {
    return r->packed.is_open ? end_run(r, err) : HP_OK;
}

void hp_packed_stacks_done(struct hp_packed_stacks *packed) {
    struct hp_err err = {0};
    if (packed->is_open) {
        (void)!hp_run_writer_end(&packed->writer, &err);
        hp_stack_run_done(&packed->writer.run);
    }
}

// --- partials of few dumps -------------------------------------------------------------

// Once all partials together have more dumps than are recorded individually, the
// contributions of each dump to stacks are replaced by sums over replicates, and the
// stacks become runs, as for a partial of many dumps.

// Whether stacks can be moved to runs (model/stack_runs.h), and the partials read so far
// have more dumps together than are recorded individually.
static bool are_too_many(const struct hp_partial_reader *r) {
    return makes_runs(r) && r->to->dumps > r->parameters.of[HP_PARAMETER_HISTORY];
}

void hp_reader_fold(struct hp_partial_reader *r) {
    bool is_whole = r->parameters.of[HP_PARAMETER_SHARDS] == 1;
    uint64_t aside = r->skipped[HP_REASON_OTHER_MOMENT];
    r->to->dumps += is_whole ? r->group_dumps + aside : 0;
    if (are_too_many(r) && r->profile->history.is_kept) {
        hp_profile_fold_history(r->profile);
    }
}

int hp_reader_pack_folded(struct hp_partial_reader *r, struct hp_err *err) {
    uint64_t room = r->to->stack_memory < FEW_ROOM ? r->to->stack_memory : FEW_ROOM;
    bool packs = are_too_many(r) && hp_profile_can_spill(r->profile) &&
                 hp_profile_stack_memory(r->profile) > room;
    return packs ? hp_profile_pack(r->profile, r->to->store, err) : HP_OK;
}
