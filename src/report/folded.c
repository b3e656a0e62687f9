// Folded stacks, as flamegraph.pl, inferno and speedscope read them; with two numbers,
// before and after, as difffolded.pl writes them:
//
//     root;caller;leaf 12345
//     root;caller;leaf 12345 23456
//
// One line for each distinct stack, in byte order, with whole numbers.  Characters that
// the format cannot have in a name are replaced: ';' by ':' and control characters by a
// space.  Readers take a number before the count for a second count, so that in a leaf
// whose name ends in a number the space before it becomes '_'.
#include "report/format.h"

#include "base/utf8.h"

#include <string.h>

// Return the index of the space before a number that ends the name; the size of the name
// if there is none.
static size_t space_before_number(struct hp_span name) {
    size_t i = name.size;
    while (i > 0 && name.at[i - 1] >= '0' && name.at[i - 1] <= '9') {
        i--;
    }
    return i > 0 && i < name.size && name.at[i - 1] == ' ' ? i - 1 : name.size;
}

// A name while it is cleaned.
struct name {
    HP_VEC(char) text;
};

// Clean a name: escape or replace the characters that the format cannot have.  The number
// at the end of a leaf is handled by put_leaf().
static void clean(struct name *name, struct hp_span from) {
    name->text.count = 0;
    while (from.size > 0) {
        struct hp_utf8 c = hp_utf8_first(from);
        if (c.code == ';') {
            hp_vec_append(&name->text, ":", 1);
        } else if (c.valid && c.code < 0x20) {
            hp_vec_append(&name->text, " ", 1);
        } else {
            char escaped[HP_ESCAPE_MAX];
            size_t size;
            hp_escape(from.at, c.size, escaped, sizeof escaped, &size);
            hp_vec_append(&name->text, escaped, size);
        }
        from = hp_span_from(from, c.size);
    }
}

// Clean the name of each node once, because names are few and occur often.  Returns the
// cleaned name of each node, which the caller frees; the texts are in `names`.
static hp_string *clean_all(const struct hp_naming *naming, struct hp_strtab *names) {
    size_t count = hp_node_count(naming);
    hp_string *of_node = hp_alloc(count * sizeof *of_node);
    struct name name = {0};
    for (uint32_t i = 1; i < count; i++) {
        clean(&name, hp_node_name(naming, (hp_node_id){i}));
        of_node[i] =
            hp_strtab_add(names, (struct hp_span){name.text.at, name.text.count});
    }
    hp_vec_done(&name.text);
    return of_node;
}

// State of writing folded stacks; stacks with the same cleaned names are merged.
struct folded_writer {
    struct hp_sink *out;
    const struct hp_view *view;
    // `names`: the cleaned names; `of_node`: for each node its cleaned name.
    struct hp_strtab names;
    hp_string *of_node;
    uint32_t *rank;  // for each cleaned name: its place in byte order
    uint32_t *order; // numbers of the stacks, sorted by the ranks of their names
};

static struct hp_span name_of(const struct folded_writer *w, hp_node_id node) {
    return hp_strtab_span(&w->names, w->of_node[node.n]);
}

static void put_span(struct hp_sink *out, struct hp_span span) {
    hp_sink_put(out, span.at, span.size);
}

// Write the name of a leaf; see space_before_number().
static void put_leaf(struct hp_sink *out, struct hp_span name) {
    size_t space = space_before_number(name);
    put_span(out, (struct hp_span){name.at, space});
    if (space < name.size) {
        hp_sink_text(out, "_");
        put_span(out, hp_span_from(name, space + 1));
    }
}

// Write the names of a stack from the root, separated by ';'.  A truncated stack begins
// with the name of the node that represents frames that were cut off.
static void put_stack(const struct folded_writer *w, const struct hp_stack_key *stack) {
    if (stack->truncated) {
        put_span(w->out, name_of(w, w->view->naming.truncated));
        hp_sink_text(w->out, ";");
    }
    for (uint32_t i = stack->depth; i-- > 1;) {
        put_span(w->out, name_of(w, (hp_node_id){stack->at[i]}));
        hp_sink_text(w->out, ";");
    }
    put_leaf(w->out, name_of(w, (hp_node_id){stack->at[0]}));
}

// --- order ----------------------------------------------------------------------------------

static int by_text(const void *left, const void *right, void *names) {
    return hp_span_compare(hp_strtab_span(names, *(const hp_string *)left),
                           hp_strtab_span(names, *(const hp_string *)right));
}

// Find the position of each name in byte order; the caller frees the result.
static uint32_t *rank_names(struct hp_strtab *names) {
    size_t count = names->strings.count;
    hp_string *order = hp_alloc((count + 1) * sizeof *order);
    uint32_t *rank = hp_alloc((count + 1) * sizeof *rank);
    for (uint32_t i = 0; i < count; i++) {
        order[i].n = i;
    }
    qsort_r(order, count, sizeof *order, by_text, names);
    for (uint32_t i = 0; i < count; i++) {
        rank[order[i].n] = i;
    }
    free(order);
    return rank;
}

// Number of names that are written for a stack.
static uint32_t length_of(const struct hp_stack_key *stack) {
    return stack->depth + stack->truncated;
}

// The rank of the i-th name that is written for a stack, from the root.
static uint32_t rank_at(const struct folded_writer *w, const struct hp_stack_key *stack,
                        uint32_t i) {
    uint32_t node = i < stack->truncated
                        ? w->view->naming.truncated.n
                        : stack->at[stack->depth - 1 - (i - stack->truncated)];
    return w->rank[w->of_node[node].n];
}

// Compare two stacks by the ranks of their names, from the root.  Stacks compare equal if
// they would be written alike, as can happen with short names.
static int compare(const struct folded_writer *w, uint32_t left, uint32_t right) {
    const struct hp_stack_key *a = &w->view->stacks.all.at[left];
    const struct hp_stack_key *b = &w->view->stacks.all.at[right];
    uint32_t length_a = length_of(a), length_b = length_of(b);
    for (uint32_t i = 0; i < length_a && i < length_b; i++) {
        uint32_t rank_a = rank_at(w, a, i), rank_b = rank_at(w, b, i);
        if (rank_a != rank_b) {
            return rank_a < rank_b ? -1 : 1;
        }
    }
    return (length_a > length_b) - (length_a < length_b);
}

static int by_names(const void *left, const void *right, void *writer) {
    return compare(writer, *(const uint32_t *)left, *(const uint32_t *)right);
}

// --- lines ----------------------------------------------------------------------------------

static void writer_init(struct folded_writer *w, struct hp_sink *out,
                        const struct hp_view *view) {
    size_t count = view->stacks.all.count;
    *w = (struct folded_writer){.out = out, .view = view};
    w->of_node = clean_all(&view->naming, &w->names);
    w->rank = rank_names(&w->names);
    w->order = hp_alloc((count + 1) * sizeof *w->order);
    for (uint32_t i = 0; i < count; i++) {
        w->order[i] = i;
    }
    qsort_r(w->order, count, sizeof *w->order, by_names, w);
}

static void writer_done(struct folded_writer *w) {
    free(w->of_node);
    free(w->rank);
    free(w->order);
    hp_strtab_done(&w->names);
}

enum {
    // Numbers on a line, at most.
    MOST_COLUMNS = 2,
};

// Write one line for each group of equal stacks, with the sums of their values in each
// column.  A stack without a value above zero is skipped.
static void put_lines(const struct folded_writer *w, hp_int128 *const *columns,
                      size_t count) {
    size_t stacks = w->view->stacks.all.count;
    for (size_t i = 0; i < stacks;) {
        uint32_t first = w->order[i];
        hp_int128 sums[MOST_COLUMNS] = {0};
        for (; i < stacks && compare(w, w->order[i], first) == 0; i++) {
            for (size_t k = 0; k < count; k++) {
                sums[k] += columns[k][w->order[i]];
            }
        }
        if (sums[0] <= 0 && sums[1] <= 0) {
            continue;
        }
        put_stack(w, &w->view->stacks.all.at[first]);
        for (size_t k = 0; k < count; k++) {
            hp_sink_text(w->out, " ");
            hp_sink_integer(w->out, sums[k]);
        }
        hp_sink_text(w->out, "\n");
    }
}

// Values of all stacks as integers that add up to the rounded total; the caller frees
// them.
static hp_int128 *whole_of(const struct hp_view *view, struct hp_selection selection) {
    return hp_stacks_whole(&view->stacks, selection, view->options.metric);
}

static void write_folded(struct hp_sink *out, const struct hp_view *view) {
    struct folded_writer w;
    hp_int128 *all = whole_of(view, (struct hp_selection){HP_OF_ALL, 0});
    writer_init(&w, out, view);
    put_lines(&w, &all, 1);
    writer_done(&w);
    free(all);
}

static void write_difffolded(struct hp_sink *out, const struct hp_view *view) {
    struct folded_writer w;
    hp_int128 *sides[] = {whole_of(view, (struct hp_selection){HP_OF_BASE, 0}),
                          whole_of(view, (struct hp_selection){HP_OF_NEW, 0})};
    writer_init(&w, out, view);
    put_lines(&w, sides, 2);
    writer_done(&w);
    free(sides[0]);
    free(sides[1]);
}

const struct hp_format hp_format_folded = {
    .name = "folded",
    .files = "*.folded *.collapsed",
    .help = "one line per stack, for flamegraph.pl, inferno, speedscope",
    .can = HP_READ_AS_INT64 | HP_CAN_ONLY_GROW | HP_HAS_SHORT_NAMES,
    .shape = HP_SHAPE_NAMES,
    .write = {[HP_REPORT_TOP] = write_folded,
              [HP_REPORT_STACKS] = write_folded,
              [HP_REPORT_MERGE] = write_folded},
};

const struct hp_format hp_format_difffolded = {
    .name = "difffolded",
    .files = "*.difffolded",
    .help =
        "one line per stack with what there was and what there is, for differential "
        "flame graphs",
    .can = HP_READ_AS_INT64 | HP_HAS_SHORT_NAMES,
    .shape = HP_SHAPE_NAMES,
    .write = {[HP_REPORT_DIFF] = write_difffolded},
};
