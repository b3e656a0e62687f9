// What a file is to hold is told by its name: of all patterns that fit it, by the longest.
#include "base/err.h"
#include "base/span.h"
#include "report/format.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

// A table under such a name would be a surprise.
static const char of_others[] =
    "*.html *.htm *.svg *.png *.pdf *.ps *.csv *.xls *.xlsx *.xml *.yaml *.yml *.heap *.hpa "
    "*.gz *.zst *.xz *.bz2 *.zip *.tar *.tgz";

// The length of the longest of the patterns that fits, 0 if none does.
static size_t longest_fit(const char *patterns, const char *name) {
    size_t longest = 0;
    char pattern[32];
    for (size_t length; *patterns; patterns += length + strspn(patterns + length, " ")) {
        length = strcspn(patterns, " ");
        snprintf(pattern, sizeof pattern, "%.*s", (int)length, patterns);
        if (length > longest && fnmatch(pattern, name, FNM_CASEFOLD) == 0) {
            longest = length;
        }
    }
    return longest;
}

int hp_format_of_file(const char *path, const char **format, struct hp_err *err) {
    const char *name = hp_span_basename(hp_span_of(path)).at;
    size_t longest = longest_fit(of_others, name);
    bool is_other = longest > 0;
    *format = NULL;
    for (size_t i = 0; i < hp_formats_count; i++) {
        size_t length = longest_fit(hp_formats[i]->files, name);
        if (length > 0 && length >= longest) {
            longest = length;
            is_other = false;
            *format = hp_formats[i]->name;
        }
    }
    if (is_other) {
        return hp_fail(err, HP_E_USAGE,
                       "which format is %s to be in? say it with --format", path);
    }
    return HP_OK;
}
