// Building blocks of the rules in shadow_rules.h: access to the columns of a frame and of its undefined bits,
// lane by lane.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>

#include "devices/emulated/isa/instruction.h"
#include "devices/emulated/isa/shadowed_value.h"

namespace foldproof::isa::shadow {

inline constexpr std::uint64_t all = ~std::uint64_t{0};

inline std::uint64_t read_column(const std::byte* frame, std::uint32_t offset, unsigned bytes,
                                 unsigned lane) {
  std::uint64_t column = 0;
  if (bytes == 0) {
    std::memcpy(&column, frame + offset, sizeof(LaneMask));
    return column >> lane & 1;
  }
  lanes::with_size(bytes, [&](auto value) {
    std::memcpy(&value, frame + offset + lane * sizeof value, sizeof value);
    column = value;
  });
  return column;
}

inline void write_column(std::byte* frame, std::uint32_t offset, unsigned bytes, unsigned lane,
                         std::uint64_t bits) {
  if (bytes == 0) return lanes::assign(frame, offset, (bits & 1) != 0 ? all_lanes : 0, LaneMask{1} << lane);
  lanes::with_size(bytes, [&](auto value) {
    value = static_cast<decltype(value)>(bits);
    std::memcpy(frame + offset + lane * sizeof value, &value, sizeof value);
  });
}

using enum Type;

inline constexpr std::size_t max_sources = 5;  // for instructions whose rule works lane by lane

/// The sources of one lane, in operand order. Missing operands count as defined.
struct Sources {
  std::array<ShadowedValue, max_sources> operand;
  ShadowedValue carry;

  bool defined() const {
    return carry.undefined == 0 &&
           std::ranges::all_of(operand, [](const ShadowedValue& x) { return x.undefined == 0; });
  }
};

/// Undefined bits of one lane's destinations. They are truncated to the width of the registers.
struct Result {
  std::uint64_t d = 0, e = 0;
  bool carry = false;
};

inline std::size_t count_destinations(const Form& form) {
  return static_cast<std::size_t>(std::ranges::count(form.ports, true, &Port::written));
}

inline ShadowedValue read(const std::byte* values, const std::byte* undefined, std::uint32_t offset,
                          const Port& port, unsigned lane) {
  if (offset == no_operand) return {};
  return shadowed::cut(
      {read_column(values, offset, port.bytes, lane), read_column(undefined, offset, port.bytes, lane)},
      port.bits);
}

inline Sources read_sources(const std::byte* values, const std::byte* undefined,
                            const Instruction& instruction, unsigned lane) {
  const Form& form = *instruction.form;
  const std::uint32_t* rows = rows_of(instruction);
  Sources sources;
  for (std::size_t k = count_destinations(form), s = 0; k < form.ports.size(); ++k, ++s)
    sources.operand[s] = read(values, undefined, rows[k], form.ports[k], lane);
  if (form.reads_carry)
    sources.carry = read(values, undefined, carry_offset, Port{.bytes = 0, .bits = 1}, lane);
  return sources;
}

inline void write(std::byte* undefined, const Instruction& instruction, unsigned lane, const Result& result) {
  const Form& form = *instruction.form;
  const std::uint32_t* rows = rows_of(instruction);
  const std::uint64_t bits[] = {result.d, result.e};
  for (std::size_t k = 0; k < count_destinations(form); ++k)
    if (rows[k] != no_operand) write_column(undefined, rows[k], form.ports[k].bytes, lane, bits[k]);
  if (form.writes_carry) write_column(undefined, carry_offset, 0, lane, result.carry);
}

/// Applies rule(form, sources) lane by lane.
template <auto rule>
void each_lane(const std::byte* values, std::byte* undefined, const Instruction& instruction,
               LaneMask lanes) {
  for_lanes(lanes, [&](unsigned lane) {
    const Sources sources = read_sources(values, undefined, instruction, lane);
    write(undefined, instruction, lane, sources.defined() ? Result{} : rule(*instruction.form, sources));
  });
}

/// One element of packed sources; predicates apply to every element.
inline Sources part_of(const Form& form, const Sources& sources, unsigned part) {
  Sources result = sources;
  for (std::size_t k = count_destinations(form), s = 0; k < form.ports.size(); ++k, ++s) {
    const unsigned width = form.ports[k].bits / form.ports[k].parts;
    if (form.ports[k].parts > 1)
      result.operand[s] = shadowed::cut(shadowed::shifted_right(sources.operand[s], part * width), width);
  }
  return result;
}

/// Applies the scalar rule, element by element if all operands are packed.
template <auto rule>
Result elementwise(const Form& form, const Sources& sources) {
  if (std::ranges::any_of(form.ports, [](const Port& port) { return port.parts == 1; }))
    return rule(form, sources);
  const unsigned width = form.ports[0].bits / 2u;
  const std::uint64_t low = rule(form, part_of(form, sources, 0)).d,
                      high = rule(form, part_of(form, sources, 1)).d;
  return {(low & low_bits(width)) | high << width};
}

inline std::uint64_t all_if(bool undefined) { return undefined ? all : 0; }

inline Result strict_rule(const Form&, const Sources& sources) {
  return {.d = all_if(!sources.defined()), .e = all_if(!sources.defined()), .carry = !sources.defined()};
}

/// Defines a rule of shadow_rules.h from a per-lane rule: Result rule(const Form&, const Sources&).
#define FOLDPROOF_EACH_LANE(name, rule)                                                                      \
  void name(const std::byte* values, std::byte* undefined, const Instruction& instruction, LaneMask lanes) { \
    each_lane<rule>(values, undefined, instruction, lanes);                                                  \
  }

}  // namespace foldproof::isa::shadow
