// For programs.  One object; which keys it has and what they mean is told where the head and
// the rows of each report are written.
#include "report/json/json.h"

const struct hp_format hp_format_json = {
    .name = "json",
    .files = "*.json",
    .help = "one object with intervals, for programs",
    .can = HP_CAN_LIMIT | HP_CAN_INTERVALS | HP_CAN_ALL_ENDS | HP_CAN_NEGATIVE |
           HP_HAS_ALL_METRICS,
    .shape = HP_SHAPE_ROWS,
    .write_rows = hp_json_rows,
    .write =
        {
            [HP_REPORT_STACKS] = hp_json_stacks,
            [HP_REPORT_TREE] = hp_json_tree,
            [HP_REPORT_PEEK] = hp_json_peek,
            [HP_REPORT_LIST] = hp_json_list,
            [HP_REPORT_INFO] = hp_json_info,
        },
};
