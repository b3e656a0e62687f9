// Reading of source files for the list report.
#include "base/files.h"
#include "base/md5.h"
#include "view/report_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    FILE_MAX = 16 << 20,   // most bytes of one file that is read
    FILES_MAX = 256 << 20, // most bytes of all files together
};

// Reasons why there is no source; each has a text for runs without --source-dir and with
// it.
enum absence {
    RELATIVE,
    OTHER_NAME,
    LINK,
    MISSING
};

#define HINT    "; --source-dir=DIR looks below DIR"
#define NOWHERE "not found, nor below --source-dir"

static const char *const reasons[][2] = {
    [RELATIVE] = {"a relative path" HINT, NOWHERE},
    [OTHER_NAME] = {"not called like a source" HINT, NOWHERE},
    [LINK] = {"a symbolic link" HINT,
              "a symbolic link, and not found below --source-dir"},
    [MISSING] = {"not found" HINT, NOWHERE},
};

// State while source files are read.
struct source_reader {
    const char *const *dirs; // folders of --source-dir
    size_t dir_count;
    bool dirs_only; // open no file outside of `dirs`
    size_t bytes;   // sum of the sizes of the files read so far
    const struct hp_profile *profile;
    int64_t *binaries; // result of find_binaries()
};

// Open the file below `dir` whose path there is the longest possible end of `path`.
// Returns its descriptor; -1: there is none.
static int open_below(const char *dir, const char *path) {
    while (*path) {
        int fd = hp_open_file(dir, path);
        if (fd >= 0) {
            return fd;
        }
        const char *slash = strchr(path + (*path == '/'), '/');
        path = slash ? slash + 1 : "";
    }
    return -1;
}

// Whether the name of a file ends like that of a source.
static bool has_source_suffix(const char *path) {
    static const char *const suffixes[] = {
        ".c",   ".cc",  ".cpp", ".cxx", ".c++", ".h",   ".hh",  ".hpp", ".hxx", ".h++",
        ".inc", ".inl", ".ipp", ".tcc", ".tpp", ".def", ".m",   ".mm",  ".rs",  ".go",
        ".s",   ".S",   ".y",   ".l",   ".re",  ".d",   ".di",  ".zig", ".nim", ".swift",
        ".f",   ".f90", ".F",   ".F90", ".pas", ".adb", ".ads", ".cu",  ".cuh", ".C",
    };
    const char *name = strrchr(path, '/') + 1, *dot = strrchr(name, '.');
    for (size_t i = 0; dot > name && i < sizeof suffixes / sizeof *suffixes; i++) {
        if (strcmp(dot, suffixes[i]) == 0) {
            return true;
        }
    }
    return false;
}

// Whether a path looks like that of a source file.  A binary or a profile can name any
// file as its source, even "/etc/passwd", so that only files with the name of a source
// are shown.  Headers of C++ have no suffix.
static bool is_source_name(const char *path) {
    bool is_header = strchr(strrchr(path, '/'), '.') == NULL &&
                     strstr(path, "/include/c++/") != NULL &&
                     strstr(path, "/../") == NULL;
    return has_source_suffix(path) || is_header;
}

// Whether the real path of the open file `fd` also looks like that of a source file:
// folders in `path` may have been symbolic links.
static bool is_source(int fd, const char *path) {
    char where[PATH_MAX];
    return hp_path_of(fd, where) ? where[0] == '/' && is_source_name(where)
                                 : has_source_suffix(path);
}

static bool is_link(const char *path) {
    struct stat info;
    return lstat(path, &info) == 0 && S_ISLNK(info.st_mode);
}

// Open a source file at exactly the path in the symbols.  Returns its descriptor; -1: it
// cannot be opened.  *why becomes the reason.
static int open_named(const struct source_reader *reader, const char *path,
                      enum absence *why) {
    *why = path[0] != '/' ? RELATIVE : !is_source_name(path) ? OTHER_NAME : MISSING;
    if (*why != MISSING || reader->dirs_only) {
        return -1;
    }
    int fd = hp_open_itself(path);
    if (fd < 0) {
        *why = is_link(path) ? LINK : MISSING;
    } else if (!is_source(fd, path)) {
        *why = OTHER_NAME;
        close(fd);
        fd = -1;
    }
    return fd;
}

// Open a source file at its path, or below one of reader->dirs.  Returns its descriptor;
// -1: there is none, and *why becomes the reason.
static int open_source(const struct source_reader *reader, const char *path,
                       const char **why) {
    enum absence absence;
    int fd = open_named(reader, path, &absence);
    for (size_t i = 0; i < reader->dir_count && fd < 0; i++) {
        fd = open_below(reader->dirs[i], path);
    }
    *why = fd < 0 ? reasons[absence][reader->dir_count > 0] : NULL;
    return fd;
}

// Read at most `room` bytes of a file; *size becomes their number.  Returns false if it
// cannot be read.
static bool read_all(int fd, char *text, size_t room, size_t *size) {
    *size = 0;
    while (*size < room) {
        ssize_t got = read(fd, text + *size, room - *size);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return got == 0;
        }
        *size += (size_t)got;
    }
    return true;
}

// Set source->lines: the lines of `text`, without line ends.  They point into `text`.
static void split(struct hp_source_file *source, const char *text, size_t size) {
    HP_VEC(struct hp_span) lines = {0};
    const char *end = text + size;
    while (text < end) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        const char *stop = newline ? newline : end;
        size_t length = (size_t)(stop - text);
        length -= length > 0 && text[length - 1] == '\r';
        hp_vec_push(&lines, ((struct hp_span){text, length}));
        text = newline ? newline + 1 : end;
    }
    source->lines = lines.at;
    source->line_count = lines.count;
}

// Whether a source file is the one that was compiled.  Its MD5 decides if binaries record
// one; else its modification time `written`, compared with that of the newest binary.
// `size`: that of file->text.
static enum hp_source_version version_of(const struct source_reader *reader,
                                         const struct hp_source_file *file, size_t size,
                                         int64_t written) {
    int64_t binary = reader->binaries[file->file.n];
    enum hp_source_version version =
        binary > 0 && written > binary ? HP_SOURCE_NEWER : HP_SOURCE_UNCHECKED;
    uint8_t md5[HP_MD5_SIZE];
    bool is_known = false, differs = false;
    const struct hp_source_digest *source;
    hp_vec_each (source, &reader->profile->sources) {
        if (source->file.n == file->file.n) {
            if (!is_known) {
                hp_md5(file->text, size, md5);
            }
            is_known = true;
            differs |= memcmp(md5, source->md5, sizeof md5) != 0;
        }
    }
    return differs ? HP_SOURCE_DIFFERS : is_known ? HP_SOURCE_SAME : version;
}

// Read the open file `fd` into `source`.  Returns the reason if it is not read; NULL: it
// was read.
static const char *read_text(struct source_reader *reader, int fd,
                             struct hp_source_file *source) {
    struct stat info;
    if (fstat(fd, &info) != 0) {
        return hp_words(HP_WORDS("source-without-size", "the file cannot be read"));
    }
    if (info.st_size > FILE_MAX) {
        return hp_words(HP_WORDS("source-too-large", "the file is larger than 16 MiB"));
    }
    if (reader->bytes + (size_t)info.st_size > FILES_MAX) {
        return hp_words(
            HP_WORDS("sources-too-large", "the files before are 256 MiB already"));
    }
    size_t room = (size_t)info.st_size, size;
    source->text = hp_alloc(room + 1);
    if (!read_all(fd, source->text, room, &size)) {
        return hp_words(HP_WORDS("source-not-read", "the file cannot be read"));
    }
    reader->bytes += size;
    source->version = version_of(reader, source, size, info.st_mtime);
    split(source, source->text, size);
    return NULL;
}

// Read a source file, or set source->why to the reason why it is not read.
static void read_source(struct source_reader *reader, struct hp_source_file *source) {
    const char *path = hp_profile_text(reader->profile, source->file);
    int fd = open_source(reader, path, &source->why);
    if (fd >= 0) {
        source->why = read_text(reader, fd, source);
        close(fd);
    }
}

bool hp_source_exists(const struct hp_view *view, hp_string file) {
    const char *why;
    struct source_reader reader = {.dirs = view->options.sources.dirs,
                                   .dir_count = view->options.sources.count,
                                   .dirs_only = view->options.sources.only,
                                   .profile = view->profile};
    int fd =
        file.n ? open_source(&reader, hp_profile_text(view->profile, file), &why) : -1;
    if (fd >= 0) {
        close(fd);
    }
    return fd >= 0;
}

// For each string of the profile that is a source file: the modification time of the
// newest binary with lines of it; 0: none.  The caller frees the array.
static int64_t *find_binaries(const struct hp_profile *profile) {
    int64_t *binaries = hp_alloc((profile->strings.strings.count + 1) * sizeof *binaries);
    const struct hp_frame *frame;
    hp_vec_each (frame, &profile->frames) {
        int64_t modified = profile->modules.at[frame->module.n].modified;
        for (uint32_t i = 0; i < frame->lines; i++) {
            int64_t *binary = &binaries[profile->lines.at[frame->first_line + i].file.n];
            *binary = modified > *binary ? modified : *binary;
        }
    }
    return binaries;
}

void hp_sources_read(struct hp_listing *listing, const struct hp_view *view) {
    struct source_reader reader = {.dirs = view->options.sources.dirs,
                                   .dir_count = view->options.sources.count,
                                   .dirs_only = view->options.sources.only,
                                   .profile = view->profile,
                                   .binaries = find_binaries(view->profile)};
    uint32_t *source_of =
        hp_alloc((view->profile->strings.strings.count + 1) * sizeof *source_of);
    struct hp_listed_function *function;
    hp_vec_each (function, &listing->functions) {
        struct hp_source_file source = {.file = function->file};
        if (function->file.n && !source_of[function->file.n]) {
            read_source(&reader, &source);
            hp_vec_push(&listing->sources, source);
            source_of[function->file.n] = (uint32_t)listing->sources.count;
        }
        function->source = source_of[function->file.n];
    }
    free(reader.binaries);
    free(source_of);
}

void hp_sources_done(struct hp_listing *listing) {
    struct hp_source_file *source;
    hp_vec_each (source, &listing->sources) {
        free(source->lines);
        free(source->text);
    }
    hp_vec_done(&listing->sources);
}
