// Counters for a person.
#pragma once

#include <string>

#include "properties/verdict.h"

namespace foldproof {

/// Tables of what a block does: a row an instance that was counted. Empty where none was.
std::string counters_tables(const AuditReport& report, bool color);

/// The counters of one job, a line each.
std::string counters_list(const Counters& counters);

}  // namespace foldproof
