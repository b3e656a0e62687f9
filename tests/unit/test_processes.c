// Tests of processes: dumps are assigned to processes, and one dump of each is chosen.
#include "inputs/processes.h"

#include "inputs/input.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST = 64,
};

static struct hp_input_record inputs[MOST];
static struct hp_processes processes;
static size_t count;

static void start(void) {
    memset(inputs, 0, sizeof inputs);
    count = 0;
}

static void end(void) {
    hp_processes_done(&processes);
}

TestSuite(processes, .init = start, .fini = end);

// Add an input.  Map 0: it has no memory map; series 0: its name has no strict form.
static struct hp_identity *add(const char *name, uint64_t map, uint64_t series,
                               uint64_t pid, uint64_t number) {
    struct hp_input_record *input = &inputs[count++];
    input->public.name = name;
    input->identity = (struct hp_identity){
        .map = {{map, map}},
        .program = 1,
        .series = series,
        .pid = pid,
        .number = number,
        .has_number = series != 0,
        .kind = series != 0 ? 'i' : '\0',
    };
    return &input->identity;
}

// Find the processes; returns their number.
static size_t find(void) {
    hp_processes_find(&processes, inputs, count);
    return processes.all.count;
}

// Whether two inputs belong to one process.
static bool are_one(size_t a, size_t b) {
    return inputs[a].process == inputs[b].process;
}

Test(processes, equal_maps_with_one_pid_or_none_are_one) {
    add("a", 7, 0, 0, 0);
    add("b", 7, 70, 5, 1);
    add("c", 7, 71, 5, 1); // in another folder
    cr_expect_eq(find(), 1);
    cr_expect_eq(processes.all.at[0].evidence, HP_EVIDENCE_MAP);
    cr_expect_eq(processes.all.at[0].pid, 5);
    cr_expect_eq(processes.forks, 0);
}

Test(processes, equal_maps_without_names_are_one_by_their_maps_alone) {
    add("a", 7, 0, 0, 0);
    add("b", 7, 0, 0, 0);
    cr_expect_eq(find(), 1);
    cr_expect_eq(processes.all.at[0].evidence, HP_EVIDENCE_MAP_ONLY);
}

Test(processes, equal_maps_with_several_pids_are_forks) {
    add("a", 7, 70, 5, 0);
    add("b", 7, 71, 6, 1);
    add("c", 7, 71, 6, 2);
    add("d", 7, 0, 0, 0); // belongs to neither; a chain of joins would merge both
    cr_expect_eq(find(), 3);
    cr_expect(are_one(1, 2));
    cr_expect_eq(processes.forks, 2);
}

Test(processes, equal_maps_and_pids_are_divided_by_facts_of_sets) {
    add("a", 7, 1, 5, 0)->captured = 1;
    add("b", 7, 1, 5, 1)->captured = 1;
    add("c", 7, 2, 5, 0)->captured = 2;
    cr_expect_eq(find(), 2);
    cr_expect(are_one(0, 1));
    cr_expect_eq(processes.all.at[0].evidence, HP_EVIDENCE_FACTS);
    cr_expect_eq(processes.forks, 2);
    cr_expect(hp_identity_is_same(&inputs[0].identity, &inputs[1].identity));
    cr_expect(!hp_identity_is_same(&inputs[0].identity, &inputs[2].identity));
    add("d", 7, 70, 5, 3); // in no set: it belongs to neither
    cr_expect_eq(find(), 3);
    inputs[2].identity.captured = 1;
    cr_expect_eq(find(), 1);
    cr_expect(hp_identity_is_same(&inputs[3].identity, &inputs[2].identity));
}

Test(processes, other_maps_are_others_whatever_the_names) {
    add("a", 7, 70, 1, 0);
    add("b", 8, 70, 1, 1);
    cr_expect_eq(find(), 2);
    cr_expect_eq(processes.unidentified, 0);
}

Test(processes, names_alone_join_what_has_no_map) {
    add("a", 0, 70, 5, 0);
    add("b", 0, 70, 5, 1);
    cr_expect_eq(find(), 1);
    cr_expect_eq(processes.all.at[0].evidence, HP_EVIDENCE_NAME);
}

Test(processes, what_has_no_map_joins_the_one_map_under_its_name) {
    add("a", 7, 70, 5, 0);
    add("b", 0, 70, 5, 1)->program = 0;
    add("c", 7, 70, 5, 2);
    cr_expect_eq(find(), 1);
}

Test(processes, of_two_maps_under_one_name_nothing_joins_both) {
    add("a", 7, 70, 1, 0);
    add("b", 8, 70, 1, 0);
    add("c", 0, 70, 1, 1)->program = 0;
    add("d", 0, 70, 1, 2)->program = 0;
    cr_expect_eq(find(), 3);
    cr_expect(are_one(2, 3));
}

Test(processes, equal_numbers_under_one_name_are_of_two_processes) {
    add("a", 0, 70, 5, 0);
    add("b", 0, 70, 5, 0);
    add("c", 0, 70, 5, 1);
    cr_expect_eq(find(), 3);
    cr_expect_eq(processes.unidentified, 3);
}

Test(processes, unlike_programs_under_one_name_are_of_two_processes) {
    add("a", 0, 70, 5, 0)->program = 2;
    add("b", 0, 70, 5, 1)->program = 3;
    add("c", 0, 70, 5, 2)->program = 0; // may belong to either
    cr_expect_eq(find(), 3);
}

Test(processes, without_any_name_nobody_knows) {
    add("a", 0, 0, 0, 0);
    add("b", 0, 0, 0, 0)->program = 0;
    add("c", 0, 0, 0, 0)->program = 9; // may belong to the process of b
    cr_expect_eq(find(), 3);
    cr_expect_eq(processes.unidentified, 3);
}

Test(processes, unlike_programs_are_distinguished) {
    add("a", 0, 0, 0, 0)->program = 2;
    add("b", 7, 0, 0, 0)->program = 3;
    cr_expect_eq(find(), 2);
    cr_expect_eq(processes.unidentified, 0);
}

Test(processes, labels_and_sides_distinguish_processes) {
    add("a", 7, 70, 5, 0)->labels = 1;
    add("b", 7, 70, 5, 1)->labels = 2;
    add("c", 7, 70, 5, 2)->labels = 2;
    inputs[2].is_base = true;
    cr_expect_eq(find(), 3);
}

Test(processes, the_order_of_inputs_changes_nothing) {
    srand(1);
    for (int round = 0; round < 300; round++) {
        uint32_t of[MOST], names[MOST], size = 12;
        start();
        for (size_t i = 0; i < size; i++) {
            add("x", (uint64_t)rand() % 3, 0, 0, (uint64_t)rand() % 8);
            struct hp_identity *identity = &inputs[i].identity;
            identity->program = (uint32_t)rand() % 3;
            identity->pid = (uint64_t)rand() % 3;
            identity->series =
                identity->pid ? identity->pid * 2 + (uint64_t)rand() % 2 : 0;
            inputs[i].number = (uint32_t)i;
        }
        find();
        for (size_t i = 0; i < size; i++) {
            of[inputs[i].number] = inputs[i].process;
        }
        for (size_t i = size - 1; i > 0; i--) {
            size_t other = (size_t)rand() % (i + 1);
            struct hp_input_record moved = inputs[i];
            inputs[i] = inputs[other];
            inputs[other] = moved;
        }
        find();
        for (size_t i = 0; i < size; i++) {
            names[inputs[i].number] = inputs[i].process;
        }
        for (size_t i = 0; i < size; i++) {
            for (size_t k = 0; k < i; k++) {
                cr_assert_eq(of[i] == of[k], names[i] == names[k], "round %d", round);
            }
        }
    }
}

// --- the newest ------------------------------------------------------------------------

// The newest dump of the only process.
static uint32_t newest(void) {
    cr_assert_eq(find(), 1);
    return processes.dumps.at[count - 1];
}

Test(processes, the_newest_is_by_sequence_first) {
    add("a.5.10.i10.heap", 7, 70, 5, 10)->time = 1;
    add("a.5.9.i9.heap", 7, 70, 5, 9)->time = 2;
    cr_expect_eq(newest(), 0);
    cr_expect_eq(processes.all.at[0].newest_by, HP_NEWEST_BY_SEQUENCE);
}

Test(processes, then_by_the_time_in_it) {
    add("a.2.pb", 7, 0, 0, 0)->nanoseconds = 3;
    add("a.1.pb", 7, 0, 0, 0)->nanoseconds = 4;
    cr_expect_eq(newest(), 1);
    cr_expect_eq(processes.all.at[0].newest_by, HP_NEWEST_BY_CONTENT_TIME);
}

Test(processes, then_by_the_one_number_in_which_names_differ) {
    add("x2/cx.9.heap", 7, 0, 0, 0);
    add("x1/cx.10.heap.gz", 7, 0, 0, 0);
    add("x3/cx.08.heap", 7, 0, 0, 0);
    cr_expect_eq(newest(), 1);
    cr_expect_eq(processes.all.at[0].newest_by, HP_NEWEST_BY_NUMBER);
}

Test(processes, then_by_the_time_of_the_files_when_two_numbers_differ) {
    add("d.10.31.heap", 7, 0, 0, 0)->time = 5;
    add("d.11.01.heap", 7, 0, 0, 0)->time = 4;
    cr_expect_eq(newest(), 0);
    cr_expect_eq(processes.all.at[0].newest_by, HP_NEWEST_BY_FILE_TIME);
}

Test(processes, then_by_name) {
    add("z/b.heap", 7, 0, 0, 0)->time = 5;
    add("./c.heap", 7, 0, 0, 0)->time = 5;
    cr_expect_eq(newest(), 1);
    cr_expect_eq(processes.all.at[0].newest_by, HP_NEWEST_BY_NAME);
}

// --- the dump that is used -------------------------------------------------------------

// Add four dumps of one process; the last was written at its exit.
static void add_series(void) {
    static const int inuse[] = {10, 30, 20, 1}, alloc[] = {10, 40, 50, 51};
    for (size_t i = 0; i < 4; i++) {
        add("x", 7, 70, 5, i)->kind = i == 3 ? 'f' : 'i';
        inputs[i].total.of[HP_INUSE_SPACE] = inuse[i] * 1000;
        inputs[i].total.of[HP_ALLOC_SPACE] = alloc[i] * 1000;
    }
    find();
}

// The dump that is chosen.
static uint32_t chosen(enum hp_snapshots snapshots, enum hp_metric metric) {
    hp_processes_choose(&processes, inputs, snapshots, metric);
    return processes.all.at[0].chosen;
}

Test(processes, the_newest_before_its_exit_counts_for_what_is_in_use) {
    add_series();
    cr_expect_eq(chosen(HP_SNAPSHOTS_LAST, HP_INUSE_SPACE), 2);
    cr_expect_eq(chosen(HP_SNAPSHOTS_LAST, HP_INUSE_OBJECTS), 2);
    cr_expect_eq(chosen(HP_SNAPSHOTS_LAST, HP_ALLOC_SPACE), 3);
    cr_expect_eq(chosen(HP_SNAPSHOTS_FINAL, HP_INUSE_SPACE), 3);
    cr_expect_eq(chosen(HP_SNAPSHOTS_PEAK, HP_INUSE_SPACE), 1);
    cr_expect_eq(chosen(HP_SNAPSHOTS_PEAK, HP_INUSE_OBJECTS), 1);
    cr_expect_eq(chosen(HP_SNAPSHOTS_PEAK, HP_ALLOC_SPACE), 3);
    cr_expect_eq(chosen(HP_SNAPSHOTS_SUM, HP_INUSE_SPACE), HP_NO_INPUT);
    cr_expect_eq(processes.all.at[0].exit, 3);
}

Test(processes, an_exit_dump_counts_if_there_is_no_other) {
    add("x", 7, 70, 5, 0)->kind = 'f';
    find();
    cr_expect_eq(chosen(HP_SNAPSHOTS_LAST, HP_INUSE_SPACE), 0);
}

Test(processes, counters_that_were_reset_are_reported) {
    add_series();
    chosen(HP_SNAPSHOTS_LAST, HP_ALLOC_SPACE);
    cr_expect(!processes.all.at[0].was_reset);
    inputs[1].total.of[HP_ALLOC_SPACE] = 90000;
    chosen(HP_SNAPSHOTS_LAST, HP_ALLOC_SPACE);
    cr_expect(processes.all.at[0].was_reset);
}

// Expected numbers were computed by another program, xxhsum 0.8.1; they are the same on
// all machines.
Test(identities, are_what_anybody_computes) {
    static const char text[] = "heap_v2/524288\n";
    struct hp_digest content = hp_digest_of((struct hp_span){text, sizeof text - 1});
    cr_expect_eq(content.of[0], 0x9121370860b4e04e);
    cr_expect_eq(content.of[1], 0x58e2c068f5c95018);
    struct hp_identity nothing = {.pid = 0},
                       named = {.pid = 7, .number = 0, .has_number = true},
                       numbered = {.number = 0, .has_number = true};
    struct hp_digest plain = hp_dump_identity(content, &nothing),
                     of_name = hp_dump_identity(content, &named),
                     of_number = hp_dump_identity(content, &numbered);
    cr_expect_eq(plain.of[0], 0x9121370860b4e04e);
    cr_expect_eq(plain.of[1], 0x58e2);
    cr_expect_eq(of_name.of[0], 0x9b7b6ddec627fc51);
    cr_expect_eq(of_name.of[1], 0x2dcd);
    cr_expect_eq(of_number.of[0], 0xa264b27e11210e17);
    cr_expect_eq(of_number.of[1], 0xd288);
}

Test(identities, of_processes_are_of_map_and_process_id) {
    struct hp_identity nothing = {.pid = 0}, of_id = {.pid = 7},
                       of_both = {.map = {{0x7f30b314c000, 0x7fff2dd4c000}}, .pid = 7};
    cr_expect_eq(hp_process_identity(&nothing), 0);
    cr_expect_eq(hp_process_identity(&of_id), 0x18e586f69e9e1471);
    cr_expect_eq(hp_process_identity(&of_both), 0xfc69408cddb33ee5);
}
