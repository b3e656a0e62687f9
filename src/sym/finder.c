// Search order for a module and its debug files: the sysroots, the path maps, then the
// path itself.  A module with a build id in the dump, and debug files, are also searched
// in `stores`.  A file named by a debug link is searched as gdb does, in
//
//     ROOT/DIR/NAME, ROOT/DIR/.debug/NAME, ROOT/usr/lib/debug/DIR/NAME
//
// where DIR is the folder of the file with the link, and ROOT is each sysroot, then "/".
// A sysroot may also be one flat folder with all files, SYSROOT/NAME.  Last are the files
// below the sysroots whose names are or begin with the module's: SYSROOT/1.4/NAME,
// SYSROOT/NAME-1.4.
#include "sym/finder.h"

#include "base/files.h"
#include "base/memory.h"
#include "sym/image.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

// --- trees -----------------------------------------------------------------------------

enum {
    MOST_LEVELS = 8,      // depth of folders
    MOST_ENTRIES = 20000, // entries below one root that are listed
};

// A folder to be listed.
struct tree_folder {
    char *path; // path in the root; "" is the root itself
    int level;  // depth below the root
};

// The listing of one root.
struct listing {
    struct hp_trees *trees;
    const char *root;
    HP_VEC(struct tree_folder)
    folders;        // those that were listed, and those still to be listed
    size_t entries; // entries seen so far
};

struct entry_name {
    char *text;
    bool is_folder;
};

static int by_text(const void *left, const void *right) {
    const struct entry_name *a = left, *b = right;
    return strcmp(a->text, b->text);
}

// Whether a folder is on a volume with real files: processes and devices appear and
// vanish below /proc and /sys, and none is a binary.
static bool is_of_files(int fd) {
    struct statfs volume;
    return fstatfs(fd, &volume) == 0 && volume.f_type != PROC_SUPER_MAGIC &&
           volume.f_type != SYSFS_MAGIC;
}

// Open a folder below the root without following a link; NULL if it cannot be listed.
static DIR *open_folder(const char *root, const char *path) {
    char *whole = hp_printed("%s%s", root, path);
    int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | (*path ? O_NOFOLLOW : 0);
    int fd = open(whole, flags);
    free(whole);
    DIR *folder = fd >= 0 && is_of_files(fd) ? fdopendir(fd) : NULL;
    if (fd >= 0 && !folder) {
        close(fd);
    }
    return folder;
}

// The type of an entry: DT_REG, DT_DIR, or another.
static int type_of(DIR *folder, const struct dirent *entry) {
    struct stat info;
    if (entry->d_type != DT_UNKNOWN) {
        return entry->d_type;
    }
    if (fstatat(dirfd(folder), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0) {
        return DT_UNKNOWN;
    }
    return S_ISREG(info.st_mode) ? DT_REG : S_ISDIR(info.st_mode) ? DT_DIR : DT_UNKNOWN;
}

static bool is_dots(const char *name) {
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

// Add the files of one folder, and its folders to the list of those still to be listed.
static void list_one(struct listing *listing, const char *path, int level) {
    HP_VEC(struct entry_name) names = {0};
    DIR *folder = open_folder(listing->root, path);
    const struct dirent *entry;
    while (folder && (entry = readdir(folder)) != NULL) {
        int type = type_of(folder, entry);
        if (!is_dots(entry->d_name) && (type == DT_REG || type == DT_DIR)) {
            struct entry_name name = {hp_printed("%s", entry->d_name), type == DT_DIR};
            hp_vec_push(&names, name);
        }
    }
    if (folder) {
        closedir(folder);
    }
    hp_vec_sort(&names, by_text);
    struct entry_name *name;
    hp_vec_each (name, &names) {
        char *whole = hp_printed("%s/%s", path, name->text);
        bool has_room = listing->entries++ < MOST_ENTRIES;
        free(name->text);
        if (has_room && name->is_folder && level < MOST_LEVELS) {
            hp_vec_push(&listing->folders, ((struct tree_folder){whole, level + 1}));
        } else if (has_room && !name->is_folder) {
            bool is_by_id = strstr(path, "/.build-id/") != NULL;
            struct hp_tree_file file = {listing->root, whole, is_by_id};
            hp_vec_push(&listing->trees->files, file);
        } else {
            free(whole);
        }
    }
    hp_vec_done(&names);
}

void hp_trees_add(struct hp_trees *trees, const char *root) {
    struct listing listing = {.trees = trees, .root = root};
    hp_vec_push(&listing.folders, ((struct tree_folder){hp_printed("%s", ""), 0}));
    for (size_t i = 0; i < listing.folders.count; i++) {
        struct tree_folder folder = listing.folders.at[i]; // the vector may move
        if (listing.entries < MOST_ENTRIES) {
            list_one(&listing, folder.path, folder.level);
        }
        free(folder.path);
    }
    hp_vec_done(&listing.folders);
}

void hp_trees_done(struct hp_trees *trees) {
    struct hp_tree_file *file;
    hp_vec_each (file, &trees->files) {
        free(file->path);
    }
    hp_vec_done(&trees->files);
}

// Whether `text` begins with the pattern; each '*' matches as little as possible.
static bool begins(const char *text, const char *pattern) {
    const char *star = NULL, *again = NULL;
    while (*pattern) {
        if (*pattern == '*') {
            star = ++pattern;
            again = text;
        } else if (*text && *text == *pattern) {
            text++;
            pattern++;
        } else if (star && *again) {
            pattern = star;
            text = ++again;
        } else {
            return false;
        }
    }
    return true;
}

bool hp_tree_file_is_of(const struct hp_tree_file *file, const char *program) {
    const char *name = hp_basename(program);
    return *name && begins(strrchr(file->path, '/') + 1, name);
}

// --- finder ----------------------------------------------------------------------------

// The state of one search for a file.
struct file_search {
    struct hp_finder *finder;
    enum hp_find find;
    uint32_t skip; // matching files still to be skipped before the one that is wanted
    int fd;        // the open result; -1: none yet
    // The list that collects all files instead of opening one; or NULL.
    struct hp_places *places;
};

void hp_finder_init(struct hp_finder *finder, const struct hp_symbol_options *options,
                    const char *path) {
    static const struct hp_symbol_options defaults;
    *finder = (struct hp_finder){.options = options ? options : &defaults,
                                 .path = path,
                                 .name = path,
                                 .build_id = "",
                                 .status = HP_SYM_NO_FILE};
}

void hp_finder_done(struct hp_finder *finder) {
    free(finder->module);
    free(finder->debug);
    free(finder->shown);
    *finder = (struct hp_finder){0};
}

static char *whole_path(const char *root, const char *path) {
    return hp_printed("%s%s%s", root ? root : "", root && *path != '/' ? "/" : "", path);
}

// The status of a module whose file could not be opened with that errno.
static enum hp_sym_status status_of(int error) {
    switch (error) {
    case ENOENT:
    case ENOTDIR:
    case ENAMETOOLONG:
    case ELOOP:
    case ENXIO: // a socket
    case EINVAL:
        return HP_SYM_NO_FILE;
    case ENOEXEC:
        return HP_SYM_DAMAGED;
    default:
        return HP_SYM_UNREADABLE;
    }
}

// Record why there is no usable file at a path, from errno.  A missing file does not
// replace an earlier reason.
static void refuse(struct file_search *search, const char *root, const char *path) {
    bool missing = errno == ENOENT || errno == ENOTDIR;
    const char *why =
        errno == EINVAL    ? hp_words(HP_WORDS("file-not-regular", "not a regular file"))
        : errno == ENOEXEC ? hp_words(HP_WORDS("file-not-elf", "not an ELF file"))
                           : strerror(errno);
    enum hp_sym_status status = status_of(errno);
    if (search->find == HP_FIND_MODULE && status > search->finder->status) {
        search->finder->status = status;
    }
    if (!missing || !search->finder->reason[0]) {
        char *whole = whole_path(root, path);
        snprintf(search->finder->reason, sizeof search->finder->reason, "%s: %s", whole,
                 why);
        free(whole);
    }
}

// Free a text and store `by` instead, whose owner it becomes.
static void replace(char **text, char *by) {
    free(*text);
    *text = by;
}

void hp_places_done(struct hp_places *places) {
    struct hp_file_place *place;
    hp_vec_each (place, &places->all) {
        free(place->path);
    }
    hp_vec_done(&places->all);
}

char *hp_place_text(const struct hp_file_place *place) {
    return whole_path(place->root, place->path);
}

// The identity of an open file, and whether it is at the module's own path.
static struct hp_found_file describe(const struct file_search *search, int fd,
                                     const char *root, const char *path) {
    return hp_found_file_of(fd, !root && strcmp(path, search->finder->path) == 0);
}

// End the search with an open file, and remember where it is for searches relative to it.
static void found(struct file_search *search, int fd, const char *root,
                  const char *path) {
    struct hp_finder *finder = search->finder;
    search->fd = fd;
    if (search->find == HP_FIND_MODULE) {
        replace(&finder->module, hp_printed("%s", path));
        finder->in_sysroot = root != NULL;
        finder->found = describe(search, fd, root, path);
    }
    if (search->find <= HP_FIND_LINK) {
        replace(&finder->debug, hp_printed("%s", path));
    }
    replace(&finder->shown, whole_path(root, path));
}

// Whether a file is relocatable, as the files of split units are.  A child that asks for
// a split unit thus gets no programs or libraries.
static bool may_be_split(const unsigned char head[EI_NIDENT + 2]) {
    unsigned low = head[EI_NIDENT], high = head[EI_NIDENT + 1];
    return (head[EI_DATA] == ELFDATA2MSB ? low << 8 | high : high << 8 | low) == ET_REL;
}

// Open a file only if it is ELF, so that the child cannot ask for /etc/passwd.  Returns
// -1 with errno otherwise.
static int open_elf(const struct file_search *search, const char *root,
                    const char *path) {
    unsigned char head[EI_NIDENT + 2] = {0};
    int fd = hp_open_file(root, path);
    ssize_t got = fd >= 0 ? hp_read_at(fd, head, sizeof head, 0) : 0;
    if (fd >= 0 && (got < SELFMAG || memcmp(head, ELFMAG, SELFMAG) != 0 ||
                    (search->find >= HP_FIND_UNIT && !may_be_split(head)))) {
        int error = got < 0 ? errno : ENOEXEC;
        close(fd);
        errno = error;
        return -1;
    }
    return fd;
}

// Try to open the file at one path below `root`.  Returns whether the search goes on.  A
// relative path outside a sysroot is not tried, because it would depend on the current
// folder.
static bool try_place(struct file_search *search, const char *root, const char *path) {
    int fd = -1;
    // The file of a module was checked when it was listed; its debug files are not
    // listed.
    bool is_listed = search->find == HP_FIND_MODULE && search->finder->only;
    bool is_allowed = root || is_listed || !search->finder->options->symbol_dirs_only;
    errno = ENOENT;
    if (is_allowed && (root || path[0] == '/')) {
        fd = open_elf(search, root, path);
    }
    if (fd < 0) {
        refuse(search, root, path);
        return true;
    }
    if (search->places) {
        struct hp_file_place place = {root, hp_copy(path),
                                      describe(search, fd, root, path)};
        hp_vec_push(&search->places->all, place);
        close(fd);
        return true;
    }
    if (search->skip > 0) {
        search->skip--;
        close(fd);
        return true;
    }
    found(search, fd, root, path);
    return false;
}

// Try a path in each sysroot.  Returns whether the search goes on, as do the other try_
// functions.
static bool try_sysroots(struct file_search *search, const char *path) {
    const struct hp_symbol_options *options = search->finder->options;
    bool go_on = true;
    for (size_t i = 0; go_on && i < options->symbol_dir_count; i++) {
        go_on = try_place(search, options->symbol_dirs[i], path);
    }
    return go_on;
}

// Try a path in each sysroot, then on the system itself.
static bool try_roots(struct file_search *search, const char *path) {
    return try_sysroots(search, path) && try_place(search, NULL, path);
}

// Whether `prefix` matches `path` up to the end of a path component.
static bool begins_with(const char *path, const char *prefix) {
    size_t size = strlen(prefix);
    return strncmp(path, prefix, size) == 0 &&
           (size == 0 || prefix[size - 1] == '/' || path[size] == '/' || !path[size]);
}

// Make a path from the user absolute, relative to the current folder.  Takes ownership of
// `path`; the caller frees the result.
static char *absolute(char *path) {
    char *folder = *path == '/' ? NULL : get_current_dir_name();
    if (folder) {
        replace(&path, hp_printed("%s/%s", folder, path));
        free(folder);
    }
    return path;
}

// The path of the module by the first path map that matches, which the caller frees;
// NULL: none matches.
static char *mapped_path(const struct hp_finder *finder) {
    const struct hp_symbol_options *options = finder->options;
    for (size_t i = 0; i < options->path_map_count; i++) {
        const struct hp_path_map *map = &options->path_maps[i];
        if (begins_with(finder->path, map->from)) {
            return absolute(
                hp_printed("%s%s", map->to, finder->path + strlen(map->from)));
        }
    }
    return NULL;
}

// --- by build id -----------------------------------------------------------------------

// Folders in which files are kept by build id.  All of them are searched below each
// sysroot, and those with `is_of_systems` also below "/".
static const struct store {
    const char *folder; // text before the id
    bool is_tree;       // the id as xx/yyyy instead of in one piece
    // Text after the id.
    const char *end;
    bool is_of_systems; // Linux distributions have this folder
} stores[] = {
    {"/.build-id/", true, ".debug", false},
    {"/usr/lib/debug/.build-id/", true, ".debug", true},
    {"/usr/lib/.build-id/", true, ".debug", true},
    {"/.build-id/", true, "", false},
    {"/usr/lib/debug/.build-id/", true, "", true},
    {"/usr/lib/.build-id/", true, "", true},
    {"/", false, ".debug", false},
    {"/", false, "", false},
    {"/", false, "/debuginfo", false},
    {"/", false, "/", false}, // followed by the name of the module
};

// A build id in lower case, which the caller frees; NULL if it is not a hexadecimal id,
// such as one of Go, which contains '/'.
static char *id_of(const char *text) {
    size_t size = strlen(text);
    if (size < 8 || size > (size_t)2 * HP_BUILD_ID_SIZE || size % 2 != 0 ||
        strspn(text, "0123456789abcdefABCDEF") != size) {
        return NULL;
    }
    char *id = hp_printed("%s", text);
    for (char *at = id; *at; at++) {
        *at = (char)(*at >= 'A' && *at <= 'F' ? *at - 'A' + 'a' : *at);
    }
    return id;
}

static char *path_in(const struct store *store, const char *id, const char *module) {
    const char *name = strcmp(store->end, "/") == 0 ? hp_basename(module) : "";
    return store->is_tree
               ? hp_printed("%s%.2s/%s%s", store->folder, id, id + 2, store->end)
               : hp_printed("%s%s%s%s", store->folder, id, store->end, name);
}

// Try a sysroot as one flat folder with all files.
static bool try_flat(struct file_search *search, const char *root) {
    char *path = hp_printed("/%s", hp_basename(search->finder->path));
    bool go_on = !path[1] || try_place(search, root, path);
    free(path);
    return go_on;
}

// Try all folders of files by build id in one sysroot, or on the system if `root` is
// NULL.
static bool try_stores(struct file_search *search, const char *root, const char *id) {
    bool go_on = true;
    for (size_t i = 0; go_on && i < sizeof stores / sizeof *stores; i++) {
        if (root || stores[i].is_of_systems) {
            char *path = path_in(&stores[i], id, search->finder->path);
            go_on = try_place(search, root, path);
            free(path);
        }
    }
    return go_on;
}

// Search for a file by its build id.  Returns whether the search goes on; true also for
// an id that is not hexadecimal.
static bool find_build_id(struct file_search *search, const char *text) {
    const struct hp_symbol_options *options = search->finder->options;
    char *id = id_of(text);
    bool go_on = id != NULL;
    for (size_t i = 0; go_on && i < options->symbol_dir_count; i++) {
        go_on = try_stores(search, options->symbol_dirs[i], id);
    }
    for (size_t i = 0;
         go_on && search->find == HP_FIND_BUILD_ID && i < options->symbol_dir_count;
         i++) {
        go_on = try_flat(search, options->symbol_dirs[i]);
    }
    go_on = go_on && try_stores(search, NULL, id);
    free(id);
    return go_on || !id;
}

// Whether a file below a folder of --symbol-dir is at a path where the module is searched
// first, so that it has been tried already.
static bool is_usual(const struct hp_finder *finder, const struct hp_tree_file *file) {
    return strcmp(file->path, finder->path) == 0 ||
           strcmp(file->path + 1, hp_basename(finder->path)) == 0;
}

// Try the files below the sysroots whose names fit the module.
static bool try_trees(struct file_search *search) {
    const struct hp_finder *finder = search->finder;
    bool go_on = true;
    for (size_t i = 0; finder->trees && go_on && i < finder->trees->files.count; i++) {
        const struct hp_tree_file *file = &finder->trees->files.at[i];
        if (!file->is_by_id && hp_tree_file_is_of(file, finder->name) &&
            !is_usual(finder, file)) {
            go_on = try_place(search, file->root, file->path);
        }
    }
    return go_on;
}

// Try only the files that are known to be the module's.
static void find_only(struct file_search *search) {
    const struct hp_finder *finder = search->finder;
    bool go_on = true;
    for (size_t i = 0; go_on && i < finder->only_count; i++) {
        go_on = try_place(search, finder->only[i].root, finder->only[i].path);
    }
}

// Search for the file of the module itself.
static void find_module(struct file_search *search) {
    const struct hp_finder *finder = search->finder;
    const struct hp_symbol_options *options = finder->options;
    char *mapped = mapped_path(finder);
    bool go_on = try_sysroots(search, finder->path);
    for (size_t i = 0; go_on && i < options->symbol_dir_count; i++) {
        go_on = try_flat(search, options->symbol_dirs[i]);
    }
    if (go_on && (!mapped || try_place(search, NULL, mapped)) &&
        try_place(search, NULL, finder->path) &&
        find_build_id(search, finder->build_id)) {
        try_trees(search);
    }
    free(mapped);
}

// --- by name ---------------------------------------------------------------------------

// Search for `name` in the folder of `file`, and where debug files of that folder are
// kept.
static void find_beside(struct file_search *search, const char *file, const char *name) {
    char *folder = hp_printed("/%s", file ? file + strspn(file, "/") : "");
    *strrchr(folder, '/') = '\0';
    char *places[] = {
        hp_printed("%s/%s", folder, name),
        hp_printed("%s/.debug/%s", folder, name),
        hp_printed("/usr/lib/debug%s/%s", folder, name),
    };
    bool go_on = true;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        go_on = go_on && try_roots(search, places[i]);
        free(places[i]);
    }
    free(folder);
}

// Search for the debug file that a debug link names, beside the module and beside other
// paths of its file.  A name with folders is refused.
static void find_link(struct file_search *search, const char *name) {
    if (*name && !strchr(name, '/') && strcmp(name, ".") != 0 &&
        strcmp(name, "..") != 0) {
        const struct hp_finder *finder = search->finder;
        find_beside(search, finder->module, name);
        for (size_t i = 0; search->fd < 0 && i < finder->other_count; i++) {
            find_beside(search, finder->others[i], name);
        }
        char *path = hp_printed("/%s", name);
        if (search->fd < 0) {
            try_sysroots(search, path);
        }
        free(path);
    }
}

// Try `name` in the folder of `file`, in each sysroot, then on the system.
static bool try_beside(struct file_search *search, const char *file, const char *name) {
    const char *slash = file ? strrchr(file, '/') : NULL;
    char *path =
        hp_printed("%.*s/%s", slash ? (int)(slash - file) : 0, slash ? file : "", name);
    bool go_on = !slash || try_roots(search, path);
    free(path);
    return go_on;
}

// Try the last component of `name` in each sysroot.
static bool try_flat_name(struct file_search *search, const char *name) {
    char *path = hp_printed("/%s", hp_basename(name));
    bool go_on = !path[1] || try_sysroots(search, path);
    free(path);
    return go_on;
}

// Search for a .dwo file: by its absolute path, or beside the file that names it.
static void find_unit(struct file_search *search, const char *name) {
    const struct hp_finder *finder = search->finder;
    bool go_on = true;
    if (name[0] == '/') {
        go_on = try_roots(search, name);
    } else {
        go_on = try_beside(search, finder->debug, name) &&
                try_beside(search, finder->module, name);
    }
    if (go_on) {
        try_flat_name(search, name);
    }
}

// Search for the package (.dwp) of a file: by the name of the debug file, by that of the
// module, and by build id.
static void find_package(struct file_search *search, const char *text) {
    const struct hp_finder *finder = search->finder;
    const struct hp_symbol_options *options = finder->options;
    char *id = id_of(text);
    char *of_debug =
        hp_printed("%s.dwp", hp_basename(finder->debug ? finder->debug : ""));
    char *of_module = hp_printed("%s.dwp", hp_basename(finder->path));
    bool go_on = try_beside(search, finder->debug, of_debug) &&
                 try_beside(search, finder->debug, of_module) &&
                 try_beside(search, finder->module, of_module) &&
                 try_flat_name(search, of_module);
    for (size_t i = 0; go_on && id && i < options->symbol_dir_count; i++) {
        char *tree = hp_printed("/.build-id/%.2s/%s.dwp", id, id + 2);
        char *whole = hp_printed("/%s.dwp", id);
        go_on = try_place(search, options->symbol_dirs[i], tree) &&
                try_place(search, options->symbol_dirs[i], whole);
        free(tree);
        free(whole);
    }
    free(id);
    free(of_debug);
    free(of_module);
}

// Search for a shared debug file by the path that .gnu_debugaltlink has.
static void find_path(struct file_search *search, const char *name) {
    if (*name == '/') {
        try_roots(search, name);
    } else if (*name) {
        find_beside(search, search->finder->debug, name);
    }
}

static void find_by_id(struct file_search *search, const char *id) {
    find_build_id(search, id);
}

int hp_finder_open(struct hp_finder *finder, const struct hp_wanted *wanted) {
    static void (*const finds[])(struct file_search *, const char *) = {
        [HP_FIND_BUILD_ID] = find_by_id,  [HP_FIND_LINK] = find_link,
        [HP_FIND_ALT] = find_path,        [HP_FIND_UNIT] = find_unit,
        [HP_FIND_PACKAGE] = find_package,
    };
    struct file_search search = {finder, wanted->find, wanted->n, -1, NULL};
    finder->reason[0] = '\0';
    char *name = hp_printed("%.*s", (int)wanted->name.size, wanted->name.at);
    if (wanted->find != HP_FIND_MODULE) {
        finds[wanted->find](&search, name);
    } else if (finder->only) {
        find_only(&search);
    } else {
        find_module(&search);
    }
    free(name);
    return search.fd;
}

void hp_finder_list(struct hp_finder *finder, struct hp_places *places) {
    struct file_search search = {finder, HP_FIND_MODULE, 0, -1, places};
    finder->reason[0] = '\0';
    find_module(&search);
}
