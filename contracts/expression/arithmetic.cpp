#include "contracts/expression/tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace foldproof {

namespace {

Result divide(std::int64_t a, std::int64_t b) {
  if (b == 0 || (b == -1 && a == std::numeric_limits<std::int64_t>::min())) return std::nullopt;
  return a / b;
}

Result remainder(std::int64_t a, std::int64_t b) {
  if (b == 0) return std::nullopt;
  return b == -1 ? 0 : a % b;
}

Result ceil_div(std::int64_t a, std::int64_t b) {
  const Result quotient = divide(a, b);
  if (!quotient) return std::nullopt;
  const bool rounds_up = a % b != 0 && (a < 0) == (b < 0);
  return *quotient + (rounds_up ? 1 : 0);
}

Result multiply(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? Result{} : product;
}

Result power(std::int64_t base, std::int64_t exponent) {
  if (exponent < 0) return std::nullopt;
  if (base == 0 || base == 1) return exponent == 0 ? 1 : base;
  if (base == -1) return exponent % 2 == 0 ? 1 : -1;
  Result product = 1;
  for (; exponent > 0 && product; --exponent) product = multiply(*product, base);
  return product;
}

Result log2_ceil(std::int64_t value) {
  if (value < 1) return std::nullopt;
  std::int64_t exponent = 0;
  while (exponent < 63 && (std::uint64_t{1} << exponent) < static_cast<std::uint64_t>(value)) ++exponent;
  return exponent;
}

}  // namespace

Result apply(ExpressionOperation operation, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  switch (operation) {
    case ExpressionOperation::literal:
    case ExpressionOperation::name: return a;
    case ExpressionOperation::negate:
      return __builtin_sub_overflow(std::int64_t{0}, a, &result) ? Result{} : result;
    case ExpressionOperation::add: return __builtin_add_overflow(a, b, &result) ? Result{} : result;
    case ExpressionOperation::subtract: return __builtin_sub_overflow(a, b, &result) ? Result{} : result;
    case ExpressionOperation::multiply: return multiply(a, b);
    case ExpressionOperation::divide: return divide(a, b);
    case ExpressionOperation::remainder: return remainder(a, b);
    case ExpressionOperation::power: return power(a, b);
    case ExpressionOperation::less: return a < b;
    case ExpressionOperation::less_equal: return a <= b;
    case ExpressionOperation::greater: return a > b;
    case ExpressionOperation::greater_equal: return a >= b;
    case ExpressionOperation::equal: return a == b;
    case ExpressionOperation::not_equal: return a != b;
    case ExpressionOperation::ceil_div: return ceil_div(a, b);
    case ExpressionOperation::minimum: return std::min(a, b);
    case ExpressionOperation::maximum: return std::max(a, b);
    case ExpressionOperation::log2_ceil: return log2_ceil(a);
  }
  return std::nullopt;
}

std::string why_no_result(ExpressionOperation operation, std::int64_t a, std::int64_t b) {
  const bool divides = operation == ExpressionOperation::divide ||
                       operation == ExpressionOperation::remainder ||
                       operation == ExpressionOperation::ceil_div;
  if (divides && b == 0) return fmt::format("division of {} by zero", a);
  if (operation == ExpressionOperation::power && b < 0)
    return fmt::format("{} raised to a negative power ({})", a, b);
  if (operation == ExpressionOperation::log2_ceil && a < 1)
    return fmt::format("log2_ceil({}) is undefined", a);
  return "a result that does not fit in 63 bits";
}

}  // namespace foldproof
