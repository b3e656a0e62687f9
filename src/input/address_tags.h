// Tag bits in return addresses: processors of the arm64 family store signatures and tags
// in the upper bits (PAC, MTE, TBI), which differ from frame to frame and from process to
// process.
#ifndef HP_INPUT_ADDRESS_TAGS_H
#define HP_INPUT_ADDRESS_TAGS_H

#include "model/dump.h"

// Clear the tag bits in dump->addresses, merge the addresses that become equal, and store
// the number of tagged addresses in dump->tagged. An address is tagged if it is in no
// mapping and has bits above those that addresses of mappings have. No address is changed
// if some tagged address is not in code after its tag is cleared, or if the dump embeds
// symbols, which refer to the original addresses.
void hp_address_tags_clear(struct hp_dump *dump);

#endif
