// A gzip compressor in front of a sink.
//
//     struct hp_gzip *gzip = hp_gzip_new(out, HP_GZIP_HELD);
//     hp_sink_init(&plain, hp_gzip_write, gzip);
//     ...
//     hp_gzip_finish(gzip, &plain);
//
// Equal input gives equal output: neither a time nor the name of a file or system is
// stored.
#ifndef HP_REPORT_PPROF_GZIP_H
#define HP_REPORT_PPROF_GZIP_H

#include "base/sink.h"

enum {
    // Value of `most_held` in hp_gzip_new() if nothing is known about the size of the
    // input.
    HP_GZIP_HELD = 4 << 20,
};

// Begin a gzip stream to `out`; hp_gzip_finish() frees it.  Up to `most_held` bytes are
// held in memory and compressed at once, which takes half of the time, if libdeflate is
// available.  Longer input is compressed as it arrives.
struct hp_gzip *hp_gzip_new(struct hp_sink *out, size_t most_held);

// Compress bytes: an hp_write_fn for a sink in front of the compressor, `gzip`.
int hp_gzip_write(void *gzip, const void *bytes, size_t size);

// Close the sink `plain`, which writes to the compressor; end the stream and free the
// compressor.  An error of `plain`, which may have been set by the code that uses it,
// becomes the error of the sink `out`.
void hp_gzip_finish(struct hp_gzip *gzip, struct hp_sink *plain);

#endif
