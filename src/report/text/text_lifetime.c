// The lines of lifetime:
//
//     2.2 … 3.6% of the 1.5 GiB allocated in the window is still live
//     (the table)
//
// With details, there are also the inputs and the length of the window.
#include "report/text/text.h"

#include "view/recent_rows.h"
#include "view/report_lifetime.h"

#include <math.h>
#include <stdio.h>

// --- of dumps -----------------------------------------------------------------------------

// Write the bounds of a share, "2.2 … 3.6%".
static void put_share(struct hp_sink *out, struct hp_interval share) {
    char text[HP_INTERVAL_SIZE];
    hp_text_shares(text, share.low, share.high);
    hp_sink_text(out, text);
}

// Write which share of the memory that was allocated in the window is still live.
static void put_answer(struct hp_sink *out, const struct hp_view *view) {
    const struct hp_lifetime_row *total = hp_lifetime_row(view, HP_ROW_TOTAL);
    char allocated[HP_NUMBER_SIZE];
    if (isnan(total->share.high)) {
        hp_sink_print(
            out,
            HP_MESSAGE("nothing-allocated",
                       "nothing was allocated between the first dump and the last\n"));
        return;
    }
    hp_text_format(allocated, total->allocated, HP_ALLOC_SPACE, view->options.unit);
    put_share(out, total->share);
    hp_sink_print(out,
                  HP_MESSAGE("live-at-last",
                             " of the %s allocated in the window is still live"),
                  allocated);
    hp_text_put_lost(out, view);
    hp_sink_text(out, "\n");
}

// Write the dumps, and the time from the first to the last.
static void put_window(struct hp_sink *out, const struct hp_view *view) {
    const struct hp_lifetimes *lifetimes = view->extra;
    hp_sink_print(
        out, HP_MESSAGE("window-of-series", "window: from first to last of %zu dumps"),
        lifetimes->dumps);
    if (!isnan(lifetimes->seconds)) {
        hp_sink_print(out, ", %.3g seconds", lifetimes->seconds);
    }
    hp_sink_text(out, "\n");
}

// Write how much of the memory that filters leave was allocated, and survives; nothing
// without filters.
static void put_filtered_lifetime(struct hp_sink *out, const struct hp_view *view) {
    const struct hp_lifetime_row *filtered = hp_lifetime_row(view, HP_ROW_FILTERED);
    char allocated[HP_NUMBER_SIZE];
    if (!hp_text_filters(out, view)) {
        return;
    }
    hp_text_format(allocated, filtered->allocated, HP_ALLOC_SPACE, view->options.unit);
    hp_sink_text(out, allocated);
    if (!isnan(filtered->share.high)) {
        hp_sink_text(out, ", ");
        put_share(out, filtered->share);
        hp_sink_print(out, HP_MESSAGE("filtered-live", " still live"));
    }
    hp_sink_text(out, "\n");
}

// --- of recent allocations ----------------------------------------------------------------

// Write how many records of allocations were excluded, and why.
static void put_left_out(struct hp_sink *out, const struct hp_recent_row *total) {
    if (total->negative > 0) {
        hp_sink_print(out,
                      HP_MESSAGE("left-out-by-clock",
                                 "excluded   %zu freed before they were allocated: the "
                                 "clock went back\n"),
                      total->negative);
    }
    if (total->no_time > 0) {
        hp_sink_print(out,
                      HP_MESSAGE("left-out-unknown",
                                 "excluded   %zu freed at an unknown time\n"),
                      total->no_time);
    }
}

// Write how objects are counted that one stack freed in one tick of the clock, if there
// are any.
static void put_batches(struct hp_sink *out, const struct hp_recent_row *total) {
    char largest[HP_NUMBER_SIZE];
    hp_format_grouped(largest, (hp_int128)total->largest_batch);
    if (total->largest_batch > 1) {
        hp_sink_print(
            out,
            HP_MESSAGE(
                "batches",
                "batches    objects that one stack frees in one tick are one death; the "
                "largest has %s objects\n"),
            largest);
    }
}

// Write how lifetimes were estimated from the records of prof_recent.
static void put_recent_facts(struct hp_sink *out, const struct hp_view *view) {
    const struct hp_recent_rows *rows = view->extra;
    const struct hp_recent_row *total = &rows->total;
    char tick[HP_LIFESPAN_SIZE];
    hp_lifespan_format(tick, rows->tick, 0);
    hp_text_inputs(out, view);
    hp_sink_print(
        out,
        HP_MESSAGE(
            "window-of-recent",
            "clock      in ticks of %s, the smallest difference between two times\n"
            "method     Kaplan-Meier; %g%% intervals by a jackknife over batches\n"),
        tick, 100 * view->options.confidence);
    put_batches(out, total);
    put_left_out(out, total);
}

// Write the head for lifetimes from the records of prof_recent.
static void put_recent_head(struct hp_sink *out, const struct hp_view *view) {
    const struct hp_recent_rows *rows = view->extra;
    const struct hp_recent_row *total = &rows->total;
    char window[HP_LIFESPAN_SIZE];
    hp_lifespan_format(window, rows->window, 0);
    hp_sink_print(out,
                  HP_MESSAGE("recent-live",
                             "%zu of the last %zu sampled allocations are still live\n"),
                  total->live, total->sampled);
    hp_sink_print(
        out, HP_MESSAGE("recent-window", "they span %s; longer lifetimes are unknown\n"),
        window);
    if (hp_text_filters(out, view)) {
        hp_sink_print(out, "%zu of them\n", rows->filtered.sampled);
    }
    hp_text_warnings(out, view);
    hp_sink_text(out, "\n");
}

void hp_text_lifetime_head(struct hp_sink *out, const struct hp_view *view) {
    if (hp_view_is_recent(view)) {
        put_recent_head(out, view);
        return;
    }
    put_answer(out, view);
    put_window(out, view);
    put_filtered_lifetime(out, view);
    hp_text_warnings(out, view);
    hp_sink_text(out, "\n");
}

void hp_text_lifetime_facts(struct hp_sink *out, const struct hp_view *view) {
    if (hp_view_is_recent(view)) {
        put_recent_facts(out, view);
    } else {
        hp_text_moments(out, view);
        hp_text_inputs(out, view);
    }
}
