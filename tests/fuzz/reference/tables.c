// The slow reader of the tables of a pprof profile, to which its samples refer.
#include "pprof.h"

#include <stdlib.h>

void reference_fail(struct profile *p, const char *wrong) {
    if (!p->wrong) {
        p->wrong = wrong;
    }
}

void reference_check_numbers(struct profile *p, const struct fields *message,
                             unsigned wanted) {
    for (size_t i = 0; i < message->of.count; i++) {
        const struct wire_field *field = &message->of.at[i];
        if (field->number < 11 && wanted >> field->number & 1 && field->type != 0) {
            reference_fail(p, "bytes where a number is expected");
        }
    }
}

static void need_id(struct profile *p, const struct fields *message) {
    if (reference_number(message, 1) == 0) {
        reference_fail(p, "an entry without an id");
    }
}

// Check the fields of a location in their order, so that the first error is recorded.
static void check_location(struct profile *p, const struct fields *message) {
    for (size_t i = 0; i < message->of.count; i++) {
        const struct wire_field *field = &message->of.at[i];
        if (field->number >= 1 && field->number <= 3 && field->type != 0) {
            reference_fail(p, "bytes where a number is expected");
        } else if (field->number == 4 && field->type != 2) {
            reference_fail(p, "a number where bytes are expected");
        } else if (field->number == 4) {
            struct fields line = reference_fields_of(field->bytes);
            reference_check_numbers(p, &line, 1 << 1 | 1 << 2 | 1 << 3);
            reference_fail(p, line.wrong);
            hp_vec_push(&p->lines, line);
        }
    }
}

// Keep a message in the table of its field number.
static void read_table(struct profile *p, const struct wire_field *field) {
    struct fields message = reference_fields_of(field->bytes);
    bool is_kept = true;
    if (field->number == 1) {
        reference_check_numbers(p, &message, 1 << 1 | 1 << 2);
        hp_vec_push(&p->types, message);
    } else if (field->number == 3) {
        reference_check_numbers(p, &message, 0x7fe);
        hp_vec_push(&p->mappings, message);
    } else if (field->number == 4) {
        check_location(p, &message);
        hp_vec_push(&p->locations, message);
    } else if (field->number == 5) {
        reference_check_numbers(p, &message, 0x3e);
        hp_vec_push(&p->functions, message);
    } else if (field->number == 11) {
        reference_check_numbers(p, &message, 1 << 1 | 1 << 2);
        hp_vec_done(&p->period_type.of);
        p->period_type = message;
    } else {
        is_kept = false;
    }
    if (is_kept) {
        reference_fail(p, message.wrong);
    } else {
        hp_vec_done(&message.of);
    }
    if (field->number >= 3 && field->number <= 5) {
        need_id(p, &message);
    }
}

// Read one comment, or several that are packed in one field.
static void read_comments(struct profile *p, const struct wire_field *field) {
    struct hp_span rest = field->bytes;
    uint64_t value;
    const char *wrong = NULL;
    if (field->type == 0) {
        hp_vec_push(&p->comments, field->value);
    } else if (field->type != 2) {
        reference_fail(p, "bytes where a number is expected");
    } else {
        while (rest.size > 0 && reference_varint(&rest, &value, &wrong)) {
            hp_vec_push(&p->comments, value);
        }
        reference_fail(p, wrong);
    }
}

// Read one field of the profile itself; samples are only checked for their type.
static void read_top(struct profile *p, const struct wire_field *field) {
    bool is_table = field->number <= 6 || field->number == 11;
    bool is_number =
        field->number >= 7 && field->number <= 15 && !is_table && field->number != 13;
    if (is_table && field->type != 2) {
        reference_fail(p, "a number where bytes are expected");
    } else if (is_number && field->type != 0) {
        reference_fail(p, "bytes where a number is expected");
    } else if (field->number == 6) {
        hp_vec_push(&p->strings, field->bytes);
    } else if (is_table && field->number != 2) {
        read_table(p, field);
    } else if (field->number == 9 && field->value != 0) {
        if (p->time != 0) {
            reference_fail(p, "two profiles, one after the other");
        }
        p->time = field->value;
    } else if (field->number == 12) {
        p->period = field->value;
    } else if (field->number == 14) {
        p->default_type = field->value;
    } else if (field->number == 7) {
        p->drop_frames = field->value;
    } else if (field->number == 8) {
        p->keep_frames = field->value;
    } else if (field->number == 10) {
        p->duration = field->value;
    } else if (field->number == 15) {
        p->doc_url = field->value;
    } else if (field->number == 13) {
        read_comments(p, field);
    }
}

static int by_id(const void *left, const void *right) {
    uint64_t a = reference_number(left, 1), b = reference_number(right, 1);
    return a < b ? -1 : a > b;
}

// Sort a table by id, and check that no id is repeated.
static void sort(struct profile *p, struct fields *table, size_t count) {
    if (count > 0) {
        qsort(table, count, sizeof *table, by_id);
    }
    for (size_t i = 1; i < count; i++) {
        if (reference_number(&table[i], 1) == reference_number(&table[i - 1], 1)) {
            reference_fail(p, "two entries with one id");
        }
    }
}

size_t reference_find(const struct fields *table, size_t count, uint64_t id) {
    for (size_t i = 0; i < count; i++) {
        if (reference_number(&table[i], 1) == id) {
            return i;
        }
    }
    return SIZE_MAX;
}

static void need_strings(struct profile *p, const struct fields *table, size_t count,
                         uint64_t a, uint64_t b) {
    for (size_t i = 0; i < count; i++) {
        if (reference_number(&table[i], a) >= p->strings.count ||
            reference_number(&table[i], b) >= p->strings.count) {
            reference_fail(p, "a string that is missing");
        }
    }
}

// Check that all indexes of strings and all ids of mappings and functions exist.
static void check_references(struct profile *p) {
    sort(p, p->mappings.at, p->mappings.count);
    sort(p, p->functions.at, p->functions.count);
    sort(p, p->locations.at, p->locations.count);
    if (p->strings.count == 0 || p->strings.at[0].size > 0) {
        reference_fail(p, "the first string is not empty");
    }
    need_strings(p, &p->period_type, 1, 1, 2);
    if (p->default_type >= p->strings.count || p->drop_frames >= p->strings.count ||
        p->keep_frames >= p->strings.count || p->doc_url >= p->strings.count) {
        reference_fail(p, "a string that is missing");
    }
    for (size_t i = 0; i < p->comments.count; i++) {
        if (p->comments.at[i] >= p->strings.count) {
            reference_fail(p, "a string that is missing");
        }
    }
    need_strings(p, p->types.at, p->types.count, 1, 2);
    need_strings(p, p->mappings.at, p->mappings.count, 5, 6);
    need_strings(p, p->functions.at, p->functions.count, 2, 3);
    need_strings(p, p->functions.at, p->functions.count, 4, 4);
    for (size_t i = 0; i < p->locations.count; i++) {
        uint64_t mapping = reference_number(&p->locations.at[i], 2);
        if (mapping &&
            reference_find(p->mappings.at, p->mappings.count, mapping) == SIZE_MAX) {
            reference_fail(p, "a mapping that is missing");
        }
    }
    for (size_t i = 0; i < p->lines.count; i++) {
        uint64_t function = reference_number(&p->lines.at[i], 1);
        if (function &&
            reference_find(p->functions.at, p->functions.count, function) == SIZE_MAX) {
            reference_fail(p, "a function that is missing");
        }
    }
}

// Check that no path is too long, and that the names, each counted once per use, are not
// much larger than the profile.
static void check_names(struct profile *p) {
    uint64_t bytes = 0, floor = 64 << 20, most = 100 * (uint64_t)p->whole.size;
    for (size_t i = 0; i < p->mappings.count; i++) {
        if (!reference_is_path(reference_string(p, &p->mappings.at[i], 5))) {
            reference_fail(p, "a path that is too long");
        }
        bytes += reference_string(p, &p->mappings.at[i], 5).size +
                 reference_string(p, &p->mappings.at[i], 6).size;
    }
    for (size_t i = 0; i < p->lines.count; i++) {
        size_t at = reference_find(p->functions.at, p->functions.count,
                                   reference_number(&p->lines.at[i], 1));
        if (at != SIZE_MAX) {
            const struct fields *function = &p->functions.at[at];
            uint64_t name = reference_number(function, 2) > 0 ? 2 : 3;
            bytes += reference_string(p, function, name).size +
                     reference_string(p, function, 3).size +
                     reference_string(p, function, 4).size;
        }
    }
    if (bytes > (most > floor ? most : floor)) {
        reference_fail(p, "names of more than 100 times the file");
    }
}

void reference_read_tables(struct profile *p) {
    for (size_t i = 0; i < p->top.of.count && !p->wrong; i++) {
        read_top(p, &p->top.of.at[i]);
    }
    reference_fail(p, p->top.wrong);
    if (!p->wrong) {
        check_references(p);
    }
    if (!p->wrong) {
        check_names(p);
    }
}

struct hp_span reference_string(const struct profile *p, const struct fields *message,
                                uint64_t number) {
    return p->strings.at[reference_number(message, number)];
}
