// Tests of the built-in rules that classify frames.
#include "view/frame_rules.h"

#include "base/pattern.h"
#include "view/shortname.h"

#include <criterion/criterion.h>
#include <string.h>

static struct hp_frame_rules rules;
static struct hp_err err;

static void setup(void) {
    cr_assert_eq(hp_frame_rules_init(&rules, NULL, NULL, 0, &err), HP_OK);
}

static void done(void) {
    hp_frame_rules_done(&rules);
}

TestSuite(frame_rules, .init = setup, .fini = done);

// Name of the class of a frame.
static const char *judge(const char *name, const char *file, const char *module) {
    return hp_frame_class_name(hp_frame_rules_judge(&rules, name, file, module));
}

#define EXPECT(class, name, file, module)                                            \
    cr_expect_str_eq(judge(name, file, module), class, "%s in %s in %s", name, file, \
                     module)

// The text that the pattern of a rule is matched against; `bare` has room for a bare
// name.
static const char *subject_of(const struct hp_known_rule *rule, char *bare) {
    if (strcmp(rule->field, "file") == 0 || strcmp(rule->field, "module") == 0) {
        return rule->field[0] == 'f' ? rule->file : rule->module;
    }
    hp_bare_name(hp_span_of(rule->name), bare);
    return strcmp(rule->field, "full name") == 0 ? rule->name : bare;
}

Test(frame_rules, have_examples_that_they_decide) {
    for (size_t i = 0; i < hp_known_rule_count(); i++) {
        struct hp_known_rule rule = hp_known_rule(i);
        struct hp_pattern pattern;
        char bare[256];
        EXPECT(rule.makes, rule.name, rule.file, rule.module);
        cr_assert_eq(hp_pattern_init(&pattern, rule.pattern, NULL, &err), HP_OK);
        cr_expect(hp_pattern_matches(&pattern, subject_of(&rule, bare)), "%s",
                  rule.pattern);
        hp_pattern_done(&pattern);
    }
}

static const char *const allocators[] = {
    "malloc",
    "calloc",
    "je_malloc",
    "_rjem_malloc",
    "_rjem_je_prof_backtrace",
    "je_malloc_default",
    "prof_backtrace_impl",
    "foo_prof_tctx_create",
    "imalloc_body",
    "void* fallbackNewImpl<false>(unsigned long)",
    "void* newImpl<true>(unsigned long)",
    "operator new(unsigned long)",
    "operator new[](unsigned long, std::align_val_t)",
    "operator new",
    "std::allocator<char>::allocate(unsigned long)",
    "std::__new_allocator<std::pair<int const, Foo> >::allocate(unsigned long, void const*)",
    "std::allocator_traits<std::allocator<int> >::allocate(std::allocator<int>&, unsigned long)",
    "__gnu_cxx::new_allocator<int>::allocate(unsigned long, void const*)",
    "tc_malloc",
    "tc_newarray_nothrow",
    "tcmalloc::allocate_full_malloc_oom(unsigned long)",
    "(anonymous namespace)::do_malloc(unsigned long)",
    "TCMallocInternalNew",
    "TCMallocInternalNewArrayNothrow",
    "fast_alloc<tcmalloc::tcmalloc_internal::TCMallocPolicy<tcmalloc::CppOomPolicy> >",
    "void* slow_alloc<tcmalloc::tcmalloc_internal::TCMallocPolicy<int>, "
    "decltype(nullptr)>(tcmalloc::tcmalloc_internal::TCMallocPolicy<int>, unsigned long, "
    "decltype(nullptr))",
    "__rust_alloc",
    "__rustc::__rust_alloc",
    "__rdl_realloc",
    "alloc::alloc::alloc",
    "alloc::alloc::Global::alloc_impl",
    "<alloc::alloc::Global>::alloc_impl",
    "<alloc::alloc::Global as core::alloc::Allocator>::allocate",
    "<tikv_jemallocator::Jemalloc as core::alloc::global::GlobalAlloc>::alloc",
};

Test(frame_rules, know_allocators_by_name) {
    for (size_t i = 0; i < sizeof allocators / sizeof *allocators; i++) {
        EXPECT("allocator", allocators[i], "", "/srv/app");
    }
}

static const char *const own[] = {
    "main",
    "MyTCMallocWrapper::get(unsigned long)",
    "Factory::newImpl(int)",
    "Pool::malloc(unsigned long)",
    "my_do_malloc",
    "fast_alloc(int)",
    "void* slow_alloc<net::Policy>(net::Policy)",
    "operator newline(int)",
    "free_list_grow",
    "new",
    "new_session",
    "create_buffer",
    "ASN1_item_new",
    "AllocSetContextCreateInternal",
    "Session::clone() const",
    "_GLOBAL__sub_I_main",
    "void apply<main::{lambda(int)#1}>(main::{lambda(int)#1}, int)",
    "std::ostream& operator<< <My>(std::ostream&, My const&)",
    "xmalloc_stats",
    "main.leak",
    "main.(*Server).serve",
    "",
    "<",
    ">",
    "(",
};

Test(frame_rules, leave_the_program_its_own) {
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        EXPECT("own", own[i], "", "/srv/app");
    }
}

Test(frame_rules, know_modules_by_file_name) {
    EXPECT("allocator", "", "", "/usr/lib/libjemalloc.so.2");
    EXPECT("allocator", "", "", "libtcmalloc_minimal.so.4");
    EXPECT("allocator", "", "", "/usr/lib/clang/14/lib/linux/libclang_rt.asan-x86_64.so");
    EXPECT("own", "", "", "/opt/libjemalloc/bin/app");
    EXPECT("standard", "", "", "/lib/x86_64-linux-gnu/libc-2.31.so");
    EXPECT("standard", "", "", "/lib/ld-musl-x86_64.so.1");
    EXPECT("library", "", "", "/usr/lib/x86_64-linux-gnu/libcurl.so.4");
    EXPECT("library", "", "", "/usr/lib/x86_64-linux-gnu/libmd.so.0");
    EXPECT("library", "", "", "/nix/store/0a1b-expat/lib/libexpat.so.1");
    EXPECT("own", "", "", "/usr/local/lib/libmine.so.1");
}

Test(frame_rules, take_programs_beside_libraries_for_programs) {
    EXPECT("own", "exec_simple_query", "", "/usr/lib/postgresql/15/bin/postgres");
    EXPECT("own", "", "", "/usr/lib/llvm-14/bin/clang");
    EXPECT("library", "PyObject_Call", "",
           "/usr/lib/x86_64-linux-gnu/libpython3.11.so.1.0");
    EXPECT("own", "PyObject_Call", "", "/usr/bin/python3.11");
}

Test(frame_rules, distinguish_functions_of_one_name_by_file) {
    EXPECT("own", "std::hash<My>::operator()(My const&) const", "/srv/app/my.h",
           "/srv/app");
    EXPECT("standard", "std::hash<My>::operator()(My const&) const", "", "/srv/app");
    EXPECT("library", "f", "/usr/include/lib/f.h", "/srv/app");
    EXPECT("library", "f", "./lib/f.c", "/usr/lib/x86_64-linux-gnu/libf.so");
    EXPECT("library", "std::hash<My>::operator()", "./lib/f.h", "/usr/lib/libf.so");
    EXPECT("own", "read_all", "./io/read.c", "/srv/app");
    EXPECT("own", "main", "/usr/src/app/main.c", "/usr/src/app/main");
}

Test(frame_rules, know_go_and_rust) {
    EXPECT("standard", "net/http.(*conn).serve", "", "/srv/app");
    EXPECT("standard", "net/http.(*conn).serve", "net/http/server.go", "/srv/app");
    EXPECT("library", "gin.Default", "github.com/gin-gonic/gin@v1.9.1/gin.go",
           "/srv/app");
    EXPECT("own", "main.main", "example.com/app/main.go", "/srv/app");
    EXPECT("start-up", "runtime.main", "/usr/local/go/src/runtime/proc.go", "/srv/app");
    EXPECT("standard", "<alloc::vec::Vec<T> as core::clone::Clone>::clone", "",
           "/srv/app");
    EXPECT("own", "<app::Cache as core::clone::Clone>::clone", "", "/srv/app");
    EXPECT("start-up", "std::rt::lang_start::{{closure}}", "", "/srv/app");
    EXPECT("start-up", "__rust_begin_short_backtrace<fn(), ()>", "", "/srv/app");
    EXPECT("standard", "alloc::raw_vec::finish_grow",
           "/usr/src/rustc-1.63.0/library/alloc/src/raw_vec.rs", "/srv/app");
}

Test(frame_rules, have_no_class_for_what_is_nowhere) {
    EXPECT("none", "", "", "");
    EXPECT("none", "[truncated]", "", "");
    EXPECT("own", "main", "", "");
}

Test(frame_rules, of_the_user_come_first) {
    static const struct hp_frame_rule given[] = {
        {HP_CLASS_OWN, HP_FIELD_NAME, "^std::vector::push_back$"},
        {HP_CLASS_WRAPPER, HP_FIELD_ANY, "vector<int>"},
        {HP_CLASS_LIBRARY, HP_FIELD_FILE, "^/srv/app/deps/"},
        {HP_CLASS_ALLOCATOR, HP_FIELD_MODULE, "^/opt/"},
    };
    done();
    cr_assert_eq(hp_frame_rules_init(&rules, NULL, given, 4, &err), HP_OK);
    EXPECT("own", "void std::vector<int>::push_back(int&&)", "", "/srv/app");
    EXPECT("wrapper", "std::vector<int>::reserve(unsigned long)", "", "/srv/app");
    EXPECT("standard", "std::vector<long>::reserve(unsigned long)", "", "/srv/app");
    EXPECT("library", "f", "/srv/app/deps/f.c", "/srv/app");
    EXPECT("allocator", "", "", "/opt/liballoc.so");
    EXPECT("own", "std::vector<int>::push_back(int&&)", "/srv/app/deps/f.c", "/opt/a");
}

Test(frame_rules, refuse_a_pattern_that_is_none) {
    static const struct hp_frame_rule given = {HP_CLASS_OWN, HP_FIELD_NAME, "("};
    done();
    cr_expect_eq(hp_frame_rules_init(&rules, NULL, &given, 1, &err), HP_E_USAGE);
}
