// One case: run it, and say everything that is wrong with what came back.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "contracts/contract.h"
#include "devices/runner.h"
#include "oracles/checker.h"
#include "properties/case.h"
#include "properties/execution/job.h"

namespace foldproof {

/// Unknown as soon as one of the numbers is.
inline std::optional<std::uint64_t> sum(const std::optional<std::uint64_t>& a,
                                        const std::optional<std::uint64_t>& b) {
  return a && b ? std::optional(*a + *b) : std::nullopt;
}

struct Evaluation {
  std::vector<Finding> findings;                  ///< without case and replay command
  std::optional<double> error_over_bound;         ///< absent where nothing rounds or nothing was checked
  bool vacuous = false;                           ///< the bound is vacuous
  std::string why_not;                            ///< why nothing checked the value
  std::optional<CheckResult::Evidence> evidence;  ///< what checked the value; absent where it was not checked
  std::optional<double> ulps;                     ///< the error; absent where the value is not finite
  std::shared_ptr<const ProvenanceTrace> trace;   ///< what the results are made of, where that was traced
  std::optional<std::string> incomplete;          ///< why it is not known what becomes of each element
  std::optional<std::uint64_t> warp_instructions = 0;  ///< of all runs; absent where the device counts none
  std::uint64_t cost = 0;                              ///< of all runs; see JobResult
  std::optional<std::string> unsupported;              ///< why the case could not run
  bool relation_tried = false;    ///< the case's relation says something of it, and was compared
  std::vector<std::byte> input;   ///< the elements; empty without a reduction
  std::vector<std::byte> output;  ///< of the case's own run; empty where it did not end or nothing is checked
};

class Evaluator {
 public:
  /// Throws InputError for a contract that cannot be run, Unsupported for an image that cannot.
  Evaluator(const Contract& contract, const Instance& instance, const std::shared_ptr<const Image>& image,
            Runner& runner);

  /// A case of several calls is also run with one, and a case in an unusual order also in the usual one
  /// where the kernel claims to be deterministic; the results must agree. A case with a relation is run on
  /// what the relation derives from its input as well.
  Evaluation evaluate(const Case& c) const;
  /// The same of several cases, which are run together. Behind one that ends in a timeout there may be none.
  std::vector<Evaluation> evaluate(std::span<const Case> cases) const;
  /// How many cases are worth running together.
  std::size_t cases_together() const;

  /// The elements that the case gives the kernel; empty without a reduction.
  std::vector<std::byte> input(const Case& c) const;

 private:
  const Instance& instance_;
  Runner& runner_;
  JobBuilder builder_;
  std::optional<Arithmetic> arithmetic_;  ///< absent without a reduction
  bool fixed_tree_ = false;               ///< known: one launch, one tree, whatever the elements are
  std::vector<Position>
      places_;  ///< by launch: the kernel; findings without a place of their own point to the last
};

}  // namespace foldproof
