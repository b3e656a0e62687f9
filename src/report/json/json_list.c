// As json.c, with "patterns": ["^f$"] and rows
//
//     {"name": "f", "file": "/srv/app/f.c", "flat": 1.500, "cum": NUMBER,
//      "lines": [{"line": 17, "flat": 1.500, "cum": NUMBER, "text": "    return g(n);"}, ...]}
//
// of the metric asked for, with the lines that hold something.  "file" is null if it is not
// known, "line" as well, and "text" if there is no source.
#include "report/json/json.h"
#include "report/json/jsontext.h"
#include "view/chosen.h"
#include "view/listing.h"

static void put_text(struct hp_sink *out, struct hp_span text) {
    if (text.size > 0) {
        hp_json_string(out, text);
    } else {
        hp_sink_text(out, "null");
    }
}

static void put_values(const struct hp_json_report *r, hp_fixed flat, hp_fixed cum,
                       const struct hp_error *error) {
    hp_sink_text(r->out, "\"flat\": ");
    hp_json_fixed(r->out, flat, r->options->metric);
    hp_sink_text(r->out, ", \"cum\": ");
    hp_json_number(r, cum, error, r->options->metric);
}

static void put_line(const struct hp_json_report *r, const struct hp_listed_line *line,
                     const struct hp_source_file *source) {
    if (line->line > 0) {
        hp_sink_print(r->out, "{\"line\": %u, ", (unsigned)line->line);
    } else {
        hp_sink_text(r->out, "{\"line\": null, ");
    }
    put_values(r, line->flat, line->cum, &line->error);
    hp_sink_text(r->out, ", \"text\": ");
    if (source && line->line > 0 && line->line <= source->line_count) {
        hp_json_string(r->out, source->lines[line->line - 1]);
    } else {
        hp_sink_text(r->out, "null");
    }
    hp_sink_text(r->out, "}");
}

static void put_function(const struct hp_json_report *r, const struct hp_listing *listing,
                         const struct hp_listed_function *function) {
    const struct hp_strtab *strings = &r->profile->strings;
    const struct hp_source_file *source = hp_listing_source(listing, function->file);
    hp_json_key(r->out, "name");
    put_text(r->out, hp_naming_function(&listing->naming, function->function));
    hp_sink_text(r->out, ", \"file\": ");
    put_text(r->out, hp_strtab_span(strings, function->file));
    hp_sink_text(r->out, ",\n   ");
    put_values(r, function->flat, function->cum, &function->error);
    hp_sink_text(r->out, ",\n   \"lines\": [");
    for (size_t i = 0; i < function->count; i++) {
        hp_sink_text(r->out, i > 0 ? ",\n    " : "\n    ");
        put_line(r, &listing->lines.at[function->first + i], source);
    }
    hp_sink_text(r->out, "]");
}

void hp_json_list(const struct hp_json_report *r) {
    struct hp_listing listing;
    hp_listing_init(&listing, r->profile, r->options);
    hp_json_begin(r, &listing.naming, "list");
    for (size_t i = 0; i < hp_chosen_rows(r->options, listing.functions.count); i++) {
        hp_sink_text(r->out, i > 0 ? ",\n  {" : "\n  {");
        put_function(r, &listing, &listing.functions.at[i]);
        hp_sink_text(r->out, "}");
    }
    hp_sink_text(r->out, "]");
    hp_json_foot(r->out, r->profile);
    hp_listing_done(&listing);
}
