// Whether a kernel uses every element of its input exactly once, by what its results are made of; and which
// of several launches lost one.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "contracts/contract.h"
#include "devices/launch.h"
#include "devices/runner.h"
#include "oracles/operands.h"
#include "properties/execution/job.h"

namespace foldproof {

/// Asks for the job's input to be traced into its output.
void request_trace(const Instance& instance, PreparedJob& prepared);

/// What is wrong with how elements are used: one of those that a result is made of is not in it, or too
/// often, or another one is. That one is used twice is no fault of a minimum or maximum, unless the contract
/// says so, nor of one on which the way through the program depends.
struct WrongUse {
  Kind kind;
  std::string message;
  /// False where the way through the program depends on elements: a kernel may have seen that others cannot
  /// change its result. Then only a wrong value shows that it is a fault.
  bool certain = true;
  std::optional<std::size_t> launch = {};  ///< the one at fault, where it is known
};
std::vector<WrongUse> wrong_uses(const Instance& instance, const Variables& variables,
                                 const ProvenanceTrace& trace, const Operands& operands = {});

/// What is wrong with the height that the contract claims; nothing where it claims none, or that many
/// additions, multiplications or comparisons suffice.
std::optional<std::string> wrong_height(const Instance& instance, const Variables& variables,
                                        const ProvenanceTrace& trace);

/// The launch of the instance, called once, that lost an element which is in no result: the last that made
/// something of it, where nothing of that was left in global memory, or else the one behind, which left what
/// was there unread. Where nothing was made of it, the first launch that is given the input.
std::size_t losing_launch(const Instance& instance, const ProvenanceTrace& trace, std::size_t element);

}  // namespace foldproof
