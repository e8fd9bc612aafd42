// Which findings a contract announces, which it accepts for a time, and the resulting verdict.
#pragma once

#include <string>

#include "contracts/contract.h"
#include "properties/verdict.h"

namespace foldproof {

/// Whether "dir/file:line" or "dir/file" names the place; a name matches the end of a path.
bool names(const std::string& at, const Position& place);

/// Today as an ISO date, in UTC.
std::string today();

/// Whether a suppression that still holds names the finding.
bool is_allowed(const Finding& finding, const Contract& contract, const std::string& date);

/// Whether the contract allows or announces the finding, so that triage() would not let it fail the
/// audit.
bool is_accepted(const Finding& finding, const Contract& contract, const std::string& date);

/// Whether the device observes launches.
enum class Watched : bool { no, yes };

/// Marks announced findings as expected, drops suppressed ones (with a note), adds a finding for every
/// announced one that was not reported, and sets verdict and `expected`. Wrong or varying values are expected
/// along with announced undefined behaviour that was reported, and never required there. `date` decides which
/// suppressions still hold.
///
/// On a device that does not observe launches, a defect is found if a finding of an announced family was
/// reported; otherwise findings give Verdict::another_finding. Other findings are expected if undefined
/// behaviour is announced, which explains them. A defect may leave no trace there, so none is required,
/// except for
/// a defect of a host function, which no other device runs.
void triage(KernelReport& report, const Contract& contract, const std::string& date,
            Watched watched = Watched::yes);

}  // namespace foldproof
