#include "cli/status.h"

enum hp_cli_status hp_cli_status_of(enum hp_code code) {
    switch (code) {
    case HP_OK:
        return HP_CLI_EXIT_DONE;
    case HP_E_USAGE:
        return HP_CLI_EXIT_USAGE;
    case HP_E_IO:
    case HP_E_FORMAT:
    case HP_E_UNSUPPORTED:
    case HP_E_EMPTY:
        return HP_CLI_EXIT_INPUT;
    case HP_E_LIMIT:
        return HP_CLI_EXIT_LIMIT;
    case HP_E_DUPLICATE:
        return HP_CLI_EXIT_REFUSED;
    case HP_E_OUTPUT:
        return HP_CLI_EXIT_OUTPUT;
    case HP_E_INTERNAL:
        break;
    }
    return HP_CLI_EXIT_INTERNAL;
}
