// Remarks that a profile for other tools carries in its comments: how its numbers came
// about.
#ifndef HP_REPORT_NOTES_H
#define HP_REPORT_NOTES_H

#include "report/json/json_writer.h"
#include "view/view.h"

// The type of a function that takes one remark, a line of text without a newline, which
// is valid during the call only.
typedef void hp_note_fn(void *data, const char *note);

// Call `note` with each remark: the program that made the profile, the estimator, the
// inputs that are used, and the filters. hp_notes_report() then also calls it with the
// warnings of the view.
void hp_notes_report_facts(const struct hp_view *view, hp_note_fn *note, void *data);
void hp_notes_report(const struct hp_view *view, hp_note_fn *note, void *data);

// Write all remarks, warnings included, as the member "notes", an array with one on each
// line.
void hp_notes_json(struct hp_json *json, const struct hp_view *view);

#endif
