// The public API: the one place that knows the order of the pipeline.
#include "hprof-agg/hprof-agg.h"

#include "lib/labels.h"
#include "lib/needs.h"
#include "lib/read.h"
#include "lib/times.h"
#include "lib/warnings.h"
#include "sym/symbolizer.h"

#include <locale.h>
#include <stdio.h>

struct hp_profile *hp_profile_new(void) {
    struct hp_profile *profile = hp_alloc(sizeof *profile);
    hp_profile_init(profile);
    return profile;
}

void hp_profile_free(struct hp_profile *profile) {
    if (profile) {
        hp_profile_done(profile);
        free(profile);
    }
}

int hp_profile_read(struct hp_profile *profile, const char *const *paths, size_t count,
                    const struct hp_read_options *options, struct hp_err *err) {
    static const struct hp_read_options defaults;
    options = options ? options : &defaults;
    if (profile->inputs.count > 0) {
        return hp_fail(err, HP_E_USAGE, "a profile can be read only once");
    }
    profile->estimator = options->estimator;
    profile->keeps = hp_needs_of(options->planned, options->planned_count);
    profile->keeps.history |= options->label_from != NULL;
    profile->history.is_kept = profile->keeps.history;
    int ret = hp_read_inputs(profile, paths, count, options, err);
    if (ret == HP_OK && options->time_from) {
        ret = hp_times_set(profile, options->time_from, err);
    }
    if (ret == HP_OK && options->label_from) {
        ret = hp_labels_set(profile, options->label_from, err);
    }
    hp_profile_sort(profile, NULL, 0); // also after a failure, for HP_REPORT_INFO
    if (options->thread) {
        profile->thread = hp_strtab_add(&profile->strings, hp_span_of(options->thread));
    }
    hp_warn_of_inputs(profile);
    return ret;
}

size_t hp_profile_input_count(const struct hp_profile *profile) {
    return profile->inputs.count;
}

const struct hp_input *hp_profile_input(const struct hp_profile *profile, size_t i) {
    return &profile->inputs.at[i].public;
}

size_t hp_profile_warning_count(const struct hp_profile *profile) {
    return profile->warnings.count;
}

const char *hp_profile_warning(const struct hp_profile *profile, size_t i) {
    return hp_profile_text(profile, profile->warnings.at[i]);
}

void hp_profile_symbolize(struct hp_profile *profile,
                          const struct hp_symbol_options *options) {
    hp_symbolize(profile, options);
    hp_warn_of_modules(profile);
}

// --- reports ------------------------------------------------------------------------------

// No zero is left that stands for a default.
static struct hp_report_options completed(const struct hp_format *format,
                                          const struct hp_report_options *options) {
    struct hp_report_options complete = *options;
    complete.format = format->name;
    complete.confidence = options->confidence > 0 ? options->confidence : 0.95;
    complete.spread &= options->kind == HP_REPORT_TOP && options->by < HP_BY_INPUT;
    if (format->complete) {
        format->complete(&complete);
    }
    return complete;
}

// "text, json and tsv": those that can.
static void name_formats(unsigned can, char *text, size_t room) {
    const char *last = NULL;
    size_t used = 0;
    for (size_t i = 0; i < hp_formats_count; i++) {
        if (!(hp_formats[i]->can & can)) {
            continue;
        }
        if (last && used < room) {
            used += (size_t)snprintf(text + used, room - used, "%s%s",
                                     used > 0 ? ", " : "", last);
        }
        last = hp_formats[i]->name;
    }
    if (last && used < room) {
        snprintf(text + used, room - used, "%s%s", used > 0 ? " and " : "", last);
    }
}

// Of the sides of a diff one may have some numbers below zero that the other makes up for.
static int refuse_negative(const struct hp_view *view, struct hp_err *err) {
    bool is_diff = view->options.kind == HP_REPORT_DIFF;
    unsigned enough = HP_CAN_NEGATIVE | (is_diff ? HP_CAN_SHRINK : 0);
    char others[256] = "";
    if ((view->use.can & enough) != 0 || !view->head.summary[HP_SIDE_ALL].is_difference ||
        (!is_diff && !hp_view_is_negative(view))) {
        return HP_OK;
    }
    name_formats(HP_CAN_NEGATIVE, others, sizeof others);
    return hp_fail(
        err, HP_E_EMPTY,
        "%s has no numbers below zero, which a difference of two profiles has: "
        "%s show them",
        view->options.format, others);
}

struct hp_view *hp_view_new(const struct hp_profile *profile,
                            const struct hp_report_options *options, struct hp_err *err) {
    static const struct hp_report_options defaults;
    options = options ? options : &defaults;
    const struct hp_format *format = hp_format_of(options);
    if (!format || !hp_format_writer(format, options->kind)) {
        hp_fail(err, HP_E_USAGE, "this report has no form as '%s'", options->format);
        return NULL;
    }
    if (hp_needs_check(&profile->keeps, options, err) != HP_OK) {
        return NULL;
    }
    struct hp_report_options complete = completed(format, options);
    struct hp_view_use use = {
        .shape = format->shape,
        .can = hp_format_abilities(options),
        .all_rows = options->format == NULL,
    };
    struct hp_view *view = hp_view_build(profile, &complete, use, err);
    if (view && refuse_negative(view, err) != HP_OK) {
        hp_view_free(view);
        return NULL;
    }
    return view;
}

int hp_view_write(const struct hp_view *view, hp_write_fn *write, void *data,
                  struct hp_err *err) {
    const struct hp_report_options *options = &view->options;
    struct hp_sink sink;
    locale_t ours = newlocale(LC_ALL_MASK, "C", NULL), theirs = uselocale(ours);
    hp_sink_init(&sink, write, data);
    hp_format_writer(hp_format_find(options->format), options->kind)(&sink, view);
    int ret = hp_sink_close(&sink, err);
    uselocale(theirs);
    freelocale(ours);
    return ret;
}
