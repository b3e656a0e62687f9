// The file of Valgrind's DHAT, version 2, as its dh_view.html and the Firefox Profiler read it:
//
//     {"dhatFileVersion": 2, "mode": "heap", "verb": "Allocated", "bklt": true, "bkacc": false,
//      "tu": "µprofiles", "Mtu": "profile", "tuth": 0, "cmd": "heap profile", "pid": 0,
//      "te": 1000000, "tg": 1000000,
//      "pps": [{"tb": 4096, "tbk": 1, "tl": 0, "mb": 4096, "mbk": 1, "gb": 4096, "gbk": 1,
//               "eb": 4096, "ebk": 1, "fs": [2, 1]}, ...],
//      "ftbl": ["[root]", "0x1200: main (main.c:10)", "0x12f0: leaf (in /srv/app)"]}
//
// Bytes and blocks: t is what was allocated in all, e what is in use at the end, m and g at most
// and when most was; here the end is the only time that is known.  Of dumps that do not tell
// allocations t is what is in use.  fs are places in ftbl, leaf first.  Rates are per million
// units of time, which is why there are as many.
#include "report/json/jsontext.h"
#include "report/notes.h"
#include "report/report.h"
#include "view/paths.h"
#include "view/shares.h"

#include "base/units.h"

struct writer {
    struct hp_sink *out;
    const struct hp_profile *profile;
    struct hp_paths paths;
    hp_int128 *shares[HP_METRICS]; // of each path
    uint32_t *frame_of;            // of each call: its place in ftbl; 0: in no path
};

static bool is_shown(const struct writer *w, size_t path) {
    bool any = false;
    for (int i = 0; i < HP_METRICS; i++) {
        any |= w->shares[i][path] > 0;
    }
    return any;
}

// --- allocations --------------------------------------------------------------------------

static void number_frames(struct writer *w) {
    uint32_t count = 0;
    w->frame_of = hp_alloc(w->paths.place_count * sizeof *w->frame_of);
    for (size_t i = 0; i < w->paths.paths.count; i++) {
        const struct hp_path *path = &w->paths.paths.at[i];
        for (uint32_t k = 0; k < path->depth && is_shown(w, i); k++) {
            uint32_t calls = hp_paths_place(&w->paths, path->places[k]).count;
            for (uint32_t call = 0; call < calls; call++) {
                w->frame_of[path->places[k] + call] = 1;
            }
        }
    }
    for (size_t i = 0; i < w->paths.place_count; i++) {
        w->frame_of[i] = w->frame_of[i] ? ++count : 0;
    }
}

static void put_number(const struct writer *w, const char *key, hp_int128 number) {
    char text[HP_NUMBER_SIZE];
    hp_format_integer(text, number);
    hp_sink_print(w->out, "\"%s\": %s, ", key, text);
}

static void put_path(const struct writer *w, size_t number) {
    bool has_alloc = w->profile->has_alloc;
    hp_int128 bytes = w->shares[HP_INUSE_SPACE][number];
    hp_int128 blocks = w->shares[HP_INUSE_OBJECTS][number];
    hp_sink_text(w->out, "{");
    put_number(w, "tb", has_alloc ? w->shares[HP_ALLOC_SPACE][number] : bytes);
    put_number(w, "tbk", has_alloc ? w->shares[HP_ALLOC_OBJECTS][number] : blocks);
    put_number(w, "tl", 0);
    for (const char *kind = "mge"; *kind; kind++) {
        put_number(w, (char[]){*kind, 'b', '\0'}, bytes);
        put_number(w, (char[]){*kind, 'b', 'k', '\0'}, blocks);
    }
    const struct hp_path *path = &w->paths.paths.at[number];
    const char *between = "\"fs\": [";
    for (uint32_t i = 0; i < path->depth; i++) {
        uint32_t calls = hp_paths_place(&w->paths, path->places[i]).count;
        for (uint32_t call = 0; call < calls; call++) {
            uint32_t frame = w->frame_of[path->places[i] + call];
            hp_sink_print(w->out, "%s%u", between, (unsigned)frame);
            between = ",";
        }
    }
    hp_sink_text(w->out, "]}");
}

static void put_paths(const struct writer *w) {
    const char *between = "\n  ";
    for (size_t i = 0; i < w->paths.paths.count; i++) {
        if (is_shown(w, i)) {
            hp_sink_text(w->out, between);
            put_path(w, i);
            between = ",\n  ";
        }
    }
}

// --- frames -------------------------------------------------------------------------------

// "0x1200: main (main.c:10)", "0x12f0: leaf (in /srv/app)"
static void put_frame(const struct writer *w, uint32_t number) {
    const struct hp_strtab *strings = &w->profile->strings;
    struct hp_place place = hp_paths_place(&w->paths, number);
    uint64_t offset =
        place.frame && place.frame->offset > 0 ? place.frame->offset - 1 : 0;
    hp_module_id module = place.frame ? place.frame->module : (hp_module_id){0};
    struct hp_span where = hp_strtab_span(strings, w->profile->modules.at[module.n].path);
    bool has_file = place.lines && place.lines->file.n;
    hp_sink_print(w->out, ",\n  \"0x%llx: ", (unsigned long long)offset);
    hp_json_characters(w->out, hp_node_name(&w->paths.naming, place.calls->node));
    hp_sink_text(w->out, has_file ? " (" : " (in ");
    where = has_file ? hp_strtab_span(strings, place.lines->file) : where;
    hp_json_characters(w->out, where.size > 0 ? where : hp_span_of("???"));
    if (has_file && place.lines->line > 0) {
        hp_sink_print(w->out, ":%u", (unsigned)place.lines->line);
    }
    hp_sink_text(w->out, ")\"");
}

static void put_frames(const struct writer *w) {
    hp_sink_text(w->out, "\"[root]\"");
    for (uint32_t i = 0; i < w->paths.place_count; i++) {
        if (w->frame_of[i]) {
            put_frame(w, i);
        }
    }
}

// --- the rest -----------------------------------------------------------------------------

static void put_head(const struct writer *w, enum hp_report_kind kind) {
    hp_sink_text(w->out,
                 "{\"dhatFileVersion\": 2, \"mode\": \"heap\", \"verb\": \"Allocated\", "
                 "\"bklt\": true, \"bkacc\": false,\n \"tu\": \"µprofiles\", \"Mtu\": "
                 "\"profile\", \"tuth\": 0, \"cmd\": \"heap profile\", \"pid\": 0, "
                 "\"te\": 1000000, \"tg\": 1000000,\n \"notes\": [");
    hp_notes_json(w->out, w->profile, kind);
    hp_sink_text(w->out, "],\n \"pps\": [");
}

static void write_dhat(struct hp_sink *out, const struct hp_profile *profile,
                       const struct hp_report_options *options) {
    struct writer w = {.out = out, .profile = profile};
    hp_paths_init(&w.paths, profile, options);
    struct hp_share_groups groups = {profile, w.paths.path_of, w.paths.paths.count};
    for (enum hp_metric metric = 0; metric < HP_METRICS; metric++) {
        w.shares[metric] = hp_shares(&groups, metric);
    }
    number_frames(&w);
    put_head(&w, options->kind);
    put_paths(&w);
    hp_sink_text(out, "],\n \"ftbl\": [");
    put_frames(&w);
    hp_sink_text(out, "]}\n");
    for (int i = 0; i < HP_METRICS; i++) {
        free(w.shares[i]);
    }
    free(w.frame_of);
    hp_paths_done(&w.paths);
}

const struct hp_format_writer hp_dhat_writer = {
    .name = "dhat",
    .files = "dhat.out* *.dhat.json *.dhat dhat-heap.json",
    .help = "for Valgrind's dh_view.html, all addresses and lines, whatever --by says",
    .kinds = 1 << HP_REPORT_TOP | 1 << HP_REPORT_STACKS | 1 << HP_REPORT_MERGE,
    .unsigned_kinds = 1 << HP_REPORT_TOP | 1 << HP_REPORT_STACKS | 1 << HP_REPORT_MERGE,
    .write = write_dhat,
};
