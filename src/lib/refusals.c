// The table of refusals: combinations of options that contradict each other, or of which
// one has no effect.  Both hp_profile_read() and hp_view_new() ask it, and so does the
// command line before anything is read.  What the inputs themselves refuse is found where
// they are read.
#include "report/format.h"

// What is asked for.
struct request {
    const struct hp_read_options *read;
    const struct hp_report_options *report;
    unsigned can; // abilities of the format of the report
};

// One rule, and its sentence; `more` follows it, or is NULL.
struct refusal {
    bool (*applies)(const struct request *request);
    const char *sentence, *more;
};

// --- conditions ---------------------------------------------------------------------------

static bool is_partial(const struct request *request) {
    return (request->can & HP_IS_PARTIAL) != 0;
}

static bool is_of_groups(const struct request *request) {
    return request->report->by >= HP_BY_INPUT;
}

static bool has_spread_of_groups(const struct request *request) {
    return is_of_groups(request) && request->report->columns.spread;
}

static bool has_sizes_of_groups(const struct request *request) {
    return is_of_groups(request) && request->report->columns.sizes;
}

static bool has_ages_of_groups(const struct request *request) {
    return is_of_groups(request) && request->report->columns.ages;
}

// Whether stacks are divided by the sizes of their objects.
static bool splits_stacks(const struct request *request) {
    return request->report->kind == HP_REPORT_MERGE && request->report->by == HP_BY_SIZE;
}

static bool has_errors_of_sizes(const struct request *request) {
    return splits_stacks(request) && request->report->pprof.with_error;
}

static bool has_sizes_for_pyroscope(const struct request *request) {
    return splits_stacks(request) && request->report->pprof.flavor == HP_FLAVOR_PYROSCOPE;
}

static bool has_errors_of_diff(const struct request *request) {
    return request->report->kind == HP_REPORT_DIFF && request->report->pprof.with_error;
}

static bool has_peaks_and_spread(const struct request *request) {
    return request->read->snapshots == HP_SNAPSHOTS_PEAK &&
           request->report->columns.spread;
}

static bool has_peaks_of_diff(const struct request *request) {
    return request->read->snapshots == HP_SNAPSHOTS_PEAK &&
           request->report->kind == HP_REPORT_DIFF;
}

static bool has_shards_without_ids(const struct request *request) {
    return request->read->no_input_ids && request->report->shards > 0;
}

static bool has_merge_without_ids(const struct request *request) {
    return request->read->no_input_ids && !is_partial(request) &&
           request->report->kind == HP_REPORT_MERGE;
}

static bool has_report_without_ids(const struct request *request) {
    const struct hp_read_options *read = request->read;
    bool adds_all = read->snapshots == HP_SNAPSHOTS_SUM && read->count_duplicates;
    return read->no_input_ids && !is_partial(request) && !adds_all &&
           request->report->kind != HP_REPORT_MERGE;
}

static bool has_labels_for_nothing(const struct request *request) {
    return request->read->label_from && request->report->by != HP_BY_LABEL &&
           !request->report->columns.spread && !is_partial(request);
}

static bool has_ages_of_other_estimator(const struct request *request) {
    return request->read->older_than > 0 && request->read->estimator != HP_ESTIMATOR_BEST;
}

static bool has_ages_of_partial(const struct request *request) {
    return request->read->older_than > 0 && is_partial(request);
}

// --- the table ----------------------------------------------------------------------------

// The first rule that applies decides.
static const struct refusal refusals[] = {
    {has_peaks_and_spread, HP_WORDS("dumps-peak-spread",
                                    "--dumps=peak cannot be combined with "
                                    "--columns=spread: peaks are chosen by size")},
    {has_peaks_of_diff,
     HP_WORDS("dumps-peak-diff",
              "--dumps=peak cannot be combined with diff: peaks are chosen by size")},
    {has_spread_of_groups,
     HP_WORDS("spread-of-groups", "--columns=spread applies only to rows of functions")},
    {has_sizes_of_groups,
     HP_WORDS("sizes-of-groups", "--columns=sizes applies only to rows of functions")},
    {has_ages_of_groups,
     HP_WORDS("ages-of-groups", "--columns=age applies only to rows of functions")},
    {has_errors_of_sizes,
     HP_WORDS("with-error-by-size",
              "--with-error cannot be combined with --by=size, which splits stacks")},
    {has_sizes_for_pyroscope,
     HP_WORDS("pyroscope-by-size",
              "--by=size makes more samples than --flavor=pyroscope can have")},
    {has_shards_without_ids,
     HP_WORDS("shard-no-input-ids",
              "--shard cannot be combined with --no-input-ids: shards are matched by "
              "dumps")},
    {has_merge_without_ids,
     HP_WORDS("no-input-ids-of-merge", "--no-input-ids needs merge --output=x.hpa")},
    {has_report_without_ids,
     HP_WORDS("no-input-ids-alone", "--no-input-ids needs merge --output=x.hpa"),
     HP_WORDS("no-input-ids-or",
              ", and with --dumps=sum --on-duplicate=count, which "
              "tell no dumps apart")},
    {has_labels_for_nothing,
     HP_WORDS("label-from-alone",
              "--label-from needs --by=label:KEY or --columns=spread")},
    {has_errors_of_diff,
     HP_WORDS("with-error-diff",
              "--with-error does not apply to diff: errors of differences do not add "
              "up")},
    {has_ages_of_other_estimator,
     HP_WORDS("older-than-not-listed",
              "--older-than needs ages of objects, which --estimator=jeprof and none "
              "ignore")},
    {has_ages_of_partial,
     HP_WORDS("older-than-partial",
              "--older-than: an aggregate file has objects of all ages")},
};

int hp_options_check(const struct hp_read_options *read,
                     const struct hp_report_options *report, struct hp_err *err) {
    static const struct hp_read_options usual;
    const char *format =
        report->format ? report->format : hp_format_of_kind(report->kind);
    struct request request = {.read = read ? read : &usual,
                              .report = report,
                              .can = hp_format_can(format)};
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        if (refusals[i].applies(&request)) {
            const char *more = hp_words(refusals[i].more);
            return hp_fail(err, HP_E_USAGE, "%s%s", hp_words(refusals[i].sentence),
                           more ? more : "");
        }
    }
    return HP_OK;
}
