// Tables for scripts: one line for each row, with tabs between cells.  This header has
// the parts that both writers share.
//
// Map of src/report/tsv:
//
//   tsv_rows.c    the format, and the writer of any table: titles, then rows
//   tsv_stacks.c  the writer of stacks
//   tsv_cells.c   the functions below: how a cell is written
//
// Invariants: the first line has the titles, which are the keys of columns and never
// change their meaning.  A cell contains no tab and no newline.  A number that is not
// known is an empty cell.  Numbers are written as in JSON (json/json_text.h).  The report
// has one metric.
#ifndef HP_REPORT_TSV_TSV_H
#define HP_REPORT_TSV_TSV_H

#include "report/format.h"
#include "report/json/json_text.h"

// Write untrusted text as the content of a cell.
void hp_tsv_text(struct hp_sink *out, struct hp_span text);

// Write a tab and a number; only the tab if the number is not known.
void hp_tsv_double(struct hp_sink *out, double value);
// Write three cells without a tab before the first: estimate, lower and upper end of its
// interval.  The estimate is empty if it is too high, as the largest of several dumps.
void hp_tsv_estimate(struct hp_sink *out, const struct hp_view *view,
                     const struct hp_amount *amount, enum hp_metric metric);

// Write the names of flags (enum hp_row_flag) with commas between them:
// "few-samples,seen-once"; nothing if no flag is set.
void hp_tsv_flags(struct hp_sink *out, unsigned flags);

// Write the stacks of a view, the largest first.
hp_writer hp_tsv_stacks;

// The titles of the last cells of every row, with the newline; hp_tsv_place() writes
// these cells and the newline: name, function, module, file, line and class of a node.
extern const char hp_tsv_place_titles[];
void hp_tsv_place(struct hp_sink *out, const struct hp_view *view, hp_node_id node);

#endif
