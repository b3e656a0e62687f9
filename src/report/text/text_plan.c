// The report of a plan:
//
//     use lg_prof_sample:17: 3 processes a side show 5% (now 8 KiB: 3.1%)
//     128 KiB: at most 0.3% of a core (120 samples/s), profiler 1.0 MiB
//
//                        known to ±   total change shown   #1 change shown
//      samples   per s total    #1    1:1    3:3    8:8    1:1    3:3    8:8  period
//        3,151     120  1.9%  3.1%   5.1%   4.0%   2.2%   9.1%    ...         128 KiB (use)
//
// followed by the names of the rows and by notes for the columns.
#include "report/text/text_table.h"

#include "view/report_plan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    LINE_SIZE = 512, // bytes of the words above the titles
    COUNT_WIDTH = 8,
    SHARE_WIDTH = 6,
    MEMORY_WIDTH = 9,
    MOST_COLUMNS = 24,
};

// What a column shows.
enum what {
    SAMPLES,
    RATE,
    TOTAL,
    ROW,
    CHANGE,
    ROW_CHANGE,
    TREND,
    MEMORY,
};

struct plan_column {
    enum what what;
    size_t number;             // of the row, comparison or series
    char text[HP_NUMBER_SIZE]; // the present cell
};

// State of writing a plan.
struct plan_text {
    struct hp_sink *out; // lines that are not part of the table
    const struct hp_view *view;
    const struct hp_plan *plan;
    struct hp_text_table table;
    struct plan_column of[MOST_COLUMNS]; // one for each column of the table
};

// --- columns ------------------------------------------------------------------------------

// The words above columns that belong together; Markdown has none.
static const char *group_of(enum what what) {
    return what == TOTAL || what == ROW
               ? hp_words(HP_WORDS("plan-group-known", "known to ±"))
           : what == CHANGE ? hp_words(HP_WORDS("plan-group-total", "total change shown"))
           : what == ROW_CHANGE ? hp_words(HP_WORDS("plan-group-row", "#1 change shown"))
           : what == TREND ? hp_words(HP_WORDS("plan-group-trend", "growth in n dumps"))
                           : "";
}

// Format the title of a column; `is_short`: the words of its group stand above it.
static void format_title(char title[HP_NUMBER_SIZE], enum what what, size_t number,
                         bool is_short) {
    const char *of = is_short ? "" : what == ROW_CHANGE ? "#1 " : "total ";
    const char *error = is_short ? "" : " ±";
    size_t processes =
        what == CHANGE || what == ROW_CHANGE ? hp_plan_processes[number] : 0;
    switch (what) {
    case SAMPLES:
        strcpy(title, "samples");
        break;
    case RATE:
        strcpy(title, "per s");
        break;
    case TOTAL:
        snprintf(title, HP_NUMBER_SIZE, "total%s", error);
        break;
    case ROW:
        snprintf(title, HP_NUMBER_SIZE, "#%zu%s", number + 1, error);
        break;
    case CHANGE:
    case ROW_CHANGE:
        snprintf(title, HP_NUMBER_SIZE, "%s%zu:%zu", of, processes, processes);
        break;
    case TREND:
        snprintf(title, HP_NUMBER_SIZE, "%s%zu%s", is_short ? "" : "growth, ",
                 hp_plan_dumps[number], is_short ? "" : " dumps");
        break;
    case MEMORY:
        strcpy(title, "profiler");
        break;
    }
}

static void add(struct plan_text *t, enum what what, size_t number, int width,
                int leaves) {
    char title[HP_NUMBER_SIZE];
    format_title(title, what, number, t->table.page->is_aligned);
    t->of[t->table.columns.count] = (struct plan_column){what, number, ""};
    hp_text_table_add(&t->table, title, width, leaves);
}

// Add the columns, without those that do not fit.
static void add_columns(struct plan_text *t) {
    const struct hp_plan *plan = t->plan;
    add(t, SAMPLES, 0, COUNT_WIDTH, 0);
    if (!isnan(plan->of[0].rate)) {
        add(t, RATE, 0, COUNT_WIDTH - 1, 0);
    }
    add(t, TOTAL, 0, SHARE_WIDTH, 0);
    for (size_t i = 0; i < plan->row_count; i++) {
        add(t, ROW, i, SHARE_WIDTH - 1, i == 0 ? 0 : (int)(HP_PLAN_ROWS - i + 1));
    }
    for (size_t i = 0; i < HP_PLAN_COMPARISONS; i++) {
        add(t, CHANGE, i, SHARE_WIDTH, 0);
    }
    for (size_t i = 0; plan->row_count > 0 && i < HP_PLAN_COMPARISONS; i++) {
        add(t, ROW_CHANGE, i, SHARE_WIDTH - 1, 0);
    }
    for (size_t i = 0; plan->has_series && i < HP_PLAN_SERIES; i++) {
        add(t, TREND, i, SHARE_WIDTH - 1, 0);
    }
    if (!isnan(plan->of[0].memory)) {
        add(t, MEMORY, 0, MEMORY_WIDTH, (int)HP_PLAN_ROWS + 1);
    }
    hp_text_table_fit(&t->table, 1);
    t->table.title = "period";
}

// Write the words of the groups above the titles, each at the end of its columns.
static void put_groups(struct plan_text *t) {
    char line[LINE_SIZE] = "";
    size_t used = 0, end = 0;
    for (size_t i = 0; i < t->table.columns.count; i++) {
        const struct hp_text_column *column = &t->table.columns.at[i];
        const char *group = group_of(t->of[i].what);
        bool is_last = i + 1 == t->table.columns.count ||
                       group_of(t->of[i].what) != group_of(t->of[i + 1].what);
        end += column->is_gone ? 0 : (size_t)column->width + (end > 0);
        size_t cells = hp_text_cells(hp_span_of(group), false), bytes = strlen(line);
        if (is_last && cells > 0 && used + cells <= end) {
            snprintf(line + bytes, sizeof line - bytes, "%*s%s",
                     (int)(end - used - cells), "", group);
            used = end;
        }
    }
    hp_text_page_put(t->table.page, 0, hp_span_of(line));
}

// Whether a column shows a row: the first one is also in comparisons.
static bool shows_row(const struct plan_text *t, size_t row) {
    bool found = row == 0;
    for (size_t i = 0; i < t->table.columns.count; i++) {
        found |= t->of[i].what == ROW && t->of[i].number == row &&
                 !t->table.columns.at[i].is_gone;
    }
    return found;
}

// --- cells --------------------------------------------------------------------------------

// Format a share: "3.4%", "12%"; with "~" if it is rough.
static void format_share(char text[HP_NUMBER_SIZE], double share, bool is_rough) {
    static const double tenths_to = 0.0995, most = 9.995;
    const char *rough = is_rough ? "~" : "";
    if (isnan(share)) {
        strcpy(text, "-");
    } else if (share >= most) {
        strcpy(text, ">999%");
    } else {
        snprintf(text, HP_NUMBER_SIZE, "%s%.*f%%", rough, share < tenths_to ? 1 : 0,
                 share * 100);
    }
}

// Format a number of samples: whole, or with two digits if it is small.
static void format_count(char text[HP_NUMBER_SIZE], double count) {
    enum {
        SMALL = 10,
    };

    if (count < SMALL) {
        snprintf(text, HP_NUMBER_SIZE, "%.2g", count);
    } else {
        hp_format_grouped(text, (hp_int128)round(count));
    }
}

static void format_cell(const struct plan_text *t, const struct plan_column *column,
                        const struct hp_plan_row *row, char text[HP_NUMBER_SIZE]) {
    size_t i = column->number;
    switch (column->what) {
    case SAMPLES:
        format_count(text, row->samples);
        break;
    case RATE:
        format_count(text, row->rate);
        break;
    case TOTAL:
        format_share(text, row->total.half, row->total.is_rough);
        break;
    case ROW:
        format_share(text, row->rows[i].half, row->rows[i].is_rough);
        break;
    case CHANGE:
        format_share(text, row->total.changes[i], row->total.is_rough);
        break;
    case ROW_CHANGE:
        format_share(text, row->rows[0].changes[i], row->rows[0].is_rough);
        break;
    case TREND:
        format_share(text, row->trends[i], row->total.is_rough);
        break;
    case MEMORY:
        hp_text_about(text, row->memory, t->view->options.unit);
        break;
    }
}

// Write the name of a row: its period, and whether the dumps have it, or what to do.
static void put_period(struct plan_text *t, const struct hp_plan_row *row) {
    char period[HP_NUMBER_SIZE];
    bool is_now = row->period == t->plan->period;
    bool is_advised = row == &t->plan->of[t->plan->advised];
    hp_format_size(period, row->period);
    hp_text_table_name(&t->table, hp_span_of(period));
    if (is_now || is_advised) {
        const char *mark = !is_advised ? HP_WORDS("plan-mark-now", " (now)")
                           : is_now    ? HP_WORDS("plan-mark-keep", " (keep)")
                                       : HP_WORDS("plan-mark-use", " (use)");
        hp_text_table_name(&t->table, hp_span_of(hp_words(mark)));
    }
}

static void put_row(struct plan_text *t, const struct hp_plan_row *row) {
    for (size_t i = 0; i < t->table.columns.count; i++) {
        format_cell(t, &t->of[i], row, t->of[i].text);
        t->table.cells.at[i] =
            (struct hp_text_cell){.kind = HP_TEXT_WORD, .text = t->of[i].text};
    }
    put_period(t, row);
    hp_text_table_put(&t->table, HP_TEXT_CELLS);
}

// --- the headline -------------------------------------------------------------------------

// Begin the sentence about the change that is found: two dumps of one process find it, or
// a number of processes on each side.
static void put_sides(struct hp_sink *out, size_t processes) {
    if (processes == 1) {
        hp_sink_print(out,
                      HP_MESSAGE("plan-one-process", "two dumps of one process show "));
    } else {
        hp_sink_print(out,
                      HP_MESSAGE("plan-processes-a-side", "%zu processes a side show "),
                      processes);
    }
}

// Write what the period of the dumps shows, if another one is advised.
static void put_present(const struct plan_text *t) {
    const struct hp_plan *plan = t->plan;
    const struct hp_plan_row *row;
    char period[HP_NUMBER_SIZE], share[HP_NUMBER_SIZE];
    for (row = plan->of; row < plan->of + HP_PLAN_PERIODS; row++) {
        if (row->period == plan->period && row != &plan->of[plan->advised]) {
            hp_format_size(period, row->period);
            format_share(share, row->given, row->total.is_rough);
            hp_sink_print(t->out, HP_MESSAGE("plan-present", " (now %s: %s)"), period,
                          share);
        }
    }
    hp_sink_text(t->out, "\n");
}

// Write that no period shows the change, and what helps.
static void put_none(const struct plan_text *t, const char *verb, const char *setting) {
    const struct hp_plan *plan = t->plan;
    char share[HP_NUMBER_SIZE];
    double see = plan->see * 100;
    format_share(share, plan->of[plan->advised].given, false);
    if (plan->total.spread.freedom <= 0) {
        hp_sink_print(t->out, HP_MESSAGE("plan-finest", "use %s: "), setting);
        put_sides(t->out, plan->processes);
        hp_sink_print(t->out, HP_MESSAGE("plan-finest-change", "%s, not %.3g%%"), share,
                      see);
        put_present(t);
    } else if (plan->needed == 0) {
        hp_sink_print(t->out,
                      HP_MESSAGE("plan-apart",
                                 "%s %s: processes differ too much to show %.3g%%\n"),
                      verb, setting, see);
    } else {
        hp_sink_print(t->out,
                      HP_MESSAGE("plan-needed",
                                 "%s %s: %zu processes a side show %.3g%%, "
                                 "%zu differ too much\n"),
                      verb, setting, plan->needed, see, plan->processes);
    }
}

// Write the answer: which sample period to use, and why.
static void put_choice(const struct plan_text *t) {
    const struct hp_plan *plan = t->plan;
    const struct hp_plan_row *advised = &plan->of[plan->advised];
    char setting[64];
    hp_plan_setting(setting, plan->producer, advised->period);
    const char *verb =
        hp_words(advised->period == plan->period ? HP_WORDS("plan-verb-keep", "keep")
                                                 : HP_WORDS("plan-verb-use", "use"));
    if (plan->chosen == HP_PLAN_PERIODS) {
        put_none(t, verb, setting);
        return;
    }
    hp_sink_print(t->out, HP_MESSAGE("plan-choose", "%s %s: "), verb, setting);
    put_sides(t->out, plan->processes);
    hp_sink_print(t->out, HP_MESSAGE("plan-change", "%.3g%%"), plan->see * 100);
    put_present(t);
}

// Write what to give `plan` for the CPU time.
static void put_lack(const struct plan_text *t) {
    static const char *const lacks[] = {
        [HP_PLAN_LACKS_NOTHING] = "",
        [HP_PLAN_LACKS_COUNTS] =
            HP_WORDS("plan-needs-counts", "prof_accum:true, two dumps"),
        [HP_PLAN_LACKS_DUMPS] = HP_WORDS("plan-needs-dumps", "two dumps or --stats"),
        [HP_PLAN_LACKS_TIMES] =
            HP_WORDS("plan-needs-times", "the times of the dumps: see --time-from"),
    };
    bool is_jemalloc = !isnan(t->plan->of[0].memory);
    const char *lack =
        t->plan->lack == HP_PLAN_LACKS_COUNTS && !is_jemalloc
            ? HP_WORDS("plan-needs-allocated", "allocated bytes in two dumps")
            : lacks[t->plan->lack];
    hp_sink_print(t->out, HP_MESSAGE("plan-rate-unknown", "CPU unknown: needs %s"),
                  hp_words(lack));
}

// Write the bound of the CPU time and the memory at the advised period.
static void put_cost(const struct plan_text *t) {
    const struct hp_plan_row *row = &t->plan->of[t->plan->advised];
    bool has_rate = !isnan(row->rate), has_memory = !isnan(row->memory);
    char memory[HP_NUMBER_SIZE], period[HP_NUMBER_SIZE];
    hp_format_size(period, row->period);
    if (has_rate || has_memory) {
        hp_sink_print(t->out, HP_MESSAGE("plan-cost", "%s: "), period);
    }
    if (has_rate) {
        hp_sink_print(t->out,
                      HP_MESSAGE("plan-load",
                                 "at most %.2g%% of a core (%.3g samples/s)%s"),
                      row->load * 100, row->rate, has_memory ? ", " : "\n");
    }
    if (has_memory) {
        hp_text_about(memory, row->memory, t->view->options.unit);
        hp_sink_print(t->out, HP_MESSAGE("plan-memory", "profiler %s%s"), memory,
                      has_rate ? "\n" : "; ");
    }
    if (!has_rate) {
        put_lack(t);
        hp_sink_text(t->out, "\n");
    }
}

// Write why no finer period is advised.
static void put_limit(const struct plan_text *t) {
    char period[HP_NUMBER_SIZE];
    if (t->plan->is_limited) {
        hp_format_size(period, t->plan->of[t->plan->advised - 1].period);
        hp_sink_print(t->out,
                      HP_MESSAGE("plan-dear",
                                 "%s: the profiler takes more memory than the program\n"),
                      period);
    }
}

// Write how long a sample may take.
static void put_time(const struct plan_text *t) {
    const struct hp_plan *plan = t->plan;
    const struct hp_plan_row *row = &plan->of[plan->advised];
    if (!isnan(row->rate) && row->rate > 0) {
        hp_sink_print(t->out,
                      HP_MESSAGE("plan-time",
                                 "CPU        each sample at most %.3g microseconds\n"),
                      row->load / row->rate * 1e6);
    }
}

// Write what the sampling method leaves of the variance.
static void put_ratio(const struct plan_text *t) {
    if (!isnan(t->plan->ratio)) {
        hp_sink_print(
            t->out,
            HP_MESSAGE(
                "plan-variance-ratio",
                "sampling   variance %s%.3f times that of the best probabilities, min(1, c "
                "size), with as many samples\n"),
            t->plan->of[t->plan->advised].total.is_rough ? "~" : "", t->plan->ratio);
    }
}

// --- notes --------------------------------------------------------------------------------

// Write the names of the rows that columns show, in one line: "#1 leaf (12.0 MiB)"; with
// `is_all` those of all rows, a line each.
static void put_names(struct hp_sink *out, const struct plan_text *t, bool is_all) {
    const char *begin = "";
    for (size_t i = 0; i < t->plan->row_count; i++) {
        const struct hp_plan_target *target = &t->plan->rows[i];
        struct hp_buffer name = {0};
        char bytes[HP_NUMBER_SIZE];
        if (!is_all && !shows_row(t, i)) {
            continue;
        }
        hp_text_about(bytes, target->bytes, t->view->options.unit);
        hp_text_append_safe(&name, hp_view_node(t->view, target->node));
        hp_sink_print(out, "%s#%zu ", begin, i + 1);
        hp_sink_put(out, name.text.at, name.text.count);
        hp_sink_print(out, " (%s)%s", bytes, is_all ? "\n" : "");
        begin = is_all ? "" : ", ";
        hp_vec_done(&name.text);
    }
}

// Write what the comparisons assume.
static void put_assumptions(struct hp_sink *out, const struct hp_plan *plan) {
    if (plan->freed < 1) {
        hp_sink_print(out,
                      HP_MESSAGE("plan-note-freed",
                                 "1:1: two dumps of one process that frees %.2g%% of its "
                                 "memory in between, as these do\n"),
                      plan->freed * 100);
    } else {
        hp_sink_print(out, HP_MESSAGE("plan-note-replaced",
                                      "1:1: two dumps of one process, as if all objects "
                                      "were replaced in between\n"));
    }
    if (plan->has_series) {
        hp_sink_print(
            out,
            HP_MESSAGE("plan-note-series",
                       "t n: smallest growth over a series of n dumps that trend "
                       "finds, if the total varies as in these %zu dumps\n"),
            plan->series);
    }
}

// Write which differences between processes the plan allows for.
static void put_spread(struct hp_sink *out, const struct hp_plan *plan) {
    if (plan->total.spread.freedom > 0) {
        hp_sink_print(out,
                      HP_MESSAGE("plan-note-spread",
                                 "processes differ by %.3g%% beyond sampling error, "
                                 "which 3:3 has to estimate"),
                      plan->total.spread.share * 100);
    } else {
        hp_sink_print(
            out,
            HP_MESSAGE("plan-note-sampling",
                       "processes are taken as equal (3 show how they differ); 3:3 has "
                       "to estimate that"));
    }
}

// Whether any cell that is shown is rough.
static bool has_rough(const struct plan_text *t) {
    const struct hp_plan *plan = t->plan;
    bool has = false;
    for (size_t i = 0; i < HP_PLAN_PERIODS; i++) {
        has |= plan->of[i].total.is_rough;
        for (size_t k = 0; k < plan->row_count; k++) {
            has |= plan->of[i].rows[k].is_rough && shows_row(t, k);
        }
    }
    return has;
}

// Write the facts that have no room on a screen.
static void put_facts(const struct plan_text *t) {
    hp_sink_text(t->out, "\n");
    hp_text_facts(t->out, t->view);
    put_time(t);
    put_ratio(t);
    put_names(t->out, t, true);
    put_assumptions(t->out, t->plan);
    hp_sink_print(t->out,
                  HP_MESSAGE("plan-note-period",
                             "~: under 100 samples, or a period more than 64 times "
                             "finer than that of the dumps; stacks without a sample are "
                             "missing\n"));
}

static void put_notes(const struct plan_text *t) {
    struct hp_text_notes notes = {.out = t->out, .view = t->view};
    struct hp_text_draft names, marks, spread;
    hp_text_draft_init(&names);
    put_names(&names.out, t, false);
    hp_text_note(&notes, hp_text_draft_end(&names));
    hp_text_draft_init(&marks);
    hp_sink_print(&marks.out,
                  HP_MESSAGE("plan-note-changes",
                             "shown: 4 of 5 tests; 1:1: one process; 3:3: 3 processes a "
                             "side"));
    hp_sink_text(&marks.out,
                 has_rough(t) ? hp_words(HP_WORDS("plan-note-rough", "; ~: few samples"))
                              : "");
    hp_text_note(&notes, hp_text_draft_end(&marks));
    hp_text_draft_init(&spread);
    put_spread(&spread.out, t->plan);
    hp_text_note(&notes, hp_text_draft_end(&spread));
    hp_text_draft_done(&names);
    hp_text_draft_done(&marks);
    hp_text_draft_done(&spread);
    if (t->view->options.text.details) {
        put_facts(t);
    }
}

void hp_text_plan(struct hp_text_page *page, const struct hp_view *view) {
    struct plan_text t = {.out = &page->lines, .view = view, .plan = view->extra};
    put_choice(&t);
    put_cost(&t);
    put_limit(&t);
    hp_text_warnings(t.out, view);
    hp_sink_text(t.out, "\n");
    hp_text_table_init(&t.table, page);
    add_columns(&t);
    if (page->is_aligned) {
        put_groups(&t);
    }
    hp_text_table_put(&t.table, HP_TEXT_TITLES);
    for (size_t i = 0; i < HP_PLAN_PERIODS; i++) {
        put_row(&t, &t.plan->of[i]);
    }
    put_notes(&t);
    hp_text_table_done(&t.table);
}
