#include "contracts/nvcc/toolkit.h"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "base/files.h"
#include "base/text.h"

namespace foldproof {
namespace {

constexpr std::size_t longest_line = 1000;  // longer lines are truncated

std::vector<std::string> shortened_lines(std::string_view text) {
  std::vector<std::string> lines = lines_of(text);
  for (std::string& line : lines) line.resize(std::min(line.size(), longest_line));
  return lines;
}

/// The number of a line or column; 0 if the text is not a number.
unsigned number(std::string_view digits) { return integer_in<unsigned>(digits).value_or(0); }

/// The front end echoes the line, indented by two, with a caret below. It expands macros in the echo, so the
/// caret gives the column only if the echo equals the line of the file.
unsigned column_of_caret(const std::vector<std::string>& lines, std::size_t error, const Position& where) {
  constexpr std::size_t indent = 2;
  if (error + 2 >= lines.size() || lines[error + 1].size() < indent) return 0;
  const std::size_t caret = lines[error + 2].find('^');
  if (caret == std::string::npos || caret < indent) return 0;
  return lines[error + 1].substr(indent) == line_of(where.file, where.line)
             ? static_cast<unsigned>(caret - indent + 1)
             : 0;
}

/// "k.cu(12): error: …" and "k.cu(12): catastrophic error #10: …"
std::optional<Diagnostic> of_front_end(std::string_view line) {
  const std::size_t close = line.find("): ");
  if (close == std::string_view::npos) return std::nullopt;
  const std::size_t open = line.rfind('(', close);
  std::string_view rest = line.substr(close + 3);
  if (rest.starts_with("catastrophic ")) rest.remove_prefix(13);
  const std::size_t colon = rest.find(": ");
  if (open == std::string_view::npos || !rest.starts_with("error") || colon == std::string_view::npos)
    return std::nullopt;
  return Diagnostic{std::string(rest.substr(colon + 2)),
                    {std::string(line.substr(0, open)), number(line.substr(open + 1, close - open - 1)), 0}};
}

/// "k.cu:12:7: error: …" and "k.cu:12:7: fatal error: …"
std::optional<Diagnostic> of_host_compiler(std::string_view line) {
  for (const std::string_view mark : {": fatal error: ", ": error: "}) {
    const std::size_t end = line.find(mark);
    if (end == std::string_view::npos) continue;
    const std::string_view place = line.substr(0, end);
    const std::size_t last = place.rfind(':');
    if (last == std::string_view::npos) continue;
    const std::size_t first = last == 0 ? last : place.rfind(':', last - 1);
    const std::string sentence(line.substr(end + mark.size()));
    const unsigned right = number(place.substr(last + 1));
    const unsigned left = first < last ? number(place.substr(first + 1, last - first - 1)) : 0;
    if (left != 0) return Diagnostic{sentence, {std::string(place.substr(0, first)), left, right}};
    if (right != 0) return Diagnostic{sentence, {std::string(place.substr(0, last)), right, 0}};
  }
  return std::nullopt;
}

/// "nvcc fatal   : …" and "ptxas error   : …"
std::optional<Diagnostic> of_tool(std::string_view line) {
  for (const std::string_view tool : {"nvcc ", "ptxas ", "cicc ", "cudafe++ "}) {
    if (!line.starts_with(tool)) continue;
    const std::string_view rest = line.substr(tool.size());
    const std::size_t colon = rest.find(": ");
    if ((rest.starts_with("fatal") || rest.starts_with("error")) && colon != std::string_view::npos)
      return Diagnostic{std::string(rest.substr(colon + 2)), {}};
  }
  return std::nullopt;
}

std::optional<Diagnostic> diagnostic_at(const std::vector<std::string>& lines, std::size_t i) {
  if (auto found = of_front_end(lines[i])) {
    found->where.column = column_of_caret(lines, i, found->where);
    return found;
  }
  if (auto found = of_host_compiler(lines[i])) return found;
  return of_tool(lines[i]);
}

}  // namespace

std::optional<std::string> complaint_about_host_compiler(std::string_view output) {
  const std::vector<std::string> lines = shortened_lines(output);
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (lines[i].find("Failed to preprocess host compiler properties") != std::string::npos)
      return lines[i == 0 ? 0 : i - 1];
  return std::nullopt;
}

Diagnostic first_error(std::string_view output, int status) {
  const std::vector<std::string> lines = shortened_lines(output);
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (auto found = diagnostic_at(lines, i)) return *found;
  const std::string said =
      lines.empty() ? "and printed nothing" : fmt::format("and printed: {}", lines.front());
  return {fmt::format("it exited with status {} {}", status, said), {}};
}

}  // namespace foldproof
