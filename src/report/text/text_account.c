//     the allocator's books
//             bytes     source  knob                      account
//         112.3 MiB      stats                            resident
//          34.2 MiB      stats                              active
//     ...
//     note: by the allocator the program holds ...
//
// An amount with an interval has that behind its name, and one of which nothing is known "about" in
// front of it.
#include "report/text/text.h"

#include "view/report_account.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    STEP = 2, // of a level
};

struct account {
    struct hp_sink *out;
    const struct hp_view *view;
    const struct hp_account_rows *rows;
    int amount;       // cells of it
    const char *gone; // 1 of each field that has left
    size_t room;      // cells of a name, or 0
};

// --- columns ------------------------------------------------------------------------------

static bool is_shown(const struct account *a, size_t field) {
    return a->view->fields.at[field].column.title && !a->gone[field];
}

static int width_of(const struct account *a, size_t field) {
    const struct hp_field *of = &a->view->fields.at[field];
    return of->column.cell == HP_CELL_ESTIMATE ? a->amount : of->width;
}

static char *fit(struct account *a) {
    size_t count = a->view->fields.count, parts = 0;
    struct hp_text_part *part = hp_alloc((count + 1) * sizeof *part);
    size_t *of = hp_alloc(count * sizeof *of);
    char *gone = hp_alloc(count);
    a->gone = gone;
    part[parts++] = (struct hp_text_part){1, 0, false};
    for (size_t i = 0; i < count; i++) {
        if (is_shown(a, i)) {
            of[parts - 1] = i;
            part[parts++] = (struct hp_text_part){(size_t)width_of(a, i) + 1,
                                                  a->view->fields.at[i].leaves, false};
        }
    }
    a->room = hp_text_fit(a->view, part, parts);
    for (size_t i = 1; i < parts; i++) {
        gone[of[i - 1]] = (char)part[i].is_gone;
    }
    free(part);
    free(of);
    return gone;
}

static void put_titles(const struct account *a) {
    const char *between = "";
    hp_sink_print(a->out, "%s%s", HP_TEXT_ROW, hp_text_bold(a->view));
    for (size_t i = 0; i < a->view->fields.count; i++) {
        if (is_shown(a, i)) {
            hp_sink_text(a->out, between);
            hp_text_put(a->out, a->view->fields.at[i].column.title, width_of(a, i));
            between = HP_TEXT_NEXT;
        }
    }
    hp_sink_print(a->out, HP_TEXT_NEXT " %s%s\n", hp_view_row_kind(a->view),
                  hp_text_plain(a->view));
}

// --- rows ---------------------------------------------------------------------------------

static void append(struct hp_buffer *text, const char *more) {
    hp_vec_append(&text->text, more, strlen(more));
}

static void append_bytes(struct hp_buffer *text, const struct account *a,
                         const char *what, double bytes) {
    char amount[HP_NUMBER_SIZE];
    if (!isnan(bytes)) {
        hp_text_format(amount, hp_text_fixed(bytes, HP_INUSE_SPACE), HP_INUSE_SPACE,
                       a->view->options.unit);
        append(text, what);
        append(text, amount);
    }
}

// "files, Pss 841.0 KiB, private 128.0 KiB", "objects by the profile (7.2 … 8.9 MiB)".
static void put_name(const struct account *a, size_t row,
                     const struct hp_text_estimate *estimate) {
    const struct hp_account_row *of = &a->rows->of.at[row];
    struct hp_text_cut cut = {.room = a->room, .is_ascii = a->view->options.ascii};
    struct hp_buffer whole = {0}, shown = {0};
    for (uint32_t i = 0; i < a->view->rows.at[row].depth * STEP; i++) {
        append(&whole, " ");
    }
    struct hp_span name = hp_view_name(a->view, row);
    hp_text_append_safe(&whole, name);
    if (estimate->interval[0] != '\0') {
        append(&whole, estimate->is_half ? " " : " (");
        append(&whole, estimate->interval);
        append(&whole, estimate->is_half ? "" : ")");
    }
    append_bytes(&whole, a, ", Pss ", of->pss);
    append_bytes(&whole, a, ", private ", of->private);
    hp_text_cut_text(&shown, (struct hp_span){whole.text.at, whole.text.count}, &cut);
    hp_sink_put(a->out, shown.text.at, shown.text.count);
    hp_vec_done(&whole.text);
    hp_vec_done(&shown.text);
}

static void put_row(const struct account *a, size_t row) {
    const struct hp_account_row *of = &a->rows->of.at[row];
    struct hp_text_estimate estimate;
    const char *between = "";
    bool is_open = isnan(of->range.low) && isnan(of->range.high);
    hp_text_measure(&estimate, of->bytes << HP_SPACE_FRACTION, of->range, HP_INUSE_SPACE,
                    a->view->options.unit);
    char amount[HP_NUMBER_SIZE + 8];
    snprintf(amount, sizeof amount, "%s%s", is_open ? "about " : "", estimate.value);
    hp_sink_text(a->out, HP_TEXT_ROW);
    for (size_t i = 0; i < a->view->fields.count; i++) {
        if (is_shown(a, i)) {
            const struct hp_field *field = &a->view->fields.at[i];
            bool is_bytes = field->column.cell == HP_CELL_ESTIMATE;
            hp_sink_text(a->out, between);
            hp_text_put(a->out, is_bytes ? amount : hp_view_text(a->view, row, i),
                        width_of(a, i));
            between = HP_TEXT_NEXT;
        }
    }
    hp_sink_text(a->out, HP_TEXT_NEXT " ");
    put_name(a, row, &estimate);
    hp_sink_text(a->out, "\n");
}

// --- tables -------------------------------------------------------------------------------

static void put_notes(const struct account *a, size_t from, size_t to) {
    for (size_t i = from; i < to; i++) {
        if (a->rows->of.at[i].note) {
            hp_sink_text(a->out, "note: ");
            hp_sink_escaped(a->out, hp_span_of(a->rows->of.at[i].note));
            hp_sink_text(a->out, "\n");
        }
    }
}

static void put_table(const struct account *a, size_t from, size_t to) {
    hp_sink_print(a->out, "%s%s\n", from > 0 ? "\n" : "",
                  hp_account_table_text(a->rows->of.at[from].table));
    put_titles(a);
    for (size_t i = from; i < to; i++) {
        put_row(a, i);
    }
    put_notes(a, from, to);
}

// "3 inputs · jemalloc heap_v2 · ..." as elsewhere: what the profile comes to is a row.
static void put_head(const struct account *a) {
    char inputs[HP_NUMBER_SIZE];
    size_t used = a->view->head.summary[HP_SIDE_ALL].used;
    hp_text_moments(a->out, a->view);
    hp_format_grouped(inputs, (hp_int128)used);
    hp_sink_print(a->out, "%s input%s · ", inputs, used == 1 ? "" : "s");
    hp_text_inputs(a->out, a->view);
    hp_text_warnings(a->out, a->view);
    hp_sink_text(a->out, "\n");
}

void hp_text_account(struct hp_sink *out, const struct hp_view *view) {
    enum {
        WIDEST = 16, // "about 1023.9 MiB"
    };

    struct account a = {.out = out, .view = view, .rows = view->extra, .amount = WIDEST};
    size_t shown = hp_view_fitting(view, view->rows.count);
    char *gone = fit(&a);
    put_head(&a);
    for (size_t from = 0, to; from < shown; from = to) {
        const char *table = a.rows->of.at[from].table;
        for (to = from + 1; to < shown && a.rows->of.at[to].table == table;) {
            to++;
        }
        put_table(&a, from, to);
    }
    size_t rest = hp_view_left_out(view);
    if (rest > 0) {
        hp_sink_print(out, "… %zu more row%s\n", rest, rest == 1 ? "" : "s");
    }
    free(gone);
}
