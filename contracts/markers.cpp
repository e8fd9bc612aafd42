#include "contracts/markers.h"

#include <fmt/format.h>

#include "base/text.h"
#include "contracts/keys.h"
#include "sanitizer/finding.h"

namespace foldproof {
namespace {

constexpr std::string_view marker = "// finding:";
constexpr std::string_view separators = " \t\r,";

std::vector<std::string> known_kinds() {
  return {
#define FOLDPROOF_KIND(id, name, traits, mends) name,
#include "sanitizer/kinds.def"
#undef FOLDPROOF_KIND
  };
}

bool is_blank_or_comment(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(" \t\r");
  return begin == std::string_view::npos || line.substr(begin).starts_with("//");
}

std::vector<std::string> kinds_in(std::string_view list, const Position& where) {
  std::vector<std::string> kinds;
  std::size_t begin = list.find_first_not_of(separators);
  while (begin != std::string_view::npos) {
    const std::size_t end = std::min(list.find_first_of(separators, begin), list.size());
    const std::string kind(list.substr(begin, end - begin));
    const std::string name = kind.substr(0, kind.size() - (kind.ends_with('?') ? 1 : 0));
    if (!kind_named(name))
      throw InputError(fmt::format("a marker announces the unknown finding \"{}\"{}", name,
                                   suggestion(name, known_kinds())),
                       where);
    kinds.push_back(kind);
    begin = list.find_first_not_of(separators, end);
  }
  if (kinds.empty()) throw InputError("a marker \"// finding:\" names no kind of finding", where);
  return kinds;
}

}  // namespace

std::vector<std::string> finding_markers(std::string_view source, const std::filesystem::path& file) {
  std::vector<std::string> found;
  std::vector<std::string> waiting;  // kinds of markers that stand alone, until a line with code comes
  unsigned number = 0;
  const auto announce = [&](const std::string& kind) {
    found.push_back(fmt::format("{}@{}:{}", kind, file.string(), number));
  };
  while (!source.empty()) {
    const std::string_view line = take_line(source);
    ++number;
    const bool code = !is_blank_or_comment(line);
    if (code) {
      for (const std::string& kind : waiting) announce(kind);
      waiting.clear();
    }
    const std::size_t at = line.find(marker);
    if (at == std::string_view::npos) continue;
    const Position where{file.string(), number, static_cast<unsigned>(at + 1)};
    for (const std::string& kind : kinds_in(line.substr(at + marker.size()), where))
      code ? announce(kind) : waiting.push_back(kind);
  }
  for (const std::string& kind : waiting) announce(kind);
  return found;
}

}  // namespace foldproof
