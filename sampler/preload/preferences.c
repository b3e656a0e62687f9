#include "preload/preferences.h"

#include "preload/complain.h"

#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

// Largest lg_sample.
enum {
    LARGEST_LG = 40
};

// --- values -------------------------------------------------------------------------

// The functions that follow read a value into *field; they return false if it is invalid.
static bool read_bool(const char *value, void *field) {
    *(bool *)field = strcmp(value, "true") == 0;
    return *(bool *)field || strcmp(value, "false") == 0;
}

static bool read_number(const char *value, void *field) {
    uint64_t number = 0;
    const char *digit = value;
    for (; *digit >= '0' && *digit <= '9'; digit++) {
        if (__builtin_mul_overflow(number, 10, &number) ||
            __builtin_add_overflow(number, *digit - '0', &number)) {
            return false;
        }
    }
    *(uint64_t *)field = number;
    return digit > value && !*digit;
}

static bool read_period(const char *value, void *field) {
    uint64_t lg;
    if (!read_number(value, &lg) || lg > LARGEST_LG) {
        return false;
    }
    *(uint64_t *)field = (uint64_t)1 << lg;
    return true;
}

static bool read_name(const char *value, void *field) {
    memcpy(field, value, strlen(value) + 1); // the field has room for any value
    return value[0] != '\0';
}

// Accepts names of signals with or without SIG, and numbers: USR2, SIGUSR2, 12.
static bool read_signal(const char *value, void *field) {
    uint64_t number;
    if (!read_number(value, &number)) {
        const char *name = strncmp(value, "SIG", 3) == 0 ? value + 3 : value;
        for (number = 1; number < NSIG; number++) {
            const char *known = sigabbrev_np((int)number);
            if (known && strcmp(known, name) == 0) {
                break;
            }
        }
    }
    bool good = number > 0 && number < NSIG && number != SIGKILL && number != SIGSTOP;
    *(int *)field = good ? (int)number : 0;
    return good;
}

static bool read_unwind(const char *value, void *field) {
    *(bool *)field = strcmp(value, "frame-pointer") == 0;
    return *(bool *)field || strcmp(value, "unwinder") == 0;
}

// --- settings -----------------------------------------------------------------------

#define FIELD(field) offsetof(struct hps_preferences, field)

// The table of settings.
static const struct setting {
    const char *key;
    size_t field; // offset in struct hps_preferences
    bool (*read)(const char *value, void *field);
} settings[] = {
    {"accum", FIELD(accum), read_bool},
    {"final", FIELD(final), read_bool},
    {"lg_sample", FIELD(period), read_period},
    {"name", FIELD(name), read_name},
    {"seed", FIELD(seed), read_number},
    {"signal", FIELD(signal), read_signal},
    {"thread_name", FIELD(thread_name), read_bool},
    {"truth", FIELD(truth), read_bool},
    {"unbias", FIELD(unbias), read_bool},
    {"unwind", FIELD(frame_pointer), read_unwind},
};

// Apply one setting, "KEY:VALUE"; the text is restored on failure.  Returns false if key
// or value is invalid.
static bool set(struct hps_preferences *preferences, char *text) {
    char *value = strchr(text, ':');
    if (!value) {
        return false;
    }
    *value++ = '\0';
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        if (strcmp(settings[i].key, text) == 0) {
            struct hps_preferences changed = *preferences;
            if (!settings[i].read(value, (char *)&changed + settings[i].field)) {
                break;
            }
            *preferences = changed;
            return true;
        }
    }
    value[-1] = ':'; // restored for the message
    return false;
}

// Make the name absolute, since the program may change to another folder before it ends.
static void make_absolute(char name[PATH_MAX]) {
    char folder[PATH_MAX];
    if (name[0] == '/' || !getcwd(folder, sizeof folder)) {
        return;
    }
    size_t length = strlen(folder);
    if (length + 1 + strlen(name) < PATH_MAX) {
        memmove(name + length + 1, name, strlen(name) + 1);
        memcpy(name, folder, length);
        name[length] = '/';
    }
}

void hps_preferences_read(struct hps_preferences *preferences, const char *text) {
    *preferences = (struct hps_preferences){
        .name = "hprof.%p",
        .period = 1 << 19,
        .unbias = true,
        .final = true,
    };
    if (getrandom(&preferences->seed, sizeof preferences->seed, GRND_NONBLOCK) < 0) {
        // Right after the machine started there are no random numbers.
        preferences->seed = (uint64_t)getpid();
    }
    while (text && *text) {
        size_t length = strcspn(text, ",");
        char setting[PATH_MAX];
        size_t kept = length < sizeof setting ? length : sizeof setting - 1;
        memcpy(setting, text, kept);
        setting[kept] = '\0';
        if (kept < length || !set(preferences, setting)) {
            hps_complain("HPROF_SAMPLER: cannot make sense of", setting, NULL);
        }
        text += length + (text[length] == ',');
    }
    make_absolute(preferences->name);
}
