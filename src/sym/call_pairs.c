// The question consists of
//
//     path, question, kind of addresses, number of pairs, inner and outer of each
//
// and the answer of the number and a byte for each pair.  A pair that does not match
// proves nothing: the caller may call through a pointer or a stub, and the called
// function may have ended with a jump to the function of the frame.
#include "sym/call_pairs.h"

#include "base/memory.h"
#include "sym/calls.h"
#include "sym/function_bounds.h"
#include "sym/unpack.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

// --- call sites ------------------------------------------------------------------------
//
// Return addresses of calls as debug information lists them (DW_AT_call_return_pc), for
// debug files without code.
//
// DWARF 5, sections 3.3.1.3 and 3.4: a call has an entry below that of its function, with
// the address that it returns to, and the function says whether all of its calls have
// one.  GCC wrote the same for DWARF 4, as DW_TAG_GNU_call_site with DW_AT_low_pc.  GCC
// is reliable here, except for calls in blocks (DW_TAG_lexical_block) of functions that it
// also inlined: of these it may list none.  Of 24,000 other calls none was missing.  Clang
// marks functions although it lists none of their calls that leave the unit, so its
// lists are not used as complete.
//
// Only units that contain one of the addresses are read, by libdw, because die_cursor.c
// skips entries without addresses of their own.

enum {
    MOST_DEPTH = 200,     // nesting of entries
    MOST_STEPS = 1 << 26, // entries that are visited
};

// A return address that the child is asked about.
struct listed_site {
    uint64_t address; // address in the file
    size_t index;     // index of its pair
};

// All return addresses that the child is asked about, by address.
struct listed_sites {
    HP_VEC(struct listed_site) all; // ascending by address
    unsigned char *answers;         // enum hp_call_answer for each pair
    size_t steps;                   // entries visited so far
    // The compiler of the current unit lists all calls of a function that says so.
    bool is_whole;
};

static int by_address(const void *left, const void *right) {
    const struct listed_site *a = left, *b = right;
    return (a->address > b->address) - (a->address < b->address);
}

// Index of the first site whose address is not before `address`.
static size_t find_from(const struct listed_sites *sites, uint64_t address) {
    size_t low = 0, high = sites->all.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sites->all.at[middle].address < address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

// Whether an entry is a call; sets `address` to the one that it returns to.
static bool is_call(Dwarf_Die *die, uint64_t *address) {
    Dwarf_Attribute attribute;
    int tag = dwarf_tag(die);
    unsigned name = tag == DW_TAG_call_site       ? DW_AT_call_return_pc
                    : tag == DW_TAG_GNU_call_site ? DW_AT_low_pc
                                                  : 0;
    return name != 0 && dwarf_attr(die, name, &attribute) != NULL &&
           dwarf_formaddr(&attribute, address) == 0;
}

// Answer yes for all pairs whose caller has the return address `address`: a call returns
// there.
static void take_call(struct listed_sites *sites, uint64_t address) {
    for (size_t i = find_from(sites, address);
         i < sites->all.count && sites->all.at[i].address == address; i++) {
        sites->answers[sites->all.at[i].index] = HP_CALL_YES;
    }
}

// Whether an entry contains any of the addresses.  With `lists_all` these are answered
// with no, until a call is found.
static bool has_any(struct listed_sites *sites, Dwarf_Die *entry, bool lists_all) {
    bool any = false;
    Dwarf_Addr base, low, high;
    ptrdiff_t at = 0;
    while ((at = dwarf_ranges(entry, at, &base, &low, &high)) > 0) {
        for (size_t i = find_from(sites, low + 1);
             i < sites->all.count && sites->all.at[i].address <= high; i++) {
            unsigned char *answer = &sites->answers[sites->all.at[i].index];
            *answer = lists_all && *answer == HP_CALL_UNKNOWN ? HP_CALL_NO : *answer;
            any = true;
        }
    }
    return any;
}

// Whether a function lists all of its calls.
static bool lists_all(const struct listed_sites *sites, Dwarf_Die *function) {
    Dwarf_Attribute attribute;
    bool is_set = false;
    return sites->is_whole &&
           (dwarf_attr(function, DW_AT_call_all_calls, &attribute) ||
            dwarf_attr(function, DW_AT_GNU_all_call_sites, &attribute)) &&
           dwarf_formflag(&attribute, &is_set) == 0 && is_set;
}

// Forget that the addresses in a block are in a function that lists all of its calls, if
// the function was also inlined: the block refers to the one that all copies share.
static void doubt_block(struct listed_sites *sites, Dwarf_Die *block) {
    Dwarf_Addr base, low, high;
    ptrdiff_t at = dwarf_hasattr(block, DW_AT_abstract_origin) ? 0 : -1;
    while (at >= 0 && (at = dwarf_ranges(block, at, &base, &low, &high)) > 0) {
        for (size_t i = find_from(sites, low + 1);
             i < sites->all.count && sites->all.at[i].address <= high; i++) {
            unsigned char *answer = &sites->answers[sites->all.at[i].index];
            *answer = *answer == HP_CALL_NO ? HP_CALL_UNKNOWN : *answer;
        }
    }
}

// Visit the entries below `parent`; functions without one of the addresses are skipped.
static void walk(struct listed_sites *sites, Dwarf_Die *parent, int depth) {
    Dwarf_Die die;
    bool is_there = depth < MOST_DEPTH && dwarf_child(parent, &die) == 0;
    while (is_there && sites->steps++ < MOST_STEPS) {
        Dwarf_Die next = die;
        uint64_t address;
        bool is_function = dwarf_tag(&die) == DW_TAG_subprogram;
        if (dwarf_tag(&die) == DW_TAG_lexical_block) {
            doubt_block(sites, &die);
        }
        if (is_call(&die, &address)) {
            take_call(sites, address);
        } else if (!is_function || has_any(sites, &die, lists_all(sites, &die))) {
            walk(sites, &die, depth + 1);
        }
        is_there = dwarf_siblingof(&die, &next) == 0;
        die = next;
    }
}

static bool is_of_gcc(Dwarf_Die *unit) {
    Dwarf_Attribute attribute;
    const char *producer =
        dwarf_attr(unit, DW_AT_producer, &attribute) ? dwarf_formstring(&attribute) : "";
    return producer && strncmp(producer, "GNU ", 4) == 0;
}

// Visit all units that contain one of the addresses.
static void look_into_units(struct listed_sites *sites, Dwarf *dwarf) {
    Dwarf_CU *unit = NULL;
    Dwarf_Half version;
    uint8_t type;
    Dwarf_Die die;
    while (dwarf_get_units(dwarf, unit, &unit, &version, &type, &die, NULL) == 0) {
        if (type == DW_UT_compile && has_any(sites, &die, false)) {
            sites->is_whole = is_of_gcc(&die);
            walk(sites, &die, 0);
        }
    }
}

// Answer for each pair whether a call returns to pair->outer.  HP_CALL_NO is given only
// in functions that list all of their calls.  Compressed debug information is unpacked in
// the image.
static void hp_call_sites_find(struct hp_image *image, const struct hp_call_pairs *pairs,
                               unsigned char *answers) {
    struct listed_sites sites = {.answers = answers};
    struct hp_sym_diagnostic why;
    for (size_t i = 0; i < pairs->all.count; i++) {
        struct listed_site site = {.index = i};
        answers[i] = HP_CALL_UNKNOWN;
        if (pairs->kind == HP_ADDRESS_VIRTUAL &&
            hp_image_find(image, pairs->kind, pairs->all.at[i].outer - 1,
                          &site.address)) {
            site.address++;
            hp_vec_push(&sites.all, site);
        }
    }
    hp_vec_sort(&sites.all, by_address);
    Dwarf *dwarf = hp_image_has_dwarf(image) && hp_image_unpack(image, &why)
                       ? dwarf_begin_elf(hp_image_debug(image), DWARF_C_READ, NULL)
                       : NULL;
    if (dwarf) {
        look_into_units(&sites, dwarf);
    }
    dwarf_end(dwarf);
    hp_vec_done(&sites.all);
}

// --- call pairs ------------------------------------------------------------------------

void hp_call_pairs_done(struct hp_call_pairs *pairs) {
    hp_vec_done(&pairs->all);
}

void hp_call_pairs_ask(struct hp_packet *packet, struct hp_span path,
                       const struct hp_call_pairs *pairs) {
    const struct hp_call_pair *pair;
    hp_text_pack(packet, path);
    hp_put_u32(packet, pairs->question);
    hp_put_u32(packet, pairs->kind);
    hp_put_u32(packet, (uint32_t)pairs->all.count);
    hp_vec_each (pair, &pairs->all) {
        hp_put_u64(packet, pair->inner);
        hp_put_u64(packet, pair->outer);
    }
}

bool hp_call_pairs_unpack(const struct hp_packet *packet, unsigned char *answers,
                          size_t count) {
    struct hp_unpacker in = hp_packet_open(packet);
    bool is_all = hp_packet_count(&in, 1) == count;
    const unsigned char *bytes = hp_packet_take(&in, count);
    bool good = is_all && bytes && !in.bad && in.at == in.end;
    for (size_t i = 0; good && i < count; i++) {
        good = bytes[i] < HP_CALL_ANSWERS;
        answers[i] = bytes[i];
    }
    errno = good ? errno : EPROTO;
    return good;
}

// Whether the caller's call goes to the start of the frame's function.
static bool does_match(const struct hp_image *image,
                       const struct hp_function_bounds *bounds,
                       struct hp_code_window *window, enum hp_address_kind kind,
                       const struct hp_call_pair *pair) {
    uint64_t target, inner, start;
    return hp_calls_target(image, window, kind, pair->outer, &target) &&
           hp_image_find(image, kind, pair->inner - 1, &inner) &&
           hp_function_bounds_find(bounds, inner, &start) && start == target;
}

// Whether a function starts at the address of the caller.
static bool is_start(const struct hp_image *image,
                     const struct hp_function_bounds *bounds, enum hp_address_kind kind,
                     const struct hp_call_pair *pair) {
    uint64_t address, start;
    return hp_image_find(image, kind, pair->outer, &address) &&
           hp_function_bounds_find(bounds, address, &start) && start == address;
}

// Answer HP_CALL_IS_START or HP_CALL_MATCHES for each pair of return addresses, with
// HP_CALL_YES or HP_CALL_NO.
static void match(const struct hp_image *image, const struct hp_call_pairs *pairs,
                  unsigned char *answers) {
    struct hp_function_bounds bounds = {.image = NULL};
    struct hp_code_window window = {.size = 0};
    hp_function_bounds_open(&bounds, image);
    for (size_t i = 0; i < pairs->all.count; i++) {
        const struct hp_call_pair *pair = &pairs->all.at[i];
        bool is = pairs->question == HP_CALL_IS_START
                      ? is_start(image, &bounds, pairs->kind, pair)
                      : does_match(image, &bounds, &window, pairs->kind, pair);
        answers[i] = is ? HP_CALL_YES : HP_CALL_NO;
    }
    hp_function_bounds_done(&bounds);
}

// Decode a question about call pairs in a file.  False if it is malformed.
static bool read_question(const struct hp_packet *asked, struct hp_span *path,
                          struct hp_call_pairs *pairs) {
    struct hp_unpacker in = hp_packet_open(asked);
    *path = hp_packet_text(&in);
    uint32_t question = hp_packet_u32(&in), kind = hp_packet_u32(&in);
    uint32_t count = hp_packet_count(&in, sizeof(struct hp_call_pair));
    pairs->question = (enum hp_call_question)question;
    pairs->kind = (enum hp_address_kind)kind;
    for (uint32_t i = 0; i < count; i++) {
        struct hp_call_pair pair = {.inner = hp_packet_u64(&in)};
        pair.outer = hp_packet_u64(&in);
        hp_vec_push(&pairs->all, pair);
    }
    return !in.bad && question < HP_CALL_QUESTIONS && kind < HP_ADDRESS_KINDS;
}

void hp_call_pairs_answer(const struct hp_packet *asked, int fd,
                          struct hp_packet *answer) {
    struct hp_span path;
    struct hp_call_pairs pairs = {.kind = HP_ADDRESS_VIRTUAL};
    struct hp_image image = {.fd = -1};
    struct hp_sym_diagnostic why;
    bool is_asked = read_question(asked, &path, &pairs);
    bool is_read = hp_image_open(&image, fd, path, &why);
    size_t count = is_asked && is_read ? pairs.all.count : 0;
    unsigned char *answers = hp_alloc(count);
    if (count > 0 && pairs.question != HP_CALL_IS_LISTED) {
        match(&image, &pairs, answers);
    } else if (count > 0) {
        hp_call_sites_find(&image, &pairs, answers);
    }
    hp_put_u32(answer, (uint32_t)count);
    hp_put_bytes(answer, answers, count);
    free(answers);
    hp_call_pairs_done(&pairs);
    hp_image_done(&image);
}
