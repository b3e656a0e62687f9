// The least that unpacking gzip takes: each file, by zlib in windows, or with `-l` by libdeflate at once, into a
// buffer that was touched before.  Compiled with HAS_LIBDEFLATE it can do the latter.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#ifdef HAS_LIBDEFLATE
#    include <libdeflate.h>
#endif

enum {
    WINDOW = 256 << 10,
};

static unsigned char *packed, *text;
static size_t size, room;

// A whole file, and room for what is in it: the last four bytes tell.
static void read_file(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0) {
        perror(path);
        exit(1);
    }
    size = (size_t)ftell(file);
    rewind(file);
    packed = realloc(packed, size);
    if (!packed || size < 18 || fread(packed, 1, size, file) != size) {
        fprintf(stderr, "%s: no gzip\n", path);
        exit(1);
    }
    fclose(file);
    uint32_t told;
    memcpy(&told, packed + size - 4, sizeof told);
    if (told > room) {
        room = told;
        text = realloc(text, room);
        memset(text, 1, room);
    }
}

static size_t by_zlib(void) {
    z_stream stream = {.next_in = packed, .avail_in = (uInt)size};
    int status = inflateInit2(&stream, 15 + 16);
    while (status == Z_OK) {
        stream.next_out = text;
        stream.avail_out = WINDOW < room ? WINDOW : (uInt)room;
        status = inflate(&stream, Z_NO_FLUSH);
    }
    inflateEnd(&stream);
    return status == Z_STREAM_END ? stream.total_out : 0;
}

static size_t by_libdeflate(void) {
    size_t got = 0;
#ifdef HAS_LIBDEFLATE
    static struct libdeflate_decompressor *whole;
    whole = whole ? whole : libdeflate_alloc_decompressor();
    if (libdeflate_gzip_decompress(whole, packed, size, text, room, &got) !=
        LIBDEFLATE_SUCCESS) {
        got = 0;
    }
#endif
    return got;
}

int main(int argc, char **argv) {
    int is_whole = argc > 1 && strcmp(argv[1], "-l") == 0;
    size_t all = 0;
    for (int i = 1 + is_whole; i < argc; i++) {
        read_file(argv[i]);
        size_t got = is_whole ? by_libdeflate() : by_zlib();
        if (got == 0) {
            fprintf(stderr, "%s: cannot be unpacked\n", argv[i]);
            return 1;
        }
        all += got;
    }
    printf("%zu\n", all);
    return 0;
}
