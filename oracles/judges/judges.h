// One judge for each way of computing. The arithmetic that reaches these has passed not_judged().
#pragma once

#include <memory>
#include <span>

#include "oracles/judge.h"

namespace foldproof {

/// Floating-point sums, of floating-point or integer elements.
std::unique_ptr<Judge> make_sum_judge(const Arithmetic& arithmetic, std::span<const std::byte> input);
/// Floating-point products.
std::unique_ptr<Judge> make_product_judge(const Arithmetic& arithmetic, std::span<const std::byte> input);
/// Smallest and largest elements of every type.
std::unique_ptr<Judge> make_extremum_judge(const Arithmetic& arithmetic, std::span<const std::byte> input);
/// Integer sums and products, modulo 2^width.
std::unique_ptr<Judge> make_integer_judge(const Arithmetic& arithmetic, std::span<const std::byte> input);

}  // namespace foldproof
