// "MiniDebugInfo", GDB manual: made by objcopy and xz from the symbols that nm lists and
// .dynsym lacks.
//
// xz can expand data thousandfold, and first asks for memory for its dictionary.  Both
// are limited, the output by the size that symbols and their names can have.
#include "sym/minidebug.h"

#include <gelf.h>
#ifdef HP_WITH_LZMA
#    include <lzma.h>
#endif

#ifdef HP_WITH_LZMA
// Memory of the decoder in bytes; xz -9 takes 65 MiB.
static const uint64_t most_memory = UINT64_C(80) << 20;
// Bytes of the unpacked file.
static const size_t most_output = (size_t)256 << 20;

enum {
    MOST_GROWTH = 64, // most output for each byte of input; real files grow 4 to 8 times
    FIRST_PIECE = 1 << 16,
};

// Decode in pieces that double the output so far, so that memory is allocated only as
// output arrives.  True if the stream ended within `room` bytes.
static bool decode(lzma_stream *stream, size_t room, struct hp_minidebug *mini) {
    lzma_ret result = LZMA_OK;
    while (result == LZMA_OK && mini->bytes.count < room) {
        size_t size = mini->bytes.count, piece = size > FIRST_PIECE ? size : FIRST_PIECE;
        piece = piece < room - size ? piece : room - size;
        hp_vec_reserve(&mini->bytes, piece);
        stream->next_out = mini->bytes.at + size;
        stream->avail_out = piece;
        result = lzma_code(stream, LZMA_FINISH);
        mini->bytes.count += piece - stream->avail_out;
    }
    return result == LZMA_STREAM_END;
}

// Decompress `packed` into mini->bytes, within the limits.
static bool inflate_xz(struct hp_minidebug *mini, struct hp_span packed) {
    lzma_stream stream = LZMA_STREAM_INIT;
    if (lzma_stream_decoder(&stream, most_memory, 0) != LZMA_OK) {
        return false;
    }
    stream.next_in = (const uint8_t *)packed.at;
    stream.avail_in = packed.size;
    bool is_small = packed.size < most_output / MOST_GROWTH;
    bool good = decode(&stream, is_small ? packed.size * MOST_GROWTH : most_output, mini);
    lzma_end(&stream);
    return good;
}

// Open the inner file as ELF.
static bool read_inner(struct hp_minidebug *mini, struct hp_span packed) {
    GElf_Ehdr header;
    mini->image.elf = inflate_xz(mini, packed)
                          ? elf_memory((char *)mini->bytes.at, mini->bytes.count)
                          : NULL;
    return mini->image.elf && elf_kind(mini->image.elf) == ELF_K_ELF &&
           gelf_getehdr(mini->image.elf, &header);
}

bool hp_minidebug_open(struct hp_minidebug *mini, const struct hp_image *image,
                       struct hp_sym_diagnostic *diagnostic) {
    struct hp_span packed = hp_image_section(image, ".gnu_debugdata");
    *mini = (struct hp_minidebug){.image.elf = NULL};
    if (packed.size == 0) {
        return false;
    }
    if (read_inner(mini, packed)) {
        return true;
    }
    hp_minidebug_done(mini);
    return hp_sym_diagnose(diagnostic, HP_SYM_DAMAGED,
                           HP_MESSAGE("minidebug-damaged",
                                      "%s: its .gnu_debugdata is damaged or too large"),
                           image->path);
}
#else
bool hp_minidebug_open(struct hp_minidebug *mini, const struct hp_image *image,
                       struct hp_sym_diagnostic *diagnostic) {
    *mini = (struct hp_minidebug){.image.elf = NULL};
    return hp_image_has_section(image, ".gnu_debugdata") &&
           hp_sym_diagnose(
               diagnostic, HP_SYM_UNSUPPORTED,
               HP_MESSAGE(
                   "minidebug-without-lzma",
                   "%s: this build cannot read its .gnu_debugdata: it lacks liblzma"),
               image->path);
}
#endif

void hp_minidebug_done(struct hp_minidebug *mini) {
    elf_end(mini->image.elf);
    hp_vec_done(&mini->bytes);
    *mini = (struct hp_minidebug){.image.elf = NULL};
}
