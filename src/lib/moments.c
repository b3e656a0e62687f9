// Sentences that say which dump of each process is used, where a process has several:
//
// "17 dumps of 1 process: i15, the newest before its exit (f: 131.1 KiB; fullest i6:
//  58.3 MiB); --dumps=exit|peak|each|sum"
//
// "20 dumps of 4 processes: the newest of each (not of one moment)"
//
// and the same as short sentences, for the line above a table:
//
// "app.7.15.i15.heap: latest of 17 dumps of one process before it exited"
//
// "latest dumps of 4 processes (20 dumps)"
#include "base/units.h"
#include "lib/metadata.h"
#include "lib/warnings.h"
#include "model/profile.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// --- consecutive -----------------------------------------------------------------------
//
// Processes that ran one after the other, as the times of their files show.

// Least seconds from the first dump of a process to its last.
static const double least_seconds = 60;

// A process, with the times of its first and last file.
struct process_run {
    const struct hp_process *process;
    double first, last; // seconds since 1970
};

// All processes of one side of a comparison.
struct runs {
    HP_VEC(struct process_run) of;
};

// Return dump number `i` of a process.
static const struct hp_input_record *dump_of(const struct hp_profile *profile,
                                             const struct hp_process *process,
                                             uint32_t i) {
    return &profile->inputs.records
                .at[profile->inputs.processes.dumps.at[process->first + i]];
}

// Set *run to the process and the times of its first and last dump.  Returns whether all
// dumps of the process are files or members of archives, their times rise with the
// numbers in their names, and at least `least_seconds` lie between the first and the
// last.
static bool find_run(const struct hp_profile *profile, const struct hp_process *process,
                     struct process_run *run) {
    bool has_numbers = process->newest_by == HP_NEWEST_BY_SEQUENCE ||
                       process->newest_by == HP_NEWEST_BY_NUMBER;
    bool rises = process->dumps > 1 && has_numbers && process->chosen != HP_NO_INPUT;
    *run = (struct process_run){.process = process};
    for (uint32_t i = 0; i < process->dumps; i++) {
        const struct hp_input_record *dump = dump_of(profile, process, i);
        rises &= dump->source == 0 && dump->identity.time > run->last;
        run->last = dump->identity.time;
        run->first = i == 0 ? run->last : run->first;
    }
    return rises && run->last - run->first >= least_seconds;
}

static int by_first(const void *left, const void *right) {
    const struct process_run *a = left, *b = right;
    return (a->first > b->first) - (a->first < b->first);
}

// Sort the processes by their first dump, and return whether two of them ran at the same
// time.
static bool overlap(struct runs *runs) {
    bool found = false;
    hp_vec_sort(&runs->of, by_first);
    for (size_t i = 1; i < runs->of.count; i++) {
        found |= runs->of.at[i].first <= runs->of.at[i - 1].last;
    }
    return found;
}

// Return whether all dumps of the processes are of one program and in one folder.  Call
// it last: each folder costs a system call.
static bool are_of_one_place(const struct hp_profile *profile, const struct runs *runs) {
    const struct hp_input_record *first = dump_of(profile, runs->of.at[0].process, 0);
    uint64_t folder = hp_input_folder(first);
    bool are = first->identity.program != 0;
    for (size_t i = 0; i < runs->of.count; i++) {
        const struct hp_process *process = runs->of.at[i].process;
        for (uint32_t k = 0; k < process->dumps && are; k++) {
            const struct hp_input_record *dump = dump_of(profile, process, k);
            are = dump->identity.program == first->identity.program &&
                  hp_input_folder(dump) == folder;
        }
    }
    return are;
}

// Return the number of processes on one side of a comparison, and the newest of their
// used dumps, if these processes ran one after the other.  All processes of the side must
// be of one program and in one folder.  Each must have two dumps or more, whose times
// rise with their numbers over a minute or longer; no two processes may overlap.  Fewer
// dumps, or times within a minute, may be those of copies.  Returns {0} then, and if any
// of this is unknown.
static struct hp_consecutive hp_consecutive_runs(const struct hp_profile *profile,
                                                 bool is_base) {
    struct hp_consecutive found = {0};
    struct runs runs = {0};
    bool are = !profile->inputs.have_times && (is_base || profile->inputs.lone == 0) &&
               profile->inputs.processes.others == 0;
    const struct hp_process *process;
    hp_vec_each (process, &profile->inputs.processes.all) {
        struct process_run run;
        if (are && process->is_base == is_base) {
            are = find_run(profile, process, &run);
            hp_vec_push(&runs.of, run);
        }
    }
    if (are && runs.of.count > 1 && !overlap(&runs) && are_of_one_place(profile, &runs)) {
        found.count = runs.of.count;
        found.newest = runs.of.at[runs.of.count - 1].process->chosen;
    }
    hp_vec_done(&runs.of);
    return found;
}

// --- moments ---------------------------------------------------------------------------

enum {
    // Percent; the fullest dump of a process is mentioned if it has this much more bytes
    // than the used one.
    MUCH_FULLER = 10,
};

// A sentence that grows; it is truncated if it becomes too long.
struct sentence {
    char text[1024];
    size_t used; // length of the text
};

HP_PRINTF(2, 3)

// Append to the sentence, as by printf().
static void say(struct sentence *s, const char *format, ...) {
    char room[HP_MESSAGE_FORMAT_SIZE];
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(s->text + s->used, sizeof s->text - s->used,
                         hp_message_format(format, room), arguments);
    va_end(arguments);
    s->used += size > 0 ? (size_t)size : 0;
    s->used = s->used < sizeof s->text ? s->used : sizeof s->text - 1;
}

// Facts about all processes of one side of a comparison, for one sentence.
struct moment_tally {
    // The process that was counted last; the only one if processes == 1.
    const struct hp_process *only;
    size_t processes, dumps; // number of all processes, and of their dumps
    // Number of processes with more than one dump; the members below count among these.
    size_t several;
    size_t by_map_only, by_name; // recognized by their memory map only, or by name only
    // Number of these processes for each rule by which the newest dump was found.
    size_t by[HP_NEWEST_BY_NAME + 1];
    // Number of processes whose exit dump is not used; that have a dump much fuller than
    // the used one; whose counters were reset.
    size_t without_exit, fuller, resets;
};

// Return the total bytes of an input: in use or allocated, whichever the metric of the
// profile measures.
static hp_fixed bytes_of(const struct hp_profile *profile, uint32_t input) {
    bool is_inuse = hp_column_of(profile->settings.metric) == HP_COLUMN_INUSE;
    return profile->inputs.records.at[input]
        .total.of[is_inuse ? HP_INUSE_SPACE : HP_ALLOC_SPACE];
}

// Return whether the fullest dump of the process has over MUCH_FULLER percent more bytes
// than the used one.
static bool is_fuller(const struct hp_profile *profile,
                      const struct hp_process *process) {
    return process->chosen != HP_NO_INPUT &&
           bytes_of(profile, process->fullest) / (100 + MUCH_FULLER) >
               bytes_of(profile, process->chosen) / 100;
}

// Return whether the process has an exit dump that is not used.
static bool leaves_exit(const struct hp_process *process) {
    return process->exit != HP_NO_INPUT && process->chosen != HP_NO_INPUT &&
           process->chosen != process->exit;
}

// Count the processes and dumps of a side of a comparison, lone inputs included.
static struct moment_tally tally_of(const struct hp_profile *profile, bool is_base) {
    struct moment_tally tally = {.processes = 0};
    const struct hp_process *process;
    hp_vec_each (process, &profile->inputs.processes.all) {
        if (process->is_base != is_base) {
            continue;
        }
        tally.processes++;
        tally.dumps += process->dumps;
        tally.only = process;
        if (process->dumps > 1) {
            tally.several++;
            tally.by_map_only += process->evidence == HP_EVIDENCE_MAP_ONLY;
            tally.by_name += process->evidence == HP_EVIDENCE_NAME;
            tally.by[process->newest_by]++;
            tally.without_exit += leaves_exit(process);
            tally.fuller += is_fuller(profile, process);
            tally.resets += process->was_reset;
        }
    }
    if (!is_base && profile->inputs.lone > 0) {
        tally.processes += profile->inputs.processes.others;
        tally.dumps += profile->inputs.processes.other_dumps;
    }
    return tally;
}

// Return the short name of an input: "i15" of app.7.15.i15.heap; else its file name.
static struct hp_span short_name(const struct hp_profile *profile, uint32_t input) {
    const struct hp_input_record *record = &profile->inputs.records.at[input];
    struct hp_span name = hp_span_basename(hp_span_of(record->public.name));
    if (record->identity.kind == '\0') {
        return name;
    }
    name.size -= hp_span_ends(name, ".gz") ? 3 : hp_span_ends(name, ".zst") ? 4 : 0;
    name.size -= strlen(".heap");
    size_t start = name.size;
    while (start > 0 && name.at[start - 1] != '.') {
        start--;
    }
    return hp_span_from(name, start);
}

// Append the short name of an input and its bytes.
static void say_bytes(struct sentence *s, const struct hp_profile *profile,
                      uint32_t input) {
    char bytes[HP_NUMBER_SIZE];
    struct hp_span name = short_name(profile, input);
    hp_format_bytes(bytes, bytes_of(profile, input), HP_UNIT_AUTO);
    say(s, HP_MESSAGE("moment-bytes", "%.*s: %s"), (int)name.size, name.at, bytes);
}

// Add a sentence to the long ones, the short ones, or both.
static void add_sentence(struct hp_profile *profile, const struct sentence *s,
                         bool is_long, bool is_short) {
    hp_string text = hp_strtab_add(&profile->strings, hp_span_of(s->text));
    if (is_long) {
        hp_vec_push(&profile->sentences.moments, text);
    }
    if (is_short) {
        hp_vec_push(&profile->sentences.sources, text);
    }
}

// --- one process -----------------------------------------------------------------------

// Append the bytes of the exit dump and of the fullest dump, in case the reader meant one
// of these.
static void say_others(struct sentence *s, const struct hp_profile *profile,
                       const struct hp_process *process) {
    bool has_exit =
        leaves_exit(process) && profile->settings.snapshots == HP_SNAPSHOTS_LAST;
    bool has_fullest = is_fuller(profile, process) && !process->was_reset;
    say(s, has_exit || has_fullest ? " (" : "");
    if (has_exit) {
        say_bytes(s, profile, process->exit);
    }
    if (has_fullest) {
        say(s, has_exit ? "; fullest " : "fullest ");
        say_bytes(s, profile, process->fullest);
    }
    say(s, has_exit || has_fullest ? ")" : "");
}

// Append to the sentence the rule by which the newest dump was found, unless the rule is
// reliable.
static void say_newest_by(struct sentence *s, enum hp_newest_by by) {
    if (by > HP_NEWEST_BY_CONTENT_TIME) {
        say(s, HP_MESSAGE("moment-newest-by", " by %s"), hp_newest_by_text(by));
    }
}

// Append the sentence about a side of a comparison that has one process.
static void say_one(struct sentence *s, const struct hp_profile *profile,
                    const struct hp_process *process) {
    struct hp_span name = short_name(profile, process->chosen);
    bool is_peak = profile->settings.snapshots == HP_SNAPSHOTS_PEAK;
    say(s, HP_MESSAGE("moment-of-one", "%s: %.*s, the %s"),
        process->evidence == HP_EVIDENCE_MAP_ONLY
            ? hp_words(
                  HP_WORDS("one-by-map", " by their memory maps (forks look the same)"))
        : process->evidence == HP_EVIDENCE_NAME
            ? hp_words(HP_WORDS("one-by-name", " by name alone"))
            : "",
        (int)name.size, name.at, is_peak ? "fullest" : "newest");
    if (is_peak) {
        say(s,
            HP_MESSAGE(
                "moment-peak-of",
                " of %u (values are too high by the choice: intervals allow for it)"),
            process->dumps);
    } else {
        say_newest_by(s, process->newest_by);
        say(s, leaves_exit(process) ? HP_MESSAGE("moment-before-exit", " before its exit")
                                    : "");
        say_others(s, profile, process);
    }
    say(s, process->was_reset ? HP_MESSAGE("moment-reset", ", its counters were reset")
                              : "");
}

// Append that another dump of the process holds much more, and the option that uses it.
static void say_fuller(struct sentence *s, const struct hp_profile *profile,
                       const struct hp_process *process) {
    bool is_exit = process->fullest == process->exit;
    char bytes[HP_NUMBER_SIZE];
    hp_format_bytes(bytes, bytes_of(profile, process->fullest), HP_UNIT_AUTO);
    say(s,
        is_exit ? HP_MESSAGE("source-fuller-exit", "; %s at exit (--dumps=exit)")
                : HP_MESSAGE("source-fuller", "; %s in another (--dumps=peak)"),
        bytes);
}

// Append the short sentence about a side of a comparison that has one process.
static void say_one_shortly(struct sentence *s, const struct hp_profile *profile,
                            const struct hp_process *process) {
    struct hp_span name = hp_span_basename(
        hp_span_of(profile->inputs.records.at[process->chosen].public.name));
    bool is_peak = profile->settings.snapshots == HP_SNAPSHOTS_PEAK;
    const char *which = is_peak                            ? "largest"
                        : process->chosen == process->exit ? "exit dump"
                                                           : "latest";
    say(s, HP_MESSAGE("source-of-one", "%.*s: %s of %u dumps "), (int)name.size, name.at,
        which, process->dumps);
    if (process->evidence == HP_EVIDENCE_MAP_ONLY) {
        say(s, HP_MESSAGE("source-by-map", "with one memory map (forks? --dumps=sum)"));
    } else if (process->evidence == HP_EVIDENCE_NAME) {
        say(s, HP_MESSAGE("source-by-name", "named as one process"));
    } else {
        say(s, HP_MESSAGE("source-of-process", "of one process"));
    }
    if (profile->settings.snapshots == HP_SNAPSHOTS_LAST && !process->was_reset &&
        is_fuller(profile, process)) {
        say_fuller(s, profile, process);
    } else if (!is_peak && leaves_exit(process)) {
        say(s, HP_MESSAGE("source-before-exit", " before it exited"));
    } else if (is_peak) {
        say(s, HP_MESSAGE("source-peak", ", so too high (intervals allow for it)"));
    }
    if (!is_peak && process->newest_by >= HP_NEWEST_BY_FILE_TIME) {
        say(s, HP_MESSAGE("source-latest-by", ", by %s"),
            hp_newest_by_text(process->newest_by));
    }
    say(s, process->was_reset ? HP_MESSAGE("source-reset", ", counters were reset") : "");
}

// --- several ---------------------------------------------------------------------------

// Append "; COUNT WHAT" to the sentence, unless the count is 0.
static void say_count(struct sentence *s, size_t count, const char *what) {
    if (count > 0) {
        say(s, HP_MESSAGE("moment-count", "; %zu %s"), count, what);
    }
}

// Append the sentence about a side of a comparison that has several processes.
static void say_several(struct sentence *s, const struct hp_profile *profile,
                        const struct moment_tally *tally) {
    static const char *const by[] = {
        [HP_NEWEST_BY_NUMBER] = "by the number in the name",
        [HP_NEWEST_BY_FILE_TIME] = "by file time",
        [HP_NEWEST_BY_NAME] = "by name",
    };
    bool is_peak = profile->settings.snapshots == HP_SNAPSHOTS_PEAK;
    say(s, HP_MESSAGE("moment-of-each", ": the %s of each%s (not of one moment"),
        is_peak ? "fullest" : "newest",
        tally->without_exit > 0 && !is_peak ? " before its exit" : "");
    say_count(s, tally->by_map_only,
              hp_words(
                  HP_WORDS("moment-by-map",
                           "known by their memory maps alone, and forks look the same")));
    say_count(s, tally->by_name,
              hp_words(HP_WORDS("moment-by-name", "known by name alone")));
    if (is_peak) {
        say(s, HP_MESSAGE("moment-peak-values",
                          "; values are too high by the choice: intervals allow for it"));
    } else {
        for (enum hp_newest_by i = HP_NEWEST_BY_NUMBER; i <= HP_NEWEST_BY_NAME; i++) {
            say_count(s, tally->by[i], by[i]);
        }
        say_count(s, tally->fuller,
                  hp_words(
                      HP_WORDS("moment-fuller", "held over 10% more in another dump")));
    }
    say_count(s, tally->resets,
              hp_words(HP_WORDS("moment-resets", "had counters reset")));
    say(s, ")");
}

// Append the short sentence about a side of a comparison that has several processes.
static void say_several_shortly(struct sentence *s, const struct hp_profile *profile,
                                const struct moment_tally *tally) {
    bool is_peak = profile->settings.snapshots == HP_SNAPSHOTS_PEAK;
    say(s, HP_MESSAGE("source-of-several", "%s dumps of %zu processes (%zu dumps"),
        is_peak ? "largest" : "latest", tally->processes, tally->dumps);
    if (tally->by_map_only > 0) {
        say(s, HP_MESSAGE("source-maps-only", "; %zu known by memory map only: forks?"),
            tally->by_map_only);
    } else if (tally->by_name > 0) {
        say(s, HP_MESSAGE("source-names-only", "; %zu known by name only"),
            tally->by_name);
    }
    say(s, ")");
}

// Add the short sentence about one side of a comparison.
static void add_short(struct hp_profile *profile, const struct moment_tally *tally,
                      const char *side) {
    struct sentence s = {.used = 0};
    say(&s, "%s", side);
    if (profile->keeps.moments || profile->settings.snapshots == HP_SNAPSHOTS_EACH) {
        say(&s, HP_MESSAGE("source-each", "%zu dumps of %zu process%s, each separately"),
            tally->dumps, tally->processes, tally->processes == 1 ? "" : "es");
    } else if (tally->processes == 1) {
        say_one_shortly(&s, profile, tally->only);
    } else {
        say_several_shortly(&s, profile, tally);
    }
    add_sentence(profile, &s, false, true);
}

// Add a sentence about consecutive processes, whose sum means little: "by their file
// times 6 runs, one after the other; the newest holds 22.1 MiB".
static void add_consecutive(struct hp_profile *profile, bool is_base,
                            enum hp_input_side side, const char *prefix) {
    struct hp_consecutive runs = hp_consecutive_runs(profile, is_base);
    bool is_inuse = hp_column_of(profile->settings.metric) == HP_COLUMN_INUSE;
    if (runs.count > 0 && !profile->keeps.moments) {
        char bytes[HP_NUMBER_SIZE];
        struct sentence s = {.used = 0};
        runs.bytes = bytes_of(profile, runs.newest);
        hp_format_bytes(bytes, runs.bytes, HP_UNIT_AUTO);
        say(&s,
            HP_MESSAGE(
                "runs-by-file-time",
                "%sby their file times %zu runs, one after the other; the newest %s %s"),
            prefix, runs.count, is_inuse ? "holds" : "allocated", bytes);
        add_sentence(profile, &s, true, true);
        profile->inputs.consecutive[side] = runs;
    }
}

// Add to profile->sentences.moments the sentence about the dumps of one side of a
// comparison, unless each process has a single dump.
static void describe_side(struct hp_profile *profile, bool is_base, enum hp_input_side of,
                          const char *side) {
    static const char *const modes[] = {
        [HP_SNAPSHOTS_LAST] = "latest", [HP_SNAPSHOTS_FINAL] = "exit",
        [HP_SNAPSHOTS_PEAK] = "peak",   [HP_SNAPSHOTS_EACH] = "each",
        [HP_SNAPSHOTS_SUM] = "sum",
    };
    struct moment_tally tally = tally_of(profile, is_base);
    struct sentence s = {.used = 0};
    // Then a warning is written instead.
    bool is_summed = profile->settings.snapshots == HP_SNAPSHOTS_SUM;
    if (tally.several == 0 || is_summed || profile->keeps.series) {
        return;
    }
    say(&s, HP_MESSAGE("moment-sum", "%s%zu dumps of %zu process%s"), side, tally.dumps,
        tally.processes, tally.processes == 1 ? "" : "es");
    if (profile->keeps.moments || profile->settings.snapshots == HP_SNAPSHOTS_EACH) {
        say(&s, HP_MESSAGE("moment-each", ": each for itself"));
    } else if (tally.processes == 1) {
        say_one(&s, profile, tally.only);
    } else {
        say_several(&s, profile, &tally);
    }
    const char *between = "; --dumps=";
    for (enum hp_snapshots i = 0; i <= HP_SNAPSHOTS_SUM && !profile->keeps.moments; i++) {
        if (i != profile->settings.snapshots) {
            say(&s, "%s%s", between, modes[i]);
            between = "|";
        }
    }
    add_sentence(profile, &s, true, false);
    add_short(profile, &tally, side);
    add_consecutive(profile, is_base, of, side);
}

// Add a sentence that says how many dumps were not used when partials were merged, if
// these do not record each dump.
static void describe_set_aside(struct hp_profile *profile) {
    uint64_t aside = 0;
    const struct hp_input_record *input;
    hp_vec_each (input, &profile->inputs.records) {
        bool is_aside = input->is_group && input->public.status == HP_INPUT_OTHER_MOMENT;
        aside += is_aside ? 1 + input->others : 0;
    }
    if (aside > 0) {
        struct sentence s = {.used = 0};
        say(&s,
            HP_MESSAGE(
                "moment-merged",
                "one dump of each process is used: %llu others were skipped when they "
                "were merged"),
            (unsigned long long)aside);
        add_sentence(profile, &s, true, true);
    }
}

// Add a sentence that says which shards are present, if some are missing.  It is the
// first sentence, because all totals are incomplete.
static void describe_shards(struct hp_profile *profile) {
    struct hp_shards shards = profile->shards;
    struct sentence s = {.used = 0};
    bool is_one = (shards.present & (shards.present - 1)) == 0;
    const char *between = is_one ? "shard " : "shards ";
    for (unsigned i = 0; i < shards.count; i++) {
        if (shards.present >> i & 1) {
            say(&s, "%s%u", between, i);
            between = ", ";
        }
    }
    if (shards.count > 0) {
        say(&s,
            HP_MESSAGE("moment-shard",
                       " of %u alone: rows and totals are of %s stacks, not of all"),
            shards.count, is_one ? "its" : "their");
        add_sentence(profile, &s, true, true);
    }
}

// Return the number of used dumps of a side of the comparison that were made at exit.
// *known becomes the number of used dumps of the side for which it is known whether they
// were.
static size_t count_exits(const struct hp_profile *profile, bool is_base,
                          uint64_t *known) {
    size_t exits = is_base ? 0 : profile->inputs.lone_exits;
    const struct hp_process *process;
    hp_vec_each (process, &profile->inputs.processes.all) {
        bool is_chosen = process->chosen == process->exit || process->dumps == 1;
        exits += process->exit != HP_NO_INPUT && is_chosen &&
                 process->is_base == is_base &&
                 hp_input_is_used(&profile->inputs.records.at[process->exit]);
    }
    const struct hp_input_record *input;
    *known = is_base ? 0 : profile->inputs.lone;
    hp_vec_each (input, &profile->inputs.records) {
        bool is_of_many = input->is_group || input->merged_all > 0;
        *known += hp_input_is_used(input) && input->is_base == is_base && !is_of_many;
    }
    return exits;
}

// Add the sentence "3 of 5 dumps were made at exit: ..."  about one side of a comparison.
static void describe_exits_of_side(struct hp_profile *profile, bool is_base,
                                   enum hp_input_side side, const char *prefix) {
    struct sentence s = {.used = 0};
    uint64_t all = profile->inputs.summary[side].merged_used, known;
    // Dumps in groups are added up, too.
    bool is_sum = profile->settings.snapshots == HP_SNAPSHOTS_SUM;
    size_t exits = count_exits(profile, is_base, &known);
    exits = is_sum && all > 1 ? 0 : exits;
    profile->inputs.exits[side] = exits;
    if (exits == 0) {
        return;
    }
    say(&s, "%s", prefix);
    if (all > 1) {
        say(&s, HP_MESSAGE("exit-dumps", "%s%zu of %llu dumps were "),
            known < all ? "at least " : "", exits, (unsigned long long)all);
    }
    say(&s,
        HP_MESSAGE("exit-dumps-hide",
                   "made at exit: memory freed as the program ends is not in %s"),
        exits == 1 ? "it" : "them");
    add_sentence(profile, &s, true, true);
}

// Add to profile->sentences.moments the sentences about the dumps that were made at exit:
// one for each side of a comparison about those that are used, and one about those that
// are left out because they do not belong to a series of memory in use.
static void describe_exits(struct hp_profile *profile, bool has_sides) {
    if (hp_column_of(profile->settings.metric) == HP_COLUMN_INUSE) {
        if (has_sides) {
            describe_exits_of_side(profile, true, HP_SIDE_BASE, "base: ");
        }
        describe_exits_of_side(profile, false, has_sides ? HP_SIDE_NEW : HP_SIDE_ALL,
                               has_sides ? "new: " : "");
    }
    size_t left = 0;
    const struct hp_process *process;
    hp_vec_each (process, &profile->inputs.processes.all) {
        left += process->exit != HP_NO_INPUT && process->dumps > 1;
    }
    if (hp_profile_skips_exits(profile) && left > 0) {
        struct sentence s = {.used = 0};
        say(&s,
            HP_MESSAGE("exits-left-out",
                       "%zu dump%s made at exit and excluded from the series"),
            left, left == 1 ? " was" : "s were");
        add_sentence(profile, &s, true, true);
    }
}

void hp_describe_moments(struct hp_profile *profile) {
    describe_shards(profile);
    bool has_sides = profile->inputs.summary[HP_SIDE_BASE].all > 0;
    if (has_sides) {
        describe_side(profile, true, HP_SIDE_BASE, "base: ");
    }
    describe_side(profile, false, has_sides ? HP_SIDE_NEW : HP_SIDE_ALL,
                  has_sides ? "new: " : "");
    describe_set_aside(profile);
    describe_exits(profile, has_sides);
}
