// Recognizes the format of an input, and reads the lines before and after the stacks.
#include "reference.h"

#include "input/foreign.h"
#include "input/input_format.h"

#include <stdio.h>
#include <string.h>

void reference_done(struct reference *r) {
    hp_dump_done(&r->dump);
    hp_vec_done(&r->lines);
}

// Split the input into lines.
static void split(struct reference *r) {
    const char *at = r->whole.at, *end = at + r->whole.size;
    r->lines.count = 0;
    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *stop = newline ? newline : end;
        struct reference_line line = {{at, (size_t)(stop - at)}, newline != NULL};
        hp_vec_push(&r->lines, line);
        at = newline ? newline + 1 : end;
    }
}

// --- the current line -----------------------------------------------------------------------

bool reference_at_end(const struct reference *r) {
    return r->next == r->lines.count;
}

struct hp_span reference_line(const struct reference *r) {
    struct hp_span line = {"", 0};
    if (!reference_at_end(r)) {
        line = r->lines.at[r->next].text;
    }
    line.size -= hp_span_ends(line, "\r");
    return line;
}

bool reference_at_maps(const struct reference *r) {
    struct hp_span line = reference_line(r);
    return hp_span_starts(line, "MAPPED_LIBRARIES:") ||
           hp_span_starts(line, "--- Memory map:");
}

bool reference_at_empty_line(const struct reference *r) {
    return reference_line(r).size == 0 && r->lines.at[r->next].has_newline;
}

void reference_damaged(struct reference *r, const char *what) {
    if (!r->dump.damage.what) {
        r->dump.damage = (struct hp_diagnostic){what, r->next + 1};
    }
}

void reference_too_deep(struct reference *r) {
    r->ret = hp_fail(&r->err, HP_E_LIMIT, "a stack of more than 65,536 frames");
    r->err.line = r->next + 1;
}

void reference_malformed(struct reference *r, const char *what) {
    if (r->dump.malformed.count == 0) {
        r->dump.malformed.line = r->next + 1;
        r->dump.expected = what;
    }
    r->dump.malformed.count++;
}

void reference_count(const struct reference *r, struct hp_diagnostic_count *found) {
    if (found->count++ == 0) {
        found->line = r->next + 1;
    }
}

// --- the end ----------------------------------------------------------------------------------

void reference_read_end(struct reference *r, const char *wrong_without_map) {
    bool has_map = !reference_at_end(r);
    if (has_map) {
        r->next++;
        reference_read_maps(r);
    }
    r->dump.lines = r->next;
    r->next = r->lines.count;
    if (!r->lines.at[r->lines.count - 1].has_newline) {
        r->next--;
        reference_damaged(r, "the file ends in the middle of a line");
    }
    if (!has_map && wrong_without_map) {
        reference_damaged(r, wrong_without_map);
    }
}

// --- which format ------------------------------------------------------------------------------

// The input from the current line on.
static struct hp_span rest_of(const struct reference *r) {
    const char *end = r->whole.at + r->whole.size;
    const char *at = reference_at_end(r) ? end : r->lines.at[r->next].text.at;
    return (struct hp_span){at, (size_t)(end - at)};
}

static bool is_preamble(struct hp_span line) {
    return hp_span_starts(line, "%") || hp_span_starts(line, "<jemalloc>") ||
           hp_span_starts(line, "--- heap") || hp_span_starts(line, "--- growth");
}

// Fail for a file of no known format. Which kind of foreign file it is does not depend on
// how dumps are read: tests/unit/test_foreign.c tests that.
static void refuse(struct reference *r) {
    r->ret = hp_foreign_fail(rest_of(r), hp_input_formats, &r->err);
}

// Keep the text of a line "%warn text".  Several texts are joined by spaces, and
// truncated where there is no room.
static void keep_producer_warning(struct reference *r, struct hp_span line) {
    char *warning = r->dump.producer_warning;
    size_t size = strlen(warning), i = strlen("%warn ");
    if (!hp_span_starts(line, "%warn ")) {
        return;
    }
    if (size == 0) {
        r->dump.producer_warning_line = r->next + 1;
    } else if (size < HP_PRODUCER_WARNING_SIZE - 1) {
        warning[size++] = ' ';
    }
    while (i < line.size && (line.at[i] == ' ' || line.at[i] == '\t')) {
        i++;
    }
    for (; i < line.size && line.at[i] && size < HP_PRODUCER_WARNING_SIZE - 1; i++) {
        warning[size++] = line.at[i];
    }
}

// Read a dump in text form from the current line on.  Returns false, with the current
// line unchanged, if there is none.
static bool read_dump(struct reference *r) {
    size_t first = r->next;
    for (; is_preamble(reference_line(r)); r->next++) {
        keep_producer_warning(r, reference_line(r));
    }
    if (hp_span_starts(reference_line(r), "heap_v2/")) {
        reference_read_jemalloc(r);
    } else if (hp_span_starts(reference_line(r), "heap profile:")) {
        reference_read_classic(r);
    } else {
        r->next = first;
        return false;
    }
    return true;
}

static void read_any(struct reference *r) {
    if (read_dump(r)) {
        return;
    }
    if (hp_span_starts(r->whole, "--- symbol")) {
        reference_read_names(r);
        if (r->ret == HP_OK && !read_dump(r)) {
            refuse(r);
        }
    } else if (reference_is_folded(r)) {
        reference_read_folded(r);
    } else if (reference_is_pprof(r->whole)) {
        reference_read_pprof(r);
    } else if (hp_span_starts(r->whole, "\177ELF")) {
        r->is_elf = true;
    } else if (hp_span_starts(r->whole, "\x89HPA\r\n\x1a\n")) {
        r->ret =
            hp_fail(&r->err, HP_E_UNSUPPORTED, "this is an aggregate file, not a dump");
    } else {
        refuse(r);
    }
}

void reference_read(struct reference *r, const void *bytes, size_t size) {
    hp_dump_clear(&r->dump);
    r->whole = (struct hp_span){bytes, size};
    r->err = (struct hp_err){0};
    r->ret = HP_OK;
    r->is_elf = false;
    r->next = 0;
    split(r);
    read_any(r);
    if (!r->is_elf) {
        r->dump.bytes = size;
    }
    hp_dump_settle_embedded(&r->dump);
}
