#include "cli/choice.h"

#include "cli/habits.h"
#include "cli/message.h"
#include "cli/suggestion.h"

#include <string.h>

const char *hp_cli_choice(const struct hp_cli_option *option, size_t i) {
    if (option->value == HP_CLI_FORMAT) {
        return i < hp_format_count() ? hp_format_name(i) : NULL;
    }
    return option->choices != NULL ? option->choices[i] : NULL;
}

static int wrong_choice(const struct hp_cli_option *option, const char *value,
                        struct hp_err *err) {
    struct hp_cli_suggestion suggestion = {.word = value};
    char known[256] = "";
    const char *choice;
    for (size_t i = 0; (choice = hp_cli_choice(option, i)) != NULL; i++) {
        hp_cli_suggestion_try(&suggestion, choice);
        if (strlen(known) + strlen(choice) + 3 < sizeof known) {
            strcat(strcat(known, i > 0 ? ", " : ""), choice);
        }
    }
    const char *instead =
        option->value == HP_CLI_FORMAT ? hp_cli_habit_of_kind(value) : NULL;
    if (instead != NULL) {
        return hp_cli_fail(err, HP_E_USAGE, "--%s does not take \"%s\": %s", option->name,
                           value, instead);
    }
    if (suggestion.best != NULL) {
        return hp_cli_fail(err, HP_E_USAGE, "--%s does not take \"%s\", did you mean %s?",
                           option->name, value, suggestion.best);
    }
    return hp_cli_fail(err, HP_E_USAGE, "--%s does not take \"%s\", but one of: %s",
                       option->name, value, known);
}

int hp_cli_choice_find(const struct hp_cli_option *option, const char *value, size_t *i,
                       struct hp_err *err) {
    const char *choice;
    *i = 0;
    if (option->value == HP_CLI_NO_VALUE) {
        return HP_OK;
    }
    for (; (choice = hp_cli_choice(option, *i)) != NULL; ++*i) {
        if (strcmp(choice, value) == 0) {
            return HP_OK;
        }
    }
    return wrong_choice(option, value, err);
}
