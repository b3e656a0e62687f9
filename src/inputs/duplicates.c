#include "inputs/duplicates.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

// --- while inputs are read -------------------------------------------------------------

void hp_contents_init(struct hp_contents *contents) {
    *contents = (struct hp_contents){0};
    pthread_mutex_init(&contents->lock, NULL);
}

void hp_contents_done(struct hp_contents *contents) {
    pthread_mutex_destroy(&contents->lock);
    hp_index_drop(&contents->index);
    hp_vec_done(&contents->known);
}

bool hp_contents_add(struct hp_contents *contents, struct hp_digest digest) {
    // The key is secret, so that no input can crowd one part of the table.
    uint64_t key = hp_hash_key();
    uint32_t hash = (uint32_t)hp_hash_mix(digest.of[0] ^ key, digest.of[1] ^ ~key), item;
    bool is_known = false;
    pthread_mutex_lock(&contents->lock);
    for (size_t at = hash;
         !is_known && hp_index_next(&contents->index, hash, &at, &item);) {
        is_known = memcmp(&contents->known.at[item], &digest, sizeof digest) == 0;
    }
    if (!is_known) {
        hp_index_put(&contents->index, hash, contents->known.count);
        hp_vec_push(&contents->known, digest);
    }
    pthread_mutex_unlock(&contents->lock);
    return !is_known;
}

// --- once all are read -----------------------------------------------------------------

// The record of an input, with the facts that it is sorted by.
struct by_content {
    struct hp_digest content;           // digest of the text
    const struct hp_identity *identity; // identity of the input; borrowed
    bool is_new;                        // not of the base of a comparison
    size_t input;                       // index of the record
};

// Order inputs by content and side of the comparison.  Among equal contents, inputs whose
// names say most come first: those with a number, by number; then those with a process
// id; then by the order of inputs.
static int compare_content(const void *left, const void *right) {
    const struct by_content *a = left, *b = right;
    const struct hp_identity *of_a = a->identity, *of_b = b->identity;
    int order = memcmp(&a->content, &b->content, sizeof a->content);
    order = order ? order : a->is_new - b->is_new;
    order = order ? order : of_b->has_number - of_a->has_number;
    order = order ? order : (of_a->number > of_b->number) - (of_a->number < of_b->number);
    order = order ? order : (of_a->pid < of_b->pid) - (of_a->pid > of_b->pid);
    return order ? order : (a->input > b->input) - (a->input < b->input);
}

static bool same_content(const struct by_content *a, const struct by_content *b) {
    return memcmp(&a->content, &b->content, sizeof a->content) == 0;
}

static bool same_number(const struct by_content *a, const struct by_content *b) {
    return a->identity->has_number == b->identity->has_number &&
           a->identity->number == b->identity->number;
}

static bool same_file(const struct hp_identity *a, const struct hp_identity *b) {
    return a->file != 0 && a->file == b->file;
}

// Return whether two equal dumps are different dumps according to their names.  Two
// moments of a process, or two processes, have equal dumps if nothing has happened in
// between, or since the fork.
static bool are_distinct(const struct hp_identity *a, const struct hp_identity *b) {
    bool by_number = a->has_number && b->has_number && a->number != b->number;
    bool by_pid = a->pid != 0 && b->pid != 0 && a->pid != b->pid;
    return !same_file(a, b) && (by_number || by_pid);
}

// Return the records with a known content, except those in partials, ordered by content.
// *read becomes their number.  The caller frees the result.
static struct by_content *sort_by_content(const struct hp_inputs *inputs, size_t *read) {
    const struct hp_input_record *records = inputs->records.at;
    struct by_content *order = hp_alloc(inputs->records.count * sizeof *order);
    *read = 0;
    for (size_t i = 0; i < inputs->records.count; i++) {
        if (records[i].has_content && records[i].source == 0) {
            order[(*read)++] =
                (struct by_content){records[i].content, &records[i].identity,
                                    !records[i].is_base, i};
        }
    }
    qsort(order, *read, sizeof *order, compare_content);
    return order;
}

// Give to *record the facts about the file of *before; facts about the content stay.
static void keep_file(struct hp_input_record *record,
                      const struct hp_input_record *before) {
    struct hp_identity identity = before->identity;
    identity.map = record->identity.map;
    identity.program = record->identity.program;
    identity.nanoseconds = record->identity.nanoseconds;
    record->public.name = before->public.name;
    record->archive = before->archive;
    record->identity = identity;
}

// Exchange what was read of two inputs of one content; each keeps its own file.
static void swap_contents(struct hp_input_record *a, struct hp_input_record *b) {
    struct hp_input_record a_before = *a, b_before = *b;
    *a = b_before;
    *b = a_before;
    keep_file(a, &a_before);
    keep_file(b, &b_before);
}

// Make `record` a duplicate of `kept`.  If `kept` was the one that was not read, both
// exchange their contents first.  If the content could not be used, both are skipped.
static void make_duplicate(struct hp_input_record *kept, struct hp_input_record *record) {
    if (kept->public.status == HP_INPUT_DUPLICATE) {
        swap_contents(kept, record);
    }
    record->public.status =
        kept->public.status == HP_INPUT_SKIPPED ? HP_INPUT_SKIPPED : HP_INPUT_DUPLICATE;
    hp_input_set_err(record, kept->public.status == HP_INPUT_SKIPPED ? kept->err : NULL);
}

// Store a pair of duplicates in *found, if its second input comes before that of the pair
// there.
static void note(struct hp_duplicate *found, size_t a, size_t b) {
    size_t first = a < b ? a : b, again = a < b ? b : a;
    if (again < found->again) {
        *found = (struct hp_duplicate){first, again};
    }
}

// Mark as duplicates those inputs of one content that neither the number nor the process
// id in the name distinguishes from an earlier input.  `order` contains the inputs of
// this content, those of one number together; inputs without a number are last.  *found
// becomes the first pair of duplicates.
static void settle_names(struct hp_input_record *records, const struct by_content *order,
                         size_t count, struct hp_duplicate *found) {
    size_t run = 0, kept = 0; // first input of this number; last one that is used
    for (size_t i = 1; i < count; i++) {
        bool starts = !same_number(&order[i], &order[run]);
        run = starts ? i : run;
        size_t other = order[i].identity->has_number ? kept : 0;
        bool is_distinct =
            order[i].identity->has_number &&
            (starts || are_distinct(order[i].identity, order[kept].identity));
        if (is_distinct) {
            kept = i;
        } else {
            make_duplicate(&records[order[other].input], &records[order[i].input]);
            note(found, order[other].input, order[i].input);
        }
    }
}

static int compare_file(const void *left, const void *right) {
    const struct by_content *a = left, *b = right;
    const struct hp_identity *of_a = a->identity, *of_b = b->identity;
    int order = (of_a->file > of_b->file) - (of_a->file < of_b->file);
    return order ? order : (a->input > b->input) - (a->input < b->input);
}

// Mark as duplicates those inputs of one content that are one file under several names.
// *found becomes the first pair of duplicates.
static void settle_files(struct hp_input_record *records, struct by_content *order,
                         size_t count, struct hp_duplicate *found) {
    qsort(order, count, sizeof *order, compare_file);
    for (size_t i = 1; i < count; i++) {
        struct hp_input_record *again = &records[order[i].input];
        if (same_file(order[i].identity, order[i - 1].identity)) {
            struct hp_input_record *first = &records[order[i - 1].input];
            note(found, order[i - 1].input, order[i].input);
            if (first->public.status == HP_INPUT_DUPLICATE) {
                continue; // `first` is itself a duplicate of a used input
            }
            make_duplicate(first, again);
        }
    }
}

struct hp_duplicate hp_duplicates_settle(struct hp_inputs *inputs) {
    struct hp_input_record *records = inputs->records.at;
    size_t read;
    struct by_content *order = sort_by_content(inputs, &read);
    struct hp_duplicate found = {inputs->records.count, inputs->records.count};
    for (size_t first = 0, last; first < read; first = last) {
        last = first + 1;
        while (last < read && same_content(&order[last], &order[first]) &&
               order[last].is_new == order[first].is_new) {
            last++;
        }
        settle_names(records, order + first, last - first, &found);
        settle_files(records, order + first, last - first, &found);
    }
    free(order);
    return found;
}

struct hp_duplicate hp_duplicates_across(const struct hp_inputs *inputs) {
    const struct hp_input_record *records = inputs->records.at;
    size_t read, used = 0;
    struct by_content *order = sort_by_content(inputs, &read);
    struct hp_duplicate found = {inputs->records.count, inputs->records.count};
    for (size_t i = 0; i < read; i++) {
        used += hp_input_is_used(&records[order[i].input]);
    }
    for (size_t first = 0, i = 0; i < read; i++) {
        if (!same_content(&order[i], &order[first])) {
            first = i;
        }
        // A used dump, and one of the other side that its name does not distinguish from
        // it.
        for (size_t k = first; k < i && used > 2 && order[i].is_new && !order[k].is_new;
             k++) {
            bool are_used = hp_input_is_used(&records[order[i].input]) &&
                            hp_input_is_used(&records[order[k].input]);
            if (are_used && order[i].input < found.again &&
                !are_distinct(order[i].identity, order[k].identity)) {
                found = (struct hp_duplicate){order[k].input, order[i].input};
            }
        }
    }
    free(order);
    return found;
}

int hp_duplicates_refuse(const struct hp_inputs *inputs, struct hp_duplicate duplicate,
                         struct hp_err *err) {
    const struct hp_input_record *first = &inputs->records.at[duplicate.first];
    const struct hp_input_record *again = &inputs->records.at[duplicate.again];
    bool is_across = first->is_base != again->is_base;
    hp_fail(err, HP_E_DUPLICATE, HP_MESSAGE("same-dump", "the same dump as %s%s"),
            first->public.name,
            is_across ? " of the base. Sides are compared as different processes"
                      : ". Give it once, or use --on-duplicate=skip");
    hp_err_locate(err, again->public.name, 0);
    return HP_E_DUPLICATE;
}

int hp_duplicates_of_processes(const struct hp_inputs *inputs, struct hp_err *err) {
    const struct hp_input_record *records = inputs->records.at;
    struct hp_process_clash clash =
        hp_process_keys_clash(&inputs->processes, records, inputs->records.count);
    if (clash.processes == 0) {
        return HP_OK;
    }
    hp_fail(
        err, HP_E_DUPLICATE,
        HP_MESSAGE("process-in-two-partials",
                   "%zu process%s also in %s. Merge one dump of each (info --used), or "
                   "--dumps=sum"),
        clash.processes, clash.processes == 1 ? " is" : "es are",
        clash.first == clash.again ? "it twice, or" : records[clash.first].public.name);
    hp_err_locate(err, records[clash.again].public.name, 0);
    return HP_E_DUPLICATE;
}

// --- equal samples -----------------------------------------------------------------------

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
