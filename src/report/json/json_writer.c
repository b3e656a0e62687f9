#include "report/json/json_writer.h"

#include <string.h>

// Write what separates a value from the one before it.
static void put_space(struct hp_json *json) {
    static const char line[] = ",\n                ";
    bool has_item = json->has_item;
    if (json->line > 0) {
        hp_sink_put(json->out, line + !has_item, (size_t)json->line + has_item);
    } else {
        hp_sink_put(json->out, ", ", (size_t)has_item + (has_item && !json->is_dense));
    }
    json->line = 0;
    json->has_item = true;
}

// Write a key.  Most are short and need no escapes: they are written in one piece.
static void put_key(struct hp_json *json, const char *key) {
    char text[64] = "\"";
    size_t size = 1;
    for (; key[size - 1] > ' ' && key[size - 1] < '\x7f' && size < sizeof text - 3;
         size++) {
        if (key[size - 1] == '"' || key[size - 1] == '\\') {
            break;
        }
        text[size] = key[size - 1];
    }
    if (key[size - 1] == '\0') {
        memcpy(text + size, "\": ", 3);
        hp_sink_put(json->out, text, size + (json->is_dense ? 2 : 3));
    } else {
        hp_json_string(json->out, hp_span_of(key));
        hp_sink_text(json->out, json->is_dense ? ":" : ": ");
    }
}

struct hp_sink *hp_json_value(struct hp_json *json, const char *key) {
    put_space(json);
    if (key) {
        put_key(json, key);
    }
    return json->out;
}

void hp_json_open(struct hp_json *json, const char *key, char bracket) {
    hp_sink_put(hp_json_value(json, key), &bracket, 1);
    json->objects = json->objects << 1 | (bracket == '{');
    json->has_item = false;
}

void hp_json_close(struct hp_json *json) {
    hp_sink_text(json->out, json->objects & 1 ? "}" : "]");
    json->objects >>= 1;
    json->has_item = true;
    json->line = 0;
}

void hp_json_line(struct hp_json *json, int indent) {
    json->line = indent + 1;
}

void hp_json_row(struct hp_json *json, int indent) {
    hp_json_line(json, indent);
    hp_json_open(json, NULL, '{');
}

void hp_json_put_string(struct hp_json *json, const char *key, struct hp_span text) {
    hp_json_string(hp_json_value(json, key), text);
}

void hp_json_put_word(struct hp_json *json, const char *key, const char *text) {
    hp_json_put_string(json, key, hp_span_of(text));
}

void hp_json_put_text(struct hp_json *json, const char *key, struct hp_span text) {
    hp_json_text(hp_json_value(json, key), text);
}

void hp_json_put_fixed(struct hp_json *json, const char *key, hp_fixed value,
                       enum hp_metric metric) {
    hp_json_fixed(hp_json_value(json, key), value, metric);
}

void hp_json_put_double(struct hp_json *json, const char *key, double value) {
    hp_json_double(hp_json_value(json, key), value);
}

void hp_json_put_p(struct hp_json *json, const char *key, double value) {
    hp_json_p(hp_json_value(json, key), value);
}

void hp_json_put_rough(struct hp_json *json, const char *key, double value) {
    hp_json_rough(hp_json_value(json, key), value);
}

void hp_json_put_integer(struct hp_json *json, const char *key, hp_int128 number) {
    hp_sink_integer(hp_json_value(json, key), number);
}

void hp_json_put_count(struct hp_json *json, const char *key, uint64_t count) {
    hp_json_put_integer(json, key, (hp_int128)count);
}

void hp_json_put_known(struct hp_json *json, const char *key, uint64_t count) {
    if (count > 0) {
        hp_json_put_count(json, key, count);
    } else {
        hp_json_put_null(json, key);
    }
}

void hp_json_put_truth(struct hp_json *json, const char *key, bool is_true) {
    hp_sink_text(hp_json_value(json, key), is_true ? "true" : "false");
}

void hp_json_put_null(struct hp_json *json, const char *key) {
    hp_sink_text(hp_json_value(json, key), "null");
}
