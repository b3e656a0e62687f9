#include "view/members.h"

#include "view/walk.h"

void hp_members_init(struct hp_members *members, const struct hp_naming *naming,
                     bool cum) {
    *members = (struct hp_members){.node_count = naming->names.strings.count};
    uint32_t *seen = hp_alloc(members->node_count * sizeof *seen);
    struct hp_walk walk = {0};
    uint32_t number = 0;
    const struct hp_stack *stack;
    hp_vec_each (stack, &naming->profile->stacks) {
        hp_vec_push(&members->first, members->nodes.count);
        bool is_left = hp_walk_nodes(naming, stack, &walk);
        size_t count = cum ? walk.nodes.count : 1;
        number++;
        for (size_t i = 0; is_left && i < count; i++) {
            hp_node_id node = walk.nodes.at[i];
            if (seen[node.n] != number) {
                seen[node.n] = number;
                hp_vec_push(&members->nodes, node);
            }
        }
    }
    hp_vec_push(&members->first, members->nodes.count);
    hp_walk_done(&walk);
    free(seen);
}

void hp_members_done(struct hp_members *members) {
    hp_vec_done(&members->first);
    hp_vec_done(&members->nodes);
}
