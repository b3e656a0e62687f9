// Addresses of prof_recent mean nothing without a memory map, so the dump is read once
// more for its map.
#include "lib/recents.h"

#include "calc/resolve.h"
#include "input/prof_recent.h"
#include "input/reader.h"
#include "lib/read.h"

#include <string.h>

enum {
    // The map is of another process if more than 1/MOST_UNMAPPED of the addresses are
    // unmapped.
    MOST_UNMAPPED = 2,
};

// Replace the addresses of the dump by those of the prof_recent file, so that these are
// resolved by the map of the dump.
static void put_addresses(struct hp_dump *dump, const struct hp_recent_file *file) {
    dump->addresses.count = dump->rows.count = 0;
    dump->has_rows = false;
    hp_vec_append(&dump->addresses, file->addresses.at, file->addresses.count);
}

// Add the stack of each trace to the profile, without values.  Returns their numbers; the
// caller frees them.
static uint32_t *add_stacks(struct hp_profile *profile,
                            const struct hp_resolver *resolver,
                            const struct hp_recent_file *file) {
    static const struct hp_error *const no_errors[HP_COLUMNS];
    static const struct hp_values nothing;
    uint32_t *stacks = hp_alloc(file->traces.count * sizeof *stacks);
    for (size_t i = 0; i < file->traces.count; i++) {
        const struct hp_recent_trace *trace = &file->traces.at[i];
        struct hp_sample sample = {resolver->frames.at + trace->first, trace->depth, {0}};
        stacks[i] = hp_profile_add(profile, &sample, &nothing, no_errors);
    }
    return stacks;
}

// Move the records of the file to the profile; `stacks` replaces the numbers of traces in
// them by numbers of stacks.
static void take_records(struct hp_profile *profile, struct hp_recent_file *file,
                         const uint32_t *stacks) {
    struct hp_recent_record *record;
    profile->inputs.recent = file->recent;
    file->recent = (struct hp_recent){.period = 0};
    hp_vec_each (record, &profile->inputs.recent.records) {
        record->alloc = stacks[record->alloc];
        record->free = stacks[record->free];
    }
}

// Resolve the traces of the file by the map of the dump, and add their stacks and the
// records to the profile.  HP_E_FORMAT if most addresses are unmapped; `path` is the
// dump, for the message.
static int attach(struct hp_profile *profile, struct hp_dump *dump,
                  struct hp_recent_file *file, const char *path, struct hp_err *err) {
    struct hp_resolver resolver = {.keeps_unmapped = true};
    put_addresses(dump, file);
    hp_resolve_places(&resolver, dump, profile->settings.prover);
    hp_resolve(&resolver, dump, profile);
    int ret = HP_OK;
    if (resolver.unmapped * MOST_UNMAPPED > file->addresses.count) {
        ret = hp_fail(
            err, HP_E_FORMAT,
            HP_MESSAGE(
                "recent-of-other-process",
                "of its %zu addresses %llu are in no mapping of %s: it is of another "
                "process"),
            file->addresses.count, (unsigned long long)resolver.unmapped, path);
    } else {
        uint32_t *stacks = add_stacks(profile, &resolver, file);
        take_records(profile, file, stacks);
        free(stacks);
    }
    hp_resolver_done(&resolver);
    return ret;
}

// Read the dump again, for its memory map, and add the stacks and records of the
// prof_recent file to the profile.  HP_E_FORMAT if both are not of one process.
static int read_map(struct hp_profile *profile, const char *path,
                    const struct hp_read_options *options, struct hp_recent_file *file,
                    struct hp_err *err) {
    struct hp_reader reader = {.limit = options->max_input_size,
                               .single = true,
                               .map_period = file->recent.period};
    struct hp_dump dump = {.period = 0};
    bool is_elf;
    int ret = hp_reader_read(&reader, path, &dump, &is_elf, err);
    if (ret == HP_OK && dump.mappings.count == 0) {
        ret = hp_fail(err, HP_E_EMPTY,
                      HP_MESSAGE("recent-needs-map",
                                 "it has no memory map, which --recent needs"));
    }
    if (ret != HP_OK) {
        hp_err_locate(err, path, err->line);
    } else if (dump.period != file->recent.period) {
        ret = hp_fail(
            err, HP_E_FORMAT,
            HP_MESSAGE(
                "recent-period-differs",
                "its sample period is %llu, and that of %s %llu: they are not of one "
                "process"),
            (unsigned long long)file->recent.period, path,
            (unsigned long long)dump.period);
    } else {
        ret = attach(profile, &dump, file, path, err);
    }
    hp_err_locate(err, options->recent, err->line);
    hp_dump_done(&dump);
    hp_reader_done(&reader);
    return ret;
}

int hp_recents_read(struct hp_profile *profile, const char *const *paths, size_t count,
                    const struct hp_read_options *options, struct hp_err *err) {
    struct hp_recent_file file = {.recent = {.period = 0}};
    if (count != 1) {
        return hp_fail(err, HP_E_USAGE,
                       HP_MESSAGE("recent-of-one-dump",
                                  "--recent needs one dump of one process"));
    }
    if (strcmp(paths[0], "-") == 0) {
        return hp_fail(
            err, HP_E_USAGE,
            HP_MESSAGE(
                "recent-stdin",
                "--recent reads its dump twice, which standard input does not allow"));
    }
    int ret = hp_prof_recent_read(&file, options->recent, options, err);
    // Lets the reader accept a map without a profile.
    profile->inputs.recent.period = file.recent.period;
    ret = ret == HP_OK ? hp_read_inputs(profile, paths, count, options, err) : ret;
    if (ret == HP_OK && hp_input_is_used(&profile->inputs.records.at[0])) {
        ret = read_map(profile, paths[0], options, &file, err);
    }
    hp_recent_file_done(&file);
    return ret;
}
