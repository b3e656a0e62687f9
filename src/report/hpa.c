// A partial is no view of a profile: it is all of it.  This is how it is asked for.
#include "report/format.h"

const struct hp_format hp_format_hpa = {
    .name = "hpa",
    .files = "*.hpa",
    .help = "all that the inputs come to, to be merged and reported on later (hpa(5))",
    .can = HP_CAN_NEGATIVE | HP_CAN_LABELS | HP_HAS_ALL_METRICS | HP_HAS_SAMPLE_TYPES |
           HP_IS_BINARY | HP_IS_PARTIAL,
    .shape = HP_SHAPE_PROFILE,
    .write = {[HP_REPORT_MERGE] = hp_view_write_partial},
};
