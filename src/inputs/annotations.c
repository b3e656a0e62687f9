#include "inputs/annotations.h"

#include <stdlib.h>

void hp_annotations_done(struct hp_annotations *annotations) {
    hp_vec_done(&annotations->all);
    hp_index_drop(&annotations->index);
}

void hp_annotations_add(struct hp_annotations *annotations, enum hp_annotation_kind kind,
                        hp_string text, uint32_t place) {
    struct hp_annotation added = {kind, text, place};
    size_t key_size = offsetof(struct hp_annotation, place); // the key is (kind, text)
    if (text.n == 0) {
        return;
    }
    uint32_t number =
        hp_index_of(&annotations->index, &annotations->all, &added, key_size);
    if (number == annotations->all.count) {
        hp_vec_push(&annotations->all, added);
    }
    uint32_t *least = &annotations->all.at[number].place;
    *least = place < *least ? place : *least;
}

void hp_annotations_import(struct hp_annotations *annotations, struct hp_strtab *to,
                           const struct hp_annotations *other,
                           const struct hp_strtab *from) {
    const struct hp_annotation *annotation;
    hp_vec_each (annotation, &other->all) {
        hp_string text = hp_strtab_add(to, hp_strtab_span(from, annotation->text));
        hp_annotations_add(annotations, annotation->kind, text, annotation->place);
    }
    bool is_first =
        other->time > 0 && (annotations->time == 0 || other->time < annotations->time);
    annotations->time = is_first ? other->time : annotations->time;
    annotations->period =
        other->period > annotations->period ? other->period : annotations->period;
    if (__builtin_add_overflow(annotations->duration, other->duration,
                               &annotations->duration)) {
        annotations->duration = UINT64_MAX;
    }
}

// Order annotations by kind, then by position among the comments, then by text; `strings`
// is the table of the texts.
static int in_order(const void *left, const void *right, void *strings) {
    const struct hp_annotation *a = left, *b = right;
    int order = (a->kind > b->kind) - (a->kind < b->kind);
    order = order ? order : (a->place > b->place) - (a->place < b->place);
    return order ? order
                 : hp_span_compare(hp_strtab_span(strings, a->text),
                                   hp_strtab_span(strings, b->text));
}

void hp_annotations_sort(struct hp_annotations *annotations,
                         const struct hp_strtab *strings) {
    hp_index_drop(&annotations->index);
    hp_vec_sort_r(&annotations->all, in_order, (void *)(uintptr_t)strings);
}

size_t hp_annotations_of(const struct hp_annotations *annotations,
                         enum hp_annotation_kind kind,
                         const struct hp_annotation **first) {
    size_t count = 0;
    const struct hp_annotation *annotation;
    hp_vec_each (annotation, &annotations->all) {
        if (annotation->kind == kind && count++ == 0) {
            *first = annotation;
        }
    }
    return count;
}
