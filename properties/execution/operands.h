// What a case gives the kernel besides its elements.
#pragma once

#include <cstddef>
#include <vector>

#include "contracts/contract.h"
#include "oracles/operands.h"
#include "properties/case.h"
#include "properties/execution/job.h"

namespace foldproof {

/// The operand's values, made anew from the case's seed and sizes: factors and divisors like elements of
/// their type; weights and biases of moderate size; targets among the columns; offsets that ascend from 0 to
/// the count, some of them equal; scales of all magnitudes, in some cases a NaN among them. Throws InputError
/// where the contract's count is none that such an operand can have.
std::vector<std::byte> make_operand(const OperandContract& operand, const Case& c);

/// Those of a prepared job, which outlives them, as checks take them.
Operands operands_of(const Instance& instance, const PreparedJob& prepared);

}  // namespace foldproof
