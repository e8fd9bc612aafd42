// The runs of one case: itself, those that it is compared with, and those that its relation needs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "contracts/contract.h"
#include "properties/case.h"
#include "properties/execution/job.h"
#include "properties/relations/relations.h"

namespace foldproof {

/// A further run of the case, whose result must have the same bits.
struct Comparison {
  Kind kind{};              ///< what it means when it has others
  std::string here, there;  ///< how the two runs came about: "when called again", "when called once"
  std::string_view claim;   ///< what the contract says
};

/// The case itself and the runs that it is compared with.
struct CasePlan {
  const Case* c = nullptr;
  std::vector<std::byte> input;
  std::vector<PreparedJob> prepared;        ///< the case first
  std::vector<Comparison> comparisons;      ///< for each further run: what it means when its output differs
  std::optional<std::size_t> traced;        ///< the run in which the input's values are traced
  std::optional<std::size_t> relaunched;    ///< the run that was launched otherwise
  std::vector<relations::Derived> derived;  ///< what the case's relation is tried on
  std::vector<PreparedJob> of_derived;      ///< one each
};

/// Whether every run must give the same bits.
inline bool is_deterministic(const Instance& instance) {
  return instance.reduction && instance.claims.deterministic;
}

/// A case of several calls is also run with one, and a case in an unusual order also in the usual one where
/// the kernel claims to be deterministic. `c` outlives the plan. Throws InputError where the contract's
/// output has another number of elements than its result.
CasePlan plan_case(const JobBuilder& builder, const relations::RelationSubject& subject, const Case& c,
                   std::vector<std::byte> input);

}  // namespace foldproof
