#include "input/format.h"

#include "input/classic.h"
#include "input/input_stream.h"
#include "input/jemalloc.h"
#include "input/pprof_reader.h"
#include "input/symbols.h"
#include "input/tar.h"

#include <string.h>

static bool is_cpu_profile(struct hp_span text) {
    uint64_t word[3];
    if (text.size < sizeof word) {
        return false;
    }
    memcpy(word, text.at, sizeof word);
    return word[0] == 0 && word[1] >= 3 && word[1] < 64 && word[2] == 0;
}

static bool is_json(struct hp_span text) {
    static const size_t most_spaces = 16; // so few that any window holds them
    size_t i = 0;
    while (i < text.size && i < most_spaces &&
           (text.at[i] == ' ' || (text.at[i] >= '\t' && text.at[i] <= '\r'))) {
        i++;
    }
    return i < text.size && (text.at[i] == '{' || text.at[i] == '[');
}

static bool starts_with_java(struct hp_span text) {
    return hp_span_starts(text, "JAVA PROFILE");
}

static bool starts_with_heapz(struct hp_span text) {
    return hp_span_starts(text, "--- heapz ");
}

static bool is_packed(struct hp_span text) {
    return hp_input_stream_is_packed(text.at, text.size);
}

static bool is_empty(struct hp_span text) {
    return text.size == 0;
}

static const struct {
    bool (*is)(struct hp_span text);
    const char *sentence;
} known[] = {
    {is_empty,
     "the file is empty: the program that wrote it may have died, or its disk "
     "may be full"},
    {starts_with_java,
     "this is a Java HPROF object dump, not a sampled native heap "
     "profile: open it with Eclipse MAT or VisualVM"},
    {starts_with_heapz,
     "this is a profile of the objects of a Java program: open it with pprof"},
    {is_cpu_profile, "this is a CPU profile, not a heap profile: open it with pprof"},
    {is_packed, "this is compressed data within compressed data: unpack it once"},
    {hp_tar_is, "this is a tar archive: give it as --tar=FILE"},
    {is_json,
     "this is JSON, perhaps jemalloc's prof_log or prof_recent: make a heap dump "
     "with prof_final:true or mallctl(\"prof.dump\")"},
};

enum hp_format hp_format_of(struct hp_span text) {
    if (hp_jemalloc_is(text)) {
        return HP_FORMAT_JEMALLOC;
    }
    if (hp_classic_is(text)) {
        return HP_FORMAT_CLASSIC;
    }
    if (hp_symbols_is(text)) {
        return HP_FORMAT_SYMBOLS;
    }
    if (hp_pprof_is(text)) {
        return HP_FORMAT_PPROF;
    }
    return hp_span_starts(text, "\177ELF") ? HP_FORMAT_ELF : HP_FORMAT_OTHER;
}

int hp_format_refuse(struct hp_span text, struct hp_err *err) {
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (known[i].is(text)) {
            return hp_fail(err, HP_E_UNSUPPORTED, "%s", known[i].sentence);
        }
    }
    return hp_fail(err, HP_E_FORMAT,
                   "not a heap profile: none of jemalloc ('heap_v2/'), none that begins "
                   "with 'heap profile:', and no pprof protobuf");
}
