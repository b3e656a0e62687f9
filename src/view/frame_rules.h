// What a frame is: the program's own, a library's, or something on the way from there to the
// memory.  A class follows from the name of a function, its source file and its module, and from
// the user's rules, and from nothing else: never from values or other frames, so that two dumps of
// one program fold alike.
#ifndef HP_VIEW_FRAME_RULES_H
#define HP_VIEW_FRAME_RULES_H

#include "model/profile.h"

// What the text of a name, a file or a module says: the first of the user's rules that it
// matches, from 1 on, and all rows of the table as bits.
struct hp_frame_matches {
    bool is_known;
    bool knows_bare; // of a name: also the rows about those without a file
    uint32_t given;
    uint64_t rows;
};

// {0} has nothing to free.
struct hp_frame_rules {
    struct hp_pattern *patterns; // of the table, and behind them of the user's rules
    const struct hp_frame_rule *given;
    size_t given_count;
    const struct hp_profile *profile;
    // Of each string of the profile as that, and as a line has it also in full.
    struct hp_frame_matches *names, *files, *modules;
    HP_VEC(char) bare; // the last name
    bool has_place;    // of the last module, the class of what has no name
    hp_module_id module;
    enum hp_frame_class of_places;
};

// "code"; `frames` is not HP_FRAMES_DEFAULT.
const char *hp_frames_name(enum hp_frames frames);

// What a view folds, as bits; `frames` is not HP_FRAMES_DEFAULT.
unsigned hp_folded_classes(enum hp_frames frames);

// HP_E_USAGE: a pattern is none.  The rules are borrowed; the profile may be NULL.
HP_MUST_CHECK int hp_frame_rules_init(struct hp_frame_rules *rules,
                                      const struct hp_profile *profile,
                                      const struct hp_frame_rule *given, size_t count,
                                      struct hp_err *err);
void hp_frame_rules_done(struct hp_frame_rules *rules);

// Of texts, "" where one is not known.  A nameless frame in no module is HP_CLASS_NONE.
enum hp_frame_class hp_frame_rules_judge(struct hp_frame_rules *rules, const char *name,
                                         const char *file, const char *module);

// The same of a call of the profile, each text looked at once.  `line` is NULL where there are
// no symbols.
enum hp_frame_class hp_frame_rules_class(struct hp_frame_rules *rules,
                                         const struct hp_frame *frame,
                                         const struct hp_line *line);

// An allocator as a shared library.
bool hp_is_allocator_module(const char *path);

// HP_E_LIMIT: one of the user's patterns took too many steps.
HP_MUST_CHECK int hp_frame_rules_check(const struct hp_frame_rules *rules,
                                       struct hp_err *err);

#endif
