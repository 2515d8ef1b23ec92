/* What the two halves of the HLO text reader share: hlo_text.c reads the module, computations and
 * instructions, hlo_attrs.c what stands behind an instruction's operands.  Private to load/text/. */
#ifndef CORE_LOAD_TEXT_HLO_READER_H
#define CORE_LOAD_TEXT_HLO_READER_H

#include "core/load/text/hlo_frames.h"

struct hlo_reader {
    struct lex lex;
    struct hlo *h;
    struct arena scratch; /* for the whole read */
    struct arena local;   /* for one computation */
    struct strmap comps;  /* name -> comp_id, of those that have ended */
    struct strmap names;  /* name -> inst_id, of this computation; in `local` */
    struct frame_tables frames;
    const char *io_alias; /* where the value of input_output_alias stands, or NULL */
    const char *donors;   /* and that of buffer_donor */
    struct hlo_inst inst; /* of the line that is read: it joins the program behind its operands, */
    struct list operands; /* inst_id, which may be made while they are read */
    comp_id pair[2];      /* body and condition (true and false, …) of this instruction */
    const char *counted;  /* line ends before here are in `line` */
    uint32_t line;
};

/* The instruction that was added last. */
static inline struct hlo_inst *last(const struct hlo_reader *r)
{
    return hlo_inst(r->h, r->h->insts.n - 1);
}

/* ", name=value" up to the end of the line, into the last instruction. */
bool hlo_read_attrs(struct hlo_reader *r);
/* The module's input_output_alias, once the program is read. */
bool hlo_read_io_alias(struct hlo_reader *r);
bool hlo_read_donors(struct hlo_reader *r);

/* The literal of a constant whose shape is known, in brackets at the cursor: has_scalar, scalar and
 * is_zero of x.  Passes any literal; what it cannot read is left unset. */
bool literal_text_read(struct lex *l, const struct hlo *h, struct hlo_inst *x);

#endif
