// What a first line says about the limits of its numbers:
//
//     56.9 MiB ± 3.9 MiB in use (1 of 4 files skipped); ...
//     +4.3 MiB: ... significant (p < 0.0001); cartd and 1 more compared in part
#include "report/text/text.h"

#include "view/open_code.h"

void hp_text_put_lost(struct hp_sink *out, const struct hp_view *view) {
    const struct hp_input_summary *summary = &view->head.summary[HP_SIDE_ALL];
    size_t truncated = 0, skipped = hp_input_summary_skipped(summary);
    const char *begin = " (";
    for (size_t i = 0; i < view->head.input_count; i++) {
        truncated += view->head.inputs[i].public.status == HP_INPUT_KEPT_DAMAGED &&
                     hp_view_counts(view, i);
    }
    if (truncated > 0 && summary->merged_used == 1) {
        hp_sink_print(out, HP_MESSAGE("headline-truncated", " (truncated dump"));
    } else if (truncated > 0) {
        hp_sink_print(out,
                      HP_MESSAGE("headline-some-truncated", " (%zu dump%s truncated"),
                      truncated, truncated == 1 ? "" : "s");
    }
    begin = truncated > 0 ? ", " : begin;
    if (skipped > 0) {
        hp_sink_print(out, HP_MESSAGE("headline-skipped", "%s%zu of %zu files skipped"),
                      begin, skipped, summary->all);
    }
    hp_sink_text(out, truncated + skipped > 0 ? ")" : "");
}

// The modules whose functions are not compared in all dumps.
struct open_modules {
    const struct hp_open_module
        *first; // the largest, the program's own code before others
    size_t count;
    hp_fixed sum, largest; // memory that is not compared, of all and of the first
};

static struct open_modules open_modules_of(const struct hp_open_code *open) {
    struct open_modules found = {0};
    const struct hp_open_module *module;
    for (size_t i = 0; i < open->modules.count; i++) {
        module = &open->modules.at[i];
        hp_fixed sum = module->bytes[0] + module->bytes[1];
        bool is_first = !found.first || module->is_own > found.first->is_own ||
                        (module->is_own == found.first->is_own && sum > found.largest);
        if (hp_open_module_is_open(module)) {
            found.first = is_first ? module : found.first;
            found.largest = is_first ? sum : found.largest;
            found.sum += sum;
            found.count += 1 + module->further;
        }
    }
    return found;
}

void hp_text_open(struct hp_sink *out, const struct hp_view *view) {
    static const double much = 0.05; // of the memory
    const struct hp_open_code *open = hp_open_code_of(view);
    struct open_modules found = open ? open_modules_of(open) : (struct open_modules){0};
    double all = (double)view->head.total.of[view->options.metric];
    if (found.first && (double)found.sum > much * all) {
        hp_sink_escaped(out, hp_span_basename(hp_open_module_path(view, found.first)));
        if (found.count > 1) {
            hp_sink_print(out, HP_MESSAGE("headline-open-more", " and %zu more"),
                          found.count - 1);
        }
        hp_sink_print(out, HP_MESSAGE("headline-open", " compared in part"));
    }
}

bool hp_text_put_answer(struct hp_sink *out, const struct hp_view *view,
                        hp_writer *answer) {
    struct hp_buffer text = {0}, open = {0};
    struct hp_span first = hp_text_made(&text, view, answer);
    struct hp_span more = hp_text_made(&open, view, hp_text_open);
    size_t width = view->options.text.width;
    bool fits = width == 0 ||
                hp_text_cells(first, false) + 2 + hp_text_cells(more, false) <= width;
    hp_sink_put(out, first.at, first.size);
    hp_sink_text(out, fits && more.size > 0 ? "; " : "");
    hp_sink_put(out, more.at, fits ? more.size : 0);
    hp_vec_done(&text.text);
    hp_vec_done(&open.text);
    return fits;
}
