// The weight of a reading (a list of object sizes that explains a line) of n objects,
// m(k) of them of size class k, is
//
//     n! / (m(1)! m(2)! ...) times the product of the shares of its classes
//
// The share of a class is (64 count + 1) / (64 total + number of classes), with the
// number of objects of the class, and of all classes, that are certain elsewhere at the
// same leaf; so a class that was never read is not impossible.
#include "calc/decoded.h"

#include "calc/probability.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

// --- readings --------------------------------------------------------------------------

// Jemalloc (prof_unbias) sums the estimates of objects, C, and of bytes, B, over the size
// classes of the sampled objects, and prints them as c' objects and b' bytes:
//
//     c' = round(C q), b' = round(B q), q = 1 - e^(-(B/C)/R), R is the sample period
//
// Replacing an object by a larger one makes B larger and C smaller, so B q grows with
// each size.  If all sizes except two are given, the last two are therefore found on a
// staircase: the larger the one, the smaller the other.  Lines of few objects are read
// like that.
//
// If objects are not much smaller than the period, only few whole numbers of eighths of C
// round to c', and for each of them only one or two B are possible.  The sizes are split
// into the three smallest and the rest.  Both halves are in a table of all such halves:
// for each C, and each split of it, the bytes meet in the middle.  If there are seven
// objects one is between the halves, and each class is tried for it.  Because the first
// half has the smaller objects, it has the larger share of C and the smaller share of B.
//
// A sampled object prints as at least 0.945 of an object.  So c' is never less than the
// number of objects, up to the most that are tried here.  In raw lines c' is that number,
// and b' is the sum of the sizes.

enum {
    MOST_ANY = 3,    // most objects of a rewritten line for which all classes are tried
    MOST_RAW = 4,    // most objects of a raw line that is searched
    MOST_KEPT = 256, // most readings of a line that are kept
    MOST_LINES = 65536,      // most lines that are remembered
    MOST_READINGS = 1 << 20, // most readings of all these lines
    HALF = 3,                // most objects of a half
    HASHES = 65536,          // hash values by which hp_count_few() distinguishes lines
    // Most eighths of objects that one sample represents if its size is near the period.
    MOST_SHIFTED = 160,
    MOST_OF_HALF = HALF * MOST_SHIFTED, // most eighths of objects of a half
    WHOLE = 8, // Eighths of objects that every sample represents at least.
    NONE = -1, // the class number that means "no class"
};

static const double largest_half = 64; // Largest size of an object of a half, in periods.

// Sums over the objects of a reading (one combination of object sizes that explains a
// line), as in struct hp_size_class.
struct reading_sums {
    uint64_t shifted_objects, unbiased_bytes;
};

// The search for the readings of one line, and the bounds that they must satisfy.
struct line_search {
    struct hp_decoder *decoder;     // its last line is the one that is read
    const struct hp_halves *halves; // set if all sizes are near the period
    struct hp_count line;
    double period;                                  // sample period, in bytes
    double least_mean, most_mean;                   // bounds of B/C, in bytes
    double least_objects, most_objects, most_bytes; // bounds of C and B
    int first, last;        // first and last class that may be in a reading
    struct hp_reading path; // the classes that have been chosen so far
    bool too_many;          // there are more than MOST_KEPT readings
};

// Return the sums with `n` more objects of a size class.
static struct reading_sums plus(struct reading_sums sums,
                                const struct hp_size_class *class, uint64_t n) {
    return (struct reading_sums){sums.shifted_objects + n * class->shifted_objects,
                                 sums.unbiased_bytes + n * class->unbiased_size};
}

static const struct hp_size_class *class_of(const struct line_search *s, int i) {
    return &s->decoder->classes->of[i];
}

// Return the bytes that jemalloc prints for these sums, before rounding: the estimated
// bytes times the probability that an object of the mean size is sampled.
static double printed_bytes(const struct line_search *s, struct reading_sums sums) {
    double objects = (double)sums.shifted_objects / 8;
    double bytes = (double)sums.unbiased_bytes;
    return bytes * hp_one_minus_exp(bytes / objects / s->period);
}

// Add the chosen classes (s->path) to the decoder as one combination of object sizes that
// explains its last line.  If the line has MOST_KEPT of these, set s->too_many instead.
static void keep(struct line_search *s) {
    struct hp_decoder *decoder = s->decoder;
    struct hp_decoded_line *line = &decoder->lines.at[decoder->lines.count - 1];
    if (line->count == MOST_KEPT) {
        s->too_many = true;
        return;
    }
    hp_vec_push(&decoder->readings, s->path);
    line->count++;
}

// Keep the chosen classes as a reading of the line if jemalloc prints the line for
// objects of these classes.
static void keep_if_printed(struct line_search *s, struct reading_sums sums) {
    if (hp_prints_as(sums.shifted_objects, sums.unbiased_bytes, s->decoder->period,
                     s->line)) {
        keep(s);
    }
}

static void push(struct line_search *s, int class) {
    s->path.classes[s->path.count++] = (uint8_t) class;
}

// --- any classes -----------------------------------------------------------------------

// Try all pairs of size classes from `low` on for the last two objects, and keep those
// with which jemalloc would print the line; `sums` are of the other objects.  The larger
// class goes down as the smaller one goes up.
static void try_pairs(struct line_search *s, struct reading_sums sums, int low) {
    double bytes = (double)s->line.bytes;
    for (int high = s->last; low <= high; low++) {
        struct reading_sums one = plus(sums, class_of(s, low), 1);
        while (high >= low &&
               printed_bytes(s, plus(one, class_of(s, high), 1)) > bytes + 1) {
            high--;
        }
        for (int i = high; i >= low; i--) {
            struct reading_sums both = plus(one, class_of(s, i), 1);
            if (printed_bytes(s, both) < bytes - 1) {
                break;
            }
            push(s, low);
            push(s, i);
            keep_if_printed(s, both);
            s->path.count = (uint8_t)(s->path.count - 2);
        }
    }
}

// Try all size classes from `low` on for the `left` last objects, and keep those with
// which jemalloc would print the line; `sums` are of the other objects.
static void try_sizes(struct line_search *s, struct reading_sums sums, int low,
                      unsigned left) {
    double bytes = (double)s->line.bytes;
    if (left == 2) {
        try_pairs(s, sums, low);
        return;
    }
    for (int i = low; i <= s->last; i++) {
        struct reading_sums one = plus(sums, class_of(s, i), 1);
        if (printed_bytes(s, plus(one, class_of(s, i), left - 1)) > bytes + 1) {
            break;
        }
        if (printed_bytes(s, plus(one, class_of(s, s->last), left - 1)) >= bytes - 1) {
            push(s, i);
            try_sizes(s, one, i, left - 1);
            s->path.count--;
        }
    }
}

// --- near the period -------------------------------------------------------------------

// Return the index in halves->first of the halves of readings that have `count` sampled
// objects and represent `objects` eighths of an object: hp_half.shifted_objects.
static size_t place_of(unsigned count, uint64_t objects) {
    return (count - 1) * (MOST_OF_HALF + 1) + objects;
}

static size_t place_of_half(const struct hp_half *half) {
    return place_of(half->sizes.count, half->shifted_objects);
}

// Return whether a class is near the period, so that it can be in a half.  The larger the
// size, the fewer objects a sample represents, so these classes are consecutive.
static bool is_near(const struct hp_decoder *decoder, int i) {
    const struct hp_size_class *class = &decoder->classes->of[i];
    return class->shifted_objects > 0 && class->shifted_objects <= MOST_SHIFTED &&
           (double)class->size <= largest_half * (double)decoder->period;
}

// Add to `halves` all combinations of up to three objects that begin with those of `half`
// and add one object or more, of classes from `from` up to but not including `end`.
static void add_halves(const struct hp_decoder *decoder, struct hp_halves *halves,
                       struct hp_half half, int from, int end) {
    for (int i = from; i < end; i++) {
        const struct hp_size_class *class = &decoder->classes->of[i];
        struct hp_half more = half;
        more.shifted_objects += (uint32_t) class->shifted_objects;
        more.unbiased_bytes += class->unbiased_size;
        more.sizes.classes[more.sizes.count++] = (uint8_t)i;
        hp_vec_push(&halves->all, more);
        if (more.sizes.count < HALF) {
            add_halves(decoder, halves, more, i, end);
        }
    }
}

// Sort the halves by their numbers of objects and eighths of objects, and among equal
// ones by bytes; halves that are equal in all of these stay in the order in which they
// were added.  Fills in halves->first.
static void sort_halves(struct hp_halves *halves) {
    size_t count = halves->all.count, end = place_of(HALF, MOST_OF_HALF) + 1;
    struct hp_half *all = halves->all.at, *sorted = hp_alloc(count * sizeof *sorted);
    uint32_t *first = hp_vec_reach(&halves->first, end) - end;
    hp_vec_sort_by_key(&halves->all);
    for (size_t i = 0; i < count; i++) {
        first[place_of_half(&all[i])]++;
    }
    for (size_t i = 1; i <= end; i++) {
        first[i] += first[i - 1]; // first[i] is the end of group i here
    }
    for (size_t i = count; i-- > 0;) {
        sorted[--first[place_of_half(&all[i])]] = all[i];
    }
    halves->all.count = 0;
    hp_vec_append(&halves->all, sorted, count);
    free(sorted);
}

// Make all combinations of up to three objects (halves) whose sizes are near the sample
// period of the decoder.
static void make_halves(const struct hp_decoder *decoder, struct hp_halves *halves) {
    int from = 0;
    halves->period = decoder->period;
    halves->all.count = halves->bytes.count = halves->first.count = 0;
    while (from < HP_SIZE_CLASSES && !is_near(decoder, from)) {
        from++;
    }
    int end = from;
    while (end < HP_SIZE_CLASSES && is_near(decoder, end)) {
        end++;
    }
    add_halves(decoder, halves, (struct hp_half){0}, from, end);
    sort_halves(halves);
    const struct hp_half *half;
    hp_vec_each (half, &halves->all) {
        hp_vec_push(&halves->bytes, (double)half->unbiased_bytes);
    }
}

// Return the combinations of up to three objects (halves) for the period of the decoder.
// If they are not there, they are made, and replace those that were made first.
static const struct hp_halves *halves_of(struct hp_decoder *decoder) {
    for (int i = 0; i < HP_PERIODS_KEPT; i++) {
        if (decoder->halves[i].period == decoder->period) {
            return &decoder->halves[i];
        }
    }
    struct hp_halves *oldest = &decoder->halves[decoder->halves_made++ % HP_PERIODS_KEPT];
    make_halves(decoder, oldest);
    return oldest;
}

// A range of halves->bytes, which ascends: the bytes of halves of readings that have the
// same number of objects and the same number of eighths of objects.
struct half_group {
    const double *at, *end;
};

// Return the bytes of all combinations of up to three objects (halves) that have `count`
// sampled objects and represent `objects` eighths of an object.
static struct half_group group_of(const struct hp_halves *halves, unsigned count,
                                  uint64_t objects) {
    if (objects > MOST_OF_HALF) {
        return (struct half_group){NULL, NULL};
    }
    const uint32_t *first = &halves->first.at[place_of(count, objects)];
    return (struct half_group){halves->bytes.at + first[0], halves->bytes.at + first[1]};
}

// Return the combination of up to three objects (half) to which an element of
// halves->bytes belongs.
static const struct hp_half *half_of(const struct line_search *s, const double *bytes) {
    return &s->halves->all.at[bytes - s->halves->bytes.at];
}

// Return the first element of the range that is at least `bytes`, or the end of the
// range.
static const double *from_bytes(struct half_group group, double bytes) {
    while (group.at < group.end) {
        const double *middle = group.at + (group.end - group.at) / 2;
        if (*middle < bytes) {
            group.at = middle + 1;
        } else {
            group.end = middle;
        }
    }
    return group.at;
}

// Return the estimated bytes of that many estimated objects for which jemalloc prints
// `printed` bytes, by Newton's method.
static double bytes_printed_as(const struct line_search *s, double objects,
                               double printed) {
    double bytes = printed + objects * s->period;
    for (int i = 0; i < 40; i++) {
        double t = bytes / objects / s->period, p = hp_one_minus_exp(t);
        double step = (bytes * p - printed) / (p + t * (1 - p));
        bytes -= step;
        if (step < 0x1p-10 && step > -0x1p-10) {
            break;
        }
    }
    return bytes;
}

// The sums that two halves must have together: bytes from `low` to `high`, at most `most`
// in the first half and at least `least` in the second.  An object of class `middle` is
// between them, unless it is NONE.
struct half_target {
    double low, high, most, least;
    int middle;
};

// Keep a reading made of two halves, and perhaps a middle object, if jemalloc prints
// their sums like the line.  `b` may be NULL.
static void keep_halves(struct line_search *s, const struct hp_half *a, int middle,
                        const struct hp_half *b) {
    struct reading_sums sums = {a->shifted_objects, a->unbiased_bytes};
    s->path = a->sizes;
    if (middle != NONE) {
        sums = plus(sums, class_of(s, middle), 1);
        push(s, middle);
    }
    for (unsigned i = 0; b && i < b->sizes.count; i++) {
        sums = plus(sums, class_of(s, b->sizes.classes[i]), 1);
        push(s, b->sizes.classes[i]);
    }
    keep_if_printed(s, sums);
}

// Return whether the sizes of both halves and the middle are in ascending order, so that
// each reading is found once.
static bool follows(const struct hp_half *a, int middle, const struct hp_half *b) {
    int last = a->sizes.classes[HALF - 1], first = b->sizes.classes[0];
    return middle != NONE ? last <= middle && middle <= first : last <= first;
}

// Narrow a range of halves (up to three objects of a line) to those with `least` to
// `most` bytes, both included.
static struct half_group between(struct half_group group, double least, double most) {
    group.at = from_bytes(group, least);
    group.end = from_bytes(group, most + 1);
    return group;
}

// Try all pairs of a half in the range `a` and one in the range `b` whose bytes together
// are within the target, and keep those that print like the line.  As the bytes of the
// first half go up, the matching bytes of the second go down.
static void meet(struct line_search *s, struct half_group a, struct half_group b,
                 const struct half_target *target) {
    if (a.at == a.end || b.at == b.end || *a.at + *b.at > target->high ||
        a.end[-1] + b.end[-1] < target->low) {
        return; // this is the usual case
    }
    b = between(b, target->least, target->high - *a.at);
    if (b.at < b.end) {
        a = between(a, target->low - b.end[-1], target->most);
    }
    for (; a.at < a.end && b.at < b.end; a.at++) {
        double low = target->low - *a.at, high = target->high - *a.at;
        while (b.end > b.at && b.end[-1] > high) {
            b.end--;
        }
        for (const double *i = b.end; i > b.at && i[-1] >= low; i--) {
            const struct hp_half *first = half_of(s, a.at), *second = half_of(s, i - 1);
            if (follows(first, target->middle, second)) {
                keep_halves(s, first, target->middle, second);
            }
        }
    }
}

// Try all splits of `all` eighths of objects into a first half of three sampled objects
// and a second half of `rest` sampled objects.
static void try_halves(struct line_search *s, uint64_t all, unsigned rest,
                       struct half_target target) {
    uint64_t least = (all * HALF + HALF + rest - 1) / (HALF + rest);
    target.most = target.high * HALF / (HALF + rest);
    target.least = target.low * rest / (HALF + rest);
    for (uint64_t part = least; part + WHOLE * rest <= all; part++) {
        meet(s, group_of(s->halves, HALF, part), group_of(s->halves, rest, all - part),
             &target);
    }
}

// Try all splits of `all` eighths of objects into two halves of three sampled objects and
// a middle object.
static void try_middles(struct line_search *s, uint64_t all, struct half_target target) {
    for (int i = s->first; i <= s->last; i++) {
        const struct hp_size_class *class = class_of(s, i);
        uint64_t size = class->shifted_objects, half = HALF * size;
        double bytes = (double)class->unbiased_size, of_half = HALF * bytes;
        if (all < size + 2 * HALF * WHOLE) {
            continue;
        }
        uint64_t rest = all - size, least = rest > 2 * half ? rest - half : half;
        struct half_target halves = {target.low - bytes, target.high - bytes, of_half,
                                     of_half, i};
        for (uint64_t part = least; part + WHOLE * HALF <= rest; part++) {
            meet(s, group_of(s->halves, HALF, part),
                 group_of(s->halves, HALF, rest - part), &halves);
        }
    }
}

// Try all combinations of object sizes that represent `all` eighths of an object
// together, and keep those that jemalloc prints like the line.
static void try_objects(struct line_search *s, uint64_t all) {
    double objects = (double)all / WHOLE, printed = (double)s->line.bytes;
    struct half_target target = {
        .low = bytes_printed_as(s, objects, printed - 0.5) - 2,
        .high = bytes_printed_as(s, objects, printed + 0.5) + 2,
        .middle = NONE,
    };
    for (unsigned n = 2; n <= HALF; n++) {
        struct half_group whole = group_of(s->halves, n, all);
        whole = between(whole, target.low, target.high);
        for (; whole.at < whole.end; whole.at++) {
            keep_halves(s, half_of(s, whole.at), NONE, NULL);
        }
    }
    for (unsigned rest = 1; rest <= HALF && HALF + rest <= s->line.objects; rest++) {
        try_halves(s, all, rest, target);
    }
    if (s->line.objects > 2 * HALF) {
        try_middles(s, all, target);
    }
}

// Search for the readings of a line whose objects all have sizes near the sample period:
// try each total number of objects, in eighths, that the rounding of the line allows.
static void try_near(struct line_search *s) {
    uint64_t first = (uint64_t)(s->least_objects * WHOLE);
    uint64_t last = (uint64_t)(s->most_objects * WHOLE) + 1;
    s->halves = halves_of(s->decoder);
    for (uint64_t all = first < 2 * WHOLE ? 2 * WHOLE : first; all <= last; all++) {
        try_objects(s, all);
    }
}

// --- rewritten -------------------------------------------------------------------------

// Find the bounds of the mean object size, and so of jemalloc's estimates of objects and
// bytes, that the rounding of the printed numbers leaves; also the first and last size
// class that fit into these.
static void find_bounds(struct line_search *s) {
    double objects = (double)s->line.objects, bytes = (double)s->line.bytes;
    s->least_mean = (bytes - 0.5) / (objects + 0.5);
    s->most_mean = (bytes + 0.5) / (objects - 0.5);
    double least_p = hp_one_minus_exp(s->least_mean / s->period);
    double most_p = hp_one_minus_exp(s->most_mean / s->period);
    s->least_objects = (objects - 0.5) / most_p;
    s->most_objects = (objects + 0.5) / least_p;
    s->most_bytes = (bytes + 0.5) / least_p;
    for (s->first = 0; s->first < HP_SIZE_CLASSES; s->first++) {
        const struct hp_size_class *class = class_of(s, s->first);
        if (class->shifted_objects > 0 &&
            (double)class->shifted_objects <= s->most_objects * 8) {
            break;
        }
    }
    s->last = s->first;
    while (s->last + 1 < HP_SIZE_CLASSES && class_of(s, s->last + 1)->unbiased_size > 0 &&
           (double)class_of(s, s->last + 1)->unbiased_size <= s->most_bytes) {
        s->last++;
    }
}

// Return whether all objects of the line certainly have sizes near the period, so that
// halves can make up the line.  One sample represents at most one object less than the
// line in total, since another sample represents at least one object.
static bool are_all_near(const struct line_search *s) {
    return s->most_objects - 1 <= (double)MOST_SHIFTED / 8 &&
           s->most_bytes <= largest_half * s->period;
}

// Find the readings of a line that jemalloc rewrote (prof_unbias): the combinations of
// object sizes for which it prints the line.  Returns whether these are all that exist.
static bool read_rewritten(struct line_search *s) {
    if (s->line.objects > HP_MOST_READ || s->line.bytes == 0) {
        return false;
    }
    find_bounds(s);
    if (s->line.objects > MOST_ANY) {
        bool are_near = are_all_near(s);
        if (are_near) {
            try_near(s);
        }
        return are_near && !s->too_many;
    }
    for (unsigned n = 2; n <= s->line.objects; n++) {
        try_sizes(s, (struct reading_sums){0}, s->first, n);
    }
    return !s->too_many;
}

// --- raw -------------------------------------------------------------------------------

// Keep, as readings of the line, all pairs of classes from `low` on for its last two
// objects whose sizes add up to `bytes`.
static void try_raw_pairs(struct line_search *s, uint64_t bytes, int low) {
    int high = hp_class_below(bytes);
    for (; low <= high; low++) {
        uint64_t rest = bytes - class_of(s, low)->size;
        while (high > low && class_of(s, high)->size > rest) {
            high--;
        }
        if (high >= low && class_of(s, high)->size == rest) {
            push(s, low);
            push(s, high);
            keep(s);
            s->path.count = (uint8_t)(s->path.count - 2);
        }
    }
}

// Keep, as readings of the line, all combinations in which the last `left` objects have
// classes from `low` on and sizes that add up to `bytes`.
static void try_raw(struct line_search *s, uint64_t bytes, int low, unsigned left) {
    if (left == 2) {
        try_raw_pairs(s, bytes, low);
        return;
    }
    for (int i = low; i < HP_SIZE_CLASSES && class_of(s, i)->size <= bytes / left; i++) {
        push(s, i);
        try_raw(s, bytes - class_of(s, i)->size, i, left - 1);
        s->path.count--;
    }
}

// Find the readings of a line of sampled counts that jemalloc did not rewrite: the
// combinations of size classes that add up to its bytes.  Returns whether these are all
// that exist.
static bool read_raw(struct line_search *s) {
    if (s->line.objects > MOST_RAW) {
        return false;
    }
    try_raw(s, s->line.bytes, 0, (unsigned)s->line.objects);
    return !s->too_many;
}

// --- all -------------------------------------------------------------------------------

// Drop all remembered lines and the object sizes that were found for them.
static void forget(struct hp_decoder *decoder) {
    hp_index_drop(&decoder->index);
    decoder->lines.count = decoder->readings.count = 0;
}

void hp_decoder_init(struct hp_decoder *decoder, const struct hp_size_classes *classes,
                     bool is_raw) {
    if (decoder->period != classes->period || decoder->is_raw != is_raw) {
        forget(decoder);
    }
    decoder->classes = classes;
    decoder->period = classes->period;
    decoder->is_raw = is_raw;
}

void hp_decoder_done(struct hp_decoder *decoder) {
    forget(decoder);
    for (int i = 0; i < HP_PERIODS_KEPT; i++) {
        hp_vec_done(&decoder->halves[i].all);
        hp_vec_done(&decoder->halves[i].bytes);
        hp_vec_done(&decoder->halves[i].first);
        decoder->halves[i].period = 0;
    }
    hp_vec_done(&decoder->lines);
    hp_vec_done(&decoder->readings);
}

// Find the readings of `decoded`, which is the last line of the decoder.
static void read_line(struct hp_decoder *decoder, struct hp_decoded_line *decoded) {
    struct line_search s = {.decoder = decoder,
                            .line = decoded->line,
                            .period = (double)decoder->period};
    if (decoded->line.objects < 2) {
        return;
    }
    bool complete = decoder->is_raw ? read_raw(&s) : read_rewritten(&s);
    decoder->lines.at[decoder->lines.count - 1].complete = complete;
}

struct hp_readings hp_decode(struct hp_decoder *decoder, struct hp_count line) {
    if (decoder->lines.count >= MOST_LINES || decoder->readings.count >= MOST_READINGS) {
        forget(decoder);
    }
    uint32_t number = hp_index_of(&decoder->index, &decoder->lines, &line, sizeof line);
    if (number == decoder->lines.count) {
        struct hp_decoded_line fresh = {.line = line,
                                        .first = (uint32_t)decoder->readings.count};
        read_line(decoder, hp_vec_push(&decoder->lines, fresh));
    }
    const struct hp_decoded_line *decoded = &decoder->lines.at[number];
    return (struct hp_readings){hp_vec_from(&decoder->readings, decoded->first),
                                decoded->count, decoded->complete};
}

size_t hp_count_few(const struct hp_dump *dump) {
    uint64_t bits[HASHES / 64] = {0};
    size_t count = 0;
    const struct hp_dump_stack *stack;
    hp_vec_each (stack, &dump->stacks) {
        for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
            struct hp_count line = hp_count_in(&stack->counts, i);
            uint64_t hash = hp_count_hash(line) % HASHES, bit = (uint64_t)1 << hash % 64;
            bool is_few = line.objects > 1 && line.objects <= HP_MOST_READ;
            count += is_few && (bits[hash / 64] & bit) == 0;
            bits[hash / 64] |= is_few ? bit : 0;
        }
    }
    return count;
}

// --- decoded ---------------------------------------------------------------------------

enum {
    // Weight in the prior of an object whose size is certain; each class begins with a
    // weight of 1.
    READ_WEIGHT = 64,
};

void hp_class_weights_init(struct hp_class_weights *weights, uint64_t period, double rate,
                           bool has_pages) {
    if (weights->period == period && weights->has_pages == has_pages) {
        return;
    }
    weights->period = period;
    weights->has_pages = has_pages;
    for (int i = 0; i < HP_SIZE_CLASSES; i++) {
        struct hp_class_weight *weight = &weights->of[i];
        uint64_t size = hp_class_size(i);
        bool may_be_less = has_pages && size > HP_LARGE_FROM;
        uint64_t least = may_be_less ? hp_class_size(i - 1) + HP_PAGE : size;
        double p = hp_one_minus_exp((double)size * rate);
        // The probability for the smallest size.
        double least_p = hp_one_minus_exp((double)least * rate);
        *weight = (struct hp_class_weight){
            .least_objects = 1 / p,
            .most_objects = 1 / least_p,
            .least_bytes = (double)least / least_p,
            .most_bytes = (double)size / p,
            .variance = hp_variance_of_object((double)least, least_p),
            .size = size,
            .least_size = least,
        };
        weight->objects = (weight->least_objects + weight->most_objects) / 2;
        weight->bytes = (weight->least_bytes + weight->most_bytes) / 2;
    }
}

// --- the prior -------------------------------------------------------------------------

// Return a pointer to the count of a class at a leaf, which is added if necessary.  It is
// valid until the next call.
static uint64_t *count_of(struct hp_prior *prior, uint32_t leaf, uint32_t class) {
    struct hp_prior_count fresh = {.key = {leaf, class}};
    uint32_t number =
        hp_index_of(&prior->index, &prior->counts, &fresh.key, sizeof fresh.key);
    if (number == prior->counts.count) {
        hp_vec_push(&prior->counts, fresh);
    }
    return &prior->counts.at[number].count;
}

void hp_prior_add(struct hp_prior *prior, uint32_t leaf, uint64_t size, uint64_t n) {
    int class = hp_class_below(size);
    if (hp_class_size(class) == size) {
        *count_of(prior, leaf, (uint32_t) class) += n;
        *count_of(prior, leaf, HP_SIZE_CLASSES) += n;
    }
}

void hp_prior_clear(struct hp_prior *prior) {
    hp_vec_done(&prior->owners.of);
    hp_index_drop(&prior->index);
    hp_vec_done(&prior->counts);
}

// Return the weight of a combination of object sizes by how often a leaf has these sizes
// elsewhere, not normalized; 1 without a prior.
static double weight_of(struct hp_prior *prior, uint32_t leaf,
                        const struct hp_reading *reading) {
    double weight = 1, same = 1;
    double all = prior ? (double)*count_of(prior, leaf, HP_SIZE_CLASSES) : 0;
    for (unsigned i = 0; prior && i < reading->count; i++) {
        double count = (double)*count_of(prior, leaf, reading->classes[i]);
        same = i > 0 && reading->classes[i] == reading->classes[i - 1] ? same + 1 : 1;
        weight *= (READ_WEIGHT * count + 1) / (READ_WEIGHT * all + HP_SIZE_CLASSES);
        weight *= (double)(i + 1) / same;
    }
    return weight;
}

// --- readings --------------------------------------------------------------------------

static double larger(double a, double b) {
    return a > b ? a : b;
}

// Sums over the objects of one reading, or bounds of the sums of all readings.  Units as
// in struct hp_class_weight.
struct totals {
    double objects, least_objects, most_objects;
    double bytes, least_bytes, most_bytes, large_bytes;
    double variance, objects_variance, max_weight;
    uint64_t least_size, samples;
};

// Add up the weights of the objects in one combination of object sizes (a reading of a
// line).
static struct totals total_of(const struct hp_class_weights *weights,
                              const struct hp_reading *reading) {
    struct totals sum = {.samples = reading->count};
    for (unsigned i = 0; i < reading->count; i++) {
        const struct hp_class_weight *w = &weights->of[reading->classes[i]];
        double size = (double)w->least_size;
        sum.objects += w->objects;
        sum.least_objects += w->least_objects;
        sum.most_objects += w->most_objects;
        sum.bytes += w->bytes;
        sum.large_bytes += w->size > HP_LARGE_FROM ? w->bytes : 0;
        sum.least_bytes += w->least_bytes;
        sum.most_bytes += w->most_bytes;
        sum.variance += w->variance;
        sum.objects_variance += w->variance / (size * size);
        sum.max_weight = larger(sum.max_weight, w->most_objects);
        sum.least_size += w->least_size;
    }
    return sum;
}

// Return the widest bounds of all combinations of object sizes (readings) that explain a
// line.
static struct totals bounds_of(const struct hp_class_weights *weights,
                               struct hp_readings readings) {
    struct totals all = total_of(weights, readings.at);
    for (size_t i = 1; i < readings.count; i++) {
        struct totals one = total_of(weights, &readings.at[i]);
        all.most_objects = larger(all.most_objects, one.most_objects);
        all.least_objects = -larger(-all.least_objects, -one.least_objects);
        all.most_bytes = larger(all.most_bytes, one.most_bytes);
        all.least_bytes = -larger(-all.least_bytes, -one.least_bytes);
        all.variance = larger(all.variance, one.variance);
        all.objects_variance = larger(all.objects_variance, one.objects_variance);
        all.max_weight = larger(all.max_weight, one.max_weight);
        all.least_size =
            one.least_size < all.least_size ? one.least_size : all.least_size;
        all.samples = one.samples < all.samples ? one.samples : all.samples;
    }
    // Errors have bounds of bytes, not of objects: half the range of the number of
    // objects is treated like a standard deviation.
    double half = (all.most_objects - all.least_objects) / 2;
    all.objects_variance += half * half;
    return all;
}

// Set the error bounds of an estimate of `bytes` bytes, so that they include `all`.
static void bound(const struct totals *all, double bytes, struct hp_unbiased *estimate) {
    double excess = bytes - all->least_bytes, hidden = all->most_bytes - bytes;
    hp_error_bound(&estimate->error, excess, hidden, &estimate->too_big);
}

struct hp_unbiased hp_estimate_readings(const struct hp_class_weights *weights,
                                        struct hp_readings readings,
                                        struct hp_prior *prior, uint32_t leaf) {
    double objects = 0, bytes = 0, large_bytes = 0, weight = 0;
    for (size_t i = 0; i < readings.count; i++) {
        struct totals one = total_of(weights, &readings.at[i]);
        double w = weight_of(prior, leaf, &readings.at[i]);
        objects += w * one.objects;
        bytes += w * one.bytes;
        large_bytes += w * one.large_bytes;
        weight += w;
    }
    struct totals all = bounds_of(weights, readings);
    struct hp_unbiased estimate = hp_unbiased_of(objects / weight, bytes / weight);
    estimate.large_bytes = hp_unbiased_of(0, large_bytes / weight).bytes;
    estimate.error = hp_error_of_sizes(all.samples, all.least_size, all.variance,
                                       all.objects_variance, &estimate.too_big);
    estimate.error.period = weights->period;
    estimate.error.max_weight = all.max_weight;
    bool is_unique = readings.count == 1 && !(weights->has_pages && large_bytes > 0);
    estimate.error.read[is_unique ? HP_READ_UNIQUE : HP_READ_SEVERAL] = 1;
    bound(&all, bytes / weight, &estimate);
    return estimate;
}

// --- class by class --------------------------------------------------------------------

// The sampled objects of one class in all combinations of object sizes (readings) that
// explain a line.
struct class_sum {
    // Number of the class; the fewest and most objects of it in a reading that has it.
    unsigned class, least, most;
    size_t readings; // number of readings that have the class
    double weighted; // objects of the class, added up with the weights of the readings
};

// The sampled objects of each size class in all readings of a line, in no order of
// classes.
struct class_sums {
    struct class_sum of[HP_CLASS_PARTS];
    size_t count;
};

// Return the sum of a class, which is added if necessary; NULL: there is no room.
static struct class_sum *sum_of(struct class_sums *sums, unsigned class) {
    size_t i = 0;
    while (i < sums->count && sums->of[i].class != class) {
        i++;
    }
    if (i == sums->count && i < HP_CLASS_PARTS) {
        sums->of[sums->count++] = (struct class_sum){.class = class, .least = UINT_MAX};
    }
    return i < HP_CLASS_PARTS ? &sums->of[i] : NULL;
}

// Add a combination of object sizes that explains a line to the sums of its classes.
// Returns false if the line has more than HP_CLASS_PARTS classes.
static bool add_reading(struct class_sums *sums, const struct hp_reading *reading,
                        double weight) {
    for (unsigned i = 0, same; i < reading->count; i += same) {
        struct class_sum *sum = sum_of(sums, reading->classes[i]);
        for (same = 1; i + same < reading->count &&
                       reading->classes[i + same] == reading->classes[i];) {
            same++;
        }
        if (!sum) {
            return false;
        }
        sum->weighted += weight * same;
        sum->most = same > sum->most ? same : sum->most;
        sum->least = same < sum->least ? same : sum->least;
        sum->readings++;
    }
    return true;
}

// Estimate the objects of one size class in a line.  `readings`: number of readings of
// the line; `weight`: sum of their weights.
static struct hp_class_part part_of(const struct hp_class_weights *weights,
                                    const struct class_sum *sum, size_t readings,
                                    double weight) {
    const struct hp_class_weight *w = &weights->of[sum->class];
    double n = sum->weighted / weight, most = sum->most, size = (double)w->least_size;
    double least = sum->readings == readings ? sum->least : 0;
    double half = (most - least) / 2 * w->most_objects +
                  least / 2 * (w->most_objects - w->least_objects);
    struct hp_unbiased of = hp_unbiased_of(n * w->objects, n * w->bytes);
    uint64_t samples = least > 0 ? (uint64_t)least : 1; // at least one may have been seen
    of.error =
        hp_error_of_sizes(samples, (uint64_t)least * w->least_size, most * w->variance,
                          most * w->variance / (size * size) + half * half, &of.too_big);
    of.error.period = weights->period;
    of.error.max_weight = w->most_objects;
    bool is_unique = readings == 1 && w->least_size == w->size;
    of.error.read[is_unique ? HP_READ_UNIQUE : HP_READ_SEVERAL] = 1;
    hp_error_bound(&of.error, n * w->bytes - least * w->least_bytes,
                   (most - n) * w->bytes + most * (w->most_bytes - w->bytes),
                   &of.too_big);
    return (struct hp_class_part){w->size, of};
}

size_t hp_split_readings(const struct hp_class_weights *weights,
                         struct hp_readings readings, struct hp_prior *prior,
                         uint32_t leaf, struct hp_class_part parts[HP_CLASS_PARTS]) {
    struct class_sums sums = {.count = 0};
    double all = 0;
    for (size_t i = 0; i < readings.count; i++) {
        double weight = weight_of(prior, leaf, &readings.at[i]);
        if (!add_reading(&sums, &readings.at[i], weight)) {
            return 0;
        }
        all += weight;
    }
    for (size_t i = 0; i < sums.count; i++) {
        parts[i] = part_of(weights, &sums.of[i], readings.count, all);
    }
    return sums.count;
}

// --- bounds ----------------------------------------------------------------------------

// Widen the error bounds of an estimate so that they include all readings.  Its number of
// objects stays that of the single size, because there is no evidence of other numbers.
void hp_widen_to_readings(const struct hp_class_weights *weights,
                          struct hp_readings readings, struct hp_unbiased *estimate) {
    struct totals all = bounds_of(weights, readings);
    struct hp_error widest = hp_error_of_sizes(all.samples, all.least_size, all.variance,
                                               all.objects_variance, &estimate->too_big);
    struct hp_error *error = &estimate->error;
    if (widest.variance > error->variance) {
        error->variance = widest.variance;
    }
    if (widest.observed_bytes < error->observed_bytes) {
        error->observed_bytes = widest.observed_bytes;
    }
    bound(&all, hp_fixed_double(estimate->bytes, HP_INUSE_SPACE), estimate);
}

// --- one class, and mixes --------------------------------------------------------------

struct hp_unbiased hp_estimate_class(const struct hp_class_weights *weights, uint64_t n,
                                     uint64_t size) {
    const struct hp_class_weight *w = &weights->of[hp_class_below(size)];
    double count = (double)n, least = (double)w->least_size;
    double half = count * (w->most_objects - w->least_objects) / 2;
    double variance = count * w->variance;
    struct hp_unbiased e = hp_unbiased_of(count * w->objects, count * w->bytes);
    uint64_t certain;
    e.too_big |= __builtin_mul_overflow(n, w->least_size, &certain);
    e.error = hp_error_of_sizes(n, certain, variance,
                                variance / (least * least) + half * half, &e.too_big);
    e.error.period = weights->period;
    e.error.max_weight = w->most_objects;
    e.large_bytes = size > HP_LARGE_FROM ? e.bytes : 0;
    hp_error_bound(&e.error, count * (w->bytes - w->least_bytes),
                   count * (w->most_bytes - w->bytes), &e.too_big);
    return e;
}

// Return the smallest ratio of least_bytes to most_bytes of a sample, over the four
// classes of the doubling that contains `class`.
static double least_share(const struct hp_class_weights *weights, int class) {
    int first = class - (class - 5) % 4;
    double share = 1;
    for (int i = first; i < first + 4 && i < HP_SIZE_CLASSES; i++) {
        const struct hp_class_weight *w = &weights->of[i];
        share = -larger(-share, -w->least_bytes / w->most_bytes);
    }
    return share;
}

// Move the estimate of a line of several unknown sizes to the middle of both readings of
// its size, and widen its bounds.  All objects are assumed to have the mean size, but the
// bounds include the classes near it.  The size of a class is never less than 4/5 of the
// next.
void hp_read_mix_as_pages(const struct hp_class_weights *weights, double mean,
                          struct hp_unbiased *estimate) {
    int below = hp_class_below((uint64_t)mean);
    int class = below + ((double)weights->of[below].size < mean);
    class -= class == HP_SIZE_CLASSES;
    const struct hp_class_weight *w = &weights->of[class];
    struct hp_error *error = &estimate->error;
    double objects = hp_fixed_double(estimate->objects, HP_INUSE_OBJECTS);
    double most = hp_fixed_double(estimate->bytes, HP_INUSE_SPACE);
    double bytes = most * (w->bytes / w->most_bytes);
    struct hp_unbiased middle =
        hp_unbiased_of(objects * (w->objects / w->least_objects), bytes);
    estimate->too_big |= middle.too_big;
    estimate->objects = middle.objects;
    estimate->bytes = estimate->large_bytes = middle.bytes;
    error->max_weight = objects * (w->most_objects / w->least_objects);
    error->variance +=
        (hp_int128)((double)error->variance * (w->most_objects / w->least_objects - 1));
    error->observed_bytes -= error->observed_bytes / 5;
    hp_error_bound(error,
                   (double)error->excess_bytes_max + bytes -
                       most * least_share(weights, class),
                   (double)error->hidden_bytes_max + most - bytes, &estimate->too_big);
}
