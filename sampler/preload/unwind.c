// A frame pointer points to two words: the caller's frame pointer, which is higher, since
// stacks grow down, and the return address.
#include "preload/unwind.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include <unwind.h>

// --- the unwinder -------------------------------------------------------------------

// The bounds of this library in memory, from the linker.
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _end[] __attribute__((visibility("hidden")));

// Whether the address is in this library.
static bool is_ours(uintptr_t address) {
    return address >= (uintptr_t)__ehdr_start && address < (uintptr_t)_end;
}

// State of a walk by the unwinder.
struct stack_walk {
    uintptr_t *frames;
    uint32_t depth;
};

// Add one frame; frames of this library before the first other one are skipped.
static _Unwind_Reason_Code visit(struct _Unwind_Context *context, void *data) {
    struct stack_walk *walk = data;
    uintptr_t address = _Unwind_GetIP(context);
    if (walk->depth == HPS_UNWIND_FRAMES || address == 0) {
        return _URC_END_OF_STACK;
    }
    if (walk->depth > 0 || !is_ours(address)) {
        walk->frames[walk->depth++] = address;
    }
    return _URC_NO_REASON;
}

uint32_t hps_unwind(uintptr_t frames[HPS_UNWIND_FRAMES]) {
    struct stack_walk walk = {.frames = frames};
    _Unwind_Backtrace(visit, &walk);
    return walk.depth;
}

void hps_unwind_prepare(void) {
    uintptr_t frames[HPS_UNWIND_FRAMES];
    hps_unwind(frames);
}

// --- readable stacks ----------------------------------------------------------------

// A buffered reader of /proc/self/maps that needs neither malloc() nor a large stack.
struct maps {
    int fd;
    size_t at, filled;
    char bytes[1024];
};

// Read the next byte; -1 at the end.
static int next_byte(struct maps *maps) {
    if (maps->at == maps->filled) {
        ssize_t n = read(maps->fd, maps->bytes, sizeof maps->bytes);
        if (n <= 0) {
            return -1;
        }
        maps->at = 0;
        maps->filled = (size_t)n;
    }
    return (unsigned char)maps->bytes[maps->at++];
}

// Read a hexadecimal number; *end is the byte after it.
static uintptr_t next_hex(struct maps *maps, int *end) {
    uintptr_t number = 0;
    for (;;) {
        *end = next_byte(maps);
        if (*end >= '0' && *end <= '9') {
            number = number << 4 | (uintptr_t)(*end - '0');
        } else if (*end >= 'a' && *end <= 'f') {
            number = number << 4 | (uintptr_t)(*end - 'a' + 10);
        } else {
            return number;
        }
    }
}

// Find the readable mapping that contains an address; {0} if there is none.
static struct hps_stack_area find_area(uintptr_t address) {
    struct maps maps = {.fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC)};
    struct hps_stack_area found = {0};
    int byte = maps.fd < 0 ? -1 : '\n';
    while (byte >= 0 && !found.end) {
        struct hps_stack_area area = {.start = next_hex(&maps, &byte)};
        area.end = next_hex(&maps, &byte);
        bool readable = next_byte(&maps) == 'r';
        if (readable && address >= area.start && address < area.end) {
            found = area;
        }
        while (byte >= 0 && byte != '\n') {
            byte = next_byte(&maps);
        }
    }
    if (maps.fd >= 0) {
        close(maps.fd);
    }
    return found;
}

static bool is_inside(uintptr_t address, struct hps_stack_area area) {
    return address >= area.start && address < area.end;
}

// The part of the stack from `address` on.  Only the stack on which the thread was seen
// first is remembered.  Others, as of coroutines, may be unmapped before the thread ends.
static struct hps_stack_area above(uintptr_t address, struct hps_stack_area *remembered) {
    struct hps_stack_area area = *remembered;
    if (!is_inside(address, area)) {
        area = find_area(address);
        // The stack of the first thread grows, so that its start changes.
        if (!remembered->end || remembered->end == area.end) {
            *remembered = area;
        }
    }
    area.start = address;
    if (!area.end) {
        area.end = address + 2 * sizeof address; // only the frame of this library
    }
    return area;
}

// --- frame pointers -----------------------------------------------------------------

uint32_t hps_unwind_frame_pointers(uintptr_t frames[HPS_UNWIND_FRAMES], const void *frame,
                                   struct hps_stack_area *area) {
    uintptr_t at = (uintptr_t)frame;
    struct hps_stack_area stack = above(at, area);
    uint32_t depth = 0;
    while (depth < HPS_UNWIND_FRAMES && at % sizeof at == 0 && is_inside(at, stack) &&
           stack.end - at >= 2 * sizeof at) {
        uintptr_t words[2]; // the caller's frame pointer, the return address
        memcpy(words, (const void *)at, sizeof words);
        if (words[1] == 0) {
            break;
        }
        frames[depth++] = words[1];
        stack.start = at + sizeof words;
        at = words[0];
    }
    return depth;
}
