// Counters as text for a terminal.
#pragma once

#include <string>

#include "properties/verdict.h"

namespace foldproof {

/// Tables of what a block does, one row per instance that was counted. Empty if none was.
std::string counters_tables(const AuditReport& report, bool color);

/// The counters of one job, one per line.
std::string counters_list(const Counters& counters);

}  // namespace foldproof
