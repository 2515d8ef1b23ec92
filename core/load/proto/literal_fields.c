#include "core/load/proto/literal_fields.h"

const struct literal_field literal_fields[TYPE_COUNT] = {
    [TYPE_PRED] = {2, LITERAL_VARINTS},          [TYPE_U8] = {3, LITERAL_BYTES},
    [TYPE_S32] = {4, LITERAL_VARINTS},           [TYPE_S64] = {5, LITERAL_VARINTS},
    [TYPE_U32] = {6, LITERAL_VARINTS},           [TYPE_U64] = {7, LITERAL_VARINTS},
    [TYPE_F32] = {8, LITERAL_FIXED},             [TYPE_F64] = {9, LITERAL_FIXED},
    [TYPE_F16] = {11, LITERAL_BYTES},            [TYPE_C64] = {12, LITERAL_FIXED},
    [TYPE_BF16] = {13, LITERAL_BYTES},           [TYPE_S8] = {15, LITERAL_BYTES},
    [TYPE_U16] = {16, LITERAL_BYTES},            [TYPE_S16] = {17, LITERAL_BYTES},
    [TYPE_C128] = {18, LITERAL_FIXED},           [TYPE_F8E5M2] = {19, LITERAL_BYTES},
    [TYPE_F8E4M3FN] = {20, LITERAL_BYTES},       [TYPE_S4] = {21, LITERAL_BYTES},
    [TYPE_U4] = {22, LITERAL_BYTES},             [TYPE_F8E4M3B11FNUZ] = {23, LITERAL_BYTES},
    [TYPE_F8E5M2FNUZ] = {24, LITERAL_BYTES},     [TYPE_F8E4M3FNUZ] = {25, LITERAL_BYTES},
    [TYPE_S2] = {26, LITERAL_BYTES},             [TYPE_U2] = {27, LITERAL_BYTES},
    [TYPE_F8E4M3] = {28, LITERAL_BYTES},         [TYPE_F8E3M4] = {29, LITERAL_BYTES},
    [TYPE_F4E2M1FN] = {32, LITERAL_BYTES},       [TYPE_F8E8M0FNU] = {33, LITERAL_BYTES},
};

bool literal_is_signed(enum shape_type t)
{
    return t == TYPE_S2 || t == TYPE_S4 || t == TYPE_S8 || t == TYPE_S16 || t == TYPE_S32 || t == TYPE_S64;
}

bool literal_is_integer(enum shape_type t)
{
    return literal_is_signed(t) || t == TYPE_PRED || t == TYPE_U2 || t == TYPE_U4 || t == TYPE_U8 ||
           t == TYPE_U16 || t == TYPE_U32 || t == TYPE_U64;
}
