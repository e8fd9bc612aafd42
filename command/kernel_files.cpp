#include "command/kernel_files.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/files.h"
#include "base/text.h"
#include "contracts/cuda_tokens.h"
#include "contracts/signature.h"
#include "contracts/uncovered_launches.h"

namespace foldproof {
namespace {

namespace fs = std::filesystem;

/// By the end of the name, because a file may have no name but ".cu".
bool is_ptx(const fs::path& file) { return file.filename().string().ends_with(".ptx"); }

bool may_be_cuda(const fs::path& file) {
  constexpr std::array<std::string_view, 16> ends{".cu",  ".cuh", ".h",   ".hh",  ".hpp", ".hxx",
                                                  ".h++", ".inl", ".inc", ".ipp", ".tpp", ".cpp",
                                                  ".cc",  ".cxx", ".c++", ".C"};
  const std::string name = file.filename().string();
  return std::ranges::any_of(ends, [&](std::string_view end) { return name.ends_with(end); });
}

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

/// Whether the text declares kernels, outside comments, or has a macro that may do so.
bool mentions_kernels(std::string_view text) {
  constexpr std::string_view word = "global";
  if (text.find(word) == std::string_view::npos) return false;
  const std::vector<std::string_view> tokens = tokens_of(text);
  const auto has = [&](std::string_view token) { return std::ranges::find(tokens, token) != tokens.end(); };
  if (has("__global__") || (has(word) && (has("__attribute__") || has("__location__")))) return true;
  for (std::size_t at = text.find('#'); at != std::string_view::npos; at = text.find('#', at + 1))
    if (text.substr(at, text.find('\n', at) - at).find("__global__") != std::string_view::npos) return true;
  return false;
}

}  // namespace

KernelFiles::File KernelFiles::examined(const Path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return {};
  const std::optional<std::string> text = read_if_possible(path, largest_source);
  if (!text) return {.has_kernels = true};
  if (is_ptx(path)) return {.has_kernels = text->find(".entry") != std::string::npos};
  const Includes includes = includes_of(*text);
  File file{.has_kernels = includes.has_macro || mentions_kernels(*text)};
  if (file.has_kernels) file.templates = kernel_templates(*text);
  for (const std::string& name : includes.quoted)
    file.includes.push_back(without_links(path.parent_path() / name));
  return file;
}

void KernelFiles::follow_includes(std::vector<Path> from) {
  while (!from.empty()) {
    const Path path = std::move(from.back());
    from.pop_back();
    const auto [at, is_new] = files_.try_emplace(path);
    if (!is_new) continue;
    at->second = examined(path);
    from.insert(from.end(), at->second.includes.begin(), at->second.includes.end());
  }
}

KernelFiles::KernelFiles(const fs::path& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) return;
  for (fs::recursive_directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    if (is_ptx(it->path()) || may_be_cuda(it->path()))
      found_.emplace(it->path().string(), without_links(it->path()));
  for (const auto& [shown, path] : found_) follow_includes({path});
}

void KernelFiles::add_read_by(const Subject& subject, std::set<Path>& covered) const {
  for (const std::string& file : subject.files_read) covered.insert(without_links(file));
  if (!subject.files_read.empty()) return;
  std::vector<Path> open{without_links(subject.contract.source)};
  while (!open.empty()) {
    const auto file = files_.find(open.back());
    open.pop_back();
    if (file == files_.end() || !covered.insert(file->first).second) continue;
    open.insert(open.end(), file->second.includes.begin(), file->second.includes.end());
  }
}

std::set<fs::path> KernelFiles::uncovered(const std::set<Path>& covered) const {
  std::map<Path, std::vector<Path>> included_by;
  std::vector<Path> open;
  for (const auto& [path, file] : files_) {
    for (const Path& included : file.includes) included_by[included].push_back(path);
    if (file.has_kernels) open.push_back(path);
  }
  std::set<Path> uncovered;
  while (!open.empty()) {
    const Path path = std::move(open.back());
    open.pop_back();
    if (covered.contains(path) || !uncovered.insert(path).second) continue;
    const auto& includers = included_by[path];
    open.insert(open.end(), includers.begin(), includers.end());
  }
  return uncovered;
}

std::vector<std::string> KernelFiles::not_covered_by(const std::vector<Subject>& subjects) const {
  if (found_.empty()) return {};
  std::set<Path> named, covered;
  std::vector<EntrySignature> kernels;
  for (const Subject& subject : subjects) {
    named.insert(without_links(subject.contract.source));
    add_read_by(subject, covered);
    if (!subject.image || subject.contract.is_host_function()) continue;
    std::ranges::move(entries_of(subject.image->ptx.module()), std::back_inserter(kernels));
  }
  covered.insert(named.begin(), named.end());
  const std::set<Path> uncovered = this->uncovered(covered);
  std::vector<std::string> shown;
  for (const auto& [name, path] : found_)
    if (!named.contains(path) &&
        (uncovered.contains(path) || !without_instance(files_.at(path).templates, kernels).empty()))
      shown.push_back(name);
  return shown;
}

}  // namespace foldproof
