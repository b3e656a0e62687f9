#include "view/filter.h"

#include "base/pattern.h"
#include "view/brackets.h"
#include "view/shortname.h"

#include <stdio.h>
#include <string.h>

void hp_write_place(char place[HP_PLACE_SIZE], const struct hp_module *module,
                    const char *path, uint64_t address) {
    bool is_offset = module->addresses == HP_ADDRESS_OFFSET;
    snprintf(place, HP_PLACE_SIZE, "%s%c0x%llx", hp_span_module_name(hp_span_of(path)).at,
             is_offset ? '@' : '+', (unsigned long long)address);
}

int hp_filter_check(const struct hp_filter *filter, struct hp_err *err) {
    struct hp_pattern pattern;
    int ret = hp_pattern_init(&pattern, filter->pattern, NULL, err);
    hp_pattern_done(&pattern);
    return ret;
}

const char *hp_filter_rule_text(enum hp_filter_rule rule) {
    static const char *const names[HP_FILTER_RULES] = {
        [HP_FOCUS] = "focus", [HP_IGNORE] = "ignore",       [HP_HIDE] = "hide",
        [HP_SHOW] = "show",   [HP_SHOW_FROM] = "show-from",
    };
    return names[rule];
}

bool hp_filters_any(const struct hp_filters *filters) {
    unsigned rules = filters->rules & ~(unsigned)hp_mark_of(HP_PICK);
    return rules != 0 || filters->focuses_picks;
}

// A string that names calls, listed once: there are far fewer names than calls.  A
// function is matched by its short name, and by the full name without its return type.
// So --hide='^std::' finds "void std::f<int>(int)", and --hide=std:: does not find
// "std::string g<int>(int)".
struct filter_name {
    hp_string string;
    const char *text, *short_text; // short_text: functions only, else NULL
};

// Uses of a string, as bits: the same text can name a function and a file or module.
enum name_role {
    FUNCTION = 1 << 0,
    PLACE = 1 << 1,
};

// All names of a profile that patterns are matched against.
struct filter_names {
    HP_VEC(struct filter_name) all;
    unsigned char *roles;  // for each string: set of the roles already listed
    struct hp_arena arena; // owns the short names
    HP_VEC(char) scratch;
};

// Whether a name is not listed in this role yet; marks it as listed.
static bool is_new(struct filter_names *names, hp_string name, enum name_role role) {
    bool is_known = name.n == 0 || (names->roles[name.n] & role) != 0;
    names->roles[name.n] |= (unsigned char)role;
    return !is_known;
}

static void add_place(struct filter_names *names, const struct hp_profile *profile,
                      hp_string name) {
    if (is_new(names, name, PLACE)) {
        hp_vec_push(&names->all,
                    ((struct filter_name){name, hp_profile_text(profile, name), NULL}));
    }
}

// List the name of a function for matching: its short name, and its full name without the
// return type.
static void add_function(struct filter_names *names, const struct hp_profile *profile,
                         hp_string name) {
    if (!is_new(names, name, FUNCTION)) {
        return;
    }
    struct hp_span full = hp_strtab_span(&profile->strings, name);
    hp_vec_reserve(&names->scratch, hp_short_name_room(full.size));
    const char *untyped = hp_untyped_name(full, names->scratch.at).at;
    struct hp_span shown = hp_short_name(full, names->scratch.at);
    char *copy = hp_arena_alloc(&names->arena, shown.size + 1, 1);
    memcpy(copy, shown.at, shown.size);
    hp_vec_push(&names->all, ((struct filter_name){name, untyped, copy}));
}

static void names_done(struct filter_names *names) {
    hp_vec_done(&names->all);
    hp_vec_done(&names->scratch);
    hp_arena_done(&names->arena);
    free(names->roles);
}

// List the names of all functions, files and modules of the profile.  Free with
// names_done().
static void find_names(struct filter_names *names, const struct hp_profile *profile) {
    const struct hp_line *line;
    const struct hp_frame *frame;
    names->roles = hp_alloc(profile->strings.strings.count + 1);
    hp_vec_each (line, &profile->lines) {
        add_function(names, profile, line->function);
        add_place(names, profile, line->file);
    }
    hp_vec_each (frame, &profile->frames) {
        add_place(names, profile, profile->modules.at[frame->module.n].path);
    }
}

// Add a mark to the frames whose address, or whose function's start, matches the pattern
// when it is written in hex.
static void mark_offsets(struct hp_filters *filters, const struct hp_profile *profile,
                         struct hp_pattern *pattern, uint8_t mark) {
    for (size_t i = 0; i < profile->frames.count; i++) {
        const struct hp_frame *frame = &profile->frames.at[i];
        const uint64_t addresses[] = {frame->address, hp_address_of_start(frame)};
        for (int k = 0; k < 2; k++) {
            char text[32];
            snprintf(text, sizeof text, "0x%llx", (unsigned long long)addresses[k]);
            if (hp_pattern_matches(pattern, text)) {
                filters->frames[i] |= mark;
            }
        }
    }
}

// Whether some call of a frame has no name, so that reports print its place instead.
static bool has_nameless_call(const struct hp_profile *profile,
                              const struct hp_frame *frame) {
    bool found = frame->lines == 0;
    for (uint32_t i = 0; i < frame->lines && !found; i++) {
        found = profile->lines.at[frame->first_line + i].function.n == 0;
    }
    return found;
}

// Whether a pattern has "0x" or "\[".  Only such patterns are tried on places: others name
// functions, files and modules, and "[xy]" means the same as "x|y".
static bool may_name_places(const char *pattern) {
    return strstr(pattern, "0x") || strstr(pattern, "\\[");
}

// Add a mark to the frames without a name whose place, as reports print it, matches the
// pattern: "libfoo.so.1+0x1234", "[unmapped]" or "[jit]".
static void mark_places(struct hp_filters *filters, const struct hp_profile *profile,
                        struct hp_pattern *pattern, uint8_t mark) {
    for (size_t i = 0; i < profile->frames.count; i++) {
        const struct hp_frame *frame = &profile->frames.at[i];
        const uint64_t addresses[] = {frame->address, hp_address_of_start(frame)};
        bool matches = false;
        char place[HP_PLACE_SIZE];
        if (!has_nameless_call(profile, frame)) {
            continue;
        }
        if (hp_frame_is_many(profile, frame)) {
            matches =
                hp_pattern_matches(pattern, frame->module.n == 0 ? "[unmapped]"
                                                                 : HP_GENERATED_MODULE);
        }
        for (int k = 0; k < 2 && !matches; k++) {
            const struct hp_module *module = &profile->modules.at[frame->module.n];
            hp_write_place(place, module, hp_profile_text(profile, module->path),
                           addresses[k]);
            matches = hp_pattern_matches(pattern, place);
        }
        filters->frames[i] |= matches ? mark : 0;
    }
}

// Whether a pattern matches a name.  HP_PICK also matches full names, as machine-readable
// reports contain these.
static bool is_match(struct hp_pattern *pattern, const struct hp_profile *profile,
                     const struct filter_name *name, enum hp_filter_rule rule) {
    return hp_pattern_matches(pattern, name->text) ||
           (name->short_text && hp_pattern_matches(pattern, name->short_text)) ||
           (rule == HP_PICK &&
            hp_pattern_matches(pattern, hp_profile_text(profile, name->string)));
}

// Match one filter, and add the mark of its rule to the names and frames that it matches.
static int apply(struct hp_filters *filters, const struct hp_profile *profile,
                 const struct filter_names *names, const struct hp_filter *filter,
                 struct hp_err *err) {
    struct hp_pattern pattern;
    uint8_t mark = hp_mark_of(filter->rule);
    const struct filter_name *name;
    int ret = hp_pattern_init(&pattern, filter->pattern, profile->match_time, err);
    if (ret != HP_OK) {
        return ret;
    }
    hp_vec_each (name, &names->all) {
        if (is_match(&pattern, profile, name, filter->rule)) {
            filters->strings[name->string.n] |= mark;
        }
    }
    filters->truncated |= hp_pattern_matches(&pattern, "[truncated]") ? mark : 0;
    filters->empty |= hp_pattern_matches(&pattern, "[empty stack]") ? mark : 0;
    if (hp_span_starts(hp_span_of(filter->pattern), "0x")) {
        mark_offsets(filters, profile, &pattern, mark);
    }
    if (may_name_places(filter->pattern)) {
        mark_places(filters, profile, &pattern, mark);
    }
    ret = hp_pattern_check(&pattern, err);
    hp_pattern_done(&pattern);
    return ret;
}

int hp_filters_init(struct hp_filters *filters, const struct hp_profile *profile,
                    const struct hp_filter *asked, size_t count, struct hp_err *err) {
    struct filter_names names = {0};
    int ret = HP_OK;
    *filters = (struct hp_filters){.count = count};
    if (count == 0) {
        return HP_OK;
    }
    filters->at = hp_alloc(count * sizeof *filters->at);
    filters->strings = hp_alloc(profile->strings.strings.count + 1);
    filters->frames = hp_alloc(profile->frames.count + 1);
    find_names(&names, profile);
    for (size_t i = 0; i < count; i++) {
        filters->at[i] = (struct hp_filter){asked[i].rule, hp_copy(asked[i].pattern)};
        filters->rules |= hp_mark_of(asked[i].rule);
        ret = ret == HP_OK ? apply(filters, profile, &names, &filters->at[i], err) : ret;
    }
    names_done(&names);
    return ret;
}

void hp_filters_only_ignore(struct hp_filters *filters, const struct hp_profile *profile,
                            size_t frame) {
    free(filters->strings);
    free(filters->frames);
    filters->strings = hp_alloc(profile->strings.strings.count + 1);
    filters->frames = hp_alloc(profile->frames.count + 1);
    filters->frames[frame] = filters->rules = hp_mark_of(HP_IGNORE);
    filters->truncated = filters->empty = 0;
    filters->focuses_picks = false;
}

// Whether a name is longer than HP_MATCHED_BYTES, which is as far as patterns look, and
// was not counted yet; marks it as counted.
static bool is_long(const struct hp_profile *profile, bool *is_counted, hp_string name) {
    bool is_long = !is_counted[name.n] &&
                   hp_strtab_span(&profile->strings, name).size > HP_MATCHED_BYTES;
    is_counted[name.n] = true;
    return is_long;
}

// Return how many distinct names of functions, files and modules are too long to be
// matched as a whole.
size_t hp_profile_long_name_count(const struct hp_profile *profile) {
    bool *is_counted = hp_alloc(profile->strings.strings.count + 1);
    size_t count = 0;
    const struct hp_line *line;
    const struct hp_module *module;
    hp_vec_each (line, &profile->lines) {
        count += is_long(profile, is_counted, line->function);
        count += is_long(profile, is_counted, line->file);
    }
    hp_vec_each (module, &profile->modules) {
        count += is_long(profile, is_counted, module->path);
    }
    free(is_counted);
    return count;
}

// --- own names ----------------------------------------------------------------------------

// A function's name with its namespaces and classes, but without template arguments,
// parameters and returned type; there is room to append the parameters.
struct own_name {
    HP_VEC(char) text;         // followed by a NUL
    size_t size;               // bytes of the name without parameters
    struct hp_span parameters; // borrowed from the full name
};

// Find the name without arguments, parameters and returned type, and the parameters of a
// function, from its full name.
static void find_own_name(struct own_name *own, struct hp_span full) {
    struct hp_span parameters = hp_function_parameters(full);
    own->text.count = 0;
    hp_vec_reserve(&own->text, 4 * full.size + 2); // enough for the name and parameters
    struct hp_span bare = hp_bare_name(full, own->text.at);
    own->size = bare.size;
    memmove(own->text.at, bare.at, bare.size);
    own->text.at[bare.size] = '\0';
    own->parameters = parameters;
}

// Whether a pattern matches a function's name without arguments, parameters and returned
// type, or this name with the parameters if the match begins in the name.
static bool is_picked(struct hp_pattern *pattern, const struct own_name *own) {
    struct hp_span found;
    if (hp_pattern_matches(pattern, own->text.at)) {
        return true;
    }
    memcpy(own->text.at + own->size, own->parameters.at, own->parameters.size);
    own->text.at[own->size + own->parameters.size] = '\0';
    return hp_pattern_matches(pattern, own->text.at) &&
           hp_pattern_group(pattern, own->text.at, 0, &found) &&
           (size_t)(found.at - own->text.at) < own->size;
}

bool hp_filters_pick_by_own_name(const struct hp_filters *filters,
                                 enum hp_granularity by) {
    bool has_arguments = false;
    for (size_t i = 0; i < filters->count; i++) {
        has_arguments |=
            filters->at[i].rule == HP_PICK && strchr(filters->at[i].pattern, '<');
    }
    return by == HP_BY_FUNCTION && !has_arguments;
}

bool hp_picks_own_name(struct hp_pattern *pattern, struct hp_span full) {
    struct own_name own = {0};
    find_own_name(&own, full);
    bool is_found = is_picked(pattern, &own);
    hp_vec_done(&own.text);
    return is_found;
}

// Mark the functions that one HP_PICK pattern matches by their names without arguments,
// parameters and returned type.
static int pick_own(struct hp_filters *filters, const struct hp_profile *profile,
                    const struct filter_names *names, const char *text,
                    struct hp_err *err) {
    struct hp_pattern pattern;
    struct own_name own = {0};
    const struct filter_name *name;
    int ret = hp_pattern_init(&pattern, text, profile->match_time, err);
    if (ret != HP_OK) {
        return ret;
    }
    hp_vec_each (name, &names->all) {
        if (name->short_text) {
            find_own_name(&own, hp_strtab_span(&profile->strings, name->string));
            filters->strings[name->string.n] |=
                is_picked(&pattern, &own) ? hp_mark_of(HP_PICK) : 0;
        }
    }
    ret = hp_pattern_check(&pattern, err);
    hp_vec_done(&own.text);
    hp_pattern_done(&pattern);
    return ret;
}

int hp_filters_pick_own(struct hp_filters *filters, const struct hp_profile *profile,
                        struct hp_err *err) {
    struct filter_names names = {0};
    const struct filter_name *name;
    int ret = HP_OK;
    find_names(&names, profile);
    hp_vec_each (name, &names.all) {
        if (name->short_text) {
            filters->strings[name->string.n] &= (uint8_t)~hp_mark_of(HP_PICK);
        }
    }
    for (size_t i = 0; i < filters->count && ret == HP_OK; i++) {
        if (filters->at[i].rule == HP_PICK) {
            ret = pick_own(filters, profile, &names, filters->at[i].pattern, err);
        }
    }
    names_done(&names);
    return ret;
}

void hp_filters_done(struct hp_filters *filters) {
    for (size_t i = 0; i < filters->count && filters->at; i++) {
        free((char *)(uintptr_t)filters->at[i].pattern);
    }
    free(filters->at);
    free(filters->strings);
    free(filters->frames);
    *filters = (struct hp_filters){0};
}
