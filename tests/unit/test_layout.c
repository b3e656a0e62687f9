// Tests of the layout of call graphs.
#include "draw/graph_layout.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <time.h>

// --- graphs ----------------------------------------------------------------------------

// A graph under construction, and its layout.
struct graph {
    HP_VEC(struct hp_layout_node) nodes;
    HP_VEC(struct hp_layout_edge) edges;
    struct hp_layout layout;
};

// Add a node; lengths are in points.
static void add_node(struct graph *graph, int64_t width, int64_t height) {
    struct hp_layout_node node = {.width = width * HP_POINT, .height = height * HP_POINT};
    hp_vec_push(&graph->nodes, node);
}

static void add_nodes(struct graph *graph, size_t count) {
    for (size_t i = 0; i < count; i++) {
        add_node(graph, 60, 20);
    }
}

static bool has_edge(const struct graph *graph, uint32_t from, uint32_t to) {
    const struct hp_layout_edge *edge;
    hp_vec_each (edge, &graph->edges) {
        if (edge->from == from && edge->to == to) {
            return true;
        }
    }
    return false;
}

// Add an edge with a label of 40 x 10 points.
static void add_edge(struct graph *graph, uint32_t from, uint32_t to, int64_t weight) {
    struct hp_layout_edge edge = {.from = from,
                                  .to = to,
                                  .weight = weight,
                                  .label_width = 40 * HP_POINT,
                                  .label_height = 10 * HP_POINT};
    hp_vec_push(&graph->edges, edge);
}

// Compute the layout.
static void find(struct graph *graph) {
    graph->layout.nodes = graph->nodes.at;
    graph->layout.node_count = graph->nodes.count;
    graph->layout.edges = graph->edges.at;
    graph->layout.edge_count = graph->edges.count;
    hp_layout_find(&graph->layout);
}

static void done(struct graph *graph) {
    hp_layout_done(&graph->layout);
    hp_vec_done(&graph->nodes);
    hp_vec_done(&graph->edges);
}

// A random number of 31 bits (linear congruential generator).
static uint32_t next_random(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

// Make a random graph with few roots, cycles, self-calls, unconnected parts and edges
// over many layers.
static void make_random(struct graph *graph, uint64_t seed) {
    uint64_t state = seed;
    uint32_t nodes = 2 + next_random(&state) % 60,
             edges = next_random(&state) % (2 * nodes);
    for (uint32_t i = 0; i < nodes; i++) {
        add_node(graph, 20 + next_random(&state) % 200, 12 + next_random(&state) % 60);
    }
    for (uint32_t i = 0; i < edges; i++) {
        uint32_t from = next_random(&state) % nodes, to = next_random(&state) % nodes;
        if (!has_edge(graph, from, to)) {
            add_edge(graph, from, to, 1 + next_random(&state) % 100);
        }
    }
    find(graph);
}

enum {
#ifdef __SANITIZE_ADDRESS__
    RANDOM_GRAPHS = 20,
#else
    RANDOM_GRAPHS = 60,
#endif
};

// --- requirements for all graphs -------------------------------------------------------

struct area {
    int64_t left, top, right, bottom;
};

static struct area box_of(const struct hp_layout_node *node) {
    return (struct area){node->at.x, node->at.y, node->at.x + node->width,
                         node->at.y + node->height};
}

static struct area label_of(const struct hp_layout_edge *edge) {
    return (struct area){edge->label_at.x, edge->label_at.y,
                         edge->label_at.x + edge->label_width,
                         edge->label_at.y + edge->label_height};
}

static bool overlap(struct area a, struct area b) {
    return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

// Restrict part[0] ... part[1] (from 0 to 1) of a line to what is between two sides.
static void clip(double from, double step, const double side[2], double part[2]) {
    double enters = step != 0 ? (side[0] - from) / step : side[0] < from ? -1 : 2;
    double leaves = step != 0 ? (side[1] - from) / step : side[1] > from ? 2 : -1;
    double first = enters < leaves ? enters : leaves,
           last = enters < leaves ? leaves : enters;
    bool is_beside = step == 0 && (from <= side[0] || from >= side[1]);
    part[0] = is_beside ? 2 : first > part[0] ? first : part[0];
    part[1] = is_beside ? -1 : last < part[1] ? last : part[1];
}

// Whether the line from `a` to `b` crosses the inside of an area.
static bool passes(struct area area, struct hp_layout_point a, struct hp_layout_point b) {
    double part[2] = {0, 1}, x[2] = {(double)area.left, (double)area.right},
           y[2] = {(double)area.top, (double)area.bottom};
    clip((double)a.x, (double)(b.x - a.x), x, part);
    clip((double)a.y, (double)(b.y - a.y), y, part);
    return part[1] - part[0] > 1e-9;
}

// Whether any segment of an edge crosses the inside of an area.
static bool line_passes(const struct hp_layout *layout, const struct hp_layout_edge *edge,
                        struct area area) {
    bool does = false;
    for (size_t i = 1; i < edge->count; i++) {
        const struct hp_layout_point *points = &layout->points.at[edge->first + i];
        does |= passes(area, points[-1], points[0]);
    }
    return does;
}

// Expect that boxes, lines and labels do not overlap and are inside of the drawing.
static void expect_room(const struct graph *graph, uint64_t seed) {
    const struct hp_layout *layout = &graph->layout;
    for (size_t i = 0; i < layout->node_count; i++) {
        struct area box = box_of(&layout->nodes[i]);
        cr_expect(box.left >= 0 && box.top >= 0 && box.right <= layout->width &&
                      box.bottom <= layout->height,
                  "seed %lu: box %zu is outside", (unsigned long)seed, i);
        for (size_t k = 0; k < i; k++) {
            cr_expect_not(overlap(box, box_of(&layout->nodes[k])),
                          "seed %lu: boxes %zu and %zu", (unsigned long)seed, k, i);
        }
        for (size_t k = 0; k < layout->edge_count; k++) {
            const struct hp_layout_edge *edge = &layout->edges[k];
            cr_expect_not(line_passes(layout, edge, box),
                          "seed %lu: edge %zu passes box %zu", (unsigned long)seed, k, i);
            cr_expect_not(overlap(label_of(edge), box),
                          "seed %lu: label %zu is in box %zu", (unsigned long)seed, k, i);
        }
    }
    for (size_t i = 0; i < layout->edge_count; i++) {
        struct area label = label_of(&layout->edges[i]);
        for (size_t k = 0; k < layout->edge_count; k++) {
            cr_expect(k == i || !overlap(label, label_of(&layout->edges[k])),
                      "seed %lu: labels %zu and %zu", (unsigned long)seed, k, i);
            cr_expect_not(line_passes(layout, &layout->edges[k], label),
                          "seed %lu: edge %zu passes label %zu", (unsigned long)seed, k,
                          i);
        }
    }
}

// Whether a point is on the border of a box.
static bool is_at(struct area box, struct hp_layout_point point) {
    bool is_beside = point.x == box.left || point.x == box.right;
    bool is_above = point.y == box.top || point.y == box.bottom;
    return point.x >= box.left && point.x <= box.right && point.y >= box.top &&
           point.y <= box.bottom && (is_beside || is_above);
}

// Expect that each edge leads from caller to callee, downwards unless it is turned.
static void expect_ends(const struct graph *graph, uint64_t seed) {
    const struct hp_layout *layout = &graph->layout;
    for (size_t i = 0; i < layout->edge_count; i++) {
        const struct hp_layout_edge *edge = &layout->edges[i];
        struct area from = box_of(&layout->nodes[edge->from]);
        struct area to = box_of(&layout->nodes[edge->to]);
        cr_assert(edge->is_drawn && edge->count >= 2);
        const struct hp_layout_point *points = &layout->points.at[edge->first];
        cr_expect(is_at(from, points[0]) && is_at(to, points[edge->count - 1]),
                  "seed %lu: edge %zu", (unsigned long)seed, i);
        bool is_down = from.bottom < to.top, is_up = to.bottom < from.top;
        cr_expect(edge->from == edge->to || (edge->is_turned ? is_up : is_down),
                  "seed %lu: edge %zu leads another way", (unsigned long)seed, i);
    }
}

Test(layout, has_no_box_line_or_label_on_another) {
    for (uint64_t seed = 0; seed < RANDOM_GRAPHS; seed++) {
        struct graph graph = {0};
        make_random(&graph, seed);
        expect_room(&graph, seed);
        done(&graph);
    }
}

Test(layout, leads_each_edge_from_its_caller_to_its_callee) {
    for (uint64_t seed = 0; seed < RANDOM_GRAPHS; seed++) {
        struct graph graph = {0};
        make_random(&graph, seed);
        expect_ends(&graph, seed);
        done(&graph);
    }
}

// Side of the line from `a` to `b` on which `c` is: -1, 0 or 1.
static int side_of(struct hp_layout_point a, struct hp_layout_point b,
                   struct hp_layout_point c) {
    double area = (double)(b.x - a.x) * (double)(c.y - a.y) -
                  (double)(b.y - a.y) * (double)(c.x - a.x);
    return (area > 0) - (area < 0);
}

// Number of crossings of two edges.
static size_t count_crossings(const struct hp_layout *layout, size_t a, size_t b) {
    const struct hp_layout_edge *one = &layout->edges[a], *other = &layout->edges[b];
    size_t count = 0;
    for (size_t i = 1; i < one->count; i++) {
        const struct hp_layout_point *p = &layout->points.at[one->first + i];
        for (size_t k = 1; k < other->count; k++) {
            const struct hp_layout_point *q = &layout->points.at[other->first + k];
            count += side_of(p[-1], p[0], q[-1]) * side_of(p[-1], p[0], q[0]) < 0 &&
                     side_of(q[-1], q[0], p[-1]) * side_of(q[-1], q[0], p[0]) < 0;
        }
    }
    return count;
}

Test(layout, crosses_lines_as_often_as_it_says) {
    for (uint64_t seed = 0; seed < RANDOM_GRAPHS; seed++) {
        struct graph graph = {0};
        size_t crossings = 0;
        make_random(&graph, seed);
        for (size_t i = 0; i < graph.edges.count; i++) {
            for (size_t k = 0; k < i; k++) {
                crossings += count_crossings(&graph.layout, i, k);
            }
        }
        cr_expect_eq(crossings, graph.layout.crossings, "seed %lu: %zu, not %zu",
                     (unsigned long)seed, crossings, graph.layout.crossings);
        done(&graph);
    }
}

Test(layout, does_not_depend_on_the_order_of_edges) {
    for (uint64_t seed = 0; seed < RANDOM_GRAPHS; seed++) {
        struct graph graph = {0}, other = {0};
        make_random(&graph, seed);
        hp_vec_append(&other.nodes, graph.nodes.at, graph.nodes.count);
        for (size_t i = graph.edges.count; i-- > 0;) {
            hp_vec_push(&other.edges, graph.edges.at[i]);
        }
        find(&other);
        for (size_t i = 0; i < graph.nodes.count; i++) {
            cr_expect(graph.nodes.at[i].at.x == other.nodes.at[i].at.x &&
                          graph.nodes.at[i].at.y == other.nodes.at[i].at.y,
                      "seed %lu: node %zu", (unsigned long)seed, i);
        }
        done(&graph);
        done(&other);
    }
}

// --- small graphs ----------------------------------------------------------------------

Test(layout, has_nothing_to_do_for_no_nodes) {
    struct graph graph = {0};
    find(&graph);
    cr_expect_eq(graph.layout.width, 0);
    done(&graph);
}

Test(layout, turns_the_lightest_edge_of_a_circle) {
    static const int64_t weights[4] = {30, 20, 10, 40};
    for (uint32_t lightest = 0; lightest < 4; lightest++) {
        struct graph graph = {0};
        add_nodes(&graph, 4);
        for (uint32_t i = 0; i < 4; i++) {
            add_edge(&graph, i, (i + 1) % 4, weights[(i + 6 - lightest) % 4]);
        }
        find(&graph);
        for (uint32_t i = 0; i < 4; i++) {
            cr_expect_eq(graph.edges.at[i].is_turned, i == lightest, "%u of %u", i,
                         lightest);
        }
        done(&graph);
    }
}

Test(layout, turns_no_edge_where_there_is_no_circle) {
    struct graph graph = {0};
    uint64_t state = 1;
    add_nodes(&graph, 50);
    // Callers have larger numbers, so that there is no cycle.
    for (uint32_t i = 0; i < 120; i++) {
        uint32_t to = next_random(&state) % 49;
        uint32_t from = to + 1 + next_random(&state) % (49 - to);
        if (!has_edge(&graph, from, to)) {
            add_edge(&graph, from, to, 1 + next_random(&state) % 9);
        }
    }
    find(&graph);
    for (size_t i = 0; i < graph.edges.count; i++) {
        cr_expect_not(graph.edges.at[i].is_turned, "edge %zu", i);
    }
    done(&graph);
}

Test(layout, draws_trees_without_crossings_and_callers_above_the_middle) {
    struct graph graph = {0};
    add_nodes(&graph, 40);
    for (uint32_t i = 1; i < 40; i++) {
        add_edge(&graph, (i - 1) / 3, i, 1);
    }
    find(&graph);
    cr_expect_eq(graph.layout.crossings, 0);
    cr_expect_eq(graph.nodes.at[0].at.x, graph.nodes.at[2].at.x);
    done(&graph);
}

Test(layout, untangles_what_need_not_cross) {
    struct graph graph = {0};
    add_nodes(&graph, 12);
    for (uint32_t i = 0; i < 6; i++) { // a ladder with shuffled lower ends
        add_edge(&graph, i, 6 + i * 5 % 6, 1);
        add_edge(&graph, i, 6 + (i + 1) * 5 % 6, 1);
    }
    find(&graph);
    cr_expect_leq(graph.layout.crossings, 5, "%zu", graph.layout.crossings);
    done(&graph);
}

Test(layout, draws_a_call_of_oneself_beside_its_box) {
    struct graph graph = {0};
    add_nodes(&graph, 2);
    add_edge(&graph, 0, 0, 5);
    add_edge(&graph, 0, 1, 5);
    find(&graph);
    const struct hp_layout_edge *edge = &graph.edges.at[0];
    struct area box = box_of(&graph.nodes.at[0]);
    cr_expect(edge->is_drawn && edge->count == 4);
    cr_expect_eq(graph.layout.points.at[edge->first].x, box.right);
    cr_expect_gt(edge->label_at.x, box.right);
    done(&graph);
}

Test(layout, keeps_a_caller_close_to_its_only_callee) {
    struct graph graph = {0};
    add_nodes(&graph, 6);
    for (uint32_t i = 0; i < 4; i++) {
        add_edge(&graph, i, i + 1, 10);
    }
    add_edge(&graph, 5, 4, 1);
    find(&graph);
    cr_expect_eq(graph.nodes.at[5].at.y, graph.nodes.at[3].at.y);
    done(&graph);
}

// --- large graphs ----------------------------------------------------------------------

// Compute the layout; returns seconds of CPU time.  Limits allow for builds with
// sanitizers.
static double time_of(struct graph *graph) {
    clock_t before = clock();
    find(graph);
    double seconds = (double)(clock() - before) / CLOCKS_PER_SEC;
    printf("# %zu nodes, %zu edges: %.2f s, %zu crossings\n", graph->nodes.count,
           graph->edges.count, seconds, graph->layout.crossings);
    return seconds;
}

static const double most_seconds = 10;

Test(layout, is_soon_done_with_a_circle_of_10000) {
    struct graph graph = {0};
    add_nodes(&graph, 10000);
    for (uint32_t i = 0; i < 10000; i++) {
        add_edge(&graph, i, (i + 1) % 10000, i == 7000 ? 1 : 2);
    }
    cr_expect_lt(time_of(&graph), most_seconds);
    for (size_t i = 0; i < 10000; i++) {
        const struct hp_layout_edge *edge = &graph.edges.at[i];
        cr_expect(edge->is_drawn && edge->is_turned == (i == 7000), "edge %zu", i);
    }
    done(&graph);
}

// The edges run against the order of nodes, so that each contradicts the initial
// assumption.
Test(layout, is_soon_done_with_callers_behind_callees) {
    struct graph graph = {0};
    add_nodes(&graph, 10000);
    for (uint32_t i = 1; i < 10000; i++) {
        add_edge(&graph, i, i - 1, i % 7 + 1);
    }
    cr_expect_lt(time_of(&graph), most_seconds);
    for (size_t i = 0; i < graph.edges.count; i++) {
        cr_expect(graph.edges.at[i].is_drawn && !graph.edges.at[i].is_turned);
    }
    done(&graph);
}

Test(layout, leaves_the_lightest_edges_out_of_what_would_take_too_long) {
    struct graph graph = {0};
    uint64_t state = 7;
    size_t drawn = 0, heaviest_left_out = 0, lightest_drawn = 1000000;
    add_nodes(&graph, 10000);
    for (size_t i = 0; i < 30000; i++) {
        add_edge(&graph, next_random(&state) % 10000, next_random(&state) % 10000,
                 1 + (int64_t)i);
    }
    cr_expect_lt(time_of(&graph), most_seconds);
    for (size_t i = 0; i < graph.edges.count; i++) {
        const struct hp_layout_edge *edge = &graph.edges.at[i];
        bool is_loop = edge->from == edge->to;
        drawn += edge->is_drawn;
        if (edge->is_drawn && !is_loop && i < lightest_drawn) {
            lightest_drawn = i;
        }
        heaviest_left_out = edge->is_drawn ? heaviest_left_out : i;
    }
    cr_expect(drawn > 100 && drawn <= HP_LAYOUT_EDGES + 10, "%zu", drawn);
    cr_expect_gt(heaviest_left_out, 0);
    done(&graph);
}

// Two layers that are fully connected: exchanging neighbours alone would take minutes.
Test(layout, is_soon_done_with_what_calls_everything) {
    struct graph graph = {0};
    add_nodes(&graph, 280);
    for (uint32_t i = 0; i < 140; i++) {
        for (uint32_t k = 140; k < 280; k++) {
            add_edge(&graph, i, k, 1);
        }
    }
    cr_expect_lt(time_of(&graph), most_seconds);
    done(&graph);
}
