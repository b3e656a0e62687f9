#include "dumps.h"

#include <string.h>

static bool equal_counts(const struct hp_counts *a, const struct hp_counts *b) {
    return a->inuse.objects == b->inuse.objects && a->inuse.bytes == b->inuse.bytes &&
           a->alloc.objects == b->alloc.objects && a->alloc.bytes == b->alloc.bytes;
}

static bool equal_diagnostic(struct hp_diagnostic a, struct hp_diagnostic b) {
    return a.line == b.line && !a.what == !b.what &&
           (!a.what || strcmp(a.what, b.what) == 0);
}

static bool equal_counted(struct hp_diagnostic_count a, struct hp_diagnostic_count b) {
    return a.count == b.count && a.line == b.line;
}

static bool equal_heads(const struct hp_dump *a, const struct hp_dump *b) {
    return a->producer == b->producer && a->scaling == b->scaling &&
           a->missing_metrics == b->missing_metrics &&
           a->is_first_version == b->is_first_version && a->period == b->period &&
           a->has_totals == b->has_totals && equal_counts(&a->header, &b->header) &&
           a->header_line == b->header_line && a->header_threads == b->header_threads &&
           a->has_rows == b->has_rows && a->bytes == b->bytes && a->lines == b->lines &&
           a->slabs.bytes == b->slabs.bytes && a->slabs.used == b->slabs.used;
}

static bool equal_texts(const struct hp_dump *a, hp_string x, const struct hp_dump *b,
                        hp_string y) {
    return hp_span_equal(hp_strtab_span(&a->strings, x), hp_strtab_span(&b->strings, y));
}

static bool equal_threads(const struct hp_dump *a, const struct hp_dump *b) {
    bool is_equal = a->threads.count == b->threads.count;
    for (size_t i = 0; is_equal && i < a->threads.count; i++) {
        is_equal = a->threads.at[i].number == b->threads.at[i].number &&
                   equal_texts(a, a->threads.at[i].name, b, b->threads.at[i].name);
    }
    return is_equal;
}

static bool equal_diagnostics(const struct hp_dump *a, const struct hp_dump *b) {
    return equal_diagnostic(a->damage, b->damage) &&
           strcmp(a->producer_warning, b->producer_warning) == 0 &&
           a->producer_warning_line == b->producer_warning_line &&
           equal_diagnostic((struct hp_diagnostic){a->expected, a->malformed.line},
                            (struct hp_diagnostic){b->expected, b->malformed.line}) &&
           equal_counted(a->malformed, b->malformed) &&
           equal_counted(a->unknown, b->unknown) &&
           equal_counted(a->wrapped, b->wrapped) &&
           equal_counted(a->overlaps, b->overlaps) && a->negative == b->negative;
}

// Whether two stacks have the same counts of each thread.
static bool equal_lines(const struct hp_dump *a, const struct hp_dump_stack *x,
                        const struct hp_dump *b, const struct hp_dump_stack *y) {
    for (uint32_t i = 0; i < x->lines; i++) {
        const struct hp_thread_line *s = &a->thread_lines.at[x->first_line + i];
        const struct hp_thread_line *t = &b->thread_lines.at[y->first_line + i];
        if (s->thread != t->thread || !equal_counts(&s->counts, &t->counts)) {
            return false;
        }
    }
    return true;
}

// Whether two stacks have the same addresses.  In a pprof profile, which has `rows`, the
// numbers of the addresses must be the same, too.
static bool equal_frames(const struct hp_dump *a, const struct hp_dump_stack *x,
                         const struct hp_dump *b, const struct hp_dump_stack *y) {
    for (uint32_t i = 0; i < x->depth; i++) {
        uint32_t s = a->frames.at[x->first_frame + i];
        uint32_t t = b->frames.at[y->first_frame + i];
        if (a->addresses.at[s] != b->addresses.at[t] || (a->has_rows && s != t)) {
            return false;
        }
    }
    return true;
}

static bool equal_tags(const struct hp_dump *a, struct hp_tag x, const struct hp_dump *b,
                       struct hp_tag y) {
    return x.is_number == y.is_number && x.number == y.number &&
           equal_texts(a, x.key, b, y.key) && equal_texts(a, x.text, b, y.text) &&
           equal_texts(a, x.unit, b, y.unit);
}

// Whether each label of `set` of dump `a` is also in `other` of dump `b`, in any order.
static bool has_tags(const struct hp_dump *a, hp_string set, const struct hp_dump *b,
                     hp_string other) {
    for (size_t i = 0; i < hp_tags_count(&a->tag_sets, set); i++) {
        bool found = false;
        for (size_t k = 0; k < hp_tags_count(&b->tag_sets, other) && !found; k++) {
            found = equal_tags(a, hp_tags_at(&a->tag_sets, set, i), b,
                               hp_tags_at(&b->tag_sets, other, k));
        }
        if (!found) {
            return false;
        }
    }
    return true;
}

// Whether stack `i` has the same listed objects, object size and labels in both dumps.
static bool equal_extras(const struct hp_dump *a, const struct hp_dump *b, size_t i) {
    struct hp_stack_extra x = hp_dump_extra(a, i), y = hp_dump_extra(b, i);
    bool is_equal =
        x.listed == y.listed && x.object_size == y.object_size &&
        has_tags(a, x.tags, b, y.tags) && has_tags(b, y.tags, a, x.tags) &&
        hp_tags_count(&a->tag_sets, x.tags) == hp_tags_count(&b->tag_sets, y.tags);
    for (uint32_t k = 0; is_equal && k < x.listed; k++) {
        const struct hp_listed *s = &a->listed.at[x.first_listed + k];
        const struct hp_listed *t = &b->listed.at[y.first_listed + k];
        is_equal = s->size == t->size && s->thread == t->thread;
    }
    return is_equal;
}

static bool equal_types(const struct hp_dump *a, const struct hp_dump *b) {
    bool is_equal = a->types.count == b->types.count;
    for (size_t i = 0; is_equal && i < a->types.count; i++) {
        const struct hp_dump_type *x = &a->types.at[i], *y = &b->types.at[i];
        is_equal = equal_texts(a, x->type, b, y->type) &&
                   equal_texts(a, x->unit, b, y->unit) && x->is_space == y->is_space;
    }
    return is_equal;
}

// Whether stack `i` has the same further values in both dumps, whose sample types must be
// equal.
static bool equal_values(const struct hp_dump *a, const struct hp_dump *b, size_t i) {
    const int64_t *x = hp_dump_values(a, i), *y = hp_dump_values(b, i);
    return !x == !y && (!x || memcmp(x, y, a->types.count * sizeof *x) == 0);
}

static bool equal_annotations(const struct hp_dump *a, const struct hp_dump *b) {
    const struct hp_annotations *x = &a->annotations, *y = &b->annotations;
    bool is_equal = x->all.count == y->all.count && x->period == y->period &&
                    x->time == y->time && x->duration == y->duration;
    for (size_t i = 0; is_equal && i < x->all.count; i++) {
        const struct hp_annotation *s = &x->all.at[i], *t = &y->all.at[i];
        is_equal = s->kind == t->kind && s->place == t->place &&
                   equal_texts(a, s->text, b, t->text);
    }
    return is_equal;
}

static const char *stacks_difference(const struct hp_dump *a, const struct hp_dump *b) {
    if (a->stacks.count != b->stacks.count) {
        return "the number of stacks";
    }
    for (size_t i = 0; i < a->stacks.count; i++) {
        const struct hp_dump_stack *x = &a->stacks.at[i], *y = &b->stacks.at[i];
        if (!equal_counts(&x->counts, &y->counts)) {
            return "the counts of a stack";
        }
        if (x->depth != y->depth || !equal_frames(a, x, b, y)) {
            return "the frames of a stack";
        }
        if (x->lines != y->lines || !equal_lines(a, x, b, y)) {
            return "the threads of a stack";
        }
        if (!equal_extras(a, b, i)) {
            return "the objects or labels of a stack";
        }
        if (!equal_values(a, b, i)) {
            return "the further values of a stack";
        }
    }
    return NULL;
}

static bool equal_maps(const struct hp_dump *a, const struct hp_dump *b) {
    if (a->mappings.count != b->mappings.count) {
        return false;
    }
    for (size_t i = 0; i < a->mappings.count; i++) {
        const struct hp_mapping *x = &a->mappings.at[i], *y = &b->mappings.at[i];
        if (x->start != y->start || x->end != y->end || x->offset != y->offset ||
            x->executable != y->executable || x->reserved != y->reserved ||
            x->deleted != y->deleted || x->resolved != y->resolved ||
            !hp_span_equal(x->path, y->path) ||
            !hp_span_equal(hp_strtab_span(&a->strings, x->build_id),
                           hp_strtab_span(&b->strings, y->build_id)) ||
            hp_file_id_compare(x->file, y->file) != 0) {
            return false;
        }
    }
    return true;
}

static bool equal_rows(const struct hp_dump *a, const struct hp_dump *b) {
    return a->rows.count == b->rows.count &&
           (a->rows.count == 0 ||
            memcmp(a->rows.at, b->rows.at, a->rows.count * sizeof *a->rows.at) == 0);
}

static bool equal_calls(const struct hp_dump *a, const struct hp_embedded_address *x,
                        const struct hp_dump *b, const struct hp_embedded_address *y) {
    if (x->address != y->address || x->calls != y->calls) {
        return false;
    }
    for (uint32_t i = 0; i < x->calls; i++) {
        const struct hp_embedded_call *s = &a->embedded_calls.at[x->first_call + i];
        const struct hp_embedded_call *t = &b->embedded_calls.at[y->first_call + i];
        if (s->line != t->line || s->start_line != t->start_line ||
            s->column != t->column || !equal_texts(a, s->function, b, t->function) ||
            !equal_texts(a, s->linkage, b, t->linkage) ||
            !equal_texts(a, s->file, b, t->file)) {
            return false;
        }
    }
    return true;
}

static bool equal_names(const struct hp_dump *a, const struct hp_dump *b) {
    if (a->embedded.count != b->embedded.count) {
        return false;
    }
    for (size_t i = 0; i < a->embedded.count; i++) {
        if (!equal_calls(a, &a->embedded.at[i], b, &b->embedded.at[i])) {
            return false;
        }
    }
    return true;
}

const char *dumps_difference(const struct hp_dump *a, const struct hp_dump *b) {
    const char *types = equal_types(a, b) ? NULL : "the further sample types";
    const char *stacks = types ? types : stacks_difference(a, b);
    return !equal_heads(a, b)         ? "what the header says"
           : !equal_annotations(a, b) ? "what is beside the samples"
           : !equal_threads(a, b)     ? "the names of threads"
           : stacks                   ? stacks
           : !equal_maps(a, b)        ? "the memory map"
           : !equal_rows(a, b)        ? "the mappings of addresses"
           : !equal_names(a, b)       ? "the names"
           : !equal_diagnostics(a, b) ? "what is wrong with it"
                                      : NULL;
}

// --- invariants of a dump -----------------------------------------------------------------

// Whether `count` entries from `first` on are within a table of `all` entries.
static bool is_inside(size_t first, size_t count, size_t all) {
    return first <= all && count <= all - first;
}

static bool has_sound_stacks(const struct hp_dump *dump) {
    const struct hp_dump_stack *stack;
    hp_vec_each (stack, &dump->stacks) {
        if (!is_inside(stack->first_frame, stack->depth, dump->frames.count) ||
            !is_inside(stack->first_line, stack->lines, dump->thread_lines.count)) {
            return false;
        }
        for (uint32_t i = 0; i < stack->depth; i++) {
            if (dump->frames.at[stack->first_frame + i] >= dump->addresses.count) {
                return false;
            }
        }
    }
    return true;
}

static bool has_sound_extras(const struct hp_dump *dump) {
    for (size_t i = 0; i < dump->extras.count; i++) {
        const struct hp_stack_extra *extra = &dump->extras.at[i];
        if (i >= dump->stacks.count ||
            !is_inside(extra->first_listed, extra->listed, dump->listed.count) ||
            extra->values_end > dump->values.count ||
            (extra->values_end > 0 && extra->values_end < dump->types.count)) {
            return false;
        }
    }
    return true;
}

static bool has_sound_maps(const struct hp_dump *dump) {
    for (size_t i = 0; i < dump->mappings.count && !dump->has_rows; i++) {
        const struct hp_mapping *row = &dump->mappings.at[i];
        if (row->start >= row->end || (i > 0 && row->start < row[-1].end)) {
            return false;
        }
    }
    for (size_t i = 0; i < dump->rows.count; i++) {
        if (dump->rows.at[i] > dump->mappings.count) {
            return false;
        }
    }
    return !dump->has_rows || dump->rows.count == dump->addresses.count;
}

static bool has_sound_names(const struct hp_dump *dump) {
    for (size_t i = 0; i < dump->embedded.count; i++) {
        const struct hp_embedded_address *found = &dump->embedded.at[i];
        if (!is_inside(found->first_call, found->calls, dump->embedded_calls.count) ||
            (i > 0 && found->address <= found[-1].address) ||
            (dump->has_rows && found->address >= dump->addresses.count)) {
            return false;
        }
    }
    return true;
}

const char *dumps_flaw(const struct hp_dump *dump) {
    return !has_sound_stacks(dump)   ? "a stack of what is not there"
           : !has_sound_extras(dump) ? "labels or objects of what is not there"
           : !has_sound_maps(dump)   ? "a map out of order"
           : !has_sound_names(dump)  ? "names out of order"
                                     : NULL;
}
