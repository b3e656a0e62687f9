#include "view/table.h"

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
    uint32_t *seen; // the number of the last stack that the node was counted in
};

static void add_stack(struct sums *sums, const struct hp_walk *walk, uint32_t number,
                      hp_fixed value) {
    sums->flat[walk->nodes.at[0].n] += value;
    for (size_t i = 0; i < walk->nodes.count; i++) {
        uint32_t node = walk->nodes.at[i].n;
        if (sums->seen[node] != number) {
            sums->seen[node] = number;
            sums->cum[node] += value;
        }
    }
}

static void add_stacks(struct hp_table *table, struct sums *sums, enum hp_metric metric) {
    const struct hp_profile *profile = table->naming.profile;
    struct hp_walk walk = {0};
    for (size_t i = 0; i < profile->stacks.count; i++) {
        hp_fixed value = profile->stacks.at[i].values.of[metric];
        hp_naming_walk(&table->naming, &profile->stacks.at[i], &walk);
        add_stack(sums, &walk, (uint32_t)i + 1, value);
        table->total += value;
    }
    hp_vec_done(&walk.nodes);
}

static void make_rows(struct hp_table *table, const struct sums *sums, size_t nodes) {
    for (uint32_t i = 0; i < nodes; i++) {
        if (sums->seen[i]) {
            hp_vec_push(&table->rows,
                        ((struct hp_row){{i}, sums->flat[i], sums->cum[i]}));
        }
    }
}

void hp_table_init(struct hp_table *table, const struct hp_profile *profile,
                   const struct hp_report_options *options) {
    *table = (struct hp_table){0};
    hp_naming_init(&table->naming, profile, options);
    size_t nodes = table->naming.names.strings.count;
    struct sums sums = {
        .flat = hp_alloc(nodes * sizeof *sums.flat),
        .cum = hp_alloc(nodes * sizeof *sums.cum),
        .seen = hp_alloc(nodes * sizeof *sums.seen),
    };
    add_stacks(table, &sums, options->metric);
    make_rows(table, &sums, nodes);
    free(sums.flat);
    free(sums.cum);
    free(sums.seen);
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
