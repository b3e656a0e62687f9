// Tests of hp_profile: adding, sorting and absorbing stacks.
#include "model/profile.h"
#include "model/stack_lookahead.h"

#include <criterion/criterion.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct hp_error *const no_errors[HP_COLUMNS];

// Values of a number of bytes.
static struct hp_values of(long bytes) {
    return (struct hp_values){{[HP_INUSE_SPACE] = (hp_fixed)bytes << HP_SPACE_FRACTION}};
}

// The module with this path.
static hp_module_id module_at(struct hp_profile *profile, const char *path) {
    struct hp_module module = {.kind = HP_MODULE_FILE};
    module.path = hp_strtab_add(&profile->strings, hp_span_of(path));
    return hp_profile_module(profile, &module, NULL);
}

Test(profile, adds_equal_stacks_up) {
    struct hp_profile profile;
    hp_profile_init(&profile);
    hp_module_id module = module_at(&profile, "/a");
    hp_frame_id frames[2] = {hp_profile_frame(&profile, module, 1),
                             hp_profile_frame(&profile, module, 2)};
    struct hp_values one = of(1), two = of(2);
    hp_profile_add(&profile, &(struct hp_sample){frames, 2, {0}}, &one, no_errors);
    hp_profile_add(&profile, &(struct hp_sample){frames, 1, {0}}, &one, no_errors);
    hp_profile_add(&profile, &(struct hp_sample){frames, 2, {0}}, &two, no_errors);
    cr_expect_eq(profile.stacks.count, 2);
    struct hp_values total = hp_profile_total(&profile);
    cr_expect_eq((long)hp_fixed_round(total.of[HP_INUSE_SPACE], HP_INUSE_SPACE), 4);
    hp_profile_done(&profile);
}

// Some frames occur twice in a batch, and the index has to grow.
Test(profile, gives_many_frames_the_numbers_of_one_at_a_time) {
    enum {
        FRAMES = 1000,
        DISTINCT = 700
    };

    struct hp_profile one_by_one, together;
    struct hp_frame frames[FRAMES];
    hp_frame_id ids[FRAMES];
    hp_profile_init(&one_by_one);
    hp_profile_init(&together);
    hp_module_id module = module_at(&together, "/a");
    cr_assert_eq(module_at(&one_by_one, "/a").n, module.n);
    for (uint32_t i = 0; i < FRAMES; i++) {
        uint64_t address = i % 7 ? i % DISTINCT : i / 7 % 10;
        frames[i] = (struct hp_frame){
            .module = i % 3 ? module : (hp_module_id){0},
            .address = address,
            .is_return_leaf = i == 1,
        };
    }
    hp_profile_frames(&together, frames, FRAMES, ids);
    for (uint32_t i = 0; i < FRAMES; i++) {
        cr_expect_eq(hp_profile_frame(&one_by_one, frames[i].module, frames[i].address).n,
                     ids[i].n);
    }
    cr_expect_eq(together.frames.count, one_by_one.frames.count);
    cr_expect(together.frames.at[ids[1].n].is_return_leaf);
    hp_profile_done(&one_by_one);
    hp_profile_done(&together);
}

Test(profile, knows_a_column_by_the_inputs_that_have_it) {
    struct hp_profile profile;
    struct hp_input_record both = {.period = 1 << 19, .has_alloc = true};
    struct hp_input_record only_alloc = {.period = 1 << 21, .has_alloc = true};
    only_alloc.missing_metrics = 1u << HP_INUSE_SPACE | 1u << HP_INUSE_OBJECTS;
    hp_profile_init(&profile);
    hp_vec_push(&profile.inputs.records, both);
    hp_vec_push(&profile.inputs.records, only_alloc);
    cr_expect_eq(hp_profile_error(&profile, HP_COLUMN_INUSE).period, 1 << 19);
    cr_expect_eq(hp_profile_error(&profile, HP_COLUMN_ALLOC).period, 1 << 21);
    hp_vec_done(&profile.inputs.records);
    hp_profile_done(&profile);
}

// Stacks that are known, new, or without frames.
Test(profile, is_the_same_whoever_looks_ahead) {
    enum {
        STACKS = 5000
    };

    struct hp_profile profile;
    struct hp_stack_lookahead ahead = {.seen = 0};
    struct hp_error error = {.samples = 1};
    const struct hp_error *const errors[HP_COLUMNS] = {&error};
    struct hp_values one = of(1);
    hp_profile_init(&profile);
    hp_module_id module = module_at(&profile, "/a");
    for (uint32_t i = 0; i < 3 * STACKS; i++) {
        hp_frame_id frame = hp_profile_frame(&profile, module, i % (2 * STACKS));
        bool is_empty = i % STACKS == 0;
        struct hp_sample sample = {is_empty ? NULL : &frame, !is_empty, {0}};
        hp_stack_lookahead(&ahead, &profile, sample.frames, sample.depth);
        hp_profile_add(&profile, &sample, &one, errors);
    }
    cr_expect_eq(profile.stacks.count, 2 * STACKS - 1);
    cr_expect_gt(ahead.seen, STACKS);
    struct hp_values total = hp_profile_total(&profile);
    cr_expect_eq((long)hp_fixed_round(total.of[HP_INUSE_SPACE], HP_INUSE_SPACE),
                 3 * STACKS);
    hp_profile_done(&profile);
}

// A search passes a run of used slots; if all 5000 modules were in one run, this would
// take very long.
Test(profile, finds_modules_of_one_path_by_their_extents) {
    enum {
        MODULES = 5000
    };

    struct hp_profile profile;
    hp_profile_init(&profile);
    struct hp_module module = {.kind = HP_MODULE_FILE, .span = 4096, .extents = 1};
    module.path = hp_strtab_add(&profile.strings, hp_span_of("/a"));
    for (uint64_t i = 0; i < MODULES; i++) {
        struct hp_extent extent = {.address = i % 2 * i * 4096,
                                   .size = 4096 + (i + 1) % 2 * i * 4096};
        uint32_t number = hp_profile_module(&profile, &module, &extent).n;
        cr_assert_eq(number, hp_profile_module(&profile, &module, &extent).n);
    }
    cr_expect_eq(profile.modules.count, MODULES + 1);
    size_t run = 0, longest = 0;
    for (size_t i = 0; i < profile.index.modules.slot_count; i++) {
        run = profile.index.modules.slots[i] ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    cr_expect_lt(longest, 200, "%zu", longest);
    hp_profile_done(&profile);
}

Test(profile, holds_many_frames_and_stacks) {
    struct hp_profile profile;
    hp_profile_init(&profile);
    struct hp_values one = of(1);
    for (int round = 0; round < 2; round++) {
        for (uint64_t i = 0; i < 20000; i++) {
            hp_frame_id frame = hp_profile_frame(&profile, (hp_module_id){0}, i);
            hp_profile_add(&profile, &(struct hp_sample){&frame, 1, {0}}, &one,
                           no_errors);
        }
    }
    cr_expect_eq(profile.frames.count, 20000);
    cr_expect_eq(profile.stacks.count, 20000);
    hp_profile_done(&profile);
}

// Fill a profile; `reversed` adds the same things in another order.
static void fill(struct hp_profile *profile, bool reversed) {
    static const char *const paths[] = {"/b", "/a", "/c"};
    hp_profile_init(profile);
    for (int i = 0; i < 3; i++) {
        int k = reversed ? 2 - i : i;
        hp_module_id module = module_at(profile, paths[k]);
        hp_frame_id frames[2] = {
            hp_profile_frame(profile, module, reversed ? 7 : 9),
            hp_profile_frame(profile, module, reversed ? 9 : 7),
        };
        struct hp_values values = of(k);
        hp_profile_add(profile, &(struct hp_sample){frames, 2, {0}}, &values, no_errors);
    }
}

Test(profile, has_one_order_whatever_it_met_first) {
    struct hp_profile a, b;
    fill(&a, false);
    fill(&b, true);
    hp_profile_sort(&a, NULL, 0);
    hp_profile_sort(&b, NULL, 0);
    for (size_t i = 0; i < a.frames.count; i++) {
        const struct hp_module *left = &a.modules.at[a.frames.at[i].module.n];
        const struct hp_module *right = &b.modules.at[b.frames.at[i].module.n];
        cr_expect_str_eq(hp_profile_text(&a, left->path),
                         hp_profile_text(&b, right->path));
        cr_expect_eq(a.frames.at[i].address, b.frames.at[i].address);
    }
    // The stacks still refer to the same frames.
    const struct hp_frame *leaf = &a.frames.at[a.stacks.at[0].frames[0].n];
    cr_expect_eq(leaf->address, 9);
    cr_expect_str_eq(hp_profile_text(&a, a.modules.at[leaf->module.n].path), "/b");
    hp_profile_done(&a);
    hp_profile_done(&b);
}

Test(profile, absorbs_another_as_if_all_had_been_added_to_one) {
    struct hp_profile a, b;
    fill(&a, false);
    fill(&b, false);
    hp_profile_absorb(&a, &b);
    cr_expect_eq(a.stacks.count, 3);
    cr_expect_eq(a.modules.count, 4);
    cr_expect_eq(
        (long)hp_fixed_round(hp_profile_total(&a).of[HP_INUSE_SPACE], HP_INUSE_SPACE), 6);
    hp_profile_done(&a);
}

// A thread that reads its first dump keeps frames in blocks, and stacks point into them.
Test(profile, keeps_blocks_of_another_in_which_frames_lie) {
    struct hp_profile a, b;
    struct hp_values one = of(1);
    hp_profile_init(&a);
    hp_profile_init(&b);
    hp_frame_id *frames = malloc(sizeof *frames);
    hp_vec_push(&b.memory.blocks, (void *)frames);
    frames[0] = hp_profile_frame(&b, (hp_module_id){0}, 1);
    hp_profile_add_adopted(&b, &(struct hp_sample){frames, 1, {0}}, &one, no_errors);
    hp_profile_absorb(&a, &b);
    cr_assert_eq(a.stacks.count, 1);
    cr_assert_eq(a.memory.blocks.count, 1);
    cr_expect_eq((const void *)a.stacks.at[0].frames, a.memory.blocks.at[0]);
    cr_expect_eq(a.stacks.at[0].frames[0].n, 0);
    hp_profile_done(&a);
}

// The other's frames are taken over unchanged, and are found afterwards.
Test(profile, absorbs_another_as_it_is_if_it_has_nothing) {
    struct hp_profile a, b, c;
    hp_profile_init(&a);
    fill(&b, false);
    fill(&c, false);
    hp_profile_module(&a, &(struct hp_module){.kind = HP_MODULE_PSEUDO}, NULL);
    hp_profile_absorb(&a, &b);
    cr_expect_eq(a.stacks.count, 3);
    cr_expect_eq(b.stacks.count, 0);
    size_t frames = a.frames.count;
    hp_profile_absorb(&a, &c);
    cr_expect_eq(a.stacks.count, 3);
    cr_expect_eq(a.frames.count, frames);
    cr_expect_eq(a.modules.count, 5);
    cr_expect_eq(
        (long)hp_fixed_round(hp_profile_total(&a).of[HP_INUSE_SPACE], HP_INUSE_SPACE), 6);
    hp_profile_done(&a);
}

Test(profile, reports_a_sum_that_does_not_fit) {
    struct hp_profile profile;
    hp_profile_init(&profile);
    hp_frame_id frame = hp_profile_frame(&profile, (hp_module_id){0}, 1);
    struct hp_values most = {{(hp_fixed)(~(hp_uint128)0 >> 1)}};
    hp_profile_add(&profile, &(struct hp_sample){&frame, 1, {0}}, &most, no_errors);
    cr_expect_not(profile.overflow);
    hp_profile_add(&profile, &(struct hp_sample){&frame, 1, {0}}, &most, no_errors);
    cr_expect(profile.overflow);
    hp_profile_done(&profile);
}

// The hash key of a child process.
static uint64_t key_of_another_process(void) {
    int ends[2];
    uint64_t key = 0;
    cr_assert_eq(pipe(ends), 0);
    if (fork() == 0) {
        key = hp_hash_key();
        _exit(write(ends[1], &key, sizeof key) != sizeof key);
    }
    cr_assert_eq(read(ends[0], &key, sizeof key), sizeof key);
    wait(NULL);
    return key;
}

Test(hash, R30_keys_are_drawn_by_each_process) {
    cr_expect_neq(key_of_another_process(), key_of_another_process());
}
