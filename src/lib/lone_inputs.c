// A row consists of the number of the input, the number of its program, the ends of its
// memory map, its time, and all fields of its record.  Rows are packed in blocks of 64
// KiB.
#include "lib/lone_inputs.h"

#include "inputs/dump_name.h"
#include "inputs/duplicates.h"
#include "partial/partial.h"
#include "view/view.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    FULL = 64 << 10,          // bytes of rows that are packed together
    FEW = HP_PARTIAL_HISTORY, // with so few inputs all become records
    LEVEL = 1,                // compression level of zstd
};

// The fields of a record that a row contains: all of them.
static const unsigned every_use = 1u << HP_SLOT_OWN | 1u << HP_SLOT_KEY |
                                  1u << HP_SLOT_SUM | 1u << HP_SLOT_APART |
                                  1u << HP_SLOT_LATER;

bool hp_lone_inputs_suffice(const struct hp_profile *profile,
                            const struct hp_read_options *options) {
    return options->snapshots != HP_SNAPSHOTS_EACH && options->base_count == 0 &&
           !profile->keeps.moments && hp_inputs_are_not_asked_for(profile, options);
}

bool hp_input_may_be_lone(const struct hp_input_record *input) {
    return hp_input_is_plain(input) && input->has_content && input->is_added &&
           !input->live && hp_digest_is_known(input->identity.map) &&
           strcmp(input->public.name, "-") != 0;
}

// --- rows ------------------------------------------------------------------------------

// Compress the rows in lone->rows into a new block of lone->packed, and empty lone->rows.
static void pack(struct hp_lone_inputs *lone) {
    struct hp_bytes *rows = &lone->rows;
    uint8_t *bytes = hp_alloc(hp_pack_room(rows->count));
    lone->packer.level = LEVEL;
    size_t size = hp_pack(&lone->packer, rows->at, rows->count, bytes);
    uint8_t *fitting = realloc(bytes, size);
    struct hp_packed_rows packed = {fitting ? fitting : bytes, size, rows->count};
    hp_vec_push(&lone->packed, packed);
    rows->count = 0;
}

void hp_lone_inputs_put(struct hp_lone_inputs *lone,
                        const struct hp_input_record *input) {
    uint64_t time;
    memcpy(&time, &input->identity.time, sizeof time);
    hp_put_number(&lone->rows, input->number);
    hp_put_number(&lone->rows, input->identity.program);
    hp_put_number(&lone->rows, input->identity.map_start);
    hp_put_number(&lone->rows, input->identity.map_end);
    hp_put_fixed(&lone->rows, time, sizeof time);
    hp_put_slots(&lone->rows, &hp_record_slots, every_use, input);
    lone->count++;
    if (lone->rows.count >= FULL) {
        pack(lone);
    }
}

// An iterator over all rows, in the order in which they were put.
struct packed_rows {
    const struct hp_lone_inputs *lone;  // borrowed
    const struct hp_input_queue *queue; // names of the inputs; borrowed
    size_t block, next;                 // the next block and the next row
    struct hp_bytes raw;                // the current block, unpacked
    struct hp_numbers at;               // the position in `raw`
};

// Unpack the next block.  The last one is not packed.  Returns false if there is none.
static bool next_block(struct packed_rows *rows) {
    const struct hp_lone_inputs *lone = rows->lone;
    if (rows->block > lone->packed.count) {
        return false;
    }
    rows->raw.count = 0;
    if (rows->block < lone->packed.count) {
        const struct hp_packed_rows *packed = &lone->packed.at[rows->block];
        hp_vec_reserve(&rows->raw, packed->unpacked);
        hp_unpack(packed->bytes, packed->size, rows->raw.at, packed->unpacked);
        rows->raw.count = packed->unpacked;
    } else {
        hp_vec_append(&rows->raw, lone->rows.at, lone->rows.count);
    }
    rows->at =
        (struct hp_numbers){rows->raw.at, hp_vec_from(&rows->raw, rows->raw.count), NULL};
    rows->block++;
    return true;
}

// Set the name of the record, and the facts about the dump that its name contains.
static void name_row(const struct hp_input_queue *queue, struct hp_input_record *input) {
    bool is_member = input->number >= queue->count;
    const struct hp_member *member =
        is_member ? &queue->members.at[input->number - queue->count] : NULL;
    input->public.name = member ? member->name : queue->paths[input->number];
    input->archive = member ? member->archive : NULL;
    struct hp_dump_name name = hp_dump_name_of(input->public.name);
    input->identity.pid = name.pid;
    input->identity.number = name.number;
    input->identity.has_number = name.has_number;
    input->identity.kind = name.kind;
}

// Read the next row into *input, as the record that the row was made of.  Returns false
// after the last row, when the iterator has freed its memory.
static bool next_row(struct packed_rows *rows, struct hp_input_record *input) {
    while (rows->at.at == rows->at.end) {
        if (!next_block(rows)) {
            hp_vec_done(&rows->raw);
            return false;
        }
    }
    uint64_t number = hp_get_word(&rows->at), program = hp_get_word(&rows->at);
    uint64_t map_start = hp_get_word(&rows->at), map_end = hp_get_word(&rows->at);
    uint64_t time = hp_get_fixed(&rows->at, sizeof time);
    *input = (struct hp_input_record){.number = (uint32_t)number};
    memcpy(&input->identity.time, &time, sizeof time);
    hp_get_slots(&rows->at, &hp_record_slots, every_use, input);
    input->identity.program = (uint32_t)program;
    input->identity.map_start = map_start;
    input->identity.map_end = map_end;
    name_row(rows->queue, input);
    rows->next++;
    return true;
}

// Read the next row of a lone input into *input.  Returns false after the last one.
static bool next_alone(struct packed_rows *rows, struct hp_input_record *input) {
    bool found;
    do {
        found = next_row(rows, input);
    } while (found && rows->lone->is_shared[rows->next - 1]);
    return found;
}

// --- what they have in common ----------------------------------------------------------

// The hash of the content, or of the memory map, of an input.
struct lone_key {
    uint64_t hash; // equal hashes: the inputs may have equal contents or maps
    uint32_t row;  // number of its row; NO_ROW: the input has a record, not a row
};

// The row number of an input that has a record.
#define NO_ROW UINT32_MAX

struct row_keys {
    HP_VEC(struct lone_key) all;
};

static void put_key(struct row_keys *keys, struct hp_digest digest, size_t row) {
    struct lone_key key = {hp_hash_bytes(&digest, sizeof digest, hp_hash_key()),
                           (uint32_t)row};
    hp_vec_push(&keys->all, key);
}

static int by_hash(const void *left, const void *right) {
    const struct lone_key *a = left, *b = right;
    return (a->hash > b->hash) - (a->hash < b->hash);
}

static void mark(struct hp_lone_inputs *lone, const struct lone_key *key) {
    if (key->row != NO_ROW) {
        lone->is_shared[key->row] = true;
    }
}

// Mark the rows with equal hashes as shared.  Different digests may have equal hashes by
// accident; their rows then become records as well, which is harmless.
static void mark_shared(struct hp_lone_inputs *lone, struct row_keys *keys) {
    hp_vec_sort(&keys->all, by_hash);
    for (size_t i = 1; i < keys->all.count; i++) {
        if (keys->all.at[i].hash == keys->all.at[i - 1].hash) {
            mark(lone, &keys->all.at[i - 1]);
            mark(lone, &keys->all.at[i]);
        }
    }
    hp_vec_done(&keys->all);
}

// Mark as shared all rows whose content or memory map is also that of another row or of a
// record.
static void find_shared(struct hp_lone_inputs *lone, const struct hp_profile *profile,
                        const struct hp_input_queue *queue) {
    for (int by_map = 0; by_map < 2; by_map++) {
        struct packed_rows rows = {.lone = lone, .queue = queue};
        struct row_keys keys = {.all = {0}};
        struct hp_input_record row;
        const struct hp_input_record *input;
        while (next_row(&rows, &row)) {
            put_key(&keys, by_map ? row.identity.map : row.content, rows.next - 1);
        }
        hp_vec_each (input, &profile->inputs.records) {
            if (by_map ? hp_digest_is_known(input->identity.map) : input->has_content) {
                put_key(&keys, by_map ? input->identity.map : input->content, NO_ROW);
            }
        }
        mark_shared(lone, &keys);
    }
}

// Return whether some input may belong to any process: it has no map, is damaged, or is a
// merged profile of many processes.
static bool are_entangled(const struct hp_profile *profile) {
    const struct hp_input_record *input;
    bool are = false;
    hp_vec_each (input, &profile->inputs.records) {
        bool is_open = input->keys || !hp_digest_is_known(input->identity.map);
        are |= input->is_damaged || (hp_input_is_used(input) && is_open);
    }
    return are;
}

// --- records ---------------------------------------------------------------------------

void hp_lone_inputs_settle(struct hp_lone_inputs *lone, struct hp_profile *profile,
                           const struct hp_input_queue *queue, bool has_partials) {
    struct packed_rows rows = {.lone = lone, .queue = queue};
    struct hp_input_groups groups = {.keys = {0}};
    struct hp_input_record row;
    bool needs_records = has_partials || lone->count <= FEW || are_entangled(profile);
    lone->is_shared = hp_alloc(lone->count);
    memset(lone->is_shared, needs_records, lone->count);
    if (!needs_records) {
        find_shared(lone, profile, queue);
    }
    while (next_row(&rows, &row)) {
        if (lone->is_shared[rows.next - 1]) {
            hp_vec_push(&profile->inputs.records, row);
        } else {
            (void)hp_input_groups_take(&groups, &row);
            lone->alone++;
            profile->inputs.lone_exits += row.identity.kind == 'f';
        }
    }
    profile->inputs.lone = lone->alone;
    hp_input_groups_done(&groups, profile);
    if (lone->alone == 0) {
        hp_lone_inputs_done(lone);
    }
}

void hp_lone_inputs_give_back(struct hp_lone_inputs *lone, struct hp_profile *profile,
                              const struct hp_input_queue *queue) {
    struct packed_rows rows = {.lone = lone, .queue = queue};
    struct hp_input_record row;
    size_t kept = 0;
    for (size_t i = 0; i < profile->inputs.records.count; i++) {
        if (!profile->inputs.records.at[i].is_group) {
            profile->inputs.records.at[kept++] = profile->inputs.records.at[i];
        }
    }
    profile->inputs.records.count = kept;
    while (next_alone(&rows, &row)) {
        hp_vec_push(&profile->inputs.records, row);
    }
    hp_lone_inputs_done(lone);
    profile->inputs.lone = profile->inputs.lone_exits = 0;
}

// --- data of lone inputs that is kept --------------------------------------------------

// Return the time of the file of an input.  The time of the newest lone input is kept, so
// that reports can see that a binary is newer than the newest dump.
static double time_of(const struct hp_input_record *input) {
    struct stat info;
    if (input->archive) {
        return input->identity.time;
    }
    return stat(input->public.name, &info) == 0 ? (double)info.st_mtime : 0;
}

// Set the time of all records that represent a group of inputs to `newest`.
static void set_time(struct hp_profile *profile, double newest) {
    struct hp_input_record *input;
    hp_vec_each (input, &profile->inputs.records) {
        input->identity.time = input->is_group ? newest : input->identity.time;
    }
}

static int by_id(const void *left, const void *right) {
    return memcmp(left, right, sizeof(struct hp_digest));
}

// A list of identities of dumps.
struct ids {
    HP_VEC(struct hp_digest) all;
};

static void add_ids(struct ids *ids, const struct hp_extreme *dumps, size_t count) {
    for (size_t i = 0; i < count; i++) {
        hp_vec_push(&ids->all, ((struct hp_digest){{dumps[i].id[0], dumps[i].id[1]}}));
    }
}

// Return the identities of the dumps with the largest and smallest totals, in order.
static struct ids ids_of_extremes(const struct hp_profile *profile) {
    struct ids ids = {.all = {0}};
    const struct hp_label_set *set;
    hp_vec_each (set, &profile->variation.between[0].dumps.sets) {
        for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
            add_ids(&ids, set->totals[i].largest, set->totals[i].largest_count);
            add_ids(&ids, set->totals[i].smallest, set->totals[i].smallest_count);
        }
    }
    hp_vec_sort(&ids.all, by_id);
    return ids;
}

// Keep in profile->inputs.named the names of lone inputs whose totals are among the
// largest or smallest; no other names are needed later.
static void keep_names(const struct hp_lone_inputs *lone, struct hp_profile *profile,
                       const struct hp_input_queue *queue) {
    struct packed_rows rows = {.lone = lone, .queue = queue};
    struct hp_input_record row;
    struct ids ids = ids_of_extremes(profile);
    while (ids.all.count > 0 && next_alone(&rows, &row)) {
        struct hp_digest id = hp_dump_identity(row.content, &row.identity);
        if (bsearch(&id, ids.all.at, ids.all.count, sizeof id, by_id)) {
            struct hp_span name = hp_span_of(row.public.name);
            struct hp_named_dump named = {{id.of[0], id.of[1]},
                                          hp_inputs_keep_text(&profile->inputs, name),
                                          row.archive ? row.archive : ""};
            hp_vec_push(&profile->inputs.named, named);
        }
    }
    hp_vec_done(&ids.all);
}

// Add a lone input to the identities (profile->inputs.known) and the statistics
// (profile->variation.between) that a partial stores.
static void record_one(struct hp_profile *profile, const struct hp_input_record *row) {
    struct hp_known_dump known = hp_known_dump_of(row);
    known.source = 0;
    known.is_base = false;
    hp_vec_push(&profile->inputs.known, known);
    hp_between_count(&profile->variation.between[0], profile, row);
}

void hp_lone_inputs_record(struct hp_lone_inputs *lone, struct hp_profile *profile,
                           struct hp_input_queue *queue) {
    struct packed_rows rows = {.lone = lone, .queue = queue};
    struct hp_input_record row;
    double newest = 0;
    bool keeps_identities = profile->keeps.partial && !profile->settings.drops_identities;
    if (lone->alone == 0) {
        return;
    }
    hp_vec_reserve(&profile->inputs.known, keeps_identities ? lone->alone : 0);
    while (next_alone(&rows, &row)) {
        double time = time_of(&row);
        newest = time > newest ? time : newest;
        if (keeps_identities) {
            record_one(profile, &row);
        }
    }
    set_time(profile, newest);
    keep_names(lone, profile, queue);
    rows = (struct packed_rows){.lone = lone, .queue = queue};
    while (next_alone(&rows, &row)) {
        hp_input_queue_forget(queue, row.number);
    }
    hp_lone_inputs_done(lone);
}

void hp_lone_inputs_compare_samples(const struct hp_lone_inputs *lone,
                                    struct hp_profile *profile,
                                    const struct hp_input_queue *queue) {
    struct packed_rows rows = {.lone = lone, .queue = queue};
    struct hp_sampled_inputs inputs = {.all = {0}};
    struct hp_input_record row;
    hp_sampled_inputs_add_records(&inputs, &profile->inputs);
    hp_vec_reserve(&inputs.all, lone->alone);
    while (lone->alone > 0 && next_alone(&rows, &row)) {
        if (row.stacks > 0) {
            struct hp_sampled_input sampled = {
                .samples = row.samples,
                .name = row.public.name,
                .archive = row.archive,
                .pid = row.identity.pid,
                .number = row.identity.number,
                .input = row.number,
                .process = HP_NO_PROCESS,
            };
            hp_vec_push(&inputs.all, sampled);
        }
    }
    hp_sampled_inputs_compare(&inputs, &profile->inputs);
}

void hp_lone_inputs_done(struct hp_lone_inputs *lone) {
    struct hp_packed_rows *packed;
    hp_vec_each (packed, &lone->packed) {
        free(packed->bytes);
    }
    hp_vec_done(&lone->packed);
    hp_vec_done(&lone->rows);
    hp_packer_done(&lone->packer);
    free(lone->is_shared);
    *lone = (struct hp_lone_inputs){.count = 0};
}
