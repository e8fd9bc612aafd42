// The sizes of a case: look-up, and requirements for any kernel.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "contracts/contract.h"

namespace foldproof {

constexpr std::int64_t most_threads_of_a_block = 1024;

/// The value of a variable; nothing if the case does not have it.
std::optional<std::int64_t> value_of(const Variables& variables, std::string_view name);

/// The value of the expression; nothing if it has none.
std::optional<std::int64_t> evaluated(const Expression& expression, const Variables& variables);

/// Threads per block, at least 1; 32 for a case without the variable `block`.
std::int64_t tile_of(const Variables& variables);

/// The range of a variable of the domain; null if the domain does not have it.
const Range* range_of(const Instance& instance, std::string_view variable);

/// The variable that says how many such values an operand of a formula has.
constexpr const char* number_of_values(ValueOf value) {
  return value == ValueOf::row ? "rows" : value == ValueOf::column ? "columns" : "count";
}

/// Whether each result is that of a column.
bool reduces_columns(const Instance& instance);

/// Throws InputError, with the line of the contract, if a size is negative, the input does not consist of
/// whole rows, a histogram has no bins, or the claimed height is negative. An expression that cannot be
/// evaluated is not checked here; it is reported where it is needed.
void check_sizes(const Instance& instance, const Variables& variables);

/// The same for several cases with small values, which expose a contract that contradicts itself.
void check_small_sizes(const Instance& instance);

/// The largest value of a variable that the contract claims to serve; 0 if the domain has no such variable.
std::int64_t greatest_claimed(const Instance& instance, std::string_view variable);

}  // namespace foldproof
