// The output formats of reports, and the abilities of each.
//
// Ask hp_format_can() before setting an option of struct hp_report_options: an option
// that the format cannot show has no effect, or hp_view_new() refuses it.  The last part
// writes pictures of call graphs that the calling program made itself; it needs no
// profile.
#ifndef HPROF_AGG_FORMATS_H
#define HPROF_AGG_FORMATS_H

#include "hprof-agg/profile.h"

#ifdef __cplusplus
extern "C" {
#endif

// The abilities of an output format, as bits: see hp_format_can().
enum hp_format_ability {
    HP_CAN_LIMIT = 1 << 0, // shows only the first rows (hp_report_options.limit)
    // Shows rows with confidence intervals, in the order of hp_report_options.sort.
    HP_CAN_INTERVALS = 1 << 1,
    // Shows the interval of every estimate, not only of the main one.
    HP_CAN_ALL_ENDS = 1 << 2,
    HP_CAN_UNIT = 1 << 3,     // shows numbers in a unit for human readers
    HP_CAN_COLOR = 1 << 4,    // uses colour on a terminal
    HP_CAN_NEGATIVE = 1 << 5, // can hold numbers below zero
    // Shows stacks and cannot hold numbers below zero: of a difference of two profiles it
    // can write the growth alone (hp_report_options.only_grown).
    HP_CAN_ONLY_GROW = 1 << 6,
    HP_CAN_LABELS = 1 << 7, // keeps the labels of samples
    // Obeys hp_report_options.pprof.
    HP_CAN_LIMIT_STACKS = 1 << 8,
    // Writes all metrics that the inputs have; else only the chosen one.
    HP_HAS_ALL_METRICS = 1 << 9,
    HP_IS_BINARY = 1 << 10, // binary data: not to be written to a terminal
    // Also writes the sample types of pprof inputs that are no metrics.
    HP_HAS_SAMPLE_TYPES = 1 << 11,
    HP_CAN_WIDTH = 1 << 12, // fits its lines to the width of a terminal
    // Shows short names of functions, unless full ones are asked for.
    HP_HAS_SHORT_NAMES = 1 << 13,
    // A partial: the merged inputs, before names and filters are applied.
    HP_IS_PARTIAL = 1 << 14,
    // A picture of code.  It shows the same rows as a table, with confidence intervals.
    HP_IS_PICTURE = 1 << 15,
    // For human readers: facts about the inputs, and warnings, stand above the report.
    HP_IS_FOR_PEOPLE = 1 << 16,
    HP_CAN_SPREAD = 1 << 17, // shows how inputs differ (hp_report_options.columns)
    // Can drop rows until the report fits hp_report_options.max_bytes.
    HP_CAN_CUT = 1 << 20,
    // The next two are the number type that readers of the format use, whatever digits
    // are written.
    // A double, as in JavaScript: whole numbers are exact up to 2^53.
    HP_READ_AS_DOUBLE = 1 << 18,
    HP_READ_AS_INT64 = 1 << 19, // a signed 64-bit integer
};

// List the formats; i < hp_format_count().  hp_format_name() is a value of
// hp_report_options.format.  hp_format_help() describes the format in one line.
// hp_format_files() returns the patterns of the file names that choose this format,
// separated by spaces: "*.folded *.collapsed".  All texts are constants.
HP_API size_t hp_format_count(void);
HP_API const char *hp_format_name(size_t i);
HP_API const char *hp_format_help(size_t i);
HP_API const char *hp_format_files(size_t i);
// Return whether the format can write a report of this kind.
HP_API bool hp_format_fits(const char *format, enum hp_report_kind kind);
// Return the abilities of a format: bits of enum hp_format_ability.
HP_API unsigned hp_format_can(const char *format);
// Whether a report in a format with the abilities `can` groups by inputs, threads, labels,
// sizes, ages or what else follows HP_BY_INPUT: as rows of a table, or as labels of samples
// in a merged profile.
HP_API bool hp_report_can_group(enum hp_report_kind kind, enum hp_granularity by,
                                unsigned can);
// Return HP_E_USAGE if the options contradict each other, or if one has no effect.  The
// functions that take the options refuse them, too; this one reads nothing.  `read` may
// be NULL: the usual options.
HP_API int hp_options_check(const struct hp_read_options *read,
                            const struct hp_report_options *report, struct hp_err *err);
// Return the format's default for hp_report_options.limit: a number of rows, 0 or
// HP_LIMIT_ENOUGH.
HP_API size_t hp_format_limit(const char *format);
// Return the name of the default format of a kind of report.
HP_API const char *hp_format_of_kind(enum hp_report_kind kind);
// Find the format that a file name chooses ("x.folded", "callgrind.out.x"); upper and
// lower case are equal.  *format becomes NULL if the name may belong to any format.
// HP_E_USAGE if the name is known to belong to a format that is not written ("x.png").
HP_API int hp_format_of_file(const char *path, const char **format, struct hp_err *err);

// --- pictures of graphs -------------------------------------------------------

// A node of a call graph that the calling program has made itself.  Callers are drawn
// above the functions that they call.  Texts are lines of UTF-8 with '\n' between them;
// lengths are in points.
struct hp_graph_node {
    const char *name;  // first line of the node, broken where it is long; never NULL
    const char *text;  // text below the name; or NULL
    const char *title; // tooltip of the node; NULL: the name
    double letters;    // font size, in points
    double border;     // width of the border line, in points
    unsigned fill;     // colour of the node: 0xRRGGBB
};

// An arrow between two nodes.  There is at most one for each pair and direction.
struct hp_graph_edge {
    size_t from, to;   // indices into hp_graph.nodes: the caller and the callee
    const char *text;  // one line beside the arrow; or NULL
    const char *title; // tooltip of the arrow; NULL: the text
    // Importance of the edge, above 0.  In a cycle of calls the edge with the least
    // weight is the one drawn upwards.
    double weight;
    double width;   // width of the line, in points
    bool is_dashed; // whether the line is dashed, not solid
};

// A whole picture.  The caller owns all that it points to.
struct hp_graph {
    const char *title;  // title of the picture, as its first line; or NULL
    const char *legend; // text above the graph; or NULL
    const struct hp_graph_node *nodes;
    size_t node_count; // at most HP_GRAPH_NODES
    const struct hp_graph_edge *edges;
    // Number of edges, without a limit.  If there are more than 20,000 the lightest are
    // not drawn, and the picture says so.
    size_t edge_count;
};

// The most nodes of one graph.
#define HP_GRAPH_NODES 10000

// Write the graph as "svg", "pdf" or "ps" and deliver the bytes to `write`.  The bytes
// are the same on every machine, and any graph takes less than about a second.
// HP_E_USAGE: there is no such format.  HP_E_LIMIT: the graph has too many nodes.
// HP_E_OUTPUT: `write` failed.
HP_API int hp_graph_write(const struct hp_graph *graph, const char *format,
                          hp_write_fn *write, void *data, struct hp_err *err);

#ifdef __cplusplus
}
#endif

#endif
