// google/pprof's profile.proto, compressed with gzip.
//
// Profile { sample_type = 1, sample = 2, mapping = 3, location = 4, function = 5,
//           string_table = 6, drop_frames = 7, keep_frames = 8, time_nanos = 9,
//           duration_nanos = 10, period_type = 11, period = 12, comment = 13,
//           default_sample_type = 14, doc_url = 15 }
// ValueType { type = 1, unit = 2 }
// Sample { location_id = 1, leaf first, value = 2, one for each sample_type, label = 3 }
// Label { key = 1, str = 2, num = 3, num_unit = 4 }
//
// Every string is a number in the string table, whose first entry is "".  A duration is
// written only if inputs have one: some readers take a profile with a duration for the
// allocations during that time.  Fields are in the order of their numbers, and repeated
// ones in the order of modules and offsets.
#include "report/format.h"
#include "report/notes.h"
#include "report/pprof/gzip.h"
#include "report/pprof/pprof_columns.h"
#include "report/pprof/pprof_places.h"
#include "view/groups.h"
#include "view/size_rows.h"

#include <errno.h>
#include <math.h>
#include <string.h>

// --- pprof sizes -----------------------------------------------------------------------
//
// Dividing the sample of a stack into one for each size of its objects.
//
// A column has the value V for the whole stack.  Each size gets the difference of two
// consecutive rounded cumulative shares of V, so that all parts add up to V exactly.

enum {
    HP_PPROF_SIZES =
        // The most sizes of one stack: those of its objects in use and of its allocated
        // objects, and for each of the two one more for unknown sizes.
        2 * (HP_SIZES_OF_STACK + 1),
};

// The sizes of the objects of one stack, by which its sample is divided.
struct hp_pprof_sizes {
    size_t count;
    uint64_t of[HP_PPROF_SIZES]; // sizes in bytes; HP_MIXED_SIZES: not known
    // For each size the values of all columns, which add up to those of the stack.
    HP_VEC(int64_t)
    values;
};

// The weights by which the value of a stack in a column is divided: for each metric, the
// bytes or objects of each size.
struct weights {
    hp_fixed of[HP_METRICS][HP_PPROF_SIZES];
};

// Find or add a size; returns its index in sizes->of.
static size_t place_of(struct hp_pprof_sizes *sizes, uint64_t size) {
    size_t place = 0;
    while (place < sizes->count && sizes->of[place] != size) {
        place++;
    }
    if (place == sizes->count) {
        sizes->of[sizes->count++] = size;
    }
    return place;
}

// Collect the sizes of a stack's objects, and as weights the bytes and objects of each
// size.
static void weigh(struct hp_pprof_sizes *sizes, const struct hp_view *view, size_t stack,
                  struct weights *weights) {
    for (enum hp_column column = 0; column < HP_COLUMNS; column++) {
        size_t count;
        const struct hp_size_part *const *parts =
            hp_view_stack_sizes(view, stack, column, &count);
        for (size_t i = 0; i < count; i++) {
            size_t place = place_of(sizes, parts[i]->size);
            weights->of[hp_space_of(column)][place] = parts[i]->bytes;
            weights->of[hp_objects_of(column)][place] = parts[i]->objects;
        }
    }
}

// The sum of the weights; 0 if a weight is negative, because shares would then make no
// sense.
static double sum_of(const hp_fixed *weights, size_t count) {
    double sum = 0;
    bool is_negative = false;
    for (size_t i = 0; i < count; i++) {
        sum += (double)weights[i];
        is_negative |= weights[i] < 0;
    }
    return is_negative ? 0 : sum;
}

// Divide the value of a stack in a column among its sizes.  Sample types of inputs have
// no sizes: their values stay with the size that is not known, as do those of columns
// with negative weights.
static void split_column(struct hp_pprof_sizes *sizes,
                         const struct hp_pprof_columns *columns, size_t column,
                         const struct weights *weights, int64_t value) {
    const hp_fixed *of = weights->of[columns->of.at[column].metric];
    bool has_sizes = columns->of.at[column].sums == 0;
    double sum = has_sizes ? sum_of(of, sizes->count) : 0, so_far = 0;
    int64_t before = 0;
    int64_t *to = sizes->values.at + column;
    if (!(sum > 0)) {
        for (size_t i = 0; i < sizes->count; i++) {
            to[i * columns->of.count] = sizes->of[i] == HP_MIXED_SIZES ? value : 0;
        }
        return;
    }
    for (size_t i = 0; i < sizes->count; i++) {
        so_far += (double)of[i];
        bool is_rest = !(so_far < sum);
        int64_t up_to = is_rest ? value : (int64_t)round((double)value * (so_far / sum));
        to[i * columns->of.count] = up_to - before;
        before = up_to;
    }
}

// Divide the values of a stack by the sizes of its objects; in each column the results
// add up to the value.  `sizes` is {0} at first and can be reused.
static void hp_pprof_sizes_split(struct hp_pprof_sizes *sizes, const struct hp_view *view,
                                 const struct hp_pprof_columns *columns, size_t stack,
                                 const int64_t *values) {
    struct weights weights = {.of = {{0}}};
    sizes->count = 0;
    weigh(sizes, view, stack, &weights);
    place_of(sizes, HP_MIXED_SIZES);
    hp_vec_reserve(&sizes->values, sizes->count * columns->of.count);
    for (size_t i = 0; i < columns->of.count; i++) {
        split_column(sizes, columns, i, &weights, values[i]);
    }
}

static void hp_pprof_sizes_done(struct hp_pprof_sizes *sizes) {
    hp_vec_done(&sizes->values);
}

// --- pprof -----------------------------------------------------------------------------

enum profile_field {
    PROFILE_SAMPLE_TYPE = 1,
    PROFILE_SAMPLE = 2,
    PROFILE_STRING = 6,
    PROFILE_DROP_FRAMES = 7,
    PROFILE_KEEP_FRAMES = 8,
    PROFILE_TIME = 9,
    PROFILE_DURATION = 10,
    PROFILE_PERIOD_TYPE = 11,
    PROFILE_PERIOD = 12,
    PROFILE_COMMENT = 13,
    PROFILE_DEFAULT_SAMPLE_TYPE = 14,
    PROFILE_DOC_URL = 15,
};

enum {
    // Pyroscope's default limits: samples of a profile, frames of a stack.
    PYROSCOPE_SAMPLES = 16000,
    PYROSCOPE_DEPTH = 1000,
    // Bytes that gzip holds at most; a comparison of two dumps of 300 MB is shorter.
    MOST_HELD = 256 << 20,
};

// The key of the label with the size of objects, as in Go's profiles.
static const char size_key[] = "bytes";

// State of writing a pprof profile.
struct profile_writer {
    struct hp_pprof_writer base;
    const struct hp_view *view;
    const struct hp_stacks *stacks;
    struct hp_pprof_places places;
    struct hp_pprof_columns columns;
    // Sums of the samples that are written next: first those of the metrics, then of each
    // sample type.
    HP_VEC(struct hp_stack_sums) sums;
    HP_VEC(uint32_t) added; // numbers of the stacks with values in any of `sums`
    struct hp_pprof_sizes sizes;
    struct hp_protobuf sample;
    HP_VEC(uint64_t) ids;              // location ids of the present sample, leaf first
    struct hp_protobuf tag;            // one of the sample's own labels
    struct hp_protobuf label, process; // labels of all samples that follow; empty: none
    // If not NULL, samples that have a label with this key themselves do not get `label`.
    const char *group_key;
};

// The number of a string in the string table.
static uint64_t text(struct profile_writer *w, const char *string) {
    return hp_pprof_text(&w->base, hp_span_of(string));
}

// Write a sample_type with name and unit for each column.
static void put_sample_types(struct profile_writer *w) {
    struct hp_protobuf message = {0};
    const struct hp_pprof_column *column;
    hp_vec_each (column, &w->columns.of) {
        hp_protobuf_number(&message, 1, hp_pprof_text(&w->base, column->type));
        hp_protobuf_number(&message, 2, hp_pprof_text(&w->base, column->unit));
        hp_pprof_put(&w->base, PROFILE_SAMPLE_TYPE, &message);
    }
    hp_protobuf_done(&message);
}

// --- sums ---------------------------------------------------------------------------------

// Prepare sums of the metrics and of all sample types, all zeros.
static void sums_init(struct profile_writer *w) {
    struct hp_stack_sums sums;
    hp_view_whole_sums_init(w->view, &sums, hp_pprof_has_errors(w->view));
    hp_vec_push(&w->sums, sums);
    const struct hp_sample_type *type;
    hp_vec_each (type, &hp_view_types(w->view)->of) {
        hp_stack_sums_init_of_type(&sums, w->stacks, type);
        hp_vec_push(&w->sums, sums);
    }
}

static void sums_done(struct profile_writer *w) {
    struct hp_stack_sums *sums;
    hp_vec_each (sums, &w->sums) {
        hp_stack_sums_done(sums);
    }
    hp_vec_done(&w->sums);
}

static void sums_clear(struct profile_writer *w) {
    struct hp_stack_sums *sums;
    hp_vec_each (sums, &w->sums) {
        hp_stack_sums_clear(sums);
    }
}

static int by_number(const void *left, const void *right) {
    const uint32_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

// Set w->added to the stacks to which something was added in any of the sums, in order.
// Going over all stacks for each of many inputs would take too long.
static void find_added(struct profile_writer *w) {
    size_t kept = 0;
    w->added.count = 0;
    const struct hp_stack_sums *sums;
    hp_vec_each (sums, &w->sums) {
        hp_vec_append(&w->added, sums->added.at, sums->added.count);
    }
    hp_vec_sort(&w->added, by_number);
    for (size_t i = 0; i < w->added.count; i++) {
        if (kept == 0 || w->added.at[i] != w->added.at[kept - 1]) {
            w->added.at[kept++] = w->added.at[i];
        }
    }
    w->added.count = kept;
}

// Add the inputs of a selection to all sums.
static void add(struct profile_writer *w, struct hp_selection selection) {
    struct hp_stack_sums *sums;
    hp_vec_each (sums, &w->sums) {
        hp_stack_sums_add(sums, w->stacks, selection);
    }
}

// For each stack, whether any value is not 0; the caller frees the result.
static bool *find_used_stacks(struct profile_writer *w) {
    static const struct hp_values zero;
    size_t stacks = w->stacks->all.count;
    bool *is_stack_used = hp_alloc(stacks);
    const struct hp_stack_sums *sums;
    hp_vec_each (sums, &w->sums) {
        for (size_t i = 0; i < stacks; i++) {
            is_stack_used[i] |= memcmp(&sums->values[i], &zero, sizeof zero) != 0;
        }
    }
    return is_stack_used;
}

// --- samples ------------------------------------------------------------------------------

// Add to the sample the labels that the stack's samples have in the inputs.
static void put_tags(struct profile_writer *w, hp_string set) {
    const struct hp_strtab *sets = hp_view_tag_sets(w->view);
    for (size_t i = 0; i < hp_tags_count(sets, set); i++) {
        struct hp_tag tag = hp_tags_at(sets, set, i);
        const hp_string texts[] = {tag.key, tag.text, tag.unit};
        uint64_t of[3];
        for (int k = 0; k < 3; k++) {
            of[k] = hp_pprof_text(&w->base, hp_view_string(w->view, texts[k]));
        }
        hp_protobuf_number(&w->tag, 1, of[0]);
        hp_protobuf_number(&w->tag, 2, of[1]);
        hp_protobuf_number(&w->tag, 3, (uint64_t)tag.number);
        hp_protobuf_number(&w->tag, 4, of[2]);
        hp_protobuf_message(&w->sample, 3, &w->tag);
        hp_protobuf_clear(&w->tag);
    }
}

// Whether a sample has a label with this key itself, which then takes precedence over
// that of its input.
static bool has_tag(const struct profile_writer *w, hp_string set, const char *key) {
    const struct hp_strtab *sets = hp_view_tag_sets(w->view);
    for (size_t i = 0; i < hp_tags_count(sets, set); i++) {
        hp_string own = hp_tags_at(sets, set, i).key;
        if (hp_span_is(hp_view_string(w->view, own), key)) {
            return true;
        }
    }
    return false;
}

// Add to the sample the size of its objects as a label, as Go does.
static void put_size(struct profile_writer *w, uint64_t size) {
    hp_protobuf_number(&w->tag, 1, text(w, size_key));
    hp_protobuf_number(&w->tag, 3, size);
    hp_protobuf_message(&w->sample, 3, &w->tag);
    hp_protobuf_clear(&w->tag);
}

// Write one sample: locations, values and labels.  `size` HP_MIXED_SIZES: no label for
// the size.
static void put_sample(struct profile_writer *w, const struct hp_stack_key *stack,
                       const int64_t *values, uint64_t size) {
    w->ids.count = 0;
    hp_vec_reserve(&w->ids, stack->depth);
    for (uint32_t i = 0; i < stack->depth; i++) {
        w->ids.at[i] = w->places.location_of[stack->at[i]];
    }
    hp_protobuf_numbers(&w->sample, 1, w->ids.at, stack->depth);
    hp_protobuf_numbers(&w->sample, 2, (const uint64_t *)values, w->columns.of.count);
    put_tags(w, stack->tags);
    if (size != HP_MIXED_SIZES) {
        put_size(w, size);
    }
    if (w->label.bytes.count > 0 &&
        !(w->group_key && has_tag(w, stack->tags, w->group_key))) {
        hp_protobuf_message(&w->sample, 3, &w->label);
    }
    if (w->process.bytes.count > 0) {
        hp_protobuf_message(&w->sample, 3, &w->process);
    }
    hp_pprof_put(&w->base, PROFILE_SAMPLE, &w->sample);
}

static bool has_value(const int64_t *values, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (values[i] != 0) {
            return true;
        }
    }
    return false;
}

// Write the samples of a stack: one, or one for each size if the report is by size.  A
// stack that has a label with its size already is not divided.
static void put_stack(struct profile_writer *w, uint32_t number, const int64_t *values) {
    const struct hp_stack_key *stack = &w->stacks->all.at[number];
    size_t columns = w->columns.of.count;
    if (w->view->options.by != HP_BY_SIZE || has_tag(w, stack->tags, size_key)) {
        put_sample(w, stack, values, HP_MIXED_SIZES);
        return;
    }
    hp_pprof_sizes_split(&w->sizes, w->view, &w->columns, number, values);
    for (size_t i = 0; i < w->sizes.count; i++) {
        const int64_t *own = w->sizes.values.at + i * columns;
        if (has_value(own, columns)) {
            put_sample(w, stack, own, w->sizes.of[i]);
        }
    }
}

// Write the samples of w->sums, with values times `sign`, and clear the sums.  Numbers
// that do not fit are a failure of the sink.
static void put_samples(struct profile_writer *w, int sign) {
    find_added(w);
    size_t stacks = w->added.count, columns = w->columns.of.count;
    bool too_big = false;
    int64_t *rounded =
        hp_pprof_round(&w->columns, w->added.at, stacks, w->sums.at, &too_big);
    if (too_big) {
        w->base.out->error = EOVERFLOW;
    }
    for (size_t i = 0; i < stacks * columns; i++) {
        rounded[i] *= sign;
    }
    for (size_t i = 0; i < stacks; i++) {
        if (has_value(rounded + i * columns, columns)) {
            put_stack(w, w->added.at[i], rounded + i * columns);
        }
    }
    free(rounded);
    sums_clear(w);
}

// Set the label of all samples that follow.
static void set_label(struct profile_writer *w, const char *key, struct hp_span value) {
    hp_protobuf_clear(&w->label);
    hp_protobuf_number(&w->label, 1, text(w, key));
    hp_protobuf_number(&w->label, 2, hp_pprof_text(&w->base, value));
}

// If there are several series, label the samples that follow with their process.
static void set_process(struct profile_writer *w, const struct hp_series_dump *dump) {
    char name[HP_SERIES_NAME_SIZE];
    if (w->view->series[w->view->series_count - 1].series > 0) {
        hp_view_series_name(w->view, dump, name);
        hp_protobuf_clear(&w->process);
        hp_protobuf_number(&w->process, 1, text(w, "process"));
        hp_protobuf_number(&w->process, 2, text(w, name));
    }
}

// Write the dumps one by one, each with its time as a label.  Dumps without times are one
// second apart.
static void put_timeline(struct profile_writer *w) {
    for (size_t i = 0; i < w->view->series_count; i++) {
        const struct hp_series_dump *dump = &w->view->series[i];
        set_process(w, dump);
        add(w, (struct hp_selection){HP_OF_INPUT, dump->input->number});
        hp_protobuf_clear(&w->label);
        hp_protobuf_number(&w->label, 1, text(w, "timestamp"));
        hp_protobuf_number(&w->label, 3, (uint64_t)hp_nanoseconds(dump->time));
        hp_protobuf_number(&w->label, 4, text(w, "nanoseconds"));
        put_samples(w, 1);
    }
}

// Write both sides, the base with negative values, as pprof itself does with -diff_base,
// so that its percentages refer to the base.
static void put_difference(struct profile_writer *w) {
    add(w, (struct hp_selection){HP_OF_NEW, 0});
    put_samples(w, 1);
    set_label(w, "pprof::base", hp_span_of("true"));
    add(w, (struct hp_selection){HP_OF_BASE, 0});
    put_samples(w, -1);
}

// Write the samples of each group of inputs with a label for the group.
static void put_groups(struct profile_writer *w) {
    const struct hp_report_options *options = &w->view->options;
    size_t count;
    struct hp_group_member *members = hp_group_members(w->view, &count);
    w->group_key = options->by == HP_BY_INPUT ? NULL : hp_groups_key(options);
    for (size_t i = 0; i < count; i++) {
        add(w, (struct hp_selection){HP_OF_INPUT, members[i].input->number});
        if (i + 1 == count || hp_span_compare(members[i].name, members[i + 1].name)) {
            set_label(w, hp_groups_key(options), members[i].name);
            put_samples(w, 1);
        }
    }
    free(members);
}

// Whether samples get a label that their inputs have, so that they are written for each
// group of inputs.
static bool labels_inputs(const struct profile_writer *w) {
    enum hp_granularity by = w->view->options.by;
    return hp_groups_inputs(by) || (by == HP_BY_LABEL && w->view->head.has_input_labels);
}

// Bytes that gzip may hold.  With one sample for each stack a message takes a twelfth to
// a sixth of the memory of its profile; with one for each of many inputs it could take
// many times as much.
static size_t most_held(const struct profile_writer *w) {
    bool has_series = w->view->report->needs_series || labels_inputs(w);
    return has_series ? HP_GZIP_HELD : MOST_HELD;
}

static void put_all_samples(struct profile_writer *w) {
    if (w->view->report->needs_series) {
        put_timeline(w);
    } else if (w->view->report->has_sides) {
        put_difference(w);
    } else if (labels_inputs(w)) {
        put_groups(w);
    } else {
        add(w, (struct hp_selection){HP_OF_ALL, 0});
        put_samples(w, 1);
    }
}

// --- the rest -----------------------------------------------------------------------------

// The time of the profile: the first time of the inputs, as pprof itself merges.  The
// exact time that inputs state is used if it is the same to within rounding.
static uint64_t find_time(const struct hp_view *view) {
    double first = view->head.first_time;
    uint64_t held = hp_view_annotations(view)->time;
    bool is_held = isnan(first) || first == (double)held / 1e9;
    return is_held ? held : (uint64_t)hp_nanoseconds(first);
}

// The largest sample period, as pprof itself merges; 0: not known.
static uint64_t find_period(const struct hp_head *head) {
    const struct hp_input_summary *summary = &head->summary[HP_SIDE_ALL];
    size_t count = summary->periods.count;
    return count > 0 ? summary->periods.at[count - 1] : 0;
}

// Store the text of the first annotation of a kind ("" if there is none); return how many
// there are.
static size_t annotation(const struct profile_writer *w, enum hp_annotation_kind kind,
                         struct hp_span *text) {
    const struct hp_annotation *first = NULL;
    size_t count = hp_annotations_of(hp_view_annotations(w->view), kind, &first);
    *text = count > 0 ? hp_view_string(w->view, first->text) : hp_span_of("");
    return count;
}

// Put the pattern of frames that the inputs have for drop_frames or keep_frames; several
// become one: "(?:a)|(?:b)".
static void put_patterns(struct profile_writer *w, uint32_t field,
                         enum hp_annotation_kind kind) {
    HP_VEC(char) all = {0};
    struct hp_span one;
    size_t count = annotation(w, kind, &one);
    const struct hp_annotation *each;
    hp_vec_each (each, &hp_view_annotations(w->view)->all) {
        if (count > 1 && each->kind == kind) {
            struct hp_span pattern = hp_view_string(w->view, each->text);
            const char *between = all.count > 0 ? ")|(?:" : "(?:";
            hp_vec_append(&all, between, strlen(between));
            hp_vec_append(&all, pattern.at, pattern.size);
        }
    }
    if (count > 1) {
        hp_vec_push(&all, ')');
        one = (struct hp_span){all.at, all.count};
    }
    hp_protobuf_number(&w->base.field, field, hp_pprof_text(&w->base, one));
    hp_vec_done(&all);
}

// Write the period and its type.  The type is the one that the inputs agree on, if the
// period is in its unit; else "space".
static void put_period(struct profile_writer *w) {
    struct hp_protobuf type = {0};
    struct hp_span name, unit;
    uint64_t period = find_period(&w->view->head);
    bool is_one = annotation(w, HP_ANNOTATION_PERIOD_UNIT, &unit) == 1;
    is_one &= annotation(w, HP_ANNOTATION_PERIOD_TYPE, &name) == 1;
    if (is_one && period == 0 && !hp_span_is(unit, "bytes")) {
        period = hp_view_annotations(w->view)->period;
    } else if (!is_one || !hp_span_is(unit, "bytes")) {
        name = hp_span_of("space");
        unit = hp_span_of("bytes");
    }
    hp_protobuf_number(&type, 1, hp_pprof_text(&w->base, name));
    hp_protobuf_number(&type, 2, hp_pprof_text(&w->base, unit));
    hp_protobuf_message(&w->base.field, PROFILE_PERIOD_TYPE, &type);
    hp_protobuf_number(&w->base.field, PROFILE_PERIOD, period);
    hp_protobuf_done(&type);
}

// --- comments -------------------------------------------------------------------------------

// The comments of the profile; each text is written once.
struct comments {
    struct profile_writer *writer;
    // The comments, as numbers in the string table.
    HP_VEC(uint64_t) texts;
    HP_VEC(bool) has; // for each string: whether it is in `texts`
};

// Add a comment, unless it is empty or exists already.
static void add_comment_text(struct comments *comments, struct hp_span text) {
    uint64_t string = hp_pprof_text(&comments->writer->base, text);
    bool *has = hp_vec_reach(&comments->has, string);
    if (!*has && string > 0) {
        hp_vec_push(&comments->texts, string);
    }
    *has = true;
}

// Add a remark as a comment: an hp_note_fn.
static void add_comment(void *data, const char *note) {
    add_comment_text(data, hp_span_of(note));
}

// Add a comment that begins with a fixed word.
static void add_with_word(struct comments *comments, const char *word,
                          struct hp_span rest) {
    HP_VEC(char) text = {0};
    hp_vec_append(&text, word, strlen(word));
    hp_vec_append(&text, rest.at, rest.size);
    add_comment_text(comments, (struct hp_span){text.at, text.count});
    hp_vec_done(&text);
}

// Record which processes are in the profile, so that a later merge does not include any
// of them twice.
static void add_process_keys(struct comments *comments) {
    const struct hp_head *head = &comments->writer->view->head;
    struct hp_process_keys keys;
    hp_process_keys_collect(&keys, head->processes, head->inputs, head->input_count,
                            head->has_moments ? HP_SNAPSHOTS_EACH : head->snapshots,
                            head->chosen_for);
    size_t next = 0;
    do {
        char *text = hp_process_keys_text(&keys, &next);
        add_comment(comments, text);
        free(text);
    } while (next < keys.all.count);
    hp_process_keys_done(&keys);
}

// Record of each file whether its addresses are ELF addresses or file offsets, for our
// own reader; other readers compute addresses from the mappings.
static void add_address_kinds(struct comments *comments) {
    const struct hp_view *view = comments->writer->view;
    for (uint32_t i = 1; i < hp_view_module_count(view); i++) {
        const struct hp_module *module = hp_view_module(view, (hp_module_id){i});
        if (module->kind == HP_MODULE_FILE && module->addresses == HP_ADDRESS_VIRTUAL) {
            add_comment(comments, HP_PPROF_ELF_ADDRESSES);
        } else if (module->kind == HP_MODULE_FILE) {
            add_with_word(comments, HP_PPROF_FILE_OFFSETS,
                          hp_view_string(view, module->path));
        }
    }
}

// Write the comments of the inputs, then ours.  A profile has one field for the page that
// explains it: further URLs become comments.  Warnings begin with a word by which a later
// merge recognizes and drops them.
static void put_comments(struct profile_writer *w) {
    struct comments comments = {.writer = w};
    struct hp_span first_url;
    annotation(w, HP_ANNOTATION_DOC_URL, &first_url);
    const struct hp_annotation *each;
    hp_vec_each (each, &hp_view_annotations(w->view)->all) {
        struct hp_span text = hp_view_string(w->view, each->text);
        if (each->kind == HP_ANNOTATION_COMMENT) {
            add_comment_text(&comments, text);
        } else if (each->kind == HP_ANNOTATION_DOC_URL &&
                   !hp_span_equal(text, first_url)) {
            add_with_word(&comments, "doc_url: ", text);
        }
    }
    hp_notes_report_facts(w->view, add_comment, &comments);
    for (size_t i = 0; i < hp_view_warning_count(w->view); i++) {
        add_with_word(&comments, "hprof-agg warns: ", hp_view_warning(w->view, i));
    }
    add_address_kinds(&comments);
    if (!w->view->report->has_sides) {
        add_process_keys(&comments);
    }
    hp_protobuf_numbers(&w->base.field, PROFILE_COMMENT, comments.texts.at,
                        comments.texts.count);
    hp_vec_done(&comments.texts);
    hp_vec_done(&comments.has);
}

// Write everything after the functions.  The fields after the string table are built
// first, because their strings must be in the table.
static void put_tail(struct profile_writer *w) {
    struct hp_protobuf *field = &w->base.field;
    uint64_t duration = hp_view_annotations(w->view)->duration;
    struct hp_span shown = hp_pprof_default_type(&w->columns, w->view), url;
    put_patterns(w, PROFILE_DROP_FRAMES, HP_ANNOTATION_DROP_FRAMES);
    put_patterns(w, PROFILE_KEEP_FRAMES, HP_ANNOTATION_KEEP_FRAMES);
    hp_protobuf_number(field, PROFILE_TIME, find_time(w->view));
    hp_protobuf_number(field, PROFILE_DURATION, duration);
    put_period(w);
    put_comments(w);
    hp_protobuf_number(field, PROFILE_DEFAULT_SAMPLE_TYPE,
                       hp_pprof_text(&w->base, shown));
    annotation(w, HP_ANNOTATION_DOC_URL, &url);
    hp_protobuf_number(field, PROFILE_DOC_URL, hp_pprof_text(&w->base, url));
    struct hp_protobuf tail = *field;
    *field = (struct hp_protobuf){0};
    const struct hp_span *string;
    hp_vec_each (string, &w->base.strings.strings) {
        hp_protobuf_text(field, PROFILE_STRING, *string);
        hp_sink_put(w->base.out, field->bytes.at, field->bytes.count);
        hp_protobuf_clear(field);
    }
    hp_sink_put(w->base.out, tail.bytes.at, tail.bytes.count);
    hp_protobuf_done(&tail);
}

// Write all fields in order.  Find the stacks with a value other than 0 first: only their
// frames become mappings, locations and functions (w->places).
static void write_profile(struct profile_writer *w) {
    add(w, (struct hp_selection){HP_OF_ALL, 0});
    bool *is_stack_used = find_used_stacks(w);
    hp_pprof_places_init(&w->places, w->view, is_stack_used);
    free(is_stack_used);
    sums_clear(w);
    put_sample_types(w);
    put_all_samples(w);
    hp_pprof_put_places(&w->base, &w->places);
    put_tail(w);
    hp_pprof_places_done(&w->places);
}

static void write_pprof(struct hp_sink *out, const struct hp_view *view) {
    struct hp_sink plain;
    struct profile_writer w = {.base.out = &plain, .view = view, .stacks = &view->stacks};
    struct hp_gzip *gzip = hp_gzip_new(out, most_held(&w));
    hp_sink_init(&plain, hp_gzip_write, gzip);
    sums_init(&w);
    hp_pprof_columns_init(&w.columns, view);
    write_profile(&w);
    sums_done(&w);
    hp_strtab_done(&w.base.strings);
    hp_protobuf_done(&w.base.field);
    hp_protobuf_done(&w.sample);
    hp_protobuf_done(&w.tag);
    hp_protobuf_done(&w.label);
    hp_protobuf_done(&w.process);
    hp_vec_done(&w.ids);
    hp_vec_done(&w.added);
    hp_pprof_sizes_done(&w.sizes);
    hp_vec_done(&w.columns.of);
    hp_gzip_finish(gzip, &plain);
}

// Apply the limits of Pyroscope, which does not accept more by default.
static void complete(struct hp_report_options *options) {
    bool has_limits = options->pprof.flavor == HP_FLAVOR_PYROSCOPE;
    if (has_limits && options->pprof.max_samples == 0) {
        options->pprof.max_samples = PYROSCOPE_SAMPLES;
    }
    if (has_limits && options->pprof.max_depth == 0) {
        options->pprof.max_depth = PYROSCOPE_DEPTH;
    }
}

const struct hp_format hp_format_pprof = {
    .name = "pprof",
    .files = "*.pb.gz *.pb *.pprof *.prof",
    .help = "pprof's profile.proto with all addresses and lines, whatever --by says",
    .can = HP_READ_AS_INT64 | HP_CAN_NEGATIVE | HP_CAN_LABELS | HP_CAN_LIMIT_STACKS |
           HP_HAS_ALL_METRICS | HP_HAS_SHORT_NAMES | HP_HAS_SAMPLE_TYPES | HP_IS_BINARY,
    .shape = HP_SHAPE_ADDRESSES,
    .write = {[HP_REPORT_TOP] = write_pprof,
              [HP_REPORT_STACKS] = write_pprof,
              [HP_REPORT_MERGE] = write_pprof,
              [HP_REPORT_TIMELINE] = write_pprof,
              [HP_REPORT_DIFF] = write_pprof},
    .complete = complete,
};
