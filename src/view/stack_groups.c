#include "view/stack_groups.h"

#include "base/pattern.h"
#include "view/shortname.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_RULES = 1000,
    FIELDS = 3,        // function, file, module
    NONE = UINT16_MAX, // no rule
};

// One block of rules, and what it decides for each text and frame.
struct block {
    size_t first, end; // range [first, end) of the rules
    bool from_root;
    uint16_t *of_text[FIELDS]; // by string of the profile: its first rule in the block
    uint16_t *of_frame;        // by frame: the rule that decides
};

// State of the search.
struct search {
    const struct hp_profile *profile;
    const struct hp_group_rule *rules;
    unsigned char *roles; // for each string: 1 << each field that it is a text of
    HP_VEC(char) scratch; // room for a short name
};

// --- texts ------------------------------------------------------------------------------

static void find_roles(struct search *search) {
    const struct hp_profile *profile = search->profile;
    const struct hp_line *line;
    const struct hp_module *module;
    search->roles = hp_alloc(profile->strings.strings.count + 1);
    hp_vec_each (line, &profile->lines) {
        search->roles[line->function.n] |= 1 << HP_GROUP_FUNCTION;
        search->roles[line->file.n] |= 1 << HP_GROUP_FILE;
    }
    hp_vec_each (module, &profile->modules) {
        search->roles[module->path.n] |= 1 << HP_GROUP_MODULE;
    }
    search->roles[0] = 0;
}

// Whether a pattern matches a text; a function by its name without the return type, or by
// its short name.
static bool is_match(struct search *search, struct hp_pattern *pattern, uint32_t string,
                     enum hp_group_field field) {
    const char *text = hp_profile_original(search->profile, (hp_string){string});
    if (field != HP_GROUP_FUNCTION) {
        return hp_pattern_matches(pattern, text);
    }
    struct hp_span full = hp_span_of(text);
    hp_vec_reserve(&search->scratch, hp_short_name_room(full.size) + 1);
    char *room = search->scratch.at;
    if (hp_pattern_matches(pattern, hp_untyped_name(full, room).at)) {
        return true;
    }
    struct hp_span shown = hp_short_name(full, room);
    memmove(room, shown.at, shown.size);
    room[shown.size] = '\0';
    return hp_pattern_matches(pattern, room);
}

// Find the texts that one rule matches, unless an earlier rule of its block does.
static int match_rule(struct search *search, struct block *block, size_t number,
                      struct hp_err *err) {
    const struct hp_group_rule *rule = &search->rules[number];
    uint16_t *of_text = block->of_text[rule->field];
    struct hp_pattern pattern;
    int ret = hp_pattern_init(&pattern, rule->pattern, search->profile->match_time, err);
    if (ret != HP_OK) {
        return ret;
    }
    for (uint32_t i = 1; i < search->profile->strings.strings.count; i++) {
        bool is_open = (search->roles[i] >> rule->field & 1) != 0 && of_text[i] == NONE;
        if (is_open && is_match(search, &pattern, i, rule->field)) {
            of_text[i] = (uint16_t)number;
        }
    }
    ret = hp_pattern_check(&pattern, err);
    hp_pattern_done(&pattern);
    return ret;
}

// --- frames -----------------------------------------------------------------------------

static uint16_t least(uint16_t a, uint16_t b) {
    return a < b ? a : b;
}

// The first rule of a block that matches a call of a frame; `line` may be NULL.
static uint16_t rule_of_call(const struct block *block, hp_string module,
                             const struct hp_line *line) {
    uint16_t rule = block->of_text[HP_GROUP_MODULE][module.n];
    if (line) {
        rule = least(rule, block->of_text[HP_GROUP_FUNCTION][line->function.n]);
        rule = least(rule, block->of_text[HP_GROUP_FILE][line->file.n]);
    }
    return rule;
}

// The rule of a block that decides a frame: that of the call nearest to the block's end.
static uint16_t rule_of_frame(const struct search *search, const struct block *block,
                              const struct hp_frame *frame) {
    const struct hp_profile *profile = search->profile;
    hp_string module = profile->modules.at[frame->module.n].path;
    uint16_t rule = NONE;
    for (uint32_t i = 0; i < frame->lines && rule == NONE; i++) {
        uint32_t call = block->from_root ? frame->lines - 1 - i : i;
        rule = rule_of_call(block, module, &profile->lines.at[frame->first_line + call]);
    }
    return frame->lines > 0 ? rule : rule_of_call(block, module, NULL);
}

static void block_done(struct block *block) {
    for (int i = 0; i < FIELDS; i++) {
        free(block->of_text[i]);
    }
    free(block->of_frame);
}

// Match the rules of a block.
static int match_block(struct search *search, struct block *block, struct hp_err *err) {
    const struct hp_profile *profile = search->profile;
    size_t strings = profile->strings.strings.count + 1;
    int ret = HP_OK;
    for (int i = 0; i < FIELDS; i++) {
        block->of_text[i] = hp_alloc(strings * sizeof *block->of_text[i]);
        memset(block->of_text[i], 0xff, strings * sizeof *block->of_text[i]);
    }
    for (size_t i = block->first; i < block->end && ret == HP_OK; i++) {
        ret = match_rule(search, block, i, err);
    }
    block->of_frame = hp_alloc((profile->frames.count + 1) * sizeof *block->of_frame);
    for (size_t i = 0; i < profile->frames.count && ret == HP_OK; i++) {
        block->of_frame[i] = rule_of_frame(search, block, &profile->frames.at[i]);
    }
    return ret;
}

// --- stacks -----------------------------------------------------------------------------

// The rule of a block that decides a stack.
static uint16_t rule_of_stack(const struct block *block, const struct hp_stack *stack) {
    uint16_t rule = NONE;
    for (uint32_t i = 0; i < stack->depth && rule == NONE; i++) {
        uint32_t place = block->from_root ? stack->depth - 1 - i : i;
        rule = block->of_frame[stack->frames[place].n];
    }
    return rule;
}

// The number of the group of a rule; it is added if it is new.
static uint32_t group_of(struct hp_stack_groups *groups, const char *name) {
    for (uint32_t i = 1; i < groups->names.count; i++) {
        if (strcmp(groups->names.at[i], name) == 0) {
            return i;
        }
    }
    hp_vec_push(&groups->names, name);
    return (uint32_t)groups->names.count - 1;
}

// Set the groups of the stacks that no block before has decided.
static void decide(struct hp_stack_groups *groups, const struct search *search,
                   const struct block *block, const uint32_t *of_rule) {
    const struct hp_profile *profile = search->profile;
    for (size_t i = 0; i < profile->stacks.count; i++) {
        uint16_t rule = groups->of_stack[i] == 0
                            ? rule_of_stack(block, &profile->stacks.at[i])
                            : NONE;
        groups->of_stack[i] = rule == NONE ? groups->of_stack[i] : of_rule[rule];
    }
}

int hp_stack_groups_init(struct hp_stack_groups *groups, const struct hp_profile *profile,
                         const struct hp_group_rule *rules, size_t count,
                         struct hp_err *err) {
    struct search search = {.profile = profile, .rules = rules};
    *groups = (struct hp_stack_groups){.of_stack = NULL};
    if (count > MOST_RULES) {
        return hp_fail(err, HP_E_LIMIT,
                       HP_MESSAGE("groups-too-many", "more than %d rules of groups"),
                       MOST_RULES);
    }
    uint32_t *of_rule = hp_alloc((count + 1) * sizeof *of_rule);
    int ret = HP_OK;
    hp_vec_push(&groups->names, "(no group)");
    for (size_t i = 0; i < count; i++) {
        of_rule[i] = group_of(groups, rules[i].group);
    }
    groups->of_stack = hp_alloc((profile->stacks.count + 1) * sizeof *groups->of_stack);
    find_roles(&search);
    for (size_t i = 0; i < count && ret == HP_OK;) {
        struct block block = {.first = i, .end = i + 1, .from_root = rules[i].from_root};
        while (block.end < count && rules[block.end].from_root == block.from_root) {
            block.end++;
        }
        ret = match_block(&search, &block, err);
        if (ret == HP_OK) {
            decide(groups, &search, &block, of_rule);
        }
        block_done(&block);
        i = block.end;
    }
    free(search.roles);
    hp_vec_done(&search.scratch);
    free(of_rule);
    return ret;
}

void hp_stack_groups_done(struct hp_stack_groups *groups) {
    hp_vec_done(&groups->names);
    free(groups->of_stack);
    groups->of_stack = NULL;
}

// --- a profile of groups ------------------------------------------------------------------

// A profile, and the frame numbers that its stacks point to.
struct grouped {
    struct hp_profile profile;
    hp_frame_id *ids;
};

// Add a frame for each group, with its name, and one for stacks that filters exclude.
static void add_frames(struct hp_profile *grouped, const struct hp_stack_groups *groups) {
    memset(&grouped->frames, 0, sizeof grouped->frames);
    memset(&grouped->lines, 0, sizeof grouped->lines);
    for (uint32_t i = 0; i <= groups->names.count; i++) {
        const char *name = i < groups->names.count ? groups->names.at[i] : "(filtered)";
        struct hp_frame frame = {.address = (uint64_t)1 << 63 | i,
                                 .first_line = i,
                                 .lines = 1};
        struct hp_line line = {.function =
                                   hp_strtab_add(&grouped->strings, hp_span_of(name))};
        hp_vec_push(&grouped->frames, frame);
        hp_vec_push(&grouped->lines, line);
    }
}

struct hp_profile *hp_grouped_profile_new(const struct hp_profile *profile,
                                          const struct hp_stack_groups *groups,
                                          const bool *is_visible) {
    struct grouped *made = hp_alloc(sizeof *made);
    struct hp_profile *grouped = &made->profile;
    *grouped = *profile;
    hp_strtab_copy(&grouped->strings, &profile->strings);
    add_frames(grouped, groups);
    made->ids = hp_alloc((groups->names.count + 1) * sizeof *made->ids);
    for (uint32_t i = 0; i <= groups->names.count; i++) {
        made->ids[i].n = i;
    }
    memset(&grouped->stacks, 0, sizeof grouped->stacks);
    hp_vec_append(&grouped->stacks, profile->stacks.at, profile->stacks.count);
    for (size_t i = 0; i < grouped->stacks.count; i++) {
        struct hp_stack *stack = &grouped->stacks.at[i];
        bool is_shown = !is_visible || is_visible[i];
        stack->frames = &made->ids[is_shown ? groups->of_stack[i] : groups->names.count];
        stack->depth = 1;
    }
    return grouped;
}

void hp_grouped_profile_free(struct hp_profile *grouped) {
    struct grouped *made = (struct grouped *)grouped;
    if (made) {
        hp_strtab_done(&grouped->strings);
        hp_vec_done(&grouped->frames);
        hp_vec_done(&grouped->lines);
        hp_vec_done(&grouped->stacks);
        free(made->ids);
        free(made);
    }
}
