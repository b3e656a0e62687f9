// Lines below a table about folding, and about other options:
//
//     48.3 MiB (68%) allocated inside the standard library is charged ...
//     92% is charged ...; --frames=no-libs charges what calls them
//     54% is allocated in my_malloc2: "peek my_malloc2" shows its callers, ...
//     source files are known of 98% of base and 3% of new: rows may differ by that alone
//     @: an offset in the file, where the ELF address is not known
#include "report/text/text.h"

#include "view/charges.h"

#include <stdio.h>

// Share of the total that folding must have moved to callers so that the report mentions
// it.
static const double least_moved = 0.01;
// --frames=no-libs is suggested if libraries have more than the first share of the total, and
// the largest function would then have at most the second.
static const double least_libraries = 0.25, most_own = 0.8;
// Least difference between base and new in the share of memory whose source files are
// known, for a warning.
static const double least_difference = 0.05;

enum {
    // Room for the name of a suspected wrapper.
    NAME_SIZE = 256,
};

// The share that `part` has of charges->total; 0 if the total is not above 0.
static double share_of(hp_fixed part, const struct hp_charges *charges) {
    return charges->total > 0 ? (double)part / (double)charges->total : 0;
}

// Whether folding moved more than 1% of the memory that it moved from this class.
static bool is_moved(const struct hp_charges *charges, size_t class) {
    return (double)charges->moved[class] > least_moved * (double)charges->all_moved;
}

static size_t count_classes(const struct hp_charges *charges) {
    size_t count = 0;
    for (size_t i = 0; i < HP_CLASSES; i++) {
        count += is_moved(charges, i);
    }
    return count;
}

// Write the classes of code that folding moved memory from, "the standard library and
// wrappers of malloc", except those with at most 1% of it.
static void put_classes(struct hp_sink *out, const struct hp_charges *charges) {
    static const char *const names[HP_CLASSES] = {
        [HP_CLASS_NONE] = "what is not known",
        [HP_CLASS_ALLOCATOR] = "the allocator",
        [HP_CLASS_START_UP] = "start-up code",
        [HP_CLASS_WRAPPER] = "malloc wrappers",
        [HP_CLASS_STANDARD] = "the standard library",
        [HP_CLASS_LIBRARY] = "libraries",
        [HP_CLASS_OWN] = "its own code",
        [HP_CLASS_GENERATED] = "generated code",
    };
    const char *shown[HP_CLASSES];
    char list[256];
    size_t count = 0;
    for (size_t i = 0; i < HP_CLASSES; i++) {
        if (is_moved(charges, i)) {
            shown[count++] = names[i];
        }
    }
    hp_join(list, sizeof list, shown, count, " and ");
    hp_sink_text(out, list);
}

// Say how much folding moved to callers, and how to see it.
static void put_moved(struct hp_sink *out, const struct hp_view *view,
                      const struct hp_charges *charges) {
    char moved[HP_NUMBER_SIZE];
    if (share_of(charges->all_moved, charges) <= least_moved) {
        return;
    }
    hp_text_format(moved, charges->all_moved, view->options.metric, view->options.unit);
    hp_sink_print(out, HP_MESSAGE("charged", "%s%s (%.0f%%) allocated inside "), moved,
                  hp_fraction(view->options.metric) == HP_SPACE_FRACTION ? ""
                                                                         : " objects",
                  share_of(charges->all_moved, charges) * 100);
    put_classes(out, charges);
    hp_sink_print(out,
                  HP_MESSAGE("charged-to-callers",
                             " is attributed to its callers; %s shows it%s\n"),
                  view->use.shape == HP_SHAPE_PAGE ? "Frames no-alloc"
                                                   : "--frames=no-alloc",
                  charges->is_go ? ", as go tool pprof does" : "");
}

void hp_text_moved(struct hp_sink *out, const struct hp_view *view) {
    static const double least_shown = 0.05;
    bool is_folded = view->options.frames.fold != HP_FRAMES_ALL;
    if (!is_folded || hp_view_is_of_differences(view)) {
        return;
    }
    struct hp_charges charges = hp_charges_of(view);
    double share = share_of(charges.all_moved, &charges);
    if (share >= least_shown) {
        size_t count = count_classes(&charges);
        bool are_wrappers = is_moved(&charges, HP_CLASS_WRAPPER);
        hp_sink_print(out,
                      count > 1 ? HP_MESSAGE("moved-of", "%.0f%% (")
                                : HP_MESSAGE("moved", "%.0f%% was allocated through "),
                      share * 100);
        put_classes(out, &charges);
        hp_sink_print(out,
                      count > 1 ? HP_MESSAGE("moved-of-to-callers",
                                             ") is attributed to their callers")
                                : HP_MESSAGE("moved-to-callers",
                                             " and is attributed to %s callers"),
                      are_wrappers ? "their" : "its");
    }
}

// Suggest --frames=no-libs if libraries have much memory, and no function would have most of
// it if libraries were folded.
static void put_own(struct hp_sink *out, const struct hp_view *view,
                    const struct hp_charges *charges) {
    double libraries = share_of(charges->libraries, charges);
    if (view->options.frames.fold == HP_FRAMES_CODE &&
        view->options.by == HP_BY_FUNCTION && libraries > least_libraries &&
        share_of(hp_largest_owner(view), charges) <= most_own) {
        hp_sink_print(
            out,
            HP_MESSAGE(
                "charged-to-libraries",
                "%.0f%% is attributed to libraries; --frames=no-libs attributes it to their callers\n"),
            libraries * 100);
    }
}

// Name a function that looks like a wrapper of malloc, and how to fold it.
static void put_suspect(struct hp_sink *out, const struct hp_view *view) {
    char name[NAME_SIZE];
    double share;
    if (hp_likely_wrapper(view, &share, name, sizeof name)) {
        hp_sink_print(out, HP_MESSAGE("allocated-inside", "%.0f%% is allocated in "),
                      share * 100);
        hp_sink_escaped(out, hp_view_name(view, 0));
        const struct hp_origin *origin = hp_view_origin(view, view->rows.at[0].node);
        if (hp_view_module(view, origin->module)->has_jemalloc) {
            hp_sink_print(out, HP_MESSAGE("has-jemalloc", ", whose binary has jemalloc"));
        }
        hp_sink_text(out, ": \"peek ");
        hp_sink_escaped(out, hp_span_of(name));
        hp_sink_text(out, "\" shows its callers, --wrapper=");
        hp_sink_escaped(out, hp_span_of(name));
        hp_sink_text(out, " attributes it to them\n");
    }
}

// In a comparison, warn if source files are known for much more of the memory of one side
// than of the other.
static void put_files(struct hp_sink *out, const struct hp_view *view) {
    if (!view->report->has_sides || hp_view_is_of_differences(view)) {
        return;
    }
    double shares[2];
    if (hp_files_differ(view, least_difference, shares)) {
        hp_sink_print(
            out,
            HP_MESSAGE(
                "source-files-known",
                "source files are known of %.0f%% of base and %.0f%% of new: rows may "
                "differ by that alone\n"),
            shares[0] * 100, shares[1] * 100);
    }
}

// Explain "@" if a shown row has it: places are named by their ELF address where that is
// known.
static void put_offsets(struct hp_sink *out, const struct hp_view *view) {
    size_t shown = hp_view_shown(view, view->rows.count);
    for (size_t i = 0; i < shown; i++) {
        struct hp_span name = hp_view_name(view, i);
        if (memmem(name.at, name.size, "@0x", 3)) {
            hp_sink_print(
                out,
                HP_MESSAGE(
                    "note-file-offsets",
                    "@: an offset in the file, where the ELF address is not known\n"));
            return;
        }
    }
}

void hp_text_folding_notes(struct hp_sink *out, const struct hp_view *view) {
    bool has_shares = !hp_view_is_of_differences(view);
    // Otherwise folding moves nothing that the report would show.
    if (view->options.frames.fold != HP_FRAMES_ALL && has_shares) {
        struct hp_charges charges = hp_charges_of(view);
        put_moved(out, view, &charges);
        put_own(out, view, &charges);
        put_suspect(out, view);
    }
    put_files(out, view);
    put_offsets(out, view);
}
