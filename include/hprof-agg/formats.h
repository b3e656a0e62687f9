// The formats that reports are written in, and what each can show.
#ifndef HPROF_AGG_FORMATS_H
#define HPROF_AGG_FORMATS_H

#include "hprof-agg/profile.h"

#ifdef __cplusplus
extern "C" {
#endif

// What a format can show.
enum hp_format_ability {
    HP_CAN_LIMIT = 1 << 0,         // a part of the rows
    HP_CAN_INTERVALS = 1 << 1,     // rows, what sampling leaves open in them, their order
    HP_CAN_ALL_ENDS = 1 << 2,      // of all estimates
    HP_CAN_UNIT = 1 << 3,          // numbers for people
    HP_CAN_COLOR = 1 << 4,         // on a terminal
    HP_CAN_NEGATIVE = 1 << 5,      // numbers below zero
    HP_CAN_ONLY_GROW = 1 << 6,     // stacks without them: of differences what grew alone
    HP_CAN_LABELS = 1 << 7,        // labels of samples
    HP_CAN_LIMIT_STACKS = 1 << 8,  // flavors, and stacks of limited number and depth
    HP_HAS_ALL_METRICS = 1 << 9,   // that inputs tell; else the one that was chosen
    HP_IS_BINARY = 1 << 10,        // not for a terminal
    HP_HAS_SAMPLE_TYPES = 1 << 11, // all of pprof inputs, beside the metrics
    HP_CAN_WIDTH = 1 << 12,        // lines that fit a terminal
    HP_HAS_SHORT_NAMES = 1 << 13,  // of functions, unless they are to be full
    HP_IS_PARTIAL = 1 << 14,       // the inputs themselves, before names and filters
    HP_IS_PICTURE = 1 << 15, // of code as tables have it, with what sampling leaves open
    HP_IS_FOR_PEOPLE = 1 << 16, // what was read, and warnings, are told above all
    HP_CAN_SPREAD = 1 << 17,    // how inputs differ
    HP_CAN_CUT = 1 << 20,       // as many rows as so many bytes have room for
    // What its readers have numbers as, whatever is written:
    HP_READ_AS_DOUBLE = 1 << 18, // as JavaScript has, exact up to 2^53
    HP_READ_AS_INT64 = 1 << 19,
};

// The names that hp_report_options.format takes, what each is, in one line, and which names
// of files stand for it, as "*.folded *.collapsed"; i < hp_format_count().
HP_API size_t hp_format_count(void);
HP_API const char *hp_format_name(size_t i);
HP_API const char *hp_format_help(size_t i);
HP_API const char *hp_format_files(size_t i);
// Whether a format has a form for a kind of report.
HP_API bool hp_format_fits(const char *format, enum hp_report_kind kind);
// enum hp_format_ability.
HP_API unsigned hp_format_can(const char *format);
// The limit of those who ask for none: a number of rows, 0 or HP_LIMIT_ENOUGH.
HP_API size_t hp_format_limit(const char *format);
// The kind's own.
HP_API const char *hp_format_of_kind(enum hp_report_kind kind);
// The format a file name stands for ("x.folded", "callgrind.out.x"), whatever the case; NULL
// if it may be anything.  HP_E_USAGE if it is known to stand for another ("x.png").
HP_API int hp_format_of_file(const char *path, const char **format, struct hp_err *err);

// --- pictures of graphs -------------------------------------------------------

// A graph of calls that a program has made up.  Callers are drawn above what they call; texts
// are lines of UTF-8 with '\n' between, lengths are points.
struct hp_graph_node {
    const char *name;  // broken into lines where it is long; never NULL
    const char *text;  // below it; or NULL
    const char *title; // what one is told who points at it; NULL: the name
    double letters;    // their size
    double border;     // the width of its line
    unsigned fill;     // 0xRRGGBB
};

struct hp_graph_edge { // of a pair and a direction there is one
    size_t from, to;   // nodes
    const char *text;  // a line; or NULL
    const char *title; // as above; NULL: the text
    double weight;     // above 0: of edges in a circle the lightest leads up
    double width;      // of its line
    bool is_dashed;
};

struct hp_graph {
    const char *title;  // of the picture, its first line; or NULL
    const char *legend; // above the graph; or NULL
    const struct hp_graph_node *nodes;
    size_t node_count; // at most HP_GRAPH_NODES
    const struct hp_graph_edge *edges;
    size_t
        edge_count; // the lightest of more than 20,000 are left out, and the picture says so
};

#define HP_GRAPH_NODES 10000

// As "svg", "pdf" or "ps": the same bytes on every machine, in less than a second or so for any graph.
// HP_E_USAGE: there is no such format.  HP_E_LIMIT: too many nodes.
HP_API int hp_graph_write(const struct hp_graph *graph, const char *format,
                          hp_write_fn *write, void *data, struct hp_err *err);

#ifdef __cplusplus
}
#endif

#endif
