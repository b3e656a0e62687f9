// Fuzz target of the files that `account` and `lifetime` read in addition to dumps:
// prof_recent, statistics of an allocator, and smaps.  The first bytes of the input
// decide how it is read.  The results must be consistent, whatever numbers the input
// contains.
#include "input/malloc_stats.h"
#include "input/prof_recent.h"
#include "input/smaps.h"
#include "stats/books.h"
#include "stats/survival.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void expect(bool holds) {
    if (!holds) {
        abort();
    }
}

// Check that the parts of the allocator's memory, with the remainders, add up to its
// totals.
static void check_books(const struct hp_allocator_stats *stats,
                        const struct hp_live_samples *live) {
    struct hp_books books;
    hp_books_init(&books, stats, live);
    hp_int128 slabs = 0;
    const struct hp_bin_stats *bin;
    hp_vec_each (bin, &stats->bins) {
        expect(hp_free_in_slabs(bin) <= bin->curslabs * bin->slab_size);
        slabs += bin->curslabs * bin->slab_size;
    }
    expect(books.program + books.cost + stats->tcache + stats->internal ==
           stats->allocated);
    expect(books.live == books.program + books.own);
    expect(books.cost_low <= books.cost && books.cost <= books.cost_high);
    expect(books.own_low <= books.own);
    expect(!stats->has_classes || books.slabs == slabs);
    expect(!stats->has_classes || stats->active + books.allocated_rest ==
                                      stats->allocated + books.free_in_slabs +
                                          books.pads + books.moved + books.active_rest);
    expect(books.samples == HP_SAMPLES_UNKNOWN ||
           (books.active_rest == 0 && books.allocated_rest == 0));
}

static void read_stats(struct hp_span text) {
    struct hp_allocator_stats stats = {0};
    struct hp_err err = {0};
    if (hp_malloc_stats_read_bytes(&stats, text, &err) == HP_OK) {
        struct hp_live_size sizes[] = {{96, 453, false},
                                       {20480, 7, false},
                                       {300, 40, true}};
        struct hp_live_samples live = {{sizes, 3, 3}, true};
        check_books(&stats, NULL);
        check_books(&stats, &live);
    } else {
        expect(err.message[0] != '\0' && !strchr(err.message, '\n'));
    }
    hp_allocator_stats_done(&stats);
}

// Check that the survival curve never rises, and that each step is within its interval.
static void check_survival(struct hp_life *lives, size_t count) {
    struct hp_survival survival;
    double before = 1;
    hp_survival_init(&survival, lives, count, .95);
    const struct hp_survival_step *step;
    hp_vec_each (step, &survival.steps) {
        expect(step->alive >= 0 && step->alive <= before);
        expect(!(step->range.low > step->alive + 1e-9) &&
               !(step->range.high < step->alive - 1e-9));
        before = step->alive;
    }
    expect(!(hp_survival_quantile(&survival, .5).time >
             hp_survival_quantile(&survival, .9).time));
    hp_survival_done(&survival);
}

static void read_recent(struct hp_span text) {
    struct hp_recent_file file = {.recent = {.period = 0}};
    struct hp_err err = {0};
    if (hp_prof_recent_read_bytes(&file, text, &err) == HP_OK) {
        size_t count = file.recent.records.count;
        struct hp_life *lives = hp_alloc(count * sizeof *lives);
        for (size_t i = 0; i < count; i++) {
            const struct hp_recent_record *record = &file.recent.records.at[i];
            const struct hp_recent_trace *trace = &file.traces.at[record->free];
            expect(trace->first + trace->depth <= file.addresses.count);
            expect(record->born <= file.recent.latest);
            lives[i] = (struct hp_life){
                .time = (double)(record->has_died ? record->died : file.recent.latest),
                .weight = 1 / -expm1(-(double)record->size / (double)file.recent.period),
                .is_over = record->has_died,
                .batch = (uint32_t)(i / 3),
            };
        }
        check_survival(lives, count);
        free(lives);
    } else {
        expect(err.message[0] != '\0' && !strchr(err.message, '\n'));
    }
    hp_recent_file_done(&file);
}

// Check that anonymous memory is within the resident memory of all mappings.
static void read_maps(struct hp_span text) {
    struct hp_kernel_maps maps = {.swap = 0};
    struct hp_err err = {0};
    if (hp_smaps_read_bytes(&maps, text, &err) == HP_OK) {
        struct hp_mapped all = hp_kernel_maps_total(&maps);
        expect(hp_kernel_maps_anonymous(&maps) <= all.rss && maps.from < maps.to);
    } else {
        expect(err.message[0] != '\0');
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    char *copy = hp_alloc(size + 1);
    if (size > 0) {
        memcpy(copy, bytes, size);
    }
    struct hp_span text = {copy, size};
    if (hp_smaps_is(text)) {
        read_maps(text);
    } else {
        read_stats(text);
        read_recent(text);
    }
    free(copy);
    return 0;
}
