// Bits that a processor keeps in return addresses beside the place: signatures and tags of arm64 (PAC, MTE, TBI),
// which differ from frame to frame and from process to process.
#ifndef HP_INPUT_ADDRESS_TAGS_H
#define HP_INPUT_ADDRESS_TAGS_H

#include "model/dump.h"

// Clear them in dump->addresses, of which each is there once afterwards, and count them in dump->tagged.  Nothing
// happens unless every address in no row, with bits that no row of the map has, is in code without these.
void hp_address_tags_clear(struct hp_dump *dump);

#endif
