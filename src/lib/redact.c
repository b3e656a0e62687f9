// A text becomes "x" and the first 64 bits of its HMAC-SHA-256 in hexadecimal.  A path
// still begins with "/", and a build id becomes 20 bytes in hexadecimal.  The same key
// gives the same names, so that redacted reports can be compared.  Without the key it
// cannot be tried whether a guessed name is one of them.
//
// All texts of a profile are in one table and are known by their numbers.  Each is
// replaced in the table, unless the same text is also public.
#include "lib/redact.h"

#include "base/sha256.h"

#include "hprof-agg/hprof-agg.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

enum {
    INNER = 0x36,   // the inner pad of HMAC, repeated
    OUTER = 0x5c,   // the outer pad of HMAC, repeated
    NAME_BYTES = 8, // bytes of the digest in a name
    ID_BYTES = 20,  // bytes of the digest in a build id
};

// How a string of the profile is used; several bits may be set.
enum string_role {
    ROLE_NAME = 1,     // a name that is replaced
    ROLE_BUILD_ID = 2, // a build id that is replaced
    ROLE_PUBLIC = 4,   // the string must stay, whatever its other roles are
};

// The state while names in a profile are replaced by hashes.
struct redaction {
    struct hp_profile *profile;
    const struct hp_redact_key *key;
    unsigned char *roles; // bits of enum string_role for each string
};

// Begin a hash of HMAC with the key, each byte XORed with `pad`.
static void begin(struct hp_sha256 *sha, const struct hp_redact_key *key, uint8_t pad) {
    uint8_t block[HP_SHA256_BLOCK];
    memset(block, pad, sizeof block);
    for (size_t i = 0; i < sizeof key->bytes; i++) {
        block[i] ^= key->bytes[i];
    }
    hp_sha256_init(sha);
    hp_sha256_add(sha, block, sizeof block);
}

// Set `digest` to the HMAC-SHA-256 of a text.
static void hmac(const struct hp_redact_key *key, struct hp_span text,
                 uint8_t digest[HP_SHA256_SIZE]) {
    struct hp_sha256 sha;
    begin(&sha, key, INNER);
    hp_sha256_add(&sha, text.at, text.size);
    hp_sha256_end(&sha, digest);
    begin(&sha, key, OUTER);
    hp_sha256_add(&sha, digest, HP_SHA256_SIZE);
    hp_sha256_end(&sha, digest);
}

// Return the replacement of a name, or of a build id (is_id), allocated in the profile's
// arena.
static struct hp_span stand_in(const struct redaction *redaction, struct hp_span text,
                               bool is_id) {
    uint8_t digest[HP_SHA256_SIZE];
    size_t bytes = is_id ? ID_BYTES : NAME_BYTES;
    char *out = hp_arena_alloc(&redaction->profile->strings.arena, 2 * bytes + 3, 1);
    const char *head = is_id ? "" : text.at[0] == '/' ? "/x" : "x";
    size_t size = strlen(head);
    memcpy(out, head, size);
    hmac(redaction->key, text, digest);
    for (size_t i = 0; i < bytes; i++, size += 2) {
        snprintf(out + size, 3, "%02x", digest[i]);
    }
    return (struct hp_span){out, size};
}

// Return the replacement of a name; NULL and "" stay.
static const char *redact_text(const struct redaction *redaction, const char *text) {
    bool is_said = text != NULL && *text != '\0';
    return is_said ? stand_in(redaction, hp_span_of(text), false).at : text;
}

// --- what is public --------------------------------------------------------------------

// Return whether `rest` may follow the beginning of a library's name: ".so.6" or
// "-2.31.so"; after a loader's name also "-x86-64.so.2".
static bool is_version(const char *rest, bool is_loader) {
    const char *so = strstr(rest, ".so");
    size_t digits = *rest == '-' ? 1 + strspn(rest + 1, "0123456789.-") : 0;
    return so && so[3 + strspn(so + 3, "0123456789.")] == '\0' &&
           (so == rest || is_loader || digits >= (size_t)(so - rest));
}

// Return whether a file name is that of a library which whole distributions share.
static bool is_system_name(const char *name) {
    static const char *const beginnings[] = {
        "ld-linux",
        "ld-musl",
        "libBrokenLocale",
        "libanl",
        "libatomic",
        "libc",
        "libc++",
        "libc++abi",
        "libcrypt",
        "libdl",
        "libgcc_s",
        "libgomp",
        "libjemalloc",
        "libm",
        "libmimalloc",
        "libmvec",
        "libpthread",
        "libresolv",
        "librt",
        "libstdc++",
        "libtcmalloc",
        "libtcmalloc_and_profiler",
        "libtcmalloc_minimal",
        "libthread_db",
        "libunwind",
        "libutil",
        "libz",
        "libzstd",
    };
    bool is_loader = strncmp(name, "ld-", 3) == 0 && strchr(name, '/') == NULL;
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++) {
        size_t size = strlen(beginnings[i]);
        if (strncmp(name, beginnings[i], size) == 0 &&
            is_version(name + size, is_loader)) {
            return true;
        }
    }
    return false;
}

// Return whether a path below a system folder is that of a system library: "libc.so.6",
// or with a folder of the machine, "x86_64-linux-gnu/libc.so.6".  A program does not
// install its own files there under these names.
static bool is_system_file(const char *path) {
    const char *slash = strchr(path, '/'), *linux_gnu = strstr(path, "-linux-");
    bool has_machine = slash && linux_gnu && linux_gnu < slash;
    return is_system_name(has_machine ? slash + 1 : path);
}

// Return whether a library is in a folder of the system, under a system library's name.
static bool is_system_path(const char *path) {
    static const char *const folders[] = {"/lib/",     "/lib32/",     "/lib64/",
                                          "/usr/lib/", "/usr/lib32/", "/usr/lib64/"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        if (strncmp(path, folders[i], strlen(folders[i])) == 0) {
            return is_system_file(path + strlen(folders[i]));
        }
    }
    return false;
}

// Return whether the kernel gave the name of a mapping.  Other names were chosen by the
// program: "[anon:NAME]" and "/memfd:NAME".
static bool is_kernel_name(const char *path) {
    static const char *const names[] = {"[anon]",    "[heap]", "[jit]",      "[stack]",
                                        "[uprobes]", "[vdso]", "[vsyscall]", "[vvar]"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(path, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

// Return whether the text is a placeholder for an unknown function name.
static bool is_place_holder(const char *function) {
    return strcmp(function, "[truncated]") == 0 || strcmp(function, "[unknown]") == 0 ||
           strcmp(function, "[unmapped]") == 0 ||
           strcmp(function, HP_GENERATED_MODULE) == 0;
}

// Return whether the path of a module and its build id may stay.
static bool is_public(const struct hp_profile *profile, const struct hp_module *module) {
    const char *path = hp_profile_text(profile, module->path);
    return module->kind == HP_MODULE_PSEUDO
               ? is_kernel_name(path)
               : module->kind == HP_MODULE_FILE && is_system_path(path);
}

// Return whether the names of the functions in a module may stay.  Of modules without a
// file only those of the kernel have names that do not come from the program.
static bool has_public_names(const struct hp_profile *profile,
                             const struct hp_module *module) {
    const char *path = hp_profile_text(profile, module->path);
    return is_public(profile, module) && (module->kind != HP_MODULE_PSEUDO ||
                                          hp_span_starts(hp_span_of(path), "[vdso") ||
                                          hp_span_starts(hp_span_of(path), "[vsyscall"));
}

// --- roles -----------------------------------------------------------------------------

// Add a role to a string.
static void mark(const struct redaction *redaction, hp_string string, int role) {
    redaction->roles[string.n] |= (unsigned char)role;
}

// Mark the strings of modules, as public or to be replaced, and drop their notes.
static void mark_modules(const struct redaction *redaction) {
    struct hp_profile *profile = redaction->profile;
    struct hp_module *module;
    hp_vec_each (module, &profile->modules) {
        bool is_kept = is_public(profile, module);
        module->note = (hp_string){0};
        mark(redaction, module->path, is_kept ? ROLE_PUBLIC : ROLE_NAME);
        mark(redaction, module->symbols_from, ROLE_NAME);
        mark(redaction, module->build_id, is_kept ? ROLE_PUBLIC : ROLE_BUILD_ID);
        mark(redaction, module->recorded_build_id, is_kept ? ROLE_PUBLIC : ROLE_BUILD_ID);
        mark(redaction, module->builds, is_kept ? ROLE_PUBLIC : ROLE_BUILD_ID);
        mark(redaction, module->stamp, is_kept ? ROLE_PUBLIC : ROLE_BUILD_ID);
    }
}

// Mark the names of functions and files in frames, as public or to be replaced.
static void mark_lines(const struct redaction *redaction) {
    const struct hp_profile *profile = redaction->profile;
    const struct hp_frame *frame;
    hp_vec_each (frame, &profile->frames) {
        const struct hp_module *module = &profile->modules.at[frame->module.n];
        bool is_kept = has_public_names(profile, module);
        for (uint32_t i = 0; i < frame->lines; i++) {
            const struct hp_line *line = &profile->lines.at[frame->first_line + i];
            int role = is_kept ? ROLE_PUBLIC : ROLE_NAME;
            bool is_own = !is_place_holder(hp_profile_text(profile, line->function));
            mark(redaction, line->function, is_own ? role : ROLE_PUBLIC);
            mark(redaction, line->linkage, role);
            mark(redaction, line->file, role);
        }
    }
}

// Mark the values of labels of inputs and samples, and the chosen thread, to be replaced.
static void mark_labels(const struct redaction *redaction) {
    const struct hp_profile *profile = redaction->profile;
    const struct hp_label *label;
    hp_vec_each (label, &profile->inputs.labels) {
        mark(redaction, label->value, ROLE_NAME);
    }
    for (uint32_t set = 1; set < profile->tags.sets.strings.count; set++) {
        size_t count = hp_tags_count(&profile->tags.sets, (hp_string){set});
        for (size_t i = 0; i < count; i++) {
            mark(redaction, hp_tags_at(&profile->tags.sets, (hp_string){set}, i).text,
                 ROLE_NAME);
        }
    }
    mark(redaction, profile->settings.thread, ROLE_NAME);
}

// --- all of it -------------------------------------------------------------------------

// Replace all marked strings; the originals are kept in profile->originals.texts.
static void replace_strings(const struct redaction *redaction) {
    struct hp_profile *profile = redaction->profile;
    size_t count = profile->strings.strings.count;
    profile->originals.texts = hp_alloc(count * sizeof *profile->originals.texts);
    profile->originals.count = count;
    for (size_t i = 0; i < count; i++) {
        struct hp_span *text = &profile->strings.strings.at[i];
        unsigned char role = redaction->roles[i];
        profile->originals.texts[i] = *text;
        if (text->size > 0 && role != 0 && (role & ROLE_PUBLIC) == 0) {
            *text = stand_in(redaction, *text, (role & ROLE_NAME) == 0);
        }
    }
    for (size_t i = 1; i < profile->inputs.programs.strings.count; i++) {
        struct hp_span *text = &profile->inputs.programs.strings.at[i];
        *text = text->size > 0 ? stand_in(redaction, *text, false) : *text;
    }
}

static int by_original_name(const void *left, const void *right) {
    const struct hp_input_record *const *a = left, *const *b = right;
    int order = strverscmp((*a)->public.name, (*b)->public.name);
    return order ? order : (*a > *b) - (*a < *b);
}

// Record the order of inputs by their original names.  If nothing else shows when dumps
// were made, their names do, and a series must stay in that order.
static void place_names(struct hp_profile *profile) {
    HP_VEC(struct hp_input_record *) sorted = {0};
    struct hp_input_record *input;
    hp_vec_each (input, &profile->inputs.records) {
        hp_vec_push(&sorted, input);
    }
    hp_vec_sort(&sorted, by_original_name);
    for (size_t i = 0; i < sorted.count; i++) {
        sorted.at[i]->name_place = (uint32_t)i;
    }
    hp_vec_done(&sorted);
}

// Replace the names of inputs and archives, and drop reasons that may contain names.
static void replace_inputs(const struct redaction *redaction) {
    struct hp_profile *profile = redaction->profile;
    struct hp_input_record *input;
    place_names(profile);
    hp_vec_each (input, &profile->inputs.records) {
        input->public.name = redact_text(redaction, input->public.name);
        input->archive = redact_text(redaction, input->archive);
        if (input->err != NULL) {
            enum hp_code code = input->err->code;
            *input->err = (struct hp_err){.code = code};
            hp_fail(input->err, code,
                    HP_MESSAGE("reason-redacted", "the reason is redacted"));
        }
        hp_input_set_producer_warning(input, "");
    }
    struct hp_named_dump *dump;
    hp_vec_each (dump, &profile->inputs.named) {
        dump->name = redact_text(redaction, dump->name);
        dump->archive = redact_text(redaction, dump->archive);
    }
}

// Drop all warnings, sentences about chosen dumps, and comments, because they may contain
// names.  A warning counts them.
static void drop_sentences(struct hp_profile *profile) {
    size_t count = profile->sentences.warnings.count + profile->sentences.moments.count;
    profile->sentences.warnings.count = profile->sentences.minor.count =
        profile->sentences.moments.count = profile->sentences.sources.count = 0;
    profile->sources.count = 0;
    size_t kept = 0;
    for (size_t i = 0; i < profile->inputs.annotations.all.count; i++) {
        enum hp_annotation_kind kind = profile->inputs.annotations.all.at[i].kind;
        if (kind == HP_ANNOTATION_DEFAULT_TYPE || kind == HP_ANNOTATION_PERIOD_TYPE ||
            kind == HP_ANNOTATION_PERIOD_UNIT) {
            profile->inputs.annotations.all.at[kept++] =
                profile->inputs.annotations.all.at[i];
        }
    }
    profile->inputs.annotations.all.count = kept;
    if (count > 0) {
        hp_profile_warn(
            profile,
            HP_MESSAGE("warnings-redacted",
                       "%zu warning%s dropped, as %s may contain redacted names"),
            count, count == 1 ? " is" : "s are", count == 1 ? "it" : "they");
    }
}

void hp_redact(struct hp_profile *profile, const struct hp_redact_key *key) {
    struct redaction redaction = {
        .profile = profile,
        .key = key,
        .roles = hp_alloc(profile->strings.strings.count),
    };
    if (profile->originals.texts != NULL) {
        free(redaction.roles);
        return; // it is redacted already
    }
    mark_modules(&redaction);
    mark_lines(&redaction);
    mark_labels(&redaction);
    replace_strings(&redaction);
    replace_inputs(&redaction);
    drop_sentences(profile);
    free(redaction.roles);
}

int hp_profile_redact(struct hp_profile *profile, const void *key, size_t size,
                      struct hp_err *err) {
    struct hp_redact_key whole;
    if (key == NULL && getrandom(&whole, sizeof whole, 0) != (ssize_t)sizeof whole) {
        int sys = errno;
        hp_fail(err, HP_E_INTERNAL,
                HP_MESSAGE("no-random-numbers", "cannot read random numbers"));
        err->sys = sys;
        return err->code;
    }
    if (key != NULL) {
        struct hp_sha256 sha;
        hp_sha256_init(&sha);
        hp_sha256_add(&sha, key, size);
        hp_sha256_end(&sha, whole.bytes);
    }
    hp_redact(profile, &whole);
    explicit_bzero(&whole, sizeof whole);
    return HP_OK;
}
