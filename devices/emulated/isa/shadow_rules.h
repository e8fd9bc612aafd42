// The rules named in ptx.def: the undefined bits of the destinations, given the values of the sources and
// their undefined bits. A rule may mark too many bits as undefined, but never too few. propagate_undefined
// applies rules only if some lane has an undefined bit in a source.
#pragma once

#include "devices/emulated/isa/form.h"

namespace foldproof::isa::shadow {

/// For rows that depend on more than the registers of one warp.
inline constexpr ShadowRule machine = nullptr;

#define FOLDPROOF_SHADOW_RULE(name) \
  void name(const std::byte* values, std::byte* undefined, const Instruction& instruction, LaneMask lanes)

/// Any undefined bit makes all bits undefined; element by element in packed types.
FOLDPROOF_SHADOW_RULE(strict);

// Every bit of the destination is some bit of the sources, or 0.
FOLDPROOF_SHADOW_RULE(moved);     ///< from any source, always the same bit
FOLDPROOF_SHADOW_RULE(moved_a);   ///< from a; the other sources select it, and are strict
FOLDPROOF_SHADOW_RULE(moved_ab);  ///< from a or b; likewise
FOLDPROOF_SHADOW_RULE(chosen);  ///< from a or b, selected by c; if c is undefined, bits equal in both remain
FOLDPROOF_SHADOW_RULE(cvt);     ///< moved between integers without .sat, otherwise strict
FOLDPROOF_SHADOW_RULE(joined);  ///< a above b, each strict; c, if present, moves above both

// Bitwise: undefined if undefined bits at the same position affect the result.
FOLDPROOF_SHADOW_RULE(and_);
FOLDPROOF_SHADOW_RULE(or_);
FOLDPROOF_SHADOW_RULE(xor_);
FOLDPROOF_SHADOW_RULE(not_);
FOLDPROOF_SHADOW_RULE(lop3);
FOLDPROOF_SHADOW_RULE(lop3_test);

// Integer arithmetic: undefined where carries from undefined bits can reach. .sat and .hi are strict.
FOLDPROOF_SHADOW_RULE(sum);
FOLDPROOF_SHADOW_RULE(difference);
FOLDPROOF_SHADOW_RULE(negation);
FOLDPROOF_SHADOW_RULE(product);
FOLDPROOF_SHADOW_RULE(product_sum);
FOLDPROOF_SHADOW_RULE(product24);
FOLDPROOF_SHADOW_RULE(product24_sum);
FOLDPROOF_SHADOW_RULE(sum_cc);  ///< CC is an operand and a result
FOLDPROOF_SHADOW_RULE(difference_cc);
FOLDPROOF_SHADOW_RULE(product_sum_cc);
FOLDPROOF_SHADOW_RULE(cvta);

/// Only the sign bit, unless the operand could be a NaN or, with .ftz, a subnormal.
FOLDPROOF_SHADOW_RULE(neg_float);
FOLDPROOF_SHADOW_RULE(abs_float);

// Integers: undefined if undefined bits affect the comparison; floats: strict. The result is then combined
// with c bitwise.
FOLDPROOF_SHADOW_RULE(setp);
FOLDPROOF_SHADOW_RULE(setp_pair);
FOLDPROOF_SHADOW_RULE(set);
FOLDPROOF_SHADOW_RULE(set_pair);
FOLDPROOF_SHADOW_RULE(cnot);

/// All bits: one undefined bit in any lane can affect any element.
FOLDPROOF_SHADOW_RULE(matrices);

#undef FOLDPROOF_SHADOW_RULE

}  // namespace foldproof::isa::shadow
