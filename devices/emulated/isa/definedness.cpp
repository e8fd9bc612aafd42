#include "devices/emulated/isa/definedness.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "devices/emulated/isa/partial.h"
#include "devices/emulated/isa/spread.h"
#include "devices/emulated/isa/windows.h"
#include "sanitizer/lane_set.h"

namespace foldproof::isa {

namespace {

constexpr std::uint64_t all = ~std::uint64_t{0};

/// f of an integer as wide as a column, so that the width is a constant where columns are copied.
template <class F>
void with_width(unsigned bytes, F f) {
  switch (bytes) {
    case 1: return f(std::uint8_t{});
    case 2: return f(std::uint16_t{});
    case 4: return f(std::uint32_t{});
    default: return f(std::uint64_t{});
  }
}

std::uint64_t read_column(const std::byte* frame, std::uint32_t offset, unsigned bytes, unsigned lane) {
  std::uint64_t column = 0;
  if (bytes == 0) {
    std::memcpy(&column, frame + offset, sizeof(LaneMask));
    return column >> lane & 1;
  }
  with_width(bytes, [&](auto value) {
    std::memcpy(&value, frame + offset + lane * sizeof value, sizeof value);
    column = value;
  });
  return column;
}
void write_column(std::byte* frame, std::uint32_t offset, unsigned bytes, unsigned lane, std::uint64_t bits) {
  if (bytes == 0) return lanes::assign(frame, offset, (bits & 1) != 0 ? all_lanes : 0, LaneMask{1} << lane);
  with_width(bytes, [&](auto value) {
    value = static_cast<decltype(value)>(bits);
    std::memcpy(frame + offset + lane * sizeof value, &value, sizeof value);
  });
}

void define(std::byte* undefined, std::uint32_t offset, unsigned bytes, LaneMask lanes) {
  if (bytes == 0) return lanes::assign(undefined, offset, 0, lanes);
  if (lanes == all_lanes) {
    std::memset(undefined + offset, 0, std::size_t{warp_size} * bytes);
  } else {
    for_lanes(lanes,
              [&](unsigned lane) { std::memset(undefined + offset + std::size_t{lane} * bytes, 0, bytes); });
  }
}

}  // namespace

bool any_undefined(const std::byte* undefined, std::uint32_t offset, unsigned bytes) {
  if (bytes == 0) return read_column(undefined, offset, sizeof(LaneMask), 0) != 0;
  std::uint64_t words = 0;
  for (unsigned k = 0; k < warp_size / sizeof words * bytes; ++k)
    words |= read_column(undefined, offset, sizeof words, k);
  return words != 0;
}

void spread_undefined(const std::byte* values, std::byte* undefined, const Instruction& instruction,
                      LaneMask lanes) {
  bool any = false;
  for_each_row(instruction, [&](std::uint32_t offset, unsigned bytes, bool written) {
    any = any || (!written && any_undefined(undefined, offset, bytes));
  });
  if (any) return rows()[instruction.form->row].spread(values, undefined, instruction, lanes);
  for_each_row(instruction, [&](std::uint32_t offset, unsigned bytes, bool written) {
    if (written) define(undefined, offset, bytes, lanes);
  });
}

namespace {

bool moves_between_integers(const Form& form) {
  const auto is_integer = [](Type type) { return type >= Type::u8 && type <= Type::s64; };
  return is_integer(form.type) && is_integer(form.type2) && !form.sat;
}

}  // namespace

bool moves_bits(const Form& form) {
  const auto how = rows()[form.row].spread;
  return how == spread::moved || (how == spread::cvt && moves_between_integers(form));
}

namespace spread {
namespace {

using enum Type;

constexpr std::size_t most_sources = 5;  // of instructions that are followed lane by lane

/// The sources of one lane, in the order of their operands. Those that an instruction lacks are defined.
struct Sources {
  std::array<Partial, most_sources> operand;
  Partial carry;

  bool defined() const {
    return carry.undefined == 0 &&
           std::ranges::all_of(operand, [](const Partial& x) { return x.undefined == 0; });
  }
};

/// Undefined bits of one lane's destinations. They are cut to the width of the registers.
struct Result {
  std::uint64_t d = 0, e = 0;
  bool carry = false;
};

std::size_t count_destinations(const Form& form) {
  return static_cast<std::size_t>(std::ranges::count(form.ports, true, &Port::written));
}

Partial read(const std::byte* values, const std::byte* undefined, std::uint32_t offset, const Port& port,
             unsigned lane) {
  if (offset == no_operand) return {};
  return partial::cut(
      {read_column(values, offset, port.bytes, lane), read_column(undefined, offset, port.bytes, lane)},
      port.bits);
}

Sources read_sources(const std::byte* values, const std::byte* undefined, const Instruction& instruction,
                     unsigned lane) {
  const Form& form = *instruction.form;
  const std::uint32_t* rows = rows_of(instruction);
  Sources sources;
  for (std::size_t k = count_destinations(form), s = 0; k < form.ports.size(); ++k, ++s)
    sources.operand[s] = read(values, undefined, rows[k], form.ports[k], lane);
  if (form.reads_carry)
    sources.carry = read(values, undefined, carry_offset, Port{.bytes = 0, .bits = 1}, lane);
  return sources;
}

void write(std::byte* undefined, const Instruction& instruction, unsigned lane, const Result& result) {
  const Form& form = *instruction.form;
  const std::uint32_t* rows = rows_of(instruction);
  const std::uint64_t bits[] = {result.d, result.e};
  for (std::size_t k = 0; k < count_destinations(form); ++k)
    if (rows[k] != no_operand) write_column(undefined, rows[k], form.ports[k].bytes, lane, bits[k]);
  if (form.writes_carry) write_column(undefined, carry_offset, 0, lane, result.carry);
}

/// rule(form, sources) lane by lane.
template <auto rule>
void each_lane(const std::byte* values, std::byte* undefined, const Instruction& instruction,
               LaneMask lanes) {
  for_lanes(lanes, [&](unsigned lane) {
    const Sources sources = read_sources(values, undefined, instruction, lane);
    write(undefined, instruction, lane, sources.defined() ? Result{} : rule(*instruction.form, sources));
  });
}

/// One element of packed sources; predicates count for every element.
Sources part_of(const Form& form, const Sources& sources, unsigned part) {
  Sources result = sources;
  for (std::size_t k = count_destinations(form), s = 0; k < form.ports.size(); ++k, ++s) {
    const unsigned width = form.ports[k].bits / form.ports[k].parts;
    if (form.ports[k].parts > 1)
      result.operand[s] = partial::cut(partial::shifted_right(sources.operand[s], part * width), width);
  }
  return result;
}

/// The rule of one value, element by element where all operands are packed.
template <auto rule>
Result elementwise(const Form& form, const Sources& sources) {
  if (std::ranges::any_of(form.ports, [](const Port& port) { return port.parts == 1; }))
    return rule(form, sources);
  const unsigned width = form.ports[0].bits / 2u;
  const std::uint64_t low = rule(form, part_of(form, sources, 0)).d,
                      high = rule(form, part_of(form, sources, 1)).d;
  return {(low & low_ones(width)) | high << width};
}

std::uint64_t all_if(bool undefined) { return undefined ? all : 0; }

Result strict_rule(const Form&, const Sources& sources) {
  return {.d = all_if(!sources.defined()), .e = all_if(!sources.defined()), .carry = !sources.defined()};
}

}  // namespace

void strict(const std::byte* values, std::byte* undefined, const Instruction& instruction, LaneMask lanes) {
  each_lane<elementwise<strict_rule>>(values, undefined, instruction, lanes);
}

/// As the bits themselves move, so do their undefined ones.
void moved(const std::byte*, std::byte* undefined, const Instruction& instruction, LaneMask lanes) {
  instruction.form->compute(undefined, instruction, lanes);
}

namespace {

/// Runs the instruction apart, on the undefined bits of the first `moving` sources and the values of the
/// others. What lanes get whose other sources are undefined, `doubtful` says.
template <std::size_t moving, auto doubtful>
void steered(const std::byte* values, std::byte* undefined, const Instruction& instruction, LaneMask lanes) {
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
                                   [](const Partial& x) { return x.undefined == 0; });
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
  steered<1, everything>(values, undefined, instruction, lanes);
}
void moved_ab(const std::byte* values, std::byte* undefined, const Instruction& instruction, LaneMask lanes) {
  steered<2, everything>(values, undefined, instruction, lanes);
}
void chosen(const std::byte* values, std::byte* undefined, const Instruction& instruction, LaneMask lanes) {
  steered<2, where_different>(values, undefined, instruction, lanes);
}

void cvt(const std::byte* values, std::byte* undefined, const Instruction& instruction, LaneMask lanes) {
  (moves_between_integers(*instruction.form) ? moved : strict)(values, undefined, instruction, lanes);
}

/// Defines the rule that spread.h declares: a pure function of one lane's sources, whose operands are a, b,
/// c, l and q.
#define FOLDPROOF_EACH_LANE(name, rule)                                                                      \
  void name(const std::byte* values, std::byte* undefined, const Instruction& instruction, LaneMask lanes) { \
    each_lane<rule>(values, undefined, instruction, lanes);                                                  \
  }

namespace {

Result joined_rule(const Form& form, const Sources& sources) {
  const auto& [a, b, c, unused, unused2] = sources.operand;
  const unsigned width = bits_of(form.type) / (name(form.type).ends_with("x2") ? 2 : 1);
  const std::uint64_t low = all_if(b.undefined != 0) & low_ones(width);
  const std::uint64_t high = all_if(a.undefined != 0) & low_ones(width);
  return {low | high << width | c.undefined << 2 * width};
}

template <std::uint32_t lut>
Result look_up(const Form&, const Sources& sources) {
  return {partial::look_up(lut, sources.operand[0], sources.operand[1]).undefined};
}

Partial lop3_of(const Sources& sources) {
  const auto& [a, b, c, lut, q] = sources.operand;
  const Partial result = partial::look_up(static_cast<std::uint32_t>(lut.value), a, b, c);
  return partial::cut({result.value, lut.undefined != 0 ? all : result.undefined}, 32);
}
Result lop3_rule(const Form&, const Sources& sources) { return {lop3_of(sources).undefined}; }

Result lop3_test_rule(const Form& form, const Sources& sources) {
  const Partial d = lop3_of(sources);
  const Partial e = partial::look_up(form.has("and") ? partial::lut_and : partial::lut_or,
                                     partial::nonzero(d), sources.operand[4]);
  return {d.undefined, e.undefined};
}

}  // namespace

FOLDPROOF_EACH_LANE(joined, joined_rule)
FOLDPROOF_EACH_LANE(and_, look_up<partial::lut_and>)
FOLDPROOF_EACH_LANE(or_, look_up<partial::lut_or>)
FOLDPROOF_EACH_LANE(xor_, look_up<partial::lut_xor>)
FOLDPROOF_EACH_LANE(not_, look_up<partial::lut_not_a>)
FOLDPROOF_EACH_LANE(lop3, lop3_rule)
FOLDPROOF_EACH_LANE(lop3_test, lop3_test_rule)

namespace {

Result sum_rule(const Form& form, const Sources& sources) {
  if (form.sat) return strict_rule(form, sources);
  return {partial::add(sources.operand[0], sources.operand[1]).undefined};
}
Result difference_rule(const Form& form, const Sources& sources) {
  if (form.sat) return strict_rule(form, sources);
  return {partial::sub(sources.operand[0], sources.operand[1]).undefined};
}
Result negation_rule(const Form&, const Sources& sources) {
  return {partial::sub({}, sources.operand[0]).undefined};
}

/// The product of the low bits, as numbers of the form's type.
Partial product_of(const Form& form, const Sources& sources, unsigned bits) {
  const bool by_sign = is_signed(form.type);
  return partial::mul(partial::extended(sources.operand[0], bits, by_sign),
                      partial::extended(sources.operand[1], bits, by_sign));
}

Result product_rule(const Form& form, const Sources& sources) {
  if (form.has("hi")) return strict_rule(form, sources);
  return {product_of(form, sources, bits_of(form.type)).undefined};
}
Result product_sum_rule(const Form& form, const Sources& sources) {
  if (form.has("hi")) return strict_rule(form, sources);
  return {partial::add(product_of(form, sources, bits_of(form.type)), sources.operand[2]).undefined};
}

/// Bits 31…0 or 47…16.
Partial product24_of(const Form& form, const Sources& sources) {
  return partial::shifted_right(product_of(form, sources, 24), form.has("hi") ? 16 : 0);
}
Result product24_rule(const Form& form, const Sources& sources) {
  return {product24_of(form, sources).undefined};
}
Result product24_sum_rule(const Form& form, const Sources& sources) {
  if (form.sat) return strict_rule(form, sources);
  return {partial::add(product24_of(form, sources), sources.operand[2]).undefined};
}

Result chain(const Form& form, Partial a, Partial b, Partial carry) {
  const unsigned width = bits_of(form.type);
  a = partial::cut(a, width), b = partial::cut(b, width);
  return {.d = partial::add(a, b, carry).undefined, .carry = partial::carry_is_undefined(a, b, carry, width)};
}
Result sum_cc_rule(const Form& form, const Sources& sources) {
  return chain(form, sources.operand[0], sources.operand[1], sources.carry);
}
Result difference_cc_rule(const Form& form, const Sources& sources) {
  const Partial carry = form.reads_carry ? sources.carry : Partial{1, 0};
  return chain(form, sources.operand[0], partial::not_(sources.operand[1]), carry);
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
  const Partial a = sources.operand[0], window{window_of(form.space), 0};
  return {(form.has("to") ? partial::sub(a, window) : partial::add(a, window)).undefined};
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
  const Partial a = sources.operand[0];
  const bool may_be_nan = (a.most() & ~sign) > infinity;
  const bool may_be_flushed = form.ftz && (a.least() & infinity) == 0;
  if (may_be_nan || may_be_flushed) return strict_rule(form, sources);
  return {a.undefined & ~(keeps_sign ? 0 : sign)};
}

/// The comparison of the form; that of floats is strict, and in doubt where c is undefined too.
Partial compared(const Form& form, Type type, Partial a, Partial b, Partial c) {
  using enum Compare;
  if (type > s64) return {0, (a.undefined | b.undefined | c.undefined) != 0};
  if (is_signed(type)) {
    const std::uint64_t sign = std::uint64_t{1} << (bits_of(type) - 1);
    a.value ^= sign, b.value ^= sign;
  }
  switch (form.compare) {
    case eq: return partial::equal(a, b);
    case ne: return partial::not_(partial::equal(a, b));
    case lt:
    case lo: return partial::less(a, b);
    case gt:
    case hi: return partial::less(b, a);
    case le:
    case ls: return partial::not_(partial::less(b, a));
    case ge:
    case hs: return partial::not_(partial::less(a, b));
    default: return {0, 1};
  }
}

/// Whether the comparison, joined with c, is undefined.
std::uint64_t joined_with(const Form& form, Partial test, Partial c) {
  switch (form.boolean) {
    case Boolean::none: return test.undefined & 1;
    case Boolean::and_: return partial::look_up(partial::lut_and, test, c).undefined & 1;
    case Boolean::or_: return partial::look_up(partial::lut_or, test, c).undefined & 1;
    case Boolean::xor_: return partial::look_up(partial::lut_xor, test, c).undefined & 1;
  }
  return 1;
}

Result setp_rule(const Form& form, const Sources& sources) {
  const auto& [a, b, c, unused, unused2] = sources.operand;
  const Partial test = compared(form, form.type, a, b, c);
  return {joined_with(form, test, c), joined_with(form, partial::not_(test), c)};
}
Result set_rule(const Form& form, const Sources& sources) {
  const auto& [a, b, c, unused, unused2] = sources.operand;
  return {all_if(joined_with(form, compared(form, form.type2, a, b, c), c) != 0)};
}

/// Whether the comparison of one element of packed floats, joined with c, is undefined.
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
  return {partial::equal(sources.operand[0], {}).undefined};
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

}  // namespace spread
}  // namespace foldproof::isa
