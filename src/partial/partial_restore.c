// Reads the sections that are described in stack_codec.c and partial_dumps.c.
#include "model/ages.h"
#include "partial/partial_reader.h"
#include "partial/runs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const unsigned every_use =
    1u << HP_SLOT_OWN | 1u << HP_SLOT_KEY | 1u << HP_SLOT_SUM;

// --- stacks ----------------------------------------------------------------------------

// Set r->stack to the frames of r->stack_row, as numbers of the profile, leaf first.
// Fails if all stacks so far have more frames than a real file of this size can have.
static void take_path(struct hp_partial_reader *r) {
    const struct hp_stack_row *row = &r->stack_row;
    r->frame_count += row->path.count;
    if (!hp_stack_frames_fit(r->frame_count, r->blocks.bytes)) {
        r->is_over_limit = true;
        hp_numbers_fail(&r->row, HP_STACK_FRAMES_TOO_MANY);
    }
    r->stack.count = 0;
    hp_vec_reserve(&r->stack, row->path.count);
    r->stack.count = row->path.count;
    for (size_t i = 0; i < row->path.count; i++) {
        r->stack.at[row->path.count - 1 - i] = r->frames.at[row->path.at[i]];
    }
}

// Add the object sizes in r->stack_row to a stack of the profile, if that keeps sizes.
static void add_parts(struct hp_partial_reader *r, uint32_t stack,
                      enum hp_column column) {
    struct hp_sizes *sizes = &r->profile->sizes[column];
    const struct hp_size_part *part;
    if (!r->profile->keeps.sizes[column]) {
        return;
    }
    if (r->stack_row.is_full[column]) {
        hp_sizes_fill(sizes, stack);
    }
    hp_vec_each (part, &r->stack_row.parts[column]) {
        hp_sizes_add(sizes, stack, part);
    }
    r->profile->overflow |= sizes->overflow;
}

// Add all objects in r->stack_row to a stack of the profile as objects of unknown age, if
// that keeps ages: a partial does not contain them.
static void add_without_age(struct hp_partial_reader *r, uint32_t stack,
                            enum hp_column column) {
    const struct hp_stack_row *row = &r->stack_row;
    struct hp_size_part part = {.size = HP_NO_AGE,
                                .objects = row->whole[column].objects,
                                .bytes = row->whole[column].bytes,
                                .error = row->whole[column].error};
    if (r->profile->keeps.ages) {
        hp_sizes_add(&r->profile->ages[column], stack, &part);
        r->profile->overflow |= r->profile->ages[column].overflow;
    }
}

// Add the stack in r->stack_row, whose frames are in r->stack, to the profile, and its
// number to r->stacks.
static void add_stack(struct hp_partial_reader *r) {
    struct hp_profile *profile = r->profile;
    const struct hp_stack_row *row = &r->stack_row;
    const struct hp_error *errors[HP_COLUMNS];
    struct hp_values values;
    bool keeps_tags = profile->keeps.labels || profile->keeps.threads;
    struct hp_sample sample = {r->stack.at, (uint32_t)r->stack.count,
                               keeps_tags ? r->sets.at[row->set] : (hp_string){0}};
    const struct hp_error *wanted[HP_COLUMNS];
    for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
        values.of[hp_objects_of(i)] = row->whole[i].objects;
        values.of[hp_space_of(i)] = row->whole[i].bytes;
        errors[i] = &row->whole[i].error;
        wanted[i] = hp_profile_wants_errors(profile, i) ? errors[i] : NULL;
    }
    uint32_t number = hp_profile_add(profile, &sample, &values, errors);
    for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
        add_parts(r, number, i);
        add_without_age(r, number, i);
    }
    hp_vec_push(&r->stacks, number);
    hp_reader_replicates(r, number);
    if (r->is_one) {
        hp_history_put(&profile->history, number, &values, wanted);
    }
}

// If the partial does not record its dumps individually but a report needs the history,
// begin one input of the history for the sum of all its dumps.
static void begin_one(struct hp_partial_reader *r) {
    const struct hp_profile *profile = r->profile;
    if (hp_reader_has_many(r) && profile->keeps.history && !profile->keeps.partial) {
        r->is_one = true;
        hp_history_begin(&r->profile->history);
    }
}

// Move all stacks in memory to a run if they take more than partials->stack_memory bytes
// and the partial does not record its dumps individually.
static void spill_if_full(struct hp_partial_reader *r) {
    const struct hp_partials *to = r->to;
    if (to->store && hp_reader_has_many(r) && hp_profile_can_spill(r->profile) &&
        hp_profile_stack_memory(r->profile) > to->stack_memory) {
        r->has_spilled = true;
        if (hp_profile_spill(r->profile, to->store, &r->spill_err) != HP_OK) {
            hp_numbers_fail(&r->row, HP_WORDS("restored-not-spilled",
                                              "cannot write the temporary file"));
        }
    }
}

// Whether the number of a stack in the file is valid and usable; if not, r->row fails
// with `damage`. Stacks that were moved to runs have no numbers any more.
static bool has_stack(struct hp_partial_reader *r, uint64_t stack, const char *damage) {
    if (r->row.damage || stack >= r->stacks.count || r->has_spilled) {
        hp_numbers_fail(&r->row, damage);
    }
    return !r->row.damage;
}

// Read a block of stacks, whose columns must end together.
void hp_reader_stacks(struct hp_partial_reader *r) {
    struct hp_stack_codec *codec = &r->stack_codec;
    if (hp_reader_stays_packed(r)) {
        hp_reader_pack_stacks(r);
        return;
    }
    hp_stack_decode_begin(codec, &r->row);
    if (r->stacks.count == 0) {
        begin_one(r);
    }
    while (!r->row.damage && hp_stack_decode(codec, &r->stack_row)) {
        take_path(r);
        if (r->stack_row.set >= r->sets.count || r->stacks.count == UINT32_MAX) {
            hp_numbers_fail(&r->row, HP_WORDS("stack-labels-missing",
                                              "a stack has labels that are in no table"));
        } else if (!r->row.damage) {
            add_stack(r);
        }
    }
    if (codec->state.damage) {
        hp_numbers_fail(&r->row, codec->state.damage);
    }
    spill_if_full(r);
}

// Read a row with the sum of a further sample type for one stack.
void hp_reader_type_sum(struct hp_partial_reader *r) {
    uint64_t on = hp_get_below(&r->row, r->types.count - r->last_type);
    uint64_t start = on > 0 ? 0 : r->last_stack;
    uint64_t stack = start + hp_get_below(&r->row, UINT64_C(1) << 32);
    hp_int128 value = hp_get_signed(&r->row);
    r->last_type += on;
    r->last_stack = stack;
    if (has_stack(r, stack, HP_WORDS("sum-of-no-stack", "a sum is of no stack"))) {
        hp_sample_types_add_sum(&r->profile->types, r->types.at[r->last_type],
                                r->stacks.at[stack], value);
    }
}

// --- inputs ----------------------------------------------------------------------------

// Read the labels of an input, and append them to the labels of the profile.
static void read_input_labels(struct hp_partial_reader *r,
                              struct hp_input_record *input) {
    uint64_t count = hp_get_below(&r->row, HP_BLOCK_MOST);
    input->first_label = (uint32_t)r->profile->inputs.labels.count;
    while (input->labels < count && !r->row.damage) {
        struct hp_label label = {.key = hp_reader_text(r)};
        label.value = hp_reader_text(r);
        hp_vec_push(&r->profile->inputs.labels, label);
        input->labels++;
    }
}

// Set the status of an input, and its error if `code` is not HP_OK.
static void set_status(struct hp_input_record *input, enum hp_input_status status,
                       enum hp_code code, uint64_t line, const char *message) {
    struct hp_err err = {.code = HP_OK};
    input->public.status = status;
    if (code != HP_OK) {
        hp_fail(&err, code, "%s", message);
        err.line = line;
        hp_input_set_err(input, &err);
    }
}

// Set the fields HP_SLOT_APART of a record; fails if the bits are none.
static void set_apart(struct hp_partial_reader *r, uint64_t bits,
                      struct hp_input_record *input) {
    if (!hp_get_apart(bits, input)) {
        hp_numbers_fail(&r->row, HP_WORDS("large-sizes-unknown",
                                          "a number is beyond what it can be"));
    }
}

// Read the gain by headers, if the record has one.
static void read_gain(struct hp_partial_reader *r, struct hp_input_record *input) {
    if (input->has_gain) {
        hp_get_slots(&r->row, &hp_record_slots, 1u << HP_SLOT_LATER, input);
    }
}

// Read a row with a group of dumps. Its record is marked as that of a merged profile,
// because the processes of its dumps are unknown.
void hp_reader_group(struct hp_partial_reader *r) {
    struct hp_input_record input = {.is_group = true, .source = r->source};
    uint64_t status = hp_get_below(&r->row, HP_INPUT_KEPT_DAMAGED + 1);
    // The other traits can be derived from the sums.
    set_apart(r, hp_get_word(&r->row) >> HP_TRAITS, &input);
    hp_get_slots(&r->row, &hp_record_slots, 1u << HP_SLOT_KEY, &input);
    read_input_labels(r, &input);
    uint64_t dumps = hp_get_word(&r->row);
    hp_get_slots(&r->row, &hp_record_slots, 1u << HP_SLOT_SUM, &input);
    read_gain(r, &input);
    if (r->row.damage || dumps == 0) {
        hp_numbers_fail(&r->row, HP_WORDS("group-of-none", "a group is of no dumps"));
        return;
    }
    input.others = dumps - 1;
    r->group_dumps += dumps < UINT32_MAX ? dumps : UINT32_MAX;
    input.public.status = (enum hp_input_status)status;
    input.public.name = r->name;
    input.is_added = true;
    input.identity.is_merged = true;
    hp_vec_push(&r->groups, input);
}

// Read how many inputs were skipped for a reason.
void hp_reader_skipped(struct hp_partial_reader *r) {
    uint64_t reason = hp_get_below(&r->row, HP_REASONS);
    r->skipped[reason] = hp_get_word(&r->row);
}

// Read how many dumps have a diagnostic, and the identities of some of them.
void hp_reader_diagnostic(struct hp_partial_reader *r) {
    uint64_t kind = hp_get_below(&r->row, HP_DIAGNOSTICS);
    struct hp_diagnosed *to = &r->diagnosed[kind];
    uint64_t inputs = hp_get_word(&r->row);
    uint64_t named = hp_get_below(&r->row, HP_DIAGNOSED_NAMED + 1);
    if (kind < r->last_kind || inputs == 0 || named > inputs) {
        hp_numbers_fail(&r->row, HP_WORDS("group-none-before",
                                          "what is said of dumps is of none"));
    }
    to->inputs = inputs;
    for (uint64_t i = 0; i < named && !r->row.damage; i++) {
        struct hp_digest id = {{hp_get_fixed(&r->row, 8), 0}};
        id.of[1] = hp_get_fixed(&r->row, 2);
        hp_diagnosed_name(to, id);
    }
    r->last_kind = (uint32_t)kind + 1;
}

// Read a row with the identities of a dump and of its process.
void hp_reader_identity(struct hp_partial_reader *r) {
    struct hp_known_dump known = {.process = hp_get_fixed(&r->row, 8),
                                  .source = r->source};
    known.id[0] = hp_get_fixed(&r->row, 8);
    known.id[1] = hp_get_fixed(&r->row, 2);
    r->unidentified += known.process == 0;
    if (!r->row.damage) {
        hp_vec_push(&r->profile->inputs.known, known);
    }
}

// Read a row with the digest of the bytes of a dump, and of its process id.
void hp_reader_content(struct hp_partial_reader *r) {
    uint64_t content = hp_get_fixed(&r->row, 8);
    uint32_t pid = (uint32_t)hp_get_fixed(&r->row, 4);
    if (r->next_content >= r->profile->inputs.known.count) {
        hp_numbers_fail(&r->row, HP_WORDS("content-of-no-dump",
                                          "there are more contents than dumps"));
    }
    if (!r->row.damage) {
        struct hp_known_dump *known = &r->profile->inputs.known.at[r->next_content++];
        known->content = content;
        known->pid = pid;
    }
}

// Read the fields HP_SLOT_APART of a dump, and, if it is itself a merged profile, the
// list of its processes.
static void read_keys(struct hp_partial_reader *r, struct hp_input_record *input) {
    uint64_t word = hp_get_word(&r->row), has = word & 1;
    set_apart(r, word >> 1, input);
    if (has) {
        input->keys = hp_alloc(sizeof *input->keys);
    }
    while (has && !r->row.damage) {
        struct hp_span text = hp_strtab_span(&r->profile->strings, hp_reader_text(r));
        has = hp_get_below(&r->row, 2);
        if (!hp_process_keys_is_text(text) || !hp_process_keys_read(input->keys, text)) {
            hp_numbers_fail(&r->row,
                            HP_WORDS("merged-processes",
                                     "processes of a merged profile are damaged"));
        }
    }
}

// Read a dump that is recorded individually.
void hp_reader_dump(struct hp_partial_reader *r) {
    struct hp_input_record input = {.source = r->source, .public.name = r->name};
    struct hp_profile *profile = r->profile;
    uint64_t status = hp_get_below(&r->row, HP_INPUT_OTHER_MOMENT + 1);
    input.identity.kind = (char)hp_get_below(&r->row, 128);
    hp_get_slots(&r->row, &hp_record_slots, every_use, &input);
    hp_string program = hp_reader_text(r), warning = hp_reader_text(r);
    hp_string expected = hp_reader_text(r);
    read_input_labels(r, &input);
    uint64_t line = hp_get_word(&r->row);
    hp_string message = hp_reader_text(r);
    read_keys(r, &input);
    read_gain(r, &input);
    bool is_one = hp_status_is_used((enum hp_input_status)status) ||
                  status == HP_INPUT_OTHER_MOMENT;
    if (r->row.damage || !is_one || profile->inputs.records.count >= UINT32_MAX / 2) {
        hp_numbers_fail(&r->row,
                        HP_WORDS("dump-not-counted", "a dump is none that counts"));
        hp_input_done(&input);
        return;
    }
    struct hp_span path = hp_strtab_span(&profile->strings, program);
    input.identity.program = hp_strtab_add(&profile->inputs.programs, path).n;
    hp_input_set_producer_warning(&input, hp_profile_text(profile, warning));
    input.expected =
        expected.n ? hp_reader_kept_text(r, hp_strtab_span(&profile->strings, expected))
                   : NULL;
    input.number = (uint32_t)profile->inputs.records.count;
    set_status(&input, (enum hp_input_status)status,
               status == HP_INPUT_KEPT_DAMAGED ? HP_E_FORMAT : HP_OK, line,
               hp_profile_text(profile, message));
    hp_vec_push(&profile->inputs.records, input);
    r->dumps++;
}

// --- what each added -------------------------------------------------------------------

// Begin the history of the dump with this number in the partial.
static void begin_history(struct hp_partial_reader *r, uint32_t dump) {
    const struct hp_input_record *input =
        &r->profile->inputs.records.at[r->first_input + dump];
    r->history_dump = dump + 1;
    r->history_group = hp_replicate_of(input->content, &input->identity);
    if (r->profile->history.is_kept) {
        hp_history_begin(&r->profile->history);
    }
}

// End the history of the dump that was begun last, if any.
static void end_history(struct hp_partial_reader *r) {
    if (r->history_dump > 0 && r->profile->history.is_kept) {
        size_t number = r->first_input + r->history_dump - 1;
        const struct hp_input_record *input = &r->profile->inputs.records.at[number];
        struct hp_group_of group = {input->number, r->history_group};
        hp_history_end(&r->profile->history, input->number);
        if (r->profile->keeps.partial) {
            hp_vec_push(&r->profile->variation.group_of, group);
        }
    }
}

// Read the contribution of the current dump to a stack, and add it to the history, or,
// without a history, to the sums over replicates. `stack` is the number in the file.
static void read_observation(struct hp_partial_reader *r, uint32_t stack) {
    struct hp_profile *profile = r->profile;
    struct hp_values values = {{0}};
    struct hp_error read[HP_COLUMNS] = {{0}};
    const struct hp_error *errors[HP_COLUMNS] = {NULL};
    uint64_t parts = hp_get_below(&r->row, 16);
    for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
        if (parts >> i & 1) {
            values.of[hp_space_of(i)] = hp_get_signed(&r->row);
            values.of[hp_objects_of(i)] = hp_get_signed(&r->row);
        }
        if (parts >> i & 4) {
            hp_get_slots(&r->row, &hp_error_slots, every_use, &read[i]);
            errors[i] = hp_profile_wants_errors(profile, i) ? &read[i] : NULL;
        }
    }
    if (profile->history.is_kept && !r->row.damage) {
        hp_history_put(&profile->history, r->stacks.at[stack], &values, errors);
    } else if (profile->keeps.partial && !r->row.damage) { // only sums over replicates
        hp_replicates_add_values(&profile->variation.between[0].sums, r->history_group,
                                 r->stacks.at[stack], &values);
    }
}

// Read a row of the history: a contribution to a stack, perhaps the first of another
// dump.
void hp_reader_history(struct hp_partial_reader *r) {
    uint32_t last = r->history_dump > 0 ? r->history_dump - 1 : 0;
    uint64_t on = hp_get_below(&r->row, (uint64_t)r->dumps - last);
    bool begins = r->history_dump == 0 || on > 0;
    uint64_t start = begins ? 0 : r->history_stack;
    uint64_t stack = start + hp_get_below(&r->row, UINT64_C(1) << 32);
    if (!has_stack(r, stack,
                   HP_WORDS("observation-of-no-stack",
                            "an observation is of no stack"))) {
        return;
    }
    if (begins) {
        end_history(r);
        begin_history(r, last + (uint32_t)on);
    }
    r->history_stack = (uint32_t)stack;
    read_observation(r, (uint32_t)stack);
}

// Read a row of the type history. A row without a stack begins the values of a dump for a
// type.
void hp_reader_type_history(struct hp_partial_reader *r) {
    uint64_t type = hp_get_below(&r->row, r->types.count);
    uint64_t dump = hp_get_below(&r->row, r->dumps);
    uint64_t stack = hp_get_below(&r->row, (uint64_t)r->stacks.count + 1);
    hp_int128 value = stack > 0 ? hp_get_signed(&r->row) : 0;
    if (r->row.damage || (stack > 0 && !has_stack(r, stack - 1,
                                                  HP_WORDS("value-of-no-stack",
                                                           "a value is of no stack")))) {
        return;
    }
    struct hp_sample_type *to = &r->profile->types.of.at[r->types.at[type]];
    uint64_t key = type << 32 | (dump + 1);
    if (stack == 0) {
        if (r->type_history > 0) {
            hp_sample_type_end(
                &r->profile->types.of.at[r->types.at[r->type_history >> 32]]);
        }
        hp_sample_type_begin(to,
                             r->profile->inputs.records.at[r->first_input + dump].number,
                             r->profile->history.is_kept);
        r->type_history = key;
    } else if (key != r->type_history) {
        hp_numbers_fail(&r->row, HP_WORDS("value-of-no-dump", "a value is of no dump"));
    } else {
        hp_sample_type_put(to, r->stacks.at[stack - 1], value);
    }
}

// --- names -----------------------------------------------------------------------------

// Status and error code of inputs skipped for each reason.
static const struct {
    enum hp_input_status status;
    enum hp_code code;
} of_reason[HP_REASONS] = {
    [HP_REASON_UNREADABLE] = {HP_INPUT_SKIPPED, HP_E_IO},
    [HP_REASON_MALFORMED] = {HP_INPUT_SKIPPED, HP_E_FORMAT},
    [HP_REASON_UNSUPPORTED] = {HP_INPUT_SKIPPED, HP_E_UNSUPPORTED},
    [HP_REASON_LIMIT] = {HP_INPUT_SKIPPED, HP_E_LIMIT},
    [HP_REASON_REPEATED] = {HP_INPUT_DUPLICATE, HP_OK},
    [HP_REASON_PROGRAM] = {HP_INPUT_IGNORED, HP_OK},
    [HP_REASON_YOUNG] = {HP_INPUT_YOUNG, HP_OK},
    [HP_REASON_OTHER_MOMENT] = {HP_INPUT_OTHER_MOMENT, HP_OK},
};

// Subtract a skipped input that has a row of its own from the number of inputs that were
// skipped for its reason. Fails if that number is 0.
static void count_skipped(struct hp_partial_reader *r, enum hp_input_status status,
                          enum hp_code code) {
    bool is_other = code != HP_E_IO && code != HP_E_UNSUPPORTED && code != HP_E_LIMIT;
    for (unsigned i = 0; i < HP_REASONS; i++) {
        bool same_code =
            of_reason[i].code == code || (is_other && of_reason[i].code == HP_E_FORMAT);
        if (of_reason[i].status == status && (status != HP_INPUT_SKIPPED || same_code) &&
            r->skipped[i] > 0) {
            r->skipped[i]--;
            return;
        }
    }
    hp_numbers_fail(&r->row, HP_WORDS("skipped-not-counted",
                                      "an input was skipped that is not counted"));
}

// Read the rest of the row of a skipped input, which says why it was skipped, and add the
// input to the profile.
static void read_skipped(struct hp_partial_reader *r, struct hp_input_record *input) {
    uint64_t status = hp_get_below(&r->row, HP_INPUT_OTHER_MOMENT);
    uint64_t code = hp_get_below(&r->row, (uint64_t)-HP_E_INTERNAL);
    uint64_t line = hp_get_word(&r->row);
    const char *message = hp_reader_kept_text(r, hp_get_text(&r->row));
    if (hp_status_is_used((enum hp_input_status)status) ||
        (status == HP_INPUT_SKIPPED && code == HP_OK)) {
        hp_numbers_fail(&r->row, HP_WORDS("skipped-no-reason",
                                          "an input was skipped for no reason"));
    }
    count_skipped(r, (enum hp_input_status)status, (enum hp_code) - (int)code);
    if (!r->row.damage) {
        set_status(input, (enum hp_input_status)status, (enum hp_code) - (int)code, line,
                   message);
        input->number = (uint32_t)r->profile->inputs.records.count;
        hp_vec_push(&r->profile->inputs.records, *input);
    }
}

// Read the name of a dump, or of a skipped input.
void hp_reader_name(struct hp_partial_reader *r) {
    uint64_t dump = hp_get_below(&r->row, (uint64_t)r->dumps + 1);
    const char *name = hp_reader_kept_text(r, hp_get_text(&r->row));
    const char *archive = hp_reader_kept_text(r, hp_get_text(&r->row));
    uint64_t word = hp_get_fixed(&r->row, sizeof word);
    double time;
    memcpy(&time, &word, sizeof time);
    struct hp_input_record skipped = {.source = r->source};
    struct hp_input_record *input =
        dump > 0 ? &r->profile->inputs.records.at[r->first_input + dump - 1] : &skipped;
    input->public.name = name;
    input->archive = *archive ? archive : NULL;
    input->identity.time = isfinite(time) ? time : 0;
    if (dump == 0) {
        read_skipped(r, &skipped);
    }
}

// --- all -------------------------------------------------------------------------------

// Add a group of dumps to the profile as one input.
static void add_group(struct hp_partial_reader *r, struct hp_input_record *group) {
    struct hp_process_keys *keys = hp_alloc(sizeof *keys);
    keys->snapshots = 1u << r->parameters.of[HP_PARAMETER_SNAPSHOTS];
    keys->columns = 1u << r->parameters.of[HP_PARAMETER_COLUMN];
    keys->unidentified = r->unidentified;
    r->unidentified = 0; // attributed to the first group: it is unknown which
    group->keys = keys;  // owned by the record
    group->public.name = hp_reader_kept_text(r, hp_span_of(r->name));
    group->number = (uint32_t)r->profile->inputs.records.count;
    if (group->public.status == HP_INPUT_KEPT_DAMAGED) {
        set_status(group, HP_INPUT_KEPT_DAMAGED, HP_E_FORMAT, 0, "damaged");
    }
    hp_vec_push(&r->profile->inputs.records, *group);
}

// Complete the rows that were read last. Add the inputs that have no rows of their own:
// groups of dumps, if these are not recorded individually, and skipped inputs without
// names.
void hp_reader_settle(struct hp_partial_reader *r) {
    end_history(r);
    hp_reader_fold(r);
    if (r->type_history > 0) {
        hp_sample_type_end(&r->profile->types.of.at[r->types.at[r->type_history >> 32]]);
    }
    struct hp_diagnosed *diagnosed = r->profile->inputs.diagnosed[r->to->is_base];
    // With individual dumps, their own records contain the diagnostics.
    for (int i = 0; i < HP_DIAGNOSTICS && r->dumps == 0; i++) {
        hp_diagnosed_join(&diagnosed[i], &r->diagnosed[i]);
    }
    struct hp_input_record *group;
    // Number of the first group's record.  If dumps are not recorded individually, the
    // history has the sum of all dumps as the estimates of this input.
    size_t first = r->profile->inputs.records.count;
    for (group = r->groups.at;
         r->dumps == 0 && group && group < r->groups.at + r->groups.count; group++) {
        add_group(r, group);
    }
    if (r->is_one && r->dumps == 0 && r->groups.count > 0) {
        hp_history_end(&r->profile->history, (uint32_t)first);
    }
    for (unsigned i = 0; i < HP_REASONS; i++) {
        bool is_recorded = i == HP_REASON_OTHER_MOMENT && r->dumps > 0;
        if (r->skipped[i] > 0 && !is_recorded) {
            struct hp_input_record input = {
                .is_group = true,
                .source = r->source,
                .others = r->skipped[i] - 1,
                .number = (uint32_t)r->profile->inputs.records.count,
                .public.name = hp_reader_kept_text(r, hp_span_of(r->name)),
            };
            set_status(&input, of_reason[i].status, of_reason[i].code, 0,
                       hp_words(HP_WORDS("skipped-in-partial",
                                         "according to the aggregate file")));
            hp_vec_push(&r->profile->inputs.records, input);
        }
    }
}
