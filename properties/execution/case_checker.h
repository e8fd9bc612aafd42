// Checks the results of one case.
#pragma once

#include <optional>
#include <vector>

#include "contracts/contract.h"
#include "oracles/checker.h"
#include "properties/execution/case_plan.h"
#include "properties/execution/evaluation.h"

namespace foldproof {

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
