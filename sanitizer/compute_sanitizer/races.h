// racecheck writes every hazard twice: byte by byte, with threads and launch but no severity, and summed up
// over the whole run, with severity but no launch. Here the two come together.
#pragma once

#include <vector>

#include "sanitizer/compute_sanitizer/findings.h"

namespace foldproof::compute_sanitizer {

/// The findings of all hazards, then those of analyses whose hazards nobody wrote. Other records are passed
/// over.
std::vector<ToolFinding> races(const std::vector<Record>& records, const LaunchSites& sites);

}  // namespace foldproof::compute_sanitizer
