#include "sym/candidates.h"

#include "base/files.h"
#include "sym/verify.h"

#include <string.h>
#include <unistd.h>

enum {
    MOST_FILES = 64,      // files that are tried for a module by path and name
    MOST_TEXT = 64 << 20, // bytes of code of all files that stay in memory
};

static const char elf_magic[4] = {'\177', 'E', 'L', 'F'};

// --- files -----------------------------------------------------------------------------

// Return the candidate for a file, which is added if it is new; takes ownership of
// place.path.  A file that is already known under another name keeps that name.
static struct hp_candidate *add_file(struct hp_candidates *self,
                                     struct hp_file_place place) {
    const struct hp_found_file *found = &place.found;
    const uint64_t key[] = {found->id.device, found->id.inode, (uint64_t)found->changed,
                            (uint64_t)found->modified};
    struct hp_span bytes = {(const char *)key, sizeof key};
    size_t number = hp_strtab_add(&self->known, bytes).n;
    struct hp_candidate **at = hp_vec_reach(&self->files, number);
    if (*at) {
        free(place.path);
    } else {
        *at = hp_alloc(sizeof **at);
        (*at)->place = place;
    }
    return *at;
}

// Add a file to self->others if it is ELF.
static void add_other(struct hp_candidates *self, enum hp_nameless kind, const char *root,
                      const char *path) {
    char head[sizeof elf_magic];
    int fd = hp_open_file(root, path);
    if (fd >= 0 && hp_read_at(fd, head, sizeof head, 0) == sizeof head &&
        memcmp(head, elf_magic, sizeof head) == 0) {
        struct hp_file_place place = {root, hp_copy(path), hp_found_file_of(fd, false)};
        struct hp_candidate *file = add_file(self, place);
        hp_vec_push(&self->others[kind], file);
    }
    if (fd >= 0) {
        close(fd);
    }
}

// List the files below the folders of --symbol-dir, and add the given programs and the
// files of .build-id folders to self->others.
static void list_trees(struct hp_candidates *self) {
    const struct hp_symbol_options *options = self->options;
    for (size_t i = 0; i < options->symbol_dir_count; i++) {
        hp_trees_add(&self->trees, options->symbol_dirs[i]);
    }
    for (size_t i = 0; i < self->programs.count; i++) {
        add_other(self, HP_NAMELESS_MEANT, NULL, self->programs.at[i]);
    }
    const struct hp_tree_file *file;
    hp_vec_each (file, &self->trees.files) {
        if (file->is_by_id && !hp_span_ends(hp_span_of(file->path), ".debug")) {
            add_other(self, HP_NAMELESS_MEANT, file->root, file->path);
        }
    }
    self->has_trees = true;
}

// Add all files below the folders of --symbol-dir to those that may fit whatever their
// names (strangers), except those in .build-id folders.
static void list_strangers(struct hp_candidates *self) {
    const struct hp_tree_file *file;
    hp_vec_each (file, &self->trees.files) {
        if (!file->is_by_id) {
            add_other(self, HP_NAMELESS_STRANGER, file->root, file->path);
        }
    }
    self->has_strangers = true;
}

// The number of a module in self->paths, by its path, and its name unless that is the
// same.
static hp_string path_and_name(struct hp_candidates *self, struct hp_span path,
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

struct hp_candidate_list *hp_candidates_of(struct hp_candidates *self,
                                           struct hp_span path, struct hp_span name) {
    size_t known = self->paths.strings.count;
    uint32_t number = path_and_name(self, path, name).n;
    struct hp_candidate_list *files = hp_vec_reach(&self->of_path, number);
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
        struct hp_candidate *file = add_file(self, places.all.at[i]);
        places.all.at[i].path = NULL;
        hp_vec_push(&files->all, file);
    }
    hp_finder_done(&finder);
    hp_places_done(&places);
    return files;
}

// --- reading ---------------------------------------------------------------------------

// Drop the code of files until it fits into MOST_TEXT, those not used for the longest
// time first.  Files of the current question are kept.
static void make_room(struct hp_candidates *self) {
    while (self->text > MOST_TEXT) {
        struct hp_candidate **file, *oldest = NULL;
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

// The key of a file's code.  A debug file has no code and gets a key of its own.
static char *make_key(const struct hp_candidate *file) {
    const struct hp_file_id *id = &file->place.found.id;
    return file->code.key[0] ? hp_copy(file->code.key)
           : file->code.image.build_id[0]
               ? hp_printed("debug-%s", file->code.image.build_id)
               : hp_printed("debug-%llx-%llx", (unsigned long long)id->device,
                            (unsigned long long)id->inode);
}

// Have the child read a file; sets file->why if it cannot be read.
static void read_file(struct hp_candidates *self, struct hp_candidate *file,
                      bool wants_text) {
    char *shown = hp_place_text(&file->place);
    int fd = hp_open_file(file->place.root, file->place.path);
    struct hp_file_code code = {.unit = 0};
    file->is_read = true;
    if (fd < 0) {
        hp_sym_diagnose(&file->why, HP_SYM_UNREADABLE,
                        HP_MESSAGE("file-went-away", "%s: it went away"), shown);
    } else if (hp_keeper_ask_code(&self->keeper, fd, hp_span_of(shown),
                                  wants_text ? HP_CODE_TEXT : HP_CODE_HEADERS, &code,
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

bool hp_candidate_need(struct hp_candidates *self, struct hp_candidate *file,
                       bool wants_text) {
    bool lacks_text = wants_text && !file->code.has_text && !file->code.image.lacks_code;
    file->used = self->clock;
    if (!file->is_read || (lacks_text && !file->why.status)) {
        read_file(self, file, wants_text);
        make_room(self);
    }
    return file->why.status == HP_SYM_NOT_TRIED;
}

enum hp_large_sizes hp_candidate_large_sizes(struct hp_candidates *self,
                                             struct hp_candidate *file) {
    if (file->is_asked) {
        return file->large_sizes;
    }
    char *shown = hp_place_text(&file->place);
    int fd = hp_open_file(file->place.root, file->place.path);
    struct hp_file_code code = {.unit = 0};
    struct hp_sym_diagnostic why;
    file->is_asked = true;
    if (fd >= 0 && hp_keeper_ask_code(&self->keeper, fd, hp_span_of(shown),
                                      HP_CODE_LARGE_SIZES, &code, &why)) {
        file->large_sizes = code.rounds_to_pages ? HP_LARGE_PAGES : HP_LARGE_CLASSES;
        file->jemalloc = code.jemalloc;
        hp_file_code_done(&code);
    }
    if (fd >= 0) {
        close(fd);
    }
    free(shown);
    return file->large_sizes;
}

// --- pairs of calls --------------------------------------------------------------------

// The number of a pair among those of a file; a new pair is added.
static uint32_t number_of(struct hp_candidate *file, const struct hp_call_pairs *pairs,
                          const struct hp_call_pair *pair) {
    const uint64_t key[] = {pairs->question, pairs->kind, pair->inner, pair->outer};
    return hp_strtab_add(&file->pairs, (struct hp_span){(const char *)key, sizeof key}).n;
}

// Ask the child about pairs that were not asked about before, and store its answers in
// the file, because many dumps have the same pairs.  False if it has no answer.
static bool look_up(struct hp_candidates *self, struct hp_candidate *file,
                    const struct hp_call_pairs *wanted) {
    unsigned char *answers = hp_alloc(wanted->all.count);
    char *shown = hp_place_text(&file->place);
    int fd = hp_open_file(file->place.root, file->place.path);
    bool is_read = fd >= 0 && hp_keeper_ask_pairs(&self->keeper, fd, hp_span_of(shown),
                                                  wanted, answers);
    for (size_t i = 0; is_read && i < wanted->all.count; i++) {
        uint32_t number = number_of(file, wanted, &wanted->all.at[i]);
        *hp_vec_reach(&file->answers, number) = answers[i];
    }
    if (fd >= 0) {
        close(fd);
    }
    free(shown);
    free(answers);
    return is_read;
}

bool hp_candidate_pairs(struct hp_candidates *self, struct hp_candidate *file,
                        const struct hp_call_pairs *pairs, unsigned char *answers) {
    struct hp_call_pairs unknown = {pairs->question, pairs->kind, .all = {0}};
    const struct hp_call_pair *pair;
    hp_vec_each (pair, &pairs->all) {
        size_t known = file->answers.count;
        if (number_of(file, pairs, pair) >= known) {
            hp_vec_push(&unknown.all, *pair);
        }
    }
    bool is_known = unknown.all.count == 0 || look_up(self, file, &unknown);
    for (size_t i = 0; is_known && i < pairs->all.count; i++) {
        uint32_t number = number_of(file, pairs, &pairs->all.at[i]);
        answers[i] = file->answers.at[number];
    }
    hp_call_pairs_done(&unknown);
    return is_known;
}

// --- layouts ---------------------------------------------------------------------------

bool hp_candidate_has_layout(const struct hp_candidate *file,
                             const struct hp_proof_module *module) {
    struct hp_sym_diagnostic why;
    struct hp_request request = {.span = module->span, .kind = module->addresses};
    struct hp_image image = file->code.image;
    // Copied, because hp_verify() places the segments of debug files.
    memset(&image.loads, 0, sizeof image.loads);
    hp_vec_append(&image.loads, file->code.image.loads.at, file->code.image.loads.count);
    hp_vec_append(&request.extents, module->extents, module->extent_count);
    bool has = hp_verify(&image, &request, &why);
    hp_vec_done(&image.loads);
    hp_request_done(&request);
    return has;
}

static bool holds(const struct hp_candidate_list *files,
                  const struct hp_candidate *wanted) {
    bool holds = false;
    for (size_t i = 0; i < files->all.count; i++) {
        holds |= files->all.at[i] == wanted;
    }
    return holds;
}

struct hp_candidate_list *hp_candidates_of_any_name(
    struct hp_candidates *self, enum hp_nameless kind,
    const struct hp_proof_module *module) {
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
    struct hp_span text = {key.at, key.count};
    uint32_t number = hp_strtab_add(&self->layouts, text).n;
    struct hp_candidate_list *files = hp_vec_reach(&self->of_layout[kind], number);
    hp_vec_done(&key);
    if (files->is_known || module->extent_count == 0) {
        return files;
    }
    files->is_known = true;
    const struct hp_candidate_list *named =
        hp_candidates_of(self, module->path, module->name);
    if (kind == HP_NAMELESS_STRANGER && !self->has_strangers) {
        list_strangers(self);
    }
    struct hp_candidate **other;
    hp_vec_each (other, &self->others[kind]) {
        if (hp_candidate_need(self, *other, false) && !(*other)->code.image.lacks_code &&
            hp_candidate_has_layout(*other, module) && !holds(named, *other)) {
            hp_vec_push(&files->all, *other);
        }
    }
    return files;
}

static int by_text(const void *left, const void *right) {
    return strcmp(*(char *const *)left, *(char *const *)right);
}

char *hp_keys_join(const char **keys, size_t count) {
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

void hp_candidates_done(struct hp_candidates *self) {
    for (size_t i = 1; i < self->files.count; i++) {
        struct hp_candidate *file = self->files.at[i];
        free(file->place.path);
        free(file->code.image.path);
        hp_file_code_done(&file->code);
        hp_strtab_done(&file->pairs);
        hp_vec_done(&file->answers);
        free(file->key);
        free(file);
    }
    for (size_t i = 0; i < self->programs.count; i++) {
        free(self->programs.at[i]);
    }
    hp_vec_done(&self->programs);
    struct hp_candidate_list *list;
    hp_vec_each (list, &self->of_path) {
        hp_vec_done(&list->all);
    }
    for (int i = 0; i < HP_NAMELESS_KINDS; i++) {
        hp_vec_each (list, &self->of_layout[i]) {
            hp_vec_done(&list->all);
        }
        hp_vec_done(&self->of_layout[i]);
        hp_vec_done(&self->others[i]);
    }
    hp_vec_done(&self->of_path);
    hp_vec_done(&self->files);
    hp_strtab_done(&self->paths);
    hp_strtab_done(&self->layouts);
    hp_strtab_done(&self->known);
    hp_trees_done(&self->trees);
    hp_keeper_done(&self->keeper);
}
