// Evaluations as a table for people and as JSON.
#ifndef HPS_SIM_EVALUATION_REPORT_H
#define HPS_SIM_EVALUATION_REPORT_H

#include "sampler/sim/evaluation.h"

// What is above the rows of a workload.
void hps_evaluation_print_head(const struct hps_workload *workload,
                               const struct hps_layout *layout);
void hps_evaluation_print_row(const struct hps_evaluation *evaluation);

void hps_evaluation_print_json(const struct hps_evaluation *evaluation);

#endif
