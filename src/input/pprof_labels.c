// Label  1 key  2 str  3 num  4 num_unit
//
// All but `num` are numbers of strings.  One with `str` is a text, another a number.
#include "input/pprof_labels.h"

void hp_pprof_labels_done(struct hp_pprof_labels *labels) {
    hp_vec_done(&labels->tags);
    hp_vec_done(&labels->texts);
}

void hp_pprof_labels_begin(struct hp_pprof_labels *labels) {
    labels->has_size = false;
    labels->tags.count = 0;
}

// Once for each string, however many samples have it.
static hp_string keep(struct hp_pprof_labels *labels, uint64_t string) {
    while (labels->texts.count <= string) {
        hp_vec_push(&labels->texts, (hp_string){0});
    }
    hp_string *kept = &labels->texts.at[string];
    if (kept->n == 0) {
        *kept =
            hp_strtab_add(&labels->dump->strings, hp_pprof_text(labels->tables, string));
    }
    return *kept;
}

static void take(struct hp_pprof_labels *labels, uint64_t key, uint64_t text,
                 uint64_t number, uint64_t unit) {
    struct hp_tag tag = {.key = keep(labels, key), .text = keep(labels, text)};
    if (text == 0) {
        tag.is_number = true;
        tag.number = (int64_t)number;
        tag.unit = keep(labels, unit);
    }
    hp_vec_push(&labels->tags, tag);
}

void hp_pprof_labels_read(struct hp_pprof_labels *labels, struct hp_proto *label) {
    enum {
        KEY = 1,
        TEXT,
        NUMBER,
        UNIT,
        FIELDS
    };

    uint64_t of[FIELDS] = {0};
    for (struct hp_field field; hp_proto_next(label, &field);) {
        if (field.number < FIELDS) {
            of[field.number] = hp_field_number(label, &field);
        }
    }
    size_t strings = labels->tables->strings.count;
    if (of[KEY] >= strings || of[TEXT] >= strings || of[UNIT] >= strings) {
        hp_proto_fail(label, "a string that is not there");
    }
    if (label->wrong) {
        return;
    }
    labels->has_size |=
        of[NUMBER] > 0 && hp_span_is(hp_pprof_text(labels->tables, of[KEY]), "bytes");
    if (labels->are_kept) {
        take(labels, of[KEY], of[TEXT], of[NUMBER], of[UNIT]);
    }
}

hp_string hp_pprof_labels_end(struct hp_pprof_labels *labels) {
    return hp_tags_add(&labels->dump->tag_sets, labels->tags.at, labels->tags.count);
}
