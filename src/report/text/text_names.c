// Distinct names for rows.  Where two rows would have the same name, the first of these
// that differs is added to both:
//
//     Leaky<Req>::make, Leaky<Session>::make      an argument of a template
//     over(int), over(char const*)                parameters
//     handle [a.c:15], handle [b.c:7]             where they are in source files
//     f [libone.so], f [libtwo.so]                in which module
//     g ~1, g ~2                                  their order
//
// Whole names are made distinct first, then the shortened ones; the added part is not
// shortened if there is room.  If two names differ only in the part that was cut off,
// both are shortened in the middle instead.
#include "report/text/text_names.h"

#include <stdio.h>

enum {
    // Least cells that leave room for a source line after an address with its name.
    LEAST_PLACED = 24,
    MOST_ARGUMENTS = 64, // arguments of a group that are compared
};

// The things that can distinguish names, in the order in which they are tried.
enum name_step {
    BY_ARGUMENTS,
    BY_PARAMETERS,
    BY_LINES,
    BY_FILES,
    BY_MODULES,
    BY_ORDER,
};

// One name while it is made distinct.
struct row_name {
    hp_node_id node;
    size_t room; // cells that the name may take; 0: it is not shortened
    // The full name of the function.  Unlike the texts below it is not made safe.
    struct hp_span full;
    // The part before the name: "libfoo.so+0x1234".
    struct hp_buffer lead;
    struct hp_buffer base;  // the name
    struct hp_buffer place; // after the name: "/srv/main.c:15"
    struct hp_buffer mark;  // the part that distinguishes it, " [main.c:15]"
    struct hp_buffer text;  // the result: all parts together, shortened
    struct hp_text_arguments arguments;
    // Whether `arguments` is set; whether the name is shortened in the middle.
    bool has_arguments, keeps_ends;
    enum name_step step; // the step to try next
};

struct hp_text_names {
    const struct hp_view *view;
    HP_VEC(struct row_name) names;
    uint32_t *number; // for each node: index into `names`, + 1; 0: none
    // Whether names are shortened now; not before whole names are distinct
    bool is_cut;
};

void hp_text_append_safe(struct hp_buffer *out, struct hp_span text) {
    while (text.size > 0) {
        char safe[512];
        size_t written;
        size_t used = hp_escape(text.at, text.size, safe, sizeof safe, &written);
        hp_buffer_append(out, (struct hp_span){safe, written});
        text = hp_span_from(text, used);
    }
}

// --- parts of a name ----------------------------------------------------------------------

// Append the file and line of an origin, "/srv/main.c:15", as names of lines and
// addresses end with it.
static void write_place(struct hp_buffer *out, const struct hp_view *view,
                        const struct hp_origin *origin) {
    char number[16];
    struct hp_span file = hp_view_string(view, origin->file);
    if (file.size > 0) {
        hp_buffer_append(out, file);
        snprintf(number, sizeof number, ":%u", (unsigned)origin->line);
        hp_buffer_append(out, hp_span_of(origin->line > 0 ? number : ""));
    }
}

// Remove `end` and the space before it from a name; false if the name does not end with
// it.
static bool take_end(struct hp_span *name, struct hp_span end) {
    if (end.size == 0 || name->size <= end.size ||
        memcmp(name->at + name->size - end.size, end.at, end.size) != 0 ||
        name->at[name->size - end.size - 1] != ' ') {
        return false;
    }
    name->size -= end.size + 1;
    return true;
}

// Set, from the text of a name, its base and what is before it (lead) and after it, the
// source file and line (place); only names of lines and addresses have a lead or a place.
static void split(const struct hp_view *view, struct row_name *name,
                  struct hp_span text) {
    enum hp_granularity by = view->options.by;
    const struct hp_origin *origin = hp_view_origin(view, name->node);
    struct hp_span function = hp_naming_function(&view->naming, origin->function);
    struct hp_buffer place = {0};
    if (by == HP_BY_LINE || by == HP_BY_ADDRESS) {
        write_place(&place, view, origin);
        if (take_end(&text, hp_buffer_span(&place))) {
            hp_text_append_safe(&name->place, hp_buffer_span(&place));
        }
    }
    struct hp_span lead = text;
    if (by == HP_BY_ADDRESS && take_end(&lead, function)) {
        hp_text_append_safe(&name->lead, lead);
        text = function;
    }
    hp_text_append_safe(&name->base, text);
    hp_vec_done(&place.text);
}

// Append name->base, shortened by the rules for the kind of the row.
static void cut_base(const struct hp_text_names *names, const struct row_name *name,
                     const struct hp_text_cut *cut, struct hp_buffer *out) {
    static const struct hp_text_cut whole = {0};
    bool is_whole = !names->view->naming.short_of; // full names were asked for
    switch (names->view->options.by) {
    case HP_BY_FUNCTION:
    case HP_BY_LINE:
    case HP_BY_ADDRESS:
        hp_text_cut_name(out, hp_buffer_span(&name->base), is_whole ? &whole : cut);
        break;
    case HP_BY_FILE:
    case HP_BY_MODULE:
    case HP_BY_BUILD:
    case HP_BY_PROGRAM:
        hp_text_cut_path(out, hp_buffer_span(&name->base), cut);
        break;
    case HP_BY_GROUP:
    case HP_BY_INPUT: // paths that the user gave are not shortened
    case HP_BY_PROCESS:
        hp_buffer_append(out, hp_buffer_span(&name->base));
        break;
    case HP_BY_THREAD:
    case HP_BY_LABEL:
    case HP_BY_SIZE:
    case HP_BY_AGE:
        hp_text_cut_text(out, hp_buffer_span(&name->base), cut);
        break;
    }
}

static size_t cells(const struct hp_text_names *names, const struct hp_buffer *text) {
    return hp_text_cells(hp_buffer_span(text), names->view->options.text.ascii);
}

// The room that is left of `room` when `used` cells are taken; 0 stays 0, and otherwise
// it is at least 1, because 0 means any room.
static size_t less(size_t room, size_t used) {
    return room == 0 ? 0 : room > used ? room - used : 1;
}

static size_t half(size_t room) {
    return room > 1 ? room / 2 : room;
}

// Append a space and name->place, the file and line.  It is shortened so that the name
// gets up to half of the room.
static void build_place(const struct hp_text_names *names, const struct row_name *name,
                        size_t room, struct hp_buffer *out) {
    struct hp_text_cut cut = {.is_ascii = names->view->options.text.ascii};
    size_t base = cells(names, &name->base);
    bool has_room = room == 0 || name->lead.text.count == 0 || room >= LEAST_PLACED;
    if (name->place.text.count > 0 && has_room) {
        cut.room = less(room, 1 + (base < half(room) ? base : half(room)));
        hp_buffer_append(out, hp_span_of(" "));
        hp_text_cut_path(out, hp_buffer_span(&name->place), &cut);
    }
}

// Build name->text from the parts of the name; shorten it to its room if names->is_cut.
static void build_text(const struct hp_text_names *names, struct row_name *name) {
    size_t room = names->is_cut ? name->room : 0;
    struct hp_text_cut cut = {.room = half(room),
                              .is_ascii = names->view->options.text.ascii};
    struct hp_buffer mark = {0}, place = {0};
    name->text.text.count = 0;
    hp_text_cut_text(&mark, hp_buffer_span(&name->mark), &cut);
    room = less(room, cells(names, &mark));
    if (name->lead.text.count > 0) {
        cut.room = half(room);
        hp_text_cut_name(&name->text, hp_buffer_span(&name->lead), &cut);
        hp_buffer_append(&name->text, hp_span_of(" "));
        room = less(room, cells(names, &name->text));
    }
    build_place(names, name, room, &place);
    cut.room = less(room, cells(names, &place));
    cut.keeps_ends = name->keeps_ends;
    cut_base(names, name, &cut, &name->text);
    hp_buffer_append(&name->text, hp_buffer_span(&place));
    hp_buffer_append(&name->text, hp_buffer_span(&mark));
    hp_vec_done(&mark.text);
    hp_vec_done(&place.text);
}

// --- what is different --------------------------------------------------------------------

// Names of several rows that have the same text and have to be distinguished: numbers in
// names->names.
struct alike {
    struct hp_text_names *names;
    const uint32_t *at;
    size_t count;
};

static struct row_name *member(const struct alike *alike, size_t i) {
    return &alike->names->names.at[alike->at[i]];
}

// The type of a function that appends the text by which a step distinguishes name `i` of
// several equal names.
typedef void describe_fn(const struct alike *alike, size_t i, struct hp_buffer *out);

// Set the mark of each name to the text that `describe` appends for it.  Returns false
// and sets no mark if all these texts are the same.
static bool mark(const struct alike *alike, describe_fn *describe) {
    struct hp_buffer first = {0}, other = {0};
    bool differ = false;
    describe(alike, 0, &first);
    for (size_t i = 1; i < alike->count && !differ; i++) {
        other.text.count = 0;
        describe(alike, i, &other);
        differ = !hp_span_equal(hp_buffer_span(&first), hp_buffer_span(&other));
    }
    for (size_t i = 0; i < alike->count && differ; i++) {
        describe(alike, i, &member(alike, i)->mark);
    }
    hp_vec_done(&first.text);
    hp_vec_done(&other.text);
    return differ;
}

// Find the template arguments of a name, once.
static void find_arguments(struct row_name *name) {
    if (!name->has_arguments) {
        hp_text_arguments_init(&name->arguments, name->full);
        name->has_arguments = true;
    }
}

// Whether an argument is shown already, in at least this form.
static bool is_kept(const struct row_name *name, struct hp_text_kept_argument kept) {
    bool found = false;
    const struct hp_text_kept_argument *known;
    hp_vec_each (known, &name->arguments.kept) {
        found |= known->group == kept.group && known->argument == kept.argument &&
                 known->is_whole >= kept.is_whole;
    }
    return found;
}

// Whether an argument differs between the names and is not shown in all of them yet.
// `*exists`: some name has it.
static bool differs(const struct alike *alike, struct hp_text_kept_argument kept,
                    bool *exists) {
    struct hp_buffer first = {0}, other = {0};
    bool has_first = hp_text_argument(&member(alike, 0)->arguments, kept, &first);
    bool differ = false, are_kept = is_kept(member(alike, 0), kept);
    *exists = has_first;
    for (size_t i = 1; i < alike->count; i++) {
        other.text.count = 0;
        bool has = hp_text_argument(&member(alike, i)->arguments, kept, &other);
        *exists |= has;
        differ |= has != has_first ||
                  !hp_span_equal(hp_buffer_span(&first), hp_buffer_span(&other));
        are_kept &= is_kept(member(alike, i), kept);
    }
    hp_vec_done(&first.text);
    hp_vec_done(&other.text);
    return differ && !are_kept;
}

// Find the first template argument that differs between the names, in the form that
// kept->is_whole asks for; false if none differs.
static bool find_difference(const struct alike *alike,
                            struct hp_text_kept_argument *kept) {
    size_t groups = 0;
    for (size_t i = 0; i < alike->count; i++) {
        size_t count = member(alike, i)->arguments.shown.count;
        groups = count > groups ? count : groups;
    }
    for (kept->group = 0; kept->group < groups; kept->group++) {
        bool exists = true;
        for (kept->argument = 0; exists && kept->argument < MOST_ARGUMENTS;
             kept->argument++) {
            if (differs(alike, *kept, &exists)) {
                return true;
            }
        }
    }
    return false;
}

// Show the first template argument that differs in all names again; false if none
// differs.  Tries short forms first.
static bool keep_arguments(const struct alike *alike) {
    struct hp_text_kept_argument kept = {0};
    for (size_t i = 0; i < alike->count; i++) {
        find_arguments(member(alike, i));
    }
    bool found = find_difference(alike, &kept);
    if (!found) {
        kept.is_whole = true;
        found = find_difference(alike, &kept);
    }
    for (size_t i = 0; i < alike->count && found; i++) {
        struct row_name *name = member(alike, i);
        struct hp_buffer text = {0};
        hp_vec_push(&name->arguments.kept, kept);
        hp_text_arguments_put(&text, &name->arguments);
        name->base.text.count = 0;
        hp_text_append_safe(&name->base, hp_buffer_span(&text));
        hp_vec_done(&text.text);
    }
    return found;
}

// Append the parameter list of name `i`, with "<…>" instead of template arguments.
static void describe_parameters(const struct alike *alike, size_t i,
                                struct hp_buffer *out) {
    struct hp_buffer text = {0};
    hp_text_parameters(&text, member(alike, i)->full, false);
    hp_text_append_safe(out, hp_buffer_span(&text));
    hp_vec_done(&text.text);
}

// Append the parameter list of name `i` of names that have the same text, with all
// template arguments.
static void describe_whole_parameters(const struct alike *alike, size_t i,
                                      struct hp_buffer *out) {
    struct hp_buffer text = {0};
    hp_text_parameters(&text, member(alike, i)->full, true);
    hp_text_append_safe(out, hp_buffer_span(&text));
    hp_vec_done(&text.text);
}

static void put_in_brackets(struct hp_buffer *out, struct hp_span text) {
    if (text.size > 0) {
        hp_buffer_append(out, hp_span_of(" ["));
        hp_text_append_safe(out, text);
        hp_buffer_append(out, hp_span_of("]"));
    }
}

// Append the name of the source file without folders, and the line: " [a.c:15]".
static void describe_line(const struct alike *alike, size_t i, struct hp_buffer *out) {
    struct hp_buffer place = {0};
    const struct hp_view *view = alike->names->view;
    write_place(&place, view, hp_view_origin(view, member(alike, i)->node));
    put_in_brackets(out, hp_span_basename(hp_buffer_span(&place)));
    hp_vec_done(&place.text);
}

// Append the whole path of the source file: " [/srv/a.c]".
static void describe_file(const struct alike *alike, size_t i, struct hp_buffer *out) {
    const struct hp_view *view = alike->names->view;
    const struct hp_origin *origin = hp_view_origin(view, member(alike, i)->node);
    put_in_brackets(out, hp_view_string(view, origin->file));
}

// Append the file name of the module without folders: " [libone.so]".
static void describe_module(const struct alike *alike, size_t i, struct hp_buffer *out) {
    const struct hp_view *view = alike->names->view;
    hp_module_id module = hp_view_origin(view, member(alike, i)->node)->module;
    struct hp_span path = module.n
                              ? hp_view_string(view, hp_view_module(view, module)->path)
                              : hp_span_of("");
    put_in_brackets(out, hp_span_module_name(path));
}

// Append the number of name `i` among the names that have the same text, " ~1"; this
// always distinguishes them.
static void describe_order(const struct alike *alike, size_t i, struct hp_buffer *out) {
    char number[32];
    (void)alike;
    snprintf(number, sizeof number, " ~%zu", i + 1);
    hp_buffer_append(out, hp_span_of(number));
}

// Whether the names differ before they are shortened.
static bool differ_whole(const struct alike *alike) {
    for (size_t i = 1; i < alike->count; i++) {
        if (!hp_span_equal(hp_buffer_span(&member(alike, 0)->base),
                           hp_buffer_span(&member(alike, i)->base))) {
            return true;
        }
    }
    return false;
}

// Distinguish names by one step; returns whether it made a difference.
static bool take_step(const struct alike *alike, enum name_step step) {
    static describe_fn *const describe[] = {
        [BY_LINES] = describe_line,
        [BY_FILES] = describe_file,
        [BY_MODULES] = describe_module,
        [BY_ORDER] = describe_order,
    };
    return step == BY_ARGUMENTS    ? keep_arguments(alike)
           : step == BY_PARAMETERS ? mark(alike, describe_parameters) ||
                                         mark(alike, describe_whole_parameters)
                                   : mark(alike, describe[step]);
}

// Distinguish names that have the same text by the next step that works.  Each step is
// used once, except for arguments, which are added one by one.  Shortened names that
// differ in full are first shortened in the middle instead.
static void distinguish(const struct alike *alike) {
    enum name_step step = BY_ARGUMENTS;
    bool keeps_ends = false;
    for (size_t i = 0; i < alike->count; i++) {
        step = member(alike, i)->step > step ? member(alike, i)->step : step;
        keeps_ends |= member(alike, i)->keeps_ends;
    }
    if (alike->names->is_cut && !keeps_ends && differ_whole(alike)) {
        for (size_t i = 0; i < alike->count; i++) {
            member(alike, i)->keeps_ends = true;
        }
        return;
    }
    while (!take_step(alike, step)) {
        step++;
    }
    step += step != BY_ARGUMENTS && step != BY_ORDER;
    for (size_t i = 0; i < alike->count; i++) {
        member(alike, i)->step = step;
    }
}

// --- all names ----------------------------------------------------------------------------

static int by_text(const void *left, const void *right, void *data) {
    const uint32_t *a = left, *b = right;
    const struct hp_text_names *names = data;
    int order = hp_span_compare(hp_buffer_span(&names->names.at[*a].text),
                                hp_buffer_span(&names->names.at[*b].text));
    return order != 0 ? order : (*a > *b) - (*a < *b);
}

// Build the texts of all names, and distinguish names with the same text; returns whether
// there were any. `order` has room for a number of each name.
static bool distinguish_once(struct hp_text_names *names, uint32_t *order) {
    size_t count = names->names.count;
    bool found = false;
    for (uint32_t i = 0; i < count; i++) {
        build_text(names, &names->names.at[i]);
        order[i] = i;
    }
    qsort_r(order, count, sizeof *order, by_text, names);
    for (size_t i = 0, end; i < count; i = end) {
        struct hp_span text = hp_buffer_span(&names->names.at[order[i]].text);
        end = i + 1;
        while (end < count &&
               hp_span_equal(text, hp_buffer_span(&names->names.at[order[end]].text))) {
            end++;
        }
        if (end - i > 1) {
            distinguish(&(struct alike){names, order + i, end - i});
            found = true;
        }
    }
    return found;
}

void hp_text_names_make_distinct(struct hp_text_names *names) {
    enum {
        MOST_ROUNDS = 40, // rounds of distinguish_once(); only contrived names need more
    };

    uint32_t *order = hp_alloc(names->names.count * sizeof *order);
    for (int cut = 0; cut < 2; cut++) {
        names->is_cut = cut > 0;
        for (int i = 0; names->names.count > 0 && i < MOST_ROUNDS; i++) {
            if (!distinguish_once(names, order)) {
                break;
            }
        }
    }
    free(order);
}

struct hp_text_names *hp_text_names_new(const struct hp_view *view) {
    struct hp_text_names *names = hp_alloc(sizeof *names);
    names->view = view;
    names->number = hp_alloc((hp_node_count(&view->naming) + 1) * sizeof *names->number);
    return names;
}

// Add the node of a row.  A node that is added again keeps its name; only the room for
// its name may become less.
void hp_text_names_add(struct hp_text_names *names, hp_node_id node, size_t room) {
    uint32_t *number = &names->number[node.n];
    if (*number == 0) {
        const struct hp_origin *origin = hp_view_origin(names->view, node);
        enum hp_granularity by = names->view->options.by;
        bool is_function =
            by == HP_BY_FUNCTION || by == HP_BY_LINE || by == HP_BY_ADDRESS;
        struct row_name name = {.node = node,
                                .room = room,
                                .step = is_function ? BY_ARGUMENTS : BY_LINES};
        name.full = origin->function.n ? hp_view_string(names->view, origin->function)
                                       : hp_view_node(names->view, node);
        split(names->view, &name, hp_view_node(names->view, node));
        *number = (uint32_t)names->names.count + 1;
        hp_vec_push(&names->names, name);
    }
    struct row_name *name = &names->names.at[*number - 1];
    name->room = room < name->room ? room : name->room;
}

struct hp_span hp_text_name(const struct hp_text_names *names, hp_node_id node) {
    return hp_buffer_span(&names->names.at[names->number[node.n] - 1].text);
}

void hp_text_names_free(struct hp_text_names *names) {
    struct row_name *name;
    hp_vec_each (name, &names->names) {
        hp_vec_done(&name->lead.text);
        hp_vec_done(&name->base.text);
        hp_vec_done(&name->place.text);
        hp_vec_done(&name->mark.text);
        hp_vec_done(&name->text.text);
        hp_text_arguments_done(&name->arguments);
    }
    hp_vec_done(&names->names);
    free(names->number);
    free(names);
}
