#include "lib/refusals.h"

#include "model/metrics.h"
#include "report/text/text.h"
#include "view/groups.h"
#include "view/left.h"
#include "view/picks.h"
#include "view/walk.h"

// --- inputs -----------------------------------------------------------------------------

// Of a comparison each input needs the metric: what is missing is not zero.
static int check_each(const struct hp_profile *profile, enum hp_metric metric,
                      struct hp_err *err) {
    const struct hp_input_record *input;
    hp_vec_each (input, &profile->inputs) {
        const char *missing = hp_input_missing(input, metric);
        if (hp_input_is_used(input) && missing) {
            hp_fail(err, HP_E_EMPTY, "cannot be compared: it does not tell %s", missing);
            hp_err_locate(err, input->public.name, 0);
            return HP_E_EMPTY;
        }
    }
    return HP_OK;
}

static bool has_used_input(const struct hp_profile *profile) {
    const struct hp_input_record *input;
    hp_vec_each (input, &profile->inputs) {
        if (hp_input_is_used(input)) {
            return true;
        }
    }
    return false;
}

// A merge as a format of all metrics has those that there are; a profile of nothing, nothing.
static int check_metric(const struct hp_profile *profile,
                        const struct hp_format_writer *writer,
                        const struct hp_report_options *options, struct hp_err *err) {
    static const char *const sentences[HP_METRICS] = {
        [HP_INUSE_SPACE] =
            "no input tells what is in use, but what was allocated: "
            "--metric=alloc-space shows it",
        [HP_ALLOC_SPACE] =
            "no input tells what was allocated and freed: run "
            "the program with prof_accum:true",
    };
    bool is_inuse = hp_column_of(options->metric) == HP_COLUMN_INUSE;
    enum hp_metric space = is_inuse ? HP_INUSE_SPACE : HP_ALLOC_SPACE;
    bool has_others = is_inuse && options->kind == HP_REPORT_MERGE &&
                      !writer->one_metric &&
                      (hp_profile_has_metric(profile, space) ||
                       hp_profile_has_metric(profile, HP_ALLOC_SPACE));
    if (options->kind == HP_REPORT_INFO || has_others || !has_used_input(profile)) {
        return HP_OK;
    }
    if (hp_profile_has_metric(profile, options->metric)) {
        bool compares =
            options->kind == HP_REPORT_DIFF || options->kind == HP_REPORT_TREND;
        return compares ? check_each(profile, options->metric, err) : HP_OK;
    }
    if (hp_profile_has_metric(profile, space)) {
        return hp_fail(err, HP_E_EMPTY,
                       "no input tells how many objects there are, only their bytes");
    }
    return hp_fail(err, HP_E_EMPTY, "%s", sentences[space]);
}

// What a report needs beyond stacks.
static int check_history(const struct hp_profile *profile,
                         const struct hp_report_options *options, struct hp_err *err) {
    enum hp_report_kind kind = options->kind;
    bool needs = kind == HP_REPORT_DIFF || kind == HP_REPORT_TREND ||
                 kind == HP_REPORT_TIMELINE || options->by == HP_BY_INPUT ||
                 (options->by == HP_BY_LABEL && profile->labels.count > 0) ||
                 (kind == HP_REPORT_TOP && options->by >= HP_BY_INPUT) || options->spread;
    size_t used = 0, base = 0;
    const struct hp_input_record *input;
    hp_vec_each (input, &profile->inputs) {
        bool is_used = hp_input_is_used(input);
        used += is_used;
        base += is_used && input->is_base;
    }
    if (needs && !profile->history.is_kept) {
        return hp_fail(err, HP_E_USAGE, "this report needs hp_read_options.history");
    }
    if (options->by >= HP_BY_INPUT && !hp_groups_exist(profile, options)) {
        bool by_label = options->by == HP_BY_LABEL;
        return hp_fail(err, HP_E_EMPTY, "nothing to report: no input has %s%s",
                       by_label ? "a label " : "threads", by_label ? options->label : "");
    }
    if (kind == HP_REPORT_DIFF && (base == 0 || base == used)) {
        return hp_fail(err, HP_E_EMPTY, "nothing to compare: no %s input could be used",
                       base == 0 ? "base" : "new");
    }
    if (kind == HP_REPORT_TREND && used < 2) {
        return hp_fail(err, HP_E_EMPTY, "a trend needs two dumps or more");
    }
    return HP_OK;
}

// --- numbers below zero -----------------------------------------------------------------

static bool is_difference(const struct hp_profile *profile) {
    const struct hp_input_record *input;
    hp_vec_each (input, &profile->inputs) {
        if (hp_input_is_used(input) && input->negative > 0) {
            return true;
        }
    }
    return false;
}

static bool is_negative(const struct hp_values *values) {
    bool any = false;
    for (enum hp_metric metric = 0; metric < HP_METRICS; metric++) {
        any |= values->of[metric] < 0;
    }
    return any;
}

static bool has_negative_left(const struct hp_naming *naming) {
    const struct hp_profile *profile = naming->profile;
    bool found = false, *is_left = hp_left_stacks(naming);
    for (size_t i = 0; i < profile->stacks.count; i++) {
        found |= is_left[i] && is_negative(&profile->stacks.at[i].values);
    }
    free(is_left);
    return found;
}

// Of the sides of a diff one may have some that the other makes up for.
static int check_signs(const struct hp_naming *naming,
                       const struct hp_format_writer *writer,
                       const struct hp_report_options *options, struct hp_err *err) {
    if (!(writer->unsigned_kinds & 1u << options->kind) ||
        !is_difference(naming->profile) ||
        (options->kind != HP_REPORT_DIFF && !has_negative_left(naming))) {
        return HP_OK;
    }
    return hp_fail(
        err, HP_E_EMPTY,
        "%s has no numbers below zero, which a difference of two profiles has: "
        "text, json, tsv, pprof and firefox show them",
        writer->name);
}

// --- nothing to report ------------------------------------------------------------------

static bool has_names(const struct hp_profile *profile) {
    bool found = false;
    const struct hp_line *line;
    hp_vec_each (line, &profile->lines) {
        found |= line->function.n != 0;
    }
    return found;
}

// What has no stacks may be shown, but filters are not for leaving none.
static int check_left(const struct hp_naming *naming, struct hp_err *err) {
    return naming->profile->stacks.count > 0 && !hp_left_any(naming)
               ? hp_fail(err, HP_E_EMPTY, "nothing to report: the filters leave nothing")
               : HP_OK;
}

static bool is_about_picks(const struct hp_report_options *options) {
    return options->kind == HP_REPORT_PEEK || options->kind == HP_REPORT_LIST;
}

static int check_picks(const struct hp_naming *naming,
                       const struct hp_report_options *options, struct hp_err *err) {
    const struct hp_profile *profile = naming->profile;
    bool found = false;
    if (!is_about_picks(options)) {
        return HP_OK;
    }
    int ret = hp_picks_find(naming, options->kind == HP_REPORT_LIST, &found, err);
    if (ret != HP_OK || found) {
        return ret;
    }
    if (options->kind == HP_REPORT_LIST && !has_names(profile)) {
        return hp_fail(err, HP_E_EMPTY, "nothing to report: no function has a name");
    }
    return hp_fail(err, HP_E_EMPTY, "nothing to report: the pattern matches no %s%s",
                   hp_text_row_name(options->by),
                   hp_walk_is_filtered(profile) ? " that the filters leave" : "");
}

// What depends on the names that are shown.
static int check_rows(const struct hp_naming *naming,
                      const struct hp_format_writer *writer,
                      const struct hp_report_options *options, struct hp_err *err) {
    bool is_filtered = hp_walk_is_filtered(naming->profile);
    int ret = is_filtered ? check_left(naming, err) : HP_OK;
    ret = ret == HP_OK ? check_signs(naming, writer, options, err) : ret;
    return ret == HP_OK ? check_picks(naming, options, err) : ret;
}

// ----------------------------------------------------------------------------------------

int hp_refuse_report(const struct hp_profile *profile,
                     const struct hp_format_writer *writer,
                     const struct hp_report_options *options, struct hp_err *err) {
    int ret = check_metric(profile, writer, options, err);
    ret = ret == HP_OK ? check_history(profile, options, err) : ret;
    bool has_filters = profile->marks.filters.count > 0;
    if (ret != HP_OK || options->kind == HP_REPORT_INFO ||
        (!has_filters && !is_difference(profile) && !is_about_picks(options))) {
        return ret;
    }
    struct hp_naming naming;
    hp_naming_init(&naming, profile, options);
    ret = check_rows(&naming, writer, options, err);
    hp_naming_done(&naming);
    return ret;
}
