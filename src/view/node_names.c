// The text of a place is its head, "0x" and its number as printf's %llx writes it.  If a
// text has this form, the part after the last '+' or '@' determines head and number.  So
// equal names have equal parts, and parts are compared instead of texts.
//
// Frames are sorted by module and offset.  So most places are known to be new as their
// number is above all numbers of their head, and most texts have one class.  Only the
// other names are looked up in an index, to which nodes are added at the first such
// look-up.
#include "view/node_names.h"

#include "base/hash.h"

#include <assert.h>
#include <string.h>

enum {
    HEX_DIGITS = 16,
};

static const char digits[] = "0123456789abcdef";

// Texts of names of addresses, "libfoo.so.1+0x1234", that were asked for and are kept.
struct hp_place_texts {
    struct hp_arena arena;   // owns the texts
    HP_VEC(const char *) of; // by node; NULL: not formatted yet
};

// Return the number of hex digits of a number, at least 1.
static size_t digit_count(uint64_t number) {
    return (size_t)(63 - __builtin_clzll(number | 1)) / 4 + 1;
}

static void texts_done(struct hp_name_texts *texts) {
    hp_strtab_done(&texts->strings);
    hp_vec_done(&texts->nodes);
}

void hp_node_names_done(struct hp_node_names *names) {
    if (names->put) {
        hp_arena_done(&names->put->arena);
        hp_vec_done(&names->put->of);
        free(names->put);
    }
    hp_vec_done(&names->all);
    texts_done(&names->texts);
    texts_done(&names->heads);
    hp_index_drop(&names->index);
    *names = (struct hp_node_names){0};
}

// --- nodes --------------------------------------------------------------------------------

// Append a node; the first one also makes the unused node 0.
static inline hp_node_id push(struct hp_node_names *names,
                              const struct hp_name_parts *name) {
    if (!names->put) {
        names->put = hp_alloc(sizeof *names->put);
        hp_vec_push(&names->all, ((struct hp_name_parts){.class = HP_CLASSES}));
    }
    hp_vec_push(&names->all, *name);
    return (hp_node_id){(uint32_t)names->all.count - 1};
}

static uint32_t hash_of(const struct hp_name_parts *name) {
    return (uint32_t)hp_hash_bytes(name, sizeof *name, hp_hash_key());
}

// Add all nodes that are not in the index yet to it.
static void index_all(struct hp_node_names *names) {
    for (size_t i = names->indexed; i < names->all.count; i++) {
        hp_index_put(&names->index, hash_of(&names->all.at[i]), i);
    }
    names->indexed = names->all.count;
}

// Look up the node with these parts of a name and this class in the index, and return it;
// append it if it is new.
static hp_node_id find(struct hp_node_names *names, const struct hp_name_parts *name) {
    static_assert(sizeof *name == 16, "all of its bytes are compared");
    uint32_t hash = hash_of(name), found;
    index_all(names);
    for (size_t at = hash; hp_index_next(&names->index, hash, &at, &found);) {
        if (memcmp(&names->all.at[found], name, sizeof *name) == 0) {
            return (hp_node_id){found};
        }
    }
    return push(names, name);
}

hp_string hp_node_names_head(struct hp_node_names *names, struct hp_span head) {
    hp_string string = hp_strtab_add(&names->heads.strings, head);
    (void)hp_vec_reach(&names->heads.nodes, string.n);
    return string;
}

hp_node_id hp_node_names_add_place(struct hp_node_names *names, hp_string head,
                                   uint64_t number, enum hp_frame_class class) {
    struct hp_name_parts place = {number, head, (uint16_t) class, true};
    hp_node_id *last = &names->heads.nodes.at[head.n];
    const struct hp_name_parts *before = last->n ? &names->all.at[last->n] : NULL;
    if (!before || number > before->number) {
        *last = push(names, &place);
        return *last;
    }
    bool is_last = number == before->number && before->class == class;
    return is_last ? *last : find(names, &place);
}

// Return the node of a name that is a text and of a class; add it if it is new.
static hp_node_id add_text(struct hp_node_names *names, struct hp_span text,
                           enum hp_frame_class class) {
    hp_string string = hp_strtab_add(&names->texts.strings, text);
    struct hp_name_parts name = {0, string, (uint16_t) class, false};
    hp_node_id *first = hp_vec_reach(&names->texts.nodes, string.n);
    if (first->n == 0) {
        *first = push(names, &name);
    }
    return names->all.at[first->n].class == class ? *first : find(names, &name);
}

// Return the length of the text before the number if a text reads like the name of an
// address, "libfoo.so.1+0x1234", and set its number; else return SIZE_MAX.
static size_t head_of(struct hp_span text, uint64_t *number) {
    size_t first = text.size;
    const char *digit;
    *number = 0;
    while (first > 0 && text.size - first < HEX_DIGITS &&
           (digit = memchr(digits, text.at[first - 1], HEX_DIGITS))) {
        *number |= (uint64_t)(digit - digits) << 4 * (text.size - first--);
    }
    bool is_number = first >= 2 && text.size - first == digit_count(*number) &&
                     memcmp(text.at + first - 2, "0x", 2) == 0;
    char before = first > 2 ? text.at[first - 3] : '+';
    return is_number && (before == '+' || before == '@') ? first - 2 : SIZE_MAX;
}

hp_node_id hp_node_names_add(struct hp_node_names *names, struct hp_span text,
                             enum hp_frame_class class) {
    uint64_t number;
    size_t size = head_of(text, &number);
    if (size == SIZE_MAX) {
        return add_text(names, text, class);
    }
    hp_string head = hp_node_names_head(names, (struct hp_span){text.at, size});
    return hp_node_names_add_place(names, head, number, class);
}

// --- texts of names -----------------------------------------------------------------------

// Format the name of an address, "libfoo.so.1+0x1234": `size` bytes, which the caller
// computed, and a NUL.  The text is owned by names->put.
static const char *put_together(const struct hp_node_names *names,
                                const struct hp_name_parts *place, size_t size) {
    struct hp_span head = hp_strtab_span(&names->heads.strings, place->text);
    char *text = hp_arena_alloc(&names->put->arena, size + 1, 1), *at = text + size;
    for (uint64_t left = place->number; at > text + head.size + 2; left >>= 4) {
        *--at = digits[left & 15];
    }
    memcpy(text, head.at, head.size);
    memcpy(text + head.size, "0x", 2);
    return text;
}

struct hp_span hp_node_names_text(const struct hp_node_names *names, hp_node_id node) {
    const struct hp_name_parts *name = node.n ? &names->all.at[node.n] : NULL;
    if (!name) {
        return (struct hp_span){"", 0};
    }
    if (!name->is_place) {
        return hp_strtab_span(&names->texts.strings, name->text);
    }
    size_t head = hp_strtab_span(&names->heads.strings, name->text).size;
    size_t size = head + 2 + digit_count(name->number);
    const char **put = hp_vec_reach(&names->put->of, node.n);
    *put = *put ? *put : put_together(names, name, size);
    return (struct hp_span){*put, size};
}

// Compare two numbers like their hex texts, from the first digit on.
static int compare_numbers(uint64_t a, uint64_t b) {
    uint64_t first_a = a << (64 - 4 * digit_count(a));
    uint64_t first_b = b << (64 - 4 * digit_count(b));
    return first_a != first_b ? (first_a > first_b) - (first_a < first_b)
                              : (a > b) - (a < b);
}

int hp_node_names_compare(const struct hp_node_names *names, hp_node_id a, hp_node_id b) {
    const struct hp_name_parts *left = &names->all.at[a.n], *right = &names->all.at[b.n];
    bool share_head = left->is_place && right->is_place && left->text.n == right->text.n;
    int order = share_head ? compare_numbers(left->number, right->number)
                           : hp_span_compare(hp_node_names_text(names, a),
                                             hp_node_names_text(names, b));
    return order ? order : (left->class > right->class) - (left->class < right->class);
}

const char *hp_granularity_text(enum hp_granularity by) {
    static const char *const names[] = {
        [HP_BY_FUNCTION] = "function", [HP_BY_LINE] = "line",
        [HP_BY_FILE] = "file",         [HP_BY_MODULE] = "module",
        [HP_BY_BUILD] = "build",       [HP_BY_ADDRESS] = "address",
        [HP_BY_INPUT] = "input",       [HP_BY_THREAD] = "thread",
        [HP_BY_LABEL] = "label",       [HP_BY_SIZE] = "size",
        [HP_BY_PROGRAM] = "program",   [HP_BY_PROCESS] = "process",
        [HP_BY_AGE] = "age",           [HP_BY_GROUP] = "group",
    };
    return names[by];
}
