#include "cli/arguments.h"

#include "cli/message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The words of the command line, and the number of the next one to read.
struct word_source {
    char *const *words;
    size_t count, next;
};

void hp_cli_arguments_done(struct hp_cli_arguments *arguments) {
    free(arguments->options);
    free(arguments->words.items);
    *arguments = (struct hp_cli_arguments){0};
}

// Append an option; it remembers the number of words before it.
static void add_option(struct hp_cli_arguments *arguments,
                       const struct hp_cli_option *option, char *value) {
    arguments->options = hp_cli_grow(arguments->options, arguments->option_count,
                                     sizeof *arguments->options);
    arguments->options[arguments->option_count++] = (struct hp_cli_argument){
        .option = option, .value = value, .words = arguments->words.count};
}

// Complete *value, which is the text in the same word or NULL: take the next word if the
// option needs one.  HP_E_USAGE if the option takes no value and has one, or lacks one
// that it needs.
static int take_value(struct word_source *source, const struct hp_cli_option *option,
                      char **value, struct hp_err *err) {
    if (option->value == HP_CLI_NO_VALUE) {
        return *value == NULL
                   ? HP_OK
                   : hp_cli_fail(err, HP_E_USAGE, "--%s takes no value", option->name);
    }
    if (*value == NULL && source->next < source->count) {
        *value = source->words[source->next++];
    }
    return *value != NULL ? HP_OK
                          : hp_cli_fail(err, HP_E_USAGE, "--%s needs a value: --%s=%s",
                                        option->name, option->name, option->value_name);
}

#define NAME_SIZE 64

// Copy the part of `word` before "=" to `name`, truncated to the size of that.
static void copy_name(char name[NAME_SIZE], const char *word) {
    snprintf(name, NAME_SIZE, "%.*s", (int)strcspn(word, "="), word);
}

// Read "NAME", "NAME=VALUE" or "NAME" with the next word as its value.
static int scan_long(struct hp_cli_arguments *arguments, struct word_source *source,
                     char *word, struct hp_err *err) {
    char name[NAME_SIZE];
    const struct hp_cli_option *option;
    char *equals = strchr(word, '=');
    char *value = equals != NULL ? equals + 1 : NULL;
    copy_name(name, word);
    int ret = hp_cli_option_find(name, &option, err);
    if (ret == HP_OK) {
        ret = take_value(source, option, &value, err);
    }
    if (ret == HP_OK) {
        add_option(arguments, option, value);
    }
    return ret;
}

// Read letters after a single dash: several flags, or a last option with its value
// ("n20").
static int scan_letters(struct hp_cli_arguments *arguments, struct word_source *source,
                        char *letters, struct hp_err *err) {
    char name[NAME_SIZE];
    copy_name(name, letters);
    if (strlen(name) > 1 && hp_cli_option_refuse_dash(name, err) != HP_OK) {
        return (int)err->code;
    }
    while (*letters != '\0') {
        const struct hp_cli_option *option;
        int ret = hp_cli_option_find_letter(*letters++, &option, err);
        if (ret != HP_OK) {
            return ret;
        }
        char *value = NULL;
        if (option->value != HP_CLI_NO_VALUE && *letters != '\0') {
            value = letters;
            letters += strlen(letters);
        }
        ret = take_value(source, option, &value, err);
        if (ret != HP_OK) {
            return ret;
        }
        add_option(arguments, option, value);
    }
    return HP_OK;
}

int hp_cli_arguments_scan(struct hp_cli_arguments *arguments, char *const *words,
                          size_t count, struct hp_err *err) {
    struct word_source source = {.words = words, .count = count};
    bool ended = false;
    int ret = HP_OK;
    while (ret == HP_OK && source.next < source.count) {
        char *word = source.words[source.next++];
        if (ended || word[0] != '-' || word[1] == '\0') {
            hp_cli_words_add(&arguments->words, word);
        } else if (strcmp(word, "--") == 0) {
            ended = true;
        } else if (word[1] == '-') {
            ret = scan_long(arguments, &source, word + 2, err);
        } else {
            ret = scan_letters(arguments, &source, word + 1, err);
        }
    }
    return ret;
}

bool hp_cli_arguments_have(const struct hp_cli_arguments *arguments, const char *option) {
    for (size_t i = 0; i < arguments->option_count; i++) {
        if (strcmp(arguments->options[i].option->name, option) == 0) {
            return true;
        }
    }
    return false;
}
