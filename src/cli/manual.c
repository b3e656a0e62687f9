#include "cli/generator.h"

#include "cli/brief.h"
#include "cli/choice.h"
#include "cli/option.h"

#include <ctype.h>
#include <string.h>

enum {
    TEXT_COLUMNS = 72 // width of generated lines
};

// Write one word with mdoc escapes, so that it is safe in text and as an argument of a
// macro.
static void put_word(FILE *out, const char *word, size_t length) {
    if (*word == '.' || *word == '\'') {
        fputs("\\&", out);
    }
    for (size_t i = 0; i < length; i++) {
        if (word[i] == '-' || word[i] == '\\') {
            fputs(word[i] == '-' ? "\\-" : "\\e", out);
        } else {
            fputc(word[i], out);
        }
    }
}

// Write text as a sentence, with a capital letter and with `end` after it, in the short
// lines that mdoc needs.
static void put_text(FILE *out, const char *text, const char *end) {
    size_t column = 1;
    fputc(toupper((unsigned char)*text++), out);
    while (*text != '\0') {
        size_t length = strcspn(text, " ");
        put_word(out, text, length);
        column += length;
        text += length;
        size_t spaces = strspn(text, " ");
        text += spaces;
        if (spaces > 0) {
            bool ends = length > 1 && text[-(long)spaces - 1] == '.'; // a sentence
            bool fits = !ends && column + strcspn(text, " ") < TEXT_COLUMNS;
            fputc(fits ? ' ' : '\n', out);
            column = fits ? column + 1 : 0;
        }
    }
    fprintf(out, "%s\n", end);
}

// Write the list of commands.
static void put_commands(FILE *out) {
    fputs(".Bl -tag -width Ds\n", out);
    for (size_t i = 0; i < hp_cli_command_count(); i++) {
        const struct hp_cli_command *command = hp_cli_command(i);
        fprintf(out, ".It Cm %s", command->name);
        if (command->id == HP_CLI_HELP) {
            fputs(" Op Ar COMMAND", out);
        } else if (command->id == HP_CLI_DIFF) {
            fputs(" Ar BASE NEW | BASE ... Fl Fl to Ar NEW ...", out);
        } else if (command->id == HP_CLI_MANIFEST) {
            fputs(" Fl Fl tasks Ns = Ns Ar N Fl Fl output Ns = Ns Ar PREFIX PATH ...",
                  out);
        } else if (command->id == HP_CLI_ROWS) {
            fputs(" Fl Fl output Ns = Ns Ar DIR INPUT ... | Fl Fl add-names", out);
        } else if (command->id == HP_CLI_JEPROF) {
            fputs(" Op Ar PROGRAM DUMP ...", out);
        } else if (command->id == HP_CLI_DOCTOR) {
            fputs(" Ar PID | PROGRAM | DUMP | DIR", out);
        } else if (*command->arguments != '\0') {
            fprintf(out, "%s Ar INPUT ...", command->takes_pattern ? " Ar REGEX" : "");
        }
        fputc('\n', out);
        put_text(out, command->help, ".");
    }
    fputs(".El\n", out);
}

// Write the list of formats.
static void put_formats(FILE *out) {
    fputs(".Bl -tag -width Ds\n", out);
    for (size_t i = 0; i < hp_format_count(); i++) {
        fprintf(out, ".It Cm %s\n", hp_format_name(i));
        put_text(out, hp_format_help(i), ":");
        fprintf(out, ".Pa %s .\n", hp_format_files(i));
    }
    fputs(".El\n", out);
}

// Write the list of the values that the option accepts, if it is a fixed one.
static void put_choices(FILE *out, const struct hp_cli_option *option) {
    const char *choice;
    for (size_t i = 0; (choice = hp_cli_choice(option, i)) != NULL; i++) {
        bool last = hp_cli_choice(option, i + 1) == NULL;
        fputs(".Cm ", out);
        put_word(out, choice, strlen(choice));
        fputs(last ? " .\n" : " ,\n", out);
    }
}

// The bits of all commands that report.
static unsigned all_reports(void) {
    unsigned all = 0;
    for (size_t i = 0; i < hp_cli_command_count(); i++) {
        all |= hp_cli_command(i)->id & HP_CLI_REPORTS;
    }
    return all;
}

// Write which commands take the option, or which do not, whichever is shorter.  Writes
// nothing if all commands that report take it.
static void put_scope(FILE *out, const struct hp_cli_option *option) {
    unsigned left = option->commands & (all_reports() | HP_CLI_ROWS | HP_CLI_MANIFEST |
                                        HP_CLI_HELP | HP_CLI_VERSION);
    unsigned others = all_reports() & ~left;
    if (others == 0) {
        return;
    }
    bool names_others = __builtin_popcount(others) < __builtin_popcount(left);
    left = names_others ? others : left;
    fputs(names_others ? "Not with\n" : "Only with\n", out);
    for (size_t i = 0; left != 0; i++) {
        unsigned id = hp_cli_command(i)->id;
        if ((left & id) != 0) {
            left &= ~id;
            fprintf(out, ".Cm %s %s\n", hp_cli_command(i)->name, left != 0 ? "," : ".");
        }
    }
}

// Write the tag of an option: its letter, name and value.
static void put_tag(FILE *out, const struct hp_cli_option *option) {
    fputs(".It ", out);
    if (option->letter != '\0') {
        fprintf(out, "Fl %c", option->letter);
        if (option->value_name != NULL) {
            fprintf(out, " Ar %s", option->value_name);
        }
        fputs(" , ", out);
    }
    fputs("Fl Fl ", out);
    put_word(out, option->name, strlen(option->name));
    if (option->value_name != NULL) {
        fprintf(out, " Ns = Ns Ar %s", option->value_name);
    }
    fputc('\n', out);
}

// Write one option with its value, help, choices and, if `has_scope` is set, the commands
// that take it.
static void put_option(FILE *out, const struct hp_cli_option *option, bool has_scope) {
    put_tag(out, option);
    bool has_choices = hp_cli_choice(option, 0) != NULL;
    put_text(out, option->help, has_choices ? ":" : ".");
    put_choices(out, option);
    if (has_scope) {
        put_scope(out, option);
    }
    if (option->needs != 0) {
        char formats[256];
        hp_cli_option_formats(option, formats, sizeof formats);
        fprintf(out, "For\n.Cm %s .\n", formats);
    }
}

// Write all options, a section for each group.
static void put_options(FILE *out) {
    for (size_t i = 0; i < hp_cli_option_count(); i++) {
        enum hp_cli_group group = hp_cli_option(i)->group;
        if (i == 0 || hp_cli_option(i - 1)->group != group) {
            fprintf(out, ".Ss %s\n.Bl -tag -width Ds\n", hp_cli_group_name(group));
        }
        put_option(out, hp_cli_option(i), true);
        if (i + 1 == hp_cli_option_count() || hp_cli_option(i + 1)->group != group) {
            fputs(".El\n", out);
        }
    }
}

// Write the options of `place` in their short form; only those that `commands` take.
static void put_briefs(FILE *out, enum hp_cli_place place, unsigned commands) {
    fputs(".Bl -tag -width Ds\n", out);
    for (size_t i = 0; i < hp_cli_brief_count(); i++) {
        const struct hp_cli_brief *brief = hp_cli_brief(i);
        const struct hp_cli_option *option = hp_cli_brief_option(brief);
        if (brief->place == place && (option->commands & commands) != 0) {
            put_tag(out, option);
            put_text(out, brief->text, ".");
        }
    }
    fputs(".El\n", out);
}

// Write all options of a command that are not among those of the first screen.
static void put_options_of(FILE *out, unsigned command) {
    fputs(".Bl -tag -width Ds\n", out);
    for (size_t i = 0; i < hp_cli_option_count(); i++) {
        const struct hp_cli_option *option = hp_cli_option(i);
        bool is_common = false;
        for (size_t k = 0; k < hp_cli_brief_count(); k++) {
            is_common |= hp_cli_brief(k)->place == HP_CLI_ON_FIRST_SCREEN &&
                         hp_cli_brief_option(hp_cli_brief(k)) == option;
        }
        if ((option->commands & command) != 0 && !is_common) {
            put_option(out, option, false);
        }
    }
    fputs(".El\n", out);
}

bool hp_cli_manual(FILE *out, const char *table, const char *name) {
    const struct hp_cli_command *found = NULL;
    for (size_t i = 0; i < hp_cli_command_count(); i++) {
        found = strcmp(hp_cli_command(i)->name, name) == 0 ? hp_cli_command(i) : found;
    }
    if (strcmp(table, "commands") == 0) {
        put_commands(out);
    } else if (strcmp(table, "formats") == 0) {
        put_formats(out);
    } else if (strcmp(table, "common") == 0) {
        put_briefs(out, HP_CLI_ON_FIRST_SCREEN, ~0u);
    } else if (strcmp(table, "all-options") == 0) {
        put_options(out);
    } else if (strcmp(table, "options") == 0 && found != NULL) {
        put_options_of(out, found->id);
    } else {
        return false;
    }
    return true;
}
