// Launches of a source that its contract does not cover.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "contracts/contract.h"
#include "contracts/signature.h"

namespace foldproof {

/// The blocks with which the source launches kernels of the contract although no case can have them, each as
/// a note. Launches whose blocks are unknown, and contracts whose blocks cannot be listed, are left out.
/// `kernels`: all of the source. `lowered`: the PTX spelling of an entry. `text`: the source from the
/// preprocessor.
std::vector<std::string> uncovered_launches(
    const Contract& contract, const std::vector<EntrySignature>& kernels,
    const std::function<std::string(const std::string& entry)>& lowered, std::string_view text);

}  // namespace foldproof
