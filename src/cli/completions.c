#include "cli/generator.h"

#include "cli/choice.h"
#include "cli/option.h"

#include <string.h>

#define GENERATED "Generated from the option table by hprof-agg-generator."

// Write the words that select one of `commands`, a set of bits of enum hp_cli_command_id,
// with `separator` between.
static void put_words(FILE *out, unsigned commands, const char *separator) {
    const struct hp_cli_command *command;
    const char *word, *before = "";
    for (size_t i = 0; (word = hp_cli_command_word(i, &command)) != NULL; i++) {
        if ((command->id & commands) != 0) {
            fprintf(out, "%s%s", before, word);
            before = separator;
        }
    }
}

// Write the choices of an option of `commands`, except for label:KEY, whose KEY only the
// user knows.
static void put_choices(FILE *out, const struct hp_cli_option *option,
                        unsigned commands) {
    const char *choice;
    for (size_t i = 0; (choice = hp_cli_choice_of(option, commands, i)) != NULL; i++) {
        if (strchr(choice, ':') == NULL) {
            fprintf(out, "%s%s", i > 0 ? " " : "", choice);
        }
    }
}

// Write text inside '...' of a shell; characters in `special` get a backslash.
static void put_quoted(FILE *out, const char *text, const char *special) {
    for (; *text != '\0'; text++) {
        if (*text == '\'') {
            fputs("'\\''", out);
        } else {
            fprintf(out, "%s%c", strchr(special, *text) != NULL ? "\\" : "", *text);
        }
    }
}

// Write the description of a word that selects `command`: the help of the command, or the
// meaning "COMMAND --format=WORD" of the name of a format.
static void put_help(FILE *out, const char *word, const struct hp_cli_command *command) {
    if (word == command->name) {
        put_quoted(out, command->help, "");
    } else {
        fprintf(out, "%s --format=%s", command->name, word);
    }
}

// Write a case of bash that completes the value of an option.
static void put_bash_value(FILE *out, const struct hp_cli_option *option) {
    fputs("    ", out);
    if (option->letter != '\0') {
        fprintf(out, "-%c | ", option->letter);
    }
    fprintf(out, "--%s) ", option->name);
    if (option->value == HP_CLI_FILE) {
        fputs("kind=file", out);
    } else if (option->value == HP_CLI_DIRECTORY) {
        fputs("kind=directory", out);
    } else {
        fputs("kind=word words='", out);
        put_choices(out, option, ~0U);
        fputs("'", out);
    }
    if (option->value == HP_CLI_FORMAT) {
        fputs("\n        [[ $command == rows ]] && words='", out);
        put_choices(out, option, HP_CLI_ROWS);
        fputs("'", out);
    }
    fputs(" ;;\n", out);
}

// Write a case of bash that completes the names of options that one of `commands`
// accepts.
static void put_bash_options(FILE *out, unsigned commands) {
    const char *separator = "";
    fputs("words='", out);
    for (size_t i = 0; i < hp_cli_option_count(); i++) {
        const struct hp_cli_option *option = hp_cli_option(i);
        if ((option->commands & commands) != 0) {
            fprintf(out, "%s--%s%s", separator, option->name,
                    option->value == HP_CLI_NO_VALUE ? "" : "=");
            separator = " ";
        }
    }
    fputs("' ;;\n", out);
}

// Beginning and end of the bash function, around the generated cases.
static const char bash_begin[] =
    "# bash completion for hprof-agg.  " GENERATED
    "\n"
    "_hprof_agg() {\n"
    "    local cur=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD - 1]}\n"
    "    local command='' kind='' words='' i\n"
    "    COMPREPLY=()\n"
    "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
    "        [[ ${COMP_WORDS[i]} == [-=]* || ${COMP_WORDS[i - 1]} == = ]] && continue\n"
    "        command=${COMP_WORDS[i]}\n"
    "        break\n"
    "    done\n"
    "    # \"--by=li\" comes as three words\n"
    "    if [[ $cur == = ]]; then\n"
    "        cur=''\n"
    "    elif [[ $option == = ]]; then\n"
    "        option=${COMP_WORDS[COMP_CWORD - 2]}\n"
    "    fi\n"
    "    case $option in\n";

static const char bash_end[] =
    "    case $kind in\n"
    "    file) compopt -o default 2>/dev/null ;;\n"
    "    directory)\n"
    "        compopt -o filenames 2>/dev/null\n"
    "        mapfile -t COMPREPLY < <(compgen -d -- \"$cur\")\n"
    "        ;;\n"
    "    word)\n"
    "        mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
    "        [[ ${COMPREPLY[*]} == *= ]] && compopt -o nospace 2>/dev/null\n"
    "        ;;\n"
    "    esac\n"
    "    return 0\n"
    "}\n"
    "complete -F _hprof_agg hprof-agg\n";

// Write the part of the bash function that completes options, commands and files.
static void put_bash_words(FILE *out) {
    const struct hp_cli_command *command;
    const char *word;
    fputs(
        "    if [[ -z $kind && $cur == -* ]]; then\n        kind=word\n"
        "        case $command in\n",
        out);
    for (size_t i = 0; (word = hp_cli_command_word(i, &command)) != NULL; i++) {
        fprintf(out, "        %s) ", word);
        put_bash_options(out, command->id);
    }
    fputs("        *) ", out);
    put_bash_options(out, ~0U);
    fputs(
        "        esac\n"
        "    elif [[ -z $kind && ( -z $command || $command == help ) ]]; then\n"
        "        kind=word words='",
        out);
    put_words(out, ~0U, " ");
    fputs("'\n    elif [[ -z $kind ]]; then\n        kind=file\n    fi\n", out);
}

void hp_cli_completions_bash(FILE *out) {
    fputs(bash_begin, out);
    for (size_t i = 0; i < hp_cli_option_count(); i++) {
        if (hp_cli_option(i)->value != HP_CLI_NO_VALUE) {
            put_bash_value(out, hp_cli_option(i));
        }
    }
    fputs("    esac\n", out);
    put_bash_words(out);
    fputs(bash_end, out);
}

// Write the part of an option for zsh that completes its value; nothing if it takes none.
static void put_zsh_value(FILE *out, const struct hp_cli_option *option,
                          const struct hp_cli_command *command) {
    if (option->value == HP_CLI_NO_VALUE) {
        return;
    }
    fprintf(out, ":%s:", option->value_name);
    if (option->value == HP_CLI_FILE) {
        fputs("_files", out);
    } else if (option->value == HP_CLI_DIRECTORY) {
        fputs("_files -/", out);
    } else if (option->value == HP_CLI_TEXT) {
        fputs(" ", out);
    } else {
        fputs("(", out);
        put_choices(out, option, command->id);
        fputs(")", out);
    }
}

// Write one option for _arguments of zsh.  '*' allows it repeatedly: the last one is
// effective.
static void put_zsh_option(FILE *out, const struct hp_cli_option *option,
                           const struct hp_cli_command *command) {
    bool has_value = option->value != HP_CLI_NO_VALUE;
    fputs("        '*'", out);
    if (option->letter != '\0') {
        fprintf(out, "{-%c%s,--%s%s}", option->letter, has_value ? "+" : "", option->name,
                has_value ? "=" : "");
    } else {
        fprintf(out, "--%s%s", option->name, has_value ? "=" : "");
    }
    fputs("'[", out);
    put_quoted(out, option->help, "[]");
    fputs("]", out);
    put_zsh_value(out, option, command);
    fputs("'\n", out);
}

// Write the options of one command for zsh, as a case.
static void put_zsh_arguments(FILE *out, const struct hp_cli_command *command) {
    fputs("    ", out);
    put_words(out, command->id, " | ");
    fputs(") options=(\n", out);
    for (size_t i = 0; i < hp_cli_option_count(); i++) {
        if ((hp_cli_option(i)->commands & command->id) != 0) {
            put_zsh_option(out, hp_cli_option(i), command);
        }
    }
    if (command->id == HP_CLI_HELP) {
        fputs("        '1: :_hprof-agg_commands'\n", out);
    } else if (command->id != HP_CLI_VERSION) {
        fputs("        '*:INPUT:_files'\n", out);
    }
    fputs("    ) ;;\n", out);
}

// Write a function for zsh that lists the commands.
static void put_zsh_commands(FILE *out) {
    const struct hp_cli_command *command;
    const char *word;
    fputs("_hprof-agg_commands() {\n    local -a commands=(\n", out);
    for (size_t i = 0; (word = hp_cli_command_word(i, &command)) != NULL; i++) {
        fprintf(out, "        '%s:", word);
        put_help(out, word, command);
        fputs("'\n", out);
    }
    fputs("    )\n    _describe -t commands command commands\n}\n\n", out);
}

void hp_cli_completions_zsh(FILE *out) {
    fputs("#compdef hprof-agg\n# " GENERATED "\n\n", out);
    put_zsh_commands(out);
    fputs(
        "_hprof-agg() {\n"
        "    local curcontext=$curcontext context state state_descr line\n"
        "    local -a options\n"
        "    typeset -A opt_args\n"
        "    _arguments -C -S '(- *)'{-h,--help}'[show the options and exit]' \\\n"
        "        '(- *)--version[show the version and exit]' \\\n"
        "        '1: :_hprof-agg_commands' '*:: :->rest' && return 0\n"
        "    [[ $state == rest ]] || return 1\n"
        "    case $line[1] in\n",
        out);
    for (size_t i = 0; i < hp_cli_command_count(); i++) {
        put_zsh_arguments(out, hp_cli_command(i));
    }
    fputs(
        "    *) options=('*:INPUT:_files') ;;\n"
        "    esac\n"
        "    _arguments -s -S : $options\n"
        "}\n\n"
        "_hprof-agg \"$@\"\n",
        out);
}

// Write one option for fish, for `commands`.
static void put_fish_option(FILE *out, const struct hp_cli_option *option,
                            unsigned commands) {
    fputs("complete -c hprof-agg -n '__fish_seen_subcommand_from ", out);
    put_words(out, commands, " ");
    fprintf(out, "' -l %s", option->name);
    if (option->letter != '\0') {
        fprintf(out, " -s %c", option->letter);
    }
    if (option->value == HP_CLI_FILE) {
        fputs(" -r -F", out);
    } else if (option->value == HP_CLI_DIRECTORY) {
        fputs(" -x -a '(__fish_complete_directories)'", out);
    } else if (option->value == HP_CLI_TEXT) {
        fputs(" -x", out);
    } else if (option->value != HP_CLI_NO_VALUE) {
        fputs(" -x -a '", out);
        put_choices(out, option, commands);
        fputs("'", out);
    }
    fputs(" -d '", out);
    put_quoted(out, option->help, "");
    fputs("'\n", out);
}

void hp_cli_completions_fish(FILE *out) {
    const struct hp_cli_command *command;
    const char *word;
    fputs("# " GENERATED "\n", out);
    for (size_t i = 0; (word = hp_cli_command_word(i, &command)) != NULL; i++) {
        fprintf(out, "complete -c hprof-agg -n __fish_use_subcommand -f -a %s -d '",
                word);
        put_help(out, word, command);
        fputs("'\n", out);
    }
    for (size_t i = 0; i < hp_cli_option_count(); i++) {
        const struct hp_cli_option *option = hp_cli_option(i);
        bool has_two = option->value == HP_CLI_FORMAT;
        put_fish_option(out, option, option->commands & ~(has_two ? HP_CLI_ROWS : 0U));
        if (has_two) {
            put_fish_option(out, option, HP_CLI_ROWS);
        }
    }
    fputs("complete -c hprof-agg -n '__fish_seen_subcommand_from help' -f -a '", out);
    put_words(out, ~0U, " ");
    fputs("'\n", out);
}
