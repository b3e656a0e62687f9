//      153.5 MiB  73.7%  small
//                        main
//
// One block per distinct stack, the allocating function first, largest stack first.
#include "report/text/text.h"

#include "view/chosen.h"
#include "view/traces.h"

enum {
    INDENT = HP_COLUMN + 9, // of the callers, under the first function
};

static void put_trace(struct hp_sink *out, const struct hp_traces *traces,
                      const struct hp_trace *trace,
                      const struct hp_report_options *options) {
    hp_fixed value = trace->values.of[options->metric];
    hp_text_value(out, value, options, HP_COLUMN);
    hp_sink_text(out, " ");
    hp_text_percent(out, value, traces->total.of[options->metric]);
    if (hp_text_has_errors(traces->naming.profile, options)) {
        const struct hp_error *error = &trace->errors[hp_column_of(options->metric)];
        hp_sink_text(out, " ±");
        hp_text_error(out, value, error, options);
        if (error->samples == 1 && error->period > 0) {
            hp_sink_text(out, " seen once");
        }
    }
    hp_sink_text(out, "  ");
    for (uint32_t i = 0; i < trace->depth; i++) {
        hp_sink_print(out, "%*s", i > 0 ? INDENT : 0, "");
        hp_sink_escaped(out, hp_node_name(&traces->naming, trace->nodes[i]));
        hp_sink_text(out, "\n");
    }
    if (trace->truncated) {
        hp_sink_print(out, "%*s[truncated]\n", INDENT, "");
    }
    hp_sink_text(out, "\n");
}

void hp_text_stacks(struct hp_sink *out, const struct hp_profile *profile,
                    const struct hp_report_options *options) {
    struct hp_traces traces;
    hp_traces_init(&traces, profile, options);
    hp_traces_sort_by(&traces, options->metric);
    hp_text_header(out, &traces.naming, options);
    size_t count = traces.traces.count;
    size_t limit = hp_chosen_rows(options, count);
    hp_fixed left = traces.left.of[options->metric];
    for (size_t i = 0; i < limit; i++) {
        put_trace(out, &traces, &traces.traces.at[i], options);
        left -= traces.traces.at[i].values.of[options->metric];
    }
    if (limit < count) {
        hp_text_rest(out, count - limit, "stack", left, traces.total.of[options->metric]);
    }
    hp_traces_done(&traces);
}
