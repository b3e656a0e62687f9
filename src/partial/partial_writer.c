// The tables of a partial, and the members of their rows:
//
//     parameters   name, value; at the end, if only one thread was read, its name and the
//                  value of `thread` again
//     strings      text, in order; number 0 is "", and has no row
//     modules      kind, path, build id, deleted, kind of addresses, span, what is
//                  resolved, the files that were mapped: first and last device and inode;
//                  number of extents; for each: address, size, offset, hole; with
//                  parameter `builds` the build that ran, and number of dumps
//     frames       columns: module, as distance; address, or its distance from the last
//                  of this module; return leaf
//     symbols      frame, as distance; disputed; number of calls; for each: function,
//                  linkage name, file, line, start line, column
//     labels       number of tags; for each: key, text, unit, whether it is a number,
//                  number
//     annotations  0, period, time, duration; or kind + 1, text, place
//     totals       has allocations; for each column: the fields of struct hp_error
//     types        type, unit, whether it is in bytes
//     type sums    type, as distance; stack, or its distance from the last of this type;
//                  value
//
// Modules, frames and sets of labels are numbered by their rows; module 0 and the empty
// set have no row.
#include "partial/partial_writer.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

static const char *const parameter_names[HP_PARAMETERS] = {
    [HP_PARAMETER_ESTIMATOR] = "estimator",
    [HP_PARAMETER_METHOD] = "method",
    [HP_PARAMETER_LARGE_SIZES] = "large-sizes",
    [HP_PARAMETER_SNAPSHOTS] = "snapshots",
    [HP_PARAMETER_COLUMN] = "column",
    [HP_PARAMETER_LABELS] = "labels",
    [HP_PARAMETER_THREADS] = "threads",
    [HP_PARAMETER_THREAD] = "thread",
    [HP_PARAMETER_UNMAPPED] = "unmapped",
    [HP_PARAMETER_HISTORY] = "history",
    [HP_PARAMETER_REPLICATES] = "replicates",
    [HP_PARAMETER_SHARDS] = "shards",
    [HP_PARAMETER_SHARD] = "shard",
    [HP_PARAMETER_BUILDS] = "builds",
};

const char *hp_parameter_name(enum hp_parameter parameter) {
    return parameter_names[parameter];
}

struct hp_parameters hp_parameters_of(const struct hp_profile *profile) {
    struct hp_span thread = hp_strtab_span(&profile->strings, profile->settings.thread);
    return (struct hp_parameters){{
        [HP_PARAMETER_ESTIMATOR] = HP_PARTIAL_ESTIMATOR,
        [HP_PARAMETER_METHOD] = profile->settings.estimator,
        [HP_PARAMETER_LARGE_SIZES] = profile->settings.large_sizes,
        [HP_PARAMETER_SNAPSHOTS] = profile->settings.snapshots,
        [HP_PARAMETER_COLUMN] = hp_column_of(profile->settings.metric),
        [HP_PARAMETER_LABELS] = profile->settings.wants_labels,
        [HP_PARAMETER_THREADS] = profile->keeps.threads,
        [HP_PARAMETER_THREAD] = thread.size > 0 ? XXH3_64bits(thread.at, thread.size) : 0,
        [HP_PARAMETER_UNMAPPED] = profile->keeps.unmapped,
        [HP_PARAMETER_HISTORY] = HP_PARTIAL_HISTORY,
        [HP_PARAMETER_REPLICATES] = HP_REPLICATES,
        [HP_PARAMETER_SHARDS] = profile->shards.count > 0 ? profile->shards.count : 1,
        [HP_PARAMETER_SHARD] = profile->shards.count > 0 ? profile->shards.present : 1,
        [HP_PARAMETER_BUILDS] = profile->settings.has_stamps,
    }};
}

// --- rows ------------------------------------------------------------------------------

// Write the parameters. `builds` is left out if it is 0, as earlier versions do not know
// it.
static void write_parameters(struct hp_partial_writer *w) {
    struct hp_parameters parameters = hp_parameters_of(w->profile);
    if (w->shards.count > 0) {
        parameters.of[HP_PARAMETER_SHARDS] = w->shards.count;
        parameters.of[HP_PARAMETER_SHARD] = w->shards.present;
    }
    for (enum hp_parameter i = 0; i < HP_PARAMETERS; i++) {
        if (i == HP_PARAMETER_BUILDS && !w->profile->settings.has_stamps) {
            continue;
        }
        hp_put_text(&w->row, hp_span_of(parameter_names[i]));
        hp_put_number(&w->row, parameters.of[i]);
        hp_put_row(w, HP_SECTION_PARAMETERS);
    }
    if (parameters.of[HP_PARAMETER_THREAD] != 0) {
        hp_put_text(&w->row,
                    hp_strtab_span(&w->profile->strings, w->profile->settings.thread));
        hp_put_number(&w->row, parameters.of[HP_PARAMETER_THREAD]);
        hp_put_row(w, HP_SECTION_PARAMETERS);
    }
}

// Write all texts of the tables in the order of their numbers.
static void write_strings(struct hp_partial_writer *w) {
    size_t count = w->texts.strings.count;
    uint32_t *place = hp_alloc((count + 1) * sizeof *place);
    for (uint32_t i = 0; i < count; i++) {
        place[w->text_rank[i]] = i;
    }
    for (uint32_t i = 1; i < count; i++) {
        hp_put_text(&w->row, hp_strtab_span(&w->texts, (hp_string){place[i]}));
        hp_put_row(w, HP_SECTION_STRINGS);
    }
    free(place);
}

// Write the modules in canonical order.
static void write_modules(struct hp_partial_writer *w) {
    for (size_t i = 1; i < w->profile->modules.count; i++) {
        const struct hp_module *module = &w->profile->modules.at[i];
        hp_put_number(&w->row, module->kind);
        hp_put_string(w, module->path);
        hp_put_string(w, module->recorded_build_id);
        hp_put_number(&w->row, module->deleted);
        hp_put_number(&w->row, module->addresses);
        hp_put_number(&w->row, module->span);
        hp_put_number(&w->row, module->resolved);
        hp_put_number(&w->row, module->lowest_file.device);
        hp_put_number(&w->row, module->lowest_file.inode);
        hp_put_number(&w->row, module->highest_file.device);
        hp_put_number(&w->row, module->highest_file.inode);
        hp_put_number(&w->row, module->extents);
        for (uint32_t k = 0; k < module->extents; k++) {
            const struct hp_extent *extent =
                &w->profile->extents.at[module->first_extent + k];
            hp_put_number(&w->row, extent->address);
            hp_put_number(&w->row, extent->size);
            hp_put_number(&w->row, extent->offset);
            hp_put_number(&w->row, extent->has_hole);
        }
        if (w->profile->settings.has_stamps) {
            hp_put_string(w, module->stamp);
            hp_put_number(&w->row, module->dumps);
        }
        hp_put_row(w, HP_SECTION_MODULES);
    }
}

// Write the frames in canonical order, in columns.
static void write_frames(struct hp_partial_writer *w) {
    struct hp_bytes columns[HP_FRAME_COLUMNS] = {{0}};
    struct hp_frame last = {.module = {0}};
    const struct hp_frame *frame;
    hp_vec_each (frame, &w->profile->frames) {
        uint32_t on = frame->module.n - last.module.n;
        hp_put_number(&columns[HP_FRAME_MODULE], on);
        hp_put_number(&columns[HP_FRAME_ADDRESS],
                      frame->address - (on == 0 ? last.address : 0));
        hp_put_number(&columns[HP_FRAME_LEAF], frame->is_return_leaf);
        last = *frame;
        if (hp_block_columns_size(columns, HP_FRAME_COLUMNS) >= HP_BLOCK_FULL) {
            hp_block_columns(&w->blocks, HP_SECTION_FRAMES, columns, HP_FRAME_COLUMNS);
        }
    }
    hp_block_columns(&w->blocks, HP_SECTION_FRAMES, columns, HP_FRAME_COLUMNS);
    for (int i = 0; i < HP_FRAME_COLUMNS; i++) {
        hp_vec_done(&columns[i]);
    }
}

// Write the symbols that dumps embed, frame by frame.
static void write_symbols(struct hp_partial_writer *w) {
    const struct hp_profile *profile = w->profile;
    for (size_t i = 0, last = 0; i < profile->frames.count; i++) {
        const struct hp_frame *frame = &profile->frames.at[i];
        if (frame->lines == 0 || frame->is_of_file) {
            continue;
        }
        hp_put_number(&w->row, i - last);
        hp_put_number(&w->row, frame->is_disputed);
        hp_put_number(&w->row, frame->lines);
        for (uint32_t k = 0; k < frame->lines; k++) {
            const struct hp_line *line = &profile->lines.at[frame->first_line + k];
            hp_put_string(w, line->function);
            hp_put_string(w, line->linkage);
            hp_put_string(w, line->file);
            hp_put_number(&w->row, line->line);
            hp_put_number(&w->row, line->start_line);
            hp_put_number(&w->row, line->column);
        }
        hp_put_row(w, HP_SECTION_SYMBOLS);
        last = i;
    }
}

// Write the sets of labels that have a number in w->set_rank.
static void write_labels(struct hp_partial_writer *w) {
    const struct hp_profile *profile = w->profile;
    for (uint32_t set = 1; set < profile->tags.sets.strings.count; set++) {
        size_t count = hp_tags_count(&profile->tags.sets, (hp_string){set});
        if (w->set_rank[set] == 0) {
            continue;
        }
        hp_put_number(&w->row, count);
        for (size_t i = 0; i < count; i++) {
            struct hp_tag tag = hp_tags_at(&profile->tags.sets, (hp_string){set}, i);
            hp_put_string(w, tag.key);
            hp_put_string(w, tag.text);
            hp_put_string(w, tag.unit);
            hp_put_number(&w->row, tag.is_number);
            hp_put_signed(&w->row, tag.number);
        }
        hp_put_row(w, HP_SECTION_LABELS);
    }
}

// Write a row with the period and the times of pprof profiles, and a row for each of
// their annotations.
static void write_annotations(struct hp_partial_writer *w) {
    const struct hp_annotations *annotations = &w->profile->inputs.annotations;
    const struct hp_annotation *annotation;
    hp_put_number(&w->row, 0);
    hp_put_number(&w->row, annotations->period);
    hp_put_number(&w->row, annotations->time);
    hp_put_number(&w->row, annotations->duration);
    hp_put_row(w, HP_SECTION_ANNOTATIONS);
    hp_vec_each (annotation, &annotations->all) {
        hp_put_number(&w->row, annotation->kind + 1u);
        hp_put_string(w, annotation->text);
        hp_put_number(&w->row, annotation->place);
        hp_put_row(w, HP_SECTION_ANNOTATIONS);
    }
}

// Write whether the profile has numbers of allocated memory, and the sums of errors over
// all stacks.
static void write_totals(struct hp_partial_writer *w) {
    hp_put_number(&w->row, w->profile->inputs.have_alloc);
    for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
        hp_put_slots(&w->row, &hp_error_slots, 1u << HP_SLOT_SUM,
                     &w->profile->errors.totals[i]);
    }
    hp_put_row(w, HP_SECTION_TOTALS);
}

// --- sample types ----------------------------------------------------------------------

// Write the names and units of the further sample types.
static void write_types(struct hp_partial_writer *w) {
    const struct hp_sample_type *type;
    hp_vec_each (type, &w->profile->types.of) {
        hp_put_string(w, type->type);
        hp_put_string(w, type->unit);
        hp_put_number(&w->row, type->in_place_of == HP_INUSE_SPACE);
        hp_put_row(w, HP_SECTION_TYPES);
    }
}

// Order the sums of a further sample type by the place of their stack in the file.
static int by_stack(const void *left, const void *right) {
    const struct hp_sample_sum *a = left, *b = right;
    return (a->stack > b->stack) - (a->stack < b->stack);
}

// Write the sums of further sample types for the stacks that are written.
static void write_type_sums(struct hp_partial_writer *w) {
    size_t last_type = 0;
    for (size_t t = 0; t < w->profile->types.of.count; t++) {
        const struct hp_sample_type *type = &w->profile->types.of.at[t];
        HP_VEC(struct hp_sample_sum) sums = {0};
        hp_vec_append(&sums, type->sums.at, type->sums.count);
        struct hp_sample_sum *sum;
        hp_vec_each (sum, &sums) {
            sum->stack = w->rank[sum->stack];
        }
        hp_vec_sort(&sums, by_stack);
        while (sums.count > 0 && sums.at[sums.count - 1].stack == HP_NO_RANK) {
            sums.count--;
        }
        uint32_t last = 0;
        hp_vec_each (sum, &sums) {
            hp_put_number(&w->row, t - last_type);
            hp_put_number(&w->row, sum->stack - last);
            hp_put_signed(&w->row, sum->value);
            hp_put_row(w, HP_SECTION_TYPE_SUMS);
            last = sum->stack;
            last_type = t;
        }
        hp_vec_done(&sums);
    }
}

// --- all -------------------------------------------------------------------------------

// Order strings by their bytes.
static int by_text(const void *left, const void *right, void *texts) {
    hp_string a = {*(const uint32_t *)left}, b = {*(const uint32_t *)right};
    return hp_span_compare(hp_strtab_span(texts, a), hp_strtab_span(texts, b));
}

// Set w->text_rank: number all collected texts in the order of their bytes; "" becomes 0.
static void rank_texts(struct hp_partial_writer *w) {
    size_t count = w->texts.strings.count;
    HP_VEC(uint32_t) order = {0};
    w->text_rank = hp_alloc((count + 1) * sizeof *w->text_rank);
    for (uint32_t i = 0; i < count; i++) {
        hp_vec_push(&order, i);
    }
    hp_vec_sort_r(&order, by_text, &w->texts);
    for (uint32_t i = 0; i < count; i++) {
        w->text_rank[order.at[i]] = i;
    }
    hp_vec_done(&order);
}

// Set w->set_rank: number the sets of labels that stacks have, or with shards all sets,
// because stacks of other shards may have them. The sets are in order already.
static void rank_sets(struct hp_partial_writer *w) {
    size_t count = w->profile->tags.sets.strings.count;
    uint32_t next = 1;
    w->set_rank = hp_alloc((count + 1) * sizeof *w->set_rank);
    const hp_string *set;
    hp_vec_each (set, &w->profile->tags.of_stacks) {
        w->set_rank[set->n] = set->n > 0;
    }
    const struct hp_stack_run *run;
    hp_vec_each (run, &w->profile->runs.all) {
        hp_vec_each (set, &run->sets) {
            w->set_rank[set->n] = 1;
        }
    }
    for (size_t i = 1; i < count; i++) {
        bool is_written = w->set_rank[i] > 0 || w->profile->shards.count > 0;
        w->set_rank[i] = is_written ? next++ : 0;
    }
}

// Write the tables that are before the stacks in the file, except parameters, texts and
// types; in the first pass only collect their texts.
static void write_tables(struct hp_partial_writer *w) {
    write_modules(w);
    if (!w->is_collecting) {
        write_frames(w);
    }
    write_symbols(w);
    write_labels(w);
    write_annotations(w);
    hp_put_groups(w);
    hp_put_skipped(w);
    write_totals(w);
}

// Write the stacks in memory, merged with those in runs if there are any.
static int write_stacks(struct hp_partial_writer *w, struct hp_err *err) {
    if (w->profile->runs.all.count > 0) {
        return hp_put_runs(w, err);
    }
    hp_put_stacks(w);
    return HP_OK;
}

// Free the writer's memory.
static void writer_done(struct hp_partial_writer *w) {
    hp_block_writer_done(&w->blocks);
    hp_strtab_done(&w->texts);
    hp_vec_done(&w->row);
    hp_vec_done(&w->rows);
    hp_vec_done(&w->dumps);
    hp_vec_done(&w->known);
    hp_between_done(&w->between);
    free(w->text_rank);
    free(w->set_rank);
    free(w->order);
    free(w->rank);
    free(w->run_rank);
}

int hp_partial_write(const struct hp_profile *profile, struct hp_shards shard,
                     struct hp_sink *out, struct hp_err *err) {
    struct hp_partial_writer w = {.profile = profile,
                                  .shards = shard,
                                  .is_collecting = true};
    hp_block_writer_init(&w.blocks, out);
    rank_sets(&w);
    hp_order_stacks(&w);
    hp_find_dumps(&w);
    hp_order_replicates(&w);
    write_tables(&w);
    write_types(&w);
    hp_put_dumps(&w);
    hp_put_distribution(&w);
    rank_texts(&w);
    w.is_collecting = false;
    write_parameters(&w);
    write_strings(&w);
    write_tables(&w);
    write_types(&w);
    int ret = write_stacks(&w, err);
    if (ret == HP_OK) {
        write_type_sums(&w);
        hp_put_identities(&w);
        hp_put_dumps(&w);
        hp_put_history(&w);
        hp_place_texts(&w);
        hp_put_distribution(&w);
        hp_put_extreme_names(&w);
        hp_put_diagnostics(&w);
        hp_put_file_names(&w);
        hp_put_contents(&w);
        ret = hp_block_writer_end(&w.blocks, err);
    }
    writer_done(&w);
    return ret;
}
