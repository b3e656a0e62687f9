#include "report/json/json_writer.h"

#include <string.h>

// Put what separates a value from the one before it into `lead`.  Returns its size.
static size_t separate(struct hp_json *json, char lead[HP_JSON_LEAD]) {
    size_t size = json->has_item;
    lead[0] = ',';
    if (json->line > 0) {
        lead[size++] = '\n';
        for (int i = 1; i < json->line; i++) {
            lead[size++] = ' ';
        }
    } else if (json->has_item && !json->is_dense) {
        lead[size++] = ' ';
    }
    json->line = 0;
    json->has_item = true;
    return size;
}

struct hp_sink *hp_json_value(struct hp_json *json, const char *key) {
    char lead[HP_JSON_LEAD];
    size_t size = 0;
    if (!json->has_key) {
        size = separate(json, lead);
    }
    if (key) { // many are written: each in one piece with what precedes it
        size_t length = strlen(key);
        length = length < HP_JSON_KEY ? length : HP_JSON_KEY;
        lead[size++] = '"';
        memcpy(lead + size, key, length);
        memcpy(lead + size + length, "\": ", 3);
        size += length + (json->is_dense ? 2 : 3);
    }
    hp_sink_put(json->out, lead, size);
    json->has_key = false;
    return json->out;
}

void hp_json_key(struct hp_json *json, struct hp_span key) {
    hp_json_string(hp_json_value(json, NULL), key);
    hp_sink_text(json->out, json->is_dense ? ":" : ": ");
    json->has_key = true;
}

void hp_json_open(struct hp_json *json, const char *key, char bracket) {
    hp_sink_put(hp_json_value(json, key), &bracket, 1);
    json->objects = json->objects << 1 | (bracket == '{');
    json->has_item = false;
}

void hp_json_close(struct hp_json *json) {
    hp_sink_put(json->out, json->objects & 1 ? "}" : "]", 1);
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
    hp_sink_put(hp_json_value(json, key), "null", 4);
}
