#include "cli/entry_choice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <ranges>

namespace foldproof {

namespace {

std::string listed(const std::vector<EntrySignature>& entries) {
  return fmt::format("{}", fmt::join(entries | std::views::transform(with_parameters), ", "));
}

[[noreturn]] void lack_entry(const std::string& name, const std::filesystem::path& source,
                             const std::vector<EntrySignature>& entries) {
  throw InputError(fmt::format("kernel \"{}\" not found in {}, which contains: {}", name, source.string(),
                               listed(entries)));
}

/// The only entry that matches; nothing if none does. Throws InputError if several do.
const EntrySignature* only(const std::vector<const EntrySignature*>& fitting, const std::string& wished) {
  if (fitting.size() < 2) return fitting.empty() ? nullptr : fitting.front();
  std::vector<EntrySignature> entries;
  for (const EntrySignature* entry : fitting) entries.push_back(*entry);
  throw InputError(fmt::format("\"{}\" matches several kernels: {}", wished, listed(entries)));
}

/// The entry of that name, or nothing; throws InputError if several match.
const EntrySignature* find(const std::vector<EntrySignature>& entries, const std::string& wished) {
  for (const EntrySignature& entry : entries)
    if (entry.lowered == wished || with_parameters(entry) == with_parameters(signature_of_spelling(wished)))
      return &entry;
  const std::string name = entry_name(wished);
  std::vector<const EntrySignature*> overloads, fitting;
  for (const EntrySignature& entry : entries) {
    if (entry.spelled == name) overloads.push_back(&entry);
    if (entry.lowered.find(name) != std::string::npos || entry.spelled.find(name) != std::string::npos)
      fitting.push_back(&entry);
  }
  if (const EntrySignature* entry = only(overloads, wished)) return entry;
  if (const EntrySignature* entry = find_entry(entries, name)) return entry;
  return only(fitting, wished);
}

}  // namespace

std::string entry_name(const std::string& spelling) { return signature_of_spelling(spelling).spelled; }

ChosenEntry choose_entry(const std::filesystem::path& source, const std::string& wished,
                         const CompileOptions& options) {
  const std::string name = entry_name(wished);
  const bool is_ptx = source.extension() == ".ptx";
  if (const auto why = why_no_entry(name); why && (!is_ptx || name.empty()))
    throw InputError("--entry: " + *why);
  // A kernel that is not a template is in the PTX anyway; the name may then be any part of a kernel's name.
  if (is_ptx || name.find('<') == std::string::npos) {
    const auto image = compile_source(source, {}, {}, options);
    const std::vector<EntrySignature> entries = entries_of(image->ptx.module());
    if (const EntrySignature* entry = find(entries, wished)) return {image, *entry};
    if (is_ptx && entries.empty())
      throw InputError("there is no kernel (.entry) in this file", {source.string()});
    if (is_ptx) lack_entry(name, source, entries);
  }
  const auto image = compile_source(source, {name}, {}, options);
  const std::vector<EntrySignature> entries = entries_of(image->ptx.module());
  const EntrySignature* entry = find(entries, wished);
  if (entry == nullptr) lack_entry(name, source, entries);
  return {image, *entry};
}

}  // namespace foldproof
