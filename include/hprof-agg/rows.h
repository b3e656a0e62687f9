// The content of a report for programs: rows, stacks, and growth beyond a limit.
//
// Make the view with options.format NULL to have all metrics and intervals.  Then either
// walk over the rows (hp_view_column(), hp_view_row(), hp_view_estimate()), or over the
// stacks (hp_view_stack(), hp_view_frame()), or ask the gate (hp_view_exceeds()).  All
// results belong to the view; some are valid only until the next call.
#ifndef HPROF_AGG_ROWS_H
#define HPROF_AGG_ROWS_H

#include "hprof-agg/profile.h"

#ifdef __cplusplus
extern "C" {
#endif

// --- rows -----------------------------------------------------------------------

// The row number that means "no row".
#define HP_NO_ROW SIZE_MAX

// The type of the cells of a column.
enum hp_cell {
    HP_CELL_ESTIMATE, // bytes or objects, with a confidence interval
    HP_CELL_SUM,      // bytes or objects
    // Bytes or objects for each dump or unit of time: see hp_view_column.unit.
    HP_CELL_RATE,
    HP_CELL_NUMBER, // a number in the unit of its column: see hp_view_column.unit
    HP_CELL_COUNT,  // a whole number, as of samples, dumps or objects
    HP_CELL_P,      // a p-value
    HP_CELL_TEXT,
    HP_CELL_TRUTH,  // 0 or 1
    HP_CELL_FLAGS,  // bits of enum hp_row_flag
    HP_CELL_SERIES, // one number for each dump
};

// A column of a table.  New members are only ever added at the end, here and in struct
// hp_row and struct hp_estimate.
struct hp_view_column {
    const char *key;   // "flat", "p": the key in JSON; its meaning never changes
    const char *title; // heading for human readers; NULL: the column is for programs only
    const char *unit;  // "bytes/hour"; NULL: the unit of the metric, or none
    enum hp_cell cell; // the type of its cells
};

// Facts about the numbers of a row; bits.
enum hp_row_flag {
    // Based on fewer than five effective samples, that is, equal samples that would have
    // the same error.
    HP_ROW_FEW_SAMPLES = 1 << 0,
    HP_ROW_SEEN_ONCE = 1 << 1, // exactly one object was sampled
    // The row has objects of several sizes, and the error of the number of objects is
    // unknown.
    HP_ROW_MIXED_SIZES = 1 << 2,
    HP_ROW_SIGNIFICANT = 1 << 3, // the change is larger than sampling explains
};

// A row of a table.
struct hp_row {
    const char *name; // the name, as reports show it
    // "" if unknown, or if the frames of the row differ in it.
    const char *function, *module, *file;
    uint32_t line;  // source line; 0 if unknown, or if the frames of the row differ
    uint32_t depth; // depth in a tree; else 0
    size_t parent;  // row of the parent in a tree; else HP_NO_ROW
    unsigned flags; // bits of enum hp_row_flag, for the metric of the options
    // Class of the frames of the row; HP_CLASSES: the row is a module or a group of
    // inputs.
    enum hp_frame_class frame_class;
};

// An estimate with its confidence interval, in bytes or objects.  NAN: unknown.  `value`
// is also NAN where it is that of the fullest of several dumps (HP_SNAPSHOTS_PEAK), which
// is too high because of the choice.  low == high: the number is exact.
// effective_samples: how many equal samples would give an error of this size.
struct hp_estimate {
    double value, low, high, effective_samples;
};

// The table of a report that has rows; other reports have no rows.  column <
// hp_view_column_count(), row < hp_view_row_count().  All rows are there in order,
// whatever the limit, except that HP_REPORT_TREE has only those that limit and
// tree.min_share keep.  HP_REPORT_LIST has a row for each function.
//
// If options.format is NULL all known values can be asked for.  A view that is made for a
// format has only the metrics and interval ends that the format shows; others are NAN.
HP_API size_t hp_view_column_count(const struct hp_view *view);
HP_API const struct hp_view_column *hp_view_column(const struct hp_view *view,
                                                   size_t column);
HP_API size_t hp_view_row_count(const struct hp_view *view);

// Return a row; it is valid until the next call with this view.
HP_API const struct hp_row *hp_view_row(const struct hp_view *view, size_t row);

// Return the content of a cell.  hp_view_estimate() is for estimates, sums and rates;
// sums have no interval.  hp_view_number() is for single numbers, 0 and 1 included.
// hp_view_text() is for texts.  For cells of other types the result is NAN or "".
HP_API struct hp_estimate hp_view_estimate(const struct hp_view *view, size_t row,
                                           size_t column, enum hp_metric metric);
HP_API double hp_view_number(const struct hp_view *view, size_t row, size_t column);
HP_API const char *hp_view_text(const struct hp_view *view, size_t row, size_t column);

// Return the total of everything that was read, by the headers of dumps where these show
// it better than the stacks do, or, if `filtered`, the sum of the stacks that the filters
// keep.  In a diff both sides are added up.
HP_API struct hp_estimate hp_view_total(const struct hp_view *view, enum hp_metric metric,
                                        bool filtered);

// --- stacks ---------------------------------------------------------------------

// One call in a stack.
struct hp_frame_info {
    // The name, as reports show it; "libfoo.so+0x1234" without symbols.
    const char *function;
    const char *linkage;                  // the linker's name; "" if not known
    const char *file, *module, *build_id; // "" if not known
    // Address of the call in the module.  It is one less than the return address, which
    // `function` shows if there are no symbols.
    uint64_t address;
    // `address` is an offset in the file; else an address as in ELF headers.
    bool is_offset;
    uint32_t line;                   // source line; 0 if not known
    bool is_inlined;                 // inlined into the next frame
    enum hp_frame_class frame_class; // HP_CLASSES if the report is by module
};

// The stacks of a report of stacks: HP_REPORT_STACKS (by names), HP_REPORT_MERGE,
// HP_REPORT_TIMELINE, and any report in a format of stacks.
//
// Stacks are ordered by their frames from the root, not by size.  hp_view_stack() returns
// the number of frames and points *frames to numbers for hp_view_frame(), leaf first.
// The last frame is "[truncated]" if the process truncated the stack.  The frames of a
// stack, and a frame, are valid until the next one is asked for.  Stacks of
// HP_REPORT_MERGE that differ only in the labels of their samples are separate.  Stacks
// of HP_REPORT_DIFF contain both sides together.
HP_API size_t hp_view_stack_count(const struct hp_view *view);
HP_API size_t hp_view_stack(const struct hp_view *view, size_t stack,
                            const uint32_t **frames);
HP_API const struct hp_frame_info *hp_view_frame(const struct hp_view *view,
                                                 uint32_t frame);
HP_API struct hp_estimate hp_view_stack_estimate(const struct hp_view *view, size_t stack,
                                                 enum hp_metric metric);

// --- gate -----------------------------------------------------------------------

// The growth that exceeds the gate and is to be reported first, or the one that comes
// nearest to it.
struct hp_excess {
    const char *name; // name of the row, or of the total
    // The row that has grown; HP_NO_ROW: the total has grown, or the total of what the
    // filters keep.
    size_t row;
    double growth; // bytes or objects
    double limit;  // the largest growth that the gate allows, in the same unit
    double p;      // p-value of the growth; NAN if it is not known
    double share;  // growth as a share of the base's total; NAN if that is 0
    bool is_row;   // a row: its p-value is adjusted for the number of rows
    // The p-value takes only sampling into account, not how processes differ, as when two
    // single processes are compared.
    bool is_of_sampling;
};

// Warnings about this report alone: its numbers are too large for readers of the format,
// or patterns did not look at the whole of a name.  i < hp_view_caution_count(); the text
// lives as long as the view.
HP_API size_t hp_view_caution_count(const struct hp_view *view);
HP_API const char *hp_view_caution(const struct hp_view *view, size_t i);

// Return whether a row, or the total, has grown by more than the gate of the options
// allows.  If so, fill *first.  If not, fill it with the row or total that comes nearest;
// options without a gate leave it unchanged.
HP_API bool hp_view_exceeds(const struct hp_view *view, struct hp_excess *first);

// Return whether some dumps lack the function names of the program itself while others
// have them.  The gate may then miss growth in the nameless functions.
HP_API bool hp_view_is_open(const struct hp_view *view);

// Write the rest of a sentence that begins with the name: "grew 19.3 MiB (+37.6%, p <
// 0.0001); the limit is growth > 5%".  Writes at most `size` bytes, including the NUL.
HP_API void hp_view_excess_text(const struct hp_view *view,
                                const struct hp_excess *excess, char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif
