#include "lib/refusals.h"

#include "report/text.h"
#include "view/left.h"
#include "view/picks.h"
#include "view/walk.h"

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

// Of the sides of a diff one may have some that the other makes up for.
static bool shows_negative(const struct hp_profile *profile,
                           const struct hp_report_options *options) {
    if (options->kind == HP_REPORT_DIFF) {
        return true;
    }
    struct hp_naming naming;
    bool found = false;
    hp_naming_init(&naming, profile, options);
    bool *is_left = hp_left_stacks(&naming);
    for (size_t i = 0; i < profile->stacks.count; i++) {
        found |= is_left[i] && is_negative(&profile->stacks.at[i].values);
    }
    free(is_left);
    hp_naming_done(&naming);
    return found;
}

static int check_signs(const struct hp_profile *profile,
                       const struct hp_format_writer *writer,
                       const struct hp_report_options *options, struct hp_err *err) {
    if (!(writer->unsigned_kinds & 1u << options->kind) || !is_difference(profile) ||
        !shows_negative(profile, options)) {
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
static int check_left(const struct hp_profile *profile,
                      const struct hp_report_options *options, struct hp_err *err) {
    struct hp_naming naming;
    hp_naming_init(&naming, profile, options);
    bool is_nothing_left = profile->stacks.count > 0 && !hp_left_any(&naming);
    hp_naming_done(&naming);
    return is_nothing_left
               ? hp_fail(err, HP_E_EMPTY, "nothing to report: the filters leave nothing")
               : HP_OK;
}

static int check_picks(const struct hp_profile *profile,
                       const struct hp_report_options *options, struct hp_err *err) {
    bool found = false;
    if (options->kind != HP_REPORT_PEEK && options->kind != HP_REPORT_LIST) {
        return HP_OK;
    }
    int ret = hp_picks_find(profile, options, &found, err);
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

// ----------------------------------------------------------------------------------------

int hp_refuse_report(const struct hp_profile *profile,
                     const struct hp_format_writer *writer,
                     const struct hp_report_options *options, struct hp_err *err) {
    if (options->kind == HP_REPORT_INFO) {
        return HP_OK;
    }
    int ret = hp_walk_is_filtered(profile) ? check_left(profile, options, err) : HP_OK;
    ret = ret == HP_OK ? check_signs(profile, writer, options, err) : ret;
    return ret == HP_OK ? check_picks(profile, options, err) : ret;
}
