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
#include "view/visible_frames.h"

enum {
    MANY = 3, // samples; it does not matter how many more
};

// Samples of each node of the naming, MANY at most.
static unsigned char *count_samples(const struct hp_view *view, enum hp_column column) {
    const struct hp_profile *profile = view->profile;
    const struct hp_error *errors = profile->errors[column].at;
    struct hp_members members = {0};
    hp_members_init(&members, &view->naming, view->options.sort == HP_SORT_CUM);
    unsigned char *samples = hp_alloc(members.node_count);
    for (size_t i = 0; i < profile->stacks.count; i++) {
        for (size_t k = members.first.at[i]; k < members.first.at[i + 1]; k++) {
            unsigned char *sum = &samples[members.nodes.at[k].n];
            uint64_t more = errors[i].samples + *sum;
            *sum = (unsigned char)(more < MANY ? more : MANY);
        }
    }
    hp_members_done(&members);
    return samples;
}

double hp_chosen_among(const struct hp_view *view, enum hp_column column) {
    if (view->options.sort == HP_SORT_NAME || !hp_unseen_in(view, column).is_much) {
        return 1;
    }
    double found[MANY + 1] = {0};
    unsigned char *samples = count_samples(view, column);
    for (size_t i = 0; i < view->naming.names.strings.count; i++) {
        found[samples[i]]++;
    }
    free(samples);
    return found[1] + found[2] + found[MANY] +
           found[1] * (found[1] - 1) / (2 * (found[2] + 1));
}
