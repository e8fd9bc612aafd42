#include "structure/includes.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <sstream>
#include <stdexcept>

#include "base/text.h"

namespace foldproof::structure {
namespace {

/// The cells of "| a | b |"; empty if the line is not a table row.
std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  if (!line.starts_with("|")) return cells;
  std::istringstream stream(line.substr(1));
  for (std::string cell; std::getline(stream, cell, '|');) cells.emplace_back(trimmed(cell));
  return cells;
}

/// The names in backticks.
std::vector<std::string> names_in(const std::string& cell) {
  static const std::regex name("`([^`]+)`");
  std::vector<std::string> names;
  for (std::sregex_iterator i(cell.begin(), cell.end(), name); i != std::sregex_iterator(); ++i)
    names.push_back((*i)[1]);
  return names;
}

std::vector<std::string> includes_of(const SourceFile& file) {
  static const std::regex include("^[ \t]*#[ \t]*include[ \t]*\"([^\"]+)\"");
  std::vector<std::string> headers;
  for (const std::string& line : lines_of(file.text))
    if (std::smatch match; std::regex_search(line, match, include)) headers.push_back(match[1]);
  return headers;
}

const Module* module_of(const std::vector<Module>& modules, const std::string& path) {
  const Module* longest = nullptr;
  for (const Module& module : modules)
    if (path.starts_with(module.folder) && (!longest || longest->folder.size() < module.folder.size()))
      longest = &module;
  return longest;
}

std::string top_of(const std::string& path) { return path.substr(0, path.find('/') + 1); }

bool may_use(const Module& module, const Module& other) {
  if (module.may_use_all) return true;
  const bool inner_too = top_of(module.folder) != top_of(other.folder);
  return std::ranges::any_of(module.may_use, [&](const std::string& name) {
    return name == other.folder || (name.ends_with('/') && inner_too && other.folder.starts_with(name));
  });
}

}  // namespace

std::vector<Module> modules_in(const std::string& markdown) {
  std::vector<Module> modules;
  bool in_table = false;
  for (const std::string& line : lines_of(markdown)) {
    const std::vector<std::string> cells = cells_of(line);
    if (cells.size() < 2) {
      in_table = false;
    } else if (cells.front() == "module" && cells.back() == "may use") {
      in_table = true;
    } else if (in_table && !names_in(cells.front()).empty()) {
      modules.push_back(
          {names_in(cells.front()).front(), cells.back().starts_with("all"), names_in(cells.back())});
    }
  }
  if (modules.empty())
    throw std::runtime_error("there is no table with the columns \"module\" and \"may use\"");
  return modules;
}

std::vector<std::string> forbidden_includes(const std::vector<Module>& modules,
                                            const std::vector<SourceFile>& files) {
  std::vector<std::string> sentences;
  for (const SourceFile& file : files) {
    const Module* const module = module_of(modules, file.path);
    if (!module) continue;
    for (const std::string& header : includes_of(file)) {
      const Module* const other = module_of(modules, header);
      if (!other || other == module || std::ranges::count(module->may_use, header) != 0) continue;
      if (!may_use(*module, *other))
        sentences.push_back(fmt::format("{} includes {}, but {} may not use {}", file.path, header,
                                        module->folder, other->folder));
      else if (header.find('/', other->folder.size()) != std::string::npos)
        sentences.push_back(fmt::format("{} includes {}, which is not a public header of {}", file.path,
                                        header, other->folder));
    }
  }
  return sentences;
}

std::vector<std::string> files_without_module(const std::vector<Module>& modules,
                                              const std::vector<SourceFile>& files) {
  std::vector<std::string> sentences;
  for (const SourceFile& file : files)
    if (!module_of(modules, file.path))
      sentences.push_back(fmt::format("{} is in no module; add a row for {}", file.path, top_of(file.path)));
  return sentences;
}

}  // namespace foldproof::structure
