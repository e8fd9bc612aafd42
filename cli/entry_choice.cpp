#include "cli/entry_choice.h"

#include <fmt/format.h>

#include <algorithm>

#include "contracts/declarations.h"

namespace foldproof {

namespace {

/// The only entry that matches; null if none does. Throws InputError if several do.
const EntrySignature* only(const std::vector<const EntrySignature*>& matching, const std::string& wished) {
  if (matching.size() > 1) throw InputError(ambiguity(wished, matching));
  return matching.empty() ? nullptr : matching.front();
}

/// The entries with that text in their names; "::" at the beginning asks for a whole name.
std::vector<const EntrySignature*> containing(const std::vector<EntrySignature>& entries,
                                              const std::string& part) {
  std::vector<const EntrySignature*> found;
  if (part.starts_with("::")) return found;
  for (const EntrySignature& entry : entries)
    if (entry.spelled.find(part) != std::string::npos) found.push_back(&entry);
  return found;
}

/// Throws InputError if `wished` names a template without an instance, so that no kernel with a similar name
/// is run instead.
void check_is_no_template(const std::filesystem::path& source, const std::vector<EntrySignature>& entries,
                          const std::string& wished, const CompileOptions& options) {
  const auto is_there = [&](const EntrySignature& entry) {
    return is_same_spelling(entry.spelled, wished) || instantiates(entry.spelled, wished);
  };
  const auto is_meant = [&](const DeclaredKernel& kernel) {
    return !kernel.template_parameters.empty() &&
           (is_same_spelling(kernel.name, wished) || kernel.name.ends_with("::" + wished));
  };
  if (std::ranges::any_of(entries, is_there)) return;
  if (std::ranges::any_of(kernels_declared(preprocessed_source(source, {}, options)), is_meant))
    throw InputError(
        fmt::format("--entry: \"{0}\" is a template; name an instance, such as \"{0}<float>\"", wished),
        {source.string()});
}

/// The entry of that name, or else the only one whose name contains it; null if there is none. Throws
/// InputError if several match.
const EntrySignature* find(const std::vector<EntrySignature>& entries, const std::string& wished) {
  const auto matching = matching_entries(entries, wished);
  return only(matching.empty() ? containing(entries, wished) : matching, wished);
}

}  // namespace

std::string entry_name(const std::string& spelling) {
  return with_parameters(signature_of_spelling(spelling));
}

ChosenEntry choose_entry(const std::filesystem::path& source, const std::string& wished,
                         const CompileOptions& options) {
  const EntrySignature signature = signature_of_spelling(wished);
  const bool is_ptx = source.extension() == ".ptx";
  if (const auto why = why_no_entry(entry_name(wished)); why && (!is_ptx || signature.spelled.empty()))
    throw InputError("--entry: " + *why);
  // A kernel that is not a template is in the PTX anyway; the name may then be any part of a kernel's name.
  if (is_ptx || signature.spelled.find('<') == std::string::npos) {
    const auto image = compile_source(source, {}, options);
    const std::vector<EntrySignature> entries = entries_of(image->ptx.module());
    if (!is_ptx) check_is_no_template(source, entries, signature.spelled, options);
    if (const EntrySignature* entry = find(entries, wished)) return {image, *entry};
    if (is_ptx && entries.empty())
      throw InputError("this file contains no kernel (.entry)", {source.string()});
    if (is_ptx || !matching_entries(entries, signature.spelled).empty())
      throw InputError(why_not_found(entries, wished, source.string()));
  }
  CompiledSource made = compiled_entry(source, entry_name(wished), options);
  return {std::make_shared<const Image>(std::move(made.image)), signature_of(made.lowered.at(0))};
}

}  // namespace foldproof
