// Trying a case against a law.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "contracts/contract.h"
#include "properties/case.h"

namespace foldproof::laws {

/// Whose laws they are. The instance has a reduction.
struct LawSubject {
  const Instance& instance;
  bool fixed_tree = false;  ///< the same launch means the same operations, whatever the elements are
  bool flushes = false;     ///< subnormal numbers may become zero
};

/// An input that a law derives, and the variables of the case that has it.
struct Derived {
  Variables variables;
  std::vector<std::byte> input;
};

/// The further inputs that the case's law needs; none where the case has no law, or one that says nothing of
/// it. Throws InputError for a name that no law has.
std::vector<Derived> derive(const LawSubject& subject, const Case& c, std::span<const std::byte> input);

/// Whether the law holds; `outputs`: the elements of the results as bits, those of the case first, then those
/// of the inputs that derive() gave; `forced`: the inputs force every bit of each of them.
bool holds(const LawSubject& subject, const Case& c, std::span<const std::byte> input,
           const std::vector<std::vector<std::uint64_t>>& outputs, bool forced);

}  // namespace foldproof::laws
