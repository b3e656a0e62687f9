// Functions without names that seem to be an allocator linked into a stripped program:
// the leaf frames that all stacks of its module share, and where few functions call them
// (as malloc, calloc and operator new do) these, too.  It is a hint for the user, and no
// rule: a rule for frames may not depend on other stacks.
#ifndef HP_VIEW_NAMELESS_WRAPPERS_H
#define HP_VIEW_NAMELESS_WRAPPERS_H

#include "view/view.h"

// Write a regular expression, not quoted, that matches these functions: "^app\+0x(1234|
// 5678)$".  `leaf` is the node of a function without a name in which memory is allocated.
// Returns the number of functions; 0: no function calls the leaf, or the pattern does not
// fit.
size_t hp_nameless_wrappers(const struct hp_view *view, hp_node_id leaf, char *pattern,
                            size_t room);

#endif
