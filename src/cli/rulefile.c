#include "cli/rulefile.h"

#include "cli/message.h"
#include "cli/namedfile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_BYTES = 1 << 20, // largest file of rules
};

int hp_cli_add_rule(struct hp_cli_settings *settings, struct hp_frame_rule rule,
                    struct hp_err *err) {
    struct hp_filter filter = {.pattern = rule.pattern};
    if (*rule.pattern == '\0') {
        return hp_cli_fail(err, HP_E_USAGE,
                           HP_MESSAGE("rule-pattern-empty",
                                      "an empty pattern would match everything"));
    }
    settings->rules =
        hp_cli_grow(settings->rules, settings->rule_count, sizeof *settings->rules);
    settings->rules[settings->rule_count++] = rule;
    return hp_filter_check(&filter, err);
}

void hp_cli_rules_done(struct hp_cli_settings *settings) {
    for (size_t i = 0; i < settings->rule_texts.count; i++) {
        free((char *)(uintptr_t)settings->rule_texts.items[i]);
    }
    free(settings->rule_texts.items);
    free(settings->rules);
    free(settings->group_rules);
}

// Read the whole file and append a NUL; the caller frees the text.  NULL, with
// HP_E_USAGE, if the file cannot be read, is too long or contains a NUL.
static char *read_all(const struct hp_cli_named_file *file, struct hp_err *err) {
    char *text = hp_cli_resize(NULL, MOST_BYTES + 1);
    ssize_t size = hp_cli_named_file_read(file, text, MOST_BYTES + 1, err);
    if (size >= 0 && size <= MOST_BYTES && memchr(text, '\0', (size_t)size) == NULL) {
        text[size] = '\0';
        return text;
    }
    if (size >= 0) {
        hp_cli_fail(err, HP_E_USAGE,
                    size > MOST_BYTES
                        ? HP_MESSAGE("rules-too-long", "the rules are longer than 1 MiB")
                        : HP_MESSAGE("rules-nul", "a NUL byte in the rules"));
        snprintf(err->where, sizeof err->where, "%s", file->path);
    }
    err->code = HP_E_USAGE;
    free(text);
    return NULL;
}

// --- lines -----------------------------------------------------------------------------

// Whether the word at *text is `word` and is followed by a tab; if so, *text is moved
// past the tab.
static bool take_word(char **text, const char *word) {
    size_t length = strlen(word);
    bool found = strncmp(*text, word, length) == 0 && (*text)[length] == '\t';
    *text += found ? length + 1 : 0;
    return found;
}

// Read the name of a class and the tab after it, and advance *text.  Returns false if
// there is no such name.
static bool take_class(char **text, enum hp_frame_class *class) {
    for (*class = HP_CLASS_NONE + 1; *class < HP_CLASSES; ++*class) {
        if (take_word(text, hp_frame_class_name(*class))) {
            return true;
        }
    }
    return false;
}

// Read the name of a field and the tab after it, and advance *text.  Returns false if
// there is no such name.
static bool take_field(char **text, enum hp_frame_field *field) {
    static const char *const names[] = {
        [HP_FIELD_NAME] = "name", [HP_FIELD_FILE] = "file", [HP_FIELD_MODULE] = "module"};
    for (*field = HP_FIELD_NAME; *field <= HP_FIELD_MODULE; ++*field) {
        if (take_word(text, names[*field])) {
            return true;
        }
    }
    return false;
}

// Add the rule in one line to the settings; empty lines and comments add none.  The rule
// points into the line.
static int add_line(struct hp_cli_settings *settings, char *line, struct hp_err *err) {
    struct hp_frame_rule rule = {HP_CLASS_NONE, HP_FIELD_ANY, NULL};
    if (*line == '\0' || *line == '#') {
        return HP_OK;
    }
    if (!take_class(&line, &rule.makes)) {
        return hp_cli_fail(
            err, HP_E_USAGE,
            HP_MESSAGE(
                "rule-class",
                "expected allocator, start-up, wrapper, standard, library or own, and a "
                "tab"));
    }
    if (!take_field(&line, &rule.field)) {
        return hp_cli_fail(err, HP_E_USAGE,
                           HP_MESSAGE("rule-field",
                                      "expected name, file or module, and a tab"));
    }
    rule.pattern = line;
    return hp_cli_add_rule(settings, rule, err);
}

// Add the rule of a group in one line to the settings; empty lines and comments add none.
// The rule points into the line.
static int add_group_line(struct hp_cli_settings *settings, char *line,
                          struct hp_err *err) {
    static const char *const fields[] = {[HP_GROUP_FUNCTION] = "function",
                                         [HP_GROUP_FILE] = "file",
                                         [HP_GROUP_MODULE] = "module"};
    struct hp_group_rule rule = {.group = line};
    if (*line == '\0' || *line == '#') {
        return HP_OK;
    }
    char *tab = strchr(line, '\t');
    char *field = tab ? tab + 1 : line;
    while (tab && rule.field <= HP_GROUP_MODULE &&
           !take_word(&field, fields[rule.field])) {
        rule.field++;
    }
    if (!tab || tab == line || rule.field > HP_GROUP_MODULE) {
        return hp_cli_fail(err, HP_E_USAGE,
                           HP_MESSAGE("group-line",
                                      "expected a group, function, file or module, and a "
                                      "regular expression, with tabs between"));
    }
    *tab = '\0';
    char *end = strchr(field, '\t');
    rule.pattern = field;
    rule.from_root = end && strcmp(end + 1, "root") == 0;
    if (*field == '\0' || end == field || (end && !rule.from_root)) {
        return hp_cli_fail(err, HP_E_USAGE,
                           HP_MESSAGE("group-pattern",
                                      "expected a regular expression, then nothing or a "
                                      "tab and root"));
    }
    *(end ? end : field + strlen(field)) = '\0';
    struct hp_filter filter = {.pattern = rule.pattern};
    settings->group_rules = hp_cli_grow(settings->group_rules, settings->group_rule_count,
                                        sizeof *settings->group_rules);
    settings->group_rules[settings->group_rule_count++] = rule;
    return hp_filter_check(&filter, err);
}

// Add the rules of all lines by `add_one`; errors get the path and the number of the line.
static int add_lines(struct hp_cli_settings *settings, char *text, const char *path,
                     int (*add_one)(struct hp_cli_settings *, char *, struct hp_err *),
                     struct hp_err *err) {
    char *next = text;
    int ret = HP_OK;
    for (uint64_t number = 1; next != NULL && ret == HP_OK; number++) {
        char *line = next, *end = strchr(line, '\n');
        next = end != NULL ? end + 1 : NULL;
        if (end != NULL) {
            *end = '\0';
            *(end > line && end[-1] == '\r' ? end - 1 : end) = '\0';
        }
        ret = add_one(settings, line, err);
        if (ret != HP_OK) {
            snprintf(err->where, sizeof err->where, "%s", path);
            err->line = number;
        }
    }
    return ret;
}

// Read a file of rules, and add each line by `add_one`.
static int read_rules(struct hp_cli_settings *settings, const char *path,
                      int (*add_one)(struct hp_cli_settings *, char *, struct hp_err *),
                      struct hp_err *err) {
    const struct hp_cli_named_file file = {path, "rules", settings->read.wait};
    char *text = read_all(&file, err);
    if (text == NULL) {
        return err->code;
    }
    hp_cli_words_add(&settings->rule_texts, text);
    return add_lines(settings, text, path, add_one, err);
}

int hp_cli_rulefile_read(struct hp_cli_settings *settings, const char *path,
                         struct hp_err *err) {
    return read_rules(settings, path, add_line, err);
}

int hp_cli_groupfile_read(struct hp_cli_settings *settings, const char *path,
                          struct hp_err *err) {
    return read_rules(settings, path, add_group_line, err);
}
