#include "mutate.h"

#include <stdio.h>
#include <string.h>

// The generator splitmix64.
uint64_t mutate_below(struct mutate_random *random, uint64_t limit) {
    uint64_t x = random->state += 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return (x ^ x >> 31) % limit;
}

// The text that is changed: `size` bytes in a buffer of `room`.
struct mutated_text {
    char *at;
    size_t size, room;
    struct mutate_random *random;
};

// A random offset in the text, perhaps its end.
static size_t place(const struct mutated_text *t) {
    return (size_t)mutate_below(t->random, t->size + 1);
}

// Replace the bytes [from, to) by `piece`, which may be part of the text itself; it is
// truncated where there is no room.
static void replace(struct mutated_text *t, size_t from, size_t to,
                    struct hp_span piece) {
    char copy[16384];
    size_t rest = t->size - (to - from), left = t->room > rest ? t->room - rest : 0;
    size_t size = piece.size < sizeof copy ? piece.size : sizeof copy;
    size = size < left ? size : left;
    if (size > 0) {
        memcpy(copy, piece.at, size);
    }
    memmove(t->at + from + size, t->at + to, t->size - to);
    memcpy(t->at + from, copy, size);
    t->size = t->size - (to - from) + size;
}

// A random line with its newline.  Longer lines are more likely.
static struct hp_span line(const struct mutated_text *t) {
    size_t from = place(t), to = from;
    while (from > 0 && t->at[from - 1] != '\n') {
        from--;
    }
    while (to < t->size && t->at[to] != '\n') {
        to++;
    }
    return (struct hp_span){t->at + from, to - from + (to < t->size)};
}

static bool is_digit(char byte, bool hex) {
    return (byte >= '0' && byte <= '9') || (hex && byte >= 'a' && byte <= 'f');
}

// The first number within 40 bytes after a random offset; empty if there is none.
static struct hp_span digits(const struct mutated_text *t, bool hex) {
    size_t from = place(t);
    for (int i = 0; i < 40 && from < t->size && !is_digit(t->at[from], hex); i++) {
        from++;
    }
    size_t to = from;
    while (to < t->size && is_digit(t->at[to], hex)) {
        to++;
    }
    return (struct hp_span){t->at + from, to - from};
}

static void replace_span(struct mutated_text *t, struct hp_span old,
                         struct hp_span piece) {
    size_t from = (size_t)(old.at - t->at);
    replace(t, from, from + old.size, piece);
}

// Numbers at which readers overflow or that are in no valid form.
static const char *const numbers[] = {
    "0",
    "1",
    "2",
    "00",
    "7",
    "64",
    "4096",
    "524288",
    "4294967295",
    "4294967296",
    "4611686018427387903",
    "4611686018427387904",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "99999999999999999999999",
    "",
    "-1",
    "0x10",
    "7fc9268a2630",
    "ffffffffffffffff",
    "10000000000000000",
    "1e3",
};

// Pieces of the formats that the readers know.
static const char *const words[] = {
    "@",
    "@ ",
    " 0x",
    " 0x0",
    "  t*: 1: 64 [0: 0]\n",
    "  t0: 1: 64 [0: 0]\n",
    "  t*: 0: 0 [1: 64]\n",
    " t1",
    "  f: 1 2 3 4 5 6\n",
    "  x: 1\n",
    "frag_util: 0\n",
    "\n",
    "\n\n",
    "\nMAPPED_LIBRARIES:\n",
    "--- Memory map:\n",
    "heap_v2/",
    "heap_v2/524288\n",
    "heap profile:",
    "heap profile: 1: 64 [1: 64] @ heap_v2/1024\n",
    "@ heapprofile",
    "growth",
    "_v2",
    "/",
    "%warn x\n",
    "<jemalloc>: x\n",
    "--- heap\n",
    "--- symbol\n",
    "---\n",
    "binary=/p\n",
    "0x10 a--b\n",
    "operator--",
    "build=/srv\n",
    "$build/p",
    " (deleted)",
    "1000-2000 r-xp 00000000 fe:00 1 /bin/x\n",
    "1000-3000: /bin/y\n",
    "0x1000 0x2000 32 0 0xf r-x 1 0 0x1000 COW NC vnode /a NCH -1\n",
    " CH 7\n",
    " NCH -",
    "-",
    ":",
    "[",
    "]",
    "#\t0x10\tmain.f+0x1\t/a.go:7\n",
    "# x\n",
    "\t",
    "\r",
    "\r\n",
    " ",
    "\v",
    "1: 64",
    "{",
    "JAVA PROFILE",
    "\177ELF",
    "\x1f\x8b",
};

#define ONE_OF(t, list) \
    hp_span_of((list)[mutate_below((t)->random, sizeof(list) / sizeof *(list))])

static void flip(struct mutated_text *t) {
    if (t->size > 0) {
        t->at[mutate_below(t->random, t->size)] ^=
            (char)(1 << mutate_below(t->random, 8));
    }
}

static void set_byte(struct mutated_text *t) {
    static const char bytes[] = "\0\xff \t\r\n@:[]*tx0f-/$=+#%";
    if (t->size > 0) {
        t->at[mutate_below(t->random, t->size)] =
            bytes[mutate_below(t->random, sizeof bytes - 1)];
    }
}

static void remove_some(struct mutated_text *t) {
    size_t from = place(t), most = t->size - from;
    size_t size = (size_t)mutate_below(t->random, 1 << mutate_below(t->random, 9));
    replace(t, from, from + (size < most ? size : most), (struct hp_span){"", 0});
}

// Repeat a random line before another one.
static void insert_line(struct mutated_text *t) {
    struct hp_span before = line(t);
    before.size = 0;
    replace_span(t, before, line(t));
}

static void add_carriage_returns(struct mutated_text *t) {
    for (size_t i = t->size; i > 0; i--) {
        if (t->at[i - 1] == '\n' && t->size < t->room) {
            replace(t, i - 1, i - 1, (struct hp_span){"\r", 1});
        }
    }
}

static void insert_piece(struct mutated_text *t, struct hp_span other) {
    size_t from = (size_t)mutate_below(t->random, other.size + 1);
    size_t size = (size_t)mutate_below(t->random, other.size - from + 1);
    struct hp_span piece = {other.at + from, size};
    size_t at = place(t);
    replace(t, at, at, piece);
}

size_t mutate_text(struct mutate_random *random, char *bytes, size_t size, size_t room,
                   struct hp_span other) {
    struct mutated_text text = {bytes, size, room, random}, *t = &text;
    size_t at = place(t);
    switch (mutate_below(random, 16)) {
    case 0:
    case 1:
        flip(t);
        break;
    case 2:
        set_byte(t);
        break;
    case 3:
        t->size = at; // truncated
        break;
    case 4:
        remove_some(t);
        break;
    case 5:
    case 6:
        insert_line(t);
        break;
    case 7:
        replace_span(t, line(t), (struct hp_span){"", 0});
        break;
    case 8:
    case 9:
        replace_span(t, digits(t, false), ONE_OF(t, numbers));
        break;
    case 10:
        replace_span(t, digits(t, true), digits(t, true));
        break;
    case 11:
    case 12:
        replace(t, at, at, ONE_OF(t, words));
        break;
    case 13:
        insert_piece(t, other);
        break;
    case 14:
        replace_span(t, line(t), line(t));
        break;
    default:
        if (mutate_below(random, 2)) {
            add_carriage_returns(t);
        } else {
            replace(t, t->size, t->size, (struct hp_span){t->at, t->size}); // repeated
        }
    }
    return t->size;
}
