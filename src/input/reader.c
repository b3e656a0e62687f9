#include "input/reader.h"

#include "input/classic.h"
#include "input/jemalloc.h"
#include "input/pprof_reader.h"
#include "input/symbols.h"
#include "input/tar.h"

#include <string.h>

// --- formats ------------------------------------------------------------------------------

static bool is_cpu_profile(struct hp_span text) {
    uint64_t word[3];
    if (text.size < sizeof word) {
        return false;
    }
    memcpy(word, text.at, sizeof word);
    return word[0] == 0 && word[1] >= 3 && word[1] < 64 && word[2] == 0;
}

static bool is_json(struct hp_span text) {
    static const size_t most_spaces = 16; // so few that any window holds them
    size_t i = 0;
    while (i < text.size && i < most_spaces &&
           (text.at[i] == ' ' || (text.at[i] >= '\t' && text.at[i] <= '\r'))) {
        i++;
    }
    return i < text.size && (text.at[i] == '{' || text.at[i] == '[');
}

static bool starts_with_java(struct hp_span text) {
    return hp_span_starts(text, "JAVA PROFILE");
}

static bool starts_with_heapz(struct hp_span text) {
    return hp_span_starts(text, "--- heapz ");
}

static bool is_packed(struct hp_span text) {
    return hp_input_stream_is_packed(text.at, text.size);
}

static bool is_empty(struct hp_span text) {
    return text.size == 0;
}

static const struct {
    bool (*is)(struct hp_span text);
    const char *sentence;
} known[] = {
    {is_empty,
     "the file is empty: the program that wrote it may have died, or its disk "
     "may be full"},
    {starts_with_java,
     "this is a Java HPROF object dump, not a sampled native heap "
     "profile: open it with Eclipse MAT or VisualVM"},
    {starts_with_heapz,
     "this is a profile of the objects of a Java program: open it with pprof"},
    {is_cpu_profile, "this is a CPU profile, not a heap profile: open it with pprof"},
    {is_packed, "this is compressed data within compressed data: unpack it once"},
    {hp_tar_is, "this is a tar archive: give it as --tar=FILE"},
    {is_json,
     "this is JSON, perhaps jemalloc's prof_log or prof_recent: make a heap dump "
     "with prof_final:true or mallctl(\"prof.dump\")"},
};

enum hp_format hp_format_of(struct hp_span text) {
    if (hp_jemalloc_is(text)) {
        return HP_FORMAT_JEMALLOC;
    }
    if (hp_classic_is(text)) {
        return HP_FORMAT_CLASSIC;
    }
    if (hp_symbols_is(text)) {
        return HP_FORMAT_SYMBOLS;
    }
    if (hp_pprof_is(text)) {
        return HP_FORMAT_PPROF;
    }
    return hp_span_starts(text, "\177ELF") ? HP_FORMAT_ELF : HP_FORMAT_OTHER;
}

// Fail with one sentence that says what a HP_FORMAT_OTHER text is and what to do.
static int refuse(struct hp_span text, struct hp_err *err) {
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (known[i].is(text)) {
            return hp_fail(err, HP_E_UNSUPPORTED, "%s", known[i].sentence);
        }
    }
    return hp_fail(err, HP_E_FORMAT,
                   "not a heap profile: none of jemalloc ('heap_v2/'), none that begins "
                   "with 'heap profile:', and no pprof protobuf");
}

// --- reading ------------------------------------------------------------------------------

void hp_reader_done(struct hp_reader *reader) {
    hp_input_stream_done(&reader->stream);
    hp_stack_lines_done(&reader->lines);
}

static struct hp_span rest_of(const struct hp_scan *scan) {
    return (struct hp_span){scan->c.at, (size_t)(scan->c.end - scan->c.at)};
}

static int read_open(struct hp_reader *reader, struct hp_dump *dump, struct hp_err *err) {
    struct hp_scan scan;
    int ret = HP_OK;
    hp_scan_init(&scan, &reader->stream, &reader->lines, dump);
    scan.digests = !reader->single;
    scan.keeps_threads = reader->keeps_threads;
    enum hp_format format = hp_format_of(rest_of(&scan));
    if (format == HP_FORMAT_SYMBOLS) {
        ret = hp_symbols_read(&scan, err);
        format = hp_format_of(rest_of(&scan));
        bool is_text = format == HP_FORMAT_JEMALLOC || format == HP_FORMAT_CLASSIC;
        format = is_text ? format : HP_FORMAT_OTHER;
    }
    if (ret != HP_OK) {
        return ret;
    }
    switch (format) {
    case HP_FORMAT_JEMALLOC:
        return hp_scan_read(&scan, &hp_jemalloc_grammar, err);
    case HP_FORMAT_CLASSIC:
        return hp_scan_read(&scan, &hp_classic_grammar, err);
    case HP_FORMAT_PPROF:
        return hp_pprof_read(&reader->stream, reader->keeps_labels, dump, err);
    case HP_FORMAT_ELF:
        reader->is_elf = true;
        return HP_OK;
    case HP_FORMAT_SYMBOLS:
    case HP_FORMAT_OTHER:
        break;
    }
    return refuse(rest_of(&scan), err);
}

// What came out of damaged compressed data is a text that was cut; a message that was cut is
// nothing.
static int settle_fault(const struct hp_reader *reader, int ret, struct hp_dump *dump,
                        struct hp_err *err) {
    if (reader->stream.fault.code == HP_OK) {
        return ret;
    }
    if (ret != HP_OK || reader->is_elf || hp_producer_is_pprof(dump->producer)) {
        *err = reader->stream.fault;
        return err->code;
    }
    dump->cut = reader->stream.fault;
    dump->cut.line = dump->damage.what ? dump->damage.line : dump->lines;
    return HP_OK;
}

// The text has just been opened, and `ret` is what came of it.  *has_changed tells that
// somebody wrote to the file meanwhile.
static int read_opened(struct hp_reader *reader, int ret, struct hp_dump *dump,
                       bool *has_changed, struct hp_err *err) {
    hp_dump_clear(dump);
    reader->is_elf = false;
    if (ret == HP_OK) {
        ret = read_open(reader, dump, err);
        hp_dump_settle_told(dump);
        ret = settle_fault(reader, ret, dump, err);
    }
    *has_changed = hp_input_stream_has_changed(&reader->stream);
    hp_input_stream_close(&reader->stream);
    return ret;
}

static int read_once(struct hp_reader *reader, const char *path, struct hp_dump *dump,
                     bool *has_changed, struct hp_err *err) {
    reader->stream.ends_at_fault = true;
    int ret = hp_input_stream_open(&reader->stream, path, reader->limit, err);
    return read_opened(reader, ret, dump, has_changed, err);
}

int hp_reader_read(struct hp_reader *reader, const char *path, struct hp_dump *dump,
                   bool *is_elf, struct hp_err *err) {
    bool has_changed, is_stdin = strcmp(path, "-") == 0;
    int ret = read_once(reader, path, dump, &has_changed, err);
    if (has_changed && !is_stdin) { // written to its end by now, perhaps
        ret = read_once(reader, path, dump, &has_changed, err);
    }
    *is_elf = reader->is_elf;
    return !has_changed ? ret
                        : hp_fail(err, HP_E_FORMAT,
                                  "somebody writes to the file while it is read");
}

int hp_reader_read_bytes(struct hp_reader *reader, struct hp_span bytes,
                         struct hp_dump *dump, bool *is_elf, struct hp_err *err) {
    bool never;
    reader->stream.ends_at_fault = true;
    int ret = hp_input_stream_open_bytes(&reader->stream, bytes, reader->limit, err);
    ret = read_opened(reader, ret, dump, &never, err);
    *is_elf = reader->is_elf;
    return ret;
}

// --- names of files -----------------------------------------------------------------------

// The last four dot-separated parts are <pid> <seq> <kind><n> "heap", perhaps with ".gz" or ".zst".
uint64_t hp_reader_pid(const char *path, size_t *process_size) {
    struct hp_span name = hp_span_basename(hp_span_of(path));
    if (hp_span_ends(name, ".gz") || hp_span_ends(name, ".zst")) {
        name.size -= hp_span_ends(name, ".gz") ? 3 : 4;
    }
    if (!hp_span_ends(name, ".heap")) {
        return 0;
    }
    size_t end = name.size - 5;
    for (int part = 0; part < 2; part++) { // back over <kind><n> and <seq>
        while (end > 0 && name.at[end - 1] != '.') {
            end--;
        }
        end -= end > 0;
    }
    size_t start = end;
    while (start > 0 && name.at[start - 1] >= '0' && name.at[start - 1] <= '9') {
        start--;
    }
    if (start == end || start == 0 || name.at[start - 1] != '.') {
        return 0;
    }
    *process_size = (size_t)(name.at + end - path);
    struct hp_cursor c = hp_cursor_over(name.at + start, name.at + end);
    return hp_cursor_decimal(&c);
}
