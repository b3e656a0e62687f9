#include "view/table.h"

#include "view/groups.h"
#include "view/walk.h"

struct order {
    const struct hp_naming *naming;
    enum hp_sort sort;
};

static int compare(const void *left, const void *right, void *context) {
    const struct order *order = context;
    const struct hp_row *a = left, *b = right;
    if (order->sort == HP_SORT_FLAT && a->flat != b->flat) {
        return a->flat > b->flat ? -1 : 1;
    }
    if (order->sort != HP_SORT_NAME && a->cum != b->cum) {
        return a->cum > b->cum ? -1 : 1;
    }
    if (order->sort == HP_SORT_CUM && a->flat != b->flat) {
        return a->flat > b->flat ? -1 : 1;
    }
    return hp_node_compare(order->naming, a->node, b->node);
}

// Sums of each node, apart so that the busy ones stay in the cache.
struct sums {
    hp_fixed *flat, *cum;
    struct hp_error *flat_errors, *cum_errors; // NULL: not wanted
    uint32_t *seen; // the number of the last stack that the node was counted in
};

static void add_stack(struct sums *sums, const struct hp_walk *walk, uint32_t number,
                      hp_fixed value, const struct hp_error *error) {
    uint32_t leaf = walk->nodes.at[0].n;
    sums->flat[leaf] += value;
    if (sums->flat_errors) {
        hp_error_add(&sums->flat_errors[leaf], error);
    }
    for (size_t i = 0; i < walk->nodes.count; i++) {
        uint32_t node = walk->nodes.at[i].n;
        if (sums->seen[node] != number) {
            sums->seen[node] = number;
            sums->cum[node] += value;
            if (sums->cum_errors) {
                hp_error_add(&sums->cum_errors[node], error);
            }
        }
    }
}

static void add_stacks(struct hp_table *table, struct sums *sums, enum hp_metric metric) {
    const struct hp_profile *profile = table->naming.profile;
    const struct hp_error *errors = profile->errors[hp_column_of(metric)].at;
    struct hp_walk walk = {0};
    for (size_t i = 0; i < profile->stacks.count; i++) {
        hp_fixed value = profile->stacks.at[i].values.of[metric];
        table->total += value;
        if (hp_walk_nodes(&table->naming, &profile->stacks.at[i], &walk)) {
            add_stack(sums, &walk, (uint32_t)i + 1, value, errors ? &errors[i] : NULL);
            table->left += value;
        }
    }
    hp_walk_done(&walk);
}

static void make_rows(struct hp_table *table, const struct sums *sums, size_t nodes) {
    static const struct hp_error none;
    for (uint32_t i = 0; i < nodes; i++) {
        if (sums->seen[i]) {
            struct hp_row row = {{i}, sums->flat[i], sums->cum[i], none, none};
            row.flat_error = sums->flat_errors ? sums->flat_errors[i] : none;
            row.cum_error = sums->cum_errors ? sums->cum_errors[i] : none;
            hp_vec_push(&table->rows, row);
        }
    }
}

static void sums_init(struct sums *sums, const struct hp_table *table, size_t nodes) {
    *sums = (struct sums){
        .flat = hp_alloc(nodes * sizeof *sums->flat),
        .cum = hp_alloc(nodes * sizeof *sums->cum),
        .seen = hp_alloc(nodes * sizeof *sums->seen),
    };
    size_t size = nodes * sizeof *sums->flat_errors;
    sums->flat_errors = table->has_flat_errors ? hp_alloc(size) : NULL;
    sums->cum_errors = table->has_cum_errors ? hp_alloc(size) : NULL;
}

static void sums_done(struct sums *sums) {
    free(sums->flat);
    free(sums->cum);
    free(sums->flat_errors);
    free(sums->cum_errors);
    free(sums->seen);
}

static void make_node_rows(struct hp_table *table, const struct hp_profile *profile,
                           const struct hp_report_options *options) {
    hp_naming_init(&table->naming, profile, options);
    size_t nodes = table->naming.names.strings.count;
    struct sums sums;
    sums_init(&sums, table, nodes);
    add_stacks(table, &sums, options->metric);
    make_rows(table, &sums, nodes);
    sums_done(&sums);
}

void hp_table_init(struct hp_table *table, const struct hp_profile *profile,
                   const struct hp_report_options *options, enum hp_table_errors errors) {
    *table = (struct hp_table){0};
    if (!options->no_error &&
        hp_profile_is_uncertain(profile, hp_column_of(options->metric))) {
        bool is_cum = options->sort == HP_SORT_CUM;
        table->has_flat_errors = errors == HP_TABLE_BOTH_ERRORS || !is_cum;
        table->has_cum_errors = errors == HP_TABLE_BOTH_ERRORS || is_cum;
    }
    if (options->by >= HP_BY_INPUT) {
        hp_groups_make_rows(table, profile, options);
    } else {
        make_node_rows(table, profile, options);
    }
    struct order order = {&table->naming, options->sort};
    if (table->rows.count > 0) {
        qsort_r(table->rows.at, table->rows.count, sizeof *table->rows.at, compare,
                &order);
    }
}

void hp_table_done(struct hp_table *table) {
    hp_naming_done(&table->naming);
    hp_vec_done(&table->rows);
}
