// A safe use of libiberty.  Some names of a few hundred bytes expand to gigabytes, so
// output goes through a callback, which leaves by longjmp when it is too long.  The
// recursion limit of libiberty refuses sound C++ names of more than 1024 bytes, so it is
// off.  The stack is large enough for the longest name accepted here: the most that was
// measured is 256 bytes of stack for each byte of a name.
#include "sym/demangle.h"

#ifdef HP_WITH_IBERTY
#    include <libiberty/demangle.h>
#endif
#include <pthread.h>
#include <setjmp.h>
#include <string.h>

enum {
    MOST_INPUT = 32 << 10, // longest name that is demangled, in bytes
    // Bytes of a name whose suffixes are searched, on the usual stack.
    MOST_SUFFIXED = 4 << 10,
    MOST_DOTS = 16,         // dots of a symbol that are tried as ends of a name
    MOST_OUTPUT = 60 << 10, // longest result, in bytes
    STACK_SIZE = 16 << 20,  // bytes of the thread's stack
};

// A result that is being written.
struct demangle_output {
    char text[MOST_OUTPUT]; // without a final 0
    size_t size;
    jmp_buf too_long; // environment to leave libiberty
};

// Names that the thread demangles, and room for one result.
struct demangle_job {
    struct hp_strtab *strings;
    struct hp_mangled *names;
    size_t count;
    struct demangle_output *output;
};

#ifdef HP_WITH_IBERTY
enum {
    CXX_OPTIONS = DMGL_PARAMS | DMGL_ANSI | DMGL_NO_RECURSE_LIMIT,
    RUST_OPTIONS = DMGL_PARAMS | DMGL_ANSI | DMGL_RUST,
};

// Callback of libiberty: append to the result, or leave if it is too long.
static void append(const char *text, size_t size, void *data) {
    struct demangle_output *output = data;
    if (size > sizeof output->text - output->size) {
        longjmp(output->too_long, 1);
    }
    if (size > 0) {
        memcpy(output->text + output->size, text, size);
        output->size += size;
    }
}

// Demangle a name into `output`.  False if the name is not mangled or the result is too
// long.  Rust is tried first, because its older scheme looks like C++.
static bool demangle(struct demangle_output *output, const char *name) {
    output->size = 0;
    if (setjmp(output->too_long) != 0) {
        return false;
    }
    if (rust_demangle_callback(name, RUST_OPTIONS, append, output) && output->size > 0) {
        return true;
    }
    output->size = 0;
    return strncmp(name, "_Z", 2) == 0 &&
           cplus_demangle_v3_callback(name, CXX_OPTIONS, append, output) &&
           output->size > 0;
}

// Return the length of the mangled name in a symbol, which ends at the first dot at which
// a name can end: a dot inside a name would cut off characters that its length announces.
size_t hp_mangled_size(const char *symbol) {
    char start[MOST_SUFFIXED];
    size_t size = strlen(symbol), end = strcspn(symbol, ".");
    for (int i = 0; i < MOST_DOTS && end < size && end < sizeof start; i++) {
        void *memory = NULL;
        memcpy(start, symbol, end);
        start[end] = '\0';
        bool is_whole = cplus_demangle_v3_components(start, DMGL_PARAMS, &memory) != NULL;
        free(memory);
        if (is_whole) {
            return end;
        }
        end += 1 + strcspn(symbol + end + 1, ".");
    }
    return size;
}
#else
size_t hp_mangled_size(const char *symbol) {
    return strlen(symbol);
}

// Without libiberty names stay mangled.
static bool demangle(struct demangle_output *output, const char *name) {
    (void)output, (void)name;
    return false;
}
#endif

// The thread that demangles.
static void *run(void *data) {
    struct demangle_job *job = data;
    for (size_t i = 0; i < job->count; i++) {
        struct hp_mangled *name = &job->names[i];
        struct hp_span linkage = hp_strtab_span(job->strings, name->linkage);
        name->function = name->linkage;
        if (linkage.size <= MOST_INPUT && linkage.size > 2 && linkage.at[0] == '_' &&
            demangle(job->output, linkage.at)) {
            struct hp_span text = {job->output->text, job->output->size};
            name->function = hp_strtab_add(job->strings, text);
        }
    }
    return NULL;
}

void hp_demangle(struct hp_strtab *strings, struct hp_mangled *names, size_t count) {
    struct demangle_job job = {strings, names, count, hp_alloc(sizeof *job.output)};
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_SIZE);
    if (pthread_create(&thread, &attributes, run, &job) != 0) {
        hp_out_of_memory(STACK_SIZE);
    }
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
    free(job.output);
}
