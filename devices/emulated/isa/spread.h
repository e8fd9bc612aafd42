// The rules that ptx.def names: which bits of the destinations are undefined, given the values of the sources
// and their undefined bits. A rule may call too many bits undefined, and never too few. spread_undefined
// asks rules only where some lane has an undefined bit in a source.
#pragma once

#include "devices/emulated/isa/form.h"

namespace foldproof::isa::spread {

/// For rows that need more than the registers of one warp.
inline constexpr Spread machine = nullptr;

#define FOLDPROOF_SPREAD(name) \
  void name(const std::byte* values, std::byte* undefined, const Instruction& instruction, LaneMask lanes)

/// Any undefined bit makes all undefined; in packed types, element for element.
FOLDPROOF_SPREAD(strict);

// Every bit of the destination is some bit of the sources, or 0.
FOLDPROOF_SPREAD(moved);     ///< of any source, always the same one
FOLDPROOF_SPREAD(moved_a);   ///< of a; the other sources say which, and are strict
FOLDPROOF_SPREAD(moved_ab);  ///< of a or b; the same
FOLDPROOF_SPREAD(chosen);  ///< of a or b as c says; where c is undefined, bits that are the same in both stay
FOLDPROOF_SPREAD(cvt);     ///< moved between integers without .sat, else strict
FOLDPROOF_SPREAD(joined);  ///< a above b, each strict; c, where there is one, moves above both

// Bit by bit: undefined where undefined bits of the same position decide.
FOLDPROOF_SPREAD(and_);
FOLDPROOF_SPREAD(or_);
FOLDPROOF_SPREAD(xor_);
FOLDPROOF_SPREAD(not_);
FOLDPROOF_SPREAD(lop3);
FOLDPROOF_SPREAD(lop3_test);

// Integer arithmetic: undefined where carries from undefined bits can reach. .sat and .hi are strict.
FOLDPROOF_SPREAD(sum);
FOLDPROOF_SPREAD(difference);
FOLDPROOF_SPREAD(negation);
FOLDPROOF_SPREAD(product);
FOLDPROOF_SPREAD(product_sum);
FOLDPROOF_SPREAD(product24);
FOLDPROOF_SPREAD(product24_sum);
FOLDPROOF_SPREAD(sum_cc);  ///< with CC as an operand and a result
FOLDPROOF_SPREAD(difference_cc);
FOLDPROOF_SPREAD(product_sum_cc);
FOLDPROOF_SPREAD(cvta);

/// The sign bit only, unless the operand could be a NaN or, with .ftz, a subnormal.
FOLDPROOF_SPREAD(neg_float);
FOLDPROOF_SPREAD(abs_float);

// Integers: undefined where undefined bits decide the comparison; floats: strict. Then joined with c bit by
// bit.
FOLDPROOF_SPREAD(setp);
FOLDPROOF_SPREAD(setp_pair);
FOLDPROOF_SPREAD(set);
FOLDPROOF_SPREAD(set_pair);
FOLDPROOF_SPREAD(cnot);

/// All bits: one undefined bit in any lane can change any element.
FOLDPROOF_SPREAD(matrices);

#undef FOLDPROOF_SPREAD

}  // namespace foldproof::isa::spread
