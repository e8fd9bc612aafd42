// An operator that a contract brings along, on integers.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "oracles/formats.h"

namespace foldproof {

/// What two values become, modulo 2^64 and so modulo every 2^w below it, and the value that changes nothing.
struct CustomOperator {
  std::string text;  ///< of `combine`, for messages
  std::function<std::uint64_t(std::uint64_t, std::uint64_t)> combine;
  std::uint64_t identity = 0;
};

/// Why the results of parts do not make that of the whole in an integer type, as a sentence with three values
/// for which they do not, or one that the identity changes; nothing where no such values are found among
/// small and random ones.
std::optional<std::string> why_it_does_not_fold(const CustomOperator& custom, Element element);

}  // namespace foldproof
