#include "contracts/nvcc/unit.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/error.h"
#include "base/text.h"
#include "contracts/signature.h"
#include "devices/host_program.h"
#include "ptx/edit.h"
#include "ptx/query.h"

namespace foldproof {
namespace {

constexpr std::string_view entry_prefix =
    "entry-";  ///< prefix of the generated files that diagnostics refer to

std::optional<std::size_t> index_after(std::string_view text, std::string_view prefix) {
  const std::size_t at = text.find(prefix);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view digits = text.substr(at + prefix.size());
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  return error == std::errc{} ? std::optional(index) : std::nullopt;
}

/// The prefix of the globals that hold addresses of entries.
std::string address(const std::string& token) { return fmt::format("foldproof_{}_entry_", token); }

std::string include_of(const std::filesystem::path& source) {
  const std::string path = source.string();
  if (path.find_first_of("\"\n\\") != std::string::npos)
    throw InputError("the path of a source must not contain a quote, backslash or line break; rename it",
                     {path});
  if (path.find("??") != std::string::npos)  // before C++17, ??- means ~
    throw InputError("the path of a source must not contain \"??\", which may be a trigraph; rename it",
                     {path});
  return fmt::format("#include \"{}\"\n", path);
}

std::vector<std::string_view> identifiers_of(std::string_view code) {
  std::vector<std::string_view> found;
  for (std::size_t i = 0; i < code.size();) {
    std::size_t end = i;
    while (end < code.size() && is_word(code[end])) ++end;
    if (end > i && !is_digit(code[i])) found.push_back(code.substr(i, end - i));
    i = std::max(end, i + 1);
  }
  return found;
}

/// Removes macros by which a source could give another meaning to the code that follows it.
std::string without_macros(std::string_view code) {
  std::string directives;
  for (const std::string_view name : identifiers_of(code)) directives += fmt::format("#undef {}\n", name);
  return directives;
}

/// Refuses the entry if a word of it is a macro: launches in the source would start another kernel.
std::string check_of(std::string_view entry, std::size_t index) {
  std::string directives;
  for (const std::string_view name : identifiers_of(entry))
    directives += fmt::format("#ifdef {0}\n#line 1 \"{1}{2}{3}\"\n#error \"{0}\" {4}\n#endif\n", name,
                              generated, entry_prefix, index, is_macro);
  return directives;
}

}  // namespace

std::string translation_unit(const std::filesystem::path& source, const std::vector<std::string>& entries,
                             const std::string& appendix, const std::string& token) {
  // The attribute and not __device__, which is a macro that the source could replace.
  const std::string device = "__attribute__((device)) void*";
  std::string unit = include_of(source);
  for (std::size_t i = 0; i < entries.size(); ++i) unit += check_of(entries[i], i);
  unit += without_macros(device) + without_macros(appendix);
  for (const std::string& entry : entries) unit += without_macros(address_of_entry(entry));
  unit += appendix + "\n";
  for (std::size_t i = 0; i < entries.size(); ++i)
    // In a namespace, because an entry may declare a type: sizeof(struct s*).
    unit += fmt::format(
        "namespace foldproof_{0}_of_{1} {{\n#line 1 \"{2}{3}{1}\"\n{4} {5}{1} = (void*)({6});\n}}\n", token,
        i, generated, entry_prefix, device, address(token), address_of_entry(entries[i]));
  return unit;
}

std::string host_unit(const std::filesystem::path& source, const std::vector<std::string>& entries) {
  return include_of(source) + host_program_code(entries, fmt::format("{}{}", generated, entry_prefix));
}

std::optional<std::size_t> entry_of_diagnostic(std::string_view file) {
  return file.starts_with(generated) ? index_after(file, entry_prefix) : std::nullopt;
}

UnitPtx without_addresses(const ptx::Source& source, std::size_t entries, const std::string& token) {
  UnitPtx result;
  result.lowered.resize(entries);
  std::vector<ptx::Extent> added;
  for (const ptx::Variable& variable : source.module().variables) {
    const auto entry = index_after(variable.name, address(token));
    if (!entry || *entry >= entries || variable.initial.empty()) continue;
    if (const auto* function = std::get_if<ptx::Name>(&variable.initial.front().value)) {
      result.lowered[*entry] = function->text;
      added.push_back(variable.extent);
    }
  }
  // nvcc declares the entries before the globals that refer to them.
  for (const ptx::Function* entry : ptx::entries(source.module()))
    added.insert(added.end(), entry->declarations.begin(), entry->declarations.end());
  result.ptx = ptx::without(source, added);
  // Debug information (-G) also describes the globals; they must then remain, or the PTX would be invalid.
  if (result.ptx.find(address(token)) != std::string::npos) result.ptx = source.text();
  return result;
}

}  // namespace foldproof
