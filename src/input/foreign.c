// One table of kinds, which are recognized by their first bytes: a magic number, the
// first key of a JSON object, or a rule. The first row that fits is the kind.
#include "input/foreign.h"

#include "base/cursor.h"
#include "input/input_format.h"
#include "input/input_stream.h"
#include "input/maps.h"
#include "input/protobuf_reader.h"
#include "input/tar.h"

#include <ctype.h>
#include <stdio.h>

enum {
    MOST_SPACES = 16,   // skipped before JSON
    LONGEST_QUOTE = 40, // bytes of the first line of a text that a message quotes
};

// --- rules -----------------------------------------------------------------------------

static bool is_empty(struct hp_span text) {
    return text.size == 0;
}

// A CPU profile of gperftools begins with three words of 64 bits: 0, the number of header
// words after it (3 or more), and version 0.
static bool is_cpu_profile(struct hp_span text) {
    uint64_t word[3];
    if (text.size < sizeof word) {
        return false;
    }
    memcpy(word, text.at, sizeof word);
    return word[0] == 0 && word[1] >= 3 && word[1] < 64 && word[2] == 0;
}

static bool is_packed(struct hp_span text) {
    return hp_input_stream_is_packed(text.at, text.size);
}

// The text without the white space before it.
static struct hp_span trimmed(struct hp_span text) {
    size_t spaces = 0;
    while (spaces < text.size && spaces < MOST_SPACES &&
           isspace((unsigned char)text.at[spaces])) {
        spaces++;
    }
    return hp_span_from(text, spaces);
}

static bool is_json(struct hp_span text) {
    text = trimmed(text);
    return text.size > 0 && (text.at[0] == '{' || text.at[0] == '[');
}

// Whether the text is a JSON object whose first key begins with `key`.
static bool has_first_key(struct hp_span text, const char *key) {
    text = trimmed(text);
    if (text.size == 0 || text.at[0] != '{') {
        return false;
    }
    text = trimmed(hp_span_from(text, 1));
    return text.size > 0 && text.at[0] == '"' &&
           hp_span_starts(hp_span_from(text, 1), key);
}

static bool is_speedscope(struct hp_span text) {
    struct hp_span head = {text.at, text.size < 128 ? text.size : 128};
    return has_first_key(text, "$schema\"") && hp_span_contains(head, "speedscope.app");
}

// A trace is a list of packets, which are field 1. The first has a time (field 8), a user
// (3) or a sequence (10), which are numbers; the first field of a pprof profile, a sample
// type, has only fields 1 and 2.
static bool is_perfetto(struct hp_span text) {
    struct hp_proto trace = hp_proto_over(text);
    struct hp_wire_field packet, field;
    if (!hp_proto_next(&trace, &packet) || packet.number != 1 ||
        packet.type != HP_WIRE_BYTES) {
        return false;
    }
    bool has_origin = false;
    struct hp_proto fields = hp_proto_over(packet.span);
    while (hp_proto_next(&fields, &field)) {
        has_origin |= field.type == HP_WIRE_NUMBER &&
                      (field.number == 3 || field.number == 8 || field.number == 10);
    }
    return has_origin && !fields.wrong;
}

// The first line of a text.
static struct hp_span first_line(struct hp_span text) {
    struct hp_cursor c = hp_cursor_over(text.at, text.at + text.size);
    return hp_cursor_line(&c);
}

// Massif and Cachegrind begin alike; Massif's third line is "time_unit: i".
static bool is_massif(struct hp_span text) {
    struct hp_cursor c = hp_cursor_over(text.at, text.at + text.size);
    hp_cursor_line(&c);
    hp_cursor_line(&c);
    return hp_span_starts(text, "desc: ") && hp_cursor_accept_word(&c, "time_unit: ");
}

// The first line of heaptrack's data has two versions: "v 10400 3".
static bool is_heaptrack(struct hp_span text) {
    struct hp_span line = first_line(text);
    struct hp_cursor c = hp_cursor_over(line.at, line.at + line.size);
    bool has_versions = hp_cursor_accept_word(&c, "v ");
    hp_cursor_hex(&c);
    hp_cursor_expect(&c, ' ', "' '");
    hp_cursor_hex(&c);
    return has_versions && hp_cursor_good(&c) && hp_cursor_at_end(&c);
}

// A line of a perf map is "7fef702c71c0 270 Leak.spin": an address, a size and a name.
static bool is_perf_map(struct hp_span text) {
    struct hp_span line = first_line(text);
    struct hp_cursor c = hp_cursor_over(line.at, line.at + line.size);
    uint64_t start = hp_cursor_hex(&c);
    hp_cursor_expect(&c, ' ', "' '");
    uint64_t size = hp_cursor_hex(&c);
    hp_cursor_expect(&c, ' ', "' '");
    return hp_cursor_good(&c) && start >= 4096 && size > 0 && !hp_cursor_at_end(&c);
}

static bool is_http(struct hp_span text) {
    return hp_span_starts(text, "HTTP/");
}

// A status between 200 and 299, as in "HTTP/1.1 200 OK".
static bool is_http_success(struct hp_span text) {
    struct hp_span line = first_line(text);
    const char *space = is_http(text) ? memchr(line.at, ' ', line.size) : NULL;
    return space && space + 1 < line.at + line.size && space[1] == '2';
}

static bool is_web_page(struct hp_span text) {
    static const char *const starts[] = {"<!DOCTYPE html", "<!doctype html", "<html",
                                         "<HTML"};
    text = trimmed(text);
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        if (hp_span_starts(text, starts[i])) {
            return true;
        }
    }
    return false;
}

// --- kinds -----------------------------------------------------------------------------

#define BYTES(bytes) \
    { (bytes), sizeof(bytes) - 1, }

// A kind of file, and how it is recognized: one of the first three members is set.
static const struct kind {
    struct hp_span starts;           // first bytes
    const char *key;                 // beginning of the first key of a JSON object
    bool (*is)(struct hp_span head); // another rule
    const char *sentence;            // the message
} kinds[] = {
    {.is = is_empty,
     .sentence = HP_WORDS("file-empty",
                          "the file is empty. Its writer may have died, or its disk may "
                          "be full")},
    {.starts = BYTES("JAVA PROFILE"),
     .sentence = HP_WORDS("file-java-hprof",
                          "this is a Java HPROF object dump. Open it with Eclipse MAT or "
                          "VisualVM")},
    {.starts = BYTES("--- heapz "),
     .sentence = HP_WORDS("file-heapz",
                          "this is a profile of the objects of a Java program. Open it "
                          "with pprof")},
    {.is = is_cpu_profile,
     .sentence = HP_WORDS("file-cpu-profile",
                          "this is a CPU profile, not a heap profile. Open it with "
                          "pprof")},
    {.is = is_packed,
     .sentence = HP_WORDS("file-packed-twice",
                          "this is compressed data within compressed data. Unpack it "
                          "once")},
    {.is = hp_tar_is,
     .sentence = HP_WORDS("file-tar", "this is a tar archive. Use --tar=FILE")},
    {.starts = BYTES("PK\3\4"),
     .sentence =
         HP_WORDS("file-zip", "this is a zip archive. Use: unzip -p FILE | hprof-agg -")},
    {.starts = BYTES("\xfd"
                     "7zXZ\0"),
     .sentence = HP_WORDS("file-xz", "this is xz data. Use: xz -dc FILE | hprof-agg -")},
    {.starts = BYTES("BZh"),
     .sentence =
         HP_WORDS("file-bzip2", "this is bzip2 data. Use: bzip2 -dc FILE | hprof-agg -")},
    {.starts = BYTES("\x04\x22\x4d\x18"),
     .sentence = HP_WORDS("file-lz4",
                          "this is LZ4 data. Of memray: memray flamegraph FILE. Else: "
                          "lz4 -dc FILE | hprof-agg -")},
    {.starts = BYTES("memray\0"),
     .sentence = HP_WORDS("file-memray",
                          "this is a memray capture. Draw it with: memray flamegraph "
                          "FILE")},
    {.starts = BYTES("FLR\0"),
     .sentence = HP_WORDS("file-jfr",
                          "this is a Java flight recording. See "
                          "docs/howto/jvm-native-memory.md")},
    {.starts = BYTES("PERFILE2"),
     .sentence = HP_WORDS("file-perf-data",
                          "this is a recording of perf, not a heap profile. Show it "
                          "with: perf report -i FILE")},
    {.is = is_perfetto,
     .sentence = HP_WORDS("file-perfetto",
                          "this is a Perfetto trace. Use: traceconv profile FILE, and "
                          "read the .pb files it writes")},
    {.starts = BYTES("# callgrind format"),
     .sentence = HP_WORDS("file-callgrind",
                          "this is a Callgrind profile. Show it with: "
                          "callgrind_annotate FILE")},
    {.is = is_massif,
     .sentence = HP_WORDS("file-massif",
                          "this is a Massif profile. Show it with: ms_print FILE")},
    {.is = is_heaptrack,
     .sentence = HP_WORDS("file-heaptrack",
                          "this is heaptrack's data. Show it with: heaptrack_print "
                          "FILE")},
    {.starts = BYTES("___ Begin jemalloc statistics"),
     .sentence = HP_WORDS("file-malloc-stats-text",
                          "these are jemalloc's statistics as text. Write them as JSON: "
                          "malloc_stats_print(..., \"J\")")},
    {.key = "jemalloc\"",
     .sentence = HP_WORDS("file-malloc-stats",
                          "these are jemalloc's statistics. Use: hprof-agg account DUMP "
                          "--stats=FILE")},
    {.key = "sample_interval\"",
     .sentence = HP_WORDS("file-prof-recent",
                          "this is jemalloc's prof_recent. Use: hprof-agg lifetime DUMP "
                          "--recent=FILE")},
    {.key = "head\"",
     .sentence = HP_WORDS("file-v8-heapprofile",
                          "this is a heap profile of V8. Open it in Chrome DevTools, "
                          "panel Memory")},
    {.key = "snapshot\"",
     .sentence = HP_WORDS("file-v8-heapsnapshot",
                          "this is a heap snapshot of V8. Open it in Chrome DevTools, "
                          "panel Memory")},
    {.key = "dhatFileVersion\"",
     .sentence = HP_WORDS("file-dhat",
                          "this is a DHAT profile. Open it in Valgrind's dh_view.html")},
    {.is = is_speedscope,
     .sentence = HP_WORDS("file-speedscope",
                          "this is a speedscope profile. Open it at "
                          "https://www.speedscope.app")},
    {.key = "schema\": \"hprof-agg.",
     .sentence = HP_WORDS("file-report",
                          "this is a report of hprof-agg. Use the dumps that it was made "
                          "from")},
    {.is = is_json,
     .sentence = HP_WORDS("file-json",
                          "this is JSON, not a dump. With jemalloc use prof_final:true "
                          "or mallctl(\"prof.dump\")")},
    {.is = is_http_success,
     .sentence = HP_WORDS("file-http-headers",
                          "HTTP headers are before the data. Fetch it again without "
                          "them: curl without -i")},
    {.is = is_http,
     .sentence = HP_WORDS("file-http-error",
                          "this is an HTTP error, not a dump. Check the URL, and whether "
                          "profiling is on")},
    {.is = is_web_page,
     .sentence = HP_WORDS("file-html",
                          "this is a web page, not a dump. Check the URL that it came "
                          "from")},
    {.is = hp_maps_is,
     .sentence = HP_WORDS("file-maps",
                          "this is a memory map. Use it with a dump: --maps=FILE, or "
                          "account --smaps=FILE")},
    {.is = is_perf_map,
     .sentence = HP_WORDS("file-perf-map",
                          "these are names of generated code (perf map). Use the dump of "
                          "its process")},
};

static bool is_of(const struct kind *kind, struct hp_span head) {
    struct hp_span starts = kind->starts;
    return kind->is ? kind->is(head)
           : kind->key
               ? has_first_key(head, kind->key)
               : head.size >= starts.size && memcmp(head.at, starts.at, starts.size) == 0;
}

// --- other files -----------------------------------------------------------------------

// Append `more` to a text in an array of `room` bytes; the result is truncated to fit.
static void append(char *text, size_t room, const char *more) {
    size_t used = strlen(text);
    snprintf(text + used, room - used, "%s", more);
}

// Write the list of all formats that are read: "jemalloc ('heap_v2/'), ... or pprof".
static void list_formats(const struct hp_input_format *const *formats, char *text,
                         size_t room) {
    const char *last = NULL;
    for (size_t i = 0; formats[i]; i++) {
        const char *next = formats[i]->title;
        if (last && next) {
            append(text, room, last);
            append(text, room, ", ");
        }
        last = next ? next : last;
    }
    append(text, room, "or ");
    append(text, room, last);
}

// The beginning of the first line, without its end if it is long; empty if it is not
// printable ASCII.
static struct hp_span quotable(struct hp_span head) {
    struct hp_span line = first_line(head);
    size_t size = line.size < LONGEST_QUOTE ? line.size : LONGEST_QUOTE;
    for (size_t i = 0; i < size; i++) {
        if (line.at[i] < ' ' || line.at[i] > '~') {
            size = 0;
        }
    }
    return (struct hp_span){line.at, size};
}

int hp_foreign_fail(struct hp_span head, const struct hp_input_format *const *formats,
                    struct hp_err *err) {
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (is_of(&kinds[i], head)) {
            bool is_damaged = kinds[i].is == is_empty;
            return hp_fail(err, is_damaged ? HP_E_FORMAT : HP_E_UNSUPPORTED, "%s",
                           hp_words(kinds[i].sentence));
        }
    }
    struct hp_span quote = quotable(head);
    if (quote.size > 0) {
        return hp_fail(err, HP_E_FORMAT,
                       HP_MESSAGE("not-a-profile-but-text",
                                  "not a heap profile, it begins \"%.*s\". Check what "
                                  "wrote it"),
                       (int)quote.size, quote.at);
    }
    char titles[sizeof err->message] = "";
    list_formats(formats, titles, sizeof titles);
    return hp_fail(err, HP_E_FORMAT,
                   HP_MESSAGE("not-a-profile", "not a heap profile of %s"), titles);
}
