// What an audit sampled, for a person.
#pragma once

#include <string>

#include "properties/verdict.h"

namespace foldproof {

/// A paragraph a group of classes: how many cases of all instances were of each. Empty where nothing was
/// counted.
std::string coverage_text(const AuditReport& report, unsigned width);

}  // namespace foldproof
