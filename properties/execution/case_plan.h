// The runs of one case (its own, those that it is compared with, and those that its relation needs), and the
// check of their results.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "contracts/contract.h"
#include "oracles/checker.h"
#include "properties/case.h"
#include "properties/execution/evaluation.h"
#include "properties/execution/job.h"
#include "properties/relations/relations.h"

namespace foldproof {

/// An additional run of the case, whose result must have the same bits.
struct Comparison {
  Kind kind{};              ///< how a difference is reported
  std::string here, there;  ///< how the two runs were made: "when called again", "when called once"
  std::string_view claim;   ///< the contract's claim
};

/// All runs of a case.
struct CasePlan {
  const Case* c = nullptr;
  std::vector<std::byte> input;
  std::vector<PreparedJob> prepared;        ///< the case itself first
  std::vector<Comparison> comparisons;      ///< for each additional run: how a different output is reported
  std::optional<std::size_t> traced;        ///< the run in which the input's values are traced
  std::optional<std::size_t> relaunched;    ///< the run with another launch
  std::vector<relations::Derived> derived;  ///< inputs to which the case's relation is applied
  std::vector<PreparedJob> of_derived;      ///< one per derived input
};

/// Whether every run must give the same bits.
inline bool is_deterministic(const Instance& instance) {
  return instance.reduction && instance.claims.deterministic;
}

/// A case of several calls is also run with one call. If the kernel claims determinism, a case in an unusual
/// order is also run in the usual one. A case in the usual order is also run under `warps-backward` or, for
/// few elements, `lanes-backward`; a host function is called again instead. `c` must outlive the plan. Throws
/// InputError if the contract's output has another number of elements than its result.
CasePlan plan_case(const JobBuilder& builder, const relations::RelationSubject& subject, const Case& c,
                   std::vector<std::byte> input);

/// What is known about the kernel under test.
struct CheckedKernel {
  const Instance& instance;
  const std::optional<Arithmetic>& arithmetic;  ///< absent without a reduction
  bool fixed_tree = false;                      ///< a launch uses the same tree whatever the elements are
  const std::vector<Position>& places;          ///< by launch; at least one
};

/// `results`: of the plan's `prepared` jobs; `of_derived`: of its `of_derived` jobs.
Evaluation check_case(const CheckedKernel& kernel, const CasePlan& plan, std::vector<JobResult> results,
                      std::vector<JobResult> of_derived);

}  // namespace foldproof
