#include "view/allocator.h"

#include <criterion/criterion.h>

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
    "__rdl_realloc",
    "alloc::alloc::alloc",
    "alloc::alloc::Global::alloc_impl",
    "<alloc::alloc::Global as core::alloc::Allocator>::allocate",
    "<tikv_jemallocator::Jemalloc as core::alloc::global::GlobalAlloc>::alloc",
};

static const char *const others[] = {
    "main",
    "my_malloc",
    "xmalloc",
    "MyTCMallocWrapper::get(unsigned long)",
    "Factory::newImpl(int)",
    "Pool::malloc(unsigned long)",
    "my_do_malloc",
    "fast_alloc(int)",
    "void* slow_alloc<net::Policy>(net::Policy)",
    "operator newline(int)",
    "free_list_grow",
    "new",
    "std::vector<int>::_M_allocate(unsigned long)",
    "std::allocator<char>::construct(char*)",
    "alloc::vec::Vec<T>::push",
    "void apply<main::{lambda(int)#1}>(main::{lambda(int)#1}, int)",
    "",
    "<",
    ">",
    "(",
};

Test(allocator, functions_are_known_by_name) {
    for (size_t i = 0; i < sizeof allocators / sizeof *allocators; i++) {
        cr_expect(hp_is_allocator_function(hp_span_of(allocators[i])), "%s",
                  allocators[i]);
    }
}

Test(allocator, functions_are_no_others) {
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        cr_expect_not(hp_is_allocator_function(hp_span_of(others[i])), "%s", others[i]);
    }
}

Test(allocator, modules_are_known_by_file_name) {
    cr_expect(hp_is_allocator_module(hp_span_of("/usr/lib/libjemalloc.so.2")));
    cr_expect(hp_is_allocator_module(hp_span_of("libtcmalloc_minimal.so.4")));
    cr_expect_not(hp_is_allocator_module(hp_span_of("/opt/libjemalloc/bin/app")));
    cr_expect_not(hp_is_allocator_module(hp_span_of("")));
}
