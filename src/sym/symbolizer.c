// Symbolize in two passes: ask the child about one module after another, then decide
// which answers are trusted once all of them are in.  The order matters because a verdict
// on a file needs the return addresses of all modules.
#include "sym/symbolizer.h"

#include "model/profile.h"
#include "sym/builds.h"
#include "sym/finder.h"
#include "sym/keeper.h"
#include "sym/protocol.h"
#include "sym/return_addresses.h"
#include "sym/sandbox.h"
#include "sym/signs.h"
#include "sym/worker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// --- answers ---------------------------------------------------------------------------
//
// Answers of the child about the modules of a profile: many addresses are requested at
// once, and the answers are stored with the frames and modules they belong to.

// The frames [first, last) of the profile, which belong to one module.
struct hp_task {
    struct hp_module *module;
    size_t first, last;
    bool is_embedded;           // the inputs contain names of some frames
    bool is_there;              // a file exists at a place of the module
    struct hp_found_file found; // the first existing file
    hp_string shown;            // path of `found`, with sysroot
    // The builds that the prover found for the module; empty: it found none, or there was
    // no prover.
    struct hp_build_list builds;
    struct hp_task *same; // the next task with the same file, mapped alike; or NULL
    bool is_later;        // it is the `same` of another task, whose answer it shares
};

// The lines of a frame from a binary, kept here until it is decided whether the binary is
// trusted.
struct hp_found_lines {
    uint32_t first_line, lines; // range in profile->lines
    uint32_t past_start;        // as in struct hp_frame
    // Digest of the function's code, equal in all builds that were asked; 0: it differs,
    // or is unknown.
    uint64_t code;
    size_t rank;     // rank of the build that the lines are from
    bool is_renamed; // another build has a different name for this code
};

// The state while a profile is symbolized.
struct hp_symbolizer {
    struct hp_profile *profile;
    const struct hp_symbol_options *options;
    struct hp_keeper keeper;
    // Tasks: one for each file module that has frames.
    HP_VEC(struct hp_task) tasks;
    struct hp_found_lines *found; // for each frame: its lines from binaries
    struct hp_found_file *files;  // for each module: the file that its names are from
    unsigned char *returns;       // for each frame: enum hp_return
};

// A request and its answer.
struct hp_reply {
    const struct hp_request *request;
    size_t rank; // rank of the build that was asked, as in struct hp_build
    struct hp_answer answer;
    struct hp_found_lines *lines; // lines of each requested address
    // The profile's numbers of the answer's strings; 0: not added yet.
    hp_string *known;
};

// Whether a module with this status has a verified file: one that is known to be what
// ran.
static inline bool hp_sym_is_verified(enum hp_sym_status status) {
    return status == HP_SYM_DWARF || status == HP_SYM_SYMTAB || status == HP_SYM_STRIPPED;
}

// The address of the call in a frame, which is the one that the child is asked for.
static uint64_t asked_address(const struct hp_symbolizer *self, size_t frame) {
    return hp_address_of_call(&self->profile->frames.at[frame]);
}

static int compare_addresses(const void *a, const void *b) {
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

// The index of an address in the request, which must contain it.
static size_t index_of(const struct hp_request *request, uint64_t address) {
    const uint64_t *at =
        bsearch(&address, request->addresses.at, request->addresses.count, sizeof address,
                compare_addresses);
    return (size_t)(at - request->addresses.at);
}

// Create the request for a task: each address of all modules with its file, once,
// ascending.  The caller ends it by hp_request_done().
static struct hp_request hp_request_of(const struct hp_symbolizer *self,
                                       const struct hp_task *task) {
    const struct hp_profile *profile = self->profile;
    const struct hp_module *module = task->module;
    struct hp_request request = {.build_id =
                                     hp_strtab_span(&profile->strings, module->build_id),
                                 .span = module->span,
                                 .kind = module->addresses,
                                 .is_proven = module->proof == HP_PROOF_FITS,
                                 .wants_code = task->builds.all.count > 1};
    for (uint32_t i = 0; i < module->extents; i++) {
        hp_vec_push(&request.extents, profile->extents.at[module->first_extent + i]);
    }
    for (const struct hp_task *each = task; each; each = each->same) {
        for (size_t i = each->first; i < each->last; i++) {
            hp_vec_push(&request.addresses, asked_address(self, i));
        }
    }
    hp_vec_sort(&request.addresses, compare_addresses);
    size_t kept = 0;
    for (size_t i = 0; i < request.addresses.count; i++) {
        if (kept == 0 || request.addresses.at[kept - 1] != request.addresses.at[i]) {
            request.addresses.at[kept++] = request.addresses.at[i];
        }
    }
    request.addresses.count = kept;
    return request;
}

static hp_string add(struct hp_symbolizer *self, struct hp_span text) {
    return hp_strtab_add(&self->profile->strings, text);
}

// The profile's number of a string of the answer.  `known` caches the numbers of earlier
// calls.
static hp_string translate(struct hp_symbolizer *self, const struct hp_answer *answer,
                           hp_string *known, hp_string string) {
    if (string.n && !known[string.n].n) {
        known[string.n] = add(self, answer->strings.at[string.n]);
    }
    return known[string.n];
}

static hp_module_id hp_task_module_id(const struct hp_symbolizer *self,
                                      const struct hp_task *task) {
    return (hp_module_id){(uint32_t)(task->module - self->profile->modules.at)};
}

// Copy the lines of an answer into the profile; allocates reply->lines and reply->known,
// which the caller frees.
static void store_lines(struct hp_symbolizer *self, struct hp_reply *reply) {
    struct hp_profile *profile = self->profile;
    const struct hp_answer *answer = &reply->answer;
    const struct hp_line *line = answer->lines.at;
    reply->known = hp_alloc((answer->strings.count + 1) * sizeof *reply->known);
    reply->lines = hp_alloc(answer->counts.count * sizeof *reply->lines);
    for (size_t i = 0; i < answer->counts.count; i++) {
        struct hp_found_lines *found = &reply->lines[i];
        *found = (struct hp_found_lines){
            .first_line = (uint32_t)profile->lines.count,
            .lines = answer->counts.at[i],
            .past_start = answer->starts.at[i],
            .code = answer->codes.at[i],
            .rank = reply->rank,
        };
        for (uint32_t k = 0; k < found->lines; k++, line++) {
            struct hp_line copy = {translate(self, answer, reply->known, line->function),
                                   translate(self, answer, reply->known, line->linkage),
                                   translate(self, answer, reply->known, line->file),
                                   line->line, line->start_line};
            hp_vec_push(&profile->lines, copy);
        }
    }
}

// Copy the digests of source files into the profile.
static void store_sources(struct hp_symbolizer *self, const struct hp_task *task,
                          const struct hp_reply *reply) {
    const struct hp_source_digest *received;
    hp_vec_each (received, &reply->answer.sources) {
        struct hp_source_digest source = *received;
        source.file = translate(self, &reply->answer, reply->known, received->file);
        source.module = hp_task_module_id(self, task);
        hp_vec_push(&self->profile->sources, source);
    }
}

// Store a reply in the frames and the module of one task.
static void store_answer(struct hp_symbolizer *self, const struct hp_task *task,
                         const struct hp_reply *reply) {
    const struct hp_answer *answer = &reply->answer;
    struct hp_module *module = task->module;
    for (size_t i = task->first; i < task->last; i++) {
        size_t index = index_of(reply->request, asked_address(self, i));
        self->found[i] = reply->lines[index];
        self->returns[i] = answer->returns.at[index];
    }
    store_sources(self, task, reply);
    module->status = answer->status;
    module->note = add(self, answer->note);
    module->symbols_from = add(self, answer->symbols_from);
    module->lacks_inlines = answer->lacks_inlines;
    module->has_jemalloc = answer->has_jemalloc;
    module->returns.lacks_rules = answer->lacks_rules;
    module->units = answer->units;
    module->line_programs = answer->line_programs;
    if (answer->build_id.size) {
        module->build_id = add(self, answer->build_id);
    }
}

// Record the file that a module's names are from.
static void hp_task_settle_file(struct hp_symbolizer *self, const struct hp_task *task,
                                const struct hp_found_file *found) {
    self->files[task->module - self->profile->modules.at] = *found;
    task->module->is_at_own_path = found->is_at_own_path;
    task->module->modified = found->modified;
}

// Store the answer for all other tasks with the same file.  Each gets its own path as the
// origin of its names, not that of the first.
static void share(struct hp_symbolizer *self, const struct hp_task *first,
                  const struct hp_reply *reply) {
    for (const struct hp_task *task = first->same; task; task = task->same) {
        store_answer(self, task, reply);
        hp_task_settle_file(self, task, &task->found);
        if (first->module->symbols_from.n == first->shown.n) {
            task->module->symbols_from = task->shown;
        }
    }
}

// Whether two chains of inlined calls have the same functions.
static bool have_one_chain(const struct hp_profile *profile, struct hp_found_lines a,
                           struct hp_found_lines b) {
    bool are_equal = a.lines == b.lines;
    for (uint32_t i = 0; are_equal && i < a.lines; i++) {
        const struct hp_line *x = &profile->lines.at[a.first_line + i];
        const struct hp_line *y = &profile->lines.at[b.first_line + i];
        are_equal = x->function.n == y->function.n && x->linkage.n == y->linkage.n;
    }
    return are_equal;
}

// The lines of a function that was renamed between builds: those of the first build that
// has any.
static struct hp_found_lines named_first(struct hp_found_lines a,
                                         struct hp_found_lines b) {
    bool is_a = b.lines == 0 || (a.lines > 0 && a.rank < b.rank);
    struct hp_found_lines first = is_a ? a : b;
    first.is_renamed = true;
    return first;
}

// The functions of two chains of calls if they are equal, or no lines.  Line numbers and
// files that differ are dropped.  A function with the same code but another name is taken
// for renamed.
static struct hp_found_lines common(struct hp_symbolizer *self, struct hp_found_lines a,
                                    struct hp_found_lines b) {
    struct hp_profile *profile = self->profile;
    struct hp_found_lines both = {
        .first_line = (uint32_t)profile->lines.count,
        .lines = a.lines,
        .past_start = a.past_start == b.past_start ? a.past_start : 0,
        .code = a.code == b.code ? a.code : 0,
        .rank = a.rank < b.rank ? a.rank : b.rank,
        .is_renamed = a.is_renamed,
    };
    bool is_one = have_one_chain(profile, a, b);
    if (both.code != 0 && !is_one) {
        return named_first(a, b);
    }
    if (!is_one || (a.is_renamed && both.code == 0)) {
        both.lines = 0;
        return both;
    }
    for (uint32_t i = 0; i < a.lines; i++) {
        struct hp_line line = profile->lines.at[a.first_line + i];
        const struct hp_line *other = &profile->lines.at[b.first_line + i];
        bool is_file = line.file.n == other->file.n;
        line.file = is_file ? line.file : (hp_string){0};
        line.line = is_file && line.line == other->line ? line.line : 0;
        bool is_start = is_file && line.start_line == other->start_line;
        line.start_line = is_start ? line.start_line : 0;
        hp_vec_push(&profile->lines, line);
    }
    return both;
}

// Reduce the names of a module, and of the other modules with its file, to the names that
// they share with this answer, because another build may have run as well.
static void hp_reply_agree(struct hp_symbolizer *self, struct hp_task *first,
                           struct hp_reply *reply) {
    bool is_named =
        reply->answer.status == HP_SYM_DWARF || reply->answer.status == HP_SYM_SYMTAB;
    if (!is_named) {
        return;
    }
    store_lines(self, reply);
    for (struct hp_task *task = first; task; task = task->same) {
        for (size_t i = task->first; i < task->last; i++) {
            size_t index = index_of(reply->request, asked_address(self, i));
            self->found[i] = common(self, self->found[i], reply->lines[index]);
        }
        struct hp_span own =
            hp_strtab_span(&self->profile->strings, task->module->build_id);
        if (!hp_span_equal(own, reply->answer.build_id)) {
            task->module->build_id = (hp_string){0};
        }
    }
    free(reply->lines);
    free(reply->known);
}

// Separate the tasks that shared a file, because the file that was read in the end is not
// the one they share.  Each is then asked for separately.
static void part(struct hp_task *first) {
    for (struct hp_task *task = first; task;) {
        struct hp_task *next = task->same;
        task->same = NULL;
        task->is_later = false;
        task = next;
    }
}

// Store an answer for the module of a task, and for the other tasks with its file if the
// answer is from that file.  Otherwise the other tasks are asked for separately.
static void hp_reply_take(struct hp_symbolizer *self, struct hp_task *task,
                          struct hp_reply *reply, const struct hp_found_file *found) {
    store_lines(self, reply);
    store_answer(self, task, reply);
    hp_task_settle_file(self, task, found);
    bool is_common =
        task->builds.all.count > 0 || hp_file_id_compare(found->id, task->found.id) == 0;
    if (hp_sym_is_verified(reply->answer.status) && is_common) {
        share(self, task, reply);
    } else {
        part(task);
    }
    free(reply->lines);
    free(reply->known);
}

// --- symbolizer ------------------------------------------------------------------------

// --- nameless --------------------------------------------------------------------------
//
// Functions without names, which are known only by their start, from unwind tables.
//

// The number in `names` of a module's file name.
static hp_string name_of(const struct hp_profile *profile, struct hp_strtab *names,
                         const struct hp_module *module) {
    struct hp_span path = hp_strtab_span(&profile->strings, module->path);
    return hp_strtab_add(names, hp_span_basename(path));
}

// Set module->shares_name where modules with one file name may be different builds,
// because rows that are named after an address must not be merged with those of another
// build.  The second pass spreads the result to the modules that the first pass visited
// too early.
static void find_namesakes(struct hp_profile *profile) {
    struct hp_strtab names = {0};
    struct hp_module **first = hp_alloc((profile->modules.count + 1) * sizeof *first);
    struct hp_module *module;
    for (int pass = 0; pass < 2; pass++) {
        hp_vec_each (module, &profile->modules) {
            hp_string name = name_of(profile, &names, module);
            bool is_file = module->kind == HP_MODULE_FILE && name.n != 0;
            struct hp_module *other = is_file ? first[name.n] : module;
            if (!other) {
                first[name.n] = module;
            } else if (other != module && (module->build_id.n != other->build_id.n ||
                                           module->build_id.n == 0)) {
                module->shares_name = other->shares_name = true;
            } else if (other != module) {
                module->shares_name = other->shares_name;
            }
        }
    }
    free(first);
    hp_strtab_done(&names);
}

// Append to the note of a module how many addresses are in functions without names, of
// which only the start is known, and how many such functions there are.
static void note_bounds(struct hp_profile *profile, struct hp_module *module,
                        uint32_t functions, uint32_t addresses) {
    char text[700];
    const char *note = hp_profile_text(profile, module->note);
    hp_message_print(
        text, sizeof text,
        HP_MESSAGE("functions-by-start",
                   "%s%s%u address%s of %u function%s known by where %s (.eh_frame)"),
        note, *note ? "; " : "", addresses, addresses == 1 ? "" : "es", functions,
        functions == 1 ? "" : "s", functions == 1 ? "it begins" : "they begin");
    module->note = hp_strtab_add(&profile->strings, hp_span_of(text));
}

// Drop the function starts of the frames [begin, end) of one module where they could be
// those of another build, and add to its note how many addresses and functions are known
// by the others.  Frames are ordered by offset, and so are their functions, which allows
// counting them.
static void settle_module(struct hp_profile *profile, size_t begin, size_t end) {
    struct hp_frame *frames = profile->frames.at;
    struct hp_module *module = &profile->modules.at[frames[begin].module.n];
    uint64_t last = UINT64_MAX;
    uint32_t functions = 0, addresses = 0;
    for (size_t i = begin; i < end; i++) {
        struct hp_frame *frame = &frames[i];
        if (module->shares_name && module->build_id.n == 0) {
            frame->past_start = 0; // it cannot be known to which build the start belongs
        }
        if (frame->past_start != 0) {
            addresses++;
            functions += hp_address_of_start(frame) != last;
            last = hp_address_of_start(frame);
        }
    }
    module->nameless = addresses;
    if (addresses > 0) {
        note_bounds(profile, module, functions, addresses);
    }
}

// Whether any frame is known only by the start of its function.
static bool has_bounds(const struct hp_profile *profile) {
    const struct hp_frame *frame;
    hp_vec_each (frame, &profile->frames) {
        if (frame->past_start != 0) {
            return true;
        }
    }
    return false;
}

// Find modules that share a file name with another build, drop starts of functions that
// could be confused with those of another build, and add to the note of each module how
// many addresses are known only by the others.  Call once all build ids are known.
static void hp_nameless_settle(struct hp_profile *profile) {
    const struct hp_frame *frames = profile->frames.at;
    if (!has_bounds(profile)) {
        return;
    }
    find_namesakes(profile);
    for (size_t begin = 0, end; begin < profile->frames.count; begin = end) {
        end = begin + 1;
        while (end < profile->frames.count &&
               frames[end].module.n == frames[begin].module.n) {
            end++;
        }
        if (profile->modules.at[frames[begin].module.n].kind == HP_MODULE_FILE) {
            settle_module(profile, begin, end);
        }
    }
}

// --- symbolizer ------------------------------------------------------------------------

// Set the status of a module and its note; the text is copied.
static void note(struct hp_symbolizer *self, struct hp_module *module,
                 enum hp_sym_status status, const char *text) {
    module->status = status;
    module->note = hp_strtab_add(&self->profile->strings, hp_span_of(hp_words(text)));
}

// Make finder->others the paths of the other modules that have the same file, because
// debug files may lie beside any of them.  The caller frees the returned array after the
// search.
static const char **paths_of(const struct hp_symbolizer *self, const struct hp_task *task,
                             struct hp_finder *finder) {
    size_t count = 0;
    for (const struct hp_task *each = task->same; each; each = each->same) {
        count++;
    }
    const char **paths = hp_alloc(count * sizeof *paths);
    for (const struct hp_task *each = task->same; each; each = each->same) {
        paths[finder->other_count++] = hp_profile_text(self->profile, each->module->path);
    }
    finder->others = paths;
    return paths;
}

// Record why a task and all modules with its file get no names.  A module whose time ran
// out and that was asked for again too late keeps that first reason.
static void give_up(struct hp_symbolizer *self, struct hp_task *task,
                    const struct hp_sym_diagnostic *why) {
    for (struct hp_task *each = task; each; each = each->same) {
        if (each->module->status != HP_SYM_OVER_BUDGET) {
            note(self, each->module, why->status, why->text);
            hp_task_settle_file(self, each, &each->found);
        }
    }
}

// What is done with an answer of the child.
enum use {
    LOOK,  // only measure how much the file can name
    TAKE,  // take over these names for the module
    AGREE, // keep only the names that the module has in common with these
};

// How many addresses a file can name, and by what kind of names.
struct yield {
    enum hp_sym_status status;
    size_t named; // requested addresses with at least one line
};

static struct yield yield_of(const struct hp_answer *answer) {
    struct yield yield = {answer->status, 0};
    for (size_t i = 0; i < answer->counts.count; i++) {
        yield.named += answer->counts.at[i] > 0;
    }
    return yield;
}

// Return the rank of the build of `task` that contains the file `only`; 0 if `only` is
// NULL or in none.
static size_t rank_of(const struct hp_task *task, const struct hp_file_place *only) {
    size_t rank = 0;
    const struct hp_build *build;
    hp_vec_each (build, &task->builds.all) {
        bool has =
            only && only >= build->places && only < build->places + build->place_count;
        rank = has ? build->rank : rank;
    }
    return rank;
}

// Ask for names: from the file `only`, or if that is NULL from the file that the search
// for the module finds.  Fills `yield`.  Returns false if the module was stopped so that
// others get their share of the time; it may be asked for again after them.
static bool ask_of(struct hp_symbolizer *self, struct hp_task *task,
                   const struct hp_file_place *only, enum use use, struct yield *yield) {
    struct hp_request request = hp_request_of(self, task);
    struct hp_reply reply = {.request = &request, .rank = rank_of(task, only)};
    struct hp_sym_diagnostic why;
    struct hp_finder finder;
    hp_finder_init(&finder, self->options,
                   hp_profile_text(self->profile, task->module->path));
    finder.build_id = hp_profile_text(self->profile, task->module->build_id);
    finder.only = only;
    finder.only_count = only ? 1 : 0;
    const char **paths = paths_of(self, task, &finder);
    bool is_answered =
        hp_keeper_ask(&self->keeper, &request, &finder, &reply.answer, &why);
    if (is_answered) {
        bool is_missing = reply.answer.status == HP_SYM_NO_FILE;
        reply.answer.status = is_missing ? finder.status : reply.answer.status;
    }
    *yield = is_answered ? yield_of(&reply.answer) : (struct yield){why.status, 0};
    if (is_answered && use == TAKE) {
        hp_reply_take(self, task, &reply, &finder.found);
    } else if (is_answered && use == AGREE) {
        hp_reply_agree(self, task, &reply);
    } else if (!is_answered && use == TAKE) {
        give_up(self, task, &why);
    }
    free(paths);
    hp_finder_done(&finder);
    hp_answer_done(&reply.answer);
    hp_request_done(&request);
    return is_answered || !self->keeper.do_others_wait ||
           why.status != HP_SYM_OVER_BUDGET;
}

// Whether `a` names more than `b`: by its kind of names first, then by the number of
// addresses.  A file that is not verified never does.
static bool is_richer(struct yield a, struct yield b) {
    bool is_first = b.status == HP_SYM_NOT_TRIED;
    return hp_sym_is_verified(a.status) && (is_first || a.status < b.status ||
                                            (a.status == b.status && a.named > b.named));
}

// The index of the file of `build` that names most: the first with debug information, or
// else the one with most names.  The files of a build have the same code, but may be
// stripped differently.
static size_t find_richest(struct hp_symbolizer *self, struct hp_task *task,
                           const struct hp_build *build) {
    size_t richest = 0;
    struct yield best = {HP_SYM_NOT_TRIED, 0}, yield;
    for (size_t i = 0; build->place_count > 1 && i < build->place_count; i++) {
        (void)ask_of(self, task, &build->places[i], LOOK, &yield);
        bool is = is_richer(yield, best);
        richest = is ? i : richest;
        best = is ? yield : best;
        if (yield.status == HP_SYM_DWARF) {
            break;
        }
    }
    return richest;
}

static bool has_names(const struct hp_module *module) {
    return module->status == HP_SYM_DWARF || module->status == HP_SYM_SYMTAB;
}

// Give a module that several builds may have run the names that all of these have in
// common.  A file without names is skipped.  Returns false if the module was stopped so
// that others get their share of the time.
static bool ask_of_builds(struct hp_symbolizer *self, struct hp_task *task) {
    struct yield yield;
    for (size_t i = 0; i < task->builds.all.count; i++) {
        const struct hp_build *build = &task->builds.all.at[i];
        size_t richest = find_richest(self, task, build);
        const struct hp_file_place *place = &build->places[richest];
        if (!has_names(task->module)) {
            if (!ask_of(self, task, place, TAKE, &yield)) {
                return false;
            }
        } else {
            (void)ask_of(self, task, place, AGREE, &yield);
        }
    }
    return true;
}

// Ask the child for the names of a task (the frames of a module).  With `do_others_wait`
// the module gets half of the time that is left.  Returns false if the module was stopped
// so that others get their share of the time.
static bool ask_child(struct hp_symbolizer *self, struct hp_task *task,
                      bool do_others_wait) {
    struct yield yield;
    self->keeper.do_others_wait = do_others_wait;
    return task->builds.all.count > 0 ? ask_of_builds(self, task)
                                      : ask_of(self, task, NULL, TAKE, &yield);
}

// Look for a module's file without the child, so that a missing file costs no request.
// Sets task->is_there, `found` and `shown`, or the reason in the module.
static void search(struct hp_symbolizer *self, struct hp_task *task) {
    const char *path = hp_profile_text(self->profile, task->module->path);
    struct hp_wanted first = {HP_FIND_MODULE, 0, {"", 0}};
    struct hp_finder finder;
    hp_finder_init(&finder, self->options, path);
    finder.build_id = hp_profile_text(self->profile, task->module->build_id);
    int fd = hp_finder_open(&finder, &first);
    task->is_there = fd >= 0;
    if (fd < 0) {
        note(self, task->module, finder.status, finder.reason);
    } else {
        close(fd);
        task->found = finder.found;
        task->shown = hp_strtab_add(&self->profile->strings, hp_span_of(finder.shown));
    }
    hp_finder_done(&finder);
}

// Take over the builds that the prover found for a module; the first file of the first
// build represents them.
static void take_builds(struct hp_symbolizer *self, struct hp_task *task) {
    hp_builds_of(self->profile->settings.prover, self->profile, task->module,
                 &task->builds);
    const struct hp_file_place *first = task->builds.places.all.at;
    char *shown = hp_place_text(first);
    task->is_there = true;
    task->found = first->found;
    task->shown = hp_strtab_add(&self->profile->strings, hp_span_of(shown));
    free(shown);
}

// Note why no file was proven to be the one that ran.
static void note_open(struct hp_symbolizer *self, struct hp_module *module) {
    bool is_compared = hp_module_is_compared(module);
    char text[100];
    if (module->misfits.failed > 0) {
        hp_message_print(text, sizeof text,
                         HP_MESSAGE("files-without-calls",
                                    "%u of %u return addresses follow no call there"),
                         module->misfits.failed, module->misfits.checked);
    } else if (is_compared) {
        hp_message_print(text, sizeof text,
                         HP_MESSAGE("files-of-other-layout",
                                    "no file there has the layout that was mapped"));
    } else {
        hp_message_print(text, sizeof text,
                         HP_MESSAGE("files-not-compared",
                                    "the dumps show no executable part of it"));
    }
    note(self, module, is_compared ? HP_SYM_OTHER_BUILD : HP_SYM_NOT_COMPARED, text);
}

// Find the file or builds of a task, according to what the prover found, or note why
// there is none.
static void locate(struct hp_symbolizer *self, struct hp_task *task) {
    struct hp_module *module = task->module;
    struct hp_sym_diagnostic why;
    const char *path = hp_profile_text(self->profile, module->path);
    if (module->proof == HP_PROOF_FITS || module->proof == HP_PROOF_UNCHECKED) {
        take_builds(self, task);
    } else if (module->proof == HP_PROOF_OPEN) {
        // A file that this run could not read may be the one that ran.
        bool is_unread = hp_builds_reason(self->profile->settings.prover, path, &why) &&
                         hp_sym_is_of_this_run(why.status);
        if (is_unread) {
            note(self, module, why.status, why.text);
        } else {
            note_open(self, module);
        }
    } else if (module->proof == HP_PROOF_NO_FILE &&
               hp_builds_reason(self->profile->settings.prover, path, &why)) {
        note(self, module, why.status, why.text);
    } else {
        search(self, task);
        // Else the file appeared after the dumps were read.
        task->is_there &= module->proof == HP_PROOF_NONE;
    }
}

// The number in `keys` of everything that two modules must have in common to share one
// answer: the file, how it was mapped, the build id and the proof.
static hp_string key_of(const struct hp_symbolizer *self, struct hp_strtab *keys,
                        const struct hp_task *task) {
    const struct hp_profile *profile = self->profile;
    const struct hp_module *module = task->module;
    const uint64_t head[] = {task->found.id.device,
                             task->found.id.inode,
                             (uint64_t)task->found.changed,
                             (uint64_t)task->found.modified,
                             module->span,
                             module->addresses,
                             module->build_id.n,
                             module->proof,
                             module->builds.n};
    HP_VEC(uint64_t) key = {0};
    hp_vec_append(&key, head, sizeof head / sizeof *head);
    for (uint32_t i = 0; i < module->extents; i++) {
        const struct hp_extent *extent = &profile->extents.at[module->first_extent + i];
        const uint64_t parts[] = {extent->address, extent->size, extent->offset,
                                  extent->has_hole};
        hp_vec_append(&key, parts, 4);
    }
    hp_string number = hp_strtab_add(keys, (struct hp_span){(const char *)key.at,
                                                            key.count * sizeof *key.at});
    hp_vec_done(&key);
    return number;
}

// Chain tasks with the same key by `same`, so that one file under many names, or mapped
// by many programs, is read once.
static void join_same(struct hp_symbolizer *self) {
    struct hp_strtab keys = {0};
    struct hp_task **last = hp_alloc((self->tasks.count + 1) * sizeof *last);
    struct hp_task *task;
    hp_vec_each (task, &self->tasks) {
        if (task->is_there) {
            hp_string key = key_of(self, &keys, task);
            task->is_later = last[key.n] != NULL;
            if (task->is_later) {
                last[key.n]->same = task;
            }
            last[key.n] = task;
        }
    }
    free(last);
    hp_strtab_done(&keys);
}

// Whether the inputs name any frame of a task.
static bool is_embedded(const struct hp_symbolizer *self, const struct hp_task *task) {
    for (size_t i = task->first; i < task->last; i++) {
        if (self->profile->frames.at[i].lines > 0) {
            return true;
        }
    }
    return false;
}

// Make the prover's result the verdict: it outweighs the return addresses of all inputs
// together.
static void judge_proven(struct hp_module *module) {
    bool lacks_rules = module->returns.lacks_rules;
    module->returns = module->misfits;
    module->returns.lacks_rules = lacks_rules;
    module->returns.verdict = module->proof == HP_PROOF_OPEN ? HP_BUILD_OTHER
                              : module->misfits.failed > 0   ? HP_BUILD_ODD_ONE
                                                             : HP_BUILD_FITS;
}

// Replace the note that a debug file was not compared: the prover has compared it by the
// calls that it lists.
static void note_listed_calls(struct hp_symbolizer *self, struct hp_module *module) {
    if (module->proof == HP_PROOF_FITS &&
        hp_span_is(hp_strtab_span(&self->profile->strings, module->note),
                   HP_NOTE_NO_CODE)) {
        note(
            self, module, module->status,
            HP_WORDS("signs-debug-file",
                     "a debug file in place of the binary: compared by the calls that it "
                     "lists"));
    }
}

// Decide whether the names of a module are trusted, and note what speaks against its
// file.  A build id that the dumps contain and that was found outweighs everything else.
// `sign` is what hp_signs_find() returned, or NULL.
static void judge(struct hp_symbolizer *self, struct hp_module *module,
                  const char *sign) {
    struct hp_return_check *returns = &module->returns;
    if (module->proof == HP_PROOF_FITS || module->proof == HP_PROOF_OPEN) {
        judge_proven(module);
        return;
    }
    if (module->proof == HP_PROOF_UNCHECKED) {
        returns->checked = returns->failed = 0;
    }
    if (module->recorded_build_id.n) {
        *returns = (struct hp_return_check){.verdict = HP_BUILD_UNCHECKED};
        sign = NULL;
    }
    returns->verdict = hp_returns_judge(returns, sign != NULL);
    if (sign && returns->failed == 0 && hp_sym_is_verified(module->status) &&
        module->note.n == 0) {
        note(self, module, module->status, sign);
    }
    if (returns->verdict == HP_BUILD_OTHER) {
        char text[100];
        hp_message_print(text, sizeof text,
                         HP_MESSAGE("signs-no-calls",
                                    "%u of %u return addresses follow no call there"),
                         returns->failed, returns->checked);
        note(self, module, HP_SYM_OTHER_BUILD, text);
        module->symbols_from = module->build_id = (hp_string){0};
        module->lacks_inlines = false;
    }
}

// Remove the digests of source files that a distrusted binary listed.
static void forget_sources(struct hp_symbolizer *self, hp_module_id module) {
    struct hp_profile *profile = self->profile;
    size_t kept = 0;
    for (size_t i = 0; i < profile->sources.count; i++) {
        if (profile->sources.at[i].module.n != module.n) {
            profile->sources.at[kept++] = profile->sources.at[i];
        }
    }
    profile->sources.count = kept;
}

// Whether the starts of functions in this file may be used: only if it is exactly the
// build that ran.
static bool is_trusted(const struct hp_module *module) {
    enum hp_build_verdict verdict = module->returns.verdict;
    return module->recorded_build_id.n != 0 || verdict == HP_BUILD_FITS ||
           verdict == HP_BUILD_ODD_ONE;
}

// Reduce the chain of an address that follows no call to its outermost function, without
// a line.  The prover excused the address because its caller calls this function; nothing
// else about the address is known.
static void forget_line(struct hp_symbolizer *self, const struct hp_module *module,
                        size_t frame) {
    struct hp_found_lines *found = &self->found[frame];
    if (module->proof == HP_PROOF_FITS && module->misfits.failed > 0 &&
        self->returns[frame] == HP_RETURN_OF_NONE && found->lines > 0) {
        struct hp_line function =
            self->profile->lines.at[found->first_line + found->lines - 1];
        function.line = 0;
        found->first_line = (uint32_t)self->profile->lines.count;
        found->lines = 1;
        hp_vec_push(&self->profile->lines, function);
    }
}

// Judge the file of a task, and apply its answer to the frames of the task.  A frame that
// the binary does not name keeps its name from the dumps.  If the binary is not trusted,
// the module keeps only names from the dumps.
static void settle(struct hp_symbolizer *self, const struct hp_signs *signs,
                   const struct hp_task *task) {
    hp_module_id id = hp_task_module_id(self, task);
    judge(self, task->module, hp_signs_find(signs, id));
    note_listed_calls(self, task->module);
    bool is_withheld = task->module->returns.verdict == HP_BUILD_OTHER;
    if (is_withheld) {
        forget_sources(self, id);
    }
    for (size_t i = task->first; !is_withheld && i < task->last; i++) {
        struct hp_frame *frame = &self->profile->frames.at[i];
        forget_line(self, task->module, i);
        if (self->found[i].lines > 0) {
            frame->first_line = self->found[i].first_line;
            frame->lines = self->found[i].lines;
        } else if (is_trusted(task->module) && frame->lines == 0 &&
                   self->found[i].past_start <= frame->address) {
            frame->past_start = self->found[i].past_start;
        }
    }
    if (task->is_embedded && !has_names(task->module)) {
        bool is_lost = hp_sym_is_of_this_run(task->module->status);
        note(self, task->module, HP_SYM_EMBEDDED,
             is_lost ? hp_sym_status_text(task->module->status) : "");
        task->module->lacks_inlines = is_lost; // another run may read what its binary has
    }
}

// Add a task for each run of frames that belong to one file module; frames are ordered by
// module.
static void add_tasks(struct hp_symbolizer *self) {
    const struct hp_profile *profile = self->profile;
    const struct hp_frame *frames = profile->frames.at;
    for (size_t i = 0, last; i < profile->frames.count; i = last) {
        struct hp_module *module = &profile->modules.at[frames[i].module.n];
        last = i + 1;
        while (last < profile->frames.count &&
               frames[last].module.n == frames[i].module.n) {
            last++;
        }
        if (module->kind == HP_MODULE_FILE) {
            struct hp_task task = {.module = module, .first = i, .last = last};
            task.is_embedded = is_embedded(self, &task);
            hp_vec_push(&self->tasks, task);
        }
    }
}

static void report_progress(const struct hp_symbolizer *self, size_t done) {
    const struct hp_symbol_options *options = self->options;
    if (options && options->progress) {
        struct hp_progress progress = {"symbolizing", done, self->tasks.count, 0, 0};
        options->progress(options->progress_data, &progress);
    }
}

// Warn about a missing or incomplete sandbox, as a warning for `info` only, so that
// reports are the same with a sandbox and without.
static void warn_of_sandbox(const struct hp_symbolizer *self) {
    static const struct hp_warning_rank minor = {HP_WARN_OF_NAMES, .is_minor = true};
    const char *parent = hp_sandbox_parent_lack();
    if (self->keeper.sandbox == HP_SANDBOX_OFF) {
        hp_profile_warn_as(
            self->profile, minor,
            HP_MESSAGE("sandbox-not-used",
                       "binaries are read without a sandbox (--sandbox=off)"));
    } else if (self->keeper.lacks_sandbox || *parent) {
        hp_profile_warn_as(self->profile, minor,
                           HP_MESSAGE("sandbox-lacks",
                                      "the sandbox for reading binaries lacks %s"),
                           hp_sandbox_missing());
    }
}

// Judge all modules, apply the trusted answers, and warn of sandbox gaps.
static void finish(struct hp_symbolizer *self) {
    hp_returns_count(self->profile, self->returns);
    struct hp_signs signs = hp_signs_of(self->profile, self->files);
    const struct hp_task *task;
    hp_vec_each (task, &self->tasks) {
        settle(self, &signs, task);
    }
    hp_nameless_settle(self->profile);
    report_progress(self, self->tasks.count);
    if (self->tasks.count > 0) {
        warn_of_sandbox(self);
    }
}

static bool is_asked_for(const struct hp_task *task) {
    return task->is_there && !task->is_later;
}

// Ask for all tasks.  A module that is stopped so that others get their share of the time
// is asked for once more, after them.
static void ask_for_all(struct hp_symbolizer *self) {
    HP_VEC(struct hp_task *) put_off = {0};
    size_t waiting = 0;
    struct hp_task *task;
    hp_vec_each (task, &self->tasks) {
        waiting += is_asked_for(task);
    }
    hp_vec_each (task, &self->tasks) {
        report_progress(self, (size_t)(task - self->tasks.at));
        waiting -= is_asked_for(task);
        if (is_asked_for(task) &&
            !ask_child(self, task, waiting > 0 || put_off.count > 0)) {
            hp_vec_push(&put_off, task);
        }
    }
    for (size_t i = 0; i < put_off.count; i++) {
        ask_child(self, put_off.at[i], i + 1 < put_off.count);
    }
    hp_vec_done(&put_off);
}

void hp_symbolize_by(struct hp_profile *profile, const struct hp_symbol_options *options,
                     const struct hp_keeper *keeper) {
    struct hp_symbolizer self = {.profile = profile,
                                 .options = options,
                                 .keeper = *keeper};
    self.found = hp_alloc(profile->frames.count * sizeof *self.found);
    self.returns = hp_alloc(profile->frames.count);
    self.files = hp_alloc(profile->modules.count * sizeof *self.files);
    add_tasks(&self);
    struct hp_task *task;
    hp_vec_each (task, &self.tasks) {
        locate(&self, task);
    }
    join_same(&self);
    ask_for_all(&self);
    finish(&self);
    hp_keeper_done(&self.keeper);
    hp_vec_each (task, &self.tasks) {
        hp_build_list_done(&task->builds);
    }
    hp_vec_done(&self.tasks);
    free(self.found);
    free(self.files);
    free(self.returns);
}

void hp_symbolize(struct hp_profile *profile, const struct hp_symbol_options *options) {
    struct hp_keeper keeper = {.limits = hp_keeper_usual,
                               .sandbox = options ? options->sandbox : HP_SANDBOX_AUTO,
                               .serve = hp_worker_serve};
    hp_symbolize_by(profile, options, &keeper);
}

struct hp_prover *hp_prover_new(const struct hp_symbol_options *options,
                                const char *const *programs, size_t program_count) {
    return hp_builds_prover(options, programs, program_count);
}
