// foldproof explain: what the names in a report mean: findings, verdicts, and the words of a case.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "cli/verbs.h"
#include "properties/described.h"
#include "properties/verdict.h"
#include "sanitizer/finding.h"

namespace foldproof {

namespace {

/// docs/findings.md. cli/CMakeLists.txt makes the file.
constexpr std::string_view page =
#include "cli/findings_page.inc"
    ;

struct Topic {
  std::string about, name;
  std::string text;  ///< Markdown
};

/// The sections of the page.
std::vector<Topic> sections() {
  constexpr std::string_view heading = "\n## ";
  std::vector<Topic> topics;
  for (std::size_t at = page.find(heading); at != std::string_view::npos;) {
    const std::size_t begin = at + heading.size(), line_end = page.find('\n', begin);
    at = page.find(heading, line_end);
    const std::string name(page.substr(begin, line_end - begin));
    const char* const about = kind_named(name) ? "finding" : verdict_named(name) ? "verdict" : "report";
    topics.push_back({about, name, std::string(page.substr(line_end + 1, at - line_end - 1))});
  }
  return topics;
}

/// Whether the text contains the words, not as a part of longer ones.
bool has_word(std::string_view text, std::string_view words) {
  const auto is_part_of_word = [&](std::size_t at) {
    return at < text.size() && std::isalnum(static_cast<unsigned char>(text[at])) != 0;
  };
  for (std::size_t at = text.find(words); at != std::string_view::npos; at = text.find(words, at + 1))
    if (!is_part_of_word(at - 1) && !is_part_of_word(at + words.size())) return true;
  return false;
}

/// The letters that the meaning of a name uses, explained; empty if it uses none.
std::string notation_of(std::string_view meaning) {
  constexpr std::pair<std::string_view, std::string_view> letters[] = {
      {"x", "x is an element of the input"},
      {"n", "n is the number of elements"},
      {"k", "k is the exponent"},
      {"2^p", "p is the precision of the accumulator in bits"},
      {"u", "u = 2^-p, where p is the precision of the accumulator in bits"}};
  std::vector<std::string_view> used;
  for (const auto& [letter, explained] : letters)
    if (has_word(meaning, letter)) used.push_back(explained);
  return used.empty() ? "" : fmt::format("\n\nHere {}.", fmt::join(used, "; "));
}

std::string text_of(const DescribedName& described) {
  return fmt::format("\nIn a case, `{}` means: {}.{}\n", described.name, described.meaning,
                     described.about == "metamorphic relation" ? "" : notation_of(described.meaning));
}

std::vector<Topic> all_topics() {
  std::vector<Topic> topics = sections();
  for (const DescribedName& described : described_names())
    topics.push_back({std::string(described.about), std::string(described.name), text_of(described)});
  return topics;
}

/// "[`numerics.md`](numerics.md)" as "docs/numerics.md", and "[`clean`](#clean)" as "`foldproof explain
/// clean`": a terminal does not follow links.
std::string without_links(std::string text) {
  for (std::size_t at = text.find("[`"); at != std::string::npos; at = text.find("[`", at)) {
    const std::size_t target = text.find("](", at), end = text.find(')', at);
    if (target == std::string::npos || end == std::string::npos) break;
    const std::string to = text.substr(target + 2, end - target - 2);
    text.replace(at, end + 1 - at,
                 to.starts_with('#') ? fmt::format("`foldproof explain {}`", to.substr(1)) : "docs/" + to);
  }
  return text;
}

/// Paragraphs are wrapped, and code is indented.
std::string as_text(const Topic& topic, unsigned width) {
  std::string text = fmt::format("{} ({})\n", topic.name, topic.about), paragraph;
  bool is_code = false;
  const auto end_paragraph = [&] {
    const unsigned indent = paragraph.starts_with("- ") ? 2 : 0;
    if (!paragraph.empty()) text += wrap(without_links(paragraph), 0, indent, width) + "\n";
    paragraph.clear();
  };
  std::istringstream lines(topic.text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```")) {
      end_paragraph();
      is_code = !is_code;
    } else if (is_code) {
      text += fmt::format("    {}\n", line);
    } else if (line.empty()) {
      end_paragraph();
      if (!text.ends_with("\n\n")) text += "\n";
    } else {
      if (line.starts_with("- ")) end_paragraph();  // an item of a list
      paragraph += (paragraph.empty() ? "" : " ") + std::string(trimmed(line));
    }
  }
  end_paragraph();
  return text;
}

/// The names of all topics, grouped by what they are about.
std::string contents(const std::vector<Topic>& topics, unsigned width) {
  std::string text = "foldproof explain NAME explains one of these:\n";
  for (auto begin = topics.begin(); begin != topics.end();) {
    const auto end =
        std::find_if(begin, topics.end(), [&](const Topic& t) { return t.about != begin->about; });
    std::vector<std::string> names;
    for (auto topic = begin; topic != end; ++topic) names.push_back(topic->name);
    const std::string head = fmt::format("\n  {}: ", begin->about);
    text += head + wrap(fmt::format("{}", fmt::join(names, ", ")), head.size() - 1, 4, width) + "\n";
    begin = end;
  }
  return text;
}

/// What to do after an unknown name, as the end of a sentence: the topic that mentions it, the name that is
/// meant, or the list.
std::string next_step(std::string name, const std::vector<Topic>& topics) {
  std::vector<std::string> names;
  for (const Topic& topic : topics) names.push_back(topic.name);
  if (std::string nearest = correction(name, names); !nearest.empty()) return nearest;
  std::ranges::replace(name, '-', ' ');  // "as-expected"
  const auto mentions = [&](const Topic& topic) { return has_word(topic.text, name); };
  constexpr std::size_t shortest = 3;
  const auto found = name.size() < shortest ? topics.end() : std::ranges::find_if(topics, mentions);
  return found == topics.end() ? "; `foldproof explain` lists all names"
                               : fmt::format("; `foldproof explain {}` mentions it", found->name);
}

int explain(const std::string& name, const Console& console) {
  std::vector<Topic> topics = all_topics();
  if (!name.empty()) {
    if (std::ranges::find(topics, name, &Topic::name) == topics.end())
      throw InputError(fmt::format("unknown name \"{}\"{}", name, next_step(name, topics)));
    std::erase_if(topics, [&](const Topic& topic) { return topic.name != name; });
  }
  const auto json = [&] {
    Json all = Json::array();
    for (const Topic& topic : topics)
      all.push_back(Json{{"name", topic.name}, {"about", topic.about}, {"text", topic.text}});
    return Json{{"topics", std::move(all)}};
  };
  const auto text = [&] {
    if (name.empty()) return contents(topics, console.width());
    std::string all;
    for (const Topic& topic : topics) all += (all.empty() ? "" : "\n") + as_text(topic, console.width());
    return all;
  };
  console.print_as_asked(json, text);
  return exit_ok;
}

}  // namespace

Run attach_explain(CLI::App& app, Console& console) {
  auto name = std::make_shared<std::string>();
  app.add_option("NAME", *name,
                 "Kind of finding, verdict, input distribution, transform or metamorphic relation (default: "
                 "list all names)");
  return [name, &console] { return explain(*name, console); };
}

}  // namespace foldproof
