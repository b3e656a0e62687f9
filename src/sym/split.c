// libdw opens DIR/NAME, then COMP_DIR/NAME, DIR being where the file with the skeleton lies,
// as realpath("/proc/self/fd/N") tells; one that knows packages, first that path and ".dwp".
//
// Its calls come back here, and it gets, at the first of its places, what the parent has found at
// any, the sysroots among them, and what has the unit's id.  Where no filter brings them back the
// parent is asked for whatever is at libdw's places, and libdw opens what the parent has seen.
#include "sym/split.h"

#include "sym/sandbox.h"

#include <dwarf.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// A file that libdw may have, once.
struct given {
    char path[PATH_MAX];
    int fd; // -1 when it was taken
};

enum {
    PLACES = 2,         // a unit and a package
    MOST_NAMESAKES = 8, // files of one name that are looked into
};

static struct given given[PLACES];
static size_t given_count;
static const struct hp_image *known; // the one whose place libdw may ask for

// --- libdw's side ----------------------------------------------------------------------

static int open_given(const char *path) {
    for (size_t i = 0; i < given_count; i++) {
        if (strcmp(given[i].path, path) == 0) {
            int fd = given[i].fd;
            given[i].fd = -1;
            return fd >= 0 ? fd : -ENOENT;
        }
    }
    // Of a unit that is being looked for the end is told; else something is missed.
    return given_count > 0 ? -ENOENT : -EPERM;
}

// The real path of the one file, and that folders on the way to it are no links.
static int read_link(const char *path, char *target, size_t room) {
    char link[32];
    size_t size = strlen(path);
    const char *real = known && known->real ? known->real : "";
    snprintf(link, sizeof link, "/proc/self/fd/%d", known ? known->fd : -1);
    if (strcmp(path, link) == 0 && *real) {
        size = strlen(real) < room ? strlen(real) : room;
        memcpy(target, real, size);
        return (int)size;
    }
    if (strncmp(link, path, size) == 0 || strncmp(real, path, size) == 0) {
        return -EINVAL;
    }
    return strncmp(path, "/proc/self/fd/", 14) == 0 ? -ENOENT : -EPERM;
}

void hp_split_answer_libdw(void) {
    static const struct hp_sandbox_names names = {open_given, read_link};
    hp_sandbox_answer(&names);
}

void hp_split_init(struct hp_split *split, struct hp_file_requester *requester,
                   const struct hp_image *image) {
    *split = (struct hp_split){.requester = requester, .image = image, .package = -1};
    known = image;
}

void hp_split_done(struct hp_split *split) {
    known = split->image == known ? NULL : known;
    if (split->package >= 0) {
        close(split->package);
    }
}

// --- ours ------------------------------------------------------------------------------

static void give(const char *path, int fd) {
    struct given *file = &given[given_count++];
    snprintf(file->path, sizeof file->path, "%s", path);
    file->fd = fd;
}

static void take_back(void) {
    for (size_t i = 0; i < given_count; i++) {
        if (given[i].fd >= 0) {
            close(given[i].fd);
        }
    }
    given_count = 0;
}

// libdw's way of joining folder and name; false if that is too long.
static bool join(const struct hp_split *split, const char *place, const char *name,
                 char path[PATH_MAX]) {
    const char *folder = split->image->real ? split->image->real : "";
    const char *slash = place[0] == '/' || name[0] == '/' ? NULL : strrchr(folder, '/');
    int length = slash ? (int)(slash + 1 - folder) : 0;
    size_t end = strlen(place);
    const char *between = end == 0 || place[end - 1] == '/' ? "" : "/";
    int size =
        snprintf(path, PATH_MAX, "%.*s%s%s%s", length, folder, place, between, name);
    return size >= 0 && size < PATH_MAX;
}

// The first of its places.  A file in memory is in no folder.
static bool first_place(const struct hp_split *split, const char *folder,
                        const char *name, char path[PATH_MAX]) {
    bool is_in_memory = split->image->debug != NULL && name[0] != '/';
    return join(split, is_in_memory && folder ? folder : "", name, path);
}

static bool package_path(const struct hp_split *split, char path[PATH_MAX]) {
    const char *real = split->image->real ? split->image->real : "";
    int size = snprintf(path, PATH_MAX, "%s.dwp", real);
    return *real && size >= 0 && size < PATH_MAX;
}

// Whether the parent has seen that what libdw would open is plain.
static bool may_open(struct hp_split *split, const char *path) {
    struct hp_wanted wanted = {HP_FIND_SPLIT, 0, hp_span_of(path)};
    struct hp_span reason;
    int fd = hp_file_request(split->requester, &wanted, &reason);
    if (fd >= 0) {
        close(fd);
    }
    return fd >= 0 || reason.size == 0; // none is given where nothing is
}

static bool may_open_all(struct hp_split *split, const char *folder, const char *name) {
    char path[PATH_MAX];
    bool may = join(split, "", name, path) && may_open(split, path);
    if (may && folder && name[0] != '/') {
        may = join(split, folder, name, path) && may_open(split, path);
    }
    return may && (!package_path(split, path) || may_open(split, path));
}

// Is one of its units the one with that id?
static bool has_unit(int fd, uint64_t id) {
    Dwarf *dwarf = dwarf_begin(fd, DWARF_C_READ);
    Dwarf_CU *unit = NULL;
    bool has = false;
    while (!has && dwarf_get_units(dwarf, unit, &unit, NULL, NULL, NULL, NULL) == 0) {
        uint64_t found = ~id;
        dwarf_cu_info(unit, NULL, NULL, NULL, NULL, &found, NULL, NULL);
        has = found == id;
    }
    dwarf_end(dwarf);
    return has;
}

static int request_unit(struct hp_split *split, const char *name, uint64_t id) {
    struct hp_wanted wanted = {HP_FIND_UNIT, 0, hp_span_of(name)};
    struct hp_span reason;
    for (; wanted.n < MOST_NAMESAKES; wanted.n++) {
        int fd = hp_file_request(split->requester, &wanted, &reason);
        if (fd < 0 || has_unit(fd, id)) {
            return fd;
        }
        close(fd);
    }
    return -1;
}

static void give_unit(struct hp_split *split, Dwarf_Die *die, const char *folder,
                      const char *name) {
    char path[PATH_MAX];
    uint64_t id = 0;
    dwarf_cu_info(die->cu, NULL, NULL, NULL, NULL, &id, NULL, NULL);
    int fd = request_unit(split, name, id);
    if (fd < 0 && folder && name[0] != '/') {
        int size = snprintf(path, sizeof path, "%s/%s", folder, name);
        bool fits = size >= 0 && (size_t)size < sizeof path;
        fd = fits ? request_unit(split, path, id) : -1;
    }
    if (fd >= 0 && first_place(split, folder, name, path)) {
        give(path, fd);
    } else if (fd >= 0) {
        close(fd);
    }
}

// libdw asks for it once, or never.
static void give_package(struct hp_split *split) {
    char path[PATH_MAX];
    if (!package_path(split, path)) {
        return;
    }
    if (!split->has_asked && split->package < 0) {
        struct hp_wanted wanted = {HP_FIND_PACKAGE, 0,
                                   hp_span_of(split->image->build_id)};
        struct hp_span reason;
        split->package = hp_file_request(split->requester, &wanted, &reason);
        split->has_package |= split->package >= 0;
    }
    split->has_asked = true;
    if (split->package >= 0) {
        give(path, split->package);
    }
}

static void take_back_package(struct hp_split *split) {
    for (size_t i = 0; i < given_count; i++) {
        if (split->package >= 0 && given[i].fd == split->package) {
            given[i].fd = -1;
            return;
        }
    }
    split->package = -1;
}

bool hp_split_find(struct hp_split *split, Dwarf_Die *die, Dwarf_Die *content) {
    Dwarf_Attribute attribute;
    Dwarf_Die found = {0};
    const char *name =
        dwarf_formstring(dwarf_attr(die, DW_AT_dwo_name, &attribute)
                             ? &attribute
                             : dwarf_attr(die, DW_AT_GNU_dwo_name, &attribute));
    *content = *die;
    if (!name) {
        return false;
    }
    const char *folder = dwarf_formstring(dwarf_attr(die, DW_AT_comp_dir, &attribute));
    bool is_answered = hp_sandbox_answers();
    if (is_answered) {
        give_package(split);
        give_unit(split, die, folder, name);
    }
    if (is_answered ? given_count > 0 : may_open_all(split, folder, name)) {
        dwarf_cu_info(die->cu, NULL, NULL, NULL, &found, NULL, NULL, NULL);
    }
    take_back_package(split);
    take_back();
    if (!found.addr) {
        split->missing = true;
        return false;
    }
    *content = found;
    return true;
}
