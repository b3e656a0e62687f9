#include "view/origins.h"

// Keep what two origins agree in.
static void narrow(const struct hp_naming *naming, struct hp_origin *origin,
                   const struct hp_origin *other) {
    bool same_function =
        hp_span_equal(hp_naming_function(naming, origin->function),
                      hp_naming_function(naming, other->function)); // it may be short
    bool same_file = origin->file.n == other->file.n;
    origin->module.n = origin->module.n == other->module.n ? origin->module.n : 0;
    origin->function.n = same_function ? origin->function.n : 0;
    origin->line = same_file && origin->line == other->line ? origin->line : 0;
    origin->file.n = same_file ? origin->file.n : 0;
}

static void add_frame(const struct hp_naming *naming, uint32_t number,
                      struct hp_origin *origins, bool *seen) {
    const struct hp_profile *profile = naming->profile;
    const struct hp_frame *frame = &profile->frames.at[number];
    uint32_t end = naming->first_call.at[number + 1];
    const struct hp_line *lines_end =
        frame->lines > 0 ? &profile->lines.at[frame->first_line] + frame->lines : NULL;
    for (uint32_t call = naming->first_call.at[number]; call < end; call++) {
        struct hp_origin origin = {.module = frame->module};
        if (lines_end) {
            const struct hp_line *line = lines_end - (end - call);
            origin =
                (struct hp_origin){frame->module, line->function, line->file, line->line};
        }
        uint32_t node = naming->calls.at[call].node.n;
        if (seen[node]) {
            narrow(naming, &origins[node], &origin);
        } else {
            origins[node] = origin;
            seen[node] = true;
        }
    }
}

struct hp_origin *hp_origins_new(const struct hp_naming *naming) {
    size_t nodes = naming->names.strings.count;
    struct hp_origin *origins = hp_alloc(nodes * sizeof *origins);
    bool *seen = hp_alloc(nodes * sizeof *seen);
    for (uint32_t i = 0; i + 1 < naming->first_call.count; i++) {
        add_frame(naming, i, origins, seen);
    }
    free(seen);
    return origins;
}
