// The files in a tar archive, one after the other; never on disk.
//
// The archive is plain, gzip or zstd.  Its folders and links are passed over.
#ifndef HP_INPUT_TAR_H
#define HP_INPUT_TAR_H

#include "base/vec.h"
#include "input/input_stream.h"

// {0} is closed.
struct hp_tar {
    struct hp_input_stream stream; // a window of the archive
    size_t done;                   // so much of it has been read
    uint64_t offset;               // of that, in the archive after decompression
    bool has_end;                  // its end mark was seen last
};

// {0} is ready; its memory is kept from one to the next.
struct hp_tar_file {
    HP_VEC(char) name; // with a NUL
    HP_VEC(char) bytes;
    double time;       // of its last change, in seconds since 1970
    struct hp_err err; // why its bytes have been passed over; HP_OK: they have not
};

// Close it also after a failure.
HP_MUST_CHECK int hp_tar_open(struct hp_tar *tar, const char *path, struct hp_err *err);
void hp_tar_close(struct hp_tar *tar);

// Read the next file; *found is false behind the last.  `limit` holds for its bytes; 0 for what
// hp_input_stream_open() takes of compressed ones.  On failure nothing more can be read.
HP_MUST_CHECK int hp_tar_next(struct hp_tar *tar, uint64_t limit,
                              struct hp_tar_file *file, bool *found, struct hp_err *err);
void hp_tar_file_done(struct hp_tar_file *file);

// True if a text begins as an archive does.
bool hp_tar_is(struct hp_span text);

#endif
