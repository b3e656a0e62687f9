// Lifetimes by node, from the records of prof_recent.
//
// A record represents 1/p objects, where p is the probability that an object of its size
// is sampled, and as many times its size in bytes.  Objects that are live at the end of
// the file are censored there: they live at least that long.
#include "view/recent_rows.h"

#include "view/visible_frames.h"

#include <math.h>
#include <stdio.h>

// --- recent pairs ----------------------------------------------------------------------

void hp_recent_pairs_add(struct hp_recent_pairs *pairs, uint32_t alloc, uint32_t freed) {
    hp_vec_push(&pairs->all, (uint64_t)alloc << 32 | freed);
}

// Order of the elements of hp_recent_pairs.all, as numbers.
static int by_stacks(const void *left, const void *right) {
    const uint64_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

struct hp_recent_pair hp_recent_pairs_most(struct hp_recent_pairs *pairs) {
    struct hp_recent_pair most = {.count = 0};
    const uint64_t *all = pairs->all.at;
    hp_vec_sort(&pairs->all, by_stacks);
    for (size_t i = 0, end; i < pairs->all.count; i = end) {
        for (end = i + 1; end < pairs->all.count && all[end] == all[i];) {
            end++;
        }
        if (end - i > most.count) {
            most = (struct hp_recent_pair){end - i, (uint32_t)(all[i] >> 32),
                                           (uint32_t)all[i]};
        }
    }
    return most;
}

size_t hp_recent_stack(const struct hp_view *view, uint32_t stack,
                       struct hp_visible_frames *frames) {
    const struct hp_stack *of = &view->profile->stacks.at[stack];
    return hp_visible_nodes(&view->naming, of, frames) ? frames->nodes.count : 0;
}

void hp_recent_stack_text(const struct hp_view *view, uint32_t stack,
                          struct hp_buffer *text) {
    struct hp_visible_frames frames = {.truncated = false};
    text->text.count = 0;
    for (size_t i = hp_recent_stack(view, stack, &frames); i-- > 0;) {
        hp_buffer_append(text, hp_node_name(&view->naming, frames.nodes.at[i]));
        hp_buffer_append(text, (struct hp_span){";", i > 0});
    }
    hp_buffer_append(text, (struct hp_span){"", 1});
    hp_visible_frames_done(&frames);
}

// --- recent rows -----------------------------------------------------------------------

static const double per_second = 1e9;

// The share of objects or bytes that is freed at each lifetime.
static const double shares[HP_LIFESPANS] = {
    [HP_HALF_OF_OBJECTS] = .5, [HP_MOST_OF_OBJECTS] = .9, [HP_HALF_OF_BYTES] = .5};

// One record in one row.  A record has an entry for each row that it belongs to.
struct recent_entry {
    size_t place; // see hp_recent_row.place
    const struct hp_recent_record *record;
};

// State while the rows are built from the records.
struct recent_builder {
    struct hp_view *view;
    const struct hp_members *members;
    const struct hp_recent *recent;
    struct hp_recent_rows *rows;
    HP_VEC(struct recent_entry) entries; // sorted by row, then by batch
    // By node: number of objects of the current row that it freed; 0 between rows.
    size_t *freed;
};

// --- texts --------------------------------------------------------------------------------

void hp_lifespan_format(char *out, double seconds, double tick) {
    static const struct {
        double seconds;
        const char *name;
    } units[] = {{86400, "d"}, {3600, "h"},  {60, "min"}, {1, "s"},
                 {1e-3, "ms"}, {1e-6, "µs"}, {1e-9, "ns"}};

    const char *less = "";
    size_t unit = 0, last = sizeof units / sizeof *units - 1;
    if (!isfinite(seconds)) {
        snprintf(out, HP_LIFESPAN_SIZE, "%s", isnan(seconds) ? "?" : "not reached");
        return;
    }
    if (seconds < tick) {
        less = "<";
        seconds = tick;
    }
    while (unit < last && seconds < units[unit].seconds * .9995) {
        unit++;
    }
    snprintf(out, HP_LIFESPAN_SIZE, "%s%.3g %s", less, seconds / units[unit].seconds,
             units[unit].name);
}

// Format a lifetime with its interval, as in "36 ms (8 ms … not reached)".
static void describe(struct hp_recent_row *row, enum hp_lifespan_of which, double tick) {
    const struct hp_lifespan *span = &row->spans[which];
    char time[HP_LIFESPAN_SIZE], low[HP_LIFESPAN_SIZE], high[HP_LIFESPAN_SIZE];
    hp_lifespan_format(time, span->time, tick);
    hp_lifespan_format(low, span->range.low, tick);
    hp_lifespan_format(high, span->range.high, tick);
    if (isnan(span->range.low) || (isinf(span->time) && isinf(span->range.low))) {
        snprintf(row->texts[which], HP_LIFESPANS_SIZE, "%s", time);
    } else {
        snprintf(row->texts[which], HP_LIFESPANS_SIZE, "%s (%s … %s)", time, low, high);
    }
}

// --- rows ---------------------------------------------------------------------------------

// Order of entries: by row, then by batch, so that objects which one stack freed at one
// time are neighbours.
static int by_batch(const void *left, const void *right) {
    const struct recent_entry *a = left, *b = right;
    if (a->place != b->place) {
        return a->place < b->place ? -1 : 1;
    }
    if (a->record->free != b->record->free) {
        return a->record->free < b->record->free ? -1 : 1;
    }
    if (a->record->died != b->record->died) {
        return a->record->died < b->record->died ? -1 : 1;
    }
    return (a->record > b->record) - (a->record < b->record);
}

// Make the entries of all records: for each node of the stack that allocated the object,
// for the total, and for the sum of the stacks that filters leave.  Sort them.
static void gather(struct recent_builder *builder) {
    const struct hp_members *members = builder->members;
    const struct hp_recent_record *record;
    hp_vec_each (record, &builder->recent->records) {
        size_t end = members->first.at[record->alloc + 1];
        for (size_t i = members->first.at[record->alloc]; i < end; i++) {
            hp_vec_push(&builder->entries,
                        ((struct recent_entry){members->nodes.at[i].n, record}));
        }
        hp_vec_push(&builder->entries,
                    ((struct recent_entry){members->node_count, record}));
        if (hp_members_has(members, record->alloc)) {
            hp_vec_push(&builder->entries,
                        ((struct recent_entry){members->node_count + 1, record}));
        }
    }
    hp_vec_sort(&builder->entries, by_batch);
}

// Whether the object of a record has a usable lifetime: it is live, or its time of death
// is known and not before its birth.
static bool counts(const struct hp_recent_record *record) {
    return record->has_died ? record->died >= record->born : !record->is_released;
}

// Write a life for each entry with a usable lifetime, weighted by objects or by bytes.
// Batches are numbered from 0.  Returns the number of lives, at most `count`.
static size_t put_lives(const struct recent_builder *builder,
                        const struct recent_entry *entries, size_t count, bool of_bytes,
                        struct hp_life *lives) {
    const struct hp_recent *recent = builder->recent;
    size_t put = 0;
    uint32_t batch = 0;
    for (size_t i = 0; i < count; i++) {
        const struct hp_recent_record *record = entries[i].record;
        const struct hp_recent_record *before = i > 0 ? entries[i - 1].record : record;
        batch += record->free != before->free || record->died != before->died;
        if (counts(record)) {
            uint64_t end = record->has_died ? record->died : recent->latest;
            double p = -expm1(-(double)record->size / (double)recent->period);
            lives[put++] = (struct hp_life){
                .time = (double)(end - record->born) / per_second,
                .weight =
                    (of_bytes ? (double)record->size : 1) / (recent->period > 1 ? p : 1),
                .is_over = record->has_died,
                .batch = batch,
            };
        }
    }
    return put;
}

// Estimate the lifetimes of a row with their intervals.
static void estimate(const struct recent_builder *builder,
                     const struct recent_entry *entries, size_t count,
                     struct hp_recent_row *row) {
    struct hp_life *lives = hp_alloc(count * sizeof *lives);
    double confidence = builder->view->options.confidence;
    for (enum hp_lifespan_of i = 0; i < HP_LIFESPANS; i++) {
        struct hp_survival survival;
        size_t put = put_lives(builder, entries, count, i == HP_HALF_OF_BYTES, lives);
        hp_survival_init(&survival, lives, put, confidence);
        row->spans[i] = hp_survival_quantile(&survival, shares[i]);
        row->batches = survival.batches;
        hp_survival_done(&survival);
        describe(row, i, builder->rows->tick);
    }
    free(lives);
}

// Find the node to which most frees of a row are attributed, the leaf of the freeing
// stack; among equal ones the first by name.  Two passes: count the frees of each node,
// then compare.  builder->freed is 0 again at the end.
static void find_freed_by(const struct recent_builder *builder,
                          const struct recent_entry *entries, size_t count,
                          struct hp_recent_row *row) {
    const struct hp_members *members = builder->members;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < count; i++) {
            uint32_t stack = entries[i].record->free;
            if (!entries[i].record->has_died || !hp_members_has(members, stack)) {
                continue;
            }
            hp_node_id node = members->nodes.at[members->first.at[stack]];
            size_t freed = pass == 0 ? ++builder->freed[node.n] : builder->freed[node.n];
            size_t most = row->is_freed ? builder->freed[row->freed_by.n] : 0;
            bool is_before =
                row->is_freed && freed == most &&
                hp_node_compare(&builder->view->naming, node, row->freed_by) < 0;
            if (pass == 1 && (freed > most || is_before)) {
                row->freed_by = node;
                row->is_freed = true;
            }
        }
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t stack = entries[i].record->free;
        if (hp_members_has(members, stack)) {
            builder->freed[members->nodes.at[members->first.at[stack]].n] = 0;
        }
    }
}

// Find the most frequent pair of allocating and freeing stack of a row.
static void find_pair(const struct recent_entry *entries, size_t count,
                      struct hp_recent_row *row) {
    struct hp_recent_pairs pairs = {.all = {0}};
    for (size_t i = 0; i < count; i++) {
        if (entries[i].record->has_died) {
            hp_recent_pairs_add(&pairs, entries[i].record->alloc,
                                entries[i].record->free);
        }
    }
    row->pair = hp_recent_pairs_most(&pairs);
    hp_vec_done(&pairs.all);
}

// Number of objects with a usable lifetime in the largest batch.  Entries of a batch are
// neighbours.
static size_t largest_batch(const struct recent_entry *entries, size_t count) {
    size_t largest = 0, size = 0;
    for (size_t i = 0; i < count; i++) {
        const struct hp_recent_record *record = entries[i].record;
        const struct hp_recent_record *before = i > 0 ? entries[i - 1].record : record;
        bool is_same = record->free == before->free && record->died == before->died;
        size = (is_same ? size : 0) + (record->has_died && counts(record));
        largest = size > largest ? size : largest;
    }
    return largest;
}

// Make a row from its entries, which are all of one node, of the total, or of the sum
// that filters leave.
static struct hp_recent_row make_row(const struct recent_builder *builder,
                                     const struct recent_entry *entries, size_t count) {
    struct hp_recent_row row = {.place = entries->place, .sampled = count};
    for (size_t i = 0; i < count; i++) {
        const struct hp_recent_record *record = entries[i].record;
        row.live += !record->is_released;
        row.by_others += record->is_by_others;
        row.negative += record->has_died && record->died < record->born;
        row.no_time += record->is_released && !record->has_died;
    }
    estimate(builder, entries, count, &row);
    find_freed_by(builder, entries, count, &row);
    find_pair(entries, count, &row);
    row.largest_batch = largest_batch(entries, count);
    return row;
}

// Order of rows: most records first, then by name.
static int by_sampled(const void *left, const void *right, void *naming) {
    const struct hp_recent_row *a = left, *b = right;
    if (a->sampled != b->sampled) {
        return a->sampled > b->sampled ? -1 : 1;
    }
    return hp_node_compare(naming, (hp_node_id){(uint32_t)a->place},
                           (hp_node_id){(uint32_t)b->place});
}

// Make all rows from the sorted entries, and add them to the view.
static void make_rows(struct recent_builder *builder) {
    struct hp_recent_rows *rows = builder->rows;
    size_t nodes = builder->members->node_count;
    for (size_t i = 0, end; i < builder->entries.count; i = end) {
        const struct recent_entry *first = &builder->entries.at[i];
        for (end = i; end < builder->entries.count &&
                      builder->entries.at[end].place == first->place;) {
            end++;
        }
        struct hp_recent_row row = make_row(builder, first, end - i);
        if (row.place < nodes) {
            hp_vec_push(&rows->rows, row);
        } else {
            *(row.place == nodes ? &rows->total : &rows->filtered) = row;
        }
    }
    hp_vec_sort_r(&rows->rows, by_sampled, &builder->view->naming);
    for (size_t i = 0; i < rows->rows.count; i++) {
        hp_view_add_row(builder->view, (hp_node_id){(uint32_t)rows->rows.at[i].place});
    }
}

// --- the report ---------------------------------------------------------------------------

static hp_cell_fn number_cell, span_text_cell, span_cell, freed_by_cell, alloc_stack_cell,
    free_stack_cell;

// Columns of numbers, by hp_field.id.
enum field {
    SAMPLED,
    LIVE,
    BATCHES,
    BY_OTHERS,
    NEGATIVE,
    NO_TIME,
    LARGEST_BATCH,
    PAIR,
};

// What the three columns of numbers of a lifetime are; by hp_field.id / SPAN_PARTS.
enum span_part {
    SPAN_TIME,
    SPAN_LOW,
    SPAN_HIGH,
    SPAN_PARTS,
};

// The four columns of a lifetime: text, seconds, low and high.
#define SPAN_NUMBER(key, number)                                                      \
    {                                                                                 \
        {key, NULL, NULL, HP_CELL_NUMBER}, span_cell, HP_ROUGH, .id = number,         \
                                                                .unit = HP_IN_SECONDS \
    }
#define SPAN(span, key, title, dropped)                            \
    {{key, title, NULL, HP_CELL_TEXT},                             \
     span_text_cell,                                               \
     HP_NEW_LINE,                                                  \
     NULL,                                                         \
     34,                                                           \
     NULL,                                                         \
     dropped,                                                      \
     span},                                                        \
        SPAN_NUMBER(key "_seconds", span *SPAN_PARTS + SPAN_TIME), \
        SPAN_NUMBER(key "_low", span *SPAN_PARTS + SPAN_LOW),      \
        SPAN_NUMBER(key "_high", span *SPAN_PARTS + SPAN_HIGH)

static const struct hp_field fields[] = {
    {{"sampled", "sampled", NULL, HP_CELL_COUNT}, number_cell, .id = SAMPLED},
    {{"live", "live", NULL, HP_CELL_COUNT}, number_cell, .id = LIVE},
    SPAN(HP_HALF_OF_OBJECTS, "median", "half of objects die in", 0),
    SPAN(HP_MOST_OF_OBJECTS, "p90", "9 of 10 objects in", 2),
    SPAN(HP_HALF_OF_BYTES, "median_of_bytes", "half of bytes in", 3),
    {{"batches", "batches", NULL, HP_CELL_COUNT},
     number_cell,
     HP_NEW_LINE,
     NULL,
     8,
     HP_WORDS("note-batches",
              "batches: of objects that one stack frees in one tick; fewer than 2: no "
              "interval"),
     4,
     .id = BATCHES},
    {{"by_others", "elsewhere", NULL, HP_CELL_COUNT},
     number_cell,
     0,
     NULL,
     9,
     HP_WORDS("note-elsewhere", "elsewhere: freed by another thread than allocated it"),
     5,
     .id = BY_OTHERS},
    {{"negative", NULL, NULL, HP_CELL_COUNT}, number_cell, .id = NEGATIVE},
    {{"no_time", NULL, NULL, HP_CELL_COUNT}, number_cell, .id = NO_TIME},
    {{"largest_batch", NULL, NULL, HP_CELL_COUNT}, number_cell, .id = LARGEST_BATCH},
    {{"freed_by", "most freed by", NULL, HP_CELL_TEXT},
     freed_by_cell,
     0,
     NULL,
     24,
     NULL,
     1},
    {{"pair", NULL, NULL, HP_CELL_COUNT}, number_cell, HP_NEW_LINE, .id = PAIR},
    {{"alloc_stack", NULL, NULL, HP_CELL_TEXT}, alloc_stack_cell, HP_NEW_LINE},
    {{"free_stack", NULL, NULL, HP_CELL_TEXT}, free_stack_cell, HP_NEW_LINE},
};

bool hp_view_is_recent(const struct hp_view *view) {
    return view->profile->inputs.recent.period > 0;
}

int hp_recent_rows_build(struct hp_view *view, struct hp_err *err) {
    const struct hp_recent *recent = &view->profile->inputs.recent;
    struct hp_members members;
    if (view->type || view->options.metric != HP_INUSE_SPACE) {
        return hp_fail(err, HP_E_USAGE,
                       HP_MESSAGE("lifetimes-without-metric",
                                  "lifetime shows times: --metric does not apply"));
    }
    struct hp_recent_rows *rows = view->extra = hp_alloc(sizeof *rows);
    uint64_t first = recent->latest;
    const struct hp_recent_record *record;
    hp_vec_each (record, &recent->records) {
        first = record->born < first ? record->born : first;
    }
    rows->window = (double)(recent->latest - first) / per_second;
    rows->tick = (double)recent->tick / per_second;
    hp_members_init(&members, &view->naming, view->options.sort == HP_SORT_CUM);
    struct recent_builder builder = {
        .view = view,
        .members = &members,
        .recent = recent,
        .rows = rows,
        .freed = hp_alloc((members.node_count + 1) * sizeof(size_t)),
    };
    gather(&builder);
    make_rows(&builder);
    hp_vec_done(&builder.entries);
    free(builder.freed);
    hp_members_done(&members);
    hp_view_set_fields(view, fields, sizeof fields / sizeof *fields);
    return HP_OK;
}

void hp_recent_rows_done(struct hp_recent_rows *rows) {
    hp_vec_done(&rows->rows);
    hp_vec_done(&rows->alloc.text);
    hp_vec_done(&rows->free.text);
}

// The row of a cell, or a sum of rows.
static const struct hp_recent_row *row_at(const struct hp_cell_at *at) {
    const struct hp_recent_rows *rows = at->view->extra;
    return at->row == HP_ROW_TOTAL      ? &rows->total
           : at->row == HP_ROW_FILTERED ? &rows->filtered
                                        : &rows->rows.at[at->row];
}

static void number_cell(const struct hp_cell_at *at, struct hp_content *content) {
    const struct hp_recent_row *row = row_at(at);
    const size_t numbers[] = {
        [SAMPLED] = row->sampled,
        [LIVE] = row->live,
        [BATCHES] = row->batches,
        [BY_OTHERS] = row->by_others,
        [NEGATIVE] = row->negative,
        [NO_TIME] = row->no_time,
        [LARGEST_BATCH] = row->largest_batch,
        [PAIR] = row->pair.count,
    };
    content->number = (double)numbers[at->field->id];
}

static void span_text_cell(const struct hp_cell_at *at, struct hp_content *content) {
    content->text = row_at(at)->texts[at->field->id];
}

static void span_cell(const struct hp_cell_at *at, struct hp_content *content) {
    const struct hp_lifespan *span = &row_at(at)->spans[at->field->id / SPAN_PARTS];
    const double parts[SPAN_PARTS] = {span->time, span->range.low, span->range.high};
    content->number = parts[at->field->id % SPAN_PARTS];
}

static void freed_by_cell(const struct hp_cell_at *at, struct hp_content *content) {
    const struct hp_recent_row *row = row_at(at);
    content->text =
        row->is_freed ? hp_node_name(&at->view->naming, row->freed_by).at : "";
}

// The names of a stack as text, written to `text`; "" if has_pair is false, as no object
// of the row was freed.
static const char *text_of_stack(const struct hp_view *view, bool has_pair,
                                 uint32_t stack, struct hp_buffer *text) {
    if (has_pair) {
        hp_recent_stack_text(view, stack, text);
    }
    return has_pair ? text->text.at : "";
}

static void alloc_stack_cell(const struct hp_cell_at *at, struct hp_content *content) {
    struct hp_recent_rows *rows = at->view->extra;
    const struct hp_recent_pair *pair = &row_at(at)->pair;
    content->text = text_of_stack(at->view, pair->count > 0, pair->alloc, &rows->alloc);
}

static void free_stack_cell(const struct hp_cell_at *at, struct hp_content *content) {
    struct hp_recent_rows *rows = at->view->extra;
    const struct hp_recent_pair *pair = &row_at(at)->pair;
    content->text = text_of_stack(at->view, pair->count > 0, pair->free, &rows->free);
}
