#include "cli/jeprof/jeprof.h"

#include "cli/safetext.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- numbers ---------------------------------------------------------------------------

// Whether the metric is objects, not bytes.
static bool counts_objects(const struct hp_jeprof_options *options) {
    return options->metric == HP_INUSE_OBJECTS || options->metric == HP_ALLOC_OBJECTS;
}

const char *hp_jeprof_units(const struct hp_jeprof_options *options) {
    return counts_objects(options)                ? "objects"
           : options->is_on[HP_JEPROF_SHOW_BYTES] ? "B"
                                                  : "MB";
}

// Make a number whole: truncated with --exact-jeprof, as jeprof does, else rounded.
static double whole(const struct hp_jeprof_options *options, double value) {
    double rounded = options->exact ? trunc(value) : round(value);
    return rounded == 0 ? 0 : rounded; // no -0
}

struct hp_jeprof_number hp_jeprof_number(const struct hp_jeprof_options *options,
                                         double value) {
    struct hp_jeprof_number number;
    if (counts_objects(options) || options->is_on[HP_JEPROF_SHOW_BYTES]) {
        snprintf(number.text, sizeof number.text, "%.0f", whole(options, value));
    } else {
        snprintf(number.text, sizeof number.text, "%.1f", value / (1 << 20));
    }
    return number;
}

struct hp_jeprof_number hp_jeprof_share(double value, double total) {
    struct hp_jeprof_number number;
    if (total == 0) {
        snprintf(number.text, sizeof number.text, "%s",
                 value == 0  ? "nan"
                 : value > 0 ? "+inf"
                             : "-inf");
    } else {
        snprintf(number.text, sizeof number.text, "%.1f%%", value * 100 / total);
    }
    return number;
}

// --- sums ------------------------------------------------------------------------------

// Context of compare_rows() for qsort_r(): rows are sorted by value, the largest first;
// without by_size, negative values are last.
struct order {
    const struct hp_jeprof_stacks *stacks;
    const double *of; // the value of each row
    bool by_size;     // by absolute value
};

static int compare_rows(const void *left, const void *right, void *context) {
    const struct order *order = context;
    size_t a = *(const size_t *)left, b = *(const size_t *)right;
    double x = order->of[a], y = order->of[b];
    x = order->by_size ? fabs(x) : x;
    y = order->by_size ? fabs(y) : y;
    const struct hp_jeprof_bytes *names = order->stacks->rows.items;
    return x != y ? (x < y ? 1 : -1) : strcmp(names[a].at, names[b].at);
}

// Add the value of one stack to flat of its leaf's row and to cum of all its rows.  A row
// that occurs several times, as a recursive function does, is added to cum once: `seen`
// has the number of the last stack that contained each row.
static void add_stack(struct hp_jeprof_sums *sums, const struct hp_jeprof_stack *stack,
                      size_t *seen, size_t number) {
    for (size_t i = 0; i < stack->count; i++) {
        size_t row = sums->stacks->frames[stack->frames[i]].row;
        if (i == 0) {
            sums->flat[row] += stack->value;
        }
        if (seen[row] != number) {
            seen[row] = number;
            sums->cum[row] += stack->value;
        }
    }
}

void hp_jeprof_sums_init(struct hp_jeprof_sums *sums,
                         const struct hp_jeprof_stacks *stacks, bool by_cum,
                         bool by_size) {
    size_t rows = stacks->rows.count + 1, size = rows * sizeof(double);
    *sums = (struct hp_jeprof_sums){.stacks = stacks,
                                    .flat = hp_cli_resize(NULL, size),
                                    .cum = hp_cli_resize(NULL, size),
                                    .order = hp_cli_resize(NULL, rows * sizeof(size_t))};
    size_t *seen = hp_cli_resize(NULL, rows * sizeof *seen);
    memset(seen, 0, rows * sizeof *seen);
    for (size_t i = 0; i < rows; i++) {
        sums->flat[i] = sums->cum[i] = 0;
    }
    for (size_t i = 0; i < stacks->keys.count; i++) {
        if (hp_jeprof_stack_is_shown(stacks, &stacks->stacks[i])) {
            add_stack(sums, &stacks->stacks[i], seen, i + 1);
        }
    }
    for (size_t i = 0; i + 1 < rows; i++) {
        if (seen[i] != 0) {
            sums->order[sums->count++] = i;
        }
    }
    free(seen);
    struct order order = {stacks, by_cum ? sums->cum : sums->flat, by_size};
    if (sums->count > 0) {
        qsort_r(sums->order, sums->count, sizeof *sums->order, compare_rows, &order);
    }
}

void hp_jeprof_sums_done(struct hp_jeprof_sums *sums) {
    free(sums->flat);
    free(sums->cum);
    free(sums->order);
}

// Return the sum of the stacks that are shown.  Stacks that lost all frames belong to no
// row, and are not included.
double hp_jeprof_shown(const struct hp_jeprof_stacks *stacks) {
    double total = 0;
    for (size_t i = 0; i < stacks->keys.count; i++) {
        const struct hp_jeprof_stack *stack = &stacks->stacks[i];
        bool is_shown = stack->count > 0 && hp_jeprof_stack_is_shown(stacks, stack);
        total += is_shown ? stack->value : 0;
    }
    return total;
}

// --- text ------------------------------------------------------------------------------

void hp_jeprof_write_total(FILE *out, const struct hp_jeprof_stacks *stacks,
                           const char *thread) {
    if (stacks->total != 0) {
        char *name = hp_cli_safe(thread != NULL ? thread : "");
        fprintf(out, "Total%s%s%s: %s %s\n", thread != NULL ? " (t" : "", name,
                thread != NULL ? ")" : "",
                hp_jeprof_number(stacks->options, stacks->total).text,
                hp_jeprof_units(stacks->options));
        free(name);
    }
}

void hp_jeprof_write_text(FILE *out, const struct hp_jeprof_stacks *stacks,
                          size_t limit) {
    const struct hp_jeprof_options *options = stacks->options;
    struct hp_jeprof_sums sums;
    hp_jeprof_sums_init(&sums, stacks, options->is_on[HP_JEPROF_CUM], false);
    double total = hp_jeprof_shown(stacks), running = 0;
    size_t count = limit > 0 && limit < sums.count ? limit : sums.count;
    for (size_t i = 0; i < count; i++) {
        size_t row = sums.order[i];
        double flat = sums.flat[row], cum = sums.cum[row];
        running += flat;
        if (flat != 0 || cum != 0) {
            fprintf(out, "%8s %6s %6s %8s %6s %s\n", hp_jeprof_number(options, flat).text,
                    hp_jeprof_share(flat, total).text,
                    hp_jeprof_share(running, total).text,
                    hp_jeprof_number(options, cum).text, hp_jeprof_share(cum, total).text,
                    stacks->rows.items[row].at);
        }
    }
    hp_jeprof_sums_done(&sums);
}

// --- texts with values -----------------------------------------------------------------

// Distinct texts, each with the sum of its values.
struct text_tally {
    struct hp_jeprof_set texts;
    double *values;
    size_t *order; // numbers of texts, sorted by tally_sort()
};

// Add a value to a text; frees `text`.
static void tally_add(struct text_tally *tally, char *text, double value) {
    size_t before = tally->texts.count;
    size_t number = hp_jeprof_set_add(&tally->texts, text, strlen(text));
    free(text);
    if (number == before) {
        tally->values = hp_cli_grow(tally->values, before, sizeof *tally->values);
        tally->order = hp_cli_grow(tally->order, before, sizeof *tally->order);
        tally->values[before] = 0;
        tally->order[before] = before;
    }
    tally->values[number] += value;
}

// Compare two texts, given by their numbers, by their bytes.
static int compare_texts(const void *left, const void *right, void *texts) {
    const struct hp_jeprof_bytes *items = texts;
    return strcmp(items[*(const size_t *)left].at, items[*(const size_t *)right].at);
}

static void tally_sort(struct text_tally *tally) {
    if (tally->texts.count > 0) {
        qsort_r(tally->order, tally->texts.count, sizeof *tally->order, compare_texts,
                tally->texts.items);
    }
}

static void tally_done(struct text_tally *tally) {
    free(tally->values);
    free(tally->order);
    hp_jeprof_set_done(&tally->texts);
}

// --- collapsed -------------------------------------------------------------------------

// Whether a stack is written: it is shown and has frames.  With --exact-jeprof shown
// stacks that lost all frames are also written, as jeprof does.
static bool is_written(const struct hp_jeprof_stacks *stacks,
                       const struct hp_jeprof_stack *stack) {
    return (stack->count > 0 || stacks->options->exact) &&
           hp_jeprof_stack_is_shown(stacks, stack);
}

// Write a name, but each ";" as ":", because ";" separates calls.
static void put_name(FILE *out, const char *name) {
    for (; *name != '\0'; name++) {
        fputc(*name == ';' ? ':' : *name, out);
    }
}

// The calls of a stack from the root to the leaf, with ";" between; the caller frees the
// text.
static char *collapse(const struct hp_jeprof_stacks *stacks,
                      const struct hp_jeprof_stack *stack) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL) {
        hp_cli_out_of_memory(0, NULL);
    }
    for (size_t i = stack->count; i-- > 0;) {
        const struct hp_jeprof_frame *frame = &stacks->frames[stack->frames[i]];
        put_name(out, frame->full);
        fprintf(out, "%s%s",
                frame->is_inlined && stacks->options->exact ? "[inline]" : "",
                i > 0 ? ";" : "");
    }
    fclose(out);
    return text;
}

// Write the stacks as lines for flamegraph.pl.  The lines are distinct and sorted, so
// that they can also be compared.
void hp_jeprof_write_collapsed(FILE *out, const struct hp_jeprof_stacks *stacks) {
    struct text_tally lines = {.texts = {0}};
    for (size_t i = 0; i < stacks->keys.count; i++) {
        const struct hp_jeprof_stack *stack = &stacks->stacks[i];
        if (is_written(stacks, stack)) {
            tally_add(&lines, collapse(stacks, stack), stack->value);
        }
    }
    tally_sort(&lines);
    for (size_t i = 0; i < lines.texts.count; i++) {
        size_t number = lines.order[i];
        fprintf(out, "%s %.0f\n", lines.texts.items[number].at,
                whole(stacks->options, lines.values[number]));
    }
    tally_done(&lines);
}

// --- callgrind -------------------------------------------------------------------------

// Return the key of a call: "FILE\nLINE\nNAME\n" of the caller, then of the callee if
// that is not NULL.  The line has leading zeros, so that keys sort by number.  The caller
// frees it.
static char *call_key(const struct hp_jeprof_frame *caller,
                      const struct hp_jeprof_frame *callee) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL) {
        hp_cli_out_of_memory(0, NULL);
    }
    for (int i = 0; i < (callee != NULL ? 2 : 1); i++) {
        const struct hp_jeprof_frame *frame = i == 0 ? caller : callee;
        const char *colon = strrchr(frame->place, ':');
        size_t file = (size_t)(colon - frame->place);
        fprintf(out, "%.*s\n%010ld\n%s\n", (int)file, frame->place,
                strtol(colon + 1, NULL, 10), frame->name);
    }
    fclose(out);
    return text;
}

// Store the outermost frame of each address of a stack (the one that is not inlined) in
// `outermost`, leaf first; the frames are borrowed.  Returns their number.  The array
// needs room for all frames of the stack.
static size_t addresses_of(const struct hp_jeprof_stacks *stacks,
                           const struct hp_jeprof_stack *stack,
                           const struct hp_jeprof_frame **outermost) {
    size_t count = 0;
    for (size_t i = 0; i < stack->count; i++) {
        const struct hp_jeprof_frame *frame = &stacks->frames[stack->frames[i]];
        if (!frame->is_inlined || i + 1 == stack->count) {
            outermost[count++] = frame;
        }
    }
    return count;
}

// The frame that represents a stack without frames, such as one with only frames of the
// allocator.
static const struct hp_jeprof_frame unknown = {.name = (char[]){"unknown"},
                                               .place = (char[]){"??:0"}};

// Sum up, over all written stacks, the values of calls from frame to frame, and of
// leaves.
static void find_calls(const struct hp_jeprof_stacks *stacks, struct text_tally *calls) {
    const struct hp_jeprof_frame **outermost = NULL;
    for (size_t i = 0; i < stacks->keys.count; i++) {
        const struct hp_jeprof_stack *stack = &stacks->stacks[i];
        if (!is_written(stacks, stack)) {
            continue;
        }
        outermost =
            hp_cli_resize((void *)outermost, (stack->count + 1) * sizeof(const void *));
        size_t count = addresses_of(stacks, stack, outermost);
        outermost[0] = count > 0 ? outermost[0] : &unknown;
        tally_add(calls, call_key(outermost[0], NULL), stack->value);
        for (size_t k = 1; k < count; k++) {
            tally_add(calls, call_key(outermost[k], outermost[k - 1]), stack->value);
        }
    }
    free((void *)outermost);
}

// Write "fl=(1) name" at the first use of a name, then "fl=(1)".  Short names are always
// written out.
static void put_compressed(FILE *out, const char *key, const char *name,
                           struct hp_jeprof_set *known) {
    size_t before = known->count;
    if (strlen(name) <= 3) {
        fprintf(out, "%s=%s\n", key, name);
        return;
    }
    size_t number = hp_jeprof_set_add(known, name, strlen(name));
    fprintf(out, "%s=(%zu)%s%s\n", key, number + 1, number == before ? " " : "",
            number == before ? name : "");
}

// Write a call, or the value of a leaf; `key` is one of call_key() and is cut into its
// lines in place.  With `exact` the caller's name ends at its first space, as in jeprof.
static void put_call(FILE *out, char *key, double value, bool exact,
                     struct hp_jeprof_set known[2]) {
    char *parts[6] = {0};
    for (size_t i = 0; i < 6 && *key != '\0'; i++) {
        parts[i] = key;
        key += strcspn(key, "\n");
        *key++ = '\0';
    }
    if (exact) {
        parts[2][strcspn(parts[2], " ")] = '\0';
    }
    put_compressed(out, "fl", parts[0], &known[0]);
    put_compressed(out, "fn", parts[2], &known[1]);
    if (parts[3] != NULL) {
        put_compressed(out, "cfl", parts[3], &known[0]);
        put_compressed(out, "cfn", parts[5], &known[1]);
        fprintf(out, "calls=%.0f %ld\n", value, strtol(parts[4], NULL, 10));
    }
    fprintf(out, "%ld %.0f\n\n", strtol(parts[1], NULL, 10), value);
}

void hp_jeprof_write_callgrind(FILE *out, const struct hp_jeprof_stacks *stacks) {
    struct text_tally calls = {.texts = {0}};
    struct hp_jeprof_set known[2] = {0};
    find_calls(stacks, &calls);
    tally_sort(&calls);
    fputs("events: Hits\n\n", out);
    for (size_t i = 0; i < calls.texts.count; i++) {
        size_t number = calls.order[i];
        put_call(out, calls.texts.items[number].at,
                 whole(stacks->options, calls.values[number]), stacks->options->exact,
                 known);
    }
    hp_jeprof_set_done(&known[0]);
    hp_jeprof_set_done(&known[1]);
    tally_done(&calls);
}
