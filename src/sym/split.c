// libdw opens DIR/NAME, then COMP_DIR/NAME, DIR being where the file with the skeleton lies,
// as realpath("/proc/self/fd/N") tells.  So the parent is asked for whatever is at these
// places before libdw is asked for the unit.  In a sandbox libdw's calls come back here,
// and it gets what the parent has given; without one it opens what the parent has seen.
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
    PLACES = 2
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
    *split = (struct hp_split){.requester = requester, .image = image};
    known = image;
}

void hp_split_done(struct hp_split *split) {
    known = split->image == known ? NULL : known;
}

// --- ours ------------------------------------------------------------------------------

// What the parent says of a place that libdw would look at.
struct verdict {
    bool found, refused;
};

static void request_file(struct hp_split *split, struct verdict *verdict,
                         const char *path) {
    struct hp_wanted wanted = {HP_FIND_SPLIT, 0, hp_span_of(path)};
    struct hp_span reason;
    int fd = hp_file_request(split->requester, &wanted, &reason);
    verdict->found |= fd >= 0;
    verdict->refused |= fd < 0 && reason.size > 0; // none is given where nothing is
    if (fd >= 0 && given_count < PLACES && hp_sandbox_answers()) {
        struct given *file = &given[given_count++];
        snprintf(file->path, sizeof file->path, "%s", path);
        file->fd = fd;
    } else if (fd >= 0) {
        close(fd);
    }
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
static bool request_at(struct hp_split *split, struct verdict *verdict, const char *place,
                       const char *name) {
    char path[PATH_MAX];
    const char *folder = split->image->real ? split->image->real : "";
    const char *slash = place[0] == '/' ? NULL : strrchr(folder, '/');
    int length = slash ? (int)(slash + 1 - folder) : 0;
    size_t end = strlen(place);
    const char *between = end == 0 || place[end - 1] == '/' ? "" : "/";
    int size =
        snprintf(path, sizeof path, "%.*s%s%s%s", length, folder, place, between, name);
    if (size < 0 || (size_t)size >= sizeof path) {
        return false;
    }
    request_file(split, verdict, path);
    return true;
}

static bool may_open(struct hp_split *split, Dwarf_Die *die, const char *name) {
    Dwarf_Attribute attribute;
    struct verdict verdict = {0};
    const char *folder = dwarf_formstring(dwarf_attr(die, DW_AT_comp_dir, &attribute));
    if (name[0] == '/') {
        request_file(split, &verdict, name);
    } else if (!request_at(split, &verdict, "", name) ||
               (folder && !request_at(split, &verdict, folder, name))) {
        return false;
    }
    return verdict.found && !verdict.refused;
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
    if (may_open(split, die, name)) {
        dwarf_cu_info(die->cu, NULL, NULL, NULL, &found, NULL, NULL, NULL);
    }
    take_back();
    if (!found.addr) {
        split->missing = true;
        return false;
    }
    *content = found;
    return true;
}
