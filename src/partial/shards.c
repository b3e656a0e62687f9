#include "partial/shards.h"

#include "base/digest.h"

#include <stdlib.h>

enum {
    NUMBER = 8, // bytes
};

static void add_number(struct hp_digester *digester, uint64_t number, bool is_canonical) {
    char bytes[NUMBER];
    for (int i = 0; i < NUMBER; i++) {
        bytes[i] = (char)(number >> 8 * (is_canonical ? NUMBER - 1 - i : i));
    }
    hp_digester_add(digester, (struct hp_span){bytes, sizeof bytes});
}

static struct hp_digest digest_module(struct hp_digester *digester,
                                      const struct hp_profile *profile,
                                      const struct hp_module *module) {
    struct hp_span id = hp_strtab_span(&profile->strings, module->told_id);
    struct hp_span path = hp_strtab_span(&profile->strings, module->path);
    hp_digester_start(digester);
    hp_digester_add(digester, id.size > 0 ? id : path);
    hp_digester_add(digester, (struct hp_span){"", 1});
    for (uint32_t i = 0; i < module->extents; i++) {
        const struct hp_extent *extent = &profile->extents.at[module->first_extent + i];
        add_number(digester, extent->offset, false);
        add_number(digester, extent->size, false);
    }
    return hp_digester_end(digester);
}

uint32_t *hp_shards_of_stacks(const struct hp_profile *profile, uint32_t count) {
    struct hp_digester digester = {NULL};
    HP_VEC(struct hp_digest) modules = {0};
    uint32_t *numbers = hp_alloc((profile->stacks.count + 1) * sizeof *numbers);
    const struct hp_module *module;
    hp_vec_each (module, &profile->modules) {
        hp_vec_push(&modules, digest_module(&digester, profile, module));
    }
    for (size_t i = 0; i < profile->stacks.count; i++) {
        const struct hp_stack *stack = &profile->stacks.at[i];
        hp_digester_start(&digester);
        for (uint32_t k = stack->depth; k-- > 0;) {
            const struct hp_frame *frame = &profile->frames.at[stack->frames[k].n];
            add_number(&digester, modules.at[frame->module.n].of[0], true);
            add_number(&digester, modules.at[frame->module.n].of[1], true);
            add_number(&digester, frame->offset, false);
        }
        numbers[i] = (uint32_t)(hp_digester_end(&digester).of[0] % count);
    }
    hp_digester_done(&digester);
    hp_vec_done(&modules);
    return numbers;
}

uint64_t hp_shards_all(uint32_t count) {
    return count < 64 ? (UINT64_C(1) << count) - 1 : UINT64_MAX;
}
