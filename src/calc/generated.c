// Rows of generated code, as Linux shows them:
//
//     7fef70000000-7fef70400000 rwxp 00000000 00:00 0              HotSpot, V8
//     7fef70000000-7fef70400000 r-xp 00000000 00:00 0  [anon:v8]   named by prctl(2)
//     7fef70000000-7fef70400000 rwxs 00000000 00:01 7  /dev/zero (deleted)
//     7fef70000000-7fef70010000 r-xs 00010000 00:01 9  /memfd:doublemapper (deleted)
//
// The last one is .NET's: one file, mapped as code and as data.  A library in such a file
// is mapped privately, and its data are in the row before or after its code.
#include "calc/generated.h"

#include "calc/resolve.h"

// Return whether a path is one of memory that programs share, or [heap] and the like.
static bool is_memory(struct hp_span path) {
    static const char *const starts[] = {"[anon:",      "/memfd:", "/dev/zero",
                                         "/dev/shm/",   "/SYSV",   "/anon_hugepage",
                                         "/dev/ashmem/"};
    bool is = path.size == 0 || hp_span_is(path, "[heap]");
    for (size_t i = 0; i < sizeof starts / sizeof *starts && !is; i++) {
        is = hp_span_starts(path, starts[i]);
    }
    return is;
}

// Return whether the row before or after row `i` maps the same file privately.
static bool is_of_library(const struct hp_dump *dump, size_t i) {
    const struct hp_mapping *row = &dump->mappings.at[i];
    const struct hp_mapping *end = &dump->mappings.at[dump->mappings.count];
    bool after = i > 0 && row[-1].executable != row->executable &&
                 hp_span_equal(row[-1].path, row->path);
    bool before = row + 1 < end && row[1].executable != row->executable &&
                  hp_span_equal(row[1].path, row->path);
    return row->path.size > 0 && row->path.at[0] == '/' && !row->is_shared &&
           (after || before);
}

bool hp_generated_is_row(const struct hp_dump *dump, size_t i) {
    const struct hp_mapping *row = &dump->mappings.at[i];
    if (dump->has_rows) { // rows of a pprof profile, which need not be rows of a map
        return hp_span_is(row->path, HP_GENERATED_MODULE) ||
               hp_span_starts(row->path, "[anon:");
    }
    bool is_memory_file = row->deleted && row->is_shared;
    return row->executable && (is_memory(row->path) || is_memory_file) &&
           !is_of_library(dump, i);
}

// Return `hash` extended by a text of the dump and an end mark.
static uint64_t mix(const struct hp_dump *dump, uint64_t hash, hp_string string) {
    struct hp_span text = hp_strtab_span(&dump->strings, string);
    for (size_t i = 0; i < text.size; i++) { // FNV-1a
        hash = (hash ^ (unsigned char)text.at[i]) * 0x100000001b3;
    }
    return (hash ^ 0xff) * 0x100000001b3;
}

// Return a hash of names, in the half of the address space that no program has.  It does
// not depend on the process or the machine.
static uint64_t address_of(const struct hp_dump *dump,
                           const struct hp_embedded_address *names) {
    uint64_t hash = 0xcbf29ce484222325;
    for (uint32_t i = 0; i < names->calls; i++) {
        const struct hp_embedded_call *call =
            &dump->embedded_calls.at[names->first_call + i];
        hash = mix(dump, hash, call->function);
        hash = mix(dump, hash, call->file);
        hash = (hash ^ call->line) * 0x100000001b3;
    }
    return hash | (uint64_t)1 << 63;
}

// Return whether the names are the one that our pprof profiles give to code without one.
static bool is_place_holder(const struct hp_dump *dump,
                            const struct hp_embedded_address *names) {
    const struct hp_embedded_call *call = &dump->embedded_calls.at[names->first_call];
    return names->calls == 1 && call->file.n == 0 &&
           hp_span_is(hp_strtab_span(&dump->strings, call->function),
                      HP_GENERATED_MODULE);
}

struct hp_frame hp_generated_frame(struct hp_profile *profile, const struct hp_dump *dump,
                                   const struct hp_embedded_address *names) {
    hp_string path = hp_strtab_add(&profile->strings, hp_span_of(HP_GENERATED_MODULE));
    struct hp_module module = {.kind = HP_MODULE_PSEUDO, .path = path};
    bool is_named = names && names->calls > 0 && !is_place_holder(dump, names);
    return (struct hp_frame){.module = hp_profile_module(profile, &module, NULL),
                             .address = is_named ? address_of(dump, names) : 0};
}

// --- names -----------------------------------------------------------------------------

static bool is_generated(const struct hp_resolver *resolver, size_t row) {
    uint32_t of = resolver->resolved_of.at[row];
    return of > 0 ? resolver->rows.at[of - 1].is_generated : false;
}

// Return whether row `row` of the map may continue generated code: it is executable, and
// is no file's.
static bool continues(const struct hp_resolver *resolver, const struct hp_dump *dump,
                      size_t row) {
    return is_generated(resolver, row) ||
           (resolver->image_of.at[row] == 0 && hp_generated_is_row(dump, row));
}

// Return the range that a function must lie in if it contains an address in row `row`:
// this row and those of generated code that adjoin it.
static struct hp_jit_address in_row(const struct hp_resolver *resolver,
                                    const struct hp_dump *dump, uint64_t address,
                                    size_t row) {
    const struct hp_mapping *rows = dump->mappings.at;
    size_t first = row, last = row;
    while (first > 0 && rows[first - 1].end == rows[first].start &&
           continues(resolver, dump, first - 1)) {
        first--;
    }
    while (last + 1 < dump->mappings.count && rows[last].end == rows[last + 1].start &&
           continues(resolver, dump, last + 1)) {
        last++;
    }
    return (struct hp_jit_address){.address = address,
                                   .low = rows[first].start,
                                   .high = rows[last].end};
}

// Return the range that a function must lie in if it contains an address in no mapping:
// the gap between two rows of the map.
static struct hp_jit_address in_gap(const struct hp_dump *dump, uint64_t address) {
    struct hp_jit_address gap = {.address = address, .high = UINT64_MAX};
    const struct hp_mapping *row;
    hp_vec_each (row, &dump->mappings) {
        if (row->end <= address) {
            gap.low = row->end > gap.low ? row->end : gap.low;
        } else {
            gap.high = row->start < gap.high ? row->start : gap.high;
        }
    }
    return gap;
}

// Append address `number` of the dump if a name is wanted for it.
static void ask(const struct hp_resolver *resolver, const struct hp_dump *dump,
                size_t number, struct hp_jit_addresses *addresses) {
    uint32_t of = resolver->row_of.at[number];
    uint64_t address = dump->addresses.at[number];
    if (address == 0 || hp_dump_embedded(dump, number)) {
        return;
    }
    if (of == 0) {
        hp_vec_push(&addresses->of, in_gap(dump, address - 1));
    } else if (resolver->rows.at[of - 1].is_generated) {
        size_t row = resolver->rows.at[of - 1].row;
        hp_vec_push(&addresses->of, in_row(resolver, dump, address - 1, row));
    }
}

void hp_generated_name(const struct hp_resolver *resolver, struct hp_dump *dump,
                       struct hp_jit_namer *namer) {
    struct hp_jit_addresses addresses = {{0}};
    for (size_t i = 0; i < dump->addresses.count && !dump->has_rows; i++) {
        ask(resolver, dump, i, &addresses);
    }
    if (addresses.of.count > 0) {
        hp_jit_addresses_sort(&addresses);
        namer->name(namer, dump, &addresses);
        hp_dump_settle_embedded(dump);
    }
    hp_jit_addresses_done(&addresses);
}
