// Linux:    55d0-55f0 r-xp 00001000 08:01 1234      /usr/bin/some program (deleted)
// macOS:    55d0-55f0: /usr/lib/libSystem.B.dylib
// FreeBSD:  0x55d0 0x55f0 32 0 0xfffff800 r-x 1 0 0x1000 COW NC vnode /usr/bin/true NCH -1
#include "input/maps.h"

#include "base/hash.h"
#include "input/digest.h"

#include <stdlib.h>

static void split_deleted(struct hp_mapping *row) {
    static const char mark[] = " (deleted)";
    if (hp_span_ends(row->path, mark)) {
        row->path.size -= sizeof mark - 1;
        row->deleted = true;
    }
}

// Four letters such as "r-xp".
static void read_permissions(struct hp_cursor *c, struct hp_mapping *row) {
    for (const char *letter = "rwxp"; *letter; letter++) {
        if (hp_cursor_at_end(c) || !*c->at || !strchr("-rwxps", *c->at)) {
            hp_cursor_fail(c, "permissions");
            return;
        }
        row->executable |= *c->at == 'x';
        c->at++;
    }
}

static void read_linux_row(struct hp_cursor *c, struct hp_mapping *row) {
    hp_cursor_expect(c, ' ', "a space");
    read_permissions(c, row);
    hp_cursor_spaces(c);
    row->offset = hp_cursor_hex(c);
    hp_cursor_spaces(c);
    hp_cursor_hex(c); // device, as major:minor
    hp_cursor_expect(c, ':', "':'");
    hp_cursor_hex(c);
    hp_cursor_spaces(c);
    hp_cursor_decimal(c); // inode
    hp_cursor_spaces(c);
    row->path = hp_cursor_line(c);
    split_deleted(row);
}

// The map of macOS lists only code, and no offsets.
static void read_macos_row(struct hp_cursor *c, struct hp_mapping *row) {
    hp_cursor_expect(c, ':', "':'");
    hp_cursor_spaces(c);
    row->path = hp_cursor_line(c);
    row->executable = true;
}

static struct hp_span read_word(struct hp_cursor *c) {
    hp_cursor_spaces(c);
    const char *start = c->at;
    while (!hp_cursor_at_end(c) && strchr(" \t\r\n", *c->at) == NULL) {
        c->at++;
    }
    return (struct hp_span){start, (size_t)(c->at - start)};
}

// Start and end have been read.  Offsets are not told.
static void read_freebsd_row(struct hp_cursor *c, struct hp_mapping *row) {
    enum {
        PERMISSIONS = 3,
        PATH = 10
    };

    for (int i = 0; i <= PATH; i++) {
        struct hp_span word = read_word(c);
        if (i == PERMISSIONS) {
            row->executable = memchr(word.at, 'x', word.size) != NULL;
        } else if (i == PATH && !hp_span_is(word, "-")) {
            row->path = word;
        }
    }
    hp_cursor_line(c);
}

static struct hp_mapping read_row(struct hp_cursor *c) {
    struct hp_mapping row = {0};
    bool freebsd = c->end - c->at > 2 && c->at[0] == '0' && c->at[1] == 'x';
    row.start = hp_cursor_hex(c);
    hp_cursor_expect(c, freebsd ? ' ' : '-', "an address range");
    row.end = hp_cursor_hex(c);
    if (freebsd) {
        read_freebsd_row(c, &row);
    } else if (c->at < c->end && *c->at == ':') {
        read_macos_row(c, &row);
    } else {
        read_linux_row(c, &row);
    }
    if (row.start >= row.end || row.offset + (row.end - row.start) < row.offset) {
        hp_cursor_fail(c, "a range that ends behind its start");
    }
    return row;
}

static int by_start(const void *left, const void *right) {
    const struct hp_mapping *a = left, *b = right;
    if (a->start != b->start) {
        return a->start < b->start ? -1 : 1;
    }
    // Equal starts keep the order of the text, in which paths (or ends) come later.
    return a->path.at < b->path.at ? -1 : a->path.at > b->path.at;
}

static bool is_sorted(const struct hp_dump *dump) {
    for (size_t i = 1; i < dump->mappings.count; i++) {
        if (dump->mappings.at[i].start < dump->mappings.at[i - 1].start) {
            return false;
        }
    }
    return true;
}

static void drop_overlaps(struct hp_dump *dump) {
    size_t kept = 0;
    for (size_t i = 0; i < dump->mappings.count; i++) {
        struct hp_mapping *row = &dump->mappings.at[i];
        if (kept > 0 && row->start < dump->mappings.at[kept - 1].end) {
            dump->overlaps++;
        } else {
            dump->mappings.at[kept++] = *row;
        }
    }
    dump->mappings.count = kept;
}

// Which files are mapped where: the same in two dumps of one process.
static struct hp_digest digest_of_files(const struct hp_dump *dump) {
    struct hp_digest digest = {{0}};
    const struct hp_mapping *row;
    hp_vec_each (row, &dump->mappings) {
        if (row->path.size > 0 && row->path.at[0] == '/' && row->executable) {
            uint64_t where[2] = {row->start, row->offset};
            struct hp_span place = {(const char *)where, sizeof where};
            digest = hp_digest_join(digest, hp_digest_of(place));
            digest = hp_digest_join(digest, hp_digest_of(row->path));
        }
    }
    return digest;
}

// An empty line, or one of white space, is nothing wrong.
static bool is_blank(struct hp_span line) {
    for (size_t i = 0; i < line.size; i++) {
        if (line.at[i] != ' ' && line.at[i] != '\t') {
            return false;
        }
    }
    return true;
}

static const char *read_rows(struct hp_cursor *c, struct hp_dump *dump) {
    const char *wrong = NULL;
    while (!hp_cursor_at_end(c)) {
        struct hp_cursor line = *c;
        struct hp_mapping row = read_row(&line);
        if (hp_cursor_good(&line)) {
            *c = line;
            hp_vec_push(&dump->mappings, row);
            continue;
        }
        if (hp_cursor_accept_word(c, "heap_v2/")) {
            hp_cursor_fail(c, "a second dump begins here");
            break;
        }
        const char *start = c->at;
        if (!is_blank(hp_cursor_line(c)) && !wrong) {
            wrong = start;
        }
    }
    return wrong;
}

const char *hp_maps_read(struct hp_cursor *c, struct hp_dump *dump) {
    const char *wrong = read_rows(c, dump);
    if (!is_sorted(dump)) {
        qsort(dump->mappings.at, dump->mappings.count, sizeof *dump->mappings.at,
              by_start);
    }
    drop_overlaps(dump);
    dump->maps = digest_of_files(dump);
    return wrong;
}
