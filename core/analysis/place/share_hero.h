/* Which instruction of a GPU fusion decides in what order its outputs are computed (its "hero").
 *
 * Sources: xla/service/gpu/hlo_fusion_analysis.cc, ir_emission_utils.cc, reduction_utils.cc,
 * xla/codegen/ir_emission_utils.cc.  Private to share*.c. */
#ifndef CORE_ANALYSIS_PLACE_SHARE_HERO_H
#define CORE_ANALYSIS_PLACE_SHARE_HERO_H

#include "core/analysis/place/share.h"

/* The outputs of a fused computation: operand k of its root tuple, or the root alone. */
uint32_t hero_n_roots(const struct hlo *h, comp_id c);
inst_id hero_root(const struct hlo *h, comp_id c, uint32_t k);

/* The hero of one output (FindNonTrivialHero). */
inst_id hero_of(struct share *s, inst_id root);

/* The reduction that the whole fusion is built around, or HLO_NONE: then it is emitted as a loop,
 * a transpose, … (FindHeroReduction). */
inst_id hero_reduction(struct share *s, inst_id fusion);

#endif
