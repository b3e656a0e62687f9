// A block of stacks has the columns of enum hp_stack_column, each with its size in bytes
// before it. They contain, for each stack:
//
//     set of labels | frames shared with the stack before | number of further frames
//     for each further frame:
//         how long ago its module was met, 0 to 7, or 8 + the module's number
//         number among the frames of its module: a byte if these are no more than 256,
//             else the low byte | the rest
//     in use, then allocated:
//         4 * number of parts, + 2 if there were more than are kept, + 1 if the stack is
//             not the sum of its parts: then marks of the numbers that differ, and by
//             how much each
//         for each part:
//             size | marks: 1 likely, 2 equal to the part in use of this size, 4 << i
//                 number i differs from its prediction: by how much, in a column for
//                 each number, and for mixed sizes or not
//     in use, then allocated, if sums over replicates (model/between.h) are recorded:
//         0 if it has sums of the same replicates as the column before, or, in the first
//             column, of none; else 1 + number of replicates
//         for each replicate: distance from the number of the one before
//             sum, in units: bytes per sample of the first size | remainder of the sum;
//             for the last: difference from the whole bytes of the stack less the sums
//                 before
#include "partial/stack_codec.h"

#include "partial/partial.h"

#include <math.h>
#include <string.h>

// --- part numbers ----------------------------------------------------------------------

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
//     read (enum hp_read) one stack: HP_READ_NONE for mixed sizes, HP_READ_SEVERAL if the
//                         size is likely, else HP_READ_UNIQUE
//
// For mixed sizes the predicted weight is the number of all objects, and the predicted
// variance of the objects is its square. Every other number is predicted to be 0. Halves
// are rounded up. A product that overflows is wrong in the same way on every machine, so
// that writer and reader still agree.

struct hp_part_numbers hp_part_numbers_of(const struct hp_size_part *part) {
    const struct hp_error *error = &part->error;
#define AS_SIGNED(value)              (hp_uint128)(value)
#define AS_LONG(value)                (value)
#define AS_WORD(value)                (value)
#define AS_SHORT(value)               (value)
#define AS_CHOICE(value)              (value)
#define AS_DOUBLE(value)              hp_bits_of_double(value)
#define NUMBER_OF(member, kind, name) [HP_PART_##name] = AS_##kind(error->member),
    return (struct hp_part_numbers){{[HP_PART_OBJECTS] = (hp_uint128)part->objects,
                                     [HP_PART_BYTES] = (hp_uint128)part->bytes,
                                     HP_EACH_ERROR_MEMBER(NUMBER_OF)}};
}

// Whether all numbers of a part (the objects of one size in a stack) fit into their
// members of struct hp_error that are 64 or 32 bits wide.
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
    part->objects = (hp_fixed)of[HP_PART_OBJECTS];
    part->bytes = (hp_fixed)of[HP_PART_BYTES];
#define TO_SIGNED(number)              (hp_int128)(number)
#define TO_LONG(number)                (number)
#define TO_WORD(number)                (uint64_t)(number)
#define TO_SHORT(number)               (uint32_t)(number)
#define TO_CHOICE(number)              (unsigned)(number)
#define TO_DOUBLE(number)              hp_double_of_bits((uint64_t)(number))
#define SET_MEMBER(member, kind, name) error->member = TO_##kind(of[HP_PART_##name]);
    HP_EACH_ERROR_MEMBER(SET_MEMBER)
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

// Returns `value` times n divided by `samples`, rounded; 0 if `samples` is 0.
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

// Returns the entry of context->known for a size and period; it is added with 0 samples
// if it is new.
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

// Encodes or decodes the numbers of one part (struct hp_size_part), so that both use one
// sequence of predictions.
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

// Remember the numbers of a part (objects of one size in a stack), which has the most
// samples of the parts so far.
static inline void note(struct hp_known_part *known, const hp_uint128 *numbers) {
    known->samples = numbers[HP_PART_SAMPLES];
    known->objects = numbers[HP_PART_OBJECTS];
    known->bytes = numbers[HP_PART_BYTES];
    known->weight = numbers[HP_PART_WEIGHT];
    known->variance = numbers[HP_PART_VARIANCE];
    known->objects_variance = numbers[HP_PART_OBJECTS_VARIANCE];
}

// Encode or decode the numbers of a part that is objects of one size, from HP_PART_FLAGS
// to HP_PART_EXCESS.
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

// Encode or decode the numbers of a part that is objects of mixed or unknown sizes, from
// HP_PART_FLAGS to HP_PART_EXCESS.
static inline void code_mixed_sizes(struct hp_part_context *context,
                                    struct coder *coder) {
    const int shift = 2 * HP_OBJECTS_FRACTION - HP_ERROR_FRACTION;
    const hp_uint128 half = (hp_uint128)1 << (shift - 1);
    hp_uint128 flags = code(coder, HP_PART_FLAGS, context->mixed_flags);
    hp_uint128 objects = code(coder, HP_PART_OBJECTS, 0);
    code(coder, HP_PART_BYTES, 0);
    code(coder, HP_PART_WEIGHT,
         hp_bits_of_double(hp_fixed_double((hp_int128)objects, HP_INUSE_OBJECTS)));
    code(coder, HP_PART_VARIANCE, 0);
    code(coder, HP_PART_OBJECTS_VARIANCE, (objects * objects + half) >> shift);
    code(coder, HP_PART_OBSERVED, 0);
    hp_uint128 hidden = code(coder, HP_PART_HIDDEN, 0);
    code(coder, HP_PART_EXCESS, flags & HP_ERROR_MIXED ? hidden : 0);
    context->mixed_flags = flags;
}

// Encode or decode all numbers of a part (the objects of one size in a stack), in the
// order of enum hp_part_number.
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

// Returns the entry of context->units for a size; it is added with 0 samples if it is
// new.
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

// --- stack codec -----------------------------------------------------------------------

enum mark {
    // Bits of HP_STACK_MARKS, for one part.
    IS_LIKELY = 1 << 0,
    IS_SAME = 1 << 1, // it equals the part in use of its size: nothing else is stored
    NUMBERS_FROM = 2, // position of the bit that says that number 0 is stored
    MARKS_END = 1 << (NUMBERS_FROM + HP_PART_NUMBERS), // all marks are below this
    // Bits of HP_STACK_PARTS, for one column of a stack.
    PARTS_DIFFER = 1 << 0, // the stack is not the sum of its parts
    PARTS_FULL = 1 << 1,   // the stack has more sizes than are kept
    PARTS_COUNT = 1 << 2,  // factor of the number of parts
    HIGH_FROM = 8, // bits of a frame's number from this one on are in HP_STACK_HIGH
    FEW_FRAMES = 1 << HIGH_FROM,
    // Number of frames of all stacks of a file that is always allowed; and how many more
    // are allowed for each compressed byte.
    FRAMES_ALWAYS = 4 << 20,
    FRAMES_PER_PACKED_BYTE = 400, // see FRAMES_ALWAYS
};

void hp_frame_table_add(struct hp_frame_table *table, uint32_t module) {
    uint32_t frame = (uint32_t)table->module.count;
    if (frame == 0 || table->module.at[frame - 1] != module) {
        *hp_vec_reach(&table->of, module) = (struct hp_module_frames){frame, 0};
    }
    table->of.at[module].count++;
    hp_vec_push(&table->module, module);
}

void hp_frame_table_take(struct hp_frame_table *table, const uint32_t *ends,
                         size_t modules) {
    for (size_t i = 0; i < modules; i++) {
        uint32_t first = i > 0 ? ends[i - 1] : 0;
        hp_vec_push(&table->of, ((struct hp_module_frames){first, ends[i] - first}));
    }
}

void hp_frame_table_done(struct hp_frame_table *table) {
    hp_vec_done(&table->module);
    hp_vec_done(&table->of);
}

void hp_stack_row_clear(struct hp_stack_row *row) {
    row->set = 0;
    row->path.count = 0;
    for (int i = 0; i < HP_COLUMNS; i++) {
        row->whole[i] = (struct hp_size_part){.size = HP_MIXED_SIZES};
        row->parts[i].count = 0;
        row->is_full[i] = false;
        row->groups[i].count = 0;
    }
}

void hp_stack_row_done(struct hp_stack_row *row) {
    hp_vec_done(&row->path);
    for (int i = 0; i < HP_COLUMNS; i++) {
        hp_vec_done(&row->parts[i]);
        hp_vec_done(&row->groups[i]);
    }
}

// --- what stacks have in common --------------------------------------------------------

// Move a module to the front of codec->modules, those met last. `ago` is its index there;
// HP_STACK_MODULES: it is not among them.
static void meet_module(struct hp_stack_codec *codec, uint32_t module, uint32_t ago) {
    if (ago == HP_STACK_MODULES) {
        codec->module_count += codec->module_count < HP_STACK_MODULES;
        ago = codec->module_count - 1;
    }
    for (uint32_t i = ago; i > 0; i--) {
        codec->modules[i] = codec->modules[i - 1];
    }
    codec->modules[0] = module;
}

// Returns the index of a module in codec->modules, or HP_STACK_MODULES if it is not
// there.
static uint32_t modules_ago(const struct hp_stack_codec *codec, uint32_t module) {
    uint32_t ago = 0;
    while (ago < codec->module_count && codec->modules[ago] != module) {
        ago++;
    }
    return ago < codec->module_count ? ago : HP_STACK_MODULES;
}

// Returns the objects of a stack that are in use and have this size, or NULL.
static const struct hp_size_part *part_of_size(const struct hp_stack_row *row,
                                               uint64_t size) {
    const struct hp_size_part *part;
    hp_vec_each (part, &row->parts[HP_COLUMN_INUSE]) {
        if (part->size == size) {
            return part;
        }
    }
    return NULL;
}

// Returns the bytes of a stack in one column, rounded. Its sums over replicates add up to
// this, except that the bytes of each dump were rounded before.
static hp_uint128 whole_bytes(const struct hp_stack_row *row, enum hp_column column) {
    return (hp_uint128)hp_fixed_round(row->whole[column].bytes, hp_space_of(column));
}

// Whether a column has sums of the same replicates as the column before; for the first
// column, of none.
static bool has_same_groups(const struct hp_stack_row *row, enum hp_column column) {
    size_t count = row->groups[column].count;
    bool same = count == (column > 0 ? row->groups[column - 1].count : 0);
    for (size_t i = 0; same && i < count; i++) {
        same = row->groups[column].at[i].group == row->groups[column - 1].at[i].group;
    }
    return same;
}

// Returns the unit for sums over replicates, which is that of the first size that is not
// mixed, or NULL. Mixed sizes come first.
static const struct hp_sample_unit *unit_of(struct hp_stack_codec *codec,
                                            const struct hp_stack_row *row,
                                            enum hp_column column) {
    const struct hp_size_part *part;
    hp_vec_each (part, &row->parts[column]) {
        if (part->size != HP_MIXED_SIZES) {
            return hp_part_context_unit(&codec->context, part->size);
        }
    }
    return NULL;
}

// Use the objects of one size in a stack for the unit in which sums over replicates are
// stored, if the codec has such sums.
static void add_unit(struct hp_stack_codec *codec, const struct hp_size_part *part,
                     const struct hp_part_numbers *numbers) {
    if (codec->has_groups && part->size != HP_MIXED_SIZES) {
        hp_part_context_add_unit(&codec->context, part->size, numbers);
    }
}

// Returns the column that stores the first number of a part (the objects of one size in a
// stack); the other numbers have the columns after it.
static enum hp_stack_column column_of(const struct hp_size_part *part) {
    return part->size == HP_MIXED_SIZES ? HP_STACK_MIXED : HP_STACK_NUMBERS;
}

// Reset the state that depends on the stacks before, as at the start of a block.
static void forget(struct hp_stack_codec *codec) {
    hp_part_context_clear(&codec->context);
    codec->last.count = 0;
    codec->module_count = 0;
}

// --- writing ---------------------------------------------------------------------------

// Append the set of labels and the frames of a stack to their columns.
static void put_path(struct hp_stack_codec *codec, const struct hp_stack_row *row) {
    size_t shared = 0, depth = row->path.count;
    while (shared < depth && shared < codec->last.count &&
           row->path.at[shared] == codec->last.at[shared]) {
        shared++;
    }
    hp_put_number(&codec->out[HP_STACK_SET], row->set);
    hp_put_number(&codec->out[HP_STACK_SHARED], shared);
    hp_put_number(&codec->out[HP_STACK_FURTHER], depth - shared);
    for (size_t i = shared; i < depth; i++) {
        uint32_t frame = row->path.at[i], module = codec->frames->module.at[frame];
        uint32_t number = frame - codec->frames->of.at[module].first;
        uint32_t ago = modules_ago(codec, module);
        hp_put_number(&codec->out[HP_STACK_MODULE],
                      ago + (ago == HP_STACK_MODULES ? (hp_uint128)module : 0));
        if (codec->frames->of.at[module].count <= FEW_FRAMES) {
            hp_put_fixed(&codec->out[HP_STACK_BYTE], number, 1);
        } else {
            hp_put_fixed(&codec->out[HP_STACK_LOW], number, 1);
            hp_put_number(&codec->out[HP_STACK_HIGH], number >> HIGH_FROM);
        }
        meet_module(codec, module, ago);
    }
    codec->last.count = 0;
    hp_vec_append(&codec->last, row->path.at, depth);
}

// Append a stack's objects of one size, and add their numbers to `sum`.
static void put_part(struct hp_stack_codec *codec, const struct hp_stack_row *row,
                     const struct hp_size_part *part, enum hp_column column,
                     struct hp_part_numbers *sum) {
    struct hp_part_numbers numbers = hp_part_numbers_of(part), other, off;
    const struct hp_size_part *in_use =
        column == HP_COLUMN_ALLOC ? part_of_size(row, part->size) : NULL;
    unsigned marks = part->is_likely ? IS_LIKELY : 0;
    hp_part_numbers_add(sum, &numbers);
    hp_put_number(&codec->out[HP_STACK_SIZE], part->size);
    if (in_use && in_use->is_likely == part->is_likely) {
        other = hp_part_numbers_of(in_use);
        if (memcmp(&numbers, &other, sizeof other) == 0) {
            hp_put_number(&codec->out[HP_STACK_MARKS], IS_SAME);
            return;
        }
    }
    hp_part_numbers_write(&codec->context, part, &numbers, &off);
    struct hp_bytes *columns = &codec->out[column_of(part)];
    for (unsigned i = 0; i < HP_PART_NUMBERS; i++) {
        if (off.of[i] != 0) {
            marks |= 1u << (NUMBERS_FROM + i);
            hp_put_signed(&columns[i], (hp_int128)off.of[i]);
        }
    }
    hp_put_number(&codec->out[HP_STACK_MARKS], marks);
    add_unit(codec, part, &numbers);
}

// Append a stack's objects by size, in one column, and how the numbers of the stack
// differ from the sums over all sizes.
static void put_parts(struct hp_stack_codec *codec, const struct hp_stack_row *row,
                      enum hp_column column) {
    struct hp_part_numbers whole = hp_part_numbers_of(&row->whole[column]);
    struct hp_part_numbers sum = {.of = {0}};
    struct hp_bytes *rest = &codec->out[HP_STACK_REST];
    unsigned marks = 0;
    const struct hp_size_part *part;
    hp_vec_each (part, &row->parts[column]) {
        put_part(codec, row, part, column, &sum);
    }
    for (int i = 0; i < HP_PART_NUMBERS; i++) {
        marks |= (unsigned)(whole.of[i] != sum.of[i]) << i;
    }
    hp_put_number(&codec->out[HP_STACK_PARTS],
                  row->parts[column].count * PARTS_COUNT +
                      (row->is_full[column] ? PARTS_FULL : 0) +
                      (marks ? PARTS_DIFFER : 0));
    if (marks) {
        hp_put_number(rest, marks);
    }
    for (int i = 0; i < HP_PART_NUMBERS; i++) {
        if (marks >> i & 1) {
            hp_put_signed(rest, (hp_int128)(whole.of[i] - sum.of[i]));
        }
    }
}

// Append a stack's sum over one replicate: how many units, and the remainder in bytes;
// without a unit (NULL) only the bytes.
static void put_sum(struct hp_stack_codec *codec, const struct hp_sample_unit *unit,
                    hp_int128 sum) {
    hp_uint128 expected = 0;
    if (unit) {
        hp_uint128 units = hp_sample_units_in(unit, sum);
        hp_put_number(&codec->out[HP_STACK_UNITS], units);
        expected = hp_sample_units(unit, units);
    }
    hp_put_signed(&codec->out[HP_STACK_SUM], (hp_int128)((hp_uint128)sum - expected));
}

// Append the sums of a stack over replicates in one column. The last sum is stored as its
// difference from the bytes of the stack less all other sums.
static void put_groups(struct hp_stack_codec *codec, const struct hp_stack_row *row,
                       enum hp_column column) {
    const struct hp_group_sum *sums = row->groups[column].at;
    size_t count = row->groups[column].count;
    bool is_same = has_same_groups(row, column);
    const struct hp_sample_unit *unit = count > 1 ? unit_of(codec, row, column) : NULL;
    hp_uint128 left = whole_bytes(row, column);
    hp_put_number(&codec->out[HP_STACK_GROUPS], is_same ? 0 : count + 1);
    for (size_t i = 0; i < count; i++) {
        if (!is_same) {
            hp_put_number(&codec->out[HP_STACK_GROUP],
                          sums[i].group - (i > 0 ? sums[i - 1].group : 0));
        }
        if (i + 1 < count) {
            put_sum(codec, unit, sums[i].bytes);
            left -= (hp_uint128)sums[i].bytes;
        } else {
            hp_put_signed(&codec->out[HP_STACK_LAST],
                          (hp_int128)((hp_uint128)sums[i].bytes - left));
        }
    }
}

void hp_stack_encode(struct hp_stack_codec *codec, const struct hp_stack_row *row) {
    put_path(codec, row);
    for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
        put_parts(codec, row, i);
    }
    for (enum hp_column i = 0; i < HP_COLUMNS && codec->has_groups; i++) {
        put_groups(codec, row, i);
    }
}

size_t hp_stack_codec_size(const struct hp_stack_codec *codec) {
    return hp_block_columns_size(codec->out, HP_STACK_COLUMNS);
}

void hp_stack_encode_end(struct hp_stack_codec *codec, struct hp_block_writer *blocks) {
    hp_block_columns(blocks, HP_SECTION_STACKS, codec->out, HP_STACK_COLUMNS);
    forget(codec);
}

// --- reading ---------------------------------------------------------------------------

// Record damage of the block that is decoded, in codec->state.
static void fail(struct hp_stack_codec *codec, const char *damage) {
    hp_numbers_fail(&codec->state, damage);
}

// Read the number of the module of a frame; 0 after damage.
static uint32_t get_module(struct hp_stack_codec *codec) {
    hp_uint128 code = hp_get_number(&codec->in[HP_STACK_MODULE]);
    uint32_t module = 0, ago = HP_STACK_MODULES;
    if (code < HP_STACK_MODULES && code < codec->module_count) {
        ago = (uint32_t)code;
        module = codec->modules[ago];
    } else if (code >= HP_STACK_MODULES &&
               code - HP_STACK_MODULES < codec->frames->of.count) {
        module = (uint32_t)(code - HP_STACK_MODULES);
    } else {
        fail(codec, HP_WORDS("frame-in-no-module", "a frame is in no module"));
    }
    meet_module(codec, module, ago);
    return module;
}

// Read a frame; returns its number in the file, 0 after damage.
static uint32_t get_frame(struct hp_stack_codec *codec) {
    uint32_t module = get_module(codec);
    if (codec->state.damage) {
        return 0;
    }
    struct hp_module_frames frames = codec->frames->of.at[module];
    bool are_few = frames.count <= FEW_FRAMES;
    uint64_t number = hp_get_byte(&codec->in[are_few ? HP_STACK_BYTE : HP_STACK_LOW]);
    if (!are_few) {
        number |= hp_get_below(&codec->in[HP_STACK_HIGH], 1 << (32 - HIGH_FROM))
                  << HIGH_FROM;
    }
    if (number >= frames.count) {
        fail(codec, HP_WORDS("frame-in-no-table", "a frame is in no table"));
        return 0;
    }
    return frames.first + (uint32_t)number;
}

// Read the set of labels and the frames of a stack to `row`.
static void get_path(struct hp_stack_codec *codec, struct hp_stack_row *row) {
    uint64_t set = hp_get_below(&codec->in[HP_STACK_SET], UINT32_MAX);
    uint64_t shared = hp_get_below(&codec->in[HP_STACK_SHARED], codec->last.count + 1);
    uint64_t more =
        hp_get_below(&codec->in[HP_STACK_FURTHER], HP_STACK_DEPTH_MOST + 1 - shared);
    row->set = (uint32_t)set;
    codec->last.count = (size_t)shared;
    for (uint64_t i = 0; i < more && !codec->state.damage; i++) {
        hp_vec_push(&codec->last, get_frame(codec));
    }
    for (size_t i = (size_t)shared; i < codec->last.count && codec->names; i++) {
        // In a loop of its own, so that loads overlap.
        codec->last.at[i] = codec->names[codec->last.at[i]];
    }
    hp_vec_append(&row->path, codec->last.at, codec->last.count);
}

// Append to `row`, for allocated objects of this size, a copy of the numbers of its
// objects in use of this size.
static void get_same_part(struct hp_stack_codec *codec, struct hp_stack_row *row,
                          uint64_t size, enum hp_column column) {
    const struct hp_size_part *in_use =
        column == HP_COLUMN_ALLOC ? part_of_size(row, size) : NULL;
    if (in_use) {
        hp_vec_push(&row->parts[column], *in_use);
    } else {
        fail(codec, HP_WORDS("part-missing", "a part is as one that is not there"));
    }
}

// Read a stack's objects of one size, in one column, and append them to `row`.
static void get_part(struct hp_stack_codec *codec, struct hp_stack_row *row,
                     enum hp_column column) {
    struct hp_size_part part = {.size = hp_get_word(&codec->in[HP_STACK_SIZE])};
    struct hp_part_numbers numbers, off = {.of = {0}};
    unsigned marks = (unsigned)hp_get_below(&codec->in[HP_STACK_MARKS], MARKS_END);
    struct hp_numbers *columns = &codec->in[column_of(&part)];
    if (marks == IS_SAME) {
        get_same_part(codec, row, part.size, column);
        return;
    }
    part.is_likely = (marks & IS_LIKELY) != 0;
    for (unsigned i = 0; marks >> (NUMBERS_FROM + i) != 0; i++) {
        if (marks >> (NUMBERS_FROM + i) & 1) {
            off.of[i] = (hp_uint128)hp_get_signed(&columns[i]);
        }
    }
    hp_part_numbers_read(&codec->context, &part, &numbers, &off);
    if (!hp_part_numbers_get(&numbers, &part) || (marks & IS_SAME)) {
        fail(codec, HP_WORDS("part-too-large", "a number is beyond what it can be"));
    }
    add_unit(codec, &part, &numbers);
    hp_vec_push(&row->parts[column], part);
}

// Returns the sums of the numbers of a stack's objects over all sizes, in one column.
static struct hp_part_numbers sum_of_parts(const struct hp_stack_row *row,
                                           enum hp_column column) {
    struct hp_part_numbers sum = {.of = {0}};
    const struct hp_size_part *part;
    hp_vec_each (part, &row->parts[column]) {
        struct hp_part_numbers numbers = hp_part_numbers_of(part);
        hp_part_numbers_add(&sum, &numbers);
    }
    return sum;
}

// Set the numbers of the stack in one column to the sums over all sizes of its objects,
// plus the differences that are stored if `differs` is set.
static void get_whole(struct hp_stack_codec *codec, struct hp_stack_row *row,
                      enum hp_column column, bool differs) {
    struct hp_part_numbers whole = sum_of_parts(row, column);
    struct hp_numbers *rest = &codec->in[HP_STACK_REST];
    uint64_t marks = differs ? hp_get_below(rest, 1 << HP_PART_NUMBERS) : 0;
    for (int i = 0; i < HP_PART_NUMBERS; i++) {
        if (marks >> i & 1) {
            whole.of[i] += (hp_uint128)hp_get_signed(rest);
        }
    }
    if (!hp_part_numbers_get(&whole, &row->whole[column])) {
        fail(codec, HP_WORDS("group-too-large", "a number is beyond what it can be"));
    }
}

// Read a stack's objects by size, in one column, and the numbers of the stack.
static void get_parts(struct hp_stack_codec *codec, struct hp_stack_row *row,
                      enum hp_column column) {
    uint64_t head =
        hp_get_below(&codec->in[HP_STACK_PARTS], PARTS_COUNT * (HP_STACK_PARTS_MOST + 1));
    for (uint64_t i = 0; i < head / PARTS_COUNT && !codec->state.damage; i++) {
        get_part(codec, row, column);
    }
    row->is_full[column] = (head & PARTS_FULL) != 0;
    if (row->parts[column].count == 1 && !(head & PARTS_DIFFER)) {
        row->whole[column] = row->parts[column].at[0]; // the usual case
        row->whole[column].size = HP_MIXED_SIZES;
        row->whole[column].is_likely = false;
    } else {
        get_whole(codec, row, column, (head & PARTS_DIFFER) != 0);
    }
}

// Read the sums of a stack over replicates in one column, as put_groups() wrote them.
static void get_groups(struct hp_stack_codec *codec, struct hp_stack_row *row,
                       enum hp_column column) {
    uint64_t head = hp_get_below(&codec->in[HP_STACK_GROUPS], HP_REPLICATES + 2);
    size_t same = column > 0 ? row->groups[column - 1].count : 0;
    size_t count = head > 0 ? (size_t)head - 1 : same;
    const struct hp_sample_unit *unit = count > 1 ? unit_of(codec, row, column) : NULL;
    hp_uint128 left = whole_bytes(row, column);
    uint64_t group = 0;
    for (size_t i = 0; i < count; i++) {
        bool is_last = i + 1 == count;
        hp_uint128 sum = is_last ? left : 0;
        if (!is_last && unit) {
            sum = hp_sample_units(unit, hp_get_number(&codec->in[HP_STACK_UNITS]));
        }
        sum +=
            (hp_uint128)hp_get_signed(&codec->in[is_last ? HP_STACK_LAST : HP_STACK_SUM]);
        uint64_t last = group;
        group = head > 0 ? group + hp_get_below(&codec->in[HP_STACK_GROUP], HP_REPLICATES)
                         : row->groups[column - 1].at[i].group;
        left -= sum;
        if (sum == 0 || group >= HP_REPLICATES || (i > 0 && group <= last)) {
            fail(codec, HP_WORDS("dump-sum-place", "a sum of dumps is not in its place"));
            return;
        }
        hp_vec_push(&row->groups[column],
                    ((struct hp_group_sum){(uint32_t)group, (hp_int128)sum}));
    }
}

bool hp_stack_frames_fit(uint64_t frames, uint64_t packed_bytes) {
    return frames <= FRAMES_ALWAYS + FRAMES_PER_PACKED_BYTE * packed_bytes;
}

size_t hp_stack_count(const struct hp_numbers *block) {
    struct hp_numbers copy = *block, columns[HP_STACK_COLUMNS];
    size_t count = 0;
    hp_get_columns(&copy, columns, HP_STACK_COLUMNS);
    const struct hp_numbers *sets = &columns[HP_STACK_SET];
    for (const uint8_t *at = sets->at; at < sets->end; at++) {
        count += *at < HP_VARINT_MORE; // the last byte of a number
    }
    return count;
}

void hp_stack_decode_begin(struct hp_stack_codec *codec, struct hp_numbers *block) {
    hp_get_columns(block, codec->in, HP_STACK_COLUMNS);
    codec->state = (struct hp_numbers){.damage = block->damage};
    codec->has_groups = hp_numbers_more(&codec->in[HP_STACK_GROUPS]);
    forget(codec);
}

bool hp_stack_decode(struct hp_stack_codec *codec, struct hp_stack_row *row) {
    hp_stack_row_clear(row);
    if (!hp_numbers_more(&codec->in[HP_STACK_SET])) {
        hp_numbers_end(&codec->state, codec->in, HP_STACK_COLUMNS);
        return false;
    }
    get_path(codec, row);
    for (enum hp_column i = 0; i < HP_COLUMNS && !codec->state.damage; i++) {
        get_parts(codec, row, i);
    }
    for (enum hp_column i = 0;
         i < HP_COLUMNS && codec->has_groups && !codec->state.damage; i++) {
        get_groups(codec, row, i);
    }
    for (int i = 0; i < HP_STACK_COLUMNS; i++) {
        if (codec->in[i].damage) {
            fail(codec, codec->in[i].damage);
        }
    }
    return !codec->state.damage;
}

void hp_stack_codec_done(struct hp_stack_codec *codec) {
    forget(codec);
    hp_vec_done(&codec->last);
    for (int i = 0; i < HP_STACK_COLUMNS; i++) {
        hp_vec_done(&codec->out[i]);
    }
}
