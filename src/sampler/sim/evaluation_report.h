// Evaluations as a table for people and as JSON.
#ifndef HP_SAMPLER_EVALUATION_REPORT_H
#define HP_SAMPLER_EVALUATION_REPORT_H

#include "sampler/sim/evaluation.h"

// What is above the rows of a workload.
void hp_evaluation_print_head(const struct hp_workload *workload,
                              const struct hp_layout *layout);
void hp_evaluation_print_row(const struct hp_evaluation *evaluation);

void hp_evaluation_print_json(const struct hp_evaluation *evaluation);

#endif
