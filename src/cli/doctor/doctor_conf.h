// What settings of jemalloc do: MALLOC_CONF, malloc_conf and /etc/malloc.conf.
#ifndef HP_CLI_DOCTOR_CONF_H
#define HP_CLI_DOCTOR_CONF_H

#include "cli/doctor/doctor_findings.h"

// The options that matter, after all settings were read.
struct hp_doctor_conf {
    bool is_on, is_inactive, has_final, has_others; // others: interval, gdump
    char prefix[256];                               // of the files, or ""
};

// Read one setting, "KEY:VALUE,KEY:VALUE"; a later one replaces an earlier one.  `where`
// is its place.  What is wrong in it is added to the findings.
void hp_doctor_conf_read(struct hp_doctor *doctor, struct hp_doctor_conf *conf,
                         const char *text, const char *where);

#endif
