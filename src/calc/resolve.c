// A 64-bit program that is linked to fixed addresses is mapped to these, below 4 GiB.
// Any other file has its first segment at offset 0 and at address 0.  So if the first row
// of an image is at offset 0, an address minus the start of the image is the address in
// ELF headers.  A pprof profile may lack that row, and in a 32-bit map all programs begin
// below 4 GiB.  In these cases only the offset in the file is known.
//
// A single row of code may be a second mapping of a part of an image: V8 maps the
// builtins in its text like that.  Calls there are calls in the image.
//
// Code from a JIT compiler, which is in no row of a file, is at another address in each
// process: generated.c.
#include "calc/resolve.h"

#include "base/hash.h"
#include "calc/generated.h"

#include <string.h>

// --- temporary paths -------------------------------------------------------------------

enum {
    LETTERS = 4,    // Letters that must be left in the name besides "lib" and ".so".
    LONG = 6,       // digits in a row that are too many for a version
    UUID_SIZE = 36, // 8-4-4-4-12 digits
};

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_hex(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool is_below_temporary(struct hp_span path) {
    return hp_span_starts(path, "/tmp/") || hp_span_starts(path, "/var/tmp/") ||
           hp_span_starts(path, "/dev/shm/");
}

// Return the length of the text's beginning for whose characters `is` is true.
static size_t run_of(struct hp_span text, bool (*is)(char)) {
    size_t size = 0;
    while (size < text.size && is(text.at[size])) {
        size++;
    }
    return size;
}

// Return whether a character continues a word: a digit or a letter.
static bool is_word(char c) {
    return is_digit(c) || is_letter(c);
}

// Return whether the text begins with a UUID that no letter or digit follows.
static bool is_uuid(struct hp_span text) {
    bool is = text.size >= UUID_SIZE;
    for (size_t i = 0; is && i < UUID_SIZE; i++) {
        bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;
        is = is_dash ? text.at[i] == '-' : is_hex(text.at[i]);
    }
    return is && (text.size == UUID_SIZE || !is_word(text.at[UUID_SIZE]));
}

static bool has_digit(struct hp_span text) {
    bool has = false;
    for (size_t i = 0; i < text.size; i++) {
        has |= is_digit(text.at[i]);
    }
    return has;
}

// Return the length of the random part at the beginning of `text`; 0: none.  begins_word:
// no letter or digit precedes the text.
static size_t random_size(struct hp_span text, bool begins_word) {
    if (begins_word && is_uuid(text)) {
        return UUID_SIZE;
    }
    size_t word = run_of(text, is_word), hex = run_of(text, is_hex);
    bool is_whole = begins_word && hex == word && hex >= LONG;
    if (is_whole && has_digit((struct hp_span){text.at, hex})) {
        return hex;
    }
    size_t digits = run_of(text, is_digit);
    return digits >= LONG ? digits : 0;
}

// Append the text, with '*' for each random part.
static void add_pattern(struct hp_temporary_text *out, struct hp_span text) {
    for (size_t i = 0; i < text.size;) {
        bool begins_word = i == 0 || !is_word(text.at[i - 1]);
        size_t size = random_size(hp_span_from(text, i), begins_word);
        hp_vec_push(&out->bytes, size > 0 ? '*' : text.at[i]);
        i += size > 0 ? size : 1;
    }
}

// Return the number of letters in a file name, not counting "lib" and ".so".
static size_t count_letters(struct hp_span name) {
    size_t letters = 0;
    for (size_t i = 0; i < name.size; i++) {
        letters += is_letter(name.at[i]);
    }
    letters -= hp_span_starts(name, "lib") ? strlen("lib") : 0;
    return letters - (hp_span_ends(name, ".so") ? strlen("so") : 0);
}

struct hp_span hp_temporary_path(struct hp_span path, bool is_deleted,
                                 struct hp_temporary_text *text) {
    bool is_below = is_below_temporary(path);
    if (!is_below && !is_deleted) {
        return path;
    }
    struct hp_span name = hp_span_basename(path);
    size_t folder = is_below ? 0 : path.size - name.size;
    text->bytes.count = 0;
    hp_vec_append(&text->bytes, path.at, folder);
    add_pattern(text, hp_span_from(path, folder));
    struct hp_span pattern = {text->bytes.at, text->bytes.count};
    bool is_recognizable = count_letters(hp_span_basename(pattern)) >= LETTERS;
    return is_recognizable ? pattern : path;
}

// --- resolve ---------------------------------------------------------------------------

static const struct hp_mapping *first_row(const struct hp_dump *dump,
                                          const struct hp_run *image) {
    return &dump->mappings.at[image->first_row];
}

// Add a range of executable code to the extents of the current image.  It is joined to
// the last extent if it continues it.
static void add_extent(struct hp_resolver *resolver, struct hp_extent piece) {
    size_t count = resolver->extents.count;
    struct hp_extent *last = count > 0 ? &resolver->extents.at[count - 1] : NULL;
    if (last && last->offset + last->size == piece.offset &&
        last->address + last->size == piece.address) {
        last->size += piece.size;
        last->has_hole |= piece.has_hole;
    } else {
        hp_vec_push(&resolver->extents, piece);
    }
}

// Return whether the addresses of an image in ELF headers are known.  If so, an address
// in the process minus *bias is the address in ELF headers.
static bool find_bias(const struct hp_resolver *resolver, const struct hp_dump *dump,
                      const struct hp_run *image, uint64_t *bias) {
    const struct hp_mapping *first = first_row(dump, image);
    bool has_elf =
        first->has_elf_addresses || (first->start < HP_FOUR_GIB && resolver->is_64_bit);
    bool is_start = first->offset == 0 && resolver->is_64_bit && !dump->has_rows;
    *bias = has_elf ? 0 : first->start;
    return has_elf || is_start;
}

// Return how addresses in an image are expressed: as in ELF headers, or as offsets.
static enum hp_address_kind kind_of_addresses(const struct hp_resolver *resolver,
                                              const struct hp_dump *dump,
                                              const struct hp_run *image) {
    uint64_t bias;
    return find_bias(resolver, dump, image, &bias) ? HP_ADDRESS_VIRTUAL
                                                   : HP_ADDRESS_OFFSET;
}

// Return the size of an image from its first byte to its last, in the address space; 0
// for a pprof profile, which may lack rows of the map.
static uint64_t span_of(const struct hp_dump *dump, const struct hp_run *image) {
    return dump->has_rows
               ? 0
               : dump->mappings.at[image->last_row].end - first_row(dump, image)->start;
}

// Set resolver->extents to the extents of an image: its executable rows, and holes whose
// offset is known.
static void find_extents(struct hp_resolver *resolver, const struct hp_dump *dump,
                         const struct hp_run *image) {
    uint64_t bias;
    bool is_known = find_bias(resolver, dump, image, &bias);
    resolver->extents.count = 0;
    for (size_t i = image->first_row; i <= image->last_row; i++) {
        const struct hp_mapping *row = &dump->mappings.at[i];
        struct hp_extent piece = {.size = row->end - row->start, .offset = row->offset};
        if (resolver->image_of.at[i] == 0) {
            piece.has_hole = true;
            if (!row->executable || !hp_hole_offset(resolver, dump, i, &piece.offset)) {
                continue;
            }
        }
        if (row->executable) {
            piece.address = is_known ? row->start - bias : piece.offset;
            add_extent(resolver, piece);
        }
    }
}

// --- pieces of images ------------------------------------------------------------------

static uint32_t hash_of(const struct hp_mapping *row) {
    return (uint32_t)hp_hash_bytes(row->path.at, row->path.size, hp_hash_key());
}

// Return the image in resolver->wholes that is mapped from the row's file; NULL: there is
// none.
static struct hp_run *find_whole(struct hp_resolver *resolver, const struct hp_dump *dump,
                                 const struct hp_mapping *row) {
    uint32_t hash = hash_of(row), item;
    for (size_t at = hash; hp_index_next(&resolver->wholes, hash, &at, &item);) {
        struct hp_run *image = &resolver->images.at[item];
        if (hp_same_file(row, first_row(dump, image))) {
            return image;
        }
    }
    return NULL;
}

// Index in resolver->wholes the images that have more than one row and executable rows.
static void make_wholes(struct hp_resolver *resolver, const struct hp_dump *dump) {
    hp_index_drop(&resolver->wholes);
    for (size_t i = 0; i < resolver->images.count; i++) {
        const struct hp_run *image = &resolver->images.at[i];
        const struct hp_mapping *row = first_row(dump, image);
        if (image->first_row < image->last_row && image->code_end > 0 &&
            !find_whole(resolver, dump, row)) {
            hp_index_put(&resolver->wholes, hash_of(row), i);
        }
    }
    resolver->has_wholes = true;
}

// Return the image itself, or the image of the whole file if it is a second mapping of a
// part of that file.
static struct hp_run *whole_of(struct hp_resolver *resolver, const struct hp_dump *dump,
                               struct hp_run *image) {
    if (image->first_row < image->last_row || image->code_end == 0 || dump->has_rows) {
        return image;
    }
    if (!resolver->has_wholes) {
        make_wholes(resolver, dump);
    }
    struct hp_run *whole = find_whole(resolver, dump, first_row(dump, image));
    bool is_piece = whole && whole->code_start <= image->code_start &&
                    image->code_end <= whole->code_end;
    return is_piece ? whole : image;
}

// Return the path of an image; in that of a temporary file random parts are replaced by
// '*'.  It is valid until the next call.
static struct hp_span name_of(struct hp_resolver *resolver,
                              const struct hp_mapping *row) {
    return hp_temporary_path(row->path, row->deleted, &resolver->name);
}

// Return the same path as name_of(), valid as long as resolver->asked_names.
static struct hp_span kept_name(struct hp_resolver *resolver,
                                const struct hp_mapping *row) {
    struct hp_span name = name_of(resolver, row);
    return name.at == row->path.at
               ? name
               : hp_strtab_span(&resolver->asked_names,
                                hp_strtab_add(&resolver->asked_names, name));
}

// Copy a build id of the dump to the strings of the profile.
static hp_string imported(struct hp_profile *profile, const struct hp_dump *dump,
                          hp_string build_id) {
    return hp_strtab_add(&profile->strings, hp_strtab_span(&dump->strings, build_id));
}

// Return what the prover was asked about an image; NULL: it was not asked.
static const struct hp_proof_module *asked_of(const struct hp_resolver *resolver,
                                              const struct hp_run *image) {
    return image && image->asked > 0 ? &resolver->question.modules.at[image->asked - 1]
                                     : NULL;
}

// Copy the prover's result for an image to its module, if the prover was asked.
static void take_proof(const struct hp_resolver *resolver, const struct hp_run *image,
                       struct hp_profile *profile, struct hp_module *module) {
    const struct hp_proof_module *asked = asked_of(resolver, image);
    if (asked) {
        hp_profile_take_proof(profile, module, asked);
        module->dumps = 1;
    }
}

// Make the extents of the current image ELF addresses, if a file of the module `asked`
// shows them.
static void take_elf_addresses(struct hp_resolver *resolver,
                               const struct hp_proof_module *asked,
                               struct hp_module *module) {
    if (asked && asked->elf_addresses) {
        module->addresses = HP_ADDRESS_VIRTUAL;
        for (size_t i = 0; i < resolver->extents.count; i++) {
            resolver->extents.at[i].address = asked->elf_addresses[i];
        }
    }
}

// Return the module of an image in the profile, which is added if it is new.
static hp_module_id module_of_image(struct hp_resolver *resolver,
                                    const struct hp_dump *dump, struct hp_run *image,
                                    struct hp_profile *profile) {
    if (image->known) {
        return image->module;
    }
    const struct hp_mapping *first = first_row(dump, image);
    find_extents(resolver, dump, image);
    hp_string build_id = imported(profile, dump, first->build_id);
    struct hp_module module = {
        .kind = HP_MODULE_FILE,
        .addresses = kind_of_addresses(resolver, dump, image),
        .path = hp_strtab_add(&profile->strings, name_of(resolver, first)),
        .deleted = first->deleted,
        .lowest_file = first->file,
        .highest_file = first->file,
        .recorded_build_id = build_id,
        .build_id = build_id,
        .span = span_of(dump, image),
        .extents = (uint32_t)resolver->extents.count,
        .resolved = first->resolved,
    };
    take_proof(resolver, image, profile, &module);
    take_elf_addresses(resolver, asked_of(resolver, image), &module);
    image->module = hp_profile_module(profile, &module, resolver->extents.at);
    image->known = true;
    return image->module;
}

// --- builds ----------------------------------------------------------------------------

// Return whether leaves of stacks are return addresses.  Those of gperftools are not;
// those of pprof may be anything.
static bool are_leaves_returns(const struct hp_dump *dump) {
    return dump->producer == HP_PRODUCER_JEMALLOC ||
           dump->producer == HP_PRODUCER_JEMALLOC_3;
}

// Return the frames of stack i, for the prover.
static struct hp_proof_stack stack_at(const void *data, size_t i) {
    const struct hp_dump *dump = data;
    const struct hp_dump_stack *stack = &dump->stacks.at[i];
    return (struct hp_proof_stack){hp_vec_from(&dump->frames, stack->first_frame),
                                   stack->depth};
}

// Add each image that contains an address to the question for the prover, once, with the
// extents of its code.
static void ask_of_images(struct hp_resolver *resolver, const struct hp_dump *dump) {
    struct hp_proof_question *question = &resolver->question;
    const struct hp_resolved_row *row;
    resolver->asked_extents.count = 0;
    hp_vec_each (row, &resolver->rows) {
        struct hp_run *image = row->image;
        if (image && image->asked == 0) {
            find_extents(resolver, dump, image);
            const struct hp_mapping *first = first_row(dump, image);
            struct hp_proof_module module = {
                .path = first->path,
                .name = kept_name(resolver, first),
                .is_known_build = first->build_id.n != 0,
                .build_id = hp_strtab_span(&dump->strings, first->build_id),
                .addresses = kind_of_addresses(resolver, dump, image),
                .span = span_of(dump, image),
                .extent_count = (uint32_t)resolver->extents.count,
            };
            hp_vec_append(&resolver->asked_extents, resolver->extents.at,
                          resolver->extents.count);
            hp_vec_push(&question->modules, module);
            image->asked = (uint32_t)question->modules.count;
        }
    }
    size_t first = 0;
    struct hp_proof_module *module;
    // `extents` are set only now: the vector does not grow any more.
    hp_vec_each (module, &question->modules) {
        module->extents = resolver->asked_extents.at + first;
        first += module->extent_count;
    }
}

// Add all addresses of the dump to the question for the prover.
static void ask_of_addresses(struct hp_resolver *resolver, const struct hp_dump *dump) {
    struct hp_proof_question *question = &resolver->question;
    hp_vec_reserve(&question->addresses, dump->addresses.count);
    for (size_t i = 0; i < dump->addresses.count; i++) {
        uint32_t of = resolver->row_of.at[i];
        const struct hp_resolved_row *row = of > 0 ? &resolver->rows.at[of - 1] : NULL;
        struct hp_proof_address address = {
            .module = row && row->image ? row->image->asked - 1 : HP_NO_MODULE,
            .address = dump->addresses.at[i] + (row ? row->shift : 0),
        };
        hp_vec_push(&question->addresses, address);
    }
    for (size_t i = 0; i < dump->stacks.count && are_leaves_returns(dump); i++) {
        struct hp_proof_stack stack = stack_at(dump, i);
        if (stack.depth > 1) { // the last frame of a stack may have no caller
            question->addresses.at[stack.frames[0]].is_return = true;
        }
    }
}

// Mark the module of the allocator in the question for the prover.  jemalloc's own frames
// are in stacks, so it is the module in which most stacks have their leaf.
static void ask_of_allocator(struct hp_resolver *resolver, const struct hp_dump *dump) {
    struct hp_proof_question *question = &resolver->question;
    size_t *stacks = hp_alloc(question->modules.count * sizeof *stacks), most = 0;
    for (size_t i = 0; i < dump->stacks.count; i++) {
        struct hp_proof_stack stack = stack_at(dump, i);
        uint32_t module = stack.depth > 0 ? question->addresses.at[stack.frames[0]].module
                                          : HP_NO_MODULE;
        if (module != HP_NO_MODULE) {
            stacks[module]++;
        }
    }
    for (size_t i = 0; i < question->modules.count; i++) {
        most = stacks[i] > stacks[most] ? i : most;
    }
    question->modules.at[most].is_allocator = stacks[most] > 0;
    free(stacks);
}

// Ask the prover which files contain the code that ran.
static void prove(struct hp_resolver *resolver, const struct hp_dump *dump,
                  struct hp_prover *prover) {
    struct hp_proof_question *question = &resolver->question;
    ask_of_images(resolver, dump);
    if (question->modules.count > 0) {
        question->dump = dump;
        question->stack_count = dump->stacks.count;
        question->stack_at = stack_at;
        ask_of_addresses(resolver, dump);
        if (are_leaves_returns(dump)) {
            ask_of_allocator(resolver, dump);
        }
        prover->prove(prover, question);
    }
}

// --- resolving -------------------------------------------------------------------------

// Return the module of a row that is no file, "[vdso]" or "[anon]".
static hp_module_id pseudo_module(const struct hp_dump *dump,
                                  const struct hp_mapping *row,
                                  struct hp_profile *profile) {
    struct hp_span name = row->path.size > 0 ? row->path : hp_span_of("[anon]");
    hp_string build_id = imported(profile, dump, row->build_id);
    struct hp_module module = {.kind = HP_MODULE_PSEUDO,
                               .path = hp_strtab_add(&profile->strings, name),
                               .recorded_build_id = build_id,
                               .build_id = build_id,
                               .resolved = row->resolved};
    return hp_profile_module(profile, &module, NULL);
}

// Return the image around the hole at row `i`.  hp_hole_offset() must have returned true
// for the row.
static struct hp_run *image_around(struct hp_resolver *resolver, size_t i) {
    while (resolver->image_of.at[i] == 0) {
        i--;
    }
    return &resolver->images.at[resolver->image_of.at[i] - 1];
}

// Return the address at which the process would have an offset of the image, by its rows.
static uint64_t address_in(const struct hp_dump *dump, const struct hp_run *image,
                           uint64_t offset) {
    const struct hp_mapping *row = first_row(dump, image);
    for (size_t i = image->first_row; i <= image->last_row; i++) {
        const struct hp_mapping *next = &dump->mappings.at[i];
        bool holds = next->executable && next->offset <= offset;
        row = holds && hp_same_file(next, row) ? next : row;
    }
    return row->start + (offset - row->offset);
}

// Return the image of row `i`, and the shift from addresses in the process to addresses
// in the module.  The row is in `image`, and begins at `offset` in its file.  If `image`
// is a second mapping of a part, the whole image is used instead.
static struct hp_resolved_row place_in(struct hp_resolver *resolver,
                                       const struct hp_dump *dump, size_t i,
                                       struct hp_run *image, uint64_t offset) {
    struct hp_run *whole = whole_of(resolver, dump, image);
    uint64_t start = dump->mappings.at[i].start, bias;
    bool is_known = find_bias(resolver, dump, whole, &bias);
    uint64_t at = whole == image ? start : address_in(dump, whole, offset);
    return (struct hp_resolved_row){
        .row = (uint32_t)i,
        .shift = (is_known ? at - bias : offset) - start,
        .image = whole,
    };
}

// Find the image of row `i` of the map, and the shift from addresses in the process to
// addresses in its module.
static struct hp_resolved_row place(struct hp_resolver *resolver,
                                    const struct hp_dump *dump, size_t i) {
    const struct hp_mapping *row = &dump->mappings.at[i];
    uint64_t offset = row->offset;
    uint32_t image = resolver->image_of.at[i];
    if (image > 0) {
        return place_in(resolver, dump, i, &resolver->images.at[image - 1], offset);
    }
    if (row->executable && hp_hole_offset(resolver, dump, i, &offset)) {
        return place_in(resolver, dump, i, image_around(resolver, i), offset);
    }
    // Code in no file is known by its address only.
    return (struct hp_resolved_row){
        .row = (uint32_t)i,
        .shift = row->path.size > 0 ? offset - row->start : 0,
        .is_generated = hp_generated_is_row(dump, i),
    };
}

// Return the row that contains `address`, or the number of rows.
static size_t row_of(const struct hp_dump *dump, uint64_t address) {
    // Rows before low start at or below address.
    size_t low = 0, high = dump->mappings.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (dump->mappings.at[middle].start <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    bool found = low > 0 && address < dump->mappings.at[low - 1].end;
    return found ? low - 1 : dump->mappings.count;
}

// Return whether an address should be in a mapping.  Some writers end stacks with 0.  A
// dump with names and without a map does not need a map.
static bool needs_mapping(const struct hp_dump *dump, size_t address) {
    bool has_names = dump->mappings.count == 0 && dump->embedded.count > 0;
    return dump->addresses.at[address] > 0 && !has_names &&
           !hp_dump_embedded(dump, address);
}

static bool is_code(const struct hp_dump *dump, size_t row) {
    return row < dump->mappings.count && dump->mappings.at[row].executable;
}

// Return the row of the call that returns to an address.  A call that returns to the
// first byte of a row is in the row before.  If that row is no code there was no call:
// the handler of a signal returns to the beginning of a page.
static size_t row_of_call(const struct hp_dump *dump, size_t number) {
    uint64_t address = dump->addresses.at[number];
    if (dump->has_rows) {
        uint32_t row = dump->rows.at[number];
        return row > 0 ? row - 1 : dump->mappings.count;
    }
    size_t row = row_of(dump, address - (address > 0));
    size_t row_at = is_code(dump, row) ? row : row_of(dump, address);
    return is_code(dump, row_at) ? row_at : row;
}

// Find the row of each address of the dump, and the image and shift of each of these
// rows.
static void place_all(struct hp_resolver *resolver, const struct hp_dump *dump) {
    resolver->rows.count = resolver->resolved_of.count = resolver->row_of.count = 0;
    if (dump->mappings.count > 0) {
        (void)hp_vec_reach(&resolver->resolved_of, dump->mappings.count - 1);
    }
    hp_vec_reserve(&resolver->row_of, dump->addresses.count);
    for (size_t number = 0; number < dump->addresses.count; number++) {
        size_t i = row_of_call(dump, number);
        uint32_t *of = i < dump->mappings.count ? &resolver->resolved_of.at[i] : NULL;
        if (of && *of == 0) {
            hp_vec_push(&resolver->rows, place(resolver, dump, i));
            *of = (uint32_t)resolver->rows.count;
        }
        hp_vec_push(&resolver->row_of, of ? *of : 0);
    }
}

// Return the frame of address `number`, which is in no row of the map: it has no module.
// An address that should be in a mapping is counted in resolver->unmapped.  Only the
// frame of such an address gets address 0, and only if the dump has a map and unmapped
// addresses are not kept.
static struct hp_frame unmapped_frame(struct hp_resolver *resolver,
                                      const struct hp_dump *dump, size_t number,
                                      struct hp_profile *profile) {
    const struct hp_embedded_address *names = hp_dump_embedded(dump, number);
    if (names && names->is_generated && !resolver->keeps_unmapped) {
        return hp_generated_frame(profile, dump, names);
    }
    bool is_lost = needs_mapping(dump, number);
    bool has_map = dump->mappings.count > 0; // else the address may be in a mapping
    bool is_nowhere = is_lost && has_map && !resolver->keeps_unmapped;
    resolver->unmapped += is_lost;
    return (struct hp_frame){.address = is_nowhere ? 0 : dump->addresses.at[number]};
}

// Return the frame of address `number`; its module is added to the profile if necessary.
static struct hp_frame frame_of(struct hp_resolver *resolver, const struct hp_dump *dump,
                                size_t number, struct hp_profile *profile) {
    uint32_t of = resolver->row_of.at[number];
    if (of == 0) {
        return unmapped_frame(resolver, dump, number, profile);
    }
    struct hp_resolved_row *row = &resolver->rows.at[of - 1];
    if (row->is_generated && !resolver->keeps_unmapped) {
        struct hp_frame frame =
            hp_generated_frame(profile, dump, hp_dump_embedded(dump, number));
        resolver->generated += frame.address == 0;
        return frame;
    }
    if (!row->is_known) {
        row->module = row->image
                          ? module_of_image(resolver, dump, row->image, profile)
                          : pseudo_module(dump, &dump->mappings.at[row->row], profile);
        row->is_known = true;
    }
    const struct hp_proof_module *asked = asked_of(resolver, row->image);
    uint64_t address = dump->addresses.at[number] + row->shift;
    bool is_elf = asked && asked->elf_addresses;
    return (struct hp_frame){.module = row->module,
                             .address =
                                 is_elf ? hp_proof_elf_address(asked, address) : address};
}

// Append the frames of the next addresses to resolver->frames, several at once.
static void add_frames(struct hp_resolver *resolver, const struct hp_dump *dump,
                       struct hp_profile *profile) {
    struct hp_frame frames[64];
    size_t first = resolver->frames.count, count = 0;
    while (count < sizeof frames / sizeof *frames &&
           first + count < dump->addresses.count) {
        frames[count] = frame_of(resolver, dump, first + count, profile);
        count++;
    }
    resolver->frames.count += count;
    hp_profile_frames(profile, frames, count, resolver->frames.at + first);
}

// Count the addresses in libraries that had been unloaded, as other dumps show.  If the
// binary of a library contains other code than what ran, addresses in the library become
// unmapped instead.
static void settle_unloaded(struct hp_resolver *resolver, const struct hp_dump *dump) {
    const struct hp_proof_module *asked = resolver->question.modules.at;
    resolver->unloaded = 0;
    for (size_t i = 0; i < dump->addresses.count; i++) {
        uint32_t *of = &resolver->row_of.at[i];
        const struct hp_resolved_row *row = *of > 0 ? &resolver->rows.at[*of - 1] : NULL;
        if (row && dump->mappings.at[row->row].is_unloaded) {
            uint32_t number = row->image ? row->image->asked : 0;
            bool is_other = number > 0 && asked[number - 1].proof == HP_PROOF_OPEN &&
                            asked[number - 1].returns.failed > 0;
            *of = is_other ? 0 : *of;
            resolver->unloaded += !is_other;
        }
    }
}

void hp_resolve_places(struct hp_resolver *resolver, const struct hp_dump *dump,
                       struct hp_prover *prover) {
    hp_images_find(resolver, dump);
    place_all(resolver, dump);
    hp_proof_question_clear(&resolver->question);
    if (prover) {
        prove(resolver, dump, prover);
    }
    settle_unloaded(resolver, dump);
}

enum hp_large_sizes hp_resolved_large_sizes(const struct hp_resolver *resolver) {
    enum hp_large_sizes found = HP_LARGE_AUTO;
    const struct hp_proof_module *module;
    hp_vec_each (module, &resolver->question.modules) {
        found = module->is_allocator ? module->large_sizes : found;
    }
    return found;
}

struct hp_jemalloc_version hp_resolved_jemalloc(const struct hp_resolver *resolver) {
    struct hp_jemalloc_version found = {""};
    const struct hp_proof_module *module;
    hp_vec_each (module, &resolver->question.modules) {
        found = module->is_allocator ? module->jemalloc : found;
    }
    return found;
}

void hp_resolve(struct hp_resolver *resolver, const struct hp_dump *dump,
                struct hp_profile *profile) {
    resolver->unmapped = resolver->generated = 0;
    resolver->frames.count = 0;
    hp_vec_reserve(&resolver->frames, dump->addresses.count);
    if (profile->frames.count == 0) { // else most frames are in the profile already
        hp_profile_reserve_frames(profile, dump->addresses.count);
    }
    while (resolver->frames.count < dump->addresses.count) {
        add_frames(resolver, dump, profile);
    }
}

void hp_resolver_done(struct hp_resolver *resolver) {
    hp_vec_done(&resolver->image_of);
    hp_vec_done(&resolver->resolved_of);
    hp_vec_done(&resolver->rows);
    hp_vec_done(&resolver->row_of);
    hp_vec_done(&resolver->asked_extents);
    hp_strtab_done(&resolver->asked_names);
    hp_vec_done(&resolver->name.bytes);
    hp_proof_question_done(&resolver->question);
    hp_vec_done(&resolver->images);
    hp_index_drop(&resolver->wholes);
    hp_vec_done(&resolver->extents);
    hp_vec_done(&resolver->frames);
}
