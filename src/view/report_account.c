// The account has three tables, each from its own source, with the sums of all processes:
//
//     allocator  statistics of jemalloc, from `resident` down to the program's objects
//     program    these objects by the statistics of the allocator, and by the profile
//     kernel     memory by kind of mapping, and bounds from kernel and allocator
//
// The tables disagree in general.  No row of one is scaled or cut to fit another one.
#include "view/report_account.h"

#include "base/units.h"
#include "stats/books.h"
#include "view/account_waste.h"

#include <math.h>
#include <string.h>

static hp_cell_fn text_cell, number_cell, bytes_cell;

// Numbers of columns that share an accessor: columns of text, then columns of numbers.
enum field {
    TABLE,
    SOURCE,
    KNOB,
    NOTE,
    PARENT = 0,
    DEPTH,
    ADDS,
    OBJECTS,
    PSS,
    PRIVATE,
};

enum {
    KNOB_WIDTH = 24,
    SOURCE_WIDTH = 10,
};

static const struct hp_field fields[] = {
    {{"table", NULL, NULL, HP_CELL_TEXT}, text_cell, .id = TABLE},
    {{"parent", NULL, NULL, HP_CELL_NUMBER}, number_cell, .id = PARENT},
    {{"depth", NULL, NULL, HP_CELL_NUMBER}, number_cell, .id = DEPTH},
    {{"adds", NULL, NULL, HP_CELL_TRUTH}, number_cell, .id = ADDS},
    {{"bytes", "bytes", NULL, HP_CELL_ESTIMATE},
     bytes_cell,
     HP_NEW_LINE,
     .unit = HP_IN_BYTES},
    {{"objects", NULL, NULL, HP_CELL_COUNT}, number_cell, .id = OBJECTS},
    {{"pss", NULL, NULL, HP_CELL_NUMBER}, number_cell, .id = PSS, .unit = HP_IN_BYTES},
    {{"private", NULL, NULL, HP_CELL_NUMBER},
     number_cell,
     .id = PRIVATE,
     .unit = HP_IN_BYTES},
    {{"source", "source", NULL, HP_CELL_TEXT},
     text_cell,
     HP_NEW_LINE,
     .width = SOURCE_WIDTH,
     .id = SOURCE},
    {{"option", "option", NULL, HP_CELL_TEXT},
     text_cell,
     .width = KNOB_WIDTH,
     .leaves = 1,
     .id = KNOB},
    {{"note", NULL, NULL, HP_CELL_TEXT}, text_cell, HP_NEW_LINE, .id = NOTE},
};

// --- rows ---------------------------------------------------------------------------------

// State while the tables of a report of accounts are built.
struct tables {
    struct hp_view *view;
    struct hp_account_rows *rows;
    const char *table, *source; // these members of the rows that are added next
};

// Append a row with an exact value, which adds up with its siblings to the value of its
// parent.  Returns the row's number, which is the `parent` of its children.
static uint32_t add(struct tables *t, uint32_t parent, const char *name,
                    hp_int128 bytes) {
    struct hp_view *view = t->view;
    hp_node_id node = hp_naming_add(&view->naming, hp_span_of(name), HP_CLASSES);
    struct hp_row_key *key = hp_view_add_row(view, node);
    key->parent = parent;
    key->depth = parent == HP_NO_PARENT ? 0 : view->rows.at[parent].depth + 1;
    hp_vec_push(&t->rows->of, ((struct hp_account_row){
                                  .table = t->table,
                                  .source = t->source,
                                  .knob = "",
                                  .adds = parent != HP_NO_PARENT,
                                  .bytes = bytes,
                                  .range = {(double)bytes, (double)bytes},
                                  .objects = NAN,
                                  .pss = NAN,
                                  .private = NAN,
                              }));
    return (uint32_t)(view->rows.count - 1);
}

static struct hp_account_row *row_of(const struct tables *t, uint32_t row) {
    return &t->rows->of.at[row];
}

// Add a row for the bytes of `parent` that its children do not explain, if there are any.
static void add_rest(struct tables *t, uint32_t parent, hp_int128 rest) {
    if (rest != 0) {
        uint32_t row = add(t, parent, "[the books do not balance]", rest);
        row_of(t, row)->source = "difference";
    }
}

// --- all processes ------------------------------------------------------------------------

// Sums over all processes that are used, in bytes.
struct account_sums {
    struct { // as the allocator reports them
        hp_int128 allocated, active, metadata, resident, mapped, retained;
        hp_int128 base, internal, tcache;
    } stats;
    struct hp_books books;
    hp_int128 dirty, muzzy; // bytes of dirty pages, and of muzzy pages
    // Number of processes, and of processes with the kernel's smaps.
    size_t processes, with_maps;
    // Whether profiling was on in any process; and whether all processes have live
    // samples, size classes and internal memory in their statistics.
    bool has_sampling, has_live_samples, has_classes, has_internals;
    // Some process has samples of kind HP_SAMPLES_INSIDE, or HP_SAMPLES_UNKNOWN.
    bool has_inside, has_unknown;
    struct hp_kernel_maps maps;
    // Lower bounds of the anonymous memory that is not jemalloc's, and of the bytes that
    // jemalloc counts as resident although they are not in memory.
    hp_int128 not_ours, untouched;
};

// The next account of an input that is used; NULL: there are no more.  *i starts at 0.
static const struct hp_account *next_account(const struct hp_view *view, size_t *i) {
    const struct hp_profile *profile = view->profile;
    while (*i < profile->inputs.accounts.count) {
        const struct hp_account *account = &profile->inputs.accounts.at[(*i)++];
        if (hp_view_counts(view, account->input)) {
            return account;
        }
    }
    return NULL;
}

static void add_books(struct account_sums *sums, const struct hp_books *books) {
    struct hp_books *all = &sums->books;
    all->slabs += books->slabs;
    all->free_in_slabs += books->free_in_slabs;
    all->extents += books->extents;
    all->pads += books->pads;
    all->moved += books->moved;
    all->moved_count += books->moved_count;
    all->sample_count += books->sample_count;
    all->cost += books->cost;
    all->own += books->own;
    all->cost_low += books->cost_low;
    all->cost_high += books->cost_high;
    all->own_low += books->own_low;
    all->own_high += books->own_high;
    all->is_likely |= books->is_likely;
    all->program += books->program;
    all->live += books->live;
    all->base_rounding += books->base_rounding;
    all->allocated_rest += books->allocated_rest;
    all->active_rest += books->active_rest;
    all->resident_rest += books->resident_rest;
    all->metadata_rest += books->metadata_rest;
    sums->has_classes &= books->has_classes;
    sums->has_inside |= books->samples == HP_SAMPLES_INSIDE;
    sums->has_unknown |= books->samples == HP_SAMPLES_UNKNOWN;
}

static void add_stats(struct account_sums *sums, const struct hp_allocator_stats *stats) {
    sums->stats.allocated += stats->allocated;
    sums->stats.active += stats->active;
    sums->stats.metadata += stats->metadata;
    sums->stats.resident += stats->resident;
    sums->stats.mapped += stats->mapped;
    sums->stats.retained += stats->retained;
    sums->stats.base += stats->base;
    sums->stats.internal += stats->internal;
    sums->stats.tcache += stats->tcache;
    sums->dirty += (hp_int128)stats->pdirty * stats->page;
    sums->muzzy += (hp_int128)stats->pmuzzy * stats->page;
    sums->has_sampling |= stats->has_sampling;
    sums->has_live_samples &= stats->has_live;
    sums->has_internals &= stats->has_internals;
}

// The bytes, or 0 if they are below zero.
static hp_int128 above_zero(hp_int128 bytes) {
    return bytes > 0 ? bytes : 0;
}

// Add the mappings of a process, and its lower bounds not_ours and untouched.  Each is at
// least 0, so that the bounds of one process do not reduce those of another one.
static void add_maps(struct account_sums *sums, const struct hp_account *account) {
    const struct hp_kernel_maps *maps = &account->maps;
    hp_int128 anonymous = hp_kernel_maps_anonymous(maps);
    hp_int128 resident = account->stats.resident;
    hp_kernel_maps_add(&sums->maps, maps);
    sums->not_ours += above_zero(anonymous - resident);
    sums->untouched += above_zero(resident - anonymous);
    sums->with_maps++;
}

// Add up the accounts of all processes.
static struct account_sums sum_up(const struct hp_view *view) {
    struct account_sums sums = {.has_live_samples = true,
                                .has_classes = true,
                                .has_internals = true};
    const struct hp_account *account;
    for (size_t i = 0; (account = next_account(view, &i)) != NULL;) {
        struct hp_books books;
        hp_books_init(&books, &account->stats, view->head.inputs[account->input].live);
        add_books(&sums, &books);
        add_stats(&sums, &account->stats);
        sums.processes++;
        if (account->has_maps) {
            add_maps(&sums, account);
        }
    }
    return sums;
}

// The value of an option of jemalloc; "differs" if processes have different values.
static const char *knob_of(const struct hp_view *view, enum hp_knob knob) {
    const struct hp_account *account;
    const char *text = NULL;
    for (size_t i = 0; (account = next_account(view, &i)) != NULL;) {
        const char *own = account->stats.knobs[knob];
        text = text && strcmp(text, own) != 0 ? "differs" : own;
    }
    return text ? text : "";
}

// Append a row that an option of jemalloc influences.
static uint32_t add_with_knob(struct tables *t, uint32_t parent, const char *name,
                              hp_int128 bytes, enum hp_knob knob) {
    uint32_t row = add(t, parent, name, bytes);
    row_of(t, row)->knob = knob_of(t->view, knob);
    return row;
}

// --- the allocator ------------------------------------------------------------------------

// Set the bounds of a row whose value depends on the cost of samples: the value may be
// lower by `less` or higher by `more` bytes.  The bounds are NAN if the sizes of samples
// are not known.
static void set_open(struct hp_account_row *row, const struct account_sums *sums,
                     hp_int128 less, hp_int128 more) {
    double bytes = (double)row->bytes;
    bool is_unknown = sums->has_unknown && sums->has_sampling;
    row->range = (struct hp_interval){bytes - (double)less, bytes + (double)more};
    if (is_unknown || (less == 0 && more == 0 && sums->books.is_likely)) {
        row->range = (struct hp_interval){NAN, NAN};
    }
}

// A remark about how well the cost of samples is known; NULL: it is exact.  The caller
// owns it.
static char *note_of_cost(const struct account_sums *sums) {
    const struct hp_books *books = &sums->books;
    char count[HP_NUMBER_SIZE];
    hp_format_grouped(count, books->sample_count);
    if (books->cost_low < books->cost_high) {
        return hp_printed(HP_MESSAGE(
            "account-sizes-unknown",
            "somewhere between both ends; exact with opt.prof_stats and two or more "
            "arenas"));
    }
    return books->is_likely
               ? hp_printed(
                     HP_MESSAGE(
                         "account-sizes-doubted",
                         "estimated from %s samples; exact with opt.prof_stats and two "
                         "or more arenas"),
                     count)
               : NULL;
}

// Add the row of the memory that sampled objects take beyond their size.
static void add_cost(struct tables *t, uint32_t parent, const struct account_sums *sums) {
    const struct hp_books *books = &sums->books;
    if (!sums->has_sampling || (!sums->has_inside && books->cost == 0)) {
        return;
    }
    uint32_t number = add_with_knob(t, parent, "profiler: extra size of sampled objects",
                                    books->cost, HP_KNOB_LG_PROF_SAMPLE);
    struct hp_account_row *row = row_of(t, number);
    row->source = sums->has_live_samples ? "stats" : "dump";
    row->objects = (double)books->sample_count;
    row->note = note_of_cost(sums);
    set_open(row, sums, books->cost - books->cost_low, books->cost_high - books->cost);
}

// Add the rows below "allocated": objects of the program, costs of samples, thread
// caches.
static void add_allocated(struct tables *t, uint32_t active,
                          const struct account_sums *sums) {
    const struct hp_books *books = &sums->books;
    uint32_t allocated = add(t, active, "allocated", sums->stats.allocated);
    hp_int128 program = books->program - books->allocated_rest;
    if (!sums->has_internals) { // caches and internal memory are part of the objects then
        program += sums->stats.tcache + sums->stats.internal;
    }
    uint32_t row =
        add(t, allocated,
            !sums->has_internals ? "objects of the program and in thread caches"
            : books->moved > 0   ? "objects of the program that are not sampled"
                                 : "objects of the program",
            program);
    row_of(t, row)->source = "difference";
    set_open(row_of(t, row), sums, books->cost_high - books->cost,
             books->cost - books->cost_low);
    add_cost(t, allocated, sums);
    if (sums->has_internals) {
        add_with_knob(t, allocated, "thread caches", sums->stats.tcache,
                      HP_KNOB_TCACHE_MAX);
        add(t, allocated, "the allocator's own (internal)", sums->stats.internal);
    }
    add_rest(t, allocated, books->allocated_rest);
}

// Add the rows below "active": allocated, free space in slabs, padding of large objects.
static void add_active(struct tables *t, uint32_t resident,
                       const struct account_sums *sums) {
    const struct hp_books *books = &sums->books;
    uint32_t active = add(t, resident, "active", sums->stats.active);
    add_allocated(t, active, sums);
    if (sums->has_classes) {
        add(t, active, "free in slabs", books->free_in_slabs);
        add_with_knob(t, active, "a page beside each large object", books->pads,
                      HP_KNOB_CACHE_OBLIVIOUS);
    }
    if (books->moved > 0) {
        uint32_t row = add_with_knob(t, active, "pages of sampled objects", books->moved,
                                     HP_KNOB_LG_PROF_SAMPLE);
        row_of(t, row)->objects = (double)books->moved_count;
    }
    hp_int128 rest = books->active_rest - books->allocated_rest;
    if (!sums->has_classes && rest != 0) {
        uint32_t row = add(t, active, "not distinguished: there are no classes", rest);
        row_of(t, row)->source = "difference";
    } else {
        add_rest(t, active, rest);
    }
}

// Add rows of the allocator that are not parts of "resident", and have no parent.
static void add_apart(struct tables *t, const struct account_sums *sums) {
    add(t, HP_NO_PARENT, "metadata, of which internal is in allocated",
        sums->stats.metadata);
    add(t, HP_NO_PARENT, "mapped: address space", sums->stats.mapped);
    add_with_knob(t, HP_NO_PARENT, "retained: address space", sums->stats.retained,
                  HP_KNOB_RETAIN);
}

// Add the row of memory that the allocator needs for itself.  Statistics of jemalloc 4
// lack it; the row is then a difference.
static void add_base(struct tables *t, uint32_t resident,
                     const struct account_sums *sums) {
    hp_int128 rest =
        sums->stats.resident - sums->stats.active - sums->dirty - sums->muzzy;
    if (!sums->has_internals) {
        uint32_t row =
            add(t, resident, "not distinguished: what the allocator needs", rest);
        row_of(t, row)->source = "difference";
        return;
    }
    add_with_knob(t, resident, "base: metadata of the allocator", sums->stats.base,
                  HP_KNOB_METADATA_THP);
    uint32_t rounding = add(t, resident, "rounding of base", sums->books.base_rounding);
    row_of(t, rounding)->source = "difference";
    add_rest(t, resident, sums->books.resident_rest);
}

// Build the table of the allocator.
static void build_allocator(struct tables *t, const struct account_sums *sums) {
    t->table = "allocator";
    t->source = "stats";
    uint32_t resident = add(t, HP_NO_PARENT, "resident", sums->stats.resident);
    add_active(t, resident, sums);
    add_with_knob(t, resident, "dirty pages", sums->dirty, HP_KNOB_DIRTY_DECAY);
    add_with_knob(t, resident, "muzzy pages", sums->muzzy, HP_KNOB_MUZZY_DECAY);
    add_base(t, resident, sums);
    add_apart(t, sums);
    if (sums->books.metadata_rest != 0) {
        uint32_t row = add(t, HP_NO_PARENT, "metadata beyond base and internal",
                           sums->books.metadata_rest);
        row_of(t, row)->source = "difference";
    }
}

// --- the program --------------------------------------------------------------------------

// Set a remark if the bytes of the program's objects differ: by the allocator they are
// `live`, with the bounds `open`; by the profile they are in `range`.
static void say_outside(struct hp_account_row *row, const struct hp_view *view,
                        hp_int128 live, struct hp_interval open,
                        struct hp_interval range) {
    char numbers[3][HP_NUMBER_SIZE];
    double low = isnan(open.low) ? (double)live : open.low;
    double high = isnan(open.high) ? (double)live : open.high;
    if (!(high < range.low || low > range.high)) {
        return;
    }
    bool is_exact = !(range.low < range.high);
    hp_format_grouped(numbers[0], live);
    hp_format_grouped(numbers[1], (hp_int128)range.low);
    hp_format_grouped(numbers[2], (hp_int128)range.high);
    row->note = hp_printed(
        HP_MESSAGE(
            "account-books-differ",
            "jemalloc counts %s bytes, the profile %s to %s: other process or time, or "
            "prof.active? (chance %.3g %%)"),
        numbers[0], numbers[1], numbers[2],
        is_exact ? 0 : 100 - 100 * view->options.confidence);
}

// Build the table of the program: its objects by the allocator and by the profile.
static void build_program(struct tables *t, const struct account_sums *sums) {
    const struct hp_view *view = t->view;
    const struct hp_head *head = &view->head;
    hp_int128 live = sums->books.live - sums->books.allocated_rest;
    struct hp_amount profile = {.sum = head->whole.of[HP_INUSE_SPACE],
                                .error = &head->whole_errors[HP_COLUMN_INUSE],
                                .is_total = true};
    struct hp_interval range = hp_view_range(view, &profile, HP_INUSE_SPACE);
    t->table = "program";
    t->source = "difference";
    uint32_t row = add(t, HP_NO_PARENT, "objects by malloc_stats", live);
    const struct hp_books *books = &sums->books;
    hp_int128 less = books->cost_high - books->cost + books->own - books->own_low;
    hp_int128 more = books->cost - books->cost_low + books->own_high - books->own;
    set_open(row_of(t, row), sums, less, more);
    struct hp_interval open = row_of(t, row)->range;
    t->source = "dump";
    hp_int128 estimate = profile.sum >> HP_SPACE_FRACTION;
    row = add(t, HP_NO_PARENT, "objects by the profile", estimate);
    row_of(t, row)->range = range;
    row_of(t, row)->objects =
        hp_fixed_double(head->total.of[HP_INUSE_OBJECTS], HP_INUSE_OBJECTS);
    if (sums->has_sampling) {
        say_outside(row_of(t, row), view, live, open, range);
    } else {
        row_of(t, row)->note =
            hp_printed(HP_MESSAGE("account-profiling-off",
                                  "the statistics say that profiling is off"));
    }
}

// --- the kernel ---------------------------------------------------------------------------

// Set pss and, if it is known, private memory of row `number`.
static void set_mapped(struct tables *t, uint32_t number, const struct hp_mapped *mapped,
                       bool has_private) {
    struct hp_account_row *row = row_of(t, number);
    row->pss = (double)mapped->pss;
    row->private = has_private ? (double)mapped->private : (double)NAN;
}

// Add a row for each kind of mapping with resident memory.
static void add_kinds(struct tables *t, uint32_t rss, const struct account_sums *sums) {
    static const char *const names[HP_MAPPED_KINDS] = {
        [HP_MAPPED_FILES] = "files",
        [HP_MAPPED_SHARED] = "shared memory",
        [HP_MAPPED_HEAP] = "[heap]",
        [HP_MAPPED_STACK] = "main stack",
        [HP_MAPPED_JEMALLOC] = "jemalloc's, as it calls them",
        [HP_MAPPED_ANONYMOUS] = "other anonymous",
        [HP_MAPPED_SPECIAL] = "[vdso] and the like",
    };
    bool by_pss = sums->with_maps > 1;
    for (int i = 0; i < HP_MAPPED_KINDS; i++) {
        const struct hp_mapped *mapped = &sums->maps.of[i];
        const char *name = !sums->maps.is_rollup  ? names[i]
                           : i == HP_MAPPED_FILES ? "files and shared memory"
                                                  : "anonymous memory";
        if (mapped->rss > 0) {
            uint32_t row = add(t, rss, name, by_pss ? mapped->pss : mapped->rss);
            set_mapped(t, row, mapped, !sums->maps.is_rollup);
        }
    }
}

// Add a row whose value lies between two bounds; it shows the lower one.
static void add_bound(struct tables *t, const char *name, hp_int128 least,
                      hp_int128 most) {
    uint32_t row = add(t, HP_NO_PARENT, name, least);
    row_of(t, row)->source = "difference";
    row_of(t, row)->range = (struct hp_interval){(double)least, (double)most};
}

// Add rows for memory that is known only between two bounds, which follow from the
// numbers of kernel and allocator together.  They are valid for one process only.
static void add_bounds(struct tables *t, const struct account_sums *sums) {
    hp_int128 anonymous = hp_kernel_maps_anonymous(&sums->maps);
    if (sums->processes == 1 && sums->maps.of[HP_MAPPED_JEMALLOC].rss == 0) {
        add_bound(t, "anonymous, not of jemalloc, at least", sums->not_ours, anonymous);
        add_bound(t, "counted resident by jemalloc, not in RSS, at least",
                  sums->untouched, sums->stats.resident);
    }
}

// Build the table of the kernel, if any process has maps.  Several processes are added up
// by Pss, as Rss would count shared pages several times.
static void build_kernel(struct tables *t, const struct account_sums *sums) {
    struct hp_mapped all = hp_kernel_maps_total(&sums->maps);
    t->table = "kernel";
    t->source = "smaps";
    if (sums->with_maps == 0) {
        return;
    }
    bool by_pss = sums->with_maps > 1;
    uint32_t rss =
        add(t, HP_NO_PARENT, by_pss ? "Pss" : "Rss", by_pss ? all.pss : all.rss);
    set_mapped(t, rss, &all, true);
    if (sums->with_maps < sums->processes) {
        row_of(t, rss)->note =
            hp_printed(HP_MESSAGE("account-some-smaps",
                                  "smaps exist for %zu of %zu processes"),
                       sums->with_maps, sums->processes);
    }
    add_kinds(t, rss, sums);

    const struct {
        const char *name;
        hp_int128 bytes;
    } beside[] = {
        {"of that in huge pages (AnonHugePages)", sums->maps.huge_pages},
        {"of that free for the taking (LazyFree)", sums->maps.lazy_free},
        {"swapped out", sums->maps.swap},
    };

    for (size_t i = 0; i < sizeof beside / sizeof *beside; i++) {
        if (beside[i].bytes > 0) {
            add(t, HP_NO_PARENT, beside[i].name, beside[i].bytes);
        }
    }
    add_bounds(t, sums);
}

// --- the report ---------------------------------------------------------------------------

// Whether filters or the choice of a thread limit the view to some stacks.  Statistics of
// the allocator cover all stacks.
static bool has_some_stacks(const struct hp_view *view) {
    return view->options.filter_count > 0 || view->head.thread.size > 0;
}

static int build(struct hp_view *view, struct hp_err *err) {
    if (has_some_stacks(view)) {
        return hp_fail(err, HP_E_USAGE,
                       HP_MESSAGE("account-filtered",
                                  "account includes all stacks: filters do not apply"));
    }
    if (view->options.waste) {
        return hp_waste_build(view, err);
    }
    struct hp_account_rows *rows = view->extra = hp_alloc(sizeof *rows);
    struct tables tables = {.view = view, .rows = rows};
    struct account_sums sums = sum_up(view);
    if (sums.processes == 0) {
        return hp_fail(err, HP_E_EMPTY,
                       HP_MESSAGE("account-no-statistics",
                                  "no dump in use has statistics"));
    }
    hp_view_set_fields(view, fields, sizeof fields / sizeof *fields);
    build_allocator(&tables, &sums);
    build_program(&tables, &sums);
    build_kernel(&tables, &sums);
    view->enough = view->rows.count;
    return HP_OK;
}

static const struct hp_account_row *row_at(const struct hp_cell_at *at) {
    const struct hp_account_rows *rows = at->view->extra;
    return &rows->of.at[at->row];
}

static void text_cell(const struct hp_cell_at *at, struct hp_content *content) {
    const struct hp_account_row *of = row_at(at);
    const char *const texts[] = {[TABLE] = of->table,
                                 [SOURCE] = of->source,
                                 [KNOB] = of->knob,
                                 [NOTE] = of->note ? of->note : ""};
    content->text = texts[at->field->id];
}

static void number_cell(const struct hp_cell_at *at, struct hp_content *content) {
    const struct hp_account_row *of = row_at(at);
    const struct hp_row_key *key = &at->view->rows.at[at->row];
    const double numbers[] = {
        [PARENT] = key->parent == HP_NO_PARENT ? (double)NAN : (double)key->parent,
        [DEPTH] = key->depth,
        [ADDS] = of->adds,
        [OBJECTS] = of->objects,
        [PSS] = of->pss,
        [PRIVATE] = of->private,
    };
    content->number = numbers[at->field->id];
}

static void bytes_cell(const struct hp_cell_at *at, struct hp_content *content) {
    const struct hp_account_row *of = row_at(at);
    content->amount =
        (struct hp_amount){.sum = of->bytes * ((hp_int128)1 << HP_SPACE_FRACTION),
                           .range = of->range,
                           .among = 1};
}

static unsigned flags(const struct hp_view *view, size_t row) {
    (void)view, (void)row;
    return 0;
}

static struct hp_origin origin(const struct hp_view *view, size_t row) {
    (void)view, (void)row;
    return (struct hp_origin){.line = 0};
}

static void done(struct hp_view *view) {
    if (view->options.waste) {
        hp_waste_done(view->extra);
        return;
    }
    struct hp_account_rows *rows = view->extra;
    struct hp_account_row *row;
    hp_vec_each (row, &rows->of) {
        free(row->note);
    }
    hp_vec_done(&rows->of);
}

const char *hp_account_table_text(const char *table) {
    return strcmp(table, "allocator") == 0 ? "Allocator (malloc_stats)"
           : strcmp(table, "program") == 0 ? "Heap profile"
                                           : "Kernel (smaps)";
}

// With --waste rows are named after stacks.
static bool shows_code(const struct hp_report_options *options) {
    return options->waste;
}

const struct hp_report hp_report_account = {
    .name = "account",
    .help =
        "where the memory of a process is: by its allocator, its profile and the kernel",
    .row = "account",
    .is_table = true,
    .needs_accounts = true,
    .shows_code = shows_code,
    .build = build,
    .flags = flags,
    .origin = origin,
    .done = done,
};
