#include "report/text/text.h"

#include "model/metrics.h"
#include "report/report.h"
#include "stats/measure.h"
#include "view/chosen.h"
#include "view/left.h"
#include "view/unseen.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    PERCENT = 6, // characters of a percentage
    FEW_SAMPLES = 5,
};

void hp_text_format(char text[HP_NUMBER_SIZE], hp_fixed value, enum hp_metric metric,
                    enum hp_unit unit) {
    if (hp_fraction(metric) == HP_SPACE_FRACTION) {
        hp_format_bytes(text, value, unit);
    } else {
        hp_format_grouped(text, hp_fixed_round(value, metric));
    }
}

static void put_padded(struct hp_sink *out, const char *text, int width) {
    static const char spaces[] = "                        ";
    int missing = width - (int)strlen(text);
    if (missing > 0) {
        hp_sink_put(out, spaces, (size_t)missing);
    }
    hp_sink_text(out, text);
}

void hp_text_value(struct hp_sink *out, hp_fixed value,
                   const struct hp_report_options *options, int width) {
    char text[HP_NUMBER_SIZE];
    hp_text_format(text, value, options->metric, options->unit);
    put_padded(out, text, width);
}

void hp_text_share(char text[HP_NUMBER_SIZE], hp_fixed part, hp_fixed whole) {
    if (whole == 0) {
        memcpy(text, "-", 2);
        return;
    }
    double tenths = fmin(fabs((double)part * 1000 / (double)whole), 0x1p120);
    hp_int128 rounded = (hp_int128)(tenths + 0.5);
    bool is_negative = rounded > 0 && (part < 0) != (whole < 0);
    text[0] = '-';
    hp_format_integer(text + is_negative, rounded / 10);
    size_t size = strlen(text);
    memcpy(text + size, (char[]){'.', (char)('0' + (int)(rounded % 10)), '%', '\0'}, 4);
}

void hp_text_percent(struct hp_sink *out, hp_fixed part, hp_fixed whole) {
    char text[HP_NUMBER_SIZE];
    hp_text_share(text, part, whole);
    put_padded(out, text, PERCENT);
}

// --- errors ---------------------------------------------------------------------------

bool hp_text_has_errors(const struct hp_profile *profile,
                        const struct hp_report_options *options) {
    return !options->no_error &&
           hp_profile_is_uncertain(profile, hp_column_of(options->metric));
}

// A number that is no exact sum, in units of the metric.
hp_fixed hp_text_fixed(double value, enum hp_metric metric) {
    double scaled = value * (double)((uint64_t)1 << hp_fraction(metric));
    return (hp_fixed)fmin(fmax(scaled, -0x1p120), 0x1p120);
}

static void format_double(char text[HP_NUMBER_SIZE], double value, enum hp_metric metric,
                          enum hp_unit unit) {
    hp_text_format(text, hp_text_fixed(fmax(value, 0), metric), metric, unit);
}

// "± 7.9 MiB" without the sign, or why there is none.
static void format_error(char text[HP_NUMBER_SIZE], hp_fixed value,
                         const struct hp_error *error,
                         const struct hp_report_options *options, enum hp_metric metric,
                         enum hp_unit unit) {
    if (!hp_measure_is_known(error, metric)) {
        bool is_least = (error->flags & HP_ERROR_AT_LEAST) != 0;
        strcpy(text, is_least ? "or more" : "mixed sizes");
        return;
    }
    struct hp_interval range = hp_interval_of(hp_measure_of(value, error, metric),
                                              hp_chosen_confidence(options));
    format_double(text, (range.high - range.low) / 2, metric, unit);
}

static bool stands_on_few(hp_fixed value, const struct hp_error *error,
                          enum hp_metric metric) {
    return value > 0 && error->period > 0 && hp_measure_is_known(error, metric) &&
           hp_effective_samples(hp_measure_of(value, error, metric)) < FEW_SAMPLES;
}

void hp_text_error(struct hp_sink *out, hp_fixed value, const struct hp_error *error,
                   const struct hp_report_options *options) {
    char text[HP_NUMBER_SIZE] = "";
    if (error->samples > 0 && error->period > 0) {
        format_error(text, value, error, options, options->metric, options->unit);
    }
    put_padded(out, text, HP_ERROR_WIDTH);
    hp_sink_text(out, stands_on_few(value, error, options->metric) ? "*" : " ");
}

void hp_text_error_title(struct hp_sink *out, const struct hp_report_options *options) {
    char title[HP_NUMBER_SIZE];
    int width =
        snprintf(title, sizeof title, "± %g%%", hp_chosen_confidence(options) * 100);
    // The sign is one character in two bytes.
    hp_sink_print(out, "%*s%s ", HP_ERROR_WIDTH + 1 - width, "", title);
}

void hp_text_error_notes(struct hp_sink *out, const struct hp_report_options *options) {
    hp_sink_print(out,
                  "± is half of the interval that holds the true value in %g%% of cases; "
                  "* less than 5 samples\n",
                  hp_chosen_confidence(options) * 100);
}

void hp_text_p(struct hp_sink *out, double p, int width) {
    char text[HP_NUMBER_SIZE] = "-";
    if (!isnan(p)) {
        snprintf(text, sizeof text, p < 0.0001 ? "<0.0001" : "%.4f", p);
    }
    put_padded(out, text, width);
}

void hp_text_significance_note(struct hp_sink *out,
                               const struct hp_report_options *options, const char *few) {
    double percent = hp_chosen_confidence(options) * 100;
    bool is_space = hp_fraction(options->metric) == HP_SPACE_FRACTION;
    hp_sink_print(out,
                  "p is the chance of as much without a real change, - where there are "
                  "less than %s%s; * is real, but for one in %g such rows\n",
                  few, is_space ? "" : " or objects of mixed sizes",
                  100 / (100 - percent));
}

static void put_unseen(struct hp_sink *out, const struct hp_profile *profile,
                       const struct hp_report_options *options) {
    struct hp_unseen unseen = hp_unseen_of(profile, hp_column_of(options->metric),
                                           hp_chosen_confidence(options));
    if (!unseen.is_known || unseen.stack <= 0) {
        return;
    }
    char estimate[HP_NUMBER_SIZE], highest[HP_NUMBER_SIZE], stack[HP_NUMBER_SIZE];
    format_double(estimate, unseen.estimate, HP_INUSE_SPACE, HP_UNIT_AUTO);
    format_double(highest, unseen.highest, HP_INUSE_SPACE, HP_UNIT_AUTO);
    format_double(stack, unseen.stack, HP_INUSE_SPACE, HP_UNIT_AUTO);
    hp_sink_print(out,
                  "of which   about %s, at most %s, in stacks never sampled, "
                  "at most %s in any one\n",
                  estimate, highest, stack);
}

// --- header ---------------------------------------------------------------------------

static void put_inputs(struct hp_sink *out, const struct hp_profile *profile) {
    size_t used = 0;
    const struct hp_input_record *input;
    hp_vec_each (input, &profile->inputs) {
        used += hp_input_is_used(input);
    }
    char inputs[HP_NUMBER_SIZE];
    hp_format_grouped(inputs, (hp_int128)used);
    hp_sink_print(out, "%s input%s · ", inputs, used == 1 ? "" : "s");
    hp_text_inputs(out, profile);
}

static void put_total(struct hp_sink *out, hp_fixed value, const struct hp_error *error,
                      enum hp_metric metric, const struct hp_report_options *options) {
    char text[HP_NUMBER_SIZE];
    hp_text_format(text, value, metric, HP_UNIT_AUTO);
    bool is_space = hp_fraction(metric) == HP_SPACE_FRACTION;
    hp_sink_print(out, is_space ? "  %s" : "   %s objects", text);
    if (error && hp_measure_is_known(error, metric)) {
        format_error(text, value, error, options, metric, HP_UNIT_AUTO);
        hp_sink_print(out, " ± %s", text);
    } else if (error && error->samples > 0) {
        format_error(text, value, error, options, metric, HP_UNIT_AUTO);
        hp_sink_print(out, " (%s)", text);
    }
}

static void put_totals(struct hp_sink *out, const struct hp_profile *profile,
                       const char *label, enum hp_column column,
                       const struct hp_report_options *options) {
    static const enum hp_metric space[] = {HP_INUSE_SPACE, HP_ALLOC_SPACE};

    static const enum hp_metric objects[] = {HP_INUSE_OBJECTS, HP_ALLOC_OBJECTS};
    struct hp_values total = hp_profile_total(profile);
    bool has_error = !options->no_error && hp_profile_is_uncertain(profile, column);
    struct hp_error error = {0};
    if (!hp_profile_has_metric(profile, space[column])) {
        return;
    }
    if (has_error) {
        error = hp_profile_error(profile, column);
    }
    hp_sink_print(out, "%-9s", label);
    put_total(out, total.of[space[column]], has_error ? &error : NULL, space[column],
              options);
    if (hp_profile_has_metric(profile, objects[column])) {
        put_total(out, total.of[objects[column]], has_error ? &error : NULL,
                  objects[column], options);
    }
    hp_sink_text(out, "\n");
}

void hp_text_warnings(struct hp_sink *out, const struct hp_profile *profile,
                      const struct hp_report_options *options) {
    const hp_string *warning;
    hp_vec_each (warning, &profile->warnings) {
        hp_sink_text(out, options->color ? "\033[33mwarning:\033[0m " : "warning: ");
        hp_sink_escaped(out, hp_strtab_span(&profile->strings, *warning));
        hp_sink_text(out, "\n");
    }
}

bool hp_text_filters(struct hp_sink *out, const struct hp_profile *profile) {
    bool is_first = true;
    const struct hp_filter_text *filter;
    hp_vec_each (filter, &profile->marks.filters) {
        if (filter->rule != HP_PICK) {
            hp_sink_print(out, "%s--%s=", is_first ? "filters    " : " ",
                          hp_filter_rule_text(filter->rule));
            hp_sink_escaped(out, hp_strtab_span(&profile->strings, filter->pattern));
            is_first = false;
        }
    }
    hp_sink_text(out, is_first ? "" : " leave ");
    return !is_first;
}

static void put_left(struct hp_sink *out, const struct hp_naming *naming,
                     const struct hp_report_options *options) {
    enum hp_metric metric = options->metric;
    if (!hp_text_filters(out, naming->profile)) {
        return;
    }
    char text[HP_NUMBER_SIZE];
    struct hp_left left = hp_left_of(naming);
    const struct hp_error *error = &left.errors[hp_column_of(metric)];
    hp_fixed total = hp_profile_total(naming->profile).of[metric];
    hp_text_format(text, left.values.of[metric], metric, HP_UNIT_AUTO);
    hp_sink_text(out, text);
    if (hp_text_has_errors(naming->profile, options) && error->samples > 0) {
        format_error(text, left.values.of[metric], error, options, metric, HP_UNIT_AUTO);
        hp_sink_print(out, hp_measure_is_known(error, metric) ? " ± %s" : " (%s)", text);
    }
    hp_text_format(text, total, metric, HP_UNIT_AUTO);
    hp_sink_print(out, " of %s", text);
    hp_text_share(text, left.values.of[metric], total);
    hp_sink_print(out, " (%s)\n", text);
}

void hp_text_header(struct hp_sink *out, const struct hp_naming *naming,
                    const struct hp_report_options *options) {
    const struct hp_profile *profile = naming->profile;
    put_inputs(out, profile);
    put_totals(out, profile, "in use", HP_COLUMN_INUSE, options);
    put_totals(out, profile, "allocated", HP_COLUMN_ALLOC, options);
    if (hp_text_has_errors(profile, options)) {
        put_unseen(out, profile, options);
    }
    put_left(out, naming, options);
    hp_text_warnings(out, profile, options);
    hp_sink_text(out, "\n");
}

void hp_text_rest(struct hp_sink *out, size_t rows, const char *what, hp_fixed value,
                  hp_fixed total) {
    char count[HP_NUMBER_SIZE], share[HP_NUMBER_SIZE];
    hp_format_grouped(count, (hp_int128)rows);
    hp_text_share(share, value, total);
    const char *plural = what[strlen(what) - 1] == 's' ? "es" : "s";
    hp_sink_print(out, "… %s more %s%s, ", count, what, rows == 1 ? "" : plural);
    hp_sink_print(out, "%s of the total: --limit=0 shows all\n", share);
}

static void write_text(struct hp_sink *out, const struct hp_profile *profile,
                       const struct hp_report_options *options) {
    switch (options->kind) {
    case HP_REPORT_TOP:
        hp_text_top(out, profile, options);
        break;
    case HP_REPORT_STACKS:
        hp_text_stacks(out, profile, options);
        break;
    case HP_REPORT_DIFF:
        hp_text_diff(out, profile, options);
        break;
    case HP_REPORT_TREND:
        hp_text_trend(out, profile, options);
        break;
    case HP_REPORT_TREE:
        hp_text_tree(out, profile, options);
        break;
    case HP_REPORT_PEEK:
        hp_text_peek(out, profile, options);
        break;
    case HP_REPORT_LIST:
        hp_text_list(out, profile, options);
        break;
    case HP_REPORT_INFO:
        hp_text_info(out, profile);
        break;
    case HP_REPORT_MERGE:
    case HP_REPORT_TIMELINE:
        break;
    }
}

const struct hp_format_writer hp_text_writer = {
    .name = "text",
    .files = "*.txt *.text",
    .help = "tables for people",
    .kinds = 1 << HP_REPORT_TOP | 1 << HP_REPORT_STACKS | 1 << HP_REPORT_DIFF |
             1 << HP_REPORT_TREND | 1 << HP_REPORT_TREE | 1 << HP_REPORT_PEEK |
             1 << HP_REPORT_LIST | 1 << HP_REPORT_INFO,
    .has_rows = true,
    .write = write_text,
};
