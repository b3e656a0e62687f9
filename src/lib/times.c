#include "lib/times.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

static int no_mtime(const char *path, struct hp_err *err) {
    return hp_fail(err, HP_E_USAGE, "there is no time of %s",
                   strcmp(path, "-") == 0 ? "standard input" : path);
}

static int take_mtimes(struct hp_profile *profile, struct hp_err *err) {
    struct hp_input_record *input;
    hp_vec_each (input, &profile->inputs) {
        struct stat info;
        if (strcmp(input->public.name, "-") == 0 ||
            stat(input->public.name, &info) != 0) {
            return no_mtime(input->public.name, err);
        }
        input->time =
            (double)info.st_mtim.tv_sec + (double)info.st_mtim.tv_nsec / 1000000000;
    }
    return HP_OK;
}

// --- times in paths -----------------------------------------------------------------------

static bool parse_seconds(const char *text, double *time) {
    char *end;
    size_t digits = strspn(text, "0123456789.");
    *time = strtod(text, &end);
    return digits > 0 && *end == '\0' && end == text + digits;
}

// A date and perhaps a time of day.
static bool parse_date(const char *text, double *time) {
    static const char *const formats[] = {
        "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S", "%Y-%m-%d_%H:%M:%S", "%Y%m%dT%H%M%S",
        "%Y%m%d_%H%M%S",     "%Y-%m-%dT%H%M%S",   "%Y-%m-%d_%H-%M-%S", "%Y-%m-%d",
    };
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        struct tm parts = {0};
        const char *end = strptime(text, formats[i], &parts);
        if (end && (*end == '\0' || strcmp(end, "Z") == 0)) {
            *time = (double)timegm(&parts);
            return true;
        }
    }
    return false;
}

// YYYYMMDD... is also a number: 14 digits and more are no seconds of this age.
static bool parse_time(const char *text, double *time) {
    char digits[64];
    if (strspn(text, "0123456789") == 14 && text[14] == '\0') {
        memcpy(digits, text, 8);
        digits[8] = 'T';
        memcpy(digits + 9, text + 8, 7);
        return parse_date(digits, time);
    }
    return parse_seconds(text, time) || parse_date(text, time);
}

// The first group of a match, or false.
static bool find_group(const pcre2_code *code, pcre2_match_data *match, const char *path,
                       char text[64]) {
    PCRE2_SIZE size = 64;
    int groups = pcre2_match(code, (PCRE2_SPTR)path, strlen(path), 0, 0, match, NULL);
    return groups > 1 &&
           pcre2_substring_copy_bynumber(match, 1, (PCRE2_UCHAR *)text, &size) == 0;
}

static int take_from_paths(struct hp_profile *profile, const pcre2_code *code,
                           const char *pattern, struct hp_err *err) {
    pcre2_match_data *match = pcre2_match_data_create_from_pattern(code, NULL);
    if (!match) {
        hp_out_of_memory(0);
    }
    int ret = HP_OK;
    for (size_t i = 0; i < profile->inputs.count && ret == HP_OK; i++) {
        struct hp_input_record *input = &profile->inputs.at[i];
        char text[64];
        if (!find_group(code, match, input->public.name, text) ||
            !parse_time(text, &input->time)) {
            ret = hp_fail(err, HP_E_USAGE, "no time in its path where %s says", pattern);
            hp_err_locate(err, input->public.name, 0);
        }
    }
    pcre2_match_data_free(match);
    return ret;
}

int hp_times_set(struct hp_profile *profile, const char *from, struct hp_err *err) {
    profile->has_times = true;
    if (strcmp(from, "mtime") == 0) {
        return take_mtimes(profile, err);
    }
    int number;
    PCRE2_SIZE offset;
    pcre2_code *code =
        pcre2_compile((PCRE2_SPTR)from, PCRE2_ZERO_TERMINATED, 0, &number, &offset, NULL);
    if (!code) {
        char why[128];
        pcre2_get_error_message(number, (PCRE2_UCHAR *)why, sizeof why);
        return hp_fail(err, HP_E_USAGE, "pattern %s: %s at %zu", from, why,
                       (size_t)offset);
    }
    int ret = take_from_paths(profile, code, from, err);
    pcre2_code_free(code);
    return ret;
}
