// The public API: the one place that knows the order of the pipeline.
#include "hprof-agg/hprof-agg.h"

#include "lib/labels.h"
#include "lib/read.h"
#include "lib/refusals.h"
#include "lib/times.h"
#include "lib/warnings.h"
#include "sym/symbolizer.h"

#include <locale.h>
#include <string.h>

struct hp_profile *hp_profile_new(void) {
    struct hp_profile *profile = hp_alloc(sizeof *profile);
    hp_profile_init(profile);
    return profile;
}

void hp_profile_free(struct hp_profile *profile) {
    if (profile) {
        hp_profile_done(profile);
        free(profile);
    }
}

int hp_profile_read(struct hp_profile *profile, const char *const *paths, size_t count,
                    const struct hp_read_options *options, struct hp_err *err) {
    static const struct hp_read_options defaults;
    options = options ? options : &defaults;
    if (profile->inputs.count > 0) {
        return hp_fail(err, HP_E_USAGE, "a profile can be read only once");
    }
    profile->estimator = options->estimator;
    profile->keep = options->errors;
    profile->history.is_kept = options->history;
    profile->is_series = options->series;
    int ret = hp_read_inputs(profile, paths, count, options, err);
    if (ret == HP_OK && options->time_from) {
        ret = hp_times_set(profile, options->time_from, err);
    }
    if (ret == HP_OK && options->label_from) {
        ret = hp_labels_set(profile, options->label_from, err);
    }
    hp_profile_sort(profile, NULL, 0); // also after a failure, for HP_REPORT_INFO
    if (options->thread) {
        profile->thread = hp_strtab_add(&profile->strings, hp_span_of(options->thread));
    }
    hp_warn_of_inputs(profile);
    return ret;
}

size_t hp_profile_input_count(const struct hp_profile *profile) {
    return profile->inputs.count;
}

const struct hp_input *hp_profile_input(const struct hp_profile *profile, size_t i) {
    return &profile->inputs.at[i].public;
}

size_t hp_profile_warning_count(const struct hp_profile *profile) {
    return profile->warnings.count;
}

const char *hp_profile_warning(const struct hp_profile *profile, size_t i) {
    return hp_profile_text(profile, profile->warnings.at[i]);
}

void hp_profile_symbolize(struct hp_profile *profile,
                          const struct hp_symbol_options *options) {
    hp_symbolize(profile, options);
    hp_warn_of_modules(profile);
    hp_marks_done(&profile->marks); // they are of the names before
}

static const char *default_format(enum hp_report_kind kind) {
    bool is_merge = kind == HP_REPORT_MERGE || kind == HP_REPORT_TIMELINE;
    return is_merge ? "pprof" : "text";
}

static const struct hp_format_writer *find_writer(const char *name) {
    for (size_t i = 0; i < hp_format_writer_count; i++) {
        if (strcmp(hp_format_writers[i]->name, name) == 0) {
            return hp_format_writers[i];
        }
    }
    return NULL;
}

int hp_profile_report(const struct hp_profile *profile,
                      const struct hp_report_options *options, hp_write_fn *write,
                      void *data, struct hp_err *err) {
    static const struct hp_report_options defaults;
    options = options ? options : &defaults;
    const char *name = options->format ? options->format : default_format(options->kind);
    const struct hp_format_writer *writer = find_writer(name);
    if (!writer || !(writer->kinds & 1u << options->kind)) {
        return hp_fail(err, HP_E_USAGE, "this report has no form as '%s'", name);
    }
    int ret = hp_refuse_report(profile, writer, options, err);
    if (ret != HP_OK) {
        return ret;
    }
    struct hp_sink sink;
    locale_t ours = newlocale(LC_ALL_MASK, "C", NULL), theirs = uselocale(ours);
    hp_sink_init(&sink, write, data);
    writer->write(&sink, profile, options);
    ret = hp_sink_close(&sink, err);
    uselocale(theirs);
    freelocale(ours);
    return ret;
}

size_t hp_format_count(void) {
    return hp_format_writer_count;
}

const char *hp_format_name(size_t i) {
    return hp_format_writers[i]->name;
}

const char *hp_format_help(size_t i) {
    return hp_format_writers[i]->help;
}

const char *hp_format_files(size_t i) {
    return hp_format_writers[i]->files;
}

bool hp_format_fits(const char *format, enum hp_report_kind kind) {
    const struct hp_format_writer *writer = find_writer(format);
    return writer && writer->kinds & 1u << kind;
}

bool hp_format_has_rows(const char *format) {
    const struct hp_format_writer *writer = find_writer(format);
    return writer && writer->has_rows;
}
