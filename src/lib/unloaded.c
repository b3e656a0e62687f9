#include "lib/unloaded.h"

#include "calc/resolve.h"
#include "input/reader.h"
#include "inputs/dump_name.h"

#include <stdlib.h>
#include <string.h>

enum {
    // Most images, and most unmapped addresses, of a process; if there are more, the
    // process is skipped.  A JIT compiler makes more, and none of its code is a library.
    MOST_OF_PROCESS = 4096,
};

// All rows of the map of a file that was mapped in one piece, or one row of code in no
// file.
struct image {
    uint32_t first_row, rows; // range in hp_unloaded.rows
    struct hp_digest process; // as process_of() returns it
    bool has_file, is_wanted; // mapped from a file; an unmapped address is in it
};

// An unmapped address of a dump, and its process.
struct lost {
    struct hp_digest process;
    uint64_t address;
};

// The images of all processes in which unmapped addresses were found.
struct hp_unloaded {
    HP_VEC(struct hp_mapping) rows;
    HP_VEC(struct image) images; // ordered by process
    struct hp_strtab paths;      // paths of `rows`
};

// State of the search for unloaded libraries, one process after the other.
struct unloaded_search {
    struct hp_unloaded *unloaded; // the result so far
    struct hp_reader reader;      // scratch memory for reading dumps
    struct hp_dump dump;
    struct hp_resolver resolver;
    HP_VEC(struct lost) lost; // unmapped addresses of the process
    size_t first_image;       // first image of the process in unloaded->images
};

static bool is_equal(struct hp_digest a, struct hp_digest b) {
    return a.of[0] == b.of[0] && a.of[1] == b.of[1];
}

// Return a digest that identifies a process: its vdso and stack, its pid, and the path
// and address of its program.
static struct hp_digest process_of(const struct hp_dump *dump, uint64_t pid) {
    uint64_t start = 0;
    const struct hp_mapping *row;
    hp_vec_each (row, &dump->mappings) {
        bool is_first = start == 0 && hp_span_equal(row->path, dump->program_path);
        start = is_first ? row->start : start;
    }
    struct hp_digest path = hp_digest_of(dump->program_path);
    const uint64_t facts[] = {dump->map.of[0], dump->map.of[1], pid,
                              start,           path.of[0],      path.of[1]};
    return hp_digest_of_numbers(facts, sizeof facts / sizeof *facts);
}

// --- what dumps show -------------------------------------------------------------------

// Return whether the rows of two images, `count` each, are equal.
static bool has_equal_rows(const struct hp_mapping *a, const struct hp_mapping *b,
                           uint32_t count) {
    bool is = true;
    for (uint32_t i = 0; is && i < count; i++) {
        is = a[i].start == b[i].start && a[i].end == b[i].end &&
             a[i].offset == b[i].offset && a[i].executable == b[i].executable &&
             hp_same_file(&a[i], &b[i]);
    }
    return is;
}

// Add an image, whose rows are the last ones in self->rows.  If an image from number
// `first` on has the same process and rows, the new rows are dropped instead.
static void add_image(struct hp_unloaded *self, size_t first, struct image image) {
    for (size_t i = first; i < self->images.count; i++) {
        const struct image *known = &self->images.at[i];
        if (known->rows == image.rows && is_equal(known->process, image.process) &&
            has_equal_rows(&self->rows.at[known->first_row],
                           &self->rows.at[image.first_row], image.rows)) {
            self->rows.count = image.first_row;
            return;
        }
    }
    hp_vec_push(&self->images, image);
}

// Add rows `first` to `last` of the dump's map as one image, with copies of their paths.
static void add_rows(struct unloaded_search *search, struct hp_digest process,
                     uint32_t first, uint32_t last, bool has_file) {
    struct hp_unloaded *self = search->unloaded;
    if (self->images.count - search->first_image > MOST_OF_PROCESS) {
        return;
    }
    struct image image = {.first_row = (uint32_t)self->rows.count,
                          .rows = last - first + 1,
                          .process = process,
                          .has_file = has_file};
    for (uint32_t i = first; i <= last; i++) {
        struct hp_mapping row = search->dump.mappings.at[i];
        row.path = hp_strtab_span(&self->paths, hp_strtab_add(&self->paths, row.path));
        row.is_unloaded = true;
        hp_vec_push(&self->rows, row);
    }
    add_image(self, search->first_image, image);
}

// Add all executable images and rows of the dump's map.
static void add_images(struct unloaded_search *search, struct hp_digest process) {
    const struct hp_dump *dump = &search->dump;
    const struct hp_run *run;
    hp_images_find(&search->resolver, dump);
    hp_vec_each (run, &search->resolver.images) {
        if (run->code_end > 0) {
            add_rows(search, process, run->first_row, run->last_row, true);
        }
    }
    for (uint32_t i = 0; i < dump->mappings.count; i++) {
        if (search->resolver.image_of.at[i] == 0 && dump->mappings.at[i].executable) {
            add_rows(search, process, i, i, false);
        }
    }
}

static bool holds(const struct hp_mapping *row, uint64_t address) {
    return row->start < address && address <= row->end; // a return address follows a call
}

// Append the unmapped addresses of the dump to search->lost.
static void add_lost(struct unloaded_search *search, struct hp_digest process) {
    const struct hp_dump *dump = &search->dump;
    const uint64_t *address;
    hp_vec_each (address, &dump->addresses) {
        const struct hp_mapping *row;
        bool is_placed = false;
        hp_vec_each (row, &dump->mappings) {
            is_placed |= row->start <= *address && *address <= row->end;
        }
        if (!is_placed && search->lost.count <= MOST_OF_PROCESS) {
            hp_vec_push(&search->lost, ((struct lost){process, *address}));
        }
    }
}

// Read a dump, and note its images and unmapped addresses.  A dump that cannot be read
// any more, or whose content has changed, is ignored.
static void look_at(struct unloaded_search *search, const struct hp_input_record *input) {
    struct hp_err err = {0};
    bool is_elf;
    int ret =
        hp_reader_read(&search->reader, input->public.name, &search->dump, &is_elf, &err);
    if (ret == HP_OK && !is_elf && !search->dump.has_rows &&
        is_equal(search->dump.content, input->content)) {
        uint64_t pid = hp_dump_name_of(input->public.name).pid;
        struct hp_digest process = process_of(&search->dump, pid);
        add_images(search, process);
        add_lost(search, process);
    }
}

// --- which of it is wanted -------------------------------------------------------------

// Return whether a return address is in executable rows of the image.
static bool has_code_at(const struct hp_unloaded *self, const struct image *image,
                        uint64_t address) {
    bool has = false;
    for (uint32_t i = 0; i < image->rows; i++) {
        const struct hp_mapping *row = &self->rows.at[image->first_row + i];
        has |= row->executable && holds(row, address);
    }
    return has;
}

// Mark the image of the process that contains an unmapped address as wanted, unless
// several images, or code in no file, are at that address in dumps of the process.
static void want(struct hp_unloaded *self, size_t first, const struct lost *lost) {
    struct image *found = NULL;
    bool is_disputed = false;
    for (size_t i = first; i < self->images.count; i++) {
        struct image *image = &self->images.at[i];
        if (is_equal(image->process, lost->process) &&
            has_code_at(self, image, lost->address)) {
            is_disputed |= found != NULL || !image->has_file;
            found = image;
        }
    }
    if (found && !is_disputed) {
        found->is_wanted = true;
    }
}

// Drop the images of the last process that are not wanted.  `rows`: number of rows before
// this process; all its rows are dropped if none of its images is wanted.
static void keep_wanted(struct unloaded_search *search, size_t rows) {
    struct hp_unloaded *self = search->unloaded;
    size_t kept = search->first_image;
    bool is_too_much = search->lost.count > MOST_OF_PROCESS ||
                       self->images.count - kept > MOST_OF_PROCESS;
    const struct lost *lost;
    hp_vec_each (lost, &search->lost) {
        if (!is_too_much) {
            want(self, search->first_image, lost);
        }
    }
    for (size_t i = kept; i < self->images.count; i++) {
        if (self->images.at[i].is_wanted) {
            self->images.at[kept++] = self->images.at[i];
        }
    }
    self->rows.count = kept == search->first_image ? rows : self->rows.count;
    self->images.count = kept;
    search->lost.count = 0;
}

// --- which dumps -----------------------------------------------------------------------

static int by_process(const void *left, const void *right) {
    const struct hp_input_record *const *a = left, *const *b = right;
    const struct hp_digest *x = &(*a)->identity.map, *y = &(*b)->identity.map;
    return x->of[0] != y->of[0]   ? (x->of[0] < y->of[0] ? -1 : 1)
           : x->of[1] != y->of[1] ? (x->of[1] < y->of[1] ? -1 : 1)
                                  : 0;
}

// Return whether an input is a dump, used or not, of a process with a known map, whose
// file can be read once more.
static bool may_show(const struct hp_input_record *input) {
    bool is_dump =
        hp_input_is_used(input) || input->public.status == HP_INPUT_OTHER_MOMENT;
    return is_dump && input->source == 0 && !input->archive && input->has_content &&
           hp_digest_is_known(input->identity.map) &&
           strcmp(input->public.name, "-") != 0;
}

static int by_content(const void *left, const void *right) {
    const struct hp_input_record *const *a = left, *const *b = right;
    return memcmp(&(*a)->content, &(*b)->content, sizeof(*a)->content);
}

// Read all dumps of a process, and keep the images in which unmapped addresses are.
// Dumps are read in the order of their contents, so that the result does not depend on
// the order in which they are given.
static void look_at_process(struct unloaded_search *search,
                            const struct hp_input_record **inputs, size_t count) {
    size_t rows = search->unloaded->rows.count;
    search->first_image = search->unloaded->images.count;
    qsort(inputs, count, sizeof *inputs, by_content);
    for (size_t i = 0; i < count; i++) {
        look_at(search, inputs[i]);
    }
    keep_wanted(search, rows);
}

struct hp_unloaded *hp_unloaded_find(const struct hp_profile *profile, uint64_t limit) {
    struct unloaded_search search = {.unloaded = hp_alloc(sizeof *search.unloaded),
                                     .reader.limit = limit};
    HP_VEC(const struct hp_input_record *) inputs = {0};
    const struct hp_input_record *input;
    hp_vec_each (input, &profile->inputs.records) {
        if (may_show(input)) {
            hp_vec_push(&inputs, input);
        }
    }
    hp_vec_sort(&inputs, by_process);
    for (size_t first = 0, last; first < inputs.count; first = last) {
        uint64_t unmapped = 0;
        for (last = first;
             last < inputs.count && by_process(&inputs.at[first], &inputs.at[last]) == 0;
             last++) {
            unmapped += inputs.at[last]->unmapped_addresses;
        }
        if (last - first > 1 && unmapped > 0) {
            look_at_process(&search, &inputs.at[first], last - first);
        }
    }
    hp_vec_done(&inputs);
    hp_vec_done(&search.lost);
    hp_resolver_done(&search.resolver);
    hp_reader_done(&search.reader);
    hp_dump_done(&search.dump);
    if (search.unloaded->images.count == 0) {
        hp_unloaded_free(search.unloaded);
        return NULL;
    }
    return search.unloaded;
}

void hp_unloaded_free(struct hp_unloaded *unloaded) {
    if (unloaded) {
        hp_vec_done(&unloaded->rows);
        hp_vec_done(&unloaded->images);
        hp_strtab_done(&unloaded->paths);
        free(unloaded);
    }
}

// --- a dump ----------------------------------------------------------------------------

// Return whether the dump has nothing mapped at the image, and some of its addresses are
// in it.
static bool is_missing(const struct hp_unloaded *self, const struct hp_dump *dump,
                       const struct image *image) {
    const struct hp_mapping *first = &self->rows.at[image->first_row], *row;
    const struct hp_mapping *last = first + image->rows - 1;
    bool is_free = true, has_frames = false;
    const uint64_t *address;
    hp_vec_each (row, &dump->mappings) {
        is_free &= row->end <= first->start || last->end <= row->start;
    }
    hp_vec_each (address, &dump->addresses) {
        has_frames |= has_code_at(self, image, *address);
    }
    return is_free && has_frames;
}

static int by_start(const void *left, const void *right) {
    const struct hp_mapping *a = left, *b = right;
    return (a->start > b->start) - (a->start < b->start);
}

void hp_unloaded_place(struct hp_unloaded *self, struct hp_dump *dump, uint64_t pid) {
    struct hp_digest process = process_of(dump, pid);
    const struct image *image;
    hp_vec_each (image, &self->images) {
        if (is_equal(image->process, process) && is_missing(self, dump, image)) {
            hp_vec_append(&dump->mappings, &self->rows.at[image->first_row], image->rows);
            hp_vec_sort(&dump->mappings, by_start);
        }
    }
}
