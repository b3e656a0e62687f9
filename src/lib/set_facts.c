// The file is an object whose members have no further members:
//
//     {"version": 1, "program": "redis-server", "pid": 7, "start": 123, "parent": 0,
//      "host": "web1", "boot": "2b0e...", "time_ns": 1767225600000000000, ...}
//
// `start` is the kernel's start time of the process, in ticks since the machine started.
#include "lib/set_facts.h"

#include "base/digest.h"
#include "base/files.h"
#include "input/json_reader.h"

#include <string.h>
#include <unistd.h>

enum {
    LARGEST = 16 << 10, // bytes of facts at most
};

#ifdef HP_WITH_JANSSON
#    include <jansson.h>

// Store a member that is a number.  Returns false if it is none, or below 0.
static bool take_number(const json_t *facts, const char *name, uint64_t *number) {
    const json_t *value = json_object_get(facts, name);
    json_int_t found = json_integer_value(value);
    *number = found > 0 ? (uint64_t)found : 0;
    return json_is_integer(value) && found >= 0;
}

// Add a member that is a text to a digest.  Returns false if it is none, or empty.
static bool add_text(const json_t *facts, const char *name,
                     struct hp_digester *digester) {
    const char *text = json_string_value(json_object_get(facts, name));
    if (text) {
        hp_digester_add(digester, (struct hp_span){text, strlen(text) + 1});
    }
    return text && *text;
}

// Set `process` from the members that identify it.  Returns false if one is missing.
static bool identify(struct hp_set_facts *facts, const json_t *root, uint64_t pid) {
    struct hp_digester digester = {NULL};
    uint64_t start = 0;
    hp_digester_start(&digester);
    bool is_known = take_number(root, "start", &start) && start > 0;
    is_known = add_text(root, "host", &digester) && is_known;
    is_known = add_text(root, "boot", &digester) && is_known;
    is_known = add_text(root, "program", &digester) && is_known;
    uint64_t names = hp_digester_end(&digester).of[0];
    hp_digester_done(&digester);
    facts->process =
        is_known ? hp_digest_of_numbers((uint64_t[]){names, pid, start}, 3).of[0] | 1 : 0;
    return is_known;
}

// Read the members of the object.
static bool take(struct hp_set_facts *facts, const json_t *root, uint64_t pid) {
    uint64_t version = 0, own = 0;
    bool is_known = take_number(root, "version", &version) && version == 1 &&
                    take_number(root, "pid", &own) && own == pid &&
                    identify(facts, root, pid);
    (void)take_number(root, "parent", &facts->parent);
    (void)take_number(root, "time_ns", &facts->nanoseconds);
    (void)take_number(root, "monotonic_ns", &facts->monotonic);
    return is_known;
}

static bool parse(struct hp_set_facts *facts, struct hp_span text, uint64_t pid) {
    struct hp_err err = {0};
    json_t *root = hp_json_reader_load(text, "facts.json", &err);
    bool is_known = root && take(facts, root, pid);
    json_decref(root);
    return is_known;
}

#else

static bool parse(struct hp_set_facts *facts, struct hp_span text, uint64_t pid) {
    (void)facts, (void)text, (void)pid;
    return false;
}

#endif

bool hp_set_facts_read(struct hp_set_facts *facts, const char *dump, uint64_t pid) {
    char path[PATH_MAX], text[LARGEST];
    struct hp_span file = hp_span_basename(hp_span_of(dump));
    size_t before = (size_t)(file.at - dump);
    *facts = (struct hp_set_facts){0};
    if (pid == 0 || before + sizeof "facts.json" > sizeof path) {
        return false;
    }
    memcpy(path, dump, before);
    memcpy(path + before, "facts.json", sizeof "facts.json");
    int fd = hp_open_itself(path);
    ssize_t size = fd < 0 ? -1 : hp_read_at(fd, text, sizeof text, 0);
    if (fd >= 0) {
        close(fd);
    }
    bool is_known = size > 0 && (size_t)size < sizeof text &&
                    parse(facts, (struct hp_span){text, (size_t)size}, pid);
    if (!is_known) {
        *facts = (struct hp_set_facts){0};
    }
    return is_known;
}
