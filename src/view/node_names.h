// Names of the nodes of a view.
//
// A name is a text, or the place of a frame without symbols ("libfoo.so.1+0x1234").  The
// text of a place is only formatted when it is asked for: a table shows twenty of a
// million such frames.  Equal names of one class are one node, whatever they were made
// of.
#ifndef HP_VIEW_NODE_NAMES_H
#define HP_VIEW_NODE_NAMES_H

#include "model/profile.h"

// A node: a full name of one naming, together with the class of its frames.  Several
// nodes can be shown under one name: they differ in class, or only their short names are
// equal.  0: none.
typedef struct {
    uint32_t n;
} hp_node_id;

// The parts of a name: a text; or for a place a head, which is empty or ends in '+' or
// '@', and the number after it, as "libfoo.so.1+" and 0x1234.
struct hp_name_parts {
    uint64_t number;          // 0 for a text
    hp_string text;           // in hp_node_names.texts or, for a place, in .heads
    uint16_t class, is_place; // enum hp_frame_class; whether it is a place
};

// Texts or heads as strings, and a node of each: the first node of a text, or the node
// with the largest number of a head so far.
struct hp_name_texts {
    struct hp_strtab strings;
    HP_VEC(hp_node_id) nodes;
};

// The names of all nodes of a naming.  {0} is empty.
struct hp_node_names {
    HP_VEC(struct hp_name_parts) all; // by node; [0] is unused
    struct hp_name_texts texts, heads;
    struct hp_index index; // finds nodes by their parts
    size_t indexed;        // number of nodes in the index: the first ones of `all`
    // Texts of places that were formatted; NULL: there are no nodes.
    struct hp_place_texts *put;
};

void hp_node_names_done(struct hp_node_names *names);

// Return the node of a name and class; add it if it is new.  HP_CLASSES means no class.
// A text that reads like the name of an address, "libfoo.so.1+0x1234", is stored as such.
hp_node_id hp_node_names_add(struct hp_node_names *names, struct hp_span text,
                             enum hp_frame_class class);

// hp_node_names_head() returns the string of a head, to be passed as `head` to
// hp_node_names_add_place(), which returns the node of a place and a class and adds it if
// it is new.  Places with one head are added fastest in ascending order of numbers.
hp_string hp_node_names_head(struct hp_node_names *names, struct hp_span head);
hp_node_id hp_node_names_add_place(struct hp_node_names *names, hp_string head,
                                   uint64_t number, enum hp_frame_class class);

// Return the full name of a node, followed by a NUL.  Valid as long as `names`.
struct hp_span hp_node_names_text(const struct hp_node_names *names, hp_node_id node);

// Compare two nodes by the byte order of their names, then by class.
int hp_node_names_compare(const struct hp_node_names *names, hp_node_id a, hp_node_id b);

// Return the kind of thing that a row represents: "function".
const char *hp_granularity_text(enum hp_granularity by);

#endif
