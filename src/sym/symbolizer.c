// Symbolize in two passes: ask the child about one module after another, then decide
// which answers are trusted once all of them are in.  The order matters because a verdict
// on a file needs the return addresses of all modules.
#include "sym/symbolizer.h"

#include "sym/answers.h"
#include "sym/nameless.h"
#include "sym/return_addresses.h"
#include "sym/sandbox.h"
#include "sym/signs.h"
#include "sym/worker.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

// Set the status of a module and its note; the text is copied.
static void note(struct hp_symbolizer *self, struct hp_module *module,
                 enum hp_sym_status status, const char *text) {
    module->status = status;
    module->note = hp_strtab_add(&self->profile->strings, hp_span_of(text));
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

// How an answer is used.
enum use {
    LOOK,  // only measure how much the file can name
    TAKE,  // take over these names for the module
    AGREE, // keep only the names that the module has in common with these
};

// How much a file can name.
struct yield {
    enum hp_sym_status status;
    size_t named; // addresses with at least one line
};

static struct yield yield_of(const struct hp_answer *answer) {
    struct yield yield = {answer->status, 0};
    for (size_t i = 0; i < answer->counts.count; i++) {
        yield.named += answer->counts.at[i] > 0;
    }
    return yield;
}

// The rank of the build of `task` that contains the file `only`; 0 if `only` is NULL or
// in none.
static size_t rank_of(const struct hp_task *task, const struct hp_place *only) {
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
                   const struct hp_place *only, enum use use, struct yield *yield) {
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
// common.  A file without names is skipped.  Returns false as ask_of() does.
static bool ask_of_builds(struct hp_symbolizer *self, struct hp_task *task) {
    struct yield yield;
    for (size_t i = 0; i < task->builds.all.count; i++) {
        const struct hp_build *build = &task->builds.all.at[i];
        size_t richest = find_richest(self, task, build);
        const struct hp_place *place = &build->places[richest];
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

// Ask for the names of a task.  With `do_others_wait` the module gets half of the time
// that is left.  Returns false as ask_of() does.
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

// Take over the builds that the dumps were proven to be of; the first file of the first
// build represents them.
static void take_builds(struct hp_symbolizer *self, struct hp_task *task) {
    hp_builds_of(self->profile->prover, self->profile, task->module, &task->builds);
    const struct hp_place *first = task->builds.places.all.at;
    char *shown = hp_place_text(first);
    task->is_there = true;
    task->found = first->found;
    task->shown = hp_strtab_add(&self->profile->strings, hp_span_of(shown));
    free(shown);
}

// Note why no file was proven to be the one that ran.
static void note_open(struct hp_symbolizer *self, struct hp_module *module) {
    bool is_compared = hp_module_is_compared(module);
    char text[100] = "no file there has the layout that was mapped";
    if (!is_compared) {
        snprintf(text, sizeof text, "the dumps show no executable part of it");
    }
    if (module->misfits.failed > 0) {
        snprintf(text, sizeof text, "%u of %u return addresses follow no call there",
                 module->misfits.failed, module->misfits.checked);
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
        note_open(self, module);
    } else if (module->proof == HP_PROOF_NO_FILE &&
               hp_builds_reason(self->profile->prover, path, &why)) {
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
        note(self, module, module->status,
             "a debug file in place of the binary: compared by the calls that it lists");
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
        snprintf(text, sizeof text, "%u of %u return addresses follow no call there",
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

// Apply the answer to the frames of a task.  A frame that the binary does not name keeps
// its name from the dumps.  If the binary is not trusted, the module keeps only names
// from the dumps.
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
    const char *parent = hp_sandbox_parent_lack();
    if (self->keeper.sandbox == HP_SANDBOX_OFF) {
        hp_profile_warn_as(self->profile, true,
                           "binaries are read without a sandbox, as asked for");
    } else if (self->keeper.lacks_sandbox || *parent) {
        hp_profile_warn_as(self->profile, true,
                           "the sandbox for reading binaries lacks %s",
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
