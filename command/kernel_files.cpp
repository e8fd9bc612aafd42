#include "command/kernel_files.h"

#include <algorithm>
#include <initializer_list>
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
bool ends_with_any(const fs::path& file, std::initializer_list<std::string_view> ends) {
  const std::string name = file.filename().string();
  return std::ranges::any_of(ends, [&](std::string_view end) { return name.ends_with(end); });
}

bool is_ptx(const fs::path& file) { return ends_with_any(file, {".ptx"}); }
bool is_cuda(const fs::path& file) { return ends_with_any(file, {".cu", ".cuh"}); }
/// A source that is usually compiled by a host compiler.
bool is_host_source(const fs::path& file) {
  return ends_with_any(file, {".cpp", ".cc", ".cxx", ".c++", ".C"});
}
bool may_be_cuda(const fs::path& file) {
  return is_cuda(file) || is_host_source(file) ||
         ends_with_any(file, {".h", ".hh", ".hpp", ".hxx", ".h++", ".inl", ".inc", ".ipp", ".tpp"});
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

/// Skips blanks, and takes the identifier that follows; empty if there is none.
std::string_view take_identifier(std::string_view& line) {
  skip(line, "");
  const auto end = static_cast<std::size_t>(std::ranges::find_if_not(line, is_word) - line.begin());
  const std::string_view word = line.substr(0, end);
  line.remove_prefix(end);
  return word;
}

bool is_identifier_token(std::string_view token) { return is_letter(token.front()); }

/// Macros of the toolkit that stand for __global__.
constexpr std::string_view toolkit_macros[] = {"CUB_DETAIL_KERNEL_ATTRIBUTES",
                                               "CCCL_DETAIL_KERNEL_ATTRIBUTES", "_CCCL_KERNEL_ATTRIBUTES"};

}  // namespace

void KernelFiles::include(File& file, const Path& by, const std::string& name, bool is_quoted) const {
  constexpr std::size_t most_candidates = 16;
  std::error_code error;
  const auto add = [&](const Path& path) {
    file.includes.push_back({without_links(path), file.macros.size()});
  };
  if (is_quoted && fs::exists(by.parent_path() / name, error)) return add(by.parent_path() / name);
  for (const Path& folder : include_folders_)
    if (fs::exists(folder / name, error)) return add(folder / name);
  // The folder of the include path is not known here.
  const auto candidates = by_name_.find(Path(name).filename().string());
  if (candidates == by_name_.end()) return;
  for (std::size_t i = 0; i < std::min(candidates->second.size(), most_candidates); ++i)
    if (candidates->second[i].string().ends_with("/" + name)) add(candidates->second[i]);
}

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
    std::map<std::string, std::pair<std::size_t, std::size_t>> known;  // includes of each directive, by index
    for (std::string_view rest = *text; !rest.empty();) {
      const std::string whole = take_whole_line(rest);
      std::string_view line = whole;
      if (!skip(line, "#")) continue;
      const std::string_view directive = take_identifier(line);
      if (directive == "define") {
        const std::string_view name = take_identifier(line);
        file.macros.push_back({std::string(name), std::string(line)});
      } else if (directive.starts_with("if") || directive == "elif") {
        for (const std::string_view token : tokens_of(line))
          if (is_identifier_token(token)) file.conditions.emplace(token);
      } else if (directive == "include" || directive == "include_next") {
        const bool is_quoted = skip(line, "\"");
        if (!is_quoted && !skip(line, "<")) {
          file.has_kernels |= is_cuda(path);
          continue;
        }
        const std::string name(line.substr(0, line.find_first_of("\">")));
        const auto [range, is_new_name] = known.try_emplace((is_quoted ? '"' : '<') + name);
        if (is_new_name) {
          range->second.first = file.includes.size();
          include(file, path, name, is_quoted);
          range->second.second = file.includes.size();
        }
        for (std::size_t i = range->second.first; i < range->second.second; ++i)
          file.includes[i].macros = file.macros.size();
      }
    }
    for (const Include& include : file.includes) files.push_back(include.file);
  }
}

std::map<fs::path, std::vector<fs::path>> KernelFiles::includers() const {
  std::map<Path, std::vector<Path>> included_by;
  for (const auto& [path, file] : files_)
    for (const Include& include : file.includes) included_by[include.file].push_back(path);
  return included_by;
}

/// The macros whose text leads to __global__, and those of them that define whole kernels.
struct KernelFiles::MacrosOfKernels {
  std::set<const Macro*> all, definers;
};

KernelFiles::MacrosOfKernels KernelFiles::macros_of_kernels() const {
  std::map<std::string_view, std::vector<const Macro*>> used_in;  // by words of their text
  const auto use = [&](const Macro& macro) {
    for (const std::string_view token : tokens_of(macro.text))
      if (is_identifier_token(token)) used_in[token].push_back(&macro);
  };
  std::ranges::for_each(defined_everywhere_, use);
  for (const auto& [path, file] : files_) std::ranges::for_each(file.macros, use);
  const auto spread = [&](std::vector<std::string_view> open, std::set<const Macro*>& to,
                          const auto& is_meant) {
    std::set<std::string_view> seen;
    while (!open.empty()) {
      const std::string_view word = open.back();
      open.pop_back();
      for (const Macro* macro : used_in[word])
        if (is_meant(*macro) && to.insert(macro).second && seen.insert(macro->name).second)
          open.push_back(macro->name);
    }
  };
  MacrosOfKernels found;
  spread({"__global__"}, found.all, [](const Macro&) { return true; });
  std::vector<std::string_view> with_brace;
  for (const Macro* macro : found.all)
    if (macro->text.find('{') != std::string::npos && found.definers.insert(macro).second)
      with_brace.push_back(macro->name);
  spread(with_brace, found.definers, [&](const Macro& macro) { return found.all.contains(&macro); });
  return found;
}

KernelMacros KernelFiles::visible_in(const Path& path, const MacrosOfKernels& macros) const {
  KernelMacros visible;
  std::set<std::string_view> others;  // names that a host compiler may see with another meaning
  const auto show = [&](const Macro& macro) {
    if (!macros.all.contains(&macro))
      others.insert(macro.name);
    else
      (macros.definers.contains(&macro) ? visible.definers : visible.attributes).insert(macro.name);
  };
  std::ranges::for_each(defined_everywhere_, show);
  std::set<Path> included;
  add_included(path, included);
  for (const Path& file : included) std::ranges::for_each(files_.at(file).macros, show);
  if (is_host_source(path))
    for (auto* names : {&visible.attributes, &visible.definers})
      std::erase_if(*names, [&](const std::string& name) { return others.contains(name); });
  return visible;
}

void KernelFiles::find_kernels() {
  constexpr std::size_t most_words = 100'000;
  const MacrosOfKernels macros = macros_of_kernels();
  // Few files have these words, and only for those is it worth finding out which macros they see.
  std::set<std::string_view> words{"__global__", "__attribute__", "__location__"};
  for (const Macro* macro : macros.all) words.insert(macro->name);
  for (auto& [path, file] : files_) {
    std::error_code error;
    if (!fs::is_regular_file(path, error)) continue;
    const std::optional<std::string> text = text_of(path);
    if (is_ptx(path) || !text) {
      file.has_kernels = !text || text->find(".entry") != std::string::npos;
      continue;
    }
    const std::vector<std::string_view> tokens = tokens_of(*text);
    if (std::ranges::none_of(tokens, [&](std::string_view token) { return words.contains(token); })) continue;
    const KernelMacros visible = visible_in(path, macros);
    if (!defines_kernels(*text, visible)) continue;
    file.has_kernels = true;
    file.kernels = kernels_declared(*text, visible);
    for (const std::string_view token : tokens)
      if (is_identifier_token(token) && file.words.size() < most_words) file.words.emplace(token);
    file.has_all_words = file.words.size() < most_words;
    for (const Macro& macro : file.macros) file.conditions.erase(macro.name);  // such as its include guard
    file.words.merge(file.conditions);
  }
}

KernelFiles::KernelFiles(const fs::path& folder, const std::vector<std::string>& flags) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) return;
  for (const std::string_view name : toolkit_macros)
    defined_everywhere_.push_back({std::string(name), " __global__"});
  for (const std::string_view flag : flags) {
    const std::size_t equals = flag.find('=');
    if (flag.starts_with("-I")) include_folders_.emplace_back(flag.substr(2));
    if (flag.starts_with("-D") && equals != std::string_view::npos)
      defined_everywhere_.push_back(
          {std::string(flag.substr(2, equals - 2)), " " + std::string(flag.substr(equals + 1))});
  }
  for (fs::recursive_directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (!is_ptx(it->path()) && !may_be_cuda(it->path())) continue;
    const Path path = without_links(it->path());
    shown_.emplace(it->path().string(), path);
    by_name_[path.filename().string()].push_back(path);
  }
  for (const auto& [shown, path] : shown_) read({path});
  find_kernels();
}

std::set<fs::path> KernelFiles::uncovered(const std::set<Path>& covered) const {
  const std::map<Path, std::vector<Path>> included_by = includers();
  std::vector<Path> open;
  for (const auto& [path, file] : files_)
    if (file.has_kernels) open.push_back(path);
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
                         [&](const Macro& macro) { return included.words.contains(macro.name); });
    };
    if (included.has_kernels && changes()) return true;
    for (const Include& include : included.includes) open.emplace_back(include.file, macros);
  }
  return false;
}

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
  std::ranges::for_each(defined_everywhere_, add);
  for (const Path& path : read)
    if (const auto file = files_.find(path); file != files_.end())
      std::ranges::for_each(file->second.macros, add);
  if (found.macros.contains("__global__")) found.macros.clear();
  return found;
}

bool KernelFiles::has_all_kernels(const Path& path, const Found& found, bool is_named) const {
  const std::vector<DeclaredKernel>& kernels = files_.at(path).kernels;
  std::set<Path> included;
  std::optional<std::set<std::string_view>> own_macros;
  const auto is_macro = [&](std::string_view name) {
    if (found.macros.contains(name)) return true;
    if (!own_macros) {
      own_macros.emplace();
      add_included(path, included);
      for (const Path& file : included)
        for (const Macro& macro : files_.at(file).macros) own_macros->insert(macro.name);
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

void KernelFiles::add_included(const Path& file, std::set<Path>& to) const {
  for (std::vector<Path> open{file}; !open.empty();) {
    const auto known = files_.find(open.back());
    open.pop_back();
    if (known == files_.end() || !to.insert(known->first).second) continue;
    for (const Include& include : known->second.includes) open.push_back(include.file);
  }
}

std::vector<std::string> KernelFiles::all() const {
  std::vector<std::string> names;
  for (const auto& [name, path] : shown_) names.push_back(name);
  return names;
}

std::vector<std::string> KernelFiles::not_covered_by(const std::vector<Subject>& subjects) const {
  if (shown_.empty()) return {};
  using Readers = std::vector<const Subject*>;
  std::map<Path, Readers> readers;  // of each file that the compiler read
  std::set<Path> named, covered;
  for (const Subject& subject : subjects) {
    const Path source = without_links(subject.contract.source);
    named.insert(source);
    const bool is_compiled = subject.can_run() && subject.image && !subject.files_read.empty();
    if (!is_compiled) add_included(source, covered);
    for (const std::string& file : subject.files_read)
      if (const Path path = without_links(file); is_compiled && files_.contains(path))
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
  for (const auto& [name, path] : shown_)
    if (uncovered.contains(path) || (!covered.contains(path) && varies_kernels(files_.at(path))))
      shown.push_back(name);
  return shown;
}

}  // namespace foldproof
