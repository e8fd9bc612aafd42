// What the trial of a guess finds out, and the bytes in which one process tells it another.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "properties/preconditions.h"
#include "sanitizer/finding.h"

namespace foldproof {

/// What a trial decides about a guess.
struct Choice {
  std::size_t candidate = 0;  ///< 0: the likeliest contract; k: the candidate k - 1
  std::string no_fit = {};    ///< empty if a contract explains what the kernel computes
  /// For each unchecked output: which of with_additional_output().
  std::vector<std::size_t> outputs = {};
  /// With `no_fit`: undefined behaviour that a trial run showed.
  std::optional<Finding> misbehaviour = {};
};

/// What the trial finds out. The choice alone is a partial result, after which the trial may reach its limit.
struct Trialled {
  Choice choice;
  std::optional<Preconditions> preconditions;
  bool is_cut = false;
};

std::string packed(const Trialled& trialled);
Trialled unpacked(std::string_view bytes);

}  // namespace foldproof
