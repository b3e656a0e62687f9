// Tests that merging is associative: dumps with decoded sizes are absorbed in trees of
// any form.  Values and errors have to be equal to the last bit.
#include "calc/merge.h"
#include "calc/probability.h"
#include "input/reader.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    DUMPS = 24,
    TREES = 20,
    STACKS = 48,
    OBJECTS = 6,  // largest number of objects at a stack
    FIRST = 38,   // size classes from a third of the period
    CLASSES = 15, // to four times the period
    CALLER = 0x1000,
};

static const uint64_t period = 65536;

// --- dumps -----------------------------------------------------------------------------

static struct hp_size_classes classes;

// A random line of a dump.
static struct hp_count draw_line(bool is_raw) {
    struct hp_count raw = {0};
    double objects = 0, bytes = 0;
    int count = 1 + rand() % OBJECTS;
    for (int i = 0; i < count; i++) {
        const struct hp_size_class *class = &classes.of[FIRST + rand() % CLASSES];
        objects += (double)class->shifted_objects / 8;
        bytes += (double)class->unbiased_size;
        raw.objects++;
        raw.bytes += class->size;
    }
    double mean = bytes / objects;
    double sampled = bytes * hp_one_minus_exp_naive(mean / (double)period);
    return is_raw ? raw
                  : (struct hp_count){(uint64_t)(sampled / mean + 0.5),
                                      (uint64_t)(sampled + 0.5)};
}

// Write a random dump: four stacks for each leaf, half of all stacks in each dump.
// Rewritten lines do not add up to the header.
static void write_dump(FILE *file, bool is_raw) {
    struct hp_count total = {0}, lines[STACKS];
    for (int i = 0; i < STACKS; i++) {
        lines[i] = rand() % 2 ? draw_line(is_raw) : (struct hp_count){0};
        total.objects += lines[i].objects;
        total.bytes += lines[i].bytes;
    }
    total.bytes -= is_raw ? 0 : 1;
    fprintf(file, "heap_v2/%" PRIu64 "\n  t*: %" PRIu64 ": %" PRIu64 " [0: 0]\n", period,
            total.objects, total.bytes);
    for (int i = 0; i < STACKS; i++) {
        if (lines[i].objects > 0) {
            fprintf(file,
                    "@ 0x5555%08x 0x5555%08x\n  t*: %" PRIu64 ": %" PRIu64 " [0: 0]\n",
                    0x100000 + i / 4, CALLER + i, lines[i].objects, lines[i].bytes);
        }
    }
    fprintf(file,
            "\nMAPPED_LIBRARIES:\n555500000000-555510000000 r-xp 00000000 fe:00 1  /p\n");
}

// Read a random dump into a profile.
static void read_dump(struct hp_profile *profile, bool is_raw) {
    struct hp_merger merger = {0};
    struct hp_reader reader = {0};
    struct hp_dump dump = {0};
    struct hp_input_record record = {0};
    struct hp_err err = {0};
    bool is_elf;
    char *text;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    write_dump(file, is_raw);
    fclose(file);
    hp_profile_init(profile);
    profile->keeps.errors[HP_COLUMN_INUSE] = true;
    merger.keeps[HP_COLUMN_INUSE] = true;
    cr_assert_eq(hp_reader_read_bytes(&reader, (struct hp_span){text, size}, &dump,
                                      &is_elf, &err),
                 HP_OK, "%s", err.message);
    cr_assert_eq(hp_merge(&merger, &dump, profile, &record, &err), HP_OK, "%s",
                 err.message);
    hp_merger_done(&merger);
    hp_dump_done(&dump);
    hp_reader_done(&reader);
    hp_input_done(&record);
    free(text);
}

// --- sums ------------------------------------------------------------------------------

// Sums of one stack.
struct sum {
    hp_fixed bytes, objects;
    struct hp_error error;
};

// The sums of all stacks of a profile.
static void sum_up(const struct hp_profile *profile, struct sum sums[STACKS]) {
    memset(sums, 0, STACKS * sizeof *sums);
    for (size_t i = 0; i < profile->stacks.count; i++) {
        const struct hp_stack *stack = &profile->stacks.at[i];
        uint64_t caller = profile->frames.at[stack->frames[1].n].address - CALLER;
        cr_assert(caller < STACKS && sums[caller].bytes == 0, "%" PRIu64, caller);
        sums[caller] = (struct sum){
            .bytes = stack->values.of[HP_INUSE_SPACE],
            .objects = stack->values.of[HP_INUSE_OBJECTS],
            .error = *hp_stack_error(&profile->errors.stacks[HP_COLUMN_INUSE], i),
        };
    }
}

static bool are_same(const struct sum *a, const struct sum *b) {
    const struct hp_error *e = &a->error, *f = &b->error;
    return a->bytes == b->bytes && a->objects == b->objects &&
           e->variance == f->variance && e->objects_variance == f->objects_variance &&
           e->observed_bytes == f->observed_bytes && e->samples == f->samples &&
           e->hidden_bytes_max == f->hidden_bytes_max &&
           e->excess_bytes_max == f->excess_bytes_max && e->flags == f->flags &&
           memcmp(&e->max_weight, &f->max_weight, sizeof e->max_weight) == 0 &&
           memcmp(e->read, f->read, sizeof e->read) == 0;
}

// Merge two random profiles at a time until one is left.
static void merge_any(bool is_raw, unsigned tree, struct sum sums[STACKS]) {
    struct hp_profile profiles[DUMPS];
    srand(1); // makes the same dumps each time
    for (int i = 0; i < DUMPS; i++) {
        read_dump(&profiles[i], is_raw);
    }
    srand(tree);
    for (int left = DUMPS; left > 1; left--) {
        int to = rand() % left, from = rand() % (left - 1);
        from += from >= to;
        hp_profile_absorb(&profiles[to], &profiles[from]);
        hp_profile_done(&profiles[from]);
        profiles[from] = profiles[left - 1];
    }
    sum_up(&profiles[0], sums);
    hp_profile_done(&profiles[0]);
}

// Expect the same sums of each stack from all random orders of merging.
static void are_the_same(bool is_raw) {
    struct sum first[STACKS], other[STACKS];
    uint64_t unique = 0, several = 0;
    hp_size_classes_init(&classes, period);
    merge_any(is_raw, 0, first);
    for (unsigned tree = 1; tree <= TREES; tree++) {
        merge_any(is_raw, tree, other);
        for (int i = 0; i < STACKS; i++) {
            cr_assert(are_same(&first[i], &other[i]), "tree %u, stack %d", tree, i);
        }
    }
    for (int i = 0; i < STACKS; i++) {
        unique += first[i].error.read[HP_READ_UNIQUE];
        several += first[i].error.read[HP_READ_SEVERAL];
    }
    cr_assert(unique > DUMPS && several > 0, "%" PRIu64 ", %" PRIu64, unique, several);
}

Test(trees, of_rewritten_dumps_come_to_the_same) {
    are_the_same(false);
}

Test(trees, of_raw_dumps_come_to_the_same) {
    are_the_same(true);
}
