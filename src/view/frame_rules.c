// The built-in table of rules.  The first row that matches a frame decides:
//
//     class   field   pattern
//
// The user's rules come before the table.  A frame with neither name nor module has no
// class; a frame that no rule matches is the program's own code.
#include "view/frame_rules.h"

#include "view/filter.h"

#include "base/pattern.h"
#include "view/shortname.h"

#include <stdio.h>
#include <string.h>

// Text that a rule of the table is matched against.
enum field {
    NAME,      // name without arguments
    FULL_NAME, // name with template arguments
    BARE_NAME, // name without arguments, if the source file is not known
    FILE_PATH,
    ANY_FILE, // any known source file, unless a LIBRARY row matches the module
    MODULE,
    LIBRARY,        // path of a module; if it matches, ANY_FILE rows are ignored
    GENERATED_NAME, // name with arguments, if the module is that of generated code
    GENERATED, // path of that module; if it matches, rows about other names are ignored
};

// A row of the table.  `makes` is the class of frames that match.  `note`, and the
// example `name`, `file` and `module`, are for the list of known rules and for tests.
struct rule {
    enum hp_frame_class makes;
    enum field field;
    const char *pattern;
    const char *note;
    const char *name, *file, *module; // an example that matches
    const char *const *has; // each match has one of these words; NULL: no short list
};

// First elements of the paths of Go's standard packages.
#define GO_PACKAGES                                                                      \
    "(archive|bufio|builtin|bytes|cmp|compress|container|context|crypto|database|debug|" \
    "embed|encoding|errors|expvar|flag|fmt|go|hash|html|image|index|internal|io|iter|"   \
    "log|maps|math|mime|net|os|path|plugin|reflect|regexp|runtime|slices|sort|strconv|"  \
    "strings|structs|sync|syscall|testing|text|time|unicode|unique|unsafe|vendor|weak)"

// Ends of names of allocating functions; wrappers have them after a prefix.
#define ALLOCATING \
    "(malloc|calloc|realloc|strdup|strndup|memdup|zalloc)(_usable|0|_n|_array)?$"
#define APP        "/srv/app"
#define APP_SOURCE "/srv/app/main.cc"

// clang-format off
#define HAS(...) (const char *const[]){__VA_ARGS__, NULL}
static const char *const ALLOCATES[] = {"malloc", "calloc", "realloc", "zalloc", "strdup", "strndup", "memdup", NULL};

static const struct rule table[] = {
    {HP_CLASS_NONE, NAME, "^\\[(truncated|unknown|unmapped)\\]$", "what stands for frames that are not known",
     "[truncated]", "", "", HAS("[")},

    {HP_CLASS_ALLOCATOR, MODULE, "(^|/)lib(jemalloc|tcmalloc|mimalloc|hprof-sampler)[^/]*$",
     "allocators", "je_mallctl", "", "/usr/lib/x86_64-linux-gnu/libjemalloc.so.2"},
    {HP_CLASS_ALLOCATOR, MODULE, "(^|/)lib((a|hwa|l|t|m|ub)san|clang_rt\\.[a-z_]*san)[^/a-z][^/]*$",
     "sanitizers", "operator new(unsigned long)", "", "/usr/lib/x86_64-linux-gnu/libasan.so.8"},
    {HP_CLASS_ALLOCATOR, FILE_PATH,
     "/tikv-jemalloc-sys-[^/]*/out/build/|/jemalloc/internal/|/(tikv-)?jemallocator-[0-9]|"
     "/(lib)?mimalloc-(sys-)?[0-9]",
     "jemalloc's sources, and crates around allocators", "prof_backtrace",
     "/root/target/release/build/tikv-jemalloc-sys-0a1b/out/build/src/prof_data.c", APP, HAS("malloc")},
    {HP_CLASS_ALLOCATOR, NAME,
     "^(je_|_rjem_(je_)?|tc_|__libc_|jemalloc_|__interceptor_)?"
     "(malloc|calloc|realloc|reallocarray|memalign|aligned_alloc|posix_memalign|valloc|pvalloc|"
     "mallocx|rallocx|xallocx|smallocx|cfree|free|nallocx|dallocx|sdallocx)$",
     "public functions of allocators", "je_malloc", "", APP, HAS("malloc", "calloc", "realloc", "valloc", "allocx", "_alloc", "memalign", "free")},
    {HP_CLASS_ALLOCATOR, NAME,
     "^(operator new(\\[\\])?|__builtin_(vec_)?new|"
     "(je_|_rjem_(je_)?|tc_|jemalloc_)new(array)?(_nothrow|_aligned)?)$",
     "of C++", "operator new[](unsigned long, std::align_val_t)", "", APP, HAS("operator new", "__builtin_", "je_", "jem_", "tc_", "jemalloc_")},
    {HP_CLASS_ALLOCATOR, NAME,
     "^([^:]*_)?(prof_backtrace_impl|prof_backtrace|prof_tctx_create|prof_alloc_prep|"
     "prof_alloc_prep_impl|prof_recent_alloc|imalloc|imalloc_body|imalloc_fastpath|"
     "imalloc_sample|malloc_default|fallback_impl|fallbackNewImpl|newImpl|irallocx_prof|"
     "irallocx_prof_sample|ixallocx_prof|do_rallocx|do_realloc_nonnull_zero)$",
     "jemalloc", "void* fallbackNewImpl<false>(unsigned long)", "", APP, HAS("prof_", "malloc", "realloc", "allocx", "fallback_impl", "ewImpl")},
    {HP_CLASS_ALLOCATOR, NAME,
     "^((std::(__1::)?(allocator|allocator_traits|__new_allocator)|"
     "__gnu_cxx::(new_allocator|__alloc_traits)|simple_alloc|__malloc_alloc_template)::allocate|"
     "std::__1::__libcpp_(allocate|operator_new))$",
     "std::allocator", "std::allocator<char>::allocate(unsigned long)", APP_SOURCE, APP, HAS("allocate", "operator_new")},
    {HP_CLASS_ALLOCATOR, NAME,
     "^(tcmalloc::|TCMallocInternal|do_malloc(_or_cpp_alloc)?$|DoSampledAllocation$)|"
     "\\(anonymous namespace\\)::do_malloc(_or_cpp_alloc)?$",
     "tcmalloc", "tcmalloc::allocate_full_malloc_oom(unsigned long)", "", APP, HAS("tcmalloc::", "TCMalloc", "do_malloc", "DoSampled")},
    {HP_CLASS_ALLOCATOR, NAME,
     "^_mi_|^mi_([a-z]*alloc|new|heap|theap|page|arena|segment|strn?dup|realpath|free|expand|find_)",
     "mimalloc", "_mi_prof_stack_intern", "", APP, HAS("mi_")},
    {HP_CLASS_ALLOCATOR, FULL_NAME, "^(void\\* )?(fast|slow)_alloc<tcmalloc::", "tcmalloc",
     "fast_alloc<tcmalloc::tcmalloc_internal::TCMallocPolicy<tcmalloc::CppOomPolicy> >", "", APP, HAS("tcmalloc::")},
    {HP_CLASS_ALLOCATOR, NAME,
     "^(__rustc::)?__(rust_(?!begin_|end_)|rdl_|rg_)|^(alloc::alloc|std::alloc::System|"
     "(tikv_)?jemallocator::Jemalloc|mimalloc::MiMalloc)::",
     "Rust", "<alloc::alloc::Global as core::alloc::Allocator>::allocate",
     "/rustc/90b35a623/library/alloc/src/alloc.rs", APP, HAS("__r", "alloc::alloc", "alloc::System", "Jemalloc", "MiMalloc")},

    {HP_CLASS_START_UP, NAME,
     "^(_start|__libc_start_.*|start_thread|clone3?|_dl_start_user|_dl_init|call_init|"
     "runtime\\.(main|goexit|mstart.*)|std::rt::lang_start.*|execute_native_thread_routine)$",
     "glibc, libstdc++, Go, Rust", "__libc_start_call_main", "./csu/libc-start.c",
     "/usr/lib/x86_64-linux-gnu/libc.so.6",
     HAS("start", "clone", "_dl_", "call_init", "runtime.", "thread_routine")},
    {HP_CLASS_START_UP, NAME, "(^|::)__rust_begin_short_backtrace$", "Rust",
     "std::sys::backtrace::__rust_begin_short_backtrace",
     "/rustc/90b35a623/library/std/src/sys/backtrace.rs", APP, HAS("__rust_begin_short_backtrace")},

    {HP_CLASS_WRAPPER, NAME, "(^|::)x" ALLOCATING, "git, gdb", "xmalloc", "/srv/app/wrapper.c", APP, ALLOCATES},
    {HP_CLASS_WRAPPER, NAME, "(^|::)z(" ALLOCATING "|try.*$)", "redis",
     "zmalloc_usable", "/srv/app/zmalloc.c", APP, HAS("malloc", "calloc", "realloc", "zalloc", "strdup", "strndup", "memdup", "ztry")},
    {HP_CLASS_WRAPPER, NAME, "(^|::)g_" ALLOCATING, "GLib",
     "g_malloc0", "", "/usr/lib/x86_64-linux-gnu/libglib-2.0.so.0", ALLOCATES},
    {HP_CLASS_WRAPPER, NAME, "(^|::)my_(" ALLOCATING "|multi_malloc(_large)?$)", "MariaDB",
     "my_multi_malloc_large", "", "/usr/sbin/mariadbd", ALLOCATES},
    {HP_CLASS_WRAPPER, NAME, "(^|::)s" ALLOCATING, "fio", "smalloc", "/srv/app/smalloc.c", APP, ALLOCATES},
    {HP_CLASS_WRAPPER, NAME, "(^|::)ruby_x" ALLOCATING, "Ruby", "ruby_xmalloc", "", APP, ALLOCATES},
    {HP_CLASS_WRAPPER, NAME, "(^|::)_e" ALLOCATING, "PHP", "_emalloc", "", APP, ALLOCATES},
    {HP_CLASS_WRAPPER, NAME, "(^|::)CRYPTO_.*(alloc|strdup|memdup)$", "OpenSSL, node",
     "CRYPTO_zalloc", "", APP, HAS("CRYPTO_")},
    {HP_CLASS_WRAPPER, NAME, "(^|::)sqlite3.*(Malloc|Realloc)$", "SQLite", "sqlite3Malloc",
     "/srv/app/sqlite3.c", APP, HAS("sqlite3")},
    {HP_CLASS_WRAPPER, NAME, "(^|::)_?Py(Mem|Object)_(Raw)?(Malloc|Calloc|Realloc)$", "CPython",
     "_PyMem_RawMalloc", "", "/usr/bin/python3.11", HAS("Py")},
    {HP_CLASS_WRAPPER, NAME, "(^|::)(palloc0?|repalloc|MemoryContextAlloc.*|AllocSetAlloc)$",
     "PostgreSQL", "MemoryContextAllocZero", "", "/usr/lib/postgresql/15/bin/postgres", HAS("palloc", "MemoryContextAlloc", "AllocSetAlloc")},
    {HP_CLASS_WRAPPER, NAME, "(^|::)(apr_pc?alloc|ngx_p?alloc)$", "Apache httpd, nginx",
     "ngx_palloc", "", "/usr/sbin/nginx", HAS("apr_", "ngx_")},
    {HP_CLASS_WRAPPER, NAME, "^AllocSetAlloc(Large|FromNewBlock|ChunkFromBlock)$",
     "PostgreSQL", "AllocSetAllocLarge", "", "/usr/lib/postgresql/17/bin/postgres", HAS("AllocSetAlloc")},
    {HP_CLASS_WRAPPER, NAME, "^(os::(malloc|realloc|strdup)|AllocateHeap|ReallocateHeap|Unsafe_(Allocate|Reallocate)Memory0?)$",
     "OpenJDK", "AllocateHeap(unsigned long, MEMFLAGS, AllocFailStrategy::AllocFailEnum)", "",
     "/usr/lib/jvm/java-17-openjdk-amd64/lib/server/libjvm.so", HAS("os::", "Heap", "Unsafe_")},
    {HP_CLASS_WRAPPER, NAME, "^(PyByteArray_Resize|PyDataMem_(User)?(NEW|RENEW)(_ZEROED)?|default_(malloc|calloc|realloc))$",
     "CPython, numpy", "PyDataMem_UserNEW", "", "/srv/numpy/core/_multiarray_umath.so", HAS("Py", "default_")},
    {HP_CLASS_WRAPPER, NAME, "^node::NodeArrayBufferAllocator::(Allocate|AllocateUninitialized|Reallocate)$",
     "Node", "node::NodeArrayBufferAllocator::Allocate(unsigned long)", "", "/usr/bin/node", HAS("node::")},
    {HP_CLASS_WRAPPER, NAME, "^_cgo_[0-9a-f]+_C2?func_", "calls from Go to C",
     "_cgo_7e3a0b5f1c2d_Cfunc_make_block", "", APP, HAS("_cgo_")},
    {HP_CLASS_WRAPPER, NAME, "(^|::)(av_malloc.*|talloc_.*|uv__.*alloc)$",
     "FFmpeg, Samba, libuv", "talloc_strdup", "", APP, HAS("av_malloc", "talloc_", "uv__")},

    {HP_CLASS_STANDARD, MODULE,
     "(^|/)(lib(c|m|pthread|dl|stdc\\+\\+|c\\+\\+|c\\+\\+abi|gcc_s|atomic|gomp)(\\.|-[0-9])"
     "[^/]*|ld-(linux|musl|[0-9])[^/]*)$",
     "the C library and the compilers' own", "strdup", "./string/strdup.c",
     "/usr/lib/x86_64-linux-gnu/libc.so.6"},
    {HP_CLASS_STANDARD, FILE_PATH, "/include/c\\+\\+/|/c\\+\\+/v1/", "libstdc++, libc++",
     "void std::vector<int>::push_back(int&&)", "/usr/include/c++/12/bits/stl_vector.h", APP, HAS("/c++/")},
    {HP_CLASS_STANDARD, FILE_PATH, "/rustc[-/][^/]+/library/|/rustlib/src/|/rust/deps/", "Rust, also Debian's",
     "alloc::vec::Vec<T>::push", "/rustc/90b35a623/library/alloc/src/vec/mod.rs", APP, HAS("/rust")},
    {HP_CLASS_STANDARD, FILE_PATH,
     "^/usr/local/go/src/|^/usr/(lib|share)/go[^/]*/src/|golang\\.org/toolchain@[^/]*/src/|"
     "^" GO_PACKAGES "/([^@]*/)?[^/@]*\\.(go|s)$",
     "Go, also with -trimpath", "encoding/json.Marshal",
     "/usr/lib/go-1.19/src/encoding/json/encode.go", APP, HAS("/go", "golang.org/", ".go", ".s")},
    {HP_CLASS_STANDARD, FILE_PATH,
     "boost/container|absl/container|folly/(container|FBString)|/include/fmt/|/fmt/bundled/|"
     "/(hashbrown|smallvec|indexmap|bytes)-[0-9]",
     "containers and strings of others",
     "boost::container::vector<int>::priv_insert()", "/usr/include/boost/container/vector.hpp", APP, HAS("container", "FBString", "fmt/", "hashbrown", "smallvec", "indexmap", "bytes")},

    {HP_CLASS_STANDARD, FILE_PATH,
     "^node:|^<frozen |^<internal:|(^|/)lib/python3\\.[0-9]+/(?!site-packages/|dist-packages/)|/lib/ruby/[0-9.]+/",
     "CPython, Node, Ruby", "_find_and_load", "<frozen importlib._bootstrap>", "[jit]", HAS("node:", "<", "lib/")},
    {HP_CLASS_STANDARD, GENERATED_NAME,
     "^(Interpreter|StubRoutines|I2C/C2I adapters|C[12] temporary|vtable|itable|Builtin:|BytecodeHandler:|"
     "Stub:|Handler:|RegExp:|stub<|jfptr_)|(Blob|[Ss]tub|_Java|adapters?)( \\([0-9]+\\))?$",
     "code that a virtual machine makes for itself", "StubRoutines (1)", "", "[jit]"},
    {HP_CLASS_STANDARD, GENERATED_NAME, "^(javax?|jdk|sun|com\\.sun)\\.|^(System|Microsoft|Internal|Interop)[.:]",
     "Java, .NET", "java.util.HashMap.put(java.lang.Object, java.lang.Object)", "", "[jit]"},
    {HP_CLASS_STANDARD, BARE_NAME,
     "^(v8::|Builtins_)|^node::(Buffer|builtins|contextify|Realm|Environment|LoadEnvironment|NodeMainInstance|"
     "Start|StartExecution|InternalCallbackScope|(Internal)?MakeCallback|AsyncWrap|CallbackScope|SpinEventLoop)",
     "Node, V8", "v8::internal::Execution::Call(v8::internal::Isolate*)", "", "/usr/bin/node", HAS("v8::", "Builtins_", "node::")},

    {HP_CLASS_LIBRARY, FILE_PATH, "/(site|dist)-packages/|/gems/[^/]*-[0-9]", "packages of Python and Ruby",
     "read_csv", "/usr/lib/python3/dist-packages/pandas/io/parsers.py", "[jit]", HAS("-packages/", "/gems/")},
    {HP_CLASS_LIBRARY, MODULE, "(^|/)lib(python[23]\\.[0-9]|jvm\\.|java\\.|jli\\.|ruby[-.][0-9]|julia)[^/]*$",
     "interpreters and virtual machines", "bytearray_init", "", "/opt/python/lib/libpython3.12.so.1.0"},
    {HP_CLASS_LIBRARY, FILE_PATH,
     "[./]cargo/(registry/src|git/checkouts)/|/pkg/mod/|^[^/][^@]*@v[0-9][^@]*\\.go$|/_deps/|"
     "/third_party/|/node_modules/|^/usr/(local/)?include/",
     "where packages are unpacked and installed", "serde_json::value::to_value",
     "/root/.cargo/registry/src/index.crates.io-6f17/serde_json-1.0.1/src/value/mod.rs", APP, HAS("cargo/", "/pkg/mod/", "@v", "/_deps/", "/third_party/", "/node_modules/", "/usr/")},

    {HP_CLASS_GENERATED, GENERATED, "^\\[jit\\]$", "code of a JIT compiler", "leak", "/srv/app/leak.py", "[jit]"},
    {HP_CLASS_OWN, ANY_FILE, ".", "any other known file", "std::hash<My>::operator()(My const&) const",
     APP_SOURCE, APP},

    {HP_CLASS_STANDARD, BARE_NAME, "^(std|__gnu_cxx|core|alloc)::|^" GO_PACKAGES "(/[^.]*)?\\.",
     "C++, Rust, Go", "<alloc::vec::Vec<T> as core::clone::Clone>::clone", "", APP, HAS("std::", "__gnu_cxx::", "core::", "alloc::", ".")},

    {HP_CLASS_LIBRARY, LIBRARY, "^(/usr)?/lib(32|64|x32)?/.*\\.so|^/(nix|gnu)/store/.*\\.so",
     "shared libraries of the system", "XML_Parse", "", "/usr/lib/x86_64-linux-gnu/libexpat.so.1"},

    {HP_CLASS_OWN, NAME, "", "the rest", "main", "", APP},
};

// clang-format on

enum {
    COUNT = sizeof table / sizeof *table,
};

_Static_assert(COUNT <= 64, "a rule is a bit of hp_frame_matches.rows");

const char *hp_frame_class_name(enum hp_frame_class of) {
    static const char *const names[HP_CLASSES] = {
        [HP_CLASS_NONE] = "none",         [HP_CLASS_ALLOCATOR] = "allocator",
        [HP_CLASS_START_UP] = "start-up", [HP_CLASS_WRAPPER] = "wrapper",
        [HP_CLASS_STANDARD] = "standard", [HP_CLASS_LIBRARY] = "library",
        [HP_CLASS_OWN] = "own",           [HP_CLASS_GENERATED] = "generated",
    };
    return names[of];
}

const char *hp_frames_name(enum hp_frames frames) {
    static const char *const names[] = {
        [HP_FRAMES_CODE] = "no-std",
        [HP_FRAMES_OWN] = "no-libs",
        [HP_FRAMES_ALL] = "no-alloc",
        [HP_FRAMES_RAW] = "all",
    };
    return names[frames];
}

unsigned hp_folded_classes(enum hp_frames frames) {
    unsigned all = 1u << HP_CLASS_ALLOCATOR;
    unsigned code =
        all | 1u << HP_CLASS_START_UP | 1u << HP_CLASS_WRAPPER | 1u << HP_CLASS_STANDARD;
    return frames == HP_FRAMES_RAW   ? 0
           : frames == HP_FRAMES_ALL ? all
           : frames == HP_FRAMES_OWN ? code | 1u << HP_CLASS_LIBRARY
                                     : code;
}

size_t hp_known_rule_count(void) {
    return COUNT;
}

struct hp_known_rule hp_known_rule(size_t i) {
    static const char *const fields[] = {
        [NAME] = "name",
        [FULL_NAME] = "full name",
        [BARE_NAME] = "name without file",
        [FILE_PATH] = "file",
        [ANY_FILE] = "file",
        [MODULE] = "module",
        [LIBRARY] = "module",
        [GENERATED_NAME] = "name in [jit]",
        [GENERATED] = "module",
    };
    const struct rule *rule = &table[i];
    return (struct hp_known_rule){
        .makes = hp_frame_class_name(rule->makes),
        .field = fields[rule->field],
        .pattern = rule->pattern,
        .note = rule->note,
        .name = rule->name,
        .file = rule->file,
        .module = rule->module,
    };
}

// --- rules --------------------------------------------------------------------------------

int hp_frame_rules_init(struct hp_frame_rules *rules, const struct hp_profile *profile,
                        const struct hp_frame_rule *given, size_t count,
                        struct hp_err *err) {
    size_t strings = profile ? profile->strings.strings.count + 1 : 0;
    int ret = HP_OK;
    *rules = (struct hp_frame_rules){
        .patterns = hp_alloc((COUNT + count) * sizeof *rules->patterns),
        .given = given,
        .given_count = count,
        .profile = profile,
        .names = hp_alloc(strings * sizeof *rules->names),
        .files = hp_alloc(strings * sizeof *rules->files),
        .modules = hp_alloc(strings * sizeof *rules->modules),
    };
    for (size_t i = 0; i < count && ret == HP_OK; i++) {
        ret = hp_pattern_init(&rules->patterns[COUNT + i], given[i].pattern,
                              profile ? profile->match_time : NULL, err);
    }
    return ret;
}

void hp_frame_rules_done(struct hp_frame_rules *rules) {
    for (size_t i = 0; rules->patterns && i < COUNT + rules->given_count; i++) {
        hp_pattern_done(&rules->patterns[i]);
    }
    free(rules->patterns);
    free(rules->names);
    free(rules->files);
    free(rules->modules);
    hp_vec_done(&rules->bare);
    *rules = (struct hp_frame_rules){0};
}

int hp_frame_rules_check(const struct hp_frame_rules *rules, struct hp_err *err) {
    for (size_t i = 0; i < rules->given_count; i++) {
        int ret = hp_pattern_check(&rules->patterns[COUNT + i], err);
        if (ret != HP_OK) {
            return ret;
        }
    }
    return HP_OK;
}

// --- texts --------------------------------------------------------------------------------

// Return the number of the user's first rule about a field that matches one of two texts,
// counted from 1; 0: no rule does.
static uint32_t find_given(const struct hp_frame_rules *rules, enum hp_frame_field field,
                           const char *text, const char *other) {
    for (uint32_t i = 0; i < rules->given_count; i++) {
        struct hp_pattern *pattern = &rules->patterns[COUNT + i];
        enum hp_frame_field of = rules->given[i].field;
        if ((of == HP_FIELD_ANY || of == field) &&
            (hp_pattern_matches(pattern, text) || hp_pattern_matches(pattern, other))) {
            return i + 1;
        }
    }
    return 0;
}

// A text and the set of its pairs of adjacent characters.  A word with a pair that the
// text lacks is not in the text; this test is faster than a search.
struct searched {
    const char *text;
    // By pair_of(); if two pairs share a number, has_word() is only slower.
    bool pairs[256];
};

static unsigned char pair_of(unsigned char first, unsigned char second) {
    return (unsigned char)(first << 3 ^ second);
}

// Collect the pairs of a text, which is borrowed.
static void searched_init(struct searched *in, const char *text) {
    unsigned char before = (unsigned char)*text;
    *in = (struct searched){.text = text};
    for (; *text; text++) {
        in->pairs[pair_of(before, (unsigned char)*text)] = true;
        before = (unsigned char)*text;
    }
}

// Whether a text contains a word.
static bool has_word(const struct searched *in, const char *word) {
    const char *at = word;
    while (at[1] && in->pairs[pair_of((unsigned char)at[0], (unsigned char)at[1])]) {
        at++;
    }
    return !at[1] && strstr(in->text, word);
}

static bool has_one(const struct searched *in, const char *const *words) {
    while (*words && !has_word(in, *words)) {
        words++;
    }
    return *words;
}

// Whether a row of the table matches a text.  A pattern is compiled when it is first
// needed: without symbols most never are.
static bool row_matches(const struct hp_frame_rules *rules, size_t row,
                        const char *text) {
    struct hp_pattern *pattern = &rules->patterns[row];
    struct hp_err err;
    return (pattern->code ||
            hp_pattern_init(pattern, table[row].pattern, NULL, &err) == HP_OK) &&
           hp_pattern_matches(pattern, text);
}

// Return the rows of the table that are about one of `fields` (a set of 1 << enum field)
// and match a text; bit i is row i.  Most texts match no row; looking for words shows
// that in a tenth of the time that patterns take.
static uint64_t rows_of(const struct hp_frame_rules *rules, unsigned fields,
                        const char *text) {
    const char *const *words = NULL;
    bool is_near = true;
    uint64_t rows = 0;
    struct searched in;
    searched_init(&in, text);
    for (size_t i = 0; i + 1 < COUNT; i++) { // the last row matches everything
        if ((fields >> table[i].field & 1) == 0) {
            continue;
        }
        if (table[i].has != words) {
            words = table[i].has;
            is_near = !words || has_one(&in, words);
        }
        if (is_near && row_matches(rules, i, text)) {
            rows |= (uint64_t)1 << i;
        }
    }
    return rows;
}

// Match a function's name, in full and without arguments, with the user's rules and with
// the table.
static struct hp_frame_matches matches_of_name(struct hp_frame_rules *rules,
                                               const char *name, bool has_file) {
    unsigned fields = 1u << NAME | (has_file ? 0 : 1u << BARE_NAME);
    struct hp_span full = hp_span_of(name);
    rules->bare.count = 0;
    hp_vec_reserve(&rules->bare, hp_short_name_room(full.size));
    const char *bare = hp_bare_name(full, rules->bare.at).at;
    return (struct hp_frame_matches){
        .is_known = true,
        .given = find_given(rules, HP_FIELD_NAME, name, bare),
        .rows = rows_of(rules, fields, bare) |
                rows_of(rules, 1u << FULL_NAME | 1u << GENERATED_NAME, name),
        .knows_bare = !has_file,
    };
}

static struct hp_frame_matches matches_of_file(const struct hp_frame_rules *rules,
                                               const char *file) {
    return (struct hp_frame_matches){
        .is_known = true,
        .given = find_given(rules, HP_FIELD_FILE, file, file),
        .rows = rows_of(rules, 1u << FILE_PATH | 1u << ANY_FILE, file),
    };
}

static struct hp_frame_matches matches_of_module(const struct hp_frame_rules *rules,
                                                 const char *module) {
    return (struct hp_frame_matches){
        .is_known = true,
        .given = find_given(rules, HP_FIELD_MODULE, module, module),
        .rows = rows_of(rules, 1u << MODULE | 1u << LIBRARY | 1u << GENERATED, module),
    };
}

// --- classes ------------------------------------------------------------------------------

// Return the rows among `rows`, a set of bits, that are about a field.
static uint64_t rows_about(enum field field, uint64_t rows) {
    uint64_t found = 0;
    for (; rows; rows &= rows - 1) {
        found |= table[__builtin_ctzll(rows)].field == field ? rows & -rows : 0;
    }
    return found;
}

// Return the number of the user's first rule among several matches; 0: none.
static uint32_t first_given(const struct hp_frame_matches *matches, size_t count) {
    uint32_t first = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t given = matches[i].given;
        first = given && (!first || given < first) ? given : first;
    }
    return first;
}

// Return the class of a frame, given the rules that its name, file and module match.
static enum hp_frame_class combine(const struct hp_frame_rules *rules,
                                   const struct hp_frame_matches matches[3],
                                   bool has_file) {
    uint32_t given = first_given(matches, 3);
    uint64_t rows = matches[0].rows | matches[1].rows | matches[2].rows;
    if (given) {
        return rules->given[given - 1].makes;
    }
    if (rows_about(GENERATED, rows)) {
        rows = rows_about(GENERATED, rows) | rows_about(GENERATED_NAME, rows) |
               rows_about(FILE_PATH, rows);
    }
    rows &= ~(rows_about(GENERATED, rows) ? 0 : rows_about(GENERATED_NAME, rows));
    rows &= ~(has_file ? rows_about(BARE_NAME, rows) : 0);
    rows &= ~(rows_about(LIBRARY, rows) ? rows_about(ANY_FILE, rows) : 0);
    return table[rows ? __builtin_ctzll(rows) : COUNT - 1].makes;
}

enum hp_frame_class hp_frame_rules_judge(struct hp_frame_rules *rules, const char *name,
                                         const char *file, const char *module) {
    const struct hp_frame_matches nothing = {.is_known = true};
    const struct hp_frame_matches matches[3] = {
        *name ? matches_of_name(rules, name, *file != '\0') : nothing,
        *file ? matches_of_file(rules, file) : nothing,
        *module ? matches_of_module(rules, module) : nothing,
    };
    bool is_nowhere = !*name && !*module && !first_given(matches, 3);
    return is_nowhere ? HP_CLASS_NONE : combine(rules, matches, *file != '\0');
}

// Match the place of a frame without a name, "libfoo.so+0x1234", with the user's rules
// about names.
static struct hp_frame_matches matches_of_place(const struct hp_frame_rules *rules,
                                                const struct hp_frame *frame) {
    struct hp_frame_matches matches = {.is_known = true};
    char place[HP_PLACE_SIZE];
    const struct hp_module *module = &rules->profile->modules.at[frame->module.n];
    const char *path = hp_profile_original(rules->profile, module->path);
    if (rules->given_count > 0) {
        hp_write_place(place, module, path, hp_address_of_start(frame));
        matches.given = find_given(rules, HP_FIELD_NAME, place, place);
    }
    return matches;
}

// Return the class of a call.  Matches its texts unless results are cached.
static enum hp_frame_class class_of(struct hp_frame_rules *rules,
                                    const struct hp_frame *frame,
                                    const struct hp_line *line) {
    static const struct hp_line unknown;
    const struct hp_profile *profile = rules->profile;
    const struct hp_module *module = &rules->profile->modules.at[frame->module.n];
    line = line ? line : &unknown;
    struct hp_frame_matches *name = &rules->names[line->function.n];
    struct hp_frame_matches *file = &rules->files[line->file.n];
    struct hp_frame_matches *path = &rules->modules[module->path.n];
    bool has_file = line->file.n != 0;
    if (line->function.n && (!name->is_known || (!has_file && !name->knows_bare))) {
        *name = matches_of_name(rules, hp_profile_original(profile, line->function),
                                has_file);
    }
    if (line->file.n && !file->is_known) {
        *file = matches_of_file(rules, hp_profile_original(profile, line->file));
    }
    if (module->path.n && !path->is_known) {
        *path = matches_of_module(rules, hp_profile_original(profile, module->path));
    }
    const struct hp_frame_matches matches[3] = {
        line->function.n ? *name : matches_of_place(rules, frame), *file, *path};
    bool is_nowhere = !line->function.n && module->kind == HP_MODULE_NONE;
    return is_nowhere && !first_given(matches, 3) ? HP_CLASS_NONE
                                                  : combine(rules, matches, has_file);
}

// Return the class of a call.  Without rules of the user, all frames of a module that
// have no symbols have one class, which is cached.
enum hp_frame_class hp_frame_rules_class(struct hp_frame_rules *rules,
                                         const struct hp_frame *frame,
                                         const struct hp_line *line) {
    if (line || rules->given_count > 0) {
        return class_of(rules, frame, line);
    }
    if (!rules->has_place || rules->module.n != frame->module.n) {
        rules->of_places = class_of(rules, frame, NULL);
        rules->module = frame->module;
        rules->has_place = true;
    }
    return rules->of_places;
}

bool hp_is_allocator_module(const char *path) {
    bool found = false;
    for (size_t i = 0; i < COUNT && !found; i++) {
        struct hp_pattern pattern = {0};
        struct hp_err err;
        if (table[i].makes == HP_CLASS_ALLOCATOR && table[i].field == MODULE &&
            hp_pattern_init(&pattern, table[i].pattern, NULL, &err) == HP_OK) {
            found = hp_pattern_matches(&pattern, path);
        }
        hp_pattern_done(&pattern);
    }
    return found;
}
