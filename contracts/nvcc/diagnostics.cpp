#include "contracts/nvcc/diagnostics.h"

#include <fmt/format.h>

#include <fstream>
#include <optional>
#include <regex>
#include <vector>

namespace foldproof {
namespace {

constexpr std::size_t longest_line = 1000;  // std::regex recurses along a line

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, std::min(end, longest_line)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

unsigned number(const std::string& digits) {
  return digits.size() > 9 ? 0 : static_cast<unsigned>(std::stoul("0" + digits));
}

std::string line_of_file(const Position& where) {
  std::ifstream stream(where.file);
  std::string line;
  for (unsigned i = 0; i < where.line && std::getline(stream, line);) ++i;
  return line;
}

/// The front end echoes the line, indented by two, with a caret below. It echoes macros expanded, so that the
/// caret tells the column only where the echo is the line of the file.
unsigned column_of_caret(const std::vector<std::string>& lines, std::size_t error, const Position& where) {
  constexpr std::size_t indent = 2;
  if (error + 2 >= lines.size() || lines[error + 1].size() < indent) return 0;
  const std::size_t caret = lines[error + 2].find('^');
  if (caret == std::string::npos || caret < indent) return 0;
  return lines[error + 1].substr(indent) == line_of_file(where) ? static_cast<unsigned>(caret - indent + 1)
                                                                : 0;
}

std::optional<Diagnostic> diagnostic_at(const std::vector<std::string>& lines, std::size_t i) {
  static const std::regex front_end(R"(^(.+)\((\d+)\): (?:catastrophic )?error(?: #[^:]*)?: (.+)$)");
  static const std::regex host_compiler(R"(^(.+?):(\d+):(?:(\d+):)? (?:fatal )?error: (.+)$)");
  static const std::regex nvcc_itself(R"(^(?:nvcc|ptxas|cicc|cudafe\+\+) (?:fatal|error)\s*: (.+)$)");
  std::smatch match;
  if (std::regex_match(lines[i], match, front_end)) {
    Diagnostic found{match[3], {match[1], number(match[2]), 0}};
    found.where.column = column_of_caret(lines, i, found.where);
    return found;
  }
  if (std::regex_match(lines[i], match, host_compiler))
    return Diagnostic{match[4], {match[1], number(match[2]), number(match[3])}};
  if (std::regex_match(lines[i], match, nvcc_itself)) return Diagnostic{match[1], {}};
  return std::nullopt;
}

}  // namespace

Diagnostic first_error(std::string_view output, int status) {
  const std::vector<std::string> lines = lines_of(output);
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (auto found = diagnostic_at(lines, i)) return *found;
  const std::string said = lines.empty() ? "and said nothing" : fmt::format("and said: {}", lines.front());
  return {fmt::format("it ended with status {} {}", status, said), {}};
}

}  // namespace foldproof
