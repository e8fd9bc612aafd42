// Whether a kernel uses every element of its input exactly once, according to the provenance of its results;
// and which of several launches lost an element.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "contracts/contract.h"
#include "devices/launch.h"
#include "devices/runner.h"
#include "oracles/operands.h"
#include "properties/execution/job.h"

namespace foldproof {

/// Requests a trace of the job's input to its output.
void request_trace(const Instance& instance, PreparedJob& prepared);

/// A fault in the use of elements: an element that belongs to a result is not in it, or too often, or one
/// that does not belong to it is. Repeated use is not a fault for a minimum or maximum, unless the contract
/// claims single use, nor for an element on which control flow depends.
struct WrongUse {
  Kind kind;
  std::string message;
  /// False if control flow depends on elements: a kernel may have seen that others cannot change its result.
  /// Then only a wrong value proves a fault.
  bool certain = true;
  std::optional<std::size_t> launch = {};  ///< the launch at fault, if known
};
/// `input`: the elements, which decide whether they count if the contract has a condition.
std::vector<WrongUse> wrong_uses(const Instance& instance, const Variables& variables,
                                 const ProvenanceTrace& trace, const Operands& operands = {},
                                 std::span<const std::byte> input = {});

/// The height that a run shows, compared with the contract's claim.
struct HeightCheck {
  std::optional<std::string> wrong;  ///< how it violates the claim
  bool is_known = true;              ///< otherwise it may be larger than what can be counted
};
/// The contract claims a height.
HeightCheck check_height(const Instance& instance, const Variables& variables, const ProvenanceTrace& trace);

/// The launch of the instance, called once, that lost an element which is in no result: the last one that
/// computed something from it, if it left none of that in global memory; otherwise the launch after it, which
/// did not read what was left there. If nothing was computed from it, the first launch that receives the
/// input.
std::size_t losing_launch(const Instance& instance, const ProvenanceTrace& trace, std::size_t element);

}  // namespace foldproof
