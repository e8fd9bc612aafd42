// An instruction with its own frame and a second frame for the undefined bits.
#pragma once

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "devices/emulated/isa/shadow_propagation.h"
#include "run.h"

namespace foldproof::tests {

/// A value and its shadow bits: a 1 for each undefined bit.
struct Known {
  Value value = 0, undefined = 0;
};

class Shadowed {
 public:
  struct alignas(64) Frame {
    std::array<std::byte, 64 + 24 * 512> bytes{};
    std::byte* data() { return bytes.data(); }
    const std::byte* data() const { return bytes.data(); }
  };

  /// `absent`: indices in Form::ports of the operands to leave out.
  explicit Shadowed(const isa::Form& form, const std::vector<std::size_t>& absent = {});
  Shadowed(const Shadowed&) = delete;

  const isa::Form& form() const { return form_; }
  const isa::Instruction& instruction() const { return instruction_; }
  std::size_t first_source() const;
  std::uint32_t row(std::size_t port) const { return rows_[port]; }
  /// Uses this row for the first destination as well.
  void alias(std::size_t port);

  /// One column; of 128 bits, the low or the high half. Port `carry` is CC.
  static constexpr std::size_t carry = ~std::size_t{0};
  Value get(const Frame& frame, std::size_t port, unsigned lane, unsigned half = 0) const;
  void set(Frame& frame, std::size_t port, unsigned lane, Value value, unsigned half = 0) const;
  unsigned bytes(std::size_t port) const { return port == carry ? 0 : form_.ports[port].bytes; }
  /// The rows that the instruction reads or writes.
  std::vector<std::size_t> sources() const;
  std::vector<std::size_t> destinations() const;

  /// The frame after the instruction, and its undefined bits.
  Frame computed(const Frame& frame, isa::LaneMask lanes = all_lanes) const;
  void propagate(isa::LaneMask lanes = all_lanes) {
    isa::propagate_undefined(values.data(), undefined.data(), instruction_, lanes);
  }

  Frame values, undefined;

 private:
  isa::Form form_;
  isa::Instruction instruction_;
  std::vector<std::uint32_t> rows_;
};

/// The undefined bits of the destinations (and of CC, if written) for one set of sources (and CC, if read).
Column undefined_after(const isa::Form& form, const std::vector<Known>& sources);
Column undefined_after(const std::string& text, const std::vector<Known>& sources);
/// The undefined bits of the first destination.
Value undefined_result(const std::string& text, const std::vector<Known>& sources);

}  // namespace foldproof::tests
