// What the inputs are, in all: made once, when they have been read.
#ifndef HP_MODEL_SUMMARY_H
#define HP_MODEL_SUMMARY_H

#include "base/vec.h"
#include "model/input.h"

// Why an input does not count.
enum hp_input_reason {
    HP_REASON_UNREADABLE,
    HP_REASON_MALFORMED,
    HP_REASON_UNSUPPORTED,
    HP_REASON_LIMIT,
    HP_REASON_REPEATED,
    HP_REASON_PROGRAM,
    HP_REASON_YOUNG,
    HP_REASONS,
};

struct hp_input_summary {
    size_t all, used;
    size_t left_out[HP_REASONS];
    // Of those that are used:
    HP_VEC(uint64_t) periods; // the different ones, ascending
    const char *producer;     // "several formats"; NULL if there are none
    unsigned metrics;         // 1 << each that some input has numbers of
    bool is_difference;       // one has values below zero
};

// Which of the inputs of a comparison.
enum hp_input_side {
    HP_SIDE_ALL,
    HP_SIDE_BASE,
    HP_SIDE_NEW,
    HP_SIDES,
};

void hp_input_summary_init(struct hp_input_summary *summary,
                           const struct hp_input_record *inputs, size_t count,
                           enum hp_input_side side);

// What is no dump, or damaged, or too much: not what was left out for good reason.
size_t hp_input_summary_skipped(const struct hp_input_summary *summary);

// "unreadable"
const char *hp_input_reason_text(enum hp_input_reason reason);

#endif
