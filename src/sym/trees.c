#include "sym/trees.h"

#include "base/memory.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

enum {
    MOST_LEVELS = 8,      // depth of folders
    MOST_ENTRIES = 20000, // entries of one root
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
    const char *slash = strrchr(program, '/');
    const char *name = slash ? slash + 1 : program;
    return *name && begins(strrchr(file->path, '/') + 1, name);
}
