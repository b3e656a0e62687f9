// Tests of the writer of JSON: commas, keys, lines and brackets.
#include "report/json/json_writer.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

// A writer to memory.
struct document {
    struct hp_buffer text;
    struct hp_sink out;
    struct hp_json json;
};

static void begin(struct document *document) {
    *document = (struct document){.json = {.out = &document->out}};
    hp_sink_init(&document->out, hp_buffer_write, &document->text);
}

// Expect what was written, and free it.
static void expect(struct document *document, const char *text) {
    struct hp_err err;
    cr_expect_eq(hp_sink_close(&document->out, &err), HP_OK);
    hp_vec_push(&document->text.text, '\0');
    cr_expect_str_eq(document->text.text.at, text);
    hp_vec_done(&document->text.text);
}

Test(json_writer, commas_and_brackets_nest) {
    static struct document document;
    begin(&document);
    struct hp_json *json = &document.json;
    hp_json_open(json, NULL, '{');
    hp_json_open(json, "empty", '[');
    hp_json_close(json);
    hp_json_open(json, "both", '[');
    hp_json_put_known(json, NULL, 7);
    hp_json_put_known(json, NULL, 0);
    hp_json_close(json);
    hp_json_put_truth(json, "is", true);
    hp_json_close(json);
    expect(&document, "{\"empty\": [], \"both\": [7, null], \"is\": true}");
}

Test(json_writer, lines_begin_before_a_value_and_dense_output_has_no_spaces) {
    static struct document document;
    begin(&document);
    struct hp_json *json = &document.json;
    hp_json_open(json, NULL, '[');
    hp_json_row(json, 2);
    hp_json_put_count(json, "a", 1);
    json->is_dense = true;
    hp_json_put_count(json, "b", 2);
    hp_json_close(json);
    hp_json_row(json, 0);
    hp_json_close(json);
    hp_json_close(json);
    expect(&document, "[\n  {\"a\": 1,\"b\":2},\n{}]");
}

Test(json_writer, keys_of_any_content_and_length_are_escaped) {
    static struct document document;
    char longest[201];
    char text[512];
    memset(longest, 'k', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    begin(&document);
    hp_json_open(&document.json, NULL, '{');
    hp_json_key(&document.json, hp_span_of("a\"b\\c\n"));
    hp_json_put_word(&document.json, NULL, "v\"");
    hp_json_put_null(&document.json, "");
    hp_json_key(&document.json, hp_span_of(longest));
    hp_json_open(&document.json, NULL, '[');
    hp_json_close(&document.json);
    hp_json_close(&document.json);
    snprintf(text, sizeof text,
             "{\"a\\\"b\\\\c\\u000a\": \"v\\\"\", \"\": null, \"%s\": []}", longest);
    expect(&document, text);
}
