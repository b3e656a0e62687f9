#include "report/text.h"

#include "report/report.h"

#include <string.h>

enum {
    PERCENT = 6, // characters of a percentage
};

static void format_value(char text[HP_NUMBER_SIZE], hp_fixed value, enum hp_metric metric,
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
    format_value(text, value, options->metric, options->unit);
    put_padded(out, text, width);
}

void hp_text_percent(struct hp_sink *out, hp_fixed part, hp_fixed whole) {
    char text[HP_NUMBER_SIZE] = "-";
    if (whole != 0) {
        double tenths = (double)part * 1000 / (double)whole;
        hp_int128 rounded = (hp_int128)(tenths + 0.5);
        hp_format_integer(text, rounded / 10);
        size_t size = strlen(text);
        memcpy(text + size, (char[]){'.', (char)('0' + (int)(rounded % 10)), '%', '\0'},
               4);
    }
    put_padded(out, text, PERCENT);
}

// "sample period 512 KiB", or how many different ones there are.
static void put_period(struct hp_sink *out, const struct hp_profile *profile) {
    uint64_t period = 0;
    bool first = true, mixed = false;
    const struct hp_input_record *input;
    hp_vec_each (input, &profile->inputs) {
        if (input->public.status <= HP_INPUT_KEPT_DAMAGED) {
            mixed |= !first && input->period != period;
            period = input->period;
            first = false;
        }
    }
    if (mixed) {
        hp_sink_text(out, " · mixed sample periods");
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

static void put_inputs(struct hp_sink *out, const struct hp_profile *profile) {
    static const char *const estimators[] = {
        [HP_ESTIMATOR_BEST] = "",
        [HP_ESTIMATOR_JEPROF] = " · jeprof's formula",
        [HP_ESTIMATOR_NONE] = " · sampled counts, not estimates",
    };
    size_t used = 0;
    const struct hp_input_record *input;
    hp_vec_each (input, &profile->inputs) {
        used += input->public.status <= HP_INPUT_KEPT_DAMAGED;
    }
    char inputs[HP_NUMBER_SIZE], stacks[HP_NUMBER_SIZE];
    hp_format_grouped(inputs, (hp_int128)used);
    hp_format_grouped(stacks, (hp_int128)profile->stacks.count);
    hp_sink_print(out, "%s input%s · jemalloc heap_v2", inputs, used == 1 ? "" : "s");
    put_period(out, profile);
    hp_sink_print(out, " · %s stack%s%s\n", stacks, profile->stacks.count == 1 ? "" : "s",
                  estimators[profile->estimator]);
}

static void put_totals(struct hp_sink *out, const struct hp_values *total,
                       const char *label, enum hp_metric space, enum hp_metric objects) {
    char bytes[HP_NUMBER_SIZE], count[HP_NUMBER_SIZE];
    format_value(bytes, total->of[space], space, HP_UNIT_AUTO);
    format_value(count, total->of[objects], objects, HP_UNIT_AUTO);
    hp_sink_print(out, "%-9s  %s   %s objects\n", label, bytes, count);
}

void hp_text_header(struct hp_sink *out, const struct hp_profile *profile,
                    const struct hp_report_options *options) {
    struct hp_values total = hp_profile_total(profile);
    put_inputs(out, profile);
    put_totals(out, &total, "in use", HP_INUSE_SPACE, HP_INUSE_OBJECTS);
    if (profile->has_alloc) {
        put_totals(out, &total, "allocated", HP_ALLOC_SPACE, HP_ALLOC_OBJECTS);
    }
    const hp_string *warning;
    hp_vec_each (warning, &profile->warnings) {
        hp_sink_text(out, options->color ? "\033[33mwarning:\033[0m " : "warning: ");
        hp_sink_escaped(out, hp_strtab_span(&profile->strings, *warning));
        hp_sink_text(out, "\n");
    }
    hp_sink_text(out, "\n");
}

void hp_text_rest(struct hp_sink *out, size_t rows, const char *what, hp_fixed value,
                  hp_fixed total) {
    char count[HP_NUMBER_SIZE];
    hp_format_grouped(count, (hp_int128)rows);
    const char *plural = what[strlen(what) - 1] == 's' ? "es" : "s";
    hp_sink_print(out, "… %s more %s%s, ", count, what, rows == 1 ? "" : plural);
    double share = total == 0 ? 0 : (double)value * 100 / (double)total;
    hp_sink_print(out, "%.1f%% of the total: --limit=0 shows all\n", share);
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
    case HP_REPORT_INFO:
        hp_text_info(out, profile);
        break;
    case HP_REPORT_MERGE:
        break;
    }
}

const struct hp_format_writer hp_text_writer = {
    .name = "text",
    .suffix = ".txt",
    .help = "tables for people",
    .kinds = 1 << HP_REPORT_TOP | 1 << HP_REPORT_STACKS | 1 << HP_REPORT_INFO,
    .write = write_text,
};
