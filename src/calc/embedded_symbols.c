#include "calc/embedded_symbols.h"

void hp_embedded_symbols_done(struct hp_embedded_symbols *embedded) {
    hp_vec_done(&embedded->frames);
    hp_vec_done(&embedded->lines);
}

static int compare_texts(const struct hp_profile *profile, hp_string a, hp_string b) {
    return hp_span_compare(hp_strtab_span(&profile->strings, a),
                           hp_strtab_span(&profile->strings, b));
}

// Order the lines of frames by their texts and numbers.
static int compare_lines(const struct hp_profile *profile, const struct hp_line *a,
                         const struct hp_line *b) {
    int order = compare_texts(profile, a->function, b->function);
    order = order ? order : compare_texts(profile, a->file, b->file);
    order = order ? order : compare_texts(profile, a->linkage, b->linkage);
    order = order ? order : (a->line > b->line) - (a->line < b->line);
    order = order ? order : (a->column > b->column) - (a->column < b->column);
    return order ? order
                 : (a->start_line > b->start_line) - (a->start_line < b->start_line);
}

// Order two sets of symbols of a frame.  If one is the beginning of the other, the
// shorter comes first.
static int compare(const struct hp_embedded_symbols *embedded,
                   const struct hp_profile *profile, struct hp_embedded_frame a,
                   struct hp_embedded_frame b) {
    int order = 0;
    for (uint32_t i = 0; order == 0 && i < a.lines && i < b.lines; i++) {
        order = compare_lines(profile, &embedded->lines.at[a.first_line + i],
                              &embedded->lines.at[b.first_line + i]);
    }
    return order ? order : (a.lines > b.lines) - (a.lines < b.lines);
}

// Add a set of symbols, whose lines are the last of embedded->lines, to a frame.  The
// frame keeps the better of its old set and this one; the lines are dropped if the old
// one is better.
static void add(struct hp_embedded_symbols *embedded, const struct hp_profile *profile,
                hp_frame_id frame, struct hp_embedded_frame account) {
    struct hp_embedded_frame *known = hp_vec_reach(&embedded->frames, frame.n);
    bool is_second = known->lines > 0, is_file = account.is_of_file;
    int order = is_second ? compare(embedded, profile, account, *known) : -1;
    if (is_second && (is_file || known->is_of_file)) {
        bool are_files = is_file && known->is_of_file;
        order = !are_files                      ? (is_file ? 1 : -1)
                : account.lines != known->lines ? (account.lines > known->lines ? -1 : 1)
                                                : order;
    } else {
        account.disputed |= known->disputed || (is_second && order != 0);
    }
    if (order < 0) {
        *known = account;
    } else {
        known->disputed |= account.disputed;
        embedded->lines.count = account.first_line;
    }
}

// Copy a string of the table `from` to the profile.
static hp_string copy(struct hp_profile *profile, const struct hp_strtab *from,
                      hp_string string) {
    return hp_strtab_add(&profile->strings, hp_strtab_span(from, string));
}

// Add the symbols of one address of the dump, if it has any.
static void add_address(struct hp_embedded_symbols *embedded, struct hp_profile *profile,
                        const struct hp_dump *dump, size_t address, hp_frame_id frame) {
    const struct hp_embedded_address *said = hp_dump_embedded(dump, address);
    if (!said || said->calls == 0) {
        return;
    }
    struct hp_embedded_frame account = {.first_line = (uint32_t)embedded->lines.count,
                                        .lines = said->calls,
                                        .disputed = said->is_disputed};
    for (uint32_t i = 0; i < said->calls; i++) {
        const struct hp_embedded_call *call =
            &dump->embedded_calls.at[said->first_call + i];
        struct hp_line line = {.function = copy(profile, &dump->strings, call->function),
                               .file = copy(profile, &dump->strings, call->file),
                               .line = call->line,
                               .start_line = call->start_line,
                               .column = call->column};
        line.linkage = call->linkage.n ? copy(profile, &dump->strings, call->linkage)
                                       : line.function;
        hp_vec_push(&embedded->lines, line);
    }
    add(embedded, profile, frame, account);
}

void hp_embedded_symbols_add(struct hp_embedded_symbols *embedded,
                             struct hp_profile *profile, const struct hp_dump *dump,
                             const hp_frame_id *frames) {
    for (size_t i = 0; dump->embedded.count > 0 && i < dump->addresses.count; i++) {
        add_address(embedded, profile, dump, i, frames[i]);
    }
}

void hp_embedded_symbols_put(struct hp_embedded_symbols *embedded,
                             struct hp_profile *profile, hp_frame_id frame,
                             const struct hp_embedded_frame *account,
                             const struct hp_line *lines) {
    struct hp_embedded_frame own = *account;
    own.first_line = (uint32_t)embedded->lines.count;
    hp_vec_append(&embedded->lines, lines, own.lines);
    add(embedded, profile, frame, own);
}

void hp_embedded_symbols_copy(struct hp_embedded_symbols *embedded, hp_frame_id from,
                              hp_frame_id to) {
    if (from.n < embedded->frames.count && embedded->frames.at[from.n].lines > 0) {
        struct hp_embedded_frame account = embedded->frames.at[from.n];
        *hp_vec_reach(&embedded->frames, to.n) = account; // lines are never changed
    }
}

void hp_embedded_symbols_absorb(struct hp_embedded_symbols *embedded,
                                struct hp_profile *profile,
                                const struct hp_embedded_symbols *other_embedded,
                                const struct hp_profile *other) {
    for (size_t i = 0; i < other_embedded->frames.count; i++) {
        struct hp_embedded_frame account = other_embedded->frames.at[i];
        const struct hp_frame *frame = &other->frames.at[i];
        if (account.lines == 0) {
            continue;
        }
        uint32_t first = account.first_line;
        account.first_line = (uint32_t)embedded->lines.count;
        for (uint32_t k = 0; k < account.lines; k++) {
            struct hp_line line = other_embedded->lines.at[first + k];
            line.function = copy(profile, &other->strings, line.function);
            line.linkage = copy(profile, &other->strings, line.linkage);
            line.file = copy(profile, &other->strings, line.file);
            hp_vec_push(&embedded->lines, line);
        }
        hp_module_id module = hp_profile_import_module(profile, other, frame->module);
        add(embedded, profile, hp_profile_frame(profile, module, frame->address),
            account);
    }
}

size_t hp_embedded_symbols_settle(const struct hp_embedded_symbols *embedded,
                                  struct hp_profile *profile) {
    size_t disputed = 0;
    for (size_t i = 0; i < embedded->frames.count; i++) {
        const struct hp_embedded_frame *account = &embedded->frames.at[i];
        struct hp_frame *frame = &profile->frames.at[i];
        bool is_by_names = account->lines > 0 && frame->address >> 63 != 0;
        disputed += account->disputed && !is_by_names;
        frame->first_line = (uint32_t)profile->lines.count;
        frame->lines = account->lines;
        frame->is_disputed = account->disputed;
        frame->is_of_file = account->is_of_file;
        for (uint32_t k = 0; k < account->lines; k++) {
            hp_vec_push(&profile->lines, embedded->lines.at[account->first_line + k]);
        }
    }
    return disputed;
}
