#include "partial/slots.h"

#include <math.h>
#include <string.h>

enum {
    LONGEST = HP_VARINT_MAX_LONG,
    WORD = 64 / HP_VARINT_BITS, // bytes of a number that always fit into 64 bits
};

// --- writing ---------------------------------------------------------------------------

void hp_put_long_number(struct hp_bytes *out, hp_uint128 number) {
    hp_vec_reserve(out, LONGEST);
    out->count = (size_t)(hp_varint_put(out->at + out->count, number) - out->at);
}

void hp_put_fixed(struct hp_bytes *out, uint64_t number, size_t bytes) {
    for (size_t i = 0; i < bytes; i++) {
        hp_vec_push(out, (uint8_t)(number >> 8 * i));
    }
}

void hp_put_text(struct hp_bytes *out, struct hp_span text) {
    hp_put_number(out, text.size);
    hp_vec_append(out, (const uint8_t *)text.at, text.size);
}

// --- reading ---------------------------------------------------------------------------

void hp_numbers_fail(struct hp_numbers *row, const char *damage) {
    row->damage = row->damage ? row->damage : hp_words(damage);
    row->at = row->end;
}

// Whether a number of `size` bytes is canonical: its last byte is needed, and the longest
// number has no bits beyond 128.
static bool is_canonical(const uint8_t *at, size_t size) {
    uint8_t last = at[size - 1];
    return (last != 0 || size == 1) &&
           (size < LONGEST || last < 1 << (128 - HP_VARINT_BITS * (LONGEST - 1)));
}

hp_uint128 hp_get_long_number(struct hp_numbers *row) {
    size_t left = (size_t)(row->end - row->at);
    uint64_t word = 0; // most numbers have few bytes
    hp_uint128 number = 0;
    size_t size = hp_varint_get(row->at, left < WORD ? left : WORD, &word);
    if (size > 0) {
        number = word;
    } else {
        size = hp_varint_get_long(row->at, left < LONGEST ? left : LONGEST, &number);
    }
    if (size > 0 && is_canonical(row->at, size)) {
        row->at += size;
        return number;
    }
    hp_numbers_fail(row, HP_WORDS("number-cut-or-long",
                                  "a number is cut, too large or too long"));
    return 0;
}

uint64_t hp_get_word(struct hp_numbers *row) {
    hp_uint128 number = hp_get_number(row);
    if (number > UINT64_MAX) {
        hp_numbers_fail(row,
                        HP_WORDS("number-over-64-bits", "a number is beyond 64 bits"));
        return 0;
    }
    return (uint64_t)number;
}

uint64_t hp_get_fixed(struct hp_numbers *row, size_t bytes) {
    uint64_t number = 0;
    if (row->damage || (size_t)(row->end - row->at) < bytes) {
        hp_numbers_fail(row, HP_WORDS("number-cut", "a number is cut"));
        return 0;
    }
    for (size_t i = 0; i < bytes; i++) {
        number |= (uint64_t)*row->at++ << 8 * i;
    }
    return number;
}

struct hp_span hp_get_text(struct hp_numbers *row) {
    hp_uint128 size = hp_get_number(row);
    if (row->damage || size > (size_t)(row->end - row->at)) {
        hp_numbers_fail(row, HP_WORDS("text-cut", "a text is cut"));
        return (struct hp_span){"", 0};
    }
    struct hp_span text = {(const char *)row->at, (size_t)size};
    row->at += text.size;
    return text;
}

void hp_get_columns(struct hp_numbers *row, struct hp_numbers *columns, size_t count) {
    for (size_t i = 0; i < count; i++) {
        struct hp_span column = hp_get_text(row);
        const uint8_t *at = (const uint8_t *)column.at;
        columns[i] = (struct hp_numbers){at, at + column.size, NULL};
    }
}

void hp_numbers_end(struct hp_numbers *row, const struct hp_numbers *columns,
                    size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (columns[i].damage || columns[i].at != columns[i].end) {
            hp_numbers_fail(row, columns[i].damage
                                     ? columns[i].damage
                                     : HP_WORDS("columns-differ",
                                                "columns are of other lengths"));
        }
    }
}

// --- tables ----------------------------------------------------------------------------

#define OF_ERROR(member, kind, name) \
    {offsetof(struct hp_error, member), 0, HP_SLOT_##kind, HP_SLOT_SUM},

static const struct hp_slot error_slots[] = {HP_EACH_ERROR_MEMBER(OF_ERROR)};

const struct hp_slots hp_error_slots = {error_slots,
                                        sizeof error_slots / sizeof *error_slots};

// A field of struct hp_input_record. The order of the fields below is that of the file.
#define OF_RECORD(member, kind, limit, use) \
    { offsetof(struct hp_input_record, member), limit, HP_SLOT_##kind, HP_SLOT_##use }

static const struct hp_slot record_slots[] = {
    OF_RECORD(producer, CHOICE, HP_PRODUCER_FOLDED + 1, KEY),
    OF_RECORD(scaling, CHOICE, HP_SCALING_EXACT + 1, KEY),
    OF_RECORD(missing_metrics, CHOICE, 1 << HP_METRICS, KEY),
    OF_RECORD(header_check, CHOICE, HP_HEADER_CONTRADICTS + 1, KEY),
    OF_RECORD(has_alloc, FLAG, 0, KEY),
    OF_RECORD(period, WORD, 0, KEY),
    OF_RECORD(total.of[HP_INUSE_SPACE], SIGNED, 0, SUM),
    OF_RECORD(total.of[HP_INUSE_OBJECTS], SIGNED, 0, SUM),
    OF_RECORD(total.of[HP_ALLOC_SPACE], SIGNED, 0, SUM),
    OF_RECORD(total.of[HP_ALLOC_OBJECTS], SIGNED, 0, SUM),
    OF_RECORD(large_bytes, SIGNED, 0, SUM),
    OF_RECORD(read[HP_READ_UNIQUE].stacks, WORD, 0, SUM),
    OF_RECORD(read[HP_READ_UNIQUE].bytes, SIGNED, 0, SUM),
    OF_RECORD(read[HP_READ_SEVERAL].stacks, WORD, 0, SUM),
    OF_RECORD(read[HP_READ_SEVERAL].bytes, SIGNED, 0, SUM),
    OF_RECORD(read[HP_READ_NONE].stacks, WORD, 0, SUM),
    OF_RECORD(read[HP_READ_NONE].bytes, SIGNED, 0, SUM),
    OF_RECORD(stacks, WORD, 0, SUM),
    OF_RECORD(bytes, WORD, 0, SUM),
    OF_RECORD(lines, WORD, 0, SUM),
    OF_RECORD(threads, WORD, 0, SUM),
    OF_RECORD(addresses, WORD, 0, SUM),
    OF_RECORD(unmapped_addresses, WORD, 0, SUM),
    OF_RECORD(listed, WORD, 0, SUM),
    OF_RECORD(merged_all, WORD, 0, SUM),
    OF_RECORD(merged_used, WORD, 0, SUM),
    OF_RECORD(slabs.bytes, WORD, 0, SUM),
    OF_RECORD(slabs.used, WORD, 0, SUM),
    OF_RECORD(malformed.count, WORD, 0, SUM),
    OF_RECORD(unknown.count, WORD, 0, SUM),
    OF_RECORD(wrapped.count, WORD, 0, SUM),
    OF_RECORD(overlaps.count, WORD, 0, SUM),
    OF_RECORD(negative, WORD, 0, SUM),
    OF_RECORD(inconsistent_stacks, WORD, 0, SUM),
    OF_RECORD(malformed.line, WORD, 0, OWN),
    OF_RECORD(unknown.line, WORD, 0, OWN),
    OF_RECORD(wrapped.line, WORD, 0, OWN),
    OF_RECORD(overlaps.line, WORD, 0, OWN),
    OF_RECORD(files, SHORT, 0, OWN),
    OF_RECORD(producer_warning_line, WORD, 0, OWN),
    OF_RECORD(header.inuse.objects, WORD, 0, OWN),
    OF_RECORD(header.inuse.bytes, WORD, 0, OWN),
    OF_RECORD(header.alloc.objects, WORD, 0, OWN),
    OF_RECORD(header.alloc.bytes, WORD, 0, OWN),
    OF_RECORD(header_line, WORD, 0, OWN),
    OF_RECORD(has_content, FLAG, 0, OWN),
    OF_RECORD(content.of[0], WORD, 0, OWN),
    OF_RECORD(content.of[1], WORD, 0, OWN),
    OF_RECORD(samples.of[0], WORD, 0, OWN),
    OF_RECORD(samples.of[1], WORD, 0, OWN),
    OF_RECORD(identity.map.of[0], WORD, 0, OWN),
    OF_RECORD(identity.map.of[1], WORD, 0, OWN),
    OF_RECORD(identity.pid, WORD, 0, OWN),
    OF_RECORD(identity.number, WORD, 0, OWN),
    OF_RECORD(identity.has_number, FLAG, 0, OWN),
    OF_RECORD(identity.nanoseconds, WORD, 0, OWN),
    OF_RECORD(identity.is_merged, FLAG, 0, OWN),
    OF_RECORD(is_added, FLAG, 0, OWN),
    OF_RECORD(large_sizes, CHOICE, HP_LARGE_PAGES + 1, APART),
    OF_RECORD(has_gain, FLAG, 0, APART),
    OF_RECORD(gain[HP_COLUMN_INUSE].bytes, CHANGE, 0, LATER),
    OF_RECORD(gain[HP_COLUMN_INUSE].hidden, CHANGE, 0, LATER),
    OF_RECORD(gain[HP_COLUMN_INUSE].excess, CHANGE, 0, LATER),
    OF_RECORD(gain[HP_COLUMN_ALLOC].bytes, CHANGE, 0, LATER),
    OF_RECORD(gain[HP_COLUMN_ALLOC].hidden, CHANGE, 0, LATER),
    OF_RECORD(gain[HP_COLUMN_ALLOC].excess, CHANGE, 0, LATER),
};

const struct hp_slots hp_record_slots = {record_slots,
                                         sizeof record_slots / sizeof *record_slots};

// --- fields ----------------------------------------------------------------------------

hp_uint128 hp_slot_number(const struct hp_slot *field, const void *from) {
    const void *at = (const char *)from + field->offset;
    uint64_t word = 0;
    hp_uint128 number = 0;
    switch (field->kind) {
    case HP_SLOT_FLAG:
        return *(const bool *)at;
    case HP_SLOT_CHOICE:
        return *(const unsigned *)at;
    case HP_SLOT_SHORT:
        return *(const uint32_t *)at;
    case HP_SLOT_WORD:
    case HP_SLOT_DOUBLE:
        memcpy(&word, at, sizeof word);
        return word;
    case HP_SLOT_CHANGE:
        return (hp_uint128)(hp_int128) * (const int64_t *)at;
    case HP_SLOT_LONG:
    case HP_SLOT_SIGNED:
        memcpy(&number, at, sizeof number); // in a packed struct it may be misaligned
        return number;
    }
    return 0;
}

// Returns the largest value of a field of up to 64 bits.
static uint64_t most_of(const struct hp_slot *field) {
    uint64_t choices = field->limit ? field->limit : UINT32_MAX;
    return field->kind == HP_SLOT_FLAG     ? 1
           : field->kind == HP_SLOT_CHOICE ? choices - 1
           : field->kind == HP_SLOT_SHORT  ? UINT32_MAX
                                           : UINT64_MAX;
}

// Whether the bits are those of a finite double that is not negative.
static bool is_weight(hp_uint128 number) {
    uint64_t word = (uint64_t)number;
    double weight;
    memcpy(&weight, &word, sizeof weight);
    return weight >= 0 && !isinf(weight);
}

bool hp_slot_set(const struct hp_slot *field, hp_uint128 number, void *to) {
    void *at = (char *)to + field->offset;
    uint64_t word = (uint64_t)number;
    bool is_long = field->kind == HP_SLOT_LONG || field->kind == HP_SLOT_SIGNED;
    bool is_change = field->kind == HP_SLOT_CHANGE;
    if (is_change ? (hp_int128)number != (int64_t)word
                  : !is_long && (number > most_of(field) ||
                                 (field->kind == HP_SLOT_DOUBLE && !is_weight(number)))) {
        return false;
    }
    switch (field->kind) {
    case HP_SLOT_FLAG:
        *(bool *)at = word != 0;
        break;
    case HP_SLOT_CHOICE:
        *(unsigned *)at = (unsigned)word;
        break;
    case HP_SLOT_SHORT:
        *(uint32_t *)at = (uint32_t)word;
        break;
    case HP_SLOT_WORD:
    case HP_SLOT_DOUBLE:
    case HP_SLOT_CHANGE:
        memcpy(at, &word, sizeof word);
        break;
    case HP_SLOT_LONG:
    case HP_SLOT_SIGNED:
        memcpy(at, &number, sizeof number);
        break;
    }
    return true;
}

static bool is_signed(const struct hp_slot *field) {
    return field->kind == HP_SLOT_SIGNED || field->kind == HP_SLOT_CHANGE;
}

// Append one field.
static void put_slot(struct hp_bytes *out, const struct hp_slot *field,
                     const void *from) {
    hp_uint128 number = hp_slot_number(field, from);
    if (is_signed(field)) {
        hp_put_signed(out, (hp_int128)number);
    } else if (field->kind == HP_SLOT_DOUBLE) {
        hp_put_fixed(out, (uint64_t)number, sizeof(double));
    } else {
        hp_put_number(out, number);
    }
}

// Read one field.
static void get_slot(struct hp_numbers *row, const struct hp_slot *field, void *to) {
    hp_uint128 number = is_signed(field) ? (hp_uint128)hp_get_signed(row)
                        : field->kind == HP_SLOT_DOUBLE
                            ? hp_get_fixed(row, sizeof(double))
                            : hp_get_number(row);
    if (!hp_slot_set(field, number, to)) {
        hp_numbers_fail(row, HP_WORDS("slot-number-too-large",
                                      "a number is beyond what it can be"));
    }
}

void hp_put_slots(struct hp_bytes *out, const struct hp_slots *fields, unsigned uses,
                  const void *from) {
    for (size_t i = 0; i < fields->count; i++) {
        if (uses >> fields->at[i].use & 1) {
            put_slot(out, &fields->at[i], from);
        }
    }
}

void hp_get_slots(struct hp_numbers *row, const struct hp_slots *fields, unsigned uses,
                  void *to) {
    for (size_t i = 0; i < fields->count; i++) {
        if (uses >> fields->at[i].use & 1) {
            get_slot(row, &fields->at[i], to);
        }
    }
}

// Bits of hp_put_apart(): two for enum hp_large_sizes, then one for `has_gain`.
enum {
    GAIN = 1 << 2,
};

unsigned hp_put_apart(const struct hp_input_record *record) {
    return (unsigned)record->large_sizes | (record->has_gain ? GAIN : 0);
}

bool hp_get_apart(uint64_t bits, struct hp_input_record *record) {
    uint64_t large_sizes = bits & (GAIN - 1);
    if (large_sizes > HP_LARGE_PAGES || bits >= 2 * GAIN) {
        return false;
    }
    record->large_sizes = (enum hp_large_sizes)large_sizes;
    record->has_gain = (bits & GAIN) != 0;
    return true;
}

bool hp_record_add(struct hp_input_record *sum, const struct hp_input_record *record) {
    bool overflow = false;
    for (size_t i = 0; i < hp_record_slots.count; i++) {
        const struct hp_slot *field = &hp_record_slots.at[i];
        char *at = (char *)sum + field->offset;
        const char *from = (const char *)record + field->offset;
        bool is_sum = field->use == HP_SLOT_SUM || field->use == HP_SLOT_LATER;
        if (is_sum && field->kind == HP_SLOT_WORD) {
            uint64_t *word = (uint64_t *)(void *)at;
            overflow |=
                __builtin_add_overflow(*word, *(const uint64_t *)(const void *)from,
                                       word);
        } else if (is_sum && field->kind == HP_SLOT_CHANGE) {
            int64_t *change = (int64_t *)(void *)at;
            overflow |=
                __builtin_add_overflow(*change, *(const int64_t *)(const void *)from,
                                       change);
        } else if (is_sum) {
            hp_int128 a, b;
            memcpy(&a, at, sizeof a);
            memcpy(&b, from, sizeof b);
            overflow |= __builtin_add_overflow(a, b, &a);
            memcpy(at, &a, sizeof a);
        }
    }
    return !overflow;
}
