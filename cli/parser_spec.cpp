#include "cli/parser_spec.h"

#include <algorithm>
#include <utility>

namespace foldproof {

namespace {

/// The words of a type name such as "text|json"; none of "FILE".
std::vector<std::string> choices_in(const std::string& type) {
  const auto is_choice = [](char c) { return c == '|' || c == '-' || (c >= 'a' && c <= 'z'); };
  if (type.find('|') == std::string::npos || !std::ranges::all_of(type, is_choice)) return {};
  return CLI::detail::split(type, '|');
}

OptionSpec spec_of(const CLI::Option& option) {
  OptionSpec spec;
  if (option.get_positional()) spec.names.push_back(option.get_name());
  for (const std::string& name : option.get_lnames()) spec.names.push_back("--" + name);
  for (const std::string& name : option.get_snames()) spec.names.push_back("-" + name);
  spec.description = option.get_description();
  spec.takes_value = option.get_items_expected_max() > 0;
  if (!spec.takes_value) return spec;
  spec.type = option.get_type_name();
  spec.choices = choices_in(spec.type);
  return spec;
}

}  // namespace

std::vector<VerbSpec> listed_verbs(const CLI::App& program) {
  std::vector<VerbSpec> verbs;
  for (const CLI::App* verb :
       program.get_subcommands([](const CLI::App* app) { return !app->get_group().empty(); })) {
    VerbSpec spec{verb->get_name(), verb->get_description(), {}, {}};
    for (const CLI::Option* option : verb->get_options()) {
      if (option->get_group().empty()) continue;
      (option->get_positional() ? spec.arguments : spec.options).push_back(spec_of(*option));
    }
    verbs.push_back(std::move(spec));
  }
  return verbs;
}

}  // namespace foldproof
