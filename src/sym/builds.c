#include "sym/builds.h"

#include "sym/candidates.h"
#include "sym/chains.h"
#include "sym/fits.h"
#include "sym/stack_fits.h"
#include "sym/worker.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

// The prover: its public functions, and the files that it has read.
struct builds {
    struct hp_prover prover; // must be the first member: it is cast to struct builds
    pthread_mutex_t lock;    // protects `files`
    struct hp_candidates files;
};

// --- proving ---------------------------------------------------------------------------

// The files that are compared with the modules of one dump (trials), each with its
// candidate.
struct proving {
    struct hp_fits fits;
    HP_VEC(struct hp_candidate *) tried; // the file of each of fits.trials
    size_t meant;                        // number of trials before strangers were tried
    const char **keys;                   // room for a key of each trial
};

// Whether a file has the name of a module or was found by its path.  A file of
// --symbol-dir that is only named like a version of the module may be any program.
static bool has_name(const struct hp_candidate *file,
                     const struct hp_proof_module *module) {
    struct hp_span name = hp_span_basename(hp_span_of(file->place.path));
    return !file->place.root || hp_span_equal(name, hp_span_basename(module->path));
}

// Compare all files of a list with the addresses of a module, except those that are not
// programs or libraries.
static void try_files(struct builds *self, struct proving *proving, uint32_t module,
                      const struct hp_candidate_list *files, bool are_named) {
    for (size_t i = 0; i < files->all.count; i++) {
        struct hp_candidate *file = files->all.at[i];
        if (hp_candidate_need(&self->files, file, true) && file->code.image.program) {
            const struct hp_proof_module *asked =
                &proving->fits.question->modules.at[module];
            hp_fits_try(&proving->fits, module, &file->code,
                        are_named && has_name(file, asked));
            hp_vec_push(&proving->tried, file);
        }
    }
}

// Begin to answer a question about a dump: try the files of all modules by path and name,
// and by layout programs and files of .build-id folders.
static void try_all(struct builds *self, struct proving *proving,
                    const struct hp_proof_question *question) {
    self->files.clock++;
    for (uint32_t i = 0; i < question->modules.count; i++) {
        const struct hp_proof_module *module = &question->modules.at[i];
        if (!module->is_known_build && module->path.size > 0) {
            try_files(self, proving, i,
                      hp_candidates_of(&self->files, module->path, module->name), true);
            try_files(self, proving, i,
                      hp_candidates_of_any_name(&self->files, HP_NAMELESS_MEANT, module),
                      false);
        }
    }
}

// Try files of any name (strangers) with the layout of the module, for modules that no
// file fits so far.
static void try_strangers(struct builds *self, struct proving *proving,
                          const struct hp_proof_question *question) {
    for (uint32_t i = 0; i < question->modules.count; i++) {
        const struct hp_proof_module *module = &question->modules.at[i];
        if (!module->is_known_build && module->path.size > 0 &&
            !hp_fits_any(&proving->fits, i)) {
            try_files(self, proving, i,
                      hp_candidates_of_any_name(&self->files, HP_NAMELESS_STRANGER,
                                                module),
                      false);
        }
    }
}

// The data of read_pairs(), by which it finds the file of each trial (a file that is
// compared with a module).
struct chain_files {
    struct builds *builds;
    const struct proving *proving;
};

// Implements hp_chain_reader.read.
static bool read_pairs(void *data, size_t trial, const struct hp_call_pairs *pairs,
                       unsigned char *answers) {
    const struct chain_files *files = data;
    return hp_candidate_pairs(&files->builds->files, files->proving->tried.at[trial],
                              pairs, answers);
}

// Whether some address of the dump was compared with the file, or with another file of
// its build id, such as the binary of a debug file.
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

// Judge debug files with the name and layout of a module by the calls that they list,
// unless they, or binaries of their build id, were compared already.
static void weigh_debug_files(struct proving *proving, uint32_t module,
                              const struct hp_chain_reader *reader) {
    const struct hp_proof_module *asked = &proving->fits.question->modules.at[module];
    for (size_t i = 0; i < proving->tried.count; i++) {
        const struct hp_trial *trial = &proving->fits.trials.at[i];
        const struct hp_candidate *file = proving->tried.at[i];
        if (trial->module == module && trial->is_named && file->code.image.lacks_code &&
            !is_refuted(proving, i) && hp_candidate_has_layout(file, asked)) {
            hp_chains_weigh_listed(&proving->fits, i, reader);
        }
    }
}

// Judge the files of modules that no file fits so far by chains of calls: whether callers
// directly call the functions of their frames in these files.
static void weigh_chains(struct builds *self, struct proving *proving) {
    struct chain_files files = {self, proving};
    const struct hp_chain_reader reader = {&files, read_pairs};
    for (uint32_t i = 0; i < proving->fits.question->modules.count; i++) {
        if (!hp_fits_any(&proving->fits, i)) {
            hp_chains_weigh(&proving->fits, i, &reader);
        }
        if (!hp_fits_any(&proving->fits, i)) {
            weigh_debug_files(proving, i, &reader);
        }
    }
}

// The counts of addresses that were checked and that failed, in the best file with the
// name of a module: fewest misfits, then most addresses.  Zeros if none was compared.
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

// The keys of the files that fit a module, as hp_keys_join() returns them; NULL if
// none fits.
static char *find_fitting(const struct proving *proving, uint32_t module) {
    size_t count = 0;
    for (size_t i = 0; i < proving->tried.count; i++) {
        const struct hp_trial *trial = &proving->fits.trials.at[i];
        if (trial->module == module && trial->fits) {
            proving->keys[count++] = proving->tried.at[i]->key;
        }
    }
    return hp_keys_join(proving->keys, count);
}

// The keys of the files with a module's name and layout that were not compared, as hp_keys_join()
// returns them; NULL if there are none.
static char *find_unchecked(const struct proving *proving, uint32_t number,
                            const struct hp_proof_module *module) {
    size_t count = 0;
    for (size_t i = 0; i < proving->tried.count; i++) {
        const struct hp_trial *trial = &proving->fits.trials.at[i];
        if (trial->module == number && trial->is_named && !is_refuted(proving, i) &&
            hp_candidate_has_layout(proving->tried.at[i], module)) {
            proving->keys[count++] = proving->tried.at[i]->key;
        }
    }
    return hp_keys_join(proving->keys, count);
}

// Whether a module has a file at all: one with its name, or in a folder of --symbol-dir.
// A file with another name (stranger) is not a file of the module unless it fits.
static bool has_file(const struct proving *proving, uint32_t module) {
    bool has = false;
    for (size_t i = 0; i < proving->meant; i++) {
        const struct hp_trial *trial = &proving->fits.trials.at[i];
        has |= trial->module == module &&
               (trial->is_named || proving->tried.at[i]->place.root);
    }
    return has;
}

// The build id, or without one the key, of all files that fit a module; NULL if they
// differ or none fits.  The caller frees the result.
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

// Set addresses[i] to the ELF address of extents[i] of a module in this file.  Returns
// false if one of them is in no segment.
static bool find_addresses(const struct hp_image *image,
                           const struct hp_proof_module *module, uint64_t *addresses) {
    bool found = true;
    for (uint32_t i = 0; i < module->extent_count; i++) {
        uint64_t address = 0;
        found &=
            hp_image_find(image, module->addresses, module->extents[i].address, &address);
        addresses[i] = address - image->start;
    }
    return found;
}

// Whether all addresses of a module are in its extents.
static bool are_in_extents(const struct hp_fits *fits, uint32_t number,
                           const struct hp_proof_module *module) {
    bool are = true;
    for (uint32_t i = fits->first[number]; i < fits->first[number + 1]; i++) {
        are &= hp_proof_extent(module, fits->addresses[i]) < module->extent_count;
    }
    return are;
}

// The program or library with the build id of a module in a list of files; NULL: none.
static const struct hp_candidate *with_id(struct builds *self,
                                          const struct hp_candidate_list *files,
                                          const struct hp_proof_module *module) {
    for (size_t i = 0; i < files->all.count; i++) {
        struct hp_candidate *file = files->all.at[i];
        const struct hp_image *image = &file->code.image;
        if (hp_candidate_need(&self->files, file, false) && image->program &&
            !image->lacks_code &&
            hp_span_equal(hp_span_of(image->build_id), module->build_id)) {
            return file;
        }
    }
    return NULL;
}

// hp_proof_module.elf_addresses of a module whose build id is known.  The caller frees
// the result.
static uint64_t *addresses_by_id(struct builds *self, const struct proving *proving,
                                 uint32_t number, const struct hp_proof_module *module) {
    if (module->addresses != HP_ADDRESS_OFFSET || module->build_id.size == 0 ||
        module->extent_count == 0 || !are_in_extents(&proving->fits, number, module)) {
        return NULL;
    }
    const struct hp_candidate *file =
        with_id(self, hp_candidates_of(&self->files, module->path, module->name), module);
    if (!file) {
        file = with_id(self,
                       hp_candidates_of_any_name(&self->files, HP_NAMELESS_MEANT, module),
                       module);
    }
    uint64_t *found = hp_alloc(module->extent_count * sizeof *found);
    if (!file || !find_addresses(&file->code.image, module, found)) {
        free(found);
        found = NULL;
    }
    return found;
}

// hp_proof_module.elf_addresses of a module.  The caller frees the result.
static uint64_t *addresses_of(const struct proving *proving, uint32_t number,
                              const struct hp_proof_module *module) {
    size_t size = module->extent_count * sizeof(uint64_t);
    uint64_t *found = hp_alloc(size), *own = hp_alloc(size);
    bool is_any = false, is_one = module->addresses == HP_ADDRESS_OFFSET && size > 0 &&
                                  are_in_extents(&proving->fits, number, module);
    for (size_t i = 0; is_one && i < proving->tried.count; i++) {
        const struct hp_trial *trial = &proving->fits.trials.at[i];
        if (trial->module == number && trial->fits) {
            is_one = find_addresses(&proving->tried.at[i]->code.image, module, own) &&
                     (!is_any || memcmp(own, found, size) == 0);
            memcpy(found, own, size);
            is_any = true;
        }
    }
    free(own);
    if (!is_any || !is_one) {
        free(found);
        found = NULL;
    }
    return found;
}

// Set how the allocators in all files that fit a module round large sizes, and their
// version; HP_LARGE_AUTO and "" if the files differ or one is unknown.
static void find_allocator(struct builds *self, const struct proving *proving,
                           uint32_t number, struct hp_proof_module *module) {
    enum hp_large_sizes found = HP_LARGE_AUTO;
    struct hp_jemalloc_version version = {""};
    bool is_one = true, is_one_version = true, is_any = false;
    for (size_t i = 0; i < proving->tried.count; i++) {
        const struct hp_trial *trial = &proving->fits.trials.at[i];
        if (trial->module == number && trial->fits) {
            struct hp_candidate *file = proving->tried.at[i];
            enum hp_large_sizes own = hp_candidate_large_sizes(&self->files, file);
            is_one &= own != HP_LARGE_AUTO && (found == HP_LARGE_AUTO || own == found);
            is_one_version &= !is_any || !strcmp(version.text, file->jemalloc.text);
            found = own;
            version = file->jemalloc;
            is_any = true;
        }
    }
    module->large_sizes = is_one ? found : HP_LARGE_AUTO;
    if (is_one_version) {
        module->jemalloc = version;
    }
}

// If a file fits a module, accept also files with the same layout and a single misfit
// (hp_trial.may_fit), if so few addresses were checked that one of these may have run
// instead.  Names must then be common to all accepted files.
static void keep_possible(struct proving *proving, uint32_t number,
                          const struct hp_proof_module *module) {
    bool is_any = hp_fits_any(&proving->fits, number);
    for (size_t i = 0; is_any && i < proving->tried.count; i++) {
        struct hp_trial *trial = &proving->fits.trials.at[i];
        trial->fits |= trial->module == number && trial->may_fit &&
                       hp_candidate_has_layout(proving->tried.at[i], module);
    }
}

// Set the result of the question for a module, such as its builds, from the files that
// were compared with it.
static void conclude(struct builds *self, struct proving *proving, uint32_t number,
                     struct hp_proof_module *module) {
    keep_possible(proving, number, module);
    module->returns = best_of(proving, number);
    module->builds = find_fitting(proving, number);
    module->stamp = stamp_of(proving, number);
    module->elf_addresses = addresses_of(proving, number, module);
    module->proof = HP_PROOF_FITS;
    if (module->is_allocator) {
        find_allocator(self, proving, number, module);
    }
    if (!module->builds) {
        module->builds = find_unchecked(proving, number, module);
        module->proof = module->builds              ? HP_PROOF_UNCHECKED
                        : has_file(proving, number) ? HP_PROOF_OPEN
                                                    : HP_PROOF_NO_FILE;
    }
}

// Implements hp_prover.prove: find the files that fit a dump.  Other threads may ask at
// the same time.
static void prove(struct hp_prover *prover, struct hp_proof_question *question) {
    struct builds *self = (struct builds *)prover;
    struct proving proving = {.tried = {0}};
    hp_fits_init(&proving.fits, question);
    pthread_mutex_lock(&self->lock);
    try_all(self, &proving, question);
    pthread_mutex_unlock(&self->lock);
    hp_fits_judge(&proving.fits);
    proving.meant = proving.tried.count;
    pthread_mutex_lock(&self->lock);
    try_strangers(self, &proving, question);
    pthread_mutex_unlock(&self->lock);
    if (proving.tried.count > proving.meant) {
        hp_fits_judge(&proving.fits);
    }
    pthread_mutex_lock(&self->lock);
    weigh_chains(self, &proving);
    pthread_mutex_unlock(&self->lock);
    proving.keys = hp_alloc(proving.tried.count * sizeof *proving.keys);
    pthread_mutex_lock(&self->lock); // conclude() may read files again
    for (uint32_t i = 0; i < question->modules.count; i++) {
        struct hp_proof_module *module = &question->modules.at[i];
        if (module->is_known_build) {
            module->elf_addresses = addresses_by_id(self, &proving, i, module);
        } else {
            conclude(self, &proving, i, module);
        }
    }
    pthread_mutex_unlock(&self->lock);
    free(proving.keys);
    hp_fits_done(&proving.fits);
    hp_vec_done(&proving.tried);
}

// Implements hp_prover.prove_stacks.  Strangers and debug files are not tried.
static void prove_stacks(struct hp_prover *prover,
                         const struct hp_proof_question *question, uint32_t module,
                         struct hp_stack_proofs *proofs) {
    struct builds *self = (struct builds *)prover;
    struct proving proving = {.tried = {0}};
    struct chain_files files = {self, &proving};
    const struct hp_chain_reader reader = {&files, read_pairs};
    hp_fits_init(&proving.fits, question);
    pthread_mutex_lock(&self->lock);
    try_all(self, &proving, question);
    hp_fits_judge(&proving.fits);
    proving.keys = hp_alloc(proving.tried.count * sizeof *proving.keys);
    for (size_t i = 0; i < proving.tried.count; i++) {
        proving.keys[i] = proving.tried.at[i]->key;
    }
    hp_stack_fits_find(&proving.fits, module, proving.keys, &reader, proofs);
    pthread_mutex_unlock(&self->lock);
    free(proving.keys);
    hp_fits_done(&proving.fits);
    hp_vec_done(&proving.tried);
}

// The first file in a list with that stamp: a build id, or the key of its code; NULL if
// none has it.  Its code is read, on which its key depends.
static const struct hp_candidate *with_stamp(struct builds *self,
                                             const struct hp_candidate_list *files,
                                             const char *stamp) {
    for (size_t i = 0; i < files->all.count; i++) {
        struct hp_candidate *file = files->all.at[i];
        bool is = hp_candidate_need(&self->files, file, false) &&
                  (strcmp(file->code.image.build_id, stamp) == 0 ||
                   (!file->code.image.build_id[0] && strcmp(file->code.key, stamp) == 0));
        if (is && hp_candidate_need(&self->files, file, true)) {
            return file;
        }
    }
    return NULL;
}

// Implements hp_prover.find: the key of the candidate for a module that has a stamp; NULL
// if none has it.  The caller frees the result.
static char *find(struct hp_prover *prover, const struct hp_proof_module *module,
                  const char *stamp) {
    struct builds *self = (struct builds *)prover;
    pthread_mutex_lock(&self->lock);
    self->files.clock++;
    const struct hp_candidate *file =
        with_stamp(self, hp_candidates_of(&self->files, module->path, module->name),
                   stamp);
    for (enum hp_nameless i = 0; !file && i < HP_NAMELESS_KINDS; i++) {
        file =
            with_stamp(self, hp_candidates_of_any_name(&self->files, i, module), stamp);
    }
    char *builds = file ? hp_copy(file->key) : NULL;
    pthread_mutex_unlock(&self->lock);
    return builds;
}

// --- builds that were proven -----------------------------------------------------------

// Whether a place (a file and the root that it is below) is already among those of
// `build`, which are the last ones of the list.
static bool has_place(const struct hp_build_list *list, const struct hp_build *build,
                      const struct hp_file_place *wanted) {
    bool has = false;
    for (size_t i = list->places.all.count - build->place_count;
         i < list->places.all.count; i++) {
        const struct hp_file_place *place = &list->places.all.at[i];
        has |= place->root == wanted->root && strcmp(place->path, wanted->path) == 0;
    }
    return has;
}

// Add the files of the list that have the key `key` to `build`, which is the last of the
// list.  Files before the first of these raise build->rank.
static void add_places(const struct hp_candidate_list *files, const char *key,
                       struct hp_build_list *list, struct hp_build *build) {
    for (size_t i = 0; i < files->all.count; i++, build->rank += !build->place_count) {
        struct hp_candidate *file = files->all.at[i];
        if (file->key && strcmp(file->key, key) == 0 &&
            !has_place(list, build, &file->place)) {
            struct hp_file_place place = file->place;
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

// Add the files with that key of each path where dumps had a temporary copy of the
// module.
static void add_places_of_copies(struct builds *self, struct hp_span name,
                                 const char *key, struct hp_build_list *list,
                                 struct hp_build *build) {
    HP_VEC(struct hp_span) paths = {0};
    for (uint32_t i = 1; i < self->files.paths.strings.count; i++) {
        struct hp_span both = self->files.paths.strings.at[i];
        const char *end = memchr(both.at, '\0', both.size);
        if (end && hp_span_equal(hp_span_from(both, (size_t)(end - both.at) + 1), name)) {
            hp_vec_push(&paths, ((struct hp_span){both.at, (size_t)(end - both.at)}));
        }
    }
    hp_vec_sort(&paths, by_span);
    const struct hp_span *path;
    hp_vec_each (path, &paths) {
        add_places(hp_candidates_of(&self->files, *path, name), key, list, build);
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
        add_places(hp_candidates_of(&self->files, path, path), key, list, &build);
        add_places_of_copies(self, path, key, list, &build);
        add_places(hp_candidates_of_any_name(&self->files, HP_NAMELESS_MEANT, &asked),
                   key, list, &build);
        if (build.place_count == 0) {
            add_places(hp_candidates_of_any_name(&self->files, HP_NAMELESS_STRANGER,
                                                 &asked),
                       key, list, &build);
        }
        hp_vec_push(&list->all, build);
    }
    free(keys);
    size_t first = 0;
    struct hp_build *build;
    hp_vec_each (build, &list->all) { // only now do the places stay where they are
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
    const struct hp_candidate_list *files =
        hp_candidates_of(&self->files, hp_span_of(path), hp_span_of(path));
    const struct hp_sym_diagnostic *found = NULL;
    for (size_t i = 0; i < files->all.count; i++) {
        const struct hp_sym_diagnostic *reason = &files->all.at[i]->why;
        bool is_of_this_run = hp_sym_is_of_this_run(reason->status);
        if (reason->status != HP_SYM_NOT_TRIED && (!found || is_of_this_run)) {
            found = reason;
        }
    }
    if (found) {
        *why = *found;
    }
    return found != NULL;
}

// --- start and end ---------------------------------------------------------------------

static void done(struct hp_prover *prover) {
    struct builds *self = (struct builds *)prover;
    hp_candidates_done(&self->files);
    pthread_mutex_destroy(&self->lock);
    free(self);
}

struct hp_prover *hp_builds_prover(const struct hp_symbol_options *options,
                                   const char *const *programs, size_t program_count) {
    struct builds *self = hp_alloc(sizeof *self);
    *self = (struct builds){.prover = {prove, prove_stacks, find, done},
                            .files = {.options = options,
                                      .keeper = {.limits = hp_keeper_usual,
                                                 .sandbox = options->sandbox,
                                                 .serve = hp_worker_serve}}};
    for (size_t i = 0; i < program_count; i++) {
        hp_vec_push(&self->files.programs, hp_copy(programs[i]));
    }
    pthread_mutex_init(&self->lock, NULL);
    return &self->prover;
}
