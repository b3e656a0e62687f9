// An input that is read from memory, in windows of any size, and a comparison of two such
// readings.
//
//     struct reading reading = {0};
//     reading_make(&reading, bytes, size, window);
//     ... reading.dump, if reading.ret == HP_OK; else reading.err
//     reading_done(&reading);
#ifndef TESTS_FUZZ_READING_H
#define TESTS_FUZZ_READING_H

#include "input/reader.h"

// The result of reading one input.  {0} is ready for use, and may be used for many
// inputs.
struct reading {
    struct hp_reader reader;
    struct hp_dump dump; // its paths are in the reader's window
    struct hp_err err;
    int ret;
    bool is_elf;
};

// Read `size` bytes in windows of `window` bytes (0: the default size).
void reading_make(struct reading *reading, const void *bytes, size_t size, size_t window);
void reading_done(struct reading *reading);

// Return the size of a window that holds the bytes by which the format is recognized, and
// little more; in a smaller window the format may be unknown.  0 if the format is
// recognized from the whole input only.
size_t reading_smallest_window(const void *bytes, size_t size);

// Return a description of the first difference between two readings, or NULL.
const char *reading_difference(const struct reading *a, const struct reading *b);

// Return the invariant that the dump violates, or NULL; see dumps_flaw().
const char *reading_flaw(const struct reading *reading);

// Print both readings and `what` differs between them, and abort().
_Noreturn void reading_fail(const struct reading *a, const struct reading *b,
                            const char *what);

#endif
