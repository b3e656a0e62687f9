// A dump is looked at as text: heap_v2/PERIOD, a line of totals "t*: N: BYTES [...", stacks
// "@ 0x... 0x...", and MAPPED_LIBRARIES: before the memory map.  It may be packed by gzip.
#include "cli/doctor/doctor_parts.h"
#include "cli/storage.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum {
    DEEPEST = 127, // frames of a stack that jemalloc may have cut
    SETS = 100000, // entries of a folder that are counted
    // Fewest samples of small objects whose sum is known within 20 %: (1.96 / 0.2)^2.
    ENOUGH_SAMPLES = 97,
    FINEST = 4096,           // the finest period that is advised
    MOST_UNPACKED = 1 << 30, // bytes of a packed dump that are looked at
};

// What was seen of a dump.
struct seen {
    uint64_t stacks, cut, objects;
    uint64_t period; // 0: unknown
    bool has_map, is_text;
};

static void see_line(struct seen *seen, const char *line) {
    if (line[0] == '@') {
        size_t frames = 0;
        for (const char *at = line; (at = strstr(at, " 0x")) != NULL; at += 3) {
            frames++;
        }
        seen->stacks++;
        seen->cut += frames >= DEEPEST;
    } else if (strncmp(line, "  t*: ", 6) == 0 && seen->stacks == 0) {
        seen->objects += strtoull(line + 6, NULL, 10);
    }
    seen->has_map |= strncmp(line, "MAPPED_LIBRARIES", 16) == 0;
}

// Read the lines of a dump; those that are too long are not looked at, and neither is the
// end of a packed dump of unlikely size.
static void read_lines(struct seen *seen, gzFile file) {
    static char line[65536];
    for (bool is_first = true; gzgets(file, line, sizeof line); is_first = false) {
        if (!gzdirect(file) && gztell(file) > MOST_UNPACKED) {
            seen->has_map = true; // what is not read may be a map
            return;
        }
        if (is_first) {
            seen->is_text = strncmp(line, "heap_v2/", 8) == 0 ||
                            strncmp(line, "heap profile:", 13) == 0;
            seen->objects += strncmp(line, "heap profile:", 13) == 0
                                 ? strtoull(line + 13, NULL, 10)
                                 : 0;
            seen->period =
                strncmp(line, "heap_v2/", 8) == 0 ? strtoull(line + 8, NULL, 10) : 0;
            if (!seen->is_text) {
                return;
            }
        }
        see_line(seen, line);
    }
}

// Say which period gives enough samples, if the dump has few: half of the period gives at
// most twice as many.
static void add_few(struct hp_doctor *doctor, const struct seen *seen) {
    uint64_t period = seen->period, samples = seen->objects;
    while (samples < ENOUGH_SAMPLES && period > FINEST) {
        samples *= 2;
        period /= 2;
    }
    if (period < seen->period) {
        hp_doctor_add(doctor, HP_DOCTOR_FEW_SAMPLES,
                      "%llu samples at a period of %llu bytes; %llu or finer is needed",
                      (unsigned long long)seen->objects, (unsigned long long)seen->period,
                      (unsigned long long)period);
    }
}

void hp_doctor_dump(struct hp_doctor *doctor, int fd, const char *where) {
    struct seen seen = {0};
    struct stat info;
    if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size == 0) {
        hp_doctor_add(doctor, HP_DOCTOR_EMPTY_FILE, "%s", where);
        return;
    }
    int own = dup(fd);
    gzFile file = own < 0 ? NULL : gzdopen(own, "r");
    if (file == NULL) {
        hp_cli_out_of_memory(BUFSIZ, where);
    }
    read_lines(&seen, file);
    gzclose(file);
    if (!seen.is_text) {
        hp_doctor_add(doctor, HP_DOCTOR_OTHER_DUMP, "%s", where);
        return;
    }
    if (!seen.has_map) {
        hp_doctor_add(doctor, HP_DOCTOR_NO_MAP, "%s", where);
    }
    if (seen.objects == 0 && seen.stacks == 0) {
        hp_doctor_add(doctor, HP_DOCTOR_NOTHING_SAMPLED, "%s", where);
    } else {
        hp_doctor_add(doctor, HP_DOCTOR_DUMP, "%.400s: %llu samples, %llu stacks", where,
                      (unsigned long long)seen.objects, (unsigned long long)seen.stacks);
        add_few(doctor, &seen);
    }
    if (seen.cut > 0) {
        hp_doctor_add(doctor, HP_DOCTOR_CUT_STACKS, "%llu of %llu",
                      (unsigned long long)seen.cut, (unsigned long long)seen.stacks);
    }
}

// --- folders ---------------------------------------------------------------------------

// What was seen of a folder.
struct folder {
    uint64_t sets, left_overs;
    char newest[NAME_MAX + 1], time[NAME_MAX + 1]; // the newest set, and its time
    char dump[NAME_MAX + 1];                       // the last dump by name
};

static bool ends_with(const char *name, const char *end) {
    size_t length = strlen(name), size = strlen(end);
    return length > size && strcmp(name + length - size, end) == 0;
}

// Note a file or folder by its name.
static void see_entry(struct folder *seen, int fd, const char *name) {
    struct stat info;
    char facts[NAME_MAX + 16];
    snprintf(facts, sizeof facts, "%s/facts.json", name);
    if (strncmp(name, ".tmp-", 5) == 0) {
        seen->left_overs++;
    } else if (name[0] != '.' && fstatat(fd, facts, &info, AT_SYMLINK_NOFOLLOW) == 0) {
        const char *time = strchr(name, '.'); // PROGRAM.PID.TIME.RSS
        time = time ? strchr(time + 1, '.') : NULL;
        seen->sets++;
        if (time && strcmp(time, seen->time) > 0) {
            snprintf(seen->time, sizeof seen->time, "%s", time);
            snprintf(seen->newest, sizeof seen->newest, "%s", name);
        }
    } else if ((ends_with(name, ".heap") || ends_with(name, ".heap.gz")) &&
               strcmp(name, seen->dump) > 0) {
        snprintf(seen->dump, sizeof seen->dump, "%s", name);
    }
}

static void see_folder(struct folder *seen, int fd) {
    int own = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *folder = own < 0 ? NULL : fdopendir(own);
    const struct dirent *entry;
    for (int i = 0; folder && i < SETS && (entry = readdir(folder)) != NULL; i++) {
        see_entry(seen, fd, entry->d_name);
    }
    if (folder) {
        closedir(folder);
    }
}

// Look at the facts of a set: whether samples were taken.
static void examine_facts(struct hp_doctor *doctor, int set) {
    char text[4096];
    int fd = openat(set, "facts.json", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    ssize_t got = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    text[got > 0 ? got : 0] = '\0';
    if (fd >= 0) {
        close(fd);
    }
    if (strstr(text, "\"sampling\": false") != NULL) {
        hp_doctor_add(doctor, HP_DOCTOR_SET_INACTIVE, "%s",
                      "facts.json: sampling: false");
    }
}

// Look at the last dump of a folder.
static void examine_last(struct hp_doctor *doctor, int folder, const char *name) {
    struct stat info;
    int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) {
        return;
    }
    if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode)) {
        hp_doctor_dump(doctor, fd, name);
    }
    close(fd);
}

static void examine_set(struct hp_doctor *doctor, int set) {
    struct folder seen = {0};
    see_folder(&seen, set);
    examine_facts(doctor, set);
    examine_last(doctor, set, seen.dump);
}

void hp_doctor_folder(struct hp_doctor *doctor, int fd) {
    struct folder seen = {0};
    struct stat info;
    if (fstatat(fd, "facts.json", &info, AT_SYMLINK_NOFOLLOW) == 0) {
        examine_set(doctor, fd);
        return;
    }
    see_folder(&seen, fd);
    if (seen.sets > 0) {
        hp_doctor_add(doctor, HP_DOCTOR_SETS, "%llu, the newest %s",
                      (unsigned long long)seen.sets, seen.newest);
    } else if (seen.dump[0]) {
        examine_last(doctor, fd, seen.dump);
    } else {
        hp_doctor_add(doctor, HP_DOCTOR_NO_SETS, "%s", doctor->subject);
    }
    if (seen.left_overs > 0) {
        hp_doctor_add(doctor, HP_DOCTOR_LEFT_OVERS, "%llu",
                      (unsigned long long)seen.left_overs);
    }
    int set = seen.newest[0] ? openat(fd, seen.newest,
                                      O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
                             : -1;
    if (set >= 0) {
        examine_set(doctor, set);
        close(set);
    }
}
