// Shadow rules for moves, logic and integer arithmetic.
#include "devices/emulated/isa/shadow_lanes.h"
#include "devices/emulated/isa/shadow_propagation.h"
#include "devices/emulated/isa/shadow_rules.h"
#include "devices/emulated/isa/windows.h"

namespace foldproof::isa {
namespace {

bool moves_between_integers(const Form& form) {
  const auto is_integer = [](Type type) { return type >= Type::u8 && type <= Type::s64; };
  return is_integer(form.type) && is_integer(form.type2) && !form.sat;
}

}  // namespace

bool moves_bits(const Form& form) {
  const auto how = rows()[form.row].shadow;
  return how == shadow::moved || (how == shadow::cvt && moves_between_integers(form));
}

namespace shadow {

void strict(const std::byte* values, std::byte* undefined, const Instruction& instruction, LaneMask lanes) {
  each_lane<elementwise<strict_rule>>(values, undefined, instruction, lanes);
}

/// Undefined bits move exactly like the bits themselves.
void moved(const std::byte*, std::byte* undefined, const Instruction& instruction, LaneMask lanes) {
  instruction.form->compute(undefined, instruction, lanes);
}

namespace {

/// Runs the instruction on a scratch frame, with the undefined bits of the first `moving` sources and the
/// values of the others. `doubtful` computes the result for lanes whose other sources are undefined.
template <std::size_t moving, auto doubtful>
void moved_by_others(const std::byte* values, std::byte* undefined, const Instruction& instruction,
                     LaneMask lanes) {
  constexpr std::size_t row_bytes = warp_size * sizeof(std::uint64_t);
  const Form& form = *instruction.form;
  alignas(64) std::byte apart[row_bytes * std::tuple_size_v<decltype(instruction.operand)>];
  Instruction copy = instruction;
  for (std::size_t k = 0; k < form.ports.size(); ++k) {
    copy.operand[k] = static_cast<std::uint32_t>(k * row_bytes);
    const std::size_t bytes =
        form.ports[k].bytes == 0 ? sizeof(LaneMask) : std::size_t{warp_size} * form.ports[k].bytes;
    std::memcpy(apart + copy.operand[k], (k <= moving ? undefined : values) + instruction.operand[k], bytes);
  }
  form.compute(apart, copy, all_lanes);
  for_lanes(lanes, [&](unsigned lane) {
    const Sources sources = read_sources(values, undefined, instruction, lane);
    const bool known = std::all_of(sources.operand.begin() + moving, sources.operand.end(),
                                   [](const ShadowedValue& x) { return x.undefined == 0; });
    write(undefined, instruction, lane,
          {known ? read_column(apart, 0, form.ports[0].bytes, lane) : doubtful(sources)});
  });
}

std::uint64_t everything(const Sources&) { return all; }
std::uint64_t where_different(const Sources& sources) {
  const auto& [a, b, c, unused, unused2] = sources.operand;
  return (a.value ^ b.value) | a.undefined | b.undefined;
}

}  // namespace

void moved_a(const std::byte* values, std::byte* undefined, const Instruction& instruction, LaneMask lanes) {
  moved_by_others<1, everything>(values, undefined, instruction, lanes);
}
void moved_ab(const std::byte* values, std::byte* undefined, const Instruction& instruction, LaneMask lanes) {
  moved_by_others<2, everything>(values, undefined, instruction, lanes);
}
void chosen(const std::byte* values, std::byte* undefined, const Instruction& instruction, LaneMask lanes) {
  moved_by_others<2, where_different>(values, undefined, instruction, lanes);
}

void cvt(const std::byte* values, std::byte* undefined, const Instruction& instruction, LaneMask lanes) {
  (moves_between_integers(*instruction.form) ? moved : strict)(values, undefined, instruction, lanes);
}

namespace {

Result joined_rule(const Form& form, const Sources& sources) {
  const auto& [a, b, c, unused, unused2] = sources.operand;
  const unsigned width = bits_of(form.type) / (name(form.type).ends_with("x2") ? 2 : 1);
  const std::uint64_t low = all_if(b.undefined != 0) & low_bits(width);
  const std::uint64_t high = all_if(a.undefined != 0) & low_bits(width);
  return {low | high << width | c.undefined << 2 * width};
}

template <std::uint32_t lut>
Result look_up(const Form&, const Sources& sources) {
  return {shadowed::look_up(lut, sources.operand[0], sources.operand[1]).undefined};
}

ShadowedValue lop3_of(const Sources& sources) {
  const auto& [a, b, c, lut, q] = sources.operand;
  const ShadowedValue result = shadowed::look_up(static_cast<std::uint32_t>(lut.value), a, b, c);
  return shadowed::cut({result.value, lut.undefined != 0 ? all : result.undefined}, 32);
}
Result lop3_rule(const Form&, const Sources& sources) { return {lop3_of(sources).undefined}; }

Result lop3_test_rule(const Form& form, const Sources& sources) {
  const ShadowedValue d = lop3_of(sources);
  const ShadowedValue e = shadowed::look_up(form.has("and") ? shadowed::lut_and : shadowed::lut_or,
                                            shadowed::nonzero(d), sources.operand[4]);
  return {d.undefined, e.undefined};
}

}  // namespace

FOLDPROOF_EACH_LANE(joined, joined_rule)
FOLDPROOF_EACH_LANE(and_, look_up<shadowed::lut_and>)
FOLDPROOF_EACH_LANE(or_, look_up<shadowed::lut_or>)
FOLDPROOF_EACH_LANE(xor_, look_up<shadowed::lut_xor>)
FOLDPROOF_EACH_LANE(not_, look_up<shadowed::lut_not_a>)
FOLDPROOF_EACH_LANE(lop3, lop3_rule)
FOLDPROOF_EACH_LANE(lop3_test, lop3_test_rule)

namespace {

Result sum_rule(const Form& form, const Sources& sources) {
  if (form.sat) return strict_rule(form, sources);
  return {shadowed::add(sources.operand[0], sources.operand[1]).undefined};
}
Result difference_rule(const Form& form, const Sources& sources) {
  if (form.sat) return strict_rule(form, sources);
  return {shadowed::sub(sources.operand[0], sources.operand[1]).undefined};
}
Result negation_rule(const Form&, const Sources& sources) {
  return {shadowed::sub({}, sources.operand[0]).undefined};
}

/// The product of the low bits, interpreted in the form's type.
ShadowedValue product_of(const Form& form, const Sources& sources, unsigned bits) {
  const bool by_sign = is_signed(form.type);
  return shadowed::mul(shadowed::extended(sources.operand[0], bits, by_sign),
                       shadowed::extended(sources.operand[1], bits, by_sign));
}

Result product_rule(const Form& form, const Sources& sources) {
  if (form.has("hi")) return strict_rule(form, sources);
  return {product_of(form, sources, bits_of(form.type)).undefined};
}
Result product_sum_rule(const Form& form, const Sources& sources) {
  if (form.has("hi")) return strict_rule(form, sources);
  return {shadowed::add(product_of(form, sources, bits_of(form.type)), sources.operand[2]).undefined};
}

/// Bits 31…0 of the product, or 47…16 with .hi.
ShadowedValue product24_of(const Form& form, const Sources& sources) {
  return shadowed::shifted_right(product_of(form, sources, 24), form.has("hi") ? 16 : 0);
}
Result product24_rule(const Form& form, const Sources& sources) {
  return {product24_of(form, sources).undefined};
}
Result product24_sum_rule(const Form& form, const Sources& sources) {
  if (form.sat) return strict_rule(form, sources);
  return {shadowed::add(product24_of(form, sources), sources.operand[2]).undefined};
}

Result chain(const Form& form, ShadowedValue a, ShadowedValue b, ShadowedValue carry) {
  const unsigned width = bits_of(form.type);
  a = shadowed::cut(a, width), b = shadowed::cut(b, width);
  return {.d = shadowed::add(a, b, carry).undefined,
          .carry = shadowed::carry_is_undefined(a, b, carry, width)};
}
Result sum_cc_rule(const Form& form, const Sources& sources) {
  return chain(form, sources.operand[0], sources.operand[1], sources.carry);
}
Result difference_cc_rule(const Form& form, const Sources& sources) {
  const ShadowedValue carry = form.reads_carry ? sources.carry : ShadowedValue{1, 0};
  return chain(form, sources.operand[0], shadowed::not_(sources.operand[1]), carry);
}
Result product_sum_cc_rule(const Form& form, const Sources& sources) {
  if (form.has("hi")) return strict_rule(form, sources);
  return chain(form, product_of(form, sources, bits_of(form.type)), sources.operand[2], sources.carry);
}

std::uint64_t window_of(StateSpace space) {
  switch (space) {
    case StateSpace::shared_cta:
    case StateSpace::shared_cluster: return shared_window;
    case StateSpace::local: return local_window;
    case StateSpace::constant: return constant_window;
    case StateSpace::param: return param_window;
    case StateSpace::global:
    case StateSpace::none: return 0;
  }
  return 0;
}
Result cvta_rule(const Form& form, const Sources& sources) {
  const ShadowedValue a = sources.operand[0], window{window_of(form.space), 0};
  return {(form.has("to") ? shadowed::sub(a, window) : shadowed::add(a, window)).undefined};
}

}  // namespace

FOLDPROOF_EACH_LANE(sum, elementwise<sum_rule>)
FOLDPROOF_EACH_LANE(difference, elementwise<difference_rule>)
FOLDPROOF_EACH_LANE(negation, negation_rule)
FOLDPROOF_EACH_LANE(product, product_rule)
FOLDPROOF_EACH_LANE(product_sum, product_sum_rule)
FOLDPROOF_EACH_LANE(product24, product24_rule)
FOLDPROOF_EACH_LANE(product24_sum, product24_sum_rule)
FOLDPROOF_EACH_LANE(sum_cc, sum_cc_rule)
FOLDPROOF_EACH_LANE(difference_cc, difference_cc_rule)
FOLDPROOF_EACH_LANE(product_sum_cc, product_sum_cc_rule)
FOLDPROOF_EACH_LANE(cvta, cvta_rule)

}  // namespace shadow
}  // namespace foldproof::isa
