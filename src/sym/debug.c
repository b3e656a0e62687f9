#include "sym/debug.h"

#include <string.h>

enum {
    MOST_CANDIDATES = 64
};

// What a debug file is checked against: a build id, or else a CRC.
struct proof {
    const char *build_id;
    bool has_crc;
    uint32_t crc;
};

static bool proves(const struct proof *proof, const struct hp_image *image) {
    if (proof->build_id[0] && (image->build_id[0] || !proof->has_crc)) {
        return strcmp(proof->build_id, image->build_id) == 0;
    }
    return proof->has_crc && hp_image_crc(image) == proof->crc;
}

// Ask for candidates until one has the proof.
static bool find(struct hp_image *image, struct hp_wanted wanted,
                 const struct proof *proof, struct hp_file_requester *requester) {
    struct hp_sym_diagnostic diagnostic;
    for (wanted.n = 0; wanted.n < MOST_CANDIDATES; wanted.n++) {
        struct hp_span text;
        int fd = hp_file_request(requester, &wanted, &text);
        if (fd < 0) {
            return false;
        }
        if (!hp_image_open(image, fd, text, &diagnostic)) {
            continue;
        }
        if (proves(proof, image)) {
            return true;
        }
        hp_image_done(image);
    }
    return false;
}

static bool find_separate(struct hp_debug *debug, const struct hp_image *image,
                          struct hp_file_requester *requester) {
    struct proof proof = {.build_id = image->build_id};
    struct hp_wanted by_id = {HP_FIND_BUILD_ID, 0, hp_span_of(image->build_id)};
    if (image->build_id[0] && find(&debug->separate, by_id, &proof, requester)) {
        return true;
    }
    const char *name = hp_image_debuglink(image, &proof.crc);
    if (!name) {
        return false;
    }
    proof.has_crc = true;
    struct hp_wanted by_link = {HP_FIND_LINK, 0, hp_span_of(name)};
    return find(&debug->separate, by_link, &proof, requester) ||
           hp_sym_diagnose(&debug->diagnostic, HP_SYM_STRIPPED,
                           "%s: no debug file %s that fits", image->path, name);
}

static bool find_alt(struct hp_debug *debug, const struct hp_image *image,
                     struct hp_file_requester *requester) {
    char build_id[2 * HP_BUILD_ID_SIZE + 1];
    const char *name = hp_image_altlink(image, build_id);
    if (!name) {
        return true;
    }
    struct proof proof = {.build_id = build_id};
    struct hp_wanted by_id = {HP_FIND_BUILD_ID, 0, hp_span_of(build_id)};
    struct hp_wanted by_name = {HP_FIND_ALT, 0, hp_span_of(name)};
    if ((find(&debug->alt_image, by_name, &proof, requester) ||
         find(&debug->alt_image, by_id, &proof, requester)) &&
        hp_image_inflatable(&debug->alt_image, &debug->diagnostic)) {
        debug->alt = dwarf_begin_elf(debug->alt_image.elf, DWARF_C_READ, NULL);
    }
    return debug->alt || hp_sym_diagnose(&debug->diagnostic, HP_SYM_STRIPPED,
                                         "%s: the shared debug file %s was not found",
                                         image->path, name);
}

void hp_debug_find(struct hp_debug *debug, const struct hp_image *image,
                   struct hp_file_requester *requester) {
    *debug = (struct hp_debug){.image = NULL};
    if (hp_image_has_dwarf(image)) {
        debug->image = image;
    } else if (find_separate(debug, image, requester) &&
               hp_image_has_dwarf(&debug->separate)) {
        debug->image = &debug->separate;
    }
    if (debug->separate.elf) {
        debug->shift = debug->separate.base - image->base;
    }
    if (debug->image && (!hp_image_inflatable(debug->image, &debug->diagnostic) ||
                         !find_alt(debug, debug->image, requester))) {
        debug->image = NULL;
    }
}

void hp_debug_done(struct hp_debug *debug) {
    dwarf_end(debug->alt);
    hp_image_done(&debug->alt_image);
    hp_image_done(&debug->separate);
}
