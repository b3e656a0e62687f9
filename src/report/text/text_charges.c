// Below a table, what folding did to it, and what else it could do:
//
//     48.3 MiB (68%) allocated inside the standard library is charged to its callers;
//     --frames=all shows it
//     92% is charged to libraries; --frames=own charges what calls them
//     54% is allocated in my_malloc2: "peek my_malloc2" shows its callers, --wrapper=my_malloc2
//     charges them
//     source files are known of 98% of base and 3% of new: rows may differ by that alone
//     @: an offset in the file, where the ELF address is not known
#include "report/text/text.h"

#include "view/charges.h"

#include <stdio.h>

static const double least_moved = 0.01; // shares of all that are worth a line
static const double least_libraries = 0.25, most_own = 0.8;
static const double least_difference = 0.05; // of shares of known source files

enum {
    NAME_SIZE = 256,
};

static double share_of(hp_fixed part, const struct hp_charges *charges) {
    return charges->total > 0 ? (double)part / (double)charges->total : 0;
}

// "the standard library and wrappers of malloc": those that matter.
static void put_classes(struct hp_sink *out, const struct hp_charges *charges) {
    static const char *const names[HP_CLASSES] = {
        [HP_CLASS_NONE] = "what is not known",
        [HP_CLASS_ALLOCATOR] = "the allocator",
        [HP_CLASS_START_UP] = "start-up code",
        [HP_CLASS_WRAPPER] = "wrappers of malloc",
        [HP_CLASS_STANDARD] = "the standard library",
        [HP_CLASS_LIBRARY] = "libraries",
        [HP_CLASS_OWN] = "its own code",
    };
    size_t left = 0;
    for (size_t i = 0; i < HP_CLASSES; i++) {
        left += (double)charges->moved[i] > least_moved * (double)charges->all_moved;
    }
    for (size_t i = 0; i < HP_CLASSES; i++) {
        if ((double)charges->moved[i] > least_moved * (double)charges->all_moved) {
            left--;
            hp_sink_print(out, "%s%s", names[i],
                          left > 1    ? ", "
                          : left == 1 ? " and "
                                      : "");
        }
    }
}

static void put_moved(struct hp_sink *out, const struct hp_view *view,
                      const struct hp_charges *charges) {
    char moved[HP_NUMBER_SIZE];
    if (share_of(charges->all_moved, charges) <= least_moved) {
        return;
    }
    hp_text_format(moved, charges->all_moved, view->options.metric, view->options.unit);
    hp_sink_print(out, "%s%s (%.0f%%) allocated inside ", moved,
                  hp_fraction(view->options.metric) == HP_SPACE_FRACTION ? ""
                                                                         : " objects",
                  share_of(charges->all_moved, charges) * 100);
    put_classes(out, charges);
    hp_sink_print(out, " is charged to its callers; %s shows it%s\n",
                  view->use.shape == HP_SHAPE_PAGE ? "Frames all" : "--frames=all",
                  charges->is_go ? ", as go tool pprof does" : "");
}

static void put_own(struct hp_sink *out, const struct hp_view *view,
                    const struct hp_charges *charges) {
    double libraries = share_of(charges->libraries, charges);
    if (view->options.frames == HP_FRAMES_CODE && view->options.by == HP_BY_FUNCTION &&
        libraries > least_libraries &&
        share_of(hp_largest_owner(view), charges) <= most_own) {
        hp_sink_print(out,
                      "%.0f%% is charged to libraries; --frames=own charges what "
                      "calls them\n",
                      libraries * 100);
    }
}

static void put_suspect(struct hp_sink *out, const struct hp_view *view) {
    char name[NAME_SIZE];
    double share;
    if (hp_suspect(view, &share, name, sizeof name)) {
        hp_sink_print(out, "%.0f%% is allocated in ", share * 100);
        hp_sink_escaped(out, hp_view_name(view, 0));
        hp_sink_text(out, ": \"peek ");
        hp_sink_escaped(out, hp_span_of(name));
        hp_sink_text(out, "\" shows its callers, --wrapper=");
        hp_sink_escaped(out, hp_span_of(name));
        hp_sink_text(out, " charges them\n");
    }
}

static void put_files(struct hp_sink *out, const struct hp_view *view) {
    if (!view->report->has_sides || hp_view_is_of_differences(view)) {
        return;
    }
    double shares[2];
    if (hp_files_differ(view, least_difference, shares)) {
        hp_sink_print(out,
                      "source files are known of %.0f%% of base and %.0f%% of new: "
                      "rows may differ by that alone\n",
                      shares[0] * 100, shares[1] * 100);
    }
}

// A place is named by the ELF address where that is known.
static void put_offsets(struct hp_sink *out, const struct hp_view *view) {
    size_t shown = hp_view_shown(view, view->rows.count);
    for (size_t i = 0; i < shown; i++) {
        struct hp_span name = hp_view_name(view, i);
        if (memmem(name.at, name.size, "@0x", 3)) {
            hp_sink_text(out,
                         "@: an offset in the file, where the ELF address is not "
                         "known\n");
            return;
        }
    }
}

void hp_text_charges(struct hp_sink *out, const struct hp_view *view) {
    bool has_shares = !hp_view_is_of_differences(view);
    if (view->options.frames != HP_FRAMES_ALL && has_shares) { // else nothing is moved
        struct hp_charges charges = hp_charges_of(view);
        put_moved(out, view, &charges);
        put_own(out, view, &charges);
        put_suspect(out, view);
    }
    put_files(out, view);
    put_offsets(out, view);
}
