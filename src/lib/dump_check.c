#include "lib/dump_check.h"

#include "calc/header_check.h"

// Return whether the totals show that nothing except the memory map is missing.
static bool is_all_but_map(const struct hp_dump *dump, struct hp_unbias *unbias,
                           enum hp_estimator estimator) {
    if (!dump->lacks_map || dump->malformed.count > 0) {
        return false;
    }
    hp_unbias_init(unbias, estimator, dump);
    return hp_header_check(dump, unbias) == HP_HEADER_AGREES;
}

int hp_dump_check(const struct hp_dump *dump, struct hp_unbias *unbias,
                  enum hp_estimator estimator, bool is_strict, struct hp_err *err) {
    if (dump->cut.code != HP_OK) {
        *err = dump->cut;
        return HP_E_FORMAT;
    }
    if (dump->damage.what && !is_all_but_map(dump, unbias, estimator)) {
        hp_fail(err, HP_E_FORMAT, HP_MESSAGE("damaged-dump", "damaged: %s"),
                dump->damage.what);
        err->line = dump->damage.line;
        return HP_E_FORMAT;
    }
    if (is_strict && dump->malformed.count > 0) {
        hp_fail(err, HP_E_FORMAT, HP_MESSAGE("lines-expected", "expected %s"),
                dump->expected);
        err->line = dump->malformed.line;
        return HP_E_FORMAT;
    }
    return HP_OK;
}
