// Commands that answer the next question of a reader, at most three.
//
// They have the thread, metric, frames and filters of the report.  The caller must append
// the inputs, the places of symbols, and the file with rules for frames: reports with the
// same contents are the same bytes, whatever these files are called.
#include "report/next_commands.h"

#include "base/utf8.h"
#include "view/charges.h"
#include "view/frame_rules.h"
#include "view/shortname.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A reader's next question, and the arguments that answer it, between "hprof-agg" and the
// options that the report itself had.
struct question {
    // The question that it answers, in words.
    const char *answers;
    enum hp_report_kind kind;
    // Option that takes the pattern, "--focus="; NULL: it is an argument
    const char *option;
    struct hp_span pattern; // name that the pattern matches exactly; empty: no pattern
    const char *more;       // a further option; or NULL
};

enum {
    WRAPPERS_ROOM = 512, // bytes of a pattern of functions that may be an allocator
};

// Share of the memory in one row from which on it is likely to be an allocator.
static const double nearly_all = 0.95;

// State of making the commands that answer a reader's next question.
struct next {
    struct hp_next *all;
    const struct hp_view *view;
};

// The function, file and module of the first row, which the commands ask about.
struct subject {
    // Name of its function: in full, which peek searches for; without parameters and
    // returned type, for filters; the bare name, for list.
    struct hp_span full, untyped, bare;
    // Source file and module of the row's node; "": not known
    struct hp_span file, module;
    // Whether its source file is known; its path in the symbols.
    bool has_lines;
    hp_string source;
    // Memory that `untyped` and `bare` may point into; owned.
    HP_VEC(char) rooms[2];
};

// --- commands -----------------------------------------------------------------------------

static void append(struct hp_buffer *text, const char *more) {
    hp_buffer_append(text, hp_span_of(more));
}

// Append a word to the command, which owns it from then on.
static void put_argument(struct hp_next_command *command, struct hp_buffer *text) {
    hp_vec_push(&text->text, '\0');
    hp_vec_push(&command->arguments, text->text.at);
}

// Write a pattern that matches this name only: ^\Qname\E$, in which a \E becomes \E\\E\Q.
static void put_pattern(struct hp_next_command *command, const char *option,
                        struct hp_span name) {
    struct hp_buffer text = {0};
    append(&text, option ? option : "");
    append(&text, "^\\Q");
    for (size_t i = 0; i + 1 < name.size;) {
        bool is_end = name.at[i] == '\\' && name.at[i + 1] == 'E';
        if (is_end) {
            hp_buffer_append(&text, (struct hp_span){name.at, i});
            append(&text, "\\E\\\\E\\Q");
            name = hp_span_from(name, i + 2);
        }
        i = is_end ? 0 : i + 1;
    }
    hp_buffer_append(&text, name);
    append(&text, "\\E$");
    put_argument(command, &text);
}

// Write an option with its value.
static void put_value(struct hp_next_command *command, const char *option,
                      struct hp_span value) {
    struct hp_buffer text = {0};
    append(&text, "--");
    append(&text, option);
    append(&text, "=");
    hp_buffer_append(&text, value);
    put_argument(command, &text);
}

// Append a word as it is.
static void put_plain(struct hp_next_command *command, const char *word) {
    struct hp_buffer text = {0};
    append(&text, word);
    put_argument(command, &text);
}

static void put_word(struct hp_next_command *command, const char *option,
                     const char *value) {
    put_value(command, option, hp_span_of(value));
}

// Write the rules for frames that have an option, and the filters.
static void put_rules(struct hp_next_command *command, const struct hp_view *view) {
    const struct hp_report_options *options = &view->options;
    for (size_t i = 0; i < options->frames.rule_count; i++) {
        const struct hp_frame_rule *rule = &options->frames.rules[i];
        bool has_option = rule->makes == HP_CLASS_WRAPPER || rule->makes == HP_CLASS_OWN;
        if (has_option && rule->field == HP_FIELD_ANY) {
            put_word(command, hp_frame_class_name(rule->makes), rule->pattern);
        }
    }
    for (size_t i = 0; i < view->filters.count; i++) {
        const struct hp_filter *filter = &view->filters.at[i];
        if (filter->rule != HP_PICK) {
            put_word(command, hp_filter_rule_text(filter->rule), filter->pattern);
        }
    }
}

// Write the options that select what is measured: thread, age, metric, frames and
// filters.
static void put_options(struct hp_next_command *command, const struct hp_view *view) {
    const struct hp_report_options *options = &view->options;
    if (view->head.thread.size > 0) {
        put_value(command, "thread", view->head.thread);
    }
    if (view->head.older_than > 0) {
        char age[HP_NUMBER_SIZE + 1];
        hp_format_double(age, (double)view->head.older_than / 1e9);
        put_word(command, "older-than", strcat(age, "s"));
    }
    if (options->metric != HP_INUSE_SPACE || view->projection) {
        put_word(command, "metric", hp_view_metric_name(view, options->metric));
    }
    if (options->frames.fold != HP_FRAMES_CODE) {
        put_word(command, "frames", hp_frames_name(options->frames.fold));
    }
    if (options->frames.no_inlines) {
        put_plain(command, "--no-inlines");
    }
    put_rules(command, view);
}

// Whether a text has only characters that every reader of JSON returns unchanged, and
// that are harmless where they are pasted.
static bool is_safe(struct hp_span text) {
    bool is_good = true;
    while (is_good && text.size > 0) {
        struct hp_utf8 c = hp_utf8_first(text);
        is_good = c.valid && c.safe;
        text = hp_span_from(text, c.size);
    }
    return is_good;
}

// Whether put_options() can write everything that selects what is measured.
static bool has_safe_options(const struct hp_view *view) {
    const struct hp_report_options *options = &view->options;
    bool is_good = is_safe(view->head.thread);
    for (size_t i = 0; is_good && i < options->frames.rule_count; i++) {
        is_good = is_safe(hp_span_of(options->frames.rules[i].pattern));
    }
    for (size_t i = 0; is_good && i < view->filters.count; i++) {
        is_good = is_safe(hp_span_of(view->filters.at[i].pattern));
    }
    return is_good;
}

// Add a command; nothing if its name is not safe.
static void put_command(struct next *next, struct question question) {
    if (!is_safe(question.pattern)) {
        return;
    }
    struct hp_next_command *command = hp_vec_push(
        &next->all->commands,
        ((struct hp_next_command){.answers = question.answers, .kind = question.kind}));
    put_plain(command, "hprof-agg");
    put_plain(command, hp_reports[question.kind]->name);
    if (question.pattern.size > 0) {
        put_pattern(command, question.option, question.pattern);
    }
    if (question.more) {
        put_plain(command, question.more);
    }
    if (hp_reports[question.kind]->build) { // options select what its rows are made of
        put_options(command, next->view);
    }
}

// --- the first row ------------------------------------------------------------------------

// Set the name of the function in the three forms that commands look for.
static void set_function(struct subject *subject, struct hp_span full) {
    for (int i = 0; i < 2; i++) {
        hp_vec_reserve(&subject->rooms[i], hp_short_name_room(full.size));
    }
    subject->full = full;
    subject->untyped = hp_untyped_name(subject->full, subject->rooms[0].at);
    subject->bare = hp_bare_name(subject->full, subject->rooms[1].at);
}

// Set `subject` to the function, file and module of the first row; a row with an origin of
// its own, as in a list, has no file or module.
static void find_subject(struct subject *subject, const struct hp_view *view) {
    hp_node_id node = {0};
    if (view->report->origin) {
        struct hp_origin own = view->report->origin(view, 0);
        set_function(subject, hp_view_string(view, own.function));
        return;
    }
    if (view->by_value) {
        const struct hp_stack_key *stack = &view->stacks.all.at[view->by_value[0]];
        node.n = stack->depth > 0 ? stack->at[0] : view->naming.empty.n;
    } else {
        node = view->rows.at[0].node;
    }
    const struct hp_origin *origin = hp_view_origin(view, node);
    set_function(subject, hp_view_string(view, origin->function));
    subject->file = hp_view_string(view, origin->file);
    subject->module = hp_view_string(view, hp_view_module(view, origin->module)->path);
    subject->source = origin->file;
    subject->has_lines = origin->file.n != 0;
}

// Whether the report has a --focus already; a second one would be an alternative, not a
// restriction.
static bool has_focus(const struct hp_view *view) {
    bool found = false;
    for (size_t i = 0; i < view->filters.count; i++) {
        found |= view->filters.at[i].rule == HP_FOCUS;
    }
    return found;
}

// --- what is asked next -------------------------------------------------------------------

// Write a command, unless it is the report itself.
static void put_other(struct next *next, struct question question) {
    if (question.kind != next->view->options.kind) {
        put_command(next, question);
    }
}

// Write the commands for a row that is a function, line or address.
static void ask_of_function(struct next *next, const struct subject *subject) {
    put_other(next, (struct question){"who calls the first row, and what it calls",
                                      HP_REPORT_PEEK, NULL, subject->full, NULL});
    if (subject->has_lines && subject->bare.size > 0) {
        put_other(next, (struct question){"which of its lines hold it", HP_REPORT_LIST,
                                          NULL, subject->bare, NULL});
    }
    // several patterns of one option are alternatives
    if (!has_focus(next->view) && subject->untyped.size > 0) {
        put_other(next, (struct question){"by which call stacks it is reached",
                                          HP_REPORT_STACKS, "--focus=", subject->untyped,
                                          "--limit=5"});
    }
}

// Write the commands for a row of a comparison or trend.
static void ask_of_change(struct next *next, const struct subject *subject) {
    const struct hp_report_options *options = &next->view->options;
    struct hp_span none = {"", 0};
    struct hp_span name = has_focus(next->view) ? none : subject->untyped;
    if (options->by != HP_BY_LINE && subject->has_lines) {
        put_command(next,
                    (struct question){"which lines of the first row changed",
                                      options->kind, "--focus=", name, "--by=line"});
    }
    if (options->sort != HP_SORT_CUM) {
        put_command(next, (struct question){"which callers changed with the first row",
                                            options->kind, "--focus=", name, "--cum"});
    }
}

// If nearly all memory is allocated in a row without a name, an allocator in the program,
// write the command that attributes it to the callers.
static void ask_of_callers(struct next *next) {
    char quoted[WRAPPERS_ROOM], option[WRAPPERS_ROOM + sizeof "--wrapper="];
    double share;
    const char *pattern = hp_likely_wrapper(next->view, &share, quoted, sizeof quoted);
    if (pattern && share >= nearly_all) {
        size_t quotes = *pattern == '\'';
        snprintf(option, sizeof option, "--wrapper=%.*s",
                 (int)(strlen(pattern) - 2 * quotes), pattern + quotes);
        put_command(next, (struct question){"who calls the first row, if it allocates "
                                            "for its callers",
                                            HP_REPORT_TOP,
                                            NULL,
                                            {"", 0},
                                            option});
    }
}

// Write the commands for a row without a name, or with one that is not safe.
static void ask_of_binary(struct next *next, bool is_named) {
    struct hp_span none = {"", 0};
    if (!is_named) {
        ask_of_callers(next);
        put_command(next,
                    (struct question){"why the first row has no name, and where its "
                                      "binary was looked for",
                                      HP_REPORT_INFO, NULL, none, NULL});
    }
    put_command(next, (struct question){"which binaries hold it", HP_REPORT_TOP, NULL,
                                        none, "--by=module"});
}

// Write the commands for a row that is a file, module or build.
static void ask_of_place(struct next *next, const struct subject *subject) {
    bool is_file = next->view->options.by == HP_BY_FILE;
    put_command(next, (struct question){"which functions of the first row hold it",
                                        HP_REPORT_TOP, "--focus=",
                                        is_file ? subject->file : subject->module, NULL});
}

// Write the commands for a row that is an input, a group of inputs, a thread, a label or
// a size.
static void ask_of_group(struct next *next) {
    bool by_size = next->view->options.by == HP_BY_SIZE;
    struct hp_span none = {"", 0};
    if (by_size) {
        put_command(next, (struct question){"which call stacks have objects of each size",
                                            HP_REPORT_STACKS, NULL, none, "--limit=5"});
    } else {
        put_command(next, (struct question){"which functions hold it, in all of them",
                                            HP_REPORT_TOP, NULL, none, NULL});
    }
}

// Write the commands for a tree.
static void ask_of_tree(struct next *next, const struct subject *subject) {
    (void)subject;
    struct hp_span none = {"", 0};
    if (!next->view->options.tree.invert) {
        put_command(next, (struct question){"which functions allocate, and from where",
                                            HP_REPORT_TREE, NULL, none, "--invert"});
    }
    put_command(next, (struct question){"which functions hold most", HP_REPORT_TOP, NULL,
                                        none, NULL});
}

// Write the commands that suit the kind of report and the kind of its rows.
static void ask(struct next *next, const struct subject *subject) {
    static void (*const own[HP_REPORT_KINDS])(struct next *, const struct subject *) = {
        [HP_REPORT_TREE] = ask_of_tree,
    };
    const struct hp_view *view = next->view;
    enum hp_granularity by = view->options.by;
    if (by == HP_BY_GROUP) {
        return; // no other report takes the name of a group
    }
    bool is_place = by == HP_BY_FILE || by == HP_BY_MODULE || by == HP_BY_BUILD;
    if (own[view->options.kind]) {
        own[view->options.kind](next, subject);
    } else if (view->report->growth) {
        ask_of_change(next, subject);
    } else if (by >= HP_BY_INPUT) {
        ask_of_group(next);
    } else if (is_place && !has_focus(view)) {
        ask_of_place(next, subject);
    } else if (subject->full.size > 0 && is_safe(subject->full)) {
        ask_of_function(next, subject);
    } else {
        ask_of_binary(next, subject->full.size > 0);
    }
}

// Set the own name of the function of commands that look for it.
static void set_own_names(struct hp_next *all, const struct subject *subject) {
    struct hp_next_command *command;
    bool is_good = subject->bare.size > 0 && is_safe(subject->bare) &&
                   !memchr(subject->bare.at, '<', subject->bare.size);
    hp_vec_each (command, &all->commands) {
        if (is_good && hp_reports[command->kind]->takes_pattern) {
            struct hp_buffer name = {0};
            hp_buffer_append(&name, subject->bare);
            hp_vec_push(&name.text, '\0');
            command->own_name = name.text.at;
        }
    }
}

void hp_next_init(struct hp_next *all, const struct hp_view *view) {
    struct next next = {all, view};
    struct subject subject = {.has_lines = false};
    *all = (struct hp_next){.first_file = {0}};
    if (hp_view_all_shown(view) > 0 && has_safe_options(view)) {
        find_subject(&subject, view);
        all->first_file = subject.source;
        ask(&next, &subject);
        set_own_names(all, &subject);
    }
    for (int i = 0; i < 2; i++) {
        hp_vec_done(&subject.rooms[i]);
    }
}

void hp_next_done(struct hp_next *all) {
    struct hp_next_command *command;
    hp_vec_each (command, &all->commands) {
        char **argument;
        hp_vec_each (argument, &command->arguments) {
            free(*argument);
        }
        hp_vec_done(&command->arguments);
        free(command->own_name);
    }
    hp_vec_done(&all->commands);
}
