// Tests of return addresses, by which a binary of another build is recognised.
#include "sym/return_addresses.h"

#include <criterion/criterion.h>

static const struct {
    uint32_t failed, checked;
    bool has_sign;
    enum hp_build_verdict verdict;
} verdicts[] = {
    {0, 0, false, HP_BUILD_UNCHECKED}, {0, 0, true, HP_BUILD_UNCHECKED},
    {0, 1, false, HP_BUILD_FITS},      {0, 500, true, HP_BUILD_FITS},
    {1, 5, false, HP_BUILD_ODD_ONE},   {1, 500, false, HP_BUILD_ODD_ONE},
    {1, 4, false, HP_BUILD_DOUBTED},   {1, 1, false, HP_BUILD_DOUBTED},
    {1, 500, true, HP_BUILD_DOUBTED},  {2, 2, false, HP_BUILD_DIFFERS},
    {2, 500, false, HP_BUILD_DIFFERS}, {3, 15, false, HP_BUILD_DIFFERS},
    {4, 500, true, HP_BUILD_DIFFERS},  {100, 500, false, HP_BUILD_DIFFERS},
    {3, 14, false, HP_BUILD_OTHER},    {3, 3, false, HP_BUILD_OTHER},
    {101, 500, false, HP_BUILD_OTHER}, {12, 16, true, HP_BUILD_OTHER},
};

Test(returns, R23_F1_are_judged_by_counts) {
    for (size_t i = 0; i < sizeof verdicts / sizeof *verdicts; i++) {
        struct hp_return_check returns = {.checked = verdicts[i].checked,
                                          .failed = verdicts[i].failed};
        cr_expect_eq(hp_returns_judge(&returns, verdicts[i].has_sign),
                     verdicts[i].verdict, "%u of %u", verdicts[i].failed,
                     verdicts[i].checked);
    }
}

// Places in the modules of a small process, and the kind of each return address according
// to its file.
enum place {
    APP,   // return address in the program, after a call
    ODD,   // in the program, not after a call
    ODD_2, // another one
    LIBC,  // return address in libc
    TRAMPOLINE,
    UNREAD, // in a libc without a file
    WRONG,  // in a libc of another build
    WRONG_2,
    VDSO,
    PLACES,
};

static const struct {
    const char *path;
    enum hp_module_kind kind;
    enum hp_return is;
} places[PLACES] = {
    [APP] = {"/srv/app", HP_MODULE_FILE, HP_RETURN_OF_CALL},
    [ODD] = {"/srv/app", HP_MODULE_FILE, HP_RETURN_OF_NONE},
    [ODD_2] = {"/srv/app", HP_MODULE_FILE, HP_RETURN_OF_NONE},
    [LIBC] = {"/lib/libc.so.6", HP_MODULE_FILE, HP_RETURN_OF_CALL},
    [TRAMPOLINE] = {"/lib/libc.so.6", HP_MODULE_FILE, HP_RETURN_OF_SIGNAL},
    [UNREAD] = {"/gone/libc.so.6", HP_MODULE_FILE, HP_RETURN_UNKNOWN},
    [WRONG] = {"/other/libc.so.6", HP_MODULE_FILE, HP_RETURN_OF_NONE},
    [WRONG_2] = {"/other/libc.so.6", HP_MODULE_FILE, HP_RETURN_OF_NONE},
    [VDSO] = {"[vdso]", HP_MODULE_PSEUDO, HP_RETURN_UNKNOWN},
};

// Add a stack of these places.
static void add_stack(struct hp_profile *profile, const enum place *stack, size_t depth) {
    static const struct hp_error *const no_errors[HP_COLUMNS];
    static const struct hp_values none;
    hp_frame_id frames[8];
    for (size_t i = 0; i < depth; i++) {
        struct hp_module module = {.kind = places[stack[i]].kind};
        module.path = hp_strtab_add(&profile->strings, hp_span_of(places[stack[i]].path));
        frames[i] = hp_profile_frame(profile, hp_profile_module(profile, &module, NULL),
                                     (uint64_t)stack[i] + 1);
    }
    hp_profile_add(profile, &(struct hp_sample){frames, (uint32_t)depth, {0}}, &none,
                   no_errors);
}

// Count the checks of return addresses in all frames.  Returns the counts of the module
// /srv/app.
static struct hp_return_check count(struct hp_profile *profile) {
    unsigned char kinds[PLACES];
    struct hp_return_check found = {.checked = 0};
    for (size_t i = 0; i < profile->frames.count; i++) {
        kinds[i] = (unsigned char)places[profile->frames.at[i].address - 1].is;
    }
    hp_returns_count(profile, kinds);
    for (size_t i = 0; i < profile->modules.count; i++) {
        if (hp_span_is(hp_strtab_span(&profile->strings, profile->modules.at[i].path),
                       "/srv/app")) {
            found = profile->modules.at[i].returns;
        }
    }
    return found;
}

#define STACK(...) \
    { {__VA_ARGS__}, sizeof(enum place[]){__VA_ARGS__} / sizeof(enum place) }

static const struct {
    const char *what;

    struct {
        enum place of[8];
        size_t depth;
    } stacks[3];

    uint32_t checked, failed;
} cases[] = {
    {"frames behind others", {STACK(LIBC, APP, ODD)}, 2, 1},
    {"a leaf that may be anything", {STACK(ODD, APP)}, 1, 0},
    {"what a handler returns to, in libc",
     {STACK(LIBC, APP, TRAMPOLINE, ODD, APP)},
     1,
     0},
    {"only the next", {STACK(LIBC, APP, TRAMPOLINE, ODD, ODD_2)}, 2, 1},
    {"in the vdso", {STACK(LIBC, APP, VDSO, ODD, APP)}, 1, 0},
    {"in a libc without a file", {STACK(LIBC, APP, UNREAD, ODD, APP)}, 1, 0},
    {"in a libc of another build",
     {STACK(LIBC, WRONG, APP, WRONG_2, ODD, APP), STACK(APP, WRONG), STACK(APP, WRONG_2)},
     1,
     0},
    {"seen behind a call as well", {STACK(VDSO, ODD), STACK(LIBC, ODD)}, 1, 1},
    {"seen so first", {STACK(LIBC, ODD), STACK(VDSO, ODD)}, 1, 1},
    {"several times", {STACK(LIBC, ODD, APP), STACK(APP, ODD), STACK(APP, APP)}, 2, 1},
};

Test(returns, do_not_count_what_a_signal_interrupted) {
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hp_profile profile;
        hp_profile_init(&profile);
        for (size_t k = 0; k < 3 && cases[i].stacks[k].depth > 0; k++) {
            add_stack(&profile, cases[i].stacks[k].of, cases[i].stacks[k].depth);
        }
        struct hp_return_check found = count(&profile);
        cr_expect_eq(found.checked, cases[i].checked, "%s: %u", cases[i].what,
                     found.checked);
        cr_expect_eq(found.failed, cases[i].failed, "%s: %u", cases[i].what,
                     found.failed);
        hp_profile_done(&profile);
    }
}

Test(returns, count_leaves_that_are_some) {
    struct hp_profile profile;

    enum place stack[] = {ODD, APP};

    hp_profile_init(&profile);
    add_stack(&profile, stack, 2);
    profile.frames.at[0].is_return_leaf = true;
    cr_expect_eq(count(&profile).failed, 1);
    hp_profile_done(&profile);
}
