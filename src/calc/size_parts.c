// A line that very likely has one size is attributed to that size.  A line with a few
// known readings is attributed to their mean, size by size.  The sums of an exact profile
// are not decoded: their mean is taken for the size if it is a size of jemalloc's, and is
// certain only for a single object.  Everything else has mixed sizes.
#include "calc/size_parts.h"

#include "calc/probability.h"
#include "model/ages.h"

// The list that the objects of a stack are added to, by size, and the data for estimating
// them.
struct parts_target {
    struct hp_sizes *sizes;
    uint32_t stack; // number in `sizes`
    struct hp_unbias *unbias;
};

// Add objects of one size to those of the stack; the size is certain or only likely.
static void put(const struct parts_target *to, uint64_t size, bool is_sure,
                const struct hp_unbiased *e) {
    struct hp_size_part part = {.size = size,
                                .is_likely = !is_sure,
                                .objects = e->objects,
                                .bytes = e->bytes,
                                .error = e->error};
    hp_sizes_add(to->sizes, to->stack, &part);
}

// --- sampled objects -------------------------------------------------------------------

// Return whether n objects of one size are certain.  If sizes were searched for, the
// estimate itself says so.
static bool is_sure(const struct parts_target *to, uint64_t n,
                    const struct hp_unbiased *e) {
    return to->unbias->most_decoded > 0
               ? e->error.read[HP_READ_UNIQUE] > 0
               : n == 1 || to->unbias->scaling == HP_SCALING_PER_LINE;
}

// Split a line by size class.  Returns the number of parts, 0 if it cannot be split.  Raw
// lines with several readings are not split: the number of objects of a size is unknown.
static size_t split(const struct parts_target *to, struct hp_count count, uint32_t leaf,
                    struct hp_class_part parts[HP_CLASS_PARTS]) {
    struct hp_unbias *unbias = to->unbias;
    struct hp_readings readings = hp_unbias_readings(unbias, count);
    bool can_split = readings.complete && readings.count > 0 &&
                     (readings.count == 1 || unbias->scaling == HP_SCALING_UNBIASED);
    struct hp_prior *prior = NULL;
    if (can_split && readings.count > 1) {
        // This reads other lines, and so invalidates `readings`.
        prior = hp_unbias_prior(unbias);
        readings = hp_unbias_readings(unbias, count);
    }
    return can_split ? hp_split_readings(&unbias->weights, readings, prior, leaf, parts)
                     : 0;
}

// Add the objects of one line by size: one part for each size that is known.
static void put_line(const struct parts_target *to, struct hp_count count,
                     const struct hp_dump_stack *stack) {
    struct hp_unbiased e = hp_unbias_line(to->unbias, count, stack);
    struct hp_class_part parts[HP_CLASS_PARTS];
    if (count.objects == 0) {
        return;
    }
    if (e.n > 0) {
        put(to, e.size, is_sure(to, e.n, &e), &e);
        return;
    }
    uint32_t leaf = hp_dump_site(to->unbias->dump, &to->unbias->prior.owners, stack);
    size_t found = split(to, count, leaf, parts);
    for (size_t i = 0; i < found; i++) {
        bool is_unique = parts[i].of.error.read[HP_READ_UNIQUE] > 0;
        put(to, parts[i].size, is_unique, &parts[i].of);
    }
    if (found == 0) {
        put(to, HP_MIXED_SIZES, false, &e);
    }
}

// Add the objects of a stack by size, as its own counts or the lines of its threads show
// them.
static void put_lines(const struct parts_target *to, const struct hp_dump_stack *stack,
                      enum hp_column column) {
    const struct hp_dump *dump = to->unbias->dump;
    if (!hp_unbias_takes_lines(to->unbias, dump, stack, column)) {
        put_line(to, hp_count_in(&stack->counts, column), stack);
        return;
    }
    for (uint32_t i = 0; i < stack->lines; i++) {
        const struct hp_thread_line *line = &dump->thread_lines.at[stack->first_line + i];
        put_line(to, hp_count_in(&line->counts, column), stack);
    }
}

// --- listed objects --------------------------------------------------------------------

// Add each object that a stack lists to the stack's objects of its size.
static void put_listed(const struct parts_target *to, struct hp_stack_extra extra) {
    for (uint32_t i = 0; i < extra.listed; i++) {
        uint64_t size = to->unbias->dump->listed.at[extra.first_listed + i].size;
        struct hp_unbiased e = hp_unbias_objects(to->unbias, 1, size);
        put(to, size, true, &e);
    }
}

bool hp_sizes_add_listed_ages(struct hp_sizes *ages, uint32_t number,
                              const struct hp_unbias *unbias,
                              const struct hp_dump_stack *stack) {
    const struct hp_dump *dump = unbias->dump;
    struct hp_stack_extra extra = hp_dump_extra(dump, (size_t)(stack - dump->stacks.at));
    if (extra.listed == 0 || !hp_unbias_takes_listed(unbias)) {
        return false;
    }
    for (uint32_t i = 0; i < extra.listed; i++) {
        const struct hp_listed *object = &dump->listed.at[extra.first_listed + i];
        struct hp_unbiased e = hp_unbias_objects(unbias, 1, object->size);
        struct hp_size_part part = {.size = hp_age_range_of(object->age),
                                    .objects = e.objects,
                                    .bytes = e.bytes,
                                    .error = e.error};
        hp_sizes_add(ages, number, &part);
    }
    return true;
}

// Add a stack whose numbers need no unsampling.  The size of its objects by a label is
// given, or 0.
static void put_counts(const struct parts_target *to, const struct hp_dump_stack *stack,
                       uint64_t label_size, enum hp_column column) {
    struct hp_unbias *unbias = to->unbias;
    struct hp_count count = hp_count_in(&stack->counts, column);
    struct hp_unbiased e = hp_unbias_counts(unbias, unbias->dump, stack, column);
    bool is_exact = unbias->estimator == HP_ESTIMATOR_BEST &&
                    unbias->scaling != HP_SCALING_SCALED &&
                    !hp_count_is_wrapped(&count) && count.objects > 0;
    uint64_t n, size;
    if (label_size > 0 && unbias->estimator == HP_ESTIMATOR_BEST) {
        put(to, label_size, true, &e);
    } else if (is_exact && hp_unbias_one_size(unbias, count, &n, &size)) {
        put(to, size, n == 1, &e);
    } else {
        put(to, HP_MIXED_SIZES, false, &e);
    }
}

void hp_sizes_add_decoded(struct hp_sizes *sizes, uint32_t number,
                          struct hp_unbias *unbias, const struct hp_dump_stack *stack,
                          enum hp_column column) {
    const struct hp_dump *dump = unbias->dump;
    struct parts_target to = {sizes, number, unbias};
    struct hp_stack_extra extra = hp_dump_extra(dump, (size_t)(stack - dump->stacks.at));
    struct hp_count count = hp_count_in(&stack->counts, column);
    bool is_nothing = (count.objects | count.bytes) == 0;
    if (column == HP_COLUMN_INUSE && extra.listed > 0 && hp_unbias_takes_listed(unbias)) {
        put_listed(&to, extra);
    } else if (is_nothing || (column == HP_COLUMN_ALLOC && !unbias->has_alloc)) {
        return;
    } else if (hp_unbias_undoes(unbias) && count.bytes > 0 && count.objects > 0) {
        put_lines(&to, stack, column);
    } else {
        put_counts(&to, stack, extra.object_size, column);
    }
}

// --- samples ---------------------------------------------------------------------------

// Return the number of samples that an estimate represents: its objects times the
// probability that one is sampled.
static uint64_t samples_of(const struct hp_size_part *part, uint64_t size,
                           const struct hp_unbias *unbias) {
    double objects = hp_fixed_double(part->objects, HP_INUSE_OBJECTS);
    bool has_pages = unbias->most_decoded > 0 && unbias->weights.has_pages;
    uint64_t period = unbias->dump->period;
    double p = period > 1 ? hp_one_minus_exp((double)size * hp_byte_rate(period)) : 1;
    if (has_pages && part->size > HP_LARGE_FROM && part->size != HP_MIXED_SIZES) {
        p = 1 / unbias->weights.of[hp_class_below(size)].objects;
    }
    return objects > 0 ? (uint64_t)(objects * p + 0.5) : 0;
}

static int by_size(const void *left, const void *right) {
    const struct hp_live_size *a = left, *b = right;
    return a->size != b->size ? (a->size > b->size) - (a->size < b->size)
                              : a->is_mixed - b->is_mixed;
}

// Sort the sizes and join equal ones.  There may be as many mean sizes of mixes as
// stacks.
static void join_sizes(struct hp_live_samples *samples) {
    struct hp_live_size *all = samples->sizes.at;
    size_t kept = 0;
    hp_vec_sort(&samples->sizes, by_size);
    for (size_t i = 0; i < samples->sizes.count; i++) {
        if (kept > 0 && by_size(&all[kept - 1], &all[i]) == 0) {
            all[kept - 1].objects += all[i].objects;
        } else {
            all[kept++] = all[i];
        }
    }
    samples->sizes.count = kept;
}

// Add the number of samples that a stack's objects of one size (a part) represent.  The
// probability to be sampled grows less than the size, so a mix has at most as many
// samples as the same number of objects of its mean size.
static void add_part(struct hp_live_samples *samples, const struct hp_size_part *part,
                     const struct hp_unbias *unbias) {
    double objects = hp_fixed_double(part->objects, HP_INUSE_OBJECTS);
    double bytes = hp_fixed_double(part->bytes, HP_INUSE_SPACE);
    struct hp_live_size more = {.size = part->size,
                                .is_mixed = part->size == HP_MIXED_SIZES};
    if (more.is_mixed) {
        more.size = objects > 0 ? (uint64_t)(bytes / objects + 0.5) : 0;
    }
    more.objects = samples_of(part, more.size, unbias);
    hp_vec_push(&samples->sizes, more);
    samples->is_likely |= part->is_likely && !more.is_mixed;
}

void hp_live_samples_init(struct hp_live_samples *samples, const struct hp_sizes *sizes,
                          const struct hp_unbias *unbias) {
    *samples = (struct hp_live_samples){.is_likely = false};
    for (uint32_t stack = 0; stack < sizes->stacks.count; stack++) {
        const struct hp_size_part *part = hp_sizes_of(sizes, stack);
        for (; part; part = hp_sizes_next(sizes, part)) {
            add_part(samples, part, unbias);
        }
    }
    join_sizes(samples);
}
