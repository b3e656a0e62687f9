#include "view/stack_labels.h"

#include "view/groups.h"

#include <stdlib.h>
#include <string.h>

// Stacks of the old profile that are being copied to the new one.
struct copier {
    const struct hp_profile *from;
    struct hp_profile *to;
    const char *key;
    struct hp_strtab roots;   // names of outermost frames; a number is that of a frame
    hp_string *of_set;        // by set of labels: the name for its samples; 0: none
    uint32_t *copy;           // by stack: number of its copy for the current name, + 1
    HP_VEC(uint32_t) current; // stacks whose copies are for the name of an input
    HP_VEC(hp_frame_id) path; // scratch memory
    HP_VEC(char) text;        // scratch memory
};

bool hp_stacks_are_by_label(const struct hp_view *view) {
    return view->options.kind == HP_REPORT_STACKS && view->options.by == HP_BY_LABEL &&
           view->use.shape == HP_SHAPE_ROWS;
}

// Return the name of the outermost frame for a value of the label.
static hp_string root_of(struct copier *copier, struct hp_span value, bool is_value) {
    copier->text.count = 0;
    if (is_value) {
        hp_vec_append(&copier->text, copier->key, strlen(copier->key));
        hp_vec_append(&copier->text, "=", 1);
    }
    hp_vec_append(&copier->text, value.at, value.size);
    return hp_strtab_add(&copier->roots,
                         (struct hp_span){copier->text.at, copier->text.count});
}

// Add a copy of a stack below an outermost frame, without values.  Returns its number.
static uint32_t add_copy(struct copier *copier, uint32_t number, hp_string root) {
    const struct hp_stack *stack = &copier->from->stacks.at[number];
    hp_frame_id frame = {(uint32_t)copier->from->frames.count + root.n};
    copier->path.count = 0;
    hp_vec_append(&copier->path, stack->frames, stack->depth);
    hp_vec_push(&copier->path, frame);
    size_t size = copier->path.count * sizeof *copier->path.at;
    hp_frame_id *frames =
        hp_arena_alloc(&copier->to->memory.arena, size, alignof(hp_frame_id));
    memcpy(frames, copier->path.at, size);
    struct hp_stack copy = {.frames = frames, .depth = stack->depth + 1};
    hp_vec_push(&copier->to->stacks, copy);
    for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
        if (copier->from->errors.stacks[i].of.count > 0) {
            static const struct hp_error none;
            hp_stack_errors_push(&copier->to->errors.stacks[i], &none);
        }
    }
    return (uint32_t)copier->to->stacks.count - 1;
}

// Add values to the copy of a stack below an outermost frame; it is made if it is new.
static void add(struct copier *copier, const struct hp_observation *seen,
                hp_string of_input) {
    hp_string own = copier->of_set[hp_profile_tags(copier->from, seen->stack).n];
    uint32_t *copy = &copier->copy[seen->stack];
    if (*copy == 0) {
        *copy = add_copy(copier, seen->stack, own.n ? own : of_input) + 1;
        if (own.n == 0) {
            hp_vec_push(&copier->current, seen->stack);
        }
    }
    hp_values_add(&copier->to->stacks.at[*copy - 1].values, &seen->values);
    for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
        if (copier->to->errors.stacks[i].of.count > 0) {
            copier->to->overflow |= !hp_stack_errors_add(&copier->to->errors.stacks[i],
                                                         *copy - 1, &seen->errors[i]);
        }
    }
}

// Name the values that sets of labels of samples have.
static void name_sets(struct copier *copier, const struct hp_report_options *options) {
    const struct hp_profile *from = copier->from;
    size_t sets = from->tags.sets.strings.count;
    struct hp_group_name name = {0};
    copier->of_set = hp_alloc((sets + 1) * sizeof *copier->of_set);
    for (uint32_t set = 1; set < sets; set++) {
        hp_group_of_set(&name, from, (hp_string){set}, options);
        struct hp_span text = {name.text.at, name.text.count};
        copier->of_set[set] =
            text.size > 0 ? root_of(copier, text, true) : (hp_string){0};
    }
    hp_vec_done(&name.text);
}

// Copy each stack once, with its sum over all inputs: only samples have labels.
static void copy_all(struct copier *copier) {
    const struct hp_profile *from = copier->from;
    hp_string none = root_of(copier, hp_group_of_none(HP_BY_LABEL), false);
    for (uint32_t i = 0; i < from->stacks.count; i++) {
        struct hp_observation sum = {.stack = i, .values = from->stacks.at[i].values};
        for (enum hp_column k = 0; k < HP_COLUMNS; k++) {
            if (from->errors.stacks[k].of.count > 0) {
                sum.errors[k] = *hp_stack_error(&from->errors.stacks[k], i);
            }
        }
        add(copier, &sum, none);
    }
}

// Copy the stacks of each input, those of inputs with one value together.
static void copy_inputs(struct copier *copier, const struct hp_view *view) {
    struct hp_span none = hp_group_of_none(HP_BY_LABEL);
    struct hp_history_reader reader = {0};
    struct hp_observation seen;
    size_t count;
    struct hp_group_member *members = hp_group_members(view, &count);
    for (size_t i = 0; i < count; i++) {
        bool is_value = members[i].name.at != none.at;
        hp_string root = root_of(copier, members[i].name, is_value);
        if (i > 0 && hp_span_compare(members[i - 1].name, members[i].name) != 0) {
            const uint32_t *stack;
            hp_vec_each (stack, &copier->current) {
                copier->copy[*stack] = 0;
            }
            copier->current.count = 0;
        }
        hp_history_open(&reader, &copier->from->history, members[i].input->number);
        while (hp_history_next(&reader, &seen)) {
            add(copier, &seen, root);
        }
    }
    hp_history_done_reading(&reader);
    free(members);
}

// Add the outermost frames, with their names.
static void add_frames(struct copier *copier) {
    struct hp_profile *to = copier->to;
    for (uint32_t i = 0; i < copier->roots.strings.count; i++) {
        struct hp_span name = hp_strtab_span(&copier->roots, (hp_string){i});
        struct hp_line line = {.function = hp_strtab_add(&to->strings, name)};
        struct hp_frame frame = {.address = (uint64_t)1 << 63 | i,
                                 .first_line = (uint32_t)to->lines.count,
                                 .lines = 1};
        line.linkage = line.function;
        hp_vec_push(&to->frames, frame);
        hp_vec_push(&to->lines, line);
    }
}

// Make a copy of a profile that has no stacks and owns its strings, frames, and lines.
static struct hp_profile *borrow(const struct hp_profile *from) {
    struct hp_profile *to = hp_alloc(sizeof *to);
    *to = *from;
    hp_strtab_copy(&to->strings, &from->strings);
    memset(&to->frames, 0, sizeof to->frames);
    memset(&to->lines, 0, sizeof to->lines);
    memset(&to->stacks, 0, sizeof to->stacks);
    memset(&to->memory, 0, sizeof to->memory);
    memset(to->errors.stacks, 0, sizeof to->errors.stacks);
    memset(&to->tags.of_stacks, 0, sizeof to->tags.of_stacks);
    memset(to->ages, 0, sizeof to->ages);
    hp_vec_append(&to->frames, from->frames.at, from->frames.count);
    hp_vec_append(&to->lines, from->lines.at, from->lines.count);
    return to;
}

struct hp_profile *hp_labelled_profile_new(const struct hp_view *view) {
    const struct hp_profile *from = view->profile;
    struct copier copier = {.from = from,
                            .to = borrow(from),
                            .key = view->options.label,
                            .copy =
                                hp_alloc((from->stacks.count + 1) * sizeof *copier.copy)};
    name_sets(&copier, &view->options);
    if (hp_groups_are_of_samples(from, &view->options)) {
        copy_all(&copier); // stacks keep their numbers
    } else {
        memset(copier.to->sizes, 0, sizeof copier.to->sizes);
        copy_inputs(&copier, view);
    }
    add_frames(&copier);
    hp_strtab_done(&copier.roots);
    free(copier.of_set);
    free(copier.copy);
    hp_vec_done(&copier.current);
    hp_vec_done(&copier.path);
    hp_vec_done(&copier.text);
    return copier.to;
}

void hp_labelled_profile_free(struct hp_profile *labelled) {
    if (labelled) {
        hp_strtab_done(&labelled->strings);
        hp_vec_done(&labelled->frames);
        hp_vec_done(&labelled->lines);
        hp_vec_done(&labelled->stacks);
        hp_arena_done(&labelled->memory.arena);
        for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
            hp_stack_errors_done(&labelled->errors.stacks[i]);
        }
        free(labelled);
    }
}
