#include "view/open_code.h"

#include "view/visible_frames.h"

#include <stdlib.h>
#include <string.h>

// If rows are compared over some dumps only: fewest dumps of each side.
static const size_t least_dumps = 3;

enum {
    KINDS = HP_OPEN_MOVED + 1,
};

// --- modules ------------------------------------------------------------------------------

// Whether the names of a module are available: its file was read and is the one that ran,
// as far as that can be determined, or a partial has the names.
static bool has_file(const struct hp_module *module) {
    bool is_read = module->status == HP_SYM_DWARF || module->status == HP_SYM_SYMTAB ||
                   module->status == HP_SYM_STRIPPED;
    return hp_proof_has_names(module->proof) ||
           (module->proof == HP_PROOF_NONE && module->recorded_build_id.n != 0 &&
            is_read);
}

// What the builds of one file, which are all modules with one path, have or lack.
struct path {
    uint32_t builds;        // number of different builds that have a file
    bool has_one_id;        // all inputs record one and the same build id
    bool is_numbered_alike; // all have ELF addresses, or all have offsets
    bool lacks_file;        // some build has no file, and frames without names
    bool lacks_names;       // some build has a file, and frames without names
};

// Find out what the modules with the path of `first` have or lack.  `nameless`: for each
// module, whether it has frames without symbols.
static struct path look_at_path(const struct hp_profile *profile, const bool *nameless,
                                const struct hp_module *first) {
    struct path found = {.has_one_id = first->recorded_build_id.n != 0,
                         .is_numbered_alike = true};
    HP_VEC(uint32_t) known = {0};
    for (size_t i = 0; i < profile->modules.count; i++) {
        const struct hp_module *module = &profile->modules.at[i];
        if (module->kind != HP_MODULE_FILE || module->path.n != first->path.n) {
            continue;
        }
        uint32_t build = module->proof == HP_PROOF_NONE      ? module->recorded_build_id.n
                         : module->proof == HP_PROOF_STAMPED ? module->stamp.n
                                                             : module->builds.n;
        bool is_known = !has_file(module);
        for (size_t k = 0; k < known.count; k++) {
            is_known |= known.at[k] == build;
        }
        if (!is_known) {
            hp_vec_push(&known, build);
        }
        found.has_one_id &= module->recorded_build_id.n == first->recorded_build_id.n;
        found.is_numbered_alike &= module->addresses == first->addresses;
        found.lacks_file |= nameless[i] && !has_file(module);
        found.lacks_names |= nameless[i] && has_file(module);
    }
    found.builds = (uint32_t)known.count;
    hp_vec_done(&known);
    return found;
}

// Add a module to the list.  When the list is full, the last one that is compared in the
// same way (by name or by address) represents it.
static void add_module(struct hp_open_code *open, enum hp_open_kind kind, hp_string path,
                       uint32_t builds) {
    struct hp_open_module module = {.kind = kind, .path = path, .builds = builds};
    bool is_by_name = kind == HP_OPEN_IN_SOME;
    for (uint32_t i = HP_OPEN_MODULES - 2; i < open->modules.count; i++) {
        struct hp_open_module *other = &open->modules.at[i];
        if ((other->kind == HP_OPEN_IN_SOME) == is_by_name) {
            other->further++;
            struct hp_further_module further = {path, other->kind, i};
            hp_vec_push(&open->further, further);
            return;
        }
    }
    hp_vec_push(&open->modules, module);
}

// List the modules whose functions may not be comparable, each with its enum
// hp_open_kind.
static void find_modules(struct hp_open_code *open, const struct hp_view *view,
                         bool has_same_processes) {
    const struct hp_profile *profile = view->profile;
    bool has_places = view->options.by == HP_BY_LINE || view->options.by == HP_BY_ADDRESS;
    bool *nameless = hp_alloc(profile->modules.count * sizeof *nameless);
    bool *seen = hp_alloc(profile->strings.strings.count * sizeof *seen);
    const struct hp_frame *frame;
    hp_vec_each (frame, &profile->frames) {
        nameless[frame->module.n] |= frame->lines == 0;
    }
    for (size_t i = 0; i < profile->modules.count; i++) {
        const struct hp_module *module = &profile->modules.at[i];
        if (module->kind != HP_MODULE_FILE || seen[module->path.n]) {
            continue;
        }
        seen[module->path.n] = true;
        struct path path = look_at_path(profile, nameless, module);
        bool is_one_build =
            (path.has_one_id || has_same_processes) && path.is_numbered_alike;
        bool may_have_moved =
            (path.builds > 1 && !has_same_processes) || !path.is_numbered_alike;
        if (path.lacks_file && path.builds > 0) {
            add_module(open, HP_OPEN_IN_SOME, module->path, path.builds);
        } else if (path.lacks_file && !is_one_build) {
            add_module(open, HP_OPEN_IN_ALL, module->path, 0);
        }
        if (may_have_moved && (has_places || path.lacks_names)) {
            enum hp_open_kind kind = has_places ? HP_OPEN_MOVED : HP_OPEN_STRIPPED;
            add_module(open, kind, module->path, path.builds);
        }
    }
    free(nameless);
    free(seen);
}

// Whether a list of inputs has one of the same process as `input`.
static bool is_among(const struct hp_profile *profile, const size_t *inputs, size_t count,
                     size_t input) {
    const struct hp_identity *identity = &profile->inputs.records.at[input].identity;
    for (size_t i = 0; i < count; i++) {
        if (hp_identity_is_same(&profile->inputs.records.at[inputs[i]].identity,
                                identity)) {
            return true;
        }
    }
    return false;
}

bool hp_sides_have_same_processes(const struct hp_profile *profile,
                                  const struct hp_sides *sides) {
    bool are = !sides->has_groups[0] && !sides->has_groups[1] && sides->base.count > 0;
    for (size_t i = 0; are && i < sides->base.count; i++) {
        are = is_among(profile, sides->new.at, sides->new.count, sides->base.at[i]);
    }
    for (size_t i = 0; are && i < sides->new.count; i++) {
        are = is_among(profile, sides->base.at, sides->base.count, sides->new.at[i]);
    }
    return are;
}

// --- frames ---------------------------------------------------------------------------------

// State while frames, stacks and dumps are searched for code that cannot be compared.
struct open_finder {
    struct hp_open_code *open;
    const struct hp_view *view;
    uint64_t *of_path[KINDS]; // for each module: set of listed modules with its path
    uint64_t *dumps_with[2];  // for each node: number of dumps of a side that have it
    uint64_t *last_input;     // for each node: last input counted there, + 1; 0: none
};

// Fill of_path: for each module of the profile, the set of the listed modules with its
// path, or of those that represent it.
static void find_paths(struct open_finder *finder) {
    const struct hp_profile *profile = finder->view->profile;
    const struct hp_open_code *open = finder->open;
    for (size_t i = 0; i < profile->modules.count; i++) {
        const struct hp_module *module = &profile->modules.at[i];
        for (size_t k = 0; k < open->modules.count; k++) {
            const struct hp_open_module *listed = &open->modules.at[k];
            bool is_its =
                module->kind == HP_MODULE_FILE && module->path.n == listed->path.n;
            finder->of_path[listed->kind][i] |= is_its ? (uint64_t)1 << k : 0;
        }
        const struct hp_further_module *further;
        hp_vec_each (further, &open->further) {
            bool is_its =
                module->kind == HP_MODULE_FILE && module->path.n == further->path.n;
            finder->of_path[further->kind][i] |=
                is_its ? (uint64_t)1 << further->number : 0;
        }
    }
}

// Sets of listed modules: those that a frame belongs to, and those among them in which
// the frame may belong to any function.
struct frame_sets {
    uint64_t all, open;
};

// Return the sets of listed modules that a frame belongs to.  A frame with symbols cannot
// be compared only in modules of the kind HP_OPEN_MOVED.
static struct frame_sets sets_of(const struct open_finder *finder,
                                 const struct hp_frame *frame) {
    uint32_t n = frame->module.n;
    uint64_t in_some = finder->of_path[HP_OPEN_IN_SOME][n];
    uint64_t in_all = finder->of_path[HP_OPEN_IN_ALL][n];
    uint64_t stripped = finder->of_path[HP_OPEN_STRIPPED][n];
    uint64_t moved = finder->of_path[HP_OPEN_MOVED][n];
    if (frame->lines > 0) {
        return (struct frame_sets){in_some | in_all | moved, moved};
    }
    if (has_file(&finder->view->profile->modules.at[n])) {
        return (struct frame_sets){in_some | stripped | moved, stripped | moved};
    }
    return (struct frame_sets){in_some | in_all, in_some | in_all};
}

// Mark modules as code of the program itself.
static void mark_own(struct hp_open_code *open, uint64_t modules) {
    for (size_t i = 0; i < open->modules.count; i++) {
        open->modules.at[i].is_own |= (modules >> i & 1) != 0;
    }
}

// Fill `of_node` and `open_nodes` from the frames of each node, and set `is_own` of the
// modules.
static void look_at_frames(struct open_finder *finder) {
    const struct hp_naming *naming = &finder->view->naming;
    const struct hp_profile *profile = finder->view->profile;
    for (size_t i = 0; i < profile->frames.count; i++) {
        struct frame_sets sets = sets_of(finder, &profile->frames.at[i]);
        uint32_t last = sets.all ? naming->first_call.at[i + 1] : 0;
        for (uint32_t c = naming->first_call.at[i]; c < last; c++) {
            const struct hp_call *call = &naming->calls.at[c];
            finder->open->of_node[call->node.n] |= sets.all;
            finder->open->open_nodes[call->node.n] |= sets.open;
            mark_own(finder->open, call->class == HP_CLASS_OWN ? sets.open : 0);
        }
    }
}

// Return the modules in which a frame is not compared.  In modules compared by address it
// is compared unless one of its calls that are not folded has an open node.  So a frame
// is compared if all its calls are folded, like the allocator's: it then belongs to no
// row, unless the stack is charged to `charged`, one of its calls.
static uint64_t open_sets_of(const struct open_finder *finder, uint32_t frame,
                             uint32_t charged) {
    const struct hp_naming *naming = &finder->view->naming;
    struct frame_sets sets = sets_of(finder, &finder->view->profile->frames.at[frame]);
    uint64_t compared = finder->open->by_address;
    uint32_t last = sets.open ? naming->first_call.at[frame + 1] : 0;
    for (uint32_t c = naming->first_call.at[frame]; c < last; c++) {
        const struct hp_call *call = &naming->calls.at[c];
        bool has_row = !call->is_folded || c == charged;
        compared &= has_row ? ~finder->open->open_nodes[call->node.n] : compared;
    }
    return sets.open & ~compared;
}

// Fill `of_stack` and `open_stacks` from the frames of each stack.
static void look_at_stacks(struct open_finder *finder) {
    const struct hp_profile *profile = finder->view->profile;
    for (size_t s = 0; s < profile->stacks.count; s++) {
        const struct hp_stack *stack = &profile->stacks.at[s];
        uint32_t charged = hp_charged_call(&finder->view->naming, stack).call;
        for (uint32_t i = 0; i < stack->depth; i++) {
            uint32_t frame = stack->frames[i].n;
            finder->open->of_stack[s] |= sets_of(finder, &profile->frames.at[frame]).all;
            finder->open->open_stacks[s] |= open_sets_of(finder, frame, charged);
        }
    }
}

// --- dumps ----------------------------------------------------------------------------------

// For input number `number` on one side of a comparison, count a dump in dumps_with of
// each node of a stack, unless the input was counted at that node before.  An input of
// several dumps is counted as one dump, too: no more than one is known to have the stack.
static void count_addresses(struct open_finder *finder, size_t number, uint32_t stack,
                            int side) {
    const struct hp_naming *naming = &finder->view->naming;
    const struct hp_stack *frames = &finder->view->profile->stacks.at[stack];
    for (uint32_t i = 0; i < frames->depth; i++) {
        uint32_t frame = frames->frames[i].n;
        for (uint32_t c = naming->first_call.at[frame];
             c < naming->first_call.at[frame + 1]; c++) {
            uint32_t node = naming->calls.at[c].node.n;
            bool is_first = finder->last_input[node] != number + 1;
            finder->last_input[node] = number + 1;
            finder->dumps_with[side][node] += is_first ? 1 : 0;
        }
    }
}

// Add the number of an input's dumps to `dumps` of the modules that it has stacks of, and
// count the input for the nodes of its stacks in modules compared by address.
static void look_at_input(struct open_finder *finder, size_t number, int side) {
    const struct hp_profile *profile = finder->view->profile;
    const struct hp_input_record *input = &profile->inputs.records.at[number];
    struct hp_open_code *open = finder->open;
    struct hp_history_reader reader = {0};
    struct hp_observation seen;
    uint64_t has = 0;
    hp_history_open(&reader, &profile->history, input->number);
    while (hp_history_next(&reader, &seen)) {
        has |= open->of_stack[seen.stack];
        if (open->of_stack[seen.stack] & open->by_address) {
            count_addresses(finder, number, seen.stack, side);
        }
    }
    hp_history_done_reading(&reader);
    for (size_t i = 0; i < open->modules.count; i++) {
        open->modules.at[i].dumps[side] += has >> i & 1 ? hp_input_dumps(input) : 0;
    }
}

// Add the values of an input's stacks to the sums of their modules, over all stacks and
// over open ones; set of_input, and count the input's dumps in `open` of the modules.
// Open stacks without memory hide nothing.
static void add_input(struct open_finder *finder, size_t number, int side) {
    const struct hp_profile *profile = finder->view->profile;
    const struct hp_input_record *input = &profile->inputs.records.at[number];
    struct hp_open_code *open = finder->open;
    struct hp_history_reader reader = {0};
    struct hp_observation seen;
    hp_history_open(&reader, &profile->history, input->number);
    while (hp_history_next(&reader, &seen)) {
        uint64_t all = open->of_stack[seen.stack];
        uint64_t without = open->open_stacks[seen.stack];
        hp_fixed value = seen.values.of[finder->view->options.metric];
        open->of_input[number] |= value != 0 ? without : 0;
        for (size_t i = 0; all != 0 && i < open->modules.count; i++) {
            open->modules.at[i].bytes[side] += without >> i & 1 ? value : 0;
            open->modules.at[i].all[side] += all >> i & 1 ? value : 0;
        }
    }
    hp_history_done_reading(&reader);
    for (size_t i = 0; i < open->modules.count; i++) {
        open->modules.at[i].open[side] +=
            open->of_input[number] >> i & 1 ? hp_input_dumps(input) : 0;
    }
}

// Call `look` for each input of both sides of the comparison.
static void each_input(struct open_finder *finder, const struct hp_sides *sides,
                       void (*look)(struct open_finder *, size_t, int)) {
    for (size_t i = 0; i < sides->base.count; i++) {
        look(finder, sides->base.at[i], 0);
    }
    for (size_t i = 0; i < sides->new.count; i++) {
        look(finder, sides->new.at[i], 1);
    }
}

// Clear in open_nodes the modules compared by address of those nodes that more than half
// of the module's dumps of each side have.  A side may have no dumps at all.
static void compare_addresses(struct open_finder *finder, const struct hp_sides *sides) {
    struct hp_open_code *open = finder->open;
    for (size_t n = 0; n < hp_node_count(&finder->view->naming); n++) {
        for (size_t i = 0; open->open_nodes[n] != 0 && i < open->modules.count; i++) {
            bool is_compared = (open->by_address >> i & 1) != 0;
            for (int side = 0; side < 2; side++) {
                is_compared &=
                    sides->dumps[side] == 0 ||
                    2 * finder->dumps_with[side][n] > open->modules.at[i].dumps[side];
            }
            open->open_nodes[n] &= is_compared ? ~((uint64_t)1 << i) : UINT64_MAX;
        }
    }
}

// --- all ------------------------------------------------------------------------------------

// Whether rows are code that depends on the build; others, as modules, are the same in
// any build.
static bool has_rows_of_code(const struct hp_view *view) {
    enum hp_granularity by = view->options.by;
    return by == HP_BY_FUNCTION || by == HP_BY_LINE || by == HP_BY_FILE ||
           by == HP_BY_BUILD || by == HP_BY_ADDRESS;
}

// Fill all sets and sums.  Stacks are examined twice: the first time to count addresses,
// the second time without the addresses that can be compared.
static void find_all(struct open_finder *finder, const struct hp_sides *sides) {
    const struct hp_profile *profile = finder->view->profile;
    size_t nodes = hp_node_count(&finder->view->naming);
    for (int i = 0; i < KINDS; i++) {
        finder->of_path[i] =
            hp_alloc(profile->modules.count * sizeof *finder->of_path[i]);
    }
    for (int i = 0; i < 2; i++) {
        finder->dumps_with[i] = hp_alloc(nodes * sizeof *finder->dumps_with[i]);
    }
    finder->last_input = hp_alloc(nodes * sizeof *finder->last_input);
    find_paths(finder);
    look_at_frames(finder);
    look_at_stacks(finder);
    each_input(finder, sides, look_at_input);
    if (finder->open->by_address != 0) {
        compare_addresses(finder, sides);
        memset(finder->open->open_stacks, 0,
               profile->stacks.count * sizeof *finder->open->open_stacks);
        look_at_stacks(finder);
    }
    each_input(finder, sides, add_input);
    for (int i = 0; i < KINDS; i++) {
        free(finder->of_path[i]);
    }
    for (int i = 0; i < 2; i++) {
        free(finder->dumps_with[i]);
    }
    free(finder->last_input);
}

void hp_open_code_init(struct hp_open_code *open, const struct hp_view *view,
                       const struct hp_sides *sides, bool has_same_processes) {
    const struct hp_profile *profile = view->profile;
    *open = (struct hp_open_code){.of_node = NULL};
    if (has_rows_of_code(view) && !hp_view_is_of_differences(view)) {
        find_modules(open, view, has_same_processes);
    }
    for (size_t i = 0; i < open->modules.count; i++) {
        bool is_by_address = open->modules.at[i].kind != HP_OPEN_IN_SOME;
        open->by_address |= is_by_address ? (uint64_t)1 << i : 0;
    }
    if (open->modules.count > 0) {
        size_t nodes = hp_node_count(&view->naming);
        open->of_node = hp_alloc(nodes * sizeof *open->of_node);
        open->open_nodes = hp_alloc(nodes * sizeof *open->open_nodes);
        open->of_stack = hp_alloc(profile->stacks.count * sizeof *open->of_stack);
        open->open_stacks = hp_alloc(profile->stacks.count * sizeof *open->open_stacks);
        open->of_input = hp_alloc(profile->inputs.records.count * sizeof *open->of_input);
        find_all(&(struct open_finder){.open = open, .view = view}, sides);
    }
    const struct hp_open_module *module;
    bool is_open = false;
    hp_vec_each (module, &open->modules) {
        is_open |= hp_open_module_is_open(module);
    }
    if (!is_open) {
        hp_open_code_done(open);
    }
}

void hp_open_code_done(struct hp_open_code *open) {
    hp_vec_done(&open->modules);
    hp_vec_done(&open->further);
    free(open->of_node);
    free(open->open_nodes);
    free(open->of_stack);
    free(open->open_stacks);
    free(open->of_input);
    *open = (struct hp_open_code){.of_node = NULL};
}

const struct hp_open_code *hp_open_code_of(const struct hp_view *view) {
    return view->report->open_code && view->extra ? view->report->open_code(view) : NULL;
}

bool hp_open_code_has_moved(const struct hp_view *view) {
    const struct hp_open_code *open = hp_open_code_of(view);
    bool has = false;
    for (size_t i = 0; open && i < open->modules.count; i++) {
        has |= open->modules.at[i].kind == HP_OPEN_MOVED;
    }
    return has;
}

struct hp_span hp_open_module_path(const struct hp_view *view,
                                   const struct hp_open_module *module) {
    return hp_strtab_span(&view->profile->strings, module->path);
}

// --- the dumps that have names ----------------------------------------------------------------

// Set named->sides to those dumps of `all` that have names for named->modules.
static void find_named(const struct hp_open_code *open, const struct hp_profile *profile,
                       const struct hp_sides *all, struct hp_named_dumps *named) {
    struct hp_sides *sides = &named->sides;
    for (int side = 0; side < 2; side++) {
        size_t count = side == 0 ? all->base.count : all->new.count;
        for (size_t i = 0; i < count; i++) {
            size_t number = side == 0 ? all->base.at[i] : all->new.at[i];
            if (hp_open_code_has(open, number, named->modules)) {
                continue;
            }
            if (side == 0) {
                hp_vec_push(&sides->base, number);
            } else {
                hp_vec_push(&sides->new, number);
            }
            sides->dumps[side] += hp_input_dumps(&profile->inputs.records.at[number]);
        }
        sides->units[side] = sides->dumps[side];
    }
}

// Whether the dumps `some` among `all` suffice to compare rows: more than half of each
// side, and at least three.  With fewer, a test marks too many rows that have not
// changed.  Grouped and merged inputs never suffice.
static bool is_enough(const struct hp_sides *all, const struct hp_sides *some) {
    bool is = true;
    for (int side = 0; side < 2; side++) {
        is &=
            all->dumps[side] == 0 || (!all->has_groups[side] && !all->has_merged[side] &&
                                      some->dumps[side] >= least_dumps &&
                                      2 * some->dumps[side] > all->dumps[side]);
    }
    return is;
}

const struct hp_named_dumps *hp_named_list_get(struct hp_named_list *list,
                                               const struct hp_open_code *open,
                                               const struct hp_view *view,
                                               const struct hp_sides *sides,
                                               const struct hp_members *members,
                                               uint64_t modules) {
    const struct hp_named_dumps *known;
    hp_vec_each (known, &list->all) {
        if (known->modules == modules) {
            return known;
        }
    }
    struct hp_named_dumps named = {.modules = modules};
    find_named(open, view->profile, sides, &named);
    named.is_enough = is_enough(sides, &named.sides);
    if (named.is_enough) {
        named.sums = hp_diff_sums(view->profile, &named.sides, members,
                                  view->options.metric, false);
    }
    hp_vec_push(&list->all, named);
    return &list->all.at[list->all.count - 1];
}

void hp_named_list_done(struct hp_named_list *list) {
    struct hp_named_dumps *named;
    hp_vec_each (named, &list->all) {
        hp_sides_done(&named->sides);
        free(named->sums);
    }
    hp_vec_done(&list->all);
}
