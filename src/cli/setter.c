#include "cli/setter.h"

#include "cli/choice.h"
#include "cli/message.h"
#include "cli/namedfile.h"
#include "cli/rulefile.h"
#include "cli/suggestion.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    JOBS_MAX = 4096,
    DIGITS_MAX = 15, // of a number, so that it cannot overflow
    WIDTH_MAX = 1000000,
};

// Address of the member of the settings that the option sets, of whatever type.
static void *field(struct hp_cli_settings *settings, const struct hp_cli_option *option) {
    return (char *)settings + option->field;
}

// Fail with HP_E_USAGE: "--OPTION takes WANTED, not VALUE".
static int refuse(const struct hp_cli_option *option, const char *value,
                  const char *wanted, struct hp_err *err) {
    return hp_cli_fail(err, HP_E_USAGE,
                       HP_MESSAGE("value-wrong", "--%s takes %s, not \"%s\""),
                       option->name, wanted, value);
}

int hp_cli_set_bool(struct hp_cli_settings *settings, const struct hp_cli_option *option,
                    char *value, struct hp_err *err) {
    size_t i;
    int ret = hp_cli_choice_find(option, value, &i, err);
    if (ret == HP_OK) {
        *(bool *)field(settings, option) = option->number + (int)i != 0;
    }
    return ret;
}

int hp_cli_set_enum(struct hp_cli_settings *settings, const struct hp_cli_option *option,
                    char *value, struct hp_err *err) {
    _Static_assert(sizeof(enum hp_metric) == sizeof(int), "enums are stored as int");
    size_t i;
    int ret = hp_cli_choice_find(option, value, &i, err);
    if (ret == HP_OK) {
        *(int *)field(settings, option) = option->number + (int)i;
    }
    return ret;
}

int hp_cli_set_duplicates(struct hp_cli_settings *settings,
                          const struct hp_cli_option *option, char *value,
                          struct hp_err *err) {
    size_t i; // index of refuse, skip, count
    int ret = hp_cli_choice_find(option, value, &i, err);
    if (ret == HP_OK) {
        settings->read.skip_duplicates = i == 1;
        settings->read.count_duplicates = i == 2;
    }
    return ret;
}

int hp_cli_set_damaged(struct hp_cli_settings *settings,
                       const struct hp_cli_option *option, char *value,
                       struct hp_err *err) {
    size_t i; // index of use, reject
    int ret = hp_cli_choice_find(option, value, &i, err);
    if (ret == HP_OK) {
        settings->read.keep_damaged = i == 0;
        settings->read.strict = i == 1;
    }
    return ret;
}

int hp_cli_set_to(struct hp_cli_settings *settings, const struct hp_cli_option *option,
                  char *value, struct hp_err *err) {
    for (size_t i = 0; i < settings->files_from.count; i++) {
        hp_cli_words_add(&settings->base_files_from, settings->files_from.items[i]);
    }
    settings->files_from.count = 0;
    return hp_cli_set_bool(settings, option, value, err);
}

int hp_cli_set_columns(struct hp_cli_settings *settings,
                       const struct hp_cli_option *option, char *value,
                       struct hp_err *err) {
    struct hp_column_options *columns = &settings->report.columns;
    size_t i = 0; // index of sizes, age, spread
    int ret = HP_OK;
    for (char *name = value, *comma; ret == HP_OK && name != NULL; name = comma) {
        comma = strchr(name, ',');
        if (comma != NULL) {
            *comma++ = '\0';
        }
        ret = hp_cli_choice_find(option, name, &i, err);
        columns->sizes |= ret == HP_OK && i == 0;
        columns->ages |= ret == HP_OK && i == 1;
        columns->spread |= ret == HP_OK && i == 2;
    }
    return ret;
}

// Whether `value` is `choice`, with "_" allowed for "-".
static bool is_with_dashes(const char *choice, const char *value) {
    while (*choice != '\0' && (*value == *choice || (*value == '_' && *choice == '-'))) {
        choice++;
        value++;
    }
    return *choice == *value;
}

// Set the metric.  Accepts the names of metrics, also with the "_" that pprof uses, and
// any name of a sample type.  Whether a sample type exists is known only after the inputs
// are read, but a name that differs from a metric by one letter is refused at once.
int hp_cli_set_metric(struct hp_cli_settings *settings,
                      const struct hp_cli_option *option, char *value,
                      struct hp_err *err) {
    struct hp_cli_suggestion near = {.word = value};
    const char *choice;
    size_t i;
    settings->report.metric_name = value != NULL ? value : option->name;
    settings->report.metric = (enum hp_metric)option->number;
    for (i = 0; (choice = hp_cli_choice(option, i)) != NULL && i < HP_METRICS; i++) {
        if (is_with_dashes(choice, value)) {
            settings->report.metric = (enum hp_metric)(option->number + (int)i);
            return HP_OK;
        }
        hp_cli_suggestion_try(&near, choice);
    }
    bool is_mistyped =
        value != NULL && (near.best != NULL ? near.distance <= 1 : *value == '\0');
    return is_mistyped ? hp_cli_choice_find(option, value, &i, err) : HP_OK;
}

// Set the property that rows are made by: the name of a granularity, or label:KEY.
int hp_cli_set_by(struct hp_cli_settings *settings, const struct hp_cli_option *option,
                  char *value, struct hp_err *err) {
    static const char prefix[] = "label:";
    size_t length = sizeof prefix - 1;
    if (strncmp(value, prefix, length) != 0 || value[length] == '\0') {
        return hp_cli_set_enum(settings, option, value, err);
    }
    settings->report.by = HP_BY_LABEL;
    settings->report.label = value + length;
    return HP_OK;
}

// HP_E_USAGE if the value is empty.
static int refuse_empty(const struct hp_cli_option *option, const char *value,
                        struct hp_err *err) {
    return *value != '\0' ? HP_OK
                          : hp_cli_fail(err, HP_E_USAGE,
                                        HP_MESSAGE("value-empty",
                                                   "--%s needs a %s that is not empty"),
                                        option->name, option->value_name);
}

int hp_cli_set_text(struct hp_cli_settings *settings, const struct hp_cli_option *option,
                    char *value, struct hp_err *err) {
    *(const char **)field(settings, option) = value;
    return refuse_empty(option, value, err);
}

int hp_cli_set_word(struct hp_cli_settings *settings, const struct hp_cli_option *option,
                    char *value, struct hp_err *err) {
    hp_cli_words_add(field(settings, option), value);
    return refuse_empty(option, value, err);
}

// Store how tables are packed: "ndjson.gz".
static int set_packing(struct hp_cli_settings *settings, const char *value,
                       struct hp_err *err) {
    for (enum hp_packing i = 0; i <= HP_PACKING_NONE; i++) {
        if (strcmp(value, hp_packing_ending(i) + 1) == 0) {
            settings->packing = i;
            return HP_OK;
        }
    }
    return hp_cli_fail(
        err, HP_E_USAGE,
        HP_MESSAGE("rows-format",
                   "rows cannot write %s. Use ndjson.zst, ndjson.gz (Spark "
                   "reads no zst) or ndjson"),
        value);
}

int hp_cli_set_format(struct hp_cli_settings *settings,
                      const struct hp_cli_option *option, char *value,
                      struct hp_err *err) {
    size_t i;
    if (settings->command->id == HP_CLI_ROWS) {
        return set_packing(settings, value, err);
    }
    int ret = hp_cli_choice_find(option, value, &i, err);
    if (ret == HP_OK) {
        settings->report.format = hp_cli_choice(option, i);
    }
    return ret;
}

// Convert text that consists of digits; strtoull() alone would accept signs and spaces,
// too.
static bool to_number(const char *text, uint64_t *number) {
    size_t digits = strspn(text, "0123456789");
    if (digits == 0 || digits > DIGITS_MAX || text[digits] != '\0') {
        return false;
    }
    *number = strtoull(text, NULL, 10);
    return true;
}

// Convert the decimal number at the start of `text`: digits with at most one point; *rest
// is the text after it.  Returns false if there is none.
static bool to_decimal(const char *text, double *number, const char **rest) {
    char *end;
    size_t digits = strspn(text, "0123456789.");
    *number = strtod(text, &end);
    *rest = end;
    return digits > 0 && end == text + digits;
}

// Convert a percentage, with or without "%".
static bool to_percent(const char *text, double *percent) {
    const char *rest;
    return to_decimal(text, percent, &rest) && (*rest == '\0' || strcmp(rest, "%") == 0);
}

int hp_cli_set_share(struct hp_cli_settings *settings, const struct hp_cli_option *option,
                     char *value, struct hp_err *err) {
    double percent;
    if (!to_percent(value, &percent) || percent > 100) {
        return refuse(option, value, "a percentage from 0 to 100", err);
    }
    *(double *)field(settings, option) = percent / 100;
    return HP_OK;
}

int hp_cli_set_part(struct hp_cli_settings *settings, const struct hp_cli_option *option,
                    char *value, struct hp_err *err) {
    int ret = hp_cli_set_share(settings, option, value, err);
    return ret == HP_OK && !(*(double *)field(settings, option) > 0)
               ? refuse(option, value, "a percentage above 0, up to 100", err)
               : ret;
}

int hp_cli_set_cost(struct hp_cli_settings *settings, const struct hp_cli_option *option,
                    char *value, struct hp_err *err) {
    static const double most = 1e6;
    const char *rest;
    double number;
    if (!to_decimal(value, &number, &rest) || *rest != '\0' || !(number > 0) ||
        number > most) {
        return refuse(option, value, "a number of microseconds above 0", err);
    }
    *(double *)field(settings, option) = number;
    return HP_OK;
}

int hp_cli_set_confidence(struct hp_cli_settings *settings,
                          const struct hp_cli_option *option, char *value,
                          struct hp_err *err) {
    double percent = 0;
    settings->report.no_error = strcmp(value, "none") == 0;
    if (settings->report.no_error) {
        return HP_OK;
    }
    if (!to_percent(value, &percent) || percent < 50 || percent > 99.9999) {
        return refuse(option, value, "a percentage from 50 to 99.9999, or none", err);
    }
    settings->report.confidence = percent / 100;
    return HP_OK;
}

int hp_cli_set_max_skipped(struct hp_cli_settings *settings,
                           const struct hp_cli_option *option, char *value,
                           struct hp_err *err) {
    uint64_t number = 0;
    double percent = 0;
    bool is_share = strchr(value, '%') != NULL;
    if (is_share ? !to_percent(value, &percent) || percent > 100
                 : !to_number(value, &number)) {
        return refuse(option, value, "a number or a share such as 0.1%", err);
    }
    settings->read.max_skipped = number;
    settings->read.judges_partials = true;
    settings->read.max_skipped_share = percent / 100;
    return HP_OK;
}

// Convert a whole number up to `max`; HP_E_USAGE if the value is no such number.
static int set_number(const struct hp_cli_option *option, const char *value, uint64_t max,
                      uint64_t *number, struct hp_err *err) {
    if (!to_number(value, number) || *number > max) {
        return refuse(option, value, "a number", err);
    }
    return HP_OK;
}

int hp_cli_set_count(struct hp_cli_settings *settings, const struct hp_cli_option *option,
                     char *value, struct hp_err *err) {
    uint64_t number = 0;
    // SIZE_MAX is HP_LIMIT_ENOUGH.
    int ret = set_number(option, value, SIZE_MAX - 1, &number, err);
    if (ret == HP_OK && number < (uint64_t)option->number) {
        ret = hp_cli_fail(err, HP_E_USAGE,
                          HP_MESSAGE("value-too-small", "--%s must be at least %d"),
                          option->name, option->number);
    }
    if (ret == HP_OK) {
        *(size_t *)field(settings, option) = (size_t)number;
    }
    return ret;
}

int hp_cli_set_width(struct hp_cli_settings *settings, const struct hp_cli_option *option,
                     char *value, struct hp_err *err) {
    uint64_t number = 0;
    int ret = set_number(option, value, WIDTH_MAX, &number, err);
    settings->width = (size_t)number;
    settings->has_width = true;
    return ret;
}

int hp_cli_set_seconds(struct hp_cli_settings *settings,
                       const struct hp_cli_option *option, char *value,
                       struct hp_err *err) {
    uint64_t seconds = 0;
    int ret = set_number(option, value, UINT64_MAX, &seconds, err);
    if (ret == HP_OK) {
        *(uint64_t *)field(settings, option) = seconds;
    }
    return ret;
}

// Convert an age such as "5min" to nanoseconds.
int hp_cli_set_age(struct hp_cli_settings *settings, const struct hp_cli_option *option,
                   char *value, struct hp_err *err) {
    static const struct {
        const char *unit;
        double seconds;
    } units[] = {{"ms", 1e-3}, {"s", 1}, {"min", 60}, {"h", 3600}, {"d", 86400}};

    double age = 0, seconds = 0;
    const char *unit = "";
    bool is_number = to_decimal(value, &age, &unit);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        seconds = strcmp(unit, units[i].unit) == 0 ? age * units[i].seconds : seconds;
    }
    if (!is_number || seconds < 1e-3 || seconds >= 1e9) {
        return refuse(option, value, "an age such as 60s, 5min or 2h", err);
    }
    *(uint64_t *)field(settings, option) = (uint64_t)(seconds * 1e9 + .5);
    return HP_OK;
}

// Number of bytes that the unit has, 1024 for "KiB"; 0 if the unit is unknown.
static double size_of_unit(const char *unit) {
    static const struct {
        const char *unit;
        double size;
    } units[] = {{"", 1}, {"B", 1}, {"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30}};

    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strcmp(unit, units[i].unit) == 0) {
            return units[i].size;
        }
    }
    return 0;
}

// Fail with HP_E_USAGE because of a value with an invalid size.  "8GB", which may mean
// either GB or GiB, is refused with a suggestion; other values with the text `wanted`.
static int refuse_size(const struct hp_cli_option *option, const char *value,
                       const char *wanted, struct hp_err *err) {
    const char *number = value + strcspn(value, "0123456789");
    const char *typed = number + strspn(number, "0123456789.");
    char unit[8];
    snprintf(unit, sizeof unit, "%.*s", (int)strcspn(typed, ","), typed);
    const char *known = hp_cli_unit_like(unit);
    return *number != '\0' && known != NULL && size_of_unit(unit) == 0
               ? hp_cli_fail(err, HP_E_USAGE,
                             HP_MESSAGE("value-did-you-mean",
                                        "--%s does not take \"%s\", did you mean %s?"),
                             option->name, value, known)
               : refuse(option, value, wanted, err);
}

int hp_cli_set_size(struct hp_cli_settings *settings, const struct hp_cli_option *option,
                    char *value, struct hp_err *err) {
    double size;
    const char *unit;
    bool is_number = to_decimal(value, &size, &unit);
    size *= size_of_unit(unit);
    if (!is_number || size < 1 || size >= 0x1p63) {
        return refuse_size(option, value, "a size such as 8GiB", err);
    }
    *(uint64_t *)field(settings, option) = (uint64_t)size;
    return HP_OK;
}

int hp_cli_set_memory(struct hp_cli_settings *settings,
                      const struct hp_cli_option *option, char *value,
                      struct hp_err *err) {
    if (strcmp(value, "none") != 0) {
        return hp_cli_set_size(settings, option, value, err);
    }
    *(uint64_t *)field(settings, option) = HP_CLI_NO_LIMIT;
    return HP_OK;
}

// Read "growth>5%", "growth>10MiB" or "growth>1000" into the gate, and set *has_unit for
// a unit of space.  Returns false if the text is not such a condition.
static bool read_growth(const char *value, struct hp_gate *gate, bool *has_unit) {
    const char *unit;
    if (strncmp(value, "growth>", 7) != 0 ||
        !to_decimal(value + 7, &gate->growth, &unit)) {
        return false;
    }
    gate->is_share = strcmp(unit, "%") == 0;
    *has_unit = *unit != '\0' && !gate->is_share;
    double factor = gate->is_share ? 0.01 : size_of_unit(unit);
    gate->growth *= factor;
    return factor > 0;
}

// Read "p<0.01" into the gate.  Returns false if the text is not such a condition.
static bool read_p(const char *value, struct hp_gate *gate) {
    char *end;
    if (strncmp(value, "p<", 2) != 0) {
        return false;
    }
    gate->p = strtod(value + 2, &end);
    return strspn(value + 2, "0123456789.e-") == (size_t)(end - value - 2) &&
           *end == '\0' && gate->p > 0 && gate->p < 1;
}

int hp_cli_set_gate(struct hp_cli_settings *settings, const struct hp_cli_option *option,
                    char *value, struct hp_err *err) {
    struct hp_gate gate = {0};
    bool has_unit = false;
    char *comma = strchr(value, ',');
    if (comma != NULL) {
        *comma = '\0';
    }
    bool good = read_growth(value, &gate, &has_unit) &&
                (comma == NULL || read_p(comma + 1, &gate));
    if (comma != NULL) {
        *comma = ',';
    }
    if (!good) {
        return refuse_size(option, value, "a condition such as growth>5%,p<0.01", err);
    }
    settings->gate = gate;
    settings->has_gate = true;
    settings->gate_has_unit = has_unit;
    return HP_OK;
}

int hp_cli_set_jobs(struct hp_cli_settings *settings, const struct hp_cli_option *option,
                    char *value, struct hp_err *err) {
    uint64_t number = 0;
    int ret = set_number(option, value, UINT64_MAX, &number, err);
    if (ret == HP_OK) {
        settings->read.jobs = (unsigned)(number < JOBS_MAX ? number : JOBS_MAX);
    }
    return ret;
}

int hp_cli_add_filter(struct hp_cli_settings *settings, enum hp_filter_rule rule,
                      const char *pattern, struct hp_err *err) {
    struct hp_filter filter = {.rule = rule, .pattern = pattern};
    if (*pattern == '\0') {
        return hp_cli_fail(err, HP_E_USAGE,
                           HP_MESSAGE("filter-empty",
                                      "an empty pattern would match everything"));
    }
    settings->filters =
        hp_cli_grow(settings->filters, settings->filter_count, sizeof *settings->filters);
    settings->filters[settings->filter_count++] = filter;
    return hp_filter_check(&filter, err);
}

int hp_cli_set_filter(struct hp_cli_settings *settings,
                      const struct hp_cli_option *option, char *value,
                      struct hp_err *err) {
    return hp_cli_add_filter(settings, (enum hp_filter_rule)option->number, value, err);
}

int hp_cli_set_rule(struct hp_cli_settings *settings, const struct hp_cli_option *option,
                    char *value, struct hp_err *err) {
    struct hp_frame_rule rule = {(enum hp_frame_class)option->number, HP_FIELD_ANY,
                                 value};
    return hp_cli_add_rule(settings, rule, err);
}

int hp_cli_set_groups(struct hp_cli_settings *settings,
                      const struct hp_cli_option *option, char *value,
                      struct hp_err *err) {
    (void)option;
    return hp_cli_groupfile_read(settings, value, err);
}

int hp_cli_set_rules(struct hp_cli_settings *settings, const struct hp_cli_option *option,
                     char *value, struct hp_err *err) {
    (void)option;
    return hp_cli_rulefile_read(settings, value, err);
}

// Read the key of --redact-key from a file.  This is done before any input is read, so
// that hours of work are not lost to an unusable key.
int hp_cli_set_redact_key(struct hp_cli_settings *settings,
                          const struct hp_cli_option *option, char *value,
                          struct hp_err *err) {
    const struct hp_cli_named_file file = {value, "key", settings->read.wait};
    ssize_t size = hp_cli_named_file_read(&file, field(settings, option),
                                          sizeof settings->redact_key, err);
    if (size >= 0 && (size < HP_CLI_KEY_LEAST || size > HP_CLI_KEY_MOST)) {
        return hp_cli_fail(err, HP_E_USAGE,
                           HP_MESSAGE("key-size", "--%s: a key must have %d to %d bytes"),
                           option->name, HP_CLI_KEY_LEAST, HP_CLI_KEY_MOST);
    }
    settings->redacts = true;
    settings->redact_key_size = size > 0 ? (size_t)size : 0;
    return size >= 0 ? HP_OK : (int)err->code;
}

int hp_cli_set_folder(struct hp_cli_settings *settings,
                      const struct hp_cli_option *option, char *value,
                      struct hp_err *err) {
    struct stat info;
    if (stat(value, &info) != 0 || !S_ISDIR(info.st_mode)) {
        return hp_cli_fail(err, HP_E_USAGE,
                           HP_MESSAGE("folder-missing",
                                      "--%s: \"%s\" is not a directory"),
                           option->name, value);
    }
    hp_cli_words_add(field(settings, option), value);
    return HP_OK;
}

int hp_cli_set_path_map(struct hp_cli_settings *settings,
                        const struct hp_cli_option *option, char *value,
                        struct hp_err *err) {
    char *equals = strchr(value, '=');
    if (equals == NULL || equals == value) {
        return refuse(option, value, "OLD=NEW", err);
    }
    *equals = '\0';
    settings->path_maps = hp_cli_grow(settings->path_maps, settings->path_map_count,
                                      sizeof *settings->path_maps);
    settings->path_maps[settings->path_map_count++] =
        (struct hp_path_map){.from = value, .to = equals + 1};
    return HP_OK;
}

int hp_cli_set_shard(struct hp_cli_settings *settings, const struct hp_cli_option *option,
                     char *value, struct hp_err *err) {
    enum { // largest number of shards
        MOST = 64,
    };

    char *end = value;
    bool begins = *value >= '0' && *value <= '9';
    unsigned long shard = begins ? strtoul(value, &end, 10) : 0, shards = 0;
    if (begins && end[0] == '/' && end[1] >= '0' && end[1] <= '9') {
        shards = strtoul(end + 1, &end, 10);
    }
    if (*end != '\0' || shards < 1 || shards > MOST || shard >= shards) {
        return hp_cli_fail(
            err, HP_E_USAGE,
            HP_MESSAGE("shard-number",
                       "--%s needs I/N, such as 0/4, with N at most %d, not '%s'"),
            option->name, (int)MOST, value);
    }
    settings->report.shard = shard;
    settings->report.shards = shards;
    return HP_OK;
}
