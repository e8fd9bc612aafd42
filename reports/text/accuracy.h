// How exact a kernel was, for a person.
#pragma once

#include <string>

#include "properties/verdict.h"

namespace foldproof {

/// A few lines for each instance, where there are few; empty where nothing was checked.
std::string accuracy_text(const AuditReport& report, unsigned width);

}  // namespace foldproof
