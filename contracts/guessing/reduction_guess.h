// What a kernel is taken to compute: by its name, and by what it does.
#pragma once

#include <string_view>

#include "contracts/guessing/roles.h"
#include "oracles/operator.h"

namespace foldproof {

/// But for the shape of its result. Throws InputError where the kernel does not look like a reduction, or
/// like one that a right kernel could fail.
Reduction guess_reduction(const KernelRoles& roles);

/// A row of names.def.
struct NameRow {
  enum class Place : bool { part, word };
  std::string_view word;
  Place place;
  Operator op;
  std::string_view unknown;
};

/// The row that fits the name; nothing where none does.
const NameRow* row_of_name(std::string_view name);

}  // namespace foldproof
