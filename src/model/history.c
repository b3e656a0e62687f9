// The packed form of the history.  An observation is a row of numbers, each in LEB128
// (base/varint.h):
//
//     difference from the previous stack number, zigzag
//     fields that follow, as bits (see below)
//     for each column: bytes and objects, then the members of its error
//
// Rows repeat one another, so that zstd compresses them well: most stacks of a dump have
// one of a few pairs of bytes and objects, and a stack often has the same numbers in the
// next dump.  Several small dumps are packed together in one batch: for 10,000 dumps of
// 150 stacks each this takes a third of the memory.
#include "model/history.h"

#include "base/varint.h"

#include <string.h>

// Bits of the second number of a stored observation, which say which values and errors
// follow.
enum history_part {
    INUSE_VALUES = 1 << 0,
    ALLOC_VALUES = 1 << 1,
    INUSE_ERROR = 1 << 2,
    ALLOC_ERROR = 1 << 3,
};

enum {
    ROW_MAX = 32 * HP_VARINT_MAX_LONG, // most bytes of an observation
    BATCH = 128 << 10,                 // bytes of blocks, unpacked, that fill a batch
};

// The batch of one of `maps` that was unpacked last.  All batches of a map were written
// by one thread, and the next dump that it read is often in the same batch.
struct hp_history_cache {
    uint8_t *bytes;
    size_t room;
    uint32_t batch; // 1 + the number of the batch; 0: none
};

// The metrics of each column, in the order in which they are written.
static const enum hp_metric metrics[HP_COLUMNS][2] = {
    [HP_COLUMN_INUSE] = {HP_INUSE_SPACE, HP_INUSE_OBJECTS},
    [HP_COLUMN_ALLOC] = {HP_ALLOC_SPACE, HP_ALLOC_OBJECTS},
};

// Free all unpacked batches and the cache itself.
static void drop_cache(struct hp_history *history) {
    for (size_t i = 0; i < history->cache_count; i++) {
        free(history->cache[i].bytes);
    }
    free(history->cache);
    history->cache = NULL;
    history->cache_count = 0;
}

void hp_history_done(struct hp_history *history) {
    struct hp_history_batch *batch;
    hp_vec_each (batch, &history->batches) {
        free(batch->packed);
    }
    struct hp_history_map *map;
    hp_vec_each (map, &history->maps) {
        free(map->to);
    }
    drop_cache(history);
    hp_vec_done(&history->batches);
    hp_vec_done(&history->blocks);
    hp_vec_done(&history->maps);
    hp_vec_done(&history->pending);
    hp_packer_done(&history->packer);
}

// --- writing ---------------------------------------------------------------------------

// Write all members of an error.  Returns the end of the bytes written.
static uint8_t *put_error(uint8_t *at, const struct hp_error *error) {
#define AS_SIGNED(value)            hp_zigzag(value)
#define AS_LONG(value)              (value)
#define AS_WORD(value)              (value)
#define AS_SHORT(value)             (value)
#define AS_CHOICE(value)            (value)
#define AS_DOUBLE(value)            hp_bits_of_double(value)
#define PUT_MEMBER(member, kind, _) at = hp_varint_put(at, AS_##kind(error->member));
    HP_EACH_ERROR_MEMBER(PUT_MEMBER)
    return at;
}

// Return the bits of enum history_part of an observation: for each column, whether its
// numbers are not both 0, and whether it has an error.
static unsigned parts_of(const struct hp_values *values,
                         const struct hp_error *const errors[HP_COLUMNS]) {
    unsigned parts = 0;
    for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
        bool has = values->of[metrics[i][0]] != 0 || values->of[metrics[i][1]] != 0;
        parts |= has ? (unsigned)INUSE_VALUES << i : 0;
        parts |= errors[i] ? (unsigned)INUSE_ERROR << i : 0;
    }
    return parts;
}

void hp_history_begin(struct hp_history *history) {
    history->pending.count = history->start;
    history->last_stack = 0;
}

void hp_history_put(struct hp_history *history, uint32_t stack,
                    const struct hp_values *values,
                    const struct hp_error *const errors[HP_COLUMNS]) {
    hp_vec_reserve(&history->pending, ROW_MAX);
    uint8_t *start = history->pending.at + history->pending.count;
    unsigned parts = parts_of(values, errors);
    uint8_t *at = hp_varint_put(start, hp_zigzag((hp_int128)stack - history->last_stack));
    at = hp_varint_put(at, parts);
    for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
        if (parts & (unsigned)INUSE_VALUES << i) {
            at = hp_varint_put(at, hp_zigzag(values->of[metrics[i][0]]));
            at = hp_varint_put(at, hp_zigzag(values->of[metrics[i][1]]));
        }
        if (parts & (unsigned)INUSE_ERROR << i) {
            at = put_error(at, errors[i]);
        }
    }
    history->pending.count += (size_t)(at - start);
    history->last_stack = stack;
}

// Compress the pending blocks, and append them as a batch.  There must be no input that
// was begun and not ended.
static void pack(struct hp_history *history) {
    size_t size = history->start;
    if (size == 0) {
        return;
    }
    uint8_t *packed = hp_alloc(hp_pack_room(size));
    size_t packed_size = hp_pack(&history->packer, history->pending.at, size, packed);
    uint8_t *shrunk = realloc(packed, packed_size > 0 ? packed_size : 1);
    struct hp_history_batch batch = {
        .size = size,
        .packed_size = packed_size,
        .packed = shrunk ? shrunk : packed,
    };
    hp_vec_push(&history->batches, batch);
    history->pending.count = history->start = 0;
}

void hp_history_end(struct hp_history *history, uint32_t input) {
    struct hp_history_block block = {
        .input = input,
        .batch = (uint32_t)history->batches.count,
        .at = history->start,
        .size = history->pending.count - history->start,
    };
    hp_vec_push(&history->blocks, block);
    history->start = history->pending.count;
    if (history->start >= BATCH) {
        pack(history);
    }
}

// --- merging ---------------------------------------------------------------------------

// Append the maps of `other` to those of `history`.  The numbers that they map to are
// changed: stack i in memory becomes map[i], and `runs` is added to stacks in runs.
static void take_maps(struct hp_history *history, struct hp_history *other,
                      const uint32_t *map, uint64_t runs) {
    for (size_t i = 1; i < other->maps.count; i++) {
        struct hp_history_map *taken = &other->maps.at[i];
        for (size_t k = 0; k < taken->count; k++) {
            uint32_t stack = taken->to[k];
            taken->to[k] = stack >= HP_RUN_STACKS ? stack + (uint32_t)runs : map[stack];
        }
        hp_vec_push(&history->maps, *taken);
    }
    other->maps.count = 0;
}

// Create map 0, which means that numbers are unchanged.
static void begin_maps(struct hp_history *history) {
    if (history->maps.count == 0) {
        hp_vec_push(&history->maps, ((struct hp_history_map){NULL, 0}));
    }
}

void hp_history_absorb(struct hp_history *history, struct hp_history *other,
                       const uint32_t *map, size_t stack_count, uint64_t runs) {
    if (other->blocks.count == 0) {
        return;
    }
    pack(history);
    pack(other);
    begin_maps(history);
    // Map 0 of `other` becomes this number, and its map i this number + i.
    uint32_t first = (uint32_t)history->maps.count;
    struct hp_history_map own = {hp_alloc(stack_count * sizeof *map), stack_count};
    memcpy(own.to, map, stack_count * sizeof *map);
    hp_vec_push(&history->maps, own);
    take_maps(history, other, map, runs);
    struct hp_history_block *block;
    hp_vec_each (block, &other->blocks) {
        block->batch += (uint32_t)history->batches.count;
        hp_vec_push(&history->blocks, *block);
    }
    struct hp_history_batch *batch;
    hp_vec_each (batch, &other->batches) {
        batch->map += first;
        hp_vec_push(&history->batches, *batch);
    }
    other->blocks.count = other->batches.count = 0;
}

void hp_history_renumber(struct hp_history *history, struct hp_history_map to) {
    pack(history);
    if (history->batches.count == 0) {
        free(to.to);
        return;
    }
    begin_maps(history);
    struct hp_history_batch *batch;
    hp_vec_each (batch, &history->batches) {
        // Older batches have a map to stacks in runs already, which stays valid.
        batch->map = batch->map > 0 ? batch->map : (uint32_t)history->maps.count;
    }
    hp_vec_push(&history->maps, to);
}

static int by_input(const void *left, const void *right) {
    const struct hp_history_block *a = left, *b = right;
    return (a->input > b->input) - (a->input < b->input);
}

void hp_history_sort(struct hp_history *history) {
    pack(history);
    drop_cache(history);
    if (history->batches.count > 0) {
        history->cache_count = history->maps.count > 0 ? history->maps.count : 1;
        history->cache = hp_alloc(history->cache_count * sizeof *history->cache);
    }
    hp_vec_sort(&history->blocks, by_input);
    hp_vec_done(&history->pending);
    hp_packer_done(&history->packer);
}

// --- reading ---------------------------------------------------------------------------

// Read a number, which this program wrote.
static hp_uint128 get(struct hp_history_reader *reader) {
    hp_uint128 number = 0;
    reader->at +=
        hp_varint_get_long(reader->bytes + reader->at, HP_VARINT_MAX_LONG, &number);
    return number;
}

static hp_int128 get_signed(struct hp_history_reader *reader) {
    return hp_unzigzag(get(reader));
}

// Read the members of an error, as put_error() wrote them.
static void get_error(struct hp_history_reader *reader, struct hp_error *error) {
#define GET_SIGNED                  get_signed(reader)
#define GET_LONG                    get(reader)
#define GET_WORD                    (uint64_t) get(reader)
#define GET_SHORT                   (uint32_t) get(reader)
#define GET_CHOICE                  (unsigned)get(reader)
#define GET_DOUBLE                  hp_double_of_bits((uint64_t)get(reader))
#define GET_MEMBER(member, kind, _) error->member = GET_##kind;
    HP_EACH_ERROR_MEMBER(GET_MEMBER)
}

// Return the unpacked bytes of the batch with this number.  They are valid until another
// batch of the same map is unpacked.
static const uint8_t *unpack(const struct hp_history *history, uint32_t number) {
    const struct hp_history_batch *batch = &history->batches.at[number];
    struct hp_history_cache *cache = &history->cache[batch->map];
    if (cache->batch != number + 1) {
        if (batch->size > cache->room) {
            cache->bytes = hp_grow(cache->bytes, &cache->room, batch->size, 1);
        }
        hp_unpack(batch->packed, batch->packed_size, cache->bytes, batch->size);
        cache->batch = number + 1;
    }
    return cache->bytes;
}

// Copy the next block of the reader's input to reader->bytes.  Returns false if the input
// has no further block.
static bool open_block(struct hp_history_reader *reader) {
    const struct hp_history *history = reader->history;
    if (!history || reader->next >= history->blocks.count ||
        history->blocks.at[reader->next].input != reader->input) {
        return false;
    }
    const struct hp_history_block *block = &history->blocks.at[reader->next++];
    if (block->size > reader->room) {
        reader->bytes = hp_grow(reader->bytes, &reader->room, block->size, 1);
    }
    reader->size = block->size;
    reader->at = reader->stack = 0;
    reader->map = NULL;
    if (block->size > 0) { // an empty block may have no batch
        memcpy(reader->bytes, unpack(history, block->batch) + block->at, block->size);
        uint32_t map = history->batches.at[block->batch].map;
        reader->map = map > 0 ? history->maps.at[map].to : NULL;
    }
    return true;
}

void hp_history_open(struct hp_history_reader *reader, const struct hp_history *history,
                     uint32_t input) {
    size_t low = 0, high = history->blocks.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        bool is_before = history->blocks.at[middle].input < input;
        low = is_before ? middle + 1 : low;
        high = is_before ? high : middle;
    }
    reader->history = history;
    reader->input = input;
    reader->next = low;
    reader->size = reader->at = 0;
}

bool hp_history_next(struct hp_history_reader *reader,
                     struct hp_observation *observation) {
    while (reader->at == reader->size) {
        if (!open_block(reader)) {
            return false;
        }
    }
    *observation = (struct hp_observation){0};
    reader->stack += (uint32_t)get_signed(reader);
    observation->stack = reader->map ? reader->map[reader->stack] : reader->stack;
    unsigned parts = (unsigned)get(reader);
    for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
        if (parts & (unsigned)INUSE_VALUES << i) {
            observation->values.of[metrics[i][0]] = get_signed(reader);
            observation->values.of[metrics[i][1]] = get_signed(reader);
        }
        if (parts & (unsigned)INUSE_ERROR << i) {
            get_error(reader, &observation->errors[i]);
        }
    }
    return true;
}

void hp_history_done_reading(struct hp_history_reader *reader) {
    free(reader->bytes);
    *reader = (struct hp_history_reader){0};
}
