// A run is a partial with nothing but stacks and their sums over replicates, even if the
// sums will not be written to a partial. The runs of a partial that was read are copies
// of its blocks.
#include "partial/runs.h"

#include "partial/partial_writer.h"

#include <stdlib.h>
#include <string.h>

// --- writing ---------------------------------------------------------------------------

int hp_run_writer_begin(struct hp_run_writer *writer, struct hp_block_writer *blocks,
                        const struct hp_stack_run *known, struct hp_run_store *store,
                        struct hp_err *err) {
    writer->blocks = blocks;
    writer->run = *known;
    hp_sink_init(&writer->sink, hp_run_put, &writer->out);
    hp_block_writer_init(blocks, &writer->sink);
    blocks->is_run = true;
    return hp_run_begin(&writer->out, store, &writer->run, err);
}

int hp_run_writer_end(struct hp_run_writer *writer, struct hp_err *err) {
    int ret = hp_block_writer_end(writer->blocks, err);
    if (ret == HP_OK && hp_sink_close(&writer->sink, err) != HP_OK) {
        ret = hp_run_fail_write(writer->out.store, writer->sink.error, err);
    }
    hp_run_end(&writer->out);
    hp_block_writer_done(writer->blocks);
    return ret;
}

// Number the sets of labels that stacks in memory have, from 1 in canonical order: set
// run->sets, and w->set_rank, which the caller frees.
static void take_sets(struct hp_partial_writer *w, struct hp_stack_run *run) {
    const struct hp_profile *profile = w->profile;
    size_t count = profile->tags.sets.strings.count;
    uint32_t *rank = hp_tags_ranks(&profile->tags.sets, &profile->strings);
    uint32_t *set_at = hp_alloc((count + 1) * sizeof *set_at);
    const hp_string *set;
    w->set_rank = hp_alloc((count + 1) * sizeof *w->set_rank);
    hp_vec_each (set, &profile->tags.of_stacks) {
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

// If a partial with identities is to be made, complete the sums over replicates of the
// stacks in memory from the history, and move them from the profile to the writer, in the
// order of the stacks.
static void take_groups(struct hp_partial_writer *w, struct hp_profile *profile) {
    w->has_between = profile->keeps.partial && !profile->settings.drops_identities;
    if (w->has_between) {
        hp_profile_sum_groups(profile);
        hp_replicates_settle(&profile->variation.between[0].sums);
        w->between.sums = profile->variation.between[0].sums;
        profile->variation.between[0].sums = (struct hp_replicates){.overflow = false};
        profile->overflow |= w->between.sums.overflow;
    }
    hp_order_replicates(w);
}

// Write the stacks in memory as a run, and replace them by it in the profile. The run is
// kept in memory if in_memory is set and the store has room; otherwise it is written to
// the file of the store.
static int write_run(struct hp_profile *profile, struct hp_run_store *store,
                     bool in_memory, struct hp_err *err) {
    struct hp_partial_writer w = {.profile = profile};
    struct hp_run_writer run;
    struct hp_stack_run own = {.source = HP_RUN_OWN,
                               .frames = (uint32_t)profile->frames.count};
    uint32_t *frames = hp_profile_frame_ranks(profile);
    w.frame_rank = frames;
    // These three functions take time: call them before the store is locked.
    take_sets(&w, &own);
    hp_order_stacks(&w);
    take_groups(&w, profile);
    int ret = hp_run_writer_begin(&run, &w.blocks, &own, in_memory ? NULL : store, err);
    if (ret == HP_OK) {
        hp_put_stacks(&w);
        ret = hp_run_writer_end(&run, err);
        ret = ret == HP_OK && in_memory ? hp_run_keep(store, &run.run, err) : ret;
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

int hp_profile_spill(struct hp_profile *profile, struct hp_run_store *store,
                     struct hp_err *err) {
    return write_run(profile, store, false, err);
}

int hp_profile_pack(struct hp_profile *profile, struct hp_run_store *store,
                    struct hp_err *err) {
    return write_run(profile, store, true, err);
}
