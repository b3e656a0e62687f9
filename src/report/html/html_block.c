// The data is written as JSON if it is small, with characters that HTML could misread as
// \u00XX; otherwise it is compressed by gzip and written in base64 (RFC 4648), in lines.
#include "report/html/html.h"
#include "report/pprof/gzip.h"

#include <errno.h>

enum {
    SMALL = 200000, // bytes up to which data is written plainly
    LINE = 120,     // characters of a line of base64; a multiple of 4
};

static const char begin[] =
    "<script id=\"data\" type=\"application/json\" data-encoding=\"";
static const char end[] = "</script>\n";

// --- plain --------------------------------------------------------------------------------

// The data of the page as plain text, while they are small enough.
struct small {
    HP_VEC(char) text;
};

// An hp_write_fn that keeps bytes; fails with EFBIG when there are too many.
static int keep_small(void *data, const void *bytes, size_t size) {
    struct small *small = data;
    if (small->text.count + size > SMALL) {
        errno = EFBIG;
        return -1;
    }
    hp_vec_append(&small->text, (const char *)bytes, size);
    return 0;
}

// Write JSON with the characters escaped that have a meaning in HTML: '<', '>' and '&',
// which occur in JSON inside of strings only.
void hp_html_put_inert(struct hp_sink *out, struct hp_span json) {
    const char *at = json.at;
    size_t start = 0;
    for (size_t i = 0; i < json.size; i++) {
        if (at[i] == '<' || at[i] == '>' || at[i] == '&') {
            hp_sink_put(out, at + start, i - start);
            hp_sink_print(out, "\\u%04x", (unsigned)at[i]);
            start = i + 1;
        }
    }
    hp_sink_put(out, at + start, json.size - start);
}

// --- packed -------------------------------------------------------------------------------

// State of encoding in base64.
struct base64 {
    struct hp_sink *out;
    unsigned char left[3]; // bytes of a group that is not complete
    // Bytes in `left`; characters in the present line.
    size_t count, column;
};

// Write a group of four characters, with "=" for missing bytes.
static void put_group(struct base64 *base64) {
    static const char digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *b = base64->left;
    char text[4] = {digits[b[0] >> 2], digits[(b[0] & 3) << 4 | b[1] >> 4],
                    digits[(b[1] & 15) << 2 | b[2] >> 6], digits[b[2] & 63]};
    for (size_t i = base64->count + 1; i < sizeof text; i++) {
        text[i] = '=';
    }
    hp_sink_put(base64->out, text, sizeof text);
    base64->column += sizeof text;
    if (base64->column == LINE) {
        hp_sink_text(base64->out, "\n");
        base64->column = 0;
    }
    memset(base64->left, 0, sizeof base64->left);
    base64->count = 0;
}

// An hp_write_fn that encodes bytes.
static int encode(void *data, const void *bytes, size_t size) {
    struct base64 *base64 = data;
    const unsigned char *at = bytes;
    for (size_t i = 0; i < size; i++) {
        base64->left[base64->count++] = at[i];
        if (base64->count == sizeof base64->left) {
            put_group(base64);
        }
    }
    errno = base64->out->error;
    return base64->out->error ? -1 : 0;
}

// Write the data compressed, calling `fill` once more.
static void put_packed(struct hp_sink *out, hp_html_fill *fill, const void *data) {
    struct base64 base64 = {.out = out};
    struct hp_sink packed, plain;
    struct hp_err err;
    hp_sink_init(&packed, encode, &base64);
    struct hp_gzip *gzip = hp_gzip_new(&packed, HP_GZIP_HELD);
    hp_sink_init(&plain, hp_gzip_write, gzip);
    fill(&plain, data);
    hp_gzip_finish(gzip, &plain);
    if (hp_sink_close(&packed, &err) != HP_OK && !out->error) {
        out->error = err.sys;
    }
    if (base64.count > 0) {
        put_group(&base64);
    }
}

void hp_html_block(struct hp_sink *out, hp_html_fill *fill, const void *data) {
    struct small small = {0};
    struct hp_sink plain;
    struct hp_err err;
    hp_sink_init(&plain, keep_small, &small);
    fill(&plain, data);
    bool is_small = hp_sink_close(&plain, &err) == HP_OK;
    hp_sink_text(out, begin);
    hp_sink_text(out, is_small ? "plain\">" : "gzip+base64\">\n");
    if (is_small) {
        hp_html_put_inert(out, (struct hp_span){small.text.at, small.text.count});
    }
    hp_vec_done(&small.text);
    if (!is_small) {
        put_packed(out, fill, data);
    }
    hp_sink_text(out, end);
}
