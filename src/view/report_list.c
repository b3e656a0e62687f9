// The report `list`: lines of source of the functions that a pattern selects.
#include "view/report_list.h"

#include "view/visible_frames.h"

// State while lines and functions are added up.  Nodes and functions have the numbers
// that they have before functions are sorted.
struct list_sums {
    const struct hp_view *view;
    struct hp_listing *listing;
    // The line of each node; its `function` is not_listed if the pattern does not select
    // the node.
    struct hp_listed_line *lines;
    // Number of the last stack that was added to each node, and to each function, + 1.
    uint32_t *seen_line, *seen_function;
};

// The `function` of a line that is not listed.
static const uint32_t not_listed = UINT32_MAX;

// --- selected functions and lines ---------------------------------------------------------

// Order of functions by the numbers of their strings, and by class: for a binary search.
static int by_place(const void *left, const void *right) {
    const struct hp_listed_function *a = left, *b = right;
    if (a->function.n != b->function.n) {
        return a->function.n < b->function.n ? -1 : 1;
    }
    if (a->file.n != b->file.n) {
        return a->file.n < b->file.n ? -1 : 1;
    }
    return (a->class > b->class) - (a->class < b->class);
}

// Whether a line has the name of a function, not one in brackets that stands for a function
// without a symbol.
static bool has_name(const struct hp_profile *profile, const struct hp_line *line) {
    return line->function.n &&
           (line->file.n || *hp_profile_original(profile, line->function) != '[');
}

// The source line of a call that the pattern selects; NULL: not selected, or no symbols.
static const struct hp_line *selected_line(const struct hp_naming *naming,
                                           const struct hp_call *call) {
    const struct hp_line *line =
        call->line > 0 ? &naming->profile->lines.at[call->line - 1] : NULL;
    bool is_selected = (call->marks & hp_mark_of(HP_PICK)) != 0;
    return is_selected && line && has_name(naming->profile, line) ? line : NULL;
}

// Collect each selected function of each file and class once, in the order of by_place().
static void find_functions(struct hp_listing *listing, const struct hp_naming *naming) {
    const struct hp_call *call;
    hp_vec_each (call, &naming->calls) {
        const struct hp_line *line = selected_line(naming, call);
        if (line) {
            hp_vec_push(&listing->functions,
                        ((struct hp_listed_function){.function = line->function,
                                                     .file = line->file,
                                                     .class = call->class}));
        }
    }
    size_t count = listing->functions.count, kept = 0;
    struct hp_listed_function *all = listing->functions.at;
    if (count > 0) {
        qsort(all, count, sizeof *all, by_place);
    }
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || by_place(&all[i], &all[i - 1]) != 0) {
            all[kept++] = all[i];
        }
    }
    listing->functions.count = kept;
}

// Find for each node the function and the line that it belongs to.
static void find_lines(struct list_sums *sums, size_t nodes) {
    const struct hp_listing *listing = sums->listing;
    const struct hp_call *call;
    for (size_t i = 0; i < nodes; i++) {
        sums->lines[i].function = not_listed;
    }
    hp_vec_each (call, &sums->view->naming.calls) {
        const struct hp_line *line = selected_line(&sums->view->naming, call);
        if (line) {
            struct hp_listed_function key = {.function = line->function,
                                             .file = line->file,
                                             .class = call->class};
            const struct hp_listed_function *found =
                bsearch(&key, listing->functions.at, listing->functions.count, sizeof key,
                        by_place);
            sums->lines[call->node.n] = (struct hp_listed_line){
                .function = (uint32_t)(found - listing->functions.at),
                .line = line->line,
            };
        }
    }
}

// --- adding up ----------------------------------------------------------------------------

// Add a stack to cum of a node's line and of its function, each once per stack.  `number`
// is that of the stack, + 1.
static void add_node(struct list_sums *sums, uint32_t node, uint32_t number,
                     hp_fixed value, const struct hp_error *error) {
    struct hp_listed_line *line = &sums->lines[node];
    struct hp_listed_function *function = &sums->listing->functions.at[line->function];
    if (sums->seen_line[node] != number) {
        sums->seen_line[node] = number;
        line->cum += value;
        hp_error_add(&line->error, error);
    }
    if (sums->seen_function[line->function] != number) {
        sums->seen_function[line->function] = number;
        function->cum += value;
        hp_error_add(&function->error, error);
    }
}

// Add up all visible stacks: cum of every line that they pass, flat of their leaf.
static void add_stacks(struct list_sums *sums, enum hp_metric metric) {
    static const struct hp_error none;
    struct hp_listing *listing = sums->listing;
    const struct hp_profile *profile = sums->view->profile;
    const struct hp_naming *naming = &sums->view->naming;
    const struct hp_stack_errors *errors = &profile->errors.stacks[hp_column_of(metric)];
    struct hp_visible_frames frames = {0};
    for (size_t i = 0; i < profile->stacks.count; i++) {
        hp_fixed value = profile->stacks.at[i].values.of[metric];
        bool is_visible = hp_visible_nodes(naming, &profile->stacks.at[i], &frames);
        const struct hp_error *error =
            errors->of.count > 0 ? hp_stack_error(errors, i) : &none;
        for (size_t k = 0; is_visible && k < frames.nodes.count; k++) {
            uint32_t node = frames.nodes.at[k].n;
            if (sums->lines[node].function == not_listed) {
                continue;
            }
            add_node(sums, node, (uint32_t)i + 1, value, error);
            if (k == 0) {
                sums->lines[node].flat += value;
                listing->functions.at[sums->lines[node].function].flat += value;
            }
        }
    }
    hp_visible_frames_done(&frames);
}

// --- order --------------------------------------------------------------------------------

// Order of lines: by function, then by line number.
static int by_line(const void *left, const void *right) {
    const struct hp_listed_line *a = left, *b = right;
    if (a->function != b->function) {
        return a->function < b->function ? -1 : 1;
    }
    return (a->line > b->line) - (a->line < b->line);
}

// Copy the lines whose flat or cum is not 0 to listing->lines, and give each function its
// range of these lines.
static void take_lines(const struct list_sums *sums, size_t nodes) {
    struct hp_listing *listing = sums->listing;
    for (size_t i = 0; i < nodes; i++) {
        bool holds_any = sums->lines[i].flat != 0 || sums->lines[i].cum != 0;
        listing->is_passed |= sums->seen_line[i] > 0;
        if (sums->lines[i].function != not_listed && holds_any) {
            hp_vec_push(&listing->lines, sums->lines[i]);
        }
    }
    hp_vec_sort(&listing->lines, by_line);
    for (size_t i = 0; i < listing->lines.count; i++) {
        struct hp_listed_function *function =
            &listing->functions.at[listing->lines.at[i].function];
        function->first = function->count > 0 ? function->first : i;
        function->count++;
    }
}

// The table of texts that by_value() compares names by.
struct function_order {
    const struct hp_strtab *strings;
};

// Order of rows: by flat, then cum, then name, file and class.
static int by_value(const void *left, const void *right, void *context) {
    const struct hp_strtab *strings = ((const struct function_order *)context)->strings;
    const struct hp_listed_function *a = left, *b = right;
    if (a->flat != b->flat) {
        return a->flat > b->flat ? -1 : 1;
    }
    if (a->cum != b->cum) {
        return a->cum > b->cum ? -1 : 1;
    }
    int order = hp_span_compare(hp_strtab_span(strings, a->function),
                                hp_strtab_span(strings, b->function));
    order = order != 0 ? order
                       : hp_span_compare(hp_strtab_span(strings, a->file),
                                         hp_strtab_span(strings, b->file));
    return order != 0 ? order : (a->class > b->class) - (a->class < b->class);
}

// Drop functions without any line in listing->lines, and sort the others.
static void sort_functions(struct hp_listing *listing, const struct hp_strtab *strings) {
    struct function_order order = {strings};
    size_t kept = 0;
    for (size_t i = 0; i < listing->functions.count; i++) {
        if (listing->functions.at[i].count > 0) {
            listing->functions.at[kept++] = listing->functions.at[i];
        }
    }
    listing->functions.count = kept;
    if (kept > 0) {
        qsort_r(listing->functions.at, kept, sizeof *listing->functions.at, by_value,
                &order);
    }
}

// Find the selected functions and their lines, and add up their flat and cum.
static void listing_init(struct hp_listing *listing, const struct hp_view *view) {
    size_t nodes = hp_node_count(&view->naming);
    find_functions(listing, &view->naming);
    struct list_sums sums = {
        .view = view,
        .listing = listing,
        .lines = hp_alloc(nodes * sizeof *sums.lines),
        .seen_line = hp_alloc(nodes * sizeof *sums.seen_line),
        .seen_function = hp_alloc(listing->functions.count * sizeof *sums.seen_function),
    };
    find_lines(&sums, nodes);
    add_stacks(&sums, view->options.metric);
    take_lines(&sums, nodes);
    sort_functions(listing, &view->profile->strings);
    free(sums.lines);
    free(sums.seen_line);
    free(sums.seen_function);
}

const struct hp_source_file *hp_listing_source(
    const struct hp_view *view, const struct hp_listed_function *function) {
    const struct hp_listing *listing = view->extra;
    return function->source ? &listing->sources.at[function->source - 1] : NULL;
}

// --- the report ---------------------------------------------------------------------------

static hp_cell_fn flat_cell, cum_cell;

static const struct hp_field fields[] = {
    {{"flat", "flat", NULL, HP_CELL_SUM}, flat_cell},
    {{"cum", "cum", NULL, HP_CELL_ESTIMATE}, cum_cell},
};

// Whether any function of the profile has a name.
static bool has_names(const struct hp_profile *profile) {
    bool found = false;
    const struct hp_line *line;
    hp_vec_each (line, &profile->lines) {
        found |= has_name(profile, line);
    }
    return found;
}

// Fail with the reason why no function is listed.
static int refuse_nothing(const struct hp_view *view, struct hp_err *err) {
    const struct hp_listing *listing = view->extra;
    if (!has_names(view->profile)) {
        return hp_fail(err, HP_E_EMPTY,
                       HP_MESSAGE("list-no-names",
                                  "no function has a name. See hprof-agg info"));
    }
    return hp_fail(err, HP_E_EMPTY,
                   HP_MESSAGE("list-no-match", "no function%s%s matches the pattern"),
                   listing->is_passed ? " with memory" : "",
                   view->head.is_filtered
                       ? hp_words(HP_WORDS("of-list-filtered", " in the filtered stacks"))
                       : "");
}

static int build(struct hp_view *view, struct hp_err *err) {
    struct hp_listing *listing = view->extra = hp_alloc(sizeof *listing);
    listing_init(listing, view);
    if (listing->functions.count == 0) {
        return refuse_nothing(view, err);
    }
    const struct hp_listed_function *function;
    hp_vec_each (function, &listing->functions) {
        hp_node_id node =
            hp_naming_add_function(&view->naming, function->function, function->class);
        hp_view_add_row(view, node);
    }
    hp_sources_read(listing, view);
    hp_view_set_fields(view, fields, sizeof fields / sizeof *fields);
    return HP_OK;
}

static void done(struct hp_view *view) {
    struct hp_listing *listing = view->extra;
    hp_vec_done(&listing->functions);
    hp_vec_done(&listing->lines);
    hp_sources_done(listing);
}

static void flat_cell(const struct hp_cell_at *at, struct hp_content *content) {
    const struct hp_listing *listing = at->view->extra;
    content->amount.sum = listing->functions.at[at->row].flat;
    content->amount.is_unknown = false;
}

static void cum_cell(const struct hp_cell_at *at, struct hp_content *content) {
    const struct hp_listing *listing = at->view->extra;
    const struct hp_listed_function *function = &listing->functions.at[at->row];
    content->amount.sum = function->cum;
    content->amount.error = &function->error;
    content->amount.is_unknown = false;
}

static struct hp_origin origin(const struct hp_view *view, size_t row) {
    const struct hp_listing *listing = view->extra;
    const struct hp_listed_function *function = &listing->functions.at[row];
    return (struct hp_origin){.function = function->function, .file = function->file};
}

const struct hp_report hp_report_list = {
    .name = "list",
    .help = "the source of the functions that match, line by line",
    .takes_pattern = true,
    .has_one_metric = true,
    .shows_source = true,
    .build = build,
    .origin = origin,
    .done = done,
};
