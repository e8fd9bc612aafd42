// Launches and templates of a source that its contracts do not cover.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "contracts/contract.h"
#include "contracts/declarations.h"
#include "contracts/signature.h"

namespace foldproof {

/// For each kernel of the compiled contract: the sizes of the blocks, and a number of blocks, with which the
/// source launches it although no case of this contract, nor of the others for the source, can have them, in
/// one sentence each. What the text of the source does not determine, and contracts whose launches cannot be
/// listed, are left out.
/// `kernels`: all of the source. `text`: the source from the preprocessor.
std::vector<std::string> uncovered_launches(const Contract& contract,
                                            const std::vector<const Contract*>& others,
                                            const std::vector<EntrySignature>& kernels,
                                            std::string_view text);

/// Those of the declared kernels that are templates.
std::vector<DeclaredKernel> templates_among(std::vector<DeclaredKernel> declared);

/// The names of the templates without an instance among the kernels. If several templates have the same name
/// and equally many parameters and template parameters, there must be at least as many instances.
std::vector<std::string> without_instance(const std::vector<DeclaredKernel>& templates,
                                          const std::vector<EntrySignature>& kernels);

}  // namespace foldproof
