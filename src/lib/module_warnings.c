// Of binaries: those that give no names, those that may not be the ones that ran, those that
// give less than they promise, and what is nameless in the end.
#include "lib/warnings.h"
#include "view/frame_rules.h"

#include <stdio.h>
#include <string.h>

enum {
    NAMED = 3, // modules with one complaint that are named; the others are counted
};

static bool is_allocator(const struct hp_profile *profile,
                         const struct hp_module *module) {
    return hp_is_allocator_module(hp_profile_text(profile, module->path));
}

static bool has_names(const struct hp_module *module) {
    return module->status == HP_SYM_DWARF || module->status == HP_SYM_SYMTAB;
}

// --- no names at all --------------------------------------------------------------------

// Of what is stripped the bytes are told, below.
static bool lacks_names(const struct hp_profile *profile,
                        const struct hp_module *module) {
    return module->kind == HP_MODULE_FILE && module->status >= HP_SYM_NO_FILE &&
           module->status != HP_SYM_STRIPPED && !is_allocator(profile, module);
}

// One sentence for each module that was refused, one for each other reason.
static void warn_of_unread(struct hp_profile *profile) {
    for (int status = HP_SYM_NO_FILE; status <= HP_SYM_NO_PROCESS; status++) {
        size_t found = 0;
        const char *first = "";
        for (size_t i = 0; i < profile->modules.count; i++) {
            const struct hp_module *module = &profile->modules.at[i];
            if (lacks_names(profile, module) && (int)module->status == status) {
                first = found++ == 0 ? hp_profile_text(profile, module->path) : first;
            }
        }
        const char *reason = hp_sym_status_text((enum hp_sym_status)status);
        if (found == 1) {
            hp_profile_warn(profile, "no function names for %s: %s", first, reason);
        } else if (found > 1) {
            hp_profile_warn(profile, "no function names for %s and %zu more module%s: %s",
                            first, found - 1, found == 2 ? "" : "s", reason);
        }
    }
}

// --- names that may be wrong, or are not all ----------------------------------------------

// What is said of a module, "" for nothing.
struct complaint {
    const struct hp_profile *profile;
    char text[512];
};

static void complain_of_difference(struct complaint *complaint,
                                   const struct hp_module *module) {
    const struct hp_return_check *returns = &module->returns;
    if (returns->verdict == HP_BUILD_DIFFERS) {
        snprintf(
            complaint->text, sizeof complaint->text,
            "the file differs from what ran: %u of %u return addresses follow no call",
            returns->failed, returns->checked);
    }
}

static void complain_of_doubt(struct complaint *complaint,
                              const struct hp_module *module) {
    const struct hp_return_check *returns = &module->returns;
    if (returns->verdict == HP_BUILD_DOUBTED && returns->failed > 0) {
        snprintf(complaint->text, sizeof complaint->text,
                 "the file may not be what ran: 1 of %u return address%s follows no call",
                 returns->checked, returns->checked == 1 ? "" : "es");
    }
}

static void complain_of_replacement(struct complaint *complaint,
                                    const struct hp_module *module) {
    if (module->deleted && module->is_at_own_path && module->told_id.n == 0 &&
        module->returns.failed == 0) {
        snprintf(
            complaint->text, sizeof complaint->text,
            "it was replaced or deleted while it ran, and names are those of the file "
            "there now");
    }
}

static void complain_of_inlines(struct complaint *complaint,
                                const struct hp_module *module) {
    if (module->lacks_inlines) {
        snprintf(complaint->text, sizeof complaint->text,
                 "inlined calls or lines are missing: %s",
                 hp_profile_text(complaint->profile, module->note));
    }
}

// A sentence for each of the first modules of whom there is something to say.
static void warn_of(struct hp_profile *profile,
                    void complain(struct complaint *, const struct hp_module *)) {
    size_t found = 0;
    for (size_t i = 0; i < profile->modules.count; i++) {
        const struct hp_module *module = &profile->modules.at[i];
        struct complaint complaint = {.profile = profile};
        if (has_names(module)) {
            complain(&complaint, module);
        }
        if (complaint.text[0] && found++ < NAMED) {
            hp_profile_warn(profile, "%s: %s", hp_profile_text(profile, module->path),
                            complaint.text);
        }
    }
    if (found > NAMED) {
        hp_profile_warn(profile, "of %zu more module%s the same is to be said (see info)",
                        found - NAMED, found == NAMED + 1 ? "" : "s");
    }
}

// --- what stays nameless ------------------------------------------------------------------

enum role {
    NOT_ASKED,
    ALLOCATOR, // whoever called it is meant
    WITH_NAME,
    WITHOUT_NAME,
};

struct nameless {
    const struct hp_profile *profile;
    enum hp_metric metric;
    hp_fixed total;
    struct hp_frame_rules rules;
    unsigned char *roles;   // of each frame
    hp_fixed *bytes;        // of each module
    HP_VEC(uint32_t) worst; // modules of which it is told, most bytes first
};

static enum role find_role(struct nameless *nameless, const struct hp_frame *frame) {
    const struct hp_line *lines = nameless->profile->lines.at + frame->first_line;
    struct hp_frame_rules *rules = &nameless->rules;
    bool is_allocator_call =
        frame->lines > 0 ||
        hp_frame_rules_class(rules, frame, NULL) == HP_CLASS_ALLOCATOR;
    for (uint32_t i = 0; i < frame->lines; i++) {
        is_allocator_call &=
            hp_frame_rules_class(rules, frame, &lines[i]) == HP_CLASS_ALLOCATOR;
    }
    return is_allocator_call ? ALLOCATOR : frame->lines > 0 ? WITH_NAME : WITHOUT_NAME;
}

// The first frame that is not the allocator's has the bytes, as in the rows of `top`.
static void add_stack(struct nameless *nameless, const struct hp_stack *stack) {
    for (uint32_t i = 0; i < stack->depth; i++) {
        uint32_t n = stack->frames[i].n;
        const struct hp_frame *frame = &nameless->profile->frames.at[n];
        if (nameless->roles[n] == NOT_ASKED) {
            nameless->roles[n] = (unsigned char)find_role(nameless, frame);
        }
        if (nameless->roles[n] == WITHOUT_NAME) {
            nameless->bytes[frame->module.n] += stack->values.of[nameless->metric];
        }
        if (nameless->roles[n] != ALLOCATOR) {
            return;
        }
    }
}

static int by_bytes(const void *left, const void *right, void *context) {
    const struct nameless *nameless = context;
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    hp_fixed of_a = nameless->bytes[a], of_b = nameless->bytes[b];
    return of_a != of_b ? (of_a < of_b ? 1 : -1) : (a > b) - (a < b);
}

// Of what is in use, or else of what was allocated.
static void measure(struct nameless *nameless) {
    const struct hp_profile *profile = nameless->profile;
    struct hp_values total = hp_profile_total(profile);
    nameless->metric = total.of[HP_INUSE_SPACE] > 0 ? HP_INUSE_SPACE : HP_ALLOC_SPACE;
    nameless->total = total.of[nameless->metric];
    const struct hp_stack *stack;
    hp_vec_each (stack, &profile->stacks) {
        add_stack(nameless, stack);
    }
    for (uint32_t i = 0; i < profile->modules.count; i++) {
        const struct hp_module *module = &profile->modules.at[i];
        bool is_read = has_names(module) || module->status == HP_SYM_STRIPPED;
        if (module->kind == HP_MODULE_FILE && is_read &&
            nameless->bytes[i] >= nameless->total / 200 && nameless->bytes[i] > 0) {
            hp_vec_push(&nameless->worst, i);
        }
    }
    hp_vec_sort_r(&nameless->worst, by_bytes, nameless);
}

static double percent_of(const struct nameless *nameless, hp_fixed bytes) {
    return 100 * ((double)bytes / (double)nameless->total);
}

// "85.0% in /srv/app (build id 0a1b)"
static void describe(const struct nameless *nameless, uint32_t number, char *text,
                     size_t room) {
    const struct hp_profile *profile = nameless->profile;
    const struct hp_module *module = &profile->modules.at[number];
    const char *build_id = hp_profile_text(profile, module->build_id);
    snprintf(text, room, "%.1f%% in %s (%s%s)",
             percent_of(nameless, nameless->bytes[number]),
             hp_profile_text(profile, module->path),
             *build_id ? "build id " : "no build id", build_id);
}

static void tell(struct hp_profile *profile, const struct nameless *nameless) {
    hp_fixed sum = 0;
    char text[NAMED * 4500] = "", more[64] = "";
    size_t used = 0, count = nameless->worst.count;
    for (size_t i = 0; i < count; i++) {
        sum += nameless->bytes[nameless->worst.at[i]];
        if (i < NAMED) {
            used += (size_t)snprintf(text + used, sizeof text - used, i > 0 ? ", " : "");
            describe(nameless, nameless->worst.at[i], text + used, sizeof text - used);
            used += strlen(text + used);
        }
    }
    if (count > NAMED) {
        snprintf(more, sizeof more, " and in %zu more module%s", count - NAMED,
                 count == NAMED + 1 ? "" : "s");
    }
    hp_profile_warn(
        profile,
        "%.1f%% of the bytes %s have no function names: %s%s; debug packages, "
        "or binaries that are not stripped, would give them (--symbol-dir)",
        percent_of(nameless, sum),
        nameless->metric == HP_INUSE_SPACE ? "in use" : "allocated", text, more);
}

static void warn_of_nameless(struct hp_profile *profile) {
    struct nameless nameless = {
        .profile = profile,
        .roles = hp_alloc(profile->frames.count),
        .bytes = hp_alloc(profile->modules.count * sizeof *nameless.bytes),
    };
    struct hp_err err; // of rules of the user, of which there are none
    if (hp_frame_rules_init(&nameless.rules, profile, NULL, 0, &err) == HP_OK) {
        measure(&nameless);
    }
    hp_frame_rules_done(&nameless.rules);
    if (nameless.worst.count > 0 && nameless.total > 0) {
        tell(profile, &nameless);
    }
    hp_vec_done(&nameless.worst);
    free(nameless.roles);
    free(nameless.bytes);
}

void hp_warn_of_modules(struct hp_profile *profile) {
    warn_of_unread(profile);
    warn_of(profile, complain_of_difference);
    warn_of(profile, complain_of_doubt);
    warn_of(profile, complain_of_replacement);
    warn_of(profile, complain_of_inlines);
    warn_of_nameless(profile);
}
