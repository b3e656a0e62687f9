#include "view/allocator.h"

#include <string.h>

enum {
    LONGEST_NAME = 160, // longer ones are nobody's on the lists
};

static const char *const libraries[] = {"libjemalloc", "libtcmalloc"};

// Public functions: these names, or these behind one of the prefixes.
static const char *const functions[] = {
    "malloc",
    "calloc",
    "realloc",
    "reallocarray",
    "memalign",
    "aligned_alloc",
    "posix_memalign",
    "valloc",
    "pvalloc",
    "mallocx",
    "rallocx",
    "xallocx",
    "smallocx",
    "cfree",
    "free",
    "nallocx",
    "dallocx",
    "sdallocx",
    "new",
    "newarray",
    "new_nothrow",
    "newarray_nothrow",
    "new_aligned",
    "newarray_aligned",
};

static const char *const prefixes[] = {"",    "je_",     "_rjem_",    "_rjem_je_",
                                       "tc_", "__libc_", "jemalloc_", "__interceptor_"};

// Internal functions of jemalloc: names that nobody else uses, with any prefix.
static const char *const internals[] = {
    "prof_backtrace_impl",
    "prof_backtrace",
    "prof_tctx_create",
    "prof_alloc_prep",
    "prof_alloc_prep_impl",
    "prof_recent_alloc",
    "imalloc",
    "imalloc_body",
    "imalloc_fastpath",
    "imalloc_sample",
    "malloc_default",
    "fallback_impl",
    "fallbackNewImpl",
    "newImpl",
    "irallocx_prof",
    "irallocx_prof_sample",
    "ixallocx_prof",
    "do_rallocx",
    "do_realloc_nonnull_zero",
};

// Scopes and what they are called: any function named so inside them is meant.
static const struct {
    const char *scope, *function;
} methods[] = {
    {"std::allocator::", "allocate"},
    {"std::allocator_traits::", "allocate"},
    {"std::__new_allocator::", "allocate"},
    {"__gnu_cxx::new_allocator::", "allocate"},
    {"__gnu_cxx::__alloc_traits::", "allocate"},
    {"std::__1::allocator::", "allocate"},
    {"std::__1::allocator_traits::", "allocate"},
    {"simple_alloc::", "allocate"},
    {"__malloc_alloc_template::", "allocate"},
    {"std::__1::", "__libcpp_allocate"},
    {"std::__1::", "__libcpp_operator_new"},
    {"", "__builtin_new"},
    {"", "__builtin_vec_new"},
    {"", "do_malloc"},
    {"", "do_malloc_or_cpp_alloc"},
    {"", "DoSampledAllocation"},
    {"namespace)::", "do_malloc"},
    {"namespace)::", "do_malloc_or_cpp_alloc"},
    {"tcmalloc::", NULL},
    {"alloc::alloc::", NULL},
};

static const char *const rust_functions[] = {
    "__rust_alloc", "__rust_realloc", "__rust_alloc_zeroed",
    "__rdl_alloc",  "__rdl_realloc",  "__rdl_alloc_zeroed",
    "__rg_alloc",   "__rg_realloc",   "__rg_alloc_zeroed",
};

static const char *const rust_impls[] = {
    "<alloc::alloc::Global as ",
    "<std::alloc::System as ",
    "<tikv_jemallocator::Jemalloc as ",
    "<jemallocator::Jemalloc as ",
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

bool hp_is_allocator_module(struct hp_span path) {
    struct hp_span name = hp_span_basename(path);
    for (size_t i = 0; i < COUNT(libraries); i++) {
        if (hp_span_starts(name, libraries[i])) {
            return true;
        }
    }
    return false;
}

static bool is_one_of(struct hp_span name, const char *const *list, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (hp_span_is(name, list[i])) {
            return true;
        }
    }
    return false;
}

// Without template arguments, parameters and return type:
// "void* fallbackNewImpl<true>(unsigned long)" is "fallbackNewImpl".  False if too long.
static bool bare(struct hp_span full, char *out, struct hp_span *name) {
    size_t size = 0, start = 0;
    int depth = 0;
    for (size_t i = 0; i < full.size; i++) {
        char c = full.at[i];
        depth += c == '<';
        bool keep = depth == 0;
        depth -= c == '>' && depth > 0;
        if (keep && c == '(' && size > 0) {
            break;
        }
        if (keep && c == ' ') {
            start = size + 1;
        }
        if (keep) {
            if (size == LONGEST_NAME) {
                return false;
            }
            out[size++] = c;
        }
    }
    start = start > size ? size : start;
    *name = (struct hp_span){out + start, size - start};
    return true;
}

static bool is_operator_new(struct hp_span full) {
    static const char name[] = "operator new";
    if (!hp_span_starts(full, name)) {
        return false;
    }
    struct hp_span rest = hp_span_from(full, sizeof name - 1);
    return rest.size == 0 || rest.at[0] == '(' || hp_span_starts(rest, "[]");
}

static bool is_public_function(struct hp_span name) {
    for (size_t i = 0; i < COUNT(prefixes); i++) {
        if (hp_span_starts(name, prefixes[i]) &&
            is_one_of(hp_span_from(name, strlen(prefixes[i])), functions,
                      COUNT(functions))) {
            // "new" and its kin are tcmalloc's only behind its prefix.
            return !hp_span_starts(name, "new");
        }
    }
    return false;
}

static bool is_internal_function(struct hp_span name) {
    for (size_t i = 0; i < COUNT(internals); i++) {
        if (hp_span_ends(name, internals[i])) {
            size_t prefix = name.size - strlen(internals[i]);
            return prefix == 0 ||
                   (name.at[prefix - 1] == '_' && !memchr(name.at, ':', prefix));
        }
    }
    return false;
}

// Google's: functions that have a policy of its own as template argument have common names.
static bool is_tcmalloc(struct hp_span full, struct hp_span name) {
    static const char policy[] = "<tcmalloc::";
    bool is_common = hp_span_is(name, "fast_alloc") || hp_span_is(name, "slow_alloc");
    return hp_span_starts(name, "TCMallocInternal") ||
           (is_common && memmem(full.at, full.size, policy, sizeof policy - 1));
}

static bool is_method(struct hp_span name) {
    for (size_t i = 0; i < COUNT(methods); i++) {
        if (hp_span_starts(name, methods[i].scope)) {
            struct hp_span rest = hp_span_from(name, strlen(methods[i].scope));
            if (!methods[i].function || hp_span_is(rest, methods[i].function)) {
                return true;
            }
        }
    }
    return false;
}

static bool is_rust_impl(struct hp_span full) {
    for (size_t i = 0; i < COUNT(rust_impls); i++) {
        if (hp_span_starts(full, rust_impls[i])) {
            return true;
        }
    }
    return false;
}

bool hp_is_allocator_function(struct hp_span function) {
    char buffer[LONGEST_NAME];
    struct hp_span name;
    if (is_operator_new(function) || is_rust_impl(function)) {
        return true;
    }
    return bare(function, buffer, &name) &&
           (is_public_function(name) || is_internal_function(name) || is_method(name) ||
            is_tcmalloc(function, name) ||
            is_one_of(name, rust_functions, COUNT(rust_functions)));
}

// --- calls --------------------------------------------------------------------------------

enum answer {
    NOT_ASKED,
    NO,
    YES,
};

// `answers` are those of each string of the profile that is a function.
static bool is_own(const struct hp_profile *profile, const struct hp_call *call,
                   uint8_t *answers) {
    hp_string function =
        call->line > 0 ? profile->lines.at[call->line - 1].function : (hp_string){0};
    uint8_t *answer = &answers[function.n];
    if (*answer == NOT_ASKED) {
        struct hp_span name = hp_strtab_span(&profile->strings, function);
        *answer = hp_is_allocator_function(name) ? YES : NO;
    }
    return *answer == YES;
}

void hp_allocator_mark(struct hp_naming *naming) {
    const struct hp_profile *profile = naming->profile;
    uint8_t *answers = hp_alloc(profile->strings.strings.count + 1);
    for (size_t i = 0; i < profile->frames.count; i++) {
        hp_string path = profile->modules.at[profile->frames.at[i].module.n].path;
        bool is_module = hp_is_allocator_module(hp_strtab_span(&profile->strings, path));
        const uint32_t *first = &naming->first_call.at[i];
        for (uint32_t k = first[0]; k < first[1]; k++) {
            struct hp_call *call = &naming->calls.at[k];
            call->is_allocator = is_module || is_own(profile, call, answers);
        }
    }
    free(answers);
}
