// Standard deviations; LayerNorm, RMSNorm and L2 normalization of one row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "oracles/references/reference.h"

namespace foldproof {

/// sqrt(variance + epsilon), with the variance of oracles/references/moments.h.
Reference deviation(Element element, std::span<const std::byte> elements, const Dyadic& epsilon,
                    std::uint64_t correction = 0);

/// 1 divided by that; +inf if it is 0.
Reference reciprocal_deviation(Element element, std::span<const std::byte> elements, const Dyadic& epsilon,
                               std::uint64_t correction = 0);

/// The transformation of a normalized value: times weight, plus bias. Empty means 1 and 0 everywhere.
struct Affine {
  std::span<const Dyadic> weights, biases;
};

/// (x_i - mean) / sqrt(variance + epsilon) * weight_i + bias_i, with the variance of a population. All NaN if
/// the row contains a NaN or an infinity, or if variance + epsilon is 0.
std::vector<Reference> layer_norm(Element element, std::span<const std::byte> row, const Dyadic& epsilon,
                                  const Affine& affine = {});

/// x_i / sqrt(mean of squares + epsilon) * weight_i + bias_i. All NaN if the row contains a NaN or if the
/// root is 0; if it contains infinities, these give NaN and the others 0 before the bias.
std::vector<Reference> rms_norm(Element element, std::span<const std::byte> row, const Dyadic& epsilon,
                                const Affine& affine = {});

/// x_i divided by the larger of epsilon and the root of the sum of squares. All NaN if the row contains a NaN
/// or if both are 0; if it contains infinities, these give NaN and the others 0.
std::vector<Reference> l2_normalize(Element element, std::span<const std::byte> row, const Dyadic& epsilon);

}  // namespace foldproof
