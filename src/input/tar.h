// The member files of a tar archive, read one after the other and never written to disk.
//
// The archive is plain, gzip or zstd. Folders, links and devices are skipped.
#ifndef HP_INPUT_TAR_H
#define HP_INPUT_TAR_H

#include "base/vec.h"
#include "input/input_stream.h"

// An archive that is being read. {0} is closed.
struct hp_tar {
    struct hp_input_stream stream; // the decompressed archive
    size_t done;                   // bytes of its window that have been read
    // Offset of the next byte in the archive, after decompression.
    uint64_t offset;
    bool has_end;        // the last block read was one of zeros, which mark the end
    bool skips_contents; // only names are wanted: contents are skipped
};

// One member file. {0} is ready for use; the memory is kept from one member to the next.
struct hp_tar_file {
    HP_VEC(char) name;  // with a NUL at the end
    HP_VEC(char) bytes; // the content
    double time;        // last modification, in seconds since 1970
    struct hp_err err;  // the reason why its bytes were skipped; HP_OK: they were not
};

// Open an archive. Close it also after a failure.
HP_MUST_CHECK int hp_tar_open(struct hp_tar *tar, const char *path, struct hp_err *err);
// Close the archive and free its memory.
void hp_tar_close(struct hp_tar *tar);

// Read the next member file; *found is false after the last. `limit` is the most bytes of
// one member, a larger one being skipped with file->err; 0: the default of
// hp_input_stream_open() for compressed data. On failure nothing more can be read.
HP_MUST_CHECK int hp_tar_next(struct hp_tar *tar, uint64_t limit,
                              struct hp_tar_file *file, bool *found, struct hp_err *err);
// Free the memory of a member file.
void hp_tar_file_done(struct hp_tar_file *file);

// Whether a file that begins with `text` is a tar archive.
bool hp_tar_is(struct hp_span text);

#endif
