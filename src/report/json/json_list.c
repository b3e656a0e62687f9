// As json_head.c describes, with "patterns": ["^f$"] and rows
//
//     {"name": "f", "class": "own", "file": "/srv/app/f.c", "source": "unchecked",
//      "flat": 1.500, "cum": ESTIMATE,
//      "lines": [{"line": 17, "flat": 1.500, "cum": ESTIMATE,
//                 "text": "    return g(n);"}, ...]}
//
// in the metric that was asked for, with the lines that have memory.  "file" and "line"
// are null if they are not known, "text" and "source" if the source is not found.
// "source" is "same" if its MD5 equals the one in the binary, and "differs" if it does
// not; if the binary has none, it is "newer" if the file was written after the binary.
#include "report/json/json.h"

#include "view/report_list.h"

// Write flat and cum of a function or a line.
static void put_values(struct hp_sink *out, const struct hp_view *view, hp_fixed flat,
                       const struct hp_amount *cum) {
    hp_sink_text(out, "\"flat\": ");
    hp_json_fixed(out, flat, view->options.metric);
    hp_sink_text(out, ", \"cum\": ");
    hp_json_estimate(out, view, cum, view->options.metric);
}

// Write a line; its text is null if the source has no such line.
static void put_line(struct hp_sink *out, const struct hp_view *view,
                     const struct hp_listed_line *line,
                     const struct hp_source_file *source) {
    if (line->line > 0) {
        hp_sink_print(out, "{\"line\": %u, ", (unsigned)line->line);
    } else {
        hp_sink_text(out, "{\"line\": null, ");
    }
    put_values(out, view, line->flat,
               &(struct hp_amount){.sum = line->cum, .error = &line->error});
    hp_sink_text(out, ", \"text\": ");
    if (source && line->line > 0 && line->line <= source->line_count) {
        hp_json_string(out, source->lines[line->line - 1]);
    } else {
        hp_sink_text(out, "null");
    }
    hp_sink_text(out, "}");
}

// Write whether the source file is the version that was compiled, as a word: "same",
// "differs", "newer" or "unchecked"; null if there is no text of the source.
static void put_version(struct hp_sink *out, const struct hp_source_file *source) {
    static const char *const names[] = {
        [HP_SOURCE_UNCHECKED] = "\"unchecked\"",
        [HP_SOURCE_NEWER] = "\"newer\"",
        [HP_SOURCE_SAME] = "\"same\"",
        [HP_SOURCE_DIFFERS] = "\"differs\"",
    };
    hp_sink_text(out, source && source->lines ? names[source->version] : "null");
}

// Write a function with its lines, without the braces around it.
static void put_function(struct hp_sink *out, const struct hp_view *view,
                         const struct hp_listed_function *function) {
    const struct hp_listing *listing = view->extra;
    const struct hp_source_file *source = hp_listing_source(view, function);
    hp_json_key(out, "name");
    hp_json_text(out, hp_naming_function(&view->naming, function->function));
    hp_sink_text(out, ", \"class\": ");
    hp_json_class(out, function->class);
    hp_sink_text(out, ", \"file\": ");
    hp_json_text(out, hp_view_string(view, function->file));
    hp_sink_text(out, ", \"source\": ");
    put_version(out, source);
    hp_sink_text(out, ",\n   ");
    put_values(out, view, function->flat,
               &(struct hp_amount){.sum = function->cum, .error = &function->error});
    hp_sink_text(out, ",\n   \"lines\": [");
    for (size_t i = 0; i < function->count; i++) {
        hp_sink_text(out, i > 0 ? ",\n    " : "\n    ");
        put_line(out, view, &listing->lines.at[function->first + i], source);
    }
    hp_sink_text(out, "]");
}

void hp_json_list(struct hp_sink *out, const struct hp_view *view) {
    const struct hp_listing *listing = view->extra;
    hp_json_begin(out, view);
    for (size_t i = 0; i < hp_view_shown(view, listing->functions.count); i++) {
        hp_sink_text(out, i > 0 ? ",\n  {" : "\n  {");
        put_function(out, view, &listing->functions.at[i]);
        hp_sink_text(out, "}");
    }
    hp_sink_text(out, "]");
    hp_json_end(out, view);
}
