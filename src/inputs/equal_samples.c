#include "inputs/equal_samples.h"

#include <string.h>

void hp_sampled_inputs_add_records(struct hp_sampled_inputs *inputs,
                                   const struct hp_inputs *all) {
    const struct hp_input_record *input;
    hp_vec_each (input, &all->records) {
        if (hp_input_is_used(input) && input->stacks > 0 && !input->is_group) {
            struct hp_sampled_input sampled = {
                .samples = input->samples,
                .name = input->public.name,
                .archive = input->archive,
                .pid = input->identity.pid,
                .number = input->identity.number,
                .input = input->number,
                .process = input->process,
            };
            // The sides of a comparison are not added up.
            sampled.samples.of[0] ^= input->is_base;
            hp_vec_push(&inputs->all, sampled);
        }
    }
}

// Order by name, then archive, then the order in which inputs are given.
static int by_name(const void *left, const void *right) {
    const struct hp_sampled_input *a = left, *b = right;
    int order = strcmp(a->name, b->name);
    if (order == 0) {
        order = strcmp(a->archive ? a->archive : "", b->archive ? b->archive : "");
    }
    return order ? order : (a->input > b->input) - (a->input < b->input);
}

// Order by samples, so that equal ones are adjacent.
static int by_samples(const void *left, const void *right) {
    const struct hp_sampled_input *a = left, *b = right;
    int order = memcmp(&a->samples, &b->samples, sizeof a->samples);
    return order ? order : by_name(left, right);
}

// Return whether both inputs are of different processes, by their names.  Forks that did
// nothing since the fork have equal samples.  Equal samples of one process are copies.
static bool are_processes(const struct hp_sampled_input *a,
                          const struct hp_sampled_input *b) {
    return a->pid != 0 && b->pid != 0 && a->pid != b->pid;
}

// Return whether it is unexpected that two inputs have equal samples.  Two dumps that one
// process made at different times may well have equal samples.
static bool is_unexpected(const struct hp_sampled_input *a,
                          const struct hp_sampled_input *b) {
    return a->process == HP_NO_PROCESS || a->process != b->process ||
           a->number == b->number;
}

void hp_sampled_inputs_compare(struct hp_sampled_inputs *inputs, struct hp_inputs *all) {
    const struct hp_sampled_input *first[2] = {NULL}, *second[2] = {NULL};
    hp_vec_sort(&inputs->all, by_samples);
    for (size_t i = 1; i < inputs->all.count; i++) {
        const struct hp_sampled_input *b = &inputs->all.at[i], *a = b - 1;
        if (memcmp(&a->samples, &b->samples, sizeof a->samples) == 0 &&
            is_unexpected(a, b)) {
            bool processes = are_processes(a, b);
            all->equal_samples[processes].pairs++;
            if (!second[processes] || by_name(b, second[processes]) < 0) {
                first[processes] = a;
                second[processes] = b;
            }
        }
    }
    for (int i = 0; i < 2; i++) {
        if (second[i]) {
            all->equal_samples[i].first =
                hp_inputs_keep_text(all, hp_span_of(first[i]->name));
            all->equal_samples[i].second =
                hp_inputs_keep_text(all, hp_span_of(second[i]->name));
        }
    }
    hp_vec_done(&inputs->all);
}
