// Fuzz target of all formats: an input is read the same as a whole and in windows, the
// dump violates no invariant, and it can be merged into a profile.
#include "calc/merge.h"
#include "reading.h"

#include <stddef.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void check(const struct reading *whole, const struct reading *other) {
    const char *wrong = reading_difference(whole, other);
    wrong = wrong ? wrong : reading_flaw(whole);
    if (wrong) {
        reading_fail(whole, other, wrong);
    }
}

// Merge the dump into an empty profile.  Numbers that are too large are refused; nothing
// else may go wrong.
static void merge(struct hp_dump *dump, bool keeps) {
    struct hp_merger merger = {.keeps_labels = keeps, .splits_threads = keeps};
    struct hp_profile profile;
    struct hp_input_record record = {0};
    struct hp_err err;
    hp_profile_init(&profile);
    int ret = hp_merge(&merger, dump, &profile, &record, &err);
    (void)ret;
    hp_merger_done(&merger);
    hp_profile_done(&profile);
    hp_input_done(&record);
}

// Size of a window that holds the whole unpacked text, and little more.
static size_t tight_window(const struct reading *whole, size_t size) {
    return whole->ret == HP_OK && !whole->is_elf ? whole->dump.bytes + 1 : size + 1;
}

// Use new readers for each input, with windows that fit it, so that the sanitizer sees
// any byte that is read past the end.  A damaged compressed file is not compared: the
// window decides how much of it is unpacked before the damage is found.
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    struct reading whole = {0}, tight = {0}, small = {0};
    bool keeps = size % 2; // labels and threads
    whole.reader.keeps_labels = whole.reader.keeps_threads = keeps;
    tight.reader = small.reader = whole.reader;
    reading_make(&whole, bytes, size, 0);
    reading_make(&tight, bytes, size, tight_window(&whole, size));
    bool is_whole = whole.ret == HP_OK && whole.dump.cut.code == HP_OK;
    if (is_whole || !hp_input_stream_is_packed((const char *)bytes, size)) {
        check(&whole, &tight);
    }
    size_t window = reading_smallest_window(bytes, size);
    if (window) {
        reading_make(&small, bytes, size, window);
        check(&whole, &small);
    }
    if (whole.ret == HP_OK && !whole.is_elf) {
        merge(&whole.dump, keeps);
    }
    reading_done(&whole);
    reading_done(&tight);
    reading_done(&small);
    return 0;
}
