#include "report/report.h"

const struct hp_format_writer *const hp_format_writers[] = {
    &hp_text_writer,       &hp_json_writer,      &hp_tsv_writer,        &hp_folded_writer,
    &hp_difffolded_writer, &hp_callgrind_writer, &hp_speedscope_writer, &hp_dhat_writer,
    &hp_dot_writer,        &hp_pprof_writer,     &hp_firefox_writer,
};

const size_t hp_format_writer_count =
    sizeof hp_format_writers / sizeof *hp_format_writers;
