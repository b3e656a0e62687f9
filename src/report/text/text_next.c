// The command that answers the next question, as a line to paste into a shell:
//
//     next: hprof-agg peek '^mariadbd\+0xef80b1$' mariadbd.15432.12.i12.heap
//
// It is one of those in JSON's "next": `list` if the source of the first row can be read,
// else `peek`.  There \Q and \E quote a name in full; here it is the function's own name,
// with a backslash before each character that needs it.
#include "report/text/text.h"

#include "report/next_commands.h"
#include "view/report_list.h"
#include "view/report_peek.h"

#include <string.h>

enum {
    MOST_CELLS = 100, // of the line without options for reading, if it names the inputs
    PATTERN = 2,      // the argument of a command that is its pattern, if it has one
};

// --- words of a shell ---------------------------------------------------------------------

// Whether a word needs no quotes.
static bool is_plain(struct hp_span word) {
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./:=@%+,";
    bool is_good = word.size > 0;
    for (size_t i = 0; i < word.size; i++) {
        is_good &= memchr(plain, word.at[i], sizeof plain - 1) != NULL;
    }
    return is_good;
}

// Append a word, in single quotes if it needs them.
static void append_word(struct hp_buffer *line, struct hp_span word) {
    bool is_bare = is_plain(word);
    hp_buffer_append(line, hp_span_of(is_bare ? " " : " '"));
    for (size_t i = 0; i < word.size; i++) {
        bool is_quote = word.at[i] == '\'';
        hp_buffer_append(line, is_quote ? hp_span_of("'\\''")
                                        : (struct hp_span){word.at + i, 1});
    }
    hp_buffer_append(line, hp_span_of(is_bare ? "" : "'"));
}

// Append an argument, with the text between \Q and \E as a usual pattern.
static void append_argument(struct hp_buffer *line, struct hp_span argument) {
    struct hp_buffer word = {0};
    bool is_quoted = false;
    for (size_t i = 0; i < argument.size; i++) {
        struct hp_span rest = hp_span_from(argument, i);
        if (hp_span_starts(rest, is_quoted ? "\\E" : "\\Q")) {
            is_quoted = !is_quoted;
            i++;
            continue;
        }
        bool is_special = is_quoted && memchr("\\^$.[]|()?*+{}", rest.at[0], 14);
        hp_buffer_append(&word, hp_span_of(is_special ? "\\" : ""));
        hp_buffer_append(&word, (struct hp_span){rest.at, 1});
    }
    append_word(line, hp_buffer_span(&word));
    hp_vec_done(&word.text);
}

// Append an option, or "", with a pattern that matches this name only.
static void append_name(struct hp_buffer *line, const char *option, struct hp_span name) {
    struct hp_buffer pattern = {0};
    hp_buffer_append(&pattern, hp_span_of(option));
    hp_buffer_append(&pattern, hp_span_of("^\\Q"));
    hp_buffer_append(&pattern, name);
    hp_buffer_append(&pattern, hp_span_of("\\E$"));
    append_argument(line, hp_buffer_span(&pattern));
    hp_vec_done(&pattern.text);
}

// --- the line -----------------------------------------------------------------------------

// Whether the inputs are files that the same command could read again by their names.
static bool are_files(const struct hp_view *view) {
    bool are = true;
    for (size_t i = 0; i < view->head.input_count; i++) {
        const struct hp_input_record *input = &view->head.inputs[i];
        bool is_named = input->public.name[0] && input->public.name[0] != '-';
        are &= is_named && input->source == 0 && (!input->archive || !*input->archive);
    }
    return are && view->head.input_count > 0;
}

// Append the inputs of the command line, or all inputs by their names.  Returns false if
// they cannot be read again, or need more than `most` cells of the line.
static bool append_names(struct hp_buffer *line, const struct hp_view *view,
                         size_t most) {
    const struct hp_text_options *text = &view->options.text;
    size_t first = text->again ? text->again_options : 0;
    size_t end = text->again ? text->again_count : view->head.input_count;
    bool fits = text->again ? end > 0 : are_files(view);
    for (size_t i = first; fits && i < end; i++) {
        const char *name =
            text->again ? text->again[i] : view->head.inputs[i].public.name;
        append_word(line, hp_span_of(name));
        fits = name[0] != '-' && hp_text_cells(hp_buffer_span(line), false) <= most;
    }
    return fits;
}

// Append the options that say how inputs are read, and the inputs if the line has room for
// them in `most` cells, else "FILE...".
static void append_inputs(struct hp_buffer *line, const struct hp_view *view,
                          enum hp_report_kind kind, size_t most) {
    const struct hp_text_options *text = &view->options.text;
    bool is_redacted = hp_view_is_redacted(view);
    most -= hp_text_cells(hp_buffer_span(line), false);
    for (size_t i = 0; i < text->again_options && !is_redacted; i++) {
        bool hides_names = strcmp(text->again[i], "--no-symbols") == 0;
        // info says why there are no names
        if (!hp_reports[kind]->explains_inputs || !hides_names) {
            append_word(line, hp_span_of(text->again[i]));
        }
    }
    size_t before = line->text.count;
    most += hp_text_cells(hp_buffer_span(line), false);
    if (is_redacted || !append_names(line, view, most)) {
        line->text.count = before;
        hp_buffer_append(line, hp_span_of(" FILE..."));
    }
}

// Return the command to show: list if it can show source, else peek, else the first one;
// NULL: there is none.
static const struct hp_next_command *choose(const struct hp_next *next,
                                            const struct hp_view *view) {
    const struct hp_next_command *command, *found = NULL;
    bool has_source = hp_source_exists(view, next->first_file);
    hp_vec_each (command, &next->commands) {
        const struct hp_report *report = hp_reports[command->kind];
        bool is_list = report->shows_source && has_source;
        bool is_peek = report->takes_pattern && !report->shows_source && !found;
        found = is_list || is_peek ? command : found;
    }
    return found || next->commands.count == 0 ? found : next->commands.at;
}

// Return the room of the line with a command, in cells.  A pattern of several functions
// does not count: the line is there to be pasted.
static size_t room_of(const struct hp_next_command *command) {
    size_t room = MOST_CELLS;
    for (size_t i = 0; i < command->arguments.count; i++) {
        const char *argument = command->arguments.at[i];
        room += strncmp(argument, "--wrapper=", 10) == 0 ? strlen(argument) : 0;
    }
    return room;
}

void hp_text_wrapper_hint(struct hp_sink *out, const struct hp_view *view) {
    if (!hp_neighbors_may_wrap(view)) {
        return;
    }
    struct hp_span name = hp_view_name(view, 0);
    struct hp_buffer word = {0};
    append_name(&word, "--wrapper=", name);
    hp_sink_print(out, HP_MESSAGE("if-wrapper", "if it is an allocation wrapper:"));
    hp_sink_escaped(out, hp_buffer_span(&word));
    hp_vec_done(&word.text);
}

void hp_text_next(struct hp_sink *out, const struct hp_view *view) {
    struct hp_next next;
    hp_next_init(&next, view);
    const struct hp_next_command *command = choose(&next, view);
    if (command) {
        struct hp_buffer line = {0};
        hp_buffer_append(&line, hp_span_of("next:"));
        for (size_t i = 0; i < command->arguments.count; i++) {
            if (i == PATTERN && command->own_name) {
                append_name(&line, "", hp_span_of(command->own_name));
            } else {
                append_argument(&line, hp_span_of(command->arguments.at[i]));
            }
        }
        append_inputs(&line, view, command->kind, room_of(command));
        hp_sink_escaped(out, hp_buffer_span(&line));
        hp_vec_done(&line.text);
    }
    hp_next_done(&next);
}
