// The dumps of a host follow each other; each is of one of three kinds:
//
//     new      the first dump of a process
//     next     the next dump of the same process
//     fork     the first dump of a process that was forked from it and did nothing: it
//              has the same bytes under another process id
//
// A stack is a path through a tree: the callee of a frame is a hash of its depth and of
// the first bits of the stack's number, so that stacks have their first calls in common.
// The numbers follow Zipf's law: every interval from 2^n to 2^(n+1) is equally frequent.
#include "sim/fleet.h"

#include "core/random.h"

enum {
    PAGE = 0x1000,
    PLACE_SIZE = 16,  // least distance of places in bytes
    RANK_BITS = 12,   // bits in the numbers of a service's stacks
    SHORTEST = 4,     // least number of frames
    LENGTHS = 20,     // number of different lengths
    PLACES = 1 << 16, // number of places in a module that frames may have
    LEAVES = 1 << 20, // number of places in the program that call malloc()
    FIRST_PID = 300,
    LONG_NAME = 300, // least bytes of a long path
};

enum purpose { // the purpose of a hash
    HOST = 1,
    SLOT,
    PROCESS,
    KIND,
    FRAME,
    SHAPE,
    OWN,
};

static const char *const services[] = {"api", "cart", "render", "store"};
static const char *const versions[] = {"1.4", "1.5", "2.0"};

// The modules; the first is the program, and the third has a long path.
static const struct {
    const char *path;
    uint64_t lowest, text; // lowest load address; bytes of text
    unsigned inode;
} modules[HPS_FLEET_MODULES] = {
    {NULL, 0x550000000000, 2 * LEAVES *PLACE_SIZE, 0},
    {"/usr/lib/x86_64-linux-gnu/libc.so.6", 0x7f1000000000, PLACES *PLACE_SIZE, 2101},
    {NULL, 0x7f2000000000, PLACES *PLACE_SIZE, 2102},
    {"/usr/lib/x86_64-linux-gnu/libstdc++.so.6.0.33", 0x7f3000000000, PLACES *PLACE_SIZE,
     2103},
    {"/srv/fleet/lib/libwire.so.3 (deleted)", 0x7f4000000000, PLACES *PLACE_SIZE, 2104},
    {"/usr/lib/x86_64-linux-gnu/libjemalloc.so.2", 0x7f5000000000, PLACES *PLACE_SIZE,
     2105},
};

uint64_t hps_fleet_mix(uint64_t a, uint64_t b) {
    uint64_t z = a * 0x9e3779b97f4a7c15 + b + 0x2545f4914f6cdd1d;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

// A hash of a number for one purpose.
static uint64_t hash(const struct hps_fleet *fleet, enum purpose purpose, uint64_t n) {
    return hps_fleet_mix(hps_fleet_mix(fleet->seed, purpose), n);
}

// --- dumps -----------------------------------------------------------------------------

// Kind of a dump.
enum slot {
    NEW,
    NEXT,
    FORK,
};

// The kind of a dump; the first dump of each host is new.
static enum slot slot_of(const struct hps_fleet *fleet, uint64_t number) {
    if (number % HPS_FLEET_HOST == 0) {
        return NEW;
    }
    unsigned draw = hash(fleet, SLOT, number) % 64;
    return draw < 10 ? NEXT : draw == 10 ? FORK : NEW;
}

// Whether the next dump is of the same process.
static bool goes_on(const struct hps_fleet *fleet, uint64_t number) {
    return slot_of(fleet, number + 1) == NEXT;
}

// Whether the dump is the last of a process that ended; only processes with several dumps
// end.
static bool is_final(const struct hps_fleet *fleet, uint64_t number) {
    return slot_of(fleet, number) == NEXT && slot_of(fleet, number + 1) == NEW &&
           hash(fleet, KIND, number) % 4 == 0;
}

struct hps_fleet_dump hps_fleet_dump(const struct hps_fleet *fleet, uint64_t number) {
    struct hps_fleet_dump dump = {.number = number};
    // First dump of the process with this process id.
    uint64_t at = number, first = number + 1;
    dump.is_fork = slot_of(fleet, number) == FORK;
    dump.is_final = is_final(fleet, number);
    for (enum slot slot; (slot = slot_of(fleet, at)) != NEW; at--) {
        dump.sequence += slot == NEXT;
        first = slot == FORK && first == number + 1 ? at : first;
    }
    dump.process = at;
    first = first == number + 1 ? at : first;
    dump.pid = FIRST_PID + first % HPS_FLEET_HOST +
               hash(fleet, HOST, number / HPS_FLEET_HOST) % 100000 * HPS_FLEET_HOST;
    return dump;
}

bool hps_fleet_is_used(const struct hps_fleet *fleet, const struct hps_fleet_dump *dump,
                       uint64_t first, uint64_t end) {
    uint64_t number = dump->number;
    bool has_older = number > first && slot_of(fleet, number) == NEXT;
    bool has_newer = number + 1 < end && goes_on(fleet, number);
    return dump->is_final ? !has_older : !has_newer || is_final(fleet, number + 1);
}

// --- processes -------------------------------------------------------------------------

// Whether the process has a stack with this key.
static bool has_stack(const struct hps_fleet_process *process, uint64_t key) {
    for (unsigned i = 0; i < process->stack_count; i++) {
        if (process->stacks[i].key == key) {
            return true;
        }
    }
    return false;
}

// Add a stack, if there is room and it is new.
static void add_stack(struct hps_fleet_process *process, struct hps_fleet_stack stack) {
    if (process->stack_count < HPS_FLEET_STACKS && !has_stack(process, stack.key)) {
        process->stacks[process->stack_count++] = stack;
    }
}

// Draw the number of a stack: every interval from 2^n to 2^(n+1) - 1 is equally likely.
static uint64_t draw_rank(struct hps_random *random) {
    uint64_t octave = hps_random_below(random, RANK_BITS);
    return (1u << octave) + hps_random_below(random, (uint64_t)1 << octave);
}

// Draw the stacks of a process, some of them with frames in no mapping or unique.
static void draw_stacks(const struct hps_fleet *fleet, struct hps_fleet_process *process,
                        struct hps_random *random) {
    unsigned draws = 8 + (unsigned)hps_random_below(random, 16);
    for (unsigned i = 0; i < draws; i++) {
        uint64_t rank = draw_rank(random);
        bool is_jitted = process->service == 2 && rank % 4 == 1 && !fleet->shared;
        add_stack(process, (struct hps_fleet_stack){.key = rank, .is_jitted = is_jitted});
    }
    if (hps_random_below(random, 4) == 0 && !fleet->shared) {
        uint64_t key = hps_fleet_mix(process->key, OWN) | 1u << RANK_BITS;
        add_stack(process, (struct hps_fleet_stack){.key = key, .is_unique = true});
    }
}

// Draw the addresses of the mappings.
static void place(struct hps_fleet_process *process, struct hps_random *random) {
    for (unsigned i = 0; i < HPS_FLEET_MODULES; i++) {
        process->base[i] = modules[i].lowest + hps_random_below(random, 1 << 23) * PAGE;
    }
    process->vdso = 0x7e0000000000 + hps_random_below(random, 1 << 28) * PAGE;
    process->stack_end = 0x7ffc00000000 + hps_random_below(random, 1 << 22) * PAGE;
    process->jit = 0x3a0000000000 + hps_random_below(random, 1 << 28) * PAGE;
}

void hps_fleet_process(const struct hps_fleet *fleet, uint64_t number,
                       struct hps_fleet_process *process) {
    static const uint64_t periods[] = {1 << 19, 1 << 19, 1 << 16, 1 << 21};
    struct hps_random random;
    process->key = hash(fleet, PROCESS, number);
    hps_random_init(&random, process->key);
    process->service = (unsigned)hps_random_below(&random, 4);
    process->version = (unsigned)hps_random_below(&random, 3);
    process->is_private = hps_random_below(&random, 20) == 0 && !fleet->shared;
    bool is_other = hps_random_below(&random, 16) == 0; // a user has set another period
    process->period = periods[process->service] << (is_other ? 1 : 0);
    process->is_raw = process->version == 0;
    process->has_accum = process->service % 2 == 0;
    process->threads = 1 + (unsigned)hps_random_below(&random, 4);
    process->stack_count = 0;
    place(process, &random);
    draw_stacks(fleet, process, &random);
}

// --- frames ----------------------------------------------------------------------------

// A return address.  Places in a private build are shifted far, and those in a version a
// little.
static uint64_t address(const struct hps_fleet_process *process, unsigned module,
                        uint64_t place) {
    uint64_t offset = PAGE + place * PLACE_SIZE + 5;
    if (module == 0) {
        offset += process->version * PLACE_SIZE;
        offset += process->is_private ? process->key % (LEAVES / 2) * PLACE_SIZE : 0;
    }
    return process->base[module] + offset;
}

// The frame at a distance from the root.  Close to the root, many stacks have the same
// frames.
static uint64_t common_frame(const struct hps_fleet_process *process, uint64_t key,
                             unsigned from_root) {
    unsigned bits = from_root < RANK_BITS ? RANK_BITS - from_root : 0;
    uint64_t path = hps_fleet_mix(key >> bits, hps_fleet_mix(FRAME, from_root));
    unsigned module = path >> 60 < 10 || from_root < 2 ? 0 : 1 + path % 4;
    uint64_t of = module > 0 ? path : hps_fleet_mix(path, process->service);
    return address(process, module, of / 64 % PLACES);
}

// For one stack in 16, repeat one to three calls many times, as recursion does.  Returns
// the depth.
static unsigned repeat(uint64_t frames[HPS_FLEET_FRAMES], unsigned depth,
                       uint64_t shape) {
    unsigned period = 1 + (unsigned)(shape / 64 % 3);
    unsigned times = 1 + (unsigned)(shape / 256 % 32);
    if (shape % 16 != 0 || depth < SHORTEST) {
        return depth;
    }
    for (unsigned i = 0; i < period * times && depth < HPS_FLEET_FRAMES - LENGTHS; i++) {
        frames[depth] = frames[depth - period];
        depth++;
    }
    return depth;
}

unsigned hps_fleet_frames(const struct hps_fleet_process *process, unsigned stack,
                          uint64_t frames[HPS_FLEET_FRAMES], uint64_t *unmapped) {
    const struct hps_fleet_stack *of = &process->stacks[stack];
    uint64_t shape = hps_fleet_mix(hps_fleet_mix(of->key, SHAPE), process->service);
    unsigned depth = 0, length = SHORTEST + (unsigned)(shape / 8192 % LENGTHS);
    uint64_t common = of->is_unique ? of->key % (1 << RANK_BITS) : of->key;
    frames[depth++] = address(process, 5, 77); // malloc()
    frames[depth++] = address(process, 0, of->is_unique ? of->key % LEAVES : of->key);
    if (of->is_unique) {
        frames[depth++] = address(process, 0, of->key / LEAVES % LEAVES);
    }
    if (of->is_jitted) {
        unsigned run = 1 + (unsigned)(shape % 3);
        for (unsigned i = 0; i < run; i++) {
            frames[depth++] =
                process->jit + hps_fleet_mix(of->key, i) % (1 << 20) * PLACE_SIZE + 3;
        }
        *unmapped += run;
    }
    for (unsigned i = length; i > 0; i--) {
        frames[depth++] = common_frame(process, common, i - 1);
        depth = i == length / 2 ? repeat(frames, depth, shape) : depth;
    }
    return depth;
}

// --- names -----------------------------------------------------------------------------

void hps_fleet_write_path(const struct hps_fleet *fleet,
                          const struct hps_fleet_dump *dump, struct hps_text *text) {
    struct hps_fleet_process process;
    uint64_t host = dump->number / HPS_FLEET_HOST;
    hps_fleet_process(fleet, dump->process, &process);
    hps_text_put(text, "zone-");
    hps_text_decimal(text, host % 3);
    hps_text_put(text, "/");
    hps_text_put(text, services[process.service]);
    hps_text_put(text, "/");
    hps_text_put(text, versions[process.version]);
    hps_text_put(text, "/h");
    hps_text_number(text, host, 10, 7);
    hps_text_put(text, "/");
    for (size_t start = text->size; host % 64 == 7 && text->size - start < LONG_NAME;) {
        hps_text_put(text, "a-folder-with-a-long-name-in-it/");
    }
    hps_text_put(text, services[process.service]);
    hps_text_put(text, ".");
    hps_text_decimal(text, dump->pid);
    hps_text_put(text, ".");
    hps_text_decimal(text, dump->sequence);
    hps_text_put(text, dump->is_final ? ".f" : ".i");
    if (!dump->is_final) {
        hps_text_decimal(text, dump->sequence);
    }
    hps_text_put(text, ".heap");
}

// Append the path of the program.
static void write_program(const struct hps_fleet_process *process,
                          struct hps_text *text) {
    hps_text_put(text, process->is_private ? "/home/build-" : "/srv/fleet/");
    if (process->is_private) {
        hps_text_hex(text, process->key, 16);
    } else {
        hps_text_put(text, versions[process->version]);
    }
    hps_text_put(text, "/bin/");
    hps_text_put(text, services[process->service]);
}

// Append the path of a module.
static void write_module(const struct hps_fleet_process *process, unsigned module,
                         struct hps_text *text) {
    if (module == 0) {
        write_program(process, text);
    } else if (modules[module].path) {
        hps_text_put(text, modules[module].path);
    } else {
        static const char end[] = "/libplugins.so";
        size_t start = text->size;
        hps_text_put(text, "/srv/fleet");
        while (text->size - start < LONG_NAME - sizeof end) {
            hps_text_put(text, "/x86_64");
        }
        hps_text_put(text, end);
    }
}

// Append a line of the map; `at` is start, end and offset.
static void write_row(const struct hps_fleet_process *process, unsigned module,
                      const uint64_t at[3], const char *permissions,
                      struct hps_text *text) {
    uint64_t inode = module > 0 ? modules[module].inode
                                : 100 + 10 * process->service + process->version;
    hps_text_hex(text, process->base[module] + at[0], 1);
    hps_text_put(text, "-");
    hps_text_hex(text, process->base[module] + at[1], 1);
    hps_text_put(text, permissions);
    hps_text_hex(text, at[2], 8);
    hps_text_put(text, " fe:00 ");
    hps_text_decimal(text, inode);
    hps_text_put(text, "                       ");
    write_module(process, module, text);
    hps_text_put(text, "\n");
}

// Append a line of the map for a mapping without a file.
static void write_pseudo(struct hps_text *text, const uint64_t range[2],
                         const char *permissions, const char *name) {
    hps_text_hex(text, range[0], 1);
    hps_text_put(text, "-");
    hps_text_hex(text, range[1], 1);
    hps_text_put(text, permissions);
    hps_text_put(text, "00000000 00:00 0                          ");
    hps_text_put(text, name);
    hps_text_put(text, "\n");
}

void hps_fleet_write_map(const struct hps_fleet_process *process, struct hps_text *text) {
    for (unsigned i = 0; i < HPS_FLEET_MODULES; i++) {
        uint64_t end = PAGE + (modules[i].text + PAGE - 1) / PAGE * PAGE;
        write_row(process, i, (uint64_t[]){0, PAGE, 0}, " r--p ", text);
        write_row(process, i, (uint64_t[]){PAGE, end, PAGE}, " r-xp ", text);
        write_row(process, i, (uint64_t[]){end, end + PAGE, end}, " rw-p ", text);
    }
    write_pseudo(text, (uint64_t[]){process->vdso, process->vdso + 2 * PAGE}, " r-xp ",
                 "[vdso]");
    write_pseudo(text, (uint64_t[]){process->stack_end - 33 * PAGE, process->stack_end},
                 " rw-p ", "[stack]");
}
