#include "view/view.h"

// What is written by formats that take stacks alone, or tell of the inputs.
static const struct hp_report hp_report_merge = {.name = "merge"};
static const struct hp_report hp_report_timeline = {.name = "timeline",
                                                    .needs_series = true};
static const struct hp_report hp_report_info = {.name = "info"};

const struct hp_report *const hp_reports[HP_REPORT_KINDS] = {
    [HP_REPORT_TOP] = &hp_report_top,     [HP_REPORT_STACKS] = &hp_report_stacks,
    [HP_REPORT_DIFF] = &hp_report_diff,   [HP_REPORT_TREND] = &hp_report_trend,
    [HP_REPORT_MERGE] = &hp_report_merge, [HP_REPORT_TIMELINE] = &hp_report_timeline,
    [HP_REPORT_INFO] = &hp_report_info,   [HP_REPORT_TREE] = &hp_report_tree,
    [HP_REPORT_PEEK] = &hp_report_peek,   [HP_REPORT_LIST] = &hp_report_list,
};
