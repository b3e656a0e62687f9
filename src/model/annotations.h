// What pprof profiles say beside their samples.
//
// Of several inputs all of it is kept, equal texts once: so the order of inputs does not matter.
#ifndef HP_MODEL_ANNOTATIONS_H
#define HP_MODEL_ANNOTATIONS_H

#include "base/strtab.h"

enum hp_annotation_kind {
    HP_ANNOTATION_DROP_FRAMES, // patterns of functions that stacks are better off without
    HP_ANNOTATION_KEEP_FRAMES, // and of exceptions from these
    HP_ANNOTATION_DOC_URL,
    HP_ANNOTATION_DEFAULT_TYPE, // the sample type that is shown first
    HP_ANNOTATION_PERIOD_TYPE,  // what the period is of
    HP_ANNOTATION_PERIOD_UNIT,  // and its unit
    HP_ANNOTATION_COMMENT,
};

struct hp_annotation {
    enum hp_annotation_kind kind;
    hp_string text; // not ""
    uint32_t place; // among the comments of its profile; of several the least
};

// Comments of our own pprof profiles that say what addresses are: those of the ELF headers, but offsets in the file
// for the files that the second names.
#define HP_PPROF_ELF_ADDRESSES "addresses: ELF"
#define HP_PPROF_FILE_OFFSETS  "file offsets: "

// {0} is empty.
struct hp_annotations {
    HP_VEC(struct hp_annotation) all;
    struct hp_index index;
    uint64_t period;   // in units of its type, the largest
    uint64_t time;     // nanoseconds since 1970, the first; 0: not told
    uint64_t duration; // nanoseconds, of all together
};

void hp_annotations_done(struct hp_annotations *annotations);

void hp_annotations_add(struct hp_annotations *annotations, enum hp_annotation_kind kind,
                        hp_string text, uint32_t place);

// Add those of `other`, whose texts are in `from`, as texts of `to`.
void hp_annotations_import(struct hp_annotations *annotations, struct hp_strtab *to,
                           const struct hp_annotations *other,
                           const struct hp_strtab *from);

// By kind, place and text.
void hp_annotations_sort(struct hp_annotations *annotations,
                         const struct hp_strtab *strings);

// The texts of one kind, once they are sorted: the first, and how many there are.
size_t hp_annotations_of(const struct hp_annotations *annotations,
                         enum hp_annotation_kind kind,
                         const struct hp_annotation **first);

#endif
