// Facts about the inputs and the totals, as far as they apply:
//
//     17 dumps of 1 process: i15, the newest before its exit (...
//     3 inputs · jemalloc heap_v2 · sample period 512 KiB · 7 stacks · scaled up ...
//     read       only thread worker 2: totals are its own
//     in use     73.5 MiB ± 4.9 MiB   137,666 objects ± 24,754
//     metric     resident_space, added up unchanged: its scaling is unknown
//     total      488.3 KiB (of a sample type, instead of "in use")
//     unsampled  about 92.5 KiB of the total (at most 584.6 KiB), ...
//     filters    --focus=f leave 12.0 MiB ± 2.3 MiB of 73.5 MiB (16.3%)
#include "report/text/text.h"

#include "view/top.h"
#include "view/unseen.h"

#include <math.h>
#include <string.h>

// --- inputs -------------------------------------------------------------------------------

// Write the sample period, " · sample period 512 KiB", or that there is none or periods
// differ between inputs.
static void put_period(struct hp_sink *out, const struct hp_input_summary *summary) {
    size_t count = summary->periods.count;
    uint64_t period = count > 0 ? summary->periods.at[0] : 0;
    if (count > 1) {
        hp_sink_text(out, " · mixed sample periods");
    } else if (summary->folded > 0) {
        return; // a warning says that the sampling is unknown
    } else if (period == 0) {
        hp_sink_text(out, " · no sample period");
    } else if (period == 1) {
        hp_sink_text(out, " · every allocation sampled");
    } else {
        char text[HP_NUMBER_SIZE];
        bool round = period % 1024 == 0;
        hp_format_bytes(text, (hp_int128)period << HP_SPACE_FRACTION,
                        round ? HP_UNIT_AUTO : HP_UNIT_B);
        char *fraction = strstr(text, ".0 ");
        if (fraction) {
            memmove(fraction, fraction + 2, strlen(fraction + 2) + 1);
        }
        hp_sink_print(out, " · sample period %s", text);
    }
}

// Write a remark if sizes above 32 KiB were taken for whole pages: where that is not
// known, the same dumps may give other numbers.
static void put_large_sizes(struct hp_sink *out, const struct hp_input_summary *summary) {
    if (summary->with_pages > 0) {
        hp_sink_text(out, " · large sizes: pages");
    }
    if (summary->with_pages > 0 && summary->with_pages < summary->used) {
        hp_sink_print(out, " in %zu of %zu inputs", summary->with_pages, summary->used);
    }
}

// Whether numbers were taken from the inputs unchanged, because they are exact or their
// scaling is not known.
static bool is_unscaled(const struct hp_view *view) {
    const struct hp_head *head = &view->head;
    const struct hp_input_summary *summary = &head->summary[HP_SIDE_ALL];
    size_t count = summary->periods.count;
    return head->estimator == HP_ESTIMATOR_BEST &&
           (view->projection || count == 0 || summary->periods.at[count - 1] <= 1);
}

// Write the sample type that is measured: "metric     resident_space in 2 of 3 inputs,
// added up unchanged: ...".
static void put_type(struct hp_sink *out, const struct hp_view *view) {
    size_t used = view->head.summary[HP_SIDE_ALL].used;
    hp_sink_text(out, "metric     ");
    hp_sink_escaped(out, hp_span_of(view->type_name));
    if (view->type->inputs.count < used) {
        hp_sink_print(out, " in %zu of %zu inputs", view->type->inputs.count, used);
    }
    hp_sink_print(out, HP_MESSAGE("unit-unscaled",
                                  ", added up unchanged: its scaling is unknown\n"));
}

void hp_text_inputs(struct hp_sink *out, const struct hp_view *view) {
    static const char *const estimators[] = {
        [HP_ESTIMATOR_BEST] = " · scaled up from samples, per stack",
        [HP_ESTIMATOR_JEPROF] = " · jeprof's formula",
        [HP_ESTIMATOR_NONE] = " · sampled counts, not estimates",
    };
    const struct hp_head *head = &view->head;
    const struct hp_input_summary *summary = &head->summary[HP_SIDE_ALL];
    char stacks[HP_NUMBER_SIZE];
    hp_format_grouped(stacks, (hp_int128)head->stacks);
    hp_sink_text(out, summary->producer ? summary->producer : "nothing");
    put_period(out, summary);
    hp_sink_print(out, " · %s stack%s%s", stacks, head->stacks == 1 ? "" : "s",
                  is_unscaled(view) ? "" : estimators[head->estimator]);
    put_large_sizes(out, summary);
    hp_sink_text(out, "\n");
    if (head->thread.size > 0) {
        hp_sink_print(out, HP_MESSAGE("read-thread", "read       only thread "));
        hp_sink_escaped(out, head->thread);
        hp_sink_print(out, HP_MESSAGE("read-thread-totals", ": totals are its own\n"));
    }
    if (head->older_than > 0) {
        char age[HP_NUMBER_SIZE];
        hp_format_double(age, (double)head->older_than / 1e9);
        hp_sink_print(
            out,
            HP_MESSAGE(
                "read-older-than",
                "read       only listed objects %s s old or older so far: totals are "
                "theirs\n"),
            age);
    }
    if (view->projection) {
        put_type(out, view);
    }
}

// --- totals -------------------------------------------------------------------------------

// Write the total of a metric, with its interval if sampling leaves it uncertain.
static void put_total(struct hp_sink *out, const struct hp_view *view, hp_fixed value,
                      enum hp_metric metric) {
    struct hp_text_estimate text;
    enum hp_column column = hp_column_of(metric);
    struct hp_amount amount = {.sum = value,
                               .error = &view->head.whole_errors[column],
                               .is_total = true};
    bool is_space = hp_fraction(metric) == HP_SPACE_FRACTION;
    hp_text_estimate(&text, view, &amount, metric);
    hp_sink_print(out, is_space ? "  %s" : "   %s object", text.value);
    hp_sink_text(out, is_space || strcmp(text.value, "1") == 0 ? "" : "s");
    if (view->head.is_total_uncertain[column]) {
        hp_text_put_interval(out, &text);
    }
}

// Write the sum of the stacks, which shares are of, if it differs much from the total.
static void put_sum_of_stacks(struct hp_sink *out, const struct hp_view *view,
                              enum hp_metric space) {
    static const double much = 0.005; // of the total
    double total = hp_fixed_double(view->head.whole.of[space], space);
    double stacks = hp_fixed_double(view->head.total.of[space], space);
    char text[HP_NUMBER_SIZE];
    if (fabs(stacks - total) > much * total) {
        hp_text_format(text, view->head.total.of[space], space, view->options.unit);
        hp_sink_print(
            out,
            "stacks     add up to %s: shares are of this sum, the total is by the "
            "headers\n",
            text);
    }
}

// Write a line with the total bytes and objects in use, or allocated, if inputs have
// them.
static void put_totals(struct hp_sink *out, const struct hp_view *view, const char *label,
                       enum hp_metric space, enum hp_metric objects) {
    bool has_space = hp_view_has_metric(view, space);
    bool has_objects = hp_view_has_metric(view, objects);
    if (!(has_space || has_objects) || !view->head.has_total) {
        return;
    }
    hp_sink_print(out, "%-*s", has_space ? 9 : 8, label);
    if (has_space) {
        put_total(out, view, view->head.whole.of[space], space);
    }
    if (has_objects) {
        put_total(out, view, view->head.whole.of[objects], objects);
    }
    hp_sink_text(out, "\n");
    if (has_space) {
        put_sum_of_stacks(out, view, space);
    }
}

// Write the total of a sample type, with its unit.
static void put_type_total(struct hp_sink *out, const struct hp_view *view) {
    enum hp_metric metric = view->options.metric;
    char text[HP_NUMBER_SIZE];
    hp_text_format(text, view->head.total.of[metric], metric, view->options.unit);
    hp_sink_print(out, "total      %s", text);
    if (metric != HP_INUSE_SPACE) {
        hp_sink_text(out, " ");
        hp_sink_escaped(out, hp_view_string(view, view->type->unit));
    }
    hp_sink_text(out, "\n");
}

// Write how much memory is estimated to be in stacks that were never sampled because they
// are too small; nothing if that is not known.
static void put_unseen(struct hp_sink *out, const struct hp_view *view) {
    struct hp_unseen unseen = hp_unseen_of(view);
    if (!unseen.is_known || unseen.stack <= 0) {
        return;
    }
    char estimate[HP_NUMBER_SIZE], highest[HP_NUMBER_SIZE], stack[HP_NUMBER_SIZE];
    hp_text_about(estimate, fmax(unseen.estimate, 0), view->options.unit);
    hp_text_at_most(highest, fmax(unseen.highest, 0), view->options.unit);
    hp_text_at_most(stack, unseen.stack, view->options.unit);
    hp_sink_print(
        out,
        HP_MESSAGE(
            "not-shown",
            "unsampled  about %s of the total (at most %s) in stacks never sampled, no "
            "single one above %s\n"),
        estimate, highest, stack);
}

// --- filters -----------------------------------------------------------------------------

bool hp_text_filters(struct hp_sink *out, const struct hp_view *view) {
    bool is_first = true;
    for (size_t i = 0; i < view->filters.count; i++) {
        const struct hp_filter *filter = &view->filters.at[i];
        if (filter->rule != HP_PICK) {
            hp_sink_print(out, "%s--%s=", is_first ? "filters    " : " ",
                          hp_filter_rule_text(filter->rule));
            hp_sink_escaped(out, hp_span_of(filter->pattern));
            is_first = false;
        }
    }
    hp_sink_text(out, is_first ? "" : " leave ");
    return !is_first;
}

// Write the filters, and the sum that they leave with its interval and its share of the
// total; nothing without filters.
static void put_filtered(struct hp_sink *out, const struct hp_view *view) {
    const struct hp_head *head = &view->head;
    enum hp_metric metric = view->options.metric;
    const struct hp_error *error = &head->filtered_errors[hp_column_of(metric)];
    struct hp_amount filtered = {.sum = head->filtered.of[metric], .error = error};
    struct hp_amount total = {.sum = head->whole.of[metric],
                              .error = &head->whole_errors[hp_column_of(metric)]};
    struct hp_text_estimate text;
    char share[HP_NUMBER_SIZE];
    if (!hp_text_filters(out, view)) {
        return;
    }
    hp_text_row_estimate(&text, view, &filtered);
    hp_sink_text(out, text.value);
    if (hp_text_has_errors(view)) {
        hp_text_put_interval(out, &text);
    }
    hp_text_estimate(&text, view, &total, metric);
    hp_text_share(share, filtered.sum, hp_text_whole(view));
    hp_sink_print(out, " of %s (%s)\n", text.value, share);
}

void hp_text_moments(struct hp_sink *out, const struct hp_view *view) {
    for (size_t i = 0; i < hp_view_moment_count(view); i++) {
        hp_sink_escaped(out, hp_view_moment(view, i));
        hp_sink_text(out, "\n");
    }
}

// Write a line if the spread between inputs is known from replicates (classes of dumps)
// only, and not from each input.
static void put_groups(struct hp_sink *out, const struct hp_view *view) {
    const struct hp_top *top = view->extra;
    if (view->options.columns.spread && top->spread.groups > 0) {
        hp_sink_print(out, "spread     from %zu group%s of dumps\n", top->spread.groups,
                      top->spread.groups == 1 ? "" : "s");
    }
}

void hp_text_facts(struct hp_sink *out, const struct hp_view *view) {
    const struct hp_input_summary *summary = &view->head.summary[HP_SIDE_ALL];
    uint64_t used = summary->merged_used;
    char inputs[HP_NUMBER_SIZE], files[HP_NUMBER_SIZE];
    hp_format_grouped(inputs, (hp_int128)used);
    hp_format_grouped(files, (hp_int128)summary->used);
    hp_text_moments(out, view);
    hp_sink_print(out, "%s input%s", inputs, used == 1 ? "" : "s");
    if (used != summary->used) {
        hp_sink_print(out, " in %s file%s", files, summary->used == 1 ? "" : "s");
    }
    hp_sink_text(out, " · ");
    hp_text_inputs(out, view);
    if (view->projection) {
        put_type_total(out, view);
    } else {
        put_totals(out, view, "in use", HP_INUSE_SPACE, HP_INUSE_OBJECTS);
        put_totals(out, view, "allocated", HP_ALLOC_SPACE, HP_ALLOC_OBJECTS);
    }
    put_groups(out, view);
    if (hp_text_has_errors(view) && view->head.has_total) {
        put_unseen(out, view);
    }
    put_filtered(out, view);
}
