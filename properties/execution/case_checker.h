// What is wrong with the results of one case.
#pragma once

#include <optional>
#include <vector>

#include "contracts/contract.h"
#include "oracles/checker.h"
#include "properties/execution/case_plan.h"
#include "properties/execution/evaluation.h"

namespace foldproof {

/// What is known of the kernel whose results are checked.
struct CheckedKernel {
  const Instance& instance;
  const std::optional<Arithmetic>& arithmetic;  ///< absent without a reduction
  bool fixed_tree = false;                      ///< one launch, one tree, whatever the elements are
  const std::vector<Position>& places;          ///< by launch; at least one
};

/// `results`: of the plan's `prepared` runs; `of_derived`: of its `of_derived` ones.
Evaluation check_case(const CheckedKernel& kernel, const CasePlan& plan, std::vector<JobResult> results,
                      std::vector<JobResult> of_derived);

}  // namespace foldproof
