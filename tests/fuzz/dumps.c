#include "dumps.h"

#include <string.h>

static bool equal_counts(const struct hp_counts *a, const struct hp_counts *b) {
    return a->inuse.objects == b->inuse.objects && a->inuse.bytes == b->inuse.bytes &&
           a->alloc.objects == b->alloc.objects && a->alloc.bytes == b->alloc.bytes;
}

static bool equal_flaws(struct hp_flaw a, struct hp_flaw b) {
    return a.line == b.line && !a.what == !b.what &&
           (!a.what || strcmp(a.what, b.what) == 0);
}

static bool equal_heads(const struct hp_dump *a, const struct hp_dump *b) {
    return a->producer == b->producer && a->kind == b->kind &&
           a->mixes_sizes == b->mixes_sizes && a->lacks_objects == b->lacks_objects &&
           a->is_first_version == b->is_first_version && a->period == b->period &&
           equal_counts(&a->header, &b->header) &&
           a->header_threads == b->header_threads && a->has_rows == b->has_rows &&
           a->bytes == b->bytes;
}

static bool equal_faults(const struct hp_dump *a, const struct hp_dump *b) {
    return equal_flaws(a->damage, b->damage) &&
           equal_flaws(a->first_malformed, b->first_malformed) &&
           a->malformed == b->malformed && a->unknown == b->unknown &&
           a->wrapped == b->wrapped && a->overlaps == b->overlaps;
}

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
            x->executable != y->executable || x->deleted != y->deleted ||
            !hp_span_equal(x->path, y->path) ||
            !hp_span_equal(x->build_id, y->build_id)) {
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

static bool equal_calls(const struct hp_dump *a, const struct hp_told_address *x,
                        const struct hp_dump *b, const struct hp_told_address *y) {
    if (x->address != y->address || x->calls != y->calls) {
        return false;
    }
    for (uint32_t i = 0; i < x->calls; i++) {
        const struct hp_told_call *s = &a->told_calls.at[x->first_call + i];
        const struct hp_told_call *t = &b->told_calls.at[y->first_call + i];
        if (s->line != t->line ||
            !hp_span_equal(hp_strtab_span(&a->strings, s->function),
                           hp_strtab_span(&b->strings, t->function)) ||
            !hp_span_equal(hp_strtab_span(&a->strings, s->file),
                           hp_strtab_span(&b->strings, t->file))) {
            return false;
        }
    }
    return true;
}

static bool equal_names(const struct hp_dump *a, const struct hp_dump *b) {
    if (a->told.count != b->told.count) {
        return false;
    }
    for (size_t i = 0; i < a->told.count; i++) {
        if (!equal_calls(a, &a->told.at[i], b, &b->told.at[i])) {
            return false;
        }
    }
    return true;
}

const char *dumps_difference(const struct hp_dump *a, const struct hp_dump *b) {
    const char *stacks = stacks_difference(a, b);
    return !equal_heads(a, b)    ? "what the header says"
           : stacks              ? stacks
           : !equal_maps(a, b)   ? "the memory map"
           : !equal_rows(a, b)   ? "the mappings of addresses"
           : !equal_names(a, b)  ? "the names"
           : !equal_faults(a, b) ? "what is wrong with it"
                                 : NULL;
}

// --- what no dump may say -----------------------------------------------------------------

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
    for (size_t i = 0; i < dump->told.count; i++) {
        const struct hp_told_address *told = &dump->told.at[i];
        if (!is_inside(told->first_call, told->calls, dump->told_calls.count) ||
            (i > 0 && told->address <= told[-1].address) ||
            (dump->has_rows && told->address >= dump->addresses.count)) {
            return false;
        }
    }
    return true;
}

const char *dumps_flaw(const struct hp_dump *dump) {
    return !has_sound_stacks(dump)  ? "a stack of what is not there"
           : !has_sound_maps(dump)  ? "a map out of order"
           : !has_sound_names(dump) ? "names out of order"
                                    : NULL;
}
