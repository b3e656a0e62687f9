// Formulas.  Holder k has x_k effective samples of a row, n is their sum over the
// holders, and L_k is the number of samples that k has of all rows (its load).  Rows with
// n >= 8 are tested, m of them.
//
// Holds: the lower bound of the share x/n is the alpha/m quantile of Beta(x, n - x + 1).
// The bound has to be at least 1/2, and its odds four times those of the holder's share
// in all other rows.
//
// Stands out: this is tested if there are at least five holders and most of them have the
// row.  The test statistic is y = ln(x + 1/2) - ln(L - x), or y = ln(x + 1/2) alone,
// whichever has the smaller standard deviation among the other holders.  p is the larger
// of two p-values, times the number of holders: twice the t test of the largest holder
// against the others (the factor 2 pays for the choice of y), and the binomial
// probability of so large a number of samples.  Holm's rule is applied over the rows.
// With eight holders or more, the one or two largest may be excluded from the others, so
// that outliers do not hide one another.
#include "view/holders.h"

#include "stats/distributions.h"
#include "view/open_code.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Fewest effective samples of a row that is tested.
static const double least_samples = 8;
// Added to numbers of samples, so that 0 samples have a logarithm.
static const double half_sample = 0.5;
static const double most_samples = 1e9; // effective samples of a value without error
static const double least_share = 0.5, least_odds = 4;

enum {
    // Fewest holders for a search, for a test of outliers, and for excluding the
    // largest.
    LEAST_TO_HOLD = 3,
    LEAST_TO_STAND_OUT = 5,
    LEAST_TO_LEAVE_OUT = 8,
    WAYS = 2, // definitions of y: [0] relative to the holder's load, [1] alone
};

// --- sums ---------------------------------------------------------------------------------

// The numbers that one holder (an input, or all inputs with the same labels) has in a
// row.
struct holder_part {
    uint32_t holder;       // index in finder.all
    double samples, value; // effective samples; value in the metric
    double y;              // test statistic, by one of the WAYS
};

// A row of the report, summed over all holders (inputs, or groups of inputs with the same
// labels) that have it.
struct held_row {
    size_t present;             // number of holders that have the row
    double samples, value;      // sums of the parts
    struct holder_part largest; // the part with most samples
    struct holder_part top[WAYS]
                          [HP_STAND_OUT]; // parts with the largest y, in descending order
    double sum[WAYS], squares[WAYS];      // sums of y and y^2 over the parts
    // Sums of absent_y(), and of its square, over the holders that have the row;
    // subtracted from absent_sum and absent_squares they leave the sums over the other
    // holders.
    double load_sum, load_squares;
};

// All inputs with the same labels, or one input without labels.
struct holder {
    const char *name;  // borrowed from the profile
    size_t first, end; // range [first, end) of finder.inputs
    double load;       // effective samples of all rows
};

// State of the search for rows that are mostly in one holder (an input, or all inputs
// with the same labels), and for outliers among the holders of a row.
struct holder_finder {
    const struct hp_view *view;
    const struct hp_members *members;
    HP_VEC(size_t) inputs; // indexes of inputs, sorted by holder
    HP_VEC(struct holder) all;
    struct held_row *rows; // by node
    double load;           // sum of the loads of all holders
    // Sums of absent_y() of the load, and of its square, over all holders.
    double absent_sum, absent_squares;
    double *values, *variances; // by node, of the current holder
    HP_VEC(uint32_t) touched;   // nodes set in `values` and `variances`
};

// Return the effective samples of a value, at most most_samples; 0 if it is not above 0.
static double effective(double value, double variance) {
    double samples = variance > 0 ? value * value / variance : most_samples;
    return value > 0 ? fmin(samples, most_samples) : 0;
}

// Return the test statistic, relative to the load of the holder, of a holder that has no
// samples of the row; `load` is its samples of all rows.
static double absent_y(double load) {
    return log(half_sample) - log(fmax(load, half_sample));
}

static void add_node(struct holder_finder *finder, uint32_t node, double value,
                     double variance) {
    if (finder->values[node] == 0 && finder->variances[node] == 0) {
        hp_vec_push(&finder->touched, node);
    }
    finder->values[node] += value;
    finder->variances[node] += variance;
}

// Add the values and variances of an input to those of the current holder (an input, or
// all inputs with the same labels), by row, and to its total.
static void add_input(struct holder_finder *finder, size_t number) {
    const struct hp_profile *profile = finder->view->profile;
    const struct hp_members *members = finder->members;
    enum hp_metric metric = finder->view->options.metric;
    struct hp_history_reader reader = {0};
    struct hp_observation seen;
    hp_history_open(&reader, &profile->history,
                    profile->inputs.records.at[number].number);
    while (hp_history_next(&reader, &seen)) {
        const struct hp_error *error = &seen.errors[hp_column_of(metric)];
        bool is_space = hp_fraction(metric) == HP_SPACE_FRACTION;
        double value = hp_fixed_double(seen.values.of[metric], metric);
        double variance =
            is_space ? (double)error->variance
                     : ldexp((double)error->objects_variance, -(int)HP_ERROR_FRACTION);
        for (size_t i = members->first.at[seen.stack];
             i < members->first.at[seen.stack + 1]; i++) {
            add_node(finder, members->nodes.at[i].n, value, variance);
        }
        add_node(finder, (uint32_t)members->node_count, value, variance);
    }
    hp_history_done_reading(&reader);
}

// Insert what a holder has of a row among those with the largest test statistic; the
// smallest is dropped.
static void put_in_order(struct holder_part *top, struct holder_part part) {
    for (size_t i = 0; i < HP_STAND_OUT; i++) {
        if (top[i].samples <= 0 || part.y > top[i].y) {
            struct holder_part kept = top[i];
            top[i] = part;
            part = kept;
        }
    }
}

// Add what the current holder has of a row to the row's sums.
static void end_row(struct holder_finder *finder, uint32_t holder, uint32_t node) {
    struct held_row *row = &finder->rows[node];
    double load = finder->all.at[holder].load, value = finder->values[node];
    double samples = effective(value, finder->variances[node]);
    if (samples <= 0) {
        return;
    }
    double alone = log(samples + half_sample);
    double y[WAYS] = {alone - log(fmax(load - samples, half_sample)), alone};
    struct holder_part part = {holder, samples, value, 0};
    row->present++;
    row->samples += samples;
    row->value += value;
    row->largest = samples > row->largest.samples ? part : row->largest;
    row->load_sum += absent_y(load);
    row->load_squares += absent_y(load) * absent_y(load);
    for (int way = 0; way < WAYS; way++) {
        part.y = y[way];
        row->sum[way] += y[way];
        row->squares[way] += y[way] * y[way];
        put_in_order(row->top[way], part);
    }
}

static void clear(struct holder_finder *finder) {
    for (size_t i = 0; i < finder->touched.count; i++) {
        finder->values[finder->touched.at[i]] = 0;
        finder->variances[finder->touched.at[i]] = 0;
    }
    finder->touched.count = 0;
}

// Sum all inputs of a holder (an input, or all inputs with the same labels), and add what
// it has of each row to the rows.
static void add_holder(struct holder_finder *finder, uint32_t number) {
    struct holder *holder = &finder->all.at[number];
    size_t total = finder->members->node_count;
    for (size_t i = holder->first; i < holder->end; i++) {
        add_input(finder, finder->inputs.at[i]);
    }
    holder->load = effective(finder->values[total], finder->variances[total]);
    finder->load += holder->load;
    finder->absent_sum += absent_y(holder->load);
    finder->absent_squares += absent_y(holder->load) * absent_y(holder->load);
    for (size_t i = 0; i < finder->touched.count; i++) {
        if (finder->touched.at[i] < total) {
            end_row(finder, number, finder->touched.at[i]);
        }
    }
    clear(finder);
}

// --- holders --------------------------------------------------------------------------------

static int by_labels(const void *left, const void *right, void *context) {
    const struct hp_profile *profile = context;
    size_t a = *(const size_t *)left, b = *(const size_t *)right;
    uint64_t of_a = profile->inputs.records.at[a].identity.labels;
    uint64_t of_b = profile->inputs.records.at[b].identity.labels;
    return of_a != of_b ? (of_a < of_b ? -1 : 1) : (a > b) - (a < b);
}

// Return the name of a holder: the value of its first label, as "web-05", or the name of
// an input without labels.
static const char *name_of(const struct hp_profile *profile,
                           const struct hp_input_record *input) {
    return input->labels > 0
               ? hp_profile_text(profile,
                                 profile->inputs.labels.at[input->first_label].value)
               : input->public.name;
}

// Divide the inputs of the new side into holders: inputs with equal labels are one
// holder, and so is each input without labels.
static void find_holders(struct holder_finder *finder, const struct hp_sides *sides) {
    const struct hp_profile *profile = finder->view->profile;
    for (size_t i = 0; i < sides->new.count; i++) {
        hp_vec_push(&finder->inputs, sides->new.at[i]);
    }
    hp_vec_sort_r(&finder->inputs, by_labels, (void *)(uintptr_t)profile);
    for (size_t i = 0; i < finder->inputs.count; i++) {
        const struct hp_input_record *input =
            &profile->inputs.records.at[finder->inputs.at[i]];
        uint64_t before =
            i > 0 ? profile->inputs.records.at[finder->inputs.at[i - 1]].identity.labels
                  : 0;
        if (input->identity.labels != 0 && input->identity.labels == before) {
            finder->all.at[finder->all.count - 1].end++;
        } else {
            struct holder holder = {name_of(profile, input), i, i + 1, 0};
            hp_vec_push(&finder->all, holder);
        }
    }
}

// --- holders of a row -----------------------------------------------------------------------

static double odds_of(double share) {
    return share < 1 ? share / (1 - share) : INFINITY;
}

// Decide whether the holder with most samples of a row holds most of the row, with
// probability of error `alpha`, and append it to holders->holdings if it does.
static void judge_holding(struct hp_holders *holders, const struct holder_finder *finder,
                          uint32_t node, double alpha) {
    const struct held_row *row = &finder->rows[node];
    const struct holder *holder = &finder->all.at[row->largest.holder];
    double x = row->largest.samples, n = row->samples;
    double rest = fmax(finder->load - n, 0);
    struct hp_holding holding = {
        .node = {node},
        .name = holder->name,
        .value = row->largest.value,
        .share = x / n,
        .low = hp_beta_quantile(alpha, x, n - x + 1),
        .of_rest = rest > 0 ? fmin(fmax(holder->load - x, 0) / rest, 1) : 0,
    };
    if (holding.low >= least_share &&
        odds_of(holding.low) >= least_odds * odds_of(holding.of_rest)) {
        hp_vec_push(&holders->holdings, holding);
    }
}

// --- outliers -------------------------------------------------------------------------------

// Number, mean and standard deviation of the test statistic, by one of its two
// definitions, over all holders except the candidate for an outlier and the holders that
// are excluded.
struct others {
    double count, mean, sd;
    // Sums over the others and the candidate: samples of the row, and of other rows.
    double samples, load;
};

// Return the distribution over the holders without the `left_out` largest (excluded) and
// the next largest (the candidate).
static struct others others_of(const struct holder_finder *finder,
                               const struct held_row *row, int way, size_t left_out) {
    double absent = (double)(finder->all.count - row->present);
    double sum = row->sum[way], squares = row->squares[way];
    struct others others = {.count = (double)(finder->all.count - left_out - 1),
                            .samples = row->samples,
                            .load = finder->load - row->samples};
    if (way == 0) {
        sum += finder->absent_sum - row->load_sum;
        squares += finder->absent_squares - row->load_squares;
    } else {
        sum += absent * log(half_sample);
        squares += absent * log(half_sample) * log(half_sample);
    }
    for (size_t i = 0; i <= left_out; i++) {
        const struct holder_part *part = &row->top[way][i];
        sum -= part->y;
        squares -= part->y * part->y;
        if (i < left_out) {
            others.samples -= part->samples;
            others.load -= finder->all.at[part->holder].load - part->samples;
        }
    }
    others.mean = sum / others.count;
    double variance =
        (squares - others.count * others.mean * others.mean) / (others.count - 1);
    others.sd = sqrt(fmax(variance, 0));
    return others;
}

// Return the p-value that the largest holder after `left_out` excluded ones stands out,
// times the number of holders compared.  `*way`: which of the two definitions of the test
// statistic was used.
static double p_of(const struct holder_finder *finder, const struct held_row *row,
                   size_t left_out, int *way) {
    struct others ways[WAYS] = {others_of(finder, row, 0, left_out),
                                others_of(finder, row, 1, left_out)};
    *way = ways[1].sd < ways[0].sd;
    const struct others *others = &ways[*way];
    const struct holder_part *part = &row->top[*way][left_out];
    double sd = others->sd * sqrt(1 + 1 / others->count);
    double away = part->y - others->mean, x = part->samples;
    double chance = 1 / (others->count + 1);
    if (*way == 0) {
        chance =
            (finder->all.at[part->holder].load - x) / fmax(others->load, half_sample);
        chance = fmin(fmax(chance, 0), 1);
    }
    double by_t = sd > 0 ? 2 * hp_student_above(away / sd, others->count - 1) : away <= 0;
    double by_chance = hp_beta_below(x, others->samples - x + 1, chance, 1 - chance);
    return part->samples > 0 ? fmin(fmax(by_t, by_chance) * (others->count + 1), 1) : 1;
}

// The p-values of a row without any of its largest holders excluded, with one and with
// two of them excluded, as far as that is allowed.
struct outlier_candidate {
    uint32_t node;
    double value;                  // value of the row, in the metric
    double p[HP_STAND_OUT], least; // p-values by number of excluded holders; the smallest
    int way[HP_STAND_OUT];         // definitions of y used for p
};

// Compute the p-values of a row: p[i] is that of its largest holder after the i largest
// ones are excluded.  At most a quarter of the holders are excluded, and none if there
// are fewer than eight.
static struct outlier_candidate candidate_of(const struct holder_finder *finder,
                                             uint32_t node) {
    const struct held_row *row = &finder->rows[node];
    size_t most = finder->all.count / 4 < HP_STAND_OUT - 1 ? finder->all.count / 4
                                                           : HP_STAND_OUT - 1;
    most = finder->all.count < LEAST_TO_LEAVE_OUT ? 0 : most;
    struct outlier_candidate candidate = {
        .node = node, .value = row->value, .p = {1, 1, 1}, .least = 1};
    for (size_t i = 0; i <= most; i++) {
        candidate.p[i] = p_of(finder, row, i, &candidate.way[i]);
        candidate.least = fmin(candidate.least, candidate.p[i]);
    }
    return candidate;
}

static int by_p(const void *left, const void *right) {
    const struct outlier_candidate *a = left, *b = right;
    if (a->least != b->least) {
        return a->least < b->least ? -1 : 1;
    }
    return (a->node > b->node) - (a->node < b->node);
}

static int by_value(const void *left, const void *right) {
    const struct outlier_candidate *a = left, *b = right;
    if (a->value != b->value) {
        return a->value > b->value ? -1 : 1;
    }
    return (a->node > b->node) - (a->node < b->node);
}

// Record the outliers of a row: inputs, or groups of inputs with equal labels.  If the
// test passes with some of the largest ones excluded, these are outliers, too.
static void name_outliers(struct hp_holders *holders, const struct holder_finder *finder,
                          const struct outlier_candidate *candidate, double alpha) {
    const struct held_row *row = &finder->rows[candidate->node];
    size_t last = 0;
    for (size_t i = 0; i < HP_STAND_OUT; i++) {
        last = candidate->p[i] <= alpha ? i : last;
    }
    const struct holder_part *top = row->top[candidate->way[last]];
    double all = row->value;
    for (size_t i = 0; i <= last; i++) {
        all -= top[i].value;
    }
    for (size_t i = 0; i <= last; i++) {
        struct hp_row_outlier outlier = {
            .node = {candidate->node},
            .name = finder->all.at[top[i].holder].name,
            .value = top[i].value,
            .others = all / (double)(finder->all.count - last - 1),
            .p = candidate->p[last],
        };
        hp_vec_push(&holders->outliers, outlier);
    }
}

// Test all rows that most holders have, by Holm's rule, and record the outliers of those
// that pass.
static void find_outliers(struct hp_holders *holders, const struct holder_finder *finder,
                          double alpha) {
    HP_VEC(struct outlier_candidate) candidates = {0};
    for (uint32_t i = 0; i < finder->members->node_count; i++) {
        const struct held_row *row = &finder->rows[i];
        if (row->samples >= least_samples && 2 * row->present > finder->all.count) {
            hp_vec_push(&candidates, candidate_of(finder, i));
        }
    }
    hp_vec_sort(&candidates, by_p);
    size_t found = 0;
    while (found < candidates.count &&
           candidates.at[found].least <= alpha / (double)(candidates.count - found)) {
        found++;
    }
    size_t tested = candidates.count;
    candidates.count = found;
    hp_vec_sort(&candidates, by_value);
    for (size_t i = 0; i < found; i++) {
        name_outliers(holders, finder, &candidates.at[i],
                      alpha / (double)(tested - found + 1));
    }
    hp_vec_done(&candidates);
}

// --- all ------------------------------------------------------------------------------------

static int by_size(const void *left, const void *right) {
    const struct hp_holding *a = left, *b = right;
    if (a->value != b->value) {
        return a->value > b->value ? -1 : 1;
    }
    return (a->node.n > b->node.n) - (a->node.n < b->node.n);
}

// Find holdings and outliers of all rows, with probability of error `alpha` for all
// holdings together, and the same for all outliers.
static void judge(struct hp_holders *holders, const struct holder_finder *finder,
                  double alpha) {
    size_t tested = 0;
    for (size_t i = 0; i < finder->members->node_count; i++) {
        tested += finder->rows[i].samples >= least_samples;
    }
    for (uint32_t i = 0; i < finder->members->node_count; i++) {
        if (finder->rows[i].samples >= least_samples) {
            judge_holding(holders, finder, i, alpha / (double)tested);
        }
    }
    hp_vec_sort(&holders->holdings, by_size);
    if (finder->all.count >= LEAST_TO_STAND_OUT) {
        find_outliers(holders, finder, alpha);
    }
}

void hp_holders_init(struct hp_holders *holders, const struct hp_view *view,
                     const struct hp_sides *sides, const struct hp_members *members,
                     const struct hp_open_code *open) {
    struct holder_finder finder = {.view = view, .members = members};
    size_t nodes = members->node_count + 1;
    *holders = (struct hp_holders){0};
    bool has_errors =
        hp_profile_has_errors(view->profile, hp_column_of(view->options.metric));
    if (sides->has_groups[1] || !has_errors) {
        return;
    }
    find_holders(&finder, sides);
    holders->count = finder.all.count;
    if (finder.all.count >= LEAST_TO_HOLD) {
        finder.rows = hp_alloc(nodes * sizeof *finder.rows);
        finder.values = hp_alloc(2 * nodes * sizeof *finder.values);
        finder.variances = finder.values + nodes;
        for (uint32_t i = 0; i < finder.all.count; i++) {
            add_holder(&finder, i);
        }
        for (size_t i = 0; open->modules.count > 0 && i < members->node_count; i++) {
            finder.rows[i].samples = open->of_node[i] ? 0 : finder.rows[i].samples;
        }
        judge(holders, &finder, 1 - view->options.confidence);
    }
    hp_vec_done(&finder.inputs);
    hp_vec_done(&finder.all);
    hp_vec_done(&finder.touched);
    free(finder.rows);
    free(finder.values);
}

void hp_holders_done(struct hp_holders *holders) {
    hp_vec_done(&holders->holdings);
    hp_vec_done(&holders->outliers);
}
