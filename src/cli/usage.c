#include "cli/usage.h"

#include "cli/brief.h"
#include "cli/choice.h"
#include "cli/option.h"
#include "cli/outfile.h"
#include "cli/storage.h"
#include "cli/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    NARROW = 60,        // columns below which the texts are below the names
    MARGIN = 26,        // column of the texts
    MARGIN_NARROW = 8,  // column of the texts on a narrow terminal, below long names
    TEXT_MAX = 512,     // bytes of a text
    NAME_MAX_SHOWN = 64 // buffer of an indented name with its NUL; longer names are cut
};

// Text that is filled from `column` on; the lines after the first begin at `margin`.
struct flow {
    FILE *out;
    size_t column, margin, columns;
};

// Write one word, on a new line if it does not fit.
static void put_word(struct flow *flow, const char *word, size_t length) {
    if (flow->column > flow->margin && flow->column + 1 + length > flow->columns) {
        fprintf(flow->out, "\n%*s", (int)flow->margin, "");
        flow->column = flow->margin;
    } else if (flow->column > flow->margin) {
        fputc(' ', flow->out);
        flow->column++;
    }
    fprintf(flow->out, "%.*s", (int)length, word);
    flow->column += length;
}

// Write the words of a text.
static void put_text(struct flow *flow, const char *text) {
    while (*text != '\0') {
        size_t length = strcspn(text, " ");
        put_word(flow, text, length);
        text += length;
        text += strspn(text, " ");
    }
}

// Write a paragraph without a margin.
static void put_paragraph(FILE *out, const char *text, size_t columns) {
    struct flow flow = {.out = out, .columns = columns};
    put_text(&flow, text);
    fputc('\n', out);
}

// Write a name at the left and its text at the margin, or on the next line if the name is
// too long.
static void put_entry(FILE *out, const char *name, const char *text, size_t columns) {
    size_t margin = columns < NARROW ? MARGIN_NARROW : MARGIN;
    struct flow flow = {.out = out, .margin = margin, .columns = columns};
    size_t length = strlen(name);
    fputs(name, out);
    if (length + 2 > margin) {
        fputc('\n', out);
        length = 0;
    }
    fprintf(out, "%*s", (int)(margin - length), "");
    flow.column = margin;
    put_text(&flow, text);
    fputc('\n', out);
}

// Write the entry of a command.
static void put_command(FILE *out, const struct hp_cli_command *command, size_t columns) {
    char name[NAME_MAX_SHOWN];
    bool is_help = command->id == HP_CLI_HELP;
    snprintf(name, sizeof name, "  %s%s%s", command->name, is_help ? " " : "",
             is_help ? command->arguments : "");
    put_entry(out, name, command->help, columns);
}

// Whether the command writes the format; `topic` is the command being explained, or NULL
// for all.
static bool writes(const struct hp_cli_command *topic, const char *format) {
    bool reports = topic == NULL || (topic->id & HP_CLI_REPORTS) != 0;
    return topic == NULL || (reports && hp_format_fits(format, topic->kind));
}

// Write the name of an option with its letter and value: "  -n, --limit=N".
static void print_option(char *text, const struct hp_cli_option *option) {
    char letter[] = "    ";
    if (option->letter != '\0') {
        snprintf(letter, sizeof letter, "-%c, ", option->letter);
    }
    snprintf(text, NAME_MAX_SHOWN, "  %s--%s%s%s", letter, option->name,
             option->value_name != NULL ? "=" : "",
             option->value_name != NULL ? option->value_name : "");
}

// Write the entry of an option with its choices; those of --format are only formats that
// `topic` can write.
static void put_option(FILE *out, const struct hp_cli_option *option,
                       const struct hp_cli_command *topic, size_t columns) {
    char name[NAME_MAX_SHOWN], text[TEXT_MAX];
    print_option(name, option);
    size_t used = (size_t)snprintf(text, sizeof text, "%s", option->help);
    const char *choice, *between = ": ";
    unsigned commands = topic != NULL ? topic->id : ~0U;
    for (size_t i = 0; (choice = hp_cli_choice_of(option, commands, i)) != NULL; i++) {
        if (option->value != HP_CLI_FORMAT || commands == HP_CLI_ROWS ||
            writes(topic, choice)) {
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", between,
                                     choice);
            between = ", ";
        }
    }
    if (option->needs != 0 && used < sizeof text) {
        char formats[256];
        hp_cli_option_formats(option, formats, sizeof formats);
        snprintf(text + used, sizeof text - used, "; for %s", formats);
    }
    put_entry(out, name, text, columns);
}

// Write the options of one place that the command `topic` accepts (NULL: all of them),
// below a heading if there are any.
static void put_briefs(FILE *out, const char *heading, enum hp_cli_place place,
                       const struct hp_cli_command *topic, size_t columns) {
    for (size_t i = 0; i < hp_cli_brief_count(); i++) {
        const struct hp_cli_brief *brief = hp_cli_brief(i);
        const struct hp_cli_option *option = hp_cli_brief_option(brief);
        bool is_taken = topic == NULL || (option->commands & topic->id) != 0;
        if (brief->place == place && is_taken) {
            char name[NAME_MAX_SHOWN];
            print_option(name, option);
            fputs(heading != NULL ? heading : "", out);
            heading = NULL;
            put_entry(out, name, brief->text, columns);
        }
    }
}

// Write the options that the command `topic` accepts (NULL: all options), under the
// headings of their groups.
static void put_options(FILE *out, const struct hp_cli_command *topic, size_t columns) {
    enum hp_cli_group group = HP_CLI_GROUPS;
    for (size_t i = 0; i < hp_cli_option_count(); i++) {
        const struct hp_cli_option *option = hp_cli_option(i);
        if (topic != NULL && (option->commands & topic->id) == 0) {
            continue;
        }
        if (option->group != group) {
            group = option->group;
            fprintf(out, "\n%s:\n", hp_cli_group_name(group));
        }
        put_option(out, option, topic, columns);
    }
}

// Write the formats that the command `topic` can write (NULL: all formats).
static void put_formats(FILE *out, const struct hp_cli_command *topic, size_t columns) {
    fputs("\nFormats, and names of files:\n", out);
    for (size_t i = 0; i < hp_format_count(); i++) {
        char name[NAME_MAX_SHOWN], text[TEXT_MAX];
        if (!writes(topic, hp_format_name(i))) {
            continue;
        }
        snprintf(name, sizeof name, "  %s", hp_format_name(i));
        snprintf(text, sizeof text, "%s: %s", hp_format_help(i), hp_format_files(i));
        put_entry(out, name, text, columns);
    }
}

// Write the names of the formats that a command can write.
static void put_format_names(FILE *out, const struct hp_cli_command *topic,
                             size_t columns) {
    char text[TEXT_MAX] = "Formats:";
    size_t used = strlen(text);
    for (enum hp_packing i = 0; topic->id == HP_CLI_ROWS && i <= HP_PACKING_NONE; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, " %s%s",
                                 hp_packing_ending(i) + 1,
                                 i == HP_PACKING_GZIP ? " (for Spark)" : "");
    }
    for (size_t i = 0; i < hp_format_count(); i++) {
        if (writes(topic, hp_format_name(i)) && used < sizeof text) {
            used += (size_t)snprintf(text + used, sizeof text - used, " %s",
                                     hp_format_name(i));
        }
    }
    fputc('\n', out);
    put_paragraph(out, text, columns);
}

// Write the help of one command: its purpose, and the options that its users need most.
static void put_brief_topic(FILE *out, const struct hp_cli_command *topic,
                            size_t columns) {
    char line[TEXT_MAX];
    snprintf(line, sizeof line, "Usage: hprof-agg %s %s%s", topic->name,
             (topic->id & HP_CLI_REPORTS) != 0 ? "[OPTIONS] " : "", topic->arguments);
    put_paragraph(out, line, columns);
    fputc('\n', out);
    snprintf(line, sizeof line, "%s: %s.", topic->name, topic->help);
    put_paragraph(out, line, columns);
    put_briefs(out, "\nOptions\n", HP_CLI_WITH_COMMAND, topic, columns);
    put_briefs(out, "\nCommon options\n", HP_CLI_ON_FIRST_SCREEN, topic, columns);
    if ((topic->id & HP_CLI_READS) != 0) {
        put_format_names(out, topic, columns);
        snprintf(line, sizeof line, "All options: hprof-agg help --all %s", topic->name);
        put_paragraph(out, line, columns);
    }
}

// Write all that concerns one command.
static void put_topic(FILE *out, const struct hp_cli_command *topic, size_t columns) {
    char line[TEXT_MAX];
    bool has_options = (topic->id & HP_CLI_REPORTS) != 0;
    snprintf(line, sizeof line, "Usage: hprof-agg %s %s%s", topic->name,
             has_options ? "[OPTIONS] " : "", topic->arguments);
    put_paragraph(out, line, columns);
    fputc('\n', out);
    snprintf(line, sizeof line, "%s: %s.", topic->name, topic->help);
    put_paragraph(out, line, columns);
    put_options(out, topic, columns);
    if (has_options) {
        put_formats(out, topic, columns);
    }
}

// Write the built-in rules like a file of rules, except for those that such a file cannot
// express.
static void put_frame_rules(FILE *out) {
    fputs(
        "# What frames are, and which of them --frames=no-std leaves out: allocator, start-up,\n"
        "# wrapper and standard; no-libs also leaves out library, no-alloc allocator only.  The\n"
        "# first rule that fits counts; those of --wrapper, --own, --frame-rules=FILE and the\n"
        "# file that HPROF_AGG_FRAME_RULES names come first.  FILE has lines as these,\n"
        "# class<TAB>field<TAB>regular expression, for the fields name, file and module.\n"
        "# Names are looked at without the type that they return, parameters, template\n"
        "# arguments and what compilers put behind them; rules of FILE look at whole names,\n"
        "# too.  A nameless frame in no module is of the class none, like the first rule's.\n"
        "#\n"
        "# class\tfield\tregular expression\n",
        out);
    for (size_t i = 0; i < hp_known_rule_count(); i++) {
        struct hp_known_rule rule = hp_known_rule(i);
        fprintf(out, "\n# %s: %s", rule.note, rule.name);
        fprintf(out, "%s%s", *rule.file != '\0' ? " of " : "", rule.file);
        fprintf(out, "%s%s", *rule.module != '\0' ? " in " : "", rule.module);
        fprintf(out, "\n%s\t%s\t%s\n", rule.makes, rule.field, rule.pattern);
    }
}

// The commands of the first screen.
static const struct {
    const char *heading; // begins a group of commands; NULL: of the last one
    unsigned id;
    const char *arguments, *text;
} everyday[] = {
    {"What holds memory", HP_CLI_TOP, "",
     "functions that hold the most (the default command)"},
    {NULL, HP_CLI_TREE, "", "call tree from main down; --invert from the leaves up"},
    {NULL, HP_CLI_PEEK, " REGEX", "callers and callees of matching functions"},
    {NULL, HP_CLI_LIST, " REGEX", "annotated source of matching functions"},
    {NULL, HP_CLI_STACKS, "", "single call stacks"},
    {NULL, HP_CLI_INFO, "", "what the files are; why names or data are missing"},
    {"What changed", HP_CLI_DIFF, " BASE NEW",
     "two dumps, or BASE... --to NEW...: is it significant?"},
    {NULL, HP_CLI_TREND, "", "which functions grow over many dumps of a process"},
    {"Where the rest is", HP_CLI_ACCOUNT, "",
     "why RSS is larger than the profile (needs --stats)"},
    {NULL, HP_CLI_LIFETIME, "", "how much of what was allocated is still live"},
    {"How to sample", HP_CLI_PLAN, "",
     "which sample period finds a change, and its cost"},
    {NULL, HP_CLI_DOCTOR, " PROGRAM",
     "why a program (or PID) writes no profile, and a cure"},
    {"Files", HP_CLI_MERGE, " -o FILE",
     "combine dumps into one file, or convert to another format"},
    {NULL, HP_CLI_ROWS, " -o DIR", "dumps as rows for SQL: DuckDB, ClickHouse, Spark"},
};

// Write the first screen.
static void put_first_screen(FILE *out, size_t columns) {
    put_paragraph(out, "Usage: hprof-agg [COMMAND] [OPTIONS] FILE...", columns);
    fputc('\n', out);
    put_paragraph(out,
                  "Find out which functions hold memory, from heap profiles written by "
                  "jemalloc, tcmalloc, gperftools or Go. FILE may be a folder, or - for "
                  "standard input.",
                  columns);
    for (size_t i = 0; i < sizeof everyday / sizeof *everyday; i++) {
        char name[NAME_MAX_SHOWN];
        if (everyday[i].heading != NULL) {
            fprintf(out, "%s%s\n", i == 0 ? "\n" : "", everyday[i].heading);
        }
        snprintf(name, sizeof name, "  %s%s", hp_cli_command_by_id(everyday[i].id)->name,
                 everyday[i].arguments);
        put_entry(out, name, everyday[i].text, columns);
    }
    put_briefs(out, "\nCommon options\n", HP_CLI_ON_FIRST_SCREEN, NULL, columns);
    fputc('\n', out);
    put_paragraph(
        out,
        "hprof-agg help COMMAND shows its options, hprof-agg help --all "
        "everything. Coming from jeprof? Use hprof-jeprof with your old options.",
        columns);
}

// Write all commands, options and formats.
static void put_all(FILE *out, size_t columns) {
    put_paragraph(out, "Usage: hprof-agg [COMMAND] [OPTIONS] FILE...", columns);
    fputc('\n', out);
    put_paragraph(out,
                  "A FILE is a heap profile, plain, gzip or zstd, recognized by its "
                  "content; a folder of them; or - for standard input. Binaries are "
                  "found through the dumps.",
                  columns);
    fputs("\nCommands:\n", out);
    for (size_t i = 0; i < hp_cli_command_count(); i++) {
        put_command(out, hp_cli_command(i), columns);
    }
    put_options(out, NULL, columns);
    put_formats(out, NULL, columns);
    fputc('\n', out);
    put_paragraph(
        out,
        "A format that merge writes, or one command alone, is a command too: hprof-agg "
        "folded INPUT... is hprof-agg merge --format=folded INPUT..., and hprof-agg "
        "difffolded is hprof-agg diff --format=difffolded.",
        columns);
}

// Write the help: the first screen, that of a command, or everything about one or all.
static void put_help(FILE *out, const struct hp_cli_settings *settings, size_t columns) {
    if (settings->topic != NULL && settings->explains_all) {
        put_topic(out, settings->topic, columns);
    } else if (settings->topic != NULL) {
        put_brief_topic(out, settings->topic, columns);
    } else if (settings->explains_all) {
        put_all(out, columns);
    } else {
        put_first_screen(out, columns);
    }
}

void hp_cli_usage_print_short(FILE *out) {
    fputs("Usage: hprof-agg [COMMAND] [OPTIONS] FILE...\nCommands:", out);
    for (size_t i = 0; i < hp_cli_command_count(); i++) {
        fprintf(out, "%s %s", i > 0 ? "," : "", hp_cli_command(i)->name);
    }
    fputs("\nSee hprof-agg --help\n", out);
}

// Write text to standard output; failures are errors.
static int write_all(const char *text, size_t size, struct hp_err *err) {
    struct hp_cli_outfile out;
    int ret = hp_cli_outfile_open(&out, NULL, err);
    if (ret == HP_OK && hp_cli_outfile_write(&out, text, size) != 0) {
        ret = hp_cli_outfile_failed(&out, err);
    }
    return ret == HP_OK ? hp_cli_outfile_commit(&out, err) : ret;
}

int hp_cli_usage_run(const struct hp_cli_settings *settings, struct hp_err *err) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL) {
        hp_cli_out_of_memory(BUFSIZ, NULL);
    }
    if (settings->command->id == HP_CLI_VERSION && settings->licenses) {
        fputs(hp_cli_licenses, out);
    } else if (settings->command->id == HP_CLI_VERSION && settings->features) {
        const char *missing = hp_sandbox_missing();
        fprintf(out, "%ssandbox %s%s\n", hp_features(), *missing ? "lacks " : "yes",
                missing);
    } else if (settings->command->id == HP_CLI_VERSION) {
        fprintf(out, "hprof-agg %s\n", hp_version());
    } else if (settings->explains_frames) {
        put_frame_rules(out);
    } else if (settings->explains_formats) {
        put_formats(out, NULL, hp_cli_columns(STDOUT_FILENO));
    } else {
        put_help(out, settings, hp_cli_columns(STDOUT_FILENO));
    }
    if (fclose(out) != 0) {
        hp_cli_out_of_memory(size, NULL);
    }
    int ret = write_all(text, size, err);
    free(text);
    return ret;
}
