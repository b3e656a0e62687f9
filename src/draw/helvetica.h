// The letters of Helvetica: the characters that a PDF without fonts of its own can show,
// and their widths.
#ifndef HP_DRAW_HELVETICA_H
#define HP_DRAW_HELVETICA_H

#include "base/utf8.h"

// A character of a text, and how it is drawn.  Characters that steer terminals, turn the
// direction of writing or cannot occur in XML are replaced as by hp_escape(), and drawn
// in the letters of the escape.
struct hp_letter {
    uint32_t size;     // bytes that the character takes in the text
    uint32_t width;    // width in 1/1000 of the size of the letters
    uint32_t drawn;    // number of bytes in `as`
    char as[16];       // the letters that are drawn, in UTF-8
    unsigned char pdf; // code in WinAnsiEncoding; 0: it has none
    // Whether `as` is an escape, not the character itself.
    bool is_escape;
};

// Return the first character of a text, which must not be empty.
struct hp_letter hp_helvetica_letter(struct hp_span text);

#endif
