// The file of Valgrind's DHAT, version 2, as its dh_view.html and the Firefox Profiler
// read it:
//
//     {"dhatFileVersion": 2, "mode": "heap", "verb": "Allocated", "bklt": true,
//      "bkacc": false, "tu": "µprofiles", "Mtu": "profile", "tuth": 0,
//      "cmd": "heap profile", "pid": 0, "te": 1000000, "tg": 1000000,
//      "pps": [{"tb": 4096, "tbk": 1, "tl": 0, "mb": 4096, "mbk": 1, "gb": 4096,
//               "gbk": 1, "eb": 4096, "ebk": 1, "fs": [2, 1]}, ...],
//      "ftbl": ["[root]", "0x1200: main (main.c:10)", "0x12f0: leaf (in /srv/app)"]}
//
// Keys of bytes end in "b", of blocks in "bk".  "t" is everything that was allocated, "e"
// is in use at the end, "m" is the maximum of this stack, "g" is the value at the time of
// the global maximum; here the end is the only known time.  In dumps without allocated
// bytes "t" is the memory in use.  "fs" are places in "ftbl", leaf first.  The viewer
// shows rates per million units of time, so that there are as many units.
#include "report/format.h"
#include "report/notes.h"

// State of writing a DHAT file.
struct dhat_writer {
    struct hp_json json;
    const struct hp_view *view;
    const struct hp_stacks *stacks;
    hp_int128 *whole[HP_METRICS]; // for each metric: whole numbers of all stacks
    // For each call: its index in "ftbl"; 0: it is in no stack that is written.
    uint32_t *frame_of;
};

// Whether any metric of a stack is above zero; other stacks are not written.
static bool is_shown(const struct dhat_writer *w, size_t stack) {
    bool any = false;
    for (int i = 0; i < HP_METRICS; i++) {
        any |= w->whole[i][stack] > 0;
    }
    return any;
}

// --- allocations --------------------------------------------------------------------------

// Number the frames of all stacks that are written, from 1 on; 0 is "[root]".
static void number_frames(struct dhat_writer *w) {
    uint32_t count = 0;
    w->frame_of = hp_alloc(w->stacks->place_count * sizeof *w->frame_of);
    for (size_t i = 0; i < w->stacks->all.count; i++) {
        const struct hp_stack_key *stack = &w->stacks->all.at[i];
        for (uint32_t k = 0; k < stack->depth && is_shown(w, i); k++) {
            uint32_t calls = hp_stacks_place(w->stacks, stack->at[k]).count;
            for (uint32_t call = 0; call < calls; call++) {
                w->frame_of[stack->at[k] + call] = 1;
            }
        }
    }
    for (size_t i = 0; i < w->stacks->place_count; i++) {
        w->frame_of[i] = w->frame_of[i] ? ++count : 0;
    }
}

// Write one element of "pps": the values of a stack and its frames.
static void put_stack(struct dhat_writer *w, size_t number) {
    struct hp_json *json = &w->json;
    bool has_alloc = w->view->head.has_alloc;
    hp_int128 bytes = w->whole[HP_INUSE_SPACE][number];
    hp_int128 blocks = w->whole[HP_INUSE_OBJECTS][number];
    hp_json_row(json, 2);
    hp_json_put_integer(json, "tb", has_alloc ? w->whole[HP_ALLOC_SPACE][number] : bytes);
    hp_json_put_integer(json, "tbk",
                        has_alloc ? w->whole[HP_ALLOC_OBJECTS][number] : blocks);
    hp_json_put_count(json, "tl", 0);
    for (const char *kind = "mge"; *kind; kind++) {
        hp_json_put_integer(json, (char[]){*kind, 'b', '\0'}, bytes);
        hp_json_put_integer(json, (char[]){*kind, 'b', 'k', '\0'}, blocks);
    }
    const struct hp_stack_key *stack = &w->stacks->all.at[number];
    hp_json_open(json, "fs", '[');
    json->is_dense = true;
    for (uint32_t i = 0; i < stack->depth; i++) {
        uint32_t calls = hp_stacks_place(w->stacks, stack->at[i]).count;
        for (uint32_t call = 0; call < calls; call++) {
            hp_json_put_count(json, NULL, w->frame_of[stack->at[i] + call]);
        }
    }
    hp_json_close(json);
    json->is_dense = false;
    hp_json_close(json);
}

static void put_stacks(struct dhat_writer *w) {
    hp_json_line(&w->json, 1);
    hp_json_open(&w->json, "pps", '[');
    for (size_t i = 0; i < w->stacks->all.count; i++) {
        if (is_shown(w, i)) {
            put_stack(w, i);
        }
    }
    hp_json_close(&w->json);
}

// --- frames -------------------------------------------------------------------------------

// Write a frame: "0x1200: main (main.c:10)", or with the library if no file is known:
// "0x12f0: leaf (in /srv/app)".
static void put_frame(struct dhat_writer *w, uint32_t number) {
    struct hp_place place = hp_stacks_place(w->stacks, number);
    uint64_t address = place.frame ? hp_address_of_call(place.frame) : 0;
    hp_module_id module = place.frame ? place.frame->module : (hp_module_id){0};
    struct hp_span where = hp_view_string(w->view, hp_view_module(w->view, module)->path);
    bool has_file = place.lines && place.lines->file.n;
    hp_json_line(&w->json, 2);
    struct hp_sink *out = hp_json_value(&w->json, NULL);
    hp_sink_print(out, "\"0x%llx: ", (unsigned long long)address);
    hp_json_characters(out, hp_view_node(w->view, place.calls->node));
    hp_sink_text(out, has_file ? " (" : " (in ");
    where = has_file ? hp_view_string(w->view, place.lines->file) : where;
    hp_json_characters(out, where.size > 0 ? where : hp_span_of("???"));
    if (has_file && place.lines->line > 0) {
        hp_sink_print(out, ":%u", (unsigned)place.lines->line);
    }
    hp_sink_text(out, ")\"");
}

// Write the frame table; its first entry is the root.
static void put_frames(struct dhat_writer *w) {
    hp_json_line(&w->json, 1);
    hp_json_open(&w->json, "ftbl", '[');
    hp_json_put_word(&w->json, NULL, "[root]");
    for (uint32_t i = 0; i < w->stacks->place_count; i++) {
        if (w->frame_of[i]) {
            put_frame(w, i);
        }
    }
    hp_json_close(&w->json);
}

// --- the rest -----------------------------------------------------------------------------

// Write everything before the stacks.
static void put_head(struct dhat_writer *w) {
    struct hp_json *json = &w->json;
    hp_json_open(json, NULL, '{');
    hp_json_put_count(json, "dhatFileVersion", 2);
    hp_json_put_word(json, "mode", "heap");
    hp_json_put_word(json, "verb", "Allocated");
    hp_json_put_truth(json, "bklt", true);
    hp_json_put_truth(json, "bkacc", false);
    hp_json_line(json, 1);
    hp_json_put_word(json, "tu", "µprofiles");
    hp_json_put_word(json, "Mtu", "profile");
    hp_json_put_count(json, "tuth", 0);
    hp_json_put_word(json, "cmd", "heap profile");
    hp_json_put_count(json, "pid", 0);
    hp_json_put_count(json, "te", 1000000);
    hp_json_put_count(json, "tg", 1000000);
    hp_json_line(json, 1);
    hp_notes_json(json, w->view);
}

static void write_dhat(struct hp_sink *out, const struct hp_view *view) {
    const struct hp_selection all = {HP_OF_ALL, 0};
    struct dhat_writer w = {.json = {.out = out}, .view = view, .stacks = &view->stacks};
    for (enum hp_metric metric = 0; metric < HP_METRICS; metric++) {
        w.whole[metric] = hp_stacks_whole(w.stacks, all, metric);
    }
    number_frames(&w);
    put_head(&w);
    put_stacks(&w);
    put_frames(&w);
    hp_json_close(&w.json);
    hp_sink_text(out, "\n");
    for (int i = 0; i < HP_METRICS; i++) {
        free(w.whole[i]);
    }
    free(w.frame_of);
}

const struct hp_format hp_format_dhat = {
    .name = "dhat",
    .files = "dhat.out* *.dhat.json *.dhat dhat-heap.json",
    .help = "for Valgrind's dh_view.html, all addresses and lines, whatever --by says",
    .can = HP_CAN_ONLY_GROW | HP_READ_AS_DOUBLE | HP_HAS_ALL_METRICS,
    .shape = HP_SHAPE_ADDRESSES,
    .write = {[HP_REPORT_TOP] = write_dhat,
              [HP_REPORT_STACKS] = write_dhat,
              [HP_REPORT_MERGE] = write_dhat},
};
