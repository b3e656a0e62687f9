// Warnings about inputs, except those about binaries (module_warnings.c).
//
// First come diagnostics of single inputs, then processes that may be counted twice,
// merged profiles, and facts about all inputs together.  A sentence names a few inputs
// and counts the others, so that it stays short for any number of them.
#include "lib/warnings.h"

#include "base/units.h"
#include "inputs/diagnosed.h"
#include "lib/cut_dumps.h"
#include "lib/metadata.h"
#include "partial/partial.h"
#include "stats/measure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Ranks of warnings that concern an unknown share of the bytes.
static const struct hp_warning_rank missing = {HP_WARN_OF_MISSING, .share = 1};
static const struct hp_warning_rank numbers = {HP_WARN_OF_NUMBERS, .share = 1};
static const struct hp_warning_rank names = {HP_WARN_OF_NAMES, .share = 1};
static const struct hp_warning_rank detail = {HP_WARN_OF_NUMBERS, .is_detail = true};
static const struct hp_warning_rank minor = {HP_WARN_OF_NUMBERS, .is_minor = true};

enum {
    NAMED = 3, // inputs with one diagnostic that are named; the others are counted
};

// --- diagnostics of single inputs ------------------------------------------------------

// For each kind of diagnostic the text after the input's name; "%" is replaced by the
// number of lines or stacks, also in the code.
static const char *const diagnostics[HP_DIAGNOSTICS] = {
    [HP_DIAGNOSTIC_DAMAGED] =
        HP_WORDS("input-damaged", "truncated here, only the part before is used"),
    [HP_DIAGNOSTIC_PRODUCER_WARNING] =
        HP_WORDS("input-with-warning", "its writer warns: "),
    [HP_DIAGNOSTIC_MALFORMED] =
        HP_WORDS("input-malformed: %", "malformed lines skipped: %; expected "),
    [HP_DIAGNOSTIC_WRAPPED] =
        HP_WORDS("input-wrapped: %", "counts that wrapped around zero are not used: %"),
    [HP_DIAGNOSTIC_NEGATIVE] =
        HP_WORDS("input-negative: %", "difference of two profiles; values below zero: %"),
    [HP_DIAGNOSTIC_HEADER_CONTRADICTS] =
        HP_WORDS("input-total-contradicts",
                 "header total does not match the stacks: the dump may be truncated"),
    [HP_DIAGNOSTIC_INCONSISTENT] =
        HP_WORDS("input-inconsistent: %",
                 "stacks that do not match their threads: %; the dump may be damaged"),
    [HP_DIAGNOSTIC_NO_PERIOD] =
        HP_WORDS("input-without-period", "no sample period: counts are used unchanged"),
    [HP_DIAGNOSTIC_NO_OBJECTS] =
        HP_WORDS("input-without-objects", "no object counts, only bytes"),
    [HP_DIAGNOSTIC_OVERLAPS] = HP_WORDS(
        "input-overlaps: %",
        "overlapping rows in the memory map, of these only the first is used: %"),
    [HP_DIAGNOSTIC_UNKNOWN] =
        HP_WORDS("input-unknown-lines: %", "unknown indented lines skipped: %"),
};

// Return how important a diagnostic is.
static struct hp_warning_rank rank_of(enum hp_diagnostic_kind kind) {
    bool is_detail = kind == HP_DIAGNOSTIC_NO_OBJECTS || kind == HP_DIAGNOSTIC_OVERLAPS ||
                     kind == HP_DIAGNOSTIC_UNKNOWN;
    bool is_missing = kind == HP_DIAGNOSTIC_DAMAGED || kind == HP_DIAGNOSTIC_MALFORMED ||
                      kind == HP_DIAGNOSTIC_WRAPPED ||
                      kind == HP_DIAGNOSTIC_HEADER_CONTRADICTS ||
                      kind == HP_DIAGNOSTIC_INCONSISTENT;
    return is_detail ? detail : is_missing ? missing : numbers;
}

// Return the text that follows diagnostics[kind] in the sentence about an input, or "".
// `room` is for a text that is made here.
static const char *detail_of(const struct hp_input_record *input,
                             enum hp_diagnostic_kind kind,
                             char room[HP_MESSAGE_FORMAT_SIZE]) {
    char total[HP_NUMBER_SIZE];
    if (kind == HP_DIAGNOSTIC_DAMAGED && hp_cut_dumps_total(total, input)) {
        hp_message_print(room, HP_MESSAGE_FORMAT_SIZE,
                         HP_MESSAGE("truncated-total", ". Its header says %s in use"),
                         total);
        return room;
    }
    return kind == HP_DIAGNOSTIC_MALFORMED          ? input->expected
           : kind == HP_DIAGNOSTIC_PRODUCER_WARNING ? input->producer_warning
                                                    : "";
}

// Whether a diagnostic follows from the damage of an input, which has a warning.
static bool follows_from_damage(const struct hp_input_record *input,
                                enum hp_diagnostic_kind kind) {
    struct hp_diagnostic_count found = hp_diagnostic_in(input, kind);
    bool is_last_line = kind == HP_DIAGNOSTIC_MALFORMED && found.count == 1 &&
                        found.line + 1 >= input->lines;
    return input->public.status == HP_INPUT_KEPT_DAMAGED &&
           (is_last_line || kind == HP_DIAGNOSTIC_HEADER_CONTRADICTS);
}

// Warn about one diagnostic of one input.
static void warn_of_one(struct hp_profile *profile, const struct hp_input_record *input,
                        enum hp_diagnostic_kind kind) {
    const char *name = input->public.name, *what = hp_words(diagnostics[kind]);
    struct hp_diagnostic_count found = hp_diagnostic_in(input, kind);
    char line[32] = "", how_many[32] = "", room[HP_MESSAGE_FORMAT_SIZE];
    size_t before = strcspn(what, "%");
    const char *after = what + before;
    if (found.line > 0) {
        snprintf(line, sizeof line, ":%llu", (unsigned long long)found.line);
    }
    if (*after) {
        snprintf(how_many, sizeof how_many, "%llu", (unsigned long long)found.count);
        after++;
    }
    hp_profile_warn_as(profile, rank_of(kind),
                       HP_MESSAGE("input-warning", "%s%s: %.*s%s%s%s"),
                       strcmp(name, "-") ? name : "standard input", line, (int)before,
                       what, how_many, after, detail_of(input, kind, room));
    hp_profile_warned_of(profile, diagnostics[kind]);
}

// Warn about one diagnostic of all inputs; the first inputs are named.
static void warn_of_diagnostics(struct hp_profile *profile,
                                enum hp_diagnostic_kind kind) {
    size_t found = 0, named = 0;
    for (size_t i = 0; i < profile->inputs.records.count; i++) {
        const struct hp_input_record *input = &profile->inputs.records.at[i];
        bool has = hp_input_is_used(input) && hp_diagnostic_in(input, kind).count > 0 &&
                   !follows_from_damage(input, kind);
        found += has ? 1 + input->others : 0;
        if (has && !input->is_group && named < NAMED) {
            warn_of_one(profile, input, kind);
            named++;
        }
    }
    if (found > named) {
        const char *what = hp_words(diagnostics[kind]);
        hp_profile_warn_as(profile, rank_of(kind),
                           HP_MESSAGE("inputs-warning", "%zu %sinput%s: %.*s"),
                           found - named, named > 0 ? "more " : "",
                           found == named + 1 ? "" : "s", (int)strcspn(what, ":%"), what);
        hp_profile_warned_of(profile, diagnostics[kind]);
    }
}

// --- processes -------------------------------------------------------------------------

// Warn about inputs `a` and `b`, and count `more` other ones.  `sentence` follows the
// names.
static void warn_of_pair(struct hp_profile *profile, const char *a, const char *b,
                         size_t more, const char *sentence) {
    if (more == 0) {
        hp_profile_warn(profile, HP_MESSAGE("pair-warning", "%s and %s %s"), a, b,
                        hp_words(sentence));
    } else {
        hp_profile_warn(profile,
                        HP_MESSAGE("pairs-warning", "%s, %s and %zu more input%s %s"), a,
                        b, more, more == 1 ? "" : "s", hp_words(sentence));
    }
    hp_profile_warned_of(profile, sentence);
}

// Warn about processes with several dumps that are added up; by_name: only processes that
// are known by name.
static void warn_of_sums(struct hp_profile *profile, bool by_name) {
    size_t pair[2] = {SIZE_MAX, SIZE_MAX}, more = 0;
    const struct hp_process *process;
    hp_vec_each (process, &profile->inputs.processes.all) {
        if (process->dumps < 2 || (process->evidence == HP_EVIDENCE_NAME) != by_name) {
            continue;
        }
        size_t lowest[2] = {SIZE_MAX, SIZE_MAX};
        for (uint32_t i = 0; i < process->dumps; i++) {
            size_t input = profile->inputs.processes.dumps.at[process->first + i];
            if (input < lowest[0]) {
                lowest[1] = lowest[0];
                lowest[0] = input;
            } else if (input < lowest[1]) {
                lowest[1] = input;
            }
        }
        if (lowest[0] < pair[0]) {
            memcpy(pair, lowest, sizeof pair);
        }
        more += process->dumps - 1;
    }
    if (more > 0) {
        warn_of_pair(
            profile, profile->inputs.records.at[pair[0]].public.name,
            profile->inputs.records.at[pair[1]].public.name, more - 1,
            by_name
                ? HP_WORDS("dumps-by-name",
                           "are named as dumps of one process: memory live in both is "
                           "counted twice")
                : HP_WORDS(
                      "dumps-by-map",
                      "are dumps of one process: memory live in both is counted twice"));
    }
}

// Warn about inputs with equal samples: first those that may be of one process, then
// those of two.
static void warn_of_equal_samples(struct hp_profile *profile) {
    static const char *const sentences[] = {
        HP_WORDS("sample-twice", "have identical samples: one sample is counted twice"),
        HP_WORDS("samples-equal",
                 "have identical samples (idle forks?): the interval of their sum is too "
                 "narrow"),
    };
    for (int i = 0; i < 2; i++) {
        const struct hp_equal_samples *equal = &profile->inputs.equal_samples[i];
        if (equal->pairs > 0) {
            warn_of_pair(profile, equal->first, equal->second, equal->pairs - 1,
                         sentences[i]);
        }
    }
}

// Warn about forks, whose shared memory is counted repeatedly, and about inputs that may
// be of one process.
static void warn_of_forks(struct hp_profile *profile) {
    const struct hp_processes *processes = &profile->inputs.processes;
    if (processes->forks > 0) {
        hp_profile_warn(
            profile,
            HP_MESSAGE(
                "forks-counted",
                "%zu processes forked from %s: memory from before the fork is counted "
                "in each of them"),
            processes->forks, processes->forked == 1 ? "one" : "several");
    }
    if (processes->unidentified > 1) {
        hp_profile_warn(
            profile,
            HP_MESSAGE("maybe-one-process",
                       "%zu inputs may be from one process (unknown). All are counted"),
            processes->unidentified);
    } else if (processes->unidentified == 1) {
        hp_profile_warn(
            profile,
            HP_MESSAGE("maybe-another-process",
                       "one input may be from the process of another (unknown). Both are "
                       "counted"));
    }
}

// Warn about a series whose dumps are of different processes.
static void warn_of_strangers(struct hp_profile *profile) {
    const struct hp_input_record *first = NULL, *input;
    hp_vec_each (input, &profile->inputs.records) {
        if (!hp_input_is_used(input) ||
            profile->inputs.processes.all.at[input->process].is_unidentified) {
            continue;
        }
        if (first) {
            hp_profile_warn(
                profile,
                HP_MESSAGE("growth-of-two-processes",
                           "%s and %s are from different processes. Their difference is "
                           "treated as growth"),
                first->public.name, input->public.name);
            return;
        }
        first = input;
    }
}

// --- merged profiles -------------------------------------------------------------------

static bool are_several(unsigned bits) {
    return (bits & (bits - 1)) != 0;
}

// Warn about merged inputs that contain several dumps of a process, or were merged by
// different rules.  `snapshots` and `columns`: a bit for each value that some input has.
static void warn_of_modes(struct hp_profile *profile, unsigned snapshots,
                          unsigned columns) {
    if (snapshots & (1u << HP_SNAPSHOTS_EACH | 1u << HP_SNAPSHOTS_SUM)) {
        hp_profile_warn(
            profile,
            HP_MESSAGE("dumps-were-summed",
                       "inputs were merged with several dumps of a process added up "
                       "(--dumps=sum)"));
    }
    if (are_several(snapshots) || are_several(columns)) {
        hp_profile_warn(
            profile,
            HP_MESSAGE("dumps-differ",
                       "inputs were merged with different --dumps, or for different "
                       "metrics"));
    }
}

// Warn about partials without identities of dumps, if there are other inputs on one side
// of the comparison.
static void warn_of_identities(struct hp_profile *profile) {
    const struct hp_input_record *first[2] = {NULL, NULL}, *input;
    bool are_several = false;
    hp_vec_each (input, &profile->inputs.records) {
        const struct hp_input_record **side = &first[input->is_base];
        if (hp_input_is_used(input)) {
            are_several |= *side && (*side)->source != input->source;
            *side = *side ? *side : input;
        }
    }
    if (profile->inputs.lack_identities && are_several) {
        hp_profile_warn(
            profile,
            HP_MESSAGE(
                "partials-without-ids",
                "inputs do not list their dumps (--no-input-ids): repeated dumps go "
                "unnoticed"));
    }
}

// Warn about processes that may be in several merged inputs, as far as these identify
// their processes.
static void warn_of_merged(struct hp_profile *profile) {
    unsigned snapshots = 0, columns = 0;
    uint64_t unidentified = 0;
    size_t with_unidentified = 0;
    bool is_merged = false;
    const struct hp_input_record *input;
    hp_vec_each (input, &profile->inputs.records) {
        if (hp_input_is_used(input)) {
            bool is_known = hp_digest_is_known(input->identity.map);
            uint64_t own = input->keys ? input->keys->unidentified : !is_known;
            snapshots |= input->keys ? input->keys->snapshots : 0;
            columns |= input->keys ? input->keys->columns : 0;
            is_merged |= input->keys && own > 0;
            unidentified += own;
            with_unidentified += own > 0;
        }
    }
    warn_of_modes(profile, snapshots, columns);
    if (is_merged && with_unidentified > 1 && !profile->keeps.moments) {
        hp_profile_warn(
            profile,
            HP_MESSAGE(
                "merged-maybe-one-process",
                "%llu processes without a memory map may be in several inputs. All are "
                "counted"),
            (unsigned long long)unidentified);
    }
    struct hp_process_clash clash =
        hp_process_keys_clash(&profile->inputs.processes, profile->inputs.records.at,
                              profile->inputs.records.count);
    if (clash.processes > 0 && profile->settings.snapshots == HP_SNAPSHOTS_SUM) {
        warn_of_pair(
            profile, profile->inputs.records.at[clash.first].public.name,
            profile->inputs.records.at[clash.again].public.name, 0,
            HP_WORDS("merged-twice",
                     "contain the same processes: memory live in both is counted twice"));
    }
}

// Warn about processes in a series that have a single dump.
static void warn_of_singles(struct hp_profile *profile) {
    size_t singles = 0;
    const struct hp_process *process;
    hp_vec_each (process, &profile->inputs.processes.all) {
        const struct hp_input_record *first =
            &profile->inputs.records
                 .at[profile->inputs.processes.dumps.at[process->first]];
        singles += process->dumps == 1 && !process->is_unidentified && !first->keys;
    }
    if (profile->inputs.processes.largest < 2 && profile->inputs.processes.forks == 0) {
        warn_of_strangers(profile);
    } else if (singles > 0 && profile->inputs.processes.all.count > 1) {
        hp_profile_warn(
            profile,
            HP_MESSAGE("no-series",
                       "%zu process%s excluded: a single dump is not a series"),
            singles, singles == 1 ? " is" : "es are");
    }
}

// Write all warnings about processes.
static void warn_of_processes(struct hp_profile *profile) {
    warn_of_equal_samples(profile);
    if (profile->settings.snapshots == HP_SNAPSHOTS_SUM && !profile->keeps.moments) {
        warn_of_sums(profile, false);
        warn_of_sums(profile, true);
    }
    warn_of_merged(profile);
    warn_of_identities(profile);
    if (!profile->keeps.series) {
        warn_of_forks(profile);
    } else {
        warn_of_singles(profile);
    }
}

// --- all inputs together ---------------------------------------------------------------

// Warn about truncated dumps in whose place another dump of their process is used.
static void warn_of_replaced(struct hp_profile *profile) {
    size_t found = 0;
    const struct hp_input_record *input;
    hp_vec_each (input, &profile->inputs.records) {
        if (input->public.status == HP_INPUT_REPLACED && found++ < NAMED) {
            hp_profile_warn_as(profile, missing,
                               HP_MESSAGE("input-replaced", "%s:%llu: %s"),
                               input->public.name, (unsigned long long)input->err->line,
                               input->err->message);
        }
    }
    if (found > NAMED) {
        hp_profile_warn_as(
            profile, missing,
            HP_MESSAGE("inputs-replaced",
                       "%zu more damaged inputs: other dumps of their processes are used "
                       "instead"),
            found - NAMED);
    }
}

// Warn about inputs that are not used.
static void warn_of_skipped(struct hp_profile *profile) {
    const struct hp_input_summary *summary = &profile->inputs.summary[HP_SIDE_ALL];
    // Dumps that others replace have a warning of their own.
    size_t skipped = hp_input_summary_skipped(summary) - hp_cut_dumps_count(profile);
    size_t count = summary->all;
    size_t duplicates = summary->left_out[HP_REASON_REPEATED];
    size_t young = summary->left_out[HP_REASON_YOUNG];
    if (skipped > 0) {
        hp_profile_warn_as(profile, missing,
                           HP_MESSAGE("inputs-skipped", "%zu of %zu inputs were skipped"),
                           skipped, count);
    }
    if (duplicates > 0) {
        hp_profile_warn_as(
            profile, detail,
            HP_MESSAGE("inputs-repeated",
                       "%zu of %zu inputs are duplicates and are counted once"),
            duplicates, count);
    }
    if (young > 0) {
        hp_profile_warn_as(
            profile, missing,
            HP_MESSAGE(
                "inputs-young",
                "%zu of %zu inputs were modified too recently (--min-age): skipped"),
            young, count);
    }
}

// Warn that no input has a sample, and say why that may be.
static void warn_of_nothing(struct hp_profile *profile) {
    const struct hp_input_summary *summary = &profile->inputs.summary[HP_SIDE_ALL];
    size_t used = 0, empty = 0, at_exit = 0;
    bool has_allocated = false;
    const struct hp_input_record *input;
    hp_vec_each (input, &profile->inputs.records) {
        bool is_empty = hp_input_is_used(input) && input->stacks == 0;
        used += hp_input_is_used(input);
        empty += is_empty;
        at_exit += is_empty && input->identity.kind == 'f';
        has_allocated |= is_empty && input->header.alloc.objects > 0;
    }
    if (used > 0 && used == empty && has_allocated) {
        hp_profile_warn(
            profile, HP_MESSAGE("no-samples-in-use",
                                "no samples in use: all sampled memory had been freed"));
    } else if (used > 0 && used == at_exit) {
        hp_profile_warn(profile,
                        HP_MESSAGE("no-samples-at-exit",
                                   "no samples at exit: all memory was freed, or little "
                                   "was allocated. Use a dump made before the exit"));
    } else if (used > 0 && used == empty && summary->is_jemalloc) {
        hp_profile_warn(profile,
                        HP_MESSAGE("no-samples-jemalloc",
                                   "no samples: prof_active was off, another allocator "
                                   "was used, or little was allocated"));
    } else if (used > 0 && used == empty) {
        hp_profile_warn(profile,
                        HP_MESSAGE("no-samples",
                                   "no samples: profiling was off, or little was "
                                   "allocated"));
    }
}

// Warn about inputs that differ in sample period or metrics.
static void warn_of_mixtures(struct hp_profile *profile) {
    size_t used = 0, with_alloc = 0, with_inuse = 0;
    uint64_t period = 0;
    bool mixed = false;
    const struct hp_input_record *input;
    hp_vec_each (input, &profile->inputs.records) {
        if (hp_input_is_used(input) && input->stacks > 0) {
            mixed |= used > 0 && input->period != period;
            period = input->period;
            used += 1 + input->others;
            with_alloc += input->has_alloc ? 1 + input->others : 0;
            with_inuse +=
                hp_input_has_metric(input, HP_INUSE_SPACE) ? 1 + input->others : 0;
        }
    }
    if (mixed) {
        hp_profile_warn_as(
            profile, detail,
            HP_MESSAGE("periods-differ",
                       "sample periods differ: each input is estimated with its own"));
    }
    bool of_inuse = hp_column_of(profile->settings.metric) == HP_COLUMN_INUSE;
    if (with_alloc > 0 && with_alloc < used) {
        hp_profile_warn_as(
            profile, of_inuse ? detail : missing,
            HP_MESSAGE("some-without-allocated",
                       "only %zu of %zu inputs say what was allocated and freed%s"),
            with_alloc, used,
            profile->inputs.summary[HP_SIDE_ALL].is_jemalloc ? " (prof_accum)" : "");
    }
    if (with_inuse > 0 && with_inuse < used) {
        hp_profile_warn_as(profile, of_inuse ? missing : detail,
                           HP_MESSAGE("some-without-in-use",
                                      "only %zu of %zu inputs say what is in use"),
                           with_inuse, used);
    }
}

// Warn about inputs that list no objects, if objects of some age are asked for.
static void warn_of_ages(struct hp_profile *profile) {
    const struct hp_input_summary *summary = &profile->inputs.summary[HP_SIDE_ALL];
    size_t silent = summary->used - summary->listing;
    if (profile->settings.older_than > 0 && silent > 0) {
        hp_profile_warn_as(
            profile, missing,
            HP_MESSAGE("some-without-ages",
                       "%zu of %zu inputs list%s no ages: nothing of %s is shown"),
            silent, summary->used, silent == 1 ? "s" : "", silent == 1 ? "it" : "them");
    }
}

// Return whether a used input has no memory map.  All of its addresses are unmapped then.
static bool lacks_map(const struct hp_input_record *input) {
    return hp_input_is_used(input) && !input->is_group && input->files == 0 &&
           input->unmapped_addresses > 0 && input->unmapped_addresses >= input->addresses;
}

// Warn about inputs without a memory map: one is named, the others are counted.
static void warn_of_no_map(struct hp_profile *profile) {
    const struct hp_input_record *first = NULL, *input;
    size_t count = 0;
    hp_vec_each (input, &profile->inputs.records) {
        first = !first && lacks_map(input) ? input : first;
        count += lacks_map(input);
    }
    if (count == 1) {
        hp_profile_warn_as(
            profile, names,
            HP_MESSAGE(
                "no-map",
                "%s has no memory map. Its frames are only addresses. Use --maps=FILE"),
            strcmp(first->public.name, "-") ? first->public.name : "standard input");
    } else if (count > 1) {
        hp_profile_warn_as(
            profile, names,
            HP_MESSAGE(
                "no-maps",
                "%s and %zu more input%s have no memory map. Frames are only addresses. "
                "Use --maps=FILE"),
            first->public.name, count - 1, count == 2 ? "" : "s");
    }
}

enum hp_metric hp_warnings_metric(const struct hp_profile *profile) {
    struct hp_values total = hp_profile_total(profile);
    bool of_inuse = hp_column_of(profile->settings.metric) == HP_COLUMN_INUSE;
    enum hp_metric asked = of_inuse ? HP_INUSE_SPACE : HP_ALLOC_SPACE;
    enum hp_metric other = of_inuse ? HP_ALLOC_SPACE : HP_INUSE_SPACE;
    return total.of[asked] > 0 || total.of[other] <= 0 ? asked : other;
}

const char *hp_warnings_whole(enum hp_metric metric) {
    return hp_words(metric == HP_INUSE_SPACE
                        ? HP_WORDS("whole-in-use", "memory")
                        : HP_WORDS("whole-allocated", "memory allocated"));
}

// Return the share of the memory whose stacks pass an address outside all mapped files.
static double unmapped_share(const struct hp_profile *profile) {
    enum hp_metric metric = hp_warnings_metric(profile);
    hp_fixed of = 0, all = 0;
    const struct hp_stack *stack;
    hp_vec_each (stack, &profile->stacks) {
        bool is_unmapped = false;
        for (uint32_t i = 0; i < stack->depth; i++) {
            is_unmapped |= profile->frames.at[stack->frames[i].n].module.n == 0;
        }
        hp_fixed bytes = stack->values.of[metric];
        bytes = bytes < 0 ? -bytes : bytes;
        all += bytes;
        of += is_unmapped ? bytes : 0;
    }
    return all > 0 ? (double)of / (double)all : 0;
}

// Return why addresses are outside all mapped files, as far as the maps of the inputs
// show.  The map of a process of Linux ends with rows that are no files: the map of an
// input without them may be truncated.
static const char *why_unmapped(const struct hp_profile *profile) {
    bool is_cut = false, may_be_cut = false;
    const struct hp_input_record *input;
    hp_vec_each (input, &profile->inputs.records) {
        if (hp_input_is_used(input) && input->unmapped_addresses > 0 &&
            !lacks_map(input)) {
            bool has_end = hp_cut_dumps_has_map_end(input);
            is_cut |= input->public.status == HP_INPUT_KEPT_DAMAGED;
            may_be_cut |= !has_end;
        }
    }
    return is_cut       ? HP_WORDS("unmapped-cut", "the memory map is truncated")
           : may_be_cut ? HP_WORDS("unmapped-open", "JIT code, or a truncated map?")
                        : HP_WORDS("unmapped-jit", "JIT code?");
}

// Warn about unmapped addresses of inputs that have a map.
static void warn_of_unmapped(struct hp_profile *profile) {
    uint64_t unmapped = profile->inputs.summary[HP_SIDE_ALL].unmapped;
    const struct hp_input_record *input;
    hp_vec_each (input, &profile->inputs.records) {
        unmapped -= lacks_map(input) ? input->unmapped_addresses : 0;
    }
    if (unmapped > 0) {
        double share = unmapped_share(profile);
        struct hp_warning_rank rank = {HP_WARN_OF_NAMES, share, share < HP_MUCH_NAMELESS};
        hp_profile_warn_as(
            profile, rank,
            HP_MESSAGE("addresses-unmapped",
                       "%.1f%% of %s passes %llu address%s outside all mapped files "
                       "(%s)%s"),
            100 * share, hp_warnings_whole(hp_warnings_metric(profile)),
            (unsigned long long)unmapped, unmapped == 1 ? "" : "es",
            hp_words(why_unmapped(profile)),
            profile->keeps.unmapped ? "" : ". --keep-unmapped shows them");
    }
}

// Warn about addresses with a signature or tag, once: all processes of such a machine
// have them.
static void warn_of_tagged(struct hp_profile *profile) {
    uint64_t tagged = profile->inputs.tagged_addresses;
    if (tagged > 0) {
        hp_profile_warn_as(
            profile, minor,
            HP_MESSAGE("addresses-signed",
                       "%llu address%s bits of a signature or tag (PAC, TBI). They are "
                       "cleared, and %s in code"),
            (unsigned long long)tagged, tagged == 1 ? " has" : "es have",
            tagged == 1 ? "it is" : "they are");
    }
}

// Warn about addresses in libraries that had been unloaded.
static void warn_of_unloaded(struct hp_profile *profile) {
    uint64_t unloaded = profile->inputs.unloaded_addresses;
    if (unloaded > 0) {
        hp_profile_warn_as(
            profile, minor,
            HP_MESSAGE(
                "addresses-unloaded",
                "%llu address%s in an unloaded library, found in another dump of the "
                "process"),
            (unsigned long long)unloaded, unloaded == 1 ? " is" : "es are");
    }
}

// Return whether no other dump of the process of the input was chosen.
static bool counts(const struct hp_profile *profile,
                   const struct hp_input_record *input) {
    uint32_t chosen = profile->inputs.processes.all.at[input->process].chosen;
    return chosen == HP_NO_INPUT || &profile->inputs.records.at[chosen] == input;
}

// Warn that large sizes are uncertain.  A rewritten dump does not show which jemalloc
// wrote it.  The warning is minor.
static void warn_of_large_sizes(struct hp_profile *profile) {
    static const int least_percent = 5;
    hp_fixed large = 0, all = 0;
    if (profile->inputs.summary[HP_SIDE_ALL].is_difference) {
        return; // differences have no intervals
    }
    const struct hp_input_record *input;
    hp_vec_each (input, &profile->inputs.records) {
        if (hp_input_is_used(input) && counts(profile, input)) {
            large += input->large_bytes;
            all += input->total.of[HP_INUSE_SPACE];
        }
    }
    if (all > 0 && large > all / 100 * least_percent) {
        hp_profile_warn_as(
            profile, minor,
            HP_MESSAGE(
                "large-sizes-unknown-jemalloc",
                "%.0f%% of memory is in objects over 32 KiB. With jemalloc 5.3.1 or "
                "later use --large-sizes=pages"),
            100 * (double)large / (double)all);
    }
}

// Warn about differences of two profiles, once for all of them.
static void warn_of_differences(struct hp_profile *profile) {
    const struct hp_input_summary *summary = &profile->inputs.summary[HP_SIDE_ALL];
    size_t plain = 0;
    const struct hp_input_record *input;
    hp_vec_each (input, &profile->inputs.records) {
        bool is_plain = hp_input_is_used(input) && input->negative == 0;
        plain += is_plain ? 1 + input->others : 0;
    }
    if (!summary->is_difference) {
        return;
    }
    hp_profile_warn(
        profile,
        HP_MESSAGE(
            "difference-without-base",
            "a difference has no base: no shares, p-values, intervals or unchanged "
            "stacks"));
    if (plain > 0) {
        hp_profile_warn(
            profile,
            HP_MESSAGE(
                "difference-not-negative",
                "%zu of %zu inputs have no negative values: all of their memory is "
                "treated as growth"),
            plain, summary->used);
    }
}

// Warn when a partial has nearly as many label sets as it can store, before a later merge
// fails.
static void warn_of_label_sets(struct hp_profile *profile) {
    size_t sets = profile->keeps.partial ? hp_label_sets_count(profile) : 0;
    if (sets >= HP_PARTIAL_LABEL_SETS_MANY && sets <= HP_PARTIAL_LABEL_SETS) {
        hp_profile_warn_as(
            profile, detail,
            HP_MESSAGE("labels-many-sets",
                       "%zu different sets of labels. An aggregate file can have %d"),
            sets, HP_PARTIAL_LABEL_SETS);
    }
}

// Say once that the sampling of folded stacks is unknown.
static void warn_of_folded(struct hp_profile *profile) {
    if (profile->inputs.summary[HP_SIDE_ALL].folded > 0) {
        hp_profile_warn(
            profile,
            HP_MESSAGE("folded-sampling-unknown",
                       "nothing is known of how these stacks were sampled: no confidence "
                       "intervals, no p-values"));
    }
}

// Say that a partial has a section of a later version, which no report shows.
static void warn_of_later_section(struct hp_profile *profile) {
    if (profile->inputs.later_section > 0) {
        hp_profile_warn(profile,
                        HP_MESSAGE("partial-section-unknown",
                                   "%s has a section of a later version (%u), which is "
                                   "not shown"),
                        profile->inputs.later_name, profile->inputs.later_section);
    }
}

void hp_warn_of_inputs(struct hp_profile *profile) {
    warn_of_skipped(profile);
    warn_of_replaced(profile);
    for (enum hp_diagnostic_kind i = 0; i < HP_DIAGNOSTICS; i++) {
        warn_of_diagnostics(profile, i);
    }
    warn_of_processes(profile);
    warn_of_nothing(profile);
    warn_of_mixtures(profile);
    warn_of_ages(profile);
    warn_of_no_map(profile);
    warn_of_unmapped(profile);
    warn_of_tagged(profile);
    warn_of_unloaded(profile);
    warn_of_large_sizes(profile);
    warn_of_differences(profile);
    warn_of_folded(profile);
    warn_of_later_section(profile);
    warn_of_label_sets(profile);
}

// --- times of files --------------------------------------------------------------------

// Order inputs by the process in their names, then by the number there.
static int by_number(const void *left, const void *right) {
    const struct hp_identity *a = &(*(struct hp_input_record *const *)left)->identity;
    const struct hp_identity *b = &(*(struct hp_input_record *const *)right)->identity;
    int order = (a->series > b->series) - (a->series < b->series);
    return order != 0 ? order : (a->number > b->number) - (a->number < b->number);
}

// Whether a dump is earlier than the dump with the number before its own.
static bool are_exchanged(struct hp_profile *profile) {
    HP_VEC(struct hp_input_record *) numbered = {0};
    struct hp_input_record *input;
    bool are = false;
    hp_vec_each (input, &profile->inputs.records) {
        bool has_number = input->identity.series != 0 && input->identity.has_number;
        if (hp_input_is_used(input) && has_number) {
            hp_vec_push(&numbered, input);
        }
    }
    hp_vec_sort(&numbered, by_number);
    for (size_t i = 1; i < numbered.count; i++) {
        const struct hp_identity *a = &numbered.at[i - 1]->identity;
        const struct hp_identity *b = &numbered.at[i]->identity;
        are |= a->series == b->series && a->number < b->number && a->time > b->time;
    }
    hp_vec_done(&numbered);
    return are;
}

// The end of the warnings about times of files: what is used in their place.
static const char *used_instead(const struct hp_profile *profile) {
    return hp_times_are_held(profile)
               ? hp_words(HP_WORDS("times-held", "the times in the dumps are used"))
               : hp_words(HP_WORDS("times-left-out",
                                   "the dumps are taken in the order of their names, "
                                   "without times"));
}

bool hp_warn_of_times(struct hp_profile *profile) {
    static const size_t least_dumps = 3;
    static const double least_seconds = 10; // a copy takes less
    double first = HUGE_VAL, last = -HUGE_VAL;
    size_t count = 0;
    const struct hp_input_record *input;
    hp_vec_each (input, &profile->inputs.records) {
        if (hp_input_is_used(input)) {
            first = fmin(first, input->identity.time);
            last = fmax(last, input->identity.time);
            count++;
        }
    }
    bool exchanged = are_exchanged(profile);
    bool close = count >= least_dumps && last - first < least_seconds;
    if (exchanged) {
        hp_profile_warn_as(profile, numbers,
                           HP_MESSAGE("times-exchanged",
                                      "file times are not in the order of the numbers in "
                                      "the names, as of a copy (cp -p keeps times): %s"),
                           used_instead(profile));
    } else if (close) {
        hp_profile_warn_as(profile, numbers,
                           HP_MESSAGE("times-close",
                                      "all file times are within %.3g seconds, as of a "
                                      "copy (cp -p keeps times): %s"),
                           last - first, used_instead(profile));
    }
    return exchanged || close;
}
