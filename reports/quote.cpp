#include "reports/quote.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>

#include "base/files.h"
#include "base/printable.h"

namespace foldproof {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t longest_line = 4096;

/// The line that is quoted, or its beginning. Each quote reads its file, which may be any (#line). The time
/// for all quotes is limited, so that the report is printed in time after an interrupt.
std::optional<std::string> quotable_line(const Position& position) {
  using Clock = std::chrono::steady_clock;
  static Clock::duration left = std::chrono::milliseconds(500);
  if (left <= Clock::duration::zero()) return std::nullopt;
  const Clock::time_point begin = Clock::now();
  std::optional<std::string> line = line_of(position.file, position.line);
  left -= Clock::now() - begin;
  if (!line) return std::nullopt;
  if (line->ends_with('\r')) line->pop_back();
  line->resize(std::min(line->size(), longest_line));
  return line;
}

/// One past the last character of code: excludes a trailing comment and blanks.
std::size_t end_of_code(const std::string& line) {
  const std::size_t comment = line.find("//");
  const std::size_t end = line.find_last_not_of(" \t", comment == 0 ? line.size() : comment - 1);
  return end == std::string::npos ? 0 : end + 1;
}

}  // namespace

std::string quote(const Position& position, const std::string& indent, unsigned width) {
  const auto line = quotable_line(position);
  if (!line) return "";
  const std::size_t first = line->find_first_not_of(" \t");
  if (first == std::string::npos) return "";
  const std::size_t at =
      std::clamp<std::size_t>(position.column == 0 ? first : position.column - 1, first, line->size() - 1);
  const std::string number = std::to_string(position.line);
  const std::size_t room = width - std::min<std::size_t>(width - 20, indent.size() + number.size() + 3);
  std::string shown = printable(*line);
  if (columns_of(shown) > room) shown = first_columns(shown, room - 1) + "…";
  // Escapes are longer than what they stand for.
  const auto column = [&](std::size_t byte) { return columns_of(printable(line->substr(0, byte))); };
  const std::size_t begin = std::min(column(at), room - 1);
  const std::size_t end = std::clamp(column(end_of_code(*line)), begin + 1, room);
  return fmt::format("{}{} | {}\n{}{:{}} | {:{}}{:^<{}}\n", indent, number, shown, indent, "", number.size(),
                     "", begin, "", end - begin);
}

std::string display_path(const std::string& path) {
  std::error_code error;
  const fs::path here = fs::current_path(error);
  if (error || path.empty()) return path;
  // A replayed case names its contract, and so the source, relative to the folder of cases, which may be a
  // link.
  const fs::path whole = resolved_path(path);
  const std::string relative = whole.lexically_relative(here).string();
  if (!relative.empty() && !relative.starts_with("..")) return relative;
  return fs::path(path).is_absolute() ? whole.string() : path;
}

std::string display(const Position& position) {
  return to_string(
      Position{shortened(printable(display_path(position.file))), position.line, position.column});
}

}  // namespace foldproof
