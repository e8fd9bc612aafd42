// The preprocessor directives of CUDA C++ text, in branches of #if that are skipped as well, and what flags
// add to them.
#pragma once

#include <compare>
#include <cstddef>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace foldproof {

struct Macro {
  std::string name;
  std::string text;  ///< with the parameters, if it has any
  bool has_parameters() const { return text.starts_with('('); }
};

/// What an #include names.
struct IncludedName {
  std::string name;
  bool is_quoted;  ///< and not in angle brackets
  auto operator<=>(const IncludedName&) const = default;
};

struct Directives {
  std::vector<Macro> macros = {};  ///< in source order
  /// For each name, how many of the macros are defined before its last #include.
  std::map<IncludedName, std::size_t> includes = {};
  bool includes_macro = false;                         ///< the name in some #include is a macro
  std::set<std::string, std::less<>> conditions = {};  ///< identifiers in #if and the like
};

Directives directives_of(std::string_view text);

/// What -D, -I and -include, and their other spellings, tell the preprocessor.
struct PreprocessorFlags {
  std::vector<Macro> macros = {};
  std::vector<std::filesystem::path> folders = {};  ///< of the include path
  std::vector<std::filesystem::path> files = {};    ///< included before the source
};

/// `flags`: in the form of checked_flags().
PreprocessorFlags preprocessor_flags(const std::vector<std::string>& flags);

}  // namespace foldproof
