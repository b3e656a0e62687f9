// A DIE is below the last of its parent's siblings that starts before it, so only
// subtrees that hold one of the wanted offsets are entered.
#include "sym/parents.h"

#include <dwarf.h>
#include <stdio.h>
#include <string.h>

enum {
    MOST_DEPTH = 200,
    MOST_PATH = 8192,
    STEPS_PER_NAME = 1 << 20
};

// The scopes from the unit down to where the walk is: "a::b::".
struct path {
    char text[MOST_PATH];
    size_t size;
    int depth;
};

// The wants [at, end) of one unit.
struct round {
    struct hp_parents *parents;
    struct hp_want *at, *end;
    struct path path;
};

void hp_parents_done(struct hp_parents *parents) {
    hp_vec_done(&parents->wants);
}

void hp_parents_want(struct hp_parents *parents, Dwarf_Die *die, hp_string *name) {
    struct hp_want want = {die->cu, dwarf_dieoffset(die), *die, name};
    hp_vec_push(&parents->wants, want);
}

static int compare(const void *a, const void *b) {
    const struct hp_want *x = a, *y = b;
    if (x->unit != y->unit) {
        return (uintptr_t)x->unit < (uintptr_t)y->unit ? -1 : 1;
    }
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

// A class without a name that has an operator() was written as a lambda.
static const char *unnamed(const struct round *round) {
    const char *member = hp_strtab_text(round->parents->strings, *round->at->name);
    bool lambda = strncmp(member, "operator()", 10) == 0 || strcmp(member, "_FUN") == 0;
    return lambda ? "{lambda}" : "{unnamed type}";
}

static const char *scope_name(const struct round *round, Dwarf_Die *die) {
    const char *name = dwarf_diename(die);
    switch (dwarf_tag(die)) {
    case DW_TAG_namespace:
        return name ? name : "(anonymous namespace)";
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
        return name ? name : unnamed(round);
    case DW_TAG_enumeration_type:
    case DW_TAG_interface_type:
    case DW_TAG_module:
    case DW_TAG_subprogram:
        return name;
    default:
        return NULL; // a block
    }
}

static void prefix(struct round *round, hp_string *name) {
    char whole[2 * MOST_PATH];
    struct hp_strtab *strings = round->parents->strings;
    int size = snprintf(whole, sizeof whole, "%.*s%s", (int)round->path.size,
                        round->path.text, hp_strtab_text(strings, *name));
    if (size > 0 && (size_t)size < sizeof whole) {
        *name = hp_strtab_add(strings, (struct hp_span){whole, (size_t)size});
    }
}

static void descend(struct round *round, Dwarf_Die *die, Dwarf_Off end);

static void enter(struct round *round, Dwarf_Die *die, Dwarf_Off end) {
    struct path *path = &round->path;
    size_t size = path->size;
    const char *name = scope_name(round, die);
    if (name && strlen(name) + 2 < sizeof path->text - size) {
        int added = snprintf(path->text + size, sizeof path->text - size, "%s::", name);
        path->size += (size_t)added;
    }
    path->depth++;
    descend(round, die, end);
    path->depth--;
    path->size = size;
}

// Never below zero: the walks within walks all count on it.
static bool spend(struct hp_parents *parents) {
    return parents->budget > 0 && parents->budget-- > 0;
}

// `end` is where the DIE after this one's subtree starts.
static void descend(struct round *round, Dwarf_Die *die, Dwarf_Off end) {
    Dwarf_Die child, next;
    bool more = round->path.depth < MOST_DEPTH && dwarf_child(die, &child) == 0;
    while (more && round->at < round->end && spend(round->parents)) {
        more = dwarf_siblingof(&child, &next) == 0;
        Dwarf_Off here = dwarf_dieoffset(&child);
        Dwarf_Off after = more ? dwarf_dieoffset(&next) : end;
        while (round->at < round->end && round->at->offset <= here) {
            if (round->at->offset == here) {
                prefix(round, round->at->name);
            }
            round->at++;
        }
        if (round->at < round->end && round->at->offset < after) {
            enter(round, &child, after);
        }
        child = next;
    }
}

static void find_in_unit(struct hp_parents *parents, size_t first, size_t last) {
    struct round round = {.parents = parents,
                          .at = parents->wants.at + first,
                          .end = parents->wants.at + last};
    Dwarf_Die unit;
    parents->budget = (last - first) * STEPS_PER_NAME;
    if (dwarf_diecu(&round.at->die, &unit, NULL, NULL)) {
        descend(&round, &unit, UINT64_MAX);
    }
}

void hp_parents_find(struct hp_parents *parents) {
    struct hp_want *wants = parents->wants.at;
    size_t count = parents->wants.count;
    if (count) {
        qsort(wants, count, sizeof *wants, compare);
    }
    for (size_t first = 0, last; first < count; first = last) {
        last = first + 1;
        while (last < count && wants[last].unit == wants[first].unit) {
            last++;
        }
        find_in_unit(parents, first, last);
    }
}
