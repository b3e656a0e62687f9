// Tag bits in return addresses: processors of the arm64 family store signatures and tags
// in the upper bits (PAC, MTE, TBI), which differ from frame to frame and from process to
// process.
#ifndef HP_INPUT_ADDRESS_TAGS_H
#define HP_INPUT_ADDRESS_TAGS_H

#include "model/dump.h"

// Clear the tag bits in dump->addresses, merge the addresses that become equal, and store
// the number of tagged addresses in dump->tagged. Nothing is changed if the dump embeds
// symbols, which refer to the untouched addresses, nor unless each address that is in no
// mapping, and has bits that no mapping has, is in code once these bits are cleared.
void hp_address_tags_clear(struct hp_dump *dump);

#endif
