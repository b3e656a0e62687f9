#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// What a message shows.
static enum {
    SENTENCES,
    CODES,
    OTHER_WORDS, // than the sentences: a build for tests, which finds copies of them
} shown =
#ifdef HP_OTHER_WORDS
    OTHER_WORDS;
#else
    SENTENCES;
#endif

// Follows the code of a message in such a build.
#define OTHER " in other words"

// The bytes around a code: see HP_MESSAGE.
enum {
    CODE_BEGIN = '\1',
    CODE_END = '\2',
    LONGEST_LABEL = 16, // bytes
};

void hp_show_message_codes(void) {
    shown = CODES;
}

const char *hp_words(const char *words) {
    return !words || words[0] != CODE_BEGIN ? words
           : shown == SENTENCES             ? words + strlen(words) + 1
                                            : words + 1;
}

void hp_message_code(char code[HP_CODE_SIZE], const char *message) {
    static const char ends[] = {CODE_END, ':', '\0'};
    int size = message[0] == CODE_BEGIN ? (int)strcspn(message + 1, ends) : 0;
    snprintf(code, HP_CODE_SIZE, "%.*s", size, size > 0 ? message + 1 : "");
}

// Append a piece to a format, if all of it fits.
static void append(char *format, size_t *used, const char *piece, size_t size) {
    if (*used + size < HP_MESSAGE_FORMAT_SIZE) {
        memcpy(format + *used, piece, size);
        *used += size;
        format[*used] = '\0';
    }
}

// Append the conversions of a format, such as "%.*s", and the ends of its lines.
static void append_values(char *format, size_t *used, const char *sentence) {
    bool is_first = true;
    for (const char *at = strchr(sentence, '%'); at; at = strchr(at, '%')) {
        size_t size = 2 + strspn(at + 1, "-+ #.*0123456789hlzjt");
        if (at[1] != '%') {
            append(format, used, is_first ? ": " : " ", is_first ? 2 : 1);
            append(format, used, at, size);
            is_first = false;
        }
        at += size;
    }
    size_t size = strlen(sentence);
    while (size > 0 && strchr(" \n", sentence[size - 1])) {
        size--;
    }
    append(format, used, sentence + size, strlen(sentence + size));
}

// Bytes of a format before its sentence: a label such as "not shown  ", or else the space
// and punctuation that join it to what was printed before.
static size_t lead_of(const char *sentence) {
    size_t label = strcspn(sentence, "%");
    const char *gap = strstr(sentence, "  ");
    return gap && gap < sentence + label && gap < sentence + LONGEST_LABEL
               ? (size_t)(gap - sentence) + strspn(gap, " ")
               : strspn(sentence, " \n,;:(");
}

const char *hp_message_format(const char *format, char room[HP_MESSAGE_FORMAT_SIZE]) {
    if (format[0] != CODE_BEGIN) {
        return format;
    }
    const char *sentence = strchr(format, CODE_END) + 1;
    if (shown == SENTENCES) {
        return sentence;
    }
    size_t used = 0;
    append(room, &used, sentence, lead_of(sentence));
    append(room, &used, format + 1, (size_t)(sentence - 1 - (format + 1)));
    if (shown == OTHER_WORDS) {
        append(room, &used, OTHER, strlen(OTHER));
    }
    append_values(room, &used, sentence);
    return room;
}

void hp_message_print(char *text, size_t size, const char *format, ...) {
    char room[HP_MESSAGE_FORMAT_SIZE];
    va_list args;
    va_start(args, format);
    vsnprintf(text, size, hp_message_format(format, room), args);
    va_end(args);
}

HP_PRINTF(4, 0)

// Fill all members of `err`.  The place of the failure (input and line) is not known
// here; hp_err_locate() adds it.
static int fill(struct hp_err *err, enum hp_code code, int sys, const char *format,
                va_list args) {
    char room[HP_MESSAGE_FORMAT_SIZE];
    *err = (struct hp_err){.code = code, .sys = sys};
    vsnprintf(err->message, sizeof err->message, hp_message_format(format, room), args);
    return code;
}

int hp_fail(struct hp_err *err, enum hp_code code, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int ret = fill(err, code, 0, format, args);
    va_end(args);
    return ret;
}

int hp_fail_errno(struct hp_err *err, const char *format, ...) {
    int sys = errno;
    va_list args;
    va_start(args, format);
    int ret = fill(err, HP_E_IO, sys, format, args);
    va_end(args);
    return ret;
}

void hp_err_locate(struct hp_err *err, const char *where, uint64_t line) {
    if (err->where[0] == '\0') {
        snprintf(err->where, sizeof err->where, "%s", where);
        err->line = line;
    }
}
