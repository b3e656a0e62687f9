// Compressed streams follow one another without anything between them.
#include "input/unpack.h"

#include "base/memory.h"
#include "input/codec.h"

#include <stdlib.h>
#include <string.h>

struct hp_unpack {
    const struct hp_codec *codec;
    void *state;
    struct hp_source *source;
    uint64_t consumed;
    struct hp_packed in; // in `bytes`
    bool between;        // two streams, or behind the last
    unsigned char bytes[HP_UNPACK_HEAD];
};

static const struct hp_codec *codec_of(const char *head, size_t size) {
    static const struct hp_codec *const codecs[] = {&hp_gzip_codec, &hp_zstd_codec};
    for (size_t i = 0; i < sizeof codecs / sizeof *codecs; i++) {
        if (codecs[i]->is(head, size)) {
            return codecs[i];
        }
    }
    return NULL;
}

bool hp_is_packed(const char *head, size_t size) {
    return codec_of(head, size) != NULL;
}

struct hp_unpack *hp_unpack_new(struct hp_source *source, const char *head, size_t size,
                                bool is_all) {
    const struct hp_codec *codec = codec_of(head, size);
    if (!codec) {
        return NULL;
    }
    struct hp_unpack *unpack = hp_alloc(sizeof *unpack);
    unpack->codec = codec;
    unpack->state = codec->start();
    unpack->source = source;
    unpack->consumed = size;
    memcpy(unpack->bytes, head, size);
    unpack->in = (struct hp_packed){unpack->bytes, size, is_all};
    return unpack;
}

void hp_unpack_free(struct hp_unpack *unpack) {
    if (unpack) {
        unpack->codec->stop(unpack->state);
        free(unpack);
    }
}

uint64_t hp_unpack_consumed(const struct hp_unpack *unpack) {
    return unpack->consumed - unpack->in.size;
}

static int refill(struct hp_unpack *unpack, struct hp_err *err) {
    if (unpack->in.size > 0 || unpack->in.is_last) {
        return HP_OK;
    }
    ssize_t got = hp_source_read(unpack->source, unpack->bytes, sizeof unpack->bytes);
    if (got < 0) {
        return hp_fail_errno(err, "cannot read");
    }
    unpack->in = (struct hp_packed){unpack->bytes, (size_t)got,
                                    (size_t)got < sizeof unpack->bytes};
    unpack->consumed += (uint64_t)got;
    return HP_OK;
}

int hp_unpack_read(struct hp_unpack *unpack, char *out, size_t room, size_t *got,
                   struct hp_err *err) {
    struct hp_unpacked left = {out, room};
    int ret = HP_OK;
    while (ret == HP_OK && left.room > 0) {
        ret = refill(unpack, err);
        if (ret != HP_OK || (unpack->between && unpack->in.size == 0)) {
            break;
        }
        ret =
            unpack->codec->read(unpack->state, &unpack->in, &left, &unpack->between, err);
    }
    *got = room - left.room;
    return ret;
}
