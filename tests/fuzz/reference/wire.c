// Splits protobuf messages into lists of fields, and recognizes pprof profiles.
#include "pprof.h"

bool reference_varint(struct hp_span *rest, uint64_t *value, const char **wrong) {
    *value = 0;
    for (int i = 0; rest->size > 0; i++) {
        uint64_t byte = (unsigned char)*rest->at;
        *rest = hp_span_from(*rest, 1);
        if (i > 9 || (i == 9 && byte > 1)) {
            *wrong = "a number is 2^64 or more";
            return false;
        }
        *value += (byte % 128) << (7 * i);
        if (byte < 128) {
            return true;
        }
    }
    *wrong = "it ends within a number";
    return false;
}

static bool take(struct hp_span *rest, uint64_t size, struct wire_field *field,
                 const char **wrong) {
    if (size > rest->size) {
        *wrong = "a field is longer than its message";
        return false;
    }
    field->bytes = (struct hp_span){rest->at, (size_t)size};
    *rest = hp_span_from(*rest, (size_t)size);
    return true;
}

bool reference_field(struct hp_span *rest, struct wire_field *field, const char **wrong) {
    uint64_t key, size;
    *field = (struct wire_field){.bytes = {"", 0}};
    if (!reference_varint(rest, &key, wrong)) {
        return false;
    }
    field->number = key / 8;
    field->type = key % 8;
    if (field->number == 0 || field->number >= 1 << 29) {
        *wrong = "a field without a number";
        return false;
    }
    if (field->type == 0) {
        return reference_varint(rest, &field->value, wrong);
    }
    if (field->type == 2) {
        return reference_varint(rest, &size, wrong) && take(rest, size, field, wrong);
    }
    if (field->type == 1 || field->type == 5) {
        return take(rest, field->type == 1 ? 8 : 4, field, wrong);
    }
    *wrong = "a field of no known type";
    return false;
}

struct fields reference_fields_of(struct hp_span bytes) {
    struct fields fields = {.wrong = NULL};
    for (struct wire_field field;
         bytes.size > 0 && reference_field(&bytes, &field, &fields.wrong);) {
        hp_vec_push(&fields.of, field);
    }
    return fields;
}

uint64_t reference_number(const struct fields *message, uint64_t number) {
    uint64_t value = 0;
    for (size_t i = 0; i < message->of.count; i++) {
        const struct wire_field *field = &message->of.at[i];
        value = field->number == number ? field->value : value;
    }
    return value;
}

// Whether the first field is a sample that has a value, and otherwise only locations and
// labels.
static bool begins_with_sample(struct hp_span bytes) {
    const char *wrong = NULL;
    struct wire_field first;
    if (bytes.size == 0 || !reference_field(&bytes, &first, &wrong) ||
        first.number != 2 || first.type != 2) {
        return false;
    }
    struct fields sample = reference_fields_of(first.bytes);
    size_t values = 0, odd = sample.wrong != NULL;
    for (size_t i = 0; i < sample.of.count; i++) {
        const struct wire_field *field = &sample.of.at[i];
        struct hp_span rest = field->bytes;
        odd += field->number > 3 ||
               (field->type != 2 && (field->type != 0 || field->number == 3));
        values += field->number == 2 && (field->type == 0 || rest.size > 0);
        for (uint64_t number; field->number < 3 && field->type == 2 && rest.size > 0;) {
            odd += !reference_varint(&rest, &number, &wrong);
        }
    }
    hp_vec_done(&sample.of);
    return values > 0 && odd == 0;
}

// Whether all fields up to the first sample type are valid fields of a profile, or the
// message begins with a sample and all its fields are valid.
bool reference_is_pprof(struct hp_span bytes) {
    const char *wrong = NULL;
    bool has_samples = begins_with_sample(bytes);
    for (struct wire_field field;
         bytes.size > 0 && reference_field(&bytes, &field, &wrong);) {
        bool is_bytes = field.type == 2;
        bool is_type = field.number == 1 || field.number == 11;
        bool is_message = field.number <= 6 || field.number == 11 || field.number == 13;
        bool is_number = !is_message || field.number == 13;
        bool first = is_bytes && field.bytes.size >= 2 && field.bytes.size <= 32 &&
                     (field.bytes.at[0] == 8 || field.bytes.at[0] == 16);
        if (field.number > 15 ||
            !(is_bytes ? is_message : field.type == 0 && is_number) ||
            (is_type && !first)) {
            return false;
        }
        if (field.number == 1) {
            return true;
        }
    }
    return has_samples;
}
