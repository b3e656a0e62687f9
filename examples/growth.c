// Prints the five functions whose bytes in use changed most from one dump to another: the change,
// both ends of its 95% interval, p (nan if there are too few samples) and the name.  C and C++:
//
//     cc growth.c $(pkg-config --cflags --libs hprof-agg) -o growth && ./growth old.heap new.heap
#include <hprof-agg/hprof-agg.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static void print_largest(const struct hp_view *view) {
    size_t delta = 0, p = 0, rows[6], count = 0, length;
    double sizes[6]; // of these rows, the last of which drops out
    for (size_t i = 0; i < hp_view_column_count(view); i++) {
        const char *key = hp_view_column(view, i)->key;
        delta = strcmp(key, "delta") == 0 ? i : delta;
        p = strcmp(key, "p") == 0 ? i : p;
    }
    for (size_t row = 0; row < hp_view_row_count(view); row++) {
        double size = fabs(hp_view_estimate(view, row, delta, HP_INUSE_SPACE).value);
        size_t at = count < 5 ? count++ : 5;
        for (; at > 0 && sizes[at - 1] < size; at--) {
            sizes[at] = sizes[at - 1];
            rows[at] = rows[at - 1];
        }
        sizes[at] = size;
        rows[at] = row;
    }
    for (size_t i = 0; i < count; i++) {
        struct hp_estimate grown = hp_view_estimate(view, rows[i], delta, HP_INUSE_SPACE);
        const char *name = hp_view_row(view, rows[i])->name;
        char safe[256]; // for terminals; what is longer is cut off
        hp_escape(name, strlen(name), safe, sizeof safe, &length);
        printf("%.9g\t%.9g\t%.9g\t%.9g\t%.*s\n", grown.value, grown.low, grown.high,
               hp_view_number(view, rows[i], p), (int)length, safe);
    }
}

int main(int argc, char **argv) {
    static struct hp_read_options reading; // all zero: the defaults
    static struct hp_report_options diff;
    struct hp_err err = {HP_E_USAGE, 0, 0, "", "two dumps are compared"};
    struct hp_profile *profile = hp_profile_new();
    struct hp_view *view = NULL;
    const char *const *paths = (const char *const *)argv + 1;
    reading.base_count = 1;
    diff.kind = HP_REPORT_DIFF;
    if (argc == 3 && hp_profile_read(profile, paths, 2, &reading, &err) == HP_OK) {
        hp_profile_symbolize(profile, NULL);
        view = hp_view_new(profile, &diff, &err);
    }
    int status = view ? 0 : 1;
    if (view) {
        print_largest(view);
    } else {
        fprintf(stderr, "growth: %s\n", err.message);
    }
    hp_view_free(view);
    hp_profile_free(profile);
    return status;
}
