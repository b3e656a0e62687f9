// Decide how to read the numbers of a dump: rewritten or raw, with which sample period,
// and whether to search for sizes.
#include "calc/unbias.h"

#include "calc/probability.h"
#include "calc/scaling.h"

#include <string.h>

enum {
    JEPROF_PERIOD = 131072, // the sample period that jeprof assumes if none is given
    // Most different lines of few objects; if there are more, the search is limited to
    // lines of HP_FEWER_READ objects.
    MOST_LINES = 2048,
};

// Return whether a line may be raw.  A single object has the size of a class or of whole
// pages; otherwise the line was rewritten.
static bool may_be_raw(struct hp_count count) {
    bool has_pages = count.bytes > HP_LARGE_FROM && count.bytes % HP_PAGE == 0;
    return hp_is_one_raw_size(count) &&
           (count.objects > 1 || has_pages || hp_is_class_size(count.bytes));
}

// Return whether the dump contains the objects in use twice, instead of allocations since
// the start: GetHeapSample() writes it so.
static bool repeats_inuse(const struct hp_dump *dump, enum hp_estimator estimator) {
    return dump->producer == HP_PRODUCER_GPERFTOOLS_SAMPLE &&
           estimator == HP_ESTIMATOR_BEST;
}

// Return whether a dump that seems raw is more likely rewritten.  In a dump of one stack
// the header is trivially the sum, and its bytes may be a multiple of 8 by chance.  So
// look whether every line is what jemalloc writes for objects of one size, and some line
// cannot be raw.
static bool fits_better_rewritten(const struct hp_unbias *unbias,
                                  const struct hp_dump *dump) {
    bool is_odd = false;
    const struct hp_dump_stack *stack;
    hp_vec_each (stack, &dump->stacks) {
        const struct hp_count counts[] = {stack->counts.inuse, stack->counts.alloc};
        for (int i = 0; i < 2; i++) {
            uint64_t n, size;
            if (counts[i].objects > 0 &&
                !hp_recover_size(&unbias->classes, counts[i], &n, &size)) {
                return false;
            }
            is_odd |= counts[i].objects > 0 && !may_be_raw(counts[i]);
        }
    }
    return is_odd;
}

// Return the sample period.  If a sampled dump has none, jeprof's estimator assumes a
// value.
static uint64_t period_of(const struct hp_dump *dump, enum hp_estimator estimator) {
    bool is_classic = dump->scaling != HP_SCALING_NONE_SEEN;
    return is_classic && dump->period == 0 && estimator == HP_ESTIMATOR_JEPROF
               ? JEPROF_PERIOD
               : dump->period;
}

// Prepare the search for sizes.  It is done for dumps of jemalloc, unless the sizes of
// single objects show other size classes than the known ones.
static void set_decoding(struct hp_unbias *unbias, const struct hp_dump *dump) {
    bool is_raw = unbias->scaling == HP_SCALING_RAW;
    bool has_pages = !is_raw && unbias->large_sizes == HP_LARGE_PAGES;
    if (unbias->period <= 1 || unbias->estimator != HP_ESTIMATOR_BEST ||
        dump->producer != HP_PRODUCER_JEMALLOC ||
        !(is_raw || unbias->scaling == HP_SCALING_UNBIASED)) {
        return;
    }
    unbias->most_decoded = HP_MOST_READ;
    unbias->large_from = UINT64_MAX;
    if (is_raw) { // raw lines have true sizes
        struct hp_lone_sizes lone = hp_lone_sizes_of(dump);
        bool are_classes =
            unbias->large_sizes == HP_LARGE_CLASSES ||
            (unbias->large_sizes == HP_LARGE_AUTO && lone.large_are_classes);
        unbias->large_from = are_classes ? UINT64_MAX : HP_LARGE_FROM;
        unbias->most_decoded = lone.small_are_classes ? HP_MOST_READ : 1;
    }
    if (unbias->most_decoded > HP_FEWER_READ && hp_count_few(dump) > MOST_LINES) {
        unbias->most_decoded = HP_FEWER_READ;
    }
    hp_class_weights_init(&unbias->weights, unbias->period, unbias->byte_rate, has_pages);
    hp_decoder_init(&unbias->decoder, &unbias->classes, is_raw);
}

// Invalidate the cache if the terms of its estimates changed.  Dumps of one program
// mostly have the same terms, and many equal numbers.
static void forget_other_memos(struct hp_unbias *unbias) {
    bool decodes = unbias->most_decoded > 0;
    struct hp_unbias_terms terms = {
        .estimator = unbias->estimator,
        .scaling = unbias->scaling,
        .period = unbias->period,
        .most_decoded = unbias->most_decoded,
        .large_from = decodes ? unbias->large_from : 0,
        .has_pages = decodes && unbias->weights.has_pages,
        .may_be_of_means = unbias->scaled.may_be_of_means,
        .byte_rate = unbias->byte_rate,
    };
    if (unbias->epoch == 0 || memcmp(&unbias->terms, &terms, sizeof terms) != 0) {
        unbias->terms = terms;
        unbias->epoch++;
    }
}

void hp_unbias_init(struct hp_unbias *unbias, enum hp_estimator estimator,
                    const struct hp_dump *dump) {
    hp_prior_clear(&unbias->prior);
    unbias->has_prior = false;
    unbias->dump = dump;
    unbias->most_decoded = 0;
    unbias->large_bytes = 0;
    unbias->estimator = estimator;
    struct hp_dump_scaling found = hp_dump_scaling_of(dump);
    unbias->adds_up = found.adds_up;
    unbias->has_alloc = found.has_alloc && !repeats_inuse(dump, estimator);
    unbias->as_is =
        dump->scaling == HP_SCALING_EXACT || dump->scaling == HP_SCALING_SCALED;
    unbias->scaled = (struct hp_scaled){.period = 0};
    if (found.scaling == HP_SCALING_SCALED) {
        hp_scaled_init(&unbias->scaled, dump);
    }
    unbias->is_first_version = dump->is_first_version;
    unbias->period = period_of(dump, estimator);
    unbias->byte_rate = 0;
    if (unbias->period >= 2) {
        unbias->byte_rate = found.scaling == HP_SCALING_PER_LINE
                                ? 1 / (double)unbias->period
                                : hp_byte_rate(unbias->period);
    }
    if (unbias->period >= 1) {
        hp_size_classes_init(&unbias->classes, unbias->period);
    }
    bool is_guess =
        found.scaling == HP_SCALING_RAW && dump->scaling == HP_SCALING_NONE_SEEN;
    unbias->scaling =
        is_guess && unbias->period > 1 && fits_better_rewritten(unbias, dump)
            ? HP_SCALING_UNBIASED
            : found.scaling;
    set_decoding(unbias, dump);
    forget_other_memos(unbias);
}

void hp_unbias_set_large_sizes(struct hp_unbias *unbias, enum hp_large_sizes sizes) {
    if (sizes != unbias->large_sizes) {
        unbias->large_sizes = sizes;
        set_decoding(unbias, unbias->dump);
        forget_other_memos(unbias);
    }
}

void hp_unbias_done(struct hp_unbias *unbias) {
    hp_decoder_done(&unbias->decoder);
    hp_prior_clear(&unbias->prior);
}
