// The report `lifetime` from a series of dumps.  Live and allocated bytes are added up
// stack by stack at the first dump and the last, and row by row at every dump.  The
// estimates from these sums are in stats/lifetime.c.
#include "view/report_lifetime.h"

#include "view/recent_rows.h"
#include "view/resets.h"

#include <math.h>

// Values of one stack at the first dump [0] and at the last one [1].
struct stack_ends {
    hp_fixed allocated[2], objects[2], live[2];
    hp_int128 variance[2]; // of the allocated bytes
    // Errors of allocated and of live bytes, because sizes of objects are unknown.
    struct hp_slack slack[2], live_slack[2];
    uint64_t period; // largest sample period of the stack
};

// Bounds of what one stack had allocated, in bytes: in the current dump, and the largest
// lower one of the dumps before.
struct stack_bounds {
    double least, most, before;
};

// State while the dumps of the series are added up.
struct lifetime_adder {
    const struct hp_profile *profile;
    const struct hp_members *members;
    struct hp_lifetimes *lifetimes;
    // Rows of all nodes, of the total, and of the stacks that filters leave.
    struct hp_lifetime_row *places;
    hp_int128 *variances; // variances of the live bytes of each place in the current dump
    bool is_raw; // the last dump has counts of sampled objects, which nothing scaled
    struct stack_ends *ends;     // by stack: values in the first and in the last dump
    struct stack_bounds *bounds; // by stack
};

// --- sums ---------------------------------------------------------------------------------

// Return the number of the i-th row that a stack is added to: rows of its nodes come
// first, then the total, then the sum of the stacks that filters leave.
static size_t places_of(const struct hp_members *members, size_t stack, size_t i) {
    size_t first = members->first.at[stack], nodes = members->first.at[stack + 1] - first;
    return i < nodes ? members->nodes.at[first + i].n : members->node_count + i - nodes;
}

// Number of rows that a stack is added to.
static size_t place_count(const struct hp_members *members, size_t stack) {
    size_t nodes = members->first.at[stack + 1] - members->first.at[stack];
    return nodes + (hp_members_has(members, stack) ? 2 : 1);
}

// Add to `slack` the bytes by which an estimate with this error may be too low and too
// high.
static void add_slack(struct hp_slack *slack, const struct hp_error *error) {
    slack->hidden += (double)error->hidden_bytes_max;
    slack->excess += (double)error->excess_bytes_max;
}

// Add the values of a stack in the first dump (`end` 0) or in the last one (1).
static void add_end(struct stack_ends *ends, int end, const struct hp_observation *seen) {
    const struct hp_error *error = &seen->errors[HP_COLUMN_ALLOC];
    ends->allocated[end] += seen->values.of[HP_ALLOC_SPACE];
    ends->objects[end] += seen->values.of[HP_ALLOC_OBJECTS];
    ends->live[end] += seen->values.of[HP_INUSE_SPACE];
    ends->variance[end] += error->variance;
    add_slack(&ends->slack[end], error);
    add_slack(&ends->live_slack[end], &seen->errors[HP_COLUMN_INUSE]);
    ends->period = error->period > ends->period ? error->period : ends->period;
}

// Add the values of a stack in dump `dump` of the series: to the series of the stack, to
// the variances of the rows that it belongs to and, if this is the first or last dump, to
// its values there.
static void add_observation(struct lifetime_adder *adder, uint32_t dump,
                            const struct hp_observation *seen) {
    struct hp_lifetimes *lifetimes = adder->lifetimes;
    size_t count = place_count(adder->members, seen->stack);
    const struct hp_error *error = &seen->errors[HP_COLUMN_ALLOC];
    double made = hp_fixed_double(seen->values.of[HP_ALLOC_SPACE], HP_ALLOC_SPACE);
    adder->bounds[seen->stack].least += made - (double)error->excess_bytes_max;
    adder->bounds[seen->stack].most += made + (double)error->hidden_bytes_max;
    hp_stack_series_add(&lifetimes->live, seen->stack, dump,
                        seen->values.of[HP_INUSE_SPACE]);
    hp_stack_series_add(&lifetimes->made, seen->stack, dump,
                        seen->values.of[HP_ALLOC_SPACE]);
    for (size_t i = 0; i < count; i++) {
        adder->variances[places_of(adder->members, seen->stack, i)] +=
            seen->errors[HP_COLUMN_INUSE].variance;
    }
    if (dump == 0) {
        add_end(&adder->ends[seen->stack], 0, seen);
    }
    if (dump + 1 == lifetimes->dumps) {
        add_end(&adder->ends[seen->stack], 1, seen);
    }
}

// End a dump: compare the bounds of all stacks with those of the dumps before.  Returns
// whether a stack has certainly allocated less.
static bool end_bounds(struct lifetime_adder *adder) {
    bool falls = false;
    for (size_t i = 0; i < adder->profile->stacks.count; i++) {
        struct stack_bounds *bounds = &adder->bounds[i];
        falls |= bounds->most < bounds->before;
        bounds->before = fmax(bounds->before, bounds->least);
        bounds->least = bounds->most = 0;
    }
    return falls;
}

// Read one dump, `number` of the series, from the history; add the standard errors of its
// live bytes to the rows.
static void read_dump(struct lifetime_adder *adder, const struct hp_series_dump *dump,
                      uint32_t number) {
    struct hp_history_reader reader = {0};
    struct hp_observation seen;
    hp_history_open(&reader, &adder->profile->history, dump->input->number);
    while (hp_history_next(&reader, &seen)) {
        add_observation(adder, number, &seen);
    }
    hp_history_done_reading(&reader);
    bool falls = end_bounds(adder);
    adder->lifetimes->fall =
        falls && adder->lifetimes->fall == 0 ? number : adder->lifetimes->fall;
    for (size_t i = 0; i < adder->members->node_count + 2; i++) {
        adder->places[i].live_errors += sqrt((double)adder->variances[i]);
        adder->variances[i] = 0;
    }
}

// Return by how much the difference of two dumps may be too low or too high because the
// sizes of objects are unknown.  Raw counts only grow (adds_up): bytes that are hidden in
// the first dump are also hidden in the last one.
static struct hp_slack slack_between(const struct hp_slack ends[2], bool adds_up) {
    double hidden = ends[1].hidden - (adds_up ? ends[0].hidden : 0);
    return (struct hp_slack){fmax(0, hidden) + ends[0].excess,
                             ends[1].excess + (adds_up ? 0 : ends[0].hidden)};
}

// Add a stack to the rows of its nodes and to the totals.  Called after all dumps were
// read.
static void add_stack(struct lifetime_adder *adder, size_t stack) {
    const struct stack_ends *ends = &adder->ends[stack];
    struct hp_quantity allocated = {
        hp_fixed_double(ends->allocated[1] - ends->allocated[0], HP_ALLOC_SPACE),
        hp_fixed_double(ends->objects[1] - ends->objects[0], HP_ALLOC_OBJECTS),
        (double)(ends->variance[1] - ends->variance[0]),
        slack_between(ends->slack, adder->is_raw),
        {ends->live_slack[1].hidden,
         ends->live_slack[1].excess + ends->live_slack[0].hidden},
    };
    size_t count = place_count(adder->members, stack);
    for (size_t i = 0; i < count; i++) {
        struct hp_lifetime_row *row = &adder->places[places_of(adder->members, stack, i)];
        row->allocated += ends->allocated[1] - ends->allocated[0];
        row->live += ends->live[1];
        hp_survivors_add(&row->survivors, &allocated, ends->period,
                         hp_fixed_double(ends->live[0], HP_INUSE_SPACE),
                         hp_fixed_double(ends->live[1], HP_INUSE_SPACE));
    }
}

// Read all dumps of the series, and add up the rows.
static void sum_up(struct lifetime_adder *adder, const struct hp_view *view) {
    struct hp_lifetimes *lifetimes = adder->lifetimes;
    size_t stacks = adder->profile->stacks.count;
    hp_stack_series_init(&lifetimes->live, stacks);
    hp_stack_series_init(&lifetimes->made, stacks);
    for (uint32_t i = 0; i < lifetimes->dumps; i++) {
        read_dump(adder, &view->series[i], i);
    }
    hp_stack_series_sort(&lifetimes->live, (uint32_t)lifetimes->dumps);
    hp_stack_series_sort(&lifetimes->made, (uint32_t)lifetimes->dumps);
    for (size_t i = 0; i < stacks; i++) {
        add_stack(adder, i);
    }
}

// --- rows ---------------------------------------------------------------------------------

// Find the bytes that a row allocated between each dump and the next: dumps - 1 numbers.
static void find_gaps(const struct hp_lifetimes *lifetimes, size_t place, double *gaps) {
    const double *made =
        hp_row_values_of(lifetimes->values, &lifetimes->made, place, HP_ALLOC_SPACE);
    for (size_t i = 1; i < lifetimes->dumps; i++) {
        gaps[i - 1] = made[i] - made[i - 1];
    }
}

// Compute `share` and `turnover` of a row.  As this reads the values of all dumps, it is
// done only for rows that are shown.
static void conclude(const struct hp_view *view, struct hp_lifetime_row *row) {
    struct hp_lifetimes *lifetimes = view->extra;
    double confidence = view->options.confidence;
    row->is_concluded = true;
    find_gaps(lifetimes, row->place, lifetimes->gaps);
    struct hp_course course = {
        .live = hp_row_values_of(lifetimes->values, &lifetimes->live, row->place,
                                 HP_INUSE_SPACE),
        .gaps = lifetimes->gaps,
        .process = lifetimes->process_gaps,
        .dumps = lifetimes->dumps,
        .live_error = row->live_errors / (double)lifetimes->dumps,
        .samples = hp_survivors_samples(&row->survivors),
        .process_samples = hp_survivors_samples(&lifetimes->total.survivors),
    };
    row->share = hp_survivors_share(&row->survivors, confidence);
    row->turnover = hp_turnover_of(&course, confidence);
}

const struct hp_lifetime_row *hp_lifetime_row(const struct hp_view *view, size_t number) {
    struct hp_lifetimes *lifetimes = view->extra;
    struct hp_lifetime_row *row = number == HP_ROW_TOTAL ? &lifetimes->total
                                  : number == HP_ROW_FILTERED
                                      ? &lifetimes->filtered
                                      : &lifetimes->rows.at[number];
    if (!row->is_concluded) {
        conclude(view, row);
    }
    return row;
}

// The node of a row, which must not be the total or the sum that filters leave.
static hp_node_id node_of(const struct hp_lifetime_row *row) {
    return (hp_node_id){(uint32_t)row->place};
}

// Order of rows: by allocated bytes, then by live bytes, then by name.
static int by_allocated(const void *left, const void *right, void *naming) {
    const struct hp_lifetime_row *a = left, *b = right;
    if (a->allocated != b->allocated) {
        return a->allocated > b->allocated ? -1 : 1;
    }
    if (a->live != b->live) {
        return a->live > b->live ? -1 : 1;
    }
    return hp_node_compare(naming, node_of(a), node_of(b));
}

// Sort the rows of nodes that allocated or have live bytes, and add them to the view.
static void add_rows(struct hp_view *view, const struct lifetime_adder *adder) {
    struct hp_lifetimes *lifetimes = adder->lifetimes;
    size_t nodes = adder->members->node_count;
    for (size_t i = 0; i < nodes + 2; i++) {
        adder->places[i].place = i;
        hp_fixed allocated = adder->places[i].allocated;
        adder->places[i].allocated = allocated > 0 ? allocated : 0;
        if (i < nodes && (adder->places[i].allocated > 0 || adder->places[i].live > 0)) {
            hp_vec_push(&lifetimes->rows, adder->places[i]);
        }
    }
    lifetimes->total = adder->places[nodes];
    lifetimes->filtered = adder->places[nodes + 1];
    hp_vec_sort_r(&lifetimes->rows, by_allocated, &view->naming);
    const struct hp_lifetime_row *row;
    hp_vec_each (row, &lifetimes->rows) {
        hp_view_add_row(view, node_of(row));
    }
}

// Set the number of rows that HP_LIMIT_ENOUGH shows, by allocated bytes.
static void find_enough(struct hp_view *view, const struct hp_lifetimes *lifetimes) {
    struct hp_enough allocated = {.count = 0};
    for (size_t i = 0; i < lifetimes->rows.count; i++) {
        hp_enough_add(&allocated, lifetimes->rows.at[i].allocated);
    }
    view->enough = hp_view_enough(view, &allocated, lifetimes->filtered.allocated);
}

// --- the report ---------------------------------------------------------------------------

static hp_cell_fn allocated_cell, live_cell, number_cell, verdict_cell, no_turnover_cell;

// Numbers of columns that share an accessor.
enum field {
    AT_LEAST,
    AT_MOST,
    SAMPLES,
    TURNOVER,
    TURNOVER_LOW,
    TURNOVER_HIGH,
    TURNOVER_SECONDS,
};

static const struct hp_field fields[] = {
    {{"allocated", "allocated", NULL, HP_CELL_SUM}, allocated_cell},
    {{"live", "still live", NULL, HP_CELL_SUM}, live_cell, .leaves = 3},
    {{"alive_at_least", "survival", NULL, HP_CELL_NUMBER},
     number_cell,
     HP_NEW_LINE | HP_ROUGH | HP_SHOWN_ENDS,
     .id = AT_LEAST,
     .unit = HP_IN_FRACTION},
    {{"alive_at_most", NULL, NULL, HP_CELL_NUMBER},
     number_cell,
     HP_ROUGH,
     .id = AT_MOST,
     .unit = HP_IN_FRACTION},
    {{"verdict", "verdict", NULL, HP_CELL_TEXT},
     verdict_cell,
     0,
     NULL,
     0,
     HP_WORDS(
         "note-survival",
         "survival: bounds of the share still live. temporary: at most 1%; kept: over "
         "50%")},
    {{"samples", NULL, NULL, HP_CELL_NUMBER}, number_cell, HP_ROUGH, .id = SAMPLES},
    {{"turnover", "turnover", NULL, HP_CELL_NUMBER},
     number_cell,
     HP_NEW_LINE | HP_ROUGH | HP_SHOWN_DETAIL,
     NULL,
     0,
     HP_WORDS(
         "note-turnover",
         "turnover: mean live bytes, times bytes allocated by the process, divided by "
         "bytes allocated by the row. It is not a lifetime: a few long-lived objects "
         "dominate the mean"),
     4,
     .id = TURNOVER,
     .unit = HP_IN_METRIC},
    {{"turnover_low", "from", NULL, HP_CELL_NUMBER},
     number_cell,
     HP_ROUGH | HP_SHOWN_DETAIL,
     .leaves = 1,
     .id = TURNOVER_LOW,
     .unit = HP_IN_METRIC},
    {{"turnover_high", "to", NULL, HP_CELL_NUMBER},
     number_cell,
     HP_ROUGH | HP_SHOWN_DETAIL,
     .leaves = 1,
     .id = TURNOVER_HIGH,
     .unit = HP_IN_METRIC},
    {{"turnover_seconds", NULL, NULL, HP_CELL_NUMBER},
     number_cell,
     HP_ROUGH | HP_SHOWN_DETAIL,
     NULL,
     9,
     .id = TURNOVER_SECONDS,
     .unit = HP_IN_SECONDS},
    {{"no_turnover", "why none", NULL, HP_CELL_TEXT},
     no_turnover_cell,
     HP_SHOWN_DETAIL,
     NULL,
     11,
     HP_WORDS(
         "note-window",
         "few-dumps: fewer than 8; uneven: gaps between them are not within 20 %; "
         "pauses: nothing was allocated in over 20 % of the gaps, or in the first or "
         "last; window: over 20 % is still live; drift: live in the halves differs by "
         "25 %; few-samples: fewer than 10"),
     2},
};

// Fail with HP_E_EMPTY if a dump of the series lacks allocated bytes or bytes in use.
static int refuse_input(const struct hp_view *view, struct hp_err *err) {
    for (size_t i = 0; i < view->series_count; i++) {
        const struct hp_input_record *input = view->series[i].input;
        const char *missing = hp_input_missing(input, HP_ALLOC_SPACE);
        missing = missing ? missing : hp_input_missing(input, HP_INUSE_SPACE);
        if (missing) {
            hp_fail(err, HP_E_EMPTY,
                    HP_MESSAGE("lifetimes-need-accum",
                               "does not say %s. Run the program with prof_accum:true"),
                    missing);
            hp_err_locate(err, input->public.name, 0);
            return err->code;
        }
    }
    return HP_OK;
}

// Whether the dumps are of several processes.  If each process has only one dump, these
// dumps form one series (series.c), so that their memory maps are compared as well.
static bool are_of_several(const struct hp_view *view) {
    for (size_t i = 1; i < view->series_count; i++) {
        const struct hp_identity *first = &view->series[0].input->identity;
        const struct hp_identity *other = &view->series[i].input->identity;
        if (hp_digest_is_known(first->map) && hp_digest_is_known(other->map) &&
            !hp_identity_is_same(first, other)) {
            return true;
        }
    }
    return view->series[view->series_count - 1].series > 0;
}

// Fail if lifetimes cannot be computed with these options or from these inputs.  Returns
// HP_OK or the code of the error.
static int refuse(const struct hp_view *view, struct hp_err *err) {
    if (view->type || view->options.metric != HP_INUSE_SPACE) {
        return hp_fail(err, HP_E_USAGE,
                       HP_MESSAGE("lifetimes-of-bytes",
                                  "lifetime shows bytes: --metric does not apply"));
    }
    if (view->profile->settings.estimator != HP_ESTIMATOR_BEST ||
        view->options.no_error) {
        return hp_fail(
            err, HP_E_USAGE,
            HP_MESSAGE(
                "lifetimes-sampled",
                "lifetime shows bounds of sampling: --estimator, --confidence=none "
                "do not apply"));
    }
    if (view->options.pairs) {
        return hp_fail(
            err, HP_E_USAGE,
            HP_MESSAGE("pairs-without-recent",
                       "--pairs needs --recent: dumps do not say who freed memory"));
    }
    if (view->series_count < 2) {
        return hp_fail(err, HP_E_EMPTY,
                       HP_MESSAGE("lifetimes-need-dumps",
                                  "lifetime needs two or more dumps of one process"));
    }
    if (are_of_several(view)) {
        return hp_fail(
            err, HP_E_EMPTY,
            HP_MESSAGE("lifetimes-of-several",
                       "lifetime needs dumps of one process, and these are of several"));
    }
    int ret = refuse_input(view, err);
    return ret == HP_OK ? hp_resets_refuse(view, err) : ret;
}

// Seconds from the first dump to the last; NAN: not known.
static double seconds_of(const struct hp_view *view) {
    const struct hp_series_dump *series = view->series;
    double seconds = series[view->series_count - 1].time - series[0].time;
    return view->head.has_times && seconds > 0 ? seconds : (double)NAN;
}

// Read the dumps and make all rows; `share` and `turnover` are computed later.
static void lifetimes_init(struct hp_lifetimes *lifetimes, struct hp_view *view,
                           const struct hp_members *members) {
    size_t places = members->node_count + 2;
    struct lifetime_adder adder = {
        .profile = view->profile,
        .members = members,
        .lifetimes = lifetimes,
        .places = hp_alloc(places * sizeof *adder.places),
        .is_raw = view->series[view->series_count - 1].input->scaling == HP_SCALING_RAW,
        .variances = hp_alloc(places * sizeof *adder.variances),
        .ends = hp_alloc(view->profile->stacks.count * sizeof *adder.ends),
        .bounds = hp_alloc(view->profile->stacks.count * sizeof *adder.bounds),
    };
    lifetimes->dumps = view->series_count;
    lifetimes->seconds = seconds_of(view);
    lifetimes->values = hp_row_values_new(members, lifetimes->dumps);
    lifetimes->process_gaps = hp_alloc(lifetimes->dumps * sizeof(double));
    lifetimes->gaps = hp_alloc(lifetimes->dumps * sizeof(double));
    sum_up(&adder, view);
    find_gaps(lifetimes, members->node_count, lifetimes->process_gaps);
    add_rows(view, &adder);
    free(adder.places);
    free(adder.variances);
    free(adder.ends);
    free(adder.bounds);
}

static int build(struct hp_view *view, struct hp_err *err) {
    if (hp_view_is_recent(view)) {
        return hp_recent_rows_build(view, err);
    }
    int ret = refuse(view, err);
    if (ret != HP_OK) {
        return ret;
    }
    struct hp_lifetimes *lifetimes = view->extra = hp_alloc(sizeof *lifetimes);
    struct hp_members members;
    hp_members_init(&members, &view->naming, view->options.sort == HP_SORT_CUM);
    lifetimes_init(lifetimes, view, &members);
    hp_members_done(&members);
    if (lifetimes->fall > 0) {
        ret = hp_resets_refuse_fall(view, lifetimes->fall, err);
    }
    if (ret != HP_OK) {
        return ret;
    }
    find_enough(view, lifetimes);
    hp_view_set_fields(view, fields, sizeof fields / sizeof *fields);
    if (!isnan(lifetimes->seconds)) {
        hp_view_field(view, "turnover_seconds")->column.title = "seconds";
    }
    return HP_OK;
}

static void done(struct hp_view *view) {
    if (hp_view_is_recent(view)) {
        hp_recent_rows_done(view->extra);
        return;
    }
    struct hp_lifetimes *lifetimes = view->extra;
    hp_stack_series_done(&lifetimes->live);
    hp_stack_series_done(&lifetimes->made);
    if (lifetimes->values) {
        hp_row_values_free(lifetimes->values);
    }
    free(lifetimes->process_gaps);
    free(lifetimes->gaps);
    hp_vec_done(&lifetimes->rows);
}

// Convert a turnover from bytes that the process allocates to seconds, at the mean rate
// of its allocations.
static double seconds_for(const struct hp_lifetimes *lifetimes, double turnover) {
    return turnover / lifetimes->total.survivors.allocated * lifetimes->seconds;
}

static void number_cell(const struct hp_cell_at *at, struct hp_content *content) {
    const struct hp_lifetime_row *row = hp_lifetime_row(at->view, at->row);
    const double numbers[] = {
        [AT_LEAST] = row->share.low,
        [AT_MOST] = row->share.high,
        [SAMPLES] = hp_survivors_samples(&row->survivors),
        [TURNOVER] = row->turnover.value,
        [TURNOVER_LOW] = row->turnover.range.low,
        [TURNOVER_HIGH] = row->turnover.range.high,
        [TURNOVER_SECONDS] = seconds_for(at->view->extra, row->turnover.value),
    };
    content->number = numbers[at->field->id];
    content->amount.range = row->share;
}

static void allocated_cell(const struct hp_cell_at *at, struct hp_content *content) {
    hp_fixed sum = hp_lifetime_row(at->view, at->row)->allocated;
    content->amount = (struct hp_amount){.sum = sum, .range = {NAN, NAN}};
}

static void live_cell(const struct hp_cell_at *at, struct hp_content *content) {
    hp_fixed sum = hp_lifetime_row(at->view, at->row)->live;
    content->amount = (struct hp_amount){.sum = sum, .range = {NAN, NAN}};
}

static void verdict_cell(const struct hp_cell_at *at, struct hp_content *content) {
    content->text = hp_survivors_verdict(hp_lifetime_row(at->view, at->row)->share);
}

static void no_turnover_cell(const struct hp_cell_at *at, struct hp_content *content) {
    content->text =
        hp_turnover_lack_name(hp_lifetime_row(at->view, at->row)->turnover.lack);
}

static unsigned flags(const struct hp_view *view, size_t row) {
    (void)view, (void)row;
    return 0;
}

const struct hp_report hp_report_lifetime = {
    .name = "lifetime",
    .help =
        "how much of what a process allocated over a series of its dumps is still live",
    .is_table = true,
    .needs_series = true,
    .needs_allocations = true,
    .build = build,
    .flags = flags,
    .done = done,
};
