#include "model/module.h"

static const char *const texts[] = {
    [HP_SYM_NOT_TRIED] = "not looked up",
    [HP_SYM_DWARF] = "functions and lines",
    [HP_SYM_SYMTAB] = "function names only",
    [HP_SYM_EMBEDDED] = "names of the inputs themselves",
    [HP_SYM_NO_FILE] = "file not found",
    [HP_SYM_UNREADABLE] = "file cannot be read",
    [HP_SYM_OTHER_BUILD] = "another build than the one that was mapped",
    [HP_SYM_NOT_COMPARED] = "no input shows code of it to compare with a file",
    [HP_SYM_STRIPPED] = "stripped, and no debug file found",
    [HP_SYM_DAMAGED] = "damaged",
    [HP_SYM_UNSUPPORTED] = "not supported",
    [HP_SYM_OVER_BUDGET] = "given up: it needs more work than a sound file does",
    [HP_SYM_NO_MEMORY] = "memory ran out while it was read",
    [HP_SYM_NO_PROCESS] = "no process could be started to read it",
    [HP_SYM_KILLED] = "its reader was killed, perhaps for want of memory",
    [HP_SYM_RUN_OVER] = "not read: others have taken the time there is for all",
    [HP_SYM_NOT_BUILT] = "this program was built without elfutils, which reads binaries",
};

const char *hp_sym_status_text(enum hp_sym_status status) {
    return texts[status];
}

bool hp_sym_is_of_this_run(enum hp_sym_status status) {
    return status == HP_SYM_NO_MEMORY || status == HP_SYM_KILLED ||
           status == HP_SYM_RUN_OVER;
}

static int compare_numbers(uint64_t a, uint64_t b) {
    return (a > b) - (a < b);
}

int hp_file_id_compare(struct hp_file_id a, struct hp_file_id b) {
    int order = compare_numbers(a.device, b.device);
    return order ? order : compare_numbers(a.inode, b.inode);
}

int hp_extents_compare(const struct hp_extent *a, uint32_t a_count,
                       const struct hp_extent *b, uint32_t b_count) {
    int order = compare_numbers(a_count, b_count);
    for (uint32_t i = 0; order == 0 && i < a_count; i++) {
        order = compare_numbers(a[i].address, b[i].address);
        order = order ? order : compare_numbers(a[i].size, b[i].size);
        order = order ? order : compare_numbers(a[i].offset, b[i].offset);
    }
    return order;
}

void hp_return_check_join(struct hp_return_check *known,
                          const struct hp_return_check *other) {
    bool is_worse = other->failed != known->failed ? other->failed > known->failed
                                                   : other->checked > known->checked;
    *known = is_worse ? *other : *known;
}

bool hp_module_is_compared(const struct hp_module *module) {
    return module->misfits.checked > 0 || module->extents > 0;
}

hp_string hp_module_build(const struct hp_module *module) {
    return module->build_id.n != 0 ? module->build_id
           : module->stamp.n != 0  ? module->stamp
                                   : module->builds;
}
