#include "model/dump.h"

#include <stdio.h>
#include <string.h>

// Apply DO to each vector of a dump.
#define FOR_VECTORS(DO) \
    DO(addresses)       \
    DO(frames)          \
    DO(stacks)          \
    DO(thread_lines)    \
    DO(extras)          \
    DO(listed)          \
    DO(threads)         \
    DO(types)           \
    DO(values)          \
    DO(mappings)        \
    DO(rows)            \
    DO(embedded)        \
    DO(embedded_calls)
// KEEP empties a vector but keeps its memory; FREE frees it.
#define KEEP(vector) dump->vector = kept.vector, dump->vector.count = 0;
#define FREE(vector) hp_vec_done(&dump->vector);

void hp_dump_clear(struct hp_dump *dump) {
    hp_strtab_done(&dump->strings);
    hp_strtab_done(&dump->tag_sets);
    hp_annotations_done(&dump->annotations);
    hp_process_keys_done(&dump->process_keys);
    struct hp_dump kept = *dump;
    *dump = (struct hp_dump){0};
    FOR_VECTORS(KEEP)
}

void hp_dump_done(struct hp_dump *dump) {
    hp_strtab_done(&dump->strings);
    hp_strtab_done(&dump->tag_sets);
    hp_annotations_done(&dump->annotations);
    hp_process_keys_done(&dump->process_keys);
    FOR_VECTORS(FREE)
}

void hp_dump_producer_warning(struct hp_dump *dump, struct hp_span text, uint64_t line) {
    size_t used = strlen(dump->producer_warning),
           room = sizeof dump->producer_warning - used;
    dump->producer_warning_line = used == 0 ? line : dump->producer_warning_line;
    int size = (int)(text.size < room ? text.size : room);
    snprintf(dump->producer_warning + used, room, "%s%.*s", used > 0 ? " " : "", size,
             text.at);
}

void hp_dump_malformed(struct hp_dump *dump, const char *expected, uint64_t line) {
    dump->expected = dump->malformed.count == 0 ? hp_words(expected) : dump->expected;
    hp_diagnostic_count_add(&dump->malformed, line);
}

// Return the mapping that contains an address, or NULL.  Uses a binary search, so the
// mappings must be sorted and disjoint.
static const struct hp_mapping *mapping_of(const struct hp_dump *dump, uint64_t address) {
    size_t low = 0, high = dump->mappings.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (dump->mappings.at[middle].end <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    bool found = low < dump->mappings.count && dump->mappings.at[low].start <= address;
    return found ? &dump->mappings.at[low] : NULL;
}

// Whether an address is in a mapping of jemalloc's own library.  The answer is cached in
// `owners`.
static bool is_in_allocator(const struct hp_dump *dump, struct hp_dump_owners *owners,
                            uint32_t address) {
    enum {
        UNKNOWN, // the value of new items
        OTHER,
        ALLOCATOR
    };

    unsigned char *owner = hp_vec_reach(&owners->of, address);
    if (*owner == UNKNOWN) {
        const struct hp_mapping *row = mapping_of(dump, dump->addresses.at[address]);
        *owner = row && hp_span_contains(row->path, "jemalloc") ? ALLOCATOR : OTHER;
    }
    return *owner == ALLOCATOR;
}

uint32_t hp_dump_site(const struct hp_dump *dump, struct hp_dump_owners *owners,
                      const struct hp_dump_stack *stack) {
    const uint32_t *frames = hp_vec_from(&dump->frames, stack->first_frame);
    uint32_t i = 0;
    while (i + 1 < stack->depth && is_in_allocator(dump, owners, frames[i])) {
        i++;
    }
    return stack->depth > 0 ? frames[i] : UINT32_MAX;
}

struct hp_stack_extra *hp_dump_next_extra(struct hp_dump *dump) {
    return hp_vec_reach(&dump->extras, dump->stacks.count);
}

const int64_t *hp_dump_values(const struct hp_dump *dump, size_t i) {
    size_t end = hp_dump_extra(dump, i).values_end;
    return end > 0 ? dump->values.at + end - dump->types.count : NULL;
}

void hp_dump_drop_extra(struct hp_dump *dump) {
    if (dump->extras.count > dump->stacks.count) {
        dump->extras.count = dump->stacks.count;
    }
}

// Assign the calls that were pushed last to `address`.  The calls of one address are
// contiguous in `embedded_calls`, so that the last address that was embedded determines
// where the new calls begin.
void hp_dump_embed(struct hp_dump *dump, uint64_t address) {
    size_t count = dump->embedded.count;
    uint32_t first = 0;
    if (count > 0) {
        const struct hp_embedded_address *last = &dump->embedded.at[count - 1];
        first = last->first_call + last->calls;
    }
    uint32_t calls = (uint32_t)dump->embedded_calls.count - first;
    if (count > 0 && dump->embedded.at[count - 1].address == address) {
        dump->embedded.at[count - 1].calls += calls;
        return;
    }
    hp_vec_push(&dump->embedded, ((struct hp_embedded_address){.address = address,
                                                               .first_call = first,
                                                               .calls = calls}));
}

// Order by address; entries of one address remain in the order of hp_dump_embed().
static int by_address(const void *left, const void *right) {
    const struct hp_embedded_address *a = left, *b = right;
    if (a->address != b->address) {
        return a->address < b->address ? -1 : 1;
    }
    return (a->first_call > b->first_call) - (a->first_call < b->first_call);
}

void hp_dump_settle_embedded(struct hp_dump *dump) {
    size_t kept = 0;
    hp_vec_sort(&dump->embedded, by_address);
    for (size_t i = 0; i < dump->embedded.count; i++) {
        if (kept == 0 ||
            dump->embedded.at[kept - 1].address != dump->embedded.at[i].address) {
            dump->embedded.at[kept++] = dump->embedded.at[i];
        }
    }
    dump->embedded.count = kept;
}

static int compare_address(const void *key, const void *found) {
    uint64_t wanted = *(const uint64_t *)key;
    uint64_t address = ((const struct hp_embedded_address *)found)->address;
    return (wanted > address) - (wanted < address);
}

// Return the embedded symbols of exactly this address (or index, if dump->has_rows), or
// NULL.
static const struct hp_embedded_address *find(const struct hp_dump *dump,
                                              uint64_t address) {
    size_t count = dump->embedded.count;
    return count > 0 ? bsearch(&address, dump->embedded.at, count,
                               sizeof *dump->embedded.at, compare_address)
                     : NULL;
}

const struct hp_embedded_address *hp_dump_embedded(const struct hp_dump *dump, size_t i) {
    uint64_t address = dump->addresses.at[i];
    if (dump->has_rows) {
        return find(dump, i);
    }
    const struct hp_embedded_address *found =
        address > 0 ? find(dump, address - 1) : NULL;
    // Jeprof does not subtract 1 from the address of the leaf.
    return found ? found : find(dump, address);
}
