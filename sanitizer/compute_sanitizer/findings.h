// Records of compute-sanitizer as Foldproof's findings (docs/checks.md, "Under compute-sanitizer").
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sanitizer/compute_sanitizer/records.h"
#include "sanitizer/compute_sanitizer/sites.h"
#include "sanitizer/compute_sanitizer/tool.h"
#include "sanitizer/finding.h"

namespace foldproof::compute_sanitizer {

struct ToolFinding {
  Finding finding;
  std::optional<std::uint64_t> launch;  ///< which launch of the process, from 1; only hazards say
  std::optional<unsigned> site;         ///< the launch site; nothing where the host stack leads through none
  std::string function;  ///< mangled name of the function where it happened; empty where nobody says
};

/// What the records mean, in their order, each kind once for its places, launch and site. Calls of the host
/// that failed and leaks are left out: they are about the program that launches, not about its kernels. A
/// record that nobody knows is an error of the kind `unsupported`.
std::vector<ToolFinding> findings(const Tool& tool, const std::vector<Record>& records,
                                  const LaunchSites& sites = {});

}  // namespace foldproof::compute_sanitizer
