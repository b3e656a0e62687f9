// The writer of JSON: it owns commas, keys, brackets and escapes, and keeps nothing of
// what it has written.
//
//     struct hp_json json = {.out = out};
//     hp_json_open(&json, NULL, '{');
//     hp_json_put_count(&json, "dumps", 3);
//     hp_json_close(&json);
//
// Each function takes the key of the value, a word of the program; NULL: the value is in
// an array, is the whole document, or follows hp_json_key().
#ifndef HP_REPORT_JSON_JSON_WRITER_H
#define HP_REPORT_JSON_JSON_WRITER_H

#include "report/json/json_text.h"

enum {
    HP_JSON_KEY = 64,                // most bytes of a key
    HP_JSON_LEAD = HP_JSON_KEY + 32, // room for a key and what precedes it
};

struct hp_json {
    struct hp_sink *out;
    bool has_key;  // hp_json_key() has written the key of the next value
    bool has_item; // a comma precedes the next value
    bool is_dense; // no spaces after commas and colons
    int line;      // the next value begins a line, with line - 1 spaces; 0: it does not
    // For each of the last 64 open brackets, the last one in bit 0: whether it is that of
    // an object.
    uint64_t objects;
};

// Begin an object ('{') or an array ('['), and end the one that began last.
void hp_json_open(struct hp_json *json, const char *key, char bracket);
void hp_json_close(struct hp_json *json);

// Begin a new line before the next value, with `indent` spaces; hp_json_row() also begins
// an object there, which is an element of an array.
void hp_json_line(struct hp_json *json, int indent);
void hp_json_row(struct hp_json *json, int indent);

// Write the key of the next value, which may be any text, as a name from an input.
void hp_json_key(struct hp_json *json, struct hp_span key);

// Begin a value that the caller writes to the result, as valid JSON.
struct hp_sink *hp_json_value(struct hp_json *json, const char *key);

// Write a value, as the function of json_text.h does that has a similar name.
// hp_json_put_word() writes a C string; hp_json_put_known() writes null instead of 0.
void hp_json_put_string(struct hp_json *json, const char *key, struct hp_span text);
void hp_json_put_word(struct hp_json *json, const char *key, const char *text);
void hp_json_put_text(struct hp_json *json, const char *key, struct hp_span text);
void hp_json_put_fixed(struct hp_json *json, const char *key, hp_fixed value,
                       enum hp_metric metric);
void hp_json_put_double(struct hp_json *json, const char *key, double value);
void hp_json_put_p(struct hp_json *json, const char *key, double value);
void hp_json_put_rough(struct hp_json *json, const char *key, double value);
void hp_json_put_integer(struct hp_json *json, const char *key, hp_int128 number);
void hp_json_put_count(struct hp_json *json, const char *key, uint64_t count);
void hp_json_put_known(struct hp_json *json, const char *key, uint64_t count);
void hp_json_put_truth(struct hp_json *json, const char *key, bool is_true);
void hp_json_put_null(struct hp_json *json, const char *key);

#endif
