#include "core/random.h"

__extension__ typedef unsigned __int128 uint128;

// The next number of the generator splitmix64.
static uint64_t splitmix(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

void hps_random_init(struct hps_random *random, uint64_t seed) {
    for (int i = 0; i < 4; i++) {
        random->state[i] = splitmix(&seed);
    }
}

void hps_random_init_nth(struct hps_random *random, uint64_t seed, uint64_t n) {
    uint64_t first = splitmix(&seed);
    uint64_t second = first ^ n;
    hps_random_init(random, splitmix(&second));
}

static uint64_t rotate(uint64_t x, int by) {
    return x << by | x >> (64 - by);
}

uint64_t hps_random_next(struct hps_random *random) {
    uint64_t *s = random->state;
    uint64_t result = rotate(s[0] + s[3], 23) + s[0];
    uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45);
    return result;
}

double hps_random_unit(struct hps_random *random) {
    return (double)((hps_random_next(random) >> 11) + 1) * 0x1p-53;
}

// Lemire's method (2019): the high word of a product is the result.  The few products
// that would favour some numbers are drawn again.
uint64_t hps_random_below(struct hps_random *random, uint64_t n) {
    uint64_t unfair = -n % n;
    for (;;) {
        uint128 product = (uint128)hps_random_next(random) * n;
        if ((uint64_t)product >= unfair) {
            return (uint64_t)(product >> 64);
        }
    }
}
