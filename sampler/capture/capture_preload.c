// Start libhprof-capture.so with the program, if the environment variable HPROF_CAPTURE is
// set: KEY:VALUE,KEY:VALUE.  The manual hprof-capture(3) has the keys.
#include "capture/hprof_capture.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

// Programs that only start others, and small tools: no sets of them, unless named.
static const char others[] =
    "|ash|awk|basename|bash|busybox|cat|catatonit|chmod|chown|chroot|cp|cut|dash|date|"
    "dirname|doas|dumb-init|env|expr|fish|gawk|gdb|git|gosu|grep|head|hostname|id|ionice|"
    "ksh|ls|ltrace|make|mawk|mkdir|mv|nice|nohup|nsenter|numactl|prlimit|ps|readlink|rm|"
    "runuser|sed|setpriv|setsid|sh|sleep|sort|start-stop-daemon|stdbuf|strace|su|su-exec|"
    "sudo|tail|taskset|test|time|timeout|tini|tr|uname|unshare|xargs|zsh|";

// The settings under construction.
struct settings {
    struct hprof_capture_options options;
    char folder[PATH_MAX];
    char programs[PATH_MAX]; // names between |
};

// The functions that follow read a value; they return false if it is invalid.

// A decimal number that may end with K, M or G.
static bool read_bytes(const char *text, uint64_t *bytes) {
    char *end;
    unsigned long long number = strtoull(text, &end, 10);
    int shift = *end == 'G' ? 30 : *end == 'M' ? 20 : *end == 'K' ? 10 : 0;
    end += shift != 0;
    *bytes = (uint64_t)number << shift;
    return text[0] >= '0' && text[0] <= '9' && !*end && *bytes >> shift == number;
}

static bool read_number(const char *text, uint32_t *number) {
    uint64_t read;
    bool good = read_bytes(text, &read) && read <= INT32_MAX;
    *number = good ? (uint32_t)read : 0;
    return good;
}

static bool read_bool(const char *text, int *to) {
    *to = strcmp(text, "true") == 0;
    return *to || strcmp(text, "false") == 0;
}

// The opposite of a value.
static bool read_not(const char *text, int *to) {
    bool good = read_bool(text, to);
    *to = good && !*to;
    return good;
}

static bool read_signal(const char *text, int *number) {
    uint32_t read = 0;
    text += strncmp(text, "SIG", 3) == 0 ? 3 : 0;
    if (strcmp(text, "USR1") == 0 || strcmp(text, "USR2") == 0) {
        read = text[3] == '1' ? SIGUSR1 : SIGUSR2;
    } else if (!read_number(text, &read) || read >= NSIG) {
        read = 0;
    }
    *number = (int)read;
    return read > 0;
}

// A text, with `mark` before and after it.
static bool read_text(const char *text, char to[PATH_MAX], const char *mark) {
    int length = snprintf(to, PATH_MAX, "%s%s%s", mark, text, mark);
    return text[0] && length < PATH_MAX;
}

// Apply one setting.  Returns false if its key or value is invalid.
static bool set(struct settings *settings, const char *key, const char *value) {
    struct hprof_capture_options *options = &settings->options;

    const struct {
        const char *key;
        uint32_t *number;
        uint64_t *bytes;
        int *yes, *no;
    } table[] = {
        {.key = "every", .number = &options->every},
        {.key = "exit", .no = &options->no_exit},
        {.key = "keep", .number = &options->keep},
        {.key = "limit", .bytes = &options->limit},
        {.key = "most_bytes", .bytes = &options->most_bytes},
        {.key = "most_sets", .number = &options->most_sets},
        {.key = "shared", .yes = &options->shared},
        {.key = "thread", .no = &options->no_thread},
    };

    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        if (strcmp(table[i].key, key) == 0) {
            return table[i].number  ? read_number(value, table[i].number)
                   : table[i].bytes ? read_bytes(value, table[i].bytes)
                   : table[i].yes   ? read_bool(value, table[i].yes)
                                    : read_not(value, table[i].no);
        }
    }
    if (strcmp(key, "signal") == 0) {
        return read_signal(value, &options->signal);
    }
    if (strcmp(key, "folder") == 0) {
        return read_text(value, settings->folder, "");
    }
    return strcmp(key, "programs") == 0 && read_text(value, settings->programs, "|");
}

// Read all settings.  A message is printed for each one that is invalid.
static void read_settings(struct settings *settings, const char *text) {
    char setting[PATH_MAX];
    settings->options.every = 60;
    while (*text) {
        size_t length = strcspn(text, ",");
        snprintf(setting, sizeof setting, "%.*s", (int)length, text);
        char *value = strchr(setting, ':');
        if (value) {
            *value++ = '\0';
        }
        if (!value || !set(settings, setting, value)) {
            dprintf(STDERR_FILENO,
                    "hprof-capture: HPROF_CAPTURE: cannot make sense of '%s'\n", setting);
        }
        text += length + (text[length] == ',');
    }
    if (settings->folder[0]) {
        settings->options.folder = settings->folder;
    }
}

// Whether a list of names between | has a name.
static bool lists(const char *list, const char *name) {
    char between[NAME_MAX + 3];
    int length = snprintf(between, sizeof between, "|%s|", name);
    return length < (int)sizeof between && strstr(list, between) != NULL;
}

// Whether sets of this program are wanted, by the name of its file, or by the name of the
// process: this is the script's if an interpreter runs one.
static bool is_wanted(const char *programs) {
    char path[PATH_MAX], name[32] = "";
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    path[length < 0 ? 0 : length] = '\0';
    const char *slash = strrchr(path, '/');
    const char *file = slash ? slash + 1 : path;
    if (!programs[0]) {
        return !lists(others, file);
    }
    prctl(PR_GET_NAME, name);
    return lists(programs, file) || lists(programs, name);
}

__attribute__((constructor)) static void start_with_program(void) {
    const char *text = secure_getenv("HPROF_CAPTURE");
    static struct settings settings;
    if (!text) {
        return;
    }
    int error = errno;
    read_settings(&settings, text);
    if (is_wanted(settings.programs)) {
        hprof_capture_start(&settings.options);
    }
    errno = error;
}
