// Call sites: calls that agree in name, function, file, line and module.  Calls of a
// naming that differ only in their addresses are one site.
#ifndef HP_VIEW_SITES_H
#define HP_VIEW_SITES_H

#include "view/naming.h"

// A call as a page shows it: function, file, line, module and class, and whether it is
// inlined or hidden by a filter.  Sites are compared byte by byte, so that a new member
// must leave no padding.
struct hp_site {
    hp_node_id name;                  // name of the called function
    hp_string function, file, module; // strings of the profile; 0: not known
    uint32_t line;                    // line in `file`; 0: not known
    uint8_t class;                    // enum hp_frame_class
    bool is_inlined, is_hidden;       // inlined into its caller; hidden by a filter
    uint8_t nothing;                  // padding, always 0
};

// The distinct sites of all calls of a naming.  {0} has nothing to free.
struct hp_sites {
    // By name, file, line and module: the order does not depend on the order of the
    // inputs.
    HP_VEC(struct hp_site) all;
    // Sites of call i of the naming: [2 * i], and [2 * i + 1] if the call is hidden in
    // this stack.
    uint32_t *number_of;
};

// Find the sites of all calls, that is, how a page shows them.  A call that filters hide
// in one stack and show in another one has two sites.
void hp_sites_init(struct hp_sites *sites, const struct hp_naming *naming);
void hp_sites_done(struct hp_sites *sites);

// Return the number of the site (the call as a page shows it) of a call of the naming.
static inline uint32_t hp_site_of(const struct hp_sites *sites, uint32_t call,
                                  bool is_hidden) {
    return sites->number_of[2 * (size_t)call + is_hidden];
}

#endif
