// Fuzz target of compressed sections and of function bounds; the input is an ELF file.  A
// section that was compressed with zlib must unpack to the same bytes as with libelf, and
// one with xz to the same as with liblzma in one call.  A function that the unwinding
// tables contain must begin at or before the addresses in it.
#include "sym/function_bounds.h"
#include "sym/minidebug.h"
#include "sym/unpack.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#ifdef HP_WITH_LZMA
#    include <lzma.h>
#endif

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

enum {
    MOST_LOADS = 4,    // segments at most
    ASKED = 200,       // addresses of each segment
    MOST_XZ = 1 << 22, // unpacked bytes at most
};

static void require(bool holds) {
    if (!holds) {
        abort();
    }
}

// A descriptor of a file in memory with these bytes.
static int file_of(const uint8_t *bytes, size_t size) {
    int fd = memfd_create("fuzz-sections", MFD_CLOEXEC);
    require(fd >= 0 && write(fd, bytes, size) == (ssize_t)size);
    return fd;
}

// Number of sections that have this name, or its old compressed form (.zdebug).
static int count_of(Elf *elf, const char *name) {
    Elf_Scn *section = NULL;
    GElf_Shdr header;
    int count = 0;
    while ((section = elf_nextscn(elf, section))) {
        const char *each =
            gelf_getshdr(section, &header) ? hp_elf_section_name(elf, &header) : "";
        bool is_old = strncmp(each, ".zdebug", 7) == 0;
        count += strcmp(each, name) == 0 || (is_old && strcmp(each + 2, name + 1) == 0);
    }
    return count;
}

// The section as libelf unpacks it; empty if libelf fails or the section is not
// compressed.
static struct hp_span by_libelf(Elf *elf, const char *name) {
    Elf_Scn *section = NULL;
    GElf_Shdr header;
    while ((section = elf_nextscn(elf, section))) {
        if (!gelf_getshdr(section, &header)) {
            continue;
        }
        const char *each = hp_elf_section_name(elf, &header);
        bool is_old = strncmp(each, ".zdebug", 7) == 0;
        bool is_it = is_old ? strcmp(each + 2, name + 1) == 0 : strcmp(each, name) == 0;
        bool is_packed = (header.sh_flags & SHF_COMPRESSED) != 0;
        if (is_it && (is_old      ? elf_compress_gnu(section, 0, 0)
                      : is_packed ? elf_compress(section, 0, 0)
                                  : 0) == 1) {
            Elf_Data *data = elf_rawdata(section, NULL);
            return data && data->d_buf ? (struct hp_span){data->d_buf, data->d_size}
                                       : (struct hp_span){"", 0};
        }
    }
    return (struct hp_span){"", 0};
}

// Check that each debug section that exists once was unpacked as libelf does it.
static void compare_unpacked(const struct hp_image *image, const uint8_t *bytes,
                             size_t size) {
    Elf *other = elf_memory((char *)(uintptr_t)bytes, size);
    Elf_Scn *section = NULL;
    GElf_Shdr header;
    while (image->debug && (section = elf_nextscn(image->debug, section))) {
        require(gelf_getshdr(section, &header) != NULL);
        const char *name = hp_elf_section_name(image->debug, &header);
        struct hp_span ours = hp_elf_section(image->debug, name);
        bool is_own = strncmp(name, ".debug", 6) != 0; // added by us, as .shstrtab is
        bool is_one = !is_own && count_of(other, name) == 1;
        struct hp_span theirs = is_one ? by_libelf(other, name) : (struct hp_span){"", 0};
        require(theirs.size == 0 ||
                (theirs.size == ours.size && memcmp(theirs.at, ours.at, ours.size) == 0));
    }
    elf_end(other);
}

#ifdef HP_WITH_LZMA
static void compare_xz(const struct hp_image *image) {
    struct hp_span packed = hp_image_section(image, ".gnu_debugdata");
    struct hp_minidebug mini;
    struct hp_sym_diagnostic diagnostic;
    if (!hp_minidebug_open(&mini, image, &diagnostic)) {
        return;
    }
    uint8_t *whole = malloc(MOST_XZ);
    size_t in = 0, out = 0;
    uint64_t memory = UINT64_MAX;
    lzma_ret result =
        lzma_stream_buffer_decode(&memory, 0, NULL, (const uint8_t *)packed.at, &in,
                                  packed.size, whole, &out, MOST_XZ);
    require(result == LZMA_BUF_ERROR || (result == LZMA_OK && out == mini.bytes.count &&
                                         memcmp(whole, mini.bytes.at, out) == 0));
    free(whole);
    hp_minidebug_done(&mini);
}
#else
static void compare_xz(const struct hp_image *image) {
    (void)image;
}
#endif

// Check that a function that is found for an address does not begin after it.
static void check_bounds(const struct hp_image *image) {
    struct hp_function_bounds bounds;
    hp_function_bounds_open(&bounds, image);
    for (size_t i = 0; i < image->loads.count && i < MOST_LOADS; i++) {
        const struct hp_load *load = &image->loads.at[i];
        for (uint64_t k = 0; load->exec && k < ASKED; k++) {
            uint64_t address = load->vaddr + load->size / ASKED * k + k % 7, start;
            require(!hp_function_bounds_find(&bounds, address, &start) ||
                    start <= address);
        }
    }
    hp_function_bounds_done(&bounds);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    struct hp_image image;
    struct hp_sym_diagnostic diagnostic;
    if (!hp_image_open(&image, file_of(bytes, size), hp_span_of("module"), &diagnostic)) {
        return 0;
    }
    if (hp_image_unpack(&image, &diagnostic)) {
        compare_unpacked(&image, bytes, size);
    }
    compare_xz(&image);
    check_bounds(&image);
    hp_image_done(&image);
    return 0;
}
