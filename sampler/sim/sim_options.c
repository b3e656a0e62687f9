#include "sim/sim.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int hps_sim_fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("hprof-sim: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    return 1;
}

// Print the usage and the options of a command.
static void print_help(const char *usage, const struct hps_sim_option *options) {
    static const char *const values[] = {"", "=N", "=TEXT"};
    printf("usage: hprof-sim %s\n\n", usage);
    for (; options->name; options++) {
        int width = printf("  --%s%s", options->name, values[options->kind]);
        printf("%*s %s\n", width < 24 ? 24 - width : 0, "", options->summary);
    }
}

// Read digits with an optional k, M or G for 2^10, 2^20 or 2^30.  Returns false if the
// number is wrong or too large.
static bool read_number(const char *text, uint64_t *number) {
    char *end;
    errno = 0;
    *number = strtoull(text, &end, 10);
    bool good = isdigit((unsigned char)*text) && errno == 0;
    static const char units[] = "kMG";
    const char *unit = *end ? strchr(units, *end) : NULL;
    int shift = unit ? 10 * (int)(unit - units + 1) : 0;
    good = good && end[unit != NULL] == '\0' && *number <= UINT64_MAX >> shift;
    *number <<= good ? shift : 0;
    return good;
}

// Store the value of an option.  Returns false if it is wrong or missing.
static bool set(const struct hps_sim_option *option, const char *value) {
    switch (option->kind) {
    case HPS_SIM_FLAG:
        *(bool *)option->value = true;
        return value == NULL;
    case HPS_SIM_NUMBER:
        return value && read_number(value, option->value);
    case HPS_SIM_TEXT:
        *(const char **)option->value = value;
        return value != NULL;
    }
    return false;
}

// Find the option in `argument`; NULL if there is none.  *value is the text after "=", or
// NULL.
static const struct hps_sim_option *find(const struct hps_sim_option *options,
                                         const char *argument, const char **value) {
    const char *equals = strchr(argument, '=');
    size_t length = equals ? (size_t)(equals - argument) : strlen(argument);
    *value = equals ? equals + 1 : NULL;
    while (options->name && (strlen(options->name) != length ||
                             memcmp(options->name, argument, length) != 0)) {
        options++;
    }
    return options->name ? options : NULL;
}

void hps_sim_parse(char **arguments, const char *usage,
                   const struct hps_sim_option *options) {
    char **operand = arguments;
    for (; *arguments; arguments++) {
        const char *value;
        if (strcmp(*arguments, "--help") == 0) {
            print_help(usage, options);
            exit(0);
        }
        if (strncmp(*arguments, "--", 2) != 0) {
            *operand++ = *arguments;
            continue;
        }
        const struct hps_sim_option *option = find(options, *arguments + 2, &value);
        if (!option || !set(option, value)) {
            hps_sim_fail("cannot make sense of '%s'; see --help", *arguments);
            exit(2);
        }
    }
    *operand = NULL;
}
