// An open ELF file: its identity, and where its bytes are mapped in memory.  Files are
// opened only in the child.  Begin with hp_image_open(); image.c reads headers, build id
// and sections, unpack.h adds compressed debug sections.
#ifndef HP_SYM_IMAGE_H
#define HP_SYM_IMAGE_H

#include "base/err.h"
#include "base/span.h"
#include "base/vec.h"
#include "model/module.h"

#include <gelf.h>

// The reason why a file is not used.
struct hp_sym_diagnostic {
    enum hp_sym_status status;
    char text[480]; // one sentence, or ""
};

// A segment: bytes [offset, offset + size) of the file are mapped to `vaddr`.  In a debug
// file the code is missing: `offset` is 0 until hp_verify() has placed the segment, and
// `size` is its size in memory.
struct hp_load {
    uint64_t offset, size, vaddr;
    bool exec, is_writable; // its bytes may be executed, written
};

enum {
    HP_BUILD_ID_SIZE = 64
};

// An ELF file; {0} is closed.  Owns everything it points to.
struct hp_image {
    int fd;   // the open file
    Elf *elf; // libelf's view of it
    // An ELF file in memory with the sections that hp_image_unpack() has unpacked; NULL
    // if none was compressed.
    Elf *debug;

    struct {
        char *at;
        uint64_t size;
    } unpacked; // the mapping that `debug` is made of

    char *path;    // path for messages
    uint64_t size; // size of the file in bytes
    uint64_t base; // address of its first segment
    // Number that is added to an address from a memory map to get one of the file; 0 for
    // most files.
    uint64_t start;
    bool program;           // it can be mapped to run: a program or a library
    unsigned machine, bits; // e_machine; 32 or 64
    bool is_big_endian;     // byte order of its data
    // It is a debug file, which has only the headers of executable sections.
    bool lacks_code;
    HP_VEC(struct hp_load) loads;
    char build_id[2 * HP_BUILD_ID_SIZE + 1]; // lower-case hex, or ""
};

// Open an ELF file; takes ownership of `fd`.  Returns false, with `diagnostic` filled and
// the image {0}, if it is not an ELF file or is damaged.
bool hp_image_open(struct hp_image *image, int fd, struct hp_span path,
                   struct hp_sym_diagnostic *diagnostic);
void hp_image_done(struct hp_image *image);

// The first address of a segment, as an address of the given kind.
uint64_t hp_image_begin(const struct hp_image *image, const struct hp_load *load,
                        enum hp_address_kind kind);

// Translate an address of a module into an address of the file.  Returns false if it is
// in no segment.
bool hp_image_find(const struct hp_image *image, enum hp_address_kind kind,
                   uint64_t address, uint64_t *found);

// Find the offset in the file of the code that a call returns to.  Returns false if the
// call is not in executable code.
bool hp_image_return(const struct hp_image *image, enum hp_address_kind kind,
                     uint64_t address, uint64_t *offset);

bool hp_image_has_dwarf(const struct hp_image *image);

// Drop the file's pages from memory; they are read again when they are accessed.
// Worthwhile after accesses to a section of more than HP_REST_AFTER bytes, which may map
// large pages.
#define HP_REST_AFTER (24 << 20)
void hp_image_rest(const struct hp_image *image);

// The ELF file with the readable debug sections: the one in memory if sections had to be
// unpacked, or else the file itself.
Elf *hp_image_debug(const struct hp_image *image);

// The file name in .gnu_debuglink, and its CRC; NULL if there is none.
const char *hp_image_debuglink(const struct hp_image *image, uint32_t *crc);
// The file name in .gnu_debugaltlink, and its build id; NULL if there is none.
const char *hp_image_altlink(const struct hp_image *image,
                             char build_id[2 * HP_BUILD_ID_SIZE + 1]);

const char *hp_elf_section_name(Elf *elf, const GElf_Shdr *header); // the name, or ""
bool hp_image_has_section(const struct hp_image *image, const char *name);
// The content of the first or the last section with a name; empty if there is none or it
// is compressed.
struct hp_span hp_elf_section(Elf *elf, const char *name);
struct hp_span hp_elf_last_section(Elf *elf, const char *name);
// The part of a section from `offset` on; empty past its end.
struct hp_span hp_section_from(struct hp_span section, uint64_t offset);
struct hp_span hp_image_section(const struct hp_image *image, const char *name);
uint32_t hp_image_crc(const struct hp_image *image); // CRC-32 of the whole file

// Set a diagnostic.  Always returns false, so that callers can return the result.
HP_PRINTF(3, 4)
bool hp_sym_diagnose(struct hp_sym_diagnostic *diagnostic, enum hp_sym_status status,
                     const char *format, ...);

#endif
