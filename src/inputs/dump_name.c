// Dump names are parsed from their end, because the prefix may have dots itself. ".gz" or
// ".zst" is ignored. A date or an IP address is not mistaken for the numbers of a name,
// because no kind of dump follows it.
#include "inputs/dump_name.h"

#include "base/cursor.h"

enum {
    LEAST_DIGITS = 4, // digits of gperftools' numbers at least
};

// Cut the last part off a text, with the dot before it; *part is the part without the
// dot. Returns false if there is no dot.
static bool cut_part(struct hp_span *text, struct hp_span *part) {
    size_t end = text->size;
    while (end > 0 && text->at[end - 1] != '.') {
        end--;
    }
    if (end == 0) {
        return false;
    }
    *part = hp_span_from(*text, end);
    text->size = end - 1;
    return true;
}

// Read a text that is a decimal number and nothing else.
static bool read_number(struct hp_span digits, uint64_t *number) {
    struct hp_cursor c = hp_cursor_over(digits.at, digits.at + digits.size);
    *number = hp_cursor_decimal(&c);
    return digits.size > 0 && hp_cursor_good(&c) && hp_cursor_at_end(&c);
}

// Read a number without leading zeros, as programs print it.
static bool read_plain(struct hp_span digits, uint64_t *number) {
    return read_number(digits, number) && (digits.size == 1 || *digits.at != '0');
}

// Read the kind of a jemalloc dump: "f", or i, m or u and a number, such as "i12".
static bool read_kind(struct hp_span text, char *kind) {
    uint64_t number;
    *kind = text.size > 0 ? *text.at : '\0';
    return hp_span_is(text, "f") || ((*kind == 'i' || *kind == 'm' || *kind == 'u') &&
                                     read_plain(hp_span_from(text, 1), &number));
}

// Parse PREFIX.PID.SEQ.KIND.
static bool read_jemalloc(struct hp_span name, struct hp_dump_name *found) {
    struct hp_span kind, sequence, series, pid;
    if (!cut_part(&name, &kind) || !read_kind(kind, &found->kind) ||
        !cut_part(&name, &sequence) || !read_plain(sequence, &found->number)) {
        return false;
    }
    series = name;
    found->has_number = true;
    found->series = series;
    return cut_part(&name, &pid) && read_plain(pid, &found->pid) && found->pid > 0 &&
           found->pid <= INT32_MAX;
}

// Returns the process id in "NAME_77", the form of gperftools' names for programs that a
// profiled program has started; 0 if there is none.
static uint64_t pid_after_name(struct hp_span name) {
    uint64_t pid;
    size_t start = name.size;
    while (start > 0 && name.at[start - 1] != '_') {
        start--;
    }
    bool is_pid =
        start > 0 && read_plain(hp_span_from(name, start), &pid) && pid <= INT32_MAX;
    return is_pid ? pid : 0;
}

// Parse NAME.NNNN or NAME_PID.NNNN.
static bool read_gperftools(struct hp_span name, struct hp_dump_name *found) {
    struct hp_span number;
    found->has_number = cut_part(&name, &number) && number.size >= LEAST_DIGITS &&
                        read_number(number, &found->number);
    found->pid = found->has_number ? pid_after_name(name) : 0;
    return found->has_number;
}

struct hp_dump_name hp_dump_name_of(const char *path) {
    static const struct hp_dump_name nothing;
    struct hp_dump_name found = nothing;
    struct hp_span name = hp_span_basename(hp_span_of(path)), heap;
    name.size -= hp_span_ends(name, ".gz") ? 3 : hp_span_ends(name, ".zst") ? 4 : 0;
    if (!hp_span_ends(name, ".heap") || !cut_part(&name, &heap)) {
        return nothing;
    }
    if (read_jemalloc(name, &found)) {
        return found;
    }
    found = nothing;
    return read_gperftools(name, &found) ? found : nothing;
}
