// Instructions that move bytes: the source of each byte of the result.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "devices/emulated/isa/instruction.h"
#include "devices/emulated/state/register_shadow.h"
#include "oracles/expressions.h"

namespace foldproof::emulated {

inline constexpr std::size_t most_operands = 6;
inline constexpr unsigned widest_column = 16;  ///< bytes

struct Operand {
  std::uint32_t row;
  const isa::Port* port;
};

/// The sources of a register-only instruction, except CC.
struct Operands {
  std::array<Operand, most_operands> all;
  std::size_t count = 0;
  const Operand* begin() const { return all.data(); }
  const Operand* end() const { return all.data() + count; }
};
Operands sources_of(const isa::Instruction& i);

/// Finds the routes by execution: the instruction runs on marks instead of the values that depend on the
/// input, and the marks are searched in its results.
class ByteRoutes {
 public:
  static constexpr std::size_t kinds_of_marks = 3, frames = kinds_of_marks + 1;

  /// `scratch` must hold `frames` frames of `frame_bytes` bytes each; it contains the results during the
  /// lifetime of this object. All references must outlive it.
  ByteRoutes(const std::byte* registers, std::size_t frame_bytes, std::span<std::byte> scratch,
             const RegisterProvenance& nodes, const isa::Instruction& i, const Operands& sources,
             LaneMask lanes);

  /// The parts of a lane's result; returns false if it does not consist only of bytes of the sources and
  /// constants.
  bool find(const Expressions& expressions, std::uint32_t row, unsigned bytes, unsigned lane,
            std::span<BytePart> to) const;

 private:
  using Seen = std::array<std::uint8_t, kinds_of_marks>;
  bool find_marked(const Expressions& expressions, const Seen& seen, unsigned lane, BytePart& to) const;

  const Operands& sources_;
  const RegisterProvenance& nodes_;
  std::array<const std::byte*, frames> results_;  ///< the last is computed from the actual values
};

}  // namespace foldproof::emulated
