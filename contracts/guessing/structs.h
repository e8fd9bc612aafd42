// The members of structs that kernels take by value.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "contracts/guessing/source_text.h"

namespace foldproof {

struct StructMember {
  std::string type;  ///< that of a number, such as "int", whatever typedefs it is spelled with
  std::string name;
};

/// In the order of the definition. Nothing if the source has no definition of a struct with that name (C++
/// spelling), or several, or one with members that are not numbers.
std::optional<std::vector<StructMember>> members_of_struct(const SourceText& source, const std::string& name);

}  // namespace foldproof
