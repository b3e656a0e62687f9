// Functions without names are identified by their start, which unwind tables contain.
#include "sym/nameless.h"

#include <stdio.h>

// The number in `names` of a module's file name.
static hp_string name_of(const struct hp_profile *profile, struct hp_strtab *names,
                         const struct hp_module *module) {
    struct hp_span path = hp_strtab_span(&profile->strings, module->path);
    return hp_strtab_add(names, hp_span_basename(path));
}

// Set module->shares_name where modules with one file name may be different builds,
// because rows that are named after an address must not be merged with those of another
// build.  The second pass spreads the result to the modules that the first pass visited
// too early.
static void find_namesakes(struct hp_profile *profile) {
    struct hp_strtab names = {0};
    struct hp_module **first = hp_alloc((profile->modules.count + 1) * sizeof *first);
    struct hp_module *module;
    for (int pass = 0; pass < 2; pass++) {
        hp_vec_each (module, &profile->modules) {
            hp_string name = name_of(profile, &names, module);
            bool is_file = module->kind == HP_MODULE_FILE && name.n != 0;
            struct hp_module *other = is_file ? first[name.n] : module;
            if (!other) {
                first[name.n] = module;
            } else if (other != module && (module->build_id.n != other->build_id.n ||
                                           module->build_id.n == 0)) {
                module->shares_name = other->shares_name = true;
            } else if (other != module) {
                module->shares_name = other->shares_name;
            }
        }
    }
    free(first);
    hp_strtab_done(&names);
}

// Append the numbers of functions and addresses to the note of a module.
static void note_bounds(struct hp_profile *profile, struct hp_module *module,
                        uint32_t functions, uint32_t addresses) {
    char text[700];
    const char *note = hp_profile_text(profile, module->note);
    snprintf(text, sizeof text,
             "%s%s%u address%s of %u function%s known by where %s (.eh_frame)", note,
             *note ? "; " : "", addresses, addresses == 1 ? "" : "es", functions,
             functions == 1 ? "" : "s", functions == 1 ? "it begins" : "they begin");
    module->note = hp_strtab_add(&profile->strings, hp_span_of(text));
}

// Settle the frames [begin, end) of one module.  Frames are ordered by offset, and so are
// their functions, which allows counting them.
static void settle_module(struct hp_profile *profile, size_t begin, size_t end) {
    struct hp_frame *frames = profile->frames.at;
    struct hp_module *module = &profile->modules.at[frames[begin].module.n];
    uint64_t last = UINT64_MAX;
    uint32_t functions = 0, addresses = 0;
    for (size_t i = begin; i < end; i++) {
        struct hp_frame *frame = &frames[i];
        if (module->shares_name && module->build_id.n == 0) {
            frame->past_start = 0; // it cannot be known to which build the start belongs
        }
        if (frame->past_start != 0) {
            addresses++;
            functions += hp_address_of_start(frame) != last;
            last = hp_address_of_start(frame);
        }
    }
    if (addresses > 0) {
        note_bounds(profile, module, functions, addresses);
    }
}

// Whether any frame is known only by the start of its function.
static bool has_bounds(const struct hp_profile *profile) {
    const struct hp_frame *frame;
    hp_vec_each (frame, &profile->frames) {
        if (frame->past_start != 0) {
            return true;
        }
    }
    return false;
}

void hp_nameless_settle(struct hp_profile *profile) {
    const struct hp_frame *frames = profile->frames.at;
    if (!has_bounds(profile)) {
        return;
    }
    find_namesakes(profile);
    for (size_t begin = 0, end; begin < profile->frames.count; begin = end) {
        end = begin + 1;
        while (end < profile->frames.count &&
               frames[end].module.n == frames[begin].module.n) {
            end++;
        }
        if (profile->modules.at[frames[begin].module.n].kind == HP_MODULE_FILE) {
            settle_module(profile, begin, end);
        }
    }
}
