// An address is checked if some stack of the dump shows it as a return address, that is
//
//     after a frame of a file that returns to a caller,
//     or as the leaf of what jemalloc wrote,
//
// but never as the last frame of its stack: coroutines and threads begin there and were
// not called.
//
// After a signal, the address of the interrupted frame is that of any instruction.  The
// frame before it is where the handler returns to, in libc or in no file ([vdso], an
// anonymous page).  In a libc that cannot be read, or whose file is of another build, any
// frame may be that one.
#include "sym/fits.h"

#include "sym/return_addresses.h"

#include <math.h>

enum {
    // Checked addresses: with fewer a single one may fit, or misfit, by chance.
    FEW = 4
};

// The chance that code of another file fits an address, if instructions may be at any
// address, and if they are aligned.  Shares of units in real text that follow a call:
// x86-64 1.2 to 2.5 %, s390x 1.1 to 2.1, riscv64 3.4 to 4.9, ppc64 3.4 to 5.6, aarch64
// 5.1 to 7.7.
static const double chance_of_any = .03, chance_of_aligned = .08;

// The chance that a caller that fits also directly calls the function of its frame, in
// code of another file.
static const double chance_of_match = .05;

// Files with other names that may fit by chance, as an expected number; above this none
// of them is accepted.
static const double least_chance = 1e-3;

// --- trials ----------------------------------------------------------------------------

static void *allocate(struct hp_fits *fits, size_t size) {
    return hp_arena_alloc(&fits->memory, size, sizeof(uint64_t));
}

void hp_fits_init(struct hp_fits *fits, const struct hp_proof_question *question) {
    size_t modules = question->modules.count, count = question->addresses.count;
    *fits = (struct hp_fits){.question = question};
    fits->addresses = allocate(fits, count * sizeof *fits->addresses);
    fits->order = allocate(fits, count * sizeof *fits->order);
    fits->first = allocate(fits, (modules + 2) * sizeof *fits->first);
    fits->is_libc = allocate(fits, modules * sizeof *fits->is_libc);
    fits->ends = allocate(fits, count);
    fits->is_checked = allocate(fits, count * sizeof *fits->is_checked);
    for (size_t i = 0; i < count; i++) {
        uint32_t module = question->addresses.at[i].module;
        // Counts are stored two places too far: the next loops move them back.
        if (module < modules) {
            fits->first[module + 2]++;
        }
    }
    for (size_t i = 2; i <= modules; i++) {
        fits->first[i] += fits->first[i - 1];
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct hp_proof_address *address = &question->addresses.at[i];
        // Moves the end of this module in `order`, and so the start of the next.
        if (address->module < modules) {
            uint32_t at = fits->first[address->module + 1]++;
            fits->order[at] = i;
            fits->addresses[at] = address->address;
        }
    }
    for (size_t m = 0; m < modules; m++) {
        fits->is_libc[m] = hp_is_libc(question->modules.at[m].path);
    }
}

void hp_fits_done(struct hp_fits *fits) {
    hp_vec_done(&fits->trials);
    hp_arena_done(&fits->memory);
}

void hp_fits_try(struct hp_fits *fits, uint32_t module, const struct hp_file_code *code,
                 bool is_named) {
    const struct hp_proof_question *question = fits->question;
    struct hp_trial trial = {
        .module = module,
        .is_named = is_named,
        .is_comparable = hp_file_code_is_comparable(code) && code->has_text,
        .chance = code->unit > 1 ? chance_of_aligned : chance_of_any,
    };
    uint32_t first = fits->first[module], count = fits->first[module + 1] - first;
    if (trial.is_comparable) {
        trial.kinds = allocate(fits, count);
        hp_file_code_returns_at(code, question->modules.at[module].addresses,
                                fits->addresses + first, count, trial.kinds);
        trial.has_signals =
            count > 0 && memchr(trial.kinds, HP_RETURN_OF_SIGNAL, count) != NULL;
    }
    hp_vec_push(&fits->trials, trial);
}

// --- which addresses are checked -------------------------------------------------------

// Whether signal handlers may return to an address, according to any file that was
// tried.  `is_known`: some file has code there.
static bool is_of_signal(const struct hp_fits *fits, uint32_t module, uint32_t i,
                         bool *is_known) {
    bool is = false;
    const struct hp_trial *trial;
    *is_known = false;
    hp_vec_each (trial, &fits->trials) {
        if (trial->module == module && trial->kinds) {
            is |= trial->kinds[i] == HP_RETURN_OF_SIGNAL;
            *is_known |= trial->kinds[i] != HP_RETURN_UNKNOWN;
        }
    }
    return is;
}

// Whether another build of a libc ran: files were compared with it, and each has two or
// more misfits.
static bool is_other_build(const struct hp_fits *fits, uint32_t module) {
    bool has_file = false, fits_any = false;
    const struct hp_trial *trial;
    hp_vec_each (trial, &fits->trials) {
        if (trial->module == module && trial->is_comparable) {
            has_file = true;
            fits_any |= trial->failed < 2;
        }
    }
    return has_file && !fits_any;
}

static bool has_signals(const struct hp_fits *fits, uint32_t module) {
    bool has = false;
    const struct hp_trial *trial;
    hp_vec_each (trial, &fits->trials) {
        has |= trial->module == module && trial->has_signals;
    }
    return has;
}

// Set fits->ends: the addresses that signal handlers may return to.
static void find_ends(struct hp_fits *fits) {
    const struct hp_proof_question *question = fits->question;
    // Stays true for addresses in no file.
    memset(fits->ends, true, question->addresses.count);
    for (uint32_t m = 0; m < question->modules.count; m++) {
        bool is_libc = fits->is_libc[m], any = is_libc || has_signals(fits, m);
        bool hides_all = is_libc && is_other_build(fits, m);
        for (uint32_t i = fits->first[m]; i < fits->first[m + 1]; i++) {
            bool is_known = true;
            bool ends = any && is_of_signal(fits, m, i - fits->first[m], &is_known);
            fits->ends[fits->order[i]] = ends || hides_all || (is_libc && !is_known);
        }
    }
}

// Find the addresses that can be checked, in fits->is_checked.
static void find_checked(struct hp_fits *fits) {
    const struct hp_proof_question *question = fits->question;
    const unsigned char *ends = fits->ends;
    bool *is_checked = fits->is_checked;
    find_ends(fits);
    for (size_t i = 0; i < question->addresses.count; i++) {
        is_checked[i] = question->addresses.at[i].is_return;
    }
    for (size_t s = 0; s < question->stack_count; s++) {
        struct hp_proof_stack stack = question->stack_at(question->dump, s);
        for (uint32_t i = 1; i + 1 < stack.depth; i++) {
            is_checked[stack.frames[i]] |= !ends[stack.frames[i - 1]];
        }
    }
}

bool hp_fits_is_checked_in(const struct hp_fits *fits, struct hp_proof_stack stack,
                           uint32_t i) {
    bool is_return = fits->question->addresses.at[stack.frames[i]].is_return;
    return stack.depth > i + 1 && (i == 0 ? is_return : !fits->ends[stack.frames[i - 1]]);
}

// Set `checked` and `failed` of a trial: its checked addresses, and the misfits among
// them.
static void count_trial(struct hp_trial *trial, const bool *is_checked, uint32_t count) {
    uint32_t checked = 0, failed = 0;
    for (uint32_t i = 0; i < count; i++) {
        bool fails = trial->kinds[i] == HP_RETURN_OF_NONE;
        bool is_call = trial->kinds[i] == HP_RETURN_OF_CALL;
        checked += is_checked[i] & (fails | is_call);
        failed += is_checked[i] & fails;
    }
    trial->checked = checked;
    trial->failed = failed;
}

// Set `checked` and `failed` of all trials: how many addresses were checked in each
// compared file, and how many of these do not fit.
static void count(struct hp_fits *fits) {
    uint32_t all = fits->first[fits->question->modules.count];
    bool *in_order = allocate(fits, all * sizeof *in_order);
    for (uint32_t i = 0; i < all; i++) {
        in_order[i] = fits->is_checked[fits->order[i]];
    }
    struct hp_trial *trial;
    hp_vec_each (trial, &fits->trials) {
        uint32_t first = fits->first[trial->module];
        uint32_t addresses = fits->first[trial->module + 1] - first;
        count_trial(trial, in_order + first, trial->kinds ? addresses : 0);
    }
}

// --- files that fit --------------------------------------------------------------------

// The number of files with other names and comparable code that are tried for a module.
static size_t count_others(const struct hp_fits *fits, uint32_t module) {
    size_t others = 0;
    const struct hp_trial *trial;
    hp_vec_each (trial, &fits->trials) {
        others += trial->module == module && !trial->is_named && trial->is_comparable;
    }
    return others;
}

bool hp_fits_is_no_chance(const struct hp_fits *fits, const struct hp_trial *trial) {
    double chance =
        pow(trial->chance, trial->checked) * pow(chance_of_match, trial->matched);
    return (double)count_others(fits, trial->module) * chance <= least_chance;
}

// Accept the files of a module without misfits: those with its name, or with another name
// if chance is no explanation.  Returns whether any is accepted.
static bool accept(struct hp_fits *fits, uint32_t module, bool is_named) {
    bool any = false;
    struct hp_trial *trial;
    hp_vec_each (trial, &fits->trials) {
        if (trial->module == module && trial->is_named == is_named &&
            trial->checked > 0 && trial->failed == 0) {
            trial->fits = is_named || hp_fits_is_no_chance(fits, trial);
            any |= trial->fits;
        }
    }
    return any;
}

bool hp_fits_any(const struct hp_fits *fits, uint32_t module) {
    bool any = false;
    const struct hp_trial *trial;
    hp_vec_each (trial, &fits->trials) {
        any |= trial->module == module && trial->fits;
    }
    return any;
}

void hp_fits_judge(struct hp_fits *fits) {
    bool has_other_libc = false;
    find_checked(fits);
    count(fits);
    for (uint32_t m = 0; m < fits->question->modules.count; m++) {
        has_other_libc |= fits->is_libc[m] && is_other_build(fits, m);
    }
    if (has_other_libc) { // then more of fits->ends are set
        find_checked(fits);
        count(fits);
    }
    for (uint32_t m = 0; m < fits->question->modules.count; m++) {
        (void)(accept(fits, m, true) || accept(fits, m, false));
    }
    struct hp_trial *trial;
    hp_vec_each (trial, &fits->trials) {
        trial->may_fit = trial->is_named && trial->failed == 1 && trial->checked < FEW;
    }
}
