// What every verb of a program offers to its main.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

#include "command/console.h"
#include "properties/verdict.h"

namespace foldproof {

/// Does the verb's work after its arguments were read, and returns the exit status. Throws InputError for
/// exit status 2 and Unsupported for 3.
using Run = std::function<int()>;

/// Declares the verb's arguments on `app` and returns its work.
using Attach = Run (*)(CLI::App& app, Console& console);

/// The check without the words that CLI11 would add to the help text.
inline CLI::Validator quietly(CLI::Validator check) {
  check.description("");
  return check;
}

}  // namespace foldproof
