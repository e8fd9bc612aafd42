#include "sanitizer/compute_sanitizer/sites.h"

#include <algorithm>
#include <filesystem>

namespace foldproof::compute_sanitizer {
namespace {

// A program started as "./program" appears in host stacks as "/folder/./program".
std::string normal(const std::string& path) {
  return std::filesystem::path(path).lexically_normal().string();
}

}  // namespace

std::optional<unsigned> site_of(const LaunchSites& sites, const std::vector<Frame>& host_stack) {
  const std::string module = normal(sites.module);
  for (const Frame& frame : host_stack) {
    if (normal(frame.module) != module) continue;
    // A frame contains a return address, which may be the byte just past the function.
    const auto holds = [&](const auto& range) { return range.first < frame.pc && frame.pc <= range.second; };
    const auto found = std::find_if(sites.ranges.begin(), sites.ranges.end(), holds);
    if (found != sites.ranges.end()) return static_cast<unsigned>(found - sites.ranges.begin());
  }
  return std::nullopt;
}

}  // namespace foldproof::compute_sanitizer
