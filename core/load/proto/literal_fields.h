/* Where LiteralProto keeps the elements of a type, xla/xla_data.proto.  Private to load/proto/. */
#ifndef CORE_LOAD_PROTO_LITERAL_FIELDS_H
#define CORE_LOAD_PROTO_LITERAL_FIELDS_H

#include "core/model/shape.h"

enum literal_how {
    LITERAL_NOWHERE, /* no array of that type is held by a literal */
    LITERAL_VARINTS,
    LITERAL_BYTES,   /* little-endian, packed or an element to a byte */
    LITERAL_FIXED    /* 4 or 8 bytes each: repeated float or double */
};

struct literal_field {
    uint8_t number, how; /* enum literal_how */
};
extern const struct literal_field literal_fields[TYPE_COUNT];

/* Little-endian whole numbers and pred, whatever their width. */
bool literal_is_integer(enum shape_type t);
bool literal_is_signed(enum shape_type t);

#endif
