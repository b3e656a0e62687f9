// Write tables of Markdown for docs/reference/options.md:
//
// | option | |
// |---|---|
// | `-n`, `--limit=N` | show N rows of text, 0 for all (default 50) |
#include "cli/generator.h"

#include "cli/choice.h"
#include "cli/option.h"

#include <stdbool.h>
#include <string.h>

enum {
    // Buffer of a line of the page, with its NUL; longer lines are copied in pieces.
    LINE_MAX_BYTES = 4096,
};

// Write the text of a cell of a table.  "|" is escaped, in code also, as it would end the
// cell; "<" is escaped outside of code, as it would begin a tag.
static void put_cell(FILE *out, const char *text, bool is_code) {
    for (; *text != '\0'; text++) {
        if (*text == '<' && !is_code) {
            fputs("&lt;", out);
        } else {
            fprintf(out, "%s%c", *text == '|' ? "\\" : "", *text);
        }
    }
}

// Write the row of one option.
static void put_option(FILE *out, const struct hp_cli_option *option) {
    const char *choice;
    fputs("| ", out);
    if (option->letter != '\0') {
        fprintf(out, "`-%c`, ", option->letter);
    }
    fprintf(out, "`--%s%s", option->name, option->value_name != NULL ? "=" : "");
    put_cell(out, option->value_name != NULL ? option->value_name : "", true);
    fputs("` | ", out);
    put_cell(out, option->help, false);
    for (size_t i = 0; (choice = hp_cli_choice(option, i)) != NULL; i++) {
        fprintf(out, "%s`%s`", i == 0 ? ": " : ", ", choice);
    }
    if (option->needs != 0) {
        char formats[256];
        hp_cli_option_formats(option, formats, sizeof formats);
        fprintf(out, "; for %s", formats);
    }
    fputs(" |\n", out);
}

// Write a table for each group of options.
static void put_options(FILE *out) {
    for (size_t i = 0; i < hp_cli_option_count(); i++) {
        enum hp_cli_group group = hp_cli_option(i)->group;
        if (i == 0 || hp_cli_option(i - 1)->group != group) {
            fprintf(out, "\n| %s | |\n|---|---|\n", hp_cli_group_name(group));
        }
        put_option(out, hp_cli_option(i));
    }
    fputc('\n', out);
}

// Write the table of formats.
static void put_formats(FILE *out) {
    fputs("| Format | | files |\n|---|---|---|\n", out);
    for (size_t i = 0; i < hp_format_count(); i++) {
        fprintf(out, "| `%s` | ", hp_format_name(i));
        put_cell(out, hp_format_help(i), false);
        fprintf(out, " | `%s` |\n", hp_format_files(i));
    }
    fputc('\n', out);
}

void hp_cli_reference(FILE *page, FILE *out) {
    char line[LINE_MAX_BYTES];
    bool is_replaced = false;
    while (fgets(line, sizeof line, page) != NULL) {
        is_replaced &= strcmp(line, "<!-- end of options -->\n") != 0;
        if (!is_replaced) {
            fputs(line, out);
        }
        if (strcmp(line, "<!-- options -->\n") == 0) {
            put_options(out);
            put_formats(out);
            is_replaced = true;
        }
    }
}
