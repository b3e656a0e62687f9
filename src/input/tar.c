// Reads the formats POSIX.1-1988 (ustar), POSIX.1-2001 (pax), and GNU tar's older one. An
// archive is made of blocks of 512 bytes. Each member has a header and its data, padded
// with zeros; the archive ends with two blocks of zeros.
//
//     at     bytes
//      0     100   name
//     124     12   size of the data, octal; or 0x80 and a big-endian number
//     136     12   time, in the same form
//     148      8   sum of the header's bytes, with spaces in its own place
//     156      1   kind: 0 and NUL a file, 5 a folder, 1 and 2 links; and
//                      L  the data is the name of the next member (GNU)
//                      x  the data is records about the next member:
//                         "LENGTH KEY=VALUE\n" (pax)
//                      S  a sparse file (GNU): if byte 482 is set, a block of its map
//                         follows, and after it another one if its byte 504 is set
//     257      8   "ustar\0" "00"; "ustar  \0" by GNU, without a prefix
//     345    155   prefix of the name, joined to it with a '/'
//
// A size is not trusted until its bytes are there: data is read piece by piece.
#include "input/tar.h"

#include "base/cursor.h"

#include <stdio.h>

enum {
    BLOCK = 512,
    LONGEST_RECORDS = 1 << 20, // bytes of a long name or of pax records at most
};

// The description of a member, from its own header and from the extensions before it.
struct header {
    char kind; // as in the table above
    // Whether an extension has set the value; then the header's own value is ignored.
    bool has_name, has_size, has_time;
    uint64_t size;
    double time; // last modification, in seconds since 1970
    bool is_sparse;
    bool has_map; // blocks of a sparse file's map follow the header
};

// --- bytes -----------------------------------------------------------------------------

// The unread part of the window.
static struct hp_span left(const struct hp_tar *tar) {
    return (struct hp_span){tar->stream.at + tar->done, tar->stream.size - tar->done};
}

// Advance by `size` bytes of the window.
static void step(struct hp_tar *tar, size_t size) {
    tar->done += size;
    tar->offset += size;
}

// Read until `size` unread bytes are in the window, or the archive ends. Moves the
// window.
static int need(struct hp_tar *tar, size_t size, struct hp_err *err) {
    int ret = HP_OK;
    while (ret == HP_OK && left(tar).size < size && !tar->stream.at_end) {
        ret = hp_input_stream_slide(&tar->stream, tar->done, err);
        tar->done = 0;
    }
    return ret;
}

// Fail at the current place of the archive, naming the member if its name is known.
static int fail(const struct hp_tar *tar, const struct hp_tar_file *file,
                const char *what, struct hp_err *err) {
    bool has_name = file->name.count > 0;
    return hp_fail(err, HP_E_FORMAT,
                   HP_MESSAGE("tar-damaged", "%s %s%s, at byte %llu of the archive"),
                   hp_words(what), has_name ? "in member " : "in its headers",
                   has_name ? file->name.at : "", (unsigned long long)tar->offset);
}

// Advance past the data of a member and its padding. With `keeps`, append the data to
// file->bytes.
static int read_data(struct hp_tar *tar, uint64_t size, struct hp_tar_file *file,
                     bool keeps, struct hp_err *err) {
    uint64_t padded = size + (BLOCK - size % BLOCK) % BLOCK;
    while (padded > 0) {
        int ret = need(tar, 1, err);
        struct hp_span piece = left(tar);
        if (ret != HP_OK || piece.size == 0) {
            return ret != HP_OK ? ret : fail(tar, file, "cut", err);
        }
        piece.size = piece.size < padded ? piece.size : (size_t)padded;
        size_t kept = piece.size < size ? piece.size : (size_t)size;
        if (keeps && kept > 0) {
            hp_vec_reserve(&file->bytes, kept);
            memcpy(file->bytes.at + file->bytes.count, piece.at, kept);
            file->bytes.count += kept;
        }
        step(tar, piece.size);
        padded -= piece.size;
        size -= kept;
    }
    return HP_OK;
}

// --- headers ---------------------------------------------------------------------------

// Read a number of a header field, which ends at a space, a NUL or the end of the field.
// An empty field is 0. Returns false if it is invalid or too large.
static bool read_number(const char *field, size_t size, uint64_t *number) {
    const unsigned char *at = (const unsigned char *)field, *end = at + size;
    *number = 0;
    if (*at == 0x80) {
        for (at++; at < end; at++) {
            if (*number >> 55) {
                return false;
            }
            *number = *number << 8 | *at;
        }
        return true;
    }
    while (at < end && *at == ' ') {
        at++;
    }
    for (; at < end && *at >= '0' && *at <= '7'; at++) {
        *number = *number << 3 | (uint64_t)(*at - '0');
    }
    return at == end || *at == ' ' || *at == '\0';
}

// Whether the sum of a header is right. The bytes are unsigned, but some old programs
// added them as signed.
static bool has_right_sum(const char *block) {
    uint64_t wanted, sum = 8 * ' ';
    int64_t signed_sum = 8 * ' ';
    for (int i = 0; i < BLOCK; i++) {
        if (i < 148 || i >= 156) {
            sum += (unsigned char)block[i];
            signed_sum += (signed char)block[i];
        }
    }
    return read_number(block + 148, 8, &wanted) &&
           (wanted == sum || wanted == (uint64_t)signed_sum);
}

bool hp_tar_is(struct hp_span text) {
    return text.size >= BLOCK && memcmp(text.at + 257, "ustar", 5) == 0 &&
           has_right_sum(text.at);
}

// Set the name of a member.
static void set_name(struct hp_tar_file *file, struct hp_span name) {
    file->name.count = 0;
    hp_vec_reserve(&file->name, name.size + 1);
    memcpy(file->name.at, name.at, name.size);
    file->name.at[name.size] = '\0';
    file->name.count = name.size + 1;
}

// Set the name of a member to the one in its header `block`, with the prefix if there is
// one.
static void name_of_header(struct hp_tar_file *file, const char *block) {
    char name[100 + 155 + 2];
    bool has_prefix = memcmp(block + 257, "ustar", 6) == 0 && block[345] != '\0';
    int size = snprintf(name, sizeof name, "%.*s%s%.*s", has_prefix ? 155 : 0,
                        block + 345, has_prefix ? "/" : "", 100, block);
    set_name(file, (struct hp_span){name, (size_t)size});
}

// Whether a header of this kind belongs to an extension: its data describes the next
// member (L, K, x) or all members (g).
static bool is_extension(char kind) {
    return kind == 'L' || kind == 'K' || kind == 'x' || kind == 'g';
}

// Read the header at the cursor. Values that an extension has set stay as set.
static int read_header(struct hp_tar *tar, struct hp_tar_file *file,
                       struct header *header, struct hp_err *err) {
    const char *block = left(tar).at;
    uint64_t size, time;
    if (!has_right_sum(block)) {
        return tar->offset == 0
                   ? hp_fail(err, HP_E_FORMAT, HP_MESSAGE("tar-not", "not a tar archive"))
                   : hp_fail(err, HP_E_FORMAT,
                             HP_MESSAGE("tar-no-header",
                                        "no header at byte %llu of the archive"),
                             (unsigned long long)tar->offset);
    }
    if (!header->has_name) {
        name_of_header(file, block);
    }
    if (!read_number(block + 124, 12, &size) || size > INT64_MAX) {
        return fail(tar, file, HP_WORDS("tar-no-size", "no size"), err);
    }
    header->kind = block[156];
    header->has_map = header->kind == 'S' && block[482] != 0;
    if (!header->has_size || is_extension(header->kind)) {
        header->size = size;
    }
    if (!header->has_time && read_number(block + 136, 12, &time)) {
        header->time = (double)time;
    }
    step(tar, BLOCK);
    return HP_OK;
}

// --- what stands before a header -------------------------------------------------------

// Store the value of one pax record in `next` and file->name, if its key is known.
// Returns false if its value is invalid.
static bool take_record(struct hp_span key, struct hp_span value,
                        struct hp_tar_file *file, struct header *next) {
    struct hp_cursor c = hp_cursor_over(value.at, value.at + value.size);
    if (hp_span_is(key, "path")) {
        set_name(file, value);
        next->has_name = true;
    } else if (hp_span_is(key, "size")) {
        next->size = hp_cursor_decimal(&c);
        next->has_size = true;
        return hp_cursor_good(&c) && hp_cursor_at_end(&c) && next->size <= INT64_MAX;
    } else if (hp_span_is(key, "mtime") && value.size > 0 && *value.at >= '0' &&
               *value.at <= '9') { // a time before 1970 is ignored
        next->time = hp_cursor_seconds(&c);
        next->has_time = true;
    }
    next->is_sparse |= hp_span_starts(key, "GNU.sparse.");
    return true;
}

// Read all pax records in file->bytes. Returns false if one is invalid.
static bool read_records(struct hp_tar_file *file, struct header *next) {
    const char *at = file->bytes.at, *end = at + file->bytes.count;
    while (at < end) {
        struct hp_cursor c = hp_cursor_over(at, end);
        uint64_t size = hp_cursor_decimal(&c);
        if (!hp_cursor_accept(&c, ' ') || size > (uint64_t)(end - at) ||
            size <= (uint64_t)(c.at - at) || at[size - 1] != '\n') {
            return false;
        }
        const char *equals = memchr(c.at, '=', (size_t)(at + size - 1 - c.at));
        if (!equals) {
            return false;
        }
        struct hp_span key = {c.at, (size_t)(equals - c.at)};
        struct hp_span value = {equals + 1, (size_t)(at + size - 1 - (equals + 1))};
        if (!take_record(key, value, file, next)) {
            return false;
        }
        at += size;
    }
    return true;
}

// Read the data of an extension, whose header is `own`, and apply its values to the next
// member: to `next` and file->name.
static int read_extension(struct hp_tar *tar, struct hp_tar_file *file,
                          const struct header *own, struct header *next,
                          struct hp_err *err) {
    if (own->size > LONGEST_RECORDS) {
        return fail(tar, file, HP_WORDS("tar-name-too-long", "a name of more than 1 MiB"),
                    err);
    }
    file->bytes.count = 0;
    int ret = read_data(tar, own->size, file, true, err);
    if (ret != HP_OK) {
        return ret;
    }
    hp_vec_push(&file->bytes, '\0'); // ends the text for functions that need it
    file->bytes.count--;
    if (own->kind == 'x') {
        return read_records(file, next)
                   ? HP_OK
                   : fail(tar, file, HP_WORDS("tar-no-pax-record", "no pax record"), err);
    }
    if (own->kind == 'L') {
        set_name(file, hp_span_of(file->bytes.at));
        next->has_name = true;
    }
    return HP_OK;
}

// --- files -----------------------------------------------------------------------------

// Whether a member is a regular file. In archives before POSIX a folder has the same
// kind, but a name that ends in '/'.
static bool is_file(const struct header *header, const struct hp_tar_file *file) {
    bool ends_in_slash =
        file->name.count > 1 && file->name.at[file->name.count - 2] == '/';
    return header->kind == '0' || header->kind == '7' || header->kind == 'S' ||
           (header->kind == '\0' && !ends_in_slash);
}

// Skip the map of a sparse file.
static int skip_map(struct hp_tar *tar, const struct hp_tar_file *file,
                    const struct header *header, struct hp_err *err) {
    for (bool has_more = header->has_map; has_more;) {
        int ret = need(tar, BLOCK, err);
        if (ret != HP_OK || left(tar).size < BLOCK) {
            return ret != HP_OK ? ret : fail(tar, file, "cut", err);
        }
        has_more = left(tar).at[504] != 0;
        step(tar, BLOCK);
    }
    return HP_OK;
}

// Read the data of a file into file->bytes. A sparse file, or one of more than `limit`
// bytes, is skipped, with the reason in file->err.
static int read_file(struct hp_tar *tar, uint64_t limit, struct hp_tar_file *file,
                     const struct header *header, struct hp_err *err) {
    file->time = header->time;
    file->bytes.count = 0;
    file->err.code = HP_OK;
    if (header->is_sparse || header->kind == 'S') {
        hp_fail(&file->err, HP_E_UNSUPPORTED,
                HP_MESSAGE("tar-sparse",
                           "a sparse file: make the archive without tar's --sparse"));
    } else if (limit > 0 && header->size > limit) {
        hp_fail(&file->err, HP_E_LIMIT,
                HP_MESSAGE("tar-member-too-large", "more than %llu bytes"),
                (unsigned long long)limit);
    }
    int ret = skip_map(tar, file, header, err);
    return ret != HP_OK ? ret
                        : read_data(tar, header->size, file,
                                    file->err.code == HP_OK && !tar->skips_contents, err);
}

// Skip the data of a member that is no file. Links and devices have no data, whatever
// size they state; a hard link (kind 1) that states a size is a failure, because some
// programs write its data.
static int skip_data(struct hp_tar *tar, struct hp_tar_file *file,
                     const struct header *header, struct hp_err *err) {
    bool has_data = !strchr("123456", header->kind) || header->kind == '\0';
    if (header->kind == '1' && header->size > 0) {
        return fail(
            tar, file,
            HP_WORDS("tar-link-with-data", "a link with data, which is not read,"), err);
    }
    return has_data ? read_data(tar, header->size, file, false, err) : HP_OK;
}

// Whether a block is all zeros.
static bool is_empty(const char *block) {
    static const char zeros[BLOCK];
    return memcmp(block, zeros, BLOCK) == 0;
}

// Skip blocks of zeros up to the next header; *found is false at the end of the archive.
static int find_header(struct hp_tar *tar, struct hp_tar_file *file, bool *found,
                       struct hp_err *err) {
    for (;;) {
        int ret = need(tar, BLOCK, err);
        struct hp_span rest = left(tar);
        *found = false;
        if (ret != HP_OK || (rest.size == 0 && tar->has_end)) {
            return ret;
        }
        if (rest.size < BLOCK) {
            return fail(tar, file, "cut", err);
        }
        if (!is_empty(rest.at)) {
            *found = true;
            return HP_OK;
        }
        tar->has_end = true;
        step(tar, BLOCK);
    }
}

int hp_tar_next(struct hp_tar *tar, uint64_t limit, struct hp_tar_file *file, bool *found,
                struct hp_err *err) {
    static const struct header blank;
    struct header next = blank;
    // The limit against bombs is for one file; many similar files together may exceed it.
    tar->stream.total = 0;
    tar->stream.limit = limit > 0 ? UINT64_MAX : 0;
    file->name.count = 0;
    for (;;) {
        int ret = find_header(tar, file, found, err);
        if (ret != HP_OK || !*found) {
            return ret;
        }
        tar->has_end = false;
        struct header header = next;
        ret = read_header(tar, file, &header, err);
        if (ret == HP_OK && is_file(&header, file)) {
            return read_file(tar, limit, file, &header, err);
        }
        if (ret == HP_OK && is_extension(header.kind)) {
            ret = read_extension(tar, file, &header, &next, err);
        } else if (ret == HP_OK) {
            ret = skip_data(tar, file, &header, err);
            next = blank;
        }
        if (ret != HP_OK) {
            return ret;
        }
    }
}

int hp_tar_open(struct hp_tar *tar, const char *path, struct hp_err *err) {
    tar->done = 0;
    tar->offset = 0;
    tar->has_end = false;
    return hp_input_stream_open(&tar->stream, path, 0, err);
}

void hp_tar_close(struct hp_tar *tar) {
    hp_input_stream_done(&tar->stream);
}

void hp_tar_file_done(struct hp_tar_file *file) {
    hp_vec_done(&file->name);
    hp_vec_done(&file->bytes);
}
