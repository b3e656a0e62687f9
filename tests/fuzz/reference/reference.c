// Recognizes the format of an input, and reads the lines before and after the stacks.
#include "reference.h"

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

static bool is_json(struct hp_span text) {
    size_t i = 0;
    while (i < 16 && i < text.size && text.at[i] && strchr(" \t\r\n\v\f", text.at[i])) {
        i++;
    }
    return i < text.size && (text.at[i] == '{' || text.at[i] == '[');
}

// Whether the input begins with a tar header whose checksum is right: the sum of all its
// bytes, with spaces instead of the checksum itself, written as an octal number.
static bool is_tar(struct hp_span text) {
    uint64_t sum = 0, written_sum = 0;
    int64_t signed_sum = 0;
    if (text.size < 512 || memcmp(text.at + 257, "ustar", 5) != 0) {
        return false;
    }
    for (int i = 0; i < 512; i++) {
        char byte = i >= 148 && i < 156 ? ' ' : text.at[i];
        sum += (unsigned char)byte;
        signed_sum += (signed char)byte;
    }
    int i = 148;
    if ((unsigned char)text.at[i] == 0x80) { // or as a binary number
        for (i = 149; i < 156; i++) {
            written_sum = written_sum * 256 + (unsigned char)text.at[i];
        }
        return written_sum == sum || written_sum == (uint64_t)signed_sum;
    }
    while (i < 156 && text.at[i] == ' ') {
        i++;
    }
    for (; i < 156 && text.at[i] >= '0' && text.at[i] <= '7'; i++) {
        written_sum = written_sum * 8 + (uint64_t)(text.at[i] - '0');
    }
    bool is_number = i == 156 || text.at[i] == ' ' || text.at[i] == '\0';
    return is_number && (written_sum == sum || written_sum == (uint64_t)signed_sum);
}

// Whether the text is gzip or zstd, or begins with a skippable frame (0x184d2a50 to
// 0x184d2a5f), which may precede zstd.
static bool is_packed(struct hp_span text) {
    return hp_span_starts(text, "\x1f\x8b") || hp_span_starts(text, "\x28\xb5\x2f\xfd") ||
           (text.size >= 4 && (unsigned char)text.at[0] >> 4 == 5 &&
            hp_span_starts(hp_span_from(text, 1), "\x2a\x4d\x18"));
}

static bool is_cpu_profile(struct hp_span text) {
    uint64_t word[3];
    if (text.size < sizeof word) {
        return false;
    }
    memcpy(word, text.at, sizeof word);
    return word[0] == 0 && word[1] >= 3 && word[1] < 64 && word[2] == 0;
}

// Fail with a message that names the kind of file, if it is known.
static void refuse(struct reference *r) {
    struct hp_span rest = rest_of(r);
    const char *sentence =
        rest.size == 0
            ? "the file is empty: the program that wrote it may have died, or its "
              "disk may be full"
        : hp_span_starts(rest, "JAVA PROFILE")
            ? "this is a Java HPROF object dump, not a sampled native heap profile: open it "
              "with Eclipse MAT or VisualVM"
        : hp_span_starts(rest, "--- heapz ")
            ? "this is a profile of the objects of a Java program: open it with pprof"
        : is_cpu_profile(rest)
            ? "this is a CPU profile, not a heap profile: open it with pprof"
        : is_packed(rest)
            ? "this is compressed data within compressed data: unpack it once"
        : is_tar(rest) ? "this is a tar archive: give it as --tar=FILE"
        : is_json(rest)
            ? "this is JSON, perhaps jemalloc's prof_log or prof_recent: make a heap dump "
              "with prof_final:true or mallctl(\"prof.dump\")"
            : NULL;
    enum hp_code code =
        rest.size == 0 ? HP_E_FORMAT : HP_E_UNSUPPORTED; // empty: truncated
    r->ret = sentence
                 ? hp_fail(&r->err, code, "%s", sentence)
                 : hp_fail(&r->err, HP_E_FORMAT,
                           "not a heap profile: none of jemalloc ('heap_v2/'), none "
                           "that begins with 'heap profile:', and no pprof protobuf");
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
    } else if (reference_is_pprof(r->whole)) {
        reference_read_pprof(r);
    } else if (hp_span_starts(r->whole, "\177ELF")) {
        r->is_elf = true;
    } else if (hp_span_starts(r->whole, "\x89HPA\r\n\x1a\n")) {
        r->ret = hp_fail(&r->err, HP_E_UNSUPPORTED, "this is a partial, and no dump");
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
