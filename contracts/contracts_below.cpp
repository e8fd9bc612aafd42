// Finds the contracts of a folder, as distinct from the failing cases that audits store.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "base/files.h"
#include "base/text.h"
#include "contracts/contract.h"
#include "contracts/document.h"

namespace foldproof {

namespace fs = std::filesystem;

namespace {

/// The first 64 KiB; empty if the file cannot be read.
std::string beginning_of(const fs::path& file) {
  try {
    RegularFile opened(file);
    std::string text(std::min<std::uint64_t>(opened.size(), 1 << 16), '\0');
    return opened.read(text.data(), text.size()) ? text : "";
  } catch (const InputError&) {
    return "";
  }
}

/// The keys before the first table. Also works on invalid TOML, so that a broken contract is reported instead
/// of skipped.
std::set<std::string> top_keys(const fs::path& file) {
  std::set<std::string> keys;
  std::istringstream stream(beginning_of(file));
  for (std::string line; std::getline(stream, line);) {
    const std::size_t begin = line.find_first_not_of(" \t");
    if (begin == std::string::npos) continue;
    if (line[begin] == '[') break;
    std::size_t end = begin;
    while (end < line.size() && is_word(line[end])) ++end;
    const std::size_t next = line.find_first_not_of(" \t", end);
    if (next != std::string::npos && line[next] == '=') keys.insert(line.substr(begin, end - begin));
  }
  return keys;
}

bool is_case(const std::set<std::string>& keys) {
  return keys.contains("contract") && keys.contains("finding");
}

/// The keys at the top of a file. If the file is not valid TOML, those that its lines show.
std::set<std::string> keys_of(const fs::path& file) {
  try {
    std::set<std::string> keys;
    for (const auto& [key, node] : parse_toml(file)) keys.emplace(key.str());
    return keys;
  } catch (const InputError&) {
    return top_keys(file);
  }
}

bool is_contract(const fs::path& file) {
  const std::set<std::string> keys = keys_of(file);
  return keys.contains("format") && !is_case(keys);
}

}  // namespace

bool is_kept_case(const fs::path& file) { return is_case(top_keys(file)); }

std::vector<fs::path> contracts_below(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> found;
  for (fs::recursive_directory_iterator it(folder, fs::directory_options::skip_permission_denied, error), end;
       !error && it != end; it.increment(error)) {
    if (it->path().extension() != ".toml" || !it->is_regular_file(error)) continue;
    if (is_contract(it->path())) found.push_back(it->path());
  }
  const std::string sentence = fmt::format("the folder cannot be searched: {}", error.message());
  if (is_lack_of_resources(error.value())) throw Unsupported(sentence, {folder.string()});
  if (error) throw InputError(sentence, {folder.string()});
  std::ranges::sort(found);
  return found;
}

}  // namespace foldproof
