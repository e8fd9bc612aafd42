// A program as a table of verbs, and the only place where errors become exit statuses.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <span>
#include <string_view>

#include "command/console.h"
#include "properties/verdict.h"

namespace foldproof {

/// Runs the verb after its arguments were read, and returns the exit status. Throws InputError for exit
/// status 2 and Unsupported for 3.
using Run = std::function<int()>;

/// Declares the verb's arguments on `app` and returns the function that runs it.
using Attach = Run (*)(CLI::App& app, Console& console);

/// The check without the text that CLI11 would add to the help.
inline CLI::Validator quietly(CLI::Validator check) {
  check.description("");
  return check;
}

struct Verb {
  const char* name;
  const char* synopsis;
  Attach attach;
  bool is_listed = true;  ///< shown by --help
};

struct Program {
  const char* name;
  const char* synopsis;
  std::span<const Verb> verbs;
};

/// Such as "0.9.0".
std::string_view foldproof_version();

/// Reads the arguments, runs the verb and returns the exit status.
int run(const Program& program, int argc, char** argv);

}  // namespace foldproof
