// Mutation results, as text for a terminal and as JSON.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "properties/mutation.h"
#include "reports/json.h"
#include "reports/terminal.h"

namespace foldproof {

/// The mutants by source line, each line quoted once, then one row per kernel and the score.
std::string to_text(std::span<const MutationReport> reports, const TerminalStyle& style);

/// The same as sentences: "delete the barrier at k.cu:12 and shared-race is reported". Undetected mutants
/// come first.
std::string proof_text(std::span<const MutationReport> reports, const TerminalStyle& style);

/// {"tool","version","device","seed","score",…,"kernels":[…]}
Json to_json(std::span<const MutationReport> reports, const std::string& device, std::uint64_t seed);

Json to_json(const MutantReport& mutant);
/// The inverse of to_json for a mutant; lossless.
MutantReport mutant_report_from(const Json& json);

}  // namespace foldproof
