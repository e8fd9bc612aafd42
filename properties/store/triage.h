// Which findings a contract announces, which it accepts for a time, and what verdict is left.
#pragma once

#include <string>

#include "contracts/contract.h"
#include "properties/verdict.h"

namespace foldproof {

/// Whether "dir/file:line" or "dir/file" names the place; a name matches the end of a path.
bool names(const std::string& at, const Position& place);

/// Today as an ISO date, in UTC.
std::string today();

/// Whether the device saw what launches do.
enum class Watched : bool { no, yes };

/// Marks announced findings as expected, drops suppressed ones (saying so in the notes), adds a finding for
/// every announced one that was not made, and sets verdict and `expected`. Wrong or changing values are
/// expected beside announced undefined behaviour, and never missed there. `date` decides which suppressions
/// still hold.
/// On a device that does not watch, a defect is found where a finding of an announced family was made. Any
/// other finding is Verdict::another_finding; it is expected where undefined behaviour is announced, which
/// explains it. A defect may leave no trace there, so none is missed.
void triage(KernelReport& report, const Contract& contract, const std::string& date,
            Watched watched = Watched::yes);

}  // namespace foldproof
