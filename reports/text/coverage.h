// Input coverage of an audit, as text for a terminal.
#pragma once

#include <string>

#include "properties/verdict.h"

namespace foldproof {

/// One paragraph per group of classes: the number of cases of all instances in each class. Empty if nothing
/// was counted.
std::string coverage_text(const AuditReport& report, unsigned width);

}  // namespace foldproof
