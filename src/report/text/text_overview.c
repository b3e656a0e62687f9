// The screen of info: what the inputs are, and what is wrong with them.
//
//     3 dumps of 2 processes, jemalloc heap_v2, sample period 512 KiB, 1 skipped
//     warning: ...
//
//         in use  stacks  status      input
//       58.4 MiB     133  used        app.7.2.i2.heap
//       12.1 MiB      90  other dump  app.7.1.i1.heap
//                         skipped     cut.heap
//                                     line 12: expected a stack or the memory map
//
//     frames  symbols         file
//         12  file not found  /usr/sbin/mariadbd
//                             debuginfod-find debuginfo 289ee39f
//     7 binaries have no problem
//
// Of many inputs only those with a problem are shown, and of binaries always.  All facts
// follow with --verbose: text_info.c.
#include "report/text/text_info_partial.h"
#include "report/text/text_table.h"

#include <stdio.h>
#include <string.h>

enum {
    MOST_INPUTS = 20, // rows of inputs, at most
    MOST_MODULES = 20,
    COUNT_WIDTH = 7,
    STATUS_WIDTH = 10,
    SYMBOLS_WIDTH = 8, // at least
};

// --- headline -----------------------------------------------------------------------------

// Number of inputs that have a status.
static size_t count_status(const struct hp_view *view, enum hp_input_status status) {
    size_t count = 0;
    for (size_t i = 0; i < view->head.input_count; i++) {
        count += view->head.inputs[i].public.status == status;
    }
    return count;
}

// Write "10 dumps of 2 processes".
static void put_dumps(struct hp_sink *out, const struct hp_view *view) {
    const struct hp_processes *processes = view->head.processes;
    size_t count = processes->all.count;
    uint64_t dumps = view->head.input_count - count_status(view, HP_INPUT_IGNORED);
    bool has_groups = false;
    for (size_t i = 0; i < view->head.input_count; i++) {
        has_groups |= hp_text_is_group(&view->head.inputs[i]);
        dumps += view->head.inputs[i].others;
    }
    hp_sink_print(out, "%llu dump%s", (unsigned long long)dumps, dumps == 1 ? "" : "s");
    if (count > 0 && processes->others == 0 && !has_groups) {
        hp_sink_print(out, " of %zu process%s", count, count == 1 ? "" : "es");
    }
}

// Write how many inputs have problems: ", 1 skipped, 2 damaged"; ", all intact".
static void put_problems(struct hp_sink *out, const struct hp_view *view) {
    static const struct {
        enum hp_input_status status;
        const char *word;
    } problems[] = {
        {HP_INPUT_SKIPPED, "skipped"},    {HP_INPUT_REPLACED, "replaced"},
        {HP_INPUT_YOUNG, "too new"},      {HP_INPUT_KEPT_DAMAGED, "damaged"},
        {HP_INPUT_DUPLICATE, "repeated"},
    };

    size_t found = 0;
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
        size_t count = count_status(view, problems[i].status);
        if (count > 0) {
            hp_sink_print(out, ", %zu %s", count, problems[i].word);
        }
        found += count;
    }
    hp_sink_text(out, found == 0 ? ", all intact" : "");
}

static void put_headline(struct hp_sink *out, const struct hp_view *view) {
    const struct hp_input_summary *summary = &view->head.summary[HP_SIDE_ALL];
    char period[HP_NUMBER_SIZE];
    put_dumps(out, view);
    if (summary->producer) {
        hp_sink_print(out, ", %s", summary->producer);
    }
    if (summary->periods.count == 1 && summary->periods.at[0] > 1) {
        hp_format_size(period, summary->periods.at[0]);
        hp_sink_print(out, ", sample period %s", period);
    } else if (summary->periods.count > 1) {
        hp_sink_text(out, ", mixed sample periods");
    }
    put_problems(out, view);
    hp_sink_text(out, "\n");
}

// --- inputs -------------------------------------------------------------------------------

// What became of an input, in one or two words.
static const char *status_of(const struct hp_view *view, size_t number) {
    static const char *const words[] = {
        [HP_INPUT_USED] = "used",
        [HP_INPUT_KEPT_DAMAGED] = "damaged",
        [HP_INPUT_SKIPPED] = "skipped",
        [HP_INPUT_DUPLICATE] = "repeated",
        [HP_INPUT_IGNORED] = "ignored",
        [HP_INPUT_YOUNG] = "too new",
        [HP_INPUT_OTHER_MOMENT] = "other dump",
        [HP_INPUT_REPLACED] = "replaced",
    };
    const struct hp_input_record *input = &view->head.inputs[number];
    if (input->public.status != HP_INPUT_USED || !hp_input_is_used(input)) {
        return words[input->public.status];
    }
    uint32_t chosen = view->head.processes->all.at[input->process].chosen;
    return words[chosen == HP_NO_INPUT || chosen == number ? HP_INPUT_USED
                                                           : HP_INPUT_OTHER_MOMENT];
}

// Append a name, shortened to the room of the table.
static void name_row(struct hp_text_table *table, struct hp_span name) {
    struct hp_text_cut cut = {.room = table->room,
                              .is_ascii = table->page->view->options.text.ascii};
    struct hp_buffer safe = {0};
    hp_text_append_safe(&safe, name);
    hp_text_cut_path(&table->name, hp_buffer_span(&safe), &cut);
    hp_vec_done(&safe.text);
}

// Write why an input is not used, or not used completely, below its row.
static void put_reason(struct hp_text_table *table, const struct hp_input *input) {
    struct hp_text_draft reason;
    if (!input->err) {
        return;
    }
    hp_text_draft_init(&reason);
    if (input->err->line > 0) {
        hp_sink_print(&reason.out, "line %llu: ", (unsigned long long)input->err->line);
    }
    hp_sink_text(&reason.out, input->err->message);
    if (input->err->sys != 0) {
        hp_sink_print(&reason.out, ": %s", strerror(input->err->sys));
    }
    struct hp_text_cut cut = {.room = table->room,
                              .is_ascii = table->page->view->options.text.ascii};
    struct hp_buffer safe = {0};
    hp_text_append_safe(&safe, hp_text_draft_end(&reason));
    hp_text_cut_text(&table->name, hp_buffer_span(&safe), &cut);
    hp_vec_done(&safe.text);
    hp_text_draft_done(&reason);
    hp_text_table_put(table, HP_TEXT_CELLS);
}

// The metric of the column of bytes: in use, or allocated if no input has that.
static enum hp_metric metric_of(const struct hp_view *view) {
    return hp_view_has_metric(view, HP_INUSE_SPACE) ? HP_INUSE_SPACE : HP_ALLOC_SPACE;
}

// Write the row of an aggregate file of many dumps, and what is in it.
static void put_partial(struct hp_text_table *table, const struct hp_view *view,
                        size_t i) {
    const struct hp_input_record *first = &view->head.inputs[i];
    struct hp_text_group_sums sums = hp_text_group_sums(view, i);
    struct hp_text_cell *cells = table->cells.at;
    struct hp_text_draft draft;
    cells[0] = hp_text_amount_cell(sums.total.of[metric_of(view)], NULL);
    cells[1] =
        (struct hp_text_cell){.kind = HP_TEXT_COUNT, .number = (double)sums.stacks};
    cells[2] = (struct hp_text_cell){.kind = HP_TEXT_WORD, .text = "used"};
    name_row(table, hp_span_of(first->public.name));
    hp_text_table_put(table, HP_TEXT_CELLS);
    hp_text_draft_init(&draft);
    hp_sink_print(&draft.out, "aggregate file of %llu dumps\n",
                  (unsigned long long)sums.dumps);
    hp_text_put_labels(&draft.out, view, first->source);
    hp_sink_put(&table->page->lines, hp_text_draft_end(&draft).at,
                hp_text_draft_end(&draft).size);
    hp_text_draft_done(&draft);
}

// Write the row of an input.
static void put_input(struct hp_text_table *table, const struct hp_view *view, size_t i) {
    const struct hp_input_record *input = &view->head.inputs[i];
    struct hp_text_cell *cells = table->cells.at;
    enum hp_metric metric = metric_of(view);
    enum hp_input_status status = input->public.status;
    bool is_read = hp_input_is_used(input) || status == HP_INPUT_OTHER_MOMENT;
    if (is_read && hp_input_has_metric(input, metric)) {
        cells[0] = hp_text_amount_cell(hp_input_whole(input).of[metric], NULL);
    }
    if (is_read) {
        cells[1] =
            (struct hp_text_cell){.kind = HP_TEXT_COUNT, .number = (double)input->stacks};
    }
    cells[2] = (struct hp_text_cell){.kind = HP_TEXT_WORD, .text = status_of(view, i)};
    name_row(table, hp_span_of(input->public.name));
    hp_text_table_put(table, HP_TEXT_CELLS);
    put_reason(table, &input->public);
}

// Whether an input is shown although there are many.
static bool has_problem(const struct hp_input *input) {
    return input->status != HP_INPUT_USED && input->status != HP_INPUT_OTHER_MOMENT;
}

// Whether an input has a row: of the groups of an aggregate file only the first has one.
static bool has_row(const struct hp_view *view, size_t i) {
    return !hp_text_is_group(&view->head.inputs[i]) || hp_text_is_first_group(view, i);
}

static void put_inputs(struct hp_text_page *page, const struct hp_view *view) {
    struct hp_text_table table;
    size_t count = 0, shown = 0;
    for (size_t i = 0; i < view->head.input_count; i++) {
        count += has_row(view, i);
    }
    hp_text_table_init(&table, page);
    table.metric = HP_INUSE_SPACE;
    table.title = "input";
    hp_text_table_add(&table, metric_of(view) == HP_INUSE_SPACE ? "in use" : "allocated",
                      hp_text_widths_of(view).amount, 3);
    hp_text_table_add(&table, "stacks", COUNT_WIDTH, 2);
    hp_text_table_add(&table, "status", STATUS_WIDTH, 0);
    hp_text_table_fit(&table, 1);
    for (size_t i = 0; i < view->head.input_count && shown < MOST_INPUTS; i++) {
        bool is_shown = has_row(view, i) && (count <= MOST_INPUTS ||
                                             has_problem(&view->head.inputs[i].public));
        if (is_shown && shown++ == 0) {
            hp_text_table_put(&table, HP_TEXT_TITLES);
        }
        if (is_shown && hp_text_is_first_group(view, i)) {
            put_partial(&table, view, i);
        } else if (is_shown) {
            put_input(&table, view, i);
        }
    }
    if (shown < count) {
        hp_sink_print(&page->lines,
                      HP_MESSAGE("info-more-inputs", "%s%zu %s (-v: all)\n"),
                      shown > 0 ? "… " : "", count - shown,
                      shown > 0 ? "more" : "inputs have no problem");
    }
    hp_text_table_done(&table);
}

// --- binaries -----------------------------------------------------------------------------

// Whether the reader must know about a binary: it lacks names, or may be another build.
static bool is_wrong(const struct hp_module *module) {
    bool lacks_names = module->status >= HP_SYM_NO_FILE;
    return module->kind == HP_MODULE_FILE &&
           (lacks_names || module->nameless > 0 || module->lacks_inlines ||
            module->returns.failed > 0 || module->proof == HP_PROOF_OPEN);
}

// The problem of a binary, in few words.
static const char *problem_of(const struct hp_module *module) {
    bool has_names = module->status < HP_SYM_NO_FILE;
    return module->status == HP_SYM_STRIPPED    ? "stripped"
           : has_names && module->lacks_inlines ? "no inlined calls"
           : module->nameless > 0               ? "some without names"
           : has_names                          ? "may be another build"
                                                : hp_sym_status_text(module->status);
}

// Set the width of the column of problems.
static int problem_width(const struct hp_view *view) {
    size_t width = SYMBOLS_WIDTH;
    for (uint32_t i = 1; i < hp_view_module_count(view); i++) {
        const struct hp_module *module = hp_view_module(view, (hp_module_id){i});
        size_t size = is_wrong(module) ? strlen(problem_of(module)) : 0;
        width = size > width ? size : width;
    }
    return (int)width;
}

// Write the row of a binary, and the command that fetches its names.
static void put_module(struct hp_text_table *table, const struct hp_view *view,
                       const struct hp_module *module, size_t frames) {
    struct hp_text_cell *cells = table->cells.at;
    struct hp_text_draft fetch;
    cells[0] = (struct hp_text_cell){.kind = HP_TEXT_COUNT, .number = (double)frames};
    cells[1] = (struct hp_text_cell){.kind = HP_TEXT_WORD, .text = problem_of(module)};
    name_row(table, hp_view_string(view, module->path));
    hp_text_table_put(table, HP_TEXT_CELLS);
    hp_text_draft_init(&fetch);
    hp_text_fetch(&fetch.out, view, module);
    struct hp_span command = hp_text_draft_end(&fetch);
    if (command.size > 0) {
        hp_sink_print(&table->page->lines, "%*s", COUNT_WIDTH + 2, "");
        hp_sink_put(&table->page->lines, command.at, command.size);
        hp_sink_text(&table->page->lines, "\n");
    }
    hp_text_draft_done(&fetch);
}

static void put_modules(struct hp_text_page *page, const struct hp_view *view) {
    struct hp_text_table table;
    size_t *frames = hp_view_frame_counts(view), good = 0, shown = 0, wrong = 0;
    hp_text_table_init(&table, page);
    table.title = "file";
    hp_text_table_add(&table, "frames", COUNT_WIDTH, 2);
    hp_text_table_add(&table, "symbols", problem_width(view), 0);
    hp_text_table_fit(&table, 1);
    for (uint32_t i = 1; i < hp_view_module_count(view); i++) {
        const struct hp_module *module = hp_view_module(view, (hp_module_id){i});
        bool is_shown = is_wrong(module) && frames[i] > 0;
        good += !is_shown && module->kind == HP_MODULE_FILE && frames[i] > 0;
        wrong += is_shown;
        if (is_shown && shown == 0) {
            hp_sink_text(&page->lines, "\n");
            hp_text_table_put(&table, HP_TEXT_TITLES);
        }
        if (is_shown && shown < MOST_MODULES) {
            put_module(&table, view, module, frames[i]);
            shown++;
        }
    }
    if (wrong > shown) {
        hp_sink_print(&page->lines,
                      HP_MESSAGE("info-more-files", "… %zu more (-v: all)\n"),
                      wrong - shown);
    }
    if (good > 0) {
        hp_sink_print(&page->lines,
                      HP_MESSAGE("info-good-files",
                                 "%s%zu binar%s no problem (-v: all)\n"),
                      wrong > 0 ? "" : "\n", good, good == 1 ? "y has" : "ies have");
    }
    hp_text_table_done(&table);
    free(frames);
}

// --- all ----------------------------------------------------------------------------------

void hp_text_overview(struct hp_text_page *page, const struct hp_view *view) {
    put_headline(&page->lines, view);
    if (view->head.shards.count > 0) { // its sentence is the first one
        hp_sink_escaped(&page->lines, hp_view_source(view, 0));
        hp_sink_text(&page->lines, "\n");
    }
    hp_text_warnings(&page->lines, view);
    hp_sink_text(&page->lines, "\n");
    put_inputs(page, view);
    put_modules(page, view);
    hp_text_advice(&page->lines, view);
    hp_text_details(&page->lines, view, hp_text_info);
}
