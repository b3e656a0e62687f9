// What every frame of a profile is called at one granularity.
//
// A frame with inlined calls has several names; each distinct name is one node of the
// view, whatever build or process its frames came from.
#ifndef HP_VIEW_NAMING_H
#define HP_VIEW_NAMING_H

#include "view/filter.h"
#include "view/node_names.h"

struct hp_call {
    hp_node_id node;
    uint32_t line;  // in the profile, + 1; 0: no symbols
    uint8_t marks;  // of filters
    uint8_t class;  // enum hp_frame_class
    bool is_folded; // of a class that is, unless the report is about it
    bool is_hidden; // by filters
};

// Of a frame all of whose calls are folded.
#define HP_NO_NODE UINT32_MAX

struct hp_naming {
    const struct hp_profile *profile; // borrowed, as is
    const struct hp_filters *filters;
    struct hp_node_names names;   // in full
    HP_VEC(struct hp_call) calls; // of each frame, innermost first
    HP_VEC(uint32_t) first_call;  // of each frame, and one behind the last
    // Of each frame its node if it has one call that is not folded, HP_NO_NODE if it has none,
    // or 0.
    HP_VEC(hp_node_id) only;
    struct hp_strtab short_names; // if names of functions are to be short
    hp_string *short_of;          // of each string of the profile, or NULL
    HP_VEC(hp_string) shown;      // of each node a short name, or 0: it is shown in full
    unsigned folds;               // classes as bits
    hp_node_id truncated;         // stands where a process's backtrace was cut off
    hp_node_id empty;             // stands for a stack without frames
    uint32_t truncated_call, empty_call; // the calls of these, behind those of all frames
};

// options->by, frames, frame_rules, no_inlines and short_names are looked at.  HP_E_USAGE: a rule's
// pattern is none.  HP_E_LIMIT: it takes too many steps.
HP_MUST_CHECK int hp_naming_init(struct hp_naming *naming,
                                 const struct hp_profile *profile,
                                 const struct hp_filters *filters,
                                 const struct hp_report_options *options,
                                 struct hp_err *err);
void hp_naming_done(struct hp_naming *naming);

// Find, or add, a node that no call has.  HP_CLASSES stands for none.
hp_node_id hp_naming_add(struct hp_naming *naming, struct hp_span name,
                         enum hp_frame_class class);

// The same of a function of the profile.
hp_node_id hp_naming_add_function(struct hp_naming *naming, hp_string function,
                                  enum hp_frame_class class);

// What the report shows for a function of the profile.
struct hp_span hp_naming_function(const struct hp_naming *naming, hp_string function);

// Of a frame's call, or 0.
hp_module_id hp_call_module(const struct hp_naming *naming, uint32_t call);

// Nodes are numbers less than this; 0 is none.
static inline size_t hp_node_count(const struct hp_naming *naming) {
    return naming->names.all.count;
}

// As it is shown, and in full.
struct hp_span hp_node_name(const struct hp_naming *naming, hp_node_id node);
struct hp_span hp_node_full_name(const struct hp_naming *naming, hp_node_id node);

// HP_CLASSES if rows have none: modules, and groups of inputs.
enum hp_frame_class hp_node_class(const struct hp_naming *naming, hp_node_id node);

// Where a node is in binaries and source files.  Each is 0 if the frames of the node differ in it, or have none.
struct hp_origin {
    hp_module_id module;
    hp_string function, file; // of the profile
    uint32_t line;
};

// Below, above or equal to 0 as `a` comes before, after or is `b` in byte order of shown names, of
// one in that of full names, of one in the order of classes.
int hp_node_compare(const struct hp_naming *naming, hp_node_id a, hp_node_id b);
void hp_nodes_sort(const struct hp_naming *naming, hp_node_id *nodes, size_t count);
// Sorts them, too: the place of each among them, by its number; to be freed.
uint32_t *hp_nodes_rank(const struct hp_naming *naming, hp_node_id *nodes, size_t count);

#endif
