// Free bytes of a class = slabs x bytes of a slab - regions in use x bytes of a region,
// from the allocator's own counts.  The holders of a class are the stacks with sampled
// objects of its size.  Input files do not contain how much of the slabs each holder
// keeps from being returned, whatever the holders' shares are.
#include "view/account_waste.h"

#include "base/units.h"
#include "stats/books.h"

#include <math.h>
#include <string.h>

static hp_cell_fn number_cell, live_cell, note_cell;

// Columns of numbers, by hp_field.id.
enum field {
    PARENT,
    DEPTH,
    SIZE,
    FREE,
    SLABS,
    NONFULL,
    OBJECTS,
    REQUESTED,
    SHARE,
};

enum {
    SHOWN_HOLDERS = 5,  // most rows of holders of a class; one more row has the rest
    NAMED_CALLS = 6,    // most calls of a stack in the name of its row
    LEAST_SAMPLES = 20, // with fewer samples a stack is not called the only holder
    COUNT_WIDTH = 10,
    LIVE_WIDTH = 28, // room for "1023.99 MiB ± 123.45 MiB"
};

static const double almost_all = 0.95; // share that is treated as everything

static const struct hp_field fields[] = {
    {{"parent", NULL, NULL, HP_CELL_NUMBER}, number_cell, .id = PARENT},
    {{"depth", NULL, NULL, HP_CELL_NUMBER}, number_cell, .id = DEPTH},
    {{"size", NULL, NULL, HP_CELL_NUMBER}, number_cell, .id = SIZE, .unit = HP_IN_BYTES},
    {{"free", "free", NULL, HP_CELL_NUMBER},
     number_cell,
     HP_NEW_LINE,
     .id = FREE,
     .unit = HP_IN_METRIC},
    {{"slabs", "slabs", NULL, HP_CELL_COUNT},
     number_cell,
     .width = COUNT_WIDTH,
     .id = SLABS},
    {{"nonfull_slabs", "not full", NULL, HP_CELL_COUNT},
     number_cell,
     .width = COUNT_WIDTH,
     .leaves = 3,
     .id = NONFULL},
    {{"objects", "objects", NULL, HP_CELL_COUNT},
     number_cell,
     .width = COUNT_WIDTH,
     .leaves = 2,
     .id = OBJECTS},
    {{"requested", "asked for", NULL, HP_CELL_NUMBER},
     number_cell,
     .width = COUNT_WIDTH,
     .leaves = 1,
     .id = REQUESTED},
    {{"live", "live", NULL, HP_CELL_ESTIMATE},
     live_cell,
     HP_NEW_LINE,
     .width = LIVE_WIDTH,
     .unit = HP_IN_BYTES},
    {{"share", "share", NULL, HP_CELL_NUMBER},
     number_cell,
     .width = COUNT_WIDTH,
     .id = SHARE},
    {{"note", NULL, NULL, HP_CELL_TEXT}, note_cell, HP_NEW_LINE},
};

// --- classes ------------------------------------------------------------------------------

// A size class, summed over the inputs that are used.
struct class {
    uint64_t size;              // bytes of an object
    hp_int128 free, slab_bytes; // bytes in its slabs: free ones, and all
    // Slabs, slabs with free regions, objects; sampled live objects and the bytes that
    // callers asked for in these.
    uint64_t slabs, nonfull, objects, live_count, live_requested;
    bool has_live;         // every input has live_count and live_requested
    size_t first, holders; // range of its holders: index of the first, and their number
    hp_fixed held;         // estimated number of objects of all its holders
};

// A stack with sampled objects of one class; `objects` and `bytes` are estimates of these
// objects, `error` is the error of `bytes`.
struct class_holder {
    uint64_t size;
    uint32_t stack; // index in view->stacks
    hp_fixed objects, bytes;
    struct hp_error error;
};

// State while the report of free memory in slabs is built.
struct waste_builder {
    struct hp_view *view;
    struct hp_waste *waste;
    HP_VEC(struct class) classes;        // sorted by size, later by free bytes
    HP_VEC(struct class_holder) holders; // grouped by class, the largest first
    hp_fixed mixed;                      // estimated number of objects of unknown size
};

static int by_size(const void *left, const void *right) {
    uint64_t a = ((const struct class *)left)->size;
    uint64_t b = ((const struct class *)right)->size;
    return (a > b) - (a < b);
}

static int by_free(const void *left, const void *right) {
    const struct class *a = left, *b = right;
    return a->free != b->free ? (a->free < b->free) - (a->free > b->free)
                              : by_size(left, right);
}

// Add the statistics of one input about a size class to that class.
static void add_bin(struct waste_builder *b, const struct hp_bin_stats *bin,
                    bool has_live) {
    struct class *class;
    hp_vec_each (class, &b->classes) {
        if (class->size == bin->size) {
            break;
        }
    }
    if (class == hp_vec_from(&b->classes, b->classes.count)) {
        class = hp_vec_push(&b->classes,
                            ((struct class){.size = bin->size, .has_live = true}));
    }
    class->free += hp_free_in_slabs(bin);
    class->slab_bytes += (hp_int128)bin->curslabs * bin->slab_size;
    class->slabs += bin->curslabs;
    class->nonfull += bin->nonfull_slabs;
    class->objects += bin->curregs;
    class->live_count += bin->live_count;
    class->live_requested += bin->live_requested;
    class->has_live &= has_live;
}

// Add up the classes of all inputs that are used.  HP_E_EMPTY: the statistics of an input
// have no size classes.
static int add_classes(struct waste_builder *b, struct hp_err *err) {
    const struct hp_profile *profile = b->view->profile;
    const struct hp_account *account;
    hp_vec_each (account, &profile->inputs.accounts) {
        const struct hp_bin_stats *bin;
        if (!hp_view_counts(b->view, account->input)) {
            continue;
        }
        if (!account->stats.has_classes) {
            return hp_fail(
                err, HP_E_EMPTY,
                HP_MESSAGE(
                    "nothing-no-classes",
                    "no size classes in the statistics. Print them without the letters "
                    "b and l"));
        }
        hp_vec_each (bin, &account->stats.bins) {
            add_bin(b, bin, account->stats.has_live);
        }
    }
    hp_vec_sort(&b->classes, by_size);
    return HP_OK;
}

// --- holders ------------------------------------------------------------------------------

static int by_class_and_stack(const void *left, const void *right) {
    const struct class_holder *a = left, *b = right;
    return a->size != b->size ? (a->size > b->size) - (a->size < b->size)
                              : (a->stack > b->stack) - (a->stack < b->stack);
}

// Order the stacks that hold objects of a class by bytes, the largest first; ties by
// name, as stacks are numbered in the order of their names.
static int by_bytes(const void *left, const void *right) {
    const struct class_holder *a = left, *b = right;
    return a->bytes != b->bytes ? (a->bytes < b->bytes) - (a->bytes > b->bytes)
                                : by_class_and_stack(left, right);
}

// Make a stack of the profile a holder of each class that it has sampled objects of.  Its
// objects of unknown size are added to b->mixed.
static void add_parts(struct waste_builder *b, uint32_t stack) {
    const struct hp_sizes *sizes = &b->view->profile->sizes[HP_COLUMN_INUSE];
    const struct hp_size_part *part =
        stack < sizes->stacks.count ? hp_sizes_of(sizes, stack) : NULL;
    for (; part; part = hp_sizes_next(sizes, part)) {
        struct class key = {.size = part->size};
        const struct class *class =
            part->size == HP_MIXED_SIZES
                ? NULL
                : bsearch(&key, b->classes.at, b->classes.count, sizeof key, by_size);
        b->mixed += part->size == HP_MIXED_SIZES ? part->objects : 0;
        if (class) {
            hp_vec_push(&b->holders, ((struct class_holder){
                                         .size = part->size,
                                         .stack = b->view->stacks.of_profile[stack],
                                         .objects = part->objects,
                                         .bytes = part->bytes,
                                         .error = part->error,
                                     }));
        }
    }
}

// Sort the stacks that hold objects by class and stack, and merge stacks of the profile
// that the view shows as one.
static void merge_holders(struct waste_builder *b) {
    size_t count = 0;
    hp_vec_sort(&b->holders, by_class_and_stack);
    for (size_t i = 0; i < b->holders.count; i++) {
        struct class_holder *one = &b->holders.at[i];
        struct class_holder *last = count > 0 ? &b->holders.at[count - 1] : NULL;
        if (last && by_class_and_stack(last, one) == 0) {
            last->objects += one->objects;
            last->bytes += one->bytes;
            hp_error_add(&last->error, &one->error); // fits, as the stack's sum did
        } else {
            b->holders.at[count++] = *one;
        }
    }
    b->holders.count = count;
}

// Collect the stacks that hold objects of each class, and set the range of each class.
static void find_holders(struct waste_builder *b) {
    for (uint32_t i = 0; i < b->view->profile->stacks.count; i++) {
        add_parts(b, i);
    }
    merge_holders(b);
    struct class *class;
    size_t next = 0;
    hp_vec_each (class, &b->classes) {
        class->first = next;
        for (; next < b->holders.count && b->holders.at[next].size == class->size;
             next++) {
            class->held += b->holders.at[next].objects;
            class->holders++;
        }
        if (class->holders > 0) {
            qsort(&b->holders.at[class->first], class->holders, sizeof *b->holders.at,
                  by_bytes);
        }
    }
}

// --- names --------------------------------------------------------------------------------

// Return the name of a stack's row, "leaf < caller < main", beginning at the function
// that its memory is attributed to.  The caller frees it.
static char *name_of(const struct hp_view *view, uint32_t stack) {
    const struct hp_stack_key *key = &view->stacks.all.at[stack];
    char *name = hp_copy("");
    uint32_t calls = key->depth < NAMED_CALLS ? key->depth : NAMED_CALLS;
    for (uint32_t i = 0; i < calls; i++) {
        struct hp_span call = hp_view_node(view, (hp_node_id){key->at[i]});
        char *longer =
            hp_printed("%s%s%.*s", name, i > 0 ? " < " : "", (int)call.size, call.at);
        free(name);
        name = longer;
    }
    if (calls < key->depth) {
        char *longer = hp_printed("%s < …", name);
        free(name);
        name = longer;
    }
    return name;
}

// --- rows ---------------------------------------------------------------------------------

// Append a row below `parent` (HP_NO_PARENT: at the top), with all numbers NAN.  The
// result is valid until the next row is added.
static struct hp_waste_row *add_row(struct waste_builder *b, uint32_t parent,
                                    const char *name) {
    static const struct hp_waste_row unknown = {NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    struct hp_view *view = b->view;
    hp_node_id node = hp_naming_add(&view->naming, hp_span_of(name), HP_CLASSES);
    struct hp_row_key *key = hp_view_add_row(view, node);
    key->parent = parent;
    key->depth = parent != HP_NO_PARENT;
    return hp_vec_push(&b->waste->of, unknown);
}

// Return the share of `objects` among the estimated objects of a class; NAN if objects of
// unknown size, which may belong to the class, too, are more than 5 % of these.
static double share_of(const struct waste_builder *b, const struct class *class,
                       hp_fixed objects) {
    double held = (double)class->held, mixed = (double)b->mixed;
    return mixed <= (1 - almost_all) * held ? (double)objects / held : (double)NAN;
}

// Add the row of one stack that holds objects of a class, below the row of the class.
static void add_holder(struct waste_builder *b, uint32_t parent,
                       const struct class *class, const struct class_holder *holder) {
    char *name = name_of(b->view, holder->stack);
    struct hp_waste_row *row = add_row(b, parent, name);
    row->live.sum = holder->bytes;
    row->error = holder->error;
    row->objects = hp_fixed_double(holder->objects, HP_INUSE_OBJECTS);
    row->share = share_of(b, class, holder->objects);
    free(name);
}

// Add one row for all stacks that hold objects of a class, after the first SHOWN_HOLDERS.
static void add_other_holders(struct waste_builder *b, uint32_t parent,
                              const struct class *class) {
    struct class_holder all = {.stack = 0};
    size_t count = class->holders - SHOWN_HOLDERS;
    for (size_t i = SHOWN_HOLDERS; i < class->holders; i++) {
        const struct class_holder *holder = &b->holders.at[class->first + i];
        all.objects += holder->objects;
        all.bytes += holder->bytes;
        hp_error_add(&all.error, &holder->error);
    }
    char *name = hp_printed("[%zu other stack%s]", count, count == 1 ? "" : "s");
    struct hp_waste_row *row = add_row(b, parent, name);
    row->live.sum = all.bytes;
    row->error = all.error;
    row->objects = hp_fixed_double(all.objects, HP_INUSE_OBJECTS);
    row->share = share_of(b, class, all.objects);
    free(name);
}

// Judge which stacks keep the slabs of a class in use.  An object of another stack, or
// one whose size is not known, keeps one slab at most.  A share of objects that is next
// to nothing may still be enough to keep all slabs.  So the objects of others are
// compared with the number of slabs that are not full, not only with the objects of the
// largest holder.
static enum hp_waste_verdict verdict_of(const struct waste_builder *b,
                                        const struct class *class) {
    if (class->holders == 0) {
        return b->mixed > 0 ? HP_WASTE_UNKNOWN : HP_WASTE_NOBODY;
    }
    const struct class_holder *first = &b->holders.at[class->first];
    hp_fixed others = class->held - first->objects + b->mixed;
    double kept = hp_fixed_double(others, HP_INUSE_OBJECTS);
    bool is_one = (double)first->objects >= almost_all * (double)class->held &&
                  kept <= (1 - almost_all) * (double)class->nonfull &&
                  first->error.samples >= LEAST_SAMPLES;
    return is_one               ? HP_WASTE_ONE_HOLDER
           : class->holders > 1 ? HP_WASTE_SEVERAL
                                : HP_WASTE_FEW;
}

const char *hp_waste_text(enum hp_waste_verdict verdict) {
    static const char *const texts[HP_WASTE_VERDICTS] = {
        [HP_WASTE_ONE_HOLDER] =
            HP_WORDS("one-holder", "almost only one stack has objects in these slabs"),
        [HP_WASTE_SEVERAL] =
            HP_WORDS("several-holders",
                     "which of them keeps the slabs cannot be known from a dump"),
        [HP_WASTE_FEW] = HP_WORDS(
            "few-holder-samples",
            "too few samples, or too many of unknown sizes, to say that nobody else has "
            "objects there"),
        [HP_WASTE_NOBODY] = HP_WORDS("no-holder-sample",
                                     "no sample shows which stacks have objects there"),
        [HP_WASTE_UNKNOWN] =
            HP_WORDS("holder-sizes-unknown",
                     "the sizes of samples are unknown, and so is who has objects there"),
    };

    return hp_words(texts[verdict]);
}

// Return the note below a class, "96 B: ..."; the caller frees it.
static char *sentence_of(const struct waste_builder *b, const struct class *class,
                         enum hp_waste_verdict verdict) {
    char size[HP_NUMBER_SIZE];
    hp_format_size(size, class->size);
    if (verdict != HP_WASTE_ONE_HOLDER) {
        return hp_printed(HP_MESSAGE("holders-of-size", "%s: %s"), size,
                          hp_waste_text(verdict));
    }
    char *name = name_of(b->view, b->holders.at[class->first].stack);
    char *sentence =
        hp_printed(HP_MESSAGE("holder-of-size",
                              "%s: almost only %s has objects in these slabs"),
                   size, name);
    free(name);
    return sentence;
}

// Add the row of a size class, and below it the rows of the stacks that hold its objects.
static void add_class(struct waste_builder *b, const struct class *class) {
    char name[HP_NUMBER_SIZE];
    hp_format_size(name, class->size);
    struct hp_waste_row *row = add_row(b, HP_NO_PARENT, name);
    hp_int128 live = (hp_int128) class->objects * class->size;
    double sampled = (double)class->live_count * (double)class->size;
    row->size = (double)class->size;
    row->free = (double)class->free;
    row->slabs = (double)class->slabs;
    row->nonfull = (double)class->nonfull;
    row->objects = (double)class->objects;
    row->live.sum = live << HP_SPACE_FRACTION;
    row->live.range = (struct hp_interval){(double)live, (double)live};
    row->requested = class->has_live && sampled > 0
                         ? (double)class->live_requested / sampled
                         : (double)NAN;
    row->verdict = verdict_of(b, class);
    row->note = sentence_of(b, class, row->verdict);
    uint32_t parent = (uint32_t)(b->view->rows.count - 1);
    for (size_t i = 0; i < class->holders && i < SHOWN_HOLDERS; i++) {
        add_holder(b, parent, class, &b->holders.at[class->first + i]);
    }
    if (class->holders > SHOWN_HOLDERS) {
        add_other_holders(b, parent, class);
    }
    b->waste->free += class->free;
    b->waste->slabs += class->slab_bytes;
}

// Make the rows, classes with most free bytes first.  Sets view->enough to the number of
// rows that text shows by default: those of the classes that together have 95 % of the
// free bytes.
static void add_rows(struct waste_builder *b) {
    hp_int128 all = 0, shown = 0;
    const struct class *class;
    hp_vec_sort(&b->classes, by_free);
    hp_vec_each (class, &b->classes) {
        all += class->free;
    }
    b->view->enough = 0;
    hp_vec_each (class, &b->classes) {
        if (class->free == 0) {
            continue;
        }
        bool is_needed = (double)shown < almost_all * (double)all;
        add_class(b, class);
        shown += class->free;
        b->view->enough = is_needed ? b->view->rows.count : b->view->enough;
    }
}

// --- the report ---------------------------------------------------------------------------

int hp_waste_build(struct hp_view *view, struct hp_err *err) {
    struct waste_builder b = {.view = view, .waste = hp_alloc(sizeof *b.waste)};
    view->extra = b.waste;
    int ret = add_classes(&b, err);
    if (ret == HP_OK) {
        hp_view_set_fields(view, fields, sizeof fields / sizeof *fields);
        hp_stacks_init(&view->stacks, HP_STACKS_OF_NAMES, &view->naming, &view->options);
        find_holders(&b);
        add_rows(&b);
    }
    if (ret == HP_OK && view->rows.count == 0) {
        ret = hp_fail(err, HP_E_EMPTY,
                      HP_MESSAGE("nothing-free-in-slabs", "nothing is free in slabs"));
    }
    hp_vec_done(&b.classes);
    hp_vec_done(&b.holders);
    return ret;
}

static const struct hp_waste_row *row_at(const struct hp_cell_at *at) {
    const struct hp_waste *waste = at->view->extra;
    return &waste->of.at[at->row];
}

static void number_cell(const struct hp_cell_at *at, struct hp_content *content) {
    const struct hp_waste_row *of = row_at(at);
    const struct hp_row_key *key = &at->view->rows.at[at->row];
    const double numbers[] = {
        [PARENT] = key->parent == HP_NO_PARENT ? (double)NAN : (double)key->parent,
        [DEPTH] = key->depth,
        [SIZE] = of->size,
        [FREE] = of->free,
        [SLABS] = of->slabs,
        [NONFULL] = of->nonfull,
        [OBJECTS] = of->objects,
        [REQUESTED] = of->requested,
        [SHARE] = of->share,
    };
    content->number = numbers[at->field->id];
}

static void live_cell(const struct hp_cell_at *at, struct hp_content *content) {
    const struct hp_waste_row *of = row_at(at);
    content->amount = of->live;
    content->amount.error = at->view->rows.at[at->row].depth > 0 ? &of->error : NULL;
    content->amount.among = 1;
}

static void note_cell(const struct hp_cell_at *at, struct hp_content *content) {
    const char *note = row_at(at)->note;
    content->text = note ? note : "";
}

void hp_waste_done(struct hp_waste *waste) {
    struct hp_waste_row *row;
    hp_vec_each (row, &waste->of) {
        free(row->note);
    }
    hp_vec_done(&waste->of);
}
