// The cells of tables for scripts; a row is cells with tabs between them and a newline.
#ifndef HP_REPORT_TSV_TSV_H
#define HP_REPORT_TSV_TSV_H

#include "report/format.h"
#include "report/json/json_text.h"

// A text from outside.
void hp_tsv_text(struct hp_sink *out, struct hp_span text);

// Each begins with a tab; empty where a number is not known.
void hp_tsv_double(struct hp_sink *out, double value);
void hp_tsv_estimate(struct hp_sink *out, const struct hp_view *view,
                     const struct hp_amount *amount, enum hp_metric metric);

// "few-samples,seen-once", or nothing.
void hp_tsv_flags(struct hp_sink *out, unsigned flags);

hp_writer hp_tsv_stacks;

// The last cells of a row, and its end: what it stands for and where that is.
extern const char hp_tsv_place_titles[];
void hp_tsv_place(struct hp_sink *out, const struct hp_view *view, hp_node_id node);

#endif
