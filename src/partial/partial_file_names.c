// Names that files had when dumps were merged, so that a partial has them also where the
// files are not available:
//
//     number of the frame, less 1 + that of the row before; number of calls; for each:
//     function, linkage name, file, line, start line
//
// A text is written as 0 and itself when it is first used, and as its number + 1 later;
// "" has number 0. The names do not come from the dumps, and so are excluded from the
// digest.
#include "partial/partial_reader.h"
#include "partial/partial_writer.h"

// --- writing ---------------------------------------------------------------------------

// Append a text to the row, or its number + 1 if it is in `texts`, those written before.
static void put_text(struct hp_partial_writer *w, struct hp_strtab *texts,
                     hp_string string) {
    struct hp_span text = hp_strtab_span(&w->profile->strings, string);
    size_t known = texts->strings.count;
    uint32_t number = hp_strtab_add(texts, text).n;
    bool is_new = texts->strings.count > known;
    w->blocks.is_too_large |= text.size > HP_PARTIAL_TEXT_MOST;
    hp_put_number(&w->row, is_new ? 0 : number + 1);
    if (is_new) {
        hp_put_text(&w->row, text);
    }
}

void hp_put_file_names(struct hp_partial_writer *w) {
    const struct hp_profile *profile = w->profile;
    struct hp_strtab texts = {.strings = {0}};
    for (size_t i = 0, last = 0; i < profile->frames.count; i++) {
        const struct hp_frame *frame = &profile->frames.at[i];
        if (!frame->is_of_file || frame->lines == 0) {
            continue;
        }
        hp_put_number(&w->row, i - last);
        hp_put_number(&w->row, frame->lines);
        for (uint32_t k = 0; k < frame->lines; k++) {
            const struct hp_line *line = &profile->lines.at[frame->first_line + k];
            put_text(w, &texts, line->function);
            put_text(w, &texts, line->linkage);
            put_text(w, &texts, line->file);
            hp_put_number(&w->row, line->line);
            hp_put_number(&w->row, line->start_line);
        }
        hp_put_row(w, HP_SECTION_FILE_NAMES);
        last = i + 1;
    }
    hp_strtab_done(&texts);
}

// --- reading ---------------------------------------------------------------------------

// Read a text, or its number + 1; returns it as a string of the profile. Text 0 is "";
// the others are numbered in the order of their first use.
static hp_string get_text(struct hp_partial_reader *r) {
    uint64_t number = hp_get_below(&r->row, r->file_texts.count + 1);
    if (number > 0 || r->row.damage) {
        return r->row.damage ? (hp_string){0} : r->file_texts.at[number - 1];
    }
    struct hp_span text = hp_get_text(&r->row);
    if (text.size == 0 || text.size > HP_PARTIAL_TEXT_MOST) {
        hp_numbers_fail(&r->row,
                        HP_WORDS("file-text-length", "a text is empty or too long"));
        return (hp_string){0};
    }
    hp_string string = hp_strtab_add(&r->profile->strings, text);
    hp_vec_push(&r->file_texts, string);
    return string;
}

// Whether a frame's module records which build ran: only such modules have names of
// files.
static bool may_have_names(const struct hp_partial_reader *r, hp_frame_id frame) {
    return r->profile->modules.at[r->profile->frames.at[frame.n].module.n].stamp.n != 0;
}

void hp_reader_file_name(struct hp_partial_reader *r) {
    HP_VEC(struct hp_line) lines = {0};
    if (r->file_texts.count == 0) {
        hp_vec_push(&r->file_texts, (hp_string){0});
    }
    uint64_t number = r->last_file_name;
    number += hp_get_below(&r->row, r->frames.count - number);
    r->last_file_name = number + 1;
    uint64_t count = hp_get_below(&r->row, HP_BLOCK_MOST);
    while (lines.count < count && !r->row.damage) {
        struct hp_line line = {.function = get_text(r)};
        line.linkage = get_text(r);
        line.file = get_text(r);
        line.line = (uint32_t)hp_get_below(&r->row, UINT64_C(1) << 32);
        line.start_line = (uint32_t)hp_get_below(&r->row, UINT64_C(1) << 32);
        hp_vec_push(&lines, line);
    }
    if (!r->row.damage && (count == 0 || !may_have_names(r, r->frames.at[number]))) {
        hp_numbers_fail(&r->row, HP_WORDS("names-of-no-build", "names are of no build"));
    }
    if (!r->row.damage) {
        r->to->take_file_names(r->to->data, r->frames.at[number], lines.at,
                               (uint32_t)count);
    }
    hp_vec_done(&lines);
}
