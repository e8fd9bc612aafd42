#include "page.h"

#include <cctype>
#include <regex>
#include <span>
#include <stdexcept>

#include "markdown.h"

namespace foldproof::tests {
namespace {

/// Times differ from run to run, and with them the spaces that align a column.
std::string comparable(const std::string& line) {
  static const std::regex time(R"( *\b[0-9]+(\.[0-9]+)? (s|min)\b)");
  static const std::regex trailing(" +$");
  return std::regex_replace(std::regex_replace(line, time, " T s"), trailing, "");
}

bool matches(std::span<const std::string> expected, std::span<const std::string> printed) {
  if (expected.empty()) return printed.empty();
  if (expected.front() != "...")
    return !printed.empty() && comparable(expected.front()) == comparable(printed.front()) &&
           matches(expected.subspan(1), printed.subspan(1));
  for (std::size_t skipped = 0; skipped <= printed.size(); ++skipped)
    if (matches(expected.subspan(1), printed.subspan(skipped))) return true;
  return false;
}

void add_commands(const std::vector<std::string>& block, std::vector<PageStep>& steps) {
  PageCommand* command = nullptr;
  for (const std::string& line : block)
    if (line.starts_with("$ "))
      command = &std::get<PageCommand>(steps.emplace_back(PageCommand{line.substr(2), {}}));
    else if (command == nullptr)
      throw std::invalid_argument("a block of console text starts with a command, not with " + line);
    else
      command->output.push_back(line);
}

}  // namespace

std::vector<PageStep> steps_of(const std::string& markdown) {
  static const std::regex file_block("[a-z]+ file=(\\S+)");
  std::vector<PageStep> steps;
  for (const CodeBlock& block : code_blocks_in(markdown))
    if (std::smatch found; std::regex_match(block.info, found, file_block))
      steps.emplace_back(PageFile{found[1], block.text()});
    else if (block.info == "console")
      add_commands(block.lines, steps);
  return steps;
}

std::vector<std::string> local_links_of(const std::string& markdown) {
  static const std::regex link(R"(\]\(([^)\s]+)\))");
  std::vector<std::string> targets;
  for (std::sregex_iterator it(markdown.begin(), markdown.end(), link), end; it != end; ++it)
    if (const std::string target = (*it)[1]; target.find("://") == std::string::npos)
      targets.push_back(target);
  return targets;
}

std::vector<std::string> anchors_of(const std::string& markdown) {
  std::vector<std::string> anchors;
  for (const std::string& line : lines_of(markdown)) {
    if (!line.starts_with('#')) continue;
    std::string anchor;
    for (const char c : line.substr(line.find(' ') + 1))
      if (c == ' ')
        anchor += '-';
      else if (c == '-' || c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0)
        anchor += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    anchors.push_back(anchor);
  }
  return anchors;
}

bool shows(const std::vector<std::string>& expected, const std::string& printed) {
  return matches(expected, lines_of(printed));
}

}  // namespace foldproof::tests
