// The kernel that a user means by a name.
#pragma once

#include <filesystem>
#include <string>

#include "contracts/compile.h"

namespace foldproof {

struct ChosenEntry {
  std::shared_ptr<const Image> image;
  EntrySignature entry;
};

/// Compiles `source` and finds the kernel called `name`: as C++ spells it (templates are instantiated), as
/// PTX spells it, or any part of its name that fits one kernel alone. Throws InputError, listing the kernels
/// that exist, when none or several fit.
ChosenEntry choose_entry(const std::filesystem::path& source, const std::string& name,
                         const CompileOptions& options);

}  // namespace foldproof
