// Numbers in the rows of a partial, and the fields of structs that stand in them one after the
// other: writer and reader go over the same table.
//
// Numbers are LEB128, in as few bytes as there can be; signed ones zigzag; doubles eight bytes.
#ifndef HP_PARTIAL_SLOTS_H
#define HP_PARTIAL_SLOTS_H

#include "base/hash.h"
#include "model/input.h"
#include "partial/blocks.h"

enum {
    HP_NUMBER_MORE = 1 << 7, // of a byte: others follow
};

void hp_put_long_number(struct hp_bytes *out, hp_uint128 number);

// Most have one byte.
static inline void hp_put_number(struct hp_bytes *out, hp_uint128 number) {
    if (number < HP_NUMBER_MORE && out->count < out->capacity) {
        out->at[out->count++] = (uint8_t)number;
    } else {
        hp_put_long_number(out, number);
    }
}

static inline void hp_put_signed(struct hp_bytes *out, hp_int128 number) {
    hp_put_number(out, (hp_uint128)number << 1 ^ (hp_uint128)(number >> 127));
}

void hp_put_fixed(struct hp_bytes *out, uint64_t number, size_t bytes); // little-endian
void hp_put_text(struct hp_bytes *out, struct hp_span text); // its size, then its bytes

// Reads numbers, and remembers its first failure: then all that it reads is 0.
struct hp_numbers {
    const uint8_t *at, *end;
    const char *damage; // what is wrong, or NULL: then nothing is left
};

static inline bool hp_numbers_more(const struct hp_numbers *row) {
    return row->at < row->end;
}

void hp_numbers_fail(struct hp_numbers *row, const char *damage);
hp_uint128 hp_get_long_number(struct hp_numbers *row);

static inline hp_uint128 hp_get_number(struct hp_numbers *row) {
    return row->at < row->end && *row->at < HP_NUMBER_MORE ? *row->at++
                                                           : hp_get_long_number(row);
}

static inline hp_int128 hp_get_signed(struct hp_numbers *row) {
    hp_uint128 number = hp_get_number(row);
    return (hp_int128)(number >> 1) ^ -(hp_int128)(number & 1);
}

// Fails from `limit` on.
static inline uint64_t hp_get_below(struct hp_numbers *row, uint64_t limit) {
    hp_uint128 number = hp_get_number(row);
    if (number >= limit) {
        hp_numbers_fail(row, "a number is beyond what it can be");
        return 0;
    }
    return (uint64_t)number;
}

uint64_t hp_get_word(struct hp_numbers *row); // any of 64 bits
uint64_t hp_get_fixed(struct hp_numbers *row, size_t bytes);

// The same of one byte.
static inline uint8_t hp_get_byte(struct hp_numbers *row) {
    return row->at < row->end ? *row->at++ : (uint8_t)hp_get_fixed(row, 1);
}

struct hp_span hp_get_text(struct hp_numbers *row);

// Columns, each with its size before it; and fail if one is damaged, or has not been read to its end.
void hp_get_columns(struct hp_numbers *row, struct hp_numbers *columns, size_t count);
void hp_numbers_end(struct hp_numbers *row, const struct hp_numbers *columns,
                    size_t count);

// --- fields -------------------------------------------------------------------------------

enum hp_slot_kind {
    HP_SLOT_FLAG,   // bool
    HP_SLOT_CHOICE, // enum
    HP_SLOT_SHORT,  // uint32_t
    HP_SLOT_WORD,   // uint64_t
    HP_SLOT_LONG,   // hp_uint128
    HP_SLOT_SIGNED, // hp_int128
    HP_SLOT_DOUBLE, // not negative, nor NaN
};

// What becomes of a field of inputs that are told of as a group.
enum hp_slot_use {
    HP_SLOT_OWN, // it is of one input alone
    HP_SLOT_KEY, // it is the same in all of the group
    HP_SLOT_SUM,
    HP_SLOT_APART, // as KEY, but in partials it stands elsewhere: those of before have no place for it
};

struct hp_slot {
    size_t offset;
    uint64_t limit; // what a choice or a word is below; 0: all that fits
    enum hp_slot_kind kind;
    enum hp_slot_use use;
};

struct hp_slots {
    const struct hp_slot *at;
    size_t count;
};

enum {
    HP_TRAITS =
        11, // bits of what tells groups of inputs apart; behind them is how large sizes were read
};

extern const struct hp_slots hp_error_slots;  // of struct hp_error
extern const struct hp_slots hp_record_slots; // of struct hp_input_record

// Those of these uses, 1 << enum hp_slot_use.
void hp_put_slots(struct hp_bytes *out, const struct hp_slots *fields, unsigned uses,
                  const void *from);
void hp_get_slots(struct hp_numbers *row, const struct hp_slots *fields, unsigned uses,
                  void *to);

// One field as a number modulo 2^128, of a double its bits; false if it does not fit.
hp_uint128 hp_slot_number(const struct hp_slot *field, const void *from);
HP_MUST_CHECK bool hp_slot_set(const struct hp_slot *field, hp_uint128 number, void *to);

// Add the sums of a record to those of another; false if one does not fit.
HP_MUST_CHECK bool hp_record_add(struct hp_input_record *sum,
                                 const struct hp_input_record *record);

#endif
