// The distributions that inputs are drawn from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "oracles/operator.h"
#include "properties/case.h"

namespace foldproof {

struct RecipeInfo {
  enum class Suits : std::uint8_t { any, with_sign, floats, with_infinity, with_nan };
  std::string_view name;
  Suits suits;
};

/// All distributions, the simplest first.
std::span<const RecipeInfo> recipes();
/// Their names: "equal, integers, …".
std::string recipe_names();

/// What an input is made for.
struct InputPlan {
  Operator op = Operator::sum;
  Element element = Element::f32;
  Element accumulator = Element::f32;
  std::uint64_t count = 0;
};

/// Whether the distribution is made for elements of this type.
bool suits(const RecipeInfo& recipe, Element element);

/// The input's bytes. The same recipe gives the same bytes on every host. Throws InputError for an unknown or
/// unsuitable distribution and for a planted element that does not exist or does not fit.
std::vector<std::byte> make_input(const Recipe& recipe, const InputPlan& plan);

}  // namespace foldproof
