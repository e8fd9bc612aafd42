// Options that several verbs have.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace foldproof {

inline constexpr const char* about_fail_on = "Lowest severity that fails the run (default: error)";

/// Declares --fail-on.
void add_fail_on(CLI::App& app, std::string& value, const std::string& about = about_fail_on);

/// Declares --jobs; the last one counts, so that a script may append its own.
void add_jobs(CLI::App& app, unsigned& value, const std::string& about = "Number of parallel processes");

}  // namespace foldproof
