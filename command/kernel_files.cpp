#include "command/kernel_files.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/files.h"
#include "base/text.h"
#include "command/kernel_macros.h"
#include "contracts/cuda_tokens.h"
#include "contracts/signature.h"
#include "contracts/uncovered_launches.h"

namespace foldproof {
namespace {

namespace fs = std::filesystem;

/// The names in the file's text, outside directives, and in its conditions, except those of its own macros,
/// such as its include guard.
std::set<std::string, std::less<>> words_of_file(const std::vector<std::string_view>& tokens,
                                                 const Directives& directives, std::size_t most) {
  std::set<std::string, std::less<>> words, conditions = directives.conditions;
  for (const std::string_view token : tokens)
    if (is_letter(token.front()) && words.size() < most) words.emplace(token);
  for (const Macro& macro : directives.macros) conditions.erase(macro.name);
  words.merge(conditions);
  return words;
}

}  // namespace

KernelFiles::KernelFiles(const fs::path& folder, const std::vector<std::string>& flags)
    : graph_(folder, preprocessor_flags(flags)) {
  find_kernels();
}

void KernelFiles::find_kernels() {
  constexpr std::size_t most_words = 100'000;
  const MacrosOfKernels macros(graph_);
  // Few files have these words, and only for those is it worth finding out which macros they see.
  std::set<std::string_view> words = macros.names();
  words.insert({"__global__", "__attribute__", "__location__"});
  for (const auto& [path, file] : graph_.files()) {
    std::error_code error;
    if (!fs::is_regular_file(path, error)) continue;
    const std::optional<std::string> text = source_text(path);
    if (!text || (is_cuda(path) && file.directives.includes_macro)) kernels_[path];
    if (is_ptx(path) && text && text->find(".entry") != std::string::npos) kernels_[path];
    if (is_ptx(path) || !text) continue;
    const std::vector<std::string_view> tokens = tokens_of(*text);
    if (std::ranges::none_of(tokens, [&](std::string_view token) { return words.contains(token); })) continue;
    const KernelMacros visible = macros.visible_in(path);
    if (!defines_kernels(*text, visible)) continue;
    Kernels& kernels = kernels_[path];
    kernels.declared = kernels_declared(*text, visible);
    kernels.words = words_of_file(tokens, file.directives, most_words);
    kernels.has_all_words = kernels.words.size() < most_words;
  }
}

/// What has kernels, itself or in files that it includes, apart from covered files.
std::set<fs::path> KernelFiles::uncovered(const std::set<Path>& covered) const {
  const std::map<Path, std::vector<Path>> included_by = graph_.includers();
  std::vector<Path> open;
  for (const auto& [path, kernels] : kernels_) open.push_back(path);
  std::set<Path> uncovered;
  while (!open.empty()) {
    const Path path = std::move(open.back());
    open.pop_back();
    if (covered.contains(path) || !uncovered.insert(path).second) continue;
    if (const auto at = included_by.find(path); at != included_by.end())
      open.insert(open.end(), at->second.begin(), at->second.end());
  }
  return uncovered;
}

/// Whether the file defines a macro that changes kernels in a file that it then includes.
bool KernelFiles::varies_kernels(const Path& path) const {
  const IncludeGraph::File& file = graph_.files().at(path);
  const std::vector<Macro>& own = file.directives.macros;
  std::vector<IncludeGraph::Include> open;
  std::ranges::copy_if(file.includes, std::back_inserter(open),
                       [](const IncludeGraph::Include& include) { return include.macros > 0; });
  std::set<Path> seen;
  while (!open.empty()) {
    const auto [included, macros] = open.back();
    open.pop_back();
    if (!seen.insert(included).second) continue;
    if (const auto at = kernels_.find(included); at != kernels_.end()) {
      const Kernels& kernels = at->second;
      const auto defined_before = own.begin() + static_cast<std::ptrdiff_t>(macros);
      if (!kernels.has_all_words || std::any_of(own.begin(), defined_before, [&](const Macro& macro) {
            return kernels.words.contains(macro.name);
          }))
        return true;
    }
    for (const IncludeGraph::Include& include : graph_.files().at(included).includes)
      open.push_back({include.file, macros});
  }
  return false;
}

/// What the compiler found in the sources that read a file.
struct KernelFiles::Found {
  std::vector<EntrySignature> kernels;
  std::set<std::string, std::less<>> names;  ///< of the kernels, without namespaces
  std::set<std::string_view> macros;         ///< names of kernels may be macros
};

/// A macro that the file does not see itself can stand for a name, as in a file that is included once for
/// each kernel. A source that redefines __global__ could so hide a kernel.
KernelFiles::Found KernelFiles::found_by(const std::vector<const Subject*>& readers) const {
  Found found;
  std::set<Path> read;
  for (const Subject* subject : readers) {
    std::ranges::move(entries_of(subject->image->ptx.module()), std::back_inserter(found.kernels));
    for (const std::string& file : subject->files_read) read.insert(without_links(file));
  }
  for (const EntrySignature& kernel : found.kernels) found.names.emplace(unqualified(kernel.spelled));
  const auto add = [&](const Macro& macro) {
    if (!macro.has_parameters()) found.macros.insert(macro.name);
  };
  std::ranges::for_each(graph_.macros_of_flags(), add);
  graph_.add_included_by_flags(read);
  for (const Path& path : read)
    if (const auto file = graph_.files().find(path); file != graph_.files().end())
      std::ranges::for_each(file->second.directives.macros, add);
  if (found.macros.contains("__global__")) found.macros.clear();
  return found;
}

/// Whether the compiler found all kernels of a file that it read. `is_named`: a contract names the file, so
/// that its templates are noted elsewhere.
bool KernelFiles::has_all_kernels(const Path& path, const Found& found, bool is_named) const {
  const auto at = kernels_.find(path);
  if (at == kernels_.end()) return true;
  const std::vector<DeclaredKernel>& kernels = at->second.declared;
  std::set<Path> included;
  std::optional<std::set<std::string_view>> own_macros;
  const auto is_macro = [&](std::string_view name) {
    if (found.macros.contains(name)) return true;
    if (!own_macros) {
      own_macros.emplace();
      graph_.add_included(path, included);
      for (const Path& file : included)
        for (const Macro& macro : graph_.files().at(file).directives.macros) own_macros->insert(macro.name);
    }
    return own_macros->contains(name);
  };
  const auto is_lost = [&](const DeclaredKernel& kernel) {
    const std::string_view name = unqualified(kernel.name);
    return kernel.template_parameters.empty() && kernel.is_defined && !found.names.contains(name) &&
           !is_macro(name);
  };
  return std::ranges::none_of(kernels, is_lost) &&
         (is_named || without_instance(templates_among(kernels), found.kernels).empty());
}

std::vector<std::string> KernelFiles::all() const {
  std::vector<std::string> names;
  for (const auto& [name, path] : graph_.shown()) names.push_back(name);
  return names;
}

std::vector<std::string> KernelFiles::not_covered_by(const std::vector<Subject>& subjects) const {
  if (graph_.shown().empty()) return {};
  using Readers = std::vector<const Subject*>;
  std::map<Path, Readers> readers;  // of each file that the compiler read
  std::set<Path> named, covered;
  for (const Subject& subject : subjects) {
    const Path source = without_links(subject.contract.source);
    named.insert(source);
    const bool is_compiled = subject.can_run() && subject.image && !subject.files_read.empty();
    if (!is_compiled) graph_.add_included(source, covered);
    for (const std::string& file : subject.files_read)
      if (const Path path = without_links(file); is_compiled && graph_.files().contains(path))
        readers[path].push_back(&subject);
  }
  std::map<Readers, Found> found;  // many files have the same readers
  for (const auto& [path, by] : readers) {
    const auto [at, is_new] = found.try_emplace(by);
    if (is_new) at->second = found_by(by);
    if (has_all_kernels(path, at->second, named.contains(path))) covered.insert(path);
  }
  const std::set<Path> uncovered = this->uncovered(covered);
  std::vector<std::string> shown;
  for (const auto& [name, path] : graph_.shown())
    if (uncovered.contains(path) || (!covered.contains(path) && varies_kernels(path))) shown.push_back(name);
  return shown;
}

}  // namespace foldproof
