// An input that is being filled or transformed, and the functions that do it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "oracles/number.h"
#include "properties/distributions.h"
#include "properties/random.h"

namespace foldproof::inputs {

struct Row {
  std::size_t begin, length;
};

class Elements {
 public:
  /// All elements are +0.
  Elements(const InputPlan& plan, std::uint64_t seed);

  SplitMix random;        ///< for the step that is being applied
  StepArgument argument;  ///< of that step
  /// The argument if it is an index or an exponent.
  std::optional<std::int64_t> integer() const;

  std::uint64_t seed() const { return seed_; }
  std::size_t size() const { return plan_.count; }
  Element element() const { return plan_.element; }
  Element output() const { return plan_.output; }
  /// What sums must reach, for top-p; otherwise 0.
  double p() const { return plan_.p; }
  Operator op() const { return plan_.op; }
  bool floating() const { return is_float(plan_.element); }
  bool has_sign() const { return floating() || is_signed_integer(plan_.element); }
  /// Elements per block, one per thread; at least 1.
  std::size_t tile() const { return plan_.tile; }
  /// The rows that have elements.
  std::vector<Row> rows() const;
  /// Bits of the accumulator's significand or, for an integer, of its magnitude.
  int precision() const;
  const FloatFormat& format() const { return float_format(plan_.element); }
  Element accumulator() const { return plan_.accumulator; }

  std::uint64_t bits(std::size_t i) const { return load(plan_.element, bytes_, i); }
  Number number(std::size_t i) const { return decode(plan_.element, bits(i)); }
  void set_bits(std::size_t i, std::uint64_t bits) { store(plan_.element, bytes_, i, bits); }
  void set(std::size_t i, const Number& number) { set_bits(i, encode(plan_.element, number)); }
  void set(std::size_t i, double value) { set(i, number_of(value)); }
  /// ±2^exponent.
  void set_power(std::size_t i, int exponent, bool negative = false);
  /// The nearest finite value. Not for NaN.
  void set_finite(std::size_t i, const Number& number);

  void swap(std::size_t i, std::size_t j);
  void shuffle();

  /// An index below `count`, which must be positive: the first, the last, one around the edge of a warp or a
  /// tile, or any.
  std::size_t informative_index(std::size_t count);

  const std::vector<std::byte>& bytes() const { return bytes_; }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::uint64_t seed_;
  InputPlan plan_;
  std::vector<std::byte> bytes_;
};

/// For the elements of a floating-point product: replaces elements by 1 or -1, so that no partial product of
/// a row, in any order, overflows or underflows in the accumulator's format, and so that few enough factors
/// round for an error bound. Which elements remain is random. NaN, infinities and zeros remain.
void limit_products(Elements& x);

/// Replaces the elements that are not in the range.
void limit_values(Elements& x, const ValueRange& range);

/// Clears the signs of floating-point elements.
void take_magnitudes(Elements& x);

// The functions that generate inputs, one per row of distributions.def and of transforms.def;
// Elements::argument is the argument of the step.

#define FOLDPROOF_DISTRIBUTION(id, name, takes, suits, synopsis) void fill_##id(Elements& x);
#include "properties/distributions.def"
#undef FOLDPROOF_DISTRIBUTION

#define FOLDPROOF_TRANSFORM(id, name, takes, suits, synopsis) void transform_##id(Elements& x);
#include "properties/transforms.def"
#undef FOLDPROOF_TRANSFORM

}  // namespace foldproof::inputs
