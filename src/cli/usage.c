#include "cli/usage.h"

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
    return topic == NULL || hp_format_fits(format, topic->kind);
}

// Write the entry of an option with its choices; those of --format are only formats that
// `topic` can write.
static void put_option(FILE *out, const struct hp_cli_option *option,
                       const struct hp_cli_command *topic, size_t columns) {
    char name[NAME_MAX_SHOWN], letter[] = "    ", text[TEXT_MAX];
    if (option->letter != '\0') {
        snprintf(letter, sizeof letter, "-%c, ", option->letter);
    }
    snprintf(name, sizeof name, "  %s--%s%s%s", letter, option->name,
             option->value_name != NULL ? "=" : "",
             option->value_name != NULL ? option->value_name : "");
    size_t used = (size_t)snprintf(text, sizeof text, "%s", option->help);
    const char *choice, *between = ": ";
    for (size_t i = 0; (choice = hp_cli_choice(option, i)) != NULL; i++) {
        if (option->value != HP_CLI_FORMAT || writes(topic, choice)) {
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

// Write the help of one command.
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
        "# What frames are, and which of them --frames=code leaves out: allocator, start-up,\n"
        "# wrapper and standard; own also leaves out library, all allocator alone.  The first\n"
        "# rule that fits counts; those of --wrapper, --own, --frame-rules=FILE and the file\n"
        "# that HPROF_AGG_FRAME_RULES names come first.  FILE has lines as these,\n"
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

// Write the help of the whole tool.
static void put_all(FILE *out, size_t columns) {
    put_paragraph(out, "Usage: hprof-agg COMMAND [OPTIONS] INPUT...", columns);
    fputc('\n', out);
    put_paragraph(
        out,
        "Read sampled native heap profiles of any number of processes, undo the "
        "sampling, add them up, name the functions, and write a report.",
        columns);
    fputc('\n', out);
    put_paragraph(
        out,
        "An INPUT is a heap profile, plain, gzip or zstd, recognised by its content; - is "
        "standard input. The binaries are found through the dumps.",
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

void hp_cli_usage_print_short(FILE *out) {
    fputs("Usage: hprof-agg COMMAND [OPTIONS] INPUT...\nCommands:", out);
    for (size_t i = 0; i < hp_cli_command_count(); i++) {
        fprintf(out, "%s %s", i > 0 ? "," : "", hp_cli_command(i)->name);
    }
    fputs("\nSee hprof-agg help for the options.\n", out);
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
    } else if (settings->topic != NULL) {
        put_topic(out, settings->topic, hp_cli_columns(STDOUT_FILENO));
    } else {
        put_all(out, hp_cli_columns(STDOUT_FILENO));
    }
    if (fclose(out) != 0) {
        hp_cli_out_of_memory(size, NULL);
    }
    int ret = write_all(text, size, err);
    free(text);
    return ret;
}
