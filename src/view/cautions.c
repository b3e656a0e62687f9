// Warnings about one report, beside those about the profile.
#include "base/pattern.h"
#include "base/units.h"
#include "view/open_code.h"
#include "view/view.h"

#include <stdio.h>
#include <string.h>

// No number in the report is further from zero.
static hp_int128 largest_of(const struct hp_view *view, enum hp_metric metric) {
    hp_int128 sum = 0;
    for (size_t i = 0; i < view->head.input_count; i++) {
        hp_int128 total = view->head.inputs[i].total.of[metric];
        sum += hp_view_counts(view, i) ? (total < 0 ? -total : total) : 0;
    }
    return sum >> hp_fraction(metric);
}

static const char *caution_of(const struct hp_view *view) {
    bool is_double = (view->use.can & HP_READ_AS_DOUBLE) != 0;
    bool is_int64 = (view->use.can & HP_READ_AS_INT64) != 0;
    hp_int128 largest = 0;
    for (int metric = 0; metric < HP_METRICS; metric++) {
        hp_int128 number = largest_of(view, (enum hp_metric)metric);
        largest = number > largest ? number : largest;
    }
    return is_double && largest > (hp_int128)1 << 53
               ? "numbers beyond 2^53: programs that read them as JavaScript does round them"
           : is_int64 && largest > INT64_MAX
               ? "numbers beyond 2^63: programs that add them up in 64 bits get others"
               : NULL;
}

void hp_cautions_of_numbers(struct hp_view *view) {
    const char *caution = caution_of(view);
    if (caution) {
        hp_vec_push(&view->cautions, hp_copy(caution));
    }
}

void hp_cautions_of_patterns(struct hp_view *view) {
    const struct hp_report_options *options = &view->options;
    bool has_pattern = options->filter_count > 0 || options->frame_rule_count > 0;
    size_t count = has_pattern ? hp_profile_long_name_count(view->profile) : 0;
    if (count > 0) {
        hp_vec_push(&view->cautions,
                    hp_printed("%zu name%s longer than 16 KiB: patterns looked at the "
                               "first 16 KiB only",
                               count, count == 1 ? " is" : "s are"));
    }
}

// "cartd: 2 or more builds, names for 1 (--symbol-dir=DIR with the others); 28.8 MiB in 1 of 6 dumps not compared"
static char *of_module(const struct hp_view *view, const struct hp_open_module *module) {
    struct hp_span path = hp_open_module_path(view, module);
    struct hp_span name = hp_span_basename(path);
    hp_fixed sum = module->bytes[0] + module->bytes[1];
    char amount[HP_NUMBER_SIZE];
    if (hp_fraction(view->options.metric) == HP_SPACE_FRACTION) {
        hp_format_bytes(amount, sum, view->options.unit);
    } else {
        hp_format_grouped(amount, hp_fixed_round(sum, view->options.metric));
    }
    return hp_printed(
        "%.*s: %u or more builds, names for %u (--symbol-dir=DIR with the "
        "others); %s in %llu of %llu dumps not compared",
        (int)name.size, name.at, module->builds + 1, module->builds, amount,
        (unsigned long long)(module->open[0] + module->open[1]),
        (unsigned long long)(module->dumps[0] + module->dumps[1]));
}

void hp_cautions_of_code(struct hp_view *view) {
    const struct hp_view *rows = view->judged ? view->judged : view;
    if (!rows->report->open_code || !rows->extra) {
        return;
    }
    const struct hp_open_module *module;
    hp_vec_each (module, &rows->report->open_code(rows)->modules) {
        if (module->open[0] + module->open[1] > 0) {
            hp_vec_push(&view->cautions, of_module(view, module));
        }
    }
}

void hp_cautions_explain(const struct hp_view *view, struct hp_err *err) {
    for (size_t i = 0; err->code == HP_E_EMPTY && i < view->cautions.count; i++) {
        size_t used = strlen(err->message);
        snprintf(err->message + used, sizeof err->message - used, "; %s",
                 view->cautions.at[i]);
    }
}

void hp_cautions_done(struct hp_view *view) {
    char **caution;
    hp_vec_each (caution, &view->cautions) {
        free(*caution);
    }
    hp_vec_done(&view->cautions);
}

size_t hp_view_caution_count(const struct hp_view *view) {
    return view->cautions.count;
}

const char *hp_view_caution(const struct hp_view *view, size_t i) {
    return view->cautions.at[i];
}
