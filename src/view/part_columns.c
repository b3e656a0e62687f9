// The sizes column, "16 B ▂ █▁ 2 KiB": the least size, the amount in objects of each
// range of sizes, and the largest size.  Ranges are powers of two: (8 B, 16 B] and so on.
// Sizes are summed by range, as ranges are never too many for struct hp_sizes.
#include "view/part_columns.h"

#include "base/units.h"
#include "model/ages.h"
#include "view/top.h"
#include "view/visible_frames.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Columns, by hp_field.id.
enum field {
    SIZES,
    SIZE_LEAST,
    SIZE_MOST,
    SIZE_MIXED,
    MEDIAN_AGE,
    MEDIAN_AGE_FROM,
    MEDIAN_AGE_TO,
    AGE_KNOWN,
};

enum {
    LEVELS = 8, // heights of a bar
    SIZE_FIELDS = 4,
    AGE_FIELDS = 4,
    RANGES = HP_SIZES_OF_STACK, // ranges are 1 to RANGES; 0: size or age not known
};

// The least and the largest size of a node's objects.
struct size_ends {
    uint64_t least, most; // bytes; 0: no size is known
    bool is_likely;       // some sizes are likely, not certain
};

// Sizes and ages of the objects of all nodes.
struct hp_part_columns {
    bool of_objects, ascii;      // count objects instead of bytes; draw bars in ASCII
    struct hp_sizes sizes, ages; // by node; `size` of a part is the number of its range
    struct size_ends *ends;      // by node; owned
    char size[HP_PART_TEXT], age[HP_PART_TEXT]; // texts last returned
};

// --- sums ---------------------------------------------------------------------------------

// Return the range of a size: 1 up to 8 B, 2 up to 16 B, and so on.
static uint64_t range_of_size(uint64_t size) {
    uint64_t range = 1;
    while (range < RANGES && size > (uint64_t)4 << range) {
        range++;
    }
    return range;
}

// Extend `ends` to include the size of the objects of a part, if that size is known.
static void widen(struct size_ends *ends, const struct hp_size_part *part) {
    if (part->size != HP_MIXED_SIZES) {
        bool is_first = ends->least == 0;
        ends->least = is_first || part->size < ends->least ? part->size : ends->least;
        ends->most = part->size > ends->most ? part->size : ends->most;
        ends->is_likely |= part->is_likely;
    }
}

// Add the sizes of a stack to the sums of a node, by range, and include them in the
// node's least and largest size.
static void add_sizes(struct hp_part_columns *columns, hp_node_id node,
                      const struct hp_sizes *sizes, size_t stack) {
    const struct hp_size_part *part = hp_sizes_of(sizes, (uint32_t)stack);
    for (; part; part = hp_sizes_next(sizes, part)) {
        struct hp_size_part sum = *part;
        sum.size = part->size == HP_MIXED_SIZES ? part->size : range_of_size(part->size);
        hp_sizes_add(&columns->sizes, node.n, &sum);
        widen(&columns->ends[node.n], part);
    }
}

struct hp_part_columns *hp_part_columns_new(const struct hp_view *view) {
    const struct hp_report_options *options = &view->options;
    const struct hp_profile *profile = view->profile;
    enum hp_column column = hp_column_of(options->metric);
    struct hp_part_columns *columns = hp_alloc(sizeof *columns);
    struct hp_members members;
    hp_members_init(&members, &view->naming, options->sort == HP_SORT_CUM);
    columns->of_objects = options->metric == hp_objects_of(column);
    columns->ascii = options->text.ascii;
    columns->ends = hp_alloc((members.node_count + 1) * sizeof *columns->ends);
    for (size_t s = 0; s < profile->stacks.count; s++) {
        for (size_t i = members.first.at[s]; i < members.first.at[s + 1]; i++) {
            hp_node_id node = members.nodes.at[i];
            if (options->columns.sizes) {
                add_sizes(columns, node, &profile->sizes[column], s);
            }
            if (options->columns.ages) {
                hp_sizes_add_stack(&columns->ages, node.n, &profile->ages[column],
                                   (uint32_t)s);
            }
        }
    }
    hp_members_done(&members);
    return columns;
}

void hp_part_columns_free(struct hp_part_columns *columns) {
    if (columns) {
        hp_sizes_done(&columns->sizes);
        hp_sizes_done(&columns->ages);
        free(columns->ends);
        free(columns);
    }
}

// --- texts --------------------------------------------------------------------------------

// The bytes or objects of a node in each range of sizes or ages.
struct histogram {
    double of[RANGES + 1];
    double known, all; // amount with known size or age; the whole amount
};

// Return the histogram of a node's sizes or ages.
static struct histogram histogram_of(const struct hp_part_columns *columns,
                                     const struct hp_sizes *sizes, hp_node_id node) {
    struct histogram histogram = {.known = 0};
    const struct hp_size_part *part = hp_sizes_of(sizes, node.n);
    for (; part; part = hp_sizes_next(sizes, part)) {
        histogram.of[part->size] =
            (double)(columns->of_objects ? part->objects : part->bytes);
    }
    for (int i = 1; i <= RANGES; i++) {
        histogram.known += histogram.of[i];
    }
    histogram.all = histogram.known + histogram.of[0];
    return histogram;
}

// Append text; truncated if there is no room.
static void append(char text[HP_PART_TEXT], const char *more) {
    size_t used = strlen(text);
    snprintf(text + used, HP_PART_TEXT - used, "%s", more);
}

// Append a character for each range from that of the least size to that of the largest: a
// bar whose height is the amount in the range, relative to the largest amount in any
// range.
static void append_bars(char text[HP_PART_TEXT], const struct histogram *histogram,
                        const struct size_ends *ends, bool ascii) {
    static const char *const blocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const char *const letters[] = {" ", ".", ":", "-", "=", "+", "o", "O", "#"};
    double most = 0;
    for (int i = 1; i <= RANGES; i++) {
        most = fmax(most, histogram->of[i]);
    }
    append(text, " ");
    uint64_t last = range_of_size(ends->most);
    for (uint64_t i = range_of_size(ends->least); i <= last; i++) {
        double share = most > 0 ? fmax(histogram->of[i], 0) / most : 0;
        append(text, (ascii ? letters : blocks)[(int)ceil(share * LEVELS)]);
    }
    append(text, " ");
}

// Return the text of a node in the sizes column; valid until the next call.
static const char *line_of_sizes(struct hp_part_columns *columns,
                                 const struct histogram *histogram, hp_node_id node) {
    const struct size_ends *ends = &columns->ends[node.n];
    char *text = columns->size, size[HP_NUMBER_SIZE];
    strcpy(text, ends->is_likely ? "~" : "");
    if (ends->least > 0) {
        hp_format_size(size, ends->least);
        append(text, size);
    }
    if (ends->least < ends->most) {
        append_bars(text, histogram, ends, columns->ascii);
        hp_format_size(size, ends->most);
        append(text, size);
    }
    if (histogram->of[0] > 0) {
        snprintf(size, sizeof size, "%s%.3g%% mixed", ends->least > 0 ? ", " : "",
                 100 * histogram->of[0] / histogram->all);
        append(text, size);
    }
    return text;
}

// Return the range that has the median of the amount of known size or age; 0: none is
// known.
static uint64_t median_of(const struct histogram *histogram) {
    double sum = 0;
    uint64_t range = 0;
    for (uint64_t i = 1; i <= RANGES && histogram->known > 0 && range == 0; i++) {
        sum += histogram->of[i];
        range = sum >= histogram->known / 2 ? i : 0;
    }
    return range;
}

// Return the text of a node in the column of the median age, with the share of memory of
// known age unless all ages are known; valid until the next call.
static const char *text_of_age(struct hp_part_columns *columns,
                               const struct histogram *histogram) {
    uint64_t range = median_of(histogram);
    char *text = columns->age, known[HP_NUMBER_SIZE];
    strcpy(text, "");
    if (range > 0) {
        hp_age_range_format(text, range);
    }
    if (range > 0 && histogram->of[0] > 0) {
        snprintf(known, sizeof known, ", %.3g%% known",
                 100 * histogram->known / histogram->all);
        append(text, known);
    }
    return text;
}

// --- cells -------------------------------------------------------------------------------

// Return the share of `part` in `all`; NAN unless `all` is above 0.
static double share_of(double part, double all) {
    return all > 0 ? part / all : (double)NAN;
}

// Put the value of a node in one of the columns of sizes into `content`.
static void sizes_cell(const struct hp_cell_at *at, struct hp_content *content) {
    struct hp_part_columns *columns = ((const struct hp_top *)at->view->extra)->parts;
    hp_node_id node = at->view->rows.at[at->row].node;
    int field = at->field->id;
    struct histogram histogram = histogram_of(columns, &columns->sizes, node);
    const struct size_ends *ends = &columns->ends[node.n];
    uint64_t end = field == SIZE_LEAST ? ends->least : ends->most;
    content->number = field == SIZE_MIXED ? share_of(histogram.of[0], histogram.all)
                      : end > 0           ? (double)end
                                          : (double)NAN;
    content->text = field == SIZES ? line_of_sizes(columns, &histogram, node) : "";
}

// Put the value of a node in one of the columns of ages into `content`.
static void ages_cell(const struct hp_cell_at *at, struct hp_content *content) {
    struct hp_part_columns *columns = ((const struct hp_top *)at->view->extra)->parts;
    hp_node_id node = at->view->rows.at[at->row].node;
    int field = at->field->id;
    struct histogram histogram = histogram_of(columns, &columns->ages, node);
    content->number = field == AGE_KNOWN ? share_of(histogram.known, histogram.all)
                                         : hp_age_range_seconds(median_of(&histogram),
                                                                field == MEDIAN_AGE_FROM);
    content->text = field == MEDIAN_AGE ? text_of_age(columns, &histogram) : "";
}

// --- fields -------------------------------------------------------------------------------

static const struct hp_field size_fields[SIZE_FIELDS] = {
    {{"size_histogram", "sizes", NULL, HP_CELL_TEXT},
     sizes_cell,
     HP_NEW_LINE,
     NULL,
     36,
     HP_WORDS(
         "note-sizes",
         "sizes: of the objects of a row from the least to the largest, between them "
         "how much is in each power of two; ~ is likely; mixed: of sizes that cannot be "
         "told apart"),
     3,
     .id = SIZES},
    {{"size_least", NULL, NULL, HP_CELL_NUMBER},
     sizes_cell,
     .id = SIZE_LEAST,
     .unit = HP_IN_BYTES},
    {{"size_most", NULL, NULL, HP_CELL_NUMBER},
     sizes_cell,
     .id = SIZE_MOST,
     .unit = HP_IN_BYTES},
    {{"size_mixed", NULL, NULL, HP_CELL_NUMBER},
     sizes_cell,
     HP_ROUGH,
     .id = SIZE_MIXED,
     .unit = HP_IN_FRACTION},
};

static const struct hp_field age_fields[AGE_FIELDS] = {
    {{"median_age", "median age so far", NULL, HP_CELL_TEXT},
     ages_cell,
     HP_NEW_LINE,
     NULL,
     26,
     HP_WORDS(
         "note-ages",
         "median age so far: half of what a row has in use was younger when the dump "
         "was made, as far as objects are listed with their ages; of what was freed "
         "nothing is known: no lifetime"),
     3,
     .id = MEDIAN_AGE},
    {{"median_age_from", NULL, NULL, HP_CELL_NUMBER},
     ages_cell,
     .id = MEDIAN_AGE_FROM,
     .unit = HP_IN_SECONDS},
    {{"median_age_to", NULL, NULL, HP_CELL_NUMBER},
     ages_cell,
     .id = MEDIAN_AGE_TO,
     .unit = HP_IN_SECONDS},
    {{"age_known_share", NULL, NULL, HP_CELL_NUMBER},
     ages_cell,
     HP_ROUGH,
     .id = AGE_KNOWN,
     .unit = HP_IN_FRACTION},
};

void hp_part_columns_set_fields(struct hp_view *view) {
    if (view->options.columns.sizes) {
        hp_view_set_fields(view, size_fields, SIZE_FIELDS);
    }
    if (view->options.columns.ages) {
        hp_view_set_fields(view, age_fields, AGE_FIELDS);
    }
}
