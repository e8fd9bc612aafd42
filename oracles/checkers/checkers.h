// One checker for each method of computation. Callers pass arithmetic that why_no_checker() accepts.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "oracles/checker.h"

namespace foldproof {

/// ", which u16 cannot represent"; empty if the integer type can represent the number.
std::string unless_represented(Element integer, std::uint64_t number);

/// Right, or wrong with a sentence, which is composed only then.
template <class Sentence>
CheckResult decided(bool ok, const Sentence& sentence,
                    CheckResult::Evidence evidence = CheckResult::Evidence::exact) {
  CheckResult check_result;
  check_result.ok = ok;
  check_result.evidence = evidence;
  if (!ok) check_result.sentence = sentence();
  return check_result;
}

/// Right, although other values would also be right: the contract or the instructions leave the choice open.
inline CheckResult one_of_several() {
  CheckResult check_result;
  check_result.evidence = CheckResult::Evidence::bound;
  return check_result;
}

/// Floating-point sums, of floating-point or integer elements.
std::unique_ptr<FoldChecker> make_sum_checker(const Arithmetic& arithmetic, std::span<const std::byte> input);
/// Floating-point products.
std::unique_ptr<FoldChecker> make_product_checker(const Arithmetic& arithmetic,
                                                  std::span<const std::byte> input);
/// Sums and maxima of magnitudes.
std::unique_ptr<FoldChecker> make_magnitude_checker(const Arithmetic& arithmetic,
                                                    std::span<const std::byte> input);
/// A fold of magnitudes rewritten as a fold of elements that are magnitudes; any other arithmetic unchanged.
Arithmetic of_magnitudes(const Arithmetic& arithmetic);
/// Smallest and largest elements of every type.
std::unique_ptr<FoldChecker> make_extremum_checker(const Arithmetic& arithmetic,
                                                   std::span<const std::byte> input);
/// Integer sums and products, modulo 2^width.
std::unique_ptr<FoldChecker> make_integer_checker(const Arithmetic& arithmetic,
                                                  std::span<const std::byte> input);
/// The index of the smallest or largest element.
std::unique_ptr<Checker> make_index_checker(const Arithmetic& arithmetic, std::span<const std::byte> input);
/// Means, norms and variances.
std::unique_ptr<Checker> make_moment_checker(const Arithmetic& arithmetic, std::span<const std::byte> input);
/// Standard deviations and their reciprocals.
std::unique_ptr<Checker> make_deviation_checker(const Arithmetic& arithmetic,
                                                std::span<const std::byte> input);
/// Log-sum-exp, softmax and log-softmax; cross-entropy if there is a target: the class of this row.
std::unique_ptr<Checker> make_exponential_checker(const Arithmetic& arithmetic,
                                                  std::span<const std::byte> input,
                                                  const std::optional<Operand>& target);
/// Cross-entropies with a label for each class.
std::unique_ptr<Checker> make_dense_cross_entropy_checker(const Arithmetic& arithmetic,
                                                          std::span<const std::byte> input,
                                                          const Operand& labels);
/// LayerNorm, RMSNorm and L2 normalization of one row; the operands include the weights and biases.
std::unique_ptr<Checker> make_normalisation_checker(const Arithmetic& arithmetic,
                                                    std::span<const std::byte> input,
                                                    const Operands& operands);
/// Dot products.
std::unique_ptr<PartialsChecker> make_dot_checker(const Arithmetic& arithmetic,
                                                  std::span<const std::byte> input, const Operand& second);
/// Sums and means of squared or absolute differences.
std::unique_ptr<PartialsChecker> make_difference_checker(const Arithmetic& arithmetic,
                                                         std::span<const std::byte> input,
                                                         const Operand& second);
/// Formulas.
std::unique_ptr<PartialsChecker> make_formula_checker(const Arithmetic& arithmetic,
                                                      std::span<const std::byte> input,
                                                      const Operands& operands);
/// Kullback-Leibler divergences.
std::unique_ptr<Checker> make_divergence_checker(const Arithmetic& arithmetic,
                                                 std::span<const std::byte> input, const Operand& second);
/// The largest ratio.
std::unique_ptr<Checker> make_ratio_checker(const Arithmetic& arithmetic, std::span<const std::byte> input,
                                            const Operand& divisors);
/// Whether any or all elements are nonzero, and how many are.
std::unique_ptr<Checker> make_counting_checker(const Arithmetic& arithmetic,
                                               std::span<const std::byte> input);
/// Number of leading elements whose sum reaches p.
std::unique_ptr<Checker> make_nucleus_checker(const Arithmetic& arithmetic, std::span<const std::byte> input);
/// The largest elements in order, or their indices.
std::unique_ptr<Checker> make_ranking_checker(const Arithmetic& arithmetic, std::span<const std::byte> input);
/// Histograms of elements that are bin indices.
std::unique_ptr<Checker> make_histogram_checker(const Arithmetic& arithmetic,
                                                std::span<const std::byte> input);

}  // namespace foldproof
