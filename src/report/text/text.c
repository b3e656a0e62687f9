#include "report/text/text.h"

const struct hp_format hp_format_text = {
    .name = "text",
    .files = "*.txt *.text",
    .help = "tables for people",
    .can = HP_CAN_LIMIT | HP_CAN_INTERVALS | HP_CAN_UNIT | HP_CAN_COLOR | HP_CAN_NEGATIVE,
    .limit = 50,
    .shape = HP_SHAPE_ROWS,
    .write_rows = hp_text_rows,
    .write =
        {
            [HP_REPORT_STACKS] = hp_text_stacks,
            [HP_REPORT_TREE] = hp_text_tree,
            [HP_REPORT_PEEK] = hp_text_peek,
            [HP_REPORT_LIST] = hp_text_list,
            [HP_REPORT_INFO] = hp_text_info,
        },
};
