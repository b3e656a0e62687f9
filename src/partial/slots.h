// Numbers in the rows of a partial, and fields of structs as numbers in a fixed order:
// writer and reader use the same table of fields.
//
// Numbers are LEB128, in the fewest bytes possible; signed numbers are zigzag-encoded
// first; doubles take eight bytes.
#ifndef HP_PARTIAL_SLOTS_H
#define HP_PARTIAL_SLOTS_H

#include "base/err.h"
#include "base/hash.h"
#include "base/varint.h"
#include "base/vec.h"
#include "inputs/input.h"

// Append a number of any size, in LEB128.
void hp_put_long_number(struct hp_bytes *out, hp_uint128 number);

// Append a number in LEB128; fast for numbers of one byte, as most are.
static inline void hp_put_number(struct hp_bytes *out, hp_uint128 number) {
    if (number < HP_VARINT_MORE && out->count < out->capacity) {
        out->at[out->count++] = (uint8_t)number;
    } else {
        hp_put_long_number(out, number);
    }
}

// Append a signed number.
static inline void hp_put_signed(struct hp_bytes *out, hp_int128 number) {
    hp_put_number(out, hp_zigzag(number));
}

// Append the low `bytes` bytes of a number, little-endian.
void hp_put_fixed(struct hp_bytes *out, uint64_t number, size_t bytes);
// Append a text: its size, then its bytes.
void hp_put_text(struct hp_bytes *out, struct hp_span text);

// Bytes from which numbers are read. It remembers the first failure, after which all
// numbers are read as 0 and all texts as "".
struct hp_numbers {
    const uint8_t *at, *end; // the unread bytes
    const char *damage;      // a constant text, or NULL; if set, at == end
};

// Whether unread bytes are left.
static inline bool hp_numbers_more(const struct hp_numbers *row) {
    return row->at < row->end;
}

// Record a failure, unless there was one before, and skip the unread bytes.
void hp_numbers_fail(struct hp_numbers *row, const char *damage);
hp_uint128 hp_get_long_number(struct hp_numbers *row);

// Read a number of up to 128 bits. Fails if it is truncated, too large or not in the
// fewest bytes.
static inline hp_uint128 hp_get_number(struct hp_numbers *row) {
    return row->at < row->end && *row->at < HP_VARINT_MORE ? *row->at++
                                                           : hp_get_long_number(row);
}

// Read a signed number.
static inline hp_int128 hp_get_signed(struct hp_numbers *row) {
    return hp_unzigzag(hp_get_number(row));
}

// Read a number; fails if it is not below `limit`.
static inline uint64_t hp_get_below(struct hp_numbers *row, uint64_t limit) {
    hp_uint128 number = hp_get_number(row);
    if (number >= limit) {
        hp_numbers_fail(row, HP_WORDS("number-not-below",
                                      "a number is beyond what it can be"));
        return 0;
    }
    return (uint64_t)number;
}

// Read a number of up to 64 bits.
uint64_t hp_get_word(struct hp_numbers *row);
// Read a little-endian number of `bytes` bytes.
uint64_t hp_get_fixed(struct hp_numbers *row, size_t bytes);

// Read one byte.
static inline uint8_t hp_get_byte(struct hp_numbers *row) {
    return row->at < row->end ? *row->at++ : (uint8_t)hp_get_fixed(row, 1);
}

// Read a text; it points into the bytes that are read.
struct hp_span hp_get_text(struct hp_numbers *row);

// Split a row into columns, each with its size before it. When they have been read,
// hp_numbers_end() fails `row` if a column is damaged or has not been read to its end.
void hp_get_columns(struct hp_numbers *row, struct hp_numbers *columns, size_t count);
void hp_numbers_end(struct hp_numbers *row, const struct hp_numbers *columns,
                    size_t count);

// --- fields ----------------------------------------------------------------------------

// The type of the member of a struct that is written as a number.
enum hp_slot_kind {
    HP_SLOT_FLAG,   // bool
    HP_SLOT_CHOICE, // enum
    HP_SLOT_SHORT,  // uint32_t
    HP_SLOT_WORD,   // uint64_t
    HP_SLOT_LONG,   // hp_uint128
    HP_SLOT_SIGNED, // hp_int128
    HP_SLOT_DOUBLE, // finite and not negative
    HP_SLOT_CHANGE, // int64_t
};

// How a field is combined when inputs become a group with one record.
enum hp_slot_use {
    HP_SLOT_OWN, // specific to one input; dropped
    HP_SLOT_KEY, // equal in all inputs of the group; other inputs are in another group
    HP_SLOT_SUM, // the sum over the inputs of the group
    // As HP_SLOT_KEY, but stored elsewhere in a partial, because earlier versions have no
    // place for it.
    HP_SLOT_APART,
    // As SUM, but at the end of a row in a partial, because earlier versions lack it.
    HP_SLOT_LATER,
};

// A member of a struct, and how it is written as a number and combined.
struct hp_slot {
    size_t offset;  // offset of the member in its struct
    uint64_t limit; // a choice must be below this; 0: any value that fits
    enum hp_slot_kind kind;
    enum hp_slot_use use;
};

// A table of the members of one struct that are written.
struct hp_slots {
    const struct hp_slot *at;
    size_t count;
};

enum {
    // Number of bits (properties such as a kind of defect) in which all inputs of a group
    // agree; the bits above them are hp_put_apart().
    HP_TRAITS = 11,
};

extern const struct hp_slots hp_error_slots;  // fields of struct hp_error
extern const struct hp_slots hp_record_slots; // fields of struct hp_input_record

// Append, or read, those fields of a struct whose use is in the set `uses`, which has the
// bits 1 << enum hp_slot_use. The struct is `from` or `to`.
void hp_put_slots(struct hp_bytes *out, const struct hp_slots *fields, unsigned uses,
                  const void *from);
void hp_get_slots(struct hp_numbers *row, const struct hp_slots *fields, unsigned uses,
                  void *to);

// Return the HP_SLOT_APART fields of a record as bits; or set them, and return false if
// the bits are none that the first function returns.
unsigned hp_put_apart(const struct hp_input_record *record);
HP_MUST_CHECK bool hp_get_apart(uint64_t bits, struct hp_input_record *record);

// Get or set one field of a struct as a number modulo 2^128; for a double the number is
// its bits. The setter returns false, and sets nothing, if the number does not fit.
hp_uint128 hp_slot_number(const struct hp_slot *field, const void *from);
HP_MUST_CHECK bool hp_slot_set(const struct hp_slot *field, hp_uint128 number, void *to);

// Add the fields of a record that are sums (HP_SLOT_SUM, HP_SLOT_LATER) to those of
// `sum`. Returns false if a sum does not fit.
HP_MUST_CHECK bool hp_record_add(struct hp_input_record *sum,
                                 const struct hp_input_record *record);

#endif
