// The program calls the library, which allocates:
//
//     frame 0, 1           two places of the library, different for each stack
//     frame 2, 3           two places of the program, different for each stack
//     frame 4, 5           two places of the program, the same for all stacks
//
// Each module has a page of headers, 4 MiB of text and a page of data.
#include "sim/process.h"

enum {
    PAGE = 0x1000,
    TEXT_SIZE = 1 << 22,
    DATA_OFFSET = PAGE + TEXT_SIZE,
    PLACE_SIZE = 16, // least distance of places in bytes
};

static const struct {
    const char *path;
    uint64_t lowest; // lowest load address
    unsigned inode;
} modules[HPS_PROCESS_MODULES] = {
    {"/srv/simulated/server", 0x550000000000, 4001},
    {"/srv/simulated/libwork.so.1", 0x7f0000000000, 4002},
};

void hps_process_init(struct hps_process *process, struct hps_random *random) {
    for (int i = 0; i < HPS_PROCESS_MODULES; i++) {
        process->base[i] = modules[i].lowest + hps_random_below(random, 1 << 28) * PAGE;
    }
}

// The module of frame `i`: 1 for the library, 0 for the program.
static int module_of(uint32_t i) {
    return i < 2;
}

// The return address of frame `i`, as an offset in its module.
static uint64_t offset_of(uint32_t stack, uint32_t i) {
    uint64_t place = i < 4 ? 2 + 2 * (uint64_t)stack + i % 2 : i % 2;
    return PAGE + 8 + place * PLACE_SIZE % TEXT_SIZE;
}

struct hps_process_frame hps_process_frame(uint32_t stack, uint32_t i) {
    return (struct hps_process_frame){modules[module_of(i)].path, offset_of(stack, i)};
}

// The addresses of a stack; `context` is the process.
static uint32_t frames_of(const void *context, uint32_t stack,
                          uintptr_t frames[HPS_SAMPLING_DEPTH]) {
    const struct hps_process *process = context;
    for (uint32_t i = 0; i < HPS_PROCESS_DEPTH; i++) {
        frames[i] = process->base[module_of(i)] + offset_of(stack, i);
    }
    return HPS_PROCESS_DEPTH;
}

struct hps_sampling_frames hps_process_frames(const struct hps_process *process) {
    return (struct hps_sampling_frames){frames_of, process};
}

// Write one line of the map.
static void write_row(struct hps_textfile *file, uint64_t start, uint64_t end,
                      const char *permissions, uint64_t offset, int module) {
    hps_textfile_hex(file, start);
    hps_textfile_text(file, "-");
    hps_textfile_hex(file, end);
    hps_textfile_text(file, permissions);
    // Offsets have eight digits, as the kernel writes them; at most seven are not leading
    // zeros.
    for (uint64_t unit = 0x10000000; unit > 1 && offset < unit; unit /= 16) {
        hps_textfile_text(file, "0");
    }
    hps_textfile_hex(file, offset);
    hps_textfile_text(file, " fe:00 ");
    hps_textfile_decimal(file, modules[module].inode);
    hps_textfile_text(file, "                       ");
    hps_textfile_text(file, modules[module].path);
    hps_textfile_text(file, "\n");
}

void hps_process_write_map(const struct hps_process *process, struct hps_textfile *file) {
    for (int i = 0; i < HPS_PROCESS_MODULES; i++) {
        uint64_t base = process->base[i];
        write_row(file, base, base + PAGE, " r--p ", 0, i);
        write_row(file, base + PAGE, base + DATA_OFFSET, " r-xp ", PAGE, i);
        write_row(file, base + DATA_OFFSET, base + DATA_OFFSET + PAGE, " rw-p ",
                  DATA_OFFSET, i);
    }
}
