// Reports that cannot be made of a profile.
#ifndef HP_LIB_REFUSALS_H
#define HP_LIB_REFUSALS_H

#include "report/report.h"

// HP_OK, or why not.
int hp_refuse_report(const struct hp_profile *profile,
                     const struct hp_format_writer *writer,
                     const struct hp_report_options *options, struct hp_err *err);

#endif
