// Which dumps count, and in which list they go, by names alone. What a name says of its process:
//
//     FOLDER/PREFIX.PID.SEQ.KIND.heap    the process is FOLDER/PREFIX.PID
//     FOLDER/NAME.NNNN.heap              perhaps others of FOLDER/NAME: one list, each counts
//     anything else                      nothing: it counts
//
// with ".gz" or ".zst" or not.  List of a name: FNV-1a over its bytes as far as they say which
// process it is, mixed, modulo the number of lists; without a key, so that it is the same
// everywhere.  "./" and "//" in a path say nothing.
#include "base/err.h"
#include "base/strtab.h"
#include "hprof-agg/hprof-agg.h"
#include "input/dump_name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    NAMED = 3, // of what is wrong
};

// The dumps that names say are of one process.
struct group {
    uint64_t newest, newest_before_exit; // numbers
    bool is_told, has_other;             // of a process; with another than its exit dump
};

struct dump {
    hp_string group;
    uint64_t number;
    bool is_exit;
};

struct maker {
    const char *const *paths;
    size_t count;
    struct hp_strtab names; // of groups
    struct hp_strtab seen;  // paths
    HP_VEC(struct group) groups;
    HP_VEC(struct dump) dumps; // of each path
    HP_VEC(char) scratch;
    const char *again[NAMED]; // paths that were there before
    size_t repeated;
};

static uint64_t hash_of(struct hp_span text) {
    uint64_t hash = 0xcbf29ce484222325;
    for (size_t i = 0; i < text.size; i++) {
        hash = (hash ^ (unsigned char)text.at[i]) * 0x100000001b3;
    }
    hash = (hash ^ hash >> 33) * 0xff51afd7ed558ccd; // whose low bits are weak
    return hash ^ hash >> 33;
}

// Without "./" and repeated slashes; in memory that the next call uses again.
static struct hp_span normalize(struct maker *maker, struct hp_span path) {
    maker->scratch.count = 0;
    for (size_t i = 0; i < path.size; i++) {
        size_t used = maker->scratch.count;
        bool begins = used == 0 || maker->scratch.at[used - 1] == '/';
        bool is_dot = path.at[i] == '.' && i + 1 < path.size && path.at[i + 1] == '/';
        if (begins && is_dot) {
            i++; // with its slash
        } else if (path.at[i] != '/' || used == 0 || !begins) {
            hp_vec_push(&maker->scratch, path.at[i]);
        }
    }
    return (struct hp_span){maker->scratch.at, maker->scratch.count};
}

// The text without its last part, behind a dot, in its last folder.
static struct hp_span without_part(struct hp_span text) {
    size_t end = text.size;
    while (end > 0 && text.at[end - 1] != '.' && text.at[end - 1] != '/') {
        end--;
    }
    text.size = end > 0 && text.at[end - 1] == '.' ? end - 1 : text.size;
    return text;
}

// As far as a path says which process its dump is of.
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

static void note_path(struct maker *maker, const char *path) {
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

static void add(struct maker *maker, const char *path) {
    struct hp_dump_name name = hp_dump_name_of(path);
    struct hp_span stem = normalize(maker, stem_of(path, &name));
    if (name.kind) { // names of other kinds are no names of this one's process
        hp_vec_push(&maker->scratch, '\0');
        stem = (struct hp_span){maker->scratch.at, stem.size + 1};
    }
    struct dump dump = {
        .group = hp_strtab_add(&maker->names, stem),
        .number = name.number,
        .is_exit = name.kind == 'f',
    };
    while (maker->groups.count <= dump.group.n) {
        hp_vec_push(&maker->groups, (struct group){0});
    }
    struct group *group = &maker->groups.at[dump.group.n];
    bool is_newer = name.number > group->newest;
    group->is_told |= name.kind != '\0';
    group->newest = is_newer ? name.number : group->newest;
    if (!dump.is_exit) {
        is_newer = name.number > group->newest_before_exit;
        group->newest_before_exit = is_newer ? name.number : group->newest_before_exit;
        group->has_other = true;
    }
    hp_vec_push(&maker->dumps, dump);
}

static bool counts(const struct group *group, const struct dump *dump,
                   enum hp_snapshots snapshots) {
    if (!group->is_told || snapshots == HP_SNAPSHOTS_SUM) {
        return true;
    }
    bool leaves_exit = snapshots == HP_SNAPSHOTS_LAST && group->has_other;
    return leaves_exit ? !dump->is_exit && dump->number == group->newest_before_exit
                       : dump->number == group->newest;
}

static void choose(const struct maker *maker, const struct hp_manifest_options *options,
                   struct hp_manifest *manifest) {
    const struct group *group;
    hp_vec_each (group, &maker->groups) {
        manifest->processes += group->is_told;
    }
    for (size_t i = 0; i < maker->count; i++) {
        const struct dump *dump = &maker->dumps.at[i];
        group = &maker->groups.at[dump->group.n];
        uint64_t hash = hash_of(hp_span_of(hp_strtab_text(&maker->names, dump->group)));
        bool is_in = counts(group, dump, options->snapshots);
        manifest->list[i] = is_in ? (size_t)(hash % options->lists) : HP_NO_LIST;
        manifest->older += !is_in;
        manifest->untold += !group->is_told;
    }
}

static int refuse_repeated(const struct maker *maker, struct hp_err *err) {
    char names[256];
    size_t used = 0;
    for (size_t i = 0; i < NAMED && i < maker->repeated && used < sizeof names; i++) {
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s",
                                 i > 0 ? ", " : "", maker->again[i]);
    }
    return hp_fail(err, HP_E_DUPLICATE, "%zu path%s given twice: %s%s", maker->repeated,
                   maker->repeated > 1 ? "s are" : " is", names,
                   maker->repeated > NAMED ? ", …" : "");
}

static int check(const struct hp_manifest_options *options, struct hp_err *err) {
    enum hp_snapshots snapshots = options->snapshots;
    if (options->lists == 0) {
        return hp_fail(err, HP_E_USAGE, "a manifest has one list or more");
    }
    return snapshots == HP_SNAPSHOTS_PEAK || snapshots == HP_SNAPSHOTS_EACH
               ? hp_fail(err, HP_E_USAGE,
                         "names do not tell which dump of a process is its fullest, and "
                         "partials have no rows of dumps: last, final or sum")
               : HP_OK;
}

int hp_manifest_make(struct hp_manifest *manifest, const char *const *paths, size_t count,
                     const struct hp_manifest_options *options, struct hp_err *err) {
    struct maker maker = {.paths = paths, .count = count};
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
