#include "cli/terminal.h"

#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum {
    COLUMNS_DEFAULT = 80,
    COLUMNS_MIN = 40,
    COLUMNS_MAX = 1000,
};

// Number of columns in $COLUMNS; 0 if it is not set or not a number.
static size_t asked_columns(void) {
    const char *text = getenv("COLUMNS");
    if (text == NULL || *text < '1' || *text > '9') {
        return 0;
    }
    char *end;
    unsigned long value = strtoul(text, &end, 10);
    return *end == '\0' ? value : 0;
}

size_t hp_cli_columns(int fd) {
    struct winsize window = {0};
    size_t columns = asked_columns();
    if (columns == 0 && ioctl(fd, TIOCGWINSZ, &window) == 0) {
        columns = window.ws_col;
    }
    if (columns == 0) {
        return COLUMNS_DEFAULT;
    }
    if (columns < COLUMNS_MIN) {
        return COLUMNS_MIN;
    }
    return columns < COLUMNS_MAX ? columns : COLUMNS_MAX;
}

bool hp_cli_is_terminal(int fd) {
    const char *term = getenv("TERM");
    return isatty(fd) && term != NULL && strcmp(term, "dumb") != 0;
}

bool hp_cli_knows_utf8(void) {
    locale_t theirs = newlocale(LC_CTYPE_MASK, "", NULL);
    bool is_known =
        theirs != (locale_t)0 && strcmp(nl_langinfo_l(CODESET, theirs), "UTF-8") == 0;
    if (theirs != (locale_t)0) {
        freelocale(theirs);
    }
    return is_known;
}
