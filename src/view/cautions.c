// Warnings about one report ("cautions"), in addition to the warnings about its profile.
#include "base/pattern.h"
#include "base/units.h"
#include "view/open_code.h"
#include "view/view.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void hp_caution_add(struct hp_view *view, const char *message, char *text) {
    char code[HP_CODE_SIZE];
    hp_message_code(code, message);
    struct hp_caution caution = {hp_copy(code), text};
    hp_vec_push(&view->cautions, caution);
}

void hp_caution(struct hp_view *view, const char *format, ...) {
    va_list args;
    va_start(args, format);
    hp_caution_add(view, format, hp_vprinted(format, args));
    va_end(args);
}

// Return an upper bound of the absolute value of the report's numbers in a metric, in
// whole units: the sum over the inputs that are used.
static hp_int128 largest_of(const struct hp_view *view, enum hp_metric metric) {
    hp_int128 sum = 0;
    for (size_t i = 0; i < view->head.input_count; i++) {
        hp_int128 total = view->head.inputs[i].total.of[metric];
        sum += hp_view_counts(view, i) ? (total < 0 ? -total : total) : 0;
    }
    return sum >> hp_fraction(metric);
}

// Warn if readers of the format lose digits of large numbers.
void hp_cautions_of_numbers(struct hp_view *view) {
    bool is_double = (view->use.can & HP_READ_AS_DOUBLE) != 0;
    bool is_int64 = (view->use.can & HP_READ_AS_INT64) != 0;
    hp_int128 largest = 0;
    for (int metric = 0; metric < HP_METRICS; metric++) {
        hp_int128 number = largest_of(view, (enum hp_metric)metric);
        largest = number > largest ? number : largest;
    }
    if (is_double && largest > (hp_int128)1 << 53) {
        hp_caution(view,
                   HP_MESSAGE("numbers-over-2-53",
                              "numbers above 2^53: programs in JavaScript round them"));
    } else if (is_int64 && largest > INT64_MAX) {
        hp_caution(
            view,
            HP_MESSAGE("numbers-over-2-63",
                       "numbers above 2^63: programs that add up in 64 bits get wrong "
                       "sums"));
    }
}

void hp_cautions_of_patterns(struct hp_view *view) {
    const struct hp_report_options *options = &view->options;
    bool has_pattern = options->filter_count > 0 || options->frames.rule_count > 0;
    size_t count = has_pattern ? hp_profile_long_name_count(view->profile) : 0;
    if (count > 0) {
        hp_caution(
            view,
            HP_MESSAGE(
                "long-names-cut",
                "%zu name%s longer than 16 KiB: patterns looked at the first 16 KiB "
                "only"),
            count, count == 1 ? " is" : "s are");
    }
}

// --- code that is not compared ----------------------------------------------------------------

enum {
    MOST_LINES = 3, // modules with a warning each; one more warning sums up the others
};

// Write a value of the view's metric, always in the same way, whatever the format.
static void put_value(char text[HP_NUMBER_SIZE], const struct hp_view *view,
                      hp_fixed value) {
    if (hp_fraction(view->options.metric) == HP_SPACE_FRACTION) {
        hp_format_bytes(text, value, HP_UNIT_AUTO); // not the unit of the options
    } else {
        hp_format_grouped(text, hp_fixed_round(value, view->options.metric));
    }
}

// Return the reason why functions of a module are not compared, and the option that would
// help.  The caller frees it.
static char *reason_of(const struct hp_open_module *module) {
    switch (module->kind) {
    case HP_OPEN_IN_SOME:
        return hp_printed(
            HP_MESSAGE("open-in-some",
                       "%u or more builds, names for %u. Use --symbol-dir=DIR"),
            module->builds + 1, module->builds);
    case HP_OPEN_IN_ALL:
        return hp_printed(HP_MESSAGE(
            "open-in-all", "no names, common addresses only. Use --symbol-dir=DIR"));
    case HP_OPEN_STRIPPED:
        return hp_printed(HP_MESSAGE("open-stripped",
                                     "%u builds, without names of all functions"),
                          module->builds);
    case HP_OPEN_MOVED:
        break;
    }
    return hp_printed(
        HP_MESSAGE("open-moved",
                   "%u builds with other lines and addresses. Use --by=function"),
        module->builds);
}

// Write the change of a whole module, with its p-value; "" if it was not tested.
static void put_whole(char *text, size_t size, const struct hp_view *view,
                      const struct hp_growth *growth) {
    static const double least = 0.0001;
    char amount[HP_NUMBER_SIZE];
    hp_fixed grown = growth->after - growth->before;
    *text = '\0';
    put_value(amount, view, grown);
    if (view->report->has_sides && growth->p <= 1) {
        bool is_below = growth->p < least;
        hp_message_print(text, size,
                         HP_MESSAGE("open-change", " (whole file: %s%s, p %s %.2g)"),
                         grown > 0 ? "+" : "", amount, is_below ? "<" : "=",
                         is_below ? least : growth->p);
    }
}

// Add the warning about a module, for example "cartd: 28.8 MiB in 1 of 6 dumps not
// compared (whole file: +1.2 MiB, p = 0.57): 2 or more builds, names for 1. Use
// --symbol-dir=DIR".  Rows that are compared by address have p-values and intervals that
// allow for what is unmatched.
static void caution_of_module(struct hp_view *view, const struct hp_open_module *module) {
    struct hp_span name = hp_span_basename(hp_open_module_path(view, module));
    char amount[HP_NUMBER_SIZE], change[128];
    char *reason = reason_of(module);
    put_value(amount, view, module->bytes[0] + module->bytes[1]);
    put_whole(change, sizeof change, view, &module->growth);
    hp_caution(view,
               module->kind == HP_OPEN_IN_SOME
                   ? HP_MESSAGE("open-module",
                                "%.*s: %s in %llu of %llu dumps not compared%s: %s")
                   : HP_MESSAGE("open-unmatched",
                                "%.*s: %s in %llu of %llu dumps unmatched, p allows for "
                                "it%s: %s"),
               (int)name.size, name.at, amount,
               (unsigned long long)(module->open[0] + module->open[1]),
               (unsigned long long)(module->dumps[0] + module->dumps[1]), change, reason);
    free(reason);
}

// Order pointers to modules: the program's own code first, then by the amount of memory
// that is not compared, the largest first.
static int by_weight(const void *left, const void *right) {
    const struct hp_open_module *a = *(struct hp_open_module *const *)left;
    const struct hp_open_module *b = *(struct hp_open_module *const *)right;
    hp_fixed bytes_a = a->bytes[0] + a->bytes[1], bytes_b = b->bytes[0] + b->bytes[1];
    if (a->is_own != b->is_own) {
        return a->is_own ? -1 : 1;
    }
    return bytes_a != bytes_b ? (bytes_a > bytes_b ? -1 : 1) : (a > b) - (a < b);
}

// Add the warnings about modules whose functions are not compared in all dumps; only
// modules with memory that is not compared are listed.  If the view has no rows of its
// own, the modules are those of view->judged, whose rows the condition of --fail-if
// judges.
void hp_cautions_of_code(struct hp_view *view) {
    bool has_rows = view->use.shape == HP_SHAPE_ROWS || !view->judged;
    const struct hp_view *rows = has_rows ? view : view->judged;
    const struct hp_open_code *open = hp_open_code_of(rows);
    HP_VEC(const struct hp_open_module *) listed = {0};
    const struct hp_open_module *module;
    hp_fixed rest = 0;
    for (size_t i = 0; open && i < open->modules.count; i++) {
        module = &open->modules.at[i];
        if (hp_open_module_is_open(module)) {
            hp_vec_push(&listed, module);
        }
    }
    hp_vec_sort(&listed, by_weight);
    for (size_t i = 0; i < listed.count; i++) {
        module = listed.at[i];
        if (i < MOST_LINES) {
            caution_of_module(view, module);
        }
        rest += i < MOST_LINES ? 0 : module->bytes[0] + module->bytes[1];
    }
    if (listed.count > MOST_LINES) {
        char amount[HP_NUMBER_SIZE];
        put_value(amount, view, rest);
        hp_caution(view, HP_MESSAGE("open-modules", "%zu more modules: %s not compared"),
                   listed.count - MOST_LINES, amount);
    }
    hp_vec_done(&listed);
}

void hp_cautions_explain(const struct hp_view *view, struct hp_err *err) {
    for (size_t i = 0; err->code == HP_E_EMPTY && i < view->cautions.count; i++) {
        size_t used = strlen(err->message);
        snprintf(err->message + used, sizeof err->message - used, "; %s",
                 view->cautions.at[i].text);
    }
}

void hp_cautions_done(struct hp_view *view) {
    struct hp_caution *caution;
    hp_vec_each (caution, &view->cautions) {
        free(caution->code);
        free(caution->text);
    }
    hp_vec_done(&view->cautions);
}

size_t hp_view_caution_count(const struct hp_view *view) {
    return view->cautions.count;
}

const char *hp_view_caution(const struct hp_view *view, size_t i) {
    return view->cautions.at[i].text;
}
