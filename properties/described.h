// What the names in a case mean, for people.
#pragma once

#include <span>
#include <string_view>

namespace foldproof {

struct DescribedName {
  std::string_view about;  ///< "input distribution", "transform" or "metamorphic relation"
  std::string_view name;
  std::string_view meaning;  ///< a phrase, in the notation of the .def files
};

/// The rows of distributions.def, transforms.def and relations.def.
std::span<const DescribedName> described_names();

}  // namespace foldproof
