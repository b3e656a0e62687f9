#include "sym/answers.h"

#include <stdlib.h>
#include <string.h>

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

struct hp_request hp_request_of(const struct hp_symbolizer *self,
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

hp_module_id hp_task_module_id(const struct hp_symbolizer *self,
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
    module->returns.lacks_rules = answer->lacks_rules;
    module->units = answer->units;
    module->line_programs = answer->line_programs;
    if (answer->build_id.size) {
        module->build_id = add(self, answer->build_id);
    }
}

void hp_task_settle_file(struct hp_symbolizer *self, const struct hp_task *task,
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

// The name of a function that was renamed between builds: that of the first build that
// has one.
static struct hp_found_lines named_first(struct hp_found_lines a,
                                         struct hp_found_lines b) {
    bool is_a = b.lines == 0 || (a.lines > 0 && a.rank < b.rank);
    struct hp_found_lines first = is_a ? a : b;
    first.is_renamed = true;
    return first;
}

// The part that two chains of calls have in common, or no lines.  Where line numbers or
// files differ, they are dropped.  A function with the same code but another name counts
// as renamed.
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

void hp_reply_agree(struct hp_symbolizer *self, struct hp_task *first,
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

void hp_reply_take(struct hp_symbolizer *self, struct hp_task *task,
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
