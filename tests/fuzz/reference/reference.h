// A second reader of everything that src/input reads, to judge it: slow and obvious, a text
// split into lines, a protobuf message into fields, without a line of src/input in it.
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
    bool has_newline;    // the last may have none
};

struct reference {
    bool keeps;          // threads with their names, and labels, as struct hp_reader says
    struct hp_dump dump; // its paths are in the bytes that were read
    struct hp_err err;
    int ret;
    bool is_elf;
    struct hp_span whole;
    HP_VEC(struct reference_line) lines; // numbered from 1
    size_t next;                         // the line at hand, from 0
};

// Plain bytes: whoever unpacks them is somebody else.
void reference_read(struct reference *reference, const void *bytes, size_t size);
void reference_done(struct reference *reference);

// --- what the formats share ---------------------------------------------------------------

// Each begins at the line at hand, the first of the format.
void reference_read_jemalloc(struct reference *r);
void reference_read_classic(struct reference *r);
void reference_read_names(struct reference *r);
void reference_read_maps(struct reference *r);
void reference_read_pprof(struct reference *r);

// A line "  f: ...", false if it is wrong; a line "frag_util: ...".
bool reference_read_object(struct reference *r);
void reference_read_slabs(struct reference *r);

// At most 4,096 bytes, 255 of them behind the last '/'.
bool reference_is_path(struct hp_span path);
bool reference_is_pprof(struct hp_span bytes);

// The line at hand, without carriage return at its end; "" behind the last.
struct hp_span reference_line(const struct reference *r);
bool reference_at_end(const struct reference *r);
bool reference_at_maps(const struct reference *r);
bool reference_at_empty_line(const struct reference *r);

// Of the line at hand.
void reference_damaged(struct reference *r, const char *what);
void reference_too_deep(struct reference *r);
void reference_malformed(struct reference *r, const char *what);
void reference_count(const struct reference *r, struct hp_diagnostic_count *found);

// What a "heap_v2/" or "heap profile:" file ends with: a map, or none.
void reference_read_end(struct reference *r, const char *wrong_without_map);

// --- one line -------------------------------------------------------------------------------

struct reference_scan {
    const char *at, *end;
    const char *wanted; // and not found; nothing is read from then on
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
