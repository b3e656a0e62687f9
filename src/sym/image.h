// An ELF file: the parts of it that say what it is and where its bytes go in memory.
// Only the child looks into one.
#ifndef HP_SYM_IMAGE_H
#define HP_SYM_IMAGE_H

#include "base/err.h"
#include "base/span.h"
#include "base/vec.h"
#include "model/module.h"

#include <gelf.h>

// Why a file is of no use.
struct hp_sym_diagnostic {
    enum hp_sym_status status;
    char text[480];
};

// Bytes [offset, offset + size) of the file are mapped to `vaddr`.  Those of a debug file are
// elsewhere: `offset` is 0 until hp_verify() has placed them, and `size` that in memory.
struct hp_load {
    uint64_t offset, size, vaddr;
    bool exec, is_writable;
};

enum {
    HP_BUILD_ID_SIZE = 64
};

struct hp_image {
    int fd;
    Elf *elf;
    Elf *
        debug; // in memory, with what hp_image_unpack() has unpacked; NULL if there was nothing to

    struct {
        char *at;
        uint64_t size;
    } unpacked; // its bytes

    char *path;     // for messages
    uint64_t size;  // of the file
    uint64_t base;  // address of its first segment
    uint64_t start; // what addresses of a memory map have to be added to: 0 for most
    bool program;   // or a library: something that can be mapped to run
    unsigned machine, bits; // e_machine; 32 or 64
    bool is_big_endian;     // its data
    bool lacks_code; // a debug file, with the headers alone of what can be executed
    HP_VEC(struct hp_load) loads;
    char build_id[2 * HP_BUILD_ID_SIZE + 1]; // lower-case hex, or ""
};

// Takes over `fd`.  False, with `diagnostic` filled and the image {0}, if it is no ELF file.
bool hp_image_open(struct hp_image *image, int fd, struct hp_span path,
                   struct hp_sym_diagnostic *diagnostic);
void hp_image_done(struct hp_image *image);

// Where a segment begins among addresses of a kind.
uint64_t hp_image_begin(const struct hp_image *image, const struct hp_load *load,
                        enum hp_address_kind kind);

// Where an address of a module is among the addresses of the file itself; false if no segment has it.
bool hp_image_find(const struct hp_image *image, enum hp_address_kind kind,
                   uint64_t address, uint64_t *found);

// The offset in the file of the code that a call returns to; false if the call is in no code.
bool hp_image_return(const struct hp_image *image, enum hp_address_kind kind,
                     uint64_t address, uint64_t *offset);

bool hp_image_has_dwarf(const struct hp_image *image);

// Its bytes need not stay in memory: what is looked at again is read again.  Worth while for so many
// bytes of a section that something was looked at in, which may map large pages.
#define HP_REST_AFTER (24 << 20)
void hp_image_rest(const struct hp_image *image);

// Where the sections of its debug information are: in itself, or unpacked from it.
Elf *hp_image_debug(const struct hp_image *image);

// The file .gnu_debuglink names, and its CRC; NULL if there is none.
const char *hp_image_debuglink(const struct hp_image *image, uint32_t *crc);
// The file .gnu_debugaltlink names, and its build id; NULL if there is none.
const char *hp_image_altlink(const struct hp_image *image,
                             char build_id[2 * HP_BUILD_ID_SIZE + 1]);

const char *hp_elf_section_name(Elf *elf, const GElf_Shdr *header); // or ""
bool hp_image_has_section(const struct hp_image *image, const char *name);
// The content of the first section of a name, or of the last; empty if there is none, or it is compressed.
struct hp_span hp_elf_section(Elf *elf, const char *name);
struct hp_span hp_elf_last_section(Elf *elf, const char *name);
struct hp_span hp_section_from(struct hp_span section,
                               uint64_t offset); // nothing behind its end
struct hp_span hp_image_section(const struct hp_image *image, const char *name);
uint32_t hp_image_crc(const struct hp_image *image); // of the whole file

// Always false.
HP_PRINTF(3, 4)
bool hp_sym_diagnose(struct hp_sym_diagnostic *diagnostic, enum hp_sym_status status,
                     const char *format, ...);

#endif
