#include "calc/lone_sizes.h"

#include "calc/recover_size.h"

enum {
    LINES_THAT_PROVE =
        8, // by chance a whole number of pages is a class in one of four or more
};

struct counts {
    uint64_t large, large_no_class, small_no_class;
};

static void see(struct counts *counts, struct hp_count line) {
    bool is_large = line.bytes > HP_LARGE_FROM;
    if (line.objects == 1) {
        counts->large += is_large;
        *(is_large ? &counts->large_no_class : &counts->small_no_class) +=
            !hp_is_class_size(line.bytes);
    }
}

static void see_both(struct counts *counts, const struct hp_counts *lines) {
    see(counts, lines->inuse);
    see(counts, lines->alloc);
}

struct hp_lone_sizes hp_lone_sizes_of(const struct hp_dump *dump) {
    struct counts counts = {0};
    const struct hp_dump_stack *stack;
    hp_vec_each (stack, &dump->stacks) {
        see_both(&counts, &stack->counts);
        for (uint32_t i = 0; i < stack->lines; i++) {
            see_both(&counts, &dump->thread_lines.at[stack->first_line + i].counts);
        }
    }
    return (struct hp_lone_sizes){
        .small_are_classes = counts.small_no_class == 0,
        .large_are_classes =
            counts.large >= LINES_THAT_PROVE && counts.large_no_class == 0,
    };
}
