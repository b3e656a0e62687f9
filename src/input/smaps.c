// For each mapping the file has the row of /proc/PID/maps, and lines on where its memory
// is (proc_pid_smaps(5)):
//
//     7f00-7f10 rw-p 00000000 00:00 0    [heap]
//     Rss:                 132 kB
//     Pss:                 132 kB
//     Private_Dirty:       132 kB
//     VmFlags: rd wr mr mw me ac
//
// A rollup has one such row, "[rollup]", for all mappings together, and "Anonymous:"
// separates anonymous memory from files.
#include "input/smaps.h"

#include "base/cursor.h"
#include "input/input_stream.h"
#include "input/maps.h"

enum {
    // Bytes of text; 65,530 mappings, the default limit, have a third of that.
    LARGEST = 256 << 20,
};

static const hp_int128 largest_sum = (hp_int128)1 << 56; // largest sum in bytes

// Sums of the lines of one mapping, in bytes.
struct mapping_sums {
    struct hp_mapped mapped;
    // The parts of rss and pss that are anonymous memory.
    hp_int128 anonymous, pss_anonymous;
    bool has_rss; // a line Rss was read
};

// State of reading the text of /proc/PID/smaps.
struct smaps_reader {
    struct hp_kernel_maps *maps; // destination
    struct mapping_sums part;    // sums of the current mapping
    enum hp_mapping_kind kind;   // kind of the current mapping
    bool has_any;                // a mapping was read
    HP_VEC(char) rows;           // rows of the map, without the lines between them
    uint64_t line;               // number of the current line
};

// --- mappings --------------------------------------------------------------------------

// Returns the kind of a mapping (file, heap, stack ...) by its path.
static enum hp_mapping_kind kind_of(struct hp_span path) {
    bool is_shared = hp_span_starts(path, "/memfd:") ||
                     hp_span_starts(path, "/dev/shm/") ||
                     hp_span_starts(path, "/dev/zero") || hp_span_starts(path, "/SYSV") ||
                     hp_span_starts(path, "[anon_shmem");
    return is_shared                                ? HP_MAPPED_SHARED
           : hp_span_starts(path, "/")              ? HP_MAPPED_FILES
           : hp_span_starts(path, "[heap]")         ? HP_MAPPED_HEAP
           : hp_span_is(path, "[stack]")            ? HP_MAPPED_STACK
           : hp_span_starts(path, "[anon:jemalloc") ? HP_MAPPED_JEMALLOC
           : path.size == 0 || hp_span_starts(path, "[anon:") ||
                   hp_span_starts(path, "[stack:")
               ? HP_MAPPED_ANONYMOUS
           : hp_span_starts(path, "[") ? HP_MAPPED_SPECIAL
                                       : HP_MAPPED_FILES;
}

// Parse a row such as "7f00-7f10 rw-p 00000000 00:00 0    [heap]". Returns false if the
// line is no such row.
static bool read_row(struct hp_span line, uint64_t *from, uint64_t *to,
                     struct hp_span *path) {
    struct hp_cursor c = hp_cursor_over(line.at, line.at + line.size);
    *from = hp_cursor_hex(&c);
    hp_cursor_expect(&c, '-', HP_WORDS("smaps-range-expected", "a range"));
    *to = hp_cursor_hex(&c);
    for (int words = 0; words < 4 && hp_cursor_good(&c); words++) {
        hp_cursor_expect(&c, ' ', HP_WORDS("smaps-space-expected", "a space"));
        hp_cursor_spaces(&c);
        const char *word = c.at;
        while (!hp_cursor_at_end(&c) && *c.at != ' ') {
            c.at++;
        }
        if (c.at == word) {
            hp_cursor_fail(&c, HP_WORDS("smaps-word-expected", "a word"));
        }
    }
    hp_cursor_spaces(&c);
    *path = (struct hp_span){c.at, (size_t)(c.end - c.at)};
    return hp_cursor_good(&c) && *from < *to;
}

// Add the sizes of a mapping (rss, pss, private) to those of `to`. Returns false if a sum
// is beyond reason.
static bool add(struct hp_mapped *to, const struct hp_mapped *more) {
    to->rss += more->rss;
    to->pss += more->pss;
    to->private += more->private;
    return to->rss <= largest_sum && to->pss <= largest_sum &&
           to->private <= 2 * largest_sum;
}

// Add the current mapping, if any, to the sums of its kind in r->maps. Fails if the
// mapping has no line Rss, or if a sum is beyond reason.
static int end_part(struct smaps_reader *r, struct hp_err *err) {
    const struct mapping_sums *part = &r->part;
    struct hp_kernel_maps *maps = r->maps;
    if (!r->has_any) {
        return HP_OK;
    }
    if (!part->has_rss) {
        hp_fail(err, HP_E_FORMAT,
                HP_MESSAGE(
                    "smaps-no-rss",
                    "a mapping has no Rss line: this is /proc/PID/maps, or truncated"));
        err->line = r->line;
        return err->code;
    }
    if (!maps->is_rollup) {
        return add(&maps->of[r->kind], &part->mapped)
                   ? HP_OK
                   : hp_fail(err, HP_E_FORMAT,
                             HP_MESSAGE("smaps-too-large",
                                        "mappings larger than any machine"));
    }
    // A rollup does not separate private memory by kind. It is attributed to files, whose
    // private memory is mostly anonymous.
    hp_int128 anonymous =
        part->anonymous < part->mapped.rss ? part->anonymous : part->mapped.rss;
    hp_int128 pss =
        part->pss_anonymous < part->mapped.pss ? part->pss_anonymous : part->mapped.pss;
    maps->of[HP_MAPPED_ANONYMOUS] = (struct hp_mapped){anonymous, pss, 0};
    maps->of[HP_MAPPED_FILES] =
        (struct hp_mapped){part->mapped.rss - anonymous, part->mapped.pss - pss,
                           part->mapped.private};
    return HP_OK;
}

// Add the mapping that was read before to the sums, and begin a new one with the row
// `line`.
static int begin_part(struct smaps_reader *r, struct hp_span line, struct hp_span path,
                      struct hp_err *err) {
    int ret = end_part(r, err);
    if (r->maps->is_rollup) {
        return ret == HP_OK
                   ? hp_fail(err, HP_E_FORMAT,
                             HP_MESSAGE(
                                 "smaps-second-rollup",
                                 "a second rollup begins: the file is of two processes"))
                   : ret;
    }
    r->maps->is_rollup = !r->has_any && hp_span_is(path, "[rollup]");
    r->has_any = true;
    r->part = (struct mapping_sums){.has_rss = false};
    r->kind = kind_of(path);
    hp_vec_append(&r->rows, line.at, line.size);
    hp_vec_append(&r->rows, "\n", 1);
    return ret;
}

// --- lines -----------------------------------------------------------------------------

// Read a line such as "Rss:                 132 kB", and add it to *bytes. Returns false
// if the line has another key; sets *is_bad if its number is invalid or too large.
static bool read_size(struct hp_span line, const char *key, hp_int128 *bytes,
                      bool *is_bad) {
    if (!hp_span_starts(line, key)) {
        return false;
    }
    struct hp_cursor c = hp_cursor_over(line.at + strlen(key), line.at + line.size);
    hp_cursor_spaces(&c);
    hp_int128 size = hp_cursor_decimal(&c);
    hp_cursor_spaces(&c);
    *is_bad |= !hp_cursor_accept_word(&c, "kB") || size > largest_sum >> 10 ||
               *bytes + (size << 10) > largest_sum;
    *bytes += *is_bad ? 0 : size << 10;
    return true;
}

// Read a line with one of the sizes that are summed (Rss, Pss ...). Returns false if the
// line has another key; sets *is_bad if its number is invalid or too large.
static bool take_size(struct smaps_reader *r, struct hp_span line, bool *is_bad) {
    struct hp_mapped *mapped = &r->part.mapped;
    bool is_rss = read_size(line, "Rss:", &mapped->rss, is_bad);
    r->part.has_rss |= is_rss;
    return is_rss || read_size(line, "Pss:", &mapped->pss, is_bad) ||
           read_size(line, "Private_Clean:", &mapped->private, is_bad) ||
           read_size(line, "Private_Dirty:", &mapped->private, is_bad) ||
           read_size(line, "Pss_Anon:", &r->part.pss_anonymous, is_bad) ||
           read_size(line, "Anonymous:", &r->part.anonymous, is_bad) ||
           read_size(line, "AnonHugePages:", &r->maps->huge_pages, is_bad) ||
           read_size(line, "LazyFree:", &r->maps->lazy_free, is_bad) ||
           read_size(line, "Swap:", &r->maps->swap, is_bad);
}

// Whether a line is any other "key: value", such as "VmFlags: rd wr", or one of a later
// kernel.
static bool is_other(struct hp_span line) {
    size_t i = 0;
    while (i < line.size && line.at[i] != ' ' && line.at[i] != ':') {
        i++;
    }
    return i > 0 && i < line.size && line.at[i] == ':';
}

// Read one line: a row of the map, a line with a size, or another "key: value" line,
// which is ignored.
static int take_line(struct smaps_reader *r, struct hp_span line, struct hp_err *err) {
    struct hp_span path;
    uint64_t from, to;
    bool is_bad = false;
    int ret = HP_OK;
    if (read_row(line, &from, &to, &path)) {
        r->maps->from = r->has_any ? r->maps->from : from;
        r->maps->to = to > r->maps->to ? to : r->maps->to;
        ret = begin_part(r, line, path, err);
    } else if (line.size > 0 &&
               (!r->has_any || (!take_size(r, line, &is_bad) && !is_other(line)))) {
        ret = hp_fail(err, HP_E_FORMAT,
                      HP_MESSAGE("smaps-other-line", "not a line of /proc/PID/smaps"));
    }
    if (is_bad) {
        ret = hp_fail(err, HP_E_FORMAT,
                      HP_MESSAGE("smaps-kb-expected", "expected a number of kB"));
    }
    if (ret != HP_OK) {
        err->line = r->line;
    }
    return ret;
}

// Set maps->map, which identifies the process, from the rows of the map, as
// hp_maps_read() does for a dump.
static void identify(struct smaps_reader *r) {
    struct hp_dump dump = {0};
    uint64_t line = 1;
    hp_vec_append(&r->rows, "\0", 1);
    struct hp_cursor c = hp_cursor_over(r->rows.at, r->rows.at + r->rows.count - 1);
    hp_maps_read(&c, &dump, &line);
    r->maps->map = dump.map;
    hp_dump_done(&dump);
}

int hp_smaps_read_bytes(struct hp_kernel_maps *maps, struct hp_span text,
                        struct hp_err *err) {
    struct smaps_reader r = {.maps = maps, .line = 0};
    int ret = HP_OK;
    struct hp_cursor c = hp_cursor_over(text.at, text.at + text.size);
    while (ret == HP_OK && !hp_cursor_at_end(&c)) {
        r.line++;
        ret = take_line(&r, hp_cursor_line(&c), err);
    }
    ret = ret == HP_OK ? end_part(&r, err) : ret;
    if (ret == HP_OK && !r.has_any) {
        ret =
            hp_fail(err, HP_E_FORMAT,
                    HP_MESSAGE("smaps-empty", "not /proc/PID/smaps: it has no mapping"));
    }
    if (ret == HP_OK && !maps->is_rollup) {
        identify(&r);
    }
    hp_vec_done(&r.rows);
    return ret;
}

bool hp_smaps_is(struct hp_span head) {
    struct hp_cursor c = hp_cursor_over(head.at, head.at + head.size);
    struct hp_span path;
    uint64_t from, to;
    return read_row(hp_cursor_line(&c), &from, &to, &path);
}

int hp_smaps_read(struct hp_kernel_maps *maps, const char *path,
                  const struct hp_read_options *options, struct hp_err *err) {
    struct hp_input_stream stream = {.waits = options->wait};
    uint64_t limit = options->max_input_size;
    int ret = hp_input_stream_open(&stream, path, limit > 0 ? limit : LARGEST, err);
    ret = ret == HP_OK ? hp_input_stream_read_on(&stream, err) : ret;
    if (ret == HP_OK) {
        ret = hp_smaps_read_bytes(maps, (struct hp_span){stream.at, stream.size}, err);
    }
    hp_input_stream_done(&stream);
    return ret;
}
