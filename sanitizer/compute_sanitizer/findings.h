// Translates compute-sanitizer's records into Foldproof's findings (docs/checks.md, "Under
// compute-sanitizer").
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
  std::optional<std::uint64_t> launch;  ///< number of the launch in the process, from 1; only hazards have it
  std::optional<unsigned> site;         ///< the launch site; std::nullopt if the host stack contains none
  std::string function;                 ///< mangled name of the function where it happened; empty if unknown
};

inline Position position(const Place& place) { return {place.file, place.line, 0}; }
/// "kernel+0x110" for a place without line information, which a Position cannot express; otherwise empty.
std::string offset_in_words(const Place& place);

/// The findings of the records, in their order, one per kind, positions, launch and site. Failed host API
/// calls and leaks are omitted: they concern the launching program, not its kernels. An unknown record is an
/// error of the kind `unsupported`.
std::vector<ToolFinding> findings(const Tool& tool, const std::vector<Record>& records,
                                  const LaunchSites& sites = {});

}  // namespace foldproof::compute_sanitizer
