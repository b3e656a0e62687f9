// Names of generated code in a dump: which addresses need one.
#ifndef HP_CALC_GENERATED_NAMES_H
#define HP_CALC_GENERATED_NAMES_H

#include "calc/resolve.h"
#include "model/jit_addresses.h"

// Let `namer` embed names in the dump for addresses of generated code, and for addresses
// in no mapping.  Call it after hp_resolve_places().
void hp_generated_name(const struct hp_resolver *resolver, struct hp_dump *dump,
                       struct hp_jit_namer *namer);

#endif
