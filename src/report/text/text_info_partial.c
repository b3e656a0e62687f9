// What `info` shows of an aggregate file of more dumps than are recorded individually,
// as one block:
//
//     input fleet.hpa
//       format       aggregate file of 272 dumps in 17 groups: jemalloc heap_v2
//       periods      64 KiB, 512 KiB, 1 MiB
//       skipped      48 dumps of processes with another dump
//       contents     3,100 stacks, 451 threads
//       in use       20.1 GiB   93,782,920 objects
//       labels       service (4 values), version (3 values)
//
// The numbers of stacks and threads are sums over the dumps.
#include "report/text/text_info_partial.h"

#include "report/text/text.h"
#include "view/input_labels.h"

#include <stdlib.h>
#include <string.h>

bool hp_text_is_group(const struct hp_input_record *input) {
    return input->is_group && input->source > 0;
}

bool hp_text_is_first_group(const struct hp_view *view, size_t i) {
    const struct hp_input_record *inputs = view->head.inputs;
    bool is_first = hp_text_is_group(&inputs[i]);
    for (size_t k = 0; k < i && is_first; k++) {
        is_first =
            !(hp_text_is_group(&inputs[k]) && inputs[k].source == inputs[i].source);
    }
    return is_first;
}

static void put_field(struct hp_sink *out, const char *name) {
    hp_sink_print(out, "  %-12s ", name);
}

static void put_count(struct hp_sink *out, uint64_t count, const char *what) {
    char text[HP_NUMBER_SIZE];
    hp_format_grouped(text, (hp_int128)count);
    hp_sink_print(out, "%s %s%s", text, what, hp_text_plural(what, count == 1));
}

// --- sums over groups --------------------------------------------------------------------

// Sums over the groups of a partial.
struct sums {
    size_t groups;
    uint64_t dumps, others, stacks, threads, inconsistent;
    struct hp_values total;
    bool has[HP_METRICS];
    bool takes_header;        // totals in headers are used
    const char *format;       // common format, or NULL if they differ
    HP_VEC(uint64_t) periods; // periods of the groups, in any order
};

static void add_group(struct sums *sums, const struct hp_input_record *input) {
    if (!hp_input_is_used(input)) {
        sums->others += 1 + input->others;
        return;
    }
    const char *format = hp_producer_text(input->producer);
    struct hp_values whole = hp_input_whole(input);
    bool is_same = sums->groups == 0 || (sums->format && sums->format == format);
    sums->format = is_same ? format : NULL;
    sums->groups++;
    sums->dumps += 1 + input->others;
    sums->stacks += input->stacks;
    sums->threads += input->threads;
    sums->takes_header |=
        input->scaling == HP_SCALING_UNBIASED && input->header_check == HP_HEADER_AGREES;
    hp_vec_push(&sums->periods, input->period);
    hp_values_add(&sums->total, &whole);
    for (enum hp_metric i = 0; i < HP_METRICS; i++) {
        sums->has[i] |= hp_input_has_metric(input, i);
    }
}

static int by_number(const void *left, const void *right) {
    const uint64_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

static void put_periods(struct hp_sink *out, struct sums *sums) {
    uint64_t last = 0;
    hp_vec_sort(&sums->periods, by_number);
    put_field(out, "sampling");
    for (size_t i = 0; i < sums->periods.count; i++) {
        char text[HP_NUMBER_SIZE];
        uint64_t period = sums->periods.at[i];
        if (i > 0 && period == last) {
            continue;
        }
        hp_format_bytes(text, (hp_int128)period << HP_SPACE_FRACTION, HP_UNIT_AUTO);
        hp_sink_print(out, "%s%s", i > 0 ? ", " : "", period > 0 ? text : "no period");
        last = period;
    }
    hp_sink_text(out, "\n");
}

static void put_sum(struct hp_sink *out, const struct sums *sums, const char *name,
                    enum hp_metric space, enum hp_metric objects) {
    char text[HP_NUMBER_SIZE];
    if (!sums->has[space]) {
        return;
    }
    put_field(out, name);
    hp_text_format(text, sums->total.of[space], space, HP_UNIT_AUTO);
    hp_sink_text(out, text);
    if (sums->has[objects]) {
        hp_text_format(text, sums->total.of[objects], objects, HP_UNIT_AUTO);
        hp_sink_print(out, "   %s objects", text);
    }
    hp_sink_text(out, "\n");
}

// --- labels -------------------------------------------------------------------------------

void hp_text_put_labels(struct hp_sink *out, const struct hp_view *view,
                        uint32_t source) {
    struct hp_label_counts labels;
    hp_label_counts_find(&labels, view, source);
    for (size_t i = 0; i < labels.all.count; i++) {
        if (i == 0) {
            put_field(out, "labels");
        }
        hp_sink_text(out, i > 0 ? ", " : "");
        hp_sink_escaped(out, labels.all.at[i].key);
        hp_sink_text(out, " (");
        put_count(out, labels.all.at[i].values, "value");
        hp_sink_text(out, ")");
    }
    hp_sink_text(out, labels.all.count > 0 ? "\n" : "");
    hp_vec_done(&labels.all);
}

// --- the block -----------------------------------------------------------------------------

// Return the sums over the groups of the aggregate file whose first group is input `i`.
static struct sums sums_of(const struct hp_view *view, size_t i) {
    struct sums sums = {.groups = 0};
    for (size_t k = i; k < view->head.input_count; k++) {
        const struct hp_input_record *input = &view->head.inputs[k];
        if (hp_text_is_group(input) && input->source == view->head.inputs[i].source) {
            add_group(&sums, input);
        }
    }
    return sums;
}

struct hp_text_group_sums hp_text_group_sums(const struct hp_view *view, size_t i) {
    struct sums sums = sums_of(view, i);
    hp_vec_done(&sums.periods);
    return (struct hp_text_group_sums){sums.dumps, sums.stacks, sums.total};
}

void hp_text_put_partial(struct hp_sink *out, const struct hp_view *view, size_t i) {
    const struct hp_input_record *first = &view->head.inputs[i];
    struct sums sums = sums_of(view, i);
    hp_sink_text(out, "input ");
    hp_sink_escaped(out, hp_span_of(first->public.name));
    hp_sink_text(out, "\n");
    put_field(out, "format");
    hp_sink_text(out, "aggregate file of ");
    put_count(out, sums.dumps, "dump");
    hp_sink_print(out, ": %s\n", sums.format ? sums.format : "several formats");
    put_periods(out, &sums);
    if (sums.others > 0) {
        put_field(out, "skipped");
        put_count(out, sums.others, "dump");
        hp_sink_text(out, "\n");
    }
    put_field(out, "contents");
    put_count(out, sums.stacks, "stack");
    hp_sink_text(out, ", ");
    put_count(out, sums.threads, "thread");
    hp_sink_text(out, " in all dumps\n");
    put_sum(out, &sums, "in use", HP_INUSE_SPACE, HP_INUSE_OBJECTS);
    put_sum(out, &sums, "allocated", HP_ALLOC_SPACE, HP_ALLOC_OBJECTS);
    if (sums.takes_header) {
        put_field(out, "header");
        hp_sink_print(out, HP_MESSAGE("headers-taken",
                                      "totals agree with the sums of the stacks, and are "
                                      "taken\n"));
    }
    hp_text_put_labels(out, view, first->source);
    hp_vec_done(&sums.periods);
}
