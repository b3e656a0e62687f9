// A second reader of all formats that src/input reads, to check the first one.  It is
// slow and obvious: it splits a text into lines and a protobuf message into fields.  It
// shares no code with src/input.
//
//     struct reference reference = {0};
//     reference_read(&reference, bytes, size);     // again and again
//     ... reference.dump, if reference.ret == HP_OK; else reference.err
//     reference_done(&reference);
#ifndef TESTS_FUZZ_REFERENCE_H
#define TESTS_FUZZ_REFERENCE_H

#include "base/err.h"
#include "model/dump.h"

struct reference_line {
    struct hp_span text; // without its newline
    bool has_newline;    // only the last line may have none
};

// The reader, and the result of its last input.
struct reference {
    bool keeps;          // keep labels and the names of threads, as struct hp_reader does
    struct hp_dump dump; // its paths point into the bytes that were read
    struct hp_err err;
    int ret;
    bool is_elf;
    struct hp_span whole;
    HP_VEC(struct reference_line) lines; // numbered from 1
    size_t next;                         // index of the current line, from 0
};

// Read `size` plain bytes; compressed data is not unpacked.
void reference_read(struct reference *reference, const void *bytes, size_t size);
void reference_done(struct reference *reference);

// --- shared by the formats ----------------------------------------------------------------

// Read one format; the current line must be the first of the format.
void reference_read_jemalloc(struct reference *r);
void reference_read_classic(struct reference *r);
void reference_read_names(struct reference *r);
void reference_read_maps(struct reference *r);
void reference_read_pprof(struct reference *r);
void reference_read_folded(struct reference *r);

// Read ClickHouse's lines: "  f: ..." (returns false if it is malformed) and "frag_util:
// ...".
bool reference_read_object(struct reference *r);
void reference_read_slabs(struct reference *r);

// Whether a path has at most 4,096 bytes, and its last component at most 255.
bool reference_is_path(struct hp_span path);
bool reference_is_pprof(struct hp_span bytes);
bool reference_is_folded(const struct reference *r);

// The current line without a carriage return at its end; "" after the last line.
struct hp_span reference_line(const struct reference *r);
bool reference_at_end(const struct reference *r);
bool reference_at_maps(const struct reference *r);
bool reference_at_empty_line(const struct reference *r);

// Record a diagnostic of the current line.
void reference_damaged(struct reference *r, const char *what);
void reference_too_deep(struct reference *r);
void reference_malformed(struct reference *r, const char *what);
void reference_count(const struct reference *r, struct hp_diagnostic_count *found);

// Read the end of a "heap_v2/" or "heap profile:" file: the memory map.  If there is
// none, the file is recorded as damaged by `wrong_without_map`, unless that is NULL.
void reference_read_end(struct reference *r, const char *wrong_without_map);

// --- one line -------------------------------------------------------------------------------

struct reference_scan {
    const char *at, *end;
    const char *wanted; // what was expected and not found; then nothing more is read
    bool too_big, too_deep;
};

struct reference_scan reference_scan_of(struct hp_span line);
bool reference_next_is(const struct reference_scan *s, char byte);
void reference_blanks(struct reference_scan *s);
void reference_need(struct reference_scan *s, const char *text, const char *wanted);
uint64_t reference_decimal(struct reference_scan *s);
struct hp_span reference_rest(const struct reference_scan *s);
uint64_t reference_hex(struct reference_scan *s);
void reference_need_end(struct reference_scan *s);
struct hp_counts reference_counts(struct reference_scan *s);
uint32_t reference_frames(struct reference_scan *s, struct hp_dump *dump);

#endif
