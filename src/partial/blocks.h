// What a partial is made of, whatever is in it: blocks, each packed and with a checksum, and at
// the end how many there were and a digest of what is in them.
//
// Nothing is ever sought: both sides go from the first byte to the last.  A reader holds one block
// at a time.
#ifndef HP_PARTIAL_BLOCKS_H
#define HP_PARTIAL_BLOCKS_H

#include "base/sha256.h"
#include "base/sink.h"
#include "base/vec.h"

enum {
    HP_BLOCK_MOST = 1 << 20,   // bytes of one, unpacked
    HP_BLOCK_FULL = 256 << 10, // with the row that brings it there a block ends
    HP_BLOCK_PACKED_MOST = HP_BLOCK_MOST + (HP_BLOCK_MOST >> 7) + 1024,
    HP_BLOCK_HEAD = 12,
};

enum hp_block_flag {
    HP_BLOCK_REQUIRED = 1 << 0, // who does not know the section must not go on
    HP_BLOCK_ASIDE = 1 << 1,    // the digest does not cover it
};

struct hp_bytes {
    uint8_t *at;
    size_t count, capacity;
};

// Whether there is zstd: without it nothing can be written or read.
bool hp_blocks_are_built(void);

// --- writing ------------------------------------------------------------------------------

struct hp_block_writer {
    struct hp_sink *sink;
    struct ZSTD_CCtx_s *packer;
    struct hp_sha256 sha;
    uint64_t count, bytes;   // so far
    unsigned section, flags; // of the block that is being filled
    struct hp_bytes raw, packed;
    HP_VEC(size_t) cuts; // places in it where what is packed begins to be of another kind
    bool is_too_large;   // a row did not fit into a block
    bool is_run;         // of this process alone: packed in a hurry, without a digest
};

void hp_block_writer_init(struct hp_block_writer *writer, struct hp_sink *sink);

// The bytes of one row, which stays in one block; another section begins another block.
void hp_block_row(struct hp_block_writer *writer, unsigned section, unsigned flags,
                  const struct hp_bytes *row);

// A block of columns, each with its size before it; they are empty then.  Nothing if they are.
void hp_block_columns(struct hp_block_writer *writer, unsigned section,
                      struct hp_bytes *columns, size_t count);
size_t hp_block_columns_size(const struct hp_bytes *columns, size_t count);

struct hp_block_reader;

// The block that a reader is at, as it is: packed by whoever wrote it.
void hp_block_copy(struct hp_block_writer *writer, const struct hp_block_reader *from);

// Let the next row begin a block.
void hp_block_cut(struct hp_block_writer *writer);

// Write the last block and the end.
HP_MUST_CHECK int hp_block_writer_end(struct hp_block_writer *writer, struct hp_err *err);
void hp_block_writer_done(struct hp_block_writer *writer);

// --- reading ------------------------------------------------------------------------------

// Where bytes come from: `size` of them, fewer only at the end; *got says how many.
struct hp_block_source {
    int (*read)(void *data, void *bytes, size_t size, size_t *got, struct hp_err *err);
    void *data;
};

struct hp_block_reader {
    struct hp_block_source source;
    struct ZSTD_DCtx_s *unpacker;
    struct hp_sha256 sha;
    uint64_t count, bytes, version;
    bool is_run;             // as above
    unsigned section, flags; // of the block at hand; section 0: that was all
    uint8_t head[HP_BLOCK_HEAD];
    struct hp_bytes raw, packed;    // behind what is packed stands the checksum
    uint8_t digest[HP_SHA256_SIZE]; // once all has been read, and is as it was written
};

// Whether a file that begins so is one, of whatever version.
bool hp_is_partial(struct hp_span head);

// Read what stands before the first block.
HP_MUST_CHECK int hp_block_reader_init(struct hp_block_reader *reader,
                                       struct hp_block_source source, struct hp_err *err);
HP_MUST_CHECK int hp_block_next(struct hp_block_reader *reader, struct hp_err *err);
void hp_block_reader_done(struct hp_block_reader *reader);

#endif
