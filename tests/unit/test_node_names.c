// Tests of names of nodes: texts, and places that consist of a head and a number.
#include "view/node_names.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>

static struct hp_node_names names;

static void done(void) {
    hp_node_names_done(&names);
}

TestSuite(node_names, .fini = done);

// The node of a text.
static hp_node_id text(const char *name) {
    return hp_node_names_add(&names, hp_span_of(name), HP_CLASS_OWN);
}

// The node of a place.
static hp_node_id place(const char *head, uint64_t number) {
    hp_string of = hp_node_names_head(&names, hp_span_of(head));
    return hp_node_names_add_place(&names, of, number, HP_CLASS_OWN);
}

static void expect_text(hp_node_id node, const char *name) {
    struct hp_span found = hp_node_names_text(&names, node);
    cr_expect(hp_span_is(found, name), "%.*s instead of %s", (int)found.size, found.at,
              name);
    cr_expect_eq(found.at[found.size], '\0');
}

// A place has the text that printf writes; looked up by that text, it is the same node.
static void expect_place(const char *head, uint64_t number) {
    char written[80];
    snprintf(written, sizeof written, "%s0x%" PRIx64, head, number);
    hp_node_id node = place(head, number);
    expect_text(node, written);
    cr_expect_eq(text(written).n, node.n, "%s is two", written);
    cr_expect_eq(place(head, number).n, node.n, "%s is two", written);
}

Test(node_names, places_are_called_by_head_and_number) {
    static const char *const heads[] = {"libfoo.so.1+", "", "+", "a+b+", "0x10+"};
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        expect_place(heads[i], 0);
        expect_place(heads[i], UINT64_MAX);
        for (int bit = 63; bit >= 0; bit--) {
            expect_place(heads[i], (uint64_t)1 << bit);
            expect_place(heads[i], ((uint64_t)1 << bit) - 1);
        }
    }
}

Test(node_names, a_text_is_one_node_before_and_after_its_place) {
    hp_node_id first = text("libfoo.so+0x20");
    cr_expect_eq(place("libfoo.so+", 0x20).n, first.n);
    hp_node_id lower = place("libfoo.so+", 0x10);
    cr_expect_neq(lower.n, first.n);
    cr_expect_eq(text("libfoo.so+0x10").n, lower.n);
    cr_expect_eq(place("libfoo.so+", 0x10).n, lower.n);
}

Test(node_names, what_no_place_is_called_is_a_text) {
    static const char *const texts[] = {
        "",
        "main",
        "0x",
        "a+0x",
        "a+0x01",
        "a+0x1A",
        "a0x10",
        "a+0x10 f",
        "x10",
        "a+10",
        "abc",
        "0x+",
        "a+0x1g10",
        "a+b0x10",
        "00x10",
        "+x10",
        "face",
        "a-0x10",
        "f(int)",
        "[unmapped]",
        "0x00",
        "a+0x0000",
        "+",
        "x",
        "0",
        "a+0x11112222333344445",
        "0x11112222333344445",
    };

    enum {
        COUNT = sizeof texts / sizeof *texts
    };

    hp_node_id nodes[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        nodes[i] = text(texts[i]);
        cr_expect_not(names.all.at[nodes[i].n].is_place, "%s", texts[i]);
        cr_expect_eq(nodes[i].n, i + 1, "%s is not new", texts[i]);
    }
    for (size_t i = 0; i < COUNT; i++) {
        expect_text(nodes[i], texts[i]);
        cr_expect_eq(text(texts[i]).n, nodes[i].n);
    }
}

Test(node_names, classes_keep_equal_names_apart) {
    static const char *const called[] = {"main", "libfoo.so+0x10", ""};
    for (size_t i = 0; i < sizeof called / sizeof *called; i++) {
        hp_node_id of[HP_CLASSES + 1];
        for (int pass = 0; pass < 2; pass++) {
            for (int class = HP_CLASSES; class >= 0; class --) {
                hp_node_id node = hp_node_names_add(&names, hp_span_of(called[i]),
                                                    (enum hp_frame_class) class);
                cr_expect(pass == 0 || node.n == of[class].n);
                cr_expect_eq(names.all.at[node.n].class, class);
                of[class] = node;
            }
        }
        cr_expect_gt(hp_node_names_compare(&names, of[1], of[0]), 0);
        cr_expect_lt(hp_node_names_compare(&names, of[0], of[1]), 0);
        cr_expect_eq(hp_node_names_compare(&names, of[1], of[1]), 0);
    }
}

// -1, 0 or 1.
static int sign(int of) {
    return (of > 0) - (of < 0);
}

Test(node_names, names_are_in_the_order_of_their_bytes) {
    static const char *const called[] = {
        "",
        "0x0",
        "0x1",
        "0x10",
        "0x100",
        "0x11",
        "0x2",
        "0x9",
        "0xa",
        "0xff",
        "a",
        "a+",
        "a+0x0",
        "a+0x1",
        "a+0x10",
        "a+0x1f",
        "a+0x2",
        "a+0xffffffffffffffff",
        "a+0xfffffffffffffff",
        "a+b",
        "a+b+0x1",
        "a+0x1+0x1",
        "a+0x1 f",
        "b+0x1",
        "main",
    };
    for (size_t i = 0; i < sizeof called / sizeof *called; i++) {
        for (size_t k = 0; k < sizeof called / sizeof *called; k++) {
            int bytes = hp_span_compare(hp_span_of(called[i]), hp_span_of(called[k]));
            int order = hp_node_names_compare(&names, text(called[i]), text(called[k]));
            cr_expect_eq(sign(order), sign(bytes), "%s and %s", called[i], called[k]);
        }
    }
}

// Many places in descending order, so that each is inserted before the previous ones.
Test(node_names, places_are_found_in_any_order) {
    enum {
        COUNT = 5000
    };

    uint32_t first = place("", COUNT).n;
    for (uint64_t i = COUNT; i-- > 0;) {
        cr_assert_eq(place("", i).n, first + COUNT - i);
    }
    for (uint64_t i = 0; i <= COUNT; i++) {
        cr_assert_eq(place("", i).n, first + COUNT - i);
    }
    cr_assert_eq(place("", COUNT + 1).n, first + COUNT + 1);
}
