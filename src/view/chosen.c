// Of many rows that sampling found once or twice, or not at all, the first are those that it
// found more often than others of their size.  An interval that holds 95 of 100 rows then misses
// these above all: its lower end is too high.  The lower end that all of M rows together are
// above with the confidence asked for is that for (1 - confidence) / M each, and the first rows
// are among them whichever they are.  With f1 and f2 of rows that have one sample and two,
//
//     M = rows seen + f1 (f1 - 1) / (2 (f2 + 1))
//
// which is Chao's lower bound of how many there are (1984).
//
// It is done where the memory that was missed is a matter at all (unseen.h): else rows are what
// they are by more than luck.
#include "view/chosen.h"

#include "view/unseen.h"

bool hp_are_chosen(const struct hp_view *view, enum hp_column column) {
    return view->options.sort != HP_SORT_NAME && hp_unseen_in(view, column).is_much;
}

double hp_chosen_among(const unsigned char *samples, size_t count) {
    double found[HP_MANY_SAMPLES + 1] = {0};
    for (size_t i = 0; i < count; i++) {
        found[samples[i]]++;
    }
    return found[1] + found[2] + found[HP_MANY_SAMPLES] +
           found[1] * (found[1] - 1) / (2 * (found[2] + 1));
}
