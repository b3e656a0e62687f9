// The predictions. n is the number of samples of the part; `before` is, among the parts
// of the block so far with the same size and period, the one with most samples:
//
//     period              that of the last part
//     flags               mixed sizes: those of the last such part; one size: none
//     objects, variance   those of `before`, times n / its samples
//     bytes               the same if the objects are as predicted, else objects * size
//     objects' variance   the same if the variance is as predicted, else variance /
//                         size^2
//     weight              that of `before`
//     observed            n * size
//     excess              mixed sizes with HP_ERROR_MIXED: the number of hidden bytes
//     reading of sizes    one stack: HP_READ_NONE for mixed sizes, HP_READ_SEVERAL if the
//                         size is likely, else HP_READ_UNIQUE
//
// For mixed sizes the predicted weight is the number of all objects, and the predicted
// variance of the objects is its square. Every other number is predicted to be 0. Halves
// are rounded up. A product that overflows is wrong in the same way on every machine, so
// that writer and reader still agree.
#include "partial/part_numbers.h"

#include <math.h>
#include <string.h>

// The bits of a double as a number.
static uint64_t bits_of(double number) {
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

struct hp_part_numbers hp_part_numbers_of(const struct hp_size_part *part) {
    const struct hp_error *error = &part->error;
    return (struct hp_part_numbers){{
        [HP_PART_SAMPLES] = error->samples,
        [HP_PART_PERIOD] = error->period,
        [HP_PART_FLAGS] = error->flags,
        [HP_PART_OBJECTS] = (hp_uint128)part->objects,
        [HP_PART_BYTES] = (hp_uint128)part->bytes,
        [HP_PART_WEIGHT] = bits_of(error->max_weight),
        [HP_PART_VARIANCE] = (hp_uint128)error->variance,
        [HP_PART_OBJECTS_VARIANCE] = (hp_uint128)error->objects_variance,
        [HP_PART_OBSERVED] = error->observed_bytes,
        [HP_PART_HIDDEN] = error->hidden_bytes_max,
        [HP_PART_EXCESS] = error->excess_bytes_max,
        [HP_PART_UNIQUE] = error->read[HP_READ_UNIQUE],
        [HP_PART_SEVERAL] = error->read[HP_READ_SEVERAL],
        [HP_PART_NONE] = error->read[HP_READ_NONE],
    }};
}

// Whether all numbers fit into their members, which are 64 or 32 bits wide.
static bool are_below(const struct hp_part_numbers *numbers) {
    const hp_uint128 *of = numbers->of;
    hp_uint128 words = of[HP_PART_SAMPLES] | of[HP_PART_PERIOD] | of[HP_PART_WEIGHT];
    hp_uint128 shorts = of[HP_PART_UNIQUE] | of[HP_PART_SEVERAL] | of[HP_PART_NONE];
    return words <= UINT64_MAX && shorts <= UINT32_MAX && of[HP_PART_FLAGS] < UINT32_MAX;
}

bool hp_part_numbers_get(const struct hp_part_numbers *numbers,
                         struct hp_size_part *part) {
    const hp_uint128 *of = numbers->of;
    struct hp_error *error = &part->error;
    uint64_t weight = (uint64_t)of[HP_PART_WEIGHT];
    error->samples = (uint64_t)of[HP_PART_SAMPLES];
    error->period = (uint64_t)of[HP_PART_PERIOD];
    error->flags = (unsigned)of[HP_PART_FLAGS];
    part->objects = (hp_fixed)of[HP_PART_OBJECTS];
    part->bytes = (hp_fixed)of[HP_PART_BYTES];
    memcpy(&error->max_weight, &weight, sizeof weight);
    error->variance = (hp_int128)of[HP_PART_VARIANCE];
    error->objects_variance = (hp_int128)of[HP_PART_OBJECTS_VARIANCE];
    error->observed_bytes = of[HP_PART_OBSERVED];
    error->hidden_bytes_max = of[HP_PART_HIDDEN];
    error->excess_bytes_max = of[HP_PART_EXCESS];
    error->read[HP_READ_UNIQUE] = (uint32_t)of[HP_PART_UNIQUE];
    error->read[HP_READ_SEVERAL] = (uint32_t)of[HP_PART_SEVERAL];
    error->read[HP_READ_NONE] = (uint32_t)of[HP_PART_NONE];
    return are_below(numbers) && error->max_weight >= 0 && !isinf(error->max_weight);
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

// --- what is expected ------------------------------------------------------------------

// Returns value * n / samples, rounded; 0 if samples is 0.
static hp_uint128 scaled(hp_uint128 value, hp_uint128 n, hp_uint128 samples) {
    if (n == samples || samples == 0) {
        return n == samples ? value : 0;
    }
    if ((value | n) <= UINT64_MAX) {
        return (value * n + samples / 2) / samples;
    }
    hp_uint128 rest = value % samples;
    return value / samples * n + (rest * n + samples / 2) / samples;
}

// Returns what is known of a size and period; a new entry has 0 samples.
static struct hp_known_part *find(struct hp_part_context *context, uint64_t size,
                                  hp_uint128 period) {
    struct hp_known_part fresh = {.key = {size, (uint64_t)period}};
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

// Encodes or decodes the numbers of one part, so that both use one sequence of
// predictions.
struct coder {
    hp_uint128 *numbers, *off; // numbers, and their differences from the predictions
    bool is_read;              // whether to decode
};

// Encode or decode one number with its prediction. Returns the number itself.
static inline hp_uint128 code(struct coder *coder, enum hp_part_number which,
                              hp_uint128 expected) {
    if (coder->is_read) {
        coder->numbers[which] = expected + coder->off[which];
    } else {
        coder->off[which] = coder->numbers[which] - expected;
    }
    return coder->numbers[which];
}

// Remember a part as the one with most samples.
static inline void note(struct hp_known_part *known, const hp_uint128 *numbers) {
    known->samples = numbers[HP_PART_SAMPLES];
    known->objects = numbers[HP_PART_OBJECTS];
    known->bytes = numbers[HP_PART_BYTES];
    known->weight = numbers[HP_PART_WEIGHT];
    known->variance = numbers[HP_PART_VARIANCE];
    known->objects_variance = numbers[HP_PART_OBJECTS_VARIANCE];
}

// Encode or decode a part of one size.
static inline void code_one_size(struct hp_part_context *context, struct coder *coder,
                                 uint64_t size) {
    const int shift = HP_OBJECTS_FRACTION - HP_SPACE_FRACTION;
    const hp_uint128 half = (hp_uint128)1 << (shift - 1);
    hp_uint128 n = coder->numbers[HP_PART_SAMPLES], square = (hp_uint128)size * size;
    struct hp_known_part *known = find(context, size, coder->numbers[HP_PART_PERIOD]);
    hp_uint128 samples = known->samples, like, objects, variance;
    code(coder, HP_PART_FLAGS, 0);
    like = scaled(known->objects, n, samples);
    objects = code(coder, HP_PART_OBJECTS, like);
    code(coder, HP_PART_BYTES,
         samples > 0 && objects == like ? scaled(known->bytes, n, samples)
                                        : (objects * size + half) >> shift);
    code(coder, HP_PART_WEIGHT, known->weight);
    like = scaled(known->variance, n, samples);
    variance = code(coder, HP_PART_VARIANCE, like);
    code(coder, HP_PART_OBJECTS_VARIANCE,
         samples > 0 && variance == like
             ? scaled(known->objects_variance, n, samples)
             : ((variance << HP_ERROR_FRACTION) + square / 2) / square);
    code(coder, HP_PART_OBSERVED, n * size);
    code(coder, HP_PART_HIDDEN, 0);
    code(coder, HP_PART_EXCESS, 0);
    if (n >= samples) {
        note(known, coder->numbers);
    }
}

// Encode or decode a part of mixed sizes.
static inline void code_mixed_sizes(struct hp_part_context *context,
                                    struct coder *coder) {
    const int shift = 2 * HP_OBJECTS_FRACTION - HP_ERROR_FRACTION;
    const hp_uint128 half = (hp_uint128)1 << (shift - 1);
    hp_uint128 flags = code(coder, HP_PART_FLAGS, context->mixed_flags);
    hp_uint128 objects = code(coder, HP_PART_OBJECTS, 0);
    code(coder, HP_PART_BYTES, 0);
    code(coder, HP_PART_WEIGHT,
         bits_of(hp_fixed_double((hp_int128)objects, HP_INUSE_OBJECTS)));
    code(coder, HP_PART_VARIANCE, 0);
    code(coder, HP_PART_OBJECTS_VARIANCE, (objects * objects + half) >> shift);
    code(coder, HP_PART_OBSERVED, 0);
    hp_uint128 hidden = code(coder, HP_PART_HIDDEN, 0);
    code(coder, HP_PART_EXCESS, flags & HP_ERROR_MIXED ? hidden : 0);
    context->mixed_flags = flags;
}

// Encode or decode all numbers of a part, in the order of enum hp_part_number.
static inline void code_part(struct hp_part_context *context,
                             const struct hp_size_part *part, struct coder *coder) {
    bool is_mixed = part->size == HP_MIXED_SIZES;
    code(coder, HP_PART_SAMPLES, 0);
    context->period = code(coder, HP_PART_PERIOD, context->period);
    if (is_mixed) {
        code_mixed_sizes(context, coder);
    } else {
        code_one_size(context, coder, part->size);
    }
    code(coder, HP_PART_UNIQUE, !is_mixed && !part->is_likely);
    code(coder, HP_PART_SEVERAL, !is_mixed && part->is_likely);
    code(coder, HP_PART_NONE, is_mixed);
}

void hp_part_numbers_write(struct hp_part_context *context,
                           const struct hp_size_part *part,
                           struct hp_part_numbers *numbers, struct hp_part_numbers *off) {
    code_part(context, part, &(struct coder){numbers->of, off->of, false});
}

void hp_part_numbers_read(struct hp_part_context *context,
                          const struct hp_size_part *part,
                          struct hp_part_numbers *numbers, struct hp_part_numbers *off) {
    code_part(context, part, &(struct coder){numbers->of, off->of, true});
}

// --- units -----------------------------------------------------------------------------

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

// Returns the unit of a size; a new one has 0 samples.
static struct hp_sample_unit *find_unit(struct hp_part_context *context, uint64_t size) {
    struct hp_sample_unit fresh = {.size = size};
    size_t count = context->units.count;
    if (count > 0 && context->units.at[context->last_unit].size == size) {
        return &context->units.at[context->last_unit];
    }
    context->last_unit =
        hp_index_of(&context->unit_index, &context->units, &size, sizeof size);
    if (context->last_unit == count) {
        hp_vec_push(&context->units, fresh);
    }
    return &context->units.at[context->last_unit];
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
