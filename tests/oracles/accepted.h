// Arithmetic of one format, the results that its checkers accept, and inputs near and far from them.
#pragma once

#include <cmath>
#include <cstddef>
#include <optional>
#include <random>
#include <vector>

#include "elements.h"
#include "oracles/checker.h"
#include "oracles/result_checker.h"

namespace foldproof {

inline Arithmetic all_in(Element element, Operator op = Operator::sum,
                         NanPolicy policy = NanPolicy::propagate) {
  return {op, element, element, element, policy, false, std::nullopt};
}

inline CheckResult checked(const Arithmetic& arithmetic, const std::vector<double>& input, double result) {
  return make_checker(arithmetic, elements_of(arithmetic.input, input))
      ->value(bits_of(arithmetic.output, result));
}

inline bool accepts(const Arithmetic& arithmetic, const std::vector<double>& input, double result) {
  return checked(arithmetic, input, result).ok;
}

inline Arithmetic arithmetic_of(Operator op, Element element = Element::f32) {
  Arithmetic arithmetic;
  arithmetic.op = op;
  arithmetic.input = arithmetic.accumulator = arithmetic.output = element;
  arithmetic.nan = NanPolicy::propagate;
  return arithmetic;
}

inline CheckResult checked_result(const Arithmetic& a, const ResultLayout& layout,
                                  const std::vector<double>& input, const std::vector<double>& outputs) {
  const std::vector<std::byte> bytes = elements_of(a.input, input);
  return ResultChecker(a, layout, bytes).check(elements_of(a.output, outputs));
}

inline bool accepts_result(const Arithmetic& a, const std::vector<double>& input,
                           const std::vector<double>& outputs, const ResultLayout& layout = {}) {
  return checked_result(a, layout, input, outputs).ok;
}

/// A value a number of ulps away.
inline float moved(float x, int ulps) {
  for (; ulps > 0; --ulps) x = std::nextafter(x, INFINITY);
  return x;
}

inline std::vector<double> random_values(std::mt19937& random, std::size_t count, float spread) {
  std::uniform_real_distribution<float> any(-spread, spread);
  std::vector<double> values(count);
  for (double& x : values) x = static_cast<double>(any(random));
  return values;
}

}  // namespace foldproof
