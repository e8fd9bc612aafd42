#include "properties/recipes.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>

#include "oracles/number.h"
#include "properties/random.h"

namespace foldproof {
namespace {

/// An input that is being filled.
class Elements {
 public:
  Elements(const InputPlan& plan, std::uint64_t seed)
      : random(seed), seed_(seed), plan_(plan), bytes_(plan.count * size_of(plan.element)) {}

  SplitMix random;

  std::uint64_t seed() const { return seed_; }
  std::size_t size() const { return plan_.count; }
  Element element() const { return plan_.element; }
  Operator op() const { return plan_.op; }
  bool floating() const { return is_float(plan_.element); }
  bool has_sign() const { return floating() || is_signed_integer(plan_.element); }

  /// Bits of the accumulator's significand, or of its magnitude; not more than the element itself has.
  int precision() const {
    const auto bits = [](Element e) {
      return is_float(e) ? float_format(e).precision : static_cast<int>(size_of(e)) * 8 - 1;
    };
    return bits(plan_.accumulator);
  }
  const FloatFormat& format() const { return float_format(plan_.element); }

  void set_bits(std::size_t i, std::uint64_t bits) { store(plan_.element, bytes_, i, bits); }
  void set(std::size_t i, const Number& number) { set_bits(i, encode(plan_.element, number)); }
  void set(std::size_t i, double value) { set(i, number_of(value)); }
  /// ±2^exponent.
  void set_power(std::size_t i, int exponent, bool negative = false) {
    set(i, Number{Number::Category::finite, negative, 1, exponent});
  }
  std::uint64_t bits(std::size_t i) const { return load(plan_.element, bytes_, i); }

  void swap(std::size_t i, std::size_t j) {
    const std::uint64_t held = bits(i);
    set_bits(i, bits(j));
    set_bits(j, held);
  }
  void shuffle() {
    for (std::size_t i = size(); i > 1; --i) swap(i - 1, random.below(i));
  }

  /// First, last, around the edge of a warp or a tile, or anywhere. Not for an empty input.
  std::size_t telling_index() {
    constexpr std::size_t edges[] = {0, 31, 32, 33, 127, 128, 255, 256, 1023, 1024};
    const std::uint64_t choice = random.below(8);
    if (choice < 2) return size() - 1;
    if (choice < 6) return std::min(edges[random.below(std::size(edges))], size() - 1);
    return random.below(size());
  }

  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::uint64_t seed_;
  InputPlan plan_;
  std::vector<std::byte> bytes_;
};

void fill_equal(Elements& x) {
  constexpr double values[] = {1, 1, -1, 3, 0.1, -7};
  const double value = values[x.random.below(std::size(values))];
  for (std::size_t i = 0; i < x.size(); ++i) x.set(i, x.has_sign() ? value : std::fabs(value));
}

void fill_integers(Elements& x) {
  if (x.op() == Operator::prod) {  // ±1 and a few twos
    for (std::size_t i = 0; i < x.size(); ++i) x.set(i, x.has_sign() && x.random.flip() ? -1.0 : 1.0);
    for (int twos = 0; twos < 5 && x.size() != 0; ++twos) x.set(x.random.below(x.size()), 2.0);
    return;
  }
  const std::uint64_t room = std::uint64_t{1} << std::min(x.precision(), 30);
  const std::uint64_t limit = std::min<std::uint64_t>(room / std::max<std::size_t>(x.size(), 1), 100);
  const auto largest = static_cast<std::int64_t>(std::max<std::uint64_t>(limit, 1));
  std::uint64_t left = room;  // where even ones are too many, the rest are zeros
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::int64_t value = x.random.between(x.has_sign() ? -largest : 0, largest);
    const auto magnitude = static_cast<std::uint64_t>(std::abs(value));
    x.set(i, magnitude > left ? 0.0 : static_cast<double>(value));
    left -= std::min(left, magnitude);
  }
  if (limit == 0) x.shuffle();
}

void fill_one_hot(Elements& x) {
  double rest = 0, hot = x.has_sign() && x.random.flip() ? -3 : 3;
  if (x.op() == Operator::prod) rest = 1;
  if (x.op() == Operator::max) rest = x.has_sign() ? -5 : 1, hot = x.has_sign() ? -3 : 3;
  if (x.op() == Operator::min) rest = 5, hot = 3;
  for (std::size_t i = 0; i < x.size(); ++i) x.set(i, rest);
  if (x.size() != 0) x.set(x.telling_index(), hot);
}

void fill_tags(Elements& x) {
  for (std::size_t i = 0; i < x.size(); ++i) x.set(i, x.op() == Operator::prod ? 1.0 : 0.0);
  const int most = x.floating() ? std::min(x.precision(), x.format().highest_exponent + x.format().precision)
                                : static_cast<int>(size_of(x.element())) * 8 - 1;
  const int tags = x.op() == Operator::prod ? std::min(most, 5) : most;
  for (int tag = 0; tag < tags && x.size() != 0; ++tag) {
    const std::size_t at = tag == 0 ? x.size() - 1 : x.telling_index();
    if (decode(x.element(), x.bits(at)).is_zero() || x.op() == Operator::prod) x.set_power(at, tag);
  }
}

void fill_zeros(Elements& x) {
  const std::uint64_t minus_zero = encode(x.element(), {Number::Category::finite, true, 0, 0});
  const std::uint64_t mix = x.seed() % 3;  // only +0, which planted elements stand on; only -0; both
  for (std::size_t i = 0; i < x.size(); ++i)
    x.set_bits(i, mix == 1 || (mix == 2 && x.random.flip()) ? minus_zero : 0);
}

void fill_negative(Elements& x) {
  const double scale = std::ldexp(1.0, static_cast<int>(x.random.below(7)));
  for (std::size_t i = 0; i < x.size(); ++i) x.set(i, -scale * (1 + x.random.unit()));
}

void fill_uniform(Elements& x) {
  const bool product = x.op() == Operator::prod && x.floating();
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!x.floating())
      x.set_bits(i, x.random.next());
    else if (product)
      x.set(i, (x.random.flip() ? -1 : 1) * std::ldexp(1 + x.random.unit(), -static_cast<int>(i % 2)));
    else
      x.set(i, x.random.symmetric());
  }
}

void fill_positive(Elements& x) {
  for (std::size_t i = 0; i < x.size(); ++i) x.set(i, x.random.unit());
}

void fill_alternating(Elements& x) {
  const double large = x.floating() ? std::ldexp(1.0, std::min(x.precision() / 2, 6)) : 100;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double magnitude = (i % 2 == 0 ? large : 1 / large) * (1 + x.random.unit());
    x.set(i, i % 4 < 2 ? magnitude : -magnitude);
  }
}

void fill_sorted(Elements& x) {
  const bool ascending = x.random.flip();
  const int top = std::min(x.precision(), x.format().highest_exponent);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t rank = ascending ? i : x.size() - 1 - i;
    const double exponent =
        static_cast<double>(top) * static_cast<double>(rank) / static_cast<double>(x.size()) - top / 2.0;
    x.set(i, std::ldexp(1 + x.random.unit(), static_cast<int>(exponent)));
  }
}

void fill_exponents(Elements& x) {
  const FloatFormat& format = x.format();
  const int below_leading = format.precision - 1;
  const int headroom = x.op() == Operator::sum ? static_cast<int>(std::bit_width(x.size())) + 2 : 0;
  const int highest = std::max(format.lowest_exponent, format.highest_exponent + below_leading - headroom);
  const std::uint64_t leading_bit = std::uint64_t{1} << below_leading;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::uint64_t significand = leading_bit | (x.random.next() & (leading_bit - 1));
    const auto leading = static_cast<int>(x.random.between(format.lowest_exponent, highest));
    x.set(i, Number{Number::Category::finite, x.random.flip(), significand, leading - below_leading});
  }
}

/// After Ogita, Rump and Oishi, with a plain running sum: each later value takes away what is left of the
/// sum, at exponents that fall, so that the exact sum ends far below the magnitudes.
void fill_ill_conditioned(Elements& x) {
  const int width = std::min(x.precision(), x.format().highest_exponent + x.format().precision - 12);
  double running = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t half = x.size() / 2;
    double value;
    if (i < half) {
      value = std::ldexp(x.random.symmetric(), static_cast<int>(x.random.between(0, std::max(width, 1))) / 2);
    } else {
      const double left = static_cast<double>(x.size() - i) / static_cast<double>(x.size());
      value = std::ldexp(x.random.symmetric(), static_cast<int>(width * left) - width / 2) - running;
    }
    x.set(i, value);
    running += to_double(decode(x.element(), x.bits(i)));
  }
  x.shuffle();
}

void fill_cancelling(Elements& x) {
  std::size_t i = 0;
  for (; i + 1 < x.size(); i += 2) {
    const double value = x.floating() ? std::ldexp(x.random.symmetric(), static_cast<int>(x.random.below(8)))
                                      : static_cast<double>(x.random.between(-100, 100));
    x.set(i, value);
    x.set(i + 1, -value);
  }
  if (i < x.size()) x.set(i, x.floating() ? 0x1p-8 : 1.0);
  x.shuffle();
}

void fill_stagnation(Elements& x) {
  const int large = std::min(x.precision(), x.format().highest_exponent + x.format().precision - 2);
  for (std::size_t i = 0; i < x.size(); ++i) x.set_power(i, i == 0 ? large : 0);
}

void fill_ladder(Elements& x) {
  const int half_ulp = std::max(-x.precision(), x.format().lowest_exponent + 2);
  const double u = std::ldexp(1.0, half_ulp);
  for (std::size_t i = 0; i < x.size(); ++i)
    x.set(i, i == 0 ? 1.0 : u * (1 + (x.random.flip() ? 0.25 : -0.25) * x.random.unit()));
}

void fill_subnormals(Elements& x) {
  const FloatFormat& format = x.format();
  const std::uint64_t smallest_normal = std::uint64_t{1} << (format.precision - 1);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::uint64_t significand = x.random.below(4) == 0
                                          ? smallest_normal + x.random.below(2) - x.random.below(2)
                                          : x.random.below(smallest_normal);
    x.set(i, Number{Number::Category::finite, x.random.flip(), significand, format.lowest_exponent});
  }
}

void fill_overflow(Elements& x) {
  const FloatFormat& format = x.format();
  for (std::size_t i = 0; i < x.size(); ++i)
    x.set(i,
          Number{Number::Category::finite, i % 4 >= 2, format.largest_significand, format.highest_exponent});
}

void fill_extremes(Elements& x) {
  const std::uint64_t top = identity(Operator::min, x.element()),
                      bottom = identity(Operator::max, x.element());
  for (std::size_t i = 0; i < x.size(); ++i) {
    switch (x.random.below(5)) {
      case 0: x.floating() ? x.set_power(i, x.format().lowest_exponent) : x.set_bits(i, top); break;
      case 1: x.floating() ? x.set_power(i, x.format().lowest_exponent, true) : x.set_bits(i, bottom); break;
      case 2:
        x.floating() ? x.set_power(i, x.format().highest_exponent, true) : x.set_bits(i, ~std::uint64_t{0});
        break;
      case 3: x.set(i, 1.0); break;
      default: x.set(i, 0.0); break;
    }
  }
}

void fill_infinities(Elements& x) {
  const std::uint64_t plus = identity(Operator::min, x.element()),
                      minus = identity(Operator::max, x.element());
  const std::uint64_t mix = x.random.below(5);  // only -inf, only inf, some -inf, some inf, both
  fill_uniform(x);
  if (mix < 2)
    for (std::size_t i = 0; i < x.size(); ++i) x.set_bits(i, mix == 0 ? minus : plus);
  for (int planted = 0; mix >= 2 && planted < 2 && x.size() != 0; ++planted)
    x.set_bits(x.telling_index(), mix == 2 || (mix == 4 && planted == 0) ? minus : plus);
}

void fill_nans(Elements& x) {
  fill_uniform(x);
  const std::uint64_t planted = 1 + x.random.below(3);
  for (std::uint64_t i = 0; i < planted && x.size() != 0; ++i)
    x.set(x.telling_index(), Number{Number::Category::nan, false, 0, 0});
}

using Fill = void (*)(Elements&);
constexpr Fill fills[] = {
#define FOLDPROOF_RECIPE(id, name, suits, synopsis) fill_##id,
#include "properties/recipes.def"
#undef FOLDPROOF_RECIPE
};

constexpr RecipeInfo infos[] = {
#define FOLDPROOF_RECIPE(id, name, suits, synopsis) {name, RecipeInfo::Suits::suits},
#include "properties/recipes.def"
#undef FOLDPROOF_RECIPE
};

std::size_t index_of(const std::string& distribution, Element element) {
  const auto* found = std::ranges::find(infos, distribution, &RecipeInfo::name);
  if (found == std::end(infos))
    throw InputError(
        fmt::format("there is no distribution \"{}\"; choose one of {}", distribution, recipe_names()));
  if (!suits(*found, element))
    throw InputError(
        fmt::format("the distribution \"{}\" is not made for {} elements", distribution, name(element)));
  return static_cast<std::size_t>(found - infos);
}

void plant(Elements& x, const Recipe& recipe) {
  const std::size_t bits = size_of(x.element()) * 8;
  for (const auto& [index, pattern] : recipe.planted) {
    if (index >= x.size())
      throw InputError(fmt::format("element {} is planted, but the input has {}", index, x.size()));
    if (bits < 64 && pattern >> bits != 0)
      throw InputError(fmt::format("the planted bits 0x{:x} do not fit into {}", pattern, name(x.element())));
    x.set_bits(index, pattern);
  }
}

}  // namespace

std::span<const RecipeInfo> recipes() { return infos; }

std::string recipe_names() {
  std::string names;
  for (const RecipeInfo& info : infos) names += fmt::format("{}{}", names.empty() ? "" : ", ", info.name);
  return names;
}

bool suits(const RecipeInfo& recipe, Element element) {
  switch (recipe.suits) {
    case RecipeInfo::Suits::any: return true;
    case RecipeInfo::Suits::with_sign: return is_float(element) || is_signed_integer(element);
    case RecipeInfo::Suits::floats: return is_float(element);
    case RecipeInfo::Suits::with_infinity: return is_float(element) && float_format(element).has_infinity;
    case RecipeInfo::Suits::with_nan: return is_float(element) && float_format(element).has_nan;
  }
  return false;
}

std::vector<std::byte> make_input(const Recipe& recipe, const InputPlan& plan) {
  const std::size_t row = index_of(recipe.distribution, plan.element);
  Elements elements(plan, recipe.seed);
  fills[row](elements);
  plant(elements, recipe);
  return elements.take();
}

}  // namespace foldproof
