// Numbers formatted for people and for files.
#ifndef HP_BASE_UNITS_H
#define HP_BASE_UNITS_H

#include "base/hash.h"
#include "hprof-agg/hprof-agg.h"

enum {
    HP_NUMBER_SIZE = 80, // bytes that `out` of each function below must have
};

// Decimal with a comma between thousands: "1,234,567".
void hp_format_grouped(char *out, hp_int128 number);

// Decimal without separators: "1234567".
void hp_format_integer(char *out, hp_int128 number);

// Format as printf() does with "%.9g", but faster for most numbers.
void hp_format_double(char *out, double number);

// Format `number` / 10^decimals with all decimals: "12.30" for 1230 and 2.
void hp_format_decimals(char *out, hp_int128 number, int decimals);

// The unit in which hp_format_bytes() writes `number`, as a power of 1024 (`number` is in
// units of 2^-20 bytes); and the name of the unit of a power: "MiB" for 2.
int hp_unit_power(hp_int128 number, enum hp_unit unit);
const char *hp_unit_text(int power);

// Format a number of bytes with its unit: with one decimal, "153.5 MiB", except that
// single bytes have none, "512 B".  HP_UNIT_AUTO: choose the unit by size.  `number` is
// in units of 2^-20 bytes.
void hp_format_bytes(char *out, hp_int128 number, enum hp_unit unit);

// Format the size of an object exactly, in the largest unit that needs at most two
// decimals: "96 B", "1.25 KiB", "1,153 B".
void hp_format_size(char *out, uint64_t size);

#endif
