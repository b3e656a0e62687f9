#include "base/memory.h"
#include "model/profile.h"
#include "base/files.h"

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
    struct hp_profile *profile;
    const char *const *dirs;
    size_t dir_count;
    size_t bytes;  // read so far
    bool *is_seen; // of each string: a file that was looked for
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
    char *text = hp_alloc(room + 1);
    hp_profile_adopt(reader->profile, text);
    if (!read_all(fd, text, room, &size)) {
        return "the file cannot be read";
    }
    reader->bytes += size;
    split(source, text, size);
    hp_profile_adopt(reader->profile, source->lines);
    return NULL;
}

static void add_source(struct reader *reader, hp_string file) {
    struct hp_source_file source = {.file = file};
    int fd = open_source(reader, hp_profile_text(reader->profile, file));
    if (fd >= 0) {
        source.why = read_text(reader, fd, &source);
        close(fd);
    } else {
        source.why = reader->dir_count > 0 ? "not found below --source-dir"
                                           : "--source-dir tells where sources are";
    }
    hp_vec_push(&reader->profile->sources, source);
}

void hp_profile_read_sources(struct hp_profile *profile, const char *const *dirs,
                             size_t count) {
    struct reader reader = {.profile = profile, .dirs = dirs, .dir_count = count};
    const struct hp_line *line;
    reader.is_seen = hp_alloc(profile->strings.strings.count + 1);
    hp_vec_each (line, &profile->lines) {
        bool is_picked =
            profile->marks.strings.at &&
            (profile->marks.strings.at[line->function.n] & hp_mark_of(HP_PICK)) != 0;
        if (is_picked && line->file.n && !reader.is_seen[line->file.n]) {
            reader.is_seen[line->file.n] = true;
            add_source(&reader, line->file);
        }
    }
    free(reader.is_seen);
}
