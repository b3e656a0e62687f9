#include "cli/settings.h"

#include <stdlib.h>

void hp_cli_settings_done(struct hp_cli_settings *settings) {
    free(settings->inputs);
    free(settings->symbol_dirs);
    free(settings->path_maps);
    *settings = (struct hp_cli_settings){0};
}
