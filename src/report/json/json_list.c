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
static void put_values(struct hp_json *json, const struct hp_view *view, hp_fixed flat,
                       const struct hp_amount *cum) {
    hp_json_put_fixed(json, "flat", flat, view->options.metric);
    hp_json_estimate(json, "cum", view, cum, view->options.metric);
}

// Write a line; its text is null if the source has no such line.
static void put_line(struct hp_json *json, const struct hp_view *view,
                     const struct hp_listed_line *line,
                     const struct hp_source_file *source) {
    hp_json_open(json, NULL, '{');
    hp_json_put_known(json, "line", line->line);
    put_values(json, view, line->flat,
               &(struct hp_amount){.sum = line->cum, .error = &line->error});
    if (source && line->line > 0 && line->line <= source->line_count) {
        hp_json_put_string(json, "text", source->lines[line->line - 1]);
    } else {
        hp_json_put_null(json, "text");
    }
    hp_json_close(json);
}

// Write a function with its lines.
static void put_function(struct hp_json *json, const struct hp_view *view,
                         const struct hp_listed_function *function) {
    // Whether the source file is the version that was compiled.
    static const char *const versions[] = {
        [HP_SOURCE_UNCHECKED] = "unchecked",
        [HP_SOURCE_NEWER] = "newer",
        [HP_SOURCE_SAME] = "same",
        [HP_SOURCE_DIFFERS] = "differs",
    };
    const struct hp_listing *listing = view->extra;
    const struct hp_source_file *source = hp_listing_source(view, function);
    bool has_text = source && source->lines;
    hp_json_put_text(json, "name", hp_naming_function(&view->naming, function->function));
    hp_json_class(json, "class", function->class);
    hp_json_put_text(json, "file", hp_view_string(view, function->file));
    hp_json_put_text(json, "source",
                     hp_span_of(has_text ? versions[source->version] : ""));
    hp_json_line(json, 3);
    put_values(json, view, function->flat,
               &(struct hp_amount){.sum = function->cum, .error = &function->error});
    hp_json_line(json, 3);
    hp_json_open(json, "lines", '[');
    for (size_t i = 0; i < function->count; i++) {
        hp_json_line(json, 4);
        put_line(json, view, &listing->lines.at[function->first + i], source);
    }
    hp_json_close(json);
}

void hp_json_list(struct hp_sink *out, const struct hp_view *view) {
    const struct hp_listing *listing = view->extra;
    struct hp_json json = {.out = out};
    hp_json_begin(&json, view);
    for (size_t i = 0; i < hp_view_shown(view, listing->functions.count); i++) {
        hp_json_row(&json, 2);
        put_function(&json, view, &listing->functions.at[i]);
        hp_json_close(&json);
    }
    hp_json_close(&json);
    hp_json_end(&json, view);
}
