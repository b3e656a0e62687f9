// Lists of installed files, below the root of the machine or container:
//   Debian   /var/lib/dpkg/info/PACKAGE[:ARCHITECTURE].list  a path on each line
//   Alpine   /lib/apk/db/installed   P:PACKAGE, then F:FOLDER and R:FILE for its files
// Fedora's database has no text; its debug packages are found by the path of a debug file.
#include "cli/doctor/doctor_parts.h"
#include "cli/storage.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    LARGEST = 32 << 20, // bytes of a list at most
    LISTS = 100000,     // lists that are read at most
};

int hp_doctor_open_below(int root, const char *path, uint64_t flags) {
    // The kernel refuses O_PATH together with flags that say how to open.
    uint64_t how_to = (flags & O_PATH) != 0 ? 0 : O_NONBLOCK | O_NOCTTY;
    struct open_how how = {.flags = O_CLOEXEC | how_to | flags,
                           .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS};
    return (int)syscall(SYS_openat2, root, path, &how, sizeof how);
}

// A text with room that grows.
struct text {
    char *at;
    size_t room, size;
};

// Read a regular file, after a newline and with one at the end.  Returns false if it cannot
// be read, or is too large.  Closes the file.
static bool read_list(struct text *text, int fd) {
    struct stat info;
    bool is_read = fd >= 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode) &&
                   info.st_size < LARGEST;
    text->size = 1;
    if (is_read) {
        size_t most = (size_t)info.st_size;
        if (text->room < most + 3) {
            text->room = most + 3;
            text->at = hp_cli_resize(text->at, text->room);
        }
        ssize_t got = 1;
        text->at[0] = '\n';
        while (got > 0 && text->size <= most) {
            got = read(fd, text->at + text->size, most + 1 - text->size);
            text->size += got > 0 ? (size_t)got : 0;
        }
        memcpy(text->at + text->size, "\n", 2);
    }
    if (fd >= 0) {
        close(fd);
    }
    return is_read;
}

// Whether a name is one of a package, and nothing else.
static bool is_package(const char *name, size_t length) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789+-._";
    return length > 0 && length < 128 && strspn(name, letters) >= length;
}

// --- Debian ----------------------------------------------------------------------------

// Whether a list has a path; before folders were merged, it had no /usr in front.
static bool lists(const struct text *text, const char *path) {
    char line[PATH_MAX + 8];
    bool is_usr = strncmp(path, "/usr/", 5) == 0;
    const char *const spellings[2][2] = {
        {"", path}, {is_usr ? "" : "/usr", is_usr ? path + 4 : path}};
    bool has = false;
    for (int i = 0; i < 2; i++) {
        int size =
            snprintf(line, sizeof line, "\n%s%s\n", spellings[i][0], spellings[i][1]);
        has |= memmem(text->at, text->size + 1, line, (size_t)size) != NULL;
    }
    return has;
}

// Write the name of the Debian package with the names of a file; "" if none is known.
static void find_in_dpkg(int root, const char *path, char *package, size_t size) {
    int fd = hp_doctor_open_below(root, "/var/lib/dpkg/info", O_RDONLY | O_DIRECTORY);
    DIR *folder = fd < 0 ? NULL : fdopendir(fd);
    struct text text = {0};
    const struct dirent *entry;
    for (int i = 0; folder && i < LISTS && (entry = readdir(folder)) != NULL; i++) {
        const char *name = entry->d_name, *end = strstr(name, ".list");
        size_t length = strcspn(name, ":");
        length = end && (size_t)(end - name) < length ? (size_t)(end - name) : length;
        if (end && end[5] == '\0' && is_package(name, length) &&
            read_list(&text,
                      openat(fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)) &&
            lists(&text, path)) {
            bool is_libc = strncmp(name, "libc6", length) == 0 && length == 5;
            snprintf(package, size, "Debian package %.*s%s", (int)length, name,
                     is_libc ? "-dbg" : "-dbgsym");
            break;
        }
    }
    free(text.at);
    if (folder) {
        closedir(folder);
    } else if (fd >= 0) {
        close(fd);
    }
}

// --- Alpine ----------------------------------------------------------------------------

// Write the name of the Alpine package with the names of a file; "" if none is known.
static void find_in_apk(int root, const char *path, char *package, size_t size) {
    struct text text = {0};
    const char *slash = strrchr(path, '/'), *name = "", *save_at;
    char *save = NULL;
    bool is_folder = false;
    int fd = hp_doctor_open_below(root, "/lib/apk/db/installed", O_RDONLY);
    char *line = read_list(&text, fd) ? strtok_r(text.at, "\n", &save) : NULL;
    for (; line && slash; line = strtok_r(NULL, "\n", &save)) {
        save_at = line + 2;
        if (strncmp(line, "P:", 2) == 0) {
            name = save_at;
            is_folder = false;
        } else if (strncmp(line, "F:", 2) == 0) {
            size_t length = (size_t)(slash - path - (slash > path));
            is_folder =
                strlen(save_at) == length && memcmp(save_at, path + 1, length) == 0;
        } else if (is_folder && strncmp(line, "R:", 2) == 0 &&
                   strcmp(save_at, slash + 1) == 0 && is_package(name, strlen(name))) {
            snprintf(package, size, "Alpine package %s-dbg", name);
            break;
        }
    }
    free(text.at);
}

// --- names -----------------------------------------------------------------------------

static bool exists(int root, const char *path) {
    int fd = hp_doctor_open_below(root, path, O_PATH);
    if (fd >= 0) {
        close(fd);
    }
    return fd >= 0;
}

// Say where names would come from, for a program without any.
static void add_source(struct hp_doctor *doctor, const struct hp_doctor_elf *elf,
                       int root, const char *path) {
    char package[256] = "", file[128] = "";
    bool has_id = strlen(elf->build_id) > 2;
    if (has_id) {
        snprintf(file, sizeof file, "/usr/lib/debug/.build-id/%.2s/%s.debug",
                 elf->build_id, elf->build_id + 2);
    }
    if (has_id && exists(root, file)) {
        hp_doctor_add(doctor, HP_DOCTOR_DEBUG_FILE, "%s", file);
        return;
    }
    if (root >= 0 && path[0] == '/') {
        find_in_dpkg(root, path, package, sizeof package);
        if (!package[0]) {
            find_in_apk(root, path, package, sizeof package);
        }
    }
    if (!package[0] && has_id && exists(root, "/usr/lib/sysimage/rpm")) {
        snprintf(package, sizeof package, "dnf --enablerepo='*debug*' install %s", file);
    }
    hp_doctor_add(doctor, HP_DOCTOR_NO_NAMES, "%s%s%s%s%s",
                  ".symtab and .debug_info are missing", package[0] ? "; " : "", package,
                  has_id ? "; debuginfod-find debuginfo " : "", elf->build_id);
}

void hp_doctor_names(struct hp_doctor *doctor, const struct hp_doctor_elf *elf, int root,
                     const char *path) {
    if (elf->build_id[0] == '\0') {
        hp_doctor_add(doctor, HP_DOCTOR_NO_BUILD_ID, "%s", "");
    } else {
        hp_doctor_add(doctor, HP_DOCTOR_BUILD_ID, "%s", elf->build_id);
    }
    if (!elf->has_symbols && !elf->has_debug) {
        add_source(doctor, elf, root, path);
    }
    if (elf->functions > 0) {
        hp_doctor_add(doctor, HP_DOCTOR_FRAME_POINTERS, "%u of %u, %u %%",
                      elf->with_frame_pointers, elf->functions,
                      (unsigned)((uint64_t)elf->with_frame_pointers * 100 /
                                 elf->functions));
    }
}
