// Protocol buffer messages, built field by field.
//
//     struct hp_protobuf message = {0};
//     hp_protobuf_number(&message, 1, 42);
//     hp_protobuf_message(&parent, 3, &message);
//     hp_protobuf_clear(&message);
//
// Fields that are put in ascending order give the canonical encoding.
#ifndef HP_REPORT_PPROF_PROTOBUF_H
#define HP_REPORT_PPROF_PROTOBUF_H

#include "base/span.h"
#include "base/vec.h"

#include <stdint.h>

// A message.  {0} is empty.
struct hp_protobuf {
    HP_VEC(uint8_t) bytes;
};

// Make the message empty but keep its memory; hp_protobuf_done() frees the memory.
void hp_protobuf_clear(struct hp_protobuf *message);
void hp_protobuf_done(struct hp_protobuf *message);

// Put an integer or a bool.  0 is the default of a field that is missing, so that it is
// not written.
void hp_protobuf_number(struct hp_protobuf *message, uint32_t field, uint64_t value);

// Put repeated integers, packed; nothing if there are none.
void hp_protobuf_numbers(struct hp_protobuf *message, uint32_t field,
                         const uint64_t *values, size_t count);

// Put a string or a message, even if it is empty: here they are elements of repeated
// fields, which must not be dropped.
void hp_protobuf_text(struct hp_protobuf *message, uint32_t field, struct hp_span text);
void hp_protobuf_message(struct hp_protobuf *message, uint32_t field,
                         const struct hp_protobuf *part);

#endif
