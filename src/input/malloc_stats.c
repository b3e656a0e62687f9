// The members that are read of the JSON of malloc_stats_print(write, data, "J")
// (jemalloc's src/stats.c). All numbers are in bytes unless a name says pages or counts:
//
//     {"jemalloc": {"opt": {"lg_prof_sample": 19, ...}, "prof": {"lg_sample": 19},
//       "arenas": {"page": 4096, "bin": [{"size", "nregs", "slab_size"}],
//         "lextent": [{"size"}]},
//       "stats": {"allocated", "active", "metadata", "resident", "mapped", "retained"},
//       "stats.arenas": {"merged" or, with one arena, "0": {"pdirty", "pmuzzy", "base",
//         "internal", "tcache_bytes", "uptime_ns", "large": {"allocated"},
//         "bins": [{"curregs", "curslabs", "nonfull_slabs", "nmalloc", "ndalloc",
//                   "prof_live_count", "prof_live_requested"}],
//         "lextents": [{"curlextents"}]}}}}
//
// jemalloc 4 has runs instead of slabs, runs and chunks instead of extents, and no base.
// It writes some keys twice ("stats_print"), which is accepted.
#include "input/malloc_stats.h"

#include "input/json_reader.h"

#include <stdio.h>
#include <string.h>

#ifdef HP_WITH_JANSSON
#    include <jansson.h>

enum {
    MOST_CLASSES = 4096, // size classes of a list at most
    LG_SAMPLE_MOST = 62, // log2 of a sample period at most
    LARGEST_PAGE = 1 << 30,
};

// Largest count or number of bytes accepted, so that sums fit into 64 bits.
static const int64_t largest_count = (int64_t)1 << 56;
static const char is_beyond[] =
    HP_WORDS("stats-number-too-large", "is beyond what a machine can have");

// State of reading the statistics of an allocator. Remembers its first failure: after it
// all numbers read as 0.
struct stats_reader {
    struct hp_err *err; // gets the first failure
    int ret;            // HP_OK, or the code of the failure
};

// Whether a member must be present; an optional one that is missing is 0.
enum need {
    REQUIRED,
    OPTIONAL,
};

// Record a failure about the member part.name, unless there was one before.
static void fail(struct stats_reader *r, const char *part, const char *name,
                 const char *what) {
    if (r->ret == HP_OK) {
        r->ret =
            hp_fail(r->err, HP_E_FORMAT,
                    HP_MESSAGE("stats-member", "malloc_stats_print's JSON: %s%s%s %s"),
                    part, *part ? "." : "", name, hp_words(what));
    }
}

// Read the number `name` of the object `in`; `part` names that object in messages.
// Returns 0 after a failure.
static uint64_t count_of(struct stats_reader *r, const json_t *in, const char *part,
                         const char *name, enum need need) {
    const json_t *value = json_object_get(in, name);
    if (!value) {
        if (need == REQUIRED) {
            fail(r, part, name, HP_WORDS("stats-number-missing", "is missing"));
        }
        return 0;
    }
    int64_t count = json_integer_value(value);
    if (!json_is_integer(value)) {
        fail(r, part, name, HP_WORDS("stats-not-whole", "is not a whole number"));
    } else if (count < 0 || count > largest_count) {
        fail(r, part, name,
             count < 0 ? HP_WORDS("stats-below-zero", "is below zero") : is_beyond);
    }
    return r->ret == HP_OK ? (uint64_t)count : 0;
}

// Check that `count` items of `size` bytes are no more than largest_count, so that sums
// of such products need no checks.
static void check_bytes(struct stats_reader *r, const char *part, const char *name,
                        uint64_t count, uint64_t size) {
    if ((hp_uint128)count * size > (hp_uint128)largest_count) {
        fail(r, part, name, is_beyond);
    }
}

// Returns the object `name` of `in`; fails if it is missing or no object.
static json_t *object_of(struct stats_reader *r, const json_t *in, const char *name) {
    json_t *value = json_object_get(in, name);
    if (!json_is_object(value)) {
        fail(r, "", name,
             value ? HP_WORDS("stats-no-object", "is not an object")
                   : HP_WORDS("stats-object-missing", "is missing"));
    }
    return value;
}

// --- options ---------------------------------------------------------------------------

// Whether a text has only letters, digits and plain punctuation: it is printed without
// escaping.
static bool is_plain(const char *text) {
    return strspn(text,
                  "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                  "_-.,|") == strlen(text);
}

// Store an option of jemalloc in stats->knobs as "name:value". The value may be an
// integer, a boolean or a text; a text that is too long or not plain is skipped.
static void read_knob(struct hp_allocator_stats *stats, enum hp_knob knob,
                      const char *name, const json_t *value) {
    char *to = stats->knobs[knob];
    if (json_is_integer(value)) {
        snprintf(to, HP_KNOB_SIZE, "%s:%lld", name, (long long)json_integer_value(value));
    } else if (json_is_boolean(value)) {
        snprintf(to, HP_KNOB_SIZE, "%s:%s", name, json_is_true(value) ? "true" : "false");
    } else if (json_is_string(value) && is_plain(json_string_value(value)) &&
               strlen(name) + 1 + json_string_length(value) < HP_KNOB_SIZE) {
        snprintf(to, HP_KNOB_SIZE, "%s:%s", name, json_string_value(value));
    }
}

// Read the options of jemalloc that reports mention, and those that change the sizes of
// objects.
static void read_options(struct stats_reader *r, struct hp_allocator_stats *stats,
                         const json_t *jemalloc) {
    static const struct {
        enum hp_knob knob;
        const char *name;
    } knobs[] = {
        {HP_KNOB_LG_PROF_SAMPLE, "lg_prof_sample"},
        {HP_KNOB_TCACHE_MAX, "lg_tcache_max"},
        {HP_KNOB_TCACHE_MAX, "tcache_max"},
        {HP_KNOB_CACHE_OBLIVIOUS, "cache_oblivious"},
        {HP_KNOB_DIRTY_DECAY, "dirty_decay_ms"},
        {HP_KNOB_MUZZY_DECAY, "muzzy_decay_ms"},
        {HP_KNOB_METADATA_THP, "metadata_thp"},
        {HP_KNOB_NARENAS, "narenas"},
        {HP_KNOB_RETAIN, "retain"},
    };

    const json_t *opt = object_of(r, jemalloc, "opt");
    const json_t *oblivious = json_object_get(opt, "cache_oblivious");
    for (size_t i = 0; i < sizeof knobs / sizeof *knobs; i++) {
        read_knob(stats, knobs[i].knob, knobs[i].name,
                  json_object_get(opt, knobs[i].name));
    }
    if (!oblivious) { // before 5.3 it was an option of jemalloc's build
        oblivious =
            json_object_get(json_object_get(jemalloc, "config"), "cache_oblivious");
    }
    stats->cache_oblivious = json_is_true(oblivious);
    stats->has_pages = json_is_true(json_object_get(opt, "disable_large_size_classes"));
}

// Read the sample period that is in effect now, which prof.reset may have changed since
// the start.
static void read_sampling(struct stats_reader *r, struct hp_allocator_stats *stats,
                          const json_t *jemalloc) {
    const json_t *opt = json_object_get(jemalloc, "opt");
    const json_t *prof = json_object_get(jemalloc, "prof");
    bool has_prof = json_object_get(prof, "lg_sample") != NULL;
    stats->has_sampling = json_is_true(json_object_get(opt, "prof")) &&
                          (has_prof || json_object_get(opt, "lg_prof_sample"));
    if (!stats->has_sampling) {
        return;
    }
    stats->bt_max = count_of(r, opt, "opt", "prof_bt_max", OPTIONAL); // since 5.3.1
    stats->lg_sample = has_prof ? count_of(r, prof, "prof", "lg_sample", REQUIRED)
                                : count_of(r, opt, "opt", "lg_prof_sample", REQUIRED);
    if (stats->lg_sample > LG_SAMPLE_MOST) {
        fail(r, "prof", "lg_sample", HP_WORDS("stats-page-too-large", "is more than 62"));
    }
}

// --- classes ---------------------------------------------------------------------------

// Returns the list `name` of `in`, or NULL if it is missing or after a failure.
static const json_t *list_of(struct stats_reader *r, const json_t *in, const char *name) {
    const json_t *list = json_object_get(in, name);
    if (list && !json_is_array(list)) {
        fail(r, "", name, HP_WORDS("stats-no-list", "is not a list"));
    } else if (json_array_size(list) > MOST_CLASSES) {
        fail(r, "", name, HP_WORDS("stats-many-classes", "has more than 4096 classes"));
    }
    return r->ret == HP_OK ? list : NULL;
}

// Check the two lists about size classes: lists[0] has their sizes, lists[1] their
// contents. Returns false if one is missing, which happens if "b" or "l" is among the
// letters given to jemalloc, or after a failure.
static bool find_lists(struct stats_reader *r, const json_t *lists[2], const char *name) {
    size_t count = json_array_size(lists[0]);
    if (lists[0] && lists[1] && count != json_array_size(lists[1])) {
        fail(r, "stats.arenas", name,
             HP_WORDS("stats-few-classes", "has fewer classes than there are"));
    }
    return r->ret == HP_OK && lists[0] && lists[1];
}

// Returns `name` if the object `in` has a member of this name, else `older`, the name in
// earlier versions of jemalloc.
static const char *either(const json_t *in, const char *name, const char *older) {
    return json_object_get(in, name) ? name : older;
}

// Read a size class of small objects, and check that its numbers are consistent. `class`
// describes the class (size, slab); `of` has the numbers of its objects and slabs.
static struct hp_bin_stats read_bin(struct stats_reader *r, const json_t *class,
                                    const json_t *of) {
    struct hp_bin_stats bin = {
        .size = count_of(r, class, "bin", "size", REQUIRED),
        .nregs = count_of(r, class, "bin", "nregs", REQUIRED),
        .slab_size =
            count_of(r, class, "bin", either(class, "slab_size", "run_size"), REQUIRED),
        .curregs = count_of(r, of, "bins", "curregs", REQUIRED),
        .curslabs = count_of(r, of, "bins", either(of, "curslabs", "curruns"), REQUIRED),
        .nonfull_slabs = count_of(r, of, "bins", "nonfull_slabs", OPTIONAL),
        .nmalloc = count_of(r, of, "bins", "nmalloc", REQUIRED),
        .ndalloc = count_of(r, of, "bins", "ndalloc", REQUIRED),
        .live_count = count_of(r, of, "bins", "prof_live_count", OPTIONAL),
        .live_requested = count_of(r, of, "bins", "prof_live_requested", OPTIONAL),
    };
    if (r->ret == HP_OK &&
        (bin.size == 0 || bin.nregs == 0 || bin.slab_size / bin.nregs < bin.size)) {
        fail(r, "arenas", "bin",
             HP_WORDS("stats-slab-regions", "has slabs that do not hold their regions"));
    }
    if (r->ret == HP_OK && bin.curregs > (hp_uint128)bin.curslabs * bin.nregs) {
        r->ret = hp_fail(
            r->err, HP_E_FORMAT,
            HP_MESSAGE(
                "stats-objects-exceed-slabs",
                "statistics: more objects of %llu bytes, %llu, than fit in %llu slabs "
                "of %llu"),
            (unsigned long long)bin.size, (unsigned long long)bin.curregs,
            (unsigned long long)bin.curslabs, (unsigned long long)bin.nregs);
    }
    check_bytes(r, "bins", "curslabs", bin.curslabs, bin.slab_size);
    check_bytes(r, "bins", "prof_live_count", bin.live_count, bin.size);
    return bin;
}

// Read all size classes of small objects.
static void read_bins(struct stats_reader *r, struct hp_allocator_stats *stats,
                      const json_t *arenas, const json_t *arena) {
    const json_t *lists[2] = {list_of(r, arenas, "bin"), list_of(r, arena, "bins")};
    stats->has_classes = find_lists(r, lists, "bins");
    for (size_t i = 0; stats->has_classes && i < json_array_size(lists[0]); i++) {
        const json_t *of = json_array_get(lists[1], i);
        struct hp_bin_stats bin = read_bin(r, json_array_get(lists[0], i), of);
        hp_vec_push(&stats->bins, bin);
        stats->has_live |= json_object_get(of, "prof_live_count") != NULL;
    }
}

// Read the size classes of large objects. Classes without objects are skipped, except the
// first.
static void read_extents(struct stats_reader *r, struct hp_allocator_stats *stats,
                         const json_t *arenas, const json_t *arena) {
    static const char *const names[][3] = {
        {"lextent", "lextents", "curlextents"},
        {"lrun", "lruns", "curruns"},
        {"hchunk", "hchunks", "curhchunks"},
    };
    bool has_any = false;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        const json_t *lists[2] = {list_of(r, arenas, names[k][0]),
                                  list_of(r, arena, names[k][1])};
        if (!find_lists(r, lists, names[k][1])) {
            continue;
        }
        has_any = true;
        for (size_t i = 0; i < json_array_size(lists[0]); i++) {
            struct hp_extent_stats extent = {
                .count = count_of(r, json_array_get(lists[1], i), names[k][1],
                                  names[k][2], REQUIRED),
            };
            if (extent.count > 0 || stats->extents.count == 0) {
                extent.size = count_of(r, json_array_get(lists[0], i), names[k][0],
                                       "size", REQUIRED);
                check_bytes(r, names[k][1], names[k][2], extent.count, extent.size);
                hp_vec_push(&stats->extents, extent);
            }
        }
    }
    stats->has_classes &= has_any;
}

// --- sums ------------------------------------------------------------------------------

// Check the totals against one another. jemalloc counts its own metadata as resident, and
// pages of its own as active. It reads these totals one after the other, so that
// "allocated" may exceed "active" if threads allocate meanwhile; that is no fault.
static void check_totals(struct stats_reader *r, const struct hp_allocator_stats *stats) {
    if (stats->active == 0 && stats->allocated > 0) {
        fail(r, "stats", "active",
             HP_WORDS("stats-allocated-zero", "is 0, and stats.allocated is not"));
    }
    if (stats->resident < stats->active) {
        fail(r, "stats", "resident",
             HP_WORDS("stats-below-active",
                      "is below stats.active: print it while less memory is freed"));
    }
}

// Read the totals of the process.
static void read_totals(struct stats_reader *r, struct hp_allocator_stats *stats,
                        const json_t *jemalloc) {
    const json_t *of = object_of(r, jemalloc, "stats");
    stats->allocated = count_of(r, of, "stats", "allocated", REQUIRED);
    stats->active = count_of(r, of, "stats", "active", REQUIRED);
    stats->metadata = count_of(r, of, "stats", "metadata", REQUIRED);
    stats->resident = count_of(r, of, "stats", "resident", REQUIRED);
    stats->mapped = count_of(r, of, "stats", "mapped", REQUIRED);
    stats->retained = count_of(r, of, "stats", "retained", OPTIONAL);
    check_totals(r, stats);
}

// Returns the sums over all arenas. With a single arena, not counting destroyed ones,
// jemalloc leaves the sums out: that arena is returned.
static const json_t *merged(struct stats_reader *r, const json_t *jemalloc) {
    const json_t *arenas = object_of(r, jemalloc, "stats.arenas");
    const json_t *all = json_object_get(arenas, "merged");
    size_t others = json_object_get(arenas, "destroyed") ? 1 : 0;
    if (!all && json_object_size(arenas) == 1 + others) {
        all = json_object_get(arenas, "0");
    }
    if (!json_is_object(all)) {
        fail(r, "stats.arenas", "merged",
             HP_WORDS("stats-needs-m", "is missing: print them without the letter m"));
    }
    return all;
}

// Returns nanoseconds since the start.  A count of bytes has a limit that a process can
// outlive.
static uint64_t uptime_of(const json_t *arena) {
    const json_t *value = json_object_get(arena, "uptime_ns");
    json_int_t count = json_integer_value(value);
    return count > 0 ? (uint64_t)count : 0;
}

// Read the sums over all arenas, and the size classes.
static void read_arenas(struct stats_reader *r, struct hp_allocator_stats *stats,
                        const json_t *jemalloc) {
    const json_t *arenas = object_of(r, jemalloc, "arenas");
    const json_t *all = merged(r, jemalloc);
    stats->page = count_of(r, arenas, "arenas", "page", REQUIRED);
    stats->pdirty = count_of(r, all, "arenas", "pdirty", REQUIRED);
    stats->pmuzzy = count_of(r, all, "arenas", "pmuzzy", OPTIONAL);
    stats->has_internals = json_is_integer(json_object_get(all, "base")) &&
                           json_is_integer(json_object_get(all, "internal"));
    stats->base = count_of(r, all, "arenas", "base", OPTIONAL);
    stats->internal = count_of(r, all, "arenas", "internal", OPTIONAL);
    stats->uptime_ns = uptime_of(all);
    stats->tcache = count_of(r, all, "arenas", "tcache_bytes", OPTIONAL);
    stats->large =
        count_of(r, json_object_get(all, "large"), "large", "allocated", OPTIONAL);
    if (stats->page == 0 || stats->page > LARGEST_PAGE ||
        (stats->page & (stats->page - 1)) != 0) {
        fail(r, "arenas", "page",
             HP_WORDS("stats-no-power-of-two", "is not a power of two up to 1 GiB"));
    }
    check_bytes(r, "arenas", "pdirty", stats->pdirty, stats->page);
    check_bytes(r, "arenas", "pmuzzy", stats->pmuzzy, stats->page);
    read_bins(r, stats, arenas, all);
    read_extents(r, stats, arenas, all);
}

// --- text ------------------------------------------------------------------------------

// Fail with HP_E_UNSUPPORTED and a message that names the kind of JSON.
static int refuse_json(const json_t *root, struct hp_err *err) {
    bool is_recent = json_object_get(root, "recent_alloc") != NULL;
    bool is_log = json_object_get(root, "stack_traces") != NULL;
    return hp_fail(
        err, HP_E_UNSUPPORTED,
        HP_MESSAGE(
            "stats-other-json",
            "this is %s. Use what jemalloc's malloc_stats_print(..., \"J\") writes"),
        is_recent ? "jemalloc's prof_recent"
        : is_log  ? "jemalloc's prof_log"
                  : "JSON of something else");
}

// Parse a text and read it into *stats.
static int read_json(struct hp_allocator_stats *stats, struct hp_span text,
                     struct hp_err *err) {
    json_t *root = hp_json_reader_load(text, "malloc_stats_print's JSON", err);
    if (!root) {
        return err->code;
    }
    struct stats_reader r = {err, HP_OK};
    const json_t *jemalloc = json_object_get(root, "jemalloc");
    if (json_is_object(jemalloc)) {
        read_options(&r, stats, jemalloc);
        read_sampling(&r, stats, jemalloc);
        read_totals(&r, stats, jemalloc);
        read_arenas(&r, stats, jemalloc);
    } else {
        r.ret = refuse_json(root, err);
    }
    json_decref(root);
    return r.ret;
}

#else

static int read_json(struct hp_allocator_stats *stats, struct hp_span text,
                     struct hp_err *err) {
    (void)stats, (void)text;
    return hp_fail(
        err, HP_E_UNSUPPORTED,
        HP_MESSAGE("stats-without-jansson",
                   "this build cannot read statistics of jemalloc: it lacks jansson"));
}
#endif

// --- what it is ------------------------------------------------------------------------

// The text without leading white space.
static struct hp_span without_spaces(struct hp_span text) {
    while (text.size > 0 && strchr(" \t\r\n", text.at[0])) {
        text = hp_span_from(text, 1);
    }
    return text;
}

// First bytes of statistics in other formats, which are refused, and the names of these
// formats in messages.
static const struct {
    const char *begins, *what;
} others[] = {
    {"___ Begin jemalloc statistics ___", "malloc_stats_print's text"},
    {"--- Begin jemalloc statistics ---", "malloc_stats_print's text"},
    {"------------------------------------------------", "tcmalloc's statistics"},
    {"MALLOC:", "tcmalloc's statistics"},
    {"<malloc", "glibc's malloc_info"},
    {"Arena 0:", "glibc's malloc_stats"},
};

// Return the name of the format, of those that are recognized and refused, that a text
// begins like; NULL if there is none.
static const char *what_else(struct hp_span text) {
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (hp_span_starts(text, others[i].begins)) {
            return others[i].what;
        }
    }
    return NULL;
}

bool hp_malloc_stats_is(struct hp_span head) {
    struct hp_span text = without_spaces(head);
    return hp_span_starts(text, "{") || what_else(text) != NULL;
}

int hp_malloc_stats_read_bytes(struct hp_allocator_stats *stats, struct hp_span text,
                               struct hp_err *err) {
    struct hp_span begin = without_spaces(text);
    const char *other = what_else(begin);
    if (begin.size == 0) {
        return hp_fail(err, HP_E_FORMAT,
                       HP_MESSAGE("stats-empty", "the file of statistics is empty"));
    }
    if (other || begin.at[0] != '{') {
        return hp_fail(
            err, HP_E_UNSUPPORTED,
            HP_MESSAGE(
                "stats-other-file",
                "this is %s. Use what jemalloc's malloc_stats_print(..., \"J\") writes"),
            other ? other : "no JSON");
    }
    return read_json(stats, text, err);
}

int hp_malloc_stats_read(struct hp_allocator_stats *stats, const char *path,
                         const struct hp_read_options *options, struct hp_err *err) {
    struct hp_input_stream stream;
    int ret = hp_json_reader_open(&stream, path, options, err);
    if (ret == HP_OK) {
        struct hp_span text = {stream.at, stream.size};
        ret = hp_malloc_stats_read_bytes(stats, text, err);
    }
    hp_input_stream_done(&stream);
    return ret;
}
