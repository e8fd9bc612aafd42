// A report as text for a terminal: findings first, each with its source line, then one row per instance.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "properties/verdict.h"

namespace foldproof {

struct TerminalStyle {
  bool color = false;
  unsigned width = 100;                     ///< columns
  std::optional<double> wall_seconds = {};  ///< how long the whole run took
  bool verbose = false;                     ///< also how the values of clean instances were checked
};

/// The whole report. A finding that several instances share is shown once.
std::string to_text(const AuditReport& report, const TerminalStyle& style);

/// Only failures: each unexpected finding with its source line; empty for a clean report.
std::string findings_text(const AuditReport& report, const TerminalStyle& style);

/// One line that counts the verdicts of a kernel's instances (at least one) while the run continues:
/// "C1 (two_level.cu): 24 clean of 24 instances".
std::string kernel_line(std::span<const KernelReport> instances);

}  // namespace foldproof
