// Reads the tables that are described in partial_writer.c. All numbers of a row are
// checked where they are used, so that no content of a file can lead to an access outside
// of a table.
#include "partial/partial_reader.h"

#include <stdlib.h>
#include <string.h>

// --- texts -----------------------------------------------------------------------------

// Read a row of the section of texts. Texts must be in strictly rising order, so that a
// file has each of them once.
static void read_string(struct hp_partial_reader *r) {
    struct hp_span text = hp_get_text(&r->row);
    hp_string last = r->texts.at[r->texts.count - 1];
    struct hp_span before = hp_strtab_span(&r->profile->strings, last);
    if (text.size > HP_PARTIAL_TEXT_MOST || hp_span_compare(before, text) >= 0 ||
        r->texts.count == UINT32_MAX) {
        hp_numbers_fail(&r->row, HP_WORDS("text-place",
                                          "a text is too long, or not in its place"));
    } else if (!r->row.damage) {
        hp_vec_push(&r->texts, hp_strtab_add(&r->profile->strings, text));
    }
}

// --- parameters ------------------------------------------------------------------------

// Read a parameter, or, after all parameters, the name of the only thread that was read.
static void read_parameter(struct hp_partial_reader *r) {
    struct hp_span name = hp_get_text(&r->row);
    uint64_t value = hp_get_word(&r->row);
    bool is_thread = r->parameter_count >= HP_PARAMETER_BUILDS && !r->thread &&
                     value != 0 && value == r->parameters.of[HP_PARAMETER_THREAD];
    if (is_thread && !r->row.damage) {
        r->thread = hp_reader_kept_text(r, name);
    } else if (r->parameter_count >= HP_PARAMETERS ||
               !hp_span_is(name, hp_parameter_name(r->parameter_count))) {
        hp_numbers_fail(&r->row,
                        HP_WORDS("parameter-unknown", "a parameter is not known"));
    } else {
        r->parameters.of[r->parameter_count++] = value;
    }
}

// --- modules and frames ----------------------------------------------------------------

// Whether the partial is of major version 1, which had file offsets only.
static bool is_old(const struct hp_partial_reader *r) {
    return (r->blocks.version & 0xffff) == 1;
}

// Read the kind of the addresses in a module; in version 1 it follows from the kind of
// the module.
static enum hp_address_kind read_address_kind(struct hp_partial_reader *r,
                                              enum hp_module_kind kind) {
    if (is_old(r)) {
        return kind == HP_MODULE_FILE ? HP_ADDRESS_OFFSET : HP_ADDRESS_VIRTUAL;
    }
    return (enum hp_address_kind)hp_get_below(&r->row, HP_ADDRESS_KINDS);
}

// Read the end of a row of modules, from the extents on, and add the module to the
// profile.
static void read_extents(struct hp_partial_reader *r, struct hp_module *module) {
    HP_VEC(struct hp_extent) extents = {0};
    uint64_t count = hp_get_below(&r->row, HP_BLOCK_MOST);
    while (extents.count < count && !r->row.damage) {
        struct hp_extent extent = {.address = hp_get_word(&r->row)};
        extent.size = hp_get_word(&r->row);
        extent.offset = is_old(r) ? extent.address : hp_get_word(&r->row);
        extent.has_hole = hp_get_below(&r->row, 2) != 0;
        hp_vec_push(&extents, extent);
    }
    module->extents = (uint32_t)extents.count;
    if (r->parameters.of[HP_PARAMETER_BUILDS]) {
        module->stamp = hp_reader_text(r);
        module->dumps = (uint32_t)hp_get_below(&r->row, UINT64_C(1) << 32);
    }
    if (!r->row.damage) {
        hp_vec_push(&r->modules, hp_profile_module(r->profile, module, extents.at));
    }
    hp_vec_done(&extents);
}

// Read a row of modules.
static void read_module(struct hp_partial_reader *r) {
    struct hp_module module = {
        .kind = (enum hp_module_kind)hp_get_below(&r->row, HP_MODULE_PSEUDO + 1)};
    module.path = hp_reader_text(r);
    module.recorded_build_id = module.build_id = hp_reader_text(r);
    module.deleted = hp_get_below(&r->row, 2) != 0;
    module.addresses = read_address_kind(r, module.kind);
    module.span = hp_get_word(&r->row);
    module.resolved = (unsigned)hp_get_below(&r->row, HP_RESOLVED_ALL + 1);
    module.lowest_file.device = hp_get_word(&r->row);
    module.lowest_file.inode = hp_get_word(&r->row);
    module.highest_file.device = hp_get_word(&r->row);
    module.highest_file.inode = hp_get_word(&r->row);
    if (module.kind == HP_MODULE_NONE) {
        hp_numbers_fail(&r->row, HP_WORDS("module-none", "a module is none"));
    }
    read_extents(r, &module);
}

// Read one frame from the columns of a block, and append it to r->fresh. Frames must be
// in strictly rising order of module and address.
static void read_frame(struct hp_partial_reader *r,
                       struct hp_numbers columns[HP_FRAME_COLUMNS]) {
    uint64_t on = hp_get_below(&columns[HP_FRAME_MODULE],
                               r->modules.count - r->last_frame.module.n);
    uint64_t distance = hp_get_word(&columns[HP_FRAME_ADDRESS]);
    uint64_t start = on == 0 ? r->last_frame.address : 0;
    bool is_leaf = hp_get_below(&columns[HP_FRAME_LEAF], 2) != 0;
    bool is_first = r->frame_table.module.count == 0 || on > 0;
    if (columns[HP_FRAME_MODULE].damage || columns[HP_FRAME_ADDRESS].damage ||
        r->frame_table.module.count == UINT32_MAX || distance > UINT64_MAX - start ||
        (distance == 0 && !is_first)) {
        hp_numbers_fail(&r->row, HP_WORDS("frame-place", "a frame is not in its place"));
        return;
    }
    r->last_frame.module.n += (uint32_t)on;
    r->last_frame.address = start + distance;
    struct hp_frame frame = {.module = r->modules.at[r->last_frame.module.n],
                             .address = r->last_frame.address,
                             .is_return_leaf = is_leaf};
    hp_vec_push(&r->fresh, frame);
    hp_frame_table_add(&r->frame_table, r->last_frame.module.n);
}

// Add the frames of a block (r->fresh) to the profile, all at once, and their numbers to
// r->frames.
static void add_frames(struct hp_partial_reader *r) {
    size_t before = r->frames.count;
    hp_vec_reserve(&r->frames, r->fresh.count);
    r->frames.count += r->fresh.count;
    hp_frame_id *ids = hp_vec_from(&r->frames, before);
    hp_profile_frames(r->profile, r->fresh.at, r->fresh.count, ids);
    for (size_t i = 0; i < r->fresh.count; i++) {
        r->profile->frames.at[ids[i].n].is_return_leaf |= r->fresh.at[i].is_return_leaf;
    }
    r->fresh.count = 0;
}

// Read a block of frames, whose columns must end together.
static void read_frames(struct hp_partial_reader *r) {
    struct hp_numbers columns[HP_FRAME_COLUMNS];
    hp_get_columns(&r->row, columns, HP_FRAME_COLUMNS);
    while (!r->row.damage && hp_numbers_more(&columns[HP_FRAME_MODULE])) {
        read_frame(r, columns);
    }
    hp_numbers_end(&r->row, columns, HP_FRAME_COLUMNS);
    add_frames(r);
}

// Read the symbols of a frame, and hand them to partials->take_symbols().
static void read_symbol(struct hp_partial_reader *r) {
    HP_VEC(struct hp_line) lines = {0};
    uint64_t left = r->frames.count - r->last_symbol;
    r->last_symbol += hp_get_below(&r->row, left);
    bool is_disputed = hp_get_below(&r->row, 2) != 0;
    uint64_t count = hp_get_below(&r->row, HP_BLOCK_MOST);
    while (lines.count < count && !r->row.damage) {
        struct hp_line line = {.function = hp_reader_text(r)};
        line.linkage = hp_reader_text(r);
        line.file = hp_reader_text(r);
        line.line = (uint32_t)hp_get_below(&r->row, UINT64_C(1) << 32);
        line.start_line = (uint32_t)hp_get_below(&r->row, UINT64_C(1) << 32);
        line.column = (uint32_t)hp_get_below(&r->row, UINT64_C(1) << 32);
        hp_vec_push(&lines, line);
    }
    if (!r->row.damage && count > 0) {
        r->to->take_symbols(r->to->data, r->frames.at[r->last_symbol], lines.at,
                            (uint32_t)count, is_disputed);
    }
    hp_vec_done(&lines);
}

// --- labels, annotations, totals, types ------------------------------------------------

// Read a row with a set of labels of samples.
static void read_labels(struct hp_partial_reader *r) {
    HP_VEC(struct hp_tag) tags = {0};
    uint64_t count = hp_get_below(&r->row, HP_BLOCK_MOST);
    while (tags.count < count && !r->row.damage) {
        struct hp_tag tag = {.key = hp_reader_text(r)};
        tag.text = hp_reader_text(r);
        tag.unit = hp_reader_text(r);
        tag.is_number = (uint32_t)hp_get_below(&r->row, 2);
        tag.number = (int64_t)hp_get_signed(&r->row);
        hp_vec_push(&tags, tag);
    }
    if (!r->row.damage && r->sets.count > HP_PARTIAL_LABEL_SETS) {
        r->is_over_limit = true;
        hp_numbers_fail(&r->row,
                        HP_WORDS("many-labels",
                                 "more sets of labels than an aggregate file can have"));
    } else if (!r->row.damage) {
        hp_vec_push(&r->sets, hp_tags_add(&r->profile->tags.sets, tags.at, tags.count));
    }
    hp_vec_done(&tags);
}

// Read an annotation (its kind + 1 first), or, if the row begins with 0, the period and
// the times of all pprof profiles.
static void read_annotation(struct hp_partial_reader *r) {
    struct hp_annotations other = {.period = 0};
    struct hp_profile *profile = r->profile;
    uint64_t kind = hp_get_below(&r->row, HP_ANNOTATION_COMMENT + 2);
    if (kind > 0) {
        hp_string text = hp_reader_text(r);
        uint32_t place = (uint32_t)hp_get_below(&r->row, UINT64_C(1) << 32);
        hp_annotations_add(&profile->inputs.annotations,
                           (enum hp_annotation_kind)(kind - 1), text, place);
        return;
    }
    other.period = hp_get_word(&r->row);
    other.time = hp_get_word(&r->row);
    other.duration = hp_get_word(&r->row);
    hp_annotations_import(&profile->inputs.annotations, &profile->strings, &other,
                          &profile->strings);
}

// Read the sums of errors over all stacks, and before these whether the profile has
// numbers of allocated memory.
static void read_totals(struct hp_partial_reader *r) {
    if (hp_get_below(&r->row, 2) != 0) {
        hp_profile_set_alloc(r->profile);
    }
    for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
        struct hp_error error = {0};
        hp_get_slots(&r->row, &hp_error_slots, 1u << HP_SLOT_SUM, &error);
        r->profile->overflow |= !hp_error_add(&r->profile->errors.totals[i], &error);
    }
}

// Read the name and unit of a further sample type.
static void read_type(struct hp_partial_reader *r) {
    hp_string type = hp_reader_text(r), unit = hp_reader_text(r);
    bool is_space = hp_get_below(&r->row, 2) != 0;
    hp_vec_push(&r->types,
                hp_sample_types_find(&r->profile->types, type, unit, is_space));
}

// --- sections --------------------------------------------------------------------------

// The function that reads a row, or a block of columns, of each section.
static void (*const readers[HP_SECTIONS])(struct hp_partial_reader *) = {
    [HP_SECTION_PARAMETERS] = read_parameter,
    [HP_SECTION_STRINGS] = read_string,
    [HP_SECTION_MODULES] = read_module,
    [HP_SECTION_FRAMES] = read_frames,
    [HP_SECTION_SYMBOLS] = read_symbol,
    [HP_SECTION_LABELS] = read_labels,
    [HP_SECTION_ANNOTATIONS] = read_annotation,
    [HP_SECTION_GROUPS] = hp_reader_group,
    [HP_SECTION_SKIPPED] = hp_reader_skipped,
    [HP_SECTION_TOTALS] = read_totals,
    [HP_SECTION_TYPES] = read_type,
    [HP_SECTION_STACKS] = hp_reader_stacks,
    [HP_SECTION_TYPE_SUMS] = hp_reader_type_sum,
    [HP_SECTION_IDENTITIES] = hp_reader_identity,
    [HP_SECTION_DUMPS] = hp_reader_dump,
    [HP_SECTION_HISTORY] = hp_reader_history,
    [HP_SECTION_TYPE_HISTORY] = hp_reader_type_history,
    [HP_SECTION_NAMES] = hp_reader_name,
    [HP_SECTION_DISTRIBUTION] = hp_reader_distribution,
    [HP_SECTION_EXTREME_NAMES] = hp_reader_extreme_name,
    [HP_SECTION_DIAGNOSTICS] = hp_reader_diagnostic,
    [HP_SECTION_FILE_NAMES] = hp_reader_file_name,
    [HP_SECTION_CONTENTS] = hp_reader_content,
};

// Explanations of parameters for messages.
static const char *const parameter_hints[HP_PARAMETERS] = {
    [HP_PARAMETER_SNAPSHOTS] = ": 0 latest, 1 exit, 2 peak, 3 each, 4 sum",
    [HP_PARAMETER_LABELS] = ": 1 if --label-from was given",
    [HP_PARAMETER_THREADS] = ": 1 if stacks are separated by thread",
    [HP_PARAMETER_BUILDS] = ": 1 with --with-builds",
};

int hp_parameters_refuse(const struct hp_parameters *a, const char *name_a,
                         const struct hp_parameters *b, const char *name_b,
                         struct hp_err *err) {
    for (enum hp_parameter i = 0; i < HP_PARAMETERS; i++) {
        if (i != HP_PARAMETER_SHARD && a->of[i] != b->of[i]) {
            hp_fail(
                err, HP_E_DUPLICATE,
                HP_MESSAGE("partials-differ",
                           "merged with another %s, %llu, than %s, %llu: they cannot be "
                           "added%s"),
                i == HP_PARAMETER_SNAPSHOTS ? "--dumps" : hp_parameter_name(i),
                (unsigned long long)b->of[i], name_a, (unsigned long long)a->of[i],
                parameter_hints[i] ? parameter_hints[i] : "");
            hp_err_locate(err, name_b, 0);
            return HP_E_DUPLICATE;
        }
    }
    return HP_OK;
}

// Check the parameters just read, which are the first section, before any other section
// is read.  They must be valid and, except for HP_PARAMETER_SHARD, equal to those of the
// first partial.  Those of the first partial are stored in partials->parameters here.
static int settle_parameters(struct hp_partial_reader *r, struct hp_err *err) {
    static const uint64_t limits[HP_PARAMETERS] = {
        [HP_PARAMETER_METHOD] = HP_ESTIMATOR_NONE + 1,
        [HP_PARAMETER_LARGE_SIZES] = HP_LARGE_PAGES + 1,
        [HP_PARAMETER_SNAPSHOTS] = HP_SNAPSHOTS_SUM + 1,
        [HP_PARAMETER_COLUMN] = HP_COLUMNS,
        [HP_PARAMETER_UNMAPPED] = 2,
        [HP_PARAMETER_BUILDS] = 2,
    };
    bool is_sound = r->parameter_count >= HP_PARAMETER_BUILDS;
    for (enum hp_parameter i = 0; i < HP_PARAMETERS; i++) {
        is_sound &= limits[i] == 0 || r->parameters.of[i] < limits[i];
    }
    uint64_t shards = r->parameters.of[HP_PARAMETER_SHARDS];
    uint64_t present = r->parameters.of[HP_PARAMETER_SHARD];
    is_sound &= shards >= 1 && shards <= HP_SHARDS_MOST && present > 0 &&
                (shards == HP_SHARDS_MOST || present >> shards == 0);
    if (!is_sound) {
        return hp_fail(err, HP_E_FORMAT,
                       HP_MESSAGE("damaged-parameters",
                                  "damaged: parameters are missing, or unknown"));
    }
    if (r->to->count == 0) {
        r->to->parameters = r->parameters;
        r->to->first = hp_reader_kept_text(r, hp_span_of(r->name));
        bool is_of_one = r->parameters.of[HP_PARAMETER_THREAD] != 0;
        r->to->thread = r->thread ? r->thread : is_of_one ? "of a name not told" : NULL;
    }
    return hp_parameters_refuse(&r->to->parameters, r->to->first, &r->parameters, r->name,
                                err);
}

// Read all rows of the current block, whose section must be known.
static int read_rows(struct hp_partial_reader *r, struct hp_err *err) {
    unsigned section = r->blocks.section;
    void (*read)(struct hp_partial_reader *) = readers[section];
    r->row = (struct hp_numbers){r->blocks.raw.at, r->blocks.raw.at + r->blocks.raw.count,
                                 NULL};
    while (hp_numbers_more(&r->row)) {
        read(r);
    }
    if (r->spill_err.code != HP_OK) {
        *err = r->spill_err;
        return err->code;
    }
    if (r->row.damage) {
        return r->is_over_limit
                   ? hp_fail(err, HP_E_LIMIT,
                             HP_MESSAGE("section-too-large", "%s (section %u)"),
                             r->row.damage, section)
                   : hp_fail(err, HP_E_FORMAT,
                             HP_MESSAGE("damaged-section", "damaged: %s (section %u)"),
                             r->row.damage, section);
    }
    return HP_OK;
}

// Add the current block to r->common, the digest of all that is equal in all shards,
// unless its section differs between shards, or there is one shard only.
static void add_common(struct hp_partial_reader *r) {
    static const bool is_cut[HP_SECTIONS] = {
        [HP_SECTION_PARAMETERS] = true,   [HP_SECTION_STACKS] = true,
        [HP_SECTION_TYPE_SUMS] = true,    [HP_SECTION_HISTORY] = true,
        [HP_SECTION_TYPE_HISTORY] = true,
    };
    const struct hp_bytes *raw = &r->blocks.raw;
    uint8_t section = (uint8_t)r->blocks.section;
    if (!is_cut[section] && !(r->blocks.flags & HP_BLOCK_NO_DIGEST) &&
        r->parameters.of[HP_PARAMETER_SHARDS] > 1) {
        hp_sha256_add(&r->common, &section, 1);
        hp_sha256_add(&r->common, raw->at, raw->count);
    }
}

// Note that the partial has a section of a later version.
static void note_unknown(struct hp_partial_reader *r, unsigned section) {
    hp_partials_note_unknown(r->to, r->name, section);
    if (r->to->unknown_in == r->name) { // a copy outlives the reader
        r->to->unknown_in = hp_reader_kept_text(r, hp_span_of(r->name));
    }
}

// Read the current block. *last is the section of the block before, and is updated;
// sections must be in order. A section of a later version has a flag that says whether it
// may be skipped.
static int read_block(struct hp_partial_reader *r, unsigned *last, struct hp_err *err) {
    unsigned section = r->blocks.section;
    if (section >= HP_SECTIONS || !readers[section]) {
        note_unknown(r, section);
        return r->blocks.flags & HP_BLOCK_REQUIRED
                   ? hp_fail(
                         err, HP_E_UNSUPPORTED,
                         HP_MESSAGE("partial-later-version",
                                    "written by a later version: section %u is unknown"),
                         section)
                   : HP_OK;
    }
    if (section < *last) {
        return hp_fail(err, HP_E_FORMAT,
                       HP_MESSAGE("damaged-section-order",
                                  "damaged: section %u follows section %u"),
                       section, *last);
    }
    int ret = HP_OK;
    if (section > HP_SECTION_PARAMETERS && *last <= HP_SECTION_PARAMETERS) {
        ret = settle_parameters(r, err);
    }
    *last = section;
    add_common(r);
    return ret == HP_OK ? read_rows(r, err) : ret;
}

// Read all blocks up to the end of the partial.
static int read_blocks(struct hp_partial_reader *r, struct hp_err *err) {
    unsigned last = 0;
    int ret = hp_block_next(&r->blocks, err);
    while (ret == HP_OK && r->blocks.section != HP_SECTION_END) {
        ret = read_block(r, &last, err);
        ret = ret == HP_OK ? hp_block_next(&r->blocks, err) : ret;
    }
    if (ret == HP_OK && last < HP_SECTION_TOTALS) {
        ret = hp_fail(err, HP_E_FORMAT,
                      HP_MESSAGE("damaged-sections-missing",
                                 "damaged: sections are missing"));
    }
    return ret == HP_OK ? hp_reader_end_packed(r, err) : ret;
}

// Free the reader's memory.
static void reader_done(struct hp_partial_reader *r) {
    hp_block_reader_done(&r->blocks);
    hp_vec_done(&r->texts);
    hp_vec_done(&r->file_texts);
    hp_vec_done(&r->modules);
    hp_vec_done(&r->frames);
    hp_vec_done(&r->fresh);
    hp_vec_done(&r->sets);
    hp_vec_done(&r->stacks);
    hp_vec_done(&r->types);
    hp_frame_table_done(&r->frame_table);
    hp_stack_codec_done(&r->stack_codec);
    hp_stack_row_done(&r->stack_row);
    hp_vec_done(&r->stack);
    hp_vec_done(&r->groups);
    hp_packed_stacks_done(&r->packed);
}

int hp_partial_read(struct hp_partials *partials, struct hp_block_source source,
                    const char *name, struct hp_err *err) {
    struct hp_partial_reader r = {
        .to = partials,
        .profile = partials->profile,
        .name = name,
        .source = partials->count + 1,
        .first_input = partials->profile->inputs.records.count,
        .next_content = partials->profile->inputs.known.count,
        .keeps_between =
            partials->profile->keeps.partial || partials->profile->history.is_kept,
    };
    r.stack_codec.frames = &r.frame_table;
    hp_sha256_init(&r.common);
    hp_vec_push(&r.texts, (hp_string){0});
    hp_vec_push(&r.modules, (hp_module_id){0});
    hp_vec_push(&r.sets, (hp_string){0});
    int ret = hp_block_reader_init(&r.blocks, source, err);
    ret = ret == HP_OK ? read_blocks(&r, err) : ret;
    if (ret == HP_OK) {
        hp_reader_settle(&r);
        ret = hp_reader_pack_folded(&r, err);
    }
    if (ret == HP_OK) {
        memcpy(partials->digest, r.blocks.digest, sizeof partials->digest);
        hp_sha256_end(&r.common, partials->common);
        partials->count++;
    }
    reader_done(&r);
    return ret;
}
