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
/// "float const*". `lowered` is the whole text, without blanks around it.
EntrySignature signature_of_spelling(const std::string& spelling);

/// "sum" of "ns::sum<float, 128>".
std::string_view unqualified(std::string_view spelling);

/// The spelling with its parameters, as printed in findings.
std::string with_parameters(const EntrySignature& entry);

/// Every entry that the PTX declares or defines, in file order.
std::vector<EntrySignature> entries_of(const ptx::Module& module);

/// Why the text cannot name a kernel, as a sentence; nothing for a name or a template-id such as "sum",
/// "ns::sum<float, 128>" or "(anonymous namespace)::sum", with or without parameters.
std::optional<std::string> why_no_entry(std::string_view text);

/// The entries that a user's spelling may refer to. Of these rules, the first that any entry satisfies
/// decides:
///   1. it is the lowered name, unless that is also the spelling (C linkage);
///   2. it is the name, apart from spaces; "::" at its beginning excludes all namespaces;
///   3. the same, but literals may lack their suffixes and casts, and anonymous namespaces may be missing;
///   4. the same, but leading namespaces and trailing template arguments may also be missing.
/// If the spelling has parameters, the entry must have the same ones.
std::vector<const EntrySignature*> matching_entries(const std::vector<EntrySignature>& entries,
                                                    std::string_view spelling);

/// The only matching entry. Null if none or several match.
const EntrySignature* find_entry(const std::vector<EntrySignature>& entries, std::string_view spelling);

/// The sentence for a spelling that several entries match.
std::string ambiguity(std::string_view spelling, const std::vector<const EntrySignature*>& matching);

/// Why find_entry() returns null, as a sentence that lists the entries that may be meant.
std::string why_not_found(const std::vector<EntrySignature>& entries, std::string_view spelling,
                          const std::string& file);

/// A spelling with which find_entry() finds this one of the entries: without parameters if possible,
/// otherwise with them, or else the lowered name.
std::string identifying_name(const std::vector<EntrySignature>& entries, const EntrySignature& entry);

/// Whether two spellings are the same text, apart from spaces, the place of qualifiers, a return type and
/// "::" at the beginning. Leaving out a namespace, a template argument or the parameters makes them
/// different.
bool is_same_spelling(const std::string& left, const std::string& right);

/// Whether `spelling` is `name` with template arguments: "ns::sum<float>" for "ns::sum".
bool instantiates(const std::string& spelling, const std::string& name);

/// Which of the kernels the entry of a contract names: those with that spelling or, if there are none, the
/// instances of the template.
std::vector<const EntrySignature*> named_by(const std::string& entry,
                                            const std::vector<EntrySignature>& kernels);

/// C++ for the address of the kernel that a spelling or a lowered name refers to: "&sum", or for one with
/// parameters "static_cast<void (*)(float*)>(&sum)", which selects among overloads.
std::string address_of_entry(const std::string& spelling);

/// "ns::sum" for "ns::(anonymous namespace)::sum", which is not C++.
std::string without_anonymous_namespaces(std::string text);

/// "ns::sum" for "ns::sum<float, 128>", without anonymous namespaces.
std::string plain_name(std::string_view spelled);

}  // namespace foldproof
