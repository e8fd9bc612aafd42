#include "cli/entry_choice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "contracts/entry_spelling.h"
#include "contracts/signature.h"

namespace foldproof {

namespace {

std::string listed(const std::vector<EntrySignature>& entries) {
  std::vector<std::string> names;
  for (const EntrySignature& entry : entries) names.push_back(entry.spelled);
  return fmt::format("{}", fmt::join(names, ", "));
}

/// The entry of that name, or nothing; throws when several fit a part of a name.
const EntrySignature* find(const std::vector<EntrySignature>& entries, const std::string& name) {
  for (const EntrySignature& entry : entries)
    if (entry.lowered == name || entry.spelled == name) return &entry;
  if (const EntrySignature* entry = find_entry(entries, name)) return entry;
  std::vector<EntrySignature> fitting;
  const EntrySignature* last = nullptr;
  for (const EntrySignature& entry : entries) {
    if (entry.lowered.find(name) == std::string::npos && entry.spelled.find(name) == std::string::npos)
      continue;
    fitting.push_back(entry);
    last = &entry;
  }
  if (fitting.size() > 1)
    throw InputError(fmt::format("\"{}\" fits several entries: {}", name, listed(fitting)));
  return last;
}

}  // namespace

ChosenEntry choose_entry(const std::filesystem::path& source, const std::string& name,
                         const CompileOptions& options) {
  const bool is_ptx = source.extension() == ".ptx";
  if (const auto why = why_no_entry(name); why && (!is_ptx || name.empty()))
    throw InputError("--entry: " + *why);
  // What is no template is in the PTX anyway; the name may then be any part of a kernel's.
  if (is_ptx || name.find('<') == std::string::npos) {
    const Compiled compiled = compile_source(source, {}, {}, options);
    if (const EntrySignature* entry = find(compiled.entries, name)) return {compiled.image, *entry};
    if (is_ptx && compiled.entries.empty())
      throw InputError("there is no kernel (.entry) in this file", {source.string()});
    if (is_ptx)
      throw InputError(fmt::format("the entry \"{}\" does not exist in {}, which has: {}", name,
                                   source.string(), listed(compiled.entries)));
  }
  const Compiled compiled = compile_source(source, {name}, {}, options);
  const EntrySignature* entry = find(compiled.entries, name);
  if (entry == nullptr)
    throw InputError(fmt::format("\"{}\" is spelled differently in {}, which has: {}", name, source.string(),
                                 listed(compiled.entries)));
  return {compiled.image, *entry};
}

}  // namespace foldproof
