#include "calc/listed.h"

// Remove objects younger than `age`, in place.  Returns how many are left.
static uint32_t keep(struct hp_listed *listed, uint32_t count, uint64_t age) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (listed[i].age >= age) {
            listed[kept++] = listed[i];
        }
    }
    return kept;
}

void hp_listed_keep(struct hp_dump *dump, uint64_t age) {
    size_t kept = 0;
    for (size_t i = 0; i < dump->extras.count; i++) {
        struct hp_stack_extra extra = dump->extras.at[i];
        struct hp_dump_stack stack = dump->stacks.at[i];
        if (extra.listed > 0) {
            extra.listed = keep(&dump->listed.at[extra.first_listed], extra.listed, age);
        }
        extra.values_end = 0;
        if (extra.listed > 0) {
            stack.counts = (struct hp_counts){{0, 0}, {0, 0}};
            stack.lines = 0;
            dump->extras.at[kept] = extra;
            dump->stacks.at[kept++] = stack;
        }
    }
    dump->stacks.count = dump->extras.count = kept;
}
