#include "view/naming.h"

#include "base/pattern.h"
#include "view/frame_rules.h"
#include "view/shortname.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
    STAND_INS = 2, // calls without a frame: "[empty stack]" and "[truncated]"
};

// The texts before the number in names of places, as "libfoo.so.1+", for the module last
// used: frames are sorted by module.
struct heads {
    bool is_known;
    hp_module_id module;
    // Heads before addresses of frames, and before starts of functions.
    hp_string of_places, of_starts;
};

// A name under construction.
struct name_builder {
    HP_VEC(char) text;
    bool is_short; // short names of functions are appended
    struct heads heads;
};

HP_PRINTF(2, 3)

// Append formatted text, like printf(); the text grows as needed.
static void build(struct name_builder *b, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int size = vsnprintf(NULL, 0, format, args);
    va_end(args);
    hp_vec_reserve(&b->text, (size_t)size + 1);
    va_start(args, format);
    vsnprintf(b->text.at + b->text.count, (size_t)size + 1, format, args);
    va_end(args);
    b->text.count += (size_t)size;
}

// Return the text so far; valid until more is appended.
static struct hp_span built(const struct name_builder *b) {
    return (struct hp_span){b->text.at, b->text.count};
}

// Append a number as "0x1234".  This is done for each frame without a name; printf()
// would take a tenth of a report's time for it.
static void append_hex(struct name_builder *b, uint64_t number) {
    char text[2 + 16], *at = text + sizeof text;
    do {
        *--at = "0123456789abcdef"[number & 15];
    } while (number >>= 4);
    *--at = 'x';
    *--at = '0';
    hp_vec_append(&b->text, at, (size_t)(text + sizeof text - at));
}

static const char *module_name_of(const char *path) {
    const char *name = hp_span_module_name(hp_span_of(path)).at;
    return *name ? name : path;
}

// Return the head of place names in a module: "libfoo.so.1+" before an ELF address,
// "libfoo.so.1@" before an offset in the file, "" for frames in no module.  Starts of
// functions also have the build if several modules share the file name:
// "libfoo.so.1(0123456789ab)+".
static hp_string head_of(struct hp_naming *naming, hp_module_id id, bool of_starts) {
    const struct hp_profile *profile = naming->profile;
    const struct hp_module *module = &profile->modules.at[id.n];
    struct name_builder b = {.is_short = false};
    if (module->kind != HP_MODULE_NONE || of_starts) {
        const char *path = hp_profile_text(profile, module->path);
        build(&b, "%s", module_name_of(path));
        if (module->shares_name && of_starts) {
            build(&b, "(%.12s)", hp_profile_text(profile, module->build_id));
        }
        build(&b, module->addresses == HP_ADDRESS_OFFSET ? "@" : "+");
    }
    hp_string head = hp_node_names_head(&naming->names, built(&b));
    hp_vec_done(&b.text);
    return head;
}

// Return the text before the number in the name of a frame's place, or of the place where
// its function starts if `offset` is not the frame's own address.
static inline hp_string find_head(struct heads *heads, struct hp_naming *naming,
                                  const struct hp_frame *frame, uint64_t offset) {
    if (!heads->is_known || heads->module.n != frame->module.n) {
        *heads = (struct heads){.is_known = true,
                                .module = frame->module,
                                .of_places = head_of(naming, frame->module, false),
                                .of_starts = head_of(naming, frame->module, true)};
    }
    return offset == frame->address ? heads->of_places : heads->of_starts;
}

// Append the place at `offset` in a frame's module: "libfoo.so.1+0x1234", or
// "0x7f2bde8a2630" without a module, or "[unmapped]" or "[jit]" if the frame is
// hp_frame_is_many().
static void build_place(struct name_builder *b, struct hp_naming *naming,
                        const struct hp_frame *frame, uint64_t offset) {
    if (hp_frame_is_many(naming->profile, frame)) {
        const char *name = frame->module.n == 0 ? "[unmapped]" : HP_GENERATED_MODULE;
        hp_vec_append(&b->text, name, strlen(name));
        return;
    }
    hp_string head = find_head(&b->heads, naming, frame, offset);
    struct hp_span text = hp_strtab_span(&naming->names.heads.strings, head);
    hp_vec_append(&b->text, text.at, text.size);
    append_hex(b, offset);
}

// Append " file:line", as far as it is known.
static void build_source(struct name_builder *b, const struct hp_profile *profile,
                         const struct hp_line *line) {
    if (line->file.n) {
        build(b, " %s", hp_profile_text(profile, line->file));
    }
    if (line->file.n && line->line) {
        build(b, ":%u", line->line);
    }
}

// Append the name of a function, with a mark if it may be another one, or the place where
// it starts if it has no name.
static void build_function(struct name_builder *b, struct hp_naming *naming,
                           const struct hp_frame *frame, const struct hp_line *line) {
    if (line && line->function.n) {
        struct hp_span name =
            b->is_short ? hp_naming_function(naming, line->function)
                        : hp_strtab_span(&naming->profile->strings, line->function);
        hp_vec_append(&b->text, name.at, name.size);
        build(b, "%s", hp_frame_is_doubtful(naming->profile, frame) ? " [2 names]" : "");
    } else {
        build_place(b, naming, frame, hp_address_of_start(frame));
    }
}

// Append the path of a frame's module, or "[unmapped]".
static void build_module(struct name_builder *b, const struct hp_profile *profile,
                         const struct hp_frame *frame) {
    const struct hp_module *module = &profile->modules.at[frame->module.n];
    build(b, "%s",
          module->kind == HP_MODULE_NONE ? "[unmapped]"
                                         : hp_profile_text(profile, module->path));
}

// Append the build of a module: " (build 289ee39f8c07)", or " (build not known)" if it is
// unknown or not unique.
static void build_id(struct name_builder *b, const struct hp_profile *profile,
                     const struct hp_module *module) {
    const char *id = hp_profile_text(profile, hp_module_build(module));
    build(b, " (build %.12s)", *id && !strchr(id, ',') ? id : "not known");
}

// Append the name of an address: its place, and the function with its source file and
// line, or else the place where the function starts.
static void build_address(struct name_builder *b, struct hp_naming *naming,
                          const struct hp_frame *frame, const struct hp_line *line) {
    bool has_name = line && line->function.n;
    bool has_start = !has_name && hp_address_of_start(frame) != frame->address;
    if (!has_name || !hp_frame_is_by_names(frame)) {
        build_place(b, naming, frame, frame->address);
        build(b, has_name || has_start ? " " : "");
    }
    if (has_name) {
        build_function(b, naming, frame, line);
        build_source(b, naming->profile, line);
    } else if (has_start) {
        build_place(b, naming, frame, hp_address_of_start(frame));
    }
}

// Append the name of a call at a granularity; `line` is NULL if there are no symbols.
static void build_name(struct name_builder *b, struct hp_naming *naming,
                       const struct hp_frame *frame, const struct hp_line *line,
                       enum hp_granularity by) {
    const struct hp_profile *profile = naming->profile;
    switch (by) {
    case HP_BY_FUNCTION:
    case HP_BY_LINE:
        build_function(b, naming, frame, line);
        if (line && by == HP_BY_LINE) {
            build_source(b, profile, line);
        }
        break;
    case HP_BY_FILE:
        if (line && line->file.n) {
            build(b, "%s", hp_profile_text(profile, line->file));
        } else {
            build_module(b, profile, frame);
        }
        break;
    case HP_BY_MODULE:
        build_module(b, profile, frame);
        break;
    case HP_BY_BUILD:
        build_module(b, profile, frame);
        if (profile->modules.at[frame->module.n].kind == HP_MODULE_FILE) {
            build_id(b, profile, &profile->modules.at[frame->module.n]);
        }
        break;
    case HP_BY_ADDRESS:
        build_address(b, naming, frame, line);
        break;
    case HP_BY_GROUP: // named by function, in a profile of groups
    case HP_BY_INPUT: // rows that are not made of frames
    case HP_BY_THREAD:
    case HP_BY_LABEL:
    case HP_BY_SIZE:
    case HP_BY_AGE:
    case HP_BY_PROGRAM:
    case HP_BY_PROCESS:
        break;
    }
}

// --- nodes --------------------------------------------------------------------------------

hp_node_id hp_naming_add(struct hp_naming *naming, struct hp_span name,
                         enum hp_frame_class class) {
    return hp_node_names_add(&naming->names, name, class);
}

hp_node_id hp_naming_add_function(struct hp_naming *naming, hp_string function,
                                  enum hp_frame_class class) {
    struct hp_span full = hp_strtab_span(&naming->profile->strings, function);
    hp_node_id node = hp_naming_add(naming, full, class);
    if (naming->short_of) {
        *hp_vec_reach(&naming->shown, node.n) = naming->short_of[function.n];
    }
    return node;
}

// Return the short name of a node, a string of naming->short_names; 0: its name is shown
// in full.
static hp_string shown_of(const struct hp_naming *naming, hp_node_id node) {
    return node.n < naming->shown.count ? naming->shown.at[node.n] : (hp_string){0};
}

struct hp_span hp_node_name(const struct hp_naming *naming, hp_node_id node) {
    hp_string shown = shown_of(naming, node);
    return shown.n ? hp_strtab_span(&naming->short_names, shown)
                   : hp_node_full_name(naming, node);
}

struct hp_span hp_node_full_name(const struct hp_naming *naming, hp_node_id node) {
    return hp_node_names_text(&naming->names, node);
}

enum hp_frame_class hp_node_class(const struct hp_naming *naming, hp_node_id node) {
    return (enum hp_frame_class)naming->names.all.at[node.n].class;
}

int hp_node_compare(const struct hp_naming *naming, hp_node_id a, hp_node_id b) {
    bool is_short = shown_of(naming, a).n != 0 || shown_of(naming, b).n != 0;
    int order =
        is_short ? hp_span_compare(hp_node_name(naming, a), hp_node_name(naming, b)) : 0;
    return order ? order : hp_node_names_compare(&naming->names, a, b);
}

static int compare_nodes(const void *left, const void *right, void *naming) {
    return hp_node_compare(naming, *(const hp_node_id *)left, *(const hp_node_id *)right);
}

void hp_nodes_sort(const struct hp_naming *naming, hp_node_id *nodes, size_t count) {
    if (count > 0) {
        qsort_r(nodes, count, sizeof *nodes, compare_nodes, (void *)(uintptr_t)naming);
    }
}

uint32_t *hp_nodes_rank(const struct hp_naming *naming, hp_node_id *nodes, size_t count) {
    uint32_t *rank = hp_alloc(hp_node_count(naming) * sizeof *rank);
    hp_nodes_sort(naming, nodes, count);
    for (uint32_t i = 0; i < count; i++) {
        rank[nodes[i].n] = i;
    }
    return rank;
}

// --- filters ------------------------------------------------------------------------------

// Return the string that names a call's node, which HP_PICK is matched against: function
// or source file, depending on the granularity, else the module.
static hp_string picked_by(const struct hp_line *line, hp_string module,
                           enum hp_granularity by) {
    bool by_file = by == HP_BY_FILE;
    if (!line || by == HP_BY_MODULE || by == HP_BY_BUILD ||
        (by_file ? line->file.n : line->function.n) == 0) {
        return module;
    }
    return by_file ? line->file : line->function;
}

// Return the set of filter rules that match a call of frame number `frame`.  Rules look
// at its function, file and module, and at the frame's address; HP_PICK only at the
// string that names the node.
static uint8_t marks_of(const struct hp_naming *naming, size_t frame,
                        const struct hp_line *line, enum hp_granularity by) {
    const struct hp_profile *profile = naming->profile;
    const uint8_t *strings = naming->filters->strings;
    if (!strings) {
        return 0;
    }
    hp_module_id id = profile->frames.at[frame].module;
    hp_string module = profile->modules.at[id.n].path;
    uint8_t marks = strings[module.n], pick = strings[picked_by(line, module, by).n];
    if (line) {
        marks |= strings[line->function.n] | strings[line->file.n];
    }
    marks = (uint8_t)(marks & ~hp_mark_of(HP_PICK)) | (pick & hp_mark_of(HP_PICK));
    return marks | naming->filters->frames[frame];
}

// Whether --hide or --show hides a call with these marks.
static bool is_hidden(const struct hp_naming *naming, uint8_t marks) {
    return (marks & hp_mark_of(HP_HIDE)) != 0 ||
           (naming->filters->rules & ~marks & hp_mark_of(HP_SHOW)) != 0;
}

// Apply --show-from within a frame like pprof: the calls that the outermost match is
// inlined into are hidden, wherever the frame occurs.
static void cut_frame(struct hp_naming *naming, size_t first) {
    struct hp_call *calls = naming->calls.at;
    size_t end = naming->calls.count;
    while (end > first && (calls[end - 1].is_hidden ||
                           !(calls[end - 1].marks & hp_mark_of(HP_SHOW_FROM)))) {
        end--;
    }
    for (size_t i = end; i < naming->calls.count && end > first; i++) {
        calls[i].is_hidden = true;
    }
}

// --- calls --------------------------------------------------------------------------------

// State while the calls of all frames are named.
struct call_maker {
    struct hp_naming *naming;
    struct hp_frame_rules rules;
    struct name_builder b;
    enum hp_granularity by;
    // For each string of the profile: the node last made of the function with this name;
    // 0: none.
    HP_VEC(hp_node_id) of_functions;
};

// Whether a call is named after an address only, "libfoo.so.1+0x1234".  Sets `*offset` to
// the number in that name: the start of the function, or for HP_BY_ADDRESS the frame's
// own address.
static bool is_place(const struct call_maker *maker, const struct hp_frame *frame,
                     const struct hp_line *line, uint64_t *offset) {
    enum hp_granularity by = maker->by;
    bool has_name = line && (line->function.n || by == HP_BY_LINE);
    bool by_address = by == HP_BY_ADDRESS;
    uint64_t start = hp_address_of_start(frame);
    *offset = by_address ? frame->address : start;
    return !has_name && !hp_frame_is_many(maker->naming->profile, frame) &&
           (by == HP_BY_FUNCTION || by == HP_BY_LINE ||
            (by_address && start == frame->address));
}

// Return the node of a call at any granularity; add it, with its full and short name, if
// it is new.
static hp_node_id node_of_name(struct call_maker *maker, const struct hp_frame *frame,
                               const struct hp_line *line, enum hp_frame_class class) {
    struct hp_naming *naming = maker->naming;
    struct name_builder *b = &maker->b;
    uint64_t offset;
    if (is_place(maker, frame, line, &offset)) {
        hp_string head = find_head(&b->heads, naming, frame, offset);
        return hp_node_names_add_place(&naming->names, head, offset, class);
    }
    b->text.count = 0;
    build_name(b, naming, frame, line, maker->by);
    hp_node_id node = hp_naming_add(naming, built(b), class);
    bool is_short = naming->short_of && line && line->function.n;
    hp_string *shown = is_short ? hp_vec_reach(&naming->shown, node.n) : NULL;
    if (shown && shown->n == 0) {
        b->text.count = 0;
        b->is_short = true;
        build_name(b, naming, frame, line, maker->by);
        b->is_short = false;
        *shown = hp_strtab_add(&naming->short_names, built(b));
    }
    return node;
}

// Return the node of a function and a class.  The cache of_functions has one node for
// each function, as most functions have one class, wherever they are called.
static hp_node_id node_of_function(struct call_maker *maker, hp_string function,
                                   enum hp_frame_class class) {
    hp_node_id *node = hp_vec_reach(&maker->of_functions, function.n);
    if (node->n == 0 || hp_node_class(maker->naming, *node) != class) {
        *node = hp_naming_add_function(maker->naming, function, class);
    }
    return *node;
}

// Append a call of frame `number`; `line` is NULL if there are no symbols.
static void add_call(struct call_maker *maker, size_t number,
                     const struct hp_line *line) {
    struct hp_naming *naming = maker->naming;
    const struct hp_profile *profile = naming->profile;
    const struct hp_frame *frame = &profile->frames.at[number];
    enum hp_frame_class class = hp_frame_rules_class(&maker->rules, frame, line);
    bool is_function = maker->by == HP_BY_FUNCTION && line && line->function.n &&
                       !hp_frame_is_doubtful(profile, frame);
    bool has_class = maker->by != HP_BY_MODULE && maker->by != HP_BY_BUILD;
    struct hp_call call = {
        .node = is_function
                    ? node_of_function(maker, line->function, class)
                    : node_of_name(maker, frame, line, has_class ? class : HP_CLASSES),
        .line = line ? (uint32_t)(line - profile->lines.at) + 1 : 0,
        .marks = marks_of(naming, number, line, maker->by),
        .class = (uint8_t) class,
    };
    call.is_hidden = is_hidden(naming, call.marks);
    hp_vec_push(&naming->calls, call);
}

// Whether a frame has no symbols but is in a mapping, so that it is named by its place.
static bool has_place(const struct call_maker *maker, const struct hp_frame *frame) {
    const struct hp_profile *profile = maker->naming->profile;
    return frame->lines == 0 && !hp_frame_is_many(profile, frame);
}

// Append the calls of adjacent frames without symbols in one module, from frame `first`
// on.  They differ only in where their functions start, and a large dump without symbols
// consists of them, hence this short cut.  Returns the number of frames, at least 1.
static size_t add_places(struct call_maker *maker, size_t first) {
    struct hp_naming *naming = maker->naming;
    const struct hp_frame *frames = naming->profile->frames.at;
    size_t i = first, end = naming->profile->frames.count;
    hp_module_id module = frames[i].module;
    enum hp_frame_class class = hp_frame_rules_class(&maker->rules, &frames[i], NULL);
    while (i < end && frames[i].module.n == module.n && has_place(maker, &frames[i])) {
        const struct hp_frame *frame = &frames[i++];
        uint64_t start = hp_address_of_start(frame);
        hp_string head = find_head(&maker->b.heads, naming, frame, start);
        hp_node_id node = hp_node_names_add_place(&naming->names, head, start, class);
        hp_vec_push(&naming->first_call, (uint32_t)naming->calls.count);
        hp_vec_push(&naming->calls,
                    ((struct hp_call){.node = node, .class = (uint8_t) class}));
    }
    return i - first;
}

// Append the calls of a frame: all, or only the outermost with `no_inlines`.
static void add_calls(struct call_maker *maker, size_t number, bool no_inlines) {
    struct hp_naming *naming = maker->naming;
    const struct hp_profile *profile = naming->profile;
    const struct hp_frame *frame = &profile->frames.at[number];
    const struct hp_line *lines =
        frame->lines > 0 ? &profile->lines.at[frame->first_line] : NULL;
    uint32_t calls = frame->lines > 0 ? frame->lines : 1;
    size_t first = naming->calls.count;
    hp_vec_push(&naming->first_call, (uint32_t)first);
    for (uint32_t l = no_inlines ? calls - 1 : 0; l < calls; l++) {
        add_call(maker, number, lines ? &lines[l] : NULL);
    }
    if ((naming->filters->rules & hp_mark_of(HP_SHOW_FROM)) != 0) {
        cut_frame(naming, first);
    }
}

// Append the calls of all frames.
static void add_frames(struct call_maker *maker, bool no_inlines) {
    struct hp_naming *naming = maker->naming;
    const struct hp_profile *profile = naming->profile;
    bool is_by_start = maker->by == HP_BY_FUNCTION || maker->by == HP_BY_LINE;
    bool is_asked_for = naming->filters->count > 0 || maker->rules.given_count > 0;
    hp_vec_reserve(&naming->calls, profile->frames.count + STAND_INS);
    hp_vec_reserve(&naming->first_call, profile->frames.count + 1);
    for (size_t i = 0; i < profile->frames.count;) {
        if (is_by_start && !is_asked_for && has_place(maker, &profile->frames.at[i])) {
            i += add_places(maker, i);
        } else {
            add_calls(maker, i++, no_inlines);
        }
    }
    hp_vec_push(&naming->first_call, (uint32_t)naming->calls.count);
}

// Append a call without a frame, after the calls of all frames.  Returns its number.
static uint32_t add_stand_in(struct hp_naming *naming, const char *name, uint8_t marks) {
    struct hp_call call = {
        .node = hp_naming_add(naming, hp_span_of(name), HP_CLASS_NONE),
        .marks = marks,
        .class = HP_CLASS_NONE,
    };
    call.is_hidden = is_hidden(naming, call.marks);
    hp_vec_push(&naming->calls, call);
    return (uint32_t)naming->calls.count - 1;
}

// --- folding ------------------------------------------------------------------------------

// Whether a pattern matches a name from its beginning to its end.
static bool matches_whole(struct hp_pattern *pattern, struct hp_span name) {
    struct hp_span found;
    return hp_pattern_matches(pattern, name.at) &&
           hp_pattern_group(pattern, name.at, 0, &found) && found.size == name.size;
}

// Whether a HP_PICK pattern matches a node.  Functions are found by their own names, not
// by types in their arguments: every std::vector<Req> would match "Req".
static bool is_picked_node(struct hp_pattern *pattern, const struct hp_naming *naming,
                           hp_node_id node, bool by_own_name) {
    struct hp_span full = hp_node_full_name(naming, node);
    struct hp_span name = hp_node_name(naming, node);
    bool has_arguments =
        memchr(full.at, '<', full.size) || memchr(full.at, '(', full.size);
    return by_own_name && has_arguments
               ? hp_picks_own_name(pattern, full) || matches_whole(pattern, full) ||
                     matches_whole(pattern, name)
               : hp_pattern_matches(pattern, full.at) ||
                     hp_pattern_matches(pattern, name.at);
}

// Mark the calls whose shown or full name a HP_PICK pattern matches.
static int pick_names(struct hp_naming *naming, const char *text, bool by_own_name,
                      struct hp_err *err) {
    struct hp_pattern pattern;
    struct hp_call *call;
    int ret = hp_pattern_init(&pattern, text, naming->profile->match_time, err);
    if (ret != HP_OK) {
        return ret;
    }
    bool *is_picked = hp_alloc(hp_node_count(naming) + 1);
    for (uint32_t i = 1; i < hp_node_count(naming); i++) {
        hp_node_id node = {i};
        is_picked[i] = is_picked_node(&pattern, naming, node, by_own_name);
    }
    hp_vec_each (call, &naming->calls) {
        call->marks |= is_picked[call->node.n] ? hp_mark_of(HP_PICK) : 0;
    }
    free(is_picked);
    ret = hp_pattern_check(&pattern, err);
    hp_pattern_done(&pattern);
    return ret;
}

// Apply the HP_PICK patterns to the names of nodes, in a peek report only.
static int pick_all(struct hp_naming *naming, const struct hp_report_options *options,
                    struct hp_err *err) {
    const struct hp_filters *filters = naming->filters;
    bool by_own_name = hp_filters_pick_by_own_name(filters, options->by);
    int ret = HP_OK;
    for (size_t i = 0; i < filters->count && ret == HP_OK; i++) {
        if (filters->at[i].rule == HP_PICK && options->kind == HP_REPORT_PEEK) {
            ret = pick_names(naming, filters->at[i].pattern, by_own_name, err);
        }
    }
    return ret;
}

// Whether the user's pattern names a call, which then is not folded.  A place in an
// allocator, as "libjemalloc.so.2+0xa2d21", is not meant by a pattern like "alloc".
static bool is_named(const struct hp_naming *naming, const struct hp_call *call) {
    const struct hp_line *lines = naming->profile->lines.at;
    bool has_name = call->line > 0 && lines[call->line - 1].function.n != 0;
    return (call->marks & hp_mark_of(HP_PICK)) != 0 &&
           (has_name || call->class != HP_CLASS_ALLOCATOR);
}

// Set is_folded of all calls, and naming->only.  Most frames have one call, so that walks
// over stacks take one look-up in `only` for each frame.
static void fold(struct hp_naming *naming) {
    hp_vec_reserve(&naming->only, naming->first_call.count);
    for (size_t i = 0; i + 1 < naming->first_call.count; i++) {
        const uint32_t *first = &naming->first_call.at[i];
        hp_node_id only = {HP_NO_NODE};
        for (uint32_t k = first[0]; k < first[1]; k++) {
            struct hp_call *call = &naming->calls.at[k];
            call->is_folded =
                (naming->folds >> call->class & 1) != 0 && !is_named(naming, call);
            if (!call->is_folded) {
                only.n = only.n == HP_NO_NODE ? call->node.n : 0;
            }
        }
        hp_vec_push(&naming->only, only);
    }
}

// Make the short names of all functions of the profile.
static void shorten(struct hp_naming *naming) {
    const struct hp_profile *profile = naming->profile;
    size_t count = profile->strings.strings.count + 1;
    HP_VEC(char) buffer = {0};
    const struct hp_line *line;
    naming->short_of = hp_alloc(count * sizeof *naming->short_of);
    hp_vec_each (line, &profile->lines) {
        hp_string *name = &naming->short_of[line->function.n];
        if (line->function.n && !name->n) {
            struct hp_span full = hp_strtab_span(&profile->strings, line->function);
            hp_vec_reserve(&buffer, hp_short_name_room(full.size));
            *name = hp_strtab_add(&naming->short_names, hp_short_name(full, buffer.at));
        }
    }
    hp_vec_done(&buffer);
}

int hp_naming_init(struct hp_naming *naming, const struct hp_profile *profile,
                   const struct hp_filters *filters,
                   const struct hp_report_options *options, struct hp_err *err) {
    struct call_maker maker = {.naming = naming, .by = options->by};
    *naming = (struct hp_naming){.profile = profile,
                                 .filters = filters,
                                 .folds = hp_folded_classes(options->frames.fold)};
    int ret = hp_frame_rules_init(&maker.rules, profile, options->frames.rules,
                                  options->frames.rule_count, err);
    if (ret == HP_OK) {
        if (options->frames.names == HP_NAMES_SHORT) {
            shorten(naming);
        }
        add_frames(&maker, options->frames.no_inlines);
        ret = hp_frame_rules_check(&maker.rules, err);
    }
    if (ret == HP_OK) {
        ret = pick_all(naming, options, err);
    }
    fold(naming);
    naming->empty_call = add_stand_in(naming, "[empty stack]", filters->empty);
    naming->truncated_call = add_stand_in(naming, "[truncated]", filters->truncated);
    naming->empty = naming->calls.at[naming->empty_call].node;
    naming->truncated = naming->calls.at[naming->truncated_call].node;
    hp_vec_done(&maker.b.text);
    hp_vec_done(&maker.of_functions);
    hp_frame_rules_done(&maker.rules);
    return ret;
}

void hp_naming_done(struct hp_naming *naming) {
    hp_node_names_done(&naming->names);
    hp_vec_done(&naming->calls);
    hp_vec_done(&naming->first_call);
    hp_vec_done(&naming->only);
    hp_strtab_done(&naming->short_names);
    hp_vec_done(&naming->shown);
    free(naming->short_of);
}

struct hp_span hp_naming_function(const struct hp_naming *naming, hp_string function) {
    hp_string name = naming->short_of ? naming->short_of[function.n] : (hp_string){0};
    return name.n ? hp_strtab_span(&naming->short_names, name)
                  : hp_strtab_span(&naming->profile->strings, function);
}

hp_module_id hp_call_module(const struct hp_naming *naming, uint32_t call) {
    size_t low = 0, high = naming->first_call.count - 1; // first_call[low] <= call
    if (call >= naming->first_call.at[high]) {
        return (hp_module_id){0};
    }
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (naming->first_call.at[middle] <= call) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return naming->profile->frames.at[low].module;
}
