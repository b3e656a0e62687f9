#include "cli/settings.h"

#include "cli/message.h"

#include <stdlib.h>

void hp_cli_settings_done(struct hp_cli_settings *settings) {
    free(settings->inputs.items);
    free(settings->symbol_dirs.items);
    free(settings->source_dirs.items);
    free(settings->path_maps);
    free(settings->filters);
    *settings = (struct hp_cli_settings){0};
}

int hp_cli_settings_add_filter(struct hp_cli_settings *settings, enum hp_filter_rule rule,
                               const char *pattern, struct hp_err *err) {
    struct hp_filter filter = {.rule = rule, .pattern = pattern};
    if (*pattern == '\0') {
        return hp_cli_fail(err, HP_E_USAGE, "an empty pattern would match everything");
    }
    settings->filters =
        hp_cli_grow(settings->filters, settings->filter_count, sizeof *settings->filters);
    settings->filters[settings->filter_count++] = filter;
    return hp_filter_check(&filter, err);
}
