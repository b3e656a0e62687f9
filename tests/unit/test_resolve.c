// Tests of the memory maps of dumps, and of resolving addresses to modules and offsets.
#include "calc/resolve.h"

#include <criterion/criterion.h>
#include <string.h>

#include "input/maps.h"

static struct hp_dump dump;
static struct hp_profile profile;
static struct hp_resolver resolver;

// Read a memory map, and resolve the addresses.
static void resolve(const char *maps, const uint64_t *addresses, size_t count) {
    struct hp_cursor c = hp_cursor_over(maps, maps + strlen(maps));
    hp_dump_clear(&dump);
    uint64_t line = 1;
    hp_maps_read(&c, &dump, &line);
    for (size_t i = 0; i < count; i++) {
        hp_vec_push(&dump.addresses, addresses[i]);
    }
    hp_resolve_places(&resolver, &dump, profile.settings.prover);
    hp_resolve(&resolver, &dump, &profile);
}

// The frame of address number i.
static const struct hp_frame *frame_of(size_t i) {
    return &profile.frames.at[resolver.frames.at[i].n];
}

// The path of the module of a frame.
static const char *path_of(const struct hp_frame *frame) {
    return hp_profile_text(&profile, profile.modules.at[frame->module.n].path);
}

static void setup(void) {
    hp_profile_init(&profile);
    resolver.keeps_unmapped = true;
}

TestSuite(resolve, .init = setup);

#define APP                                       \
    "5000-6000 r--p 00000000 fe:00 1  /srv/app\n" \
    "6000-8000 r-xp 00001000 fe:00 1  /srv/app\n" \
    "8000-9000 r--p 00003000 fe:00 1  /srv/app\n"

Test(resolve, gives_module_and_file_offset) {
    resolve(APP, (uint64_t[]){0x6010, 0x8000, 0x6000}, 3);
    cr_expect_str_eq(path_of(frame_of(0)), "/srv/app");
    cr_expect_eq(frame_of(0)->address, 0x1010);
    // The call returns to the byte after the end of the text.
    cr_expect_eq(frame_of(1)->address, 0x3000);
    cr_expect_eq(frame_of(2)->address, 0x1000);
    cr_expect_eq(frame_of(0)->module.n, frame_of(1)->module.n);
}

// lld links a program so: the text is at 0x1000 in the file and at 0x2000 in memory.
#define LLD                                                       \
    "555500000000-555500001000 r--p 00000000 fe:00 1  /srv/app\n" \
    "555500002000-555500004000 r-xp 00001000 fe:00 1  /srv/app\n" \
    "555500005000-555500006000 rw-p 00003000 fe:00 1  /srv/app\n"

static enum hp_address_kind kind_of(size_t i) {
    return profile.modules.at[frame_of(i)->module.n].addresses;
}

Test(resolve, gives_the_address_that_elf_headers_have) {
    resolve(LLD, (uint64_t[]){0x555500002010}, 1);
    cr_expect_eq(frame_of(0)->address, 0x2010);
    cr_expect_eq(kind_of(0), HP_ADDRESS_VIRTUAL);
    const struct hp_module *module = &profile.modules.at[frame_of(0)->module.n];
    const struct hp_extent *text = &profile.extents.at[module->first_extent];
    cr_expect_eq(module->extents, 1);
    cr_expect(text->address == 0x2000 && text->size == 0x2000 && text->offset == 0x1000);
}

Test(resolve, gives_the_address_itself_of_a_program_that_is_linked_to_it) {
    resolve(
        "400000-401000 r--p 00000000 fe:00 1  /srv/app\n"
        "401000-403000 r-xp 00001000 fe:00 1  /srv/app\n"
        "7f0000000000-7f0000001000 r-xp 00000000 fe:00 2  /srv/lib.so\n",
        (uint64_t[]){0x401010, 0x7f0000000010}, 2);
    cr_expect_eq(frame_of(0)->address, 0x401010);
    cr_expect_eq(frame_of(1)->address, 0x10);
    cr_expect(kind_of(0) == HP_ADDRESS_VIRTUAL && kind_of(1) == HP_ADDRESS_VIRTUAL);
}

Test(resolve, knows_offsets_alone_of_32_bits_and_without_the_first_row) {
    resolve(
        "8048000-8049000 r-xp 00000000 fe:00 1  /srv/app\n"
        "f7d00000-f7d01000 r-xp 00001000 fe:00 2  /srv/lib.so\n",
        (uint64_t[]){0x8048010, 0xf7d00010}, 2);
    cr_expect_eq(frame_of(0)->address, 0x10);
    cr_expect_eq(frame_of(1)->address, 0x1010);
    cr_expect(kind_of(0) == HP_ADDRESS_OFFSET && kind_of(1) == HP_ADDRESS_OFFSET);
    resolve("555500002000-555500004000 r-xp 00001000 fe:00 1  /srv/app\n",
            (uint64_t[]){0x555500002010}, 1);
    cr_expect_eq(frame_of(0)->address, 0x1010);
    cr_expect_eq(kind_of(0), HP_ADDRESS_OFFSET);
}

Test(resolve, gives_a_second_mapping_of_a_piece_the_addresses_of_the_image) {
    resolve(LLD "555600000000-555600001000 r-xp 00002000 fe:00 1  /srv/app\n",
            (uint64_t[]){0x555500003010, 0x555600000010}, 2);
    cr_expect_eq(frame_of(0)->address, 0x3010);
    cr_expect_eq(resolver.frames.at[0].n, resolver.frames.at[1].n);
}

// Signal handlers return there, on arm64 under qemu.
Test(resolve, takes_the_beginning_of_a_page_for_itself) {
    resolve(APP "9000-a000 r-xp 00000000 00:00 0\n", (uint64_t[]){0x9000, 0x9004}, 2);
    cr_expect_str_eq(path_of(frame_of(0)), "[anon]");
    cr_expect_eq(frame_of(0)->module.n, frame_of(1)->module.n);
}

Test(resolve, merges_processes_at_other_addresses) {
    resolve(APP, (uint64_t[]){0x6010}, 1);
    hp_frame_id first = resolver.frames.at[0];
    resolve(
        "a5000-a6000 r--p 00000000 fe:00 1  /srv/app\n"
        "a6000-a8000 r-xp 00001000 fe:00 1  /srv/app\n"
        "a8000-a9000 r--p 00003000 fe:00 1  /srv/app\n",
        (uint64_t[]){0xa6010}, 1);
    cr_expect_eq(resolver.frames.at[0].n, first.n);
}

Test(resolve, keeps_two_builds_at_one_path_apart) {
    resolve(APP, (uint64_t[]){0x6010}, 1);
    hp_frame_id first = resolver.frames.at[0];
    resolve(
        "5000-6000 r--p 00000000 fe:00 1  /srv/app\n"
        "6000-9000 r-xp 00001000 fe:00 1  /srv/app\n",
        (uint64_t[]){0x6010}, 1);
    cr_expect_neq(resolver.frames.at[0].n, first.n);
    resolve(
        "5000-6000 r--p 00000000 fe:00 1  /srv/app (deleted)\n"
        "6000-8000 r-xp 00001000 fe:00 1  /srv/app (deleted)\n"
        "8000-9000 r--p 00003000 fe:00 1  /srv/app (deleted)\n",
        (uint64_t[]){0x6010}, 1);
    cr_expect_neq(resolver.frames.at[0].n, first.n);
    cr_expect_str_eq(path_of(frame_of(0)), "/srv/app");
    cr_expect(profile.modules.at[frame_of(0)->module.n].deleted);
}

// A program that reads its own symbols maps its file again, as data.
Test(resolve, takes_a_file_mapped_as_data_beside_its_image_for_no_part_of_it) {
    resolve(APP, (uint64_t[]){0x6010}, 1);
    hp_frame_id first = resolver.frames.at[0];
    resolve("2000-5000 r--p 00000000 fe:00 1  /srv/app\n" APP, (uint64_t[]){0x6010}, 1);
    cr_expect_eq(resolver.frames.at[0].n, first.n);
    resolve(APP "90000000-90003000 r--p 00003000 fe:00 1  /srv/app\n",
            (uint64_t[]){0x6010}, 1);
    cr_expect_eq(resolver.frames.at[0].n, first.n);
}

#define HUGE                                      \
    "5000-6000 r--p 00000000 fe:00 1  /srv/app\n" \
    "6000-7000 r-xp 00001000 fe:00 1  /srv/app\n" \
    "7000-c000 r-xp 00000000 00:00 0\n"           \
    "c000-d000 r-xp 00007000 fe:00 1  /srv/app\n"

// There is .bss of 17 MB between two segments of the file; patchelf(1) has added the last
// segment.
Test(resolve, takes_a_segment_behind_bss_for_part_of_the_image) {
    resolve(
        "5000-6000 r--p 00000000 fe:00 1  /srv/app\n"
        "6000-8000 r-xp 00001000 fe:00 1  /srv/app\n"
        "8000-9000 rw-p 00003000 fe:00 1  /srv/app\n"
        "9000-1109000 rw-p 00000000 00:00 0 \n"
        "1109000-110a000 rw-p 00004000 fe:00 1  /srv/app\n",
        (uint64_t[]){0x6010, 0x1109010}, 2);
    cr_expect_eq(frame_of(0)->module.n, frame_of(1)->module.n);
    cr_expect_eq(profile.modules.at[frame_of(0)->module.n].span, 0x1105000);
}

// All segments begin in the first page of the file.
Test(resolve, takes_an_image_within_a_page_for_one) {
    static const char image[] =
        "5000-6000 r--p 00000000 fe:00 1  /srv/app\n"
        "6000-7000 r-xp 00000000 fe:00 1  /srv/app\n"
        "7000-8000 r--p 00000000 fe:00 1  /srv/app\n"
        "8000-9000 rw-p 00000000 fe:00 1  /srv/app\n";
    resolve(image, (uint64_t[]){0x6010, 0x8010}, 2);
    hp_frame_id first = resolver.frames.at[0];
    cr_expect_eq(profile.modules.at[frame_of(0)->module.n].span, 0x4000);
    cr_expect_eq(frame_of(0)->module.n, frame_of(1)->module.n);
    char beside[1000] = "4000-5000 r--p 00000000 fe:00 1  /srv/app\n"; // mapped as data
    resolve(strcat(beside, image), (uint64_t[]){0x6010}, 1);
    cr_expect_eq(resolver.frames.at[0].n, first.n);
}

// Linkers before 2018 made two segments, 2 MiB apart, and reserved the addresses between
// them.  patchelf(1) has added two more.
Test(resolve, takes_what_an_image_reserves_for_part_of_it) {
    resolve(
        "200000-23b000 r-xp 00000000 fe:00 1  /srv/lib.so\n"
        "23b000-43a000 ---p 0003b000 fe:00 1  /srv/lib.so\n"
        "43a000-43b000 r--p 0003a000 fe:00 1  /srv/lib.so\n"
        "43b000-43c000 rw-p 0003b000 fe:00 1  /srv/lib.so\n"
        "43c000-43d000 rw-p 00000000 00:00 0 \n"
        "43d000-600000 ---p 0023d000 fe:00 1  /srv/lib.so\n"
        "600000-601000 rw-p 00200000 fe:00 1  /srv/lib.so\n",
        (uint64_t[]){0x200010, 0x43b010, 0x600010, 0x300000}, 4);
    for (size_t i = 1; i < 4; i++) {
        cr_expect_eq(frame_of(i)->module.n, frame_of(0)->module.n);
    }
    cr_expect_eq(profile.modules.at[frame_of(0)->module.n].span, 0x401000);
}

// V8 maps the builtins in its text again, close to the code that it generates.
Test(resolve, takes_a_second_mapping_of_a_piece_for_that_piece) {
    static const char piece[] = "7000000-7001000 r-xp 00001000 fe:00 1  /srv/app\n";
    char map[1000] = APP;
    resolve(strcat(map, piece), (uint64_t[]){0x6010, 0x7000010}, 2);
    cr_expect_eq(resolver.frames.at[0].n, resolver.frames.at[1].n);
    resolve(piece, (uint64_t[]){0x7000010}, 1); // the file is not known
    cr_expect_neq(frame_of(0)->module.n, 0);
    resolve(APP
            "7000000-7003000 r-xp 00001000 fe:00 1  /srv/app\n"
            "8000000-8001000 r-xp 00001000 fe:00 2  /srv/other\n",
            (uint64_t[]){0x6010, 0x7000010, 0x8000010}, 3);
    cr_expect_neq(frame_of(1)->module.n, frame_of(0)->module.n); // larger than the piece
    cr_expect_neq(frame_of(2)->module.n, frame_of(0)->module.n);
}

// Debug information is between the segments in the file.
Test(resolve, takes_a_segment_right_behind_another_for_part_of_the_image) {
    resolve(APP "9000-a000 rw-p 02000000 fe:00 1  /srv/app\n",
            (uint64_t[]){0x6010, 0x9010}, 2);
    cr_expect_eq(frame_of(0)->module.n, frame_of(1)->module.n);
}

Test(resolve, takes_a_hole_in_the_text_for_text_on_huge_pages) {
    resolve(HUGE, (uint64_t[]){0x6010, 0x8010, 0xc010}, 3);
    cr_expect_eq(frame_of(1)->module.n, frame_of(0)->module.n);
    cr_expect_eq(frame_of(1)->address, 0x3010);
    cr_expect_eq(frame_of(2)->address, 0x7010);
    const struct hp_module *module = &profile.modules.at[frame_of(0)->module.n];
    // One extent of text, as in a process without the hole.
    cr_assert_eq(module->extents, 1);
    cr_expect_eq(profile.extents.at[module->first_extent].size, 0x7000);
    cr_expect(profile.extents.at[module->first_extent].has_hole);
}

Test(resolve, merges_processes_with_and_without_a_hole) {
    resolve(
        "5000-6000 r--p 00000000 fe:00 1  /srv/app\n"
        "6000-d000 r-xp 00001000 fe:00 1  /srv/app\n",
        (uint64_t[]){0x8010}, 1);
    hp_frame_id first = resolver.frames.at[0];
    resolve(HUGE, (uint64_t[]){0x8010}, 1);
    cr_expect_eq(resolver.frames.at[0].n, first.n);
}

Test(resolve, takes_no_code_of_a_jit_compiler_for_a_hole) {
    resolve(
        "6000-7000 r-xp 00001000 fe:00 1  /srv/app\n"
        "7000-c000 r-xp 00000000 00:00 0\n"
        "c000-d000 r-xp 00001000 fe:00 2  /srv/other\n",
        (uint64_t[]){0x8010}, 1);
    cr_expect_str_eq(path_of(frame_of(0)), "[anon]");
    cr_expect_eq(frame_of(0)->address, 0x8010);
}

Test(resolve, keeps_the_code_of_jit_compilers_apart) {
    resolve(
        "10000-12000 rwxp 00000000 00:00 0\n"
        "20000-22000 rwxp 00000000 00:00 0\n"
        "30000-31000 r-xp 00005000 00:01 7  /memfd:jit (deleted)\n"
        "40000-41000 r-xp 00006000 00:01 7  /memfd:jit (deleted)\n",
        (uint64_t[]){0x10010, 0x20010, 0x30010, 0x40010}, 4);
    static const uint64_t offsets[] = {0x10010, 0x20010, 0x5010, 0x6010};
    for (size_t i = 0; i < 4; i++) {
        cr_expect_eq(frame_of(i)->address, offsets[i]);
        cr_expect_str_eq(path_of(frame_of(i)), i < 2 ? "[anon]" : "/memfd:jit");
    }
}

Test(resolve, makes_generated_code_one_frame_of_all_processes) {
    static const char *const rows[] = {
        "10000-12000 rwxp 00000000 00:00 0\n",
        "10000-12000 r-xp 00000000 00:00 0  [anon:v8]\n",
        "10000-12000 rwxp 00000000 00:00 0  [heap]\n",
        "10000-12000 rwxs 00000000 00:01 7  /dev/zero (deleted)\n",
        "10000-12000 r-xs 00010000 00:01 9  /memfd:doublemapper (deleted)\n",
        "10000-12000 r-xp 00000000 00:01 9  /memfd:jit (deleted)\n",
        "10000-12000 r-xs 00000000 fe:00 9  /tmp/ffi0Qs (deleted)\n",
        ("f000-10000 rw-s 00000000 00:01 9  /memfd:doublemapper (deleted)\n"
         "10000-12000 r-xs 00001000 00:01 9  /memfd:doublemapper (deleted)\n"),
    };
    resolver.keeps_unmapped = false;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        resolve(rows[i], (uint64_t[]){0x10010, 0x11010}, 2);
        cr_expect(hp_frame_is_many(&profile, frame_of(0)), "row %zu", i);
        cr_expect_str_eq(path_of(frame_of(0)), "[jit]", "row %zu", i);
        cr_expect_eq(resolver.frames.at[1].n, resolver.frames.at[0].n, "row %zu", i);
        cr_expect_eq(resolver.generated, 2, "row %zu", i);
        cr_expect_eq(resolver.unmapped, 0, "row %zu", i);
    }
}

Test(resolve, takes_no_library_in_memory_and_no_hole_for_generated_code) {
    static const char *const maps[] = {
        "f000-10000 r--p 00000000 00:01 9  /memfd:lib (deleted)\n"
        "10000-12000 r-xp 00001000 00:01 9  /memfd:lib (deleted)\n",
        "10000-12000 r-xp 00000000 00:01 9  /memfd:lib (deleted)\n"
        "12000-13000 rw-p 00002000 00:01 9  /memfd:lib (deleted)\n",
        "f000-10000 r-xp 00001000 fe:00 1  /srv/app\n"
        "10000-12000 r-xp 00000000 00:00 0  [anon:zend_huge_code_pages]\n"
        "12000-13000 r-xp 00004000 fe:00 1  /srv/app\n",
        "10000-12000 r-xp 00000000 00:00 0  [vdso]\n",
        "10000-12000 rw-p 00000000 00:00 0\n",
        "10000-12000 r-xp 00000000 fe:00 1  /srv/old (deleted)\n",
    };
    resolver.keeps_unmapped = false;
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) {
        resolve(maps[i], (uint64_t[]){0x10010}, 1);
        cr_expect_str_neq(path_of(frame_of(0)), "[jit]", "map %zu", i);
        cr_expect_eq(resolver.generated, 0, "map %zu", i);
    }
}

Test(resolve, leaves_pseudo_files_and_unmapped_addresses_themselves) {
    resolve(APP
            "20000-21000 r-xp 00000000 00:00 0  [vdso]\n"
            "30000-31000 r-xp 00000000 00:01 7  /memfd:jit (deleted)\n",
            (uint64_t[]){0x20040, 0x30040, 0x99999}, 3);
    cr_expect_str_eq(path_of(frame_of(0)), "[vdso]");
    cr_expect_eq(frame_of(0)->address, 0x40);
    cr_expect_str_eq(path_of(frame_of(1)), "/memfd:jit");
    cr_expect_eq(profile.modules.at[frame_of(1)->module.n].kind, HP_MODULE_PSEUDO);
    cr_expect_eq(frame_of(2)->module.n, 0);
    cr_expect_eq(frame_of(2)->address, 0x99999);
    cr_expect_eq(resolver.unmapped, 1);
}

Test(resolve, makes_what_is_in_no_mapping_one_frame_of_all_processes) {
    resolver.keeps_unmapped = false;
    resolve(APP, (uint64_t[]){0x99999, 0x88888, 0x6010}, 3);
    hp_frame_id first = resolver.frames.at[0];
    cr_expect(hp_frame_is_unmapped(frame_of(0)));
    cr_expect_eq(resolver.frames.at[1].n, first.n);
    cr_expect_not(hp_frame_is_unmapped(frame_of(2)));
    cr_expect_eq(resolver.unmapped, 2);
    resolve(APP, (uint64_t[]){0x77777}, 1);
    cr_expect_eq(resolver.frames.at[0].n, first.n);
}

Test(resolve, reads_paths_with_spaces) {
    resolve("6000-7000 r-xp 00001000 fe:00 1   /srv/my app (1)/x y\n",
            (uint64_t[]){0x6010}, 1);
    cr_expect_str_eq(path_of(frame_of(0)), "/srv/my app (1)/x y");
}

Test(resolve, sorts_maps_and_lets_the_first_of_overlapping_rows_win) {
    resolve(
        "8000-9000 r-xp 00000000 fe:00 1  /b\n"
        "6000-7000 r-xp 00000000 fe:00 2  /a\n"
        "6800-8800 r-xp 00000000 fe:00 3  /c\n",
        (uint64_t[]){0x6900, 0x8900}, 2);
    cr_expect_str_eq(path_of(frame_of(0)), "/a");
    cr_expect_str_eq(path_of(frame_of(1)), "/b");
    cr_expect_eq(dump.overlaps.count, 1);
}

Test(maps, of_macos_and_freebsd_are_read) {
    resolve(
        "10f000000-10f001000: /usr/lib/libSystem.B.dylib\n"
        "0x400000 0x402000 2 0 0xfffff80003e0a000 r-x 1 0 0x1000 COW NC vnode /bin/cat "
        "NCH -1\n",
        (uint64_t[]){0x10f000010, 0x400010}, 2);
    cr_expect_str_eq(path_of(frame_of(0)), "/usr/lib/libSystem.B.dylib");
    cr_expect_str_eq(path_of(frame_of(1)), "/bin/cat");
}

Test(maps, of_freebsd_have_paths_with_spaces) {
#define ROW(start, end) \
    "0x" #start "000 0x" #end "000 2 0 0xf r-x 1 0 0x1000 COW NC vnode "
    resolve(ROW(1, 2) "/usr/my app/true NCH -1\n" ROW(2, 3) "/a CH b CH 1001\n" //
            ROW(3, 4) "/no owner 1\n" ROW(4, 5) "- NCH -1\n" ROW(5, 6) "-\n",
            (uint64_t[]){0x1010, 0x2010, 0x3010}, 3);
#undef ROW
    cr_expect_str_eq(path_of(frame_of(0)), "/usr/my app/true");
    cr_expect_str_eq(path_of(frame_of(1)), "/a CH b");
    cr_expect_str_eq(path_of(frame_of(2)), "/no owner 1");
    cr_expect_eq(dump.mappings.at[3].path.size, 0);
    cr_expect_eq(dump.mappings.at[4].path.size, 0);
}

// The maps have neither vdso nor stack, only rows of code at random addresses.
Test(maps, distinguish_processes_by_addresses_of_files) {
    static const char *const maps[] = {
        "7f0000001000-7f0000003000 r-xp 00001000 fe:00 1  /srv/app\n",
        "7f0000001000-7f0000003000 r-xp 00001000 fe:00 1  /srv/app\n"
        "7f0000003000-7f0000004000 rw-p 00003000 fe:00 1  /srv/app\n", // has grown since
        "7f0000002000-7f0000003000 r-xp 00001000 fe:00 1  /srv/app\n",
        "7f0000001000-7f0000003000 r-xp 00002000 fe:00 1  /srv/app\n",
        "7f0000001000-7f0000003000 r-xp 00001000 fe:00 1  /srv/ape\n",
        "7f0000001000-7f0000002000 r-xp 00001000 fe:00 1  /srv/app\n"
        "7f0000002000-7f0000003000 r-xp 00002000 fe:00 1  /srv/app\n",
        // Not at a random address.
        "555555555000-555555557000 r-xp 00001000 fe:00 1  /srv/app\n",
    };

    enum {
        MAPS = sizeof maps / sizeof *maps
    };

    struct hp_digest digests[MAPS];
    for (size_t i = 0; i < MAPS; i++) {
        resolve(maps[i], NULL, 0);
        digests[i] = dump.map;
        cr_expect_eq(hp_digest_is_known(dump.map), i < MAPS - 1, "map %zu", i);
        for (size_t j = 0; j < i; j++) {
            bool are_equal = memcmp(&digests[i], &digests[j], sizeof *digests) == 0;
            cr_expect_eq(are_equal, j == 0 && i == 1, "maps %zu and %zu", i, j);
        }
    }
}

// Rows of pprof are those of files with code.
Test(maps, distinguish_processes_by_build_ids) {
    struct hp_digest digests[2];
    resolve(APP, NULL, 0);
    dump.has_rows = true;
    for (size_t i = 0; i < 2; i++) {
        struct hp_mapping *row = &dump.mappings.at[0];
        row->start = 0x7f0000001000;
        row->build_id =
            hp_strtab_add(&dump.strings, hp_span_of(i == 0 ? "c0ffee" : "beef"));
        hp_maps_identify(&dump);
        digests[i] = dump.map;
    }
    cr_expect_neq(digests[0].of[0], digests[1].of[0]);
}

Test(maps, pass_over_rows_that_contradict_themselves) {
    resolve(
        "7000-6000 r-xp 00000000 fe:00 1  /a\n"
        "6000-7000 r-xp fffffffffffff000 fe:00 1  /b\n"
        "nonsense\n\n"
        "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0  [vsyscall]\n",
        (uint64_t[]){0x6010}, 1);
    cr_expect_eq(dump.mappings.count, 1); // the last
}
