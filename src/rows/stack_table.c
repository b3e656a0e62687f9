// The table `stacks`, one JSON object a line, sorted by the ids of the stacks:
//
//     {"stack":"51ad...","names":"77f0...","named":2,"leaf":"parse",
//      "stack_group":null,"functions":["operator new","parse","main"],"modules":[...],"files":[...],
//      "lines":[...],"build_ids":[...]}
//
// The lists have one element for each call, inlined or not, the innermost first.  `leaf`
// is the first function that is not folded, as in tables of functions.  `names` is a
// digest of the functions in full: the first 64 bits of an XXH3-128 over each name and a
// zero byte.  `stack_group` is the group by the rules of --groups.
#include "rows/batch.h"
#include "view/naming.h"
#include "view/stack_groups.h"

#include <stdlib.h>

// A stack of one of the profiles of a batch.
struct listed_stack {
    uint64_t id;
    uint32_t stack;    // number of the stack in its profile
    uint32_t is_aside; // it is in batch->aside
};

// The two profiles of a batch, and the names of their frames.
struct sources {
    const struct hp_profile *profiles[2];
    struct hp_naming namings[2];
    struct hp_stack_groups groups[2];
    bool has_groups;           // there are rules of groups
    struct hp_filters filters; // {0}: names are not filtered
    HP_VEC(struct listed_stack) all;
    struct hp_digester digester;
};

static int by_id(const void *left, const void *right) {
    const struct listed_stack *a = left, *b = right;
    int order = (a->id > b->id) - (a->id < b->id);
    order = order ? order : (a->is_aside > b->is_aside) - (a->is_aside < b->is_aside);
    return order ? order : (a->stack > b->stack) - (a->stack < b->stack);
}

// List all stacks of a profile with the ids that the table shows.
static void list(struct sources *sources, const struct hp_batch *batch,
                 uint32_t is_aside) {
    struct hp_stack_ids ids;
    const struct hp_profile *profile = sources->profiles[is_aside];
    hp_stack_ids_init(&ids, profile);
    for (uint32_t i = 0; i < profile->stacks.count; i++) {
        uint64_t id = hp_batch_shown_stack(batch, hp_stack_ids_get(&ids, i));
        hp_vec_push(&sources->all, ((struct listed_stack){id, i, is_aside}));
    }
    hp_stack_ids_done(&ids);
}

// --- one stack -------------------------------------------------------------------------

// The calls of a stack, innermost first.
struct calls {
    const struct hp_naming *naming;
    HP_VEC(uint32_t) all;    // numbers of calls of the naming
    HP_VEC(uint32_t) frames; // the frame of each
};

static void find_calls(struct calls *calls, const struct hp_stack *stack) {
    const struct hp_naming *naming = calls->naming;
    calls->all.count = calls->frames.count = 0;
    for (uint32_t i = 0; i < stack->depth; i++) {
        uint32_t frame = stack->frames[i].n;
        uint32_t end = naming->first_call.at[frame + 1];
        for (uint32_t k = naming->first_call.at[frame]; k < end; k++) {
            hp_vec_push(&calls->all, k);
            hp_vec_push(&calls->frames, frame);
        }
    }
}

static const struct hp_call *call_at(const struct calls *calls, size_t i) {
    return &calls->naming->calls.at[calls->all.at[i]];
}

// Return the line of a call; NULL: it has no name.
static const struct hp_line *line_at(const struct calls *calls, size_t i) {
    const struct hp_call *call = call_at(calls, i);
    return call->line > 0 ? &calls->naming->profile->lines.at[call->line - 1] : NULL;
}

static const struct hp_module *module_at(const struct calls *calls, size_t i) {
    const struct hp_profile *profile = calls->naming->profile;
    return &profile->modules.at[profile->frames.at[calls->frames.at[i]].module.n];
}

// Return the text of a string of the profile.
static struct hp_span text_of(const struct calls *calls, hp_string string) {
    return hp_strtab_span(&calls->naming->profile->strings, string);
}

// Write the digest of the names, the number of calls that have a name, and the function
// that is charged.
static void put_summary(struct hp_json *json, struct hp_digester *digester,
                        const struct calls *calls) {
    uint64_t named = 0;
    size_t leaf = 0;
    hp_digester_start(digester);
    for (size_t i = 0; i < calls->all.count; i++) {
        const struct hp_line *line = line_at(calls, i);
        hp_digester_add(digester,
                        hp_node_full_name(calls->naming, call_at(calls, i)->node));
        hp_digester_add(digester, (struct hp_span){"", 1});
        named += line && line->function.n > 0;
    }
    while (leaf < calls->all.count && call_at(calls, leaf)->is_folded) {
        leaf++;
    }
    leaf = leaf < calls->all.count ? leaf : 0;
    hp_row_id(json, "names", hp_digester_end(digester).of[0]);
    hp_json_put_count(json, "named", named);
    hp_node_id node =
        calls->all.count > 0 ? call_at(calls, leaf)->node : calls->naming->empty;
    hp_row_text(json, "leaf", hp_node_name(calls->naming, node));
}

// Write the lists of a stack.
static void put_lists(struct hp_json *json, const struct calls *calls) {
    size_t count = calls->all.count;
    hp_json_open(json, "functions", '[');
    for (size_t i = 0; i < count; i++) {
        hp_row_text(json, NULL, hp_node_name(calls->naming, call_at(calls, i)->node));
    }
    hp_json_close(json);
    hp_json_open(json, "modules", '[');
    for (size_t i = 0; i < count; i++) {
        hp_row_text(json, NULL, text_of(calls, module_at(calls, i)->path));
    }
    hp_json_close(json);
    hp_json_open(json, "files", '[');
    for (size_t i = 0; i < count; i++) {
        const struct hp_line *line = line_at(calls, i);
        hp_row_text(json, NULL, text_of(calls, line ? line->file : (hp_string){0}));
    }
    hp_json_close(json);
    hp_json_open(json, "lines", '[');
    for (size_t i = 0; i < count; i++) {
        const struct hp_line *line = line_at(calls, i);
        hp_json_put_known(json, NULL, line ? line->line : 0);
    }
    hp_json_close(json);
    hp_json_open(json, "build_ids", '[');
    for (size_t i = 0; i < count; i++) {
        hp_row_text(json, NULL, text_of(calls, hp_module_build(module_at(calls, i))));
    }
    hp_json_close(json);
}

// --- all stacks ------------------------------------------------------------------------

// Return the name of a stack's group; "" if there are no rules.
static struct hp_span group_of(const struct sources *sources,
                               const struct listed_stack *listed) {
    const struct hp_stack_groups *groups = &sources->groups[listed->is_aside];
    return sources->has_groups
               ? hp_span_of(groups->names.at[groups->of_stack[listed->stack]])
               : (struct hp_span){"", 0};
}

static void put_stacks(struct sources *sources, struct hp_sink *out) {
    struct hp_json json = {.out = out, .is_dense = true};
    struct calls calls = {.naming = NULL};
    for (size_t i = 0; i < sources->all.count; i++) {
        const struct listed_stack *listed = &sources->all.at[i];
        if (i > 0 && listed[-1].id == listed->id) {
            continue; // stacks that differ only in labels, or that both profiles have
        }
        calls.naming = &sources->namings[listed->is_aside];
        find_calls(&calls, &calls.naming->profile->stacks.at[listed->stack]);
        hp_row_open(&json);
        hp_row_id(&json, "stack", listed->id);
        put_summary(&json, &sources->digester, &calls);
        hp_row_text(&json, "stack_group", group_of(sources, listed));
        put_lists(&json, &calls);
        hp_row_close(&json);
    }
    hp_vec_done(&calls.all);
    hp_vec_done(&calls.frames);
}

int hp_batch_put_stacks(const struct hp_batch *batch, const struct hp_profile *profile,
                        const struct hp_report_options *report, struct hp_sink *out,
                        struct hp_err *err) {
    struct sources sources = {.profiles = {profile, &batch->aside},
                              .has_groups = report->groups.count > 0};
    struct hp_report_options options = {.kind = HP_REPORT_STACKS,
                                        .frames = report->frames};
    int ret = HP_OK;
    options.frames.fold = HP_FRAMES_CODE;
    for (uint32_t i = 0; ret == HP_OK && i < 2; i++) {
        ret = hp_naming_init(&sources.namings[i], sources.profiles[i], &sources.filters,
                             &options, err);
        list(&sources, batch, i);
        ret = ret == HP_OK && sources.has_groups
                  ? hp_stack_groups_init(&sources.groups[i], sources.profiles[i],
                                         report->groups.at, report->groups.count, err)
                  : ret;
    }
    hp_vec_sort(&sources.all, by_id);
    if (ret == HP_OK) {
        put_stacks(&sources, out);
    }
    for (int i = 0; i < 2; i++) {
        hp_naming_done(&sources.namings[i]);
        hp_stack_groups_done(&sources.groups[i]);
    }
    hp_digester_done(&sources.digester);
    hp_vec_done(&sources.all);
    return ret;
}
