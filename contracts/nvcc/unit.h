// The translation unit that makes nvcc instantiate the entries and tell how PTX spells them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/source.h"

namespace foldproof {

/// C++ source that includes `source`, then `appendix`, and takes the address of every entry on the device.
/// The addresses become initialised globals in the PTX, so that the compiler itself says which lowered name
/// belongs to which spelling: default template arguments, aliases and namespaces need no guessing.
std::string translation_unit(const std::filesystem::path& source, const std::vector<std::string>& entries,
                             const std::string& appendix);

/// C++ source that includes `source` and makes a program of it that calls the entries, host functions.
std::string host_unit(const std::filesystem::path& source, const std::vector<std::string>& entries);

/// The files that the unit's own lines claim to stand in (#line) begin with this; they do not exist.
constexpr std::string_view generated = "foldproof-generated/";

/// Which entry a diagnostic's file stands for, if any: its index.
std::optional<std::size_t> entry_of_diagnostic(std::string_view file);

struct UnitPtx {
  std::string ptx;                   ///< without what the unit added
  std::vector<std::string> lowered;  ///< one for each entry; empty where the PTX does not tell
};

/// Takes the globals of `translation_unit` out of nvcc's PTX again. Throws InputError for text that is no
/// PTX.
UnitPtx without_addresses(const ptx::Source& source, std::size_t entries);

}  // namespace foldproof
