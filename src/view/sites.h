// Calls at one place in source: what is called there, its file, line and module.  Those of a
// naming that differ in their addresses alone are one.
#ifndef HP_VIEW_SITES_H
#define HP_VIEW_SITES_H

#include "view/naming.h"

// All bytes of one are compared.
struct hp_site {
    hp_node_id name;
    hp_string function, file, module; // of the profile; 0 if not known
    uint32_t line;                    // 0 if not known
    uint8_t class;                    // enum hp_frame_class
    bool is_inlined, is_hidden;
    uint8_t nothing;
};

// {0} has nothing to free.
struct hp_sites {
    // In the order of names, then of files, lines and modules: the same whatever the order of inputs.
    HP_VEC(struct hp_site) all;
    uint32_t *number_of; // of each call of the naming, and, behind, of it if it is hidden
};

// Filters may hide a call in one stack and not in another: that makes two of it.
void hp_sites_init(struct hp_sites *sites, const struct hp_naming *naming);
void hp_sites_done(struct hp_sites *sites);

static inline uint32_t hp_site_of(const struct hp_sites *sites, uint32_t call,
                                  bool is_hidden) {
    return sites->number_of[2 * (size_t)call + is_hidden];
}

#endif
