// Shadow rules for signs of floats, comparisons and matrices.
#include "devices/emulated/isa/shadow_lanes.h"
#include "devices/emulated/isa/shadow_rules.h"

namespace foldproof::isa::shadow {

namespace {

struct FloatBits {
  std::uint64_t sign, infinity;
};
FloatBits float_bits(Type type) {
  switch (type) {
    case f16:
    case f16x2: return {0x8000, 0x7C00};
    case bf16:
    case bf16x2: return {0x8000, 0x7F80};
    case f32: return {0x80000000, 0x7F800000};
    default: return {0x8000000000000000, 0x7FF0000000000000};
  }
}

template <bool keeps_sign>
Result sign_rule(const Form& form, const Sources& sources) {
  const auto [sign, infinity] = float_bits(form.type);
  const ShadowedValue a = sources.operand[0];
  const bool may_be_nan = (a.most() & ~sign) > infinity;
  const bool may_be_flushed = form.ftz && (a.least() & infinity) == 0;
  if (may_be_nan || may_be_flushed) return strict_rule(form, sources);
  return {a.undefined & ~(keeps_sign ? 0 : sign)};
}

/// The form's comparison. For floats it is strict: undefined if a, b or c is.
ShadowedValue compared(const Form& form, Type type, ShadowedValue a, ShadowedValue b, ShadowedValue c) {
  using enum Compare;
  if (type > s64) return {0, (a.undefined | b.undefined | c.undefined) != 0};
  if (is_signed(type)) {
    const std::uint64_t sign = std::uint64_t{1} << (bits_of(type) - 1);
    a.value ^= sign, b.value ^= sign;
  }
  switch (form.compare) {
    case eq: return shadowed::equal(a, b);
    case ne: return shadowed::not_(shadowed::equal(a, b));
    case lt:
    case lo: return shadowed::less(a, b);
    case gt:
    case hi: return shadowed::less(b, a);
    case le:
    case ls: return shadowed::not_(shadowed::less(b, a));
    case ge:
    case hs: return shadowed::not_(shadowed::less(a, b));
    default: return {0, 1};
  }
}

/// Whether the comparison, combined with c, is undefined.
std::uint64_t joined_with(const Form& form, ShadowedValue test, ShadowedValue c) {
  switch (form.boolean) {
    case Boolean::none: return test.undefined & 1;
    case Boolean::and_: return shadowed::look_up(shadowed::lut_and, test, c).undefined & 1;
    case Boolean::or_: return shadowed::look_up(shadowed::lut_or, test, c).undefined & 1;
    case Boolean::xor_: return shadowed::look_up(shadowed::lut_xor, test, c).undefined & 1;
  }
  return 1;
}

Result setp_rule(const Form& form, const Sources& sources) {
  const auto& [a, b, c, unused, unused2] = sources.operand;
  const ShadowedValue test = compared(form, form.type, a, b, c);
  return {joined_with(form, test, c), joined_with(form, shadowed::not_(test), c)};
}
Result set_rule(const Form& form, const Sources& sources) {
  const auto& [a, b, c, unused, unused2] = sources.operand;
  return {all_if(joined_with(form, compared(form, form.type2, a, b, c), c) != 0)};
}

/// Whether the comparison of one element of packed floats, combined with c, is undefined.
std::uint64_t part_test(const Form& form, const Sources& sources, unsigned part) {
  const Sources element = part_of(form, sources, part);
  const auto& [a, b, c, unused, unused2] = element.operand;
  return joined_with(form, compared(form, f16, a, b, c), c);
}
Result setp_pair_rule(const Form& form, const Sources& sources) {
  return {part_test(form, sources, 0), part_test(form, sources, 1)};
}
Result set_pair_rule(const Form& form, const Sources& sources) {
  return {(all_if(part_test(form, sources, 0) != 0) & 0xFFFF) | all_if(part_test(form, sources, 1) != 0)
                                                                    << 16};
}

Result cnot_rule(const Form&, const Sources& sources) {
  return {shadowed::equal(sources.operand[0], {}).undefined};
}

}  // namespace

FOLDPROOF_EACH_LANE(neg_float, elementwise<sign_rule<true>>)
FOLDPROOF_EACH_LANE(abs_float, elementwise<sign_rule<false>>)
FOLDPROOF_EACH_LANE(setp, setp_rule)
FOLDPROOF_EACH_LANE(setp_pair, setp_pair_rule)
FOLDPROOF_EACH_LANE(set, set_rule)
FOLDPROOF_EACH_LANE(set_pair, set_pair_rule)
FOLDPROOF_EACH_LANE(cnot, cnot_rule)

#undef FOLDPROOF_EACH_LANE

void matrices(const std::byte*, std::byte* undefined, const Instruction& instruction, LaneMask lanes) {
  const Form& form = *instruction.form;
  const std::uint32_t* rows = rows_of(instruction);
  for_lanes(lanes, [&](unsigned lane) {
    for (std::size_t k = 0; k < count_destinations(form); ++k)
      write_column(undefined, rows[k], form.ports[k].bytes, lane, all);
  });
}

}  // namespace foldproof::isa::shadow
