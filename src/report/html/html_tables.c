// The names in the stacks, numbered in the order of the sites where they occur, which is
// the order of names.
#include "report/html/html.h"

#include "report/text/text.h"
#include "view/shortname.h"

// State while the tables of texts, functions, names and frames are built.
struct tables_builder {
    const struct hp_view *view;
    struct hp_html_tables *tables;
    // For each string of the profile: the function with this name, or 0.
    HP_VEC(uint32_t) function_of;
    // Room for a shortened name.
    HP_VEC(char) scratch;
};

// The number of a text, added if it is new.
static uint32_t add_string(const struct tables_builder *b, struct hp_span text) {
    return hp_strtab_add(&b->tables->strings, text).n;
}

// --- functions ----------------------------------------------------------------------------

// Add a function with its full name, the name that filters look at, and the short name.
static void push_function(struct tables_builder *b, struct hp_span full) {
    struct hp_html_tables *tables = b->tables;
    b->scratch.count = 0;
    hp_vec_reserve(&b->scratch, hp_short_name_room(full.size));
    struct hp_span match = hp_untyped_name(full, b->scratch.at);
    hp_vec_push(&tables->functions.full, add_string(b, full));
    hp_vec_push(&tables->functions.match, add_string(b, match));
    struct hp_span shown = hp_short_name(full, b->scratch.at);
    hp_vec_push(&tables->functions.shown, add_string(b, shown));
}

// Find or add the function with this name; 0 if there is no name.
static uint32_t find_function(struct tables_builder *b, hp_string function) {
    uint32_t *number = hp_vec_reach(&b->function_of, function.n);
    if (function.n > 0 && *number == 0) {
        *number = (uint32_t)b->tables->functions.full.count;
        push_function(b, hp_view_string(b->view, function));
    }
    return *number;
}

// --- names and frames ---------------------------------------------------------------------

// Find or add the name of a node; returns its number.
static uint32_t find_name(struct tables_builder *b, hp_node_id node) {
    struct hp_html_tables *tables = b->tables;
    const struct hp_view *view = b->view;
    uint32_t *number = &tables->number_of[node.n];
    if (*number == 0) {
        uint32_t text = add_string(b, hp_node_full_name(&view->naming, node));
        hp_vec_push(&tables->names.text, text);
        hp_vec_push(&tables->names.shown, add_string(b, hp_view_node(view, node)));
        hp_vec_push(&tables->names.nodes, node);
        *number = (uint32_t)tables->names.text.count;
    }
    return *number - 1;
}

// Add the frame of the site with this number.
static void add_frame(struct tables_builder *b, uint32_t number) {
    struct hp_html_tables *tables = b->tables;
    const struct hp_site *site = &b->view->stacks.sites.all.at[number];
    hp_vec_push(&tables->sites, number);
    tables->frame_of[number] = (uint32_t)tables->sites.count;
    hp_vec_push(&tables->name_of, find_name(b, site->name));
    hp_vec_push(&tables->function_of, find_function(b, site->function));
    hp_vec_push(&tables->file_of, add_string(b, hp_view_string(b->view, site->file)));
    hp_vec_push(&tables->module_of, add_string(b, hp_view_string(b->view, site->module)));
}

// Make names distinct: those that are shortened to the same text get the text that the
// text report would show.
static void make_distinct(const struct tables_builder *b) {
    struct hp_html_tables *tables = b->tables;
    size_t count = tables->names.shown.count;
    uint32_t *alike = hp_alloc(tables->strings.strings.count * sizeof *alike);
    struct hp_text_names *names = hp_text_names_new(b->view);
    for (size_t i = 0; i < count; i++) {
        alike[tables->names.shown.at[i]]++;
    }
    for (size_t i = 0; i < count; i++) {
        if (alike[tables->names.shown.at[i]] > 1) {
            hp_text_names_add(names, tables->names.nodes.at[i], 0);
        }
    }
    hp_text_names_make_distinct(names);
    for (size_t i = 0; i < count; i++) {
        uint32_t *shown = &tables->names.shown.at[i];
        if (alike[*shown] > 1) {
            *shown = add_string(b, hp_text_name(names, tables->names.nodes.at[i]));
        }
    }
    hp_text_names_free(names);
    free(alike);
}

void hp_html_tables_init(struct hp_html_tables *tables, const struct hp_view *view) {
    struct tables_builder b = {.view = view, .tables = tables};
    const struct hp_stacks *stacks = &view->stacks;
    const struct hp_stack_key *stack;
    size_t count = stacks->sites.all.count;
    *tables = (struct hp_html_tables){
        .frame_of = hp_alloc(count * sizeof *tables->frame_of),
        .number_of = hp_alloc(hp_node_count(&view->naming) * sizeof *tables->number_of),
    };
    hp_vec_each (stack, &stacks->all) {
        for (uint32_t i = 0; i < stack->depth; i++) {
            tables->frame_of[stack->at[i]] = 1;
        }
    }
    push_function(&b, hp_span_of(""));
    for (uint32_t i = 0; i < count; i++) {
        if (tables->frame_of[i]) {
            add_frame(&b, i);
        }
    }
    make_distinct(&b);
    hp_vec_done(&b.function_of);
    hp_vec_done(&b.scratch);
}

void hp_html_tables_done(struct hp_html_tables *tables) {
    hp_strtab_done(&tables->strings);
    hp_vec_done(&tables->functions.full);
    hp_vec_done(&tables->functions.match);
    hp_vec_done(&tables->functions.shown);
    hp_vec_done(&tables->names.text);
    hp_vec_done(&tables->names.shown);
    hp_vec_done(&tables->names.nodes);
    hp_vec_done(&tables->sites);
    hp_vec_done(&tables->name_of);
    hp_vec_done(&tables->function_of);
    hp_vec_done(&tables->file_of);
    hp_vec_done(&tables->module_of);
    free(tables->frame_of);
    free(tables->number_of);
}

struct hp_span hp_html_name(const struct hp_view *view,
                            const struct hp_html_tables *tables, hp_node_id node) {
    uint32_t number = tables->number_of[node.n];
    return number > 0 ? hp_strtab_span(&tables->strings,
                                       (hp_string){tables->names.shown.at[number - 1]})
                      : hp_view_node(view, node);
}

// --- columns ------------------------------------------------------------------------------

void hp_html_put_integer(struct hp_sink *out, int64_t number) {
    char text[24], *at = text + sizeof text;
    uint64_t left = number < 0 ? -(uint64_t)number : (uint64_t)number;
    do {
        *--at = (char)('0' + left % 10);
        left /= 10;
    } while (left > 0);
    if (number < 0) {
        *--at = '-';
    }
    hp_sink_put(out, at, (size_t)(text + sizeof text - at));
}

void hp_html_put_numbers(struct hp_sink *out, size_t count, hp_html_number_fn *number,
                         const void *data) {
    hp_sink_text(out, "[");
    for (size_t i = 0; i < count && !out->error; i++) {
        hp_sink_put(out, ",", i > 0);
        hp_html_put_integer(out, number(data, i));
    }
    hp_sink_text(out, "]");
}

static uint32_t number_at(const void *data, size_t i) {
    return ((const uint32_t *)data)[i];
}

void hp_html_put_integers(struct hp_sink *out, size_t count, const uint32_t *numbers) {
    hp_html_put_numbers(out, count, number_at, numbers);
}

// The sites of the frames, from which columns are written.
struct sites {
    const struct hp_site *sites;
    const uint32_t *of; // for each frame: its site
};

static const struct hp_site *site_at(const void *data, size_t i) {
    const struct sites *sites = data;
    return &sites->sites[sites->of[i]];
}

static uint32_t line_at(const void *data, size_t i) {
    return site_at(data, i)->line;
}

static uint32_t is_inlined_at(const void *data, size_t i) {
    return site_at(data, i)->is_inlined;
}

static uint32_t class_at(const void *data, size_t i) {
    return site_at(data, i)->class;
}

static uint32_t is_hidden_at(const void *data, size_t i) {
    return site_at(data, i)->is_hidden;
}

// Write a column from an array, then the text `after`.
static void put_numbers(struct hp_sink *out, const char *name, size_t count,
                        const uint32_t *numbers, const char *after) {
    hp_sink_print(out, "\"%s\":", name);
    hp_html_put_integers(out, count, numbers);
    hp_sink_text(out, after);
}

// Write a column from the sites of the frames.
static void put_of_sites(struct hp_sink *out, const char *name, size_t count,
                         hp_html_number_fn *number, const struct sites *sites) {
    hp_sink_print(out, "\"%s\":", name);
    hp_html_put_numbers(out, count, number, sites);
    hp_sink_text(out, ",\n");
}

// Write the names (full text and short text), and the class of each; -1: no class.
static void put_names(struct hp_sink *out, const struct hp_view *view,
                      const struct hp_html_tables *tables) {
    size_t count = tables->names.text.count;
    hp_sink_text(out, "\"names\":{");
    put_numbers(out, "text", count, tables->names.text.at, ",");
    put_numbers(out, "short", count, tables->names.shown.at, ",\"class\":[");
    for (size_t i = 0; i < count; i++) {
        enum hp_frame_class class =
            hp_node_class(&view->naming, tables->names.nodes.at[i]);
        hp_sink_put(out, ",", i > 0);
        hp_html_put_integer(out, class < HP_CLASSES ? (int)class : -1);
    }
    hp_sink_text(out, "]},\n");
}

// Write the frames, and the number of the frame that truncated stacks begin with; -1:
// none.
static void put_frames(struct hp_sink *out, const struct hp_view *view,
                       const struct hp_html_tables *tables) {
    size_t count = tables->sites.count;
    struct sites sites = {view->stacks.sites.all.at, tables->sites.at};
    uint32_t truncated = hp_site_of(&view->stacks.sites, view->naming.truncated_call, 0);
    hp_sink_text(out, "\"frames\":{");
    put_numbers(out, "name", count, tables->name_of.at, ",\n");
    put_numbers(out, "function", count, tables->function_of.at, ",\n");
    put_numbers(out, "file", count, tables->file_of.at, ",\n");
    put_of_sites(out, "line", count, line_at, &sites);
    put_numbers(out, "module", count, tables->module_of.at, ",\n");
    put_of_sites(out, "inlined", count, is_inlined_at, &sites);
    put_of_sites(out, "class", count, class_at, &sites);
    hp_sink_text(out, "\"hidden\":");
    hp_html_put_numbers(out, count, is_hidden_at, &sites);
    hp_sink_text(out, "},\n\"truncated\":");
    hp_html_put_integer(out, (int64_t)tables->frame_of[truncated] - 1);
    hp_sink_text(out, ",\n");
}

void hp_html_put_tables(struct hp_sink *out, const struct hp_view *view,
                        const struct hp_html_tables *tables) {
    size_t count = tables->functions.full.count;
    hp_sink_text(out, "\"functions\":{");
    put_numbers(out, "full", count, tables->functions.full.at, ",\n");
    put_numbers(out, "match", count, tables->functions.match.at, ",\n");
    put_numbers(out, "short", count, tables->functions.shown.at, "},\n");
    put_names(out, view, tables);
    put_frames(out, view, tables);
}
