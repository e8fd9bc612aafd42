// The names of kernels: from PTX's spelling to C++'s, what users may write, and which entry they mean.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/ast.h"

namespace foldproof {

/// A kernel found in a source: what `audit` without a contract guesses from, and `sanitize` runs.
struct EntrySignature {
  std::string lowered;                  ///< as PTX spells it
  std::string spelled;                  ///< demangled, without return type and parameters: "sum<float, 128>"
  std::vector<std::string> parameters;  ///< demangled parameter types: "float const*"
};

/// A lowered name taken apart: "_Z3sumIfEvPKT_" is "sum<float>" with the parameter "float const*". A name
/// that is not mangled (C linkage) is its own spelling, without parameters.
EntrySignature signature_of(const std::string& lowered);

/// A C++ spelling taken apart in the same way: "void sum<float>(float const*)" is "sum<float>" with the
/// parameter "float const*". `lowered` is the whole text.
EntrySignature signature_of_spelling(const std::string& text);

/// The spelling with its parameters, as findings print it.
std::string with_parameters(const EntrySignature& entry);

/// Every entry that the PTX declares or defines, in its order.
std::vector<EntrySignature> entries_of(const ptx::Module& module);

/// Why the text can name no kernel, as a sentence; nothing for a name or a template-id such as "sum",
/// "ns::sum<float, 128>" or "(anonymous namespace)::sum".
std::optional<std::string> why_no_entry(std::string_view text);

/// Finds the entry that a user's spelling means. Spaces, suffixes of literals, namespaces and default
/// template arguments may be left out, as long as one entry alone fits. Null where none or several do.
const EntrySignature* find_entry(const std::vector<EntrySignature>& entries, std::string_view spelling);

/// A kernel's element types and names come in lists: splits at the commas that no bracket holds.
std::vector<std::string> split_list(std::string_view list);

}  // namespace foldproof
