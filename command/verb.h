// The interface of every verb to its program's main function.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

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

}  // namespace foldproof
