// Names of kernels: conversion from PTX to C++ spelling, validation of a user's spelling, and the lookup of
// its entry.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/ast.h"

namespace foldproof {

/// A kernel found in a source. `audit` without a contract guesses from it, and `sanitize` runs it.
struct EntrySignature {
  std::string lowered;                  ///< PTX spelling
  std::string spelled;                  ///< demangled, without return type and parameters: "sum<float, 128>"
  std::vector<std::string> parameters;  ///< demangled parameter types: "float const*"
};

/// Splits a lowered name: "_Z3sumIfEvPKT_" is "sum<float>" with the parameter "float const*". A name that is
/// not mangled (C linkage) is its own spelling, without parameters.
EntrySignature signature_of(const std::string& lowered);

/// Splits a C++ spelling in the same way: "void sum<float>(float const*)" is "sum<float>" with the parameter
/// "float const*". `lowered` is the whole text.
EntrySignature signature_of_spelling(const std::string& text);

/// The spelling with its parameters, as printed in findings.
std::string with_parameters(const EntrySignature& entry);

/// Every entry that the PTX declares or defines, in file order.
std::vector<EntrySignature> entries_of(const ptx::Module& module);

/// Why the text cannot name a kernel, as a sentence; nothing for a name or a template-id such as "sum",
/// "ns::sum<float, 128>" or "(anonymous namespace)::sum".
std::optional<std::string> why_no_entry(std::string_view text);

/// Finds the entry that a user's spelling refers to. Spaces, literal suffixes, namespaces and default
/// template arguments may be omitted as long as only one entry matches. Null if none or several match.
const EntrySignature* find_entry(const std::vector<EntrySignature>& entries, std::string_view spelling);

/// Splits a list, such as one of types and names, at the commas outside brackets.
std::vector<std::string> split_list(std::string_view list);

}  // namespace foldproof
