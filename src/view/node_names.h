// What the nodes of a view are called.  Names of places are put together when somebody asks for them: of a
// million frames without symbols a table shows twenty.
//
// Equal names of one class are one node, whatever they were made of.
#ifndef HP_VIEW_NODE_NAMES_H
#define HP_VIEW_NODE_NAMES_H

#include "model/profile.h"

// A node: a name of one naming, in full, and the class of the frames that it is of: those of two
// classes may be called the same, and so may several where names are short.
typedef struct {
    uint32_t n;
} hp_node_id;

// What a name is made of: a text, or of a place a head, which is "" or ends in '+', and a number behind it:
// "libfoo.so.1+" and 0x1234.
struct hp_name_parts {
    uint64_t number;
    hp_string text; // of the texts, or of the heads
    uint16_t class, is_place;
};

// With each text its first node, with each head the one with the largest number.
struct hp_name_texts {
    struct hp_strtab strings;
    HP_VEC(hp_node_id) nodes;
};

// {0} is empty.
struct hp_node_names {
    HP_VEC(struct hp_name_parts) all; // by node; [0] is none's
    struct hp_name_texts texts, heads;
    struct hp_index index;
    size_t indexed;           // so many nodes, the first, are in it
    struct hp_put_names *put; // of places, so far; NULL: there is no node
};

void hp_node_names_done(struct hp_node_names *names);

// The node of a name, which is added if it is new.  HP_CLASSES stands for no class.
hp_node_id hp_node_names_add(struct hp_node_names *names, struct hp_span text,
                             enum hp_frame_class class);

// The same of a place.  Cheapest in ascending order.
hp_string hp_node_names_head(struct hp_node_names *names, struct hp_span head);
hp_node_id hp_node_names_add_place(struct hp_node_names *names, hp_string head,
                                   uint64_t number, enum hp_frame_class class);

// A NUL is behind it.
struct hp_span hp_node_names_text(const struct hp_node_names *names, hp_node_id node);

// In byte order, equal ones in the order of their classes.
int hp_node_names_compare(const struct hp_node_names *names, hp_node_id a, hp_node_id b);

// The kind of thing that a row stands for: "function".
const char *hp_granularity_text(enum hp_granularity by);

#endif
