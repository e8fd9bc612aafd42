// One judge for each way of computing. The arithmetic that reaches these has passed not_judged().
#pragma once

#include <memory>
#include <span>

#include "oracles/checker.h"

namespace foldproof {

/// Floating-point sums, of floating-point or integer elements.
std::unique_ptr<FoldJudge> make_sum_judge(const Arithmetic& arithmetic, std::span<const std::byte> input);
/// Floating-point products.
std::unique_ptr<FoldJudge> make_product_judge(const Arithmetic& arithmetic, std::span<const std::byte> input);
/// Sums and maxima of magnitudes.
std::unique_ptr<FoldJudge> make_magnitude_judge(const Arithmetic& arithmetic,
                                                std::span<const std::byte> input);
/// What folds magnitudes, as a fold of elements that are magnitudes; any other arithmetic as it is.
Arithmetic of_magnitudes(const Arithmetic& arithmetic);
/// Smallest and largest elements of every type.
std::unique_ptr<FoldJudge> make_extremum_judge(const Arithmetic& arithmetic,
                                               std::span<const std::byte> input);
/// Integer sums and products, modulo 2^width.
std::unique_ptr<FoldJudge> make_integer_judge(const Arithmetic& arithmetic, std::span<const std::byte> input);
/// Where the smallest or largest element stands.
std::unique_ptr<Judge> make_place_judge(const Arithmetic& arithmetic, std::span<const std::byte> input);
/// Means, norms and variances.
std::unique_ptr<Judge> make_moment_judge(const Arithmetic& arithmetic, std::span<const std::byte> input);
/// Log-sum-exp and softmax; cross-entropy, where there is a target: the class of this row.
std::unique_ptr<Judge> make_exponential_judge(const Arithmetic& arithmetic, std::span<const std::byte> input,
                                              const std::optional<Operand>& target);
/// LayerNorm and RMSNorm of one row, with the weights and biases among the operands.
std::unique_ptr<Judge> make_normalisation_judge(const Arithmetic& arithmetic,
                                                std::span<const std::byte> input, const Operands& operands);
/// Dot products.
std::unique_ptr<Judge> make_dot_judge(const Arithmetic& arithmetic, std::span<const std::byte> input,
                                      const Operand& second);
/// The largest quotient.
std::unique_ptr<Judge> make_ratio_judge(const Arithmetic& arithmetic, std::span<const std::byte> input,
                                        const Operand& divisors);
/// Whether any or all elements are not zero, and how many.
std::unique_ptr<Judge> make_counting_judge(const Arithmetic& arithmetic, std::span<const std::byte> input);
/// How many elements make a sum of p.
std::unique_ptr<Judge> make_nucleus_judge(const Arithmetic& arithmetic, std::span<const std::byte> input);
/// The largest elements in order, or where they stand.
std::unique_ptr<Judge> make_ranking_judge(const Arithmetic& arithmetic, std::span<const std::byte> input);
/// Histograms of elements that are bin numbers.
std::unique_ptr<Judge> make_histogram_judge(const Arithmetic& arithmetic, std::span<const std::byte> input);

}  // namespace foldproof
