// Exit statuses: fixed, and listed in the manual.
#ifndef HP_CLI_STATUS_H
#define HP_CLI_STATUS_H

enum hp_cli_status {
    HP_CLI_EXIT_DONE = 0,
    HP_CLI_EXIT_EXCEEDED = 1, // --fail-if holds
    HP_CLI_EXIT_USAGE = 2,
    HP_CLI_EXIT_SKIPPED = 3, // done, but for inputs skipped within --max-skipped
    HP_CLI_EXIT_REFUSED = 4, // the same dump twice
    HP_CLI_EXIT_INPUT = 5,   // bad input, or nothing to report
    HP_CLI_EXIT_OUTPUT = 6,
    HP_CLI_EXIT_LIMIT = 7,
    HP_CLI_EXIT_OPEN = 8, // --fail-if has no verdict: some dumps have no function names
    HP_CLI_EXIT_INTERNAL = 70,
};

#endif
