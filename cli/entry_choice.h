// The kernel that a user means by a name.
#pragma once

#include <filesystem>
#include <string>

#include "contracts/compile.h"
#include "contracts/signature.h"

namespace foldproof {

struct ChosenEntry {
  std::shared_ptr<const Image> image;
  EntrySignature entry;
};

/// The name in the spelling of a kernel as findings print it, which has parameters and perhaps a return type.
std::string entry_name(const std::string& spelling);

/// Compiles `source` and finds the kernel called `wished`: as C++ spells it (templates are instantiated),
/// with its parameters as findings print it, as PTX spells it, or any part of its name that fits one kernel
/// alone. Throws InputError, listing the kernels that exist, when none or several fit.
ChosenEntry choose_entry(const std::filesystem::path& source, const std::string& wished,
                         const CompileOptions& options);

}  // namespace foldproof
