// Finds the launching function of the program from which a record's kernel was launched.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sanitizer/compute_sanitizer/records.h"

namespace foldproof::compute_sanitizer {

/// The functions ("sites") through which a program launches, one range per function.
struct LaunchSites {
  std::string module;  ///< the file that contains their code
  /// First offset in that file and one past the last, as host stack frames count them.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
};

/// The site that contains the innermost frame that is inside any site; std::nullopt if none is.
std::optional<unsigned> site_of(const LaunchSites& sites, const std::vector<Frame>& host_stack);

}  // namespace foldproof::compute_sanitizer
