// Folded stacks, as flamegraph.pl, inferno and speedscope read them, and with two numbers, what
// there was and what there is, as difffolded.pl writes them:
//
//     root;caller;leaf 12345
//     root;caller;leaf 12345 23456
//
// One line per distinct stack, in byte order; whole numbers only.  What the format cannot
// hold in a name is replaced: ';' by ':', control characters by a space, and, because
// readers take a number before the count for a second count, the space before a number
// that ends the leaf by '_'.
#include "report/report.h"

#include "base/units.h"
#include "base/utf8.h"
#include "view/shares.h"
#include "view/traces.h"

#include <string.h>

// Where the space stands in front of a final number, or the size of the name.
static size_t space_before_number(struct hp_span name) {
    size_t i = name.size;
    while (i > 0 && name.at[i - 1] >= '0' && name.at[i - 1] <= '9') {
        i--;
    }
    return i > 0 && i < name.size && name.at[i - 1] == ' ' ? i - 1 : name.size;
}

struct name {
    HP_VEC(char) text;
};

static void append(struct name *name, const char *text, size_t size) {
    hp_vec_reserve(&name->text, size);
    memcpy(name->text.at + name->text.count, text, size);
    name->text.count += size;
}

// The name as it is written, but for the number that may end a leaf.
static void clean(struct name *name, struct hp_span from) {
    name->text.count = 0;
    while (from.size > 0) {
        struct hp_utf8 c = hp_utf8_first(from);
        if (c.code == ';') {
            append(name, ":", 1);
        } else if (c.valid && c.code < 0x20) {
            append(name, " ", 1);
        } else {
            char escaped[HP_ESCAPE_MAX];
            size_t size;
            hp_escape(from.at, c.size, escaped, sizeof escaped, &size);
            append(name, escaped, size);
        }
        from = hp_span_from(from, c.size);
    }
}

// Names are few and occur often: clean each once.  Node n has the n-th of the result.
static hp_string *clean_all(const struct hp_naming *naming, struct hp_strtab *names) {
    size_t count = naming->names.strings.count;
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

struct writer {
    struct hp_sink *out;
    const struct hp_traces *traces;
    struct hp_strtab names;
    hp_string *of_node;
};

static struct hp_span name_of(const struct writer *w, hp_node_id node) {
    return hp_strtab_span(&w->names, w->of_node[node.n]);
}

static void put_span(struct hp_sink *out, struct hp_span span) {
    hp_sink_put(out, span.at, span.size);
}

static void put_leaf(struct hp_sink *out, struct hp_span name) {
    size_t space = space_before_number(name);
    put_span(out, (struct hp_span){name.at, space});
    if (space < name.size) {
        hp_sink_text(out, "_");
        put_span(out, hp_span_from(name, space + 1));
    }
}

static void put_trace(const struct writer *w, const struct hp_trace *trace) {
    if (trace->truncated) {
        put_span(w->out, name_of(w, w->traces->naming.truncated));
        hp_sink_text(w->out, ";");
    }
    for (uint32_t i = trace->depth; i-- > 1;) {
        put_span(w->out, name_of(w, trace->nodes[i]));
        hp_sink_text(w->out, ";");
    }
    put_leaf(w->out, name_of(w, trace->nodes[0]));
}

static void put_number(const struct writer *w, hp_int128 number) {
    char text[HP_NUMBER_SIZE];
    hp_format_integer(text, number);
    hp_sink_text(w->out, " ");
    hp_sink_text(w->out, text);
}

static void writer_init(struct writer *w, struct hp_sink *out,
                        const struct hp_traces *traces) {
    *w = (struct writer){.out = out, .traces = traces};
    w->of_node = clean_all(&traces->naming, &w->names);
}

static void writer_done(struct writer *w) {
    free(w->of_node);
    hp_strtab_done(&w->names);
}

static void write_folded(struct hp_sink *out, const struct hp_profile *profile,
                         const struct hp_report_options *options) {
    struct hp_traces traces;
    struct writer w;
    hp_traces_init(&traces, profile, options);
    struct hp_share_groups groups = {profile, traces.trace_of, traces.traces.count};
    hp_int128 *shares = hp_shares(&groups, options->metric);
    writer_init(&w, out, &traces);
    for (size_t i = 0; i < traces.traces.count; i++) {
        if (shares[i] > 0) {
            put_trace(&w, &traces.traces.at[i]);
            put_number(&w, shares[i]);
            hp_sink_text(out, "\n");
        }
    }
    writer_done(&w);
    free(shares);
    hp_traces_done(&traces);
}

static void write_difffolded(struct hp_sink *out, const struct hp_profile *profile,
                             const struct hp_report_options *options) {
    struct hp_traces traces;
    struct hp_sides sides;
    struct writer w;
    hp_traces_init(&traces, profile, options);
    hp_sides_init(&sides, profile);
    struct hp_share_groups groups = {profile, traces.trace_of, traces.traces.count};
    hp_int128 *base = hp_shares_of_side(&groups, &sides, HP_SIDE_BASE, options->metric);
    hp_int128 *new = hp_shares_of_side(&groups, &sides, HP_SIDE_NEW, options->metric);
    writer_init(&w, out, &traces);
    for (size_t i = 0; i < traces.traces.count; i++) {
        if (base[i] > 0 || new[i] > 0) {
            put_trace(&w, &traces.traces.at[i]);
            put_number(&w, base[i]);
            put_number(&w, new[i]);
            hp_sink_text(out, "\n");
        }
    }
    writer_done(&w);
    free(base);
    free(new);
    hp_sides_done(&sides);
    hp_traces_done(&traces);
}

const struct hp_format_writer hp_folded_writer = {
    .name = "folded",
    .files = "*.folded *.collapsed",
    .help = "one line per stack, for flamegraph.pl, inferno, speedscope",
    .kinds = 1 << HP_REPORT_TOP | 1 << HP_REPORT_STACKS | 1 << HP_REPORT_MERGE,
    .one_metric = true,
    .unsigned_kinds = 1 << HP_REPORT_TOP | 1 << HP_REPORT_STACKS | 1 << HP_REPORT_MERGE,
    .write = write_folded,
};

const struct hp_format_writer hp_difffolded_writer = {
    .name = "difffolded",
    .files = "*.difffolded",
    .help =
        "one line per stack with what there was and what there is, for differential "
        "flame graphs",
    .kinds = 1 << HP_REPORT_DIFF,
    .one_metric = true,
    .unsigned_kinds = 1 << HP_REPORT_DIFF,
    .write = write_difffolded,
};
