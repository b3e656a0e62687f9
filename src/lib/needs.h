// What reports need of the read.
#ifndef HP_LIB_NEEDS_H
#define HP_LIB_NEEDS_H

#include "report/format.h"

// The format of a report, NULL if there is none of that name.
const struct hp_format *hp_format_of(const struct hp_report_options *options);

// Enum hp_format_ability of that; where no format was asked for, what programs may ask for.
unsigned hp_format_abilities(const struct hp_report_options *options);

// Of all the reports that are planned; of none what any of them may need.
struct hp_needs hp_needs_of(const struct hp_report_options *planned, size_t count);

// HP_E_USAGE if what was kept does not do for a report that was not planned.
HP_MUST_CHECK int hp_needs_check(const struct hp_needs *kept,
                                 const struct hp_report_options *options,
                                 struct hp_err *err);

#endif
