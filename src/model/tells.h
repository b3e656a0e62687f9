// Which numbers the inputs tell: what none of them does is unknown, and not 0.
#ifndef HP_MODEL_TELLS_H
#define HP_MODEL_TELLS_H

#include "model/profile.h"

// Whether it has numbers of a metric, if only zeros.
bool hp_input_tells(const struct hp_input_record *input, enum hp_metric metric);

// What it does not tell and the metric needs: "what is in use", or NULL.  Where nothing was
// sampled, what is told is that there is next to nothing.
const char *hp_input_untold(const struct hp_input_record *input, enum hp_metric metric);

// Whether any input does that is used.
bool hp_profile_tells(const struct hp_profile *profile, enum hp_metric metric);

#endif
