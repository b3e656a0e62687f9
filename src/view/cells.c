// Access to the contents of a view, number by number: first the functions for formats
// (view.h), then those for programs (the public API).
#include "view/view.h"

#include <math.h>
#include <string.h>

enum {
    // By flat: rows that are not shown have at most 1/20 of the total together.
    LEFT_OUT = 20,
    SMALL_ROW = 100, // by cum: a row of less than 1/100 of the whole is not shown
};

static const struct hp_interval unknown = {NAN, NAN};

struct hp_interval hp_view_range(const struct hp_view *view,
                                 const struct hp_amount *amount, enum hp_metric metric) {
    static const struct hp_error none;
    struct hp_view_cache *cache = view->cache;
    if (!amount->error) {
        return amount->range;
    }
    if (amount->is_total) {
        struct hp_precision precision = view->precision;
        for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
            precision.is_known[i] =
                !view->options.no_error && hp_profile_has_total_error(view->profile, i);
        }
        return hp_precision_range(&precision, amount->sum, amount->error, metric);
    }
    if (amount->sum != 0 || memcmp(amount->error, &none, sizeof none) != 0) {
        return hp_precision_range_of_chosen(&view->precision, amount->sum, amount->error,
                                            metric, fmax(amount->among, 1));
    }
    // All rows without value and samples have the same interval: compute it once.
    if (!cache->has_nothing[metric]) {
        cache->of_nothing[metric] =
            hp_precision_range(&view->precision, 0, &none, metric);
        cache->has_nothing[metric] = true;
    }
    return cache->of_nothing[metric];
}

bool hp_view_is_too_high(const struct hp_view *view, struct hp_interval range) {
    bool is_open = !isnan(range.low) && range.low != range.high;
    return view->precision.among > 1 && is_open && view->use.shape != HP_SHAPE_PAGE;
}

// --- for formats --------------------------------------------------------------------------

// The name of the unit of a column, as programs see it; NULL: the unit of the metric.
static const char *unit_of(const struct hp_field *field) {
    static const char *const names[] = {
        [HP_IN_BYTES] = "bytes",
        [HP_IN_FRACTION] = "fraction",
        [HP_IN_SECONDS] = "seconds",
        [HP_IN_TIME] = "s",
    };
    enum hp_cell cell = field->column.cell;
    bool is_of_metric = cell == HP_CELL_ESTIMATE || cell == HP_CELL_SUM ||
                        cell == HP_CELL_RATE || cell == HP_CELL_SERIES;
    return field->unit != HP_IN_USUAL ? names[field->unit] : is_of_metric ? NULL : "";
}

void hp_view_set_fields(struct hp_view *view, const struct hp_field *fields,
                        size_t count) {
    for (size_t i = 0; i < count; i++) {
        hp_vec_push(&view->fields, fields[i])->column.unit = unit_of(&fields[i]);
    }
}

struct hp_field *hp_view_field(struct hp_view *view, const char *key) {
    struct hp_field *field = view->fields.at;
    while (strcmp(field->column.key, key) != 0) {
        field++;
    }
    return field;
}

size_t hp_view_limited(const struct hp_view *view, size_t count) {
    size_t limit = view->options.limit;
    limit = limit == HP_LIMIT_ENOUGH ? view->enough : limit;
    return limit > 0 && limit < count ? limit : count;
}

size_t hp_view_fitting(const struct hp_view *view, size_t count) {
    return count < view->fitting ? count : view->fitting;
}

size_t hp_view_shown(const struct hp_view *view, size_t count) {
    return hp_view_fitting(view, hp_view_limited(view, count));
}

size_t hp_view_all_shown(const struct hp_view *view) {
    enum hp_report_kind kind = view->options.kind;
    size_t rows = kind == HP_REPORT_STACKS ? view->listed : view->rows.count;
    return kind == HP_REPORT_TREE ? rows : hp_view_limited(view, rows);
}

size_t hp_view_left_out(const struct hp_view *view) {
    size_t all = hp_view_all_shown(view);
    return view->fitting < all ? all - view->fitting : 0;
}

// Return the absolute value.
static hp_fixed size_of(hp_fixed value) {
    return value < 0 ? -value : value;
}

// Return how many of the largest values together make up 95 % of the sum of all values,
// `most` at most.
static size_t enough_of_all(const struct hp_enough *values, size_t most) {
    hp_fixed shown = 0;
    size_t rows = 0;
    while (rows < most && shown < values->all - values->all / LEFT_OUT) {
        shown += size_of(values->first[rows++]);
    }
    return rows;
}

// Return how many of the first values are at least 1/100 of `whole`, `most` at most.
static size_t enough_of_each(const struct hp_enough *values, size_t most,
                             hp_fixed whole) {
    size_t rows = 0;
    while (rows < most && size_of(values->first[rows]) >= size_of(whole) / SMALL_ROW) {
        rows++;
    }
    return rows;
}

// Return the number of rows that a table shows by default.  It is at least HP_LEAST_ROWS,
// if there are as many rows, and at most HP_MOST_ROWS: a single row of 99 % is not a
// useful table, and people do not read hundreds of rows.
size_t hp_view_enough(const struct hp_view *view, const struct hp_enough *values,
                      hp_fixed whole) {
    bool by_cum = view->options.sort == HP_SORT_CUM ||
                  view->options.kind == HP_REPORT_TREE ||
                  view->options.kind == HP_REPORT_PEEK;
    size_t most = values->count < HP_MOST_ROWS ? values->count : HP_MOST_ROWS;
    size_t least = values->count < HP_LEAST_ROWS ? values->count : HP_LEAST_ROWS;
    size_t rows =
        by_cum ? enough_of_each(values, most, whole) : enough_of_all(values, most);
    return rows < least ? least : rows;
}

// Set view->enough, the number of rows that a report of changes shows by default.  Marked
// (significant) rows come first; if rows are sorted by cum, they are always shown,
// whatever their size.
void hp_view_find_changes(struct hp_view *view) {
    struct hp_growth all = view->report->growth(view, HP_ROW_FILTERED);
    hp_fixed whole = all.before > all.after ? all.before : all.after;
    bool by_cum = view->options.sort == HP_SORT_CUM;
    struct hp_enough values = {.count = 0};
    for (size_t i = 0; i < view->rows.count; i++) {
        struct hp_growth growth = view->report->growth(view, i);
        bool is_marked = (view->report->flags(view, i) & HP_ROW_SIGNIFICANT) != 0;
        hp_enough_add(&values,
                      by_cum && is_marked ? whole : growth.after - growth.before);
    }
    view->enough = hp_view_enough(view, &values, whole);
}

size_t hp_view_needed(const struct hp_view *view, size_t count) {
    bool has_headline = (view->use.can & HP_IS_FOR_PEOPLE) != 0;
    size_t least = count < HP_LEAST_NEEDED ? count : HP_LEAST_NEEDED;
    size_t limited = hp_view_limited(view, count);
    return view->use.all_rows ? count : has_headline && limited < least ? least : limited;
}

const char *hp_view_row_kind(const struct hp_view *view) {
    return view->options.waste ? "size class"
           : view->report->row ? view->report->row
                               : hp_granularity_text(view->options.by);
}

struct hp_content hp_view_cell(const struct hp_view *view, size_t row,
                               const struct hp_field *field, enum hp_metric metric) {
    struct hp_content content = {.amount = {.range = unknown, .is_unknown = true},
                                 .number = NAN,
                                 .text = ""};
    bool is_known = !view->report->has_one_metric || metric == view->options.metric;
    if (field->cell && is_known) {
        field->cell(&(struct hp_cell_at){view, row, field, metric}, &content);
    }
    return content;
}

unsigned hp_view_flags(const struct hp_view *view, size_t row) {
    enum hp_metric metric = view->options.metric;
    const struct hp_field *field = view->fields.at;
    if (view->report->flags) {
        return view->report->flags(view, row);
    }
    while (field->column.cell != HP_CELL_ESTIMATE) {
        field++;
    }
    struct hp_amount amount = hp_view_cell(view, row, field, metric).amount;
    return hp_precision_flags(&view->precision, amount.sum, amount.error, metric);
}

bool hp_view_counts(const struct hp_view *view, size_t input) {
    const struct hp_input_record *record = &view->head.inputs[input];
    if (!hp_input_is_used(record)) {
        return false;
    }
    bool has_process = record->process < view->head.processes->all.count;
    uint32_t chosen =
        has_process ? view->head.processes->all.at[record->process].chosen : HP_NO_INPUT;
    return chosen == HP_NO_INPUT || chosen == input;
}

// Return the text that says whether an input is used for its process, or why not.  The
// dumps of a process are in the order of time, so that a dump is earlier than the chosen
// one if that one is after it in the list.
const char *hp_view_moment_of(const struct hp_view *view, size_t input) {
    const struct hp_processes *processes = &view->profile->inputs.processes;
    const struct hp_process *process =
        &processes->all.at[view->head.inputs[input].process];
    const uint32_t *dumps = processes->dumps.at + process->first;
    bool is_earlier = false;
    for (uint32_t i = process->dumps; i-- > 0 && dumps[i] != input;) {
        is_earlier |= dumps[i] == process->chosen;
    }
    return hp_view_counts(view, input) ? "used"
           : input == process->exit    ? "its exit dump"
           : is_earlier                ? "an earlier moment"
                                       : "a later moment";
}

bool hp_view_has_errors(const struct hp_view *view, enum hp_column column) {
    return hp_profile_has_errors(view->profile, column);
}

bool hp_view_has_metric(const struct hp_view *view, enum hp_metric metric) {
    bool is_shown = !view->projection || metric == view->options.metric;
    return is_shown && (view->head.summary[HP_SIDE_ALL].metrics >> metric & 1) != 0;
}

bool hp_view_whole_has_metric(const struct hp_view *view, enum hp_metric metric) {
    return (view->whole->inputs.summary[HP_SIDE_ALL].metrics >> metric & 1) != 0;
}

bool hp_view_whole_has_errors(const struct hp_view *view, enum hp_column column) {
    return hp_profile_has_errors(view->whole, column);
}

void hp_view_whole_sums_init(const struct hp_view *view, struct hp_stack_sums *sums,
                             bool errors) {
    hp_stack_sums_init(sums, &view->stacks, errors);
    sums->profile = view->whole;
}

const char *hp_view_metric_name(const struct hp_view *view, enum hp_metric metric) {
    return view->projection ? view->type_name : hp_metric_name(metric);
}

struct hp_span hp_view_node(const struct hp_view *view, hp_node_id node) {
    return hp_node_name(&view->naming, node);
}

struct hp_span hp_view_name(const struct hp_view *view, size_t row) {
    return hp_node_name(&view->naming, view->rows.at[row].node);
}

// --- origins ------------------------------------------------------------------------------

// State of a node while its origin is searched for.
enum {
    NOT_ASKED, // its origin was not looked for
    ASKED,     // its origin is looked for; after that: no frame has the node
    FOUND,     // some frame has set its origin
};

// Reduce `origin` to what it has in common with `other`: clear each member that differs,
// and the line also if the files differ.
static void narrow(struct hp_origin *origin, const struct hp_origin *other) {
    bool same_file = origin->file.n == other->file.n;
    origin->module.n = origin->module.n == other->module.n ? origin->module.n : 0;
    origin->function.n = origin->function.n == other->function.n ? origin->function.n : 0;
    origin->line = same_file && origin->line == other->line ? origin->line : 0;
    origin->file.n = same_file ? origin->file.n : 0;
}

// Merge the origin of a call of frame `number` into that of the call's node.
static void add_origin(struct hp_origins *origins, const struct hp_naming *naming,
                       uint32_t number, uint32_t call) {
    const struct hp_profile *profile = naming->profile;
    const struct hp_frame *frame = &profile->frames.at[number];
    uint32_t node = naming->calls.at[call].node.n, line = naming->calls.at[call].line;
    struct hp_origin origin = {.module = frame->module};
    if (line > 0) {
        const struct hp_line *at = &profile->lines.at[line - 1];
        origin = (struct hp_origin){frame->module, at->function, at->file, at->line};
    }
    if (origins->state[node] == FOUND) {
        narrow(&origins->of[node], &origin);
    } else {
        origins->of[node] = origin;
        origins->state[node] = FOUND;
    }
}

// Find the origins of all nodes that are not NOT_ASKED, in one walk over the calls of all
// frames.
static void find_origins(struct hp_origins *origins, const struct hp_naming *naming) {
    const uint32_t *first_call = naming->first_call.at;
    uint32_t number = 0, calls = first_call[naming->first_call.count - 1];
    for (uint32_t call = 0; call < calls; call++) {
        if (origins->state[naming->calls.at[call].node.n] != NOT_ASKED) {
            while (first_call[number + 1] <= call) {
                number++;
            }
            add_origin(origins, naming, number, call);
        }
    }
}

// Mark the nodes of the rows that are shown as ASKED, the second time all nodes.  A table
// shows twenty of a million nodes, so that the walk of find_origins() mostly stays cheap.
static void ask(struct hp_origins *origins, const struct hp_view *view) {
    size_t nodes = hp_node_count(&view->naming);
    if (origins->of) {
        memset(origins->state, ASKED, nodes);
        return;
    }
    origins->of = hp_alloc(nodes * sizeof *origins->of);
    origins->state = hp_alloc(nodes);
    for (size_t i = 0; i < hp_view_needed(view, view->rows.count); i++) {
        origins->state[view->rows.at[i].node.n] = ASKED;
    }
}

const struct hp_origin *hp_view_origin(const struct hp_view *view, hp_node_id node) {
    static const struct hp_origin nowhere;
    struct hp_origins *origins = &view->cache->origins;
    if (node.n >= hp_node_count(&view->naming)) {
        return &nowhere;
    }
    while (!origins->of || origins->state[node.n] == NOT_ASKED) {
        ask(origins, view);
        find_origins(origins, &view->naming);
    }
    return &origins->of[node.n];
}

// --- stacks -------------------------------------------------------------------------------

const struct hp_stack_sums *hp_view_stack_sums(const struct hp_view *view) {
    struct hp_stack_sums *sums = &view->cache->sums;
    if (!sums->values) {
        hp_stack_sums_init(sums, &view->stacks, true);
        hp_stack_sums_add(sums, &view->stacks, (struct hp_selection){HP_OF_ALL, 0});
    }
    return sums;
}

struct hp_amount hp_view_stack_amount(const struct hp_view *view, size_t stack,
                                      enum hp_metric metric) {
    const struct hp_stack_sums *sums = hp_view_stack_sums(view);
    return (struct hp_amount){
        .sum = sums->values[stack].of[metric],
        .error = hp_stack_sums_error(sums, stack, hp_column_of(metric)),
    };
}

unsigned hp_view_stack_flags(const struct hp_view *view, size_t stack) {
    enum hp_metric metric = view->options.metric;
    struct hp_amount amount = hp_view_stack_amount(view, stack, metric);
    return hp_precision_flags(&view->precision, amount.sum, amount.error, metric);
}

bool hp_view_is_redacted(const struct hp_view *view) {
    return view->profile->originals.texts != NULL;
}

struct hp_span hp_view_string(const struct hp_view *view, hp_string string) {
    return hp_strtab_span(&view->profile->strings, string);
}

const struct hp_strtab *hp_view_tag_sets(const struct hp_view *view) {
    return &view->profile->tags.sets;
}

const struct hp_module *hp_view_module(const struct hp_view *view, hp_module_id module) {
    return &view->profile->modules.at[module.n];
}

size_t hp_view_module_count(const struct hp_view *view) {
    return view->profile->modules.count;
}

size_t *hp_view_frame_counts(const struct hp_view *view) {
    return hp_profile_frame_counts(view->profile);
}

const struct hp_extent *hp_view_extents(const struct hp_view *view,
                                        const struct hp_module *module) {
    return module->extents > 0 ? &view->profile->extents.at[module->first_extent] : NULL;
}

char *hp_view_type_name(const struct hp_view *view, const struct hp_sample_type *type) {
    return hp_sample_type_name(view->profile, type);
}

const struct hp_sample_types *hp_view_types(const struct hp_view *view) {
    return &view->profile->types;
}

const struct hp_annotations *hp_view_annotations(const struct hp_view *view) {
    return &view->profile->inputs.annotations;
}

void hp_view_series_name(const struct hp_view *view, const struct hp_series_dump *dump,
                         char name[HP_SERIES_NAME_SIZE]) {
    hp_series_name(view->profile, dump, name);
}

size_t hp_view_moment_count(const struct hp_view *view) {
    return view->profile->sentences.moments.count;
}

struct hp_span hp_view_moment(const struct hp_view *view, size_t i) {
    return hp_view_string(view, view->profile->sentences.moments.at[i]);
}

size_t hp_view_warning_count(const struct hp_view *view) {
    const struct hp_profile *profile = view->profile;
    bool has_minor =
        view->options.kind == HP_REPORT_INFO ||
        (view->options.text.details && (view->use.can & HP_IS_FOR_PEOPLE) != 0);
    return profile->sentences.warnings.count +
           (has_minor ? profile->sentences.minor.count : 0) + view->cautions.count;
}

size_t hp_view_source_count(const struct hp_view *view) {
    return view->profile->sentences.sources.count;
}

struct hp_span hp_view_source(const struct hp_view *view, size_t i) {
    return hp_view_string(view, view->profile->sentences.sources.at[i]);
}

// Warning number `i` of the profile; NULL: it is one of the view.
static const struct hp_warning *warning_of(const struct hp_view *view, size_t i) {
    const struct hp_sentences *sentences = &view->profile->sentences;
    size_t count = sentences->warnings.count;
    size_t own = hp_view_warning_count(view) - view->cautions.count;
    return i >= own    ? NULL
           : i < count ? &sentences->warnings.at[i]
                       : &sentences->minor.at[i - count];
}

struct hp_warning_rank hp_view_warning_rank(const struct hp_view *view, size_t i) {
    const struct hp_warning *warning = warning_of(view, i);
    return warning ? warning->rank : (struct hp_warning_rank){HP_WARN_OF_NUMBERS, 1};
}

struct hp_span hp_view_short_warning(const struct hp_view *view, size_t i) {
    const struct hp_warning *warning = warning_of(view, i);
    return warning && warning->shorter.n ? hp_view_string(view, warning->shorter)
                                         : hp_view_warning(view, i);
}

struct hp_span hp_view_warning(const struct hp_view *view, size_t i) {
    const struct hp_warning *warning = warning_of(view, i);
    size_t own = hp_view_warning_count(view) - view->cautions.count;
    return warning ? hp_view_string(view, warning->text)
                   : hp_span_of(view->cautions.at[i - own].text);
}

const char *hp_view_warning_code(const struct hp_view *view, size_t i) {
    const struct hp_warning *warning = warning_of(view, i);
    size_t own = hp_view_warning_count(view) - view->cautions.count;
    return warning ? hp_profile_text(view->profile, warning->code)
                   : view->cautions.at[i - own].code;
}

// --- rows, for programs -------------------------------------------------------------------

size_t hp_view_column_count(const struct hp_view *view) {
    return view->fields.count;
}

const struct hp_view_column *hp_view_column(const struct hp_view *view, size_t column) {
    return &view->fields.at[column].column;
}

size_t hp_view_row_count(const struct hp_view *view) {
    return view->rows.count;
}

// Make sure that row number `row` of the view and all rows before it are sorted.
static void settle(const struct hp_view *view, size_t row) {
    if (view->report->settle) {
        view->report->settle(view, row);
    }
}

const struct hp_row *hp_view_row(const struct hp_view *view, size_t row) {
    settle(view, row);
    struct hp_row *found = &view->cache->row;
    const struct hp_row_key *key = &view->rows.at[row];
    const struct hp_origin origin = view->report->origin
                                        ? view->report->origin(view, row)
                                        : *hp_view_origin(view, key->node);
    *found = (struct hp_row){
        .name = hp_view_name(view, row).at,
        .function = hp_naming_function(&view->naming, origin.function).at,
        .module = hp_view_string(view, hp_view_module(view, origin.module)->path).at,
        .file = hp_view_string(view, origin.file).at,
        .line = origin.line,
        .depth = key->depth,
        .parent = key->parent == HP_NO_PARENT ? HP_NO_ROW : key->parent,
        .flags = hp_view_flags(view, row),
        .frame_class = hp_node_class(&view->naming, key->node),
    };
    return found;
}

// Turn an amount into a public estimate.  All members are NAN if the metric is not known;
// the value is NAN if only its interval is reliable.
static struct hp_estimate estimate_of(const struct hp_view *view,
                                      const struct hp_amount *amount,
                                      enum hp_metric metric) {
    struct hp_interval range = hp_view_range(view, amount, metric);
    if (amount->is_unknown || !hp_view_has_metric(view, metric)) {
        return (struct hp_estimate){NAN, NAN, NAN, NAN};
    }
    return (struct hp_estimate){
        .value =
            hp_view_is_too_high(view, range) ? NAN : hp_fixed_double(amount->sum, metric),
        .low = range.low,
        .high = range.high,
        .effective_samples =
            hp_precision_samples(&view->precision, amount->sum, amount->error, metric),
    };
}

struct hp_estimate hp_view_estimate(const struct hp_view *view, size_t row, size_t column,
                                    enum hp_metric metric) {
    settle(view, row);
    const struct hp_field *field = &view->fields.at[column];
    struct hp_content content = hp_view_cell(view, row, field, metric);
    struct hp_estimate estimate = estimate_of(view, &content.amount, metric);
    if (field->column.cell == HP_CELL_RATE) {
        estimate.value = content.number;
    }
    return estimate;
}

struct hp_error_parts hp_view_error_parts(const struct hp_view *view,
                                          enum hp_column column) {
    const struct hp_head *head = &view->head;
    enum hp_metric space = hp_space_of(column);
    struct hp_error exact = head->errors[column];
    bool is_of_one_time = !head->has_moments || head->processes->largest < 2;
    if (!head->is_total_uncertain[column] || !is_of_one_time ||
        (exact.hidden_bytes_max | exact.excess_bytes_max) == 0) {
        return (struct hp_error_parts){.is_known = false};
    }
    exact.hidden_bytes_max = exact.excess_bytes_max = 0;
    struct hp_amount amount = {.sum = head->total.of[space],
                               .error = &exact,
                               .is_total = true};
    return (struct hp_error_parts){
        .is_known = true,
        .sampling = hp_view_range(view, &amount, space),
        .rounding = hp_precision_rounding(amount.sum, &head->errors[column], space),
    };
}

double hp_view_number(const struct hp_view *view, size_t row, size_t column) {
    settle(view, row);
    const struct hp_field *field = &view->fields.at[column];
    return hp_view_cell(view, row, field, view->options.metric).number;
}

const char *hp_view_text(const struct hp_view *view, size_t row, size_t column) {
    settle(view, row);
    const struct hp_field *field = &view->fields.at[column];
    return hp_view_cell(view, row, field, view->options.metric).text;
}

struct hp_estimate hp_view_total(const struct hp_view *view, enum hp_metric metric,
                                 bool filtered) {
    const struct hp_head *head = &view->head;
    enum hp_column column = hp_column_of(metric);
    bool is_total = !filtered || !head->is_filtered;
    struct hp_amount amount = {
        .sum = is_total ? head->whole.of[metric] : head->filtered.of[metric],
        .error = is_total ? &head->whole_errors[column] : &head->filtered_errors[column],
        .is_total = is_total,
    };
    return estimate_of(view, &amount, metric);
}

// --- stacks, for programs -----------------------------------------------------------------

size_t hp_view_stack_count(const struct hp_view *view) {
    return view->stacks.all.count;
}

// Return the number of frames of a stack, and set `*frames` to their numbers: nodes if
// the view has stacks of names, else calls.
size_t hp_view_stack(const struct hp_view *view, size_t stack, const uint32_t **frames) {
    const struct hp_stacks *stacks = &view->stacks;
    const struct hp_stack_key *key = &stacks->all.at[stack];
    bool of_names = stacks->of == HP_STACKS_OF_NAMES;
    struct hp_view_cache *cache = view->cache;
    cache->frames.count = 0;
    for (uint32_t i = 0; i < key->depth; i++) {
        uint32_t count = of_names ? 1 : hp_stacks_place(stacks, key->at[i]).count;
        for (uint32_t call = 0; call < count; call++) {
            hp_vec_push(&cache->frames, key->at[i] + call);
        }
    }
    if (of_names && key->truncated) {
        hp_vec_push(&cache->frames, view->naming.truncated.n);
    }
    *frames = cache->frames.at;
    return cache->frames.count;
}

// Describe a frame that is a node: its shown name, and the origin that its frames share.
static struct hp_frame_info info_of_node(const struct hp_view *view, hp_node_id node) {
    const struct hp_origin *origin = hp_view_origin(view, node);
    const struct hp_module *module = hp_view_module(view, origin->module);
    return (struct hp_frame_info){
        .function = hp_view_node(view, node).at,
        .linkage = "",
        .file = hp_view_string(view, origin->file).at,
        .module = hp_view_string(view, module->path).at,
        .build_id = hp_view_string(view, module->build_id).at,
        .line = origin->line,
        .frame_class = hp_node_class(&view->naming, node),
    };
}

// Describe a frame that is a call; `call` is the number that hp_view_stack() returned.
static struct hp_frame_info info_of_call(const struct hp_view *view, uint32_t call) {
    struct hp_place place = hp_stacks_place(&view->stacks, call);
    hp_module_id id = place.frame ? place.frame->module : (hp_module_id){0};
    const struct hp_module *module = hp_view_module(view, id);
    struct hp_line line = place.lines ? place.lines[0] : (struct hp_line){0};
    return (struct hp_frame_info){
        .function = hp_view_node(view, place.calls[0].node).at,
        .linkage = hp_view_string(view, line.linkage).at,
        .file = hp_view_string(view, line.file).at,
        .module = hp_view_string(view, module->path).at,
        .build_id = hp_view_string(view, module->build_id).at,
        .address = place.frame ? hp_address_of_call(place.frame) : 0,
        .is_offset = module->addresses == HP_ADDRESS_OFFSET,
        .line = line.line,
        .is_inlined = place.count > 1,
        .frame_class = (enum hp_frame_class)place.calls[0].class,
    };
}

const struct hp_frame_info *hp_view_frame(const struct hp_view *view, uint32_t frame) {
    struct hp_frame_info *found = &view->cache->frame;
    *found = view->stacks.of == HP_STACKS_OF_NAMES
                 ? info_of_node(view, (hp_node_id){frame})
                 : info_of_call(view, frame);
    return found;
}

struct hp_estimate hp_view_stack_estimate(const struct hp_view *view, size_t stack,
                                          enum hp_metric metric) {
    struct hp_amount amount = hp_view_stack_amount(view, stack, metric);
    return estimate_of(view, &amount, metric);
}
