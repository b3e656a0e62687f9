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
