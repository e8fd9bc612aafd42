#include "cli/case_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <sstream>

#include "base/text.h"
#include "command/parse.h"
#include "properties/distributions.h"

namespace foldproof {

namespace {

constexpr std::uint64_t any = std::numeric_limits<std::uint64_t>::max();

constexpr std::string_view usual_case = "count=33 block=128 grid=1 uniform seed=7 schedule=converging";

std::int64_t variable(const std::string& value, const std::string& word) {
  if (const auto number = integer_in<std::int64_t>(value)) return *number;
  throw InputError(fmt::format("--case: the value in \"{}\" is not an integer", word));
}

Planted planted(std::uint64_t index, const std::string& value) {
  try {
    check_planted(value);
  } catch (const InputError& error) {
    throw InputError(fmt::format("--case: x[{}]: {}", index, error.sentence()));
  }
  return {index, value};
}

void read_assignment(Case& c, const std::string& key, const std::string& value, const std::string& word) {
  const std::string option = fmt::format("--case: {}", key);
  if (key == "seed")
    c.input.seed = parse_number(value, option, 0, any);
  else if (key == "schedule")
    c.order = schedule_named(value);
  else if (key == "co_running_load")
    c.order = co_running_load_named(value);
  else if (key == "offset")
    c.offset = parse_number(value, option, 0, largest_offset);
  else if (key == "calls")
    c.calls = parse_number(value, option, 1, most_calls);
  else if (key == "relation")
    c.relation = value;
  else if (key.starts_with("x[") && key.ends_with("]"))
    c.input.planted.push_back(planted(parse_number(key.substr(2, key.size() - 3), option, 0, any), value));
  else
    c.variables[key] = variable(value, word);
}

bool begins_with_distribution(const std::string& word) {
  const std::string name = word.substr(0, word.find_first_of("+:"));
  return std::ranges::find(distributions(), name, &DistributionInfo::name) != distributions().end();
}

void read_distribution(InputDistribution& input, const std::string& word) {
  try {
    read_steps(word, input);
  } catch (const InputError& error) {
    throw InputError("--case: " + error.sentence());
  }
}

}  // namespace

Case parse_case(const std::string& text) {
  Case c;
  std::set<std::string> assigned;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    if (equals != std::string::npos) {
      const std::string key = word.substr(0, equals);
      if (!assigned.insert(key).second) throw InputError(fmt::format("--case: \"{}\" is given twice", key));
      read_assignment(c, key, word.substr(equals + 1), word);
    } else if (!begins_with_distribution(word))
      throw InputError(
          fmt::format("--case: \"{}\" is neither NAME=VALUE nor a distribution; write a case in the notation "
                      "of reports, such as \"{}\", with one of the distributions {}",
                      word, usual_case, names_of(distributions())));
    else if (c.input.distribution.name.empty())
      read_distribution(c.input, word);
    else
      throw InputError(fmt::format("--case: unexpected second distribution \"{}\" after \"{}\"", word,
                                   to_string(c.input.distribution)));
  }
  if (c.input.distribution.name.empty())
    throw InputError(
        fmt::format("--case: missing distribution; write a case in the notation of reports, such as \"{}\", "
                    "with one of the distributions {}",
                    usual_case, names_of(distributions())));
  return c;
}

}  // namespace foldproof
