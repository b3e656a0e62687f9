// Protocol buffer messages, field by field.
//
//     struct hp_protobuf message = {0};
//     hp_protobuf_number(&message, 1, 42);
//     hp_protobuf_message(&parent, 3, &message);
//     hp_protobuf_clear(&message);
//
// Fields put in ascending order make the canonical encoding.
#ifndef HP_REPORT_PPROF_PROTOBUF_H
#define HP_REPORT_PPROF_PROTOBUF_H

#include "base/span.h"
#include "base/vec.h"

#include <stdint.h>

// {0} is an empty message.
struct hp_protobuf {
    HP_VEC(uint8_t) bytes;
};

void hp_protobuf_clear(struct hp_protobuf *message); // keeps the memory
void hp_protobuf_done(struct hp_protobuf *message);

// Any integer or bool; 0 is what a field that is not there stands for, and is left out.
void hp_protobuf_number(struct hp_protobuf *message, uint32_t field, uint64_t value);

// Repeated integers; nothing if there are none.
void hp_protobuf_numbers(struct hp_protobuf *message, uint32_t field,
                         const uint64_t *values, size_t count);

// A string or a message, also if empty: they are elements of repeated fields here.
void hp_protobuf_text(struct hp_protobuf *message, uint32_t field, struct hp_span text);
void hp_protobuf_message(struct hp_protobuf *message, uint32_t field,
                         const struct hp_protobuf *part);

#endif
