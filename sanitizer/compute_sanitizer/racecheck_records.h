// racecheck writes every hazard twice: per byte, with threads and launch but without severity, and summarized
// over the whole run, with severity but without launch. This module merges the two.
#pragma once

#include <vector>

#include "sanitizer/compute_sanitizer/findings.h"

namespace foldproof::compute_sanitizer {

/// The findings of all hazards, then those of analyses that have no hazard record. Other records are ignored.
std::vector<ToolFinding> races(const std::vector<Record>& records, const LaunchSites& sites);

}  // namespace foldproof::compute_sanitizer
