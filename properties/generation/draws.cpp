#include "properties/generation/draws.h"

#include <algorithm>
#include <set>

#include "oracles/number.h"
#include "properties/distributions.h"

namespace foldproof {
namespace {

constexpr std::int64_t block_edges[] = {1,   2,   4,   8,   16,  17,  31,  32,  33,  48,  64,   65,   96,
                                        100, 127, 128, 129, 192, 255, 256, 257, 512, 768, 1000, 1023, 1024};

/// The most informative exponents: next to 1, and where squares or sums leave the format or its precision.
std::vector<std::int64_t> informative_exponents(std::string_view transform, Element element) {
  if (!is_float(element)) return {0};
  const FloatFormat& format = float_format(element);
  const int p = format.precision, highest = format.highest_exponent + p - 1;
  if (transform == "scale") return {-1, 1, highest / 2 + 3, 2 * format.normal_exponent() / 3};
  if (transform == "shift") return {p / 2, p, p + 3};
  return {-40, -8, 0};
}

}  // namespace

std::int64_t block_in(Chooser& choose, Bounds range) {
  std::set<std::int64_t> edges{range.low, range.high};
  for (const std::int64_t edge : block_edges)
    if (range.clamp(edge) == edge) edges.insert(edge);
  switch (choose.between(0, 4)) {
    case 0: return choose.between(range.low, range.high);
    case 1: return choose.between(0, 1) == 0 ? range.low : range.high;
    default: return choose.one_of(std::vector<std::int64_t>(edges.begin(), edges.end()));
  }
}

std::int64_t row_in(Chooser& choose, Bounds range, std::int64_t block) {
  constexpr std::int64_t few = 300, many = 5000;
  switch (choose.between(0, 7)) {
    case 0: return range.clamp(range.low + choose.between(0, 1));
    case 1: return range.clamp(32 * choose.between(1, 3) + choose.between(-1, 1));
    case 2:
    case 3: return range.clamp(block * choose.between(1, 5) + choose.between(-1, 1));
    case 4: return range.clamp((std::int64_t{1} << choose.between(1, 12)) + choose.between(-1, 1));
    case 5: return choose.between(range.low, range.clamp(many));
    default: return choose.between(range.low, range.clamp(few));
  }
}

std::int64_t variable_in(Chooser& choose, Bounds range) {
  switch (choose.between(0, 5)) {
    case 0: return range.low;
    case 1:
    case 2: return range.high;
    case 3: return range.clamp(range.low + 1);
    case 4: return choose.between(range.low, range.clamp(range.low + 8));
    default: return choose.between(range.low, range.high);
  }
}

InputStep with_argument(Chooser& choose, const std::string& transform, const Reduction& reduction) {
  using enum PlantedAt;
  const bool extremum = is_extremum(underlying(reduction.op));
  switch (std::ranges::find(transforms(), transform, &DistributionInfo::name)->takes) {
    case DistributionInfo::Takes::place:
      // -0 among other elements makes no difference, and a wrong initial value of an extremum shows only if
      // all elements are infinite.
      if (transform == "minus-zero" || (extremum && transform != "nan")) return {transform, all};
      return {transform, choose.one_of<PlantedAt>({first, last, last, edge, edge, tile, row, all})};
    case DistributionInfo::Takes::exponent:
      return {transform, choose.one_of(informative_exponents(transform, reduction.input))};
    case DistributionInfo::Takes::nothing:
    case DistributionInfo::Takes::index: break;
  }
  return {transform};
}

}  // namespace foldproof
