// From which of its launching functions a program launched what a record is about.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sanitizer/compute_sanitizer/records.h"

namespace foldproof::compute_sanitizer {

/// The functions ("sites") through which a program launches, one range a function.
struct LaunchSites {
  std::string module;  ///< the file that holds their code
  /// First offset in that file and the one past the last, as the frames of host stacks count.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
};

/// The site whose code the innermost frame that lies in any is in; nothing where no frame does.
std::optional<unsigned> site_of(const LaunchSites& sites, const std::vector<Frame>& host_stack);

}  // namespace foldproof::compute_sanitizer
