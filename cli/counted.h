// Counters of one run of an instance.
#pragma once

#include <variant>

#include "cli/subjects.h"
#include "properties/case.h"
#include "properties/verdict.h"

namespace foldproof {

/// What the emulated device does in that case, called once; or why there is nothing to tell, in one sentence.
/// Throws like audit_instance.
std::variant<Counted, std::string> counted(const Subject& subject, const Instance& instance, const Case& c);

}  // namespace foldproof
