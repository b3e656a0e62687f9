// Read one input file, of whatever format, into a struct hp_dump.
//
// This folder turns bytes into dumps: the numbers of a file as the file has them. It
// neither undoes the sampling nor knows modules or symbols; folder calc does that.
//
// Entry points:
//   reader.h         a heap dump or profile, from a path or from memory
//   tar.h            the member files of a tar archive, one by one
//   malloc_stats.h   jemalloc's statistics (JSON)
//   prof_recent.h    jemalloc's list of recent allocations (JSON)
//   smaps.h          /proc/PID/smaps and smaps_rollup
//
// Layers, from the bytes up, which is also the order to read them in:
//   input_file, input_stream, codec (gunzip.c, zstd.c)   bytes, decompressed, in windows
//   input_format.h   one struct hp_input_format for each format; reader.c has the table
//   scan, stack_line, maps, address_tags                 shared parts of the text formats
//   jemalloc.c, classic.c, symbols.c, folded_reader.c    the text formats themselves
//   protobuf_reader, pprof_tables, pprof_types, pprof_reader   pprof
//
// Invariants: the format is recognized by content and never by file name. A text format
// keeps the whole records before a cut and records the damage in the dump; a binary or
// JSON file is read as a whole or fails. Memory is bounded before untrusted sizes are
// believed.
#ifndef HP_INPUT_READER_H
#define HP_INPUT_READER_H

#include "input/input_format.h"
#include "input/input_stream.h"
#include "input/stack_line.h"
#include "model/dump.h"

// Reads file after file and keeps its memory between them. {0} is ready for use. A reader
// must not be used by two threads at the same time.
struct hp_reader {
    // Most bytes of a file after decompression, as for hp_input_stream_open().
    uint64_t limit;
    // Sample period, in bytes, of the empty dump that a file with nothing but a memory
    // map becomes; 0: such a file is refused.
    uint64_t map_period;
    // Whether no other dump is read: dump->samples of text formats, by which dumps with
    // equal samples are found, is not computed.
    bool single;
    bool folded_objects; // the numbers of folded stacks are objects, not bytes
    bool drops_content;  // do not compute dump->content, the digest of a text
    bool keeps_labels;   // whether to keep the labels of samples
    // Whether to keep the names of threads, and also the thread line of a stack that only
    // one thread has, which repeats the counts of the stack.
    bool keeps_threads;
    struct hp_input_stream stream;       // the window holds the paths of the last dump
    struct hp_stack_lines lines;         // working memory for stacks
    struct hp_digester content, samples; // working memory for digests
    // Called if the file is a partial (.hpa), with its stream at the first byte; the
    // result becomes that of hp_reader_read(). NULL: partials are refused.
    int (*take_partial)(void *data, struct hp_input_stream *stream, struct hp_err *err);
    void *data; // first argument of `take_partial`
    // Format of the last file; NULL: not recognized.
    const struct hp_input_format *format;
};

// Free the memory of the reader; dumps whose paths are in its window become invalid.
void hp_reader_done(struct hp_reader *reader);

// Read one file into *dump, which is cleared first. The dump is valid until the next
// read. Sets *is_elf to whether the file is an ELF program instead of a dump, which is no
// failure. A file that changes while it is read is read once more (standard input and
// partials are not); if it has changed again, that is a failure. Damaged compressed data
// of a text format is no failure: the text before the damage is used, and dump->cut holds
// the error.
HP_MUST_CHECK int hp_reader_read(struct hp_reader *reader, const char *path,
                                 struct hp_dump *dump, bool *is_elf, struct hp_err *err);

// Read a file whose bytes are in memory, like hp_reader_read().
HP_MUST_CHECK int hp_reader_read_bytes(struct hp_reader *reader, struct hp_span bytes,
                                       struct hp_dump *dump, bool *is_elf,
                                       struct hp_err *err);

#endif
