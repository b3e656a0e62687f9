// Fuzz target of all reports.  It reads inputs, may redact them, and writes one report in
// one format.
//
//     REPORT FORMAT LETTERS\n      two names, and options: see reading_of(), report_of()
//     INPUT\n=====\nINPUT ...      four at most; for account the second and third are the
//                                  statistics and smaps, for lifetime with 'p' the second
//                                  is prof_recent
//
// A word that is no name of a report or format chooses one by the sum of its bytes, so
// that every mutation has an effect.  Text output has no character that hp_escape() would
// replace, JSON output is valid and has no repeated key, and a failure has a message of
// one line.
#include "base/vec.h"
#include "hprof-agg/hprof-agg.h"
#include "sym/demangle.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
const char *__wrap_hp_demangle_apart(struct hp_strtab *strings, struct hp_mangled *names,
                                     size_t count, enum hp_sandbox sandbox);

enum {
    MOST = 4,           // inputs at most
    LARGEST = 32 << 20, // bytes of a report at most; writing more fails
};

static const char separator[] = "\n=====\n";
static const struct hp_filter pick_all = {HP_PICK, "."};
static const struct hp_gate gate = {.growth = .05, .is_share = true};

// How to read the inputs and which report to write.
struct fuzz_plan {
    struct hp_report_options report;
    struct hp_read_options reading;
    bool redacts;
};

static _Noreturn void fail(const char *what, const struct fuzz_plan *plan) {
    fprintf(stderr, "%s: %s as %s\n", what, hp_report_name(plan->report.kind),
            plan->report.format);
    abort();
}

// --- options ------------------------------------------------------------------------------

// Return the first word of *line, and remove it and a space from the line.
static struct hp_span take_word(struct hp_span *line) {
    const char *space = memchr(line->at, ' ', line->size);
    size_t size = space ? (size_t)(space - line->at) : line->size;
    struct hp_span word = {line->at, size};
    size += space != NULL;
    *line = (struct hp_span){line->at + size, line->size - size};
    return word;
}

static const char *report_name(size_t i) {
    return hp_report_name((enum hp_report_kind)i);
}

// The number of the name that equals `word`; if there is none, one that depends on the
// bytes.
static size_t choose(struct hp_span word, const char *name_of(size_t i), size_t count) {
    size_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        if (hp_span_equal(word, hp_span_of(name_of(i)))) {
            return i;
        }
    }
    for (size_t i = 0; i < word.size; i++) {
        sum += (unsigned char)word.at[i];
    }
    return sum % count;
}

static bool has(struct hp_span letters, char letter) {
    return letters.size > 0 && memchr(letters.at, letter, letters.size) != NULL;
}

// The granularity whose letter, 'A', 'B', ..., is among `letters`; the first one if none
// is.
static enum hp_granularity by_of(struct hp_span letters) {
    enum hp_granularity by = HP_BY_AGE;
    while (by > HP_BY_FUNCTION && !has(letters, (char)('A' + by))) {
        by--;
    }
    return by;
}

static struct hp_read_options reading_of(struct hp_span letters) {
    return (struct hp_read_options){
        .jobs = 1,
        .sandbox = HP_SANDBOX_OFF,
        .names_inputs = true,
        .keep_damaged = has(letters, 'k'),
        .max_skipped = MOST,
        .count_duplicates = has(letters, 'd'),
        .skip_duplicates = !has(letters, 'd'),
        .keep_unmapped = has(letters, 'u'),
        .time_from = has(letters, 'o') ? "mtime" : NULL,
        .snapshots = has(letters, 'h')   ? HP_SNAPSHOTS_EACH
                     : has(letters, 't') ? HP_SNAPSHOTS_SUM
                                         : HP_SNAPSHOTS_LAST,
    };
}

static struct hp_report_options report_of(struct hp_span letters) {
    return (struct hp_report_options){
        .by = by_of(letters),
        .label = "k",
        .sources.only = true,
        .columns.ages = has(letters, 'y'),
        .text.color = has(letters, 'c'),
        .frames.fold = has(letters, 'a') ? HP_FRAMES_RAW : HP_FRAMES_DEFAULT,
        .gate = has(letters, 'g') ? &gate : NULL,
        .tree.invert = has(letters, 'i'),
        .limit = has(letters, 'n') ? HP_LIMIT_ENOUGH : 0,
        .max_bytes = has(letters, 'b') ? 2000 : 0,
        .metric = has(letters, 'm') ? HP_ALLOC_OBJECTS : HP_INUSE_SPACE,
        .frames.names = has(letters, 'f')   ? HP_NAMES_FULL
                        : has(letters, 's') ? HP_NAMES_SHORT
                                            : HP_NAMES_DEFAULT,
        .pairs = has(letters, 'p'),
        .columns.sizes = has(letters, 'z'),
        .columns.spread = has(letters, 'x'),
        .waste = has(letters, 'q'),
        .text.width = has(letters, 'w') ? 60 : 0,
        .pprof.with_error = has(letters, 'e'),
    };
}

static void plan_make(struct fuzz_plan *plan, struct hp_span line) {
    struct hp_report_options *report = &plan->report;
    struct hp_span kind = take_word(&line), format = take_word(&line);
    *report = report_of(line);
    report->kind = (enum hp_report_kind)choose(kind, report_name, HP_REPORT_KINDS);
    report->format = hp_format_name(choose(format, hp_format_name, hp_format_count()));
    if (!hp_format_fits(report->format, report->kind)) {
        report->format = hp_format_of_kind(report->kind);
    }
    if (hp_report_takes(report->kind) & HP_TAKES_PATTERN) {
        report->filters = &pick_all;
        report->filter_count = 1;
    }
    plan->reading = reading_of(line);
    plan->reading.planned = report;
    plan->reading.planned_count = 1;
    plan->redacts = has(line, 'r');
}

// --- inputs -------------------------------------------------------------------------------

// Files in memory, which are opened by a path like any other file.
static struct {
    int fd;
    char path[32];
} files[MOST];

static void open_files(void) {
    for (int i = 0; i < MOST; i++) {
        files[i].fd = memfd_create("input", 0);
        snprintf(files[i].path, sizeof files[i].path, "/dev/fd/%d", files[i].fd);
    }
}

static void write_file(size_t i, struct hp_span text) {
    if (ftruncate(files[i].fd, 0) != 0 ||
        pwrite(files[i].fd, text.at, text.size, 0) != (ssize_t)text.size) {
        perror(files[i].path);
        abort();
    }
}

// Write each input to a file.  Returns the number of inputs.
static size_t write_files(struct hp_span rest) {
    size_t count = 0, size = sizeof separator - 1;
    const char *end;
    do {
        end = memmem(rest.at, rest.size, separator, size);
        size_t length = end ? (size_t)(end + 1 - rest.at) : rest.size;
        write_file(count++, (struct hp_span){rest.at, length});
        length = end ? length - 1 + size : length;
        rest = (struct hp_span){rest.at + length, rest.size - length};
    } while (end && count < MOST);
    return count;
}

// Read the first `count` files in the roles that the kind of report gives them.
static int read_inputs(struct hp_profile *profile, struct fuzz_plan *plan, size_t count,
                       struct hp_err *err) {
    const char *paths[MOST];
    unsigned takes = hp_report_takes(plan->report.kind);
    for (size_t i = 0; i < MOST; i++) {
        paths[i] = files[i].path;
    }
    if (takes & HP_TAKES_STATS) {
        plan->reading.stats = count > 1 ? paths[1] : NULL;
        plan->reading.smaps = count > 2 ? paths[2] : NULL;
        count = 1;
    } else if (plan->report.kind == HP_REPORT_LIFETIME && plan->report.pairs &&
               count > 1) {
        plan->reading.recent = paths[1];
        count = 1;
    }
    if (takes & HP_TAKES_BASE) { // a single input is compared with itself
        paths[1] = count > 1 ? paths[1] : paths[0];
        count = count > 1 ? count : 2;
        plan->reading.base_count = 1;
    }
    return hp_profile_read(profile, paths, count, &plan->reading, err);
}

// Replaces the child process that demangles: all names stay unchanged.
const char *__wrap_hp_demangle_apart(struct hp_strtab *strings, struct hp_mangled *names,
                                     size_t count, enum hp_sandbox sandbox) {
    (void)strings, (void)sandbox;
    for (size_t i = 0; i < count; i++) {
        names[i].function = names[i].linkage;
    }
    return NULL;
}

// --- output -------------------------------------------------------------------------------

struct report_output {
    HP_VEC(char) text;
};

static int take(void *data, const void *bytes, size_t size) {
    struct report_output *output = data;
    if (output->text.count + size > LARGEST) {
        errno = EFBIG;
        return -1;
    }
    hp_vec_append(&output->text, (const char *)bytes, size);
    return 0;
}

// Whether a terminal can show the text without escaping a character.  A NUL must follow
// it.
static bool is_safe(struct hp_span text) {
    char escaped[1 << 12];
    for (const char *at = text.at, *end = text.at + text.size; at < end;) {
        size_t written, size = strcspn(at, "\n\t");
        size_t read = hp_escape(at, size, escaped, sizeof escaped, &written);
        if (size > 0 ? written != read || memcmp(escaped, at, read) != 0 : *at == '\0') {
            return false;
        }
        at += size > 0 ? read : 1;
    }
    return true;
}

static bool is_json(struct hp_span text) {
    json_t *value =
        json_loadb(text.at, text.size,
                   JSON_ALLOW_NUL | JSON_DECODE_INT_AS_REAL | JSON_REJECT_DUPLICATES,
                   NULL);
    json_decref(value);
    return value != NULL;
}

static void check_output(const struct fuzz_plan *plan, struct report_output *output) {
    bool is_text = !(hp_format_can(plan->report.format) & HP_IS_BINARY);
    hp_vec_push(&output->text, '\0');
    struct hp_span text = {output->text.at, output->text.count - 1};
    if (is_text && !plan->report.text.color && !is_safe(text)) {
        fail("it is not safe for a terminal", plan);
    }
    size_t format =
        choose(hp_span_of(plan->report.format), hp_format_name, hp_format_count());
    if (strstr(hp_format_files(format), ".json") && !is_json(text)) {
        fail("it is no JSON", plan);
    }
}

static void check_failure(const struct fuzz_plan *plan, const struct hp_err *err) {
    if (err->code == HP_OK || err->message[0] == '\0' || strchr(err->message, '\n')) {
        fail("it fails, and does not say why in one line", plan);
    }
}

static void write_report(const struct fuzz_plan *plan, const struct hp_profile *profile) {
    struct hp_err err = {0};
    struct report_output output = {.text = {0}};
    struct hp_view *view = hp_view_new(profile, &plan->report, &err);
    if (view && hp_view_write(view, take, &output, &err) == HP_OK) {
        check_output(plan, &output);
    } else {
        check_failure(plan, &err);
    }
    hp_view_free(view);
    hp_vec_done(&output.text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    struct fuzz_plan plan;
    struct hp_err err = {0};
    struct hp_span rest = {(const char *)bytes, size};
    const char *newline = size > 0 ? memchr(rest.at, '\n', size) : NULL;
    if (!newline) {
        return 0;
    }
    if (files[0].fd == 0) {
        open_files();
    }
    size_t head = (size_t)(newline - rest.at);
    plan_make(&plan, (struct hp_span){rest.at, head});
    size_t count =
        write_files((struct hp_span){rest.at + head + 1, rest.size - head - 1});
    struct hp_profile *profile = hp_profile_new();
    if (read_inputs(profile, &plan, count, &err) != HP_OK) {
        check_failure(&plan, &err);
    } else {
        if (plan.redacts) {
            (void)hp_profile_redact(profile, "0123456789abcdef", 16, &err);
        }
        write_report(&plan, profile);
    }
    hp_profile_free(profile);
    return 0;
}
