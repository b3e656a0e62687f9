#include "trend_rows.h"

#include "stats/measure.h"

#include <math.h>
#include <stdlib.h>

enum {
    SERIES = 250, // series of each cell
};

const double confidence = 0.95, alpha = 1 - 0.95;

int series_asked_for(void) {
    const char *text = getenv("TREND_SERIES");
    return text ? atoi(text) : 0;
}

int series(void) {
    int asked = series_asked_for();
    return asked > 0 ? asked : SERIES;
}

static struct hp_measure measure_of(double samples) {
    return (struct hp_measure){samples, samples, samples, 0, 1};
}

// The growth between dump `from` and the last one, if the dumps contain freed objects.
static struct hp_rise rise_of_lives(const struct observed *o, int from, double level) {
    double first = o->values[from], last = o->values[o->dumps - 1];
    double gone = fmin(o->freed[o->dumps - 1] - o->freed[from], first);
    struct hp_measure freed = measure_of(gone), fresh = measure_of(gone + last - first);
    return (struct hp_rise){hp_growth_p(freed, fresh),
                            hp_least_growth(freed, fresh, level) / (o->dumps - 1 - from)};
}

struct times times_of(int dumps) {
    double times[MOST_DUMPS];
    for (int j = 0; j < dumps; j++) {
        times[j] = j;
    }
    return (struct times){hp_trend_times_new(times, (size_t)dumps, confidence),
                          hp_onset_times_new(times, (size_t)dumps, confidence)};
}

void free_times(struct times times) {
    hp_trend_times_free(times.whole);
    hp_onset_times_free(times.onsets);
}

// The growth with the error of sampling: each sample has a variance of 1.
static struct hp_rise rise_of_sampling(const struct hp_trend_times *times,
                                       const struct observed *o) {
    double variance = 0;
    for (int j = 0; j < o->dumps; j++) {
        variance += fabs(hp_trend_weight(times, (size_t)j)) * o->values[j];
    }
    return hp_trend_of_sampling(times, o->values, variance);
}

struct hp_rise rise_in_span(const void *rises, size_t i) {
    return ((const struct hp_rise *)rises)[i];
}

static struct hp_onset onset_of(const struct hp_onset_times *times,
                                const struct observed *o, bool has_lives,
                                struct hp_rise whole) {
    struct hp_rise sampling[HP_ONSET_SPANS];
    for (size_t i = 0; i < HP_ONSET_SPANS; i++) {
        struct hp_onset_span span = hp_onset_span(times, i);
        double variance = 0;
        for (int j = 0; j < o->dumps; j++) {
            variance += fabs(hp_onset_weight(times, i, (size_t)j)) * o->values[j];
        }
        sampling[i] = has_lives && span.count > 0
                          ? rise_of_lives(o, (int)span.first, hp_onset_alpha(times))
                          : hp_onset_of_sampling(times, i, o->values, variance);
    }
    return hp_onset_find(times, o->values, rise_in_span, sampling, whole);
}

struct row row_of(struct times times, const struct observed *o, bool has_lives) {
    struct hp_rise sampling =
        has_lives ? rise_of_lives(o, 0, alpha) : rise_of_sampling(times.whole, o);
    struct row row = {.whole = hp_trend_of_all(times.whole, o->values, sampling)};
    bool grows = row.whole.p <= 1 - confidence;
    row.onset = onset_of(times.onsets, o, has_lives, row.whole);
    row.rise = row.onset.rise;
    row.shape = hp_trend_shape_of(o->values, (size_t)o->dumps,
                                  grows && hp_trend_is_line(times.whole, o->values));
    bool may_be_since = row.shape == HP_TREND_NONE || row.shape == HP_TREND_STEADY;
    row.shape = row.onset.is_since && may_be_since ? HP_TREND_SINCE : row.shape;
    return row;
}
