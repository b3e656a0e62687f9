#include "view/size_rows.h"

#include "base/units.h"
#include "model/ages.h"
#include "view/groups.h"

#include <string.h>

// --- rows ---------------------------------------------------------------------------------

// Whether the view shows a column: memory in use, or allocated memory.
static bool is_wanted(const struct hp_view *view, enum hp_column column) {
    return (view->use.can & HP_HAS_ALL_METRICS) != 0 ||
           column == hp_column_of(view->options.metric);
}

// Whether filters leave any of a stack of the profile.
static bool is_visible(const struct hp_view *view, size_t stack) {
    return !view->is_visible || view->is_visible[stack];
}

// Return the objects of all stacks of the profile, by age or by size: one element for
// each column.
static const struct hp_sizes *parts_of(const struct hp_view *view) {
    const struct hp_profile *profile = view->profile;
    return view->options.by == HP_BY_AGE ? profile->ages : profile->sizes;
}

// A walk over the objects of all visible stacks by size or age, in the columns that are
// shown.  {.view} begins it.
struct part_walk {
    const struct hp_view *view;
    enum hp_column column;
    uint32_t stack; // stack of the current part: its number in the profile
    // The current part; NULL: before the first or after the last one.
    const struct hp_size_part *part;
};

// Step to the next size or age of a stack.  Returns false if there is none.
static bool next(struct part_walk *walk) {
    const struct hp_sizes *sizes = parts_of(walk->view);
    if (walk->part) {
        walk->part = hp_sizes_next(&sizes[walk->column], walk->part);
        walk->stack += !walk->part;
    }
    for (; !walk->part && walk->column < HP_COLUMNS; walk->column++, walk->stack = 0) {
        size_t count = sizes[walk->column].stacks.count;
        for (; is_wanted(walk->view, walk->column) && walk->stack < count;
             walk->stack++) {
            walk->part = is_visible(walk->view, walk->stack)
                             ? hp_sizes_of(&sizes[walk->column], walk->stack)
                             : NULL;
            if (walk->part) {
                return true;
            }
        }
    }
    return walk->part != NULL;
}

// Rank of a size among all sizes: mixed sizes come last.
static uint64_t rank_of(uint64_t size) {
    return size == HP_MIXED_SIZES ? UINT64_MAX : size;
}

// Order of sizes, or of ranges of ages, by rank_of().
static int by_rank(const void *left, const void *right) {
    uint64_t a = rank_of(*(const uint64_t *)left), b = rank_of(*(const uint64_t *)right);
    return (a > b) - (a < b);
}

// Write the name of the row of a size.
static void name_size(char name[HP_NUMBER_SIZE], uint64_t size) {
    if (size == HP_MIXED_SIZES) {
        strcpy(name, "[mixed sizes]");
    } else {
        hp_format_size(name, size);
    }
}

// Write the name of the row of a range of ages.
static void name_age(char name[HP_NUMBER_SIZE], uint64_t range) {
    if (range == HP_NO_AGE) {
        strcpy(name, "[age unknown]");
    } else {
        hp_age_range_format(name, range);
    }
}

uint64_t *hp_size_rows_new(struct hp_view *view, size_t *count) {
    HP_VEC(uint64_t) sizes = {0};
    for (struct part_walk walk = {.view = view}; next(&walk);) {
        hp_vec_push(&sizes, walk.part->size);
    }
    hp_vec_sort(&sizes, by_rank);
    *count = 0;
    for (size_t i = 0; i < sizes.count; i++) {
        if (i == 0 || sizes.at[i] != sizes.at[i - 1]) {
            sizes.at[(*count)++] = sizes.at[i];
        }
    }
    for (size_t i = 0; i < *count; i++) {
        char name[HP_NUMBER_SIZE];
        if (view->options.by == HP_BY_AGE) {
            name_age(name, sizes.at[i]);
        } else {
            name_size(name, sizes.at[i]);
        }
        hp_view_add_row(view, hp_naming_add(&view->naming, hp_span_of(name), HP_CLASSES));
    }
    return sizes.at;
}

void hp_size_rows_sum(const uint64_t *sizes, size_t count, struct hp_view *view,
                      struct hp_top *top) {
    top->size_of = hp_alloc(hp_node_count(&view->naming) * sizeof *top->size_of);
    for (size_t i = 0; i < count; i++) {
        top->size_of[view->rows.at[i].node.n] = rank_of(sizes[i]);
    }
    for (struct part_walk walk = {.view = view}; next(&walk);) {
        const struct hp_size_part *part = walk.part;
        const uint64_t *at = bsearch(&part->size, sizes, count, sizeof *sizes, by_rank);
        struct hp_row_key *row = &view->rows.at[at - sizes];
        struct hp_observation seen = {0};
        seen.values.of[hp_space_of(walk.column)] = part->bytes;
        seen.values.of[hp_objects_of(walk.column)] = part->objects;
        seen.errors[walk.column] = part->error;
        hp_groups_add(top, row->node, &seen);
        row->is_likely |= part->is_likely && part->size != HP_MIXED_SIZES &&
                          walk.column == hp_column_of(view->options.metric);
    }
}

// --- refusals -----------------------------------------------------------------------------

// Whether the age of any object in use is known.
static bool has_known_ages(const struct hp_profile *profile) {
    const struct hp_size_part *part;
    bool found = false;
    hp_vec_each (part, &profile->ages[HP_COLUMN_INUSE].parts) {
        found |= part->size != HP_NO_AGE;
    }
    return found;
}

// Fail if the view is asked for sizes or ages that it cannot show.  Ages are known only
// for objects in use that dumps list one by one.
int hp_size_rows_refuse(const struct hp_view *view, struct hp_err *err) {
    const struct hp_report_options *options = &view->options;
    if (options->columns.sizes && view->type) {
        return hp_fail(err, HP_E_USAGE,
                       HP_MESSAGE("sizes-need-objects",
                                  "sizes need objects in use, or allocated"));
    }
    if (options->by != HP_BY_AGE && !options->columns.ages) {
        return HP_OK;
    }
    if (hp_column_of(options->metric) != HP_COLUMN_INUSE || view->type) {
        return hp_fail(
            err, HP_E_USAGE,
            HP_MESSAGE("ages-need-in-use",
                       "ages need --metric=inuse-space or --metric=inuse-objects"));
    }
    if (view->profile->settings.estimator != HP_ESTIMATOR_BEST) {
        return hp_fail(
            err, HP_E_USAGE,
            HP_MESSAGE("ages-need-estimates",
                       "ages need estimates: --estimator=jeprof and none do not apply"));
    }
    const struct hp_input_summary *summary = &view->head.summary[HP_SIDE_ALL];
    bool are_young = view->head.older_than > 0 && summary->listing > 0;
    return summary->used == 0 || are_young || has_known_ages(view->profile)
               ? HP_OK
               : hp_fail(err, HP_E_EMPTY, HP_NO_AGES_KNOWN);
}

// --- stacks -------------------------------------------------------------------------------

// Make the linked lists of the profile's stacks that are one stack of the view (see
// hp_view_cache), so that the sizes of a stack need to be added up only if it is shown.
static void list_members(const struct hp_view *view) {
    struct hp_view_cache *cache = view->cache;
    size_t count = view->profile->stacks.count;
    cache->first_member = hp_alloc(view->stacks.all.count * sizeof *cache->first_member);
    cache->next_member = hp_alloc(count * sizeof *cache->next_member);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t stack = view->stacks.of_profile[i];
        if (stack != HP_NO_STACK) {
            cache->next_member[i] = cache->first_member[stack];
            cache->first_member[stack] = i + 1;
        }
    }
}

// Add up the objects of a stack of the view by size, in cache->sizes.
static void add_members(const struct hp_view *view, size_t stack, enum hp_column column) {
    struct hp_view_cache *cache = view->cache;
    const struct hp_sizes *sizes = &view->profile->sizes[column];
    hp_sizes_clear(&cache->sizes);
    for (uint32_t i = cache->first_member[stack]; i > 0; i = cache->next_member[i - 1]) {
        hp_sizes_add_stack(&cache->sizes, 0, sizes, i - 1);
    }
}

// Order objects of several sizes: those with most bytes first, then by size.
static int by_bytes(const void *left, const void *right) {
    const struct hp_size_part *a = *(const struct hp_size_part *const *)left;
    const struct hp_size_part *b = *(const struct hp_size_part *const *)right;
    return a->bytes != b->bytes ? (a->bytes < b->bytes) - (a->bytes > b->bytes)
                                : by_rank(&a->size, &b->size);
}

const struct hp_size_part *const *hp_view_stack_sizes(const struct hp_view *view,
                                                      size_t stack, enum hp_column column,
                                                      size_t *count) {
    struct hp_view_cache *cache = view->cache;
    if (!cache->first_member) {
        list_members(view);
    }
    add_members(view, stack, column);
    cache->parts.count = 0;
    const struct hp_size_part *part = hp_sizes_of(&cache->sizes, 0);
    for (; part; part = hp_sizes_next(&cache->sizes, part)) {
        hp_vec_push(&cache->parts, part);
    }
    hp_vec_sort(&cache->parts, by_bytes);
    *count = cache->parts.count;
    return cache->parts.at;
}
