#include "properties/distributions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "base/error.h"
#include "base/text.h"
#include "properties/inputs/elements.h"

namespace foldproof {
namespace {

using inputs::Elements;
using Change = void (*)(Elements&);
using Takes = DistributionInfo::Takes;

constexpr Change fills[] = {
#define FOLDPROOF_DISTRIBUTION(id, name, takes, suits, synopsis) inputs::fill_##id,
#include "properties/distributions.def"
#undef FOLDPROOF_DISTRIBUTION
};

constexpr Change changes[] = {
#define FOLDPROOF_TRANSFORM(id, name, takes, suits, synopsis) inputs::transform_##id,
#include "properties/transforms.def"
#undef FOLDPROOF_TRANSFORM
};

constexpr DistributionInfo distribution_rows[] = {
#define FOLDPROOF_DISTRIBUTION(id, name, takes, suits, synopsis) \
  {name, Takes::takes, DistributionInfo::Suits::suits, true},
#include "properties/distributions.def"
#undef FOLDPROOF_DISTRIBUTION
};

constexpr DistributionInfo transform_rows[] = {
#define FOLDPROOF_TRANSFORM(id, name, takes, suits, synopsis) \
  {name, Takes::takes, DistributionInfo::Suits::suits, Takes::takes == Takes::nothing},
#include "properties/transforms.def"
#undef FOLDPROOF_TRANSFORM
};

/// Beyond the exponents of every format.
constexpr std::int64_t largest_exponent = 4096;
constexpr std::int64_t largest_index = std::int64_t{1} << 40;

/// The integer arguments that a name may have.
struct Integers {
  std::int64_t low, high;
};

std::optional<Integers> integers(Takes takes) {
  if (takes == Takes::index) return Integers{0, largest_index};
  if (takes == Takes::exponent) return Integers{-largest_exponent, largest_exponent};
  return std::nullopt;
}

/// Whether the step has an argument that its row takes, or has none where it may.
bool is_admitted(const InputStep& step, const DistributionInfo& row) {
  if (std::holds_alternative<std::monostate>(step.argument)) return row.may_be_bare;
  const auto* number = std::get_if<std::int64_t>(&step.argument);
  if (number == nullptr) return row.takes == Takes::place;
  const auto range = integers(row.takes);
  return range && *number >= range->low && *number <= range->high;
}

std::string should_be(Takes takes) {
  if (const auto range = integers(takes))
    return fmt::format("must have an integer between {} and {} after its colon", range->low, range->high);
  return takes == Takes::nothing
             ? "takes no argument after a colon"
             : fmt::format("must have one of {} after its colon", fmt::join(place_names, ", "));
}

/// The index of the step's row. `kind`: "distribution" or "transform", for the error message. Throws
/// InputError for a name that is in no row, and for an argument that is missing, unexpected or out of range.
std::size_t row_of(std::string_view kind, std::span<const DistributionInfo> rows, const InputStep& step) {
  const auto found = std::ranges::find(rows, step.name, &DistributionInfo::name);
  if (found == rows.end())
    throw InputError(fmt::format("unknown {} \"{}\"; choose one of {}", kind, step.name, names_of(rows)));
  if (!is_admitted(step, *found))
    throw InputError(fmt::format("\"{}\" {}", to_string(step), should_be(found->takes)));
  return static_cast<std::size_t>(found - rows.begin());
}

/// As row_of(); throws InputError for a row that does not support the elements, too.
std::size_t suitable_row(std::string_view kind, std::span<const DistributionInfo> rows, const InputStep& step,
                         Element element) {
  const std::size_t row = row_of(kind, rows, step);
  if (!suits(rows[row], element))
    throw InputError(
        fmt::format("the {} \"{}\" does not support {} elements", kind, step.name, name(element)));
  return row;
}

void check_ends(const ValueRange& values, Element element) {
  if (!is_representable(element, values.low) || !is_representable(element, values.high) ||
      values.low > values.high)
    throw InputError(
        fmt::format("\"values\" is {} .. {}, but it must be a range of {} numbers, smallest first",
                    values.low, values.high, name(element)));
}

void plant(Elements& x, const InputDistribution& input, const std::optional<ValueRange>& values) {
  for (const Planted& planted : input.planted) {
    const auto& [index, value] = planted;
    if (index >= x.size())
      throw InputError(
          fmt::format("planted element {} is out of range: the input has {} elements", index, x.size()));
    x.set_bits(index, planted_bits(x.element(), value));
    if (!is_permitted(planted, x.element(), values))
      throw InputError(
          fmt::format("planted element {} is {}, but the contract permits only values from {} to {}", index,
                      value, values->low, values->high));
  }
}

}  // namespace

std::span<const DistributionInfo> distributions() { return distribution_rows; }
std::span<const DistributionInfo> transforms() { return transform_rows; }

std::string names_of(std::span<const DistributionInfo> rows) {
  constexpr std::string_view words[] = {"", "index", "exponent", "place"};
  std::string names;
  for (const DistributionInfo& row : rows)
    names += fmt::format("{}{}{}{}", names.empty() ? "" : ", ", row.name, row.may_be_bare ? "" : ":",
                         row.may_be_bare ? "" : words[static_cast<std::size_t>(row.takes)]);
  return names;
}

void read_steps(std::string_view text, InputDistribution& input) {
  const auto next = [&] {
    const std::size_t end = std::min(text.find('+'), text.size());
    const InputStep step = input_step(text.substr(0, end));
    text.remove_prefix(end);
    return step;
  };
  input.distribution = next();
  row_of("distribution", distributions(), input.distribution);
  input.transforms.clear();
  while (!text.empty()) {
    text.remove_prefix(1);
    input.transforms.push_back(next());
    row_of("transform", transforms(), input.transforms.back());
  }
}

bool suits(const DistributionInfo& distribution, Element element) {
  switch (distribution.suits) {
    case DistributionInfo::Suits::any: return true;
    case DistributionInfo::Suits::with_sign: return is_float(element) || is_signed_integer(element);
    case DistributionInfo::Suits::floats: return is_float(element);
    case DistributionInfo::Suits::with_infinity:
      return is_float(element) && float_format(element).has_infinity;
    case DistributionInfo::Suits::with_nan: return is_float(element) && float_format(element).has_nan;
  }
  return false;
}

std::vector<std::uint64_t> elements_in(Element element, std::span<const std::byte> bytes) {
  std::vector<std::uint64_t> elements(bytes.size() / size_of(element));
  for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = load(element, bytes, i);
  return elements;
}

std::vector<std::byte> make_input(const InputDistribution& input, const InputPlan& plan) {
  const std::size_t row = suitable_row("distribution", distributions(), input.distribution, plan.element);
  Elements elements(plan, input.seed);
  elements.argument = input.distribution.argument;
  fills[row](elements);
  for (std::size_t i = 0; i < input.transforms.size(); ++i) {
    const std::size_t change = suitable_row("transform", transforms(), input.transforms[i], plan.element);
    elements.argument = input.transforms[i].argument;
    elements.random = SplitMix(mixed(input.seed) + i);
    if (elements.size() != 0) changes[change](elements);
  }
  constexpr std::string_view out_of_range[] = {"subnormals", "overflow", "extremes"};
  const bool is_product = plan.op == Operator::prod && elements.floating() && is_float(plan.accumulator);
  if (is_product && std::ranges::find(out_of_range, input.distribution.name) == std::end(out_of_range))
    inputs::limit_products(elements);
  if (plan.is_nonnegative) inputs::take_magnitudes(elements);
  if (plan.values) {
    check_ends(*plan.values, plan.element);
    inputs::limit_values(elements, *plan.values);
  }
  plant(elements, input, plan.values);
  return elements.take();
}

}  // namespace foldproof
