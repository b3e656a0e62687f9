// Remarks that a profile for other tools carries in its comments: how its numbers came
// about.
#ifndef HP_REPORT_NOTES_H
#define HP_REPORT_NOTES_H

#include "base/sink.h"
#include "view/view.h"

// Takes one remark, a line of text without a newline.
typedef void hp_note_fn(void *data, const char *note);

// Call `note` with each remark: who made the profile, how the numbers were estimated, and
// from which inputs.  The second function adds the warnings.
void hp_notes_report_facts(const struct hp_view *view, hp_note_fn *note, void *data);
void hp_notes_report(const struct hp_view *view, hp_note_fn *note, void *data);

// Write all remarks as the elements of a JSON array, one on each line.
void hp_notes_json(struct hp_sink *out, const struct hp_view *view);

#endif
