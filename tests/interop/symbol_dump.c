// usage: symbol_dump BINARY [SYMBOL-DIR...] < ADDRESSES
//
// Prints the symbols of addresses in one file, for comparison with other symbolizers.
// Addresses are virtual addresses of the file in hexadecimal, ascending, one a line.  For
// each it prints the address, then a line "function<TAB>linkage name<TAB>file:line" for
// each call, the innermost first, and then an empty line.
#include "sym/die_cursor.h"
#include "sym/dwarf.h"
#include "sym/image.h"
#include "sym/symbolizer.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef HP_LEAVE_OUT
#    include <seccomp.h>

int __real_seccomp_rule_add_array(scmp_filter_ctx, uint32_t, int, unsigned,
                                  const struct scmp_arg_cmp *);
int __wrap_seccomp_rule_add_array(scmp_filter_ctx, uint32_t, int, unsigned,
                                  const struct scmp_arg_cmp *);

int __wrap_seccomp_rule_add_array(scmp_filter_ctx filter, uint32_t action, int number,
                                  unsigned count, const struct scmp_arg_cmp *arguments) {
    const char *left_out = getenv("LEAVE_OUT");
    return left_out && seccomp_syscall_resolve_name(left_out) == number
               ? 0
               : __real_seccomp_rule_add_array(filter, action, number, count, arguments);
}
#endif

static const uint64_t page = 4096;

// Add the file to the profile as a dump would have it: its executable segments, in whole
// pages.
static void add_module(struct hp_profile *profile, const struct hp_image *image,
                       const char *path) {
    struct hp_module none = {.kind = HP_MODULE_NONE};
    struct hp_module module = {.kind = HP_MODULE_FILE};
    for (size_t i = 0; i < image->loads.count; i++) {
        const struct hp_load *load = &image->loads.at[i];
        uint64_t begin = hp_image_begin(image, load, HP_ADDRESS_VIRTUAL);
        uint64_t start = begin & ~(page - 1);
        uint64_t end = (begin + load->size + page - 1) & ~(page - 1);
        if (load->exec) {
            struct hp_extent extent = {start, end - start, load->offset & ~(page - 1),
                                       false};
            hp_vec_push(&profile->extents, extent);
            module.extents++;
        }
    }
    module.path = hp_strtab_add(&profile->strings, hp_span_of(path));
    hp_vec_push(&profile->modules, none);
    hp_vec_push(&profile->modules, module);
}

static bool is_code(const struct hp_image *image, uint64_t address) {
    const struct hp_load *load;
    hp_vec_each (load, &image->loads) {
        if (load->exec && address - load->vaddr < load->size) {
            return true;
        }
    }
    return false;
}

static void print_frame(const struct hp_profile *profile, const struct hp_frame *frame,
                        uint64_t address) {
    printf("0x%" PRIx64 "\n", address);
    for (uint32_t i = 0; i < frame->lines; i++) {
        const struct hp_line *line = &profile->lines.at[frame->first_line + i];
        printf("%s\t%s\t%s:%" PRIu32 "\n", hp_profile_text(profile, line->function),
               hp_profile_text(profile, line->linkage),
               hp_profile_text(profile, line->file), line->line);
    }
    putchar('\n');
}

static enum hp_sandbox sandbox_asked_for(void) {
    const char *text = getenv("SANDBOX");
    return !text                      ? HP_SANDBOX_AUTO
           : strcmp(text, "off") == 0 ? HP_SANDBOX_OFF
                                      : HP_SANDBOX_REQUIRE;
}

int main(int argc, char **argv) {
    struct hp_profile profile = {0};
    struct hp_image image;
    struct hp_sym_diagnostic diagnostic;
    HP_VEC(uint64_t) addresses = {0};
    uint64_t address;
    int fd = argc > 1 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0 || !hp_image_open(&image, fd, hp_span_of(argv[1]), &diagnostic)) {
        fprintf(stderr, "usage: symbol_dump BINARY [SYMBOL-DIR...] < ADDRESSES\n");
        return 2;
    }
    add_module(&profile, &image, argv[1]);
    while (scanf("%" SCNx64, &address) == 1) {
        if (is_code(&image, address)) {
            struct hp_frame frame = {.module = {1}, .address = address - image.start + 1};
            hp_vec_push(&profile.frames, frame);
            hp_vec_push(&addresses, address);
        }
    }
    hp_dies_by_libdw = getenv("UNITS_BY_LIBDW") != NULL;
    hp_line_tables_by_libdw = getenv("LINES_BY_LIBDW") != NULL;
    struct hp_symbol_options options = {.symbol_dirs = (const char *const *)argv + 2,
                                        .symbol_dir_count = (size_t)argc - 2,
                                        .sandbox = sandbox_asked_for()};
    hp_symbolize(&profile, &options);
    for (size_t i = 0; i < addresses.count; i++) {
        print_frame(&profile, &profile.frames.at[i], addresses.at[i]);
    }
    const struct hp_module *module = &profile.modules.at[1];
    if (getenv("READERS")) {
        fprintf(stderr, "line tables %u, by libdw %u, units %u, by libdw %u\n",
                module->line_programs.all, module->line_programs.foreign,
                module->units.all, module->units.foreign);
    }
    fprintf(stderr, "%s; %s; build id %s; from %s\n", hp_sym_status_text(module->status),
            hp_profile_text(&profile, module->note),
            hp_profile_text(&profile, module->build_id),
            hp_profile_text(&profile, module->symbols_from));
    hp_image_done(&image);
    hp_vec_done(&addresses);
    hp_profile_done(&profile);
    return 0;
}
