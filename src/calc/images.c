// An image is a run of rows of one file, at increasing offsets, with no other file
// between them:
//
//     5000-6000 r--p 00000000 /srv/app
//     6000-8000 r-xp 00001000 /srv/app
//     8000-a000 r-xp 00000000              a hole: text moved to huge pages, any name
//     a000-b000 r-xp 00005000 /srv/app
//
// The offset of a hole follows from an executable row next to it.
#include "calc/resolve.h"

enum {
    // Most rows on either side of a hole that are searched for the image around it.
    LONGEST_HOLE = 64,
    // Bytes by which (address - file offset) may grow from one row of an image to the
    // next: twice the largest alignment of segments, a page of 2 MiB.
    MOST_SHIFT = 4 << 20,
    LARGEST_PAGE = 64 << 10, // bytes; no system has larger pages
};

// Return whether a row is mapped from a file on a disk, by its path.
static bool has_file(const struct hp_mapping *row) {
    static const char *const not_files[] = {"/memfd:", "/dev/", "/SYSV",
                                            "/anon_hugepage"};
    if (!hp_span_starts(row->path, "/") ||
        (row->deleted && row->is_shared && row->executable)) { // shared memory
        return false;
    }
    for (size_t i = 0; i < sizeof not_files / sizeof *not_files; i++) {
        if (hp_span_starts(row->path, not_files[i])) {
            return false;
        }
    }
    return true;
}

bool hp_same_file(const struct hp_mapping *a, const struct hp_mapping *b) {
    return a->deleted == b->deleted && hp_span_equal(a->path, b->path) &&
           a->build_id.n == b->build_id.n;
}

// Return whether there is no gap between two rows of an image.  Anonymous memory (.bss)
// and memory that the image itself reserved may be between them.
static bool touch(const struct hp_mapping *last, const struct hp_mapping *row) {
    const struct hp_mapping *at = last;
    while (at < row && at->end == at[1].start &&
           (at + 1 == row || at[1].path.size == 0 ||
            (at[1].reserved && hp_same_file(last, &at[1])))) {
        at++;
    }
    return at == row;
}

// Return whether the offset of `row` may follow that of `last` in an image.  A file that
// is mapped as data beside its own image begins again at offset 0; but all rows of an
// image of at most one page also have offset 0.
static bool rises(const struct hp_mapping *last, const struct hp_mapping *row,
                  bool has_code) {
    if (row->lacks_offset || row->offset != last->offset || row->offset > 0) {
        return row->offset >= last->offset;
    }
    return (has_code || row->executable) && last->end - last->start <= LARGEST_PAGE;
}

// Return whether `row` belongs to the image of `last`.  Within an image, address minus
// offset grows at most by the alignment of segments.  A row may also follow directly:
// patchelf(1) adds a segment after .bss.
static bool continues(const struct hp_mapping *last, const struct hp_mapping *row,
                      bool has_code) {
    uint64_t shift = (row->start - row->offset) - (last->start - last->offset);
    return hp_same_file(last, row) && rises(last, row, has_code) &&
           (shift <= MOST_SHIFT || touch(last, row));
}

// Return the offset in the file that address `at` would have if the mapping of row `from`
// reached it.
static uint64_t extended(const struct hp_mapping *from, uint64_t at) {
    return from->offset + (at - from->start); // modulo 2^64, also backwards
}

// Return whether the text of row `i` was moved to a file of huge pages: the rows on both
// sides are adjacent parts of another file.
static bool is_moved(const struct hp_dump *dump, size_t i) {
    if (i == 0 || i + 1 == dump->mappings.count || dump->has_rows) {
        return false;
    }
    const struct hp_mapping *row = &dump->mappings.at[i], *last = row - 1,
                            *next = row + 1;
    return row->executable && last->end == row->start && row->end == next->start &&
           has_file(last) && hp_same_file(last, next) && !hp_same_file(last, row) &&
           extended(last, next->start) == next->offset;
}

// Return the image that row `i` of a file continues; NULL if it begins a new image.
static struct hp_run *continued_image(struct hp_resolver *resolver,
                                      const struct hp_dump *dump, size_t i) {
    size_t count = resolver->images.count;
    struct hp_run *image = count > 0 ? &resolver->images.at[count - 1] : NULL;
    if (!image) {
        return NULL;
    }
    const struct hp_mapping *row = &dump->mappings.at[i];
    const struct hp_mapping *last = &dump->mappings.at[image->last_row];
    if (row->reserved && hp_same_file(last, row)) {
        return image;
    }
    return continues(last, row, image->code_end > 0) ? image : NULL;
}

// Extend an image by row `i` of the map.
static void add_row(struct hp_run *image, const struct hp_mapping *row, uint32_t i) {
    image->last_row = i;
    if (row->executable) {
        image->code_start = image->code_end > 0 ? image->code_start : row->offset;
        image->code_end = row->offset + (row->end - row->start);
    }
}

void hp_images_find(struct hp_resolver *resolver, const struct hp_dump *dump) {
    resolver->images.count = 0;
    resolver->image_of.count = 0;
    resolver->has_wholes = resolver->is_64_bit = false;
    for (uint32_t i = 0; i < dump->mappings.count; i++) {
        const struct hp_mapping *row = &dump->mappings.at[i];
        resolver->is_64_bit |= row->end > HP_FOUR_GIB;
        bool is_file = has_file(row) && !is_moved(dump, i);
        struct hp_run *image = is_file ? continued_image(resolver, dump, i) : NULL;
        if (is_file && !image) {
            hp_vec_push(&resolver->images,
                        ((struct hp_run){.first_row = i, .last_row = i}));
            image = &resolver->images.at[resolver->images.count - 1];
        }
        // A reserved row is no part of the file: its end is not the end of the image.
        if (is_file && !row->reserved) {
            add_row(image, row, i);
        }
        hp_vec_push(&resolver->image_of, is_file ? (uint32_t)resolver->images.count : 0);
    }
}

bool hp_hole_offset(const struct hp_resolver *resolver, const struct hp_dump *dump,
                    size_t i, uint64_t *offset) {
    const struct hp_mapping *rows = dump->mappings.at;
    size_t before = i, after = i;
    size_t first = i < LONGEST_HOLE ? 0 : i - LONGEST_HOLE;
    while (before > first && resolver->image_of.at[before] == 0 &&
           rows[before - 1].end == rows[before].start) {
        before--;
    }
    size_t last = dump->mappings.count - 1;
    last = last - i < LONGEST_HOLE ? last : i + LONGEST_HOLE;
    while (after < last && resolver->image_of.at[after] == 0 &&
           rows[after].end == rows[after + 1].start) {
        after++;
    }
    uint32_t image = resolver->image_of.at[before];
    if (image == 0 || image != resolver->image_of.at[after]) {
        return false;
    }
    uint64_t low = extended(&rows[before], rows[i].start);
    uint64_t high = extended(&rows[after], rows[i].start);
    *offset = rows[before].executable ? low : high;
    return rows[before].executable || rows[after].executable || low == high;
}
