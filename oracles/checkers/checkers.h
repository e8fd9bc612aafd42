// One checker for each way of computing. The arithmetic that reaches these has passed why_no_checker().
#pragma once

#include <memory>
#include <span>

#include "oracles/checker.h"

namespace foldproof {

/// Floating-point sums, of floating-point or integer elements.
std::unique_ptr<FoldChecker> make_sum_checker(const Arithmetic& arithmetic, std::span<const std::byte> input);
/// Floating-point products.
std::unique_ptr<FoldChecker> make_product_checker(const Arithmetic& arithmetic,
                                                  std::span<const std::byte> input);
/// Sums and maxima of magnitudes.
std::unique_ptr<FoldChecker> make_magnitude_checker(const Arithmetic& arithmetic,
                                                    std::span<const std::byte> input);
/// What folds magnitudes, as a fold of elements that are magnitudes; any other arithmetic as it is.
Arithmetic of_magnitudes(const Arithmetic& arithmetic);
/// Smallest and largest elements of every type.
std::unique_ptr<FoldChecker> make_extremum_checker(const Arithmetic& arithmetic,
                                                   std::span<const std::byte> input);
/// Integer sums and products, modulo 2^width.
std::unique_ptr<FoldChecker> make_integer_checker(const Arithmetic& arithmetic,
                                                  std::span<const std::byte> input);
/// Where the smallest or largest element stands.
std::unique_ptr<Checker> make_index_checker(const Arithmetic& arithmetic, std::span<const std::byte> input);
/// Means, norms and variances.
std::unique_ptr<Checker> make_moment_checker(const Arithmetic& arithmetic, std::span<const std::byte> input);
/// Log-sum-exp and softmax; cross-entropy, where there is a target: the class of this row.
std::unique_ptr<Checker> make_exponential_checker(const Arithmetic& arithmetic,
                                                  std::span<const std::byte> input,
                                                  const std::optional<Operand>& target);
/// LayerNorm and RMSNorm of one row, with the weights and biases among the operands.
std::unique_ptr<Checker> make_normalisation_checker(const Arithmetic& arithmetic,
                                                    std::span<const std::byte> input,
                                                    const Operands& operands);
/// Dot products.
std::unique_ptr<Checker> make_dot_checker(const Arithmetic& arithmetic, std::span<const std::byte> input,
                                          const Operand& second);
/// The largest quotient.
std::unique_ptr<Checker> make_ratio_checker(const Arithmetic& arithmetic, std::span<const std::byte> input,
                                            const Operand& divisors);
/// Whether any or all elements are not zero, and how many.
std::unique_ptr<Checker> make_counting_checker(const Arithmetic& arithmetic,
                                               std::span<const std::byte> input);
/// How many elements make a sum of p.
std::unique_ptr<Checker> make_nucleus_checker(const Arithmetic& arithmetic, std::span<const std::byte> input);
/// The largest elements in order, or where they stand.
std::unique_ptr<Checker> make_ranking_checker(const Arithmetic& arithmetic, std::span<const std::byte> input);
/// Histograms of elements that are bin numbers.
std::unique_ptr<Checker> make_histogram_checker(const Arithmetic& arithmetic,
                                                std::span<const std::byte> input);

}  // namespace foldproof
