// The limit is the smallest room that one of these leaves:
//
//   cgroups    the memory controller's limit of the process's own group and of every
//              visible group around it, less the memory of others in that group:
//              usage - pages of files - resident memory of this process
//                     limit                  usage                  memory.stat
//                 v2  memory.max             memory.current         active_file,...
//                 v1  memory.limit_in_bytes  memory.usage_in_bytes  total_active_file,...
//              Pages of files (active_file + inactive_file) are dropped before a process
//              is killed.  A process that has read the same dumps before therefore takes
//              no memory away.
//   ulimit     -d itself; -v less the mappings that are not data
//   machine    MemTotal + SwapTotal
//
// 94 % of the smallest may be data, and at least 4 MiB stay free for memory that
// RLIMIT_DATA does not count: pages of programs and files, page tables, pages of a child
// that differ from the parent's.
//
// /proc/self/cgroup names the process's group in each hierarchy.  Its folder follows from
// the root and the mount point of each mount of that hierarchy:
//
//     4:memory:/docker/1f/job                                   (v2: "0::/docker/1f/job")
//     35 31 0:32 /docker/1f /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory
//
// is /sys/fs/cgroup/memory/job.  Systems with both kinds of hierarchies have lines for
// both.
#include "cli/memorylimit.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Bytes that stay free for memory that RLIMIT_DATA does not count.
#define KEPT_FREE ((uint64_t)4 << 20)
// A cgroup limit of this many bytes or more means that there is none: v1 uses 2^63 less a
// page.
#define UNLIMITED ((uint64_t)1 << 62)

enum {
    DATA_PERCENT = 94,
    // Longest line of /proc; a longer one describes no group that could be opened.
    LINE = 2 * PATH_MAX,
};

// The smallest limit of memory that has been found, and the memory of this process.
struct room {
    const char *root;                // prefix of all paths, "" for the system's root
    uint64_t bytes;                  // smallest limit so far; UINT64_MAX: none
    const char *source;              // its origin, for messages
    uint64_t resident, mapped, data; // memory of this process, in bytes
};

// Replace the smallest limit so far by another one if that is smaller.
static void consider(struct room *room, uint64_t bytes, const char *source) {
    if (bytes < room->bytes) {
        room->bytes = bytes;
        room->source = source;
    }
}

// Open the file `name` in `folder` below the root; NULL if it cannot be opened.
static FILE *open_below(const struct room *room, const char *folder, const char *name) {
    char path[2 * PATH_MAX];
    int size = snprintf(path, sizeof path, "%s%s/%s", room->root, folder, name);
    return size > 0 && (size_t)size < sizeof path ? fopen(path, "re") : NULL;
}

// Read the number after `key` at the start of a line of a file; key "" reads the number
// at the start of a line.  Returns false if there is none.
static bool read_number(const struct room *room, const char *folder, const char *name,
                        const char *key, uint64_t *number) {
    FILE *file = open_below(room, folder, name);
    char line[LINE];
    bool found = false;
    while (file != NULL && !found && fgets(line, sizeof line, file) != NULL) {
        bool is_it = strncmp(line, key, strlen(key)) == 0;
        const char *value = line + (is_it ? strlen(key) : 0);
        value += strspn(value, " \t");
        found = is_it && *value >= '0' && *value <= '9';
        *number = found ? strtoull(value, NULL, 10) : 0;
    }
    if (file != NULL) {
        fclose(file);
    }
    return found;
}

// --- cgroups ---------------------------------------------------------------------------

// File names of one version of the memory controller: its limit and its usage; and
// `files`, the keys in memory.stat for pages of files.
struct hierarchy {
    const char *limit, *usage, *files[2];
    bool is_v2;
};

static const struct hierarchy hierarchies[] = {
    {"memory.limit_in_bytes",
     "memory.usage_in_bytes",
     {"total_active_file ", "total_inactive_file "},
     false},
    {"memory.max", "memory.current", {"active_file ", "inactive_file "}, true},
};

// Consider the limit of the cgroup in `folder`, less the memory of other processes in
// this group.
static void consider_group(struct room *room, const struct hierarchy *hierarchy,
                           const char *folder) {
    uint64_t limit, used = 0, active = 0, inactive = 0;
    if (!read_number(room, folder, hierarchy->limit, "", &limit) || limit >= UNLIMITED) {
        return;
    }
    read_number(room, folder, hierarchy->usage, "", &used);
    read_number(room, folder, "memory.stat", hierarchy->files[0], &active);
    read_number(room, folder, "memory.stat", hierarchy->files[1], &inactive);
    uint64_t ours = active + inactive + room->resident;
    uint64_t others = used > ours ? used - ours : 0;
    consider(room, limit > others ? limit - others : 0, "this container");
}

// Whether the limit of the cgroup in `folder` includes the memory of the groups inside
// it: in v1 that is a setting of each group.
static bool counts_inner_groups(const struct room *room, const char *folder) {
    uint64_t counts;
    return !read_number(room, folder, "memory.use_hierarchy", "", &counts) || counts != 0;
}

// Consider the group in the folder `point` + `group`, and those around it up to `point`.
static void consider_groups(struct room *room, const struct hierarchy *hierarchy,
                            const char *point, const char *group) {
    char folder[LINE];
    size_t least = strlen(point);
    int size = snprintf(folder, sizeof folder, "%s%s", point, group);
    if (size < 0 || (size_t)size >= sizeof folder) {
        return;
    }
    consider_group(room, hierarchy, folder);
    for (char *slash; (slash = strrchr(folder, '/')) != NULL &&
                      (size_t)(slash - folder) >= least && *folder != '\0';) {
        *slash = '\0';
        if (counts_inner_groups(room, folder)) {
            consider_group(room, hierarchy, folder);
        }
    }
}

// Whether `word` is in a list of words that are separated by commas.
static bool has_word(const char *words, const char *word) {
    size_t size = strlen(word);
    for (const char *at = words; (at = strstr(at, word)) != NULL; at += size) {
        bool begins = at == words || at[-1] == ',';
        if (begins && strchr(",\n", at[size]) != NULL) {
            return true;
        }
    }
    return false;
}

// Find the path of the process's group in a hierarchy.  Returns false if there is no such
// hierarchy.
static bool find_group(const struct room *room, bool is_v2, char group[LINE]) {
    FILE *file = open_below(room, "/proc/self", "cgroup");
    char line[LINE];
    bool found = false;
    while (file != NULL && !found && fgets(line, sizeof line, file) != NULL) {
        char *words = strchr(line, ':');
        char *path = words != NULL ? strchr(words + 1, ':') : NULL;
        if (path != NULL) {
            *path++ = '\0';
            found = is_v2 ? words[1] == '\0' : has_word(words + 1, "memory");
            path[strcspn(path, "\n")] = '\0';
            memcpy(group, path, strlen(path) + 1);
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return found;
}

// Decode "\040" and the like, which mountinfo uses for spaces.
static void unescape(char *path) {
    char *out = path;
    for (; *path != '\0'; path++, out++) {
        bool is_escaped = path[0] == '\\' && strspn(path + 1, "01234567") >= 3;
        if (is_escaped) {
            char digits[] = {path[1], path[2], path[3], '\0'};
            *out = (char)strtol(digits, NULL, 8);
            path += 3;
        } else {
            *out = *path;
        }
    }
    *out = '\0';
}

// The part of `group` below the root of a mount.  "" if the group is the root, or is
// outside of it, as when the process and the mount have different cgroup namespaces: then
// the mount point is the group's folder.
static const char *below(const char *group, const char *root) {
    size_t size = strcmp(root, "/") == 0 ? 0 : strlen(root);
    bool is_in =
        strncmp(group, root, size) == 0 && (group[size] == '/' || group[size] == '\0');
    bool is_seen = is_in && strstr(group, "/..") == NULL;
    return is_seen && strcmp(group + size, "/") != 0 ? group + size : "";
}

// Consider one line of mountinfo: number, parent, device, root, mount point, ..., "-",
// type, source, options.  The line is destroyed.
static void consider_mount(struct room *room, const struct hierarchy *hierarchy,
                           const char *group, char *line) {
    char *next, *words[5], *kind = strstr(line, " - ");
    size_t count = 0;
    if (kind == NULL) {
        return;
    }
    *kind = '\0';
    kind += 3;
    const char *options = strrchr(kind, ' ');
    for (char *word = strtok_r(line, " ", &next); word != NULL && count < 5;
         word = strtok_r(NULL, " ", &next)) {
        words[count++] = word;
    }
    bool is_it = hierarchy->is_v2 ? strncmp(kind, "cgroup2 ", 8) == 0
                                  : strncmp(kind, "cgroup ", 7) == 0 &&
                                        has_word(options + 1, "memory");
    if (is_it && count == 5) {
        unescape(words[3]);
        unescape(words[4]);
        consider_groups(room, hierarchy, words[4], below(group, words[3]));
    }
}

// Consider all mounts of one version of the memory controller.
static void consider_hierarchy(struct room *room, const struct hierarchy *hierarchy) {
    char group[LINE], line[LINE];
    FILE *file = find_group(room, hierarchy->is_v2, group)
                     ? open_below(room, "/proc/self", "mountinfo")
                     : NULL;
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        consider_mount(room, hierarchy, group, line);
    }
    if (file != NULL) {
        fclose(file);
    }
}

// --- process and machine ---------------------------------------------------------------

// Read the memory of this process from /proc/self/statm, which has pages: all, resident,
// shared, text, 0, data and stack.  Allocates nothing, as it is called when memory has
// run out.
static void read_use(struct room *room) {
    unsigned long long pages[6] = {0};
    char text[PATH_MAX];
    snprintf(text, sizeof text, "%s/proc/self/statm", room->root);
    int fd = open(text, O_RDONLY | O_CLOEXEC);
    ssize_t size = fd >= 0 ? read(fd, text, sizeof text - 1) : 0;
    if (fd >= 0) {
        close(fd);
    }
    char *at = text;
    text[size > 0 ? size : 0] = '\0';
    for (int i = 0; i < 6; i++) {
        pages[i] = strtoull(at, &at, 10);
    }
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    room->mapped = pages[0] * page;
    room->resident = pages[1] * page;
    room->data = pages[5] * page;
}

uint64_t hp_cli_memory_used(void) {
    struct room room = {.root = ""};
    read_use(&room);
    return room.data;
}

// Consider the limits of ulimit -d and -v.
static void consider_ulimits(struct room *room) {
    uint64_t bytes;
    if (read_number(room, "/proc/self", "limits", "Max data size ", &bytes)) {
        consider(room, bytes, "ulimit -d");
    }
    if (read_number(room, "/proc/self", "limits", "Max address space ", &bytes)) {
        uint64_t other = room->mapped > room->data ? room->mapped - room->data : 0;
        consider(room, bytes > other ? bytes - other : 0, "ulimit -v");
    }
}

// Consider the memory and swap of the machine.
static void consider_machine(struct room *room) {
    uint64_t memory, swap = 0; // KiB
    if (read_number(room, "/proc", "meminfo", "MemTotal:", &memory)) {
        read_number(room, "/proc", "meminfo", "SwapTotal:", &swap);
        consider(room, (memory + swap) * 1024, "this machine");
    }
}

// The part of `room` that may be data.  It is at least half of the room, also if then
// fewer than 4 MiB stay free.
static uint64_t data_share(uint64_t room) {
    uint64_t share = room / 100 * DATA_PERCENT;
    uint64_t rest = room > KEPT_FREE ? room - KEPT_FREE : 0;
    uint64_t data = share < rest ? share : rest;
    return data > room / 2 ? data : room / 2;
}

void hp_cli_memory_limit_find(const char *root, struct hp_cli_memory_limit *limit) {
    struct room room = {.root = root, .bytes = UINT64_MAX};
    *limit = (struct hp_cli_memory_limit){0};
    read_use(&room);
    for (size_t i = 0; i < sizeof hierarchies / sizeof *hierarchies; i++) {
        consider_hierarchy(&room, &hierarchies[i]);
    }
    consider_ulimits(&room);
    consider_machine(&room);
    if (room.bytes != UINT64_MAX) {
        // 0 would mean no limit; use 1 byte if other processes use all memory.
        limit->bytes = room.bytes > 1 ? data_share(room.bytes) : 1;
        limit->source = room.source;
    }
}
