#include "inputs/inputs.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void hp_inputs_done(struct hp_inputs *inputs) {
    struct hp_input_record *input;
    hp_vec_each (input, &inputs->records) {
        hp_input_done(input);
    }
    hp_vec_done(&inputs->records);
    hp_vec_done(&inputs->named);
    char **text;
    hp_vec_each (text, &inputs->texts) {
        free(*text);
    }
    hp_vec_done(&inputs->texts);
    struct hp_account *account;
    hp_vec_each (account, &inputs->accounts) {
        hp_account_done(account);
    }
    hp_vec_done(&inputs->accounts);
    hp_recent_done(&inputs->recent);
    hp_vec_done(&inputs->known);
    hp_vec_done(&inputs->known_large_sizes);
    hp_processes_done(&inputs->processes);
    hp_strtab_done(&inputs->programs);
    hp_vec_done(&inputs->labels);
    for (int i = 0; i < HP_SIDES; i++) {
        hp_vec_done(&inputs->summary[i].periods);
    }
}

void hp_inputs_summarize(struct hp_inputs *inputs) {
    for (enum hp_input_side side = 0; side < HP_SIDES; side++) {
        hp_vec_done(&inputs->summary[side].periods);
        hp_input_summary_init(&inputs->summary[side], inputs->records.at,
                              inputs->records.count, side);
    }
}

const char *hp_inputs_keep_text(struct hp_inputs *inputs, struct hp_span text) {
    char *copy = hp_alloc(text.size + 1);
    memcpy(copy, text.at, text.size);
    hp_vec_push(&inputs->texts, copy);
    return copy;
}

struct hp_diagnosed hp_inputs_diagnosed(const struct hp_inputs *inputs, bool is_base,
                                        enum hp_diagnostic_kind kind) {
    struct hp_diagnosed diagnosed = inputs->diagnosed[is_base][kind];
    const struct hp_input_record *input;
    hp_vec_each (input, &inputs->records) {
        if (hp_input_is_used(input) && !input->is_group && input->is_base == is_base &&
            hp_diagnostic_in(input, kind).count > 0) {
            diagnosed.inputs++;
            hp_diagnosed_name(&diagnosed,
                              hp_dump_identity(input->content, &input->identity));
        }
    }
    return diagnosed;
}

struct hp_known_dump hp_known_dump_of(const struct hp_input_record *input) {
    struct hp_digest id = hp_dump_identity(input->content, &input->identity);
    uint64_t content = input->content.of[0], pid = input->identity.pid;
    uint32_t hash = (uint32_t)hp_digest_of_numbers(&pid, 1).of[0];
    return (struct hp_known_dump){
        .process = hp_process_identity(&input->identity),
        .id = {id.of[0], id.of[1]},
        .content = content ? content : 1,
        .pid = pid == 0 ? 0
               : hash   ? hash
                        : 1,
        .source = input->source,
        .is_base = input->is_base,
    };
}

// Whether two identities are equal.
static bool is_same(struct hp_digest a, struct hp_digest b) {
    return a.of[0] == b.of[0] && a.of[1] == b.of[1];
}

const char *hp_inputs_name_of(const struct hp_inputs *inputs, struct hp_digest id) {
    const char *first = NULL;
    const struct hp_input_record *input;
    const struct hp_named_dump *named;
    hp_vec_each (input, &inputs->records) {
        const char *name = input->public.name;
        if (hp_input_is_used(input) && !input->is_group &&
            is_same(hp_dump_identity(input->content, &input->identity), id) &&
            (!first || strcmp(name, first) < 0)) {
            first = name;
        }
    }
    hp_vec_each (named, &inputs->named) {
        if (is_same((struct hp_digest){{named->id[0], named->id[1]}}, id) &&
            (!first || strcmp(named->name, first) < 0)) {
            first = named->name;
        }
    }
    return first;
}
