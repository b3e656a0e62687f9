#include "input/digest.h"

#include "base/hash.h"

#include <string.h>

enum {
    BLOCK = sizeof((struct hp_digester *)0)->pending,
};

void hp_digester_init(struct hp_digester *digester) {
    uint64_t key = hp_hash_key();
    *digester = (struct hp_digester){
        .key = key, .lane = {key ^ 0x2d358dccaa6c78a5, ~key ^ 0x8bb84b93962eacc9}};
}

// Two independent chains, so that one multiplication does not wait for the other.
static void add_blocks(struct hp_digester *d, const char *at, size_t count) {
    uint64_t a = d->lane[0], b = d->lane[1], key = d->key;
    for (; count > 0; count--, at += BLOCK) {
        a = hp_hash_mix(hp_load8(at) ^ a, hp_load8(at + 8) ^ key ^ 0x4b33a62ed433d4a3);
        b = hp_hash_mix(hp_load8(at + 16) ^ b,
                        hp_load8(at + 24) ^ key ^ 0x4d5a2da51de1aa47);
    }
    d->lane[0] = a;
    d->lane[1] = b;
}

void hp_digester_add(struct hp_digester *digester, struct hp_span piece) {
    size_t pending = digester->size % BLOCK;
    digester->size += piece.size;
    if (pending > 0) {
        size_t missing = BLOCK - pending;
        size_t taken = piece.size < missing ? piece.size : missing;
        memcpy(digester->pending + pending, piece.at, taken);
        piece = hp_span_from(piece, taken);
        if (taken < missing) {
            return;
        }
        add_blocks(digester, digester->pending, 1);
    }
    size_t blocks = piece.size / BLOCK;
    add_blocks(digester, piece.at, blocks);
    if (piece.size > blocks * BLOCK) {
        memcpy(digester->pending, piece.at + blocks * BLOCK, piece.size - blocks * BLOCK);
    }
}

struct hp_digest hp_digester_end(const struct hp_digester *digester) {
    uint64_t a = digester->lane[0], b = digester->lane[1];
    uint64_t rest =
        hp_hash_bytes(digester->pending, digester->size % BLOCK, digester->key) ^
        digester->size;
    return (struct hp_digest){{hp_hash_mix(a ^ rest, b ^ 0xa0761d6478bd642f),
                               hp_hash_mix(b ^ rest, a ^ 0xe7037ed1a0b428db)}};
}

struct hp_digest hp_digest_of(struct hp_span text) {
    struct hp_digester digester;
    hp_digester_init(&digester);
    hp_digester_add(&digester, text);
    return hp_digester_end(&digester);
}

struct hp_digest hp_digest_join(struct hp_digest a, struct hp_digest b) {
    uint64_t words[4] = {a.of[0], a.of[1], b.of[0], b.of[1]};
    return hp_digest_of((struct hp_span){(const char *)words, sizeof words});
}
