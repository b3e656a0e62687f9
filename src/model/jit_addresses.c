#include "model/jit_addresses.h"

#include <stdlib.h>

size_t hp_jit_addresses_from(const struct hp_jit_addresses *addresses, uint64_t start) {
    size_t low = 0, high = addresses->of.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (addresses->of.at[middle].address < start) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static int by_address(const void *left, const void *right) {
    const struct hp_jit_address *a = left, *b = right;
    return (a->address > b->address) - (a->address < b->address);
}

void hp_jit_addresses_sort(struct hp_jit_addresses *addresses) {
    size_t kept = 0;
    hp_vec_sort(&addresses->of, by_address);
    for (size_t i = 0; i < addresses->of.count; i++) {
        struct hp_jit_address *next = &addresses->of.at[i];
        if (kept == 0 || addresses->of.at[kept - 1].address != next->address) {
            addresses->of.at[kept++] = *next;
        }
    }
    addresses->of.count = kept;
}

void hp_jit_addresses_clear(struct hp_jit_addresses *addresses) {
    struct hp_jit_address *address;
    hp_vec_each (address, &addresses->of) {
        free(address->name);
        free(address->file);
        free(address->next_file);
    }
    addresses->of.count = 0;
}

void hp_jit_addresses_done(struct hp_jit_addresses *addresses) {
    hp_jit_addresses_clear(addresses);
    hp_vec_done(&addresses->of);
}
