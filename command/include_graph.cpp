#include "command/include_graph.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/files.h"

namespace foldproof {
namespace {

namespace fs = std::filesystem;

/// By the end of the name, because a file may have no name but ".cu".
bool ends_with_any(const fs::path& file, std::initializer_list<std::string_view> ends) {
  const std::string name = file.filename().string();
  return std::ranges::any_of(ends, [&](std::string_view end) { return name.ends_with(end); });
}

bool may_be_cuda(const fs::path& file) {
  return is_cuda(file) || is_host_source(file) ||
         ends_with_any(file, {".h", ".hh", ".hpp", ".hxx", ".h++", ".inl", ".inc", ".ipp", ".tpp"});
}

}  // namespace

bool is_ptx(const fs::path& file) { return ends_with_any(file, {".ptx"}); }
bool is_cuda(const fs::path& file) { return ends_with_any(file, {".cu", ".cuh"}); }
bool is_host_source(const fs::path& file) {
  return ends_with_any(file, {".cpp", ".cc", ".cxx", ".c++", ".C"});
}

std::optional<std::string> source_text(const fs::path& file) {
  auto text = read_if_possible(file, largest_source);
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (text && text->starts_with(byte_order_mark)) text->erase(0, byte_order_mark.size());
  return text;
}

IncludeGraph::IncludeGraph(const Path& folder, const PreprocessorFlags& flags) : flags_(flags) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) return;
  for (fs::recursive_directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (!is_ptx(it->path()) && !may_be_cuda(it->path())) continue;
    const Path path = without_links(it->path());
    shown_.emplace(it->path().string(), path);
    by_name_[path.filename().string()].push_back(path);
  }
  for (Path& file : flags_.files) file = without_links(file);
  std::vector<Path> files = flags_.files;
  for (const auto& [shown, path] : shown_) files.push_back(path);
  read(std::move(files));
}

std::vector<fs::path> IncludeGraph::meant_by(const IncludedName& name, const Path& includer) {
  constexpr std::size_t most_candidates = 16;
  std::error_code error;
  const Path sibling = includer.parent_path() / name.name;
  if (name.is_quoted && fs::exists(sibling, error)) return {without_links(sibling)};
  const auto [at, is_new] = on_include_path_.try_emplace(name.name);
  std::vector<Path>& meant = at->second;
  if (!is_new) return meant;
  for (const Path& folder : flags_.folders)
    if (meant.size() < most_candidates && fs::exists(folder / name.name, error))
      meant.push_back(without_links(folder / name.name));
  if (!meant.empty()) return meant;
  const auto candidates = by_name_.find(Path(name.name).filename().string());
  if (candidates == by_name_.end()) return meant;
  for (std::size_t i = 0; i < std::min(candidates->second.size(), most_candidates); ++i)
    if (candidates->second[i].string().ends_with("/" + name.name)) meant.push_back(candidates->second[i]);
  return meant;
}

void IncludeGraph::read(std::vector<Path> files) {
  while (!files.empty()) {
    const Path path = std::move(files.back());
    files.pop_back();
    const auto [at, is_new] = files_.try_emplace(path);
    std::error_code error;
    if (!is_new || is_ptx(path) || !fs::is_regular_file(path, error)) continue;
    File& file = at->second;
    const std::optional<std::string> text = source_text(path);
    if (!text) continue;
    file.directives = directives_of(*text);
    for (const auto& [name, macros] : file.directives.includes)
      for (Path& meant : meant_by(name, path)) {
        files.push_back(meant);
        file.includes.push_back({std::move(meant), macros});
      }
  }
}

void IncludeGraph::add_included(const Path& file, std::set<Path>& to) const {
  for (std::vector<Path> open{file}; !open.empty();) {
    const auto known = files_.find(open.back());
    open.pop_back();
    if (known == files_.end() || !to.insert(known->first).second) continue;
    for (const Include& include : known->second.includes) open.push_back(include.file);
  }
}

void IncludeGraph::add_included_by_flags(std::set<Path>& to) const {
  for (const Path& file : flags_.files) add_included(file, to);
}

std::map<fs::path, std::vector<fs::path>> IncludeGraph::includers() const {
  std::map<Path, std::vector<Path>> included_by;
  for (const auto& [path, file] : files_)
    for (const Include& include : file.includes) included_by[include.file].push_back(path);
  return included_by;
}

}  // namespace foldproof
