// A report for a person at a terminal: findings first, each with its source line, then a row an instance.
#pragma once

#include <optional>
#include <string>

#include "properties/verdict.h"

namespace foldproof {

struct TerminalStyle {
  bool color = false;
  unsigned width = 100;                ///< columns
  std::optional<double> wall_seconds;  ///< how long the whole run took
};

/// The whole report. The same finding of several instances is shown once.
std::string to_text(const AuditReport& report, const TerminalStyle& style);

/// Only what went wrong: each unexpected finding with its source line, nothing for a clean report.
std::string findings_text(const AuditReport& report, const TerminalStyle& style);

}  // namespace foldproof
