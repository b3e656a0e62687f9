// One input read from memory, as large or small windows show it, and whether two readings
// are of the same text.
//
//     struct reading reading = {0};
//     reading_make(&reading, bytes, size, window);
//     ... reading.dump, if reading.ret == HP_OK; else reading.err
//     reading_done(&reading);
#ifndef TESTS_FUZZ_READING_H
#define TESTS_FUZZ_READING_H

#include "input/reader.h"

// {0} is ready for use, again and again.
struct reading {
    struct hp_reader reader;
    struct hp_dump dump; // its paths are in the reader's window
    struct hp_err err;
    int ret;
    bool is_elf;
};

// Read `size` bytes, `window` at a time (0 for the default).
void reading_make(struct reading *reading, const void *bytes, size_t size, size_t window);
void reading_done(struct reading *reading);

// A window that has room for what tells the format, and for little more: with any smaller
// one a text may be of no known format.  0 if only the whole tells.
size_t reading_smallest_window(const void *bytes, size_t size);

// What differs, or NULL.
const char *reading_difference(const struct reading *a, const struct reading *b);

// What a dump may not be whatever the bytes were, or NULL.
const char *reading_flaw(const struct reading *reading);

// Say what is wrong, and abort().
_Noreturn void reading_fail(const struct reading *a, const struct reading *b,
                            const char *what);

#endif
