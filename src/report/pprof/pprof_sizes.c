// A column has the value V for the whole stack.  Each size gets the difference of two
// consecutive rounded cumulative shares of V, so that all parts add up to V exactly.
#include "report/pprof/pprof_sizes.h"

#include <math.h>

// The weights by which a column is divided: bytes or objects of each size.
struct weights {
    hp_fixed of[HP_METRICS][HP_PPROF_SIZES];
};

// Find or add a size; returns its place.
static size_t place_of(struct hp_pprof_sizes *sizes, uint64_t size) {
    size_t place = 0;
    while (place < sizes->count && sizes->of[place] != size) {
        place++;
    }
    if (place == sizes->count) {
        sizes->of[sizes->count++] = size;
    }
    return place;
}

// Collect the sizes of a stack with their bytes and objects.
static void weigh(struct hp_pprof_sizes *sizes, const struct hp_view *view, size_t stack,
                  struct weights *weights) {
    for (enum hp_column column = 0; column < HP_COLUMNS; column++) {
        size_t count;
        const struct hp_size_part *const *parts =
            hp_view_stack_sizes(view, stack, column, &count);
        for (size_t i = 0; i < count; i++) {
            size_t place = place_of(sizes, parts[i]->size);
            weights->of[hp_space_of(column)][place] = parts[i]->bytes;
            weights->of[hp_objects_of(column)][place] = parts[i]->objects;
        }
    }
}

// The sum of the weights; 0 if a weight is negative, because shares would then make no
// sense.
static double sum_of(const hp_fixed *weights, size_t count) {
    double sum = 0;
    bool is_negative = false;
    for (size_t i = 0; i < count; i++) {
        sum += (double)weights[i];
        is_negative |= weights[i] < 0;
    }
    return is_negative ? 0 : sum;
}

// Divide a column.  The sample types of inputs have no sizes: their values stay with the
// size that is not known, as do those of columns with negative weights.
static void split_column(struct hp_pprof_sizes *sizes,
                         const struct hp_pprof_columns *columns, size_t column,
                         const struct weights *weights, int64_t value) {
    const hp_fixed *of = weights->of[columns->of.at[column].metric];
    bool has_sizes = columns->of.at[column].sums == 0;
    double sum = has_sizes ? sum_of(of, sizes->count) : 0, so_far = 0;
    int64_t before = 0;
    int64_t *to = sizes->values.at + column;
    if (!(sum > 0)) {
        for (size_t i = 0; i < sizes->count; i++) {
            to[i * columns->of.count] = sizes->of[i] == HP_MIXED_SIZES ? value : 0;
        }
        return;
    }
    for (size_t i = 0; i < sizes->count; i++) {
        so_far += (double)of[i];
        bool is_rest = !(so_far < sum);
        int64_t up_to = is_rest ? value : (int64_t)round((double)value * (so_far / sum));
        to[i * columns->of.count] = up_to - before;
        before = up_to;
    }
}

void hp_pprof_sizes_split(struct hp_pprof_sizes *sizes, const struct hp_view *view,
                          const struct hp_pprof_columns *columns, size_t stack,
                          const int64_t *values) {
    struct weights weights = {.of = {{0}}};
    sizes->count = 0;
    weigh(sizes, view, stack, &weights);
    place_of(sizes, HP_MIXED_SIZES);
    hp_vec_reserve(&sizes->values, sizes->count * columns->of.count);
    for (size_t i = 0; i < columns->of.count; i++) {
        split_column(sizes, columns, i, &weights, values[i]);
    }
}

void hp_pprof_sizes_done(struct hp_pprof_sizes *sizes) {
    hp_vec_done(&sizes->values);
}
