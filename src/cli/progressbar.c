// Lines like: reading 123/1,000 inputs · 512 MB/s · 1,234,567 stacks · 12 s left
#include "cli/progressbar.h"

#include "cli/terminal.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define FIRST_DRAWN_AFTER 0.5 // seconds from the start of the run
#define REDRAWN_EVERY     0.1 // seconds between lines on a terminal
#define PRINTED_EVERY     1.0 // seconds between lines elsewhere

#define LINE_MAX_BYTES 512

// State of the progress line: `started` is the start of the run, `phase_started` of the
// phase.
static struct {
    bool enabled, terminal;
    double started, phase_started, drawn; // seconds of CLOCK_MONOTONIC
    char phase[32];
} bar;

// The line is on the terminal and has to be erased before other text.
static volatile sig_atomic_t visible;

// A line under construction; parts are appended as long as they fit.
struct progress_line {
    char text[LINE_MAX_BYTES];
    size_t size, columns, columns_max; // bytes and columns used, and columns available
};

// Seconds of the monotonic clock.
static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void put(const char *bytes, size_t size) {
    // A lost progress line is no reason to stop the run.
    if (write(STDERR_FILENO, bytes, size) < 0) {
        return;
    }
}

// Append a part after a separator; omit it if the line has no room.
static void append(struct progress_line *line, const char *part) {
    static const char separator[] = " · ";
    size_t lead = line->size > 0 ? sizeof separator - 1 : 0;
    size_t columns = strlen(part) + (lead > 0 ? 3 : 0);
    if (line->columns + columns > line->columns_max ||
        line->size + lead + strlen(part) + 8 > sizeof line->text) {
        return;
    }
    memcpy(line->text + line->size, separator, lead);
    memcpy(line->text + line->size + lead, part, strlen(part));
    line->size += lead + strlen(part);
    line->columns += columns;
}

// Format 1234567 as "1,234,567" in `out`, which has room for 27 bytes.
static const char *grouped(uint64_t number, char *out) {
    char digits[21];
    int count = snprintf(digits, sizeof digits, "%" PRIu64, number);
    size_t used = 0;
    for (int i = 0; i < count; i++) {
        if (i > 0 && (count - i) % 3 == 0) {
            out[used++] = ',';
        }
        out[used++] = digits[i];
    }
    out[used] = '\0';
    return out;
}

// Append the remaining time with a suitable unit.
static void append_time_left(struct progress_line *line, double seconds) {
    char part[64];
    if (seconds < 100) {
        snprintf(part, sizeof part, "%.0f s left", seconds);
    } else if (seconds < 100 * 60) {
        snprintf(part, sizeof part, "%.0f min left", seconds / 60);
    } else {
        snprintf(part, sizeof part, "%.0f h left", seconds / 3600);
    }
    append(line, part);
}

// Build the line; `elapsed` is the number of seconds since the phase began, from which
// speed and remaining time are computed.
static void compose(struct progress_line *line, const struct hp_progress *progress,
                    double elapsed) {
    char part[128], done[27], total[27];
    bool reading = strcmp(progress->phase, "reading") == 0;
    snprintf(part, sizeof part, "%s %s/%s%s", progress->phase,
             grouped(progress->done, done), grouped(progress->total, total),
             reading ? " inputs" : "");
    append(line, part);
    if (progress->bytes > 0 && elapsed > 0) {
        snprintf(part, sizeof part, "%.0f MB/s", (double)progress->bytes / elapsed / 1e6);
        append(line, part);
    }
    if (progress->stacks > 0) {
        snprintf(part, sizeof part, "%s stacks", grouped(progress->stacks, done));
        append(line, part);
    }
    if (progress->done > 0 && progress->done <= progress->total) {
        double left = (double)(progress->total - progress->done);
        append_time_left(line, elapsed * left / (double)progress->done);
    }
}

// Build and write the line.
static void draw(const struct hp_progress *progress, double elapsed) {
    // The last column stays empty: some terminals wrap after it is written.
    struct progress_line line = {.columns_max = hp_cli_columns(STDERR_FILENO) - 1};
    compose(&line, progress, elapsed);
    char out[LINE_MAX_BYTES + 8];
    int size = snprintf(out, sizeof out, "%s%s%s", bar.terminal ? "\r\033[K" : "",
                        line.text, bar.terminal ? "" : "\n");
    visible = bar.terminal;
    put(out, (size_t)size);
}

void hp_cli_progress_start(void) {
    bar.enabled = true;
    bar.terminal = hp_cli_is_terminal(STDERR_FILENO);
    bar.started = now();
}

void hp_cli_progress(void *data, const struct hp_progress *progress) {
    (void)data;
    if (!bar.enabled) {
        return;
    }
    double time = now();
    if (strncmp(bar.phase, progress->phase, sizeof bar.phase - 1) != 0) {
        snprintf(bar.phase, sizeof bar.phase, "%s", progress->phase);
        bar.phase_started = time;
    }
    double pause = bar.terminal ? REDRAWN_EVERY : PRINTED_EVERY;
    if (time - bar.started < FIRST_DRAWN_AFTER || time - bar.drawn < pause) {
        return;
    }
    bar.drawn = time;
    draw(progress, time - bar.phase_started);
}

void hp_cli_progress_clear(void) {
    if (visible) {
        visible = 0;
        put("\r\033[K", 4);
    }
}
