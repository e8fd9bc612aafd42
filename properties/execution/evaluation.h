// Runs one case and collects all findings in its results.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "contracts/contract.h"
#include "devices/runner.h"
#include "oracles/checker.h"
#include "oracles/layout.h"
#include "properties/case.h"
#include "properties/execution/job.h"

namespace foldproof {

/// Unknown if either number is.
inline std::optional<std::uint64_t> sum(const std::optional<std::uint64_t>& a,
                                        const std::optional<std::uint64_t>& b) {
  return a && b ? std::optional(*a + *b) : std::nullopt;
}

/// What checked an additional output.
struct AdditionalEvidence {
  std::string output;  ///< in words, as in Output::name
  CheckResult::Evidence evidence;
  std::string why_not;   ///< why the values were not checked
  bool vacuous = false;  ///< as in Evaluation
};

struct Evaluation {
  std::vector<Finding> findings;                  ///< without case text and replay command
  std::optional<double> error_over_bound;         ///< absent if no operation rounds or nothing was checked
  std::optional<BoundedResult> bounded;           ///< the result with that error
  bool vacuous = false;                           ///< the bound is vacuous
  std::string why_not;                            ///< why the value was not checked
  std::optional<CheckResult::Evidence> evidence;  ///< what checked the value; absent if it was not checked
  std::vector<AdditionalEvidence> additional;     ///< for each additional output that had elements
  std::optional<double> ulps;                     ///< the error; absent if the value is not finite
  std::shared_ptr<const ProvenanceTrace> trace;   ///< provenance of the results, if traced
  std::optional<std::string> incomplete;          ///< why the provenance is incomplete
  std::optional<bool>
      height_known;  ///< whether the claimed height was checked; absent without claim or trace
  std::optional<std::uint64_t> warp_instructions = 0;  ///< of all runs; absent if the device counts none
  std::uint64_t cost = 0;                              ///< of all runs; see JobResult
  std::optional<std::string> unsupported;              ///< why the case could not run
  /// Of the input's elements, those from which the first wrong element of an output is computed; absent if
  /// it is computed from all.
  std::optional<Part> wrong_part;
  bool relation_tried = false;    ///< the case's relation applied to it and was checked
  std::vector<std::byte> input;   ///< the elements; empty without a reduction
  std::vector<std::byte> output;  ///< of the case's own run; empty if it did not end or nothing is checked
};

/// Whether the evidence says more about a value than its category.
inline bool checks_value(CheckResult::Evidence evidence) {
  return evidence != CheckResult::Evidence::nothing && evidence != CheckResult::Evidence::category;
}

/// Whether the run shows more about the value of the result than its category.
inline bool checks_value(const Evaluation& run) {
  return run.evidence && checks_value(*run.evidence) && !run.vacuous;
}

class Evaluator {
 public:
  /// Throws InputError for a contract that cannot be run, and Unsupported for an image that cannot.
  Evaluator(const Contract& contract, const Instance& instance, const std::shared_ptr<const Image>& image,
            Runner& runner);

  /// Runs the case and the runs that it is compared with (see plan_case), and checks their results.
  Evaluation evaluate(const Case& c) const;
  /// The same for several cases, which are run together. After one that ends in a timeout, results may be
  /// missing.
  std::vector<Evaluation> evaluate(std::span<const Case> cases) const;
  /// Whether results may be those of a kernel that flushes subnormals.
  bool accepts_flushing() const { return arithmetic_ && arithmetic_->flush_to_zero; }
  /// Number of cases worth running together.
  std::size_t cases_together() const;

 private:
  const Instance& instance_;
  Runner& runner_;
  JobBuilder builder_;
  std::optional<Arithmetic> arithmetic_;  ///< absent without a reduction
  AcceptsFinding accepts_;                ///< what suppressions name
  bool is_guess_;                 ///< no caller may use such sizes, so that a slow large case is a warning
  bool fixed_tree_ = false;       ///< known: a launch uses the same tree whatever the elements are
  std::vector<Position> places_;  ///< by launch: the kernel; the last one is the default of findings
};

/// Where findings about values point to: the source line that defines the kernel of a launch; line 0 if it is
/// not found (PTX, an included file).
Position place_of_entry(const Contract& contract, const LaunchContract& launch);

}  // namespace foldproof
