#include "report/text/text_page.h"

#include <string.h>

// An hp_write_fn that splits text into lines.
static int take(void *data, const void *bytes, size_t size) {
    struct hp_text_page *page = data;
    const char *at = bytes, *end = at + size;
    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *stop = newline ? newline : end;
        hp_vec_append(&page->line.text, at, (size_t)(stop - at));
        if (newline) {
            page->put_line(page, hp_buffer_span(&page->line), false);
            page->line.text.count = 0;
        }
        at = newline ? newline + 1 : end;
    }
    return 0; // page->out remembers a failure
}

void hp_text_page_write(struct hp_text_page *page) {
    static hp_text_report *const reports[HP_REPORT_KINDS] = {
        [HP_REPORT_STACKS] = hp_text_stacks, [HP_REPORT_TREE] = hp_text_tree,
        [HP_REPORT_PEEK] = hp_text_peek,     [HP_REPORT_LIST] = hp_text_list,
        [HP_REPORT_INFO] = hp_text_overview, [HP_REPORT_ACCOUNT] = hp_text_account,
        [HP_REPORT_PLAN] = hp_text_plan,
    };
    struct hp_err err;
    hp_sink_init(&page->lines, take, page);
    hp_text_report *own = reports[page->view->options.kind];
    (own ? own : hp_text_rows)(page, page->view);
    int ret = hp_sink_close(&page->lines, &err); // take() never fails
    (void)ret;
    hp_vec_done(&page->line.text);
}
