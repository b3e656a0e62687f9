// Tests of the report `account`: reading malloc_stats and smaps, and balancing the sums.
#include "calc/size_parts.h"
#include "input/malloc_stats.h"
#include "input/smaps.h"
#include "stats/books.h"

#include <criterion/criterion.h>
#include <stdio.h>

static const struct hp_read_options usual;

// The path of a test file; valid until the next call.
static const char *path_of(const char *name) {
    static char path[4096];
    snprintf(path, sizeof path, "%s/account/%s", getenv("TESTDATA"), name);
    return path;
}

// Read the statistics in a test file.
static struct hp_allocator_stats read_stats(const char *name) {
    struct hp_allocator_stats stats = {0};
    struct hp_err err = {0};
    cr_assert(hp_malloc_stats_read(&stats, path_of(name), &usual, &err) == HP_OK, "%s",
              err.message);
    return stats;
}

// Samples of one size; the caller frees them.
static struct hp_live_samples samples_of(uint64_t size, uint64_t objects) {
    struct hp_live_samples samples = {.is_likely = false};
    hp_vec_push(&samples.sizes, ((struct hp_live_size){size, objects}));
    return samples;
}

// Whether all sums of the account balance.
static bool balance(const struct hp_books *books) {
    return books->allocated_rest == 0 && books->active_rest == 0 &&
           books->resident_rest == 0 && books->metadata_rest == 0;
}

// --- the sums --------------------------------------------------------------------------

Test(account, of_5_3_0_adds_up_to_the_byte) {
    struct hp_allocator_stats stats = read_stats("frag.json");
    struct hp_live_samples live = samples_of(96, 453);
    hp_vec_push(&live.sizes, ((struct hp_live_size){20480, 296})); // too large for slabs
    struct hp_books books;
    hp_books_init(&books, &stats, &live);
    cr_expect(stats.allocated == 15762432 && stats.active == 35840000);
    cr_expect(books.samples == HP_SAMPLES_INSIDE && balance(&books));
    cr_expect(books.sample_count == 453 && books.cost == 7378464);
    cr_expect(stats.tcache == 55296 && stats.internal == 182240);
    cr_expect(books.program == 8146432 && books.live == books.program);
    cr_expect(books.free_in_slabs == 16968704 && books.pads == 759 * 4096);
    cr_expect(books.base_rounding == 5008);
    hp_allocator_stats_done(&stats);
    hp_vec_done(&live.sizes);
}

// The statistics have narenas:2, numbers of samples by class and an object of 40 MiB.
// The program itself counted the truth.
Test(account, of_both_versions_finds_what_the_program_holds) {
    static const struct {
        const char *name;
        enum hp_sample_books samples;
        // Truth: counted by the program; pool: libstdc++'s emergency pool.
        hp_int128 truth, pool;
    } cases[] = {
        {"jemalloc-5.3.0.json.gz", HP_SAMPLES_INSIDE, 54949136, 81920},
        {"jemalloc-5.3.1.json.gz", HP_SAMPLES_OUTSIDE, 61005296, 0},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hp_allocator_stats stats = read_stats(cases[i].name);
        struct hp_books books;
        hp_books_init(&books, &stats, NULL);
        hp_int128 off = books.live - cases[i].truth - cases[i].pool;
        cr_expect(books.samples == cases[i].samples && balance(&books));
        cr_expect(stats.has_live && !books.is_likely && books.sample_count > 500);
        cr_expect(off >= 0 && off < 4096, "%s: off by %lld", cases[i].name,
                  (long long)off);
        cr_expect((books.moved > 0) == (cases[i].samples == HP_SAMPLES_OUTSIDE));
        hp_allocator_stats_done(&stats);
    }
}

Test(account, that_does_not_balance_says_by_how_much) {
    struct hp_allocator_stats stats = read_stats("frag.json");
    struct hp_books books;
    stats.active += 4096;
    stats.resident += 4096 + (1 << 20);
    stats.metadata += 3;
    hp_books_init(&books, &stats, NULL);
    cr_expect(books.samples == HP_SAMPLES_UNKNOWN && books.cost == 0);
    cr_expect(books.active_rest == 4096);
    cr_expect(books.resident_rest == (1 << 20) + 5008 && books.base_rounding == 0);
    cr_expect(books.metadata_rest == 3);
    hp_allocator_stats_done(&stats);
}

Test(account, believes_no_samples_that_there_are_no_extents_for) {
    struct hp_allocator_stats stats = read_stats("frag.json");
    struct hp_live_samples live = samples_of(96, 457); // there are only 456 extents
    struct hp_books books;
    hp_books_init(&books, &stats, &live);
    cr_expect(books.samples != HP_SAMPLES_INSIDE && books.cost == 0);
    hp_allocator_stats_done(&stats);
    hp_vec_done(&live.sizes);
}

// A stack with several sizes has samples that may be small or large; there cannot be more
// of them than extents.
Test(account, bounds_the_cost_of_samples_of_unknown_sizes) {
    struct hp_allocator_stats stats = read_stats("frag.json");
    struct hp_live_samples live = samples_of(96, 400);
    struct hp_books books;
    hp_vec_push(&live.sizes, ((struct hp_live_size){3000, 30, true}));
    hp_books_init(&books, &stats, &live);
    cr_expect(books.samples == HP_SAMPLES_INSIDE && books.sample_count == 430);
    cr_expect(books.cost_low == 400 * (16384 - 96));
    cr_expect(books.cost_high == books.cost_low + 30 * 16384);
    // For 96 bytes, 64 samples more are expected than the dump has, for other classes 23:
    // on average 134 bytes.
    cr_expect(books.cost == books.cost_low + 30 * (16384 - 134));
    live.sizes.at[1].objects = 300; // only 56 of them have an extent
    hp_books_init(&books, &stats, &live);
    cr_expect(books.sample_count == 456);
    cr_expect(books.cost_high == books.cost_low + 56 * 16384);
    hp_allocator_stats_done(&stats);
    hp_vec_done(&live.sizes);
}

// Stacks with one sample each are counted up to the number of extents.
Test(account, counts_samples_of_many_mixes) {
    struct hp_allocator_stats stats = read_stats("frag.json");
    struct hp_live_samples live = samples_of(96, 400);
    struct hp_books books;
    for (uint64_t i = 0; i < 90; i++) {
        hp_vec_push(&live.sizes, ((struct hp_live_size){3000 + i, 1, true}));
    }
    hp_books_init(&books, &stats, &live);
    cr_expect(books.sample_count == 456, "%llu", (unsigned long long)books.sample_count);
    cr_expect(books.cost == books.cost_low + 56 * (16384 - 134));
    // With such a short period nearly everything is sampled, so that other objects give
    // no information.
    stats.lg_sample = 6;
    hp_books_init(&books, &stats, &live);
    cr_expect(books.cost > books.cost_low + 56 * (16384 - 3090) &&
              books.cost <= books.cost_low + 56 * (16384 - 3000));
    hp_allocator_stats_done(&stats);
    hp_vec_done(&live.sizes);
}

// --- samples in a dump -----------------------------------------------------------------

// Add a part of a stack: objects and bytes of one size.
static void add_part(struct hp_sizes *sizes, uint32_t stack, uint64_t size,
                     hp_fixed objects, hp_fixed bytes) {
    struct hp_size_part part = {.size = size,
                                .objects = objects << HP_OBJECTS_FRACTION,
                                .bytes = bytes << HP_SPACE_FRACTION};
    hp_sizes_add(sizes, stack, &part);
}

Test(account, has_samples_of_each_size_once_in_order) {
    enum {
        STACKS = 100000, // a linear search for each of them would take a minute
    };

    static const struct hp_dump dump = {.period = 1};
    static const struct hp_unbias unbias = {.dump = &dump};
    struct hp_sizes sizes = {0};
    struct hp_live_samples live;
    for (uint32_t i = 0; i < STACKS; i++) {
        uint64_t mean = 32 + 16 * (uint64_t)(STACKS - i);
        add_part(&sizes, 2 * i, HP_MIXED_SIZES, 2, (hp_fixed)(2 * mean));
        add_part(&sizes, 2 * i + 1, 48, 1, 48);
    }
    hp_live_samples_init(&live, &sizes, &unbias);
    cr_assert(live.sizes.count == STACKS + 1 && !live.is_likely);
    // 48 bytes is also the mean of a mix.
    const struct hp_live_size *first = live.sizes.at;
    cr_expect(first[0].size == 48 && !first[0].is_mixed && first[0].objects == STACKS);
    for (uint32_t i = 1; i <= STACKS; i++) {
        cr_assert(first[i].size == 32 + 16 * (uint64_t)i && first[i].is_mixed &&
                  first[i].objects == 2);
    }
    hp_vec_done(&live.sizes);
    hp_sizes_done(&sizes);
}

// --- statistics ------------------------------------------------------------------------

// JSON of malloc_stats_print with the given bin and sums; the caller frees it.
static char *text_of(const char *bin, const char *stats) {
    return hp_printed(
        "{\"jemalloc\": {\"opt\": {\"stats_print\": false, \"stats_print\": false, "
        "\"retain\": true, \"dirty_decay_ms\": -1, \"narenas\": 1, \"prof\": true, "
        "\"metadata_thp\": \"\\u001b[31m\"}, \"prof\": {\"lg_sample\": 19}, "
        "\"arenas\": {\"page\": 4096, \"bin\": [{\"size\": 96, \"nregs\": 128, "
        "\"slab_size\": 12288}], \"lextent\": [{\"size\": 16384}]}, "
        "\"stats\": {%s \"active\": 24576, \"metadata\": 4096, \"resident\": 32768, "
        "\"mapped\": 65536, \"retained\": 0}, \"stats.arenas\": {\"0\": {\"pdirty\": 1, "
        "\"pmuzzy\": 0, \"base\": 4000, \"internal\": 96, \"tcache_bytes\": 96, "
        "\"large\": {\"allocated\": 0}, \"bins\": [{%s}], "
        "\"lextents\": [{\"curlextents\": 0}]}}}}",
        stats, bin);
}

static const char good_bin[] =
    "\"curregs\": 250, \"curslabs\": 2, \"nonfull_slabs\": 1, "
    "\"nmalloc\": 300, \"ndalloc\": 50";
static const char good_stats[] = "\"allocated\": 24000,";

// Read statistics from text.
static enum hp_code read_text(struct hp_allocator_stats *stats, const char *text,
                              struct hp_err *err) {
    *stats = (struct hp_allocator_stats){0};
    *err = (struct hp_err){0};
    return (enum hp_code)hp_malloc_stats_read_bytes(stats, hp_span_of(text), err);
}

Test(account, reads_keys_that_stand_twice_and_shows_no_value_that_steers_a_terminal) {
    struct hp_allocator_stats stats;
    struct hp_err err;
    char *text = text_of(good_bin, good_stats);
    cr_assert(read_text(&stats, text, &err) == HP_OK, "%s", err.message);
    cr_expect(stats.has_classes && stats.lg_sample == 19 && !stats.has_live);
    cr_expect_str_eq(stats.knobs[HP_KNOB_DIRTY_DECAY], "dirty_decay_ms:-1");
    cr_expect_str_eq(stats.knobs[HP_KNOB_RETAIN], "retain:true");
    cr_expect_str_eq(stats.knobs[HP_KNOB_METADATA_THP], "");
    cr_expect(hp_free_in_slabs(&stats.bins.at[0]) == 2 * 12288 - 250 * 96);
    hp_allocator_stats_done(&stats);
    free(text);
}

// The option "m" omits merged statistics, so that each arena is printed separately.
Test(account, refuses_arenas_that_nobody_has_added_up) {
    hp_show_message_codes();

    static const struct {
        const char *others;
        bool is_good;
    } cases[] = {
        {"\"stats.arenas\": {\"destroyed\": {}, \"0\": {", true},
        {"\"stats.arenas\": {\"1\": {}, \"0\": {", false},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hp_allocator_stats stats;
        struct hp_err err;
        char *text = text_of(good_bin, good_stats);
        char *from = strstr(text, "\"stats.arenas\": {\"0\": {");
        char *changed = hp_printed("%.*s%s%s", (int)(from - text), text, cases[i].others,
                                   from + strlen("\"stats.arenas\": {\"0\": {"));
        cr_expect((read_text(&stats, changed, &err) == HP_OK) == cases[i].is_good, "%s",
                  err.message);
        cr_expect(cases[i].is_good || strstr(err.message, "stats-needs-m"), "%s",
                  err.message);
        hp_allocator_stats_done(&stats);
        free(changed);
        free(text);
    }
}

Test(account, refuses_numbers_that_no_process_can_have_in_one_sentence) {
    hp_show_message_codes();

    static const struct {
        const char *bin, *stats, *says;
    } cases[] = {
        {good_bin, "\"allocated\": -5,", "stats . allocated stats-below-zero"},
        {good_bin, "\"allocated\": 18446744073709551616,", "too big integer"},
        {good_bin, "\"allocated\": 9223372036854775807,",
         "stats . allocated stats-number-too-large"},
        {good_bin, "\"allocated\": 1.5,", "stats . allocated stats-not-whole"},
        {good_bin, "\"allocated\": \"5\",", "stats . allocated stats-not-whole"},
        {good_bin, "", "stats . allocated stats-number-missing"},
        {"\"curregs\": 257, \"curslabs\": 2, \"nmalloc\": 0, \"ndalloc\": 0", good_stats,
         "stats-objects-exceed-slabs: 96 257 2 128"},
        {"\"curregs\": 1, \"curslabs\": 2, \"nmalloc\": 0", good_stats,
         "bins . ndalloc stats-number-missing"},
        // 2^45 slabs of 12 KiB exceed 2^56 bytes.
        {"\"curregs\": 1, \"curslabs\": 35184372088832, \"nmalloc\": 0, \"ndalloc\": 0",
         good_stats, "bins . curslabs stats-number-too-large"},
        {"\"curregs\": 1, \"curslabs\": 1, \"nmalloc\": 0, \"ndalloc\": 0, "
         "\"prof_live_count\": 72057594037927936",
         good_stats, "bins . prof_live_count stats-number-too-large"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hp_allocator_stats stats;
        struct hp_err err;
        char *text = text_of(cases[i].bin, cases[i].stats);
        cr_expect(read_text(&stats, text, &err) == HP_E_FORMAT);
        cr_expect(strstr(err.message, cases[i].says), "%s: %s", cases[i].says,
                  err.message);
        cr_expect(!strchr(err.message, '\n'));
        hp_allocator_stats_done(&stats);
        free(text);
    }
}

// jemalloc reads the sums one after the other, so that "allocated" alone may include
// later allocations.
Test(account, H12_refuses_sums_that_contradict_each_other_by_name) {
    hp_show_message_codes();

    static const struct {
        const char *sums, *says;
    } cases[] = {
        {"\"active\": 24576, \"metadata\": 4096, \"resident\": 24576,", NULL},
        {"\"active\": 4096, \"metadata\": 4096, \"resident\": 32768,", NULL},
        {"\"active\": 0, \"metadata\": 4096, \"resident\": 32768,",
         "stats-member: stats . active stats-allocated-zero"},
        {"\"active\": 24576, \"metadata\": 4096, \"resident\": 20480,",
         "stats-member: stats . resident stats-below-active"},
        {"\"active\": 24576, \"metadata\": 4096, \"resident\": 0,",
         "stats-member: stats . resident stats-below-active"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hp_allocator_stats stats;
        struct hp_err err;
        char *text = text_of(good_bin, good_stats);
        char *sums = strstr(text, "\"active\""), *rest = strstr(text, "\"mapped\"");
        char *changed =
            hp_printed("%.*s%s %s", (int)(sums - text), text, cases[i].sums, rest);
        bool is_good = read_text(&stats, changed, &err) == HP_OK;
        cr_expect_eq(is_good, cases[i].says == NULL, "%s: %s", cases[i].sums,
                     err.message);
        cr_expect(is_good || strstr(err.message, cases[i].says), "%s", err.message);
        hp_allocator_stats_done(&stats);
        free(changed);
        free(text);
    }
}

Test(account, names_other_kinds_of_statistics) {
    hp_show_message_codes();

    static const struct {
        const char *text, *says;
        enum hp_code code;
    } cases[] = {
        {"___ Begin jemalloc statistics ___\n", "malloc_stats_print's text",
         HP_E_UNSUPPORTED},
        {"------------------------------------------------\nMALLOC: 5", "tcmalloc",
         HP_E_UNSUPPORTED},
        {"<malloc version=\"1\">", "malloc_info", HP_E_UNSUPPORTED},
        {"{\"recent_alloc\": []}", "prof_recent", HP_E_UNSUPPORTED},
        {"{\"info\": {}, \"stack_traces\": []}", "prof_log", HP_E_UNSUPPORTED},
        {"{\"a\": 1}", "JSON of something else", HP_E_UNSUPPORTED},
        {"heap_v2/524288\n", "no JSON", HP_E_UNSUPPORTED},
        {"", "empty", HP_E_FORMAT},
        {"{\"jemalloc\": {\"opt\"", "json-cut", HP_E_FORMAT},
        {"{\"jemalloc\": {}}", "opt stats-object-missing", HP_E_FORMAT},
        {"{\"jemalloc\": []}", "JSON of something else", HP_E_UNSUPPORTED},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hp_allocator_stats stats;
        struct hp_err err;
        cr_expect(read_text(&stats, cases[i].text, &err) == cases[i].code, "%s",
                  cases[i].says);
        cr_expect(strstr(err.message, cases[i].says), "%s", err.message);
        hp_allocator_stats_done(&stats);
    }
}

// Truncated after any byte, the text is either complete except for spaces, or refused.
Test(account, refuses_what_was_cut_anywhere_and_what_is_nested_without_end) {
    struct hp_allocator_stats stats;
    struct hp_err err;
    char *text = text_of(good_bin, good_stats);
    for (size_t size = strlen(text) - 1; size > 0; size--) {
        text[size] = '\0';
        cr_expect(read_text(&stats, text, &err) != HP_OK, "cut at %zu", size);
        hp_allocator_stats_done(&stats);
    }
    free(text);
    size_t depth = 1000000;
    char *nested = hp_alloc(depth + 2);
    nested[0] = '{';
    memset(nested + 1, '[', depth);
    cr_expect(read_text(&stats, nested, &err) != HP_OK);
    memcpy(nested, "{\"a\":", 5);
    cr_expect(read_text(&stats, nested, &err) == HP_E_FORMAT);
    cr_expect(strstr(err.message, "depth"), "%s", err.message);
    free(nested);
}

Test(account, takes_memory_for_so_many_values_only) {
    size_t size = (size_t)24 << 20;
    char *many = hp_alloc(size + 1);
    struct hp_allocator_stats stats;
    struct hp_err err;
    memset(many, ',', size);
    many[0] = '{';
    cr_expect(read_text(&stats, many, &err) == HP_E_LIMIT, "%s", err.message);
    free(many);
}

// --- the kernel ------------------------------------------------------------------------

// Read smaps from text.
static enum hp_code read_maps(struct hp_kernel_maps *maps, const char *text,
                              struct hp_err *err) {
    *maps = (struct hp_kernel_maps){.swap = 0};
    *err = (struct hp_err){0};
    return (enum hp_code)hp_smaps_read_bytes(maps, hp_span_of(text), err);
}

#define PART(path, rss)                                                   \
    "7f00-7f10 rw-p 00000000 00:00 0    " path "\nSize: 64 kB\nRss: " rss \
    " kB\nPss: " rss " kB\nPrivate_Dirty: " rss " kB\nVmFlags: rd wr\n"

Test(account, sorts_mappings_by_what_the_kernel_calls_them) {
    static const struct {
        const char *text;
        enum hp_mapping_kind kind;
    } cases[] = {
        {PART("/usr/lib/libc.so.6", "3"), HP_MAPPED_FILES},
        {PART("/memfd:x (deleted)", "3"), HP_MAPPED_SHARED},
        {PART("[heap]", "3"), HP_MAPPED_HEAP},
        {PART("[stack]", "3"), HP_MAPPED_STACK},
        {PART("", "3"), HP_MAPPED_ANONYMOUS},
        {PART("[anon:glibc: malloc]", "3"), HP_MAPPED_ANONYMOUS},
        {PART("[anon:jemalloc_pg]", "3"), HP_MAPPED_JEMALLOC},
        {PART("[vdso]", "3"), HP_MAPPED_SPECIAL},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hp_kernel_maps maps;
        struct hp_err err;
        cr_assert(read_maps(&maps, cases[i].text, &err) == HP_OK, "%s", err.message);
        cr_expect(maps.of[cases[i].kind].rss == 3 << 10, "%s", cases[i].text);
        struct hp_mapped all = hp_kernel_maps_total(&maps);
        cr_expect(all.rss == 3 << 10 && all.pss == 3 << 10 && all.private == 3 << 10);
    }
}

// A rollup has no kinds of mappings.  If one process has a rollup and another has
// mappings, their sum has only rows that both have.
Test(account, adds_a_rollup_to_mappings_by_rows_of_both) {
    static const char whole[] = PART("/usr/lib/libc.so.6", "1") PART("/dev/shm/x", "2")
        PART("[vdso]", "4") PART("[heap]", "8") PART("", "16") PART("[stack]", "32");
    static const char rollup[] =
        "7f00-7f10 ---p 00000000 00:00 0    [rollup]\n"
        "Rss: 300 kB\nPss: 300 kB\nAnonymous: 200 kB\n";
    for (int order = 0; order < 2; order++) {
        struct hp_kernel_maps sum = {.swap = 0}, maps;
        struct hp_err err;
        for (int i = 0; i < 2; i++) {
            cr_assert(read_maps(&maps, i == order ? whole : rollup, &err) == HP_OK);
            hp_kernel_maps_add(&sum, &maps);
        }
        cr_expect(sum.is_rollup && sum.of[HP_MAPPED_FILES].rss == 107 << 10);
        cr_expect(sum.of[HP_MAPPED_ANONYMOUS].rss == 256 << 10);
        cr_expect(hp_kernel_maps_total(&sum).rss == 363 << 10, "nothing else");
    }
}

// The truth is the kernel's own sum; an independent program has found it to be the sum of
// all mappings.
Test(account, adds_up_to_rss) {
    static const char *const names[] = {"jemalloc-5.3.0.smaps.gz",
                                        "jemalloc-5.3.1.smaps.gz", "frag.smaps_rollup"};
    static const int truth[] = {67408, 82120, 49020};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct hp_kernel_maps maps = {.swap = 0};
        struct hp_err err = {0};
        cr_assert(hp_smaps_read(&maps, path_of(names[i]), &usual, &err) == HP_OK, "%s",
                  err.message);
        hp_int128 rss = hp_kernel_maps_total(&maps).rss;
        cr_expect(rss == truth[i] << 10, "%s: %llu KiB", names[i],
                  (unsigned long long)(rss >> 10));
        cr_expect(maps.is_rollup == (i == 2));
        cr_expect(i == 2 || (maps.map.of[0] | maps.map.of[1]) != 0);
    }
}

Test(account, takes_for_smaps_what_begins_with_a_whole_row) {
    static const char row[] = PART("/usr/lib/libc.so.6", "3");
    cr_expect(hp_smaps_is((struct hp_span){row, sizeof row - 1}));
    // The text after the end of the span is not read.
    cr_expect_not(hp_smaps_is((struct hp_span){row, 8}));
    cr_expect_not(hp_smaps_is(hp_span_of("heap_v2/524288\n" PART("", "3"))));
}

Test(account, refuses_what_is_no_smaps_with_its_line) {
    hp_show_message_codes();

    static const struct {
        const char *text, *says;
        uint64_t line;
    } cases[] = {
        {"", "smaps-empty", 0},
        {"Rss: 5 kB\n", "smaps-other-line", 1},
        {PART("", "-3"), "smaps-kb-expected", 3},
        {PART("", "18446744073709551616"), "smaps-kb-expected", 3},
        {"7f00-7f10 rw-p 00000000 00:00 0\n7f10-7f20 rw-p 00000000 00:00 0\n",
         "smaps-no-rss", 2},
        {PART("[rollup]", "3") PART("[rollup]", "3"), "smaps-second-rollup", 7},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hp_kernel_maps maps;
        struct hp_err err;
        cr_expect(read_maps(&maps, cases[i].text, &err) == HP_E_FORMAT, "%s",
                  cases[i].text);
        cr_expect(strstr(err.message, cases[i].says), "%s", err.message);
        cr_expect(err.line == cases[i].line, "%s: line %llu", cases[i].says,
                  (unsigned long long)err.line);
    }
}
