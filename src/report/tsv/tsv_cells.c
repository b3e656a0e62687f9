// A cell contains no tab and no newline: in text they become \t and \n, and a backslash
// becomes \\.  Characters that are not safe on a terminal become \xNN or \u{...}, as in
// all reports.  So does '=', '+', '-' or '@' at the beginning of a text, which a
// spreadsheet would take for a formula.
#include "report/tsv/tsv.h"

#include "base/utf8.h"

#include <math.h>
#include <string.h>

void hp_tsv_text(struct hp_sink *out, struct hp_span text) {
    if (text.size > 0 && strchr("=+-@", text.at[0])) {
        hp_sink_print(out, "\\x%02X", (unsigned)text.at[0]);
        text = hp_span_from(text, 1);
    }
    for (;;) {
        size_t plain = hp_plain_size(text);
        hp_sink_put(out, text.at, plain);
        text = hp_span_from(text, plain);
        if (text.size == 0) {
            return;
        }
        uint32_t size = hp_utf8_first(text).size;
        switch (text.at[0]) {
        case '\t':
            hp_sink_text(out, "\\t");
            break;
        case '\n':
            hp_sink_text(out, "\\n");
            break;
        case '\\':
            hp_sink_text(out, "\\\\");
            break;
        default:
            hp_sink_escaped(out, (struct hp_span){text.at, size});
            break;
        }
        text = hp_span_from(text, size);
    }
}

void hp_tsv_double(struct hp_sink *out, double value) {
    hp_sink_text(out, "\t");
    if (isfinite(value)) {
        hp_json_double(out, value);
    }
}

void hp_tsv_estimate(struct hp_sink *out, const struct hp_view *view,
                     const struct hp_amount *amount, enum hp_metric metric) {
    struct hp_interval range = hp_view_range(view, amount, metric);
    if (!hp_view_is_too_high(view, range)) {
        hp_json_fixed(out, amount->sum, metric);
    }
    hp_tsv_double(out, range.low);
    hp_tsv_double(out, range.high);
}

void hp_tsv_flags(struct hp_sink *out, unsigned flags) {
    const char *between = "";
    for (unsigned bit = 0; bit < HP_ROW_FLAGS; bit++) {
        if (flags & 1u << bit) {
            hp_sink_print(out, "%s%s", between, hp_row_flag_text(bit));
            between = ",";
        }
    }
}

const char hp_tsv_place_titles[] = "\tname\tfunction\tmodule\tfile\tline\tclass\n";

void hp_tsv_place(struct hp_sink *out, const struct hp_view *view, hp_node_id node) {
    const struct hp_origin *origin = hp_view_origin(view, node);
    struct hp_span texts[] = {
        hp_naming_function(&view->naming, origin->function),
        hp_view_string(view, hp_view_module(view, origin->module)->path),
        hp_view_string(view, origin->file),
    };
    hp_sink_text(out, "\t");
    hp_tsv_text(out, hp_view_node(view, node));
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        hp_sink_text(out, "\t");
        hp_tsv_text(out, texts[i]);
    }
    if (origin->line > 0) {
        hp_sink_print(out, "\t%u\t", (unsigned)origin->line);
    } else {
        hp_sink_text(out, "\t\t");
    }
    enum hp_frame_class class = hp_node_class(&view->naming, node);
    hp_sink_print(out, "%s\n", class < HP_CLASSES ? hp_frame_class_name(class) : "");
}
