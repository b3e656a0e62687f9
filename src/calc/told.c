#include "calc/told.h"

void hp_told_done(struct hp_told *told) {
    hp_vec_done(&told->frames);
    hp_vec_done(&told->lines);
    hp_vec_done(&told->builds);
}

static int compare_texts(const struct hp_profile *profile, hp_string a, hp_string b) {
    return hp_span_compare(hp_strtab_span(&profile->strings, a),
                           hp_strtab_span(&profile->strings, b));
}

static int compare_lines(const struct hp_profile *profile, const struct hp_line *a,
                         const struct hp_line *b) {
    int order = compare_texts(profile, a->function, b->function);
    order = order ? order : compare_texts(profile, a->file, b->file);
    order = order ? order : compare_texts(profile, a->linkage, b->linkage);
    return order ? order : (a->line > b->line) - (a->line < b->line);
}

// Of two accounts of one frame; the shorter first, if it begins the longer.
static int compare(const struct hp_told *told, const struct hp_profile *profile,
                   struct hp_told_frame a, struct hp_told_frame b) {
    int order = 0;
    for (uint32_t i = 0; order == 0 && i < a.lines && i < b.lines; i++) {
        order = compare_lines(profile, &told->lines.at[a.first_line + i],
                              &told->lines.at[b.first_line + i]);
    }
    return order ? order : (a.lines > b.lines) - (a.lines < b.lines);
}

// The last lines are those of a frame.
static void note(struct hp_told *told, const struct hp_profile *profile,
                 hp_frame_id frame, struct hp_told_frame account) {
    while (told->frames.count <= frame.n) {
        hp_vec_push(&told->frames, ((struct hp_told_frame){0, 0, false}));
    }
    struct hp_told_frame *known = &told->frames.at[frame.n];
    int order = known->lines > 0 ? compare(told, profile, account, *known) : -1;
    account.disputed |= known->disputed || (known->lines > 0 && order != 0);
    if (order < 0) {
        *known = account;
    } else {
        known->disputed = account.disputed;
        told->lines.count = account.first_line;
    }
}

static hp_string copy(struct hp_profile *profile, const struct hp_strtab *from,
                      hp_string string) {
    return hp_strtab_add(&profile->strings, hp_strtab_span(from, string));
}

static void note_address(struct hp_told *told, struct hp_profile *profile,
                         const struct hp_dump *dump, size_t address, hp_frame_id frame) {
    const struct hp_told_address *said = hp_dump_told(dump, address);
    if (!said || said->calls == 0) {
        return;
    }
    struct hp_told_frame account = {(uint32_t)told->lines.count, said->calls, false};
    for (uint32_t i = 0; i < said->calls; i++) {
        const struct hp_told_call *call = &dump->told_calls.at[said->first_call + i];
        struct hp_line line = {.function = copy(profile, &dump->strings, call->function),
                               .file = copy(profile, &dump->strings, call->file),
                               .line = call->line};
        line.linkage = call->linkage.n ? copy(profile, &dump->strings, call->linkage)
                                       : line.function;
        hp_vec_push(&told->lines, line);
    }
    note(told, profile, frame, account);
}

// Two builds that are mapped alike cannot be told apart: neither is looked for then.
static void note_build(struct hp_told *told, hp_module_id module,
                       struct hp_told_build build) {
    while (told->builds.count <= module.n) {
        hp_vec_push(&told->builds, ((struct hp_told_build){{0}, false}));
    }
    struct hp_told_build *known = &told->builds.at[module.n];
    known->disputed |= build.disputed || (known->id.n && known->id.n != build.id.n);
    known->id = build.id;
}

static void note_build_of(struct hp_told *told, struct hp_profile *profile,
                          const struct hp_dump *dump, size_t address, hp_frame_id frame) {
    uint32_t row = dump->has_rows ? dump->rows.at[address] : 0;
    struct hp_span id = row > 0 ? dump->mappings.at[row - 1].build_id : hp_span_of("");
    if (id.size > 0) {
        struct hp_told_build build = {hp_strtab_add(&profile->strings, id), false};
        note_build(told, profile->frames.at[frame.n].module, build);
    }
}

void hp_told_note(struct hp_told *told, struct hp_profile *profile,
                  const struct hp_dump *dump, const hp_frame_id *frames) {
    bool tells = dump->told.count > 0 || dump->has_rows;
    for (size_t i = 0; tells && i < dump->addresses.count; i++) {
        note_address(told, profile, dump, i, frames[i]);
        note_build_of(told, profile, dump, i, frames[i]);
    }
}

static hp_module_id module_in(struct hp_profile *profile, const struct hp_profile *other,
                              hp_module_id id) {
    struct hp_module module = other->modules.at[id.n];
    module.path = copy(profile, &other->strings, module.path);
    const struct hp_extent *extents =
        module.extents > 0 ? other->extents.at + module.first_extent : NULL;
    return id.n == 0 ? id : hp_profile_module(profile, &module, extents);
}

void hp_told_absorb(struct hp_told *told, struct hp_profile *profile,
                    const struct hp_told *other_told, const struct hp_profile *other) {
    for (size_t i = 0; i < other_told->frames.count; i++) {
        struct hp_told_frame account = other_told->frames.at[i];
        const struct hp_frame *frame = &other->frames.at[i];
        if (account.lines == 0) {
            continue;
        }
        uint32_t first = account.first_line;
        account.first_line = (uint32_t)told->lines.count;
        for (uint32_t k = 0; k < account.lines; k++) {
            struct hp_line line = other_told->lines.at[first + k];
            line.function = copy(profile, &other->strings, line.function);
            line.linkage = copy(profile, &other->strings, line.linkage);
            line.file = copy(profile, &other->strings, line.file);
            hp_vec_push(&told->lines, line);
        }
        hp_module_id module = module_in(profile, other, frame->module);
        note(told, profile, hp_profile_frame(profile, module, frame->offset), account);
    }
    for (uint32_t i = 0; i < other_told->builds.count; i++) {
        struct hp_told_build build = other_told->builds.at[i];
        if (build.id.n) {
            build.id = copy(profile, &other->strings, build.id);
            note_build(told, module_in(profile, other, (hp_module_id){i}), build);
        }
    }
}

size_t hp_told_settle(const struct hp_told *told, struct hp_profile *profile) {
    size_t disputed = 0;
    for (size_t i = 0; i < told->frames.count; i++) {
        const struct hp_told_frame *account = &told->frames.at[i];
        struct hp_frame *frame = &profile->frames.at[i];
        disputed += account->disputed;
        frame->first_line = (uint32_t)profile->lines.count;
        frame->lines = account->lines;
        for (uint32_t k = 0; k < account->lines; k++) {
            hp_vec_push(&profile->lines, told->lines.at[account->first_line + k]);
        }
    }
    for (size_t i = 0; i < told->builds.count; i++) {
        struct hp_told_build build = told->builds.at[i];
        profile->modules.at[i].build_id = build.disputed ? (hp_string){0} : build.id;
    }
    return disputed;
}
