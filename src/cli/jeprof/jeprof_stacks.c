#include "cli/jeprof/jeprof.h"

#include "cli/message.h"
#include "cli/safetext.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- sets ------------------------------------------------------------------------------

// FNV-1a.  All output is sorted, so that it does not depend on the hash.
static size_t hash_of(const char *bytes, size_t size) {
    uint64_t hash = 0xcbf29ce484222325;
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ (unsigned char)bytes[i]) * 0x100000001b3;
    }
    return (size_t)(hash ^ hash >> 29);
}

// The slot with the number of these bytes, or the empty slot where it belongs.  The table
// must not be full.
static size_t *slot_of(const struct hp_jeprof_set *set, const char *bytes, size_t size) {
    size_t mask = set->slot_count - 1, at = hash_of(bytes, size) & mask;
    for (; set->slots[at] != 0; at = (at + 1) & mask) {
        const struct hp_jeprof_bytes *item = &set->items[set->slots[at] - 1];
        if (item->size == size && (size == 0 || memcmp(item->at, bytes, size) == 0)) {
            break;
        }
    }
    return &set->slots[at];
}

// Double the table, and enter all items again.
static void enlarge(struct hp_jeprof_set *set) {
    set->slot_count = set->slot_count > 0 ? set->slot_count * 2 : 64;
    set->slots = hp_cli_resize(set->slots, set->slot_count * sizeof *set->slots);
    memset(set->slots, 0, set->slot_count * sizeof *set->slots);
    for (size_t i = 0; i < set->count; i++) {
        *slot_of(set, set->items[i].at, set->items[i].size) = i + 1;
    }
}

size_t hp_jeprof_set_add(struct hp_jeprof_set *set, const void *bytes, size_t size) {
    if (2 * set->count >= set->slot_count) {
        enlarge(set);
    }
    size_t *slot = slot_of(set, bytes, size);
    if (*slot == 0) {
        set->items = hp_cli_grow(set->items, set->count, sizeof *set->items);
        char *copy = hp_cli_resize(NULL, size + 1);
        if (size > 0) {
            memcpy(copy, bytes, size);
        }
        copy[size] = '\0';
        set->items[set->count++] = (struct hp_jeprof_bytes){copy, size};
        *slot = set->count;
    }
    return *slot - 1;
}

// The number of the bytes, or SIZE_MAX if they are not in the set.
static size_t look_up(const struct hp_jeprof_set *set, const char *bytes, size_t size) {
    return set->slot_count > 0 ? *slot_of(set, bytes, size) - 1 : SIZE_MAX;
}

void hp_jeprof_set_done(struct hp_jeprof_set *set) {
    for (size_t i = 0; i < set->count; i++) {
        free(set->items[i].at);
    }
    free(set->items);
    free(set->slots);
    *set = (struct hp_jeprof_set){0};
}

// --- names -----------------------------------------------------------------------------

// Remove the first innermost group in the brackets `open` and `close` from `name`, and a
// " const" after a group of parameters.  Returns false if there is no group left.
static bool drop_group(char *name, char open, char close) {
    for (char *end = strchr(name, close); end != NULL; end = strchr(end + 1, close)) {
        char *start = end;
        while (start > name && *start != open && (start == end || *start != close)) {
            start--;
        }
        if (*start == open) {
            char *after = end + 1, *next = after + strspn(after, " ");
            bool is_const = open == '(' && strncmp(next, "const", 5) == 0;
            after = is_const ? next + 5 : after;
            memmove(start, after, strlen(after) + 1);
            return true;
        }
    }
    return false;
}

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

// Remove a returned type, "void* ns::f" -> "ns::f": the text before the last space that a
// word and "::" follow.
static void drop_type(char *name) {
    const char *last = strrchr(name, ' ');
    for (size_t i = last != NULL ? (size_t)(last - name) + 1 : 0; i-- > 0;) {
        char *word = name + i + 1, *end = word;
        while (is_word(*end)) {
            end++;
        }
        if (name[i] == ' ' && end > word && strncmp(end, "::", 2) == 0) {
            memmove(name, word, strlen(word) + 1);
            return;
        }
    }
}

void hp_jeprof_short_name(char *name) {
    while (drop_group(name, '(', ')')) {
    }
    while (drop_group(name, '<', '>')) {
    }
    drop_type(name);
}

// Functions that allocate, in jemalloc, tcmalloc, C++ and macOS.  This is jeprof's list.
static const char *const skipped[] = {
    "calloc",
    "cfree",
    "malloc",
    "newImpl",
    "void* newImpl",
    "free",
    "memalign",
    "posix_memalign",
    "aligned_alloc",
    "pvalloc",
    "valloc",
    "realloc",
    "mallocx",
    "rallocx",
    "xallocx",
    "dallocx",
    "sdallocx",
    "sdallocx_noflags",
    "tc_calloc",
    "tc_cfree",
    "tc_malloc",
    "tc_free",
    "tc_memalign",
    "tc_posix_memalign",
    "tc_pvalloc",
    "tc_valloc",
    "tc_realloc",
    "tc_new",
    "tc_delete",
    "tc_newarray",
    "tc_deletearray",
    "tc_new_nothrow",
    "tc_newarray_nothrow",
    "do_malloc",
    "::do_malloc",
    "::do_malloc_or_cpp_alloc",
    "DoSampledAllocation",
    "simple_alloc::allocate",
    "__malloc_alloc_template::allocate",
    "__builtin_delete",
    "__builtin_new",
    "__builtin_vec_delete",
    "__builtin_vec_new",
    "operator new",
    "operator new[]",
    "malloc_zone_malloc",
    "malloc_zone_calloc",
    "malloc_zone_valloc",
    "malloc_zone_realloc",
    "malloc_zone_memalign",
    "malloc_zone_free",
    "__start_google_malloc",
    "__stop_google_malloc",
    "__start_malloc_hook",
    "__stop_malloc_hook",
};

// Whether jeprof skips functions of this name.  A leading underscore, which Mach binaries
// add, is ignored.
static bool is_skipped_name(const char *name) {
    for (size_t i = 0; i < sizeof skipped / sizeof *skipped; i++) {
        if (strcmp(name, skipped[i]) == 0 ||
            (*name == '_' && strcmp(name + 1, skipped[i]) == 0)) {
            return true;
        }
    }
    return strstr(name, "TCMalloc") != NULL || strncmp(name, "tcmalloc::", 10) == 0;
}

// --- frames ----------------------------------------------------------------------------

HP_CLI_PRINTF(1, 2)

// Format a text like sprintf(); the caller frees it.
static char *print(const char *format, ...) {
    va_list args;
    va_start(args, format);
    char *text = NULL;
    if (vasprintf(&text, format, args) < 0) {
        hp_cli_out_of_memory(0, NULL);
    }
    va_end(args);
    return text;
}

const char *hp_jeprof_basename(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

// Whether the frame has no symbol: its "function" is only the module and address to which
// a call returns.
static bool is_nameless(const struct hp_frame_info *info) {
    const char *base = hp_jeprof_basename(info->module), *name = info->function;
    size_t size = strlen(base);
    bool is_place =
        info->module[0] == '\0'
            ? strncmp(name, "0x", 2) == 0
            : strncmp(name, base, size) == 0 && (name[size] == '+' || name[size] == '@');
    return info->linkage[0] == '\0' && is_place;
}

// The bit of hp_jeprof_frame.matches for the pattern of an option: focus, ignore, retain
// or exclude.
static unsigned bit_of(enum hp_jeprof_option option) {
    return option == HP_JEPROF_FOCUS    ? 1
           : option == HP_JEPROF_IGNORE ? 2
           : option == HP_JEPROF_RETAIN ? 4
                                        : 8;
}

// Text of the row to which a frame belongs, in rows of the granularity `by`; the caller
// frees it.
static char *row_of(const struct hp_jeprof_frame *frame, enum hp_granularity by) {
    const char *inlined = frame->is_inlined ? " (inline)" : "";
    if (by == HP_BY_ADDRESS) {
        return frame->has_name ? print("%s %s%s %s", frame->address, frame->name, inlined,
                                       frame->place)
                               : print("%s", frame->address);
    }
    if (by == HP_BY_LINE && frame->has_name) {
        return print("%s%s %s", frame->name, inlined, frame->place);
    }
    if (by == HP_BY_FILE && frame->has_name) {
        bool has_file = strcmp(frame->file, "??") != 0;
        return print("%s", has_file ? frame->file : frame->place);
    }
    return print("%s%s", frame->name, frame->has_name ? inlined : "");
}

// Convert a frame of the library; the strings in the result are owned.
static struct hp_jeprof_frame frame_of(const struct hp_frame_info *info) {
    bool has_file = info->file[0] != '\0', has_name = !is_nameless(info);
    char *file = has_file ? hp_cli_safe(info->file) : print("??");
    char *module = hp_cli_safe(hp_jeprof_basename(info->module));
    struct hp_jeprof_frame frame = {
        .file = file,
        .place = has_file && info->line > 0 ? print("%s:%" PRIu32, file, info->line)
                                            : print("%s:%s", file, has_name ? "?" : "0"),
        .address = print("%s+0x%" PRIx64, module, info->address),
        .name = hp_cli_safe(info->function),
        .full = hp_cli_safe(info->function),
        .is_inlined = info->is_inlined,
        .has_name = has_name,
    };
    free(module);
    if (has_name) {
        hp_jeprof_short_name(frame.name);
    }
    frame.is_skipped =
        has_name ? is_skipped_name(frame.name) : info->frame_class == HP_CLASS_ALLOCATOR;
    return frame;
}

// Set frame->row for rows of the granularity `by`, and add the row if it is new.
static void name_row(struct hp_jeprof_stacks *stacks, struct hp_jeprof_frame *frame,
                     enum hp_granularity by) {
    char *row = row_of(frame, by);
    frame->row = hp_jeprof_set_add(&stacks->rows, row, strlen(row));
    free(row);
}

void hp_jeprof_stacks_group(struct hp_jeprof_stacks *stacks, enum hp_granularity by) {
    for (size_t i = 0; i < stacks->places.count; i++) {
        name_row(stacks, &stacks->frames[i], by);
    }
}

// The key of a frame in stacks->places, as if it were inlined or not; the caller frees
// it.
static char *place_key(const struct hp_frame_info *info, bool is_inlined) {
    return print("%s+%" PRIx64 "\n%s\n%s:%" PRIu32 "\n%d", info->module, info->address,
                 info->function, info->file, info->line, is_inlined);
}

// Returns the number of the frame; adds it if it is new.
static uint32_t add_frame(struct hp_jeprof_stacks *stacks,
                          const struct hp_frame_info *info) {
    char *key = place_key(info, info->is_inlined);
    size_t before = stacks->places.count;
    size_t number = hp_jeprof_set_add(&stacks->places, key, strlen(key));
    free(key);
    if (number == before) {
        struct hp_jeprof_frame frame = frame_of(info);
        name_row(stacks, &frame, stacks->options->by);
        stacks->frames = hp_cli_grow(stacks->frames, before, sizeof *stacks->frames);
        stacks->frames[before] = frame;
    }
    return (uint32_t)number;
}

// --- stacks ----------------------------------------------------------------------------

// Return the number of the stack with these frames in stacks->keys; add it if it is new.
// Stacks are identified by their frames; with --drop_negative, but without
// --exact-jeprof, by the rows of the frames, since addresses differ between builds.
static size_t number_of(struct hp_jeprof_stacks *stacks, const uint32_t *frames,
                        size_t count) {
    bool by_name =
        stacks->options->is_on[HP_JEPROF_DROP_NEGATIVE] && !stacks->options->exact;
    size_t *rows = hp_cli_resize(NULL, (count + 1) * sizeof *rows);
    for (size_t i = 0; i < count; i++) {
        rows[i] = by_name ? stacks->frames[frames[i]].row : frames[i];
    }
    size_t number = hp_jeprof_set_add(&stacks->keys, rows, count * sizeof *rows);
    free(rows);
    return number;
}

// Add the value to the stack with these frames; add the stack if it is new.  Its values
// may come from several processes, and both from the dumps and from the base.
static void add_stack(struct hp_jeprof_stacks *stacks, const uint32_t *frames,
                      size_t count, double value) {
    size_t before = stacks->keys.count, number = number_of(stacks, frames, count);
    if (number == before) {
        stacks->stacks = hp_cli_grow(stacks->stacks, before, sizeof *stacks->stacks);
        stacks->stacks[before] = (struct hp_jeprof_stack){
            .frames = hp_cli_resize(NULL, (count + 1) * sizeof *frames), .count = count};
        memcpy(stacks->stacks[before].frames, frames, count * sizeof *frames);
    }
    stacks->stacks[number].value += value;
}

// A view of all stacks with all frames, filtered by `filter` if that is not NULL.  NULL
// after a failure.
static struct hp_view *view_of(const struct hp_profile *profile,
                               const struct hp_filter *filter, struct hp_err *err) {
    struct hp_report_options options = {
        .kind = HP_REPORT_MERGE,
        .frames.fold = HP_FRAMES_RAW,
        .frames.names = HP_NAMES_FULL, // jeprof shortens names by its own rules
        .no_error = true,
        .filters = filter,
        .filter_count = filter != NULL,
    };
    return hp_view_new(profile, &options, err);
}

int hp_jeprof_stacks_add(struct hp_jeprof_stacks *stacks,
                         const struct hp_profile *profile, double sign,
                         struct hp_err *err) {
    struct hp_view *view = view_of(profile, NULL, err);
    if (view == NULL) {
        return err->code;
    }
    stacks->profiles[stacks->profile_count++] = profile;
    uint32_t *numbers = NULL;
    for (size_t i = 0; i < hp_view_stack_count(view); i++) {
        const uint32_t *frames;
        size_t count = hp_view_stack(view, i, &frames);
        numbers = hp_cli_resize(numbers, (count + 1) * sizeof *numbers);
        for (size_t k = 0; k < count; k++) {
            numbers[k] = add_frame(stacks, hp_view_frame(view, frames[k]));
        }
        double value = hp_view_stack_estimate(view, i, stacks->options->metric).value;
        add_stack(stacks, numbers, count, isnan(value) ? 0 : sign * value);
    }
    free(numbers);
    hp_view_free(view);
    return HP_OK;
}

// Set a bit in `matches` of the frame, both as inlined and as not inlined.
static void mark(struct hp_jeprof_stacks *stacks, const struct hp_frame_info *info,
                 unsigned bit) {
    for (int is_inlined = 0; is_inlined < 2; is_inlined++) {
        char *key = place_key(info, is_inlined != 0);
        size_t number = look_up(&stacks->places, key, strlen(key));
        if (number != SIZE_MAX) {
            stacks->frames[number].matches |= bit;
        }
        free(key);
    }
}

// Warn once if some names are too long for patterns.
static void warn_of_long_names(struct hp_jeprof_stacks *stacks,
                               const struct hp_profile *profile) {
    size_t count = hp_profile_long_name_count(profile);
    if (count > 0 && !stacks->has_warned) {
        hp_cli_message(
            HP_MESSAGE(
                "names-over-16-kib",
                "warning: %zu name%s longer than 16 KiB: patterns look at the first 16 "
                "KiB only"),
            count, count == 1 ? " is" : "s are");
        stacks->has_warned = true;
    }
}

// Mark the frames of a profile that the filter shows with `bit`.  The library does the
// matching: the frames in a view with this filter are those that match.  No match is no
// error.
static int match(struct hp_jeprof_stacks *stacks, const struct hp_profile *profile,
                 const struct hp_filter *filter, unsigned bit, struct hp_err *err) {
    struct hp_err why = {0};
    struct hp_view *view = view_of(profile, filter, &why);
    warn_of_long_names(stacks, profile);
    if (view == NULL) {
        *err = why.code == HP_E_EMPTY ? *err : why;
        return why.code == HP_E_EMPTY ? HP_OK : (int)why.code;
    }
    for (size_t i = 0; i < hp_view_stack_count(view); i++) {
        const uint32_t *frames;
        size_t count = hp_view_stack(view, i, &frames);
        for (size_t k = 0; k < count; k++) {
            mark(stacks, hp_view_frame(view, frames[k]), bit);
        }
    }
    hp_view_free(view);
    return HP_OK;
}

int hp_jeprof_stacks_match(struct hp_jeprof_stacks *stacks, const char *pattern,
                           enum hp_jeprof_option as, struct hp_err *err) {
    struct hp_filter filter = {HP_SHOW, pattern};
    int ret = HP_OK;
    for (size_t i = 0; i < stacks->places.count; i++) {
        stacks->frames[i].matches &= ~bit_of(as);
    }
    for (size_t i = 0; ret == HP_OK && pattern != NULL && i < stacks->profile_count;
         i++) {
        ret = match(stacks, stacks->profiles[i], &filter, bit_of(as), err);
    }
    return ret;
}

// --- what is left ----------------------------------------------------------------------

// Returns the index after the frames of one address, which begin at `first`: inlined
// frames and the one that they are inlined into, the outermost.
static size_t end_of_address(const struct hp_jeprof_stacks *stacks,
                             const struct hp_jeprof_stack *stack, size_t first) {
    size_t last = first;
    while (last + 1 < stack->count && stacks->frames[stack->frames[last]].is_inlined) {
        last++;
    }
    return last + 1;
}

// Whether the options --retain and --exclude remove a frame.
static bool is_left_out(const struct hp_jeprof_stacks *stacks,
                        const struct hp_jeprof_frame *frame) {
    const struct hp_jeprof_options *options = stacks->options;
    bool retains = options->text[HP_JEPROF_RETAIN] != NULL;
    return (retains && (frame->matches & bit_of(HP_JEPROF_RETAIN)) == 0) ||
           (frame->matches & bit_of(HP_JEPROF_EXCLUDE)) != 0;
}

// Remove frames from a stack: those of the allocator with everything that they called,
// and those that options remove.  All calls of one address are treated like the
// outermost.
static void reduce(const struct hp_jeprof_stacks *stacks, struct hp_jeprof_stack *stack) {
    size_t kept = 0;
    for (size_t i = 0, end; i < stack->count; i = end) {
        end = end_of_address(stacks, stack, i);
        const struct hp_jeprof_frame *outermost = &stacks->frames[stack->frames[end - 1]];
        if (outermost->is_skipped) {
            kept = 0;
        } else if (!is_left_out(stacks, outermost)) {
            memmove(stack->frames + kept, stack->frames + i,
                    (end - i) * sizeof *stack->frames);
            kept += end - i;
        }
    }
    stack->count = kept;
}

// Set the values of negative stacks to 0.  The sum of the rest is then larger than the
// difference of the totals, which is not visible in the report; a message says so.
static void drop_negative(struct hp_jeprof_stacks *stacks) {
    double dropped = 0;
    for (size_t i = 0; i < stacks->keys.count; i++) {
        struct hp_jeprof_stack *stack = &stacks->stacks[i];
        dropped += stack->value < 0 ? -stack->value : 0;
        stack->value = stack->value < 0 ? 0 : stack->value;
    }
    bool is_space = stacks->options->metric == HP_INUSE_SPACE ||
                    stacks->options->metric == HP_ALLOC_SPACE;
    if (dropped > 0) {
        hp_cli_message(
            HP_MESSAGE("negative-dropped",
                       "--drop_negative: %.0f %s that went away are not subtracted"),
            dropped, is_space ? "bytes" : "objects");
    }
}

void hp_jeprof_stacks_reduce(struct hp_jeprof_stacks *stacks) {
    if (stacks->options->is_on[HP_JEPROF_DROP_NEGATIVE]) {
        drop_negative(stacks);
    }
    stacks->total = 0;
    for (size_t i = 0; i < stacks->keys.count; i++) {
        stacks->total += stacks->stacks[i].value;
        reduce(stacks, &stacks->stacks[i]);
    }
}

bool hp_jeprof_stack_is_shown(const struct hp_jeprof_stacks *stacks,
                              const struct hp_jeprof_stack *stack) {
    unsigned matches = 0;
    for (size_t i = 0; i < stack->count; i++) {
        matches |= stacks->frames[stack->frames[i]].matches;
    }
    bool focuses = stacks->options->text[HP_JEPROF_FOCUS] != NULL;
    return (!focuses || (matches & bit_of(HP_JEPROF_FOCUS)) != 0) &&
           (matches & bit_of(HP_JEPROF_IGNORE)) == 0;
}

void hp_jeprof_stacks_done(struct hp_jeprof_stacks *stacks) {
    for (size_t i = 0; i < stacks->places.count; i++) {
        struct hp_jeprof_frame *frame = &stacks->frames[i];
        free(frame->name);
        free(frame->full);
        free(frame->file);
        free(frame->place);
        free(frame->address);
    }
    for (size_t i = 0; i < stacks->keys.count; i++) {
        free(stacks->stacks[i].frames);
    }
    free(stacks->frames);
    free(stacks->stacks);
    hp_jeprof_set_done(&stacks->places);
    hp_jeprof_set_done(&stacks->rows);
    hp_jeprof_set_done(&stacks->keys);
}
