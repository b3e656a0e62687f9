// A compressor in front of a sink.
//
//     struct hp_gzip *gzip = hp_gzip_new(out, HP_GZIP_HELD);
//     hp_sink_init(&plain, hp_gzip_write, gzip);
//     ...
//     hp_gzip_finish(gzip, &plain);
//
// The same bytes in give the same bytes out: no time, no name of a file or system is kept.
#ifndef HP_REPORT_PPROF_GZIP_H
#define HP_REPORT_PPROF_GZIP_H

#include "base/sink.h"

enum {
    HP_GZIP_HELD = 4 << 20, // bytes, where nothing is known of what comes
};

// Up to `most_held` bytes all is held and packed at once, in half of the time, if libdeflate is there;
// what is longer is packed as it comes.
struct hp_gzip *hp_gzip_new(struct hp_sink *out, size_t most_held);

// A hp_write_fn.
int hp_gzip_write(void *gzip, const void *bytes, size_t size);

// What `plain` still holds, the end of the stream, and the end of both.  A failure of
// `plain`, which its user may have set, becomes one of the sink behind.
void hp_gzip_finish(struct hp_gzip *gzip, struct hp_sink *plain);

#endif
