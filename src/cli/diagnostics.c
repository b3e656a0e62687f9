#include "cli/diagnostics.h"

#include "cli/message.h"

#include <stdio.h>
#include <string.h>

// Most errors of inputs that are printed without --verbose.
#define SHOWN_MAX 10

// Whether the input has a message: it was skipped or, with --verbose, used although
// damaged.
static bool has_diagnostic(const struct hp_input *input, bool verbose) {
    return input->status == HP_INPUT_SKIPPED ||
           (verbose && input->status == HP_INPUT_KEPT_DAMAGED);
}

// Returns the error of an input; the name of the input is added if the error names no
// file.
static struct hp_err located(const struct hp_input *input) {
    struct hp_err err = *input->err;
    if (err.where[0] == '\0') {
        snprintf(err.where, sizeof err.where, "%s", input->name);
    }
    return err;
}

// Print the error of each input that was skipped, one a line: the first SHOWN_MAX and the
// number of the others; if `all`, every one, and also those of damaged inputs in use.
static void print_diagnostics(const struct hp_profile *profile, bool all) {
    size_t found = 0;
    for (size_t i = 0; i < hp_profile_input_count(profile); i++) {
        const struct hp_input *input = hp_profile_input(profile, i);
        if (!has_diagnostic(input, all)) {
            continue;
        }
        if (found++ < SHOWN_MAX || all) {
            struct hp_err err = located(input);
            hp_cli_message_err(&err);
        }
    }
    if (found > SHOWN_MAX && !all) {
        hp_cli_message(HP_MESSAGE("more-skipped", "… and %zu more"), found - SHOWN_MAX);
    }
}

// Print one note about all ELF files among the inputs; `first` is the first of them.
static void print_ignored(const struct hp_cli_settings *settings, const char *first,
                          size_t count) {
    char more[64] = "";
    if (count > 1) {
        snprintf(more, sizeof more, " (and %zu more)", count - 1);
    }
    hp_cli_message(
        settings->no_symbols
            ? HP_MESSAGE("program-ignored",
                         "note: %s%s is a program, not a dump. Skipped")
            : HP_MESSAGE("program-for-names",
                         "note: %s%s is a program, not a dump. Its symbols are "
                         "used for dumps that it wrote, if it is unpacked"),
        first, more);
}

// Append to the error of a damaged dump the option that uses the dump nevertheless.
static void name_option(struct hp_err *err) {
    size_t used = strlen(err->message);
    char room[HP_MESSAGE_FORMAT_SIZE];
    snprintf(err->message + used, sizeof err->message - used, "%s",
             hp_message_format(HP_MESSAGE("option-for-damaged",
                                          ". Use --damaged=use for the part before it"),
                               room));
}

bool hp_cli_input_diagnostics(const struct hp_profile *profile,
                              const struct hp_cli_settings *settings,
                              struct hp_err *failure) {
    size_t skipped = 0, used_in_part = 0, ignored = 0;
    const char *first = NULL;
    for (size_t i = 0; i < hp_profile_input_count(profile); i++) {
        const struct hp_input *input = hp_profile_input(profile, i);
        skipped +=
            input->status == HP_INPUT_SKIPPED || input->status == HP_INPUT_REPLACED;
        used_in_part += input->status == HP_INPUT_KEPT_DAMAGED;
        if (input->status == HP_INPUT_IGNORED && ignored++ == 0) {
            first = input->name;
        }
    }
    if (ignored > 0 && !settings->quiet) {
        print_ignored(settings, first, ignored);
    }
    if (failure != NULL && skipped == 1 && hp_profile_input_count(profile) == 1) {
        *failure = located(hp_profile_input(profile, 0));
        if (hp_profile_input(profile, 0)->can_be_used) {
            name_option(failure);
        }
    } else if (failure != NULL || !settings->quiet) {
        print_diagnostics(profile, settings->verbose);
    }
    return skipped + used_in_part > 0;
}
