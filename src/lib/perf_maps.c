#include "lib/perf_maps.h"

#include "base/cursor.h"
#include "base/files.h"
#include "input/input_stream.h"
#include "input/jit_name.h"
#include "input/jitdump.h"
#include "input/perf_map.h"
#include "lib/set_facts.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// A map that may be used for a dump.
struct candidate {
    const char *root; // folder that it is searched in, and must not lead out of; or NULL
    const char *path;
    size_t given;    // number of the option that named it; SIZE_MAX: none did
    bool is_trusted; // the user named it, so anyone may have written it
    uid_t owner;     // else: the owner of the dump
    uint64_t until;  // code that it records later is not in the dump; 0: unknown
};

// --- notes -----------------------------------------------------------------------------

// Note something about the map at `path`.
static void note(struct hp_perf_maps *maps, enum hp_map_note kind, const char *path,
                 const char *reason) {
    pthread_mutex_lock(&maps->lock);
    struct hp_map_notes *notes = &maps->notes[kind];
    if (notes->count == 0 || strcmp(path, notes->first) < 0) {
        snprintf(notes->first, sizeof notes->first, "%s", path);
        snprintf(notes->reason, sizeof notes->reason, "%s", reason);
    }
    notes->count++;
    pthread_mutex_unlock(&maps->lock);
}

// Note that a map that was given has named an address.
static void note_use(struct hp_perf_maps *maps, const struct candidate *map) {
    if (map->given != SIZE_MAX) {
        pthread_mutex_lock(&maps->lock);
        maps->is_used[map->given] = true;
        pthread_mutex_unlock(&maps->lock);
    }
}

// --- files -----------------------------------------------------------------------------

// Open a map.  Returns -1 if it does not exist or must not be read, which is noted.
static int open_map(struct hp_perf_maps *maps, const struct candidate *map) {
    bool is_own = map->is_trusted || map->root;
    int fd = is_own ? hp_open_file(map->root, map->path) : hp_open_itself(map->path);
    struct stat info;
    if (fd < 0) {
        bool is_missing = errno == ENOENT || errno == ENOTDIR;
        bool is_odd = errno == ELOOP || errno == EINVAL || errno == ENXIO;
        if (!is_missing) {
            note(maps, is_odd ? HP_MAP_UNTRUSTED : HP_MAP_UNREADABLE, map->path,
                 strerror(errno));
        }
        return -1;
    }
    if (!map->is_trusted &&
        (fstat(fd, &info) != 0 || (info.st_uid != map->owner && info.st_uid != 0))) {
        note(maps, HP_MAP_UNTRUSTED, map->path, "");
        close(fd);
        return -1;
    }
    return fd;
}

// Read a map or a jitdump from the beginning.  A jitdump with code that was moved is read
// twice.
static int read_entries(int fd, uint64_t limit, struct hp_jit_addresses *addresses,
                        struct hp_perf_map_counts *counts, struct hp_err *err) {
    struct hp_jit_moves moves = {.is_complete = false};
    bool is_first = true, again = true;
    int ret = HP_OK;
    for (; again && ret == HP_OK; is_first = false) {
        struct hp_input_stream stream = {.source.fd = -1};
        (void)lseek(fd, 0, SEEK_SET);
        ret = hp_input_stream_open_fd(&stream, fd, limit, err);
        bool is_dump =
            ret == HP_OK && hp_jitdump_is((struct hp_span){stream.at, stream.size});
        if (is_dump) {
            ret = hp_jitdump_read(&stream, addresses, &moves, counts, err);
        } else if (ret == HP_OK) {
            ret = hp_perf_map_read(&stream, addresses, counts, err);
        }
        again = is_first && moves.of.count > 0;
        hp_input_stream_leave(&stream);
        hp_input_stream_done(&stream);
    }
    hp_jit_moves_done(&moves);
    return ret;
}

// Read a map: set the names of the addresses that it contains.  Returns false, with no
// names set, if it cannot be read.
static bool read_map(struct hp_perf_maps *maps, const struct candidate *map,
                     struct hp_jit_addresses *addresses) {
    struct hp_perf_map_counts counts = {0};
    struct hp_err err = {0};
    int fd = open_map(maps, map);
    if (fd < 0) {
        return false;
    }
    int ret = read_entries(fd, maps->options->max_input_size, addresses, &counts, &err);
    close(fd);
    if (ret != HP_OK) {
        note(maps, HP_MAP_UNREADABLE, map->path, err.message);
    } else if (counts.malformed > 0 || counts.is_cut) {
        note(maps, HP_MAP_DAMAGED, map->path, "");
    }
    return ret == HP_OK;
}

// --- one map ---------------------------------------------------------------------------

// Return the number of addresses without a name.
static size_t count_missing(const struct hp_jit_addresses *addresses) {
    size_t missing = 0;
    const struct hp_jit_address *address;
    hp_vec_each (address, &addresses->of) {
        missing += address->name == NULL;
    }
    return missing;
}

// Copy the addresses without a name.
static struct hp_jit_addresses missing_of(const struct hp_jit_addresses *addresses) {
    struct hp_jit_addresses missing = {{0}};
    const struct hp_jit_address *address;
    hp_vec_each (address, &addresses->of) {
        if (!address->name) {
            hp_vec_push(&missing.of, *address);
        }
    }
    return missing;
}

// Move the names that were found to the addresses.
static void take_names(struct hp_jit_addresses *addresses,
                       struct hp_jit_addresses *found) {
    struct hp_jit_address *from;
    hp_vec_each (from, &found->of) {
        size_t at = hp_jit_addresses_from(addresses, from->address);
        if (from->name) {
            addresses->of.at[at] = *from;
            *from = (struct hp_jit_address){.address = from->address};
        }
    }
}

// Use a map for addresses without a name, if it has names for at least `least` of them.
// Returns whether it has.
static bool use_map(struct hp_perf_maps *maps, const struct candidate *map,
                    struct hp_jit_addresses *addresses, size_t least) {
    struct hp_jit_addresses found = missing_of(addresses);
    size_t missing = found.of.count;
    found.until = map->until;
    bool is_read = missing > 0 && read_map(maps, map, &found);
    bool fits = is_read && missing - count_missing(&found) >= least;
    if (fits) {
        take_names(addresses, &found);
        note_use(maps, map);
    } else if (is_read && map->given == SIZE_MAX) {
        note(maps, HP_MAP_HOLDS_NOTHING, map->path, "");
    }
    hp_jit_addresses_done(&found);
    return fits;
}

// --- which maps ------------------------------------------------------------------------

enum {
    MAP_NAMES = 2,
    NAME_ROOM = 64,
};

// Write the name of a map of a process: of a jitdump, which has more and is tried first,
// or of a perf map.
static void write_name(char name[NAME_ROOM], int i, uint64_t pid) {
    bool is_dump = i == 0;
    snprintf(name, NAME_ROOM, "%s-%llu.%s", is_dump ? "jit" : "perf",
             (unsigned long long)pid, is_dump ? "dump" : "map");
}

// Return whether the file name of a path is that of a map of a process.
static bool is_map_of(const char *path, uint64_t pid) {
    struct hp_span file = hp_span_basename(hp_span_of(path));
    bool is = false;
    for (int i = 0; i < MAP_NAMES && pid != 0 && !is; i++) {
        char name[NAME_ROOM];
        write_name(name, i, pid);
        is = hp_span_starts(file, name) &&
             (file.size == strlen(name) || hp_span_ends(file, ".gz") ||
              hp_span_ends(file, ".zst"));
    }
    return is;
}

// Return whether a folder is /tmp, where anyone can write.
static bool is_tmp(const char *folder) {
    struct stat tmp, own;
    return stat("/tmp", &tmp) == 0 && stat(folder, &own) == 0 &&
           tmp.st_dev == own.st_dev && tmp.st_ino == own.st_ino;
}

// Return whether the process had no random addresses: its stack ends where it does only
// then.
static bool has_fixed_addresses(const struct hp_dump *dump) {
    static const uint64_t ends[] = {
        0x7ffffffff000,                 // x86-64
        0xffffe000,      0xc0000000,    // i386 on a kernel of 64 and of 32 bits
        0x1000000000000, 0x8000000000,  // arm64, with addresses of 48 and of 39 bits
        0x800000000000,  0x4000000000,  // ppc64; riscv64 of 48 and of 39 bits
        0x40000000000,   0x3fffffff000, // s390x
        0xbf000000,      0xffff0000,    // arm on a kernel of 32 and of 64 bits
    };
    const struct hp_mapping *row;
    bool is_fixed = false;
    hp_vec_each (row, &dump->mappings) {
        for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
            is_fixed |= hp_span_is(row->path, "[stack]") && row->end == ends[i];
        }
    }
    return is_fixed;
}

// Use the map of the dump's process in a folder that an option names.
static bool use_folder(const struct hp_dump_namer *namer, struct candidate *map,
                       struct hp_jit_addresses *addresses) {
    const char *folder = map->path;
    bool fits = false;
    for (int i = 0; i < MAP_NAMES && namer->pid != 0 && !fits; i++) {
        char path[PATH_MAX], name[NAME_ROOM];
        write_name(name, i, namer->pid);
        int size = snprintf(path, sizeof path, "%s/%s", folder, name);
        map->path = path;
        fits = size > 0 && (size_t)size < sizeof path &&
               use_map(namer->maps, map, addresses, 1);
    }
    return fits;
}

// Use the map of the dump's process that an option names, directly or by its folder.
static bool use_given(const struct hp_dump_namer *namer,
                      struct hp_jit_addresses *addresses) {
    struct hp_perf_maps *maps = namer->maps;
    bool fits = false;
    for (size_t i = 0; i < maps->options->perf_map_count && !fits; i++) {
        const char *given = maps->options->perf_maps[i];
        struct candidate map = {.path = given, .given = i, .is_trusted = true};
        fits = !maps->is_file[i]
                   ? use_folder(namer, &map, addresses)
                   : is_map_of(given, namer->pid) && use_map(maps, &map, addresses, 1);
    }
    return fits;
}

// Use further files that options name, which may be maps of other processes: of the
// parent that a process was forked from.
static void use_others(const struct hp_dump_namer *namer,
                       struct hp_jit_addresses *addresses) {
    struct hp_perf_maps *maps = namer->maps;
    for (size_t i = 0; i < maps->options->perf_map_count; i++) {
        struct candidate map = {.path = maps->options->perf_maps[i],
                                .given = i,
                                .is_trusted = true};
        size_t missing = count_missing(addresses);
        if (maps->is_file[i] && missing > 0) {
            (void)use_map(maps, &map, addresses, (missing + 1) / 2);
        }
    }
}

// Use a map that is at a place where maps are searched, if it names at least `least`
// addresses.  Returns whether it is there and fits.
static bool use_found(const struct hp_dump_namer *namer, const struct candidate *map,
                      const struct hp_dump *dump, struct hp_jit_addresses *addresses,
                      size_t least) {
    int fd = map->root ? hp_open_file(map->root, map->path) : hp_open_itself(map->path);
    bool exists = fd >= 0 || (errno != ENOENT && errno != ENOTDIR);
    if (fd >= 0) {
        close(fd);
    }
    if (exists && has_fixed_addresses(dump)) {
        note(namer->maps, HP_MAP_FIXED, map->path, "");
        return false;
    }
    return exists && use_map(namer->maps, map, addresses, least);
}

// Use a map of this name beside the dump, or in a folder of binaries.  Returns whether
// one is there and fits.
static bool use_near(const struct hp_dump_namer *namer, const char *name, size_t least,
                     const struct hp_dump *dump, struct hp_jit_addresses *addresses) {
    const struct hp_read_options *options = namer->maps->options;
    char path[PATH_MAX], folder[PATH_MAX];
    struct stat info;
    if (!namer->path || namer->pid == 0 || stat(namer->path, &info) != 0) {
        return false;
    }
    struct hp_set_facts facts;
    (void)hp_set_facts_read(&facts, namer->path, namer->pid);
    struct candidate map = {
        .path = path, .given = SIZE_MAX, .owner = info.st_uid, .until = facts.monotonic};
    struct hp_span file = hp_span_basename(hp_span_of(namer->path));
    int before = (int)(file.at - namer->path);
    snprintf(folder, sizeof folder, "%.*s.", before, namer->path);
    int size = snprintf(path, sizeof path, "%.*s%s", before, namer->path, name);
    bool fits = options->maps_beside && size > 0 && (size_t)size < sizeof path &&
                !is_tmp(folder) && use_found(namer, &map, dump, addresses, least);
    snprintf(path, sizeof path, "/%s", name);
    for (size_t i = 0; i < options->map_folder_count && !fits; i++) {
        map.root = options->map_folders[i];
        map.until = 0; // it may be of another run
        fits = !is_tmp(map.root) && use_found(namer, &map, dump, addresses, least);
    }
    return fits;
}

// Use the map of a process beside the dump or in a folder of binaries.
static bool use_near_of(const struct hp_dump_namer *namer, uint64_t pid, size_t least,
                        const struct hp_dump *dump, struct hp_jit_addresses *addresses) {
    bool fits = false;
    for (int i = 0; i < MAP_NAMES && !fits; i++) {
        char name[NAME_ROOM];
        write_name(name, i, pid);
        fits = use_near(namer, name, least, dump, addresses);
    }
    return fits;
}

// Use the map of the parent that a process was forked from, if the dump is in a set of the
// capture, as if an option had named it.
static void use_parents(const struct hp_dump_namer *namer, const struct hp_dump *dump,
                        struct hp_jit_addresses *addresses) {
    struct hp_set_facts facts;
    size_t missing = count_missing(addresses);
    if (missing > 0 && namer->path &&
        hp_set_facts_read(&facts, namer->path, namer->pid) && facts.parent != 0) {
        (void)use_near_of(namer, facts.parent, (missing + 1) / 2, dump, addresses);
    }
}

// Note that /tmp has a map of the process, which the user may name.
static void offer(const struct hp_dump_namer *namer) {
    char path[64];
    struct stat info;
    snprintf(path, sizeof path, "/tmp/perf-%llu.map", (unsigned long long)namer->pid);
    if (namer->pid != 0 && lstat(path, &info) == 0 && S_ISREG(info.st_mode)) {
        note(namer->maps, HP_MAP_OFFERED, path, "");
    }
}

// --- names -----------------------------------------------------------------------------

// Embed the names of the addresses in the dump.
static void embed(struct hp_dump *dump, const struct hp_jit_addresses *addresses) {
    struct hp_jit_name name = {.line = 0};
    const struct hp_jit_address *address;
    hp_vec_each (address, &addresses->of) {
        if (!address->name) {
            continue;
        }
        bool has_file = address->file && *address->file;
        hp_jit_name_parse(&name, (struct hp_span){address->name, address->size});
        struct hp_embedded_call call = {
            .function = hp_strtab_add(&dump->strings, name.function),
            .file = hp_strtab_add(&dump->strings,
                                  has_file ? hp_span_of(address->file) : name.file),
            .line = has_file ? address->line : name.line};
        hp_vec_push(&dump->embedded_calls, call);
        hp_dump_embed(dump, address->address);
        struct hp_embedded_address *last = &dump->embedded.at[dump->embedded.count - 1];
        last->is_generated = true;
        last->is_disputed = address->has_others;
    }
    hp_vec_done(&name.text);
}

static void find_names(struct hp_jit_namer *base, struct hp_dump *dump,
                       struct hp_jit_addresses *addresses) {
    const struct hp_dump_namer *namer = (const struct hp_dump_namer *)base;
    pthread_mutex_lock(&namer->maps->lock);
    namer->maps->was_asked = true;
    pthread_mutex_unlock(&namer->maps->lock);
    if (!use_given(namer, addresses)) {
        (void)use_near_of(namer, namer->pid, 1, dump, addresses);
    }
    use_parents(namer, dump, addresses);
    use_others(namer, addresses);
    if (count_missing(addresses) == addresses->of.count) {
        offer(namer);
    }
    embed(dump, addresses);
}

// Return the process id in a file name such as "app.4711.1.heap", as our sampler writes it:
// the first part that is a number without a leading 0.  0: there is none.
static uint64_t pid_in(const char *path) {
    struct hp_span file = hp_span_basename(hp_span_of(path));
    struct hp_cursor c = hp_cursor_over(file.at, file.at + file.size);
    while (!hp_cursor_at_end(&c)) {
        if (hp_cursor_accept(&c, '.') && !hp_cursor_at_end(&c) && *c.at >= '1' &&
            *c.at <= '9') {
            uint64_t number = hp_cursor_decimal(&c);
            bool is_part = hp_cursor_good(&c) && !hp_cursor_at_end(&c) && *c.at == '.';
            return is_part ? number : 0;
        }
        c.at += !hp_cursor_at_end(&c) && *c.at != '.';
    }
    return 0;
}

struct hp_dump_namer hp_perf_maps_namer(struct hp_perf_maps *maps, const char *path,
                                        uint64_t pid) {
    return (struct hp_dump_namer){.base.name = find_names,
                                  .maps = maps,
                                  .path = path,
                                  .pid = pid || !path ? pid : pid_in(path)};
}

// --- the read --------------------------------------------------------------------------

int hp_perf_maps_init(struct hp_perf_maps *maps, const struct hp_read_options *options,
                      struct hp_err *err) {
    *maps = (struct hp_perf_maps){.options = options};
    pthread_mutex_init(&maps->lock, NULL);
    maps->is_file = hp_alloc((options->perf_map_count + 1) * sizeof *maps->is_file);
    maps->is_used = hp_alloc((options->perf_map_count + 1) * sizeof *maps->is_used);
    for (size_t i = 0; i < options->perf_map_count; i++) {
        const char *path = options->perf_maps[i];
        struct stat info;
        if (stat(path, &info) != 0) {
            hp_fail_errno(err, HP_MESSAGE("perf-map-missing", "cannot read"));
            hp_err_locate(err, path, 0);
            return err->code;
        }
        int fd = S_ISDIR(info.st_mode) ? -1 : hp_open_input(path, false, err);
        if (fd < 0 && !S_ISDIR(info.st_mode)) {
            hp_err_locate(err, path, 0);
            return err->code;
        }
        if (fd >= 0) {
            close(fd);
        }
        maps->is_file[i] = !S_ISDIR(info.st_mode);
    }
    return HP_OK;
}

void hp_perf_maps_forget(struct hp_perf_maps *maps) {
    memset(maps->notes, 0, sizeof maps->notes);
}

void hp_perf_maps_done(struct hp_perf_maps *maps) {
    if (maps->options) {
        pthread_mutex_destroy(&maps->lock);
    }
    free(maps->is_file);
    free(maps->is_used);
    *maps = (struct hp_perf_maps){.options = NULL};
}

// --- warnings --------------------------------------------------------------------------

// Warn about the maps that options name and no dump needed or fits.
static void warn_of_given(const struct hp_perf_maps *maps, struct hp_profile *profile) {
    for (size_t i = 0; maps->was_asked && i < maps->options->perf_map_count; i++) {
        if (!maps->is_used[i]) {
            hp_profile_warn(profile,
                            HP_MESSAGE("perf-map-unused",
                                       "%s: not used, its code is not that of a dump"),
                            maps->options->perf_maps[i]);
        }
    }
}

// Warn about one kind of note; the sentence has a path, and the number of further maps.
static void warn_of_notes(const struct hp_perf_maps *maps, struct hp_profile *profile,
                          enum hp_map_note kind, const char *sentence) {
    const struct hp_map_notes *notes = &maps->notes[kind];
    char more[48] = "";
    if (notes->count > 1) {
        snprintf(more, sizeof more, " and %zu more", notes->count - 1);
    }
    if (notes->count > 0) {
        hp_profile_warn(profile, HP_MESSAGE("perf-map-note", "%s%s: %s%s%s"),
                        notes->first, more, hp_words(sentence),
                        *notes->reason ? ": " : "", notes->reason);
    }
}

// Say how many addresses "[jit]" represents, and how they get rows of their own.
static void warn_of_nameless(const struct hp_perf_maps *maps,
                             struct hp_profile *profile) {
    uint64_t generated = profile->inputs.generated_addresses;
    const struct hp_map_notes *offered = &maps->notes[HP_MAP_OFFERED];
    if (generated > 0) {
        hp_profile_warn(
            profile,
            HP_MESSAGE("addresses-generated",
                       "[jit] is %llu address%s of generated code: --perf-map=%s names, "
                       "--keep-unmapped separates them"),
            (unsigned long long)generated, generated == 1 ? "" : "es",
            offered->count > 0 ? offered->first : "FILE");
    }
}

void hp_perf_maps_warn(const struct hp_perf_maps *maps, struct hp_profile *profile) {
    static const char *const sentences[HP_MAP_NOTES] = {
        [HP_MAP_HOLDS_NOTHING] =
            HP_WORDS("map-holds-nothing", "not used, its code is not that of the dump"),
        [HP_MAP_UNTRUSTED] = HP_WORDS("map-untrusted",
                                      "not used, it is no plain file of the dump's owner "
                                      "or of root; --perf-map uses it"),
        [HP_MAP_FIXED] = HP_WORDS("map-fixed",
                                  "not used, as all processes had these addresses (no "
                                  "ASLR); --perf-map uses it"),
        [HP_MAP_UNREADABLE] = HP_WORDS("map-unreadable", "not used"),
        [HP_MAP_DAMAGED] =
            HP_WORDS("map-damaged", "lines that are no entries are skipped"),
    };
    warn_of_nameless(maps, profile);
    warn_of_given(maps, profile);
    for (int i = 0; i < HP_MAP_NOTES; i++) {
        if (sentences[i]) {
            warn_of_notes(maps, profile, (enum hp_map_note)i, sentences[i]);
        }
    }
}
