#include "sym/builds.h"

#include "base/files.h"
#include "sym/file_code.h"
#include "sym/fits.h"
#include "sym/keeper.h"
#include "sym/symbolizer.h"
#include "sym/verify.h"
#include "sym/worker.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    MOST_FILES = 64,      // that are tried for a module by name
    MOST_TEXT = 64 << 20, // bytes of code of all files, as hp_code has it
};

// A file, however many modules it may be of.
struct file {
    struct hp_place place;
    struct hp_file_code code;
    char *key;                    // what its code is known by; NULL until it is read
    struct hp_sym_diagnostic why; // it cannot be read
    bool is_read;                 // or tried to
    uint64_t used;                // when it was asked last
};

// Files that may be a module's, by its path; and those of other names, by its path and layout.
struct module_files {
    HP_VEC(struct file *) all;
};

struct builds {
    struct hp_prover prover; // the first
    const struct hp_symbol_options *options;
    HP_VEC(char *) programs; // as they were given
    pthread_mutex_t lock;    // of the rest
    struct hp_keeper keeper;
    struct hp_trees trees;
    bool has_trees;
    struct hp_strtab paths, layouts;       // of modules
    HP_VEC(struct module_files) of_path;   // each of `paths`
    HP_VEC(struct module_files) of_layout; // each of `layouts`
    struct hp_strtab known;                // files: device, inode and times
    HP_VEC(struct file *) files;           // each of `known`, [0] is none
    HP_VEC(struct file *) others; // of any name: programs, and those in .build-id folders
    uint64_t clock;
    size_t text; // bytes of hp_file_code_text_size() of all
};

// --- files --------------------------------------------------------------------------------

// The file of a place, which is taken over: one that is known under another name stays that.
static struct file *add_file(struct builds *self, struct hp_place place) {
    const struct hp_found_file *found = &place.found;
    const uint64_t key[] = {found->id.device, found->id.inode, (uint64_t)found->changed,
                            (uint64_t)found->modified};
    struct hp_span bytes = {(const char *)key, sizeof key};
    size_t number = hp_strtab_add(&self->known, bytes).n;
    struct file **at = hp_vec_reach(&self->files, number);
    if (*at) {
        free(place.path);
    } else {
        *at = hp_alloc(sizeof **at);
        (*at)->place = place;
    }
    return *at;
}

static void add_other(struct builds *self, const char *root, const char *path) {
    int fd = hp_open_file(root, path);
    if (fd >= 0) {
        struct hp_place place = {root, hp_copy(path), hp_found_file_of(fd, false)};
        struct file *file = add_file(self, place);
        hp_vec_push(&self->others, file);
        close(fd);
    }
}

// What --symbol-dir holds, once somebody asks.
static void list_trees(struct builds *self) {
    const struct hp_symbol_options *options = self->options;
    for (size_t i = 0; i < options->symbol_dir_count; i++) {
        hp_trees_add(&self->trees, options->symbol_dirs[i]);
    }
    for (size_t i = 0; i < self->programs.count; i++) {
        add_other(self, NULL, self->programs.at[i]);
    }
    const struct hp_tree_file *file;
    hp_vec_each (file, &self->trees.files) {
        if (file->is_by_id && !hp_span_ends(hp_span_of(file->path), ".debug")) {
            add_other(self, file->root, file->path);
        }
    }
    self->has_trees = true;
}

// A path and the name of its module are known by both.
static hp_string path_and_name(struct builds *self, struct hp_span path,
                               struct hp_span name) {
    HP_VEC(char) key = {0};
    hp_vec_append(&key, path.at, path.size);
    if (!hp_span_equal(path, name)) {
        hp_vec_push(&key, '\0');
        hp_vec_append(&key, name.at, name.size);
    }
    hp_string number = hp_strtab_add(&self->paths, (struct hp_span){key.at, key.count});
    hp_vec_done(&key);
    return number;
}

static struct module_files *files_of(struct builds *self, struct hp_span path,
                                     struct hp_span name) {
    size_t known = self->paths.strings.count;
    uint32_t number = path_and_name(self, path, name).n;
    struct module_files *files = hp_vec_reach(&self->of_path, number);
    if (self->paths.strings.count == known) {
        return files;
    }
    if (!self->has_trees) {
        list_trees(self);
    }
    struct hp_places places = {0};
    struct hp_finder finder;
    const char *text = hp_strtab_text(&self->paths, (hp_string){number});
    hp_finder_init(&finder, self->options, text);
    finder.name = hp_span_equal(path, name) ? text : text + path.size + 1;
    finder.trees = &self->trees;
    hp_finder_list(&finder, &places);
    for (size_t i = 0; i < places.all.count && i < MOST_FILES; i++) {
        struct file *file = add_file(self, places.all.at[i]);
        places.all.at[i].path = NULL;
        hp_vec_push(&files->all, file);
    }
    hp_finder_done(&finder);
    hp_places_done(&places);
    return files;
}

// --- reading ------------------------------------------------------------------------------

// Room for more: what was used the longest time ago goes first.
static void make_room(struct builds *self) {
    while (self->text > MOST_TEXT) {
        struct file **file, *oldest = NULL;
        hp_vec_each (file, &self->files) {
            bool has_text = *file && (*file)->code.has_text;
            oldest =
                has_text && (!oldest || (*file)->used < oldest->used) ? *file : oldest;
        }
        if (!oldest || oldest->used == self->clock) {
            return;
        }
        self->text -= hp_file_code_text_size(&oldest->code);
        hp_file_code_drop_text(&oldest->code);
    }
}

// What the code of a file is known by: a debug file has none, and is itself.
static char *make_key(const struct file *file) {
    const struct hp_file_id *id = &file->place.found.id;
    return file->code.key[0] ? hp_copy(file->code.key)
           : file->code.image.build_id[0]
               ? hp_printed("debug-%s", file->code.image.build_id)
               : hp_printed("debug-%llx-%llx", (unsigned long long)id->device,
                            (unsigned long long)id->inode);
}

static void read_file(struct builds *self, struct file *file, bool wants_text) {
    char *shown = hp_place_text(&file->place);
    int fd = hp_open_file(file->place.root, file->place.path);
    struct hp_file_code code = {.unit = 0};
    file->is_read = true;
    if (fd < 0) {
        hp_sym_diagnose(&file->why, HP_SYM_UNREADABLE, "%s: it went away", shown);
    } else if (hp_keeper_ask_code(&self->keeper, fd, hp_span_of(shown), wants_text, &code,
                                  &file->why)) {
        free(file->code.image.path);
        hp_file_code_done(&file->code);
        file->code = code;
        file->code.image.path = shown; // for hp_verify()
        free(file->key);
        file->key = make_key(file);
        self->text += hp_file_code_text_size(&code);
        shown = NULL;
    }
    if (fd >= 0) {
        close(fd);
    }
    free(shown);
}

// False if it cannot be read.
static bool need(struct builds *self, struct file *file, bool wants_text) {
    bool lacks_text = wants_text && !file->code.has_text && !file->code.image.lacks_code;
    file->used = self->clock;
    if (!file->is_read || (lacks_text && !file->why.status)) {
        read_file(self, file, wants_text);
        make_room(self);
    }
    return file->why.status == HP_SYM_NOT_TRIED;
}

// --- layouts ------------------------------------------------------------------------------

// Whether the segments of a file are what the dump shows.
static bool has_layout(const struct file *file, const struct hp_proof_module *module) {
    struct hp_sym_diagnostic why;
    struct hp_request request = {.span = module->span, .kind = module->addresses};
    struct hp_image image = file->code.image;
    memset(&image.loads, 0, sizeof image.loads); // a copy: those of debug files are moved
    hp_vec_append(&image.loads, file->code.image.loads.at, file->code.image.loads.count);
    hp_vec_append(&request.extents, module->extents, module->extent_count);
    bool has = hp_verify(&image, &request, &why);
    hp_vec_done(&image.loads);
    hp_request_done(&request);
    return has;
}

static bool holds(const struct module_files *files, const struct file *wanted) {
    bool holds = false;
    for (size_t i = 0; i < files->all.count; i++) {
        holds |= files->all.at[i] == wanted;
    }
    return holds;
}

// Files of other names that have the layout of a module, and are not among those of its name.
static const struct module_files *others_of(struct builds *self,
                                            const struct hp_proof_module *module) {
    static const struct module_files none;
    if (self->others.count == 0) {
        return &none;
    }
    const uint64_t head[] = {module->span, module->addresses};
    HP_VEC(char) key = {0};
    hp_vec_append(&key, (const char *)head, sizeof head);
    for (uint32_t i = 0; i < module->extent_count; i++) {
        const struct hp_extent *extent = &module->extents[i];
        const uint64_t parts[] = {extent->address, extent->size, extent->offset};
        hp_vec_append(&key, (const char *)parts, sizeof parts);
    }
    hp_vec_append(&key, module->path.at, module->path.size);
    hp_vec_append(&key, module->name.at, module->name.size);
    size_t known = self->layouts.strings.count;
    struct hp_span text = {key.at, key.count};
    uint32_t number = hp_strtab_add(&self->layouts, text).n;
    struct module_files *files = hp_vec_reach(&self->of_layout, number);
    hp_vec_done(&key);
    if (self->layouts.strings.count == known || module->extent_count == 0) {
        return files;
    }
    const struct module_files *named = files_of(self, module->path, module->name);
    struct file **other;
    hp_vec_each (other, &self->others) {
        if (need(self, *other, false) && !(*other)->code.image.lacks_code &&
            has_layout(*other, module) && !holds(named, *other)) {
            hp_vec_push(&files->all, *other);
        }
    }
    return files;
}

// --- proving ------------------------------------------------------------------------------

// What came of the files of a dump.
struct proving {
    struct hp_fits fits;
    HP_VEC(struct file *) tried; // for each of fits.trials
    const char **keys;           // room for one of each
};

// A file of --symbol-dir that is only called like a version of the module may be any program.
static bool has_name(const struct file *file, const struct hp_proof_module *module) {
    struct hp_span name = hp_span_basename(hp_span_of(file->place.path));
    return !file->place.root || hp_span_equal(name, hp_span_basename(module->path));
}

static void try_files(struct builds *self, struct proving *proving, uint32_t module,
                      const struct module_files *files, bool are_named) {
    for (size_t i = 0; i < files->all.count; i++) {
        struct file *file = files->all.at[i];
        if (need(self, file, true) && file->code.image.program) {
            const struct hp_proof_module *asked =
                &proving->fits.question->modules.at[module];
            hp_fits_try(&proving->fits, module, &file->code,
                        are_named && has_name(file, asked));
            hp_vec_push(&proving->tried, file);
        }
    }
}

static void try_all(struct builds *self, struct proving *proving,
                    const struct hp_proof_question *question) {
    self->clock++;
    for (uint32_t i = 0; i < question->modules.count; i++) {
        const struct hp_proof_module *module = &question->modules.at[i];
        if (!module->is_told && module->path.size > 0) {
            try_files(self, proving, i, files_of(self, module->path, module->name), true);
            try_files(self, proving, i, others_of(self, module), false);
        }
    }
}

static int by_text(const void *left, const void *right) {
    return strcmp(*(char *const *)left, *(char *const *)right);
}

// Each key once, in order; NULL if there are none.
static char *join(const char **keys, size_t count) {
    char *joined = NULL;
    qsort(keys, count, sizeof *keys, by_text);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || strcmp(keys[i - 1], keys[i]) != 0) {
            char *longer =
                joined ? hp_printed("%s,%s", joined, keys[i]) : hp_copy(keys[i]);
            free(joined);
            joined = longer;
        }
    }
    return joined;
}

// Whether a file has code that was compared, or is the debug file of one that has.
static bool is_refuted(const struct proving *proving, size_t trial) {
    const struct hp_trial *trials = proving->fits.trials.at;
    const char *build_id = proving->tried.at[trial]->code.image.build_id;
    bool is = trials[trial].checked > 0;
    for (size_t i = 0; i < proving->tried.count; i++) {
        is |= trials[i].module == trials[trial].module && trials[i].checked > 0 &&
              build_id[0] &&
              strcmp(proving->tried.at[i]->code.image.build_id, build_id) == 0;
    }
    return is;
}

// The file that is the best of those tried: fewest misfits, then most addresses.
static struct hp_return_check best_of(const struct proving *proving, uint32_t module) {
    struct hp_return_check best = {.checked = 0};
    const struct hp_trial *trial;
    hp_vec_each (trial, &proving->fits.trials) {
        bool is_first = best.checked == 0;
        if (trial->module == module && trial->is_named && trial->checked > 0 &&
            (is_first || trial->failed < best.failed ||
             (trial->failed == best.failed && trial->checked > best.checked))) {
            best.checked = trial->checked;
            best.failed = trial->failed;
        }
    }
    return best;
}

// The builds of the files that fit a module.
static char *find_fitting(const struct proving *proving, uint32_t module) {
    size_t count = 0;
    for (size_t i = 0; i < proving->tried.count; i++) {
        const struct hp_trial *trial = &proving->fits.trials.at[i];
        if (trial->module == module && trial->fits) {
            proving->keys[count++] = proving->tried.at[i]->key;
        }
    }
    return join(proving->keys, count);
}

// The builds of the files of a module's name and layout that nothing speaks against.
static char *find_unchecked(const struct proving *proving, uint32_t number,
                            const struct hp_proof_module *module) {
    size_t count = 0;
    for (size_t i = 0; i < proving->tried.count; i++) {
        const struct hp_trial *trial = &proving->fits.trials.at[i];
        if (trial->module == number && trial->is_named && !is_refuted(proving, i) &&
            has_layout(proving->tried.at[i], module)) {
            proving->keys[count++] = proving->tried.at[i]->key;
        }
    }
    return join(proving->keys, count);
}

static bool has_file(const struct proving *proving, uint32_t module) {
    bool has = false;
    for (size_t i = 0; i < proving->tried.count; i++) {
        const struct hp_trial *trial = &proving->fits.trials.at[i];
        has |= trial->module == module &&
               (trial->is_named || proving->tried.at[i]->place.root);
    }
    return has;
}

// The build id of all files that fit a module, or their one code; NULL if there are several.
static char *stamp_of(const struct proving *proving, uint32_t module) {
    const char *stamp = NULL;
    bool is_one = true;
    for (size_t i = 0; i < proving->tried.count; i++) {
        const struct hp_trial *trial = &proving->fits.trials.at[i];
        const struct hp_file_code *code = &proving->tried.at[i]->code;
        const char *own = code->image.build_id[0] ? code->image.build_id : code->key;
        if (trial->module == module && trial->fits) {
            is_one &= *own && (!stamp || strcmp(own, stamp) == 0);
            stamp = own;
        }
    }
    return stamp && is_one ? hp_copy(stamp) : NULL;
}

static void conclude(const struct proving *proving, uint32_t number,
                     struct hp_proof_module *module) {
    module->returns = best_of(proving, number);
    module->builds = find_fitting(proving, number);
    module->stamp = stamp_of(proving, number);
    module->proof = HP_PROOF_FITS;
    if (!module->builds) {
        module->builds = find_unchecked(proving, number, module);
        module->proof = module->builds              ? HP_PROOF_UNCHECKED
                        : has_file(proving, number) ? HP_PROOF_OPEN
                                                    : HP_PROOF_NO_FILE;
    }
}

static void prove(struct hp_prover *prover, struct hp_proof_question *question) {
    struct builds *self = (struct builds *)prover;
    struct proving proving = {.tried = {0}};
    hp_fits_init(&proving.fits, question);
    pthread_mutex_lock(&self->lock);
    try_all(self, &proving, question);
    pthread_mutex_unlock(&self->lock);
    hp_fits_judge(&proving.fits);
    proving.keys = hp_alloc(proving.tried.count * sizeof *proving.keys);
    for (uint32_t i = 0; i < question->modules.count; i++) {
        if (!question->modules.at[i].is_told) {
            conclude(&proving, i, &question->modules.at[i]);
        }
    }
    free(proving.keys);
    hp_fits_done(&proving.fits);
    hp_vec_done(&proving.tried);
}

static const struct file *with_stamp(struct builds *self,
                                     const struct module_files *files,
                                     const char *stamp) {
    for (size_t i = 0; i < files->all.count; i++) {
        struct file *file = files->all.at[i];
        bool is = need(self, file, false) &&
                  (strcmp(file->code.image.build_id, stamp) == 0 ||
                   (!file->code.image.build_id[0] && strcmp(file->code.key, stamp) == 0));
        if (is) {
            return file;
        }
    }
    return NULL;
}

static char *find(struct hp_prover *prover, const struct hp_proof_module *module,
                  const char *stamp) {
    struct builds *self = (struct builds *)prover;
    pthread_mutex_lock(&self->lock);
    self->clock++;
    const struct file *file =
        with_stamp(self, files_of(self, module->path, module->name), stamp);
    file = file ? file : with_stamp(self, others_of(self, module), stamp);
    char *builds = file ? hp_copy(file->key) : NULL;
    pthread_mutex_unlock(&self->lock);
    return builds;
}

// --- what was proven --------------------------------------------------------------------------

static bool has_place(const struct hp_build_list *list, const struct hp_build *build,
                      const struct hp_place *wanted) {
    bool has = false;
    for (size_t i = list->places.all.count - build->place_count;
         i < list->places.all.count; i++) {
        const struct hp_place *place = &list->places.all.at[i];
        has |= place->root == wanted->root && strcmp(place->path, wanted->path) == 0;
    }
    return has;
}

static void add_places(const struct module_files *files, const char *key,
                       struct hp_build_list *list, struct hp_build *build) {
    for (size_t i = 0; i < files->all.count; i++) {
        struct file *file = files->all.at[i];
        if (file->key && strcmp(file->key, key) == 0 &&
            !has_place(list, build, &file->place)) {
            struct hp_place place = file->place;
            place.path = hp_copy(place.path);
            hp_vec_push(&list->places.all, place);
            build->place_count++;
            build->build_id = file->code.image.build_id;
        }
    }
}

static int by_span(const void *left, const void *right) {
    return hp_span_compare(*(const struct hp_span *)left, *(const struct hp_span *)right);
}

// The files of each path that dumps had a temporary copy at.
static void add_places_of_copies(struct builds *self, struct hp_span name,
                                 const char *key, struct hp_build_list *list,
                                 struct hp_build *build) {
    HP_VEC(struct hp_span) paths = {0};
    for (uint32_t i = 1; i < self->paths.strings.count; i++) {
        struct hp_span both = self->paths.strings.at[i];
        const char *end = memchr(both.at, '\0', both.size);
        if (end && hp_span_equal(hp_span_from(both, (size_t)(end - both.at) + 1), name)) {
            hp_vec_push(&paths, ((struct hp_span){both.at, (size_t)(end - both.at)}));
        }
    }
    hp_vec_sort(&paths, by_span);
    const struct hp_span *path;
    hp_vec_each (path, &paths) {
        add_places(files_of(self, *path, name), key, list, build);
    }
    hp_vec_done(&paths);
}

void hp_builds_of(struct hp_prover *prover, const struct hp_profile *profile,
                  const struct hp_module *module, struct hp_build_list *list) {
    struct builds *self = (struct builds *)prover;
    struct hp_span path = hp_strtab_span(&profile->strings, module->path);
    struct hp_proof_module asked = {
        .path = path,
        .name = path,
        .addresses = module->addresses,
        .span = module->span,
        .extents = hp_vec_from(&profile->extents, module->first_extent),
        .extent_count = module->extents,
    };
    char *keys = hp_copy(hp_profile_text(profile, module->builds)), *rest = NULL;
    for (char *key = strtok_r(keys, ",", &rest); key; key = strtok_r(NULL, ",", &rest)) {
        struct hp_build build = {.place_count = 0};
        add_places(files_of(self, path, path), key, list, &build);
        add_places_of_copies(self, path, key, list, &build);
        add_places(others_of(self, &asked), key, list, &build);
        hp_vec_push(&list->all, build);
    }
    free(keys);
    size_t first = 0;
    struct hp_build *build;
    hp_vec_each (build, &list->all) { // now that they stay where they are
        build->places = list->places.all.at + first;
        first += build->place_count;
    }
}

void hp_build_list_done(struct hp_build_list *list) {
    hp_vec_done(&list->all);
    hp_places_done(&list->places);
}

bool hp_builds_reason(struct hp_prover *prover, const char *path,
                      struct hp_sym_diagnostic *why) {
    struct builds *self = (struct builds *)prover;
    const struct module_files *files = files_of(self, hp_span_of(path), hp_span_of(path));
    for (size_t i = 0; i < files->all.count; i++) {
        *why = files->all.at[i]->why;
        if (why->status != HP_SYM_NOT_TRIED) {
            return true;
        }
    }
    return false;
}

// --- its life -----------------------------------------------------------------------------

static void done(struct hp_prover *prover) {
    struct builds *self = (struct builds *)prover;
    for (size_t i = 1; i < self->files.count; i++) {
        struct file *file = self->files.at[i];
        free(file->place.path);
        free(file->code.image.path);
        hp_file_code_done(&file->code);
        free(file->key);
        free(file);
    }
    for (size_t i = 0; i < self->programs.count; i++) {
        free(self->programs.at[i]);
    }
    hp_vec_done(&self->programs);
    struct module_files *files;
    hp_vec_each (files, &self->of_path) {
        hp_vec_done(&files->all);
    }
    hp_vec_each (files, &self->of_layout) {
        hp_vec_done(&files->all);
    }
    hp_vec_done(&self->of_path);
    hp_vec_done(&self->of_layout);
    hp_vec_done(&self->files);
    hp_vec_done(&self->others);
    hp_strtab_done(&self->paths);
    hp_strtab_done(&self->layouts);
    hp_strtab_done(&self->known);
    hp_trees_done(&self->trees);
    hp_keeper_done(&self->keeper);
    pthread_mutex_destroy(&self->lock);
    free(self);
}

struct hp_prover *hp_prover_new(const struct hp_symbol_options *options,
                                const char *const *programs, size_t program_count) {
    struct builds *self = hp_alloc(sizeof *self);
    *self = (struct builds){.prover = {prove, find, done},
                            .options = options,
                            .keeper = {.limits = hp_keeper_usual,
                                       .sandbox = options->sandbox,
                                       .serve = hp_worker_serve}};
    for (size_t i = 0; i < program_count; i++) {
        hp_vec_push(&self->programs, hp_copy(programs[i]));
    }
    pthread_mutex_init(&self->lock, NULL);
    return &self->prover;
}
