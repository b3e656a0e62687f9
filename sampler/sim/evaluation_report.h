// Print evaluations as a table or as JSON.
#ifndef HPS_SIM_EVALUATION_REPORT_H
#define HPS_SIM_EVALUATION_REPORT_H

#include "sim/evaluation.h"

// Print the lines above the rows of a workload; one row of the table.
void hps_evaluation_print_head(const struct hps_workload *workload,
                               const struct hps_layout *layout);
void hps_evaluation_print_row(const struct hps_evaluation *evaluation);

// Print one object of JSON, see evaluation_report.c.
void hps_evaluation_print_json(const struct hps_evaluation *evaluation);

#endif
