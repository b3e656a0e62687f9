// A cell holds no tab and no newline: in texts they are \t and \n, and a backslash is \\.
// Characters that are not safe on a terminal are \xNN or \u{...}, as in all reports; so is
// what a spreadsheet would take for a formula: '=', '+', '-' or '@' that begins a text.
#include "report/tsv/tsv.h"

#include "base/utf8.h"
#include "report/json/jsontext.h"

#include <math.h>
#include <string.h>

void hp_tsv_text(struct hp_sink *out, struct hp_span text) {
    if (text.size > 0 && strchr("=+-@", text.at[0])) {
        hp_sink_print(out, "\\x%02X", (unsigned)text.at[0]);
        text = hp_span_from(text, 1);
    }
    while (text.size > 0) {
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

void hp_tsv_fixed(struct hp_sink *out, hp_fixed value, enum hp_metric metric) {
    hp_json_fixed(out, value, metric);
}

void hp_tsv_double(struct hp_sink *out, double value) {
    hp_sink_text(out, "\t");
    if (isfinite(value)) {
        hp_json_double(out, value);
    }
}

void hp_tsv_p(struct hp_sink *out, double value) {
    hp_sink_text(out, "\t");
    if (isfinite(value)) {
        hp_json_p(out, value);
    }
}

void hp_tsv_interval(struct hp_sink *out, struct hp_interval range) {
    hp_tsv_double(out, range.low);
    hp_tsv_double(out, range.high);
}

const char hp_tsv_place_titles[] = "\tname\tfunction\tmodule\tfile\tline\n";

void hp_tsv_place(struct hp_sink *out, const struct hp_naming *naming, hp_node_id node,
                  const struct hp_origin *origins) {
    const struct hp_profile *profile = naming->profile;
    const struct hp_strtab *strings = &profile->strings;
    const struct hp_origin *origin = &origins[node.n];
    struct hp_span texts[] = {
        hp_naming_function(naming, origin->function),
        hp_strtab_span(strings, profile->modules.at[origin->module.n].path),
        hp_strtab_span(strings, origin->file),
    };
    hp_sink_text(out, "\t");
    hp_tsv_text(out, hp_node_name(naming, node));
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        hp_sink_text(out, "\t");
        hp_tsv_text(out, texts[i]);
    }
    if (origin->line > 0) {
        hp_sink_print(out, "\t%u\n", (unsigned)origin->line);
    } else {
        hp_sink_text(out, "\t\n");
    }
}
