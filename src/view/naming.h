// Names of all frames of a profile at one granularity (function, line, file, module,
// build or address).
//
// A frame consists of one or more calls: itself, and the calls inlined into it.  Each
// call has a node, and each distinct name (with its class) is one node of the view,
// whatever build or process its frames came from.  Nodes that are not calls, such
// as inputs, are added with hp_naming_add().
#ifndef HP_VIEW_NAMING_H
#define HP_VIEW_NAMING_H

#include "view/filter.h"
#include "view/node_names.h"

// A call of a frame.
struct hp_call {
    hp_node_id node;
    uint32_t line;  // index into profile->lines, + 1; 0: no symbols
    uint8_t marks;  // set of the filter rules that match it, see hp_mark_of()
    uint8_t class;  // enum hp_frame_class
    bool is_folded; // its class is folded, and the report's pattern does not name it
    bool is_hidden; // filters hide it
};

// In hp_naming.only: there is no node, because all calls of the frame are folded.
#define HP_NO_NODE UINT32_MAX

// The names of all frames of a profile.
struct hp_naming {
    const struct hp_profile *profile; // borrowed
    const struct hp_filters *filters; // borrowed
    struct hp_node_names names;       // full names of the nodes
    HP_VEC(struct hp_call) calls; // frame by frame, within a frame the innermost first
    // By frame: its first call; at the end: number of all these calls.
    HP_VEC(uint32_t) first_call;
    // For each frame: the node of its only call that is not folded; HP_NO_NODE: all of
    // its calls are folded; 0: several of them are not.
    HP_VEC(hp_node_id) only;
    struct hp_strtab short_names; // empty unless options.frames.names is short
    // By string of the profile: short name of the function with this name; NULL: names
    // are shown in full.
    hp_string *short_of;
    HP_VEC(hp_string) shown; // for each node its short name; 0: shown in full
    // Set of the classes whose calls are folded, 1 << class each.
    unsigned folds;
    hp_node_id truncated; // "[truncated]": replaces the missing end of a backtrace
    hp_node_id empty;     // "[empty stack]": represents a stack without frames
    uint32_t truncated_call, empty_call; // their calls, after the calls of all frames
};

// Name all frames of a profile.  Uses options->by, frames and kind.  The profile and the
// filters stay borrowed.  HP_E_USAGE: the pattern of a rule is invalid.  HP_E_LIMIT:
// matching takes too many steps.  Free with hp_naming_done(), also after a failure.
HP_MUST_CHECK int hp_naming_init(struct hp_naming *naming,
                                 const struct hp_profile *profile,
                                 const struct hp_filters *filters,
                                 const struct hp_report_options *options,
                                 struct hp_err *err);
void hp_naming_done(struct hp_naming *naming);

// Return the node of a full name and a class; add it if it is new.  HP_CLASSES means no
// class.
hp_node_id hp_naming_add(struct hp_naming *naming, struct hp_span name,
                         enum hp_frame_class class);

// Return the node of a function of the profile and a class; add it, with its full and
// short name, if it is new.
hp_node_id hp_naming_add_function(struct hp_naming *naming, hp_string function,
                                  enum hp_frame_class class);

// Return the name that the report shows for a function of the profile, short or full.
struct hp_span hp_naming_function(const struct hp_naming *naming, hp_string function);

// Return the module of a call's frame; 0: the call belongs to no frame ("[empty stack]").
hp_module_id hp_call_module(const struct hp_naming *naming, uint32_t call);

// Return the bound of node numbers: nodes are 1 up to this, exclusive; 0 is no node.
static inline size_t hp_node_count(const struct hp_naming *naming) {
    return naming->names.all.count;
}

// Return the name of a node as the report shows it (short if the options ask for that),
// and its full name.
struct hp_span hp_node_name(const struct hp_naming *naming, hp_node_id node);
struct hp_span hp_node_full_name(const struct hp_naming *naming, hp_node_id node);

// Return the class of a node; HP_CLASSES: it has none, like modules and groups of inputs.
enum hp_frame_class hp_node_class(const struct hp_naming *naming, hp_node_id node);

// The module, source file, line and function of a node.  A member is 0 if the frames of
// the node differ in it, or do not have it.
struct hp_origin {
    hp_module_id module;
    hp_string function, file; // strings of the profile
    uint32_t line;
};

// Compare two nodes by shown name, then by full name, both in byte order, then by class.
// Returns a number below 0, 0 or above 0, as `a` is before, equal to or after `b`.
int hp_node_compare(const struct hp_naming *naming, hp_node_id a, hp_node_id b);
// Sort nodes by hp_node_compare().
void hp_nodes_sort(const struct hp_naming *naming, hp_node_id *nodes, size_t count);

// Sort nodes by hp_node_compare(), and return an array that has the position of each of
// them by its number.  The caller frees the array.
uint32_t *hp_nodes_rank(const struct hp_naming *naming, hp_node_id *nodes, size_t count);

#endif
