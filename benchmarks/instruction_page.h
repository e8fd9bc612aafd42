// The page docs/ptx.md: every instruction of the ISA, whether it is implemented, and how that is known.
#pragma once

#include <optional>
#include <string>

#include "benchmarks/instruction_evidence.h"

namespace foldproof {

/// Markdown. `gpu`: the record of a comparison with a GPU, if there is one. Throws InputError for evidence
/// about a row or types that ptx.def does not have.
std::string instruction_page(const TestEvidence& tests, const std::optional<GpuRecord>& gpu);

}  // namespace foldproof
