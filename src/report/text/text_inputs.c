//     jemalloc heap_v2 · sample period 512 KiB · 7 stacks · sampling undone stack by stack
//     read       only thread worker 2: totals are its own
#include "report/text/text.h"

#include <string.h>

// The format of all inputs that are used.
static const char *format_of(const struct hp_profile *profile) {
    const char *format = NULL;
    const struct hp_input_record *input;
    hp_vec_each (input, &profile->inputs) {
        if (hp_input_is_used(input)) {
            const char *text = hp_producer_text(input->producer);
            format = !format || format == text ? text : "several formats";
        }
    }
    return format ? format : "nothing";
}

// "sample period 512 KiB", or how many different ones there are.
static void put_period(struct hp_sink *out, const struct hp_profile *profile) {
    uint64_t period = 0;
    bool first = true, mixed = false;
    const struct hp_input_record *input;
    hp_vec_each (input, &profile->inputs) {
        if (hp_input_is_used(input)) {
            mixed |= !first && input->period != period;
            period = input->period;
            first = false;
        }
    }
    if (mixed) {
        hp_sink_text(out, " · mixed sample periods");
    } else if (period == 0) {
        hp_sink_text(out, " · no sample period");
    } else if (period == 1) {
        hp_sink_text(out, " · every allocation sampled");
    } else {
        char text[HP_NUMBER_SIZE];
        bool round = period % 1024 == 0;
        hp_format_bytes(text, (hp_int128)period << HP_SPACE_FRACTION,
                        round ? HP_UNIT_AUTO : HP_UNIT_B);
        char *fraction = strstr(text, ".0 ");
        if (fraction) {
            memmove(fraction, fraction + 2, strlen(fraction + 2) + 1);
        }
        hp_sink_print(out, " · sample period %s", text);
    }
}

// Whether numbers were taken as they are because they are exact, or nobody knows what for.
static bool is_as_told(const struct hp_profile *profile) {
    bool as_told = profile->estimator == HP_ESTIMATOR_BEST;
    const struct hp_input_record *input;
    hp_vec_each (input, &profile->inputs) {
        as_told &= !hp_input_is_used(input) || input->period <= 1;
    }
    return as_told;
}

void hp_text_inputs(struct hp_sink *out, const struct hp_profile *profile) {
    static const char *const estimators[] = {
        [HP_ESTIMATOR_BEST] = " · sampling undone stack by stack",
        [HP_ESTIMATOR_JEPROF] = " · jeprof's formula",
        [HP_ESTIMATOR_NONE] = " · sampled counts, not estimates",
    };
    char stacks[HP_NUMBER_SIZE];
    hp_format_grouped(stacks, (hp_int128)profile->stacks.count);
    hp_sink_text(out, format_of(profile));
    put_period(out, profile);
    hp_sink_print(out, " · %s stack%s%s\n", stacks, profile->stacks.count == 1 ? "" : "s",
                  is_as_told(profile) ? "" : estimators[profile->estimator]);
    if (profile->thread.n != 0) {
        hp_sink_text(out, "read       only thread ");
        hp_sink_escaped(out, hp_strtab_span(&profile->strings, profile->thread));
        hp_sink_text(out, ": totals are its own\n");
    }
}
