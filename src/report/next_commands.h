// The commands of this program that answer the next question of a reader of a report.
#ifndef HP_REPORT_NEXT_COMMANDS_H
#define HP_REPORT_NEXT_COMMANDS_H

#include "view/view.h"

// A command, from "hprof-agg" to the options that select what is measured.
struct hp_next_command {
    const char *answers;      // the question that it answers, in words
    enum hp_report_kind kind; // the report that it makes
    HP_VEC(char *) arguments; // owned
    // For a report that takes a pattern: the own name of the function, without template
    // arguments; owned.  NULL: it has none, or "<" is a part of it.
    char *own_name;
};

struct hp_next {
    HP_VEC(struct hp_next_command) commands;
    hp_string first_file; // path of the source file of the first row; 0: unknown
};

// Make the commands for a report that lacks none of its rows; hp_next_done() frees them.
void hp_next_init(struct hp_next *all, const struct hp_view *view);
void hp_next_done(struct hp_next *all);

#endif
