#include "sim/sim_files.h"

#include "sim/sim.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    PATH_SIZE = 4096,
};

int hps_sim_make_folder(const char *folder) {
    return mkdir(folder, 0777) != 0 && errno != EEXIST
               ? hps_sim_fail("cannot make %s: %s", folder, strerror(errno))
               : 0;
}

FILE *hps_sim_open(const char *folder, const char *name) {
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    if (!file) {
        hps_sim_fail("cannot write %s: %s", path, strerror(errno));
    }
    return file;
}

int hps_sim_close(FILE *file, const char *folder, const char *name) {
    bool failed = ferror(file) != 0;
    failed |= fclose(file) != 0;
    return failed ? hps_sim_fail("cannot write %s/%s", folder, name) : 0;
}

int hps_sim_write_dump(const char *folder, const char *name,
                       const struct hps_ledger *ledger, const struct hps_process *process,
                       struct hps_heapfile_options options) {
    static struct hps_textfile file;
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0) {
        return hps_sim_fail("cannot write %s: %s", path, strerror(errno));
    }
    hps_textfile_init(&file, fd);
    int error = hps_heapfile_write(&file, ledger, options);
    hps_heapfile_begin_map(&file);
    hps_process_write_map(process, &file);
    int last = hps_textfile_flush(&file);
    error = error ? error : last;
    if (close(fd) != 0 && !error) {
        error = errno;
    }
    return error ? hps_sim_fail("cannot write %s: %s", path, strerror(error)) : 0;
}

void hps_sim_write_frames(FILE *to, uint32_t stack) {
    fputs("\"frames\": [", to);
    for (uint32_t i = 0; i < HPS_PROCESS_DEPTH; i++) {
        struct hps_process_frame frame = hps_process_frame(stack, i);
        fprintf(to, "%s{\"module\": \"%s\", \"offset\": %llu}", i ? ", " : "",
                frame.module, (unsigned long long)frame.offset);
    }
    fputs("]", to);
}
