// The kernel and the dynamic linker map each PT_LOAD, with pages of P bytes,
//     file  [p_offset down to P, p_offset + p_filesz up to P)
//     to    [p_vaddr down to P, p_vaddr + p_filesz up to P) + bias
// so the executable rows of a dump's memory map are the file ranges of the executable
// segments, and the rows from first to last span as many bytes as the addresses of the
// segments.
//
// In a debug file p_offset and p_filesz are meaningless.  Its k-th executable segment is
// taken for the k-th executable row if it has the same size by p_memsz.  Then
//     address = offset - offset of the row + p_vaddr down to P
#include "sym/verify.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

// Round down and up to a multiple of `page`, a power of 2.
static uint64_t down(uint64_t value, uint64_t page) {
    return value & ~(page - 1);
}

static uint64_t up(uint64_t value, uint64_t page) {
    return down(value + page - 1, page);
}

// Whether an extent of the dump is a segment, or several that are neighbours in the file
// and were joined.  An extent with a hole may lack the edge next to it.
static bool extent_fits(const struct hp_image *image, const struct hp_request *request,
                        const struct hp_extent *extent, uint64_t page) {
    const struct hp_load *loads = image->loads.at;
    for (size_t i = 0; i < image->loads.count; i++) {
        uint64_t begin = hp_image_begin(image, &loads[i], request->kind);
        uint64_t first = down(begin, page), last = up(begin + loads[i].size, page);
        bool starts = loads[i].exec && first == extent->address;
        bool holds = loads[i].exec && extent->has_hole && first <= extent->address;
        for (size_t k = i + 1; k < image->loads.count && loads[k].exec; k++) {
            begin = hp_image_begin(image, &loads[k], request->kind);
            if ((starts && last - first == extent->size) || down(begin, page) > last) {
                break;
            }
            last = up(begin + loads[k].size, page);
        }
        if ((starts && last - first == extent->size) ||
            (holds && extent->address - first <= last - first &&
             extent->size <= last - extent->address)) {
            return true;
        }
    }
    return false;
}

// Bytes from the first to the last mapped page of all segments.
static uint64_t span_of(const struct hp_image *image, uint64_t page) {
    uint64_t first = UINT64_MAX, last = 0;
    for (size_t i = 0; i < image->loads.count; i++) {
        const struct hp_load *load = &image->loads.at[i];
        uint64_t start = down(load->vaddr, page),
                 end = up(load->vaddr + load->size, page);
        first = start < first ? start : first;
        last = end > last ? end : last;
    }
    return last > first ? last - first : 0;
}

// Whether all extents and the span of the dump fit the segments, with pages of that size.
static bool fits(const struct hp_image *image, const struct hp_request *request,
                 uint64_t page) {
    for (size_t i = 0; i < request->extents.count; i++) {
        if (!extent_fits(image, request, &request->extents.at[i], page)) {
            return false;
        }
    }
    return request->span == 0 || request->span == span_of(image, page);
}

// Whether the segments of a debug file allow that span of the dump (hp_request.span).
// Bytes of data that are not in the file (.bss) are not mapped from it, so the span may
// end anywhere in the last segment.
static bool may_span(const struct hp_image *image, uint64_t span, uint64_t page) {
    uint64_t first = UINT64_MAX, last = 0, end = 0;
    const struct hp_load *load;
    hp_vec_each (load, &image->loads) {
        uint64_t start = down(load->vaddr, page),
                 limit = up(load->vaddr + load->size, page);
        first = start < first ? start : first;
        last = start > last ? start : last;
        end = limit > end ? limit : end;
    }
    return span == 0 || (span > last - first && span <= end - first);
}

// Place the executable segments of a debug file at the extents of the dump, and drop all
// other segments.  False, with the image unchanged, if their number or sizes differ.
static bool place(struct hp_image *image, const struct hp_request *request,
                  uint64_t page) {
    HP_VEC(struct hp_load) placed = {0};
    bool is_sound = request->build_id.size > 0 || may_span(image, request->span, page);
    const struct hp_load *load;
    hp_vec_each (load, &image->loads) {
        uint64_t start = down(load->vaddr, page);
        uint64_t size = up(load->vaddr + load->size, page) - start;
        if (load->exec && placed.count < request->extents.count) {
            const struct hp_extent *extent = &request->extents.at[placed.count];
            struct hp_load at = {extent->offset, size, start, true};
            bool is_there = request->kind == HP_ADDRESS_OFFSET ||
                            extent->address == start - image->start;
            is_sound &= is_there && extent->size == size && !extent->has_hole;
            hp_vec_push(&placed, at);
        } else if (load->exec) {
            is_sound = false;
        }
    }
    if (!is_sound || placed.count == 0 || placed.count != request->extents.count) {
        hp_vec_done(&placed);
        return false;
    }
    image->loads.count = 0;
    hp_vec_append(&image->loads, placed.at, placed.count);
    hp_vec_done(&placed);
    return true;
}

// Place a debug file, with each of the usual sizes of pages.
static bool place_debug_file(struct hp_image *image, const struct hp_request *request,
                             struct hp_sym_diagnostic *diagnostic) {
    bool has_id = request->build_id.size > 0;
    return place(image, request, 1 << 12) || place(image, request, 1 << 14) ||
           place(image, request, 1 << 16) ||
           hp_sym_diagnose(
               diagnostic, has_id ? HP_SYM_UNSUPPORTED : HP_SYM_OTHER_BUILD,
               HP_MESSAGE(
                   "debug-segments-differ",
                   "%s: its executable segments are not those of the mapped binary"),
               image->path);
}

// Whether two build ids are equal; some writers use capitals.
static bool is_id(struct hp_span wanted, const char *build_id) {
    return wanted.size == strlen(build_id) &&
           strncasecmp(wanted.at, build_id, wanted.size) == 0;
}

// Whether an image has the build id of the request.  False with `diagnostic` if not.
static bool has_wanted_id(const struct hp_image *image, const struct hp_request *request,
                          struct hp_sym_diagnostic *diagnostic) {
    return is_id(request->build_id, image->build_id) ||
           hp_sym_diagnose(diagnostic, HP_SYM_OTHER_BUILD,
                           HP_MESSAGE("build-id-differs", "%s: build id %s, not %.*s"),
                           image->path, image->build_id[0] ? image->build_id : "missing",
                           (int)request->build_id.size, request->build_id.at);
}

bool hp_verify(struct hp_image *image, const struct hp_request *request,
               struct hp_sym_diagnostic *diagnostic) {
    if (!image->program) {
        return hp_sym_diagnose(diagnostic, HP_SYM_UNSUPPORTED,
                               HP_MESSAGE("image-other-type",
                                          "%s: neither a program nor a library"),
                               image->path);
    }
    if (request->build_id.size) {
        return has_wanted_id(image, request, diagnostic) &&
               (!image->lacks_code || place_debug_file(image, request, diagnostic));
    }
    if (request->extents.count > 0 && image->lacks_code) {
        return place_debug_file(image, request, diagnostic);
    }
    if (request->extents.count == 0) {
        return hp_sym_diagnose(
            diagnostic, HP_SYM_NOT_COMPARED,
            HP_MESSAGE("no-code-to-compare",
                       "%s: the dump shows no executable part of it to compare"),
            image->path);
    }
    if (fits(image, request, 1 << 12) || fits(image, request, 1 << 14) ||
        fits(image, request, 1 << 16)) {
        return true;
    }
    const struct hp_extent *extent = request->extents.at;
    return hp_sym_diagnose(
        diagnostic, HP_SYM_OTHER_BUILD,
        HP_MESSAGE("segments-differ",
                   "%s: its segments are not as they were mapped (text of 0x%" PRIx64
                   " bytes at 0x%" PRIx64 ", 0x%" PRIx64 " bytes in all)"),
        image->path, extent->size, extent->address, request->span);
}
