// The public API.  This is the one place that knows the order of the pipeline.
#include "hprof-agg/hprof-agg.h"

#include "lib/accounts.h"
#include "lib/emergency_pool.h"
#include "lib/file_names.h"
#include "lib/metadata.h"
#include "lib/partial_inputs.h"
#include "lib/read.h"
#include "lib/recents.h"
#include "lib/warnings.h"
#include "report/format.h"
#include "rows/batch.h"
#include "sym/symbolizer.h"
#include "view/groups.h"
#include "view/two_signs.h"

#include <errno.h>
#include <fnmatch.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

// --- what reports need of the read -----------------------------------------------------

// Find the format of the options; NULL if there is none of that name.
static const struct hp_format *format_of(const struct hp_report_options *options) {
    return hp_format_find(options->format ? options->format
                                          : hp_format_of_kind(options->kind));
}

// Return the abilities of the format of a report.  If the options name no format, all
// that a program may ask for are added.
static unsigned abilities_of(const struct hp_report_options *options) {
    const struct hp_format *format = format_of(options);
    unsigned all =
        HP_CAN_INTERVALS | HP_CAN_ALL_ENDS | HP_CAN_NEGATIVE | HP_HAS_ALL_METRICS;
    return (format ? format->can : 0) | (options->format ? 0 : all);
}

// Return whether a report compares two sides, or the dumps of a series.
static bool is_sides_or_series(enum hp_report_kind kind) {
    return hp_reports[kind]->has_sides || kind == HP_REPORT_TREND;
}

// Note in needs->errors the columns whose errors a report needs: the measured one, or all
// that it shows.
static void add_errors(struct hp_needs *needs, const struct hp_report_options *options) {
    unsigned can = abilities_of(options);
    bool has_rows = (can & (HP_CAN_INTERVALS | HP_IS_PICTURE)) != 0 &&
                    options->kind != HP_REPORT_INFO;
    bool is_asked =
        !options->no_error || (options->columns.spread && options->kind == HP_REPORT_TOP);
    bool needs_p = options->gate && options->gate->p > 0;
    bool is_shown = is_asked && (has_rows || needs_p);
    bool all_metrics =
        (can & HP_HAS_ALL_METRICS) != 0 && !is_sides_or_series(options->kind);
    enum hp_metric metric = options->metric;
    (void)hp_metric_find(options->metric_name, &metric);
    for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
        bool is_measured = all_metrics || i == hp_column_of(metric);
        needs->errors[i] |= options->pprof.with_error || (is_shown && is_measured) ||
                            hp_reports[options->kind]->needs_allocations;
    }
    if (options->kind == HP_REPORT_PLAN) {
        needs->errors[HP_COLUMN_INUSE] = true;
    }
}

// Note in needs->sizes the columns whose object sizes a report needs: the measured one,
// or all in rows by size.
static void add_sizes(struct hp_needs *needs, const struct hp_report_options *options,
                      unsigned can) {
    bool by_size = options->by == HP_BY_SIZE;
    bool is_plan = options->kind == HP_REPORT_PLAN; // of what is in use and allocated
    bool is_shown = by_size || options->columns.sizes || is_plan ||
                    (options->kind == HP_REPORT_STACKS && (can & HP_CAN_INTERVALS) != 0);
    for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
        bool is_measured = is_plan || (by_size && (can & HP_HAS_ALL_METRICS) != 0) ||
                           i == hp_column_of(options->metric);
        needs->sizes[i] |= is_shown && is_measured;
    }
}

static struct hp_needs needs_of(const struct hp_report_options *planned, size_t count);

// Add to *needs the data that a report needs.  A partial needs nearly all data, and
// replaces *needs.
static void add_needs(struct hp_needs *needs, const struct hp_report_options *options) {
    const struct hp_report *report = hp_reports[options->kind];
    bool is_top = options->kind == HP_REPORT_TOP;
    bool by_group = options->by >= HP_BY_INPUT && !hp_is_of_parts(options->by) &&
                    (is_top || options->kind == HP_REPORT_STACKS);
    bool groups_inputs = hp_groups_inputs(options->by);
    unsigned can = abilities_of(options);
    add_errors(needs, options);
    needs->history |= report->has_sides || report->needs_series || by_group ||
                      groups_inputs || (options->columns.spread && is_top) ||
                      options->kind == HP_REPORT_PLAN;
    needs->identities |= options->kind == HP_REPORT_INFO;
    needs->all_times |= options->kind == HP_REPORT_PLAN;
    needs->series |= report->needs_series;
    needs->made_counts |= report->needs_series || report->has_sides;
    needs->points |= options->kind == HP_REPORT_TREND;
    needs->moments |= report->needs_series || options->kind == HP_REPORT_INFO ||
                      options->by == HP_BY_INPUT;
    needs->threads |= options->by == HP_BY_THREAD;
    needs->unmapped |= options->by == HP_BY_ADDRESS;
    add_sizes(needs, options, can);
    needs->ages |= options->by == HP_BY_AGE || options->columns.ages;
    needs->ages_by_stack |= options->columns.ages || options->filter_count > 0;
    needs->live_samples |= report->needs_accounts;
    needs->sizes[HP_COLUMN_INUSE] |= report->needs_accounts;
    if (can & HP_IS_PARTIAL) {
        *needs = needs_of(NULL, 0);
        needs->partial = true;
        needs->ages = false;
        needs->threads = options->by == HP_BY_THREAD;
        needs->unmapped = options->by == HP_BY_ADDRESS;
        return;
    }
    needs->labels |= (options->by > HP_BY_INPUT && !hp_is_of_parts(options->by)) ||
                     (can & HP_CAN_LABELS) != 0;
}

// Return the data that all planned reports need; if none is planned, that of any report.
static struct hp_needs needs_of(const struct hp_report_options *planned, size_t count) {
    struct hp_needs needs = {.errors = {false}};
    if (count == 0) {
        return (struct hp_needs){.errors = {true, true},
                                 .history = true,
                                 .labels = true,
                                 .identities = true,
                                 .sizes = {true, true},
                                 .ages = true,
                                 .ages_by_stack = true,
                                 .unmapped = true};
    }
    for (size_t i = 0; i < count; i++) {
        add_needs(&needs, &planned[i]);
    }
    return needs;
}

// Return HP_E_USAGE if a report that was not planned needs data that was not kept.
static int check_needs(const struct hp_needs *kept,
                       const struct hp_report_options *options, struct hp_err *err) {
    struct hp_needs needs = needs_of(options, 1);
    bool lacks = (needs.history && !kept->history) || (needs.labels && !kept->labels) ||
                 (needs.threads && !kept->threads);
    lacks |= (needs.live_samples && !kept->live_samples) ||
             (needs.identities && !kept->identities);
    lacks |= needs.ages && !kept->ages;
    lacks |= needs.ages && needs.ages_by_stack && !kept->ages_by_stack;
    for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
        lacks |=
            (needs.errors[i] && !kept->errors[i]) || (needs.sizes[i] && !kept->sizes[i]);
    }
    return lacks ? hp_fail(
                       err, HP_E_USAGE,
                       HP_MESSAGE(
                           "report-not-planned",
                           "this report, %s by %s, was not planned when the inputs were "
                           "read"),
                       hp_reports[options->kind]->name, hp_granularity_text(options->by))
                 : HP_OK;
}

// --- profiles --------------------------------------------------------------------------

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

// Check the options with each planned report, or without any those of reading alone.
static int check_options(const struct hp_read_options *options, struct hp_err *err) {
    static const struct hp_report_options usual;
    struct hp_read_options alone = {.older_than = options->older_than,
                                    .estimator = options->estimator};
    int ret = options->planned_count == 0 ? hp_options_check(&alone, &usual, err) : HP_OK;
    for (size_t i = 0; i < options->planned_count && ret == HP_OK; i++) {
        ret = hp_options_check(options, &options->planned[i], err);
    }
    return ret;
}

// Set in the profile which dump of each process is used, and the metric that matters for
// the choice.
static void settle_snapshots(struct hp_profile *profile,
                             const struct hp_read_options *options) {
    profile->settings.snapshots = options->snapshots;
    profile->settings.metric =
        options->planned_count > 0 ? options->planned->metric : HP_INUSE_SPACE;
    hp_settle_moments(profile, options);
}

// Decide whether a partial stores identities of dumps and stamps of builds.
static void settle_partial(struct hp_profile *profile,
                           const struct hp_read_options *options) {
    bool wants_builds = options->with_builds || options->with_names;
    profile->settings.drops_identities = options->no_input_ids;
    profile->settings.has_stamps = profile->keeps.partial && wants_builds;
}

// Read the inputs: with statistics, with prof_recent, or dumps alone.
static int read_all(struct hp_profile *profile, const char *const *paths, size_t count,
                    const struct hp_read_options *options, struct hp_err *err) {
    return profile->keeps.live_samples || options->stats
               ? hp_accounts_read(profile, paths, count, options, err)
           : options->recent ? hp_recents_read(profile, paths, count, options, err)
                             : hp_read_inputs(profile, paths, count, options, err);
}

// Set what the profile keeps for the reports that are planned, and for the options.
static void settle_needs(struct hp_profile *profile,
                         const struct hp_read_options *options) {
    struct hp_needs needs = needs_of(options->planned, options->planned_count);
    hp_profile_keep(profile, &needs);
    profile->keeps.history |= options->label_from != NULL;
    profile->keeps.identities |= profile->keeps.history;
    profile->keeps.unmapped |= options->keep_unmapped;
    bool keeps_inputs = !options->no_input_ids || !profile->keeps.partial;
    profile->history.is_kept = profile->keeps.history && keeps_inputs;
}

// Write the sentences about the inputs, and settle the batch, if there is one.
static void describe(struct hp_profile *profile, struct hp_batch *batch) {
    hp_warn_of_inputs(profile);
    hp_describe_moments(profile);
    if (batch) {
        hp_batch_settle(batch, profile);
    }
}

// Use the times that the inputs contain, if they do.  Partials keep the times of files.
static void take_held_times(struct hp_profile *profile) {
    if (!profile->keeps.partial) {
        hp_times_take_held(profile);
    }
}

// Set the times of the inputs.  Times of files that are likely those of a copy would put
// the dumps in a wrong order: they are not used, as if none had been asked for.
static int set_times(struct hp_profile *profile, const char *from, struct hp_err *err) {
    int ret = hp_times_set(profile, from, err);
    if (ret == HP_OK && strcmp(from, "mtime") == 0 && hp_warn_of_times(profile)) {
        profile->inputs.have_times = false;
        take_held_times(profile);
    }
    return ret;
}

int hp_profile_read(struct hp_profile *profile, const char *const *paths, size_t count,
                    const struct hp_read_options *options, struct hp_err *err) {
    static const struct hp_read_options defaults;
    options = options ? options : &defaults;
    if (profile->inputs.records.count > 0) {
        return hp_fail(err, HP_E_USAGE,
                       HP_MESSAGE("profile-read-twice",
                                  "a profile can be read only once"));
    }
    if (check_options(options, err) != HP_OK) {
        return err->code;
    }
    profile->settings.estimator = options->estimator;
    settle_needs(profile, options);
    settle_snapshots(profile, options);
    profile->settings.large_sizes = options->large_sizes;
    profile->settings.older_than = options->older_than;
    profile->settings.wants_labels = options->label_from != NULL;
    settle_partial(profile, options);
    if (options->stack_memory > 0 && profile->keeps.partial &&
        options->planned_count == 1) {
        profile->settings.store =
            hp_run_store_new(options->run_folder, options->stack_memory);
    }
    profile->keeps.moments |=
        profile->keeps.partial && options->snapshots == HP_SNAPSHOTS_EACH;
    if (options->snapshots == HP_SNAPSHOTS_EACH && !profile->keeps.moments) {
        return hp_fail(err, HP_E_USAGE,
                       HP_MESSAGE("each-without-rows",
                                  "each dump for itself is a row of inputs"));
    }
    if (options->thread) { // before the parameters of partials are compared with it
        profile->settings.thread =
            hp_strtab_add(&profile->strings, hp_span_of(options->thread));
    }
    int ret = read_all(profile, paths, count, options, err);
    if (ret == HP_OK && options->time_from) {
        ret = set_times(profile, options->time_from, err);
    } else if (ret == HP_OK) {
        take_held_times(profile);
    }
    hp_profile_sort(profile, NULL, 0); // also after a failure, for HP_REPORT_INFO
    describe(profile, ret == HP_OK ? options->batch : NULL);
    return ret;
}

size_t hp_profile_moment_count(const struct hp_profile *profile) {
    return profile->sentences.moments.count;
}

const char *hp_profile_moment(const struct hp_profile *profile, size_t i) {
    return hp_profile_text(profile, profile->sentences.moments.at[i]);
}

size_t hp_profile_input_count(const struct hp_profile *profile) {
    return profile->inputs.records.count;
}

const struct hp_input *hp_profile_input(const struct hp_profile *profile, size_t i) {
    return &profile->inputs.records.at[i].public;
}

size_t hp_profile_warning_count(const struct hp_profile *profile) {
    return profile->sentences.warnings.count;
}

const char *hp_profile_warning(const struct hp_profile *profile, size_t i) {
    return hp_profile_text(profile, profile->sentences.warnings.at[i].text);
}

size_t hp_profile_minor_warning_count(const struct hp_profile *profile) {
    return profile->sentences.minor.count;
}

const char *hp_profile_minor_warning(const struct hp_profile *profile, size_t i) {
    return hp_profile_text(profile, profile->sentences.minor.at[i].text);
}

void hp_profile_symbolize(struct hp_profile *profile,
                          const struct hp_symbol_options *options) {
    if (profile->keeps.partial) {
        hp_file_names_find(profile, options);
    } else {
        hp_symbolize(profile, options);
        hp_name_emergency_pool(profile);
    }
    hp_warn_of_modules(profile, options);
}

// --- reports ---------------------------------------------------------------------------

// Return the options with each zero that means a default replaced by the format's or the
// common default.  Options that other kinds of report have are cleared.
static struct hp_report_options completed(const struct hp_format *format,
                                          const struct hp_report_options *options) {
    struct hp_report_options complete = *options;
    complete.format = format->name;
    complete.confidence = options->confidence > 0 ? options->confidence : 0.95;
    bool is_short = options->frames.names == HP_NAMES_DEFAULT
                        ? options->format && (format->can & HP_HAS_SHORT_NAMES) != 0
                        : options->frames.names == HP_NAMES_SHORT;
    complete.frames.names = is_short ? HP_NAMES_SHORT : HP_NAMES_FULL;
    complete.columns.spread &=
        options->kind == HP_REPORT_TOP && options->by < HP_BY_INPUT;
    complete.pairs &= options->kind == HP_REPORT_LIFETIME;
    if (format->complete) {
        format->complete(&complete);
    }
    return complete;
}

// Write the names of all formats that have the ability `can`: "text, json and tsv".
static void name_formats(unsigned can, char *text, size_t room) {
    HP_VEC(const char *) names = {0};
    for (size_t i = 0; i < hp_formats_count; i++) {
        if (hp_formats[i]->can & can) {
            hp_vec_push(&names, hp_formats[i]->name);
        }
    }
    hp_join(text, room, names.at, names.count, " and ");
    hp_vec_done(&names);
}

// Refuse a difference of two profiles in a format that has no numbers below zero.
// Reports with two sides are allowed: there what shrank is one of the sides.
static int refuse_negative(const struct hp_view *view, struct hp_err *err) {
    char others[256] = "";
    if ((view->use.can & HP_CAN_NEGATIVE) != 0 || !hp_view_is_of_differences(view) ||
        view->report->has_sides || !hp_view_is_negative(view)) {
        return HP_OK;
    }
    name_formats(HP_CAN_NEGATIVE, others, sizeof others);
    return hp_fail(
        err, HP_E_EMPTY,
        HP_MESSAGE(
            "no-negative-numbers",
            "%s cannot show negative numbers, as in a difference of profiles. Use %s%s"),
        view->options.format, others,
        view->use.can & HP_CAN_ONLY_GROW ? "; --only=grown writes what grew" : "");
}

// Return the kind of report that is really made.  If the inputs are differences of two
// profiles, a table, page or picture of them shows growth and shrinkage, as a diff does.
// A format of stacks that has numbers below zero needs no sides: there a diff becomes a
// merge.
static enum hp_report_kind kind_of(const struct hp_profile *profile,
                                   const struct hp_format *format,
                                   const struct hp_report_options *options) {
    enum hp_report_kind kind = options->kind;
    bool is_picture = (format->can & HP_IS_PICTURE) != 0;
    bool is_ours = format->shape == HP_SHAPE_ROWS || format->shape == HP_SHAPE_PAGE;
    bool shows_all = kind == HP_REPORT_TOP || (kind == HP_REPORT_MERGE && is_picture);
    bool keeps_signs =
        format->shape == HP_SHAPE_ADDRESSES && (format->can & HP_CAN_NEGATIVE) != 0;
    if (!hp_is_of_differences(profile) || !options->format) {
        return kind;
    }
    if (kind == HP_REPORT_DIFF) {
        return keeps_signs ? HP_REPORT_MERGE : kind;
    }
    return shows_all && (is_ours || is_picture) &&
                   hp_format_writer(format, HP_REPORT_DIFF)
               ? HP_REPORT_DIFF
               : kind;
}

// Return whether the report measures bytes.
static bool is_of_space(const struct hp_report_options *options) {
    enum hp_metric metric = options->metric;
    bool is_metric =
        !options->metric_name || hp_metric_find(options->metric_name, &metric);
    return is_metric && hp_fraction(metric) == HP_SPACE_FRACTION;
}

// Return whether sums of groups of dumps, which partials keep, are enough for the report.
static bool groups_do(const struct hp_report_options *options) {
    bool is_spread = options->kind == HP_REPORT_TOP && options->columns.spread;
    bool by_group = hp_groups_inputs(options->by);
    bool is_comparison = hp_reports[options->kind]->has_sides || is_spread;
    return is_comparison && !by_group && (!is_spread || options->by < HP_BY_INPUT) &&
           is_of_space(options);
}

// Refuse a report that needs the values of each dump if a partial has only sums of groups
// of dumps.
static int check_groups(const struct hp_profile *profile,
                        const struct hp_report_options *options, struct hp_err *err) {
    struct hp_needs needs = needs_of(options, 1);
    const struct hp_input_record *input;
    bool is_enough =
        groups_do(options) ||
        (options->kind == HP_REPORT_STACKS &&
         hp_groups_are_of_samples(profile, options)) ||
        (options->kind == HP_REPORT_TOP && (hp_groups_are_of_samples(profile, options) ||
                                            hp_groups_are_of_partials(profile, options)));
    hp_vec_each (input, &profile->inputs.records) {
        bool is_lost = input->is_group && hp_input_is_used(input);
        if (is_lost && needs.history && !needs.partial && !is_enough) {
            hp_fail(
                err, HP_E_USAGE,
                HP_MESSAGE(
                    "dumps-not-one-by-one",
                    "%s by %s%s needs each dump, but this aggregate file has only sums "
                    "of groups"),
                hp_reports[options->kind]->name, hp_granularity_text(options->by),
                is_of_space(options) ? "" : " of objects");
            hp_err_locate(err, input->public.name, 0);
            return HP_E_USAGE;
        }
    }
    return HP_OK;
}

// Check options that concern partials.  Other reports need the stacks in memory.  Filters
// would be missing in all reports of a partial.  Shards without identities cannot be
// joined.
static int check_partial(const struct hp_profile *profile, const struct hp_format *format,
                         const struct hp_report_options *options, struct hp_err *err) {
    if (!(format->can & HP_IS_PARTIAL)) {
        return profile->runs.all.count == 0
                   ? HP_OK
                   : hp_fail(
                         err, HP_E_USAGE,
                         HP_MESSAGE("stacks-not-kept",
                                    "its stacks are not in memory: it was read for an "
                                    "aggregate file"));
    }
    if (!hp_blocks_are_built()) {
        return hp_fail(
            err, HP_E_USAGE,
            HP_MESSAGE("partial-needs-zstd",
                       "this build cannot write aggregate files: it lacks zstd"));
    }
    if (options->shards > 0 && profile->settings.drops_identities) {
        return hp_fail(
            err, HP_E_USAGE,
            HP_MESSAGE("shards-without-ids",
                       "--shard needs the identities of dumps, which an input or "
                       "--no-input-ids excludes"));
    }
    return options->filter_count > 0
               ? hp_fail(err, HP_E_USAGE,
                         HP_MESSAGE(
                             "partial-filtered",
                             "an aggregate file contains everything. Filter its reports"))
               : HP_OK;
}

// --- a limit of bytes ------------------------------------------------------------------

// The length of a report with N rows is found by writing it to a sink that only counts.
// N is doubled until the report is too long, and then found by bisection.  A report of 4
// KiB so takes a few times as long as writing it, whatever the number of rows.
struct count {
    uint64_t bytes, most;
};

// A sink that counts bytes, and fails with EFBIG beyond the limit.
static int count_bytes(void *data, const void *bytes, size_t size) {
    struct count *count = data;
    (void)bytes;
    count->bytes += size;
    errno = EFBIG;
    return count->bytes > count->most ? -1 : 0;
}

// Return whether the report with `rows` rows is within max_bytes.  Sets view->fitting to
// `rows`.
static bool fits(struct hp_view *view, size_t rows) {
    struct count count = {.most = view->options.max_bytes};
    struct hp_err err = {0};
    view->fitting = rows;
    return hp_view_write(view, count_bytes, &count, &err) == HP_OK;
}

// Set view->fitting to the most rows with which the report is within max_bytes; SIZE_MAX:
// all rows fit.  HP_E_LIMIT: the report is too long even without rows.
static int fit_bytes(struct hp_view *view, struct hp_err *err) {
    size_t all = hp_view_all_shown(view), low = 0, high = 1;
    if (view->options.max_bytes == 0) {
        return HP_OK;
    }
    if (!(view->use.can & HP_CAN_CUT)) {
        return hp_fail(err, HP_E_USAGE,
                       HP_MESSAGE("no-rows-to-leave-out", "%s has no rows to drop"),
                       view->options.format);
    }
    while (high <= all && fits(view, high)) {
        low = high;
        high *= 2;
    }
    if (high > all && fits(view, all)) {
        view->fitting = SIZE_MAX;
        return HP_OK;
    }
    high = high < all ? high : all;
    while (low + 1 < high) {
        size_t middle = low + (high - low) / 2;
        *(fits(view, middle) ? &low : &high) = middle;
    }
    return fits(view, low)
               ? HP_OK
               : hp_fail(err, HP_E_LIMIT,
                         HP_MESSAGE(
                             "report-too-long",
                             "%llu bytes are too few for the lines before and after the "
                             "rows"),
                         (unsigned long long)view->options.max_bytes);
}

// --- views -----------------------------------------------------------------------------

struct hp_view *hp_view_new(const struct hp_profile *profile,
                            const struct hp_report_options *options, struct hp_err *err) {
    static const struct hp_report_options defaults;
    options = options ? options : &defaults;
    const struct hp_format *format = format_of(options);
    if (!format || !hp_format_writer(format, options->kind)) {
        hp_fail(err, HP_E_USAGE,
                HP_MESSAGE("no-such-form", "this report cannot be written as '%s'"),
                options->format);
        return NULL;
    }
    if (profile->originals.texts && (format->can & HP_IS_PARTIAL)) {
        hp_fail(err, HP_E_USAGE,
                HP_MESSAGE("partial-of-redacted",
                           "an aggregate file of redacted inputs would find no names"));
        return NULL;
    }
    if (options->only_grown && !(format->can & HP_CAN_ONLY_GROW)) {
        hp_fail(err, HP_E_USAGE,
                HP_MESSAGE("shows-more-than-grown", "%s shows more than growth"),
                format->name);
        return NULL;
    }
    if (hp_options_check(NULL, options, err) != HP_OK ||
        check_needs(&profile->keeps, options, err) != HP_OK ||
        check_groups(profile, options, err) != HP_OK ||
        check_partial(profile, format, options, err) != HP_OK) {
        return NULL;
    }
    struct hp_report_options complete = completed(format, options);
    complete.kind = kind_of(profile, format, options);
    struct hp_view_use use = {
        .shape = hp_format_shape(format, complete.kind),
        .can = abilities_of(options),
        .all_rows = options->format == NULL,
    };
    struct hp_view *view = hp_view_build(profile, &complete, use, err);
    bool is_refused =
        view && (refuse_negative(view, err) != HP_OK || fit_bytes(view, err) != HP_OK);
    if (is_refused) {
        hp_view_free(view);
    }
    return is_refused ? NULL : view;
}

// Writes with the locale "C" in this thread, so that numbers have a decimal point.
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

// --- names of files --------------------------------------------------------------------

// File names of formats that are not written: a table in such a file would be a surprise.
static const char of_others[] =
    "*.png *.gif *.ps *.csv *.xls *.xlsx *.xml *.yaml *.yml *.heap "
    "*.gz *.zst *.xz *.bz2 *.zip *.tar *.tgz";

// Return the length of the longest fitting pattern (they are separated by spaces), or 0.
static size_t longest_fit(const char *patterns, const char *name) {
    size_t longest = 0;
    char pattern[32];
    for (size_t length; *patterns; patterns += length + strspn(patterns + length, " ")) {
        length = strcspn(patterns, " ");
        snprintf(pattern, sizeof pattern, "%.*s", (int)length, patterns);
        if (length > longest && fnmatch(pattern, name, FNM_CASEFOLD) == 0) {
            longest = length;
        }
    }
    return longest;
}

// The longest pattern that fits the name decides; if it is one of of_others, the result
// is HP_E_USAGE.
int hp_format_of_file(const char *path, const char **format, struct hp_err *err) {
    const char *name = hp_span_basename(hp_span_of(path)).at;
    size_t longest = longest_fit(of_others, name);
    bool is_other = longest > 0;
    *format = NULL;
    for (size_t i = 0; i < hp_formats_count; i++) {
        size_t length = longest_fit(hp_formats[i]->files, name);
        if (length > 0 && length >= longest) {
            longest = length;
            is_other = false;
            *format = hp_formats[i]->name;
        }
    }
    if (is_other) {
        return hp_fail(err, HP_E_USAGE,
                       HP_MESSAGE("format-unknown",
                                  "the format of %s is unknown. Use --format"),
                       path);
    }
    return HP_OK;
}
