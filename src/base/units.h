// Numbers as people read them.
#ifndef HP_BASE_UNITS_H
#define HP_BASE_UNITS_H

#include "base/hash.h"
#include "hprof-agg/hprof-agg.h"

enum {
    HP_NUMBER_SIZE = 80, // what `out` has room for
};

// "1,234,567"
void hp_format_grouped(char *out, hp_int128 number);

// "1234567"
void hp_format_integer(char *out, hp_int128 number);

// As printf writes "%.9g".
void hp_format_double(char *out, double number);

// "12.30" of 1230 and two decimals.
void hp_format_decimals(char *out, hp_int128 number, int decimals);

// The unit that hp_format_bytes() writes so many bytes in, as a power of 1024, and its name.
int hp_unit_power(hp_int128 number, enum hp_unit unit);
const char *hp_unit_text(int power);

// Bytes with one decimal and a unit, "153.5 MiB"; whole and plain in HP_UNIT_B, "512 B".
// `number` is in units of 2^-20 bytes.
void hp_format_bytes(char *out, hp_int128 number, enum hp_unit unit);

// The size of an object as it is: "96 B", "1.25 KiB", "1,153 B".
void hp_format_size(char *out, uint64_t size);

#endif
