#include "cli/message.h"

#include "cli/progressbar.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// Bytes of a message; a longer one is truncated.
#define MESSAGE_MAX 8192

// Write all bytes to standard error.  Failures are ignored, since they cannot be
// reported.
static void put(const char *bytes, size_t size) {
    while (size > 0) {
        ssize_t written = write(STDERR_FILENO, bytes, size);
        if (written < 0 && errno != EINTR) {
            return;
        }
        if (written > 0) {
            bytes += written;
            size -= (size_t)written;
        }
    }
}

// Write one line: the prefix and the text.  The text may contain parts of inputs and is
// escaped.
HP_CLI_PRINTF(2, 0)

static void put_line(const char *prefix, const char *format, va_list args) {
    char text[MESSAGE_MAX], line[MESSAGE_MAX], room[HP_MESSAGE_FORMAT_SIZE];
    vsnprintf(text, sizeof text, hp_message_format(format, room), args);
    hp_cli_progress_clear();
    size_t used = strlen(prefix), size = strlen(text);
    memcpy(line, prefix, used);
    for (size_t done = 0; done < size;) {
        size_t written;
        done += hp_escape(text + done, size - done, line + used, sizeof line - used - 1,
                          &written);
        used += written;
        if (done < size) {
            put(line, used);
            used = 0;
        }
    }
    line[used] = '\n';
    put(line, used + 1);
}

void hp_cli_message(const char *format, ...) {
    va_list args;
    va_start(args, format);
    put_line("hprof-agg: ", format, args);
    va_end(args);
}

void hp_cli_say(const char *format, ...) {
    va_list args;
    va_start(args, format);
    put_line("", format, args);
    va_end(args);
}

void hp_cli_message_err(const struct hp_err *err) {
    char line[32] = "";
    if (err->line > 0) {
        snprintf(line, sizeof line, ":%" PRIu64, err->line);
    }
    bool is_stdin = strcmp(err->where, "-") == 0;
    hp_cli_message("%s%s%s%s%s%s", is_stdin ? "standard input" : err->where, line,
                   err->where[0] != '\0' ? ": " : "", err->message,
                   err->sys != 0 ? ": " : "", err->sys != 0 ? strerror(err->sys) : "");
}

int hp_cli_fail(struct hp_err *err, enum hp_code code, const char *format, ...) {
    char room[HP_MESSAGE_FORMAT_SIZE];
    *err = (struct hp_err){.code = code};
    va_list args;
    va_start(args, format);
    vsnprintf(err->message, sizeof err->message, hp_message_format(format, room), args);
    va_end(args);
    return code;
}

int hp_cli_fail_errno(struct hp_err *err, enum hp_code code, const char *where,
                      const char *message) {
    char room[HP_MESSAGE_FORMAT_SIZE];
    int sys = errno;
    hp_cli_fail(err, code, "%s", hp_message_format(message, room));
    err->sys = sys;
    snprintf(err->where, sizeof err->where, "%s", where);
    return code;
}
