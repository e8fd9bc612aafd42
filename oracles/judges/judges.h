// One judge for each way of computing. The arithmetic that reaches these has passed not_judged().
#pragma once

#include <memory>
#include <span>

#include "oracles/judge.h"

namespace foldproof {

/// Floating-point sums, of floating-point or integer elements.
std::unique_ptr<FoldJudge> make_sum_judge(const Arithmetic& arithmetic, std::span<const std::byte> input);
/// Floating-point products.
std::unique_ptr<FoldJudge> make_product_judge(const Arithmetic& arithmetic, std::span<const std::byte> input);
/// Smallest and largest elements of every type.
std::unique_ptr<FoldJudge> make_extremum_judge(const Arithmetic& arithmetic,
                                               std::span<const std::byte> input);
/// Integer sums and products, modulo 2^width.
std::unique_ptr<FoldJudge> make_integer_judge(const Arithmetic& arithmetic, std::span<const std::byte> input);
/// Where the smallest or largest element stands.
std::unique_ptr<Judge> make_place_judge(const Arithmetic& arithmetic, std::span<const std::byte> input);
/// Means, norms and variances.
std::unique_ptr<Judge> make_moment_judge(const Arithmetic& arithmetic, std::span<const std::byte> input);
/// Log-sum-exp and softmax.
std::unique_ptr<Judge> make_exponential_judge(const Arithmetic& arithmetic, std::span<const std::byte> input);
/// Histograms of elements that are bin numbers.
std::unique_ptr<Judge> make_histogram_judge(const Arithmetic& arithmetic, std::span<const std::byte> input);

}  // namespace foldproof
