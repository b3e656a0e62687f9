#include "inputs/input.h"

#include "base/error.h"
#include "base/memory.h"
#include "inputs/account.h"

#include <stdlib.h>
#include <string.h>

void hp_input_set_err(struct hp_input_record *input, const struct hp_err *err) {
    free(input->err);
    input->err = NULL;
    if (err) {
        input->err = hp_alloc(sizeof *err);
        *input->err = *err;
    }
    input->public.err = input->err;
}

void hp_input_set_producer_warning(struct hp_input_record *input, const char *text) {
    free(input->producer_warning);
    input->producer_warning = *text ? hp_copy(text) : NULL;
}

void hp_input_done(struct hp_input_record *input) {
    hp_input_set_err(input, NULL);
    hp_input_set_producer_warning(input, "");
    hp_process_keys_free(input->keys);
    hp_live_samples_free(input->live);
    free(input->made);
    input->made = NULL;
    input->keys = NULL;
    input->live = NULL;
}

static const struct {
    const char *format, *writer; // writer: NULL if the content does not show it
} producers[] = {
    [HP_PRODUCER_UNKNOWN] = {"heap profile", NULL},
    // Depends on the content, see version_of_jemalloc().
    [HP_PRODUCER_JEMALLOC] = {"jemalloc heap_v2", NULL},
    [HP_PRODUCER_JEMALLOC_3] = {"jemalloc 3 heap profile", "jemalloc up to 3.6"},
    [HP_PRODUCER_GPERFTOOLS] = {"gperftools heap profile", "gperftools"},
    [HP_PRODUCER_GPERFTOOLS_SAMPLE] = {"gperftools heap sample", "gperftools"},
    [HP_PRODUCER_GPERFTOOLS_GROWTH] = {"gperftools heap growth", "gperftools"},
    [HP_PRODUCER_GO] = {"Go heap profile", "Go"},
    [HP_PRODUCER_PPROF] = {"pprof profile", NULL},
    [HP_PRODUCER_PPROF_GO] = {"pprof profile", "Go"},
    [HP_PRODUCER_PPROF_TCMALLOC] = {"pprof profile", "tcmalloc"},
    [HP_PRODUCER_PPROF_JEMALLOC] = {"pprof profile", "jemalloc_pprof"},
    [HP_PRODUCER_PPROF_OURS] = {"pprof profile", "hprof-agg"},
    [HP_PRODUCER_MAP] = {"memory map", "Linux"},
    [HP_PRODUCER_FOLDED] = {"folded stacks", NULL},
};

void hp_input_add_gain(const struct hp_input_record *input, enum hp_column column,
                       hp_fixed *bytes, struct hp_error *error) {
    const struct hp_header_gain *gain = &input->gain[column];
    *bytes += (hp_fixed)gain->bytes * (1LL << HP_SPACE_FRACTION);
    hp_uint128 hidden = (hp_uint128)gain->hidden, excess = (hp_uint128)gain->excess;
    error->hidden_bytes_max -= hidden;
    error->excess_bytes_max -= excess;
}

struct hp_values hp_input_whole(const struct hp_input_record *input) {
    struct hp_values whole = input->total;
    struct hp_error ignored = {0};
    for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
        hp_input_add_gain(input, i, &whole.of[hp_space_of(i)], &ignored);
    }
    return whole;
}

const char *hp_producer_text(enum hp_producer producer) {
    return producers[producer].format;
}

// Return the versions of jemalloc that print a dump such as this input.
static const char *version_of_jemalloc(const struct hp_input_record *input) {
    if (input->listed > 0 || input->slabs.bytes > 0) {
        return "ClickHouse's jemalloc";
    }
    return input->scaling == HP_SCALING_UNBIASED ? "jemalloc 5.3 or later"
           : input->scaling == HP_SCALING_RAW
               ? "jemalloc 4.0 to 5.2, or later with prof_unbias:false"
               : "jemalloc 4.0 or later";
}

const char *hp_writer_text(const struct hp_input_record *input) {
    return input->producer == HP_PRODUCER_JEMALLOC ? version_of_jemalloc(input)
                                                   : producers[input->producer].writer;
}

static bool is_of_jemalloc(const struct hp_input_record *input) {
    return input->producer == HP_PRODUCER_JEMALLOC ||
           input->producer == HP_PRODUCER_JEMALLOC_3;
}

// --- metrics ---------------------------------------------------------------------------

static bool is_missing(const struct hp_input_record *input, enum hp_metric metric) {
    return input->missing_metrics >> metric & 1;
}

// Whether the input has numbers of a metric.  Text formats have columns for allocated
// memory, but few writers fill them in: these columns are used only if has_alloc is set.
// An input without in-use columns has only allocated memory.
bool hp_input_has_metric(const struct hp_input_record *input, enum hp_metric metric) {
    bool is_inuse = hp_column_of(metric) == HP_COLUMN_INUSE;
    bool only_alloc =
        is_missing(input, HP_INUSE_SPACE) && is_missing(input, HP_INUSE_OBJECTS);
    return !is_missing(input, metric) &&
           (is_inuse ? !only_alloc : input->has_alloc || only_alloc);
}

const char *hp_input_missing(const struct hp_input_record *input, enum hp_metric metric) {
    bool is_inuse = hp_column_of(metric) == HP_COLUMN_INUSE;
    if (input->stacks == 0) {
        return input->period > 0 ? NULL : "anything, not even a sample period";
    }
    if (hp_input_has_metric(input, metric)) {
        return NULL;
    }
    if (hp_input_has_metric(input, is_inuse ? HP_INUSE_SPACE : HP_ALLOC_SPACE)) {
        return "how many objects there are";
    }
    return is_inuse                ? "what is in use"
           : is_of_jemalloc(input) ? "what was allocated and freed (prof_accum)"
                                   : "what was allocated and freed";
}

// --- all inputs ------------------------------------------------------------------------

const char *hp_input_reason_text(enum hp_input_reason reason) {
    static const char *const texts[HP_REASONS] = {
        [HP_REASON_UNREADABLE] = "unreadable",
        [HP_REASON_MALFORMED] = "malformed",
        [HP_REASON_UNSUPPORTED] = "unsupported",
        [HP_REASON_LIMIT] = "limit",
        [HP_REASON_REPEATED] = "repeated",
        [HP_REASON_PROGRAM] = "program",
        [HP_REASON_YOUNG] = "too_recent",
        [HP_REASON_OTHER_MOMENT] = "other-moment",
    };
    return texts[reason];
}

// Map the error code of an excluded input to a reason.
static enum hp_input_reason reason_of_failure(enum hp_code code) {
    return code == HP_E_IO            ? HP_REASON_UNREADABLE
           : code == HP_E_LIMIT       ? HP_REASON_LIMIT
           : code == HP_E_UNSUPPORTED ? HP_REASON_UNSUPPORTED
                                      : HP_REASON_MALFORMED;
}

enum hp_input_reason hp_input_reason(const struct hp_input_record *record) {
    const struct hp_input *input = &record->public;
    return input->status == HP_INPUT_DUPLICATE      ? HP_REASON_REPEATED
           : input->status == HP_INPUT_IGNORED      ? HP_REASON_PROGRAM
           : input->status == HP_INPUT_YOUNG        ? HP_REASON_YOUNG
           : input->status == HP_INPUT_OTHER_MOMENT ? HP_REASON_OTHER_MOMENT
                                                    : reason_of_failure(input->err->code);
}

uint64_t hp_input_dumps(const struct hp_input_record *input) {
    bool lists_processes = input->keys && input->source == 0;
    uint64_t processes =
        lists_processes ? input->keys->all.count + input->keys->unidentified : 0;
    return processes > 0 ? processes : 1 + input->others;
}

bool hp_input_is_merged(const struct hp_input_record *input) {
    return input->producer == HP_PRODUCER_PPROF_OURS &&
           input->scaling == HP_SCALING_SCALED;
}

// Add the record of an input that is used to a summary: as 1 + `others` inputs, which is
// more than one if the record represents a group of inputs.
static void add_used(struct hp_input_summary *summary,
                     const struct hp_input_record *input) {
    const char *producer = hp_producer_text(input->producer);
    bool is_same = summary->used == 0 || summary->producer == producer;
    summary->is_jemalloc =
        is_of_jemalloc(input) && (summary->used == 0 || summary->is_jemalloc);
    summary->used += 1 + input->others;
    summary->producer = is_same ? producer : "several formats";
    summary->is_difference |= input->negative > 0;
    summary->folded += input->producer == HP_PRODUCER_FOLDED ? 1 + input->others : 0;
    summary->is_merged |= hp_input_is_merged(input);
    summary->merged_used += input->merged_all ? input->merged_used : 1 + input->others;
    summary->listing += input->listed > 0 ? 1 + input->others : 0;
    summary->with_pages += input->large_sizes == HP_LARGE_PAGES ? 1 + input->others : 0;
    summary->unmapped += input->unmapped_addresses;
    hp_vec_push(&summary->periods, input->period);
    for (enum hp_metric metric = 0; metric < HP_METRICS; metric++) {
        summary->metrics |= (unsigned)hp_input_has_metric(input, metric) << metric;
    }
}

static int by_size(const void *left, const void *right) {
    const uint64_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

// Sort the periods, and keep each value once.
static void keep_different_periods(struct hp_input_summary *summary) {
    uint64_t *periods = summary->periods.at;
    size_t kept = 0;
    hp_vec_sort(&summary->periods, by_size);
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
        summary->all += 1 + input->others;
        bool is_used = hp_input_is_used(input);
        summary->merged_all +=
            is_used && input->merged_all ? input->merged_all : 1 + input->others;
        if (is_used) {
            add_used(summary, input);
        } else {
            summary->left_out[hp_input_reason(input)] += 1 + input->others;
        }
    }
    keep_different_periods(summary);
}

size_t hp_input_summary_skipped(const struct hp_input_summary *summary) {
    return summary->left_out[HP_REASON_UNREADABLE] +
           summary->left_out[HP_REASON_MALFORMED] +
           summary->left_out[HP_REASON_UNSUPPORTED] + summary->left_out[HP_REASON_LIMIT];
}
