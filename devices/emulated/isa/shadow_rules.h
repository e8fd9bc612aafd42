// The rules that ptx.def names: which bits of the destinations are undefined, given the values of the sources
// and their undefined bits. A rule may call too many bits undefined, and never too few. propagate_undefined
// asks rules only where some lane has an undefined bit in a source.
#pragma once

#include "devices/emulated/isa/form.h"

namespace foldproof::isa::shadow {

/// For rows that need more than the registers of one warp.
inline constexpr ShadowRule machine = nullptr;

#define FOLDPROOF_SHADOW_RULE(name) \
  void name(const std::byte* values, std::byte* undefined, const Instruction& instruction, LaneMask lanes)

/// Any undefined bit makes all undefined; in packed types, element for element.
FOLDPROOF_SHADOW_RULE(strict);

// Every bit of the destination is some bit of the sources, or 0.
FOLDPROOF_SHADOW_RULE(moved);     ///< of any source, always the same one
FOLDPROOF_SHADOW_RULE(moved_a);   ///< of a; the other sources say which, and are strict
FOLDPROOF_SHADOW_RULE(moved_ab);  ///< of a or b; the same
FOLDPROOF_SHADOW_RULE(
    chosen);  ///< of a or b as c says; where c is undefined, bits that are the same in both stay
FOLDPROOF_SHADOW_RULE(cvt);     ///< moved between integers without .sat, else strict
FOLDPROOF_SHADOW_RULE(joined);  ///< a above b, each strict; c, where there is one, moves above both

// Bit by bit: undefined where undefined bits of the same position decide.
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
FOLDPROOF_SHADOW_RULE(sum_cc);  ///< with CC as an operand and a result
FOLDPROOF_SHADOW_RULE(difference_cc);
FOLDPROOF_SHADOW_RULE(product_sum_cc);
FOLDPROOF_SHADOW_RULE(cvta);

/// The sign bit only, unless the operand could be a NaN or, with .ftz, a subnormal.
FOLDPROOF_SHADOW_RULE(neg_float);
FOLDPROOF_SHADOW_RULE(abs_float);

// Integers: undefined where undefined bits decide the comparison; floats: strict. Then joined with c bit by
// bit.
FOLDPROOF_SHADOW_RULE(setp);
FOLDPROOF_SHADOW_RULE(setp_pair);
FOLDPROOF_SHADOW_RULE(set);
FOLDPROOF_SHADOW_RULE(set_pair);
FOLDPROOF_SHADOW_RULE(cnot);

/// All bits: one undefined bit in any lane can change any element.
FOLDPROOF_SHADOW_RULE(matrices);

#undef FOLDPROOF_SHADOW_RULE

}  // namespace foldproof::isa::shadow
