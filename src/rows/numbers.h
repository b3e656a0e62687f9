// The numbers of a row, in one column: of a stack in a dump, or of a whole dump.
#ifndef HP_ROWS_NUMBERS_H
#define HP_ROWS_NUMBERS_H

#include "base/error.h"
#include "inputs/input.h"
#include "report/json/json_writer.h"

enum {
    HP_ROW_HAS_BYTES = 1 << 0,   // all members but the numbers of objects are known
    HP_ROW_HAS_OBJECTS = 1 << 1, // `objects` is known
    HP_ROW_HAS_OBJECTS_VARIANCE = 1 << 2,
};

// Whole bytes are rounded, each number separately.
struct hp_row_numbers {
    int64_t bytes, hidden, excess, certain, samples;
    double objects, variance, objects_variance;
    uint64_t known; // bits of HP_ROW_HAS_*
};

// Set the numbers of a column from a sum and its error.  `input`: the dump, which may lack
// the column.  Returns false if a number has more than 63 bits.
bool hp_row_numbers_set(struct hp_row_numbers *numbers, enum hp_column column,
                        const struct hp_input_record *input,
                        const struct hp_values *values, const struct hp_error *error);

// Write the numbers of a column as members of the current object; null where not known.
void hp_row_numbers_put(struct hp_json *json, enum hp_column column,
                        const struct hp_row_numbers *numbers);

// Write a number with seven significant digits.  It has a decimal point in any case, so
// that no reader takes a column for one of whole numbers.
void hp_row_double(struct hp_sink *out, double number);

// Write a text; null if it is empty.  Bytes that are no UTF-8, and NUL, become \xNN: some
// engines read no file with such bytes.
void hp_row_text(struct hp_json *json, const char *key, struct hp_span text);

// Write an id as 16 hexadecimal digits in quotes.
void hp_row_id(struct hp_json *json, const char *key, uint64_t id);

// End a line, and begin one with the next value.
void hp_row_open(struct hp_json *json);
void hp_row_close(struct hp_json *json);

#endif
