// Finds the kernel that a user names.
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

/// A kernel's spelling as printed in findings, without the return type of templates.
std::string entry_name(const std::string& spelling);

/// Compiles `source` and finds the kernel called `wished`: as spelled in C++ (templates are instantiated),
/// with its parameters as printed in findings, as spelled in PTX, or any part of its name that matches only
/// one kernel. Throws InputError, listing the kernels that may be meant, if none or several match.
ChosenEntry choose_entry(const std::filesystem::path& source, const std::string& wished,
                         const CompileOptions& options);

}  // namespace foldproof
