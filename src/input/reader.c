#include "input/reader.h"

#include "input/foreign.h"
#include "input/input_format.h"
#include "input/maps.h"
#include "input/scan.h"

#include <stdio.h>
#include <string.h>

// --- formats ---------------------------------------------------------------------------

static bool starts_with_elf(struct hp_span text) {
    return hp_span_starts(text, "\177ELF");
}

// The read function of formats that are recognized but not read here.
static int read_nothing(struct hp_scan *scan, struct hp_err *err) {
    (void)scan;
    (void)err;
    return HP_OK;
}

// The format of ELF files, which are accepted and ignored.
static const struct hp_input_format elf = {
    .name = "elf",
    .is = starts_with_elf,
    .read = read_nothing,
};

static bool starts_with_partial(struct hp_span text) {
    return hp_span_starts(text, "\x89HPA\r\n\x1a\n");
}

// The format of partials. They are no dumps: reader->take_partial reads them.
static const struct hp_input_format partial = {
    .name = "partial",
    .is = starts_with_partial,
    .read = read_nothing,
};

const struct hp_input_format *const hp_input_formats[] = {
    &hp_jemalloc_format, // "heap_v2/"
    &hp_classic_format,  // "heap profile:"
    &hp_symbols_format,  // "--- symbol": symbols before one of these
    &elf,
    &hp_folded_input_format, // lines that end in a number
    &hp_pprof_format,        // last, because protobuf has no magic number
    NULL,
};

const struct hp_input_format *hp_input_format_of(struct hp_span head) {
    const struct hp_input_format *const *format = hp_input_formats;
    while (*format && !(*format)->is(head)) {
        format++;
    }
    return *format;
}

// --- reading ---------------------------------------------------------------------------

void hp_reader_done(struct hp_reader *reader) {
    hp_input_stream_done(&reader->stream);
    hp_stack_lines_done(&reader->lines);
    hp_digester_done(&reader->content);
    hp_digester_done(&reader->samples);
}

// Returns the format of the text after a section of symbols, or NULL if none may follow
// it.
static const struct hp_input_format *format_after_symbols(struct hp_span text) {
    const struct hp_input_format *format = hp_input_format_of(text);
    bool may_be = format && format->is_text && format != &hp_symbols_format &&
                  format != &hp_folded_input_format;
    return may_be ? format : NULL;
}

// The format of a text that is a memory map and nothing else, which is read if
// reader->map_period asks for it.
static const struct hp_input_format map = {
    .name = "map",
    .is_text = true,
    .is = hp_maps_is,
    .read = hp_scan_read_map,
};

// Recognize the format of the opened stream, and read it into the empty dump.
static int read_open(struct hp_reader *reader, struct hp_dump *dump, struct hp_err *err) {
    struct hp_scan scan;
    int ret = HP_OK;
    hp_scan_init(&scan, &reader->stream, &reader->lines, dump);
    scan.content = reader->drops_content ? NULL : &reader->content;
    scan.samples = reader->single ? NULL : &reader->samples;
    hp_digester_start(&reader->content);
    hp_digester_start(&reader->samples);
    scan.keeps_labels = reader->keeps_labels;
    scan.keeps_threads = reader->keeps_threads;
    scan.folded_objects = reader->folded_objects;
    const struct hp_input_format *format = starts_with_partial(hp_scan_rest(&scan))
                                               ? &partial
                                               : hp_input_format_of(hp_scan_rest(&scan));
    if (format == &hp_symbols_format) {
        ret = format->read(&scan, err);
        format = format_after_symbols(hp_scan_rest(&scan));
    }
    if (ret != HP_OK) {
        return ret;
    }
    bool is_map = !format && reader->map_period > 0 && hp_maps_is(hp_scan_rest(&scan));
    format = is_map ? &map : format;
    reader->format = format;
    if (is_map) {
        dump->producer = HP_PRODUCER_MAP;
        dump->period = reader->map_period;
    }
    if (format == &partial) {
        return reader->take_partial
                   ? reader->take_partial(reader->data, &reader->stream, err)
                   : hp_fail(err, HP_E_UNSUPPORTED,
                             HP_MESSAGE("file-partial",
                                        "this is an aggregate file, not a dump"));
    }
    return format ? format->read(&scan, err)
                  : hp_foreign_fail(hp_scan_rest(&scan), hp_input_formats, err);
}

// Decide whether damage of the compressed data (reader->stream.err) is a failure. It is
// none for a text format: the text before the damage is used, and dump->cut holds the
// error. `ret` is the result of reading so far; returns the final one.
static int settle_err(const struct hp_reader *reader, int ret, struct hp_dump *dump,
                      struct hp_err *err) {
    if (reader->stream.err.code == HP_OK) {
        return ret;
    }
    if (ret != HP_OK || !reader->format->is_text) {
        *err = reader->stream.err;
        return err->code;
    }
    dump->cut = reader->stream.err;
    dump->cut.line = dump->damage.what ? dump->damage.line : dump->lines;
    return HP_OK;
}

// Read the stream, which was opened with the result `ret`, and close it. Sets
// *has_changed if the file was written to meanwhile.
static int read_opened(struct hp_reader *reader, int ret, struct hp_dump *dump,
                       bool *has_changed, struct hp_err *err) {
    hp_dump_clear(dump);
    reader->format = NULL;
    if (ret == HP_OK) {
        ret = read_open(reader, dump, err);
        hp_dump_settle_embedded(dump);
        ret = settle_err(reader, ret, dump, err);
    }
    *has_changed = hp_input_stream_has_changed(&reader->stream);
    hp_input_stream_close(&reader->stream);
    return ret;
}

// Open and read a file once.
static int read_once(struct hp_reader *reader, const char *path, struct hp_dump *dump,
                     bool *has_changed, struct hp_err *err) {
    reader->stream.ends_at_err = true;
    int ret = hp_input_stream_open(&reader->stream, path, reader->limit, err);
    return read_opened(reader, ret, dump, has_changed, err);
}

int hp_reader_read(struct hp_reader *reader, const char *path, struct hp_dump *dump,
                   bool *is_elf, struct hp_err *err) {
    bool has_changed, is_stdin = strcmp(path, "-") == 0;
    int ret = read_once(reader, path, dump, &has_changed, err);
    if (has_changed && !is_stdin &&
        reader->format != &partial) { // its writer may have finished by now
        ret = read_once(reader, path, dump, &has_changed, err);
    }
    *is_elf = reader->format == &elf;
    return !has_changed
               ? ret
               : hp_fail(err, HP_E_FORMAT,
                         HP_MESSAGE(
                             "dump-being-written",
                             "the file changed while it was read. Try again when it is "
                             "complete"));
}

int hp_reader_read_bytes(struct hp_reader *reader, struct hp_span bytes,
                         struct hp_dump *dump, bool *is_elf, struct hp_err *err) {
    bool never;
    reader->stream.ends_at_err = true;
    int ret = hp_input_stream_open_bytes(&reader->stream, bytes, reader->limit, err);
    ret = read_opened(reader, ret, dump, &never, err);
    *is_elf = reader->format == &elf;
    return ret;
}
