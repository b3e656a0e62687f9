// Tests of hp_foreign_fail(), which names files that are not dumps. The heads are of files
// that the programs themselves wrote.
#include "input/foreign.h"

#include "input/input_format.h"

#include <criterion/criterion.h>

#define HEAD(bytes) \
    { (bytes), sizeof(bytes) - 1 }

static const struct {
    struct hp_span head;
    const char *code;
} heads[] = {
    {HEAD(""), "file-empty"},
    {HEAD("JAVA PROFILE 1.0.2\0"), "file-java-hprof"},
    {HEAD("--- heapz 1 ---\n"), "file-heapz"},
    {HEAD("\0\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"), "file-cpu-profile"},
    {HEAD("\x1f\x8b\x08\0\0\0\0\0\0\3"), "file-packed-twice"},
    {HEAD("PK\3\4\x0a\0"), "file-zip"},
    {HEAD("\xfd"
          "7zXZ\0\0\4"),
     "file-xz"},
    {HEAD("BZh91AY&SY"), "file-bzip2"},
    {HEAD("\x04\x22\x4d\x18\x40\x40\xc0\x17"), "file-lz4"},
    {HEAD("memray\0\x0d\0\0\0"), "file-memray"},
    {HEAD("FLR\0\0\2\0\1"), "file-jfr"},
    {HEAD("PERFILE2h\0\0\0"), "file-perf-data"},
    {HEAD("\x0a\x07\x40\x96\x01\x18\x05\x50\x01\x0a\x02\x18\x05"), "file-perfetto"},
    {HEAD("# callgrind format\nversion: 1\n"), "file-callgrind"},
    {HEAD("desc: --massif-out-file=m\ncmd: ./a\ntime_unit: i\n"), "file-massif"},
    {HEAD("v 10400 3\nX ./a\nI 1000 5e298f\n"), "file-heaptrack"},
    {HEAD("___ Begin jemalloc statistics ___\n"), "file-malloc-stats-text"},
    {HEAD("{\"jemalloc\":{\"version\":\"5.3.0\"}}"), "file-malloc-stats"},
    {HEAD("{\n\t\"jemalloc\": {\n"), "file-malloc-stats"},
    {HEAD("{\"sample_interval\":4096,"), "file-prof-recent"},
    {HEAD("{\"head\":{\"callFrame\":{"), "file-v8-heapprofile"},
    {HEAD("{\"snapshot\":{\"meta\":{"), "file-v8-heapsnapshot"},
    {HEAD("{\"dhatFileVersion\":2\n,\"mode\""), "file-dhat"},
    {HEAD("{\"$schema\": \"https://www.speedscope.app/file"), "file-speedscope"},
    {HEAD("{\"$schema\":\"https://www.speedscope.app/file"), "file-speedscope"},
    {HEAD("{\"$schema\":\"https://example.org/other\""), "file-json"},
    {HEAD("{\"schema\": \"hprof-agg.top/2\", "), "file-report"},
    {HEAD(" [1, 2]\n"), "file-json"},
    {HEAD("{\"info\":{\"duration\":1"), "file-json"},
    {HEAD("HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nheap_v2/1\n"),
     "file-http-headers"},
    {HEAD("HTTP/1.1 404 Not Found\r\n\r\n"), "file-http-error"},
    {HEAD("HTTP/"), "file-http-error"},
    {HEAD("\n<!DOCTYPE html>\n"), "file-html"},
    {HEAD("<html><head><title>404"), "file-html"},
    {HEAD("55d0-55f0 r-xp 00001000 08:01 1234 /usr/bin/true\n"), "file-maps"},
    {HEAD("0x00007fef702c71c0 0x270 java.lang.Object get(int)\n"), "file-perf-map"},
    // None of these kinds.
    {HEAD("desc: I1 cache: 32768 B\ndesc: D1 cache\ncmd: ./a\n"),
     "not-a-profile-but-text: desc: I1 cache: 32768 B"},
    {HEAD("a;b 12 x\n"), "not-a-profile-but-text: a;b 12 x"},
    {HEAD("v 10400 3 x\n"), "not-a-profile-but-text: v 10400 3 x"},
    {HEAD("Profiling is not activated"),
     "not-a-profile-but-text: Profiling is not activated"},
    {HEAD("0123456789012345678901234567890123456789 and more"),
     "not-a-profile-but-text: 0123456789012345678901234567890123456789"},
    {HEAD("a\x1b[31m\n"), "not-a-profile"},
    {HEAD("\n"), "not-a-profile"},
    {HEAD("\x0a\x04\x08\x01\x10\x02"), "not-a-profile"}, // a sample type, no packet
    {HEAD("\x0a\x7f\x40\x96\x01"), "not-a-profile"},     // a packet beyond the window
};

Test(foreign, each_kind_is_recognized_by_its_first_bytes) {
    hp_show_message_codes();
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        struct hp_err err = {0};
        cr_expect_neq(hp_foreign_fail(heads[i].head, hp_input_formats, &err), HP_OK);
        size_t size = strlen(heads[i].code);
        cr_expect(strncmp(err.message, heads[i].code, size) == 0 &&
                      (err.message[size] == '\0' || err.message[size] == ':'),
                  "row %zu: %s, not %s", i, err.message, heads[i].code);
    }
}
