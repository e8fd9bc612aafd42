// The arguments that `audit` and `mutate` share: kernels, number of cases, time.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/campaign.h"
#include "cli/entry_choice.h"
#include "cli/reference_options.h"
#include "command/source_options.h"
#include "command/subjects.h"

namespace foldproof {

inline constexpr const char* about_entry =
    "Kernel (default: all); its contract is guessed if no contract launches it";

struct AuditArguments {
  std::string path, contract, entry, budget, seed = "1", fail_on = "error", shard = "1/1", only;
  std::optional<std::uint64_t> cases, largest;
  unsigned jobs = default_jobs();
  SourceOptions source;
  ReferenceOptions reference;

  /// `about_cases`, `about_severity`: the help of --cases and --fail-on.
  void attach(CLI::App& app, const std::string& about_cases, const std::string& about_severity);

  /// The end of --budget, which begins now.
  Deadline deadline() const;
  /// Throws InputError without a path and a contract: a script's variable may be empty.
  SubjectChoice choice() const;
  /// The instances that --only and --entry select. Throws InputError if there are none.
  std::vector<Assignment> selected(const std::vector<Subject>& subjects) const;
  /// Those of them that --shard selects.
  std::vector<Assignment> sharded(const std::vector<Assignment>& assignments) const;
};

/// Notes on standard error that a contract was guessed, if it was.
void say_that_it_is_guessed(const std::vector<Subject>& subjects, const Console& console);

}  // namespace foldproof
