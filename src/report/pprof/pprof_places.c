// Mapping { id = 1, memory_start = 2, memory_limit = 3, file_offset = 4, filename = 5,
//           build_id = 6, has_functions = 7, has_filenames = 8, has_line_numbers = 9,
//           has_inline_frames = 10 }
// Location { id = 1, mapping_id = 2, address = 3, line = 4 }, of the call, innermost line
//            first
// Line { function_id = 1, line = 2, column = 3 }
// Function { id = 1, name = 2, system_name = 3, filename = 4, start_line = 5 }
//
// Each process has a file at another address.  Here every file is its own address space:
// addresses are those of its ELF headers, or offsets in the file where these are not
// known, and file_offset is the offset of memory_start.
#include "report/pprof/pprof_places.h"

#include "base/hash.h"
#include "base/utf8.h"

#include <string.h>

enum place_field {
    PROFILE_MAPPING = 3,
    PROFILE_LOCATION = 4,
    PROFILE_FUNCTION = 5,
};

// The start of a mapping is rounded down to a multiple of this, in bytes.
static const uint64_t page = 4096;

// Find or add a string, and return its number.  Names are not changed, so that tools that
// read and merge the profile find the same names.  But a string of protobuf must be
// UTF-8: other bytes are escaped.
uint64_t hp_pprof_text(struct hp_pprof_writer *writer, struct hp_span text) {
    HP_VEC(char) safe = {0};
    size_t valid = hp_utf8_size(text);
    if (valid == text.size) {
        return hp_strtab_add(&writer->strings, text).n;
    }
    while (text.size > 0) {
        size_t written = 0;
        hp_vec_append(&safe, text.at, valid);
        text = hp_span_from(text, valid);
        hp_vec_reserve(&safe, HP_ESCAPE_MAX);
        if (text.size > 0) {
            hp_escape(text.at, 1, safe.at + safe.count, HP_ESCAPE_MAX, &written);
            text = hp_span_from(text, 1);
        }
        safe.count += written;
        valid = hp_utf8_size(text);
    }
    uint64_t number =
        hp_strtab_add(&writer->strings, (struct hp_span){safe.at, safe.count}).n;
    hp_vec_done(&safe);
    return number;
}

void hp_pprof_put(struct hp_pprof_writer *writer, uint32_t field,
                  struct hp_protobuf *message) {
    hp_protobuf_message(&writer->field, field, message);
    hp_sink_put(writer->out, writer->field.bytes.at, writer->field.bytes.count);
    hp_protobuf_clear(&writer->field);
    hp_protobuf_clear(message);
}

// --- what there is ------------------------------------------------------------------------

// Assign ids to the locations, in the order of the elements of stacks (places), and count
// those of each module.
static void number_locations(struct hp_pprof_places *places, const bool *is_stack_used) {
    const struct hp_stacks *stacks = &places->view->stacks;
    for (size_t i = 0; i < stacks->all.count; i++) {
        const struct hp_stack_key *stack = &stacks->all.at[i];
        for (uint32_t k = 0; k < stack->depth && is_stack_used[i]; k++) {
            places->location_of[stack->at[k]] = 1;
        }
    }
    for (uint32_t place = 0; place < stacks->place_count; place++) {
        if (places->location_of[place]) {
            hp_vec_push(&places->locations, place);
            places->location_of[place] = (uint32_t)places->locations.count;
            const struct hp_frame *frame = hp_stacks_place(stacks, place).frame;
            places->location_count[frame ? frame->module.n : 0]++;
        }
    }
}

// Whether a file is a shared library by its name: "libfoo.so", "libfoo.so.1",
// "ld-linux-x86-64.so.2".
static bool is_library(struct hp_span path) {
    struct hp_span name = hp_span_basename(path);
    for (; name.size >= 3; name = hp_span_from(name, 1)) {
        if (hp_span_starts(name, ".so") && (name.size == 3 || name.at[3] == '.')) {
            return true;
        }
    }
    return false;
}

// Return the number of the program's module, or 0.  Readers take the first mapping for
// the program.  No dump says which one it is: it is the file with the most locations
// among those that are not libraries.
static uint32_t find_program(const struct hp_pprof_places *places) {
    uint32_t program = 0, most = 0;
    for (uint32_t i = 1; i < hp_view_module_count(places->view); i++) {
        const struct hp_module *module = hp_view_module(places->view, (hp_module_id){i});
        if (module->kind == HP_MODULE_FILE && places->location_count[i] > most &&
            !is_library(hp_view_string(places->view, module->path))) {
            program = i;
            most = places->location_count[i];
        }
    }
    return program;
}

// Assign ids to the mappings: the program first, then the other modules that have
// locations.
static void number_mappings(struct hp_pprof_places *places) {
    uint32_t program = find_program(places);
    size_t modules = hp_view_module_count(places->view);
    if (program > 0) {
        hp_vec_push(&places->modules, (hp_module_id){program});
        places->mapping_of[program] = 1;
    }
    for (uint32_t i = 1; i < modules; i++) {
        if (i != program && places->location_count[i] > 0) {
            hp_vec_push(&places->modules, (hp_module_id){i});
            places->mapping_of[i] = (uint32_t)places->modules.count;
        }
    }
}

void hp_pprof_places_init(struct hp_pprof_places *places, const struct hp_view *view,
                          const bool *is_stack_used) {
    size_t modules = hp_view_module_count(view);
    *places = (struct hp_pprof_places){
        .view = view,
        .location_of = hp_alloc(view->stacks.place_count * sizeof *places->location_of),
        .location_count = hp_alloc(modules * sizeof *places->location_count),
        .mapping_of = hp_alloc(modules * sizeof *places->mapping_of),
    };
    number_locations(places, is_stack_used);
    number_mappings(places);
}

void hp_pprof_places_done(struct hp_pprof_places *places) {
    hp_vec_done(&places->locations);
    hp_vec_done(&places->modules);
    free(places->location_of);
    free(places->location_count);
    free(places->mapping_of);
}

// --- mappings -----------------------------------------------------------------------------

// A range of addresses: from `start` up to but not including `limit`.
struct address_range {
    uint64_t start, limit;
};

// Extend a range so that it includes `size` bytes from `start` on.
static void widen(struct address_range *range, uint64_t start, uint64_t size) {
    uint64_t end = size > UINT64_MAX - start ? UINT64_MAX : start + size;
    range->start = start < range->start ? start : range->start;
    range->limit = end > range->limit ? end : range->limit;
}

// Find for each module a range with its executable parts and all of its locations; the
// caller frees the result.
static struct address_range *find_ranges(const struct hp_pprof_places *places) {
    const struct hp_view *view = places->view;
    uint32_t count = (uint32_t)hp_view_module_count(view);
    struct address_range *ranges = hp_alloc(count * sizeof *ranges);
    for (uint32_t i = 0; i < count; i++) {
        const struct hp_module *module = hp_view_module(view, (hp_module_id){i});
        const struct hp_extent *extents = hp_view_extents(view, module);
        ranges[i].start = UINT64_MAX;
        for (uint32_t k = 0; k < module->extents; k++) {
            widen(&ranges[i], extents[k].address, extents[k].size);
        }
    }
    const uint32_t *place;
    hp_vec_each (place, &places->locations) {
        const struct hp_frame *frame = hp_stacks_place(&view->stacks, *place).frame;
        if (frame) {
            widen(&ranges[frame->module.n], hp_address_of_call(frame), 1);
        }
    }
    return ranges;
}

// The offset in the file of an address, by the first executable part of the module.
static uint64_t offset_of(const struct hp_view *view, const struct hp_module *module,
                          uint64_t address) {
    const struct hp_extent *extent = hp_view_extents(view, module);
    bool is_known = module->extents > 0 && address >= extent->address - extent->offset;
    return is_known ? address - (extent->address - extent->offset) : address;
}

// Find for each module which of functions, files, lines and inlined calls are known at
// its locations, as bits of enum hp_resolved; the caller frees the result.  A module has
// inlined calls only if all of them were found.
static unsigned *find_resolved(const struct hp_pprof_places *places) {
    const struct hp_view *view = places->view;
    unsigned *resolved = hp_alloc(hp_view_module_count(view) * sizeof *resolved);
    const uint32_t *number;
    hp_vec_each (number, &places->locations) {
        struct hp_place place = hp_stacks_place(&view->stacks, *number);
        unsigned *of = &resolved[place.frame ? place.frame->module.n : 0];
        for (uint32_t i = 0; place.lines && i < place.count; i++) {
            *of |= place.lines[i].function.n != 0 ? HP_RESOLVED_FUNCTIONS : 0;
            *of |= place.lines[i].file.n != 0 ? HP_RESOLVED_FILES : 0;
            *of |= place.lines[i].line != 0 ? HP_RESOLVED_LINES : 0;
            *of |= i > 0 ? HP_RESOLVED_INLINES : 0;
        }
    }
    for (uint32_t i = 0; i < hp_view_module_count(view); i++) {
        const struct hp_module *module = hp_view_module(view, (hp_module_id){i});
        resolved[i] |= module->status == HP_SYM_DWARF ? HP_RESOLVED_INLINES : 0;
        resolved[i] &= ~(module->lacks_inlines ? HP_RESOLVED_INLINES : 0u);
    }
    return resolved;
}

// Write the fields has_functions to has_inline_frames of a mapping: as the inputs have
// them, if they do and we did not symbolize the module; else from `resolved`.
static void put_flags(struct hp_protobuf *mapping, const struct hp_module *module,
                      unsigned resolved) {
    bool is_named = module->status == HP_SYM_DWARF || module->status == HP_SYM_SYMTAB;
    resolved = is_named || module->resolved == 0 ? resolved : module->resolved;
    for (uint32_t field = 7; field <= 10; field++) {
        hp_protobuf_number(mapping, field, resolved >> (field - 7) & 1);
    }
}

// Write a mapping for each module that has locations.
static void put_mappings(struct hp_pprof_writer *writer,
                         const struct hp_pprof_places *places) {
    const struct hp_view *view = places->view;
    struct address_range *ranges = find_ranges(places);
    unsigned *resolved = find_resolved(places);
    struct hp_protobuf mapping = {0};
    for (size_t i = 0; i < places->modules.count; i++) {
        hp_module_id id = places->modules.at[i];
        const struct hp_module *module = hp_view_module(view, id);
        uint64_t start = ranges[id.n].start - ranges[id.n].start % page;
        hp_protobuf_number(&mapping, 1, i + 1);
        hp_protobuf_number(&mapping, 2, start);
        hp_protobuf_number(&mapping, 3, ranges[id.n].limit);
        hp_protobuf_number(&mapping, 4, offset_of(view, module, start));
        hp_protobuf_number(&mapping, 5,
                           hp_pprof_text(writer, hp_view_string(view, module->path)));
        hp_protobuf_number(&mapping, 6,
                           hp_pprof_text(writer, hp_view_string(view, module->build_id)));
        put_flags(&mapping, module, resolved[id.n]);
        hp_pprof_put(writer, PROFILE_MAPPING, &mapping);
    }
    hp_protobuf_done(&mapping);
    free(resolved);
    free(ranges);
}

// --- locations and functions --------------------------------------------------------------

// A function of the profile, by which lines of locations refer to it.
struct function {
    hp_string name, linkage, file; // strings of the profile; all 0 if `node` is used
    hp_node_id node;               // node of a call without a frame, else 0
};

// Key for the start line of a function, however often it was compiled: its name and file.
struct beginning {
    hp_string name, file;
};

// Numbers in the string table by string of the profile; 0: not added yet.  Functions
// share names and files, so that each is looked up once.
struct numbers {
    HP_VEC(uint64_t) of;
};

// The functions that locations refer to.
struct functions {
    HP_VEC(struct function) all; // function i has the id i + 1
    struct hp_index index;
    HP_VEC(struct beginning) beginnings;
    struct hp_index beginning_index;
    // For each beginning: its lowest known line; 0: not known.
    HP_VEC(uint32_t) start_lines;
    struct hp_protobuf line; // the last line of a location; reused
    struct numbers names, files;
};

// Find or add the start line of a function.  Copies of a function, inlined or not, can
// have different ones; one line is used for all, because readers distinguish functions by
// it.
static uint32_t *start_of(struct functions *functions, const struct function *function) {
    struct beginning key = {function->name, function->file};
    uint32_t number = hp_index_of(&functions->beginning_index, &functions->beginnings,
                                  &key, sizeof key);
    if (number == functions->beginnings.count) {
        hp_vec_push(&functions->beginnings, key);
        hp_vec_push(&functions->start_lines, 0);
    }
    return &functions->start_lines.at[number];
}

// Record a start line; the lowest one is kept.
static void note_start(struct functions *functions, const struct function *function,
                       uint32_t line) {
    uint32_t *least = start_of(functions, function);
    *least = *least == 0 || (line > 0 && line < *least) ? line : *least;
}

// Find or add a function; returns its id.
static uint32_t function_id(struct functions *functions, struct function function) {
    uint32_t number =
        hp_index_of(&functions->index, &functions->all, &function, sizeof function);
    if (number == functions->all.count) {
        hp_vec_push(&functions->all, function);
    }
    return number + 1;
}

// Add the lines of a location.  A frame without symbols has none: readers show its
// address, or symbolize it themselves.  A frame without an address gets a line with its
// name in this report.
static void add_lines(struct hp_protobuf *location, const struct hp_place *place,
                      struct functions *functions) {
    struct hp_protobuf *line = &functions->line;
    bool has_address = place->frame && place->frame->address > 0;
    for (uint32_t i = 0; i < place->count && (place->lines || !has_address); i++) {
        struct function function = {.node = place->calls[i].node};
        if (place->lines) {
            const struct hp_line *from = &place->lines[i];
            function = (struct function){from->function, from->linkage, from->file, {0}};
            note_start(functions, &function, from->start_line);
        }
        hp_protobuf_number(line, 1, function_id(functions, function));
        hp_protobuf_number(line, 2, place->lines ? place->lines[i].line : 0);
        hp_protobuf_number(line, 3, place->lines ? place->lines[i].column : 0);
        hp_protobuf_message(location, 4, line);
        hp_protobuf_clear(line);
    }
}

// Write a location for each element of stacks (place) that is used, and collect the
// functions.
static void put_locations(struct hp_pprof_writer *writer,
                          const struct hp_pprof_places *places,
                          struct functions *functions) {
    struct hp_protobuf location = {0};
    for (size_t i = 0; i < places->locations.count; i++) {
        struct hp_place place =
            hp_stacks_place(&places->view->stacks, places->locations.at[i]);
        hp_protobuf_number(&location, 1, i + 1);
        if (place.frame) {
            hp_protobuf_number(&location, 2, places->mapping_of[place.frame->module.n]);
            hp_protobuf_number(&location, 3, hp_address_of_call(place.frame));
        }
        add_lines(&location, &place, functions);
        hp_pprof_put(writer, PROFILE_LOCATION, &location);
    }
    hp_protobuf_done(&location);
}

static bool is_mangled(struct hp_span name) {
    return hp_span_starts(name, "_Z") || hp_span_starts(name, "_R");
}

// The system name of a function, in which our reader finds the full name: the mangled
// name, or the full name itself.  It is never equal to the name that is shown, because
// pprof would take that for a name to be demangled and remove anything that looks like
// parameters.  "" means that there is no other name.
static struct hp_span system_name(const struct hp_view *view,
                                  const struct function *function, struct hp_span shown) {
    struct hp_span full = hp_view_string(view, function->name);
    struct hp_span linkage = hp_view_string(view, function->linkage);
    bool is_lost = !is_mangled(linkage) && !hp_span_equal(full, shown);
    struct hp_span system = is_lost ? full : linkage;
    return hp_span_equal(system, shown) ? hp_span_of("") : system;
}

// The number of a string of the profile in the string table, added at the first use.
static uint64_t number_of(struct hp_pprof_writer *writer, struct numbers *numbers,
                          hp_string string, struct hp_span text) {
    uint64_t *number = hp_vec_reach(&numbers->of, string.n);
    *number = *number == 0 ? hp_pprof_text(writer, text) : *number;
    return *number;
}

// Write the functions, when all locations are known.
static void put_functions(struct hp_pprof_writer *writer, const struct hp_view *view,
                          struct functions *functions) {
    struct hp_protobuf message = {0};
    for (size_t i = 0; i < functions->all.count; i++) {
        const struct function *function = &functions->all.at[i];
        struct hp_span name = function->node.n
                                  ? hp_view_node(view, function->node)
                                  : hp_naming_function(&view->naming, function->name);
        hp_protobuf_number(&message, 1, i + 1);
        hp_protobuf_number(&message, 2,
                           function->node.n ? hp_pprof_text(writer, name)
                                            : number_of(writer, &functions->names,
                                                        function->name, name));
        hp_protobuf_number(&message, 3,
                           hp_pprof_text(writer, system_name(view, function, name)));
        hp_protobuf_number(&message, 4,
                           number_of(writer, &functions->files, function->file,
                                     hp_view_string(view, function->file)));
        hp_protobuf_number(&message, 5, *start_of(functions, function));
        hp_pprof_put(writer, PROFILE_FUNCTION, &message);
    }
    hp_protobuf_done(&message);
}

void hp_pprof_put_places(struct hp_pprof_writer *writer,
                         const struct hp_pprof_places *places) {
    struct functions functions = {0};
    put_mappings(writer, places);
    put_locations(writer, places, &functions);
    put_functions(writer, places->view, &functions);
    hp_index_drop(&functions.index);
    hp_index_drop(&functions.beginning_index);
    hp_vec_done(&functions.beginnings);
    hp_vec_done(&functions.start_lines);
    hp_vec_done(&functions.all);
    hp_protobuf_done(&functions.line);
    hp_vec_done(&functions.names.of);
    hp_vec_done(&functions.files.of);
}
