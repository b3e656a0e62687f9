#include "model/ages.h"

#include "base/units.h"

#include <math.h>
#include <string.h>

enum {
    BELOW_SECOND = 4, // number of ranges below 1 s
};

static const uint64_t millisecond = 1000000, second = 1000000000;

uint64_t hp_age_range_low(uint64_t range) {
    static const uint64_t lows[] = {0, 1, 10, 100};
    return range <= BELOW_SECOND ? lows[range - 1] * millisecond
                                 : second << (range - 1 - BELOW_SECOND);
}

uint64_t hp_age_range_high(uint64_t range) {
    return range < HP_AGES ? hp_age_range_low(range + 1) : UINT64_MAX;
}

uint64_t hp_age_range_of(uint64_t age) {
    uint64_t range = HP_AGES;
    while (age < hp_age_range_low(range)) {
        range--;
    }
    return range;
}

double hp_age_range_seconds(uint64_t range, bool is_low) {
    bool is_open = range == HP_NO_AGE || (range == HP_AGES && !is_low);
    uint64_t end = is_open  ? 0
                   : is_low ? hp_age_range_low(range)
                            : hp_age_range_high(range);
    return is_open ? (double)NAN : (double)end / 1e9;
}

// Write an age in whole milliseconds, or from 1 s on in whole seconds.
static void format_age(char *out, uint64_t age) {
    bool is_short = age < second;
    hp_format_grouped(out, (hp_int128)(age / (is_short ? millisecond : second)));
    strcat(out, is_short ? " ms" : " s");
}

void hp_age_range_format(char *out, uint64_t range) {
    char high[HP_NUMBER_SIZE] = "";
    if (range == HP_AGES) {
        format_age(out, hp_age_range_low(range));
        strcat(out, " and above");
        return;
    }
    format_age(high, hp_age_range_high(range));
    if (range == 1) {
        strcpy(out, "below ");
    } else {
        format_age(out, hp_age_range_low(range));
        strcat(out, " to ");
    }
    strcat(out, high);
}
