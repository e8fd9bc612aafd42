// How inputs are generated: by a distribution, followed by transforms that are applied in order.
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

/// A row of distributions.def or transforms.def.
struct DistributionInfo {
  /// The argument after the colon: none; an index; the exponent of a power of two; or one of first, last,
  /// edge, tile, row and all.
  enum class Takes : std::uint8_t { nothing, index, exponent, place };
  enum class Suits : std::uint8_t { any, with_sign, floats, with_infinity, with_nan };
  std::string_view name;
  Takes takes;
  Suits suits;
  bool may_be_bare;  ///< the argument is optional
};

/// All distributions, simplest first, and all transforms.
std::span<const DistributionInfo> distributions();
std::span<const DistributionInfo> transforms();

/// "equal, integers, …"; a mandatory argument is shown by its kind: "scale:exponent".
std::string names_of(std::span<const DistributionInfo> rows);

/// Reads "uniform+scale:66+nan:last" into distribution and transforms. Throws InputError for an unknown name
/// and a wrong argument.
void read_steps(std::string_view text, InputDistribution& input);

/// From `low` to `high`, both included.
struct ValueRange {
  std::int64_t low = 0, high = 0;
};

/// What an input is generated for.
struct InputPlan {
  Operator op = Operator::sum;
  Element element = Element::f32;
  Element accumulator = Element::f32;
  std::uint64_t count = 0;
  Element output = Element::f32;
  std::uint64_t tile = 32;                ///< elements per block, one per thread; at least 1
  std::uint64_t row = 0;                  ///< elements per row; the last row may be shorter; 0: a single row
  double p = 0;                           ///< what sums must reach, for top-p
  bool is_nonnegative = false;            ///< magnitudes, except of planted elements
  std::optional<ValueRange> values = {};  ///< of all elements; absent: any
};

/// Whether the element is a number of the range.
bool is_within(const ValueRange& range, Element element, std::uint64_t bits);
/// Whether callers may pass what is planted, if the elements have these values; absent: any.
bool is_permitted(const Planted& planted, Element element, const std::optional<ValueRange>& values);
/// Whether the type has that number.
bool is_representable(Element element, std::int64_t integer);

/// The range with the nearest ends inside of it that the type has; nothing if the type has no such integer.
std::optional<ValueRange> narrowed(const ValueRange& values, Element element);

/// Whether the distribution or transform supports elements of this type.
bool suits(const DistributionInfo& distribution, Element element);

/// The elements of an input or output, as bits.
std::vector<std::uint64_t> elements_in(Element element, std::span<const std::byte> bytes);

/// The input's bytes; the same distribution gives the same bytes on every host. The elements of a
/// floating-point product are limited (inputs::limit_products), except for the distributions subnormals,
/// overflow and extremes, since nothing can be said about the result if an order of multiplication may
/// overflow. Throws InputError for an unknown or unsupported name, for a planted element that does not exist,
/// does not fit or is out of the range of values, and for a range whose ends the type does not have.
std::vector<std::byte> make_input(const InputDistribution& input, const InputPlan& plan);

}  // namespace foldproof
