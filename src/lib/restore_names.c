// Profiles of pprof contain a short name of each function and a second name, from which
// the full name follows: by demangling if it is mangled; or it is the full name itself,
// if its short form is the first name.  In other cases the first name is kept.
#include "lib/read.h"
#include "sym/demangle.h"
#include "view/shortname.h"

static bool is_mangled(struct hp_span name) {
    return hp_span_starts(name, "_Z") || hp_span_starts(name, "_R");
}

// The state while short function names are replaced by full ones.
struct restorer {
    struct hp_profile *profile;
    HP_VEC(struct hp_mangled) names; // the mangled names, each once
    // For each string its number + 1 in `names`; 0: it is not mangled.
    uint32_t *number_of;
    HP_VEC(char) scratch;
};

static struct hp_span text_of(const struct restorer *r, hp_string string) {
    return hp_strtab_span(&r->profile->strings, string);
}

// Collect in r->names the linker's names of all lines that are mangled.
static void collect(struct restorer *r) {
    const struct hp_line *line;
    hp_vec_each (line, &r->profile->lines) {
        uint32_t *number = &r->number_of[line->linkage.n];
        if (*number == 0 && is_mangled(text_of(r, line->linkage))) {
            hp_vec_push(&r->names, ((struct hp_mangled){line->linkage, {0}}));
            *number = (uint32_t)r->names.count;
        }
    }
}

// Return whether `name` is the short form of `full`.
static bool is_short_of(struct restorer *r, hp_string name, hp_string full) {
    struct hp_span text = text_of(r, full);
    hp_vec_reserve(&r->scratch, hp_short_name_room(text.size));
    return hp_span_equal(hp_short_name(text, r->scratch.at), text_of(r, name));
}

// Replace the function names of all lines by full ones, where their linker's names show
// these.
static void restore(struct restorer *r) {
    struct hp_line *line;
    hp_vec_each (line, &r->profile->lines) {
        uint32_t number = r->number_of[line->linkage.n];
        if (number > 0) {
            const struct hp_mangled *name = &r->names.at[number - 1];
            bool is_known = name->function.n != name->linkage.n;
            line->function = is_known ? name->function : line->function;
        } else if (line->linkage.n != line->function.n && line->linkage.n != 0 &&
                   is_short_of(r, line->function, line->linkage)) {
            line->function = line->linkage;
        }
    }
}

void hp_restore_names(struct hp_profile *profile, enum hp_sandbox sandbox) {
    struct restorer r = {.profile = profile};
    r.number_of = hp_alloc((profile->strings.strings.count + 1) * sizeof *r.number_of);
    collect(&r);
    const char *why =
        hp_demangle_apart(&profile->strings, r.names.at, r.names.count, sandbox);
    if (why) {
        hp_profile_warn(profile,
                        HP_MESSAGE("names-stay-mangled",
                                   "%zu mangled name%s of pprof inputs stay%s as %s: %s"),
                        r.names.count, r.names.count == 1 ? "" : "s",
                        r.names.count == 1 ? "s" : "",
                        r.names.count == 1 ? "it is" : "they are", why);
    }
    restore(&r);
    hp_vec_done(&r.names);
    hp_vec_done(&r.scratch);
    free(r.number_of);
}
