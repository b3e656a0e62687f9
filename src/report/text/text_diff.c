//         base           new        change  of base          from            to         p   function
//     58.4 MiB      65.0 MiB     +6.6 MiB     +8.1%      +2.1 MiB     +11.0 MiB   0.0012*  leaf_mixed
//            -       2.0 MiB     +2.0 MiB     +2.5%      +0.2 MiB      +5.1 MiB   0.0400   new: leaf
//
// The surest growth first: rows are ordered by the lower end of what they have grown.
#include "report/text/text.h"

#include "view/chosen.h"
#include "view/difference.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    P_WIDTH = 8,
};

// "+6.6 MiB", right-aligned.
static void put_signed(struct hp_sink *out, hp_fixed value,
                       const struct hp_report_options *options) {
    char text[HP_NUMBER_SIZE];
    hp_text_format(text, value < 0 ? -value : value, options->metric, options->unit);
    char padded[HP_NUMBER_SIZE + 1];
    snprintf(padded, sizeof padded, "%s%s", value < 0 ? "-" : value > 0 ? "+" : "", text);
    hp_sink_print(out, "%*s", HP_COLUMN, padded);
}

static void put_end(struct hp_sink *out, double end,
                    const struct hp_report_options *options) {
    if (isnan(end)) {
        hp_sink_print(out, "%*s", HP_COLUMN, "-");
        return;
    }
    put_signed(out, hp_text_fixed(end, options->metric), options);
}

// "+8.1%" of the base's total, or "-" of nothing and of what is below zero.
static void put_share(struct hp_sink *out, hp_fixed growth, hp_fixed base) {
    char text[HP_NUMBER_SIZE] = "-";
    if (base > 0) {
        snprintf(text, sizeof text, "%+.1f%%", (double)growth * 100 / (double)base);
    }
    hp_sink_print(out, "%9s", text);
}

// --- header -----------------------------------------------------------------------------

static void put_test(struct hp_sink *out, const struct hp_difference *difference) {
    static const char *const sentences[] = {
        [HP_TEST_INDEPENDENT] =
            "one dump of each of two processes: what sampling leaves open in both",
        [HP_TEST_PROCESS] =
            "two dumps of one process, as if they shared no object: p is higher than it "
            "would be with prof_accum:true",
        [HP_TEST_PROCESS_ACCUM] =
            "two dumps of one process: what is in both cancels out, prof_accum tells how "
            "much can have been freed",
        [HP_TEST_FLEETS] =
            "several dumps a side: p counts how much they differ among "
            "themselves (Welch's test), averages are compared",
        [HP_TEST_SAMPLING] =
            "averages; with one dump on a side p counts sampling, not "
            "how processes differ by themselves",
    };
    if (difference->test != HP_TEST_NONE) {
        hp_sink_print(out, "tested as  %s\n", sentences[difference->test]);
    }
}

static void put_side(struct hp_sink *out, const char *label, hp_fixed value,
                     struct hp_interval range, const struct hp_report_options *options) {
    char text[HP_NUMBER_SIZE];
    hp_text_format(text, value, options->metric, HP_UNIT_AUTO);
    hp_sink_print(out, "%-9s  %s", label, text);
    if (range.high > range.low) { // false for NAN, and for exact numbers
        hp_text_format(text, hp_text_fixed((range.high - range.low) / 2, options->metric),
                       options->metric, HP_UNIT_AUTO);
        hp_sink_print(out, " ± %s", text);
    }
    hp_sink_text(out, "\n");
}

static void put_p(struct hp_sink *out, const struct hp_change *change) {
    if (!isnan(hp_change_p(change))) {
        hp_sink_text(out, ", p ");
        hp_text_p(out, hp_change_p(change), 0);
    }
}

static void put_left(struct hp_sink *out, const struct hp_difference *difference,
                     const struct hp_report_options *options) {
    const struct hp_change *left = &difference->left;
    char text[HP_NUMBER_SIZE];
    if (!hp_text_filters(out, difference->naming.profile)) {
        return;
    }
    hp_text_format(text, left->before, options->metric, HP_UNIT_AUTO);
    hp_sink_print(out, "%s of base, ", text);
    hp_text_format(text, left->after, options->metric, HP_UNIT_AUTO);
    hp_sink_print(out, "%s of new", text);
    put_p(out, left);
    hp_sink_text(out, "\n");
}

static void put_header(struct hp_sink *out, const struct hp_difference *difference,
                       const struct hp_profile *profile,
                       const struct hp_report_options *options) {
    const struct hp_change *total = &difference->total;
    char base[HP_NUMBER_SIZE], new[HP_NUMBER_SIZE];
    hp_format_grouped(base, (hp_int128)difference->inputs[0]);
    hp_format_grouped(new, (hp_int128)difference->inputs[1]);
    hp_sink_print(out, "%s base, %s new · ", base, new);
    hp_text_inputs(out, profile);
    put_side(out, "base", total->before, total->before_range, options);
    put_side(out, "new", total->after, total->after_range, options);
    char text[HP_NUMBER_SIZE];
    hp_fixed growth = total->after - total->before;
    hp_text_format(text, growth < 0 ? -growth : growth, options->metric, HP_UNIT_AUTO);
    hp_sink_print(out, "change     %s%s", growth < 0 ? "-" : "+", text);
    put_p(out, total);
    hp_sink_text(out, "\n");
    put_test(out, difference);
    put_left(out, difference, options);
    hp_text_warnings(out, profile, options);
    hp_sink_text(out, "\n");
}

// --- rows -------------------------------------------------------------------------------

static void put_value(struct hp_sink *out, hp_fixed value,
                      const struct hp_report_options *options) {
    if (value == 0) {
        hp_sink_print(out, "%*s", HP_COLUMN, "-");
    } else {
        hp_text_value(out, value, options, HP_COLUMN);
    }
}

static void put_row(struct hp_sink *out, const struct hp_difference *difference,
                    const struct hp_change *change,
                    const struct hp_report_options *options) {
    hp_fixed growth = change->after - change->before;
    put_value(out, change->before, options);
    hp_sink_text(out, " ");
    put_value(out, change->after, options);
    hp_sink_text(out, " ");
    put_signed(out, growth, options);
    put_share(out, growth, difference->total.before);
    if (difference->test != HP_TEST_NONE) {
        hp_sink_text(out, " ");
        put_end(out, change->range.low, options);
        hp_sink_text(out, " ");
        put_end(out, change->range.high, options);
        bool significant =
            hp_change_is_significant(change, hp_chosen_confidence(options));
        hp_sink_text(out, " ");
        hp_text_p(out, hp_change_p(change), P_WIDTH);
        hp_sink_text(out, significant ? "*" : " ");
    }
    bool mark = change->before == 0 || change->after == 0;
    hp_sink_print(out, "  %s%s", mark ? hp_change_status(change, false) : "",
                  mark ? ": " : "");
    hp_sink_escaped(out, hp_node_name(&difference->naming, change->node));
    hp_sink_text(out, "\n");
}

static void put_notes(struct hp_sink *out, const struct hp_difference *difference,
                      const struct hp_report_options *options) {
    if (difference->test != HP_TEST_NONE) {
        hp_sink_print(out, "from … to holds the true change in %g%% of cases\n",
                      hp_chosen_confidence(options) * 100);
        hp_text_significance_note(out, options, "5 samples");
    }
}

void hp_text_diff(struct hp_sink *out, const struct hp_profile *profile,
                  const struct hp_report_options *options) {
    struct hp_sides sides;
    struct hp_difference difference;
    hp_sides_init(&sides, profile);
    hp_difference_init(&difference, profile, &sides, options);
    put_header(out, &difference, profile, options);
    hp_sink_print(out, "%s%*s %*s %*s%9s", options->color ? "\033[1m" : "", HP_COLUMN,
                  "base", HP_COLUMN, "new", HP_COLUMN, "change", "of base");
    if (difference.test != HP_TEST_NONE) {
        hp_sink_print(out, " %*s %*s %*s ", HP_COLUMN, "from", HP_COLUMN, "to", P_WIDTH,
                      "p");
    }
    hp_sink_print(out, "  %s%s\n", hp_text_row_name(options->by),
                  options->color ? "\033[0m" : "");
    size_t count = difference.rows.count;
    size_t limit = hp_chosen_rows(options, count);
    for (size_t i = 0; i < limit; i++) {
        put_row(out, &difference, &difference.rows.at[i], options);
    }
    if (limit < count) {
        hp_sink_print(out, "… %zu more: --limit=0 shows all\n", count - limit);
    }
    put_notes(out, &difference, options);
    hp_difference_done(&difference);
    hp_sides_done(&sides);
}
