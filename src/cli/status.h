// Exit statuses.  They never change, and the manual lists them.
#ifndef HP_CLI_STATUS_H
#define HP_CLI_STATUS_H

enum hp_cli_status {
    HP_CLI_EXIT_DONE = 0,
    HP_CLI_EXIT_EXCEEDED = 1, // the condition of --fail-if is met
    HP_CLI_EXIT_USAGE = 2,
    HP_CLI_EXIT_SKIPPED = 3, // done, but inputs were skipped, or used in part
    HP_CLI_EXIT_REFUSED = 4, // the same dump was given twice
    HP_CLI_EXIT_INPUT = 5,   // an input is bad, or there is nothing to report
    HP_CLI_EXIT_OUTPUT = 6,
    HP_CLI_EXIT_LIMIT = 7, // a limit on memory or size was exceeded
    HP_CLI_EXIT_OPEN = 8,  // --fail-if has no verdict: some dumps have no function names
    HP_CLI_EXIT_INTERNAL = 70,
};

#endif
