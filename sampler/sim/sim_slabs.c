// The command `slabs`: write the dump of one process whose objects are in slabs,
// slabs.10001.0.f.heap; the statistics that malloc_stats_print of jemalloc 5.3.0 writes
// for it, slabs.json; and truth.json:
//
//     {"bytes": 24000000, "classes": [
//       {"size": 128, "free": 11673600, "slabs": 6250, "nonfull": 3125,
//        "objects": 103125, "holders": [
//         {"name": "dense",
//          "frames": [{"module": "/srv/simulated/server", "offset": 4104}, ...],
//          "live": 100000, "held": 3125.5}, ...]}, ...]}
//
// `bytes` are all live bytes; `free` are the exact free bytes of the class.  `live` are
// the live objects of a stack; `held` are the free bytes that would be returned to the
// system if these objects were freed, shared with the other objects in their slabs.  Each
// class has two stacks:
//
//     128 B   dense fills its slabs; after it sparse, of whose objects one in 32 is left
//      96 B   passing and lasting alternate 9:1; passing are freed, and some come back
//      64 B   alone is the only stack; nine of ten of its objects are freed
//      48 B   one and another are allocated and freed alike, in random order
//
// A sampled object is in an extent of 16 KiB of its own.
#include "sim/slabs.h"

#include "core/sampler.h"
#include "sim/resize.h"
#include "sim/sim.h"
#include "sim/sim_files.h"

#include <stdlib.h>

enum {
    CLASSES = 4,
    STACKS = 2 * CLASSES,
    OBJECTS = 100000,
    EXTENT = 16 << 10, // bytes of the extent of a sampled object
    BASE = 2 << 20,    // bytes of metadata
    DIRTY_PAGES = 100,
};

// Names of the stacks; class i has the stacks 2 i and 2 i + 1.
static const char *const names[STACKS] = {"dense", "sparse",  "passing", "lasting",
                                          "alone", "nothing", "one",     "another"};

// An object.
struct slab_object {
    uint32_t stack;
    bool is_sampled;
    size_t place; // its place; unused if it is sampled
};

// The simulated process.
struct slab_heap {
    struct hps_slabs slabs[CLASSES];
    // Live objects by stack, sampled live objects by class.
    uint64_t live[STACKS], sampled[CLASSES];
    struct hps_sampler sampler;
    struct hps_ledger ledger;
    struct hps_ledger_line *lines[STACKS];
    struct hps_process process;
};

// --- objects ---------------------------------------------------------------------------

// Allocate an object at a stack.
static struct slab_object allocate(struct slab_heap *heap, uint32_t stack) {
    struct hps_slabs *slabs = &heap->slabs[stack / 2];
    struct slab_object object = {.stack = stack};
    object.is_sampled = hps_sampler_takes(&heap->sampler, slabs->size);
    if (object.is_sampled) {
        hps_ledger_add(&heap->ledger, heap->lines[stack], slabs->size);
        heap->sampled[stack / 2]++;
    } else {
        object.place = hps_slabs_take(slabs, stack);
    }
    heap->live[stack]++;
    return object;
}

// Free an object.
static void release(struct slab_heap *heap, const struct slab_object *object) {
    struct hps_slabs *slabs = &heap->slabs[object->stack / 2];
    if (object->is_sampled) {
        hps_ledger_remove(&heap->ledger, heap->lines[object->stack], slabs->size);
        heap->sampled[object->stack / 2]--;
    } else {
        hps_slabs_give(slabs, object->place);
    }
    heap->live[object->stack]--;
}

// Free all objects except for each nth.
static void release_all_but_nth(struct slab_heap *heap, const struct slab_object *objects,
                                int nth) {
    for (int i = 0; i < OBJECTS; i++) {
        if (i % nth) {
            release(heap, &objects[i]);
        }
    }
}

// The programs of the four classes, see above.
static void run_dense_and_sparse(struct slab_heap *heap, struct slab_object *objects) {
    for (int i = 0; i < OBJECTS; i++) {
        allocate(heap, 0);
    }
    for (int i = 0; i < OBJECTS; i++) {
        objects[i] = allocate(heap, 1);
    }
    release_all_but_nth(heap, objects, 32);
}

static void run_passing_and_lasting(struct slab_heap *heap, struct slab_object *objects) {
    for (int i = 0; i < OBJECTS; i++) {
        objects[i] = allocate(heap, i % 10 ? 2 : 3);
    }
    release_all_but_nth(heap, objects, 10);
    for (int i = 0; i < OBJECTS / 10; i++) {
        allocate(heap, 2);
    }
}

static void run_alone(struct slab_heap *heap, struct slab_object *objects) {
    for (int i = 0; i < OBJECTS; i++) {
        objects[i] = allocate(heap, 4);
    }
    release_all_but_nth(heap, objects, 10);
}

static void run_alike(struct slab_heap *heap, struct slab_object *objects) {
    struct hps_random random = heap->sampler.random;
    for (int i = 0; i < OBJECTS; i++) {
        objects[i] = allocate(heap, 6 + (uint32_t)hps_random_below(&random, 2));
    }
    for (int i = 0; i < OBJECTS; i++) {
        if (hps_random_below(&random, 4)) {
            release(heap, &objects[i]);
        }
    }
}

// Run all four programs.
static void run(struct slab_heap *heap) {
    struct slab_object *objects = hps_resize(NULL, OBJECTS * sizeof *objects);
    run_dense_and_sparse(heap, objects);
    run_passing_and_lasting(heap, objects);
    run_alone(heap, objects);
    run_alike(heap, objects);
    free(objects);
}

// --- truth -----------------------------------------------------------------------------

// Bytes of all live objects.
static uint64_t bytes_of(const struct slab_heap *heap) {
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < STACKS; i++) {
        bytes += heap->live[i] * heap->slabs[i / 2].size;
    }
    return bytes;
}

// Number of sampled live objects.
static uint64_t sampled_of(const struct slab_heap *heap) {
    uint64_t sampled = 0;
    for (uint32_t i = 0; i < CLASSES; i++) {
        sampled += heap->sampled[i];
    }
    return sampled;
}

// Write a class for truth.json.
static void write_class(FILE *to, const struct slab_heap *heap, uint32_t class) {
    const struct hps_slabs *slabs = &heap->slabs[class];
    struct hps_slabs_sums sums = hps_slabs_sums(slabs);
    double held[STACKS] = {0};
    hps_slabs_held(slabs, held);
    fprintf(to,
            "%s\n  {\"size\": %llu, \"free\": %llu, \"slabs\": %llu, \"nonfull\": %llu, "
            "\"objects\": %llu, \"holders\": [",
            class ? "," : "", (unsigned long long)slabs->size,
            (unsigned long long)sums.free, (unsigned long long)sums.slabs,
            (unsigned long long)sums.nonfull, (unsigned long long)sums.objects);
    for (uint32_t i = 2 * class; i < 2 * class + 2; i++) {
        fprintf(to, "%s\n    {\"name\": \"%s\", ", i % 2 ? "," : "", names[i]);
        hps_sim_write_frames(to, i);
        fprintf(to, ",\n     \"live\": %llu, \"held\": %.17g}",
                (unsigned long long)heap->live[i], held[i]);
    }
    fputs("]}", to);
}

// Write truth.json.  Returns the exit status.
static int write_truth(const struct slab_heap *heap, const char *folder) {
    FILE *to = hps_sim_open(folder, "truth.json");
    if (!to) {
        return 1;
    }
    fprintf(to, "{\"bytes\": %llu, \"classes\": [", (unsigned long long)bytes_of(heap));
    for (uint32_t i = 0; i < CLASSES; i++) {
        write_class(to, heap, i);
    }
    fputs("\n]}\n", to);
    return hps_sim_close(to, folder, "truth.json");
}

// --- statistics of the allocator -------------------------------------------------------

// Write the statistics of the bins.
static void write_bins(FILE *to, const struct slab_heap *heap) {
    fputs(" \"bins\": [", to);
    for (uint32_t i = 0; i < CLASSES; i++) {
        struct hps_slabs_sums sums = hps_slabs_sums(&heap->slabs[i]);
        uint64_t sampled = heap->sampled[i];
        fprintf(to,
                "%s\n  {\"nmalloc\": %llu, \"ndalloc\": 0, \"curregs\": %llu, "
                "\"curslabs\": %llu, \"nonfull_slabs\": %llu, \"prof_live_count\": %llu, "
                "\"prof_live_requested\": %llu}",
                i ? "," : "", (unsigned long long)sums.objects,
                (unsigned long long)sums.objects, (unsigned long long)sums.slabs,
                (unsigned long long)sums.nonfull, (unsigned long long)sampled,
                (unsigned long long)(sampled * heap->slabs[i].size));
    }
    fputs("]", to);
}

// Write the properties of the size classes.
static void write_classes(FILE *to, const struct slab_heap *heap) {
    fputs(" \"bin\": [", to);
    for (uint32_t i = 0; i < CLASSES; i++) {
        const struct hps_slabs *slabs = &heap->slabs[i];
        fprintf(to, "%s{\"size\": %llu, \"nregs\": %u, \"slab_size\": %llu}",
                i ? ", " : "", (unsigned long long)slabs->size, hps_slabs_places(slabs),
                (unsigned long long)hps_slabs_bytes(slabs));
    }
    fprintf(to, "],\n \"lextent\": [{\"size\": %d}]},\n", EXTENT);
}

// Write the totals.
static void write_totals(FILE *to, const struct slab_heap *heap) {
    uint64_t allocated = sampled_of(heap) * EXTENT;
    uint64_t active = sampled_of(heap) * (EXTENT + HPS_SLABS_PAGE);
    for (uint32_t i = 0; i < CLASSES; i++) {
        struct hps_slabs_sums sums = hps_slabs_sums(&heap->slabs[i]);
        allocated += sums.objects * heap->slabs[i].size;
        active += sums.slabs * hps_slabs_bytes(&heap->slabs[i]);
    }
    uint64_t resident = active + BASE + DIRTY_PAGES * HPS_SLABS_PAGE;
    fprintf(to,
            "\"stats\": {\"allocated\": %llu, \"active\": %llu, \"metadata\": %d, "
            "\"resident\": %llu, \"mapped\": %llu, \"retained\": 0},\n",
            (unsigned long long)allocated, (unsigned long long)active, BASE,
            (unsigned long long)resident, (unsigned long long)resident);
}

// Write slabs.json.  Returns the exit status.
static int write_statistics(const struct slab_heap *heap, const char *folder) {
    int lg_period = __builtin_ctzll(heap->sampler.period);
    FILE *to = hps_sim_open(folder, "slabs.json");
    if (!to) {
        return 1;
    }
    fprintf(to,
            "{\"jemalloc\": {\"version\": \"5.3.0-0-g0\", \"opt\": {\"prof\": true, "
            "\"lg_prof_sample\": %d, \"prof_stats\": true, \"cache_oblivious\": true},\n"
            "\"prof\": {\"lg_sample\": %d},\n\"arenas\": {\"page\": %d,\n",
            lg_period, lg_period, HPS_SLABS_PAGE);
    write_classes(to, heap);
    write_totals(to, heap);
    fprintf(
        to,
        "\"stats.arenas\": {\"merged\": {\"pdirty\": %d, \"pmuzzy\": 0, \"base\": %d, "
        "\"internal\": 0, \"tcache_bytes\": 0,\n \"large\": {\"allocated\": %llu},\n",
        DIRTY_PAGES, BASE, (unsigned long long)(sampled_of(heap) * EXTENT));
    write_bins(to, heap);
    fprintf(to, ",\n \"lextents\": [{\"curlextents\": %llu}]}}}}\n",
            (unsigned long long)sampled_of(heap));
    return hps_sim_close(to, folder, "slabs.json");
}

// --- the command -----------------------------------------------------------------------

// Initialise the process without objects.  Returns the exit status.
static int heap_init(struct slab_heap *heap, uint64_t period, uint64_t seed) {
    static const uint64_t sizes[CLASSES] = {128, 96, 64, 48};
    uintptr_t frames[HPS_SAMPLING_DEPTH];
    struct hps_random random;
    hps_random_init_nth(&random, seed, 1);
    hps_process_init(&heap->process, &random);
    hps_sampler_init(&heap->sampler, period, &random);
    hps_ledger_init(&heap->ledger, period);
    struct hps_ledger_thread *thread = hps_ledger_new_thread(&heap->ledger, "");
    struct hps_sampling_frames of = hps_process_frames(&heap->process);
    for (uint32_t i = 0; thread && i < STACKS; i++) {
        heap->slabs[i / 2].size = sizes[i / 2];
        uint32_t depth = of.of(of.context, i, frames);
        heap->lines[i] = hps_ledger_line(&heap->ledger, thread, frames, depth);
        thread = heap->lines[i] ? thread : NULL;
    }
    return thread ? 0 : hps_sim_fail("out of memory");
}

static void heap_done(struct slab_heap *heap) {
    for (uint32_t i = 0; i < CLASSES; i++) {
        hps_slabs_done(&heap->slabs[i]);
    }
    hps_ledger_done(&heap->ledger);
}

// Run the process, and write all files.  Returns the exit status.
static int simulate(struct slab_heap *heap, const char *folder) {
    run(heap);
    int status = hps_sim_make_folder(folder);
    status = status ? status
                    : hps_sim_write_dump(folder, "slabs.10001.0.f.heap", &heap->ledger,
                                         &heap->process,
                                         (struct hps_heapfile_options){.unbias = true});
    status = status ? status : write_statistics(heap, folder);
    return status ? status : write_truth(heap, folder);
}

int hps_sim_slabs(char **arguments) {
    uint64_t period = 4096, seed = 1;
    const struct hps_sim_option options[] = {
        {"period", HPS_SIM_NUMBER, &period,
         "mean bytes between samples, a power of 2 (4096)"},
        {"seed", HPS_SIM_NUMBER, &seed, "of all random numbers (1)"},
        {0},
    };
    hps_sim_parse(arguments, "slabs [OPTION...] FOLDER", options);
    if (!arguments[0] || arguments[1] || period == 0 || (period & (period - 1)) != 0) {
        hps_sim_fail("slabs needs a folder and a period that is a power of 2");
        return 2;
    }
    struct slab_heap heap = {.sampled = {0}};
    int status = heap_init(&heap, period, seed);
    status = status ? status : simulate(&heap, arguments[0]);
    heap_done(&heap);
    return status;
}
