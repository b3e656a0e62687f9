// Classes of frames: the program's own code, a library, or one of the layers between the
// program and its memory, such as the allocator and wrappers.
//
// A class depends on the name of the function, its source file and its module, and on the
// user's rules, but never on values or on other frames.  So the same calls are folded in
// all dumps of one program.
//
// A profile is classified with hp_frame_rules_init(), then hp_frame_rules_class() for
// each call, then hp_frame_rules_check().  Each text is matched once and its result
// cached.
#ifndef HP_VIEW_FRAME_RULES_H
#define HP_VIEW_FRAME_RULES_H

#include "model/profile.h"

// Rules that the text of a name, a file or a module matches.
struct hp_frame_matches {
    bool is_known;   // the text was matched; else the other members are not set
    bool knows_bare; // names: rows about names without a file were tried, too
    uint32_t given;  // number of the user's first rule that matches, from 1 on; 0: none
    uint64_t rows;   // bit i: row i of the built-in table matches
};

// The rules that decide the classes of frames, and a cache of what they match.  {0} has
// nothing to free.
struct hp_frame_rules {
    struct hp_pattern *patterns;       // built-in rows, then the user's rules; owned
    const struct hp_frame_rule *given; // the user's rules, borrowed
    size_t given_count;
    const struct hp_profile *profile; // borrowed; NULL: only hp_frame_rules_judge() works
    // Results for each string of the profile: matched as the name, the file or the module
    // of a frame; owned.
    struct hp_frame_matches *names, *files, *modules;
    HP_VEC(char) bare; // scratch: the name last matched, without its arguments
    // Cache: the class (of_places) of frames without a name in the module last asked for;
    // has_place false: the cache is empty.
    bool has_place;
    hp_module_id module;
    enum hp_frame_class of_places;
};

// Return the value of the option --frames that selects `frames`, as "code"; not for
// HP_FRAMES_DEFAULT.
const char *hp_frames_name(enum hp_frames frames);

// Return the set of classes whose calls a view with `frames` folds, 1 << class each; not
// for HP_FRAMES_DEFAULT.
unsigned hp_folded_classes(enum hp_frames frames);

// Compile the user's rules, which stay borrowed.  HP_E_USAGE: a pattern is invalid.  The
// profile may be NULL.  Free with hp_frame_rules_done(), also after a failure.
HP_MUST_CHECK int hp_frame_rules_init(struct hp_frame_rules *rules,
                                      const struct hp_profile *profile,
                                      const struct hp_frame_rule *given, size_t count,
                                      struct hp_err *err);
void hp_frame_rules_done(struct hp_frame_rules *rules);

// Return the class of a frame given as texts; "" where one is not known.  A frame with
// neither name nor module is HP_CLASS_NONE.
enum hp_frame_class hp_frame_rules_judge(struct hp_frame_rules *rules, const char *name,
                                         const char *file, const char *module);

// Return the class of a call of the profile; each distinct text is matched only once.
// `line` is NULL if the frame has no symbols.
enum hp_frame_class hp_frame_rules_class(struct hp_frame_rules *rules,
                                         const struct hp_frame *frame,
                                         const struct hp_line *line);

// Whether a module's path is that of an allocator or sanitizer built as a shared library.
bool hp_is_allocator_module(const char *path);

// Fail with HP_E_LIMIT if one of the user's patterns took too many steps, so that classes
// may be wrong.
HP_MUST_CHECK int hp_frame_rules_check(const struct hp_frame_rules *rules,
                                       struct hp_err *err);

#endif
