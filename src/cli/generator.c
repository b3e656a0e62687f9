// hprof-agg-generator: write completions, manual or reference from the tables of the
// command line.
//
//     hprof-agg-generator bash | zsh | fish | options <docs/reference/options.md |
//         man commands | man formats | man common | man all-options | man options COMMAND
#include "cli/generator.h"

#include <string.h>

int main(int argc, char **argv) {
    const char *what = argc >= 2 ? argv[1] : "";
    bool is_known = true;
    if (strcmp(what, "bash") == 0) {
        hp_cli_completions_bash(stdout);
    } else if (strcmp(what, "zsh") == 0) {
        hp_cli_completions_zsh(stdout);
    } else if (strcmp(what, "fish") == 0) {
        hp_cli_completions_fish(stdout);
    } else if (strcmp(what, "man") == 0 && argc > 2) {
        is_known = hp_cli_manual(stdout, argv[2], argc > 3 ? argv[3] : "");
    } else if (strcmp(what, "options") == 0) {
        hp_cli_reference(stdin, stdout);
    } else {
        is_known = false;
    }
    if (!is_known) {
        fputs(
            "usage: hprof-agg-generator bash | zsh | fish | man TABLE [COMMAND] | "
            "options <docs/reference/options.md\n",
            stderr);
        return 2;
    }
    return fflush(stdout) == 0 ? 0 : 6;
}
