// Properties of a whole pprof profile, besides its samples: comments, patterns of frames,
// units.
//
// When profiles are merged, all properties are kept, and equal texts only once: the order
// of the inputs does not matter.
#ifndef HP_INPUTS_ANNOTATIONS_H
#define HP_INPUTS_ANNOTATIONS_H

#include "base/strtab.h"

// Kinds of annotations.
enum hp_annotation_kind {
    HP_ANNOTATION_DROP_FRAMES,  // pattern of functions that should be removed from stacks
    HP_ANNOTATION_KEEP_FRAMES,  // pattern of exceptions from HP_ANNOTATION_DROP_FRAMES
    HP_ANNOTATION_DOC_URL,      // URL of a documentation page
    HP_ANNOTATION_DEFAULT_TYPE, // name of the sample type that is shown first
    HP_ANNOTATION_PERIOD_TYPE,  // type of the sample period, for example "space"
    HP_ANNOTATION_PERIOD_UNIT,  // unit of the sample period
    HP_ANNOTATION_COMMENT,      // a comment in free text
};

// One annotation.
struct hp_annotation {
    enum hp_annotation_kind kind;
    hp_string text; // never ""
    // Position among the comments of its profile; if several have it, the smallest.
    uint32_t place;
};

// Comments of our own pprof profiles that say what the addresses are: addresses of the
// ELF headers, except for the files that the second comment lists, which have offsets in
// the file.
#define HP_PPROF_ELF_ADDRESSES "addresses: ELF"
#define HP_PPROF_FILE_OFFSETS  "file offsets: "

// All annotations of a profile.  {0} is empty.
struct hp_annotations {
    HP_VEC(struct hp_annotation) all;
    struct hp_index index;
    uint64_t period; // the largest sample period, in the unit of its annotation
    // The earliest time of a profile, in nanoseconds since 1970; 0: unknown.
    uint64_t time;
    uint64_t duration; // sum of all durations, in nanoseconds; saturates at UINT64_MAX
};

// Free all annotations.
void hp_annotations_done(struct hp_annotations *annotations);

// Add an annotation; "" is ignored.  `place` is its position among the comments of its
// profile.  If the kind has the text already, it keeps the smaller position.
void hp_annotations_add(struct hp_annotations *annotations, enum hp_annotation_kind kind,
                        hp_string text, uint32_t place);

// Add all annotations of `other`.  Their texts are in `from`, and are copied to `to`.
void hp_annotations_import(struct hp_annotations *annotations, struct hp_strtab *to,
                           const struct hp_annotations *other,
                           const struct hp_strtab *from);

// Sort by kind, then by position among the comments (`place`), then by text.  Nothing may
// be added afterwards.
void hp_annotations_sort(struct hp_annotations *annotations,
                         const struct hp_strtab *strings);

// Return the number of annotations of one kind, and set `*first` to the first of them.
// They must have been sorted.  `*first` is unchanged if there are none.
size_t hp_annotations_of(const struct hp_annotations *annotations,
                         enum hp_annotation_kind kind,
                         const struct hp_annotation **first);

#endif
