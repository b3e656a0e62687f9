// The layout of a partial. All numbers are little-endian:
//
//     89 'H' 'P' 'A' 0D 0A 1A 0A | u16 major | u16 minor
//     blocks: u16 section | u16 flags | u32 raw | u32 packed | zstd frame | u64 XXH3-64
//     last block, of section 0:
//         u64 blocks before it | u64 bytes before it | SHA-256 | u16 major | u16 minor
//
// `raw` and `packed` are the sizes of the bytes of the block before and after
// compression; the checksum covers header and zstd frame. SHA-256 covers the u16 section
// and the uncompressed bytes of all blocks without HP_BLOCK_NO_DIGEST, one after the
// other.
#include "partial/blocks.h"

#include "partial/slots.h"

#include <string.h>
#include <xxhash.h>

enum {
    MAJOR = 2,                     // major version that is written
    OLDEST = 1,                    // oldest major version that is read
    MINOR = 0,                     // minor version that is written
    HEAD = 12,                     // bytes before the first block
    CHECKSUM = 8,                  // bytes of the checksum after a block
    END = 16 + HP_SHA256_SIZE + 4, // bytes of the last block, uncompressed
    // Compression level: for columns a higher one costs more time than it saves bytes.
    LEVEL = 1,
    CUT = 16,        // compressed bytes that a flush adds at most
    CUT_FROM = 2048, // bytes from which on a column is compressed separately
};

#ifdef HP_WITH_ZSTD
#    include <zstd.h>
#endif

static const uint8_t magic[8] = {0x89, 'H', 'P', 'A', 0x0d, 0x0a, 0x1a, 0x0a};

// Write or read a little-endian number of `bytes` bytes.
static void store(uint8_t *at, uint64_t number, int bytes) {
    for (int i = 0; i < bytes; i++) {
        at[i] = (uint8_t)(number >> 8 * i);
    }
}

static uint64_t load(const uint8_t *at, int bytes) {
    uint64_t number = 0;
    for (int i = bytes - 1; i >= 0; i--) {
        number = number << 8 | at[i];
    }
    return number;
}

// Return the checksum of a block: that of the zstd frame, seeded with that of the header.
static uint64_t checksum(const uint8_t *head, const void *frame, size_t size) {
    uint64_t of_head = XXH3_64bits(head, HP_BLOCK_HEAD);
    return XXH3_64bits_withSeed(frame, size, of_head);
}

// Add a block to the digest, unless its flags exclude it.
static void digest_block(struct hp_sha256 *sha, const uint8_t *head, unsigned flags,
                         const struct hp_bytes *raw) {
    if (!(flags & HP_BLOCK_NO_DIGEST)) {
        hp_sha256_add(sha, head, 2);
        hp_sha256_add(sha, raw->at, raw->count);
    }
}

// --- frames ----------------------------------------------------------------------------

#ifdef HP_WITH_ZSTD
bool hp_blocks_are_built(void) {
    return true;
}

// Compress writer->raw from in->pos up to `end`, appending to `out`, and flush. Returns
// false if memory runs out.
static bool pack_up_to(struct hp_block_writer *writer, ZSTD_inBuffer *in, size_t end,
                       ZSTD_outBuffer *out) {
    ZSTD_EndDirective how = end == writer->raw.count ? ZSTD_e_end : ZSTD_e_flush;
    size_t left = 0;
    in->size = end;
    do {
        left = ZSTD_compressStream2(writer->packer, out, in, how);
    } while (left > 0 && !ZSTD_isError(left) && out->pos < out->size);
    return left == 0;
}

// Compress writer->raw to writer->packed, flushing at each cut so that bytes of different
// kinds are not mixed. Returns the compressed size; packed.count is not set. The output
// buffer is large enough, so that a failure means that memory has run out, which ends the
// process.
static size_t pack(struct hp_block_writer *writer) {
    struct hp_bytes *raw = &writer->raw, *packed = &writer->packed;
    ZSTD_inBuffer in = {raw->at, 0, 0};
    packed->count = 0;
    hp_vec_reserve(packed,
                   ZSTD_compressBound(raw->count) + CUT * (writer->cuts.count + 1));
    ZSTD_outBuffer out = {packed->at, packed->capacity, 0};
    writer->packer = writer->packer ? writer->packer : ZSTD_createCCtx();
    bool is_packed =
        writer->packer &&
        !ZSTD_isError(
            ZSTD_CCtx_setParameter(writer->packer, ZSTD_c_compressionLevel, LEVEL)) &&
        !ZSTD_isError(ZSTD_CCtx_setPledgedSrcSize(writer->packer, raw->count));
    for (size_t i = 0; is_packed && i < writer->cuts.count; i++) {
        is_packed = pack_up_to(writer, &in, writer->cuts.at[i], &out);
    }
    if (!is_packed || !pack_up_to(writer, &in, raw->count, &out)) {
        hp_out_of_memory(packed->capacity);
    }
    writer->cuts.count = 0;
    return out.pos;
}

// Decompress reader->packed to reader->raw, which has room for `raw` bytes. Returns false
// if it is not a zstd frame of exactly `raw` bytes.
static bool unpack(struct hp_block_reader *reader, size_t raw) {
    reader->unpacker = reader->unpacker ? reader->unpacker : ZSTD_createDCtx();
    if (!reader->unpacker) {
        hp_out_of_memory(raw);
    }
    return ZSTD_decompressDCtx(reader->unpacker, reader->raw.at, raw, reader->packed.at,
                               reader->packed.count) == raw;
}

static void free_codecs(struct ZSTD_CCtx_s *packer, struct ZSTD_DCtx_s *unpacker) {
    ZSTD_freeCCtx(packer);
    ZSTD_freeDCtx(unpacker);
}
#else
bool hp_blocks_are_built(void) {
    return false;
}

static size_t pack(struct hp_block_writer *writer) {
    writer->is_too_large = true; // partials are refused before this is reached
    return 0;
}

static bool unpack(struct hp_block_reader *reader, size_t raw) {
    (void)reader;
    (void)raw;
    return false;
}

static void free_codecs(struct ZSTD_CCtx_s *packer, struct ZSTD_DCtx_s *unpacker) {
    (void)packer;
    (void)unpacker;
}
#endif

// --- writing ---------------------------------------------------------------------------

// Write bytes to the sink, and count them.
static void put(struct hp_block_writer *writer, const void *bytes, size_t size) {
    hp_sink_put(writer->sink, bytes, size);
    writer->bytes += size;
}

void hp_block_writer_init(struct hp_block_writer *writer, struct hp_sink *sink) {
    uint8_t version[HEAD - sizeof magic];
    *writer = (struct hp_block_writer){.sink = sink};
    hp_sha256_init(&writer->sha);
    store(version, MAJOR, 2);
    store(version + 2, MINOR, 2);
    put(writer, magic, sizeof magic);
    put(writer, version, sizeof version);
}

// Compress and write the current block, and add it to the digest.
static void write_block(struct hp_block_writer *writer) {
    uint8_t head[HP_BLOCK_HEAD], sum[CHECKSUM];
    struct hp_bytes *raw = &writer->raw, *packed = &writer->packed;
    size_t size = pack(writer);
    store(head, writer->section, 2);
    store(head + 2, writer->flags, 2);
    store(head + 4, raw->count, 4);
    store(head + 8, size, 4);
    store(sum, checksum(head, packed->at, size), CHECKSUM);
    put(writer, head, sizeof head);
    put(writer, packed->at, size);
    put(writer, sum, sizeof sum);
    if (!writer->is_run) {
        digest_block(&writer->sha, head, writer->flags, raw);
    }
    writer->count++;
    raw->count = 0;
}

void hp_block_copy(struct hp_block_writer *writer, const struct hp_block_reader *from) {
    hp_block_cut(writer);
    put(writer, from->head, sizeof from->head);
    put(writer, from->packed.at, from->packed.count + CHECKSUM);
    if (!writer->is_run) {
        digest_block(&writer->sha, from->head, from->flags, &from->raw);
    }
    writer->count++;
}

void hp_block_cut(struct hp_block_writer *writer) {
    if (writer->raw.count > 0) {
        write_block(writer);
    }
}

void hp_block_row(struct hp_block_writer *writer, unsigned section, unsigned flags,
                  const struct hp_bytes *row) {
    if (section != writer->section) {
        hp_block_cut(writer);
        writer->section = section;
        writer->flags = flags;
    }
    hp_vec_append(&writer->raw, row->at, row->count);
    writer->is_too_large |= writer->raw.count > HP_BLOCK_MOST;
    if (writer->raw.count >= HP_BLOCK_FULL && !writer->is_too_large) {
        write_block(writer);
    }
}

size_t hp_block_columns_size(const struct hp_bytes *columns, size_t count) {
    size_t size = 0;
    for (size_t i = 0; i < count; i++) {
        size += columns[i].count;
    }
    return size;
}

// Write columns as one block. Each long column is compressed separately, because its
// bytes are of another kind than those of the other columns.
void hp_block_columns(struct hp_block_writer *writer, unsigned section,
                      struct hp_bytes *columns, size_t count) {
    if (hp_block_columns_size(columns, count) == 0) {
        return;
    }
    hp_block_cut(writer);
    writer->section = section;
    writer->flags = HP_BLOCK_REQUIRED;
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && (columns[i].count >= CUT_FROM || columns[i - 1].count >= CUT_FROM)) {
            hp_vec_push(&writer->cuts, writer->raw.count);
        }
        hp_put_number(&writer->raw, columns[i].count);
        hp_vec_append(&writer->raw, columns[i].at, columns[i].count);
    }
    for (size_t i = 0; i < count; i++) {
        columns[i].count = 0;
    }
    writer->is_too_large |= writer->raw.count > HP_BLOCK_MOST;
    if (!writer->is_too_large) {
        write_block(writer);
    }
}

int hp_block_writer_end(struct hp_block_writer *writer, struct hp_err *err) {
    struct hp_bytes end = {0};
    uint8_t *at;
    if (writer->is_too_large) {
        return hp_fail(
            err, HP_E_LIMIT,
            HP_MESSAGE("partial-text-too-long",
                       "a stack or a text is too large for an aggregate file"));
    }
    hp_block_cut(writer);
    hp_vec_reserve(&end, END);
    at = end.at;
    store(at, writer->count, 8);
    store(at + 8, writer->bytes, 8);
    hp_sha256_end(&writer->sha, at + 16);
    store(at + 16 + HP_SHA256_SIZE, MAJOR | MINOR << 16, 4);
    end.count = END;
    hp_block_row(writer, 0, HP_BLOCK_REQUIRED | HP_BLOCK_NO_DIGEST, &end);
    hp_block_cut(writer);
    hp_vec_done(&end);
    return HP_OK;
}

void hp_block_writer_done(struct hp_block_writer *writer) {
    free_codecs(writer->packer, NULL);
    hp_vec_done(&writer->raw);
    hp_vec_done(&writer->packed);
    hp_vec_done(&writer->cuts);
}

// --- reading ---------------------------------------------------------------------------

bool hp_is_partial(struct hp_span head) {
    return head.size >= sizeof magic && memcmp(head.at, magic, sizeof magic) == 0;
}

// Set an error that says that the file is truncated. Returns HP_E_FORMAT.
static int fail_cut(struct hp_err *err) {
    return hp_fail(err, HP_E_FORMAT,
                   HP_MESSAGE("damaged-partial-cut",
                              "damaged: this aggregate file is truncated"));
}

// Read exactly `size` bytes; fail if the file ends before.
static int take(struct hp_block_reader *reader, void *bytes, size_t size,
                struct hp_err *err) {
    size_t got = 0;
    int ret = reader->source.read(reader->source.data, bytes, size, &got, err);
    reader->bytes += got;
    return ret == HP_OK && got < size ? fail_cut(err) : ret;
}

int hp_block_reader_init(struct hp_block_reader *reader, struct hp_block_source source,
                         struct hp_err *err) {
    uint8_t head[HEAD];
    *reader = (struct hp_block_reader){.source = source};
    if (!hp_blocks_are_built()) {
        return hp_fail(
            err, HP_E_UNSUPPORTED,
            HP_MESSAGE("partial-without-zstd",
                       "this build cannot read aggregate files: it lacks zstd"));
    }
    hp_sha256_init(&reader->sha);
    int ret = take(reader, head, sizeof head, err);
    if (ret == HP_OK && memcmp(head, magic, sizeof magic) != 0) {
        return hp_fail(err, HP_E_FORMAT,
                       HP_MESSAGE("damaged-partial-start",
                                  "damaged: it does not begin like an aggregate file"));
    }
    reader->version = load(head + sizeof magic, 4);
    unsigned major = (unsigned)load(head + sizeof magic, 2);
    if (ret == HP_OK && (major < OLDEST || major > MAJOR)) {
        return hp_fail(
            err, HP_E_UNSUPPORTED,
            HP_MESSAGE(
                "partial-version",
                "an aggregate file of version %u.%u. This program reads %d and %d"),
            major, (unsigned)load(head + 10, 2), OLDEST, MAJOR);
    }
    return ret;
}

// Verify the checksum of the current block, and decompress it to reader->raw; fail if
// that has not exactly `raw` bytes.
static int check_block(struct hp_block_reader *reader, size_t raw, struct hp_err *err) {
    const struct hp_bytes *packed = &reader->packed;
    uint64_t sum = load(packed->at + packed->count, CHECKSUM);
    if (checksum(reader->head, packed->at, packed->count) != sum) {
        return hp_fail(err, HP_E_FORMAT,
                       HP_MESSAGE("damaged-block-checksum",
                                  "damaged: block %llu has another checksum"),
                       (unsigned long long)reader->count + 1);
    }
    reader->raw.count = 0;
    hp_vec_reserve(&reader->raw, raw);
    if (!unpack(reader, raw)) {
        return hp_fail(err, HP_E_FORMAT,
                       HP_MESSAGE("damaged-block-packed",
                                  "damaged: block %llu does not unpack"),
                       (unsigned long long)reader->count + 1);
    }
    reader->raw.count = raw;
    return HP_OK;
}

// Verify the last block: numbers of blocks and bytes, digest and version must match, and
// nothing may follow it. `before` is the number of bytes read before this block.
static int check_end(struct hp_block_reader *reader, uint64_t before,
                     struct hp_err *err) {
    const struct hp_bytes *raw = &reader->raw;
    uint8_t more;
    size_t got = 0;
    hp_sha256_end(&reader->sha, reader->digest);
    if (raw->count != END || load(raw->at + 16 + HP_SHA256_SIZE, 4) != reader->version ||
        load(raw->at, 8) != reader->count || load(raw->at + 8, 8) != before ||
        memcmp(raw->at + 16, reader->digest, HP_SHA256_SIZE) != 0) {
        return hp_fail(err, HP_E_FORMAT,
                       HP_MESSAGE("damaged-block-count",
                                  "damaged: its end lists other blocks"));
    }
    int ret = reader->source.read(reader->source.data, &more, 1, &got, err);
    return ret == HP_OK && got > 0
               ? hp_fail(err, HP_E_FORMAT,
                         HP_MESSAGE("damaged-partial-end",
                                    "damaged: something follows its end"))
               : ret;
}

int hp_block_next(struct hp_block_reader *reader, struct hp_err *err) {
    uint8_t *head = reader->head;
    uint64_t before = reader->bytes;
    int ret = take(reader, head, HP_BLOCK_HEAD, err);
    if (ret != HP_OK) {
        return ret;
    }
    reader->section = (unsigned)load(head, 2);
    reader->flags = (unsigned)load(head + 2, 2);
    size_t raw = load(head + 4, 4), packed = load(head + 8, 4);
    if (raw == 0 || raw > HP_BLOCK_MOST || packed > HP_BLOCK_PACKED_MOST) {
        return hp_fail(err, HP_E_FORMAT,
                       HP_MESSAGE("damaged-block-size",
                                  "damaged: a block of %zu bytes, in %zu"),
                       raw, packed);
    }
    reader->packed.count = 0;
    hp_vec_reserve(&reader->packed, packed + CHECKSUM);
    ret = take(reader, reader->packed.at, packed + CHECKSUM, err);
    reader->packed.count = packed;
    ret = ret == HP_OK ? check_block(reader, raw, err) : ret;
    if (ret != HP_OK) {
        return ret;
    }
    if (reader->section == 0) {
        return check_end(reader, before, err);
    }
    if (!reader->is_run) {
        digest_block(&reader->sha, head, reader->flags, &reader->raw);
    }
    reader->count++;
    return HP_OK;
}

void hp_block_reader_done(struct hp_block_reader *reader) {
    free_codecs(NULL, reader->unpacker);
    hp_vec_done(&reader->raw);
    hp_vec_done(&reader->packed);
}
