// Finds the contracts of a folder. A broken contract must fail a run and not be skipped, so a .toml file is
// skipped only if it is certainly something else: a failing case that an audit stored, or a file of another
// tool.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>
#include <string_view>

#include "base/files.h"
#include "contracts/contract.h"
#include "contracts/document.h"
#include "contracts/keys.h"

namespace foldproof {

namespace fs = std::filesystem;

namespace {

/// Nothing if the file is not valid TOML, is too large, or cannot be read.
std::optional<toml::table> parsed(const fs::path& file) {
  try {
    return parse_toml(file);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

/// Without quotes and blanks, which keys may have, and without the zeros of UTF-16.
std::string condensed(std::string text) {
  constexpr std::string_view dropped("\0\"' \t", 5);
  std::erase_if(text, [&](char c) { return dropped.find(c) != std::string_view::npos; });
  return text;
}

/// That of a file that is not valid TOML. Nothing if the file cannot be read, or is larger than any file of
/// another tool.
std::optional<std::string> condensed_text(const fs::path& file) {
  constexpr std::size_t largest_searched = std::size_t{16} << 20;
  std::optional<std::string> text = read_if_possible(file, largest_searched);
  return text ? std::optional(condensed(*std::move(text))) : std::nullopt;
}

/// Whether the condensed text contains the file's name, not as a part of another name.
bool mentions(std::string_view text, const fs::path& file) {
  const std::string name = condensed(file.filename().string());
  const auto belongs_to_name = [&](std::size_t at) {
    return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) != 0 ||
                                std::string_view("_-.").find(text[at]) != std::string_view::npos);
  };
  for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1))
    if (!belongs_to_name(at - 1) && !belongs_to_name(at + name.size())) return true;
  return false;
}

bool is_case(const toml::table& top) {
  // Stored cases share only this key with contracts.
  const auto belongs_to_contracts = [](const auto& entry) {
    return entry.first.str() != "format" && find_key("", entry.first.str()) != nullptr;
  };
  return top.contains("contract") && top.contains("finding") &&
         std::none_of(top.begin(), top.end(), belongs_to_contracts);
}

bool is_damaged_case(const std::string& condensed) {
  const auto has = [&](const char* part) { return condensed.find(part) != std::string::npos; };
  return has("contract=") && has("finding=") && !has("[[launch");
}

/// Other tools have tables of the same names: Ruff has [format], and Cargo has [source] with a key for each
/// registry.
bool has_contract_keys(const toml::table& top) {
  const toml::node* format = top.get("format");
  const toml::table* source = top["source"].as_table();
  const auto belongs_to_source = [](const auto& entry) {
    return find_key("source", entry.first.str()) != nullptr;
  };
  return top.contains("launch") || top.contains("reduction") || (format != nullptr && !format->is_table()) ||
         (source != nullptr && std::any_of(source->begin(), source->end(), belongs_to_source));
}

bool is_next_to_source(fs::path file) {
  std::error_code error;
  for (const char* extension : {".cu", ".cuh", ".ptx"})
    if (fs::exists(file.replace_extension(extension), error)) return true;
  return false;
}

/// For a file that is not valid TOML, as are templates of other tools.
bool may_be_contract(const fs::path& file) {
  if (is_next_to_source(file)) return true;
  const std::optional<std::string> text = condensed_text(file);
  if (!text || text->find("launch") != std::string::npos) return true;
  return text->find("format=1") != std::string::npos && !is_damaged_case(*text);
}

bool is_contract(const fs::path& file) {
  const std::optional<toml::table> top = parsed(file);
  return top ? has_contract_keys(*top) && !is_case(*top) : may_be_contract(file);
}

/// Whether the contract names the source, or is broken and seems to be meant for it: `init` writes
/// sum.KERNEL.toml for the kernels of sum.cu.
bool is_for(const fs::path& file, const fs::path& source) {
  const bool has_its_name =
      file.filename().string().starts_with(source.stem().string() + ".") && !is_next_to_source(file);
  const std::optional<toml::table> top = parsed(file);
  if (!top) {
    const std::string text = condensed_text(file).value_or("");
    return !is_damaged_case(text) && (has_its_name || (may_be_contract(file) && mentions(text, source)));
  }
  const auto path = (*top)["source"]["path"].value<std::string>();
  const fs::path named = folder_of(file) / path.value_or("");
  std::error_code error;
  if (path && fs::equivalent(named, source, error)) return true;
  return has_its_name && has_contract_keys(*top) && !is_case(*top) && (!path || !fs::exists(named, error));
}

}  // namespace

bool is_kept_case(const fs::path& file) {
  const std::optional<toml::table> top = parsed(file);
  return top ? is_case(*top) : is_damaged_case(condensed_text(file).value_or(""));
}

std::vector<fs::path> contracts_of(const fs::path& source) {
  const fs::path beside = fs::path(source).replace_extension(".toml"), folder = folder_of(source);
  std::error_code error;
  std::vector<fs::path> found;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (it->path().extension() != ".toml" || it->path().filename() == beside.filename()) continue;
    std::error_code unknown;
    if (!it->is_directory(unknown) && is_for(it->path(), source)) found.push_back(it->path());
  }
  if (fs::exists(beside, error)) found.push_back(beside);
  std::ranges::sort(found);
  return found;
}

std::vector<fs::path> contracts_below(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> found;
  for (fs::recursive_directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (it->path().extension() != ".toml" || it->is_directory(error)) continue;
    if (is_contract(it->path())) found.push_back(it->path());
  }
  const std::string sentence = fmt::format("the folder cannot be searched: {}", error.message());
  if (is_lack_of_resources(error.value())) throw Unsupported(sentence, {folder.string()});
  if (error) throw InputError(sentence, {folder.string()});
  std::ranges::sort(found);
  return found;
}

}  // namespace foldproof
