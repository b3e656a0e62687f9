// Where the nodes of a naming are in binaries and source files.
#ifndef HP_VIEW_ORIGINS_H
#define HP_VIEW_ORIGINS_H

#include "view/naming.h"

// Each is 0 if the frames of the node differ in it, or have none.
struct hp_origin {
    hp_module_id module;
    hp_string function, file; // of the profile
    uint32_t line;
};

// Of each node; to be freed.
struct hp_origin *hp_origins_new(const struct hp_naming *naming);

#endif
