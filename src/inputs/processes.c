// How two inputs on the same side of a diff and with the same labels are assigned to
// processes:
//
//     maps            names                              result
//     equal           process ids equal, or at most one  one process
//     equal           process ids differ, or the facts   forked processes
//                     of sets
//     differ          any                                two processes
//     one is missing  same folder, prefix and id of the  one process, if their programs
//                     process, but numbers differ        are equal or one is unknown
//     one is missing  any other combination              unknown; each input is used
//
// In a set of the capture, host, boot, process id and start of the process are known, and
// stand for folder, prefix and process id.
//
// Inputs with equal maps form units first.  Names then join each input without a map to
// the only unit that it can belong to.
#include "inputs/processes.h"

#include "base/memory.h"
#include "inputs/input.h"

#include <stdlib.h>
#include <string.h>

enum {
    // After this many programs in one series (folder, prefix and process id in the name),
    // the name joins no further inputs without a map to those with one.
    MOST_PROGRAMS = 64,
};

// One input, while processes are searched for.
struct process_item {
    const struct hp_identity *identity;
    uint32_t input;
    bool is_base;
};

// The state while inputs are assigned to processes.  A unit is a set of inputs that are
// dumps of one process; it is named by the number of one of its inputs.
struct process_finder {
    const struct hp_input_record *inputs;
    struct process_item *items; // scratch memory for one pass
    uint32_t *units; // unit of each input; HP_NO_INPUT if the input is not used
    size_t forked;   // number of maps that several processes share
    // By unit: another process with the same map and another process id exists.
    bool *is_fork;
    // By input: it is unknown whether it is of one process with other inputs.
    bool *is_unidentified;
    uint64_t *numbers; // scratch memory for numbers in names
};

static int compare(uint64_t a, uint64_t b) {
    return (a > b) - (a < b);
}

// Whether two values may be one; 0 is unknown.
static bool may_be_one(uint64_t a, uint64_t b) {
    return a == b || a == 0 || b == 0;
}

bool hp_identity_is_same(const struct hp_identity *a, const struct hp_identity *b) {
    if (hp_digest_is_known(a->map) && hp_digest_is_known(b->map)) {
        return memcmp(&a->map, &b->map, sizeof a->map) == 0 &&
               may_be_one(a->pid, b->pid) && may_be_one(a->captured, b->captured);
    }
    bool alike = may_be_one(a->program, b->program);
    return a->series != 0 && a->series == b->series && a->number != b->number && alike;
}

struct hp_digest hp_dump_identity(struct hp_digest content,
                                  const struct hp_identity *properties) {
    if (properties->pid != 0 || properties->has_number) {
        uint64_t number = properties->has_number ? properties->number + 1 : 0;
        uint64_t all[] = {content.of[0], content.of[1], properties->pid, number};
        content = hp_digest_of_numbers(all, sizeof all / sizeof *all);
    }
    return (struct hp_digest){{content.of[0], content.of[1] >> 48}};
}

uint64_t hp_process_identity(const struct hp_identity *properties) {
    if (!hp_digest_is_known(properties->map) && properties->pid == 0) {
        return 0;
    }
    uint64_t all[] = {properties->map.of[0], properties->map.of[1], properties->pid};
    uint64_t identity = hp_digest_of_numbers(all, sizeof all / sizeof *all).of[0];
    return identity ? identity : 1;
}

// Order items by the properties that all dumps of a process share: the side of a diff and
// the labels.  Inputs that differ in these are of different processes.
static int by_group(const struct process_item *a, const struct process_item *b) {
    int order = compare(a->is_base, b->is_base);
    return order ? order : compare(a->identity->labels, b->identity->labels);
}

static int by_map(const struct process_item *a, const struct process_item *b) {
    int order = by_group(a, b);
    order = order ? order : compare(a->identity->map.of[0], b->identity->map.of[0]);
    return order ? order : compare(a->identity->map.of[1], b->identity->map.of[1]);
}

static int by_map_and_pid(const void *left, const void *right) {
    const struct process_item *a = left, *b = right;
    int order = by_map(a, b);
    order = order ? order : compare(a->identity->pid, b->identity->pid);
    order = order ? order : compare(a->identity->captured, b->identity->captured);
    return order ? order : compare(a->input, b->input);
}

static int by_series(const struct process_item *a, const struct process_item *b) {
    int order = by_group(a, b);
    return order ? order : compare(a->identity->series, b->identity->series);
}

static bool has_map(const struct process_item *item) {
    return hp_digest_is_known(item->identity->map);
}

// Order by series; within a series inputs with a map come first, then those without a
// program, then the others by program.
static int by_series_and_program(const void *left, const void *right) {
    const struct process_item *a = left, *b = right;
    int order = by_series(a, b);
    order = order ? order : compare(has_map(b), has_map(a));
    order = order ? order : compare(a->identity->program, b->identity->program);
    return order ? order : compare(a->input, b->input);
}

static int by_program(const void *left, const void *right) {
    const struct process_item *a = left, *b = right;
    int order = by_group(a, b);
    order = order ? order : compare(a->identity->program, b->identity->program);
    return order ? order : compare(a->input, b->input);
}

// Collect the used inputs that satisfy `is` in finder->items.  Returns their number.
static size_t collect(struct process_finder *finder, size_t count,
                      bool (*is)(const struct process_item *item)) {
    size_t found = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct hp_input_record *input = &finder->inputs[i];
        struct process_item item = {&input->identity, i, input->is_base};
        if (finder->units[i] != HP_NO_INPUT && is(&item)) {
            finder->items[found++] = item;
        }
    }
    return found;
}

// --- by maps ---------------------------------------------------------------------------

// Make all `count` items one unit, which is named by the input of the first item.
static void make_unit(struct process_finder *finder, const struct process_item *items,
                      size_t count) {
    for (size_t i = 0; i < count; i++) {
        finder->units[items[i].input] = items[0].input;
    }
}

// The properties that separate processes with one map, as forks have: the process id, and
// the facts of sets, as process ids repeat.  0: unknown.
static uint64_t pid_of(const struct process_item *item) {
    return item->identity->pid;
}

static uint64_t captured_of(const struct process_item *item) {
    return item->identity->captured;
}

// Assign items to units by a property, by which they are sorted; those where it is unknown
// come first.  If all known values are equal, those without one are of the same process.
// `split` assigns the items of one value; NULL: they are one unit.  Returns the number of
// units.
static size_t split_by(struct process_finder *finder, const struct process_item *items,
                       size_t count, uint64_t (*of)(const struct process_item *item),
                       size_t (*split)(struct process_finder *finder,
                                       const struct process_item *items, size_t count)) {
    size_t last = count - 1, first = 0, units = 0;
    while (first < last && of(&items[first]) == 0) {
        first++;
    }
    bool is_one = of(&items[first]) == of(&items[last]);
    for (size_t i = 0, end; i < count; i = end) {
        end = i + 1;
        while (end < count && (is_one || of(&items[end]) == of(&items[i]))) {
            end++;
        }
        if (split) {
            units += split(finder, items + i, end - i);
        } else {
            make_unit(finder, items + i, end - i);
            units++;
        }
    }
    return units;
}

// Assign the items of one map and process id to units.
static size_t split_pid(struct process_finder *finder, const struct process_item *items,
                        size_t count) {
    return split_by(finder, items, count, captured_of, NULL);
}

// Assign the items of one map to units.
static void split_map(struct process_finder *finder, const struct process_item *items,
                      size_t count) {
    if (split_by(finder, items, count, pid_of, split_pid) == 1) {
        return;
    }
    finder->forked++;
    for (size_t i = 0; i < count; i++) {
        // An unknown process id proves no fork.
        finder->is_fork[items[i].input] = items[i].identity->pid != 0;
    }
}

// --- by names --------------------------------------------------------------------------

static int by_number(const void *left, const void *right) {
    const uint64_t *a = left, *b = right;
    return compare(*a, *b);
}

// The inputs with one series: one folder, prefix and process id in their names.
struct series {
    const struct process_item *items;
    size_t count;
};

// Whether all dumps would have different sequence numbers if `items` were added to those
// dumps of `unit` that are in the series.  HP_NO_INPUT: compare `items` only.
static bool numbers_differ(struct process_finder *finder, const struct series *series,
                           const struct process_item *items, size_t count,
                           uint32_t unit) {
    uint64_t *numbers = finder->numbers;
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        numbers[found++] = items[i].identity->number;
    }
    for (size_t i = 0; i < series->count && unit != HP_NO_INPUT; i++) {
        bool is_own = series->items + i >= items && series->items + i < items + count;
        if (!is_own && finder->units[series->items[i].input] == unit) {
            numbers[found++] = series->items[i].identity->number;
        }
    }
    qsort(numbers, found, sizeof *numbers, by_number);
    bool differ = true;
    for (size_t i = 1; i < found; i++) {
        differ &= numbers[i] != numbers[i - 1];
    }
    return differ;
}

// Return the only unit of the items that can be of a program; HP_NO_INPUT if no unit or
// several can.  Program 0 is unknown, and can be any program.
static uint32_t only_unit(const struct process_finder *finder,
                          const struct process_item *items, size_t count,
                          uint64_t program) {
    uint32_t unit = HP_NO_INPUT;
    for (size_t i = 0; i < count; i++) {
        uint64_t other = items[i].identity->program;
        uint32_t its = finder->units[items[i].input];
        if (program != 0 && other != 0 && other != program) {
            continue;
        }
        if (unit != HP_NO_INPUT && unit != its) {
            return HP_NO_INPUT;
        }
        unit = its;
    }
    return unit;
}

// Add items without a map, which are all of one program, to `unit` if this leaves all
// sequence numbers of the unit different.  Otherwise, or if `unit` is HP_NO_INPUT, make
// them a unit of their own.  If numbers occur twice among the items themselves, mark each
// as unidentified: it is unknown which of them are of one process.
static void join(struct process_finder *finder, const struct series *series,
                 const struct process_item *items, size_t count, uint32_t unit) {
    if (unit != HP_NO_INPUT && numbers_differ(finder, series, items, count, unit)) {
        for (size_t i = 0; i < count; i++) {
            finder->units[items[i].input] = unit;
        }
    } else if (numbers_differ(finder, series, items, count, HP_NO_INPUT)) {
        make_unit(finder, items, count);
    } else {
        for (size_t i = 0; i < count; i++) {
            finder->is_unidentified[items[i].input] = true;
        }
    }
}

// Assign the inputs of one series that have no map to units.  Inputs of a known program
// can be assigned without regard to other programs.  Inputs without a program can be of
// any program, so they are assigned last, and only if the series has a single unit.
static void join_series(struct process_finder *finder, const struct process_item *items,
                        size_t count) {
    const struct series series = {items, count};
    size_t with_map = 0, without_program, programs = 0;
    while (with_map < count && has_map(&items[with_map])) {
        with_map++;
    }
    without_program = with_map;
    while (without_program < count && items[without_program].identity->program == 0) {
        without_program++;
    }
    for (size_t i = without_program, end; i < count; i = end) {
        uint64_t program = items[i].identity->program;
        end = i + 1;
        while (end < count && items[end].identity->program == program) {
            end++;
        }
        uint32_t unit = ++programs > MOST_PROGRAMS
                            ? HP_NO_INPUT
                            : only_unit(finder, items, with_map, program);
        join(finder, &series, items + i, end - i, unit);
    }
    if (without_program == with_map) {
        return;
    }
    uint32_t unit = only_unit(finder, items, with_map, 0);
    uint32_t other =
        only_unit(finder, items + without_program, count - without_program, 0);
    bool has_others = without_program < count;
    unit = with_map == 0 ? other : !has_others || unit == other ? unit : HP_NO_INPUT;
    join(finder, &series, items + with_map, without_program - with_map, unit);
}

// Whether the name identifies the process, and the input is no merged profile.
static bool has_series(const struct process_item *item) {
    return item->identity->series != 0 && !item->identity->is_merged;
}

// --- by nothing ------------------------------------------------------------------------

// Whether the map or the name identifies the process.
static bool is_identified(const struct process_item *item) {
    return has_map(item) || has_series(item);
}

// Mark inputs as unidentified that neither map nor name identifies, and that can be of
// one process with another item.  The items have one side and the same labels (by_group),
// and are sorted by program.  Those without a program come first: they can be of the
// process of any other item.
static void mark_group(struct process_finder *finder, const struct process_item *items,
                       size_t count) {
    size_t unknown = 0;
    while (unknown < count && items[unknown].identity->program == 0) {
        finder->is_unidentified[items[unknown].input] |=
            !is_identified(&items[unknown]) && count > 1;
        unknown++;
    }
    for (size_t i = unknown, end; i < count; i = end) {
        end = i + 1;
        while (end < count &&
               items[end].identity->program == items[i].identity->program) {
            end++;
        }
        for (size_t k = i; k < end && end - i + unknown > 1; k++) {
            finder->is_unidentified[items[k].input] |= !is_identified(&items[k]);
        }
    }
}

// Whether an input is a dump of one process.  A merged profile is none: it lists its
// processes itself.
static bool is_one(const struct process_item *item) {
    return !item->identity->is_merged;
}

// --- all of it -------------------------------------------------------------------------

// One pass over the inputs: `is` selects items, `order` sorts them, `compare` returns 0
// for items that belong together, and `take` processes each such run of items.
struct pass {
    bool (*is)(const struct process_item *item);
    int (*order)(const void *left, const void *right);
    int (*compare)(const struct process_item *a, const struct process_item *b);
    void (*take)(struct process_finder *finder, const struct process_item *items,
                 size_t count);
};

static const struct pass passes[] = {
    {has_map, by_map_and_pid, by_map, split_map},
    {has_series, by_series_and_program, by_series, join_series},
    {is_one, by_program, by_group, mark_group},
};

static void run(struct process_finder *finder, const struct pass *pass, size_t count) {
    size_t found = collect(finder, count, pass->is);
    struct process_item *items = finder->items;
    qsort(items, found, sizeof *items, pass->order);
    for (size_t i = 0, end; i < found; i = end) {
        end = i + 1;
        while (end < found && pass->compare(&items[end], &items[i]) == 0) {
            end++;
        }
        pass->take(finder, items + i, end - i);
    }
}

// --- processes -------------------------------------------------------------------------

// Add the properties of one dump to its process.
static void describe(struct hp_process *process, const struct hp_input_record *input) {
    const struct hp_identity *identity = &input->identity;
    process->map = hp_digest_is_known(identity->map) ? identity->map : process->map;
    process->pid = identity->pid ? identity->pid : process->pid;
    if (identity->is_merged) {
        process->evidence = HP_EVIDENCE_ITSELF;
    } else if (identity->captured != 0) {
        process->evidence = process->evidence ? process->evidence : HP_EVIDENCE_FACTS;
    } else if (!hp_digest_is_known(identity->map)) {
        process->evidence = HP_EVIDENCE_NAME;
    }
    process->dumps++;
}

// Create a process for each unit (a set of inputs that are dumps of one process), in the
// order of their first inputs.  Sets the member `process` of each input, to HP_NO_PROCESS
// if the input is not used.
static void add_inputs(struct hp_processes *processes, struct process_finder *finder,
                       struct hp_input_record *inputs, size_t count) {
    uint32_t *process_of = hp_alloc(count * sizeof *process_of);
    memset(process_of, 0xff, count * sizeof *process_of);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t unit = finder->units[i];
        inputs[i].process = HP_NO_PROCESS;
        if (unit == HP_NO_INPUT) {
            continue;
        }
        if (process_of[unit] == HP_NO_PROCESS) {
            struct hp_process process = {
                .chosen = HP_NO_INPUT,
                .exit = HP_NO_INPUT,
                .fullest = HP_NO_INPUT,
                .is_base = inputs[i].is_base,
                .is_fork = finder->is_fork[unit],
                .is_unidentified = finder->is_unidentified[i],
            };
            process_of[unit] = (uint32_t)processes->all.count;
            hp_vec_push(&processes->all, process);
        }
        inputs[i].process = process_of[unit];
        describe(&processes->all.at[inputs[i].process], &inputs[i]);
    }
    free(process_of);
}

// Set, once all dumps of a process are known, the reason to take them for dumps of one
// process: none for a single dump, otherwise equal names or equal memory maps, the latter
// with or without a process id.
static void settle(struct hp_process *process) {
    if (process->evidence == HP_EVIDENCE_ITSELF) {
        return;
    }
    if (process->dumps < 2) {
        process->evidence = HP_EVIDENCE_NONE;
    } else if (process->evidence == HP_EVIDENCE_NONE) {
        process->evidence = process->pid ? HP_EVIDENCE_MAP : HP_EVIDENCE_MAP_ONLY;
    }
}

// Sort the dumps of a process by age, and find its exit dump.
static void sort_dumps(struct hp_processes *processes, struct hp_process *process,
                       const struct hp_input_record *inputs) {
    uint32_t *dumps = processes->dumps.at + process->first;
    process->newest_by = hp_process_sort(dumps, process->dumps, inputs);
    for (uint32_t i = 0; i < process->dumps; i++) {
        process->exit = inputs[dumps[i]].identity.kind == 'f' ? dumps[i] : process->exit;
    }
    if (process->dumps > processes->largest) {
        processes->largest = process->dumps;
    }
}

// List the dumps of each process in processes->dumps, as contiguous ranges.
static void list_dumps(struct hp_processes *processes,
                       const struct hp_input_record *inputs, size_t count) {
    uint32_t first = 0;
    struct hp_process *process;
    hp_vec_each (process, &processes->all) {
        settle(process);
        process->first = first;
        first += process->dumps;
        process->dumps = 0;
        processes->unidentified += process->is_unidentified;
        processes->forks += process->is_fork;
    }
    hp_vec_reserve(&processes->dumps, first);
    processes->dumps.count = first;
    for (uint32_t i = 0; i < count; i++) {
        if (inputs[i].process != HP_NO_PROCESS) {
            process = &processes->all.at[inputs[i].process];
            processes->dumps.at[process->first + process->dumps++] = i;
        }
    }
    hp_vec_each (process, &processes->all) {
        sort_dumps(processes, process, inputs);
    }
}

void hp_processes_find(struct hp_processes *processes, struct hp_input_record *inputs,
                       size_t count) {
    hp_processes_done(processes);
    struct process_finder finder = {
        .inputs = inputs,
        .items = hp_alloc(count * sizeof *finder.items),
        .units = hp_alloc(count * sizeof *finder.units),
        .is_fork = hp_alloc(count),
        .is_unidentified = hp_alloc(count),
        .numbers = hp_alloc(count * sizeof *finder.numbers),
    };
    for (uint32_t i = 0; i < count; i++) {
        finder.units[i] = hp_input_is_used(&inputs[i]) ? i : HP_NO_INPUT;
    }
    for (size_t i = 0; i < sizeof passes / sizeof *passes; i++) {
        run(&finder, &passes[i], count);
    }
    add_inputs(processes, &finder, inputs, count);
    list_dumps(processes, inputs, count);
    processes->forked = finder.forked;
    size_t room = processes->all.count * sizeof *processes->all.at;
    if (room > 0) { // give memory back, as there may be millions of processes
        struct hp_process *fitting = realloc(processes->all.at, room);
        processes->all.at = fitting ? fitting : processes->all.at;
        processes->all.capacity =
            fitting ? processes->all.count : processes->all.capacity;
    }
    free(finder.numbers);
    free(finder.is_unidentified);
    free(finder.is_fork);
    free(finder.units);
    free(finder.items);
}

void hp_processes_done(struct hp_processes *processes) {
    hp_vec_done(&processes->all);
    hp_vec_done(&processes->dumps);
    *processes = (struct hp_processes){.unidentified = 0};
}

// --- which dump is used ----------------------------------------------------------------

static hp_fixed bytes_of(const struct hp_input_record *input, enum hp_column column) {
    return input->total.of[column == HP_COLUMN_INUSE ? HP_INUSE_SPACE : HP_ALLOC_SPACE];
}

// Whether the allocated bytes of an older and of the newest dump show that the counters
// were reset between them: the newest has less.  A difference of up to 1 % is ignored,
// because unsampling a stack again can change its estimate slightly.
static bool is_reset(hp_fixed older, hp_fixed newest) {
    return older / 101 > newest / 100;
}

// Set `fullest`, `was_reset` and `chosen` of a process: the dump that is used.  For
// memory in use, HP_SNAPSHOTS_LAST avoids the exit dump if there is another dump.
static void choose(struct hp_process *process, const uint32_t *dumps,
                   const struct hp_input_record *inputs, enum hp_snapshots snapshots,
                   enum hp_column column) {
    uint32_t newest = dumps[process->dumps - 1], before_exit = HP_NO_INPUT;
    process->fullest = newest;
    for (uint32_t i = process->dumps; i-- > 0;) {
        const struct hp_input_record *input = &inputs[dumps[i]];
        if (before_exit == HP_NO_INPUT && input->identity.kind != 'f') {
            before_exit = dumps[i];
        }
        if (bytes_of(input, column) > bytes_of(&inputs[process->fullest], column)) {
            process->fullest = dumps[i];
        }
    }
    process->was_reset =
        column == HP_COLUMN_ALLOC && is_reset(bytes_of(&inputs[process->fullest], column),
                                              bytes_of(&inputs[newest], column));
    bool leaves_exit = snapshots == HP_SNAPSHOTS_LAST && column == HP_COLUMN_INUSE &&
                       before_exit != HP_NO_INPUT;
    process->chosen = snapshots >= HP_SNAPSHOTS_EACH   ? HP_NO_INPUT
                      : snapshots == HP_SNAPSHOTS_PEAK ? process->fullest
                      : leaves_exit                    ? before_exit
                                                       : newest;
}

void hp_processes_choose(struct hp_processes *processes,
                         const struct hp_input_record *inputs,
                         enum hp_snapshots snapshots, enum hp_metric metric) {
    struct hp_process *process;
    hp_vec_each (process, &processes->all) {
        choose(process, processes->dumps.at + process->first, inputs, snapshots,
               hp_column_of(metric));
    }
}

// --- texts -----------------------------------------------------------------------------

const char *hp_process_evidence_text(const struct hp_process *process) {
    static const char *const texts[] = {
        [HP_EVIDENCE_MAP] = "memory map and process id",
        [HP_EVIDENCE_MAP_ONLY] = "memory map alone, by which forks look the same",
        [HP_EVIDENCE_NAME] = "name alone",
        [HP_EVIDENCE_FACTS] = "host, boot, process id and start",
        [HP_EVIDENCE_ITSELF] = "itself, of merged processes",
    };
    return process->evidence != HP_EVIDENCE_NONE ? texts[process->evidence]
           : process->is_unidentified            ? "nothing"
           : process->is_fork                    ? "memory map and process id"
           : hp_digest_is_known(process->map)    ? "memory map"
                                                 : "name or program";
}

const char *hp_process_choice_text(const struct hp_process *process,
                                   enum hp_snapshots snapshots) {
    bool leaves_exit = process->exit != HP_NO_INPUT && process->chosen != process->exit;
    return snapshots == HP_SNAPSHOTS_PEAK ? "the fullest"
           : process->was_reset           ? "the newest, its counters were reset"
           : leaves_exit                  ? "the newest before its exit"
                                          : "the newest";
}

void hp_process_write_key(struct hp_sink *out, const struct hp_process *process) {
    if (hp_digest_is_known(process->map)) {
        hp_sink_print(out, "%llx-%llx", (unsigned long long)process->map.of[0],
                      (unsigned long long)process->map.of[1]);
    } else {
        hp_sink_text(out, "-");
    }
}
