#include "command/kernel_files.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <string_view>
#include <system_error>

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

std::optional<std::string> text_of(const fs::path& file) {
  auto text = read_if_possible(file, largest_source);
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (text && text->starts_with(byte_order_mark)) text->erase(0, byte_order_mark.size());
  return text;
}

/// A line with the lines that continue it after a backslash.
std::string take_whole_line(std::string_view& text) {
  std::string line;
  for (;;) {
    std::string_view part = take_line(text);
    if (part.ends_with('\r')) part.remove_suffix(1);
    const bool continues = part.ends_with('\\') && !text.empty();
    line += part.substr(0, part.size() - (continues ? 1 : 0));
    if (!continues) return line;
  }
}

/// Skips blanks. If the word follows, skips it as well, and returns true.
bool skip(std::string_view& line, std::string_view word) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  const bool is_next = line.starts_with(word);
  if (is_next) line.remove_prefix(word.size());
  return is_next;
}

bool is_identifier_token(std::string_view token) { return is_letter(token.front()); }

}  // namespace

void KernelFiles::read(std::vector<Path> files) {
  while (!files.empty()) {
    const Path path = std::move(files.back());
    files.pop_back();
    const auto [at, is_new] = files_.try_emplace(path);
    std::error_code error;
    if (!is_new || is_ptx(path) || !fs::is_regular_file(path, error)) continue;
    File& file = at->second;
    const std::optional<std::string> text = text_of(path);
    file.has_kernels = !text;
    if (!text) continue;
    for (std::string_view rest = *text; !rest.empty();) {
      const std::string whole = take_whole_line(rest);
      std::string_view line = whole;
      if (!skip(line, "#")) continue;
      if (skip(line, "define")) {
        skip(line, "");
        const std::size_t end =
            static_cast<std::size_t>(std::ranges::find_if_not(line, is_word) - line.begin());
        file.macros.emplace_back(line.substr(0, end), line.substr(end));
      } else if (skip(line, "include")) {
        if (skip(line, "\""))
          file.includes.push_back(
              {without_links(path.parent_path() / line.substr(0, line.find('"'))), file.macros.size()});
        else
          file.has_kernels |= !skip(line, "<");
      }
    }
    for (const Include& include : file.includes) files.push_back(include.file);
  }
}

std::set<std::string, std::less<>> KernelFiles::kernel_macros() const {
  std::map<std::string_view, std::vector<std::string_view>> used_in;  // macros, by words of their text
  for (const auto& [path, file] : files_)
    for (const auto& [name, body] : file.macros)
      for (const std::string_view token : tokens_of(body))
        if (is_identifier_token(token)) used_in[token].push_back(name);
  std::set<std::string, std::less<>> kernel_macros;
  std::vector<std::string_view> open{"__global__"};
  while (!open.empty()) {
    const std::string_view word = open.back();
    open.pop_back();
    for (const std::string_view macro : used_in[word])
      if (kernel_macros.emplace(macro).second) open.push_back(macro);
  }
  return kernel_macros;
}

void KernelFiles::find_kernels() {
  constexpr std::size_t most_words = 100'000;
  const std::set<std::string, std::less<>> macros = kernel_macros();
  for (auto& [path, file] : files_) {
    std::error_code error;
    if (file.has_kernels || !fs::is_regular_file(path, error)) continue;
    const std::optional<std::string> text = text_of(path);
    if (is_ptx(path) || !text) {
      file.has_kernels = !text || text->find(".entry") != std::string::npos;
      continue;
    }
    if (macros.empty() && text->find("global") == std::string::npos) continue;
    const std::vector<std::string_view> tokens = tokens_of(*text);
    file.has_kernels = defines_kernels(*text) || std::ranges::any_of(tokens, [&](std::string_view token) {
                         return macros.contains(token);
                       });
    if (!file.has_kernels) continue;
    file.templates = kernel_templates(*text);
    for (const std::string_view token : tokens)
      if (is_identifier_token(token) && file.words.size() < most_words) file.words.emplace(token);
    file.has_all_words = file.words.size() < most_words;
  }
}

KernelFiles::KernelFiles(const fs::path& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) return;
  for (fs::recursive_directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    if (is_ptx(it->path()) || may_be_cuda(it->path()))
      found_.emplace(it->path().string(), without_links(it->path()));
  for (const auto& [shown, path] : found_) read({path});
  find_kernels();
}

void KernelFiles::add_read_by(const Subject& subject, std::set<Path>& covered) const {
  for (const std::string& file : subject.files_read) covered.insert(without_links(file));
  if (!subject.files_read.empty()) return;
  std::vector<Path> open{without_links(subject.contract.source)};
  while (!open.empty()) {
    const auto file = files_.find(open.back());
    open.pop_back();
    if (file == files_.end() || !covered.insert(file->first).second) continue;
    for (const Include& include : file->second.includes) open.push_back(include.file);
  }
}

std::set<fs::path> KernelFiles::uncovered(const std::set<Path>& covered) const {
  std::map<Path, std::vector<Path>> included_by;
  std::vector<Path> open;
  for (const auto& [path, file] : files_) {
    for (const Include& include : file.includes) included_by[include.file].push_back(path);
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

bool KernelFiles::varies_kernels(const File& file) const {
  std::vector<std::pair<Path, std::size_t>> open;
  for (const Include& include : file.includes)
    if (include.macros > 0) open.emplace_back(include.file, include.macros);
  std::set<Path> seen;
  while (!open.empty()) {
    const auto [path, macros] = open.back();
    open.pop_back();
    if (!seen.insert(path).second) continue;
    const File& included = files_.at(path);
    const auto changes = [&, count = macros] {
      return !included.has_all_words ||
             std::any_of(file.macros.begin(), file.macros.begin() + static_cast<std::ptrdiff_t>(count),
                         [&](const auto& macro) { return included.words.contains(macro.first); });
    };
    if (included.has_kernels && changes()) return true;
    for (const Include& include : included.includes) open.emplace_back(include.file, macros);
  }
  return false;
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
  const auto is_covered = [&](const Path& path) {
    if (named.contains(path)) return true;
    const File& file = files_.at(path);
    return !uncovered.contains(path) && without_instance(file.templates, kernels).empty() &&
           (covered.contains(path) || !varies_kernels(file));
  };
  std::vector<std::string> shown;
  for (const auto& [name, path] : found_)
    if (!is_covered(path)) shown.push_back(name);
  return shown;
}

}  // namespace foldproof
