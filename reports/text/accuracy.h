// The accuracy of a kernel, as text for a terminal.
#pragma once

#include <string>

#include "properties/verdict.h"

namespace foldproof {

/// A few lines per instance, if there are few instances; empty if nothing was checked.
std::string accuracy_text(const AuditReport& report, unsigned width);

}  // namespace foldproof
