// foldproof manual: the manual page, in the macros of man(7). Called by the build.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/parser_spec.h"
#include "cli/verbs.h"
#include "properties/verdict.h"

namespace foldproof {

namespace {

constexpr std::pair<Exit, std::string_view> statuses[] = {
    {exit_ok, "nothing unexpected was found"},
    {exit_findings, "an unexpected finding, or a mutation score below --floor"},
    {exit_usage, "wrong usage, a wrong contract, or a source that does not compile"},
    {exit_unable, "something could not run, or a report could not be written"},
    {exit_interrupted, "interrupted; the results so far are printed"}};

/// As text of the page: no character begins a macro or an escape.
std::string plain(std::string_view text) {
  std::string out = text.starts_with('.') ? "\\&" : "";
  constexpr std::pair<char, std::string_view> escapes[] = {{'\\', "\\e"},  {'-', "\\-"},   {'^', "\\(ha"},
                                                           {'~', "\\(ti"}, {'`', "\\(ga"}, {'\'', "\\(aq"},
                                                           {'\n', " "}};
  for (const char c : text) {
    const auto* const escape = std::ranges::find(escapes, c, &std::pair<char, std::string_view>::first);
    if (escape == std::end(escapes))
      out += c;
    else
      out += escape->second;
  }
  return out;
}

std::string option_text(const OptionSpec& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.names) names.push_back("\\fB" + plain(name) + "\\fR");
  const std::string value = option.type.empty() ? "" : " \\fI" + plain(option.type) + "\\fR";
  return fmt::format(".TP\n{}{}\n{}\n", fmt::join(names, ", "), value, plain(option.description));
}

std::string verb_text(const VerbSpec& verb) {
  std::string heading = verb.name;
  for (const OptionSpec& argument : verb.arguments) heading += " [" + argument.names.front() + "]";
  std::string text = fmt::format(".SS {}\n{}.\n", plain(heading), plain(verb.synopsis));
  for (const OptionSpec& argument : verb.arguments)
    text += fmt::format(".TP\n\\fI{}\\fR\n{}\n", plain(argument.names.front()), plain(argument.description));
  for (const OptionSpec& option : verb.options) text += option_text(option);
  return text;
}

std::string page_of(const CLI::App& program) {
  std::string text = fmt::format(
      ".TH FOLDPROOF 1 \"\" \"{}\" \"User Commands\"\n.SH NAME\nfoldproof \\- test GPU reductions without a "
      "GPU\n"
      ".SH SYNOPSIS\n.B foldproof\n\\fIVERB\\fR [\\fIOPTION\\fR]... [\\fIPATH\\fR]\n.SH DESCRIPTION\n{}\n"
      "Start with \\fBfoldproof audit my_kernel.cu\\fR.\n.SH VERBS\n",
      plain(program.version()), plain(program.get_description()));
  for (const VerbSpec& verb : listed_verbs(program)) text += verb_text(verb);
  text += ".SH EXIT STATUS\n";
  for (const auto& [status, meaning] : statuses)
    text += fmt::format(".TP\n.B {}\n{}\n", int{status}, plain(meaning));
  return text;
}

}  // namespace

Run attach_manual(CLI::App& app, Console& console) {
  return [&app, &console] {
    const std::string page = page_of(*app.get_parent());
    console.print_as_asked([&] { return Json{{"page", page}}; }, [&] { return page; });
    return int{exit_ok};
  };
}

}  // namespace foldproof
