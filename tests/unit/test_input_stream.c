// Tests of hp_input_stream, which reads plain, gzip and zstd input in windows.
#include "input/input_stream.h"

#include "base/digest.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

static struct hp_input_stream stream;
static struct hp_err err;
static char path[64];

// Create an empty file; `path` leads to it.
static int new_file(void) {
    int fd = memfd_create("text", 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return fd;
}

// A text of `count` lines, each with its number; the caller frees it.
static char *numbers(int count, size_t *size) {
    char *all;
    FILE *file = open_memstream(&all, size);
    for (int i = 0; i < count; i++) {
        fprintf(file, "line %d\n", i);
    }
    fclose(file);
    return all;
}

// Append a gzip member to a file.
static void write_gzip(int fd, const char *bytes, size_t size) {
    gzFile file = gzdopen(dup(fd), "wb");
    cr_assert_eq(gzwrite(file, bytes, (unsigned)size), (int)size);
    gzclose(file);
    lseek(fd, 0, SEEK_END);
}

// Whether the input is `wanted`.  Reads all windows, and consumes two thirds of each.
static bool reads_as(const char *wanted, size_t size) {
    size_t at = 0;
    int ret = hp_input_stream_open(&stream, path, 0, &err);
    while (ret == HP_OK) {
        size_t done = stream.at_end ? stream.size : stream.size - stream.size / 3;
        if (at + done > size || memcmp(stream.at, wanted + at, done) != 0) {
            break;
        }
        at += done;
        if (stream.at_end) {
            break;
        }
        ret = hp_input_stream_slide(&stream, done, &err);
    }
    hp_input_stream_close(&stream);
    return ret == HP_OK && at == size;
}

Test(input_stream, comes_in_windows_and_whole) {
    size_t size;
    char *all = numbers(300000, &size);
    int fd = new_file();
    cr_assert_eq(write(fd, all, size), (ssize_t)size);
    cr_expect(reads_as(all, size));
    free(all);
    close(fd);
}

Test(input_stream, begins_a_page_however_large_its_window_is) {
    size_t size;
    char *all = numbers(300000, &size);
    struct hp_span bytes = {all, size};
    cr_assert_eq(hp_input_stream_open_bytes(&stream, bytes, 0, &err), HP_OK);
    while (!stream.at_end) {
        cr_expect_eq((uintptr_t)stream.at % 4096, 0);
        cr_assert_eq(hp_input_stream_slide(&stream, 0, &err), HP_OK);
    }
    cr_expect_eq(stream.size, size);
    cr_expect_eq(memcmp(stream.at, all, size), 0);
    hp_input_stream_done(&stream);
    free(all);
}

Test(input_stream, comes_in_windows_of_a_size_whatever_room_another_left) {
    size_t size;
    char *all = numbers(300000, &size);
    struct hp_span bytes = {all, size};
    cr_assert_eq(hp_input_stream_open_bytes(&stream, bytes, 0, &err), HP_OK);
    while (!stream.at_end) {
        cr_assert_eq(hp_input_stream_slide(&stream, 0, &err), HP_OK);
    }
    hp_input_stream_close(&stream);
    cr_assert_gt(stream.capacity, size);

    stream.window = 1000;
    cr_assert_eq(hp_input_stream_open_bytes(&stream, bytes, 0, &err), HP_OK);
    for (int i = 0; i < 3; i++) {
        cr_expect_eq(stream.size, 1000);
        cr_assert_eq(hp_input_stream_slide(&stream, stream.size, &err), HP_OK);
    }
    hp_input_stream_done(&stream);
    free(all);
}

// Append a zstd frame to a file.
static void write_zstd(int fd, const char *bytes, size_t size) {
    size_t room = ZSTD_compressBound(size);
    char *packed = malloc(room);
    size_t packed_size = ZSTD_compress(packed, room, bytes, size, 3);
    cr_assert_eq(write(fd, packed, packed_size), (ssize_t)packed_size);
    free(packed);
}

// Append a skippable frame with `size` bytes.
static void write_skippable(int fd, int kind, unsigned size) {
    unsigned char head[8] = {(unsigned char)(0x50 + kind), 0x2a, 0x4d, 0x18};
    for (int i = 0; i < 4; i++) {
        head[4 + i] = (unsigned char)(size >> 8 * i);
    }
    char *bytes = calloc(size, 1);
    cr_assert_eq(write(fd, head, sizeof head), (ssize_t)sizeof head);
    cr_assert_eq(write(fd, bytes, size), (ssize_t)size);
    free(bytes);
}

Test(input_stream, of_zstd_leaves_out_skippable_frames_in_front_between_and_behind) {
    size_t size;
    char *all = numbers(300000, &size);
    int fd = new_file();
    write_skippable(fd, 0, 0);
    write_skippable(fd, 15, 3 * HP_INPUT_STREAM_WINDOW);
    write_zstd(fd, all, size / 3);
    write_skippable(fd, 7, 3);
    write_zstd(fd, all + size / 3, size - size / 3);
    write_skippable(fd, 0, 4);
    cr_expect(reads_as(all, size));
    free(all);
    close(fd);
}

// Expect that an input of several parts is read as one text.
static void expect_parts_are_one(void write_part(int, const char *, size_t)) {
    size_t size;
    char *all = numbers(300000, &size);
    int fd = new_file();
    write_part(fd, all, size / 3);
    write_part(fd, all + size / 3, 1);
    write_part(fd, all + size / 3 + 1, size - size / 3 - 1);
    cr_expect(reads_as(all, size));
    free(all);
    close(fd);
}

Test(input_stream, of_several_gzip_members_is_one) {
    expect_parts_are_one(write_gzip);
}

Test(input_stream, of_several_zstd_frames_is_one) {
    expect_parts_are_one(write_zstd);
}

// Expect an error wherever the file is truncated after its magic number; shorter files
// are not recognised.
static void expect_cut_is_an_error(void write_part(int, const char *, size_t),
                                   off_t magic, const char *message) {
    hp_show_message_codes();
    size_t size;
    char *all = numbers(200, &size);
    int fd = new_file();
    write_part(fd, all, size);
    off_t end = lseek(fd, 0, SEEK_END);
    for (off_t cut = end - 1; cut > magic; cut--) {
        cr_assert_eq(ftruncate(fd, cut), 0);
        int ret = hp_input_stream_open(&stream, path, 0, &err);
        hp_input_stream_close(&stream);
        cr_expect_eq(ret, HP_E_FORMAT, "cut at %ld", (long)cut);
        cr_expect_str_eq(err.message, message);
    }
    free(all);
    close(fd);
}

// libdeflate decompresses a short file at once and a longer one in parts.  Without
// libdeflate zlib does both.
Test(input_stream, of_gzip_is_the_same_however_short_it_is) {
    static const size_t sizes[] = {0,       1,       100,     1000000,
                                   4194303, 4194304, 4194305, 5000000};
    size_t size;
    char *all = numbers(500000, &size);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        cr_assert_leq(sizes[i], size);
        int fd = new_file();
        write_gzip(fd, all, sizes[i]);
        cr_expect(reads_as(all, sizes[i]), "%zu: %s", sizes[i], err.message);
        close(fd);
    }
    free(all);
}

Test(input_stream, of_gzip_that_lies_about_its_size_is_an_error) {
    hp_show_message_codes();
    static const unsigned char lies[][4] = {
        {0}, {1}, {0xff, 0xff, 0x3f}, {0xff, 0xff, 0xff, 0xff}, {0, 0, 0, 0x80}};
    size_t size;
    char *all = numbers(2000, &size);
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        int fd = new_file();
        write_gzip(fd, all, size);
        off_t end = lseek(fd, 0, SEEK_END);
        cr_assert_eq(pwrite(fd, lies[i], 4, end - 4), 4);
        cr_expect_eq(hp_input_stream_open(&stream, path, 0, &err), HP_E_FORMAT);
        cr_expect_str_eq(err.message, "damaged-gzip: incorrect length check");
        cr_expect_lt(stream.capacity, (size_t)1 << 20);
        hp_input_stream_close(&stream);
        close(fd);
    }
    free(all);
}

// libdeflate ignores the CRC of a header; zlib checks it.
Test(input_stream, of_gzip_whose_header_is_damaged_is_an_error) {
    hp_show_message_codes();
    unsigned char packed[1000];
    gz_header header = {.hcrc = 1};
    unsigned char text[] = "text";
    z_stream z = {.next_in = text, .avail_in = 4};
    z.next_out = packed;
    z.avail_out = sizeof packed;
    cr_assert_eq(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    deflateSetHeader(&z, &header);
    cr_assert_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
    packed[10] ^= 1;
    int fd = new_file();
    cr_assert_eq(write(fd, packed, z.total_out), (ssize_t)z.total_out);
    cr_expect_eq(hp_input_stream_open(&stream, path, 0, &err), HP_E_FORMAT);
    cr_expect_str_eq(err.message, "damaged-gzip: header crc mismatch");
    hp_input_stream_close(&stream);
    deflateEnd(&z);
    close(fd);
}

// The decompressor is reused from one file to the next.
Test(input_stream, that_was_damaged_or_packed_otherwise_leaves_nothing_to_the_next) {
    size_t size;
    char *all = numbers(20000, &size);
    for (int i = 0; i < 6; i++) {
        int fd = new_file();
        (i % 3 == 1 ? write_zstd : write_gzip)(fd, all, size);
        if (i % 2) {
            cr_assert_eq(ftruncate(fd, lseek(fd, 0, SEEK_END) / 2), 0);
        }
        cr_expect_eq(reads_as(all, size), i % 2 == 0, "%d", i);
        close(fd);
    }
    hp_input_stream_done(&stream);
    free(all);
}

// A decompressor takes more than 32 KiB.  Builds with sanitizers report no numbers, but
// find leaks themselves.
Test(input_stream, that_was_packed_keeps_no_memory) {
    size_t size, before = 0;
    char *all = numbers(20000, &size);
    for (int i = 0; i < 34; i++) {
        int fd = new_file();
        (i % 2 ? write_zstd : write_gzip)(fd, all, size);
        cr_expect(reads_as(all, size));
        hp_input_stream_done(&stream);
        close(fd);
        before = i == 1 ? mallinfo2().uordblks : before;
    }
    cr_expect_lt(mallinfo2().uordblks, before + 32 * 1024);
    free(all);
}

Test(input_stream, of_a_cut_gzip_file_is_an_error_wherever_it_is_cut) {
    expect_cut_is_an_error(write_gzip, 2, "damaged-gzip: it ends too early");
}

Test(input_stream, of_a_cut_zstd_file_is_an_error_wherever_it_is_cut) {
    expect_cut_is_an_error(write_zstd, 4, "damaged-zstd-ends-early");
}

Test(input_stream, behind_a_zstd_frame_that_is_none_is_an_error) {
    int fd = new_file();
    write_zstd(fd, "text", 4);
    cr_assert_eq(write(fd, "garbage", 7), 7);
    cr_expect_eq(hp_input_stream_open(&stream, path, 0, &err), HP_E_FORMAT);
    hp_input_stream_close(&stream);
    close(fd);
}

Test(input_stream, of_zstd_that_is_more_than_allowed_is_refused) {
    enum {
        SIZE = 64 << 20
    };

    int fd = new_file();
    char *zeros = calloc(1, SIZE);
    write_zstd(fd, zeros, SIZE);
    free(zeros);
    int ret = hp_input_stream_open(&stream, path, 8 << 20, &err);
    while (ret == HP_OK && !stream.at_end) {
        ret = hp_input_stream_slide(&stream, 0, &err);
    }
    cr_expect_eq(ret, HP_E_LIMIT);
    cr_expect_lt(stream.capacity, (size_t)40 << 20);
    hp_input_stream_done(&stream);
    close(fd);
}

// The frame asks for a window of 2^31 bytes.
Test(input_stream, of_zstd_may_not_ask_for_memory_beyond_reason) {
    static const char frame[] = "\x28\xb5\x2f\xfd\x00\xa8\x01\x00\x00";
    int fd = new_file();
    cr_assert_eq(write(fd, frame, sizeof frame - 1), sizeof frame - 1);
    cr_expect_eq(hp_input_stream_open(&stream, path, 0, &err), HP_E_FORMAT);
    cr_expect(strstr(err.message, "too much memory") != NULL, "%s", err.message);
    hp_input_stream_close(&stream);
    close(fd);
}

Test(input_stream, that_is_more_than_allowed_is_refused_before_it_is_in_memory) {
    int fd = new_file();
    gzFile file = gzdopen(dup(fd), "wb");
    static const char zeros[1 << 20];
    for (int i = 0; i < 64; i++) {
        gzwrite(file, zeros, sizeof zeros);
    }
    gzclose(file);
    int ret = hp_input_stream_open(&stream, path, 8 << 20, &err);
    while (ret == HP_OK && !stream.at_end) {
        ret = hp_input_stream_slide(&stream, 0, &err);
    }
    cr_expect_eq(ret, HP_E_LIMIT);
    cr_expect_lt(stream.capacity, (size_t)40 << 20);
    hp_input_stream_done(&stream);
    close(fd);
}

// The limit is the larger of 32 MiB and 200 times the compressed size.  The file expands
// 290 times, to 40 MiB.
Test(input_stream, R07_is_a_bomb_from_200_times_its_packed_size_on) {
    int fd = new_file();
    gzFile file = gzdopen(dup(fd), "wb");
    static char bytes[1 << 20];
    srandom(7);
    for (size_t i = 0; i < 100000; i++) {
        bytes[i] = (char)random();
    }
    gzwrite(file, bytes, 100000);
    memset(bytes, 0, sizeof bytes);
    for (int i = 0; i < 40; i++) {
        gzwrite(file, bytes, sizeof bytes);
    }
    gzclose(file);
    int ret = hp_input_stream_open(&stream, path, 0, &err);
    while (ret == HP_OK && !stream.at_end) {
        ret = hp_input_stream_slide(&stream, stream.size, &err);
    }
    cr_expect_eq(ret, HP_E_LIMIT);
    hp_input_stream_done(&stream);
    close(fd);
}

Test(input_stream, that_is_not_there_or_a_folder_is_an_io_error) {
    cr_expect_eq(hp_input_stream_open(&stream, "/nowhere/at/all", 0, &err), HP_E_IO);
    hp_input_stream_close(&stream);
    cr_expect_eq(hp_input_stream_open(&stream, "/", 0, &err), HP_E_IO);
    hp_input_stream_close(&stream);
}

static void on_alarm(int number) {
    (void)number;
}

// Send a signal every 100 us, which interrupts read().
static void start_signals(void) {
    struct sigaction action = {.sa_handler = on_alarm}; // without SA_RESTART
    struct itimerval often = {{0, 100}, {0, 100}};
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
}

// A thread that writes pieces with pauses.
struct slow_writer {
    int fd;
    const char *bytes;
    size_t size, piece;
};

static void *write_slowly(void *data) {
    struct slow_writer *writer = data;
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL); // signals are for the reader
    for (size_t at = 0; at < writer->size; at += writer->piece) {
        size_t left = writer->size - at;
        size_t piece = left < writer->piece ? left : writer->piece;
        cr_expect_eq(write(writer->fd, writer->bytes + at, piece), (ssize_t)piece);
        usleep(200);
    }
    close(writer->fd);
    return NULL;
}

// Read from a pipe while signals arrive; with O_NONBLOCK the pipe is empty most of the
// time.
static void read_from_pipe(size_t lines, size_t piece, int flags) {
    int ends[2];
    struct slow_writer writer = {.piece = piece};
    char *all = numbers((int)lines, &writer.size);
    pthread_t thread;
    cr_assert_eq(pipe(ends), 0);
    fcntl(ends[0], F_SETFL, flags);
    writer.fd = ends[1];
    writer.bytes = all;
    pthread_create(&thread, NULL, write_slowly, &writer);
    start_signals();
    cr_assert_eq(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
    cr_expect_eq(hp_input_stream_open(&stream, "-", 0, &err), HP_OK);
    setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {0, 0}}, NULL);
    pthread_join(thread, NULL);
    cr_assert_eq(stream.size, writer.size);
    cr_expect(stream.at_end);
    cr_expect_eq(memcmp(stream.at, all, writer.size), 0, "pieces of %zu", piece);
    hp_input_stream_close(&stream);
    close(ends[0]);
    free(all);
}

Test(input_stream, R18_comes_whole_through_signals_and_short_reads) {
    read_from_pipe(50, 1, 0);
    read_from_pipe(200, 7, 0);
    read_from_pipe(5000, 511, 0);
    read_from_pipe(5000, 513, O_NONBLOCK);
}

Test(input_stream, R22_that_is_written_to_while_it_is_read_has_changed) {
    size_t size;
    char *all = numbers(100000, &size);
    int fd = new_file();
    cr_assert_eq(write(fd, all, size), (ssize_t)size);
    cr_assert_eq(hp_input_stream_open(&stream, path, 0, &err), HP_OK);
    cr_expect(!hp_input_stream_has_changed(&stream));
    cr_assert_eq(write(fd, "more\n", 5), 5);
    cr_expect(hp_input_stream_has_changed(&stream));
    hp_input_stream_close(&stream);
    cr_assert_eq(hp_input_stream_open(&stream, path, 0, &err), HP_OK);
    cr_expect(!hp_input_stream_has_changed(&stream));
    usleep(20000); // longer than the resolution of file times
    cr_assert_eq(pwrite(fd, "LINE", 4, 0), 4);
    cr_expect(hp_input_stream_has_changed(&stream), "of the same size");
    hp_input_stream_close(&stream);
    close(fd);
    free(all);
}

Test(digest, does_not_depend_on_how_a_text_is_cut) {
    size_t size;
    char *all = numbers(50, &size);
    struct hp_digest whole = hp_digest_of((struct hp_span){all, size});
    struct hp_digester digester = {0};
    for (size_t step = 1; step < 100; step++) {
        hp_digester_start(&digester);
        for (size_t at = 0; at < size; at += step) {
            size_t left = size - at;
            hp_digester_add(&digester,
                            (struct hp_span){all + at, step < left ? step : left});
        }
        struct hp_digest pieces = hp_digester_end(&digester);
        cr_expect_eq(memcmp(&pieces, &whole, sizeof whole), 0, "step %zu", step);
    }
    hp_digester_done(&digester);
    all[size / 2] ^= 1;
    struct hp_digest other = hp_digest_of((struct hp_span){all, size});
    cr_expect_neq(memcmp(&other, &whole, sizeof whole), 0);
    free(all);
}
