#include "model/summary.h"

#include <stdlib.h>

const char *hp_input_reason_text(enum hp_input_reason reason) {
    static const char *const texts[HP_REASONS] = {
        [HP_REASON_UNREADABLE] = "unreadable",
        [HP_REASON_MALFORMED] = "malformed",
        [HP_REASON_UNSUPPORTED] = "unsupported",
        [HP_REASON_LIMIT] = "limit",
        [HP_REASON_REPEATED] = "repeated",
        [HP_REASON_PROGRAM] = "program",
        [HP_REASON_YOUNG] = "young",
    };
    return texts[reason];
}

static enum hp_input_reason reason_of_failure(enum hp_code code) {
    return code == HP_E_IO            ? HP_REASON_UNREADABLE
           : code == HP_E_LIMIT       ? HP_REASON_LIMIT
           : code == HP_E_UNSUPPORTED ? HP_REASON_UNSUPPORTED
                                      : HP_REASON_MALFORMED;
}

// Of one that is not used.
static enum hp_input_reason reason_of(const struct hp_input *input) {
    return input->status == HP_INPUT_DUPLICATE ? HP_REASON_REPEATED
           : input->status == HP_INPUT_IGNORED ? HP_REASON_PROGRAM
           : input->status == HP_INPUT_YOUNG   ? HP_REASON_YOUNG
                                               : reason_of_failure(input->err->code);
}

static void add_used(struct hp_input_summary *summary,
                     const struct hp_input_record *input) {
    const char *producer = hp_producer_text(input->producer);
    bool is_same = summary->used == 0 || summary->producer == producer;
    summary->used++;
    summary->producer = is_same ? producer : "several formats";
    summary->is_difference |= input->negative > 0;
    hp_vec_push(&summary->periods, input->period);
    for (enum hp_metric metric = 0; metric < HP_METRICS; metric++) {
        summary->metrics |= (unsigned)hp_input_has_metric(input, metric) << metric;
    }
}

static int by_size(const void *left, const void *right) {
    const uint64_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

static void keep_different_periods(struct hp_input_summary *summary) {
    uint64_t *periods = summary->periods.at;
    size_t kept = 0;
    if (summary->periods.count > 0) {
        qsort(periods, summary->periods.count, sizeof *periods, by_size);
    }
    for (size_t i = 0; i < summary->periods.count; i++) {
        if (i == 0 || periods[i] != periods[kept - 1]) {
            periods[kept++] = periods[i];
        }
    }
    summary->periods.count = kept;
}

void hp_input_summary_init(struct hp_input_summary *summary,
                           const struct hp_input_record *inputs, size_t count,
                           enum hp_input_side side) {
    *summary = (struct hp_input_summary){.all = 0};
    for (size_t i = 0; i < count; i++) {
        const struct hp_input_record *input = &inputs[i];
        if (side != HP_SIDE_ALL && input->is_base != (side == HP_SIDE_BASE)) {
            continue;
        }
        summary->all++;
        if (hp_input_is_used(input)) {
            add_used(summary, input);
        } else {
            summary->left_out[reason_of(&input->public)]++;
        }
    }
    keep_different_periods(summary);
}

size_t hp_input_summary_skipped(const struct hp_input_summary *summary) {
    return summary->left_out[HP_REASON_UNREADABLE] +
           summary->left_out[HP_REASON_MALFORMED] +
           summary->left_out[HP_REASON_UNSUPPORTED] + summary->left_out[HP_REASON_LIMIT];
}
