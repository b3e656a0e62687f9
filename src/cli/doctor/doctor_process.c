// /proc shows what the process wants it to show: its name, its environment, its files.
// Each file is read up to a limit, and paths of the process are opened below its root.
#include "cli/doctor/doctor_conf.h"
#include "cli/doctor/doctor_parts.h"
#include "cli/storage.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum {
    LARGEST = 4 << 20, // bytes of a file of /proc
    LIBRARIES = 32,    // looked at in one process
};

// The process that is looked at.
struct process {
    int dir;            // its folder in /proc
    int root;           // its root, or -1
    char *environment;  // NUL after each variable, and a second one at the end
    const char *prefix; // of jemalloc's functions; NULL: none
    bool is_profiling;  // this jemalloc can make profiles
    bool is_secure;     // the loader ignored LD_PRELOAD
    uid_t uid;
    gid_t gid;
};

// Read a file of the process, NULL with errno.  Two NUL bytes follow.
static char *read_file(const struct process *process, const char *name, size_t *size) {
    int fd = openat(process->dir, name, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return NULL;
    }
    char *bytes = NULL;
    size_t room = 0, used = 0;
    ssize_t got = 1;
    while (got > 0 && used < LARGEST) {
        if (room - used < 4096) {
            room = room * 2 + 65536;
            bytes = hp_cli_resize(bytes, room);
        }
        got = read(fd, bytes + used, room - used - 2);
        used += got > 0 ? (size_t)got : 0;
    }
    int error = errno;
    close(fd);
    if (got < 0 && used == 0) {
        free(bytes);
        errno = error;
        return NULL;
    }
    memset(bytes + used, 0, 2);
    *size = used;
    return bytes;
}

// Open a path of the process below its root.
static int open_below(const struct process *process, const char *path, uint64_t flags) {
    return hp_doctor_open_below(process->root, path, flags);
}

// The value of a variable of the environment at the start, or NULL.
static const char *variable(const struct process *process, const char *name) {
    size_t length = strlen(name);
    for (const char *at = process->environment; at && *at; at += strlen(at) + 1) {
        if (strncmp(at, name, length) == 0 && at[length] == '=') {
            return at + length + 1;
        }
    }
    return NULL;
}

// Add a failure to read; whether the process ended meanwhile.
static void add_failure(struct hp_doctor *doctor, const char *name) {
    bool has_ended = errno == ENOENT || errno == ESRCH;
    hp_doctor_add(doctor, has_ended ? HP_DOCTOR_ENDED : HP_DOCTOR_NOT_READABLE, "%s: %s",
                  name, strerror(errno));
}

// Add a failure to open the folder of a process, which may be that of a missing /proc.
static void add_open_failure(struct hp_doctor *doctor, const char *proc,
                             const char *path) {
    char self[PATH_MAX];
    int error = errno;
    snprintf(self, sizeof self, "%s/self", proc);
    bool is_mounted = access(self, F_OK) == 0;
    errno = error;
    if (is_mounted) {
        add_failure(doctor, path);
    } else {
        hp_doctor_add(doctor, HP_DOCTOR_NO_PROC, "%s", self);
    }
}

// --- binaries --------------------------------------------------------------------------

// Look at a library that is mapped, if its name may be that of an allocator.
static void examine_library(struct hp_doctor *doctor, struct process *process,
                            const char *path) {
    struct hp_doctor_elf elf;
    const char *slash = strrchr(path, '/');
    if (strstr(slash, "hprof-capture") != NULL) {
        hp_doctor_add(doctor, HP_DOCTOR_CAPTURED, "%s", path);
    } else if (strstr(slash, "hprof-sampler") != NULL) {
        hp_doctor_add(doctor, HP_DOCTOR_SAMPLED, "%s", path);
    } else if (strstr(slash, "malloc") == NULL) {
        return;
    }
    int fd = open_below(process, path, O_RDONLY);
    if (fd < 0) {
        return;
    }
    hp_doctor_elf_read(&elf, fd);
    close(fd);
    if (elf.is_elf && (elf.prefix != NULL || elf.has_gperftools)) {
        hp_doctor_allocator(doctor, &elf, path);
        process->prefix = elf.prefix ? elf.prefix : process->prefix;
        process->is_profiling |= elf.prefix != NULL && elf.has_profiling;
    }
}

// Look at the mapped libraries, each once.
static void examine_libraries(struct hp_doctor *doctor, struct process *process) {
    size_t size, count = 0;
    char *maps = read_file(process, "maps", &size), *save = NULL, *last = NULL;
    if (maps == NULL) {
        add_failure(doctor, "maps");
        return;
    }
    for (char *line = strtok_r(maps, "\n", &save); line && count < LIBRARIES;
         line = strtok_r(NULL, "\n", &save)) {
        char *path = strchr(line, '/');
        if (path && (!last || strcmp(last, path) != 0)) {
            size_t before = doctor->count;
            examine_library(doctor, process, path);
            count += doctor->count > before;
            last = path;
        }
    }
    free(maps);
}

// Look at the program, and at its setting in the file.
static void examine_program(struct hp_doctor *doctor, struct process *process,
                            struct hp_doctor_elf *elf) {
    char path[PATH_MAX] = "exe";
    ssize_t length = readlinkat(process->dir, "exe", path, sizeof path - 1);
    path[length > 0 ? length : 3] = '\0';
    int fd = openat(process->dir, "exe", O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        add_failure(doctor, "exe");
        return;
    }
    hp_doctor_elf_read(elf, fd);
    close(fd);
    if (!elf->is_elf || elf->is_other_machine) {
        return;
    }
    if (!elf->is_dynamic) {
        hp_doctor_add(doctor, HP_DOCTOR_STATIC, "%.400s", path);
    }
    if (elf->prefix != NULL || elf->has_text || elf->has_gperftools || elf->has_malloc) {
        hp_doctor_allocator(doctor, elf, path);
    }
    process->prefix = elf->prefix;
    process->is_profiling = elf->prefix != NULL && elf->has_profiling;
}

// Say which names there will be of the program.  The path of its file leads through a root
// that it changed to, but not through that of a container.
static void add_names(struct hp_doctor *doctor, const struct process *process,
                      const struct hp_doctor_elf *elf) {
    char path[PATH_MAX], root[PATH_MAX];
    ssize_t length = readlinkat(process->dir, "exe", path, sizeof path - 1);
    ssize_t before = readlinkat(process->dir, "root", root, sizeof root - 1);
    path[length > 0 ? length : 0] = '\0';
    bool is_below = before > 0 && length > before &&
                    memcmp(path, root, (size_t)before) == 0 && path[before] == '/';
    if (elf->is_elf && !elf->is_other_machine) {
        hp_doctor_names(doctor, elf, process->root, path + (is_below ? before : 0));
    }
}

// --- settings --------------------------------------------------------------------------

// Name the variable that a jemalloc with this prefix reads.
static const char *variable_of(const char *prefix) {
    return strcmp(prefix, "je_") == 0      ? "JE_MALLOC_CONF"
           : strcmp(prefix, "_rjem_") == 0 ? "_RJEM_MALLOC_CONF"
                                           : "MALLOC_CONF";
}

static void read_link_of_system(struct hp_doctor *doctor, struct process *process,
                                struct hp_doctor_conf *conf) {
    char text[PATH_MAX];
    int etc = open_below(process, "/etc", O_PATH | O_DIRECTORY);
    ssize_t length = etc < 0 ? -1 : readlinkat(etc, "malloc.conf", text, sizeof text - 1);
    if (etc >= 0) {
        close(etc);
    }
    if (length > 0) {
        text[length] = '\0';
        hp_doctor_conf_read(doctor, conf, text, "/etc/malloc.conf");
    }
}

// Find the folder of the dumps, and whether the process may write to it.
static void examine_folder(struct hp_doctor *doctor, const struct process *process,
                           const char *prefix) {
    char path[PATH_MAX], *slash;
    struct stat info;
    struct statvfs volume;
    if (prefix[0] == '/') {
        snprintf(path, sizeof path, "%s", prefix);
        slash = strrchr(path, '/');
        slash[slash == path] = '\0';
    } else { // relative to the working directory
        ssize_t length = readlinkat(process->dir, "cwd", path, sizeof path - 1);
        path[length > 0 ? length : 0] = '\0';
    }
    int fd = process->root < 0 || !path[0]
                 ? -1
                 : open_below(process, path, O_RDONLY | O_DIRECTORY);
    if (fd < 0) {
        if (errno == ENOENT || errno == ENOTDIR) {
            hp_doctor_add(doctor, HP_DOCTOR_NO_FOLDER, "%.500s", path);
        }
        return;
    }
    if (fstat(fd, &info) == 0 && process->uid != 0) {
        mode_t needed = info.st_uid == process->uid   ? 0300
                        : info.st_gid == process->gid ? 0030
                                                      : 0003;
        if ((info.st_mode & needed) != needed) {
            hp_doctor_add(doctor, HP_DOCTOR_NOT_WRITABLE, "%.400s: mode %04o, uid %u",
                          path, info.st_mode & 07777, info.st_uid);
        }
    }
    if (fstatvfs(fd, &volume) == 0 && volume.f_bavail * volume.f_frsize < 1 << 20) {
        hp_doctor_add(doctor, HP_DOCTOR_NO_ROOM, "%.500s", path);
    }
    close(fd);
}

// Say what the settings of jemalloc mean.
static void examine_settings(struct hp_doctor *doctor, struct process *process,
                             const struct hp_doctor_elf *elf) {
    static const char *const variables[] = {"MALLOC_CONF", "JE_MALLOC_CONF",
                                            "_RJEM_MALLOC_CONF"};
    struct hp_doctor_conf conf = {0};
    const char *mine = variable_of(process->prefix);
    if (elf->malloc_conf[0]) {
        hp_doctor_conf_read(doctor, &conf, elf->malloc_conf, "malloc_conf");
    }
    if (process->root >= 0) {
        read_link_of_system(doctor, process, &conf);
    }
    const char *value = variable(process, mine);
    if (value && !process->is_secure) {
        hp_doctor_conf_read(doctor, &conf, value, mine);
    }
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
        if (strcmp(variables[i], mine) != 0 && variable(process, variables[i]) &&
            !variable(process, "HPROF_CAPTURE")) {
            hp_doctor_add(doctor, HP_DOCTOR_WRONG_VARIABLE, "%s, not %s", variables[i],
                          mine);
        }
    }
    bool is_captured = hp_doctor_has(doctor, HP_DOCTOR_CAPTURED);
    if (!process->environment && !conf.is_on) {
        return;
    }
    if (!conf.is_on) {
        hp_doctor_add(doctor, HP_DOCTOR_PROF_OFF, "%s%s", mine,
                      value ? "" : " is not set");
        return;
    }
    if (conf.is_inactive) {
        hp_doctor_add(doctor, HP_DOCTOR_PROF_INACTIVE, "%s", mine);
    }
    if (!conf.has_others && !is_captured) {
        hp_doctor_add(doctor, conf.has_final ? HP_DOCTOR_ONLY_FINAL : HP_DOCTOR_NO_DUMPS,
                      "%s", "no lg_prof_interval, prof_gdump or libhprof-capture.so");
    }
    examine_folder(doctor, process, conf.prefix[0] ? conf.prefix : "jeprof");
    hp_doctor_add(doctor, HP_DOCTOR_ACTIVE_UNKNOWN, "%s", "");
}

// --- process ---------------------------------------------------------------------------

// Read the owner, and whether the program was started as set-user-ID.
static void read_identity(struct process *process) {
    size_t size = 0;
    struct stat info;
    char *auxiliary = read_file(process, "auxv", &size);
    for (size_t i = 0; auxiliary && i + 2 * sizeof(long) <= size; i += 2 * sizeof(long)) {
        long pair[2];
        memcpy(pair, auxiliary + i, sizeof pair);
        process->is_secure |= pair[0] == AT_SECURE && pair[1] != 0;
    }
    free(auxiliary);
    if (fstat(process->dir, &info) == 0) {
        process->uid = info.st_uid;
        process->gid = info.st_gid;
    }
}

void hp_doctor_process(struct hp_doctor *doctor, const char *proc, pid_t pid) {
    struct process process = {.root = -1};
    struct hp_doctor_elf elf = {0};
    char path[PATH_MAX];
    size_t size = 0;
    snprintf(path, sizeof path, "%s/%d", proc, (int)pid);
    process.dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (process.dir < 0) {
        add_open_failure(doctor, proc, path);
        return;
    }
    process.root = openat(process.dir, "root", O_PATH | O_DIRECTORY | O_CLOEXEC);
    process.environment = read_file(&process, "environ", &size);
    if (!process.environment) {
        add_failure(doctor, "environ");
    } else if (!strchr(process.environment, '=')) {
        hp_doctor_add(doctor, HP_DOCTOR_NO_ENVIRONMENT, "%s", "environ");
        free(process.environment);
        process.environment = NULL;
    }
    read_identity(&process);
    if (process.is_secure) {
        hp_doctor_add(doctor, HP_DOCTOR_SECURE, "%s", "AT_SECURE");
    }
    examine_program(doctor, &process, &elf);
    examine_libraries(doctor, &process);
    if (process.prefix != NULL && process.is_profiling) {
        examine_settings(doctor, &process, &elf);
    } else if (process.prefix == NULL && doctor->count == 0) {
        hp_doctor_add(doctor, HP_DOCTOR_OTHER_MALLOC, "%s", "");
    }
    add_names(doctor, &process, &elf);
    free(process.environment);
    if (process.root >= 0) {
        close(process.root);
    }
    close(process.dir);
}
