#include "contracts/markers.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "sanitizer/finding.h"

namespace foldproof {
namespace {

constexpr std::string_view marker = "// finding:";
constexpr std::string_view separators = " \t\r,";

bool is_blank_or_comment(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(" \t\r");
  return begin == std::string_view::npos || line.substr(begin).starts_with("//");
}

/// The findings of one marker, without positions.
std::vector<Announced> announced_in(std::string_view list, const Position& where) {
  std::vector<Announced> found;
  std::size_t begin = list.find_first_not_of(separators);
  while (begin != std::string_view::npos) {
    const std::size_t end = std::min(list.find_first_of(separators, begin), list.size());
    std::string_view name = list.substr(begin, end - begin);
    const bool is_optional = name.ends_with('?');
    if (is_optional) name.remove_suffix(1);
    const auto kind = kind_named(name);
    if (!kind)
      throw InputError(fmt::format("a marker announces an unknown kind of finding \"{}\"{}", name,
                                   suggestion(name, kind_names())),
                       where);
    found.push_back({*kind, {}, is_optional});
    begin = list.find_first_not_of(separators, end);
  }
  if (found.empty()) throw InputError("a marker \"// finding:\" names no kind of finding", where);
  return found;
}

}  // namespace

std::vector<Announced> finding_markers(std::string_view source, const std::filesystem::path& file) {
  std::vector<Announced> found;
  std::vector<Announced> waiting;  // of markers alone in their lines, until the next line with code
  Position line_start{file.string(), 0, 0};
  const auto announce = [&](Announced announced) {
    announced.at = line_start;
    found.push_back(std::move(announced));
  };
  while (!source.empty()) {
    const std::string_view line = take_line(source);
    ++line_start.line;
    const bool code = !is_blank_or_comment(line);
    if (code) {
      std::ranges::for_each(waiting, announce);
      waiting.clear();
    }
    const std::size_t at = line.find(marker);
    if (at == std::string_view::npos) continue;
    const Position where{file.string(), line_start.line, static_cast<unsigned>(at + 1)};
    for (Announced& announced : announced_in(line.substr(at + marker.size()), where))
      code ? announce(std::move(announced)) : waiting.push_back(std::move(announced));
  }
  std::ranges::for_each(waiting, announce);
  return found;
}

}  // namespace foldproof
