// Guesses what a kernel computes, from its name and its instructions.
#pragma once

#include <string_view>

#include "contracts/guessing/roles.h"
#include "oracles/operator.h"

namespace foldproof {

/// Guesses everything except the shape of the result. Throws InputError if the kernel does not look like a
/// reduction, or if a correct kernel of its kind could fail.
Reduction guess_reduction(const KernelRoles& roles);

/// A row of names.def.
struct NameRow {
  enum class Place : bool { part, word };
  std::string_view word;
  Place place;
  Operator op;
  std::string_view unknown;
};

/// The first row that matches the name; null if none does.
const NameRow* row_of_name(std::string_view name);

}  // namespace foldproof
