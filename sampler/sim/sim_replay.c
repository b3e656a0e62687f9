// The command `replay`: read sampled objects, and write the dump that jemalloc would have
// written.  There are two kinds of lines:
//
//     thread 3 running worker 0           a thread; its name may be absent; or `ended`
//     3 4096 live 0x7fc9268a2630 0x55...  thread 3 sampled an object of 4096 bytes, alive
//     3 4096 freed 0x7fc9268a2630 0x55... or freed since; usable size; stack leaf first
//
// Threads without a line of the first kind have ended.
#include "core/heapfile.h"
#include "core/ledger.h"
#include "sim/resize.h"
#include "sim/sim.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    MAX_THREADS = 1 << 20,
    MAX_DEPTH = 1 << 16,
};

static const char no_memory[] = "out of memory";

// The functions that follow read a part of a line.  Each returns NULL, or the text of an
// error.

// Read a number up to `limit`; `wrong` is the error.
static const char *read_number(const char *word, int base, uint64_t limit,
                               const char *wrong, uint64_t *number) {
    char *end;
    errno = 0;
    *number = word ? strtoull(word, &end, base) : 0;
    return word && isxdigit((unsigned char)*word) && *end == '\0' && errno == 0 &&
                   *number <= limit
               ? NULL
               : wrong;
}

// Read the number of a thread; add threads up to that number.
static const char *read_thread(struct hps_ledger *ledger, const char *word,
                               struct hps_ledger_thread **thread) {
    uint64_t uid;
    const char *wrong =
        read_number(word, 10, MAX_THREADS - 1, "expected the number of a thread", &uid);
    while (!wrong && ledger->thread_count <= uid) {
        struct hps_ledger_thread *unknown = hps_ledger_new_thread(ledger, "");
        if (unknown) {
            unknown->ended = true;
        } else {
            wrong = no_memory;
        }
    }
    *thread = wrong ? NULL : ledger->threads[uid];
    return wrong;
}

// Read one of two words; *chosen is true if it is the first.
static const char *read_choice(const char *word, const char *yes, const char *no,
                               const char *wrong, bool *chosen) {
    *chosen = word && strcmp(word, yes) == 0;
    return *chosen || (word && strcmp(word, no) == 0) ? NULL : wrong;
}

// Read addresses up to the end of the line.
static const char *read_stack(char *text, uintptr_t *frames, uint32_t *depth) {
    const char *wrong = NULL;
    *depth = 0;
    for (char *word; !wrong && (word = strsep(&text, " "));) {
        uint64_t frame;
        wrong = *depth == MAX_DEPTH
                    ? "too many frames"
                    : read_number(word, 16, UINTPTR_MAX, "expected an address", &frame);
        if (!wrong) {
            frames[(*depth)++] = (uintptr_t)frame;
        }
    }
    return wrong;
}

// --- lines --------------------------------------------------------------------------

// Read the rest of a line that begins with "thread".
static const char *replay_thread(struct hps_ledger *ledger, char *text) {
    struct hps_ledger_thread *thread;
    bool runs;
    const char *wrong = read_thread(ledger, strsep(&text, " "), &thread);
    if (!wrong) {
        wrong = read_choice(strsep(&text, " "), "running", "ended",
                            "expected running or ended", &runs);
    }
    if (wrong) {
        return wrong;
    }
    thread->ended = !runs;
    size_t size = text ? strlen(text) + 1 : 0;
    char *name = size > 0 ? hps_pool_take(&ledger->pool, size) : NULL;
    if (name) {
        thread->name = memcpy(name, text, size);
    }
    return size > 0 && !name ? no_memory : NULL;
}

// Read a line with an object, and enter it into the ledger.
static const char *replay_object(struct hps_ledger *ledger, char *text,
                                 uintptr_t *frames) {
    struct hps_ledger_thread *thread;
    uint64_t usize;
    bool live;
    uint32_t depth;
    const char *wrong;
    if ((wrong = read_thread(ledger, strsep(&text, " "), &thread)) ||
        (wrong = read_number(strsep(&text, " "), 10, INT64_MAX,
                             "expected the size of an object", &usize)) ||
        (wrong = read_choice(strsep(&text, " "), "live", "freed",
                             "expected live or freed", &live)) ||
        (wrong = read_stack(text, frames, &depth))) {
        return wrong;
    }
    struct hps_ledger_line *line = hps_ledger_line(ledger, thread, frames, depth);
    if (!line) {
        return no_memory;
    }
    hps_ledger_add(ledger, line, usize);
    if (!live) {
        hps_ledger_remove(ledger, line, usize);
    }
    return NULL;
}

// --- the command -----------------------------------------------------------------------

// Read all lines.  Returns the exit status; errors are printed with the number of the
// line.
static int replay_file(struct hps_ledger *ledger, FILE *file, const char *path) {
    uintptr_t *frames = hps_resize(NULL, MAX_DEPTH * sizeof *frames);
    const char *wrong = NULL;
    char *line = NULL;
    size_t room = 0, number = 0;
    for (ssize_t length; !wrong && (length = getline(&line, &room, file)) > 0; number++) {
        line[strcspn(line, "\n")] = '\0';
        static const char thread[] = "thread ";
        size_t skip = sizeof thread - 1;
        wrong = strncmp(line, thread, skip) == 0 ? replay_thread(ledger, line + skip)
                                                 : replay_object(ledger, line, frames);
    }
    bool failed = ferror(file);
    free(line);
    free(frames);
    return wrong    ? hps_sim_fail("%s:%zu: %s", path, number, wrong)
           : failed ? hps_sim_fail("cannot read %s", path)
                    : 0;
}

// Write the dump to standard output.  Returns the exit status.
static int write_dump(const struct hps_ledger *ledger,
                      struct hps_heapfile_options options) {
    struct hps_textfile file;
    hps_textfile_init(&file, STDOUT_FILENO);
    int error = hps_heapfile_write(&file, ledger, options);
    hps_heapfile_begin_map(&file);
    error = error ? error : hps_textfile_flush(&file);
    return error ? hps_sim_fail("cannot write the dump: %s", strerror(error)) : 0;
}

int hps_sim_replay(char **arguments) {
    uint64_t period = 0;
    bool raw = false, accum = false;
    const struct hps_sim_option options[] = {
        {"period", HPS_SIM_NUMBER, &period, "mean bytes between samples; needed"},
        {"raw", HPS_SIM_FLAG, &raw, "numbers as with prof_unbias:false"},
        {"accum", HPS_SIM_FLAG, &accum, "tell of freed objects, as with prof_accum:true"},
        {0},
    };
    hps_sim_parse(arguments, "replay --period=N [--raw] [--accum] [FILE]", options);
    if (period == 0 || (arguments[0] && arguments[1])) {
        return hps_sim_fail("replay takes --period=N, at least 1, and at most one file");
    }
    const char *path = arguments[0] ? arguments[0] : "standard input";
    FILE *file = arguments[0] ? fopen(path, "r") : stdin;
    if (!file) {
        return hps_sim_fail("cannot open %s: %s", path, strerror(errno));
    }
    struct hps_ledger ledger;
    hps_ledger_init(&ledger, period);
    int status = replay_file(&ledger, file, path);
    if (status == 0) {
        status = write_dump(&ledger, (struct hps_heapfile_options){.unbias = !raw,
                                                                   .accum = accum});
    }
    hps_ledger_done(&ledger);
    if (file != stdin) {
        fclose(file);
    }
    return status;
}
