// From a path to a dump.  One reader serves one thread, file after file.
#ifndef HP_INPUT_READER_H
#define HP_INPUT_READER_H

#include "input/input_format.h"
#include "input/input_stream.h"
#include "input/stack_line.h"
#include "model/dump.h"

// {0} is ready for use.
struct hp_reader {
    uint64_t limit; // of a file after decompression, as for hp_input_stream_open()
    uint64_t
        map_period; // a memory map alone will do: a dump of this period, without stacks; 0: none
    bool single;        // no other dump is read: none has the same samples
    bool drops_content; // nobody asks for the digest of a text
    bool keeps_labels;  // of samples
    bool keeps_threads; // with their names, and also where one has all of a stack
    struct hp_input_stream stream; // its window holds the last dump's paths
    struct hp_stack_lines lines;
    struct hp_digester content, samples;
    // Who takes a partial, from its first byte on; *hp_reader_read() ends as that does.
    int (*take_partial)(void *data, struct hp_input_stream *stream, struct hp_err *err);
    void *data;
    const struct hp_input_format *format; // of the last file; NULL: of none of ours
};

void hp_reader_done(struct hp_reader *reader);

// Read one file into *dump, which is cleared first and is valid until the next read.
// *is_elf tells of a program in the place of a dump, which is no failure.  A file that is
// written to meanwhile is read once more, then it is a failure.  A text within damaged
// compressed data is none: dump->cut says so.
HP_MUST_CHECK int hp_reader_read(struct hp_reader *reader, const char *path,
                                 struct hp_dump *dump, bool *is_elf, struct hp_err *err);

// The same of a file in memory.
HP_MUST_CHECK int hp_reader_read_bytes(struct hp_reader *reader, struct hp_span bytes,
                                       struct hp_dump *dump, bool *is_elf,
                                       struct hp_err *err);

#endif
