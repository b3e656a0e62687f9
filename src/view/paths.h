// A profile as its distinct stacks of places, with their labels: for formats that keep frames
// apart, and their addresses, files and lines.
//
// A place is a frame, or, where a stack begins amid its inlined calls because the inner ones
// are the allocator's, what is left of it.  It is called by the number of its first call among
// those that filters do not hide, so that places are in the order of modules and offsets.
#ifndef HP_VIEW_PATHS_H
#define HP_VIEW_PATHS_H

#include "view/naming.h"

// Stands for a stack of which filters leave nothing.
#define HP_NO_PATH UINT32_MAX

struct hp_path {
    const uint32_t *places; // leaf first
    uint32_t depth;         // at least 1
    hp_string tags;         // of the profile's tag_sets
};

struct hp_paths {
    struct hp_naming naming; // by function
    struct hp_arena arena;
    HP_VEC(struct hp_path) paths; // by place from the root
    HP_VEC(struct hp_call) calls; // that are not hidden
    HP_VEC(struct hp_line) lines; // of each of them
    HP_VEC(uint32_t) frame_of;    // of each of them
    uint32_t *number_of;          // of each call of the naming: the first from there on
    uint32_t *path_of;            // of each stack, or HP_NO_PATH
    size_t place_count;           // places are less than this
};

// options->all_frames, no_inlines, max_depth and, by metric, max_samples are looked at.
void hp_paths_init(struct hp_paths *paths, const struct hp_profile *profile,
                   const struct hp_report_options *options);
void hp_paths_done(struct hp_paths *paths);

struct hp_place {
    const struct hp_frame *frame; // NULL: the node stands for no frame
    const struct hp_call *calls;  // innermost first
    const struct hp_line *lines;  // of the calls; NULL: there are no symbols
    uint32_t count;               // of calls; at least 1
};

struct hp_place hp_paths_place(const struct hp_paths *paths, uint32_t place);

#endif
