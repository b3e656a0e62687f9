#include "sym/function_code.h"

#include "base/digest.h"
#include "base/files.h"
#include "base/memory.h"

#include <stdlib.h>

enum {
    LONGEST = 64 << 10, // bytes of a function; longer ones have no digest
};

// The executable segment that contains all of a function, or NULL.
static const struct hp_load *find_load(const struct hp_image *image, uint64_t start,
                                       uint64_t size) {
    const struct hp_load *load;
    hp_vec_each (load, &image->loads) {
        if (load->exec && start - load->vaddr < load->size &&
            size <= load->size - (start - load->vaddr)) {
            return load;
        }
    }
    return NULL;
}

uint64_t hp_function_code(const struct hp_image *image, const struct hp_symtab *table,
                          uint64_t address, uint64_t shift) {
    const struct hp_symbol *symbol = hp_symtab_find(table, address + shift);
    uint64_t size = symbol ? symbol->end - symbol->start : 0;
    uint64_t start = symbol ? symbol->start - shift : 0, code = 0;
    const struct hp_load *load =
        size > 0 && size <= LONGEST ? find_load(image, start, size) : NULL;
    if (load && !image->lacks_code) {
        char *bytes = hp_alloc(size);
        if (hp_read_at(image->fd, bytes, size, load->offset + (start - load->vaddr)) ==
            (ssize_t)size) {
            uint64_t digest = hp_digest_of((struct hp_span){bytes, size}).of[0];
            code = hp_digest_of_numbers((uint64_t[]){digest, start, size}, 3).of[0] | 1;
        }
        free(bytes);
    }
    return code;
}
