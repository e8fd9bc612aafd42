// LayerNorm and RMSNorm of one row.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "oracles/references/reference.h"

namespace foldproof {

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

}  // namespace foldproof
