// What a kernel reads besides its elements.
#pragma once

#include <cstddef>
#include <vector>

#include "contracts/contract.h"
#include "oracles/operands.h"
#include "properties/case.h"
#include "properties/execution/job.h"

namespace foldproof {

/// The operand's values, generated from the case's seed and sizes: factors and divisors like elements of
/// their type; weights and biases of moderate size; targets among the columns; offsets that ascend from 0 to
/// the count, some of them equal; scales of all magnitudes, in some cases with a NaN among them. Throws
/// InputError if such an operand cannot have the contract's count.
std::vector<std::byte> make_operand(const OperandContract& operand, const Case& c);

/// The operands of a prepared job, as checkers take them; the job must outlive them.
Operands operands_of(const Instance& instance, const PreparedJob& prepared);

}  // namespace foldproof
