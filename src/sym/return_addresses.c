// The rule of jeprof, used for profiles that are read without a prover; fits.c has the
// rule of provers, which compare each dump separately.
//
// A frame is checked against its file if some stack shows it as a return address, that is
//
//     after a frame of a file that returns to a caller,
//     or as the leaf of what jemalloc wrote.
//
// A frame that a signal interrupted is no return address but any instruction.  The frame
// before it is where the handler returns to, in libc or in no file ([vdso], an anonymous
// page).  After a frame in a libc that cannot be read, both cases look alike, so such a
// frame is not checked.  The last frame of a stack is not checked if it is in libc,
// because makecontext(3) has written it there without a call.  One stack that shows a
// frame as a return address is enough, so that neither the order of stacks nor
// interruptions in other inputs matter.
//
// Modules are small: half of them have six addresses or fewer.  So absolute numbers
// decide, and a share only from three failures on.
#include "sym/return_addresses.h"

enum {
    FEW = 5, // addresses: with fewer, a single failure casts doubt
    // Failures that do not withhold names, however few addresses there are.
    MOST_DOUBTED = 2,
    SHARE = 5, // 1 / SHARE of the addresses may fail
};

bool hp_is_libc(struct hp_span path) {
    static const char *const names[] = {"libc.so", "libc-2.", "libc.musl-", "ld-musl-",
                                        "libpthread"};
    struct hp_span name = hp_span_basename(path);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (hp_span_starts(name, names[i])) {
            return true;
        }
    }
    return false;
}

// Whether a frame of a module may be where a signal handler returns to.
enum hiding {
    HIDES_NOTHING, // no frame
    HIDES_UNREAD,  // frames that could not be read
    HIDES_ALL,     // any frame
};

// For each module, whether its frames may be where signal handlers return to; the caller
// frees the array.  In a libc of another build the place differs from that in its file.
static enum hiding *find_hiding(const struct hp_profile *profile) {
    enum hiding *hides = hp_alloc(profile->modules.count * sizeof *hides);
    for (size_t i = 0; i < profile->modules.count; i++) {
        const struct hp_module *module = &profile->modules.at[i];
        bool has_handlers = hp_is_libc(hp_strtab_span(&profile->strings, module->path));
        bool is_doubted = module->returns.failed >= MOST_DOUBTED;
        hides[i] = module->kind != HP_MODULE_FILE ? HIDES_ALL
                   : !has_handlers                ? HIDES_NOTHING
                   : is_doubted                   ? HIDES_ALL
                                                  : HIDES_UNREAD;
    }
    return hides;
}

// The data by which stacks are searched for return addresses.
struct survey {
    const struct hp_profile *profile;
    const unsigned char *kinds; // the enum hp_return of each frame
    enum hiding *hiding;        // frames of each module that handlers may return to
};

static enum hiding hiding_at(const struct survey *survey, hp_frame_id frame) {
    return survey->hiding[survey->profile->frames.at[frame.n].module.n];
}

// Whether the frame after this one in a stack may have been interrupted by a signal.
static bool may_end_handler(const struct survey *survey, hp_frame_id frame) {
    enum hp_return kind = survey->kinds[frame.n];
    enum hiding hides = hiding_at(survey, frame);
    return kind == HP_RETURN_OF_SIGNAL || hides == HIDES_ALL ||
           (hides == HIDES_UNREAD && kind == HP_RETURN_UNKNOWN);
}

// For each frame, whether some stack shows it as a return address; the caller frees the
// array.
static bool *find_returns(const struct survey *survey) {
    const struct hp_profile *profile = survey->profile;
    bool *is_return = hp_alloc(profile->frames.count * sizeof *is_return);
    const struct hp_stack *stack;
    for (size_t i = 0; i < profile->frames.count; i++) {
        is_return[i] = profile->frames.at[i].is_return_leaf;
    }
    hp_vec_each (stack, &profile->stacks) {
        for (uint32_t i = 1; i < stack->depth; i++) {
            hp_frame_id frame = stack->frames[i];
            bool is_start =
                i + 1 == stack->depth && hiding_at(survey, frame) != HIDES_NOTHING;
            is_return[frame.n] |=
                !is_start && !may_end_handler(survey, stack->frames[i - 1]);
        }
    }
    return is_return;
}

// Set returns.checked and .failed of all modules.  The failures counted before decide
// whether a libc is doubted.
static void count(struct hp_profile *profile, const unsigned char *kinds) {
    struct survey survey = {profile, kinds, find_hiding(profile)};
    bool *is_return = find_returns(&survey);
    struct hp_module *each;
    hp_vec_each (each, &profile->modules) {
        each->returns.checked = each->returns.failed = 0;
    }
    for (size_t i = 0; i < profile->frames.count; i++) {
        struct hp_module *module = &profile->modules.at[profile->frames.at[i].module.n];
        bool fails = kinds[i] == HP_RETURN_OF_NONE;
        if (is_return[i] && (fails || kinds[i] == HP_RETURN_OF_CALL)) {
            module->returns.checked++;
            module->returns.failed += fails;
        }
    }
    free(survey.hiding);
    free(is_return);
}

// Whether a libc now counts as another build, so that frames have to be counted again.
static bool has_doubted_libc(const struct hp_profile *profile) {
    enum hiding *hiding = find_hiding(profile);
    bool has = false;
    for (size_t i = 0; i < profile->modules.count; i++) {
        has |= profile->modules.at[i].kind == HP_MODULE_FILE && hiding[i] == HIDES_ALL;
    }
    free(hiding);
    return has;
}

void hp_returns_count(struct hp_profile *profile, const unsigned char *kinds) {
    count(profile, kinds);
    if (has_doubted_libc(profile)) {
        count(profile, kinds);
    }
}

enum hp_build_verdict hp_returns_judge(const struct hp_return_check *returns,
                                       bool has_sign) {
    uint32_t failed = returns->failed, checked = returns->checked;
    if (checked == 0) {
        return HP_BUILD_UNCHECKED;
    }
    if (failed <= 1) {
        bool is_alone = checked >= FEW && !has_sign;
        return failed == 0 ? HP_BUILD_FITS
               : is_alone  ? HP_BUILD_ODD_ONE
                           : HP_BUILD_DOUBTED;
    }
    bool is_other = failed > MOST_DOUBTED && failed > checked / SHARE;
    return is_other ? HP_BUILD_OTHER : HP_BUILD_DIFFERS;
}
