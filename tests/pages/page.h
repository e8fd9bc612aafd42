// The blocks of a Markdown page that a reader carries out: files to write, and commands to type.
#pragma once

#include <string>
#include <variant>
#include <vector>

namespace foldproof::tests {

/// A block that begins with "```LANGUAGE file=NAME".
struct PageFile {
  std::string name, content;
};

/// A line "$ COMMAND" of a block that begins with "```console", and the lines after it. A line "..." stands
/// for any number of lines.
struct PageCommand {
  std::string command;
  std::vector<std::string> output;
};

using PageStep = std::variant<PageFile, PageCommand>;

/// The steps in the order of the page. Blocks of other kinds are for reading only.
std::vector<PageStep> steps_of(const std::string& markdown);

/// Whether the command printed what the page shows, up to trailing spaces and measured times.
bool shows(const std::vector<std::string>& expected, const std::string& printed);

/// The targets of the links to other pages and to headings: "contracts.md#defects", "#sums".
std::vector<std::string> local_links_of(const std::string& markdown);

/// What "#…" may name: the headings in lower case, without punctuation, with hyphens for spaces.
std::vector<std::string> anchors_of(const std::string& markdown);

}  // namespace foldproof::tests
