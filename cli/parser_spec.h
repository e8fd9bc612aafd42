// What the parser of the command line declares: for completion scripts and for the manual page.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace foldproof {

/// An option of a verb.
struct OptionSpec {
  std::vector<std::string> names;  ///< with dashes
  std::string description;
  bool takes_value = false;
  std::string type;                  ///< of the value, such as "FILE"
  std::vector<std::string> choices;  ///< the possible values, if they are words
};

struct VerbSpec {
  std::string name, synopsis;
  std::vector<OptionSpec> options;
  std::vector<OptionSpec> arguments;  ///< positional; each has one name, without dashes
};

/// The verbs that the help lists.
std::vector<VerbSpec> listed_verbs(const CLI::App& program);

}  // namespace foldproof
