#include "reports/quote.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/files.h"
#include "base/text.h"

namespace foldproof {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t longest_line = 4096;

/// The line in the form in which it is quoted.
std::optional<std::string> quotable_line(const Position& position) {
  std::optional<std::string> line = line_of(position.file, position.line);
  if (!line) return std::nullopt;
  line->resize(std::min(line->size(), longest_line));
  return printable(std::move(*line));
}

/// One past the last character of code: excludes a trailing comment and blanks.
std::size_t end_of_code(const std::string& line) {
  const std::size_t comment = line.find("//");
  const std::size_t end = line.find_last_not_of(' ', comment == 0 ? line.size() : comment - 1);
  return end == std::string::npos ? 0 : end + 1;
}

}  // namespace

std::string quote(const Position& position, const std::string& indent, unsigned width) {
  auto line = quotable_line(position);
  if (!line) return "";
  const std::size_t first = line->find_first_not_of(' ');
  if (first == std::string::npos) return "";
  std::size_t begin = position.column > 0 ? position.column - 1 : first;
  begin = std::clamp(begin, first, line->size() - 1);
  const std::string number = std::to_string(position.line);
  const std::size_t room = width - std::min<std::size_t>(width - 20, indent.size() + number.size() + 3);
  if (line->size() > room) line->resize(room);
  const std::size_t end = std::clamp(end_of_code(*line), std::min(begin, room - 1) + 1, room);
  begin = std::min(begin, end - 1);
  return fmt::format("{}{} | {}\n{}{:{}} | {:{}}{:^<{}}\n", indent, number, *line, indent, "", number.size(),
                     "", begin, "", end - begin);
}

std::string display_path(const std::string& path) {
  std::error_code error;
  const fs::path here = fs::current_path(error);
  if (error || path.empty()) return path;
  const std::string relative = fs::path(path).lexically_relative(here).string();
  return relative.empty() || relative.starts_with("..") ? path : relative;
}

std::string display(const Position& position) {
  return to_string(Position{printable(display_path(position.file)), position.line, position.column});
}

}  // namespace foldproof
