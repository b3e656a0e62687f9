// What is expected, n being the samples, and `before` the part of most samples that this block had of
// the same size and period:
//
//     period               that of the last part
//     flags                of mixed sizes those of the last such part, of one size none
//     objects, variance    those of `before`, times n / its samples
//     bytes                the same, if the objects are as expected, else objects * size
//     objects' variance    the same, if the variance is, else variance / size^2
//     weight               that of `before`
//     observed             n * size
//     excess               of mixed sizes that have HP_ERROR_MIXED what may be hidden
//     how sizes were read  one stack: not at all, in one of several ways if it is likely, or the only one
//
// Of mixed sizes the weight is that of all objects, their variance its square.  All else is 0.
// Halves are rounded up.  A product that does not fit is wrong in the same way on every machine.
#include "partial/part_numbers.h"

#include "partial/slots.h"

#define OF_PART(member, kind) \
    { offsetof(struct hp_size_part, member), 0, HP_SLOT_##kind, HP_SLOT_SUM }

static const struct hp_slot slots[HP_PART_NUMBERS] = {
    [HP_PART_SAMPLES] = OF_PART(error.samples, WORD),
    [HP_PART_PERIOD] = OF_PART(error.period, WORD),
    [HP_PART_FLAGS] = OF_PART(error.flags, CHOICE),
    [HP_PART_OBJECTS] = OF_PART(objects, SIGNED),
    [HP_PART_BYTES] = OF_PART(bytes, SIGNED),
    [HP_PART_WEIGHT] = OF_PART(error.max_weight, DOUBLE),
    [HP_PART_VARIANCE] = OF_PART(error.variance, SIGNED),
    [HP_PART_OBJECTS_VARIANCE] = OF_PART(error.objects_variance, SIGNED),
    [HP_PART_OBSERVED] = OF_PART(error.observed_bytes, LONG),
    [HP_PART_HIDDEN] = OF_PART(error.hidden_bytes_max, LONG),
    [HP_PART_EXCESS] = OF_PART(error.excess_bytes_max, LONG),
    [HP_PART_UNIQUE] = OF_PART(error.read[HP_READ_UNIQUE], SHORT),
    [HP_PART_SEVERAL] = OF_PART(error.read[HP_READ_SEVERAL], SHORT),
    [HP_PART_NONE] = OF_PART(error.read[HP_READ_NONE], SHORT),
};

struct hp_part_numbers hp_part_numbers_of(const struct hp_size_part *part) {
    struct hp_part_numbers numbers;
    for (int i = 0; i < HP_PART_NUMBERS; i++) {
        numbers.of[i] = hp_slot_number(&slots[i], part);
    }
    return numbers;
}

bool hp_part_numbers_get(const struct hp_part_numbers *numbers,
                         struct hp_size_part *part) {
    bool fits = true;
    for (int i = 0; i < HP_PART_NUMBERS; i++) {
        fits &= hp_slot_set(&slots[i], numbers->of[i], part);
    }
    return fits;
}

void hp_part_numbers_add(struct hp_part_numbers *sum,
                         const struct hp_part_numbers *part) {
    for (int i = 0; i < HP_PART_NUMBERS; i++) {
        hp_uint128 *to = &sum->of[i], number = part->of[i];
        if (i == HP_PART_FLAGS) {
            *to |= number;
        } else if (i == HP_PART_PERIOD || i == HP_PART_WEIGHT) {
            *to = *to > number ? *to : number;
        } else {
            *to += number;
        }
    }
}

// --- what is expected ---------------------------------------------------------------------

// value * n / samples
static hp_uint128 scaled(hp_uint128 value, hp_uint128 n, hp_uint128 samples) {
    if (n == samples || samples == 0) {
        return n == samples ? value : 0;
    }
    hp_uint128 rest = value % samples;
    return value / samples * n + (rest * n + samples / 2) / samples;
}

static struct hp_known_part *find(struct hp_part_context *context, uint64_t size,
                                  const struct hp_part_numbers *numbers) {
    struct hp_known_part fresh = {.key = {size, (uint64_t)numbers->of[HP_PART_PERIOD]}};
    size_t count = context->known.count;
    if (count > 0 &&
        memcmp(context->known.at[context->last].key, fresh.key, sizeof fresh.key) == 0) {
        return &context->known.at[context->last];
    }
    context->last =
        hp_index_of(&context->index, &context->known, fresh.key, sizeof fresh.key);
    if (context->last == count) {
        hp_vec_push(&context->known, fresh);
    }
    return &context->known.at[context->last];
}

static hp_uint128 expect_of_one_size(struct hp_part_context *context, uint64_t size,
                                     const struct hp_part_numbers *numbers,
                                     enum hp_part_number which) {
    const hp_uint128 *of = numbers->of, *known = find(context, size, numbers)->numbers.of;
    hp_uint128 n = of[HP_PART_SAMPLES], samples = known[HP_PART_SAMPLES];
    hp_uint128 square = (hp_uint128)size * size;
    int shift = HP_OBJECTS_FRACTION - HP_SPACE_FRACTION;
    hp_uint128 half = (hp_uint128)1 << (shift - 1);
    switch ((int)which) {
    case HP_PART_OBJECTS:
    case HP_PART_VARIANCE:
        return scaled(known[which], n, samples);
    case HP_PART_BYTES:
        return samples > 0 &&
                       of[HP_PART_OBJECTS] == scaled(known[HP_PART_OBJECTS], n, samples)
                   ? scaled(known[which], n, samples)
                   : (of[HP_PART_OBJECTS] * size + half) >> shift;
    case HP_PART_OBJECTS_VARIANCE:
        return samples > 0 &&
                       of[HP_PART_VARIANCE] == scaled(known[HP_PART_VARIANCE], n, samples)
                   ? scaled(known[which], n, samples)
                   : ((of[HP_PART_VARIANCE] << HP_ERROR_FRACTION) + square / 2) / square;
    case HP_PART_WEIGHT:
        return known[which];
    case HP_PART_OBSERVED:
        return n * size;
    default:
        return 0;
    }
}

static hp_uint128 expect_of_mixed_sizes(const struct hp_part_context *context,
                                        const struct hp_part_numbers *numbers,
                                        enum hp_part_number which) {
    const hp_uint128 *of = numbers->of, objects = of[HP_PART_OBJECTS];
    double weight = hp_fixed_double((hp_int128)objects, HP_INUSE_OBJECTS);
    int shift = 2 * HP_OBJECTS_FRACTION - HP_ERROR_FRACTION;
    uint64_t bits;
    switch ((int)which) {
    case HP_PART_FLAGS:
        return context->mixed_flags;
    case HP_PART_WEIGHT:
        memcpy(&bits, &weight, sizeof bits);
        return bits;
    case HP_PART_OBJECTS_VARIANCE:
        return (objects * objects + ((hp_uint128)1 << (shift - 1))) >> shift;
    case HP_PART_EXCESS:
        return of[HP_PART_FLAGS] & HP_ERROR_MIXED ? of[HP_PART_HIDDEN] : 0;
    default:
        return 0;
    }
}

hp_uint128 hp_part_expect(struct hp_part_context *context,
                          const struct hp_size_part *part,
                          const struct hp_part_numbers *numbers,
                          enum hp_part_number which) {
    bool is_mixed = part->size == HP_MIXED_SIZES;
    switch ((int)which) {
    case HP_PART_SAMPLES:
        return 0;
    case HP_PART_PERIOD:
        return context->period;
    case HP_PART_UNIQUE:
        return !is_mixed && !part->is_likely;
    case HP_PART_SEVERAL:
        return !is_mixed && part->is_likely;
    case HP_PART_NONE:
        return is_mixed;
    default:
        return is_mixed ? expect_of_mixed_sizes(context, numbers, which)
                        : expect_of_one_size(context, part->size, numbers, which);
    }
}

void hp_part_context_add(struct hp_part_context *context, const struct hp_size_part *part,
                         const struct hp_part_numbers *numbers) {
    context->period = numbers->of[HP_PART_PERIOD];
    if (part->size == HP_MIXED_SIZES) {
        context->mixed_flags = numbers->of[HP_PART_FLAGS];
        return;
    }
    struct hp_known_part *known = find(context, part->size, numbers);
    if (numbers->of[HP_PART_SAMPLES] >= known->numbers.of[HP_PART_SAMPLES]) {
        known->numbers = *numbers;
    }
}

// --- units --------------------------------------------------------------------------------

hp_uint128 hp_sample_units(const struct hp_sample_unit *unit, hp_uint128 count) {
    hp_uint128 half = unit->samples << (HP_SPACE_FRACTION - 1);
    return count == 0
               ? 0
               : (count * unit->bytes + half) / (unit->samples << HP_SPACE_FRACTION);
}

hp_uint128 hp_sample_units_in(const struct hp_sample_unit *unit, hp_int128 sum) {
    hp_uint128 bytes = (hp_uint128)sum << HP_SPACE_FRACTION;
    return sum > 0 ? (bytes * unit->samples + unit->bytes / 2) / unit->bytes : 0;
}

static struct hp_sample_unit *find_unit(struct hp_part_context *context, uint64_t size) {
    struct hp_sample_unit fresh = {.size = size};
    size_t count = context->units.count;
    uint32_t i = hp_index_of(&context->unit_index, &context->units, &size, sizeof size);
    if (i == count) {
        hp_vec_push(&context->units, fresh);
    }
    return &context->units.at[i];
}

void hp_part_context_add_unit(struct hp_part_context *context, uint64_t size,
                              const struct hp_part_numbers *numbers) {
    hp_uint128 bytes = numbers->of[HP_PART_BYTES], samples = numbers->of[HP_PART_SAMPLES];
    struct hp_sample_unit *unit = find_unit(context, size);
    bool is_less = bytes * unit->samples < unit->bytes * samples;
    if (samples > 0 && bytes > 0 && (unit->samples == 0 || is_less)) {
        unit->bytes = bytes;
        unit->samples = samples;
    }
}

const struct hp_sample_unit *hp_part_context_unit(struct hp_part_context *context,
                                                  uint64_t size) {
    const struct hp_sample_unit *unit = find_unit(context, size);
    return unit->samples > 0 ? unit : NULL;
}

void hp_part_context_clear(struct hp_part_context *context) {
    hp_index_drop(&context->unit_index);
    hp_vec_done(&context->units);
    hp_index_drop(&context->index);
    hp_vec_done(&context->known);
    context->period = context->mixed_flags = 0;
}
