// The translation unit that makes nvcc instantiate the entries and reveals their spelling in PTX.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/source.h"

namespace foldproof {

/// C++ source that includes `source`, then `appendix`, and takes the address of every entry on the device.
/// The addresses become initialized globals in the PTX, so the compiler itself maps each spelling to its
/// lowered name: default template arguments, type aliases and namespaces need no guessing. No word of an
/// entry may be a macro. `token` makes the names of the globals unique.
std::string translation_unit(const std::filesystem::path& source, const std::vector<std::string>& entries,
                             const std::string& appendix, const std::string& token);

/// C++ source of a program that includes `source` and calls the entries, which are host functions.
std::string host_unit(const std::filesystem::path& source, const std::vector<std::string>& entries);

/// The prefix of the file names in the unit's #line directives; these files do not exist.
constexpr std::string_view generated = "foldproof-generated/";

/// What a diagnostic says about an entry with a word that is a macro.
constexpr std::string_view is_macro = "is a macro at the end of the source";

/// The index of the entry to which a diagnostic's file belongs, if any.
std::optional<std::size_t> entry_of_diagnostic(std::string_view file);

struct UnitPtx {
  std::string ptx;                   ///< without the unit's additions
  std::vector<std::string> lowered;  ///< one per entry; empty if it cannot be determined from the PTX
};

/// Removes the globals of `translation_unit` from nvcc's PTX, unless debug information refers to them. Throws
/// InputError if the text is not PTX.
UnitPtx without_addresses(const ptx::Source& source, std::size_t entries, const std::string& token);

}  // namespace foldproof
