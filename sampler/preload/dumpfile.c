// A dump is written to PATH.PID.tmp, and renamed when it is complete.
#include "preload/dumpfile.h"

#include "preload/complain.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// --- names --------------------------------------------------------------------------

// Append bytes; cut them if the path becomes too long.
static void add_bytes(struct hps_path *path, const char *bytes, size_t length) {
    size_t room = sizeof path->text - 1 - path->length;
    path->overlong |= length > room;
    length = length < room ? length : room;
    memcpy(path->text + path->length, bytes, length);
    path->length += length;
    path->text[path->length] = '\0';
}

void hps_path_text(struct hps_path *path, const char *text) {
    add_bytes(path, text, strlen(text));
}

void hps_path_number(struct hps_path *path, uint64_t number) {
    char digits[20];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    add_bytes(path, digits + at, sizeof digits - at);
}

void hps_path_pattern(struct hps_path *path, const char *pattern, bool distinct) {
    uint64_t process = (uint64_t)getpid();
    for (const char *mark; (mark = strstr(pattern, "%p")); pattern = mark + 2) {
        add_bytes(path, pattern, (size_t)(mark - pattern));
        hps_path_number(path, process);
        distinct = false;
    }
    hps_path_text(path, pattern);
    if (distinct) {
        hps_path_text(path, ".");
        hps_path_number(path, process);
    }
}

// --- files --------------------------------------------------------------------------

// Append /proc/self/maps; errors are stored in the file.
static void copy_map(struct hps_textfile *file) {
    int map = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    if (map < 0) {
        file->error = file->error ? file->error : errno;
        return;
    }
    hps_textfile_copy(file, map);
    close(map);
}

int hps_dumpfile_write_to(int fd, const struct hps_ledger *ledger,
                          struct hps_heapfile_options options) {
    static struct hps_textfile file; // static, as stacks may be small
    hps_textfile_init(&file, fd);
    int error = hps_heapfile_write(&file, ledger, options);
    if (error == 0) {
        hps_heapfile_begin_map(&file);
        copy_map(&file);
        error = hps_textfile_flush(&file);
    }
    return error;
}

// Write a dump to `temporary` and rename it.  Returns 0 or an errno; no file is left
// then.
static int write_renamed(const struct hps_path *path, const char *temporary,
                         const struct hps_ledger *ledger,
                         struct hps_heapfile_options options) {
    unlink(temporary); // left by a killed process with the same id
    int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0) {
        return errno;
    }
    int error = hps_dumpfile_write_to(fd, ledger, options);
    if (close(fd) != 0 && error == 0) {
        error = errno;
    }
    if (error == 0 && rename(temporary, path->text) != 0) {
        error = errno;
    }
    if (error != 0) {
        unlink(temporary);
    }
    return error;
}

int hps_dumpfile_write(const struct hps_path *path, const struct hps_ledger *ledger,
                       struct hps_heapfile_options options) {
    static struct hps_path temporary;
    temporary = *path;
    hps_path_text(&temporary, ".");
    hps_path_number(&temporary, (uint64_t)getpid());
    hps_path_text(&temporary, ".tmp");
    int error = temporary.overlong ? ENAMETOOLONG
                                   : write_renamed(path, temporary.text, ledger, options);
    if (error != 0) {
        hps_complain("cannot write", path->text, strerrordesc_np(error));
    }
    return error;
}
