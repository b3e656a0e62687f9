#include "base/pattern.h"
#include "model/profile.h"

#include <stdio.h>
#include <string.h>

int hp_filter_check(const struct hp_filter *filter, struct hp_err *err) {
    struct hp_pattern pattern;
    int ret = hp_pattern_init(&pattern, filter->pattern, err);
    hp_pattern_done(&pattern);
    return ret;
}

// What calls are named by, each once: there are far fewer names than calls.
struct names {
    HP_VEC(hp_string) all;
    bool *is_known; // by string
};

static void add_name(struct names *names, hp_string name) {
    if (name.n != 0 && !names->is_known[name.n]) {
        names->is_known[name.n] = true;
        hp_vec_push(&names->all, name);
    }
}

static void find_names(struct names *names, const struct hp_profile *profile) {
    const struct hp_line *line;
    const struct hp_frame *frame;
    names->is_known = hp_alloc(profile->strings.strings.count + 1);
    hp_vec_each (line, &profile->lines) {
        add_name(names, line->function);
        add_name(names, line->file);
    }
    hp_vec_each (frame, &profile->frames) {
        add_name(names, profile->modules.at[frame->module.n].path);
    }
    add_name(names, profile->marks.truncated);
    add_name(names, profile->marks.empty);
}

static void mark_offsets(struct hp_profile *profile, struct hp_pattern *pattern,
                         uint8_t mark) {
    for (size_t i = 0; i < profile->frames.count; i++) {
        char text[32];
        snprintf(text, sizeof text, "0x%llx",
                 (unsigned long long)profile->frames.at[i].offset);
        if (hp_pattern_matches(pattern, text)) {
            profile->marks.frames.at[i] |= mark;
        }
    }
}

static int apply(struct hp_profile *profile, const struct names *names,
                 const struct hp_filter *filter, struct hp_err *err) {
    struct hp_pattern pattern;
    uint8_t mark = hp_mark_of(filter->rule);
    const hp_string *name;
    int ret = hp_pattern_init(&pattern, filter->pattern, err);
    if (ret != HP_OK) {
        return ret;
    }
    hp_vec_each (name, &names->all) {
        if (hp_pattern_matches(&pattern, hp_profile_text(profile, *name))) {
            profile->marks.strings.at[name->n] |= mark;
        }
    }
    if (hp_span_starts(hp_span_of(filter->pattern), "0x")) {
        mark_offsets(profile, &pattern, mark);
    }
    if (pattern.gave_up) {
        ret = hp_fail(err, HP_E_LIMIT,
                      "pattern %s takes too many steps to match the names here",
                      filter->pattern);
    }
    hp_pattern_done(&pattern);
    return ret;
}

static void note_filters(struct hp_profile *profile, const struct hp_filter *filters,
                         size_t count) {
    struct hp_marks *marks = &profile->marks;
    marks->filters.count = 0;
    marks->rules = 0;
    for (size_t i = 0; i < count; i++) {
        hp_string text = hp_strtab_add(&profile->strings, hp_span_of(filters[i].pattern));
        hp_vec_push(&marks->filters, ((struct hp_filter_text){filters[i].rule, text}));
        marks->rules |= hp_mark_of(filters[i].rule);
    }
    marks->truncated = hp_strtab_add(&profile->strings, hp_span_of("[truncated]"));
    marks->empty = hp_strtab_add(&profile->strings, hp_span_of("[empty stack]"));
}

static void make_room(struct hp_profile *profile) {
    struct hp_marks *marks = &profile->marks;
    marks->strings.count = marks->frames.count = 0;
    hp_vec_reserve(&marks->strings, profile->strings.strings.count + 1);
    hp_vec_reserve(&marks->frames, profile->frames.count + 1);
    marks->strings.count = profile->strings.strings.count + 1;
    marks->frames.count = profile->frames.count + 1;
    memset(marks->strings.at, 0, marks->strings.count);
    memset(marks->frames.at, 0, marks->frames.count);
}

int hp_profile_filter(struct hp_profile *profile, const struct hp_filter *filters,
                      size_t count, struct hp_err *err) {
    struct names names = {0};
    int ret = HP_OK;
    note_filters(profile, filters, count);
    make_room(profile); // for the patterns among the strings, too
    find_names(&names, profile);
    for (size_t i = 0; ret == HP_OK && i < count; i++) {
        ret = apply(profile, &names, &filters[i], err);
    }
    hp_vec_done(&names.all);
    free(names.is_known);
    return ret;
}
