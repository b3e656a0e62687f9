// The container format of partials, whatever their content: blocks, each compressed and
// with a checksum, and at the end the number of blocks and a digest of their content.
//
// There is no seeking: a file is written and read from its first byte to its last. A
// reader has one block in memory at a time.
#ifndef HP_PARTIAL_BLOCKS_H
#define HP_PARTIAL_BLOCKS_H

#include "base/sha256.h"
#include "base/sink.h"
#include "base/vec.h"

enum {
    HP_BLOCK_MOST = 1 << 20, // bytes of a block at most, uncompressed
    // Bytes from which on a block is written: the row that reaches this size is its last.
    HP_BLOCK_FULL = 256 << 10,
    // Compressed bytes of a block at most.
    HP_BLOCK_PACKED_MOST = HP_BLOCK_MOST + (HP_BLOCK_MOST >> 7) + 1024,
    HP_BLOCK_HEAD = 12, // bytes of the header of a block, before the compressed bytes
};

enum hp_block_flag {
    HP_BLOCK_REQUIRED = 1 << 0,  // a reader that does not know the section must fail
    HP_BLOCK_NO_DIGEST = 1 << 1, // the digest of the file does not cover the block
};

// Whether this build has zstd: without it partials can neither be written nor read.
bool hp_blocks_are_built(void);

// --- writing ---------------------------------------------------------------------------

// Writes blocks to a sink, which must outlive it.
struct hp_block_writer {
    struct hp_sink *sink;
    struct ZSTD_CCtx_s *packer;  // owned; NULL: not needed yet
    struct hp_sha256 sha;        // digest so far
    uint64_t count, bytes;       // blocks and bytes written so far
    unsigned section, flags;     // section and flags of the block in `raw`
    struct hp_bytes raw, packed; // the block that is being filled; its compressed form
    HP_VEC(size_t) cuts;         // offsets in `raw` where pack() begins to compress anew
    bool is_too_large; // a row did not fit into a block: hp_block_writer_end() fails
    bool is_run;       // a temporary run of this process: no digest is computed
};

// Begin a file: write its magic and version.
void hp_block_writer_init(struct hp_block_writer *writer, struct hp_sink *sink);

// Append a copy of a row to the current block, which is written if it is full. A row is
// never split. A row of another section than the one before begins a new block.
void hp_block_row(struct hp_block_writer *writer, unsigned section, unsigned flags,
                  const struct hp_bytes *row);

// Write `count` columns as one block, each with its size before it, and make them empty.
// Writes nothing if all columns are empty.
void hp_block_columns(struct hp_block_writer *writer, unsigned section,
                      struct hp_bytes *columns, size_t count);
// Return the sum of the sizes of columns, in bytes.
size_t hp_block_columns_size(const struct hp_bytes *columns, size_t count);

struct hp_block_reader;

// Write the current block of a reader, in the compressed form in which it was read.
void hp_block_copy(struct hp_block_writer *writer, const struct hp_block_reader *from);

// End the current block, so that the next row begins a new one.
void hp_block_cut(struct hp_block_writer *writer);

// Write the last block and the end of the file. Fails if something was too large; write
// errors are left to hp_sink_close().
HP_MUST_CHECK int hp_block_writer_end(struct hp_block_writer *writer, struct hp_err *err);
// Free the writer's memory; the sink stays the caller's.
void hp_block_writer_done(struct hp_block_writer *writer);

// --- reading ---------------------------------------------------------------------------

// Source of the bytes of a file. read() stores `size` bytes, fewer only at the end, and
// sets *got to their number; `data` is its first argument.
struct hp_block_source {
    int (*read)(void *data, void *bytes, size_t size, size_t *got, struct hp_err *err);
    void *data;
};

// Reads blocks, one at a time.
struct hp_block_reader {
    struct hp_block_source source;
    struct ZSTD_DCtx_s *unpacker; // owned; NULL: not needed yet
    struct hp_sha256 sha;         // digest so far
    // Blocks and bytes read so far; version of the file: major | minor << 16.
    uint64_t count, bytes, version;
    bool is_run; // as in struct hp_block_writer
    // Section and flags of the current block; section 0: the end was reached.
    unsigned section, flags;
    uint8_t head[HP_BLOCK_HEAD]; // header of the current block
    // The current block; `packed` is followed by the checksum, which its count does not
    // include.
    struct hp_bytes raw, packed;
    uint8_t digest[HP_SHA256_SIZE]; // valid once the end was reached and verified
};

// Whether a file that begins with `head` is a partial, of any version.
bool hp_is_partial(struct hp_span head);

// Read the magic and version before the first block. Fails for a version this program
// cannot read. Call hp_block_reader_done() also after a failure.
HP_MUST_CHECK int hp_block_reader_init(struct hp_block_reader *reader,
                                       struct hp_block_source source, struct hp_err *err);
// Read the next block, verify its checksum and decompress it into `raw`. After the last
// block `section` is 0, and the digest has been verified.
HP_MUST_CHECK int hp_block_next(struct hp_block_reader *reader, struct hp_err *err);
// Free the reader's memory.
void hp_block_reader_done(struct hp_block_reader *reader);

#endif
