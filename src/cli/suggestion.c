// Find the nearest word by optimal string alignment: the least number of letters to
// insert, delete, replace, or swap with the next one (Damerau-Levenshtein, where each
// place is edited at most once).
#include "cli/suggestion.h"

#include <string.h>

// Longest word that is compared, in bytes.
#define WORD_MAX 63

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

// Edit distance between two words of at most WORD_MAX bytes.
static size_t distance(const char *a, const char *b) {
    size_t rows[3][WORD_MAX + 1] = {0};
    size_t *before = rows[0], *last = rows[1], *row = rows[2];
    size_t width = strlen(b);
    for (size_t j = 0; j <= width; j++) {
        last[j] = j;
    }
    for (size_t i = 1; a[i - 1] != '\0'; i++) {
        row[0] = i;
        for (size_t j = 1; j <= width; j++) {
            size_t replaced = last[j - 1] + (a[i - 1] != b[j - 1]);
            row[j] = least(replaced, least(last[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                row[j] = least(row[j], before[j - 2] + 1);
            }
        }
        size_t *free_row = before;
        before = last;
        last = row;
        row = free_row;
    }
    return last[width];
}

void hp_cli_suggestion_try(struct hp_cli_suggestion *suggestion, const char *candidate) {
    size_t length = strlen(suggestion->word);
    if (length > WORD_MAX || strlen(candidate) > WORD_MAX) {
        return;
    }
    size_t d = distance(suggestion->word, candidate);
    if (d <= (length + 2) / 3 && (suggestion->best == NULL || d < suggestion->distance)) {
        suggestion->best = candidate;
        suggestion->distance = d;
    }
}
