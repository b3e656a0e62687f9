// A stack has a line for each thread.  Its counts are the sum of the lines or, if
// jemalloc rewrote the numbers, near the sum.  If memory in use is taken from listed
// objects, the lines are used only for allocations since the start.
#include "calc/threads.h"

#include <stdio.h>
#include <string.h>

// --- split -----------------------------------------------------------------------------

// The state while the stacks of a dump are split by thread.
struct splitter {
    struct hp_dump *dump;
    HP_VEC(struct hp_dump_stack) stacks;  // the new stacks of the dump
    HP_VEC(struct hp_stack_extra) extras; // one for each of `stacks`
    hp_string name_key, number_key;       // keys of the labels with name and number
    bool by_list;                         // as in hp_threads_split()
};

static int by_number(const void *left, const void *right) {
    const struct hp_thread *a = left, *b = right;
    if (a->number != b->number) {
        return a->number < b->number ? -1 : 1;
    }
    return (a->name.n > b->name.n) - (a->name.n < b->name.n);
}

static int by_thread(const void *left, const void *right) {
    const struct hp_listed *a = left, *b = right;
    if (a->thread != b->thread) {
        return a->thread < b->thread ? -1 : 1;
    }
    return (a->size > b->size) - (a->size < b->size);
}

// Return the name of a thread by its number; "" if it has none.  If it has several, the
// first one is used.
static hp_string name_of(const struct hp_dump *dump, uint64_t number) {
    size_t low = 0, high = dump->threads.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (dump->threads.at[middle].number < number) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    bool found = low < dump->threads.count && dump->threads.at[low].number == number;
    return found ? dump->threads.at[low].name : (hp_string){0};
}

// Return the label set of a thread, added to the dump: its number, and its name if it has
// one.
static hp_string tags_of(struct splitter *s, uint64_t thread) {
    char digits[24];
    snprintf(digits, sizeof digits, "%llu", (unsigned long long)thread);
    hp_string name = name_of(s->dump, thread);
    struct hp_tag tags[] = {
        {.key = s->number_key,
         .text = hp_strtab_add(&s->dump->strings, hp_span_of(digits))},
        {.key = s->name_key, .text = name},
    };
    return hp_tags_add(&s->dump->tag_sets, tags, name.n ? 2 : 1);
}

// Append a stack with the frames of an old one, and other counts, to the new stacks.
static void push(struct splitter *s, const struct hp_dump_stack *stack,
                 struct hp_counts counts, struct hp_stack_extra extra) {
    struct hp_dump_stack part = *stack;
    part.counts = counts;
    part.lines = 0;
    hp_vec_push(&s->stacks, part);
    hp_vec_push(&s->extras, extra);
}

// Append a stack for each thread of the listed objects [first, end), which are ordered by
// thread.
static void push_listed(struct splitter *s, const struct hp_dump_stack *stack,
                        size_t first, size_t end) {
    static const struct hp_counts none;
    const struct hp_listed *listed = s->dump->listed.at;
    for (size_t next; first < end; first = next) {
        next = first + 1;
        while (next < end && listed[next].thread == listed[first].thread) {
            next++;
        }
        struct hp_stack_extra extra = {.first_listed = first,
                                       .listed = (uint32_t)(next - first),
                                       .tags = tags_of(s, listed[first].thread)};
        push(s, stack, none, extra);
    }
}

// Return the counts, but without memory in use if that is taken from listed objects
// (by_list).
static struct hp_counts counts_of(struct hp_counts counts, bool by_list) {
    if (by_list) {
        counts.inuse = (struct hp_count){0};
    }
    return counts;
}

// Append to the new stacks one for each thread of stack i of the dump.
static void split(struct splitter *s, size_t i) {
    const struct hp_dump_stack *stack = &s->dump->stacks.at[i];
    struct hp_stack_extra extra = hp_dump_extra(s->dump, i);
    bool by_list = s->by_list && extra.listed > 0;
    if (by_list) {
        struct hp_listed *listed = s->dump->listed.at + extra.first_listed;
        qsort(listed, extra.listed, sizeof *listed, by_thread);
        push_listed(s, stack, extra.first_listed, extra.first_listed + extra.listed);
    }
    for (uint32_t k = 0; k < stack->lines; k++) {
        const struct hp_thread_line *line =
            &s->dump->thread_lines.at[stack->first_line + k];
        struct hp_stack_extra part = {.tags = tags_of(s, line->thread)};
        push(s, stack, counts_of(line->counts, by_list), part);
    }
    bool has_more = !by_list || stack->counts.alloc.objects > 0;
    if (stack->lines == 0 && has_more) {
        struct hp_stack_extra part = {.tags = extra.tags, .values_end = extra.values_end};
        push(s, stack, counts_of(stack->counts, by_list), part);
    }
}

void hp_threads_split(struct hp_dump *dump, bool by_list) {
    struct splitter s = {.dump = dump, .by_list = by_list};
    s.name_key = hp_strtab_add(&dump->strings, hp_span_of(hp_thread_name_keys[0]));
    s.number_key = hp_strtab_add(&dump->strings, hp_span_of(hp_thread_number_keys[0]));
    hp_vec_sort(&dump->threads, by_number);
    for (size_t i = 0; i < dump->stacks.count; i++) {
        split(&s, i);
    }
    hp_vec_done(&dump->stacks);
    hp_vec_done(&dump->extras);
    dump->stacks.at = s.stacks.at;
    dump->stacks.count = s.stacks.count;
    dump->stacks.capacity = s.stacks.capacity;
    dump->extras.at = s.extras.at;
    dump->extras.count = s.extras.count;
    dump->extras.capacity = s.extras.capacity;
}

// --- keep ------------------------------------------------------------------------------

static bool is_text(const struct hp_dump *dump, hp_string text, const char *wanted) {
    return hp_span_is(hp_strtab_span(&dump->strings, text), wanted);
}

static bool is_any_of(const struct hp_dump *dump, hp_string key,
                      const char *const keys[HP_THREAD_KEYS]) {
    bool found = false;
    for (size_t i = 0; i < HP_THREAD_KEYS; i++) {
        found |= is_text(dump, key, keys[i]);
    }
    return found;
}

// Return whether a label says that the name of the thread is `wanted`.
static bool has_name(const struct hp_dump *dump, const struct hp_tag *tag,
                     const char *wanted) {
    return is_any_of(dump, tag->key, hp_thread_name_keys) && !tag->is_number &&
           is_text(dump, tag->text, wanted);
}

// Return whether a label says that the number of the thread is `wanted`, which is "7" or
// "t7".
static bool has_number(const struct hp_dump *dump, const struct hp_tag *tag,
                       const char *wanted) {
    char digits[24];
    const char *number = wanted + (*wanted == 't');
    snprintf(digits, sizeof digits, "%lld", (long long)tag->number);
    return is_any_of(dump, tag->key, hp_thread_number_keys) &&
           (tag->is_number ? strcmp(number, digits) == 0
                           : is_text(dump, tag->text, number));
}

// Return whether a set of labels has the name or the number `thread`.
static bool is_of(const struct hp_dump *dump, hp_string set, const char *thread) {
    for (size_t i = 0; i < hp_tags_count(&dump->tag_sets, set); i++) {
        struct hp_tag tag = hp_tags_at(&dump->tag_sets, set, i);
        if (has_name(dump, &tag, thread) || has_number(dump, &tag, thread)) {
            return true;
        }
    }
    return false;
}

void hp_threads_keep(struct hp_dump *dump, const char *thread) {
    size_t kept = 0;
    for (size_t i = 0; i < dump->extras.count; i++) {
        if (is_of(dump, dump->extras.at[i].tags, thread)) {
            dump->extras.at[kept] = dump->extras.at[i];
            dump->stacks.at[kept++] = dump->stacks.at[i];
        }
    }
    dump->stacks.count = dump->extras.count = kept;
}
