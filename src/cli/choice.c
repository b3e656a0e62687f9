#include "cli/choice.h"

#include "cli/command.h"
#include "cli/message.h"
#include "cli/suggestion.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

const char *hp_cli_choice(const struct hp_cli_option *option, size_t i) {
    if (option->value == HP_CLI_FORMAT) {
        return i < hp_format_count() ? hp_format_name(i) : NULL;
    }
    return option->choices != NULL ? option->choices[i] : NULL;
}

const char *hp_cli_choice_of(const struct hp_cli_option *option, unsigned commands,
                             size_t i) {
    if (option->value == HP_CLI_FORMAT && commands == HP_CLI_ROWS) {
        return i <= HP_PACKING_NONE ? hp_packing_ending((enum hp_packing)i) + 1 : NULL;
    }
    return hp_cli_choice(option, i);
}

const char *hp_cli_unit_like(const char *text) {
    static const char *const units[] = {"KiB", "MiB", "GiB"};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        char letter = (char)tolower((unsigned char)units[i][0]);
        if (tolower((unsigned char)*text) == letter &&
            (text[1] == '\0' || strcasecmp(text + 1, "b") == 0 ||
             strcasecmp(text + 1, "ib") == 0)) {
            return units[i];
        }
    }
    return NULL;
}

// Fail with HP_E_USAGE because `value` is not a choice; the message names what to use
// instead, the most similar choice, or all choices.
static int wrong_choice(const struct hp_cli_option *option, const char *value,
                        struct hp_err *err) {
    struct hp_cli_suggestion suggestion = {.word = value};
    char known[256] = "";
    const char *choice, *unit = hp_cli_unit_like(value);
    bool takes_labels = false;
    for (size_t i = 0; (choice = hp_cli_choice(option, i)) != NULL; i++) {
        hp_cli_suggestion_try(&suggestion, choice);
        takes_labels |= strncmp(choice, "label:", strlen("label:")) == 0;
        if (unit != NULL && strcmp(choice, unit) == 0) {
            suggestion = (struct hp_cli_suggestion){.word = value, .best = unit};
        }
        if (strlen(known) + strlen(choice) + 3 < sizeof known) {
            strcat(strcat(known, i > 0 ? ", " : ""), choice);
        }
    }
    const char *instead =
        option->value == HP_CLI_FORMAT ? hp_cli_habit_of_kind(value) : NULL;
    if (instead != NULL) {
        return hp_cli_fail(err, HP_E_USAGE,
                           HP_MESSAGE("choice-hint", "--%s does not take \"%s\": %s"),
                           option->name, value, instead);
    }
    if (suggestion.best == NULL && takes_labels && strncmp(value, "label", 5) != 0) {
        return hp_cli_fail(err, HP_E_USAGE,
                           HP_MESSAGE("choice-label",
                                      "--%s does not take \"%s\". For labels use "
                                      "--by=label:%s, see also hprof-agg help top"),
                           option->name, value, value);
    }
    if (suggestion.best != NULL) {
        return hp_cli_fail(err, HP_E_USAGE,
                           HP_MESSAGE("choice-did-you-mean",
                                      "--%s does not take \"%s\", did you mean %s?"),
                           option->name, value, suggestion.best);
    }
    return hp_cli_fail(err, HP_E_USAGE,
                       HP_MESSAGE("choice-unknown",
                                  "--%s does not take \"%s\". Use one of: %s"),
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
