// The table of an audit: a row an instance, in 100 columns.
#pragma once

#include <string>

#include "properties/verdict.h"

namespace foldproof {

/// Clean instances of a kernel that differ only in numbers (block sizes) share a row, which then shows the
/// range of the numbers, all cases, the worst ratio and the whole time.
std::string table(const AuditReport& report, bool color, unsigned width);

}  // namespace foldproof
