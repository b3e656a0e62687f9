// Tests of child processes that read binaries, and of the symbolizer that uses them.
#include "sym/child.h"
#include "sym/sandbox.h"
#include "sym/symbolizer.h"

#include <criterion/criterion.h>
#include <elf.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static void crash(int sock) {
    (void)sock;
    __builtin_trap(); // raise() is not allowed in the sandbox
}

static void sleep_on(int sock) {
    (void)sock;
    for (volatile int i = 0;; i++) {
    }
}

static void echo(int sock) {
    char byte;
    while (recv(sock, &byte, 1, 0) == 1) {
        send(sock, &byte, 1, MSG_NOSIGNAL);
    }
}

// Start a child that runs `serve`.
static int start(struct hp_child *child, void (*serve)(int sock)) {
    struct hp_err err;
    return hp_child_start(child, serve, HP_SANDBOX_AUTO, &err);
}

Test(sym_child, reports_how_it_ended, .timeout = 10) {
    struct hp_child child;
    char byte = 'x';
    cr_assert_eq(start(&child, crash), HP_OK);
    cr_expect_eq(read(child.sock, &byte, 1), 0);
    struct hp_child_end end = hp_child_stop(&child, true);
    cr_expect(WIFSIGNALED(end.status) && WTERMSIG(end.status) == SIGILL);
    cr_expect_not(end.is_our_kill);
    cr_assert_eq(start(&child, sleep_on), HP_OK);
    end = hp_child_stop(&child, true);
    cr_expect(WIFSIGNALED(end.status) && WTERMSIG(end.status) == SIGKILL);
    cr_expect(end.is_our_kill);
    cr_assert_eq(start(&child, echo), HP_OK);
    cr_expect_eq(send(child.sock, "y", 1, 0), 1);
    cr_expect_eq(read(child.sock, &byte, 1), 1);
    cr_expect_eq(byte, 'y');
    end = hp_child_stop(&child, true);
    cr_expect(WIFEXITED(end.status) && WEXITSTATUS(end.status) == 0);
    cr_expect_eq(hp_child_stop(&child, true).status, -1);
}

// Add a module with one frame.
static void add_module(struct hp_profile *profile, const char *path) {
    struct hp_module module = {.kind = HP_MODULE_FILE,
                               .addresses = HP_ADDRESS_OFFSET,
                               .extents = 1};
    struct hp_extent extent = {0x1000, 0x1000, 0x1000, false};
    module.path = hp_strtab_add(&profile->strings, hp_span_of(path));
    module.first_extent = (uint32_t)profile->extents.count;
    struct hp_frame frame = {.module = {(uint32_t)profile->modules.count},
                             .address = 0x1100};
    hp_vec_push(&profile->extents, extent);
    hp_vec_push(&profile->modules, module);
    hp_vec_push(&profile->frames, frame);
}

// A hp_progress_fn that adds up its arguments.
static void count_progress(void *data, const struct hp_progress *progress) {
    *(size_t *)data += progress->done + 100 * progress->total;
}

Test(sym_symbolizer, keeps_a_reason_for_every_module, .timeout = 30) {
    char text[] = "/tmp/hprof-agg-text-XXXXXX";
    int fd = mkstemp(text);
    cr_assert_gt(write(fd, "no program", 10), 0);
    struct hp_profile profile = {0};
    hp_vec_push(&profile.modules, ((struct hp_module){.kind = HP_MODULE_NONE}));
    add_module(&profile, "/nonexistent/program");
    add_module(&profile, text);
    add_module(&profile, "/proc/self/exe");
    add_module(&profile, "relative/path");
    profile.modules.at[4].deleted = true;
    size_t calls = 0;
    struct hp_symbol_options options = {.progress = count_progress,
                                        .progress_data = &calls};
    hp_symbolize(&profile, &options);

    static const enum hp_sym_status wanted[] = {HP_SYM_NOT_TRIED, HP_SYM_NO_FILE,
                                                HP_SYM_DAMAGED, HP_SYM_NO_FILE,
                                                HP_SYM_NO_FILE};

    for (size_t i = 0; i < profile.modules.count; i++) {
        cr_expect_eq(profile.modules.at[i].status, wanted[i], "%zu: %d %s", i,
                     profile.modules.at[i].status,
                     hp_profile_text(&profile, profile.modules.at[i].note));
        cr_expect_eq(i == 0, profile.modules.at[i].note.n == 0);
    }
    cr_expect_eq(calls, 5 * 400 + 0 + 1 + 2 + 3 + 4);
    cr_expect_eq(profile.lines.count, 0);
    unlink(text);
    close(fd);
    hp_profile_done(&profile);
}

// A hp_progress_fn that kills the child before the second module.
static void kill_child(void *data, const struct hp_progress *progress) {
    char path[64];
    long pid = 0;
    (void)data;
    if (progress->done != 1) {
        return;
    }
    snprintf(path, sizeof path, "/proc/self/task/%d/children", getpid());
    FILE *file = fopen(path, "r");
    if (file && fscanf(file, "%ld", &pid) == 1 && pid > 1) {
        siginfo_t info;
        kill((pid_t)pid, SIGKILL);
        waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT);
    }
    if (file) {
        fclose(file);
    }
}

Test(sym_symbolizer, replaces_a_child_that_has_died_in_between, .timeout = 30) {
    struct hp_profile profile = {0};
    struct hp_symbol_options options = {.progress = kill_child};
    hp_vec_push(&profile.modules, ((struct hp_module){.kind = HP_MODULE_NONE}));
    char path[] = "not-elf-XXXXXX", *whole;
    int fd = mkstemp(path);
    cr_assert_eq(write(fd, "\177ELF", 4), 4);
    whole = realpath(path, NULL);
    for (int i = 0; i < 3; i++) {
        add_module(&profile, whole);
    }
    hp_symbolize(&profile, &options);
    for (int i = 1; i <= 3; i++) {
        const struct hp_module *module = &profile.modules.at[i];
        const char *note = hp_profile_text(&profile, module->note);
        cr_expect_eq(module->status, HP_SYM_DAMAGED);
        cr_expect_null(strstr(note, "ended"), "%s", note);
    }
    unlink(path);
    close(fd);
    free(whole);
    hp_profile_done(&profile);
}

// Write a program with a compressed section that claims a large size (R06).
static void write_bomb(int fd, uint64_t claimed) {
    Elf64_Ehdr head = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB,
                                   EV_CURRENT},
                       .e_type = ET_DYN,
                       .e_machine = EM_X86_64,
                       .e_version = EV_CURRENT,
                       .e_phoff = sizeof head,
                       .e_ehsize = sizeof head,
                       .e_phentsize = sizeof(Elf64_Phdr),
                       .e_phnum = 1,
                       .e_shentsize = sizeof(Elf64_Shdr),
                       .e_shnum = 3,
                       .e_shstrndx = 2};
    Elf64_Phdr load = {.p_type = PT_LOAD,
                       .p_flags = PF_R | PF_X,
                       .p_offset = 0x1000,
                       .p_vaddr = 0x1000,
                       .p_filesz = 0x1000,
                       .p_memsz = 0x1000};
    static const char names[] = "\0.debug_info\0.shstrtab";
    Elf64_Chdr claim = {.ch_type = ELFCOMPRESS_ZLIB,
                        .ch_size = claimed,
                        .ch_addralign = 1};
    static const size_t packed = 3 << 20;
    Elf64_Shdr sections[3] = {{0},
                              {.sh_name = 1,
                               .sh_type = SHT_PROGBITS,
                               .sh_flags = SHF_COMPRESSED,
                               .sh_offset = 0x2000,
                               .sh_size = sizeof claim + packed},
                              {.sh_name = 13,
                               .sh_type = SHT_STRTAB,
                               .sh_offset = 0x800,
                               .sh_size = sizeof names}};
    head.e_shoff = 0x3000 + packed;
    cr_assert_gt(pwrite(fd, &head, sizeof head, 0), 0);
    cr_assert_gt(pwrite(fd, &load, sizeof load, sizeof head), 0);
    cr_assert_gt(pwrite(fd, names, sizeof names, 0x800), 0);
    cr_assert_gt(pwrite(fd, &claim, sizeof claim, 0x2000), 0);
    cr_assert_gt(pwrite(fd, sections, sizeof sections, (off_t)head.e_shoff), 0);
}

// Expect that a program with a section that claims `claimed` bytes is refused with this
// status and reason.
static void refuse_bomb(uint64_t claimed, enum hp_sym_status status, const char *why) {
    hp_show_message_codes();
    char path[] = "/tmp/hprof-agg-bomb-XXXXXX";
    int fd = mkstemp(path);
    struct hp_profile profile = {0};
    write_bomb(fd, claimed);
    hp_vec_push(&profile.modules, ((struct hp_module){.kind = HP_MODULE_NONE}));
    add_module(&profile, path);
    hp_symbolize(&profile, NULL);
    const struct hp_module *module = &profile.modules.at[1];
    const char *note = hp_profile_text(&profile, module->note);
    cr_expect_eq(module->status, status, "%d %s", module->status, note);
    cr_expect_not_null(strstr(note, why), "%s", note);
    unlink(path);
    close(fd);
    hp_profile_done(&profile);
}

Test(sym_symbolizer, R06_refuses_a_section_that_claims_too_much, .timeout = 10) {
    struct rlimit limit;
    refuse_bomb(UINT64_C(1) << 40, HP_SYM_DAMAGED, "section-damaged");
    getrlimit(RLIMIT_DATA, &limit);
    limit.rlim_cur = (rlim_t)1 << 30;
    if (!hp_sandbox_is_instrumented() && setrlimit(RLIMIT_DATA, &limit) == 0) {
        refuse_bomb(UINT64_C(3) << 30, HP_SYM_OVER_BUDGET, "debug-over-memory");
    }
}
