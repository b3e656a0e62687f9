// The command `fleet`: write the dumps of a fleet as a tar archive or, with --expected,
// print their sums:
//
//     {"dumps": 3, "bytes": 20480, "hosts": 1, "processes": 3, "forks": 0, "ended": 0,
//      "all": {"dumps": 3, "stacks": 41, "unmapped": 0,
//              "lines": {"live_objects": 321, "live_bytes": 987654, "ever_objects": ...},
//              "sampled": {...}, "truth": {...}},
//      "last": {"dumps": 3, ...}}
//
// `bytes` is the size of the archive.  `all` has the sums of all dumps, `last` those of
// one dump for each process: its newest one in the range, except that one before an exit
// dump is preferred to that.  `lines` are the sums of the lines "t*" of stacks, `sampled`
// those of the sampled objects, `truth` those of all objects.  `ever_...` are sums over
// processes whose dumps contain these numbers.
//
// Names longer than 100 bytes are in pax records before their file.
#include "sim/fleet_dump.h"
#include "sim/sim.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BLOCK = 512,             // bytes of a tar record
    NAME_MAX_TAR = 100,      // longest name in a header
    FIRST_TIME = 1700000000, // seconds since 1970
};

// The numbers that --expected prints.
struct census {
    uint64_t bytes, hosts, processes, forks, ended;
    struct hps_fleet_totals all, last;
};

// The archive.
struct tar_output {
    FILE *to; // NULL: only count the bytes
    uint64_t bytes;
};

// Write bytes and count them.
static void put(struct tar_output *out, const void *bytes, size_t size) {
    out->bytes += size;
    if (out->to) {
        fwrite(bytes, 1, size, out->to);
    }
}

// --- tar -------------------------------------------------------------------------------

// Write an octal number with leading zeros and a NUL.
static void put_octal(char *field, size_t digits, uint64_t number) {
    field[digits] = '\0';
    while (digits-- > 0) {
        field[digits] = (char)('0' + number % 8);
        number /= 8;
    }
}

// Write the header of a file.
static void put_header(struct tar_output *out, const char *name, size_t length, char kind,
                       size_t size, uint64_t time) {
    char header[BLOCK] = {0};
    unsigned sum = 0;
    memcpy(header, name, length < NAME_MAX_TAR ? length : NAME_MAX_TAR);
    put_octal(header + 100, 7, 0644);
    put_octal(header + 108, 7, 0);
    put_octal(header + 116, 7, 0);
    put_octal(header + 124, 11, size);
    put_octal(header + 136, 11, time);
    memset(header + 148, ' ', 8);
    header[156] = kind;
    memcpy(header + 257,
           "ustar\0"
           "00",
           8);
    for (size_t i = 0; i < BLOCK; i++) {
        sum += (unsigned char)header[i];
    }
    put_octal(header + 148, 6, sum);
    put(out, header, BLOCK);
}

// Write the content of a file, padded to a whole record.
static void put_data(struct tar_output *out, const struct hps_text *text) {
    static const char zeros[BLOCK];
    put(out, text->at, text->size);
    put(out, zeros, (BLOCK - text->size % BLOCK) % BLOCK);
}

// Write a pax header with the long name of the next file.  Its record is "LENGTH
// path=NAME\n", where LENGTH is the length of the whole record.
static void put_long_name(struct tar_output *out, const struct hps_text *name) {
    struct hps_text record = {0};
    size_t length = name->size + sizeof " path=\n" - 1 + 3; // LENGTH has 3 digits
    hps_text_decimal(&record, length);
    hps_text_put(&record, " path=");
    hps_text_bytes(&record, name->at, name->size);
    hps_text_put(&record, "\n");
    put_header(out, "pax", 3, 'x', record.size, FIRST_TIME);
    put_data(out, &record);
    free(record.at);
}

// Write a file with its headers.
static void put_file(struct tar_output *out, const struct hps_text *name,
                     const struct hps_text *text, uint64_t time) {
    if (name->size > NAME_MAX_TAR) {
        put_long_name(out, name);
    }
    put_header(out, name->at, name->size, '0', text->size, time);
    put_data(out, text);
}

// Write the end of the archive.
static void put_end(struct tar_output *out) {
    static const char zeros[2 * BLOCK];
    put(out, zeros, sizeof zeros);
}

// --- sums ------------------------------------------------------------------------------

// Add sums; the same for totals.
static void add(struct hps_fleet_sums *to, const struct hps_fleet_sums *from) {
    to->live_objects += from->live_objects;
    to->live_bytes += from->live_bytes;
    to->ever_objects += from->ever_objects;
    to->ever_bytes += from->ever_bytes;
}

static void add_totals(struct hps_fleet_totals *to, const struct hps_fleet_totals *from) {
    add(&to->lines, &from->lines);
    add(&to->sampled, &from->sampled);
    add(&to->truth, &from->truth);
    to->dumps += from->dumps;
    to->stacks += from->stacks;
    to->unmapped += from->unmapped;
}

static void print_sums(const char *name, const struct hps_fleet_sums *sums) {
    printf(",\n   \"%s\": {\"live_objects\": %" PRIu64 ", \"live_bytes\": %" PRIu64
           ", \"ever_objects\": %" PRIu64 ", \"ever_bytes\": %" PRIu64 "}",
           name, sums->live_objects, sums->live_bytes, sums->ever_objects,
           sums->ever_bytes);
}

static void print_totals(const char *name, const struct hps_fleet_totals *totals) {
    printf(",\n \"%s\": {\"dumps\": %" PRIu64 ", \"stacks\": %" PRIu64
           ", \"unmapped\": %" PRIu64,
           name, totals->dumps, totals->stacks, totals->unmapped);
    print_sums("lines", &totals->lines);
    print_sums("sampled", &totals->sampled);
    print_sums("truth", &totals->truth);
    printf("}");
}

static void print_census(const struct census *census) {
    printf("{\"dumps\": %" PRIu64 ", \"bytes\": %" PRIu64 ", \"hosts\": %" PRIu64
           ", \"processes\": %" PRIu64 ", \"forks\": %" PRIu64 ", \"ended\": %" PRIu64,
           census->all.dumps, census->bytes, census->hosts, census->processes,
           census->forks, census->ended);
    print_totals("all", &census->all);
    print_totals("last", &census->last);
    printf("}\n");
}

// --- the fleet -------------------------------------------------------------------------

// Numbers of dumps: from `first` to before `end`.
struct dump_range {
    uint64_t first, end;
};

// Add a dump, with its totals `own`, to the census.
static void count(struct census *census, const struct hps_fleet *fleet,
                  const struct hps_fleet_dump *dump, struct dump_range range,
                  const struct hps_fleet_totals *own) {
    uint64_t number = dump->number;
    bool is_host = number == range.first || number % HPS_FLEET_HOST == 0;
    add_totals(&census->all, own);
    census->hosts += is_host;
    census->forks += dump->is_fork;
    census->ended += dump->is_final;
    if (hps_fleet_is_used(fleet, dump, range.first, range.end)) {
        add_totals(&census->last, own);
        census->processes++;
    }
}

// Generate and write all dumps in the range.
static void write_fleet(const struct hps_fleet *fleet, struct dump_range range,
                        struct tar_output *out, struct census *census) {
    struct hps_text name = {0}, text = {0};
    for (uint64_t number = range.first; number < range.end; number++) {
        struct hps_fleet_dump dump = hps_fleet_dump(fleet, number);
        struct hps_fleet_totals own = {.dumps = 0};
        name.size = text.size = 0;
        hps_fleet_write_path(fleet, &dump, &name);
        hps_fleet_write_dump(fleet, &dump, &text, &own);
        put_file(out, &name, &text, FIRST_TIME + number);
        count(census, fleet, &dump, range, &own);
        if (out->to && ferror(out->to)) {
            break; // the reader has closed the pipe
        }
    }
    put_end(out);
    census->bytes = out->bytes;
    free(name.at);
    free(text.at);
}

// Read a number with digits only, at most 15.
static bool read_operand(const char *text, uint64_t *number) {
    char *end = NULL;
    bool is_number = text && *text >= '0' && *text <= '9' && strlen(text) < 16;
    *number = is_number ? strtoull(text, &end, 10) : 0;
    return is_number && *end == '\0';
}

int hps_sim_fleet(char **arguments) {
    struct hps_fleet fleet = {.seed = 0};
    struct dump_range range;
    struct census census = {.bytes = 0};
    bool expected = false;
    const struct hps_sim_option options[] = {
        {"expected", HPS_SIM_FLAG, &expected,
         "print what the dumps add up to, not the dumps"},
        {"shared", HPS_SIM_FLAG, &fleet.shared,
         "only stacks that many processes have: no private builds, no JIT"},
        {0},
    };
    uint64_t dumps;
    hps_sim_parse(arguments, "fleet [OPTION...] SEED FIRST COUNT > FLEET.tar", options);
    for (int i = 0; i < 3; i++) {
        if (!read_operand(arguments[i], i == 0   ? &fleet.seed
                                        : i == 1 ? &range.first
                                                 : &dumps)) {
            hps_sim_fail("fleet takes three numbers: SEED FIRST COUNT");
            return 2;
        }
    }
    if (arguments[3]) {
        hps_sim_fail("%s is one word too many", arguments[3]);
        return 2;
    }
    range.end = range.first + dumps;
    struct tar_output out = {.to = expected ? NULL : stdout};
    write_fleet(&fleet, range, &out, &census);
    if (expected) {
        print_census(&census);
    }
    return 0;
}
