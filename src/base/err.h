// The bottom layer: everything that all other folders build on, and that knows nothing of
// profiles.  This header says how functions fail: they fill the caller's struct hp_err
// and return its code.
//
// Map of src/base:
//
//   err.h, memory.h    failures; allocation that does not fail, arenas, sorting by a key
//   vec.h, span.h      growable arrays; borrowed pieces of text
//   hash.h, strtab.h   keyed hashing, an open-addressing index, interned strings
//   cursor.h           reading text: remembers the first mismatch
//   varint.h           numbers of few bytes
//   sink.h             writing bytes, remembers the first error; texts that grow
//   utf8.h, units.h    characters of untrusted text; numbers as people read them
//   pattern.h          PCRE2 patterns with limits
//   files.h            opening files whose names come from inputs
//   digest.h, sha256.h, md5.h, packing.h   digests and compression
//   values.h, error.h  counts and estimates of memory; the error of an estimate
//
// Invariants: a struct whose comment says that {0} is empty needs no init function.  A
// struct hp_span never owns its text.  Nothing that is printed depends on a hash.  Read
// vec.h, span.h and memory.h first, then sink.h and cursor.h.
#ifndef HP_BASE_ERR_H
#define HP_BASE_ERR_H

#include "hprof-agg/hprof-agg.h"

// Let the compiler check arguments as printf() does: `fmt` and `args` are the positions,
// from 1 on, of the format and of the first value.
#define HP_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define HP_MUST_CHECK        __attribute__((warn_unused_result))

// Words that are part of messages, and their code, as HP_MESSAGE is for whole messages:
// HP_WORDS("number-cut", "a number is cut").  hp_words() reads them.
#define HP_WORDS(code, words) "\1" code "\0" words

// Return the words, or after hp_show_message_codes() their code.  Other texts, which
// have no code, and NULL are returned as they are.
const char *hp_words(const char *words);

enum {
    HP_CODE_SIZE = 64, // bytes of the longest code, with its NUL
};

// Copy the code of HP_MESSAGE or HP_WORDS, without values: "number-cut"; "" if the text has
// none.
void hp_message_code(char code[HP_CODE_SIZE], const char *message);

// Format a message into an array of `size` bytes, as snprintf() does.
HP_PRINTF(3, 4)
void hp_message_print(char *text, size_t size, const char *format, ...);

// Fill `err` with a formatted message and return `code`: `return hp_fail(err,
// HP_E_FORMAT, HP_MESSAGE("not-expected", "expected %s"), what);`
HP_PRINTF(3, 4)
int hp_fail(struct hp_err *err, enum hp_code code, const char *format, ...);

// Fail with HP_E_IO and store the current errno in err->sys.
HP_PRINTF(2, 3)
int hp_fail_errno(struct hp_err *err, const char *format, ...);

// Record the input and the line that a failure is in, unless an inner function has
// already done so.  Line 0: not known.
void hp_err_locate(struct hp_err *err, const char *where, uint64_t line);

#endif
