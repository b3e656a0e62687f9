// Sorts the dumps of one process by age.  The first property that differs between all of
// them is used.
#include "base/memory.h"
#include "base/span.h"
#include "inputs/input.h"
#include "inputs/processes.h"

#include <stdlib.h>
#include <string.h>

static int compare(uint64_t a, uint64_t b) {
    return (a > b) - (a < b);
}

// A dump of a process, while dumps are sorted.
struct moment {
    const struct hp_input_record *input;
    uint32_t number;       // number of the input
    struct hp_span digits; // the number in its name, without leading zeros
};

// Return the last part of the path, without the suffix of a compressed file.
static struct hp_span name_of(const struct hp_input_record *input) {
    struct hp_span name = hp_span_basename(hp_span_of(input->public.name));
    name.size -= hp_span_ends(name, ".gz") ? 3 : hp_span_ends(name, ".zst") ? 4 : 0;
    return name;
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// Return the leading digits of a text without leading zeros, and remove all leading
// digits from the text.
static struct hp_span take_digits(struct hp_span *text) {
    size_t size = 0, zeros = 0;
    while (size < text->size && is_digit(text->at[size])) {
        zeros += zeros == size && text->at[size] == '0';
        size++;
    }
    struct hp_span digits = {text->at + zeros, size - zeros};
    *text = hp_span_from(*text, size);
    return digits;
}

// Compare numbers of any length.
static int compare_digits(struct hp_span a, struct hp_span b) {
    int order = compare(a.size, b.size);
    return order || a.size == 0 ? order : memcmp(a.at, b.at, a.size);
}

// Whether two names differ in at most one number and in nothing else.  Sets `*which` to
// the position of that number, from 1; 0: no number differs.
static bool find_number(struct hp_span a, struct hp_span b, size_t *which) {
    *which = 0;
    for (size_t number = 1; a.size > 0 && b.size > 0;) {
        if (is_digit(*a.at) && is_digit(*b.at)) {
            if (compare_digits(take_digits(&a), take_digits(&b)) != 0) {
                if (*which != 0) {
                    return false;
                }
                *which = number;
            }
            number++;
        } else if (*a.at == *b.at) {
            a = hp_span_from(a, 1);
            b = hp_span_from(b, 1);
        } else {
            return false;
        }
    }
    return a.size == 0 && b.size == 0;
}

// Return the number at a position in a name, from 1.
static struct hp_span digits_at(struct hp_span name, size_t which) {
    struct hp_span digits = {"", 0};
    for (size_t number = 0; number < which && name.size > 0;) {
        if (is_digit(*name.at)) {
            digits = take_digits(&name);
            number++;
        } else {
            name = hp_span_from(name, 1);
        }
    }
    return digits;
}

// Whether the names of all dumps differ from the first name in one number only, which is
// at the same position in all.  If so, sets `digits` of each dump to that number.
static bool have_one_number(struct moment *moments, size_t count) {
    struct hp_span first = name_of(moments[0].input);
    size_t same = 0, which;
    for (size_t i = 1; i < count; i++) {
        if (!find_number(first, name_of(moments[i].input), &which) || which == 0 ||
            (same != 0 && same != which)) {
            return false;
        }
        same = which;
    }
    for (size_t i = 0; i < count; i++) {
        moments[i].digits = digits_at(name_of(moments[i].input), same);
    }
    return true;
}

// Whether the names of all dumps are in the form of jemalloc, with a sequence number.
static bool have_sequence(struct moment *moments, size_t count) {
    bool have = true;
    for (size_t i = 0; i < count; i++) {
        have &= moments[i].input->identity.kind != '\0';
    }
    return have;
}

// Whether the content of all dumps has a time.
static bool have_nanoseconds(struct moment *moments, size_t count) {
    bool have = true;
    for (size_t i = 0; i < count; i++) {
        have &= moments[i].input->identity.nanoseconds != 0;
    }
    return have;
}

// Whether the modification times of all files are known.
static bool have_time(struct moment *moments, size_t count) {
    bool have = true;
    for (size_t i = 0; i < count; i++) {
        have &= moments[i].input->identity.time > 0;
    }
    return have;
}

static int by_sequence(const void *left, const void *right) {
    const struct moment *a = left, *b = right;
    return compare(a->input->identity.number, b->input->identity.number);
}

static int by_nanoseconds(const void *left, const void *right) {
    const struct moment *a = left, *b = right;
    return compare(a->input->identity.nanoseconds, b->input->identity.nanoseconds);
}

static int by_digits(const void *left, const void *right) {
    const struct moment *a = left, *b = right;
    return compare_digits(a->digits, b->digits);
}

static int by_time(const void *left, const void *right) {
    const struct moment *a = left, *b = right;
    double first = a->input->identity.time, second = b->input->identity.time;
    return (first > second) - (first < second);
}

// Order by name, the last resort.  Base names are compared before paths, so that the
// spelling of a path does not change the order.  If two names are equal, the input whose
// stacks are already in the profile, as those of partials are, comes last.
static int by_bytes(const void *left, const void *right) {
    const struct moment *a = left, *b = right;
    int order = strcmp(hp_span_basename(hp_span_of(a->input->public.name)).at,
                       hp_span_basename(hp_span_of(b->input->public.name)).at);
    order = order ? order : strcmp(a->input->public.name, b->input->public.name);
    order = order ? order : a->input->is_added - b->input->is_added;
    return order ? order : compare(a->number, b->number);
}

// The properties in the order in which they are tried: `have` says whether all dumps have
// the property.
static const struct {
    bool (*have)(struct moment *moments, size_t count);
    int (*compare)(const void *left, const void *right);
    const char *text;
} orders[] = {
    [HP_NEWEST_BY_SEQUENCE] = {have_sequence, by_sequence, "sequence"},
    [HP_NEWEST_BY_CONTENT_TIME] = {have_nanoseconds, by_nanoseconds, "time"},
    [HP_NEWEST_BY_NUMBER] = {have_one_number, by_digits, "number in the name"},
    [HP_NEWEST_BY_FILE_TIME] = {have_time, by_time, "file time"},
    [HP_NEWEST_BY_NAME] = {NULL, by_bytes, "name"},
};

const char *hp_newest_by_text(enum hp_newest_by by) {
    return orders[by].text;
}

// Sort dumps by the first of `orders` that all dumps have and in which no two of them are
// equal.  Returns it.
static enum hp_newest_by sort_moments(struct moment *moments, size_t count) {
    for (enum hp_newest_by by = 0; by < HP_NEWEST_BY_NAME; by++) {
        if (!orders[by].have(moments, count)) {
            continue;
        }
        qsort(moments, count, sizeof *moments, orders[by].compare);
        bool differ = true;
        for (size_t i = 1; i < count; i++) {
            differ &= orders[by].compare(&moments[i], &moments[i - 1]) != 0;
        }
        if (differ) {
            return by;
        }
    }
    qsort(moments, count, sizeof *moments, by_bytes);
    return HP_NEWEST_BY_NAME;
}

enum hp_newest_by hp_process_sort(uint32_t *dumps, size_t count,
                                  const struct hp_input_record *inputs) {
    if (count < 2) {
        return HP_NEWEST_BY_SEQUENCE;
    }
    struct moment *moments = hp_alloc(count * sizeof *moments);
    for (size_t i = 0; i < count; i++) {
        moments[i] = (struct moment){&inputs[dumps[i]], dumps[i], {NULL, 0}};
    }
    enum hp_newest_by by = sort_moments(moments, count);
    for (size_t i = 0; i < count; i++) {
        dumps[i] = moments[i].number;
    }
    free(moments);
    return by;
}
