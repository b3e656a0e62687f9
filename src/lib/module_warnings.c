// Warnings about binaries: those that give no names, those that may not be the ones that
// ran, those that give fewer names than they should, and the code that stays nameless. A
// warning about less than 1/200 of the bytes is minor: only `info` shows it.  A screen
// leaves out those about less than HP_MUCH_NAMELESS.
#include "lib/warnings.h"
#include "view/frame_rules.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
    NAMES_MAX = 3,     // modules that warnings of one kind name; the others are counted
    LEAST_SHARE = 200, // a warning about less than 1/200 of the bytes is minor
};

static bool is_allocator(const struct hp_profile *profile,
                         const struct hp_module *module) {
    return hp_is_allocator_module(hp_profile_text(profile, module->path));
}

static bool has_names(const struct hp_module *module) {
    return module->status == HP_SYM_DWARF || module->status == HP_SYM_SYMTAB;
}

// Return whether warnings about a module are never minor, whatever its share of the
// bytes.  If memory, time or processes were missing in this run, another run may have
// enough of them; and names that dumps contain may lack inlined calls.
static bool is_never_minor(const struct hp_profile *profile,
                           const struct hp_module *module) {
    bool lacks_memory = strstr(hp_profile_text(profile, module->note), "(--max-memory)");
    return lacks_memory || hp_sym_is_of_this_run(module->status) ||
           (module->status == HP_SYM_EMBEDDED && module->lacks_inlines);
}

// --- how much of the bytes a module concerns -------------------------------------------

// How a frame is treated when bytes are added up by module; bits.
enum frame_role {
    ASKED = 1,     // the other bits are known; 0: not yet
    ALLOCATOR = 2, // a frame of the allocator: bytes are attributed to its caller
    NAMED = 4,     // the frame has function names
    FOLDED = 8,    // tables of functions do not show the frame by default
};

// Sums of bytes by module, over all stacks of a profile.
struct module_shares {
    struct hp_profile *profile;  // borrowed
    bool needs_path_map;         // see needs_path_map()
    struct hp_frame_rules rules; // the built-in rules
    unsigned char *roles;        // for each frame bits of enum frame_role
    // For each module: there is something to warn about, which is minor if its share of
    // the bytes is small.
    bool *complained;
    bool complains; // `complained` is true for some module
    // For each module with a complaint: bytes of the stacks that show a call of it, in
    // use and allocated.
    hp_fixed (*shown)[2];
    uint32_t *last;  // for each module: number + 1 of the last stack that was counted
    hp_fixed all[2]; // bytes of all stacks, in use and allocated
    enum hp_metric metric;  // the metric by which nameless code is measured
    hp_fixed total;         // total of `metric`
    hp_fixed *nameless;     // for each module: `metric` of its nameless frames
    HP_VEC(uint32_t) worst; // modules with much nameless code, most bytes first
};

static const enum hp_metric spaces[2] = {HP_INUSE_SPACE, HP_ALLOC_SPACE};

// Compute the role of a frame.  A frame without function names has the class of its
// module.
static enum frame_role find_role(struct module_shares *shares,
                                 const struct hp_frame *frame) {
    const struct hp_line *lines = hp_vec_from(&shares->profile->lines, frame->first_line);
    bool is_allocator = true, is_folded = true;
    for (uint32_t i = 0; i < frame->lines || i == 0; i++) {
        enum hp_frame_class of =
            hp_frame_rules_class(&shares->rules, frame,
                                 frame->lines > 0 ? &lines[i] : NULL);
        is_allocator &= of == HP_CLASS_ALLOCATOR;
        is_folded &= of >= HP_CLASS_ALLOCATOR && of <= HP_CLASS_STANDARD;
    }
    return ASKED | (is_allocator ? ALLOCATOR : 0) | (is_folded ? FOLDED : 0) |
           (frame->lines > 0 ? NAMED : 0);
}

static enum frame_role role_of(struct module_shares *shares, uint32_t frame) {
    if (shares->roles[frame] == 0) {
        shares->roles[frame] =
            (unsigned char)find_role(shares, &shares->profile->frames.at[frame]);
    }
    return shares->roles[frame];
}

// Add the bytes of stack `number` to shares->shown of a module, but only once for each
// stack.
static void add_shown(struct module_shares *shares, uint32_t module, uint32_t number) {
    const struct hp_stack *stack = &shares->profile->stacks.at[number];
    for (int i = 0; i < 2 && shares->last[module] != number + 1; i++) {
        hp_fixed bytes = stack->values.of[spaces[i]];
        shares->shown[module][i] += bytes < 0 ? -bytes : bytes;
    }
    shares->last[module] = number + 1;
}

// Return whether a stack can contribute to a warning: some module has a complaint, or a
// frame is nameless.
static bool is_concerned(const struct module_shares *shares,
                         const struct hp_stack *stack) {
    bool is_named = true;
    for (uint32_t i = 0; i < stack->depth && is_named; i++) {
        is_named = shares->profile->frames.at[stack->frames[i].n].lines > 0;
    }
    return shares->complains || !is_named;
}

// Add the bytes of a stack to shares->all.  Memory is attributed to the first frame that
// is not of the allocator, as in the rows of `top`: if this frame has no names the bytes
// are added to `nameless` of its module.  They are added to `shown` of the modules of
// this frame and of its callers that are not folded.
static void add_stack(struct module_shares *shares, uint32_t number) {
    const struct hp_stack *stack = &shares->profile->stacks.at[number];
    uint32_t depth = is_concerned(shares, stack) ? stack->depth : 0;
    bool is_attributed = false;
    for (uint32_t i = 0; i < depth && (!is_attributed || shares->complains); i++) {
        uint32_t n = stack->frames[i].n;
        uint32_t module = shares->profile->frames.at[n].module.n;
        if (is_attributed && !shares->complained[module]) {
            continue;
        }
        enum frame_role role = role_of(shares, n);
        if (!is_attributed && (role & (NAMED | ALLOCATOR)) == 0) {
            shares->nameless[module] += stack->values.of[shares->metric];
        }
        if (is_attributed ? (role & FOLDED) == 0 : (role & ALLOCATOR) == 0) {
            add_shown(shares, module, number);
        }
        is_attributed |= (role & ALLOCATOR) == 0;
    }
    for (int i = 0; i < 2; i++) {
        hp_fixed bytes = stack->values.of[spaces[i]];
        shares->all[i] += bytes < 0 ? -bytes : bytes;
    }
}

// Add up the bytes of all stacks by module.
static void measure(struct module_shares *shares) {
    const struct hp_profile *profile = shares->profile;
    shares->metric = hp_warnings_metric(profile);
    shares->total = hp_profile_total(profile).of[shares->metric];
    for (uint32_t i = 0; i < profile->stacks.count; i++) {
        add_stack(shares, i);
    }
}

// Return whether warnings about a module are minor: its share is small of the bytes in
// use and of the bytes allocated.  If there are no bytes, no warning is minor.
static bool is_minor(const struct module_shares *shares, size_t module) {
    const hp_fixed *shown = shares->shown[module], *all = shares->all;
    bool is_much = false;
    for (int i = 0; i < 2; i++) {
        is_much |= shown[i] > 0 && shown[i] >= all[i] / LEAST_SHARE;
    }
    is_much |= is_never_minor(shares->profile, &shares->profile->modules.at[module]);
    return !is_much && (all[0] > 0 || all[1] > 0);
}

// Return the bytes of all stacks in the metric of the shares; 0: shares are unknown.
static hp_fixed all_of(const struct module_shares *shares) {
    return shares->all[shares->metric == HP_INUSE_SPACE ? 0 : 1];
}

// Return the share of the bytes that go through a call of the module; 0 if unknown.
static double share_of(const struct module_shares *shares, size_t module) {
    hp_fixed all = all_of(shares);
    hp_fixed shown = shares->shown[module][shares->metric == HP_INUSE_SPACE ? 0 : 1];
    return all > 0 ? (double)shown / (double)all : 0;
}

// Return the rank of a warning about names that concerns this share of the bytes.
static struct hp_warning_rank rank_of(const struct module_shares *shares, double share,
                                      bool is_minor) {
    bool is_known = all_of(shares) > 0;
    return (struct hp_warning_rank){HP_WARN_OF_NAMES, is_known ? share : 1,
                                    is_known && share < HP_MUCH_NAMELESS, is_minor};
}

// --- no names at all -------------------------------------------------------------------

// Counts of the dumps whose maps contain one path, over all modules with it.  There is one
// module for each build of the file.
struct path_dumps {
    // Number of dumps whose maps contain the path, and of those that ran none of the
    // files at hand.
    uint32_t all, open;
    // Some dumps ran a file at hand; some are in partials, which do not count dumps.
    bool has_named, has_partials;
    // Some names are from stacks that a file fits, though it fits not all dumps.
    bool is_by_stacks;
};

// Add up the dumps of all modules with this path.
static struct path_dumps dumps_of_path(const struct hp_profile *profile, hp_string path) {
    struct path_dumps dumps = {0};
    const struct hp_module *module;
    hp_vec_each (module, &profile->modules) {
        if (module->kind == HP_MODULE_FILE && module->path.n == path.n) {
            bool is_open = module->proof == HP_PROOF_OPEN;
            dumps.all += module->dumps;
            dumps.open += is_open ? module->dumps : 0;
            dumps.has_named |= !is_open;
            dumps.has_partials |= module->has_partials;
            dumps.is_by_stacks |= module->is_by_stacks;
        }
    }
    return dumps;
}

// Return whether the binary of a module is not at hand, but for other dumps a file of its
// path is.
static bool is_open_in_part(const struct hp_profile *profile,
                            const struct hp_module *module) {
    return module->proof == HP_PROOF_OPEN &&
           dumps_of_path(profile, module->path).has_named;
}

// Return whether to warn that a module has no function names.  For stripped binaries
// warn_of_worst() reports the bytes instead.
static bool lacks_names(const struct hp_profile *profile,
                        const struct hp_module *module) {
    return module->kind == HP_MODULE_FILE && module->status >= HP_SYM_NO_FILE &&
           module->status != HP_SYM_STRIPPED && !is_open_in_part(profile, module) &&
           (hp_sym_is_of_this_run(module->status) || !is_allocator(profile, module));
}

// Warn about all modules of one status that lack names, in one sentence: the one with
// most memory is named, the others are counted.  With `minor` only modules are included
// for which warnings are minor, else only the others.
static void warn_of_status(const struct module_shares *shares, enum hp_sym_status status,
                           bool minor) {
    struct hp_profile *profile = shares->profile;
    size_t found = 0;
    const char *first = "", *reason = hp_sym_status_text(status);
    double most = -1;
    char share[32] = "";
    for (size_t i = 0; i < profile->modules.count; i++) {
        const struct hp_module *module = &profile->modules.at[i];
        if (lacks_names(profile, module) && module->status == status &&
            is_minor(shares, i) == minor) {
            bool is_first = share_of(shares, i) > most;
            first = is_first ? hp_profile_text(profile, module->path) : first;
            most = is_first ? share_of(shares, i) : most;
            found++;
        }
    }
    if (most > 0) {
        snprintf(share, sizeof share, " (%.1f%% of %s)", 100 * most,
                 hp_warnings_whole(shares->metric));
    }
    bool is_missing = status == HP_SYM_NO_FILE && shares->needs_path_map;
    const char *hint = is_missing ? ". Put it below DIR, or use --path-map=PATH=FILE"
                       : status == HP_SYM_NO_FILE ? ". Use --symbol-dir=DIR"
                                                  : "";
    if (found == 1) {
        hp_profile_warn_as(profile, rank_of(shares, most, minor),
                           HP_MESSAGE("module-without-names",
                                      "no symbols for %s%s: %s%s"),
                           first, share, reason, hint);
    } else if (found > 1) {
        hp_profile_warn_as(profile, rank_of(shares, most, minor),
                           HP_MESSAGE("modules-without-names",
                                      "no symbols for %s%s and %zu more module%s: %s%s"),
                           first, share, found - 1, found == 2 ? "" : "s", reason, hint);
    }
}

static void warn_of_unread(const struct module_shares *shares) {
    for (int status = HP_SYM_NO_FILE; status <= HP_SYM_NOT_BUILT; status++) {
        warn_of_status(shares, (enum hp_sym_status)status, false);
        warn_of_status(shares, (enum hp_sym_status)status, true);
    }
}

// --- names that may be wrong, or are not all -------------------------------------------

// A complaint about a module.
struct complaint {
    const struct hp_profile *profile;
    // Percent of the bytes that go through a call of the module; 0: unknown.
    double percent;
    const char *message; // the HP_MESSAGE of the sentence
    char text[512];      // the sentence; "": there is no complaint
};

// Format the sentence of a complaint.
HP_PRINTF(2, 3)
static void put(struct complaint *complaint, const char *format, ...);

static void put(struct complaint *complaint, const char *format, ...) {
    char room[HP_MESSAGE_FORMAT_SIZE];
    va_list args;
    va_start(args, format);
    complaint->message = format;
    vsnprintf(complaint->text, sizeof complaint->text, hp_message_format(format, room),
              args);
    va_end(args);
}

// Complain if some dumps ran a build of the module that is not at hand, while others ran
// one that is.
static void complain_of_builds(struct complaint *complaint,
                               const struct hp_module *module) {
    struct path_dumps dumps = dumps_of_path(complaint->profile, module->path);
    char count[64] = "some";
    if (!dumps.has_partials) {
        snprintf(count, sizeof count, "%u of %u", dumps.open, dumps.all);
    }
    if (is_open_in_part(complaint->profile, module) && dumps.is_by_stacks) {
        put(complaint,
            HP_MESSAGE(
                "builds-by-stacks",
                "several builds: only stacks that fit one file have names. Use merge "
                "--with-builds"));
    } else if (is_open_in_part(complaint->profile, module)) {
        put(complaint,
            HP_MESSAGE("builds-without-names", "no symbols in %s dumps, which %s"), count,
            hp_module_is_compared(module)
                ? "ran another build. Use --symbol-dir=DIR with it"
                : "show nothing to compare with its files");
    }
}

// Complain if return addresses show that the file of the module is not the one that ran.
static void complain_of_difference(struct complaint *complaint,
                                   const struct hp_module *module) {
    const struct hp_return_check *returns = &module->returns;
    if (returns->verdict == HP_BUILD_DIFFERS) {
        put(complaint,
            HP_MESSAGE(
                "file-differs",
                "not the binary that was profiled, symbols not used (%u of %u return "
                "addresses fit no call)"),
            returns->failed, returns->checked);
    }
}

// Complain if one return address of few does not fit the file.
static void complain_of_doubt(struct complaint *complaint,
                              const struct hp_module *module) {
    const struct hp_return_check *returns = &module->returns;
    if (returns->verdict == HP_BUILD_DOUBTED && returns->failed > 0) {
        put(complaint,
            HP_MESSAGE(
                "file-doubted",
                "may not be the binary that was profiled (1 of %u return address%s fits "
                "no call)"),
            returns->checked, returns->checked == 1 ? "" : "es");
    }
}

// Complain if the file of the module was deleted or replaced while it ran, and nothing
// proves which file ran.
static void complain_of_replacement(struct complaint *complaint,
                                    const struct hp_module *module) {
    if (module->deleted && module->is_at_own_path && module->recorded_build_id.n == 0 &&
        module->proof != HP_PROOF_FITS && module->returns.failed == 0) {
        put(complaint,
            HP_MESSAGE(
                "file-replaced",
                "replaced while the program ran. Names come from the new file and may "
                "be wrong"));
    }
}

// Complain if inlined calls or lines of the module could not be read.
static void complain_of_inlines(struct complaint *complaint,
                                const struct hp_module *module) {
    char share[64] = "";
    if (complaint->percent > 0) {
        snprintf(share, sizeof share, " for %.1f%% of the bytes", complaint->percent);
    }
    if (module->lacks_inlines) {
        put(complaint,
            HP_MESSAGE("inlines-missing", "inlined calls or lines are missing%s: %s"),
            share, hp_profile_text(complaint->profile, module->note));
    }
}

// The type of a function that writes a complaint of one kind about a module, or leaves
// the text empty.
typedef void complain_fn(struct complaint *, const struct hp_module *);

static complain_fn *const complaints[] = {
    complain_of_builds,      complain_of_difference, complain_of_doubt,
    complain_of_replacement, complain_of_inlines,
};

static const size_t complaint_count = sizeof complaints / sizeof *complaints;

// Write a complaint of one kind about a module.  Returns false if there is none.
static bool complain(struct complaint *complaint, size_t kind,
                     const struct hp_module *module) {
    complaint->text[0] = '\0';
    if (kind == 0 || has_names(module) || is_never_minor(complaint->profile, module)) {
        complaints[kind](complaint, module);
    }
    return complaint->text[0] != '\0';
}

// Return the rank of a complaint.  That names of a wrong build are not used is shown
// whatever the share is.
static struct hp_warning_rank rank_of_complaint(const struct module_shares *shares,
                                                size_t module, size_t kind, bool minor) {
    struct hp_warning_rank rank = rank_of(shares, share_of(shares, module), minor);
    rank.is_detail &= complaints[kind] != complain_of_difference;
    return rank;
}

// Warn about the first modules with a complaint of this kind, one sentence each, and
// count the others.  With `minor` only modules are included for which warnings are minor,
// else only the others.
static void warn_of(const struct module_shares *shares, size_t kind, bool minor) {
    struct hp_profile *profile = shares->profile;
    struct complaint complaint = {.profile = profile};
    size_t found = 0, last = 0;
    for (size_t i = 0; i < profile->modules.count; i++) {
        const struct hp_module *module = &profile->modules.at[i];
        complaint.percent = 100 * share_of(shares, i);
        if (!complain(&complaint, kind, module) || is_minor(shares, i) != minor) {
            continue;
        }
        last = i;
        if (found++ < NAMES_MAX) {
            hp_profile_warn_as(profile, rank_of_complaint(shares, i, kind, minor),
                               HP_MESSAGE("module-complaint", "%s: %s"),
                               hp_profile_text(profile, module->path), complaint.text);
            hp_profile_warned_of(profile, complaint.message);
        }
    }
    if (found > NAMES_MAX) {
        hp_profile_warn_as(profile, rank_of_complaint(shares, last, kind, minor),
                           HP_MESSAGE("more-module-complaints",
                                      "the same for %zu more module%s. See info"),
                           found - NAMES_MAX, found == NAMES_MAX + 1 ? "" : "s");
    }
}

// Find the modules that may need a warning (shares->complained), before stacks are
// measured.
static void find_complaints(struct module_shares *shares) {
    struct complaint complaint = {.profile = shares->profile};
    for (size_t i = 0; i < shares->profile->modules.count; i++) {
        const struct hp_module *module = &shares->profile->modules.at[i];
        bool is_said = lacks_names(shares->profile, module);
        for (size_t kind = 0; kind < complaint_count; kind++) {
            is_said |= complain(&complaint, kind, module);
        }
        shares->complained[i] = is_said;
        shares->complains |= is_said;
    }
}

// --- what stays nameless ---------------------------------------------------------------

static int by_bytes(const void *left, const void *right, void *context) {
    const struct module_shares *shares = context;
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    hp_fixed of_a = shares->nameless[a], of_b = shares->nameless[b];
    return of_a != of_b ? (of_a < of_b ? 1 : -1) : (a > b) - (a < b);
}

// Find the modules whose file was read, but whose nameless frames allocated 1/200 or more
// of the bytes; the most bytes first.
static void find_worst(struct module_shares *shares) {
    const struct hp_profile *profile = shares->profile;
    for (uint32_t i = 0; i < profile->modules.count; i++) {
        const struct hp_module *module = &profile->modules.at[i];
        bool is_read = has_names(module) || module->status == HP_SYM_STRIPPED;
        if (module->kind == HP_MODULE_FILE && is_read &&
            shares->nameless[i] >= shares->total / LEAST_SHARE &&
            shares->nameless[i] > 0) {
            hp_vec_push(&shares->worst, i);
        }
    }
    hp_vec_sort_r(&shares->worst, by_bytes, shares);
}

static double percent_of(const struct module_shares *shares, hp_fixed bytes) {
    return 100 * ((double)bytes / (double)shares->total);
}

// Write "85.0% in /srv/app".
static void describe(const struct module_shares *shares, uint32_t number, char *text,
                     size_t room) {
    const struct hp_profile *profile = shares->profile;
    const struct hp_module *module = &profile->modules.at[number];
    snprintf(text, room, "%.1f%% in %s", percent_of(shares, shares->nameless[number]),
             hp_profile_text(profile, module->path));
}

// Set the text of the warning about nameless code for a screen: it names the first module.
static void shorten_worst(const struct module_shares *shares, double percent) {
    uint32_t first = shares->worst.at[0];
    size_t others = shares->worst.count - 1;
    const char *path =
        hp_profile_text(shares->profile, shares->profile->modules.at[first].path);
    char more[64] = "";
    if (others > 0) {
        hp_message_print(more, sizeof more,
                         HP_MESSAGE("nameless-modules-too", " %.0f%%, %zu more"),
                         percent_of(shares, shares->nameless[first]), others);
    }
    hp_profile_shorten_warning(
        shares->profile,
        HP_MESSAGE(
            "bytes-without-names-shorter",
            "%.0f%% of %s is in stripped code (%s%s). Install its debug package or use "
            "--symbol-dir"),
        percent, hp_warnings_whole(shares->metric), path, more);
}

// Warn about the modules with most nameless code, in one sentence.
static void warn_of_worst(const struct module_shares *shares) {
    struct hp_profile *profile = shares->profile;
    hp_fixed sum = 0;
    char text[NAMES_MAX * 4500] = "", more[64] = "";
    size_t used = 0, count = shares->worst.count;
    for (size_t i = 0; i < count; i++) {
        sum += shares->nameless[shares->worst.at[i]];
        if (i < NAMES_MAX) {
            used += (size_t)snprintf(text + used, sizeof text - used, i > 0 ? ", " : "");
            describe(shares, shares->worst.at[i], text + used, sizeof text - used);
            used += strlen(text + used);
        }
    }
    if (count > NAMES_MAX) {
        hp_message_print(more, sizeof more,
                         HP_MESSAGE("more-nameless-modules", " and in %zu more"),
                         count - NAMES_MAX);
    }
    hp_profile_warn_as(
        profile, rank_of(shares, percent_of(shares, sum) / 100, false),
        HP_MESSAGE(
            "bytes-without-names",
            "%.1f%% of memory %s is in stripped code: %s%s. Install debug packages or "
            "use --symbol-dir"),
        percent_of(shares, sum),
        shares->metric == HP_INUSE_SPACE ? "in use" : "allocated", text, more);
    shorten_worst(shares, percent_of(shares, sum));
}

// --- all of them -----------------------------------------------------------------------

// Write all warnings about binaries.
static void warn_of_all(struct module_shares *shares) {
    find_complaints(shares);
    measure(shares);
    find_worst(shares);
    warn_of_unread(shares);
    for (size_t kind = 0; kind < complaint_count; kind++) {
        warn_of(shares, kind, false);
        warn_of(shares, kind, true);
    }
    if (shares->worst.count > 0 && shares->total > 0) {
        warn_of_worst(shares);
    }
}

// Return whether to say that --path-map finds a file of another name: folders were given
// to search in, and no map.
static bool needs_path_map(const struct hp_symbol_options *options) {
    return options && options->symbol_dir_count > 0 && options->path_map_count == 0 &&
           !options->symbol_dirs_only;
}

void hp_warn_of_modules(struct hp_profile *profile,
                        const struct hp_symbol_options *options) {
    size_t modules = profile->modules.count;
    struct module_shares shares = {
        .profile = profile,
        .needs_path_map = needs_path_map(options),
        .roles = hp_alloc(profile->frames.count),
        .complained = hp_alloc(modules * sizeof *shares.complained),
        .shown = hp_alloc(modules * sizeof *shares.shown),
        .last = hp_alloc(modules * sizeof *shares.last),
        .nameless = hp_alloc(modules * sizeof *shares.nameless),
    };
    struct hp_err err; // an error in rules of the user; there are no such rules here
    if (hp_frame_rules_init(&shares.rules, profile, NULL, 0, &err) == HP_OK) {
        warn_of_all(&shares);
    }
    hp_frame_rules_done(&shares.rules);
    hp_vec_done(&shares.worst);
    free(shares.roles);
    free(shares.complained);
    free(shares.shown);
    free(shares.last);
    free(shares.nameless);
}
