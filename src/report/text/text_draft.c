// Texts in memory, which become lines when they are complete.
#include "report/text/text.h"

struct hp_span hp_text_made(struct hp_buffer *text, const struct hp_view *view,
                            hp_writer *writer) {
    struct hp_sink sink;
    struct hp_err err;
    hp_sink_init(&sink, hp_buffer_write, text);
    writer(&sink, view);
    int ret = hp_sink_close(&sink, &err); // hp_buffer_write() never fails
    (void)ret;
    return hp_buffer_span(text);
}

void hp_text_draft_init(struct hp_text_draft *draft) {
    draft->text = (struct hp_buffer){0};
    hp_sink_init(&draft->out, hp_buffer_write, &draft->text);
}

struct hp_span hp_text_draft_end(struct hp_text_draft *draft) {
    struct hp_err err;
    int ret = hp_sink_close(&draft->out, &err); // hp_buffer_write() never fails
    (void)ret;
    struct hp_span text = hp_buffer_span(&draft->text);
    text.size -= text.size > 0 && text.at[text.size - 1] == '\n';
    return text;
}

void hp_text_draft_done(struct hp_text_draft *draft) {
    hp_vec_done(&draft->text.text);
}
