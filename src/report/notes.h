// What a profile for other tools says of its numbers.
#ifndef HP_REPORT_NOTES_H
#define HP_REPORT_NOTES_H

#include "base/sink.h"
#include "view/view.h"

typedef void hp_note_fn(void *data, const char *note);

// Call `note` with each: who made them and how, and from what; with the warnings, or without.
void hp_notes_tell_facts(const struct hp_view *view, hp_note_fn *note, void *data);
void hp_notes_tell(const struct hp_view *view, hp_note_fn *note, void *data);

// As the elements of an array in JSON, a line each.
void hp_notes_json(struct hp_sink *out, const struct hp_view *view);

#endif
