// Which metrics the inputs have: what none of them has is unknown, and not 0.
#ifndef HP_MODEL_METRICS_H
#define HP_MODEL_METRICS_H

#include "model/input.h"

// Whether it has numbers of a metric, if only zeros.
bool hp_input_has_metric(const struct hp_input_record *input, enum hp_metric metric);

// What of the metric is missing: "what is in use", or NULL.  Where nothing was
// sampled, there is next to nothing.
const char *hp_input_missing(const struct hp_input_record *input, enum hp_metric metric);

#endif
