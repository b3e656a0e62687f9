#include "lib/file_names.h"

#include "base/memory.h"
#include "sym/symbolizer.h"

#include <stdlib.h>

// The names that a frame had before the binaries were read.
struct known_names {
    uint32_t first_line, lines; // range in profile->lines
    bool is_of_file;            // taken from a binary, not from a dump
};

static int compare_texts(const struct hp_profile *profile, hp_string a, hp_string b) {
    return hp_span_compare(hp_strtab_span(&profile->strings, a),
                           hp_strtab_span(&profile->strings, b));
}

// Order the lines of a frame by their texts and numbers.
static int compare(const struct hp_profile *profile, const struct hp_line *a,
                   const struct hp_line *b) {
    int order = compare_texts(profile, a->function, b->function);
    order = order ? order : compare_texts(profile, a->file, b->file);
    order = order ? order : compare_texts(profile, a->linkage, b->linkage);
    order = order ? order : (a->line > b->line) - (a->line < b->line);
    return order ? order
                 : (a->start_line > b->start_line) - (a->start_line < b->start_line);
}

// Return whether names found in a binary are better than the known names of a frame: they
// have more inlined calls, or as many and come first in byte order.  Names of a frame in
// two partials are compared by the same rule.
static bool is_better(const struct hp_profile *profile, const struct known_names *known,
                      const struct hp_frame *found) {
    int order = 0;
    if (found->lines != known->lines) {
        return found->lines > known->lines;
    }
    for (uint32_t i = 0; order == 0 && i < found->lines; i++) {
        order = compare(profile, &profile->lines.at[found->first_line + i],
                        &profile->lines.at[known->first_line + i]);
    }
    return order < 0;
}

// Set the proof of each module: whether the binary with its stamp is at hand.  Modules
// without a stamp are not searched for.
static void find_files(struct hp_profile *profile) {
    struct hp_module *module;
    hp_vec_each (module, &profile->modules) {
        struct hp_span path = hp_strtab_span(&profile->strings, module->path);
        struct hp_proof_module asked = {
            .path = path,
            .name = path,
            .addresses = module->addresses,
            .span = module->span,
            .extents = hp_vec_from(&profile->extents, module->first_extent),
            .extent_count = module->extents,
        };
        bool is_known = module->kind == HP_MODULE_FILE && module->stamp.n != 0;
        char *builds =
            is_known && profile->settings.prover
                ? profile->settings.prover->find(profile->settings.prover, &asked,
                                                 hp_profile_text(profile, module->stamp))
                : NULL;
        module->proof = builds ? HP_PROOF_FITS : HP_PROOF_STAMPED;
        module->builds =
            hp_strtab_add(&profile->strings, hp_span_of(builds ? builds : ""));
        free(builds);
    }
}

void hp_file_names_find(struct hp_profile *profile,
                        const struct hp_symbol_options *options) {
    struct known_names *known = hp_alloc(profile->frames.count * sizeof *known);
    for (size_t i = 0; i < profile->frames.count; i++) {
        const struct hp_frame *frame = &profile->frames.at[i];
        known[i] =
            (struct known_names){frame->first_line, frame->lines, frame->is_of_file};
    }
    find_files(profile);
    hp_symbolize(profile, options);
    for (size_t i = 0; i < profile->frames.count; i++) {
        struct hp_frame *frame = &profile->frames.at[i];
        bool is_dumps = known[i].lines > 0 && !known[i].is_of_file;
        bool stays =
            is_dumps || (known[i].lines > 0 && !is_better(profile, &known[i], frame));
        if (stays) {
            frame->first_line = known[i].first_line;
            frame->lines = known[i].lines;
        }
        frame->is_of_file = !is_dumps && frame->lines > 0;
    }
    free(known);
}
