// Distribution of dumps over lists (hp_manifest_make()), and the choice of one dump for
// each process, by names alone.  A name is read as:
//
//     FOLDER/PREFIX.PID.SEQ.KIND.heap    the process is FOLDER/PREFIX.PID
//     FOLDER/NAME.NNNN.heap              perhaps one process with others of FOLDER/NAME:
//                                        same list, all are used
//     anything else                      unknown process: it is used
//
// each with ".gz" or ".zst" or not.  The list is FNV-1a over the part of the name that
// identifies the process, mixed, modulo the number of lists.  The hash has no key, so
// that it is the same on all machines.  "./" and "//" in a path are ignored.
#include "base/err.h"
#include "base/strtab.h"
#include "hprof-agg/hprof-agg.h"
#include "inputs/dump_name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    NAMED = 3, // paths that an error message names
};

// Dumps that are of one process, by their names.
struct list_group {
    // Largest number (SEQ) in the names of all its dumps, and of those that are not made
    // at exit.
    uint64_t newest, newest_before_exit;
    // Whether names identify the process; whether it has a dump that is not made at exit.
    bool is_identified, has_other;
};

// A dump, as its name describes it.
struct list_dump {
    hp_string group; // in maker.names: text that identifies the process
    uint64_t number; // number (SEQ or NNNN) in the name; 0: none
    bool is_exit;    // made at exit
};

// The state while dumps are distributed over lists.
struct list_maker {
    const char *const *paths;
    size_t count;
    // Texts of groups; the number of a text is an index into `groups`.
    struct hp_strtab names;
    struct hp_strtab seen; // normalized paths
    HP_VEC(struct list_group) groups;
    HP_VEC(struct list_dump) dumps; // for each path its dump
    HP_VEC(char) scratch;
    const char *again[NAMED]; // paths that are given again
    size_t repeated;          // how many paths are given again
};

// Return a hash of a text, by FNV-1a with a final mix.
static uint64_t hash_of(struct hp_span text) {
    uint64_t hash = 0xcbf29ce484222325;
    for (size_t i = 0; i < text.size; i++) {
        hash = (hash ^ (unsigned char)text.at[i]) * 0x100000001b3;
    }
    hash = (hash ^ hash >> 33) * 0xff51afd7ed558ccd; // the low bits of FNV-1a are weak
    return hash ^ hash >> 33;
}

// Remove "./" and repeated slashes.  The result is in maker->scratch, until the next
// call.
static struct hp_span normalize(struct list_maker *maker, struct hp_span path) {
    maker->scratch.count = 0;
    for (size_t i = 0; i < path.size; i++) {
        size_t used = maker->scratch.count;
        bool begins = used == 0 || maker->scratch.at[used - 1] == '/';
        bool is_dot = path.at[i] == '.' && i + 1 < path.size && path.at[i + 1] == '/';
        if (begins && is_dot) {
            i++; // skip its slash, too
        } else if (path.at[i] != '/' || used == 0 || !begins) {
            hp_vec_push(&maker->scratch, path.at[i]);
        }
    }
    return (struct hp_span){maker->scratch.at, maker->scratch.count};
}

// Return the text without its last dot and what follows it, if no slash is after the dot.
static struct hp_span without_part(struct hp_span text) {
    size_t end = text.size;
    while (end > 0 && text.at[end - 1] != '.' && text.at[end - 1] != '/') {
        end--;
    }
    text.size = end > 0 && text.at[end - 1] == '.' ? end - 1 : text.size;
    return text;
}

// Return the part of a path that identifies the process of the dump.
static struct hp_span stem_of(const char *path, const struct hp_dump_name *name) {
    struct hp_span stem = hp_span_of(path);
    if (name->kind) {
        stem.size = (size_t)(name->series.at + name->series.size - path);
    } else if (name->has_number) {
        stem.size -= hp_span_ends(stem, ".gz") ? 3 : hp_span_ends(stem, ".zst") ? 4 : 0;
        stem = without_part(without_part(stem)); // ".0001.heap"
    }
    return stem;
}

// Add a path to maker->seen; if it was given before, count it as repeated.
static void note_path(struct list_maker *maker, const char *path) {
    size_t before = maker->seen.strings.count;
    struct hp_span text = normalize(maker, hp_span_of(path));
    hp_strtab_add(&maker->seen, text);
    if (text.size > 0 && maker->seen.strings.count == before) {
        if (maker->repeated < NAMED) {
            maker->again[maker->repeated] = path;
        }
        maker->repeated++;
    }
}

// Append a dump to maker->dumps, and add it to the group of its process.
static void add(struct list_maker *maker, const char *path) {
    struct hp_dump_name name = hp_dump_name_of(path);
    struct hp_span stem = normalize(maker, stem_of(path, &name));
    // A NUL separates these names from names that follow another pattern.
    if (name.kind) {
        hp_vec_push(&maker->scratch, '\0');
        stem = (struct hp_span){maker->scratch.at, stem.size + 1};
    }
    struct list_dump dump = {
        .group = hp_strtab_add(&maker->names, stem),
        .number = name.number,
        .is_exit = name.kind == 'f',
    };
    while (maker->groups.count <= dump.group.n) {
        hp_vec_push(&maker->groups, (struct list_group){0});
    }
    struct list_group *group = &maker->groups.at[dump.group.n];
    bool is_newer = name.number > group->newest;
    group->is_identified |= name.kind != '\0';
    group->newest = is_newer ? name.number : group->newest;
    if (!dump.is_exit) {
        is_newer = name.number > group->newest_before_exit;
        group->newest_before_exit = is_newer ? name.number : group->newest_before_exit;
        group->has_other = true;
    }
    hp_vec_push(&maker->dumps, dump);
}

// Return whether a dump goes to a list: it is the dump of its process that is used, or
// the process is unknown.
static bool counts(const struct list_group *group, const struct list_dump *dump,
                   enum hp_snapshots snapshots) {
    if (!group->is_identified || snapshots == HP_SNAPSHOTS_SUM) {
        return true;
    }
    bool leaves_exit = snapshots == HP_SNAPSHOTS_LAST && group->has_other;
    return leaves_exit ? !dump->is_exit && dump->number == group->newest_before_exit
                       : dump->number == group->newest;
}

// Choose the list of each path, and fill in the manifest.
static void choose(const struct list_maker *maker,
                   const struct hp_manifest_options *options,
                   struct hp_manifest *manifest) {
    const struct list_group *group;
    hp_vec_each (group, &maker->groups) {
        manifest->processes += group->is_identified;
    }
    for (size_t i = 0; i < maker->count; i++) {
        const struct list_dump *dump = &maker->dumps.at[i];
        group = &maker->groups.at[dump->group.n];
        uint64_t hash = hash_of(hp_span_of(hp_strtab_text(&maker->names, dump->group)));
        bool is_in = counts(group, dump, options->snapshots);
        manifest->list[i] = is_in ? (size_t)(hash % options->lists) : HP_NO_LIST;
        manifest->older += !is_in;
        manifest->unidentified += !group->is_identified;
    }
}

// Fail with HP_E_DUPLICATE, and name the first paths that were given twice.
static int refuse_repeated(const struct list_maker *maker, struct hp_err *err) {
    char names[256];
    size_t used = 0;
    for (size_t i = 0; i < NAMED && i < maker->repeated && used < sizeof names; i++) {
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s",
                                 i > 0 ? ", " : "", maker->again[i]);
    }
    return hp_fail(err, HP_E_DUPLICATE,
                   HP_MESSAGE("path-given-twice", "%zu path%s given twice: %s%s"),
                   maker->repeated, maker->repeated > 1 ? "s are" : " is", names,
                   maker->repeated > NAMED ? ", …" : "");
}

// Refuse options of a manifest that cannot be satisfied by the names of dumps alone.
static int check(const struct hp_manifest_options *options, struct hp_err *err) {
    enum hp_snapshots snapshots = options->snapshots;
    if (options->lists == 0) {
        return hp_fail(err, HP_E_USAGE,
                       HP_MESSAGE("manifest-no-lists",
                                  "a manifest has one list or more"));
    }
    return snapshots == HP_SNAPSHOTS_PEAK || snapshots == HP_SNAPSHOTS_EACH
               ? hp_fail(
                     err, HP_E_USAGE,
                     HP_MESSAGE(
                         "manifest-snapshots",
                         "manifest sees only names. Use --dumps=latest, final or sum"))
               : HP_OK;
}

int hp_manifest_make(struct hp_manifest *manifest, const char *const *paths, size_t count,
                     const struct hp_manifest_options *options, struct hp_err *err) {
    struct list_maker maker = {.paths = paths, .count = count};
    *manifest = (struct hp_manifest){0};
    int ret = check(options, err);
    for (size_t i = 0; ret == HP_OK && i < count; i++) {
        note_path(&maker, paths[i]);
        add(&maker, paths[i]);
    }
    if (ret == HP_OK && maker.repeated > 0) {
        ret = refuse_repeated(&maker, err);
    }
    if (ret == HP_OK) {
        manifest->list = hp_alloc(count * sizeof *manifest->list);
        choose(&maker, options, manifest);
    }
    hp_vec_done(&maker.scratch);
    hp_vec_done(&maker.dumps);
    hp_vec_done(&maker.groups);
    hp_strtab_done(&maker.seen);
    hp_strtab_done(&maker.names);
    return ret;
}

void hp_manifest_done(struct hp_manifest *manifest) {
    free(manifest->list);
    *manifest = (struct hp_manifest){0};
}
