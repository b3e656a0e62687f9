// hprof-record: start a program so that it leaves heap profiles.  It sets the environment
// of libhprof-capture.so and of a profiler, and becomes the program.
#include "record/elf_program.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <libgen.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

// Statuses of env(1).
enum {
    STATUS_USAGE = 125,
    STATUS_CANNOT_RUN = 126,
    STATUS_NOT_FOUND = 127
};

enum with {
    WITH_AUTO,
    WITH_JEMALLOC,
    WITH_SAMPLER
};

// What the command line says.
struct request {
    const char *folder;
    enum with with;
    bool shared;
    bool dry;                // print the environment only
    char settings[PATH_MAX]; // of the capture, each after a comma
    int lg_sample;           // 0: the profiler's default
};

static const char usage[] =
    "usage: hprof-record [OPTION...] [--] PROGRAM [ARGUMENT...]\n\n"
    "Start a program so that it writes heap profiles, also before it is killed.\n\n"
    "  -o, --folder=DIR      write sets into DIR (default hprof-sets)\n"
    "      --with=WHICH      use auto, jemalloc or sampler (default auto)\n"
    "      --lg-sample=N     take a sample each 2^N bytes (default 19)\n"
    "      --every=SECONDS   write a set this often (default 60, 0: never)\n"
    "      --limit=BYTES     use this limit of memory (default: the system's)\n"
    "      --signal=SIGNAL   write a set on this signal: USR1, USR2 or a number\n"
    "      --keep=N          keep the newest N sets of each process (default 3)\n"
    "      --program=NAME    capture only programs of this name (can be repeated)\n"
    "      --no-thread       write sets at exit only, for programs with one thread\n"
    "      --shared          make DIR for all users, for workers that change user\n"
    "      --dry-run         print the environment and do not start the program\n"
    "      --help            print this text\n";

// Print a message and end.
__attribute__((format(printf, 2, 3), noreturn)) static void die(int status,
                                                                const char *format, ...) {
    va_list list;
    va_start(list, format);
    fputs("hprof-record: ", stderr);
    vfprintf(stderr, format, list);
    fputc('\n', stderr);
    va_end(list);
    exit(status);
}

// Write a formatted text of at most `size` bytes, or end.
__attribute__((format(printf, 3, 4))) static void print(char *to, size_t size,
                                                        const char *format, ...) {
    va_list list;
    va_start(list, format);
    int length = vsnprintf(to, size, format, list);
    va_end(list);
    if (length < 0 || (size_t)length >= size) {
        die(STATUS_USAGE, "a path or a setting is too long");
    }
}

// --- programs -----------------------------------------------------------------------

static bool is_file(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

// Find a file in a list of folders.  Returns whether it is there.
static bool find_in(const char *folders, const char *name, char path[PATH_MAX]) {
    while (folders && *folders) {
        size_t length = strcspn(folders, ":");
        int written = snprintf(path, PATH_MAX, "%.*s/%s", (int)length, folders, name);
        if (length > 0 && written < PATH_MAX && is_file(path)) {
            return true;
        }
        folders += length + (folders[length] == ':');
    }
    return false;
}

// Find the file of a program as execvp() does.
static void find_program(const char *name, char path[PATH_MAX]) {
    if (strchr(name, '/')) {
        print(path, PATH_MAX, "%s", name);
    } else if (!find_in(getenv("PATH") ? getenv("PATH") : "/usr/bin:/bin", name, path)) {
        die(STATUS_NOT_FOUND, "%s: command not found", name);
    }
    if (access(path, F_OK) != 0) {
        die(STATUS_NOT_FOUND, "%s: %s", path, strerror(errno));
    }
}

// Read the interpreter of a script into `name`, that of env(1) where env starts it.
// Returns false if the file is no script.
static bool read_interpreter(const char *path, char name[PATH_MAX]) {
    char line[512] = "", *save = NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t got = fd < 0 ? 0 : read(fd, line, sizeof line - 1);
    if (fd >= 0) {
        close(fd);
    }
    line[got < 0 ? 0 : got] = '\0';
    line[strcspn(line, "\n")] = '\0';
    if (strncmp(line, "#!", 2) != 0) {
        return false;
    }
    char *word = strtok_r(line + 2, " \t", &save);
    char *slash = word ? strrchr(word, '/') : NULL;
    if (word && strcmp(slash ? slash + 1 : word, "env") == 0) {
        do {
            word = strtok_r(NULL, " \t", &save);
        } while (word && (word[0] == '-' || strchr(word, '=')));
    }
    print(name, PATH_MAX, "%s", word ? word : "");
    return word != NULL;
}

// Follow scripts to the program that runs them.
static void resolve(const char *name, char path[PATH_MAX]) {
    char interpreter[PATH_MAX];
    find_program(name, path);
    for (int step = 0; read_interpreter(path, interpreter); step++) {
        if (step == 5) {
            die(STATUS_CANNOT_RUN, "%s: scripts run scripts more than 5 times", name);
        }
        find_program(interpreter, path);
    }
}

// --- libraries ----------------------------------------------------------------------

static const char system_folders[] =
    "/lib/x86_64-linux-gnu:/usr/lib/x86_64-linux-gnu:/lib/aarch64-linux-gnu:"
    "/usr/lib/aarch64-linux-gnu:/usr/local/lib:/lib64:/usr/lib64:/lib:/usr/lib";

// Find one of our libraries: in the build tree or where it is installed.
static void find_library(const char *name, const char *part, char path[PATH_MAX]) {
    char self[PATH_MAX], folders[4 * PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length < 0 ? 0 : length] = '\0';
    const char *here = dirname(self);
    print(folders, sizeof folders, "%s/../%s:%s:%s/hprof-agg", here, part, HPS_LIBDIR,
          HPS_LIBDIR);
    char found[PATH_MAX];
    if (!find_in(folders, name, found) || !realpath(found, path)) {
        die(STATUS_USAGE, "%s is not installed", name);
    }
}

// What is known of the program and of the libraries that it loads.
struct findings {
    bool has_jemalloc, has_profiling;
    bool has_own_malloc; // linked into the program: it comes before preloaded ones
};

static void look_into(struct findings *findings, const char *path) {
    static struct hps_elf_program library;
    if (hps_elf_program_read(&library, path) == 0) {
        findings->has_jemalloc |= library.has_jemalloc;
        findings->has_profiling |= library.has_profiling;
    }
}

// Find a library as the loader does, without its cache, and look into it.
static void look_for(struct findings *findings, const struct hps_elf_program *program,
                     const char *name) {
    char path[PATH_MAX];
    if (strstr(name, "jemalloc") == NULL) {
        return;
    }
    if (strchr(name, '/') ? is_file(name) && strlen(name) < PATH_MAX
                          : find_in(getenv("LD_LIBRARY_PATH"), name, path) ||
                                find_in(program->folders, name, path) ||
                                find_in(system_folders, name, path)) {
        look_into(findings, strchr(name, '/') ? name : path);
    }
}

// Look at the libraries that the program needs, and at those that the user preloads.
static void look_at_libraries(struct findings *findings,
                              const struct hps_elf_program *program) {
    const char *preloaded = getenv("LD_PRELOAD");
    for (size_t i = 0; i < program->library_count; i++) {
        look_for(findings, program, program->libraries[i]);
    }
    while (preloaded && *preloaded) {
        char name[PATH_MAX];
        size_t length = strcspn(preloaded, ": ");
        print(name, sizeof name, "%.*s", (int)length, preloaded);
        look_for(findings, program, name);
        preloaded += length + (preloaded[length] != '\0');
    }
}

// Refuse programs into which nothing can be loaded.
static void refuse_what_is_not_loaded(const struct hps_elf_program *program,
                                      const char *path) {
    static struct hps_elf_program self;
    struct stat status;
    if (!program->is_elf) {
        die(STATUS_CANNOT_RUN, "%s: neither a program nor a script", path);
    }
    if (program->is_other_machine) {
        die(STATUS_CANNOT_RUN, "%s: a program of another machine", path);
    }
    if (!program->is_dynamic) {
        die(STATUS_CANNOT_RUN,
            "%s: static, so nothing can be loaded into it; build hprof_capture.c into it",
            path);
    }
    if (stat(path, &status) == 0 &&
        ((status.st_mode & (S_ISUID | S_ISGID)) != 0 ||
         getxattr(path, "security.capability", NULL, 0) > 0)) {
        die(STATUS_CANNOT_RUN,
            "%s: setuid or with capabilities: the loader ignores LD_PRELOAD; start it as "
            "its user from a copy without these",
            path);
    }
    if (hps_elf_program_read(&self, "/proc/self/exe") == 0 && self.is_dynamic &&
        strcmp(self.loader, program->loader) != 0) {
        die(STATUS_CANNOT_RUN,
            "%s: its loader is %s, not %s: its libc is another; build hprof_capture.c "
            "into it",
            path, program->loader, self.loader);
    }
}

// --- environment --------------------------------------------------------------------

static void set(bool dry, const char *name, const char *value) {
    if (dry) {
        printf("%s=%s\n", name, value);
    } else if (setenv(name, value, 1) != 0) {
        die(STATUS_USAGE, "no memory");
    }
}

// Put our text before what the user has in a variable.
static void prepend(bool dry, const char *name, const char *ours, char separator) {
    const char *theirs = getenv(name);
    size_t size = strlen(ours) + (theirs ? strlen(theirs) : 0) + 2;
    char *text = malloc(size);
    if (!text) {
        die(STATUS_USAGE, "no memory");
    }
    snprintf(text, size, "%s%.*s%s", ours, theirs && *theirs ? 1 : 0, &separator,
             theirs ? theirs : "");
    set(dry, name, text);
    free(text);
}

// Refuse a program whose jemalloc cannot be found: a preloaded sampler would see nothing of
// its memory.
static void refuse_hidden(const struct request *request,
                          const struct hps_elf_program *program, const char *path) {
    if (program->hides_jemalloc && request->with != WITH_SAMPLER) {
        die(STATUS_CANNOT_RUN,
            "%s: its jemalloc is linked in and has no symbols; keep the symbol table, or "
            "build hprof_capture.c into it: hprof-capture(3)",
            path);
    }
}

// Choose the profiler that was asked for, or the one that works.
static enum with choose(const struct request *request, const struct findings *findings,
                        const char *path) {
    if (findings->has_profiling && request->with != WITH_SAMPLER) {
        return WITH_JEMALLOC;
    }
    if (findings->has_own_malloc) {
        die(STATUS_CANNOT_RUN,
            "%s: its malloc is linked in, and makes no profiles; build its jemalloc with "
            "--enable-prof (Rust: the feature profiling)",
            path);
    }
    return request->with == WITH_AUTO ? WITH_SAMPLER : request->with;
}

// Set the variables of the profiler; write the libraries to load to `preload`.
static void set_profiler(const struct request *request, enum with with,
                         const struct findings *findings, char preload[2 * PATH_MAX]) {
    char library[PATH_MAX], conf[PATH_MAX];
    size_t length = strlen(preload);
    if (with == WITH_SAMPLER) {
        find_library("libhprof-sampler.so", "preload", library);
        print(preload + length, 2 * PATH_MAX - length, ":%s", library);
        print(conf, sizeof conf, "final:false,name:%s/hprof.%%p", request->folder);
        if (request->lg_sample) {
            print(conf + strlen(conf), sizeof conf - strlen(conf), ",lg_sample:%d",
                  request->lg_sample);
        }
        prepend(request->dry, "HPROF_SAMPLER", conf, ',');
        return;
    }
    if (!findings->has_jemalloc) {
        if (!find_in(system_folders, "libjemalloc.so.2", library)) {
            die(STATUS_USAGE, "libjemalloc.so.2 is not installed (Debian: libjemalloc2)");
        }
        print(preload + length, 2 * PATH_MAX - length, ":%s", library);
    }
    print(conf, sizeof conf, "prof:true");
    if (request->lg_sample) {
        print(conf + 9, sizeof conf - 9, ",lg_prof_sample:%d", request->lg_sample);
    }
    prepend(request->dry, "MALLOC_CONF", conf, ',');
    prepend(request->dry, "JE_MALLOC_CONF", conf, ',');
    prepend(request->dry, "_RJEM_MALLOC_CONF", conf, ',');
}

static void set_environment(const struct request *request, const char *path) {
    static struct hps_elf_program program;
    struct findings findings = {0};
    char preload[2 * PATH_MAX], capture[PATH_MAX], settings[2 * PATH_MAX];
    int error = hps_elf_program_read(&program, path);
    if (error) {
        die(STATUS_CANNOT_RUN, "%s: %s", path, strerror(error));
    }
    refuse_what_is_not_loaded(&program, path);
    refuse_hidden(request, &program, path);
    findings.has_jemalloc = program.has_jemalloc;
    findings.has_profiling = program.has_profiling;
    findings.has_own_malloc = program.has_malloc;
    look_at_libraries(&findings, &program);
    enum with with = choose(request, &findings, path);
    find_library("libhprof-capture.so", "capture", capture);
    print(preload, sizeof preload, "%s", capture);
    set_profiler(request, with, &findings, preload);
    prepend(request->dry, "LD_PRELOAD", preload, ':');
    print(settings, sizeof settings, "folder:%s%s", request->folder, request->settings);
    set(request->dry, "HPROF_CAPTURE", settings);
    if (!getenv("PYTHONMALLOC")) { // Python divides large pieces by itself otherwise
        set(request->dry, "PYTHONMALLOC", "malloc");
    }
}

// --- command line -------------------------------------------------------------------

static void add_setting(struct request *request, const char *key, const char *value) {
    size_t length = strlen(request->settings);
    if (strchr(value, ',')) {
        die(STATUS_USAGE, "--%s: a comma in '%s'", key, value);
    }
    print(request->settings + length, sizeof request->settings - length, ",%s:%s", key,
          value);
}

static void add_program(char programs[PATH_MAX], const char *name) {
    size_t length = strlen(programs);
    print(programs + length, PATH_MAX - length, "%s%s", length ? "|" : "", name);
}

static enum with with_of(const char *text) {
    static const char *const names[] = {"auto", "jemalloc", "sampler"};
    for (int i = 0; i < 3; i++) {
        if (strcmp(names[i], text) == 0) {
            return (enum with)i;
        }
    }
    die(STATUS_USAGE, "--with: '%s' is not auto, jemalloc or sampler", text);
}

static int lg_of(const char *text) {
    char *end;
    long number = strtol(text, &end, 10);
    if (*end || end == text || number < 0 || number > 40) {
        die(STATUS_USAGE, "--lg-sample: '%s' is not a number from 0 to 40", text);
    }
    return (int)number;
}

// What an option does; those of the capture keep their names.
static const struct option options[] = {
    {"dry-run", no_argument, NULL, 'd'},
    {"every", required_argument, NULL, 'c'},
    {"folder", required_argument, NULL, 'o'},
    {"help", no_argument, NULL, 'h'},
    {"keep", required_argument, NULL, 'c'},
    {"lg-sample", required_argument, NULL, 'g'},
    {"limit", required_argument, NULL, 'c'},
    {"no-thread", no_argument, NULL, 't'},
    {"program", required_argument, NULL, 'p'},
    {"shared", no_argument, NULL, 's'},
    {"signal", required_argument, NULL, 'c'},
    {"with", required_argument, NULL, 'w'},
    {0},
};

// Apply an option.  Returns false if it is unknown.
static bool apply(struct request *request, int option, int index,
                  char programs[PATH_MAX]) {
    if (option == 'd') {
        request->dry = true;
    } else if (option == 'o') {
        request->folder = optarg;
    } else if (option == 'g') {
        request->lg_sample = lg_of(optarg);
    } else if (option == 'w') {
        request->with = with_of(optarg);
    } else if (option == 'p') {
        add_program(programs, optarg);
    } else if (option == 's') {
        request->shared = true;
        add_setting(request, "shared", "true");
    } else if (option == 't') {
        add_setting(request, "thread", "false");
    } else if (option == 'c') {
        add_setting(request, options[index].name, optarg);
    } else {
        return false;
    }
    return true;
}

// Read the options; return the index of the program.
static int read_options(struct request *request, int argc, char **argv) {
    static char programs[PATH_MAX];
    int index = 0;
    for (int option; (option = getopt_long(argc, argv, "+o:", options, &index)) >= 0;) {
        if (option == 'h') {
            fputs(usage, stdout);
            exit(0);
        }
        if (!apply(request, option, index, programs)) {
            fputs(usage, stderr);
            exit(STATUS_USAGE);
        }
    }
    if (programs[0]) {
        add_setting(request, "programs", programs);
    }
    if (optind == argc) {
        fputs(usage, stderr);
        exit(STATUS_USAGE);
    }
    return optind;
}

// Make the folder, and its path absolute.
static void make_folder(struct request *request, char path[PATH_MAX]) {
    struct stat status;
    if (strchr(request->folder, ',')) {
        die(STATUS_USAGE, "a comma in '%s'", request->folder);
    }
    if (!request->dry && mkdir(request->folder, 0700) == 0 && request->shared &&
        chmod(request->folder, 01777) != 0) {
        die(STATUS_USAGE, "%s: %s", request->folder, strerror(errno));
    }
    if (request->dry) {
        return;
    }
    if (stat(request->folder, &status) != 0 || !realpath(request->folder, path) ||
        !S_ISDIR(status.st_mode)) {
        die(STATUS_USAGE, "%s: %s", request->folder,
            errno ? strerror(errno) : "no folder");
    }
    request->folder = path;
}

int main(int argc, char **argv) {
    static struct request request = {.folder = "hprof-sets"};
    static char folder[PATH_MAX], path[PATH_MAX];
    int first = read_options(&request, argc, argv);
    resolve(argv[first], path);
    make_folder(&request, folder);
    set_environment(&request, path);
    if (request.dry) {
        return 0;
    }
    fprintf(stderr, "hprof-record: read the dumps with: hprof-agg '%s'\n",
            request.folder);
    execvp(argv[first], argv + first);
    int error = errno;
    fprintf(stderr, "hprof-record: %s: %s\n", argv[first], strerror(error));
    return error == ENOENT ? STATUS_NOT_FOUND : STATUS_CANNOT_RUN;
}
