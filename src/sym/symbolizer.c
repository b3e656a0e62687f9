// Module after module is read, and what was found is believed when all were.
#include "sym/symbolizer.h"

#include "sym/finder.h"
#include "sym/keeper.h"
#include "sym/nameless.h"
#include "sym/protocol.h"
#include "sym/return_addresses.h"
#include "sym/sandbox.h"
#include "sym/signs.h"
#include "sym/worker.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

// The frames [first, last) are those of one module.
struct task {
    struct hp_module *module;
    size_t first, last;
    bool is_embedded;           // the inputs tell names of some
    bool is_there;              // some file is, at a place of the module
    struct hp_found_file found; // the first such
    hp_string shown;            // its path
    struct task *same;          // the next that has this file, mapped alike; or NULL
    bool is_later;              // it is the `same` of another
};

// What a binary says of a frame, until it is known whether it is to be believed.
struct found {
    uint32_t first_line, lines; // in profile->lines
    uint32_t past_start;        // as in struct hp_frame
};

struct symbolizer {
    struct hp_profile *profile;
    const struct hp_symbol_options *options;
    struct hp_keeper keeper;
    HP_VEC(struct task) tasks;
    struct found *found;         // of each frame
    struct hp_found_file *files; // of each module
    unsigned char *returns;      // of each frame: enum hp_return
};

static void note(struct symbolizer *self, struct hp_module *module,
                 enum hp_sym_status status, const char *text) {
    module->status = status;
    module->note = hp_strtab_add(&self->profile->strings, hp_span_of(text));
}

// The calls of a frame, as the child is asked for them.
static uint64_t asked_address(const struct symbolizer *self, size_t frame) {
    return hp_address_of_call(&self->profile->frames.at[frame]);
}

static int compare_addresses(const void *a, const void *b) {
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

// Where the address is among those that were asked for.
static size_t index_of(const struct hp_request *request, uint64_t address) {
    const uint64_t *at =
        bsearch(&address, request->addresses.at, request->addresses.count, sizeof address,
                compare_addresses);
    return (size_t)(at - request->addresses.at);
}

// Each address that any of the modules with this file has, once.
static struct hp_request request_of(const struct symbolizer *self,
                                    const struct task *task) {
    const struct hp_profile *profile = self->profile;
    const struct hp_module *module = task->module;
    struct hp_request request = {.build_id =
                                     hp_strtab_span(&profile->strings, module->build_id),
                                 .span = module->span,
                                 .kind = module->addresses};
    for (uint32_t i = 0; i < module->extents; i++) {
        hp_vec_push(&request.extents, profile->extents.at[module->first_extent + i]);
    }
    for (const struct task *each = task; each; each = each->same) {
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

static hp_string add(struct symbolizer *self, struct hp_span text) {
    return hp_strtab_add(&self->profile->strings, text);
}

// The profile's number of one of the answer's strings; `known` has those of earlier calls.
static hp_string translate(struct symbolizer *self, const struct hp_answer *answer,
                           hp_string *known, hp_string string) {
    if (string.n && !known[string.n].n) {
        known[string.n] = add(self, answer->strings.at[string.n]);
    }
    return known[string.n];
}

static hp_module_id id_of(const struct symbolizer *self, const struct task *task) {
    return (hp_module_id){(uint32_t)(task->module - self->profile->modules.at)};
}

// What was asked, and what came of it; `known` has the profile's numbers of its strings.
struct reply {
    const struct hp_request *request;
    struct hp_answer answer;
    struct found *lines; // of each address
    hp_string *known;
};

static void store_lines(struct symbolizer *self, struct reply *reply) {
    struct hp_profile *profile = self->profile;
    const struct hp_answer *answer = &reply->answer;
    const struct hp_line *line = answer->lines.at;
    reply->known = hp_alloc((answer->strings.count + 1) * sizeof *reply->known);
    reply->lines = hp_alloc(answer->counts.count * sizeof *reply->lines);
    for (size_t i = 0; i < answer->counts.count; i++) {
        struct found *found = &reply->lines[i];
        *found = (struct found){(uint32_t)profile->lines.count, answer->counts.at[i],
                                answer->starts.at[i]};
        for (uint32_t k = 0; k < found->lines; k++, line++) {
            struct hp_line copy = {translate(self, answer, reply->known, line->function),
                                   translate(self, answer, reply->known, line->linkage),
                                   translate(self, answer, reply->known, line->file),
                                   line->line, line->start_line};
            hp_vec_push(&profile->lines, copy);
        }
    }
}

static void store_sources(struct symbolizer *self, const struct task *task,
                          const struct reply *reply) {
    const struct hp_source_digest *told;
    hp_vec_each (told, &reply->answer.sources) {
        struct hp_source_digest source = *told;
        source.file = translate(self, &reply->answer, reply->known, told->file);
        source.module = id_of(self, task);
        hp_vec_push(&self->profile->sources, source);
    }
}

static void store_answer(struct symbolizer *self, const struct task *task,
                         const struct reply *reply) {
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
    module->returns.lacks_rules = answer->lacks_rules;
    module->units = answer->units;
    module->line_programs = answer->line_programs;
    if (answer->build_id.size) {
        module->build_id = add(self, answer->build_id);
    }
}

static void settle_file(struct symbolizer *self, const struct task *task,
                        const struct hp_found_file *found) {
    self->files[task->module - self->profile->modules.at] = *found;
    task->module->is_at_own_path = found->is_at_own_path;
    task->module->modified = found->modified;
}

// The others that have the file get the answer as well: names of their own path, not the first's.
static void share(struct symbolizer *self, const struct task *first,
                  const struct reply *reply) {
    for (const struct task *task = first->same; task; task = task->same) {
        store_answer(self, task, reply);
        settle_file(self, task, &task->found);
        if (first->module->symbols_from.n == first->shown.n) {
            task->module->symbols_from = task->shown;
        }
    }
}

// Each for itself, as what was read in the end is not what they have in common.
static void part(struct task *first) {
    for (struct task *task = first; task;) {
        struct task *next = task->same;
        task->same = NULL;
        task->is_later = false;
        task = next;
    }
}

static bool is_verified(enum hp_sym_status status) {
    return status == HP_SYM_DWARF || status == HP_SYM_SYMTAB || status == HP_SYM_STRIPPED;
}

static void take(struct symbolizer *self, struct task *task, struct reply *reply,
                 const struct hp_found_file *found) {
    store_lines(self, reply);
    store_answer(self, task, reply);
    settle_file(self, task, found);
    if (is_verified(reply->answer.status) &&
        hp_file_id_compare(found->id, task->found.id) == 0) {
        share(self, task, reply);
    } else {
        part(task);
    }
    free(reply->lines);
    free(reply->known);
}

// What the names of a file are, beside which its debug files may be.
static const char **paths_of(const struct symbolizer *self, const struct task *task,
                             struct hp_finder *finder) {
    size_t count = 0;
    for (const struct task *each = task->same; each; each = each->same) {
        count++;
    }
    const char **paths = hp_alloc(count * sizeof *paths);
    for (const struct task *each = task->same; each; each = each->same) {
        paths[finder->other_count++] = hp_profile_text(self->profile, each->module->path);
    }
    finder->others = paths;
    return paths;
}

// A module that had its time, and was asked for again too late, keeps the first reason.
static void give_up(struct symbolizer *self, struct task *task,
                    const struct hp_sym_diagnostic *why) {
    for (struct task *each = task; each; each = each->same) {
        if (each->module->status != HP_SYM_OVER_BUDGET) {
            note(self, each->module, why->status, why->text);
            settle_file(self, each, &each->found);
        }
    }
}

// False if the module was stopped for the sake of others, and may be asked for again after them.
static bool ask_child(struct symbolizer *self, struct task *task, bool do_others_wait) {
    struct hp_request request = request_of(self, task);
    struct reply reply = {.request = &request};
    struct hp_sym_diagnostic why;
    struct hp_finder finder;
    hp_finder_init(&finder, self->options,
                   hp_profile_text(self->profile, task->module->path));
    finder.build_id = hp_profile_text(self->profile, task->module->build_id);
    const char **paths = paths_of(self, task, &finder);
    self->keeper.do_others_wait = do_others_wait;
    bool is_answered =
        hp_keeper_ask(&self->keeper, &request, &finder, &reply.answer, &why);
    if (is_answered) {
        bool is_missing = reply.answer.status == HP_SYM_NO_FILE;
        reply.answer.status = is_missing ? finder.status : reply.answer.status;
        take(self, task, &reply, &finder.found);
    } else {
        give_up(self, task, &why);
    }
    free(paths);
    hp_finder_done(&finder);
    hp_answer_done(&reply.answer);
    hp_request_done(&request);
    return is_answered || !do_others_wait || why.status != HP_SYM_OVER_BUDGET;
}

// A file that is not there is no work for the child.
static void locate(struct symbolizer *self, struct task *task) {
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
        task->shown = add(self, hp_span_of(finder.shown));
    }
    hp_finder_done(&finder);
}

// What two modules have in common that one answer is for both.
static hp_string key_of(const struct symbolizer *self, struct hp_strtab *keys,
                        const struct task *task) {
    const struct hp_profile *profile = self->profile;
    const struct hp_module *module = task->module;
    const uint64_t head[] = {task->found.id.device,
                             task->found.id.inode,
                             (uint64_t)task->found.changed,
                             (uint64_t)task->found.modified,
                             module->span,
                             module->addresses,
                             module->build_id.n};
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

// One file under many names, or mapped by many programs, is read once.
static void join_same(struct symbolizer *self) {
    struct hp_strtab keys = {0};
    struct task **last = hp_alloc((self->tasks.count + 1) * sizeof *last);
    struct task *task;
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

static bool is_embedded(const struct symbolizer *self, const struct task *task) {
    for (size_t i = task->first; i < task->last; i++) {
        if (self->profile->frames.at[i].lines > 0) {
            return true;
        }
    }
    return false;
}

// A build id that was told and found has the last word.
static void judge(struct symbolizer *self, struct hp_module *module, const char *sign) {
    struct hp_return_check *returns = &module->returns;
    if (module->told_id.n) {
        *returns = (struct hp_return_check){.verdict = HP_BUILD_UNCHECKED};
        sign = NULL;
    }
    returns->verdict = hp_returns_judge(returns, sign != NULL);
    if (sign && returns->failed == 0 && is_verified(module->status) &&
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

static void forget_sources(struct symbolizer *self, hp_module_id module) {
    struct hp_profile *profile = self->profile;
    size_t kept = 0;
    for (size_t i = 0; i < profile->sources.count; i++) {
        if (profile->sources.at[i].module.n != module.n) {
            profile->sources.at[kept++] = profile->sources.at[i];
        }
    }
    profile->sources.count = kept;
}

static bool has_names(const struct hp_module *module) {
    return module->status == HP_SYM_DWARF || module->status == HP_SYM_SYMTAB;
}

// Where functions begin is only said of the very build.
static bool is_trusted(const struct hp_module *module) {
    enum hp_build_verdict verdict = module->returns.verdict;
    return module->told_id.n != 0 || verdict == HP_BUILD_FITS ||
           verdict == HP_BUILD_ODD_ONE;
}

// A frame that the binary does not name keeps the name that the dumps tell, and without a
// binary that is to be believed a module has no others.
static void settle(struct symbolizer *self, const struct hp_signs *signs,
                   const struct task *task) {
    hp_module_id id = id_of(self, task);
    judge(self, task->module, hp_signs_find(signs, id));
    bool is_withheld = task->module->returns.verdict == HP_BUILD_OTHER;
    if (is_withheld) {
        forget_sources(self, id);
    }
    for (size_t i = task->first; !is_withheld && i < task->last; i++) {
        struct hp_frame *frame = &self->profile->frames.at[i];
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
        task->module->lacks_inlines = is_lost; // another run has what its binary says
    }
}

static void add_tasks(struct symbolizer *self) {
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
            struct task task = {.module = module, .first = i, .last = last};
            task.is_embedded = is_embedded(self, &task);
            hp_vec_push(&self->tasks, task);
        }
    }
}

static void report_progress(const struct symbolizer *self, size_t done) {
    const struct hp_symbol_options *options = self->options;
    if (options && options->progress) {
        struct hp_progress progress = {"symbolizing", done, self->tasks.count, 0, 0};
        options->progress(options->progress_data, &progress);
    }
}

// Reports are the same with a sandbox and without: of it `info` tells.
static void tell_sandbox(const struct symbolizer *self) {
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

static void finish(struct symbolizer *self) {
    hp_returns_count(self->profile, self->returns);
    struct hp_signs signs = hp_signs_of(self->profile, self->files);
    const struct task *task;
    hp_vec_each (task, &self->tasks) {
        settle(self, &signs, task);
    }
    hp_nameless_settle(self->profile);
    report_progress(self, self->tasks.count);
    if (self->tasks.count > 0) {
        tell_sandbox(self);
    }
}

static bool is_asked_for(const struct task *task) {
    return task->is_there && !task->is_later;
}

// A module that is stopped for the sake of others is asked for once more, after them.
static void ask_for_all(struct symbolizer *self) {
    HP_VEC(struct task *) put_off = {0};
    size_t waiting = 0;
    struct task *task;
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
    struct symbolizer self = {.profile = profile, .options = options, .keeper = *keeper};
    self.found = hp_alloc(profile->frames.count * sizeof *self.found);
    self.returns = hp_alloc(profile->frames.count);
    self.files = hp_alloc(profile->modules.count * sizeof *self.files);
    add_tasks(&self);
    struct task *task;
    hp_vec_each (task, &self.tasks) {
        locate(&self, task);
    }
    join_same(&self);
    ask_for_all(&self);
    finish(&self);
    hp_keeper_done(&self.keeper);
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
