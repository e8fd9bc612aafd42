// What a kernel's name says of its operator.
#pragma once

#include <string_view>

#include "oracles/operator.h"

namespace foldproof {

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
