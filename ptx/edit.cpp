#include "ptx/edit.h"

#include <algorithm>
#include <vector>

namespace foldproof::ptx {
namespace {

/// The extent widened to whole lines, including the last line break, if only blanks surround it.
Extent with_blank_lines(std::string_view text, Extent extent) {
  constexpr std::string_view blanks = " \t\r";
  const std::size_t before = text.substr(0, extent.begin).find_last_not_of(blanks);
  const std::size_t after = text.find_first_not_of(blanks, extent.end);
  const bool begins_line = before == std::string_view::npos || text[before] == '\n';
  const bool ends_line = after == std::string_view::npos || text[after] == '\n';
  if (!begins_line || !ends_line) return extent;
  const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
  const std::size_t end = std::min(text.size(), after == std::string_view::npos ? after : after + 1);
  return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
}

}  // namespace

std::string_view text_of(const Source& source, Extent extent) {
  return std::string_view(source.text()).substr(extent.begin, extent.end - extent.begin);
}

std::string replaced(const Source& source, Extent extent, std::string_view replacement) {
  std::string text = source.text();
  return text.replace(extent.begin, extent.end - extent.begin, replacement);
}

std::string without(const Source& source, std::span<const Extent> extents) {
  std::vector<Extent> sorted(extents.begin(), extents.end());
  std::ranges::sort(sorted, {}, &Extent::begin);
  const std::string_view text = source.text();
  std::string kept;
  std::size_t from = 0;
  for (const Extent& extent : sorted) {
    const Extent cut = with_blank_lines(text, extent);
    kept += text.substr(from, cut.begin - from);
    from = cut.end;
  }
  kept += text.substr(from);
  return kept;
}

}  // namespace foldproof::ptx
