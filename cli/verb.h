// What every verb of the command line offers to main.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

#include "cli/console.h"
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

Run attach_audit(CLI::App& app, Console& console);
Run attach_mutate(CLI::App& app, Console& console);
Run attach_sanitize(CLI::App& app, Console& console);
Run attach_init(CLI::App& app, Console& console);
Run attach_replay(CLI::App& app, Console& console);
Run attach_list(CLI::App& app, Console& console);
Run attach_bench(CLI::App& app, Console& console);
Run attach_exact(CLI::App& app, Console& console);
Run attach_tree(CLI::App& app, Console& console);
Run attach_claims(CLI::App& app, Console& console);
Run attach_prepare(CLI::App& app, Console& console);
Run attach_compare(CLI::App& app, Console& console);
Run attach_detection(CLI::App& app, Console& console);
Run attach_gpu_worker(CLI::App& app, Console& console);

}  // namespace foldproof
