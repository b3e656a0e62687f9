// Finding the distinct sites of the calls of a naming.
#include "view/sites.h"

// State of the search.
struct site_finder {
    struct hp_sites *sites;
    const struct hp_naming *naming;
    struct hp_index index; // finds sites by all of their bytes
};

// Return the number of a site, and add it if it is new.  Sites are numbered in the order
// in which they are found, until sort().
static uint32_t find_or_add(struct site_finder *finder, const struct hp_site *site) {
    struct hp_sites *sites = finder->sites;
    uint32_t number = hp_index_of(&finder->index, &sites->all, site, sizeof *site);
    if (number == sites->all.count) {
        hp_vec_push(&sites->all, *site);
    }
    return number;
}

// Find the two sites of a call (as a page shows it) of the naming: for stacks that show
// it, and for stacks in which show-from hides it.  They are one site if no filter is of
// that kind.  `site` has the members that depend on the frame.
static void add_call(struct site_finder *finder, uint32_t number, struct hp_site site) {
    const struct hp_naming *naming = finder->naming;
    const struct hp_call *call = &naming->calls.at[number];
    bool cuts = (naming->filters->rules & hp_mark_of(HP_SHOW_FROM)) != 0;
    uint32_t *numbers = &finder->sites->number_of[2 * (size_t)number];
    site.name = call->node;
    site.class = call->class;
    if (call->line > 0) {
        const struct hp_line *line = &naming->profile->lines.at[call->line - 1];
        site.function = line->function;
        site.file = line->file;
        site.line = line->line;
    }
    site.is_hidden = call->is_hidden;
    numbers[0] = numbers[1] = find_or_add(finder, &site);
    if (cuts && !call->is_hidden) {
        site.is_hidden = true;
        numbers[1] = find_or_add(finder, &site);
    }
}

// Find the sites of all calls, and of the two calls that represent no frame.
static void add_calls(struct site_finder *finder) {
    const struct hp_naming *naming = finder->naming;
    const struct hp_profile *profile = naming->profile;
    for (size_t i = 0; i + 1 < naming->first_call.count; i++) {
        const uint32_t *first = &naming->first_call.at[i];
        hp_module_id module = profile->frames.at[i].module;
        for (uint32_t call = first[0]; call < first[1]; call++) {
            add_call(finder, call,
                     (struct hp_site){.module = profile->modules.at[module.n].path,
                                      .is_inlined = call + 1 < first[1]});
        }
    }
    add_call(finder, naming->empty_call, (struct hp_site){.line = 0});
    add_call(finder, naming->truncated_call, (struct hp_site){.line = 0});
}

// --- order --------------------------------------------------------------------------------

// Order of two strings of the profile by their bytes.
static int compare_texts(const struct hp_naming *naming, hp_string a, hp_string b) {
    const struct hp_strtab *strings = &naming->profile->strings;
    return a.n == b.n
               ? 0
               : hp_span_compare(hp_strtab_span(strings, a), hp_strtab_span(strings, b));
}

// Order sites (calls as a page shows them) by all members, so that different sites never
// compare equal.
static int compare(const struct hp_naming *naming, const struct hp_site *a,
                   const struct hp_site *b) {
    int order = a->name.n == b->name.n ? 0 : hp_node_compare(naming, a->name, b->name);
    order = order ? order : compare_texts(naming, a->file, b->file);
    order = order ? order : (a->line > b->line) - (a->line < b->line);
    order = order ? order : compare_texts(naming, a->module, b->module);
    order = order ? order : compare_texts(naming, a->function, b->function);
    order = order ? order : a->class - b->class;
    order = order ? order : a->is_inlined - b->is_inlined;
    return order ? order : a->is_hidden - b->is_hidden;
}

// Order of numbers of sites, by compare() of the sites.
static int by_place(const void *left, const void *right, void *context) {
    const struct site_finder *finder = context;
    const struct hp_site *sites = finder->sites->all.at;
    return compare(finder->naming, &sites[*(const uint32_t *)left],
                   &sites[*(const uint32_t *)right]);
}

// Sort the sites, and replace the numbers of sites in number_of accordingly.
static void sort(struct site_finder *finder) {
    struct hp_sites *sites = finder->sites;
    size_t count = sites->all.count;
    uint32_t *order = hp_alloc(count * sizeof *order);
    uint32_t *place = hp_alloc(count * sizeof *place);
    struct hp_site *sorted = hp_alloc(count * sizeof *sorted);
    for (uint32_t i = 0; i < count; i++) {
        order[i] = i;
    }
    qsort_r(order, count, sizeof *order, by_place, finder);
    for (uint32_t i = 0; i < count; i++) {
        place[order[i]] = i;
        sorted[i] = sites->all.at[order[i]];
    }
    for (size_t i = 0; i < 2 * finder->naming->calls.count; i++) {
        sites->number_of[i] = place[sites->number_of[i]];
    }
    free(order);
    free(place);
    free(sites->all.at);
    sites->all.at = sorted;
    sites->all.capacity = count;
}

void hp_sites_init(struct hp_sites *sites, const struct hp_naming *naming) {
    struct site_finder finder = {.sites = sites, .naming = naming};
    *sites = (struct hp_sites){0};
    sites->number_of = hp_alloc(2 * naming->calls.count * sizeof *sites->number_of);
    add_calls(&finder);
    hp_index_drop(&finder.index);
    sort(&finder);
}

void hp_sites_done(struct hp_sites *sites) {
    hp_vec_done(&sites->all);
    free(sites->number_of);
}
