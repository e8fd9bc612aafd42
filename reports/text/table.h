// The table of an audit: one row per instance, fitted to `width` columns.
#pragma once

#include <string>

#include "properties/verdict.h"

namespace foldproof {

/// Clean instances of a kernel that differ only in numbers (block sizes) share a row, which shows the range
/// of the numbers, the total of cases and time, and the worst ratio.
std::string table(const AuditReport& report, bool color, unsigned width);

}  // namespace foldproof
