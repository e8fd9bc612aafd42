// The sources of a folder that have kernels although no contract names them.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/files.h"
#include "base/text.h"
#include "command/subjects.h"
#include "contracts/cuda_tokens.h"

namespace foldproof {
namespace {

namespace fs = std::filesystem;

/// What the #include directives of a text name.
struct Includes {
  std::vector<std::string> quoted;
  bool has_macro = false;  ///< one names its file by a macro
};

Includes includes_of(std::string_view text) {
  Includes includes;
  while (!text.empty()) {
    std::string_view line = take_line(text);
    const auto skip = [&](std::string_view word) {
      line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
      const bool is_next = line.starts_with(word);
      if (is_next) line.remove_prefix(word.size());
      return is_next;
    };
    if (!skip("#") || !skip("include")) continue;
    if (skip("\""))
      includes.quoted.emplace_back(line.substr(0, line.find('"')));
    else
      includes.has_macro |= !skip("<");
  }
  return includes;
}

/// Whether the text has the word __global__ outside comments, or a macro that may stand for it.
bool mentions_kernels(std::string_view text) {
  constexpr std::string_view word = "__global__";
  if (text.find(word) == std::string_view::npos) return false;
  const std::vector<std::string_view> tokens = tokens_of(text);
  if (std::ranges::find(tokens, word) != tokens.end()) return true;
  for (std::size_t at = text.find('#'); at != std::string_view::npos; at = text.find('#', at + 1))
    if (text.substr(at, text.find('\n', at) - at).find(word) != std::string_view::npos) return true;
  return false;
}

/// Examines files and what they include by relative paths, each file once.
class KernelSearch {
 public:
  /// Whether the file may have kernels, apart from those in files that were examined before and had none.
  bool may_have_kernels(const fs::path& file, unsigned depth = 0) {
    const auto [known, is_new] = known_.try_emplace(without_links(file), false);
    if (!is_new) return known->second;
    const std::optional<Includes> includes = includes_of_kernel_free(file);
    bool may = !includes || includes->has_macro || (depth == deepest && !includes->quoted.empty());
    if (!may)
      for (const std::string& name : includes->quoted)
        may |= may_have_kernels(file.parent_path() / name, depth + 1);
    return known->second = may;
  }

  /// The file and what it includes are covered: no other file has kernels because it includes them.
  void cover(const fs::path& file, unsigned depth = 0) {
    if (depth == deepest || !known_.emplace(without_links(file), false).second) return;
    const std::optional<std::string> text = read_if_possible(file, largest_source);
    if (!text) return;
    for (const std::string& name : includes_of(*text).quoted) cover(file.parent_path() / name, depth + 1);
  }

 private:
  static constexpr unsigned deepest = 64;  ///< files that include each other

  /// Nothing if the file itself may have kernels.
  static std::optional<Includes> includes_of_kernel_free(const fs::path& file) {
    const std::optional<std::string> text = read_if_possible(file, largest_source);
    if (!text) return Includes{};
    const bool is_ptx = file.extension() == ".ptx";
    if (is_ptx ? text->find(".entry") != std::string::npos : mentions_kernels(*text)) return std::nullopt;
    return is_ptx ? Includes{} : includes_of(*text);
  }

  std::map<fs::path, bool> known_;  ///< whether they may have kernels; by path without links
};

}  // namespace

std::vector<std::string> sources_without_contract(const fs::path& folder,
                                                  const std::vector<Subject>& subjects) {
  KernelSearch search;
  std::set<fs::path> named;
  for (const Subject& subject : subjects) {
    named.insert(without_links(subject.contract.source));
    search.cover(subject.contract.source);
  }
  std::error_code error;
  std::vector<std::string> found;
  if (!fs::is_directory(folder, error)) return found;
  for (fs::recursive_directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const fs::path& file = it->path();
    if (file.extension() != ".cu" && file.extension() != ".ptx") continue;
    if (!named.contains(without_links(file)) && search.may_have_kernels(file)) found.push_back(file.string());
  }
  std::ranges::sort(found);
  return found;
}

}  // namespace foldproof
