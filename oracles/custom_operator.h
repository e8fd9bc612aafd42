// An integer operator defined by a contract.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "oracles/formats.h"

namespace foldproof {

/// How two values are combined, modulo 2^64 and hence modulo every 2^w with w < 64, and the identity.
struct CustomOperator {
  std::string text;  ///< source of `combine`, for messages
  std::function<std::uint64_t(std::uint64_t, std::uint64_t)> combine;
  std::uint64_t identity = 0;
};

/// Why the results of parts do not combine to the result of the whole in an integer type: a sentence with
/// three values for which grouping matters, or one value that the identity changes. Nothing if no such values
/// are found among small and random ones.
std::optional<std::string> why_it_does_not_fold(const CustomOperator& custom, Element element);

}  // namespace foldproof
