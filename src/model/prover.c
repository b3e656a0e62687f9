#include "model/prover.h"

uint32_t hp_proof_extent(const struct hp_proof_module *module, uint64_t address) {
    uint32_t found = module->extent_count;
    for (uint32_t i = 0; i < module->extent_count; i++) {
        const struct hp_extent *extent = &module->extents[i];
        bool is_within =
            address > extent->address && address - extent->address <= extent->size;
        bool is_start = found == module->extent_count && address == extent->address;
        found = is_within || is_start ? i : found;
    }
    return found;
}

uint64_t hp_proof_elf_address(const struct hp_proof_module *module, uint64_t address) {
    uint32_t i = hp_proof_extent(module, address);
    return address - module->extents[i].address + module->elf_addresses[i];
}

void hp_stack_proofs_done(struct hp_stack_proofs *proofs) {
    char **build;
    hp_vec_each (build, &proofs->builds) {
        free(*build);
    }
    hp_vec_done(&proofs->builds);
    hp_vec_done(&proofs->places);
}
