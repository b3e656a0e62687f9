// A compressor in front of a sink.
//
//     struct hp_gzip *gzip = hp_gzip_new(out);
//     hp_sink_init(&plain, hp_gzip_write, gzip);
//     ...
//     hp_gzip_finish(gzip, &plain);
//
// The same bytes in give the same bytes out: no time, no name of a file or system is kept.
#ifndef HP_REPORT_PPROF_GZIP_H
#define HP_REPORT_PPROF_GZIP_H

#include "base/sink.h"

struct hp_gzip *hp_gzip_new(struct hp_sink *out);

// A hp_write_fn.
int hp_gzip_write(void *gzip, const void *bytes, size_t size);

// What `plain` still holds, the end of the stream, and the end of both.  A failure of
// `plain`, which its user may have set, becomes one of the sink behind.
void hp_gzip_finish(struct hp_gzip *gzip, struct hp_sink *plain);

#endif
