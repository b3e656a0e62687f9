#include "base/files.h"
#include "view/report_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    FILE_MAX = 16 << 20,
    FILES_MAX = 256 << 20, // bytes of all
};

struct reader {
    const char *const *dirs;
    size_t dir_count;
    size_t bytes; // read so far
};

// The longest end of the path that is there.
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

static int open_source(const struct reader *reader, const char *path) {
    int fd = -1;
    for (size_t i = 0; i < reader->dir_count && fd < 0; i++) {
        fd = open_below(reader->dirs[i], path);
    }
    return fd;
}

// At most `room` bytes; false if it cannot be read.
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

static const char *read_text(struct reader *reader, int fd,
                             struct hp_source_file *source) {
    struct stat info;
    if (fstat(fd, &info) != 0 || info.st_size > FILE_MAX) {
        return "the file is larger than 16 MiB";
    }
    if (reader->bytes + (size_t)info.st_size > FILES_MAX) {
        return "the files before are 256 MiB already";
    }
    size_t room = (size_t)info.st_size, size;
    source->text = hp_alloc(room + 1);
    if (!read_all(fd, source->text, room, &size)) {
        return "the file cannot be read";
    }
    reader->bytes += size;
    split(source, source->text, size);
    return NULL;
}

static void read_source(struct reader *reader, const char *path,
                        struct hp_source_file *source) {
    int fd = open_source(reader, path);
    if (fd >= 0) {
        source->why = read_text(reader, fd, source);
        close(fd);
    } else {
        source->why = reader->dir_count > 0 ? "not found below --source-dir"
                                            : "--source-dir tells where sources are";
    }
}

void hp_sources_read(struct hp_listing *listing, const struct hp_view *view) {
    struct reader reader = {view->options.source_dirs, view->options.source_dir_count, 0};
    uint32_t *source_of =
        hp_alloc((view->profile->strings.strings.count + 1) * sizeof *source_of);
    struct hp_listed_function *function;
    hp_vec_each (function, &listing->functions) {
        struct hp_source_file source = {.file = function->file};
        if (function->file.n && !source_of[function->file.n]) {
            read_source(&reader, hp_profile_text(view->profile, function->file), &source);
            hp_vec_push(&listing->sources, source);
            source_of[function->file.n] = (uint32_t)listing->sources.count;
        }
        function->source = source_of[function->file.n];
    }
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
