// Options that several verbs have.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "command/program.h"

namespace foldproof {

inline constexpr const char* about_fail_on = "Lowest severity that fails the run (default: error)";

/// --fail-on
inline void add_fail_on(CLI::App& app, std::string& value, const std::string& about = about_fail_on) {
  app.add_option("--fail-on", value, about)
      ->check(quietly(CLI::IsMember({"error", "warning"})))
      ->type_name("error|warning");
}

/// --jobs; the last one counts, so that a script may append its own.
inline void add_jobs(CLI::App& app, unsigned& value,
                     const std::string& about = "Number of parallel processes") {
  app.add_option("--jobs,-j", value, about)
      ->take_last()
      ->check(quietly(CLI::Range(1U, 1024U)))
      ->type_name("N");
}

}  // namespace foldproof
