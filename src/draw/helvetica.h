// The letters of Helvetica: what a PDF without fonts of its own can show, and how wide it is.
#ifndef HP_DRAW_HELVETICA_H
#define HP_DRAW_HELVETICA_H

#include "base/utf8.h"

// The first character of a text as it is drawn: what steers terminals, turns the direction of
// writing or is in no XML is replaced, as by hp_escape(), with the escape's own letters.
struct hp_letter {
    uint32_t size;     // in the text
    uint32_t width;    // in 1/1000 of the size of letters
    uint32_t drawn;    // bytes of `as`
    char as[16];       // UTF-8
    unsigned char pdf; // in WinAnsiEncoding; 0: it has none
    bool is_escape;
};

struct hp_letter hp_helvetica_letter(struct hp_span text);

#endif
