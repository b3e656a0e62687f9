// zstd frames have a checksum, so that a damaged table is noticed by its reader.
#include "rows/packed_table.h"

#include "report/pprof/gzip.h"

#include <errno.h>
#include <stdlib.h>

#ifdef HP_WITH_ZSTD
#    include <zstd.h>
#endif

struct hp_packed_table {
    struct hp_sink *plain, *out;
    enum hp_packing packing;
    struct hp_gzip *gzip;        // for HP_PACKING_GZIP
    struct ZSTD_CCtx_s *context; // for HP_PACKING_ZSTD
    char buffer[16384];          // compressed bytes
};

// Return -1 with errno if the sink behind the table has failed.
static int status_of(const struct hp_packed_table *table) {
    errno = table->out->error;
    return table->out->error ? -1 : 0;
}

// Pass bytes on: an hp_write_fn.
static int write_plain(void *data, const void *bytes, size_t size) {
    struct hp_packed_table *table = data;
    hp_sink_put(table->out, bytes, size);
    return status_of(table);
}

#ifdef HP_WITH_ZSTD
enum {
    LEVEL = 3, // compression level: level 1 makes tables 15 % larger
};

// Compress bytes; with ZSTD_e_end also end the frame.
static void squeeze(struct hp_packed_table *table, const void *bytes, size_t size,
                    ZSTD_EndDirective how) {
    ZSTD_inBuffer in = {bytes, size, 0};
    size_t left;
    do {
        ZSTD_outBuffer out = {table->buffer, sizeof table->buffer, 0};
        left = ZSTD_compressStream2(table->context, &out, &in, how);
        if (ZSTD_isError(left)) {
            hp_out_of_memory(sizeof table->buffer); // it cannot fail in another way
        }
        hp_sink_put(table->out, table->buffer, out.pos);
    } while (in.pos < in.size || (how == ZSTD_e_end && left > 0));
}

// Compress bytes by zstd: an hp_write_fn.
static int write_zstd(void *data, const void *bytes, size_t size) {
    struct hp_packed_table *table = data;
    squeeze(table, bytes, size, ZSTD_e_continue);
    return status_of(table);
}

static hp_write_fn *begin_zstd(struct hp_packed_table *table) {
    table->context = ZSTD_createCCtx();
    if (!table->context ||
        ZSTD_isError(
            ZSTD_CCtx_setParameter(table->context, ZSTD_c_compressionLevel, LEVEL)) ||
        ZSTD_isError(ZSTD_CCtx_setParameter(table->context, ZSTD_c_checksumFlag, 1))) {
        hp_out_of_memory(sizeof table->buffer);
    }
    return write_zstd;
}

static void end_zstd(struct hp_packed_table *table) {
    if (!table->out->error) {
        squeeze(table, NULL, 0, ZSTD_e_end);
    }
    ZSTD_freeCCtx(table->context);
}
#else
// A build without zstd writes no partials, and therefore no batches.
static hp_write_fn *begin_zstd(struct hp_packed_table *table) {
    table->out->error = ENOTSUP;
    return write_plain;
}

static void end_zstd(struct hp_packed_table *table) {
    (void)table;
}
#endif

struct hp_packed_table *hp_packed_table_new(struct hp_sink *plain, struct hp_sink *out,
                                            enum hp_packing packing) {
    struct hp_packed_table *table = hp_alloc(sizeof *table);
    *table = (struct hp_packed_table){.plain = plain, .out = out, .packing = packing};
    if (packing == HP_PACKING_GZIP) {
        table->gzip = hp_gzip_new(out, 0);
        hp_sink_init(plain, hp_gzip_write, table->gzip);
    } else {
        hp_sink_init(plain, packing == HP_PACKING_ZSTD ? begin_zstd(table) : write_plain,
                     table);
    }
    return table;
}

void hp_packed_table_finish(struct hp_packed_table *table) {
    struct hp_err err;
    if (table->packing == HP_PACKING_GZIP) {
        hp_gzip_finish(table->gzip, table->plain);
    } else {
        if (hp_sink_close(table->plain, &err) != HP_OK && !table->out->error) {
            table->out->error = err.sys ? err.sys : EIO;
        }
        if (table->packing == HP_PACKING_ZSTD) {
            end_zstd(table);
        }
    }
    free(table);
}
