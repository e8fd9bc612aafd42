// Log-sum-exp and softmax, and the pair of maximum and sum that online kernels merge.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "oracles/bounds/exponential.h"
#include "oracles/references/reference.h"

namespace foldproof {

/// ln of the sum of e^x: -inf of nothing and of nothing but -inf, +inf where the input holds +inf and no NaN.
Reference log_sum_exp(Element element, std::span<const std::byte> elements);

/// e^x_i over the sum of all. What the formula about the maximum gives where that is infinite: all NaN, where
/// any element is NaN or +inf, and where all are -inf.
std::vector<Reference> softmax(Element element, std::span<const std::byte> row);

/// The largest element, and the sum of e^(x_i - max). Of nothing, or nothing but -inf: -inf and +0. Where the
/// input holds +inf, the sum is NaN; where it holds NaN, both are.
struct MaxAndSum {
  Reference max, sum;
};
MaxAndSum max_and_sum(Element element, std::span<const std::byte> elements);
/// Of two inputs together.
MaxAndSum merged(const MaxAndSum& a, const MaxAndSum& b);

/// What the bounds of softmax and log-sum-exp ask for, where x_i - max is rounded to `precision` bits. Only
/// for inputs without NaN and +inf that are not all -inf.
ExponentialSums exponential_sums(Element element, std::span<const std::byte> elements, int precision);

}  // namespace foldproof
