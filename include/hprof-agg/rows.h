// What a report holds, for programs: rows, stacks, and what has grown too much.
#ifndef HPROF_AGG_ROWS_H
#define HPROF_AGG_ROWS_H

#include "hprof-agg/profile.h"

#ifdef __cplusplus
extern "C" {
#endif

// --- rows -----------------------------------------------------------------------

// Stands for no row.
#define HP_NO_ROW SIZE_MAX

enum hp_cell {
    HP_CELL_ESTIMATE, // bytes or objects with an interval
    HP_CELL_SUM,      // bytes or objects
    HP_CELL_RATE,     // bytes or objects a dump or a unit of time: the column's unit says
    HP_CELL_NUMBER,
    HP_CELL_COUNT,
    HP_CELL_P, // a p-value
    HP_CELL_TEXT,
    HP_CELL_TRUTH,  // 0 or 1
    HP_CELL_FLAGS,  // enum hp_row_flag
    HP_CELL_SERIES, // a number of each dump
};

// Fields are only ever added at the end, here and in the next two.
struct hp_view_column {
    const char *key;   // "flat", "p": as in JSON, never changes its meaning
    const char *title; // for people; NULL: it is for programs
    const char *unit;  // "bytes/hour"; NULL: that of the metric, or none
    enum hp_cell cell;
};

enum hp_row_flag {
    HP_ROW_FEW_SAMPLES = 1 << 0, // it stands on fewer than five effective samples
    HP_ROW_SEEN_ONCE = 1 << 1,   // one object was sampled
    HP_ROW_MIXED_SIZES =
        1 << 2, // of several sizes: nobody knows the error of their number
    HP_ROW_SIGNIFICANT = 1 << 3, // the change is more than sampling explains
};

struct hp_row {
    const char *name;                     // as shown
    const char *function, *module, *file; // "" where its frames differ or none is known
    uint32_t line;                        // 0 the same
    uint32_t depth;                       // in a tree; else 0
    size_t parent;                        // in a tree, or HP_NO_ROW
    unsigned flags;                       // enum hp_row_flag, in the metric asked for
    enum hp_frame_class frame_class;      // HP_CLASSES of modules and of groups of inputs
};

// NAN: not known; the value also where it is of the fullest of several dumps (HP_SNAPSHOTS_PEAK), too high for
// the choice.  low == high: exact.
struct hp_estimate {
    double value, low, high, effective_samples;
};

// Of reports that have rows; of others there are none.  column < hp_view_column_count(), row <
// hp_view_row_count(): all of them in order, whatever the limit, but of HP_REPORT_TREE those
// that limit and min_share keep.  HP_REPORT_LIST has a row for each function.
//
// All that can be known is, if options.format is NULL.  A view that is made for a format has
// just the metrics and the ends of intervals that this shows; others are NAN.
HP_API size_t hp_view_column_count(const struct hp_view *view);
HP_API const struct hp_view_column *hp_view_column(const struct hp_view *view,
                                                   size_t column);
HP_API size_t hp_view_row_count(const struct hp_view *view);

// Until the next call with this view.
HP_API const struct hp_row *hp_view_row(const struct hp_view *view, size_t row);

// Of cells that are estimates, sums and rates, of which sums have no ends; of those that are
// single numbers, 0 and 1 among them; of texts.  Of other cells it is NAN, or "".
HP_API struct hp_estimate hp_view_estimate(const struct hp_view *view, size_t row,
                                           size_t column, enum hp_metric metric);
HP_API double hp_view_number(const struct hp_view *view, size_t row, size_t column);
HP_API const char *hp_view_text(const struct hp_view *view, size_t row, size_t column);

// Of everything that was read, or of what filters leave of it; in a diff of both sides.
HP_API struct hp_estimate hp_view_total(const struct hp_view *view, enum hp_metric metric,
                                        bool filtered);

// --- stacks ---------------------------------------------------------------------

// One call of a stack.
struct hp_frame_info {
    const char *function; // as shown; "libfoo.so+0x1234" if there is no name
    const char *linkage;  // as the linker knows it; "" if not known
    const char *file, *module, *build_id; // "" if not known
    uint64_t address; // of the call in the module: one less than what the name above has
    bool is_offset;   // in the file; else it is the one that ELF headers have
    uint32_t line;    // 0 if not known
    bool is_inlined;  // into the next
    enum hp_frame_class frame_class; // HP_CLASSES where the report is by module
};

// Of reports of stacks: HP_REPORT_STACKS by names; HP_REPORT_MERGE, HP_REPORT_TIMELINE and
// whatever a format of stacks is asked for.  They are in the order of their frames from the
// root, not of their size.  `frames` are numbers for hp_view_frame(), leaf first, the last of them
// "[truncated]" where the process cut the stack off; they and a frame last until the next is
// asked for.  How many there are is returned.  Stacks of HP_REPORT_MERGE that differ in the
// labels of their samples alone are several.  Those of HP_REPORT_DIFF hold what both sides have
// together.
HP_API size_t hp_view_stack_count(const struct hp_view *view);
HP_API size_t hp_view_stack(const struct hp_view *view, size_t stack,
                            const uint32_t **frames);
HP_API const struct hp_frame_info *hp_view_frame(const struct hp_view *view,
                                                 uint32_t frame);
HP_API struct hp_estimate hp_view_stack_estimate(const struct hp_view *view, size_t stack,
                                                 enum hp_metric metric);

// --- gate -----------------------------------------------------------------------

// What has grown too much first.
struct hp_excess {
    const char *name;
    size_t row;    // HP_NO_ROW: the total, or what filters leave
    double growth; // of bytes or objects
    double limit;
    double p;            // NAN if it is not known
    double share;        // of what the base holds in all; NAN if that is nothing
    bool is_row;         // whose p is adjusted for how many rows there are
    bool is_of_sampling; // p allows for nothing else, as of two processes
};

// Warnings about this report alone: its numbers are too large for readers of the format, or patterns did
// not look at all of a name.  The text lives as long as the view.
HP_API size_t hp_view_caution_count(const struct hp_view *view);
HP_API const char *hp_view_caution(const struct hp_view *view, size_t i);

// Whether a row, or the total, has grown by more than the gate of the options allows; if so
// `first` is filled.
HP_API bool hp_view_exceeds(const struct hp_view *view, struct hp_excess *first);

// Whether some dumps have no function names of the program itself while others have, so that the gate of the
// options may miss what grew there.
HP_API bool hp_view_is_open(const struct hp_view *view);

// What follows the name in a sentence: "grew 19.3 MiB (+37.6%, p < 0.0001); the limit is growth >
// 5%".  At most so many bytes are written, the 0 at the end included.
HP_API void hp_view_excess_text(const struct hp_view *view,
                                const struct hp_excess *excess, char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif
