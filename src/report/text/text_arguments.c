// The parts that a short name leaves out: template arguments, which can be shown again
// one by one, and parameters.
//
//     Req* Leaky<Req, 4>::make<int>(int)
//     Leaky^1<…>::make^2                       the short name of a name with marks in it
//     Leaky<Req, …>::make                      with the first argument of the first group
//
// To find out which groups a short name shows and where, each group of the full name gets
// a mark before the name is shortened.  This works whatever the rules of shortening are.
#include "report/text/text_names.h"

#include "view/brackets.h"
#include "view/shortname.h"

#include <stdio.h>

enum {
    MOST_GROUPS = 1000, // groups of a name that are looked at
};

// The bytes before and after the number of a group of template arguments, which together
// mark the group; neither occurs in names.
static const char begin_mark = '\002', end_mark = '\003';

// --- brackets -----------------------------------------------------------------------------

// Remove the first argument from `left`, a list such as "A, B<c, d>", and store it; false
// at the end of the list.
static bool next_argument(struct hp_span *left, struct hp_span *argument) {
    size_t depth = 0, end = 0;
    if (left->size == 0) {
        return false;
    }
    for (; end < left->size; end++) {
        depth += hp_is_opening(left->at[end]);
        depth -= hp_is_closing(*left, end) && depth > 0;
        if (depth == 0 && left->at[end] == ',') {
            break;
        }
    }
    *argument = (struct hp_span){left->at, end};
    *left = hp_span_from(*left, end < left->size ? end + 1 : end);
    while (argument->size > 0 && argument->at[0] == ' ') {
        *argument = hp_span_from(*argument, 1);
    }
    while (argument->size > 0 && argument->at[argument->size - 1] == ' ') {
        argument->size--;
    }
    return true;
}

// Return the index after the bracket that closes the one at `at`; 0 if there is none.
// Borrows unused room of `string` as scratch memory, and may move its text.
static size_t end_of_group(struct hp_buffer *string, struct hp_span name, size_t at) {
    hp_vec_reserve(&string->text, name.size - at);
    return hp_end_of_group(name, at, string->text.at + string->text.count);
}

// Append a text with the contents of its outermost brackets replaced: "std::vector<…>".
static void squeeze(struct hp_buffer *out, struct hp_span text) {
    for (size_t i = 0; i < text.size;) {
        size_t end = text.at[i] == '<' ? end_of_group(out, text, i) : i + 1;
        if (end == 0) { // the brackets do not match: copy all that is left
            end = text.size;
        }
        bool is_group = text.at[i] == '<' && text.at[end - 1] == '>';
        hp_buffer_append(out, is_group ? hp_span_of("<…>")
                                       : (struct hp_span){text.at + i, end - i});
        i = end;
    }
}

// --- groups -------------------------------------------------------------------------------

// Return the index for the mark of the template arguments that begin at `at`: before "<"
// or Rust's "::<".  0: the brackets are a part of the name and no arguments, so that they
// get no mark.
static size_t mark_place(struct hp_span full, size_t at) {
    struct hp_span rest = hp_span_from(full, at);
    bool is_name = hp_span_starts(rest, "<impl ") || hp_span_starts(rest, "<lambda") ||
                   hp_span_starts(rest, "<unnamed") || hp_span_starts(rest, "[abi:");
    bool is_open = rest.at[0] == '<' || rest.at[0] == '[';
    size_t place = at;
    if (at > 2 && full.at[at - 1] == ':' && full.at[at - 2] == ':') {
        place -= 2;
    }
    return is_open && !is_name && place > 0 && hp_is_word(full.at[place - 1]) ? place : 0;
}

// Copy a full name with a mark before each group of template arguments, and collect the
// groups.
static void mark_groups(struct hp_buffer *marked, struct hp_text_arguments *a,
                        struct hp_span full) {
    size_t copied = 0;
    for (size_t i = 0; i < full.size && a->groups.count < MOST_GROUPS; i++) {
        size_t place = hp_is_opening(full.at[i]) ? mark_place(full, i) : 0;
        size_t end = place > 0 ? end_of_group(marked, full, i) : 0;
        if (place > 0 && end == 0) {
            break; // what follows cannot match either
        }
        if (end > 0) {
            char mark[16];
            int size = snprintf(mark, sizeof mark, "%c%zu%c", begin_mark, a->groups.count,
                                end_mark);
            hp_buffer_append(marked, (struct hp_span){full.at + copied, place - copied});
            hp_buffer_append(marked, (struct hp_span){mark, (size_t)size});
            copied = place;
            hp_vec_push(&a->groups, ((struct hp_span){full.at + i, end - i}));
        }
    }
    hp_buffer_append(marked, hp_span_from(full, copied));
}

// Bytes of the placeholder, "<…>", that a short name shows for a group at the beginning
// of `text`; 0: there is none.
static size_t placeholder_size(struct hp_span text) {
    static const char *const known[] = {"<…>", "[…]"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (hp_span_starts(text, known[i])) {
            return strlen(known[i]);
        }
    }
    return 0;
}

// Copy the short name without its marks into a->name, and add the group of each mark to
// a->shown.
static void find_shown(struct hp_text_arguments *a, struct hp_span marked) {
    while (marked.size > 0) {
        if (marked.at[0] != begin_mark) {
            hp_vec_push(&a->name.text, marked.at[0]);
            marked = hp_span_from(marked, 1);
            continue;
        }
        size_t group = 0, i = 1;
        while (i < marked.size && marked.at[i] != end_mark) {
            group = group * 10 + (size_t)(marked.at[i++] - '0');
        }
        marked = hp_span_from(marked, i < marked.size ? i + 1 : i);
        struct hp_text_group shown = {a->name.text.count, placeholder_size(marked),
                                      a->groups.at[group]};
        hp_vec_push(&a->shown, shown);
    }
}

// Find the groups of template arguments of a full name.  A name that contains a byte of
// the marks gets no groups.
void hp_text_arguments_init(struct hp_text_arguments *a, struct hp_span full) {
    struct hp_buffer marked = {0}, out = {0};
    *a = (struct hp_text_arguments){0};
    if (memchr(full.at, begin_mark, full.size) || memchr(full.at, end_mark, full.size)) {
        return;
    }
    mark_groups(&marked, a, full);
    hp_vec_push(&marked.text, '\0');
    marked.text.count--;
    hp_vec_reserve(&out.text, hp_short_name_room(marked.text.count));
    find_shown(a, hp_short_name(hp_buffer_span(&marked), out.text.at));
    hp_vec_done(&marked.text);
    hp_vec_done(&out.text);
}

void hp_text_arguments_done(struct hp_text_arguments *a) {
    hp_vec_done(&a->name.text);
    hp_vec_done(&a->groups);
    hp_vec_done(&a->shown);
    hp_vec_done(&a->kept);
}

// --- arguments ----------------------------------------------------------------------------

bool hp_text_argument(const struct hp_text_arguments *a,
                      struct hp_text_kept_argument kept, struct hp_buffer *out) {
    struct hp_span argument;
    if (kept.group >= a->shown.count) {
        return false;
    }
    struct hp_span all = a->shown.at[kept.group].full;
    struct hp_span left = {all.at + 1, all.size - 2};
    for (size_t i = 0; next_argument(&left, &argument); i++) {
        if (i == kept.argument && kept.is_whole) {
            hp_buffer_append(out, argument);
        } else if (i == kept.argument) {
            squeeze(out, argument);
        }
        if (i == kept.argument) {
            return true;
        }
    }
    return false;
}

// The entry that says how an argument is shown; NULL: it is not shown.  If there are
// several entries, the last one is used.
static const struct hp_text_kept_argument *kept_argument(
    const struct hp_text_arguments *a, size_t group, size_t argument) {
    const struct hp_text_kept_argument *kept, *found = NULL;
    hp_vec_each (kept, &a->kept) {
        if (kept->group == group && kept->argument == argument) {
            found = kept;
        }
    }
    return found;
}

// Append a group of template arguments with those that are shown, and "…" for each run of
// others: "<Req, …>".
static void put_group(struct hp_buffer *out, const struct hp_text_arguments *a,
                      size_t group) {
    struct hp_span all = a->shown.at[group].full, argument;
    struct hp_span left = {all.at + 1, all.size - 2};
    bool left_out = false;
    hp_buffer_append(out, (struct hp_span){all.at, 1});
    for (size_t i = 0; next_argument(&left, &argument); i++) {
        const struct hp_text_kept_argument *kept = kept_argument(a, group, i);
        if (kept || !left_out) {
            hp_buffer_append(out, hp_span_of(i > 0 ? ", " : ""));
        }
        if (kept) {
            hp_text_argument(a, *kept, out);
        } else if (!left_out) {
            hp_buffer_append(out, hp_span_of("…"));
        }
        left_out = !kept;
    }
    hp_buffer_append(out, (struct hp_span){all.at + all.size - 1, 1});
}

void hp_text_arguments_put(struct hp_buffer *out, const struct hp_text_arguments *a) {
    size_t copied = 0;
    struct hp_span name = hp_buffer_span(&a->name);
    for (size_t i = 0; i < a->shown.count; i++) {
        const struct hp_text_group *shown = &a->shown.at[i];
        const struct hp_text_kept_argument *kept;
        bool has_kept = false;
        hp_vec_each (kept, &a->kept) {
            has_kept |= kept->group == i;
        }
        if (has_kept) {
            hp_buffer_append(out, (struct hp_span){name.at + copied, shown->at - copied});
            put_group(out, a, i);
            copied = shown->at + shown->size;
        }
    }
    hp_buffer_append(out, hp_span_from(name, copied));
}

// --- parameters ---------------------------------------------------------------------------

void hp_text_parameters(struct hp_buffer *out, struct hp_span full, bool is_whole) {
    struct hp_span parameters = hp_function_parameters(full);
    if (is_whole) {
        hp_buffer_append(out, parameters);
    } else {
        squeeze(out, parameters);
    }
}
