#include "inputs/diagnosed.h"

const char *hp_diagnostic_name(enum hp_diagnostic_kind kind) {
    static const char *const names[HP_DIAGNOSTICS] = {
        [HP_DIAGNOSTIC_DAMAGED] = "damaged",
        [HP_DIAGNOSTIC_PRODUCER_WARNING] = "producer-warning",
        [HP_DIAGNOSTIC_MALFORMED] = "malformed",
        [HP_DIAGNOSTIC_WRAPPED] = "wrapped",
        [HP_DIAGNOSTIC_NEGATIVE] = "negative",
        [HP_DIAGNOSTIC_HEADER_CONTRADICTS] = "header-contradicts",
        [HP_DIAGNOSTIC_INCONSISTENT] = "inconsistent",
        [HP_DIAGNOSTIC_NO_PERIOD] = "no-period",
        [HP_DIAGNOSTIC_NO_OBJECTS] = "no-objects",
        [HP_DIAGNOSTIC_OVERLAPS] = "overlaps",
        [HP_DIAGNOSTIC_UNKNOWN] = "unknown",
    };
    return names[kind];
}

// --- of one input ----------------------------------------------------------------------

// Whether the input has bytes of a column but no number of objects.
static bool lacks_objects(const struct hp_input_record *input) {
    bool inuse = hp_input_has_metric(input, HP_INUSE_SPACE);
    bool alloc = hp_input_has_metric(input, HP_ALLOC_SPACE);
    return (inuse && !hp_input_has_metric(input, HP_INUSE_OBJECTS)) ||
           (alloc && !hp_input_has_metric(input, HP_ALLOC_OBJECTS));
}

struct hp_diagnostic_count hp_diagnostic_in(const struct hp_input_record *input,
                                            enum hp_diagnostic_kind kind) {
    bool is_damaged = input->public.status == HP_INPUT_KEPT_DAMAGED;
    bool is_folded = input->producer == HP_PRODUCER_FOLDED; // has neither, ever
    const struct hp_diagnostic_count found[HP_DIAGNOSTICS] = {
        [HP_DIAGNOSTIC_DAMAGED] = {is_damaged, is_damaged ? input->public.err->line : 0},
        [HP_DIAGNOSTIC_PRODUCER_WARNING] = {input->producer_warning != NULL,
                                            input->producer_warning_line},
        [HP_DIAGNOSTIC_MALFORMED] = input->malformed,
        [HP_DIAGNOSTIC_WRAPPED] = input->wrapped,
        [HP_DIAGNOSTIC_NEGATIVE] = {input->negative, 0},
        [HP_DIAGNOSTIC_HEADER_CONTRADICTS] = {input->header_check ==
                                                  HP_HEADER_CONTRADICTS,
                                              input->header_line},
        [HP_DIAGNOSTIC_INCONSISTENT] = {input->inconsistent_stacks, 0},
        [HP_DIAGNOSTIC_NO_PERIOD] = {!is_folded && input->period == 0 &&
                                         input->stacks > 0,
                                     0},
        [HP_DIAGNOSTIC_NO_OBJECTS] = {!is_folded && lacks_objects(input), 0},
        [HP_DIAGNOSTIC_OVERLAPS] = input->overlaps,
        [HP_DIAGNOSTIC_UNKNOWN] = input->unknown,
    };
    return found[kind];
}

bool hp_input_has_diagnostic(const struct hp_input_record *input) {
    bool found = false;
    for (enum hp_diagnostic_kind i = 0; i < HP_DIAGNOSTICS; i++) {
        found |= hp_diagnostic_in(input, i).count > 0;
    }
    return found;
}

// --- of many ---------------------------------------------------------------------------

static bool is_below(struct hp_digest a, struct hp_digest b) {
    return a.of[0] != b.of[0] ? a.of[0] < b.of[0] : a.of[1] < b.of[1];
}

void hp_diagnosed_name(struct hp_diagnosed *diagnosed, struct hp_digest id) {
    uint32_t place = diagnosed->named;
    while (place > 0 && is_below(id, diagnosed->of[place - 1])) {
        place--;
    }
    if (place == HP_DIAGNOSED_NAMED) {
        return;
    }
    diagnosed->named += diagnosed->named < HP_DIAGNOSED_NAMED;
    for (uint32_t i = diagnosed->named - 1; i > place; i--) {
        diagnosed->of[i] = diagnosed->of[i - 1];
    }
    diagnosed->of[place] = id;
}

void hp_diagnosed_join(struct hp_diagnosed *diagnosed, const struct hp_diagnosed *other) {
    diagnosed->inputs += other->inputs;
    for (uint32_t i = 0; i < other->named; i++) {
        hp_diagnosed_name(diagnosed, other->of[i]);
    }
}
