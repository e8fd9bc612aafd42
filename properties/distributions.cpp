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

using inputs::Argument;
using inputs::Elements;
using inputs::Place;
using Step = void (*)(Elements&);
using Takes = DistributionInfo::Takes;

constexpr Step fills[] = {
#define FOLDPROOF_DISTRIBUTION(id, name, takes, suits, synopsis) inputs::fill_##id,
#include "properties/distributions.def"
#undef FOLDPROOF_DISTRIBUTION
};

constexpr Step changes[] = {
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

/// A row of a table, and its argument.
struct Word {
  std::size_t row = 0;
  Argument argument;
};

constexpr std::string_view places[] = {"first", "last", "edge", "tile", "row", "all"};
/// Beyond the exponents of every format.
constexpr std::int64_t largest_exponent = 4096;
constexpr std::int64_t largest_index = std::int64_t{1} << 40;

[[noreturn]] void wrong(std::string_view text, std::string_view sentence) {
  throw InputError(fmt::format("\"{}\" {}", text, sentence));
}

std::int64_t number(std::string_view text, std::string_view digits, std::int64_t low, std::int64_t high) {
  const auto value = integer_in<std::int64_t>(digits);
  if (!value || *value < low || *value > high)
    wrong(text, fmt::format("must have an integer between {} and {} after its colon", low, high));
  return *value;
}

Place place(std::string_view text, std::string_view name) {
  const auto* found = std::ranges::find(places, name);
  if (found == std::end(places))
    wrong(text, fmt::format("must have one of {} after its colon", fmt::join(places, ", ")));
  return static_cast<Place>(found - std::begin(places));
}

Argument read_argument(DistributionInfo::Takes takes, std::string_view text, std::string_view argument) {
  switch (takes) {
    case DistributionInfo::Takes::nothing: wrong(text, "takes no argument after a colon");
    case DistributionInfo::Takes::index: return {number(text, argument, 0, largest_index), {}};
    case DistributionInfo::Takes::exponent:
      return {number(text, argument, -largest_exponent, largest_exponent), {}};
    case DistributionInfo::Takes::place: break;
  }
  return {std::nullopt, place(text, argument)};
}

/// `kind`: "distribution" or "transform", for the error message. Throws InputError for a name that is in no
/// row, and for an argument that is missing, unexpected or out of range.
Word read_word(std::string_view kind, std::span<const DistributionInfo> rows, std::string_view text) {
  const std::size_t colon = text.find(':');
  const auto found = std::ranges::find(rows, text.substr(0, colon), &DistributionInfo::name);
  if (found == rows.end())
    throw InputError(
        fmt::format("unknown {} \"{}\"; choose one of {}", kind, text.substr(0, colon), names_of(rows)));
  Word word{static_cast<std::size_t>(found - rows.begin()), {}};
  if (colon != std::string_view::npos)
    word.argument = read_argument(found->takes, text, text.substr(colon + 1));
  else if (!found->may_be_bare)
    read_argument(found->takes, text, "");
  return word;
}

Word read(std::string_view kind, std::span<const DistributionInfo> rows, const std::string& text,
          Element element) {
  const Word word = read_word(kind, rows, text);
  if (!suits(rows[word.row], element))
    throw InputError(
        fmt::format("the {} \"{}\" does not support {} elements", kind, rows[word.row].name, name(element)));
  return word;
}

void plant(Elements& x, const InputDistribution& input) {
  for (const auto& [index, value] : input.planted) {
    if (index >= x.size())
      throw InputError(
          fmt::format("planted element {} is out of range: the input has {} elements", index, x.size()));
    x.set_bits(index, planted_bits(x.element(), value));
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

std::string_view bare_name(std::string_view word) { return word.substr(0, word.find(':')); }

void read_words(const std::string& text, InputDistribution& input) {
  std::size_t end = std::min(text.find('+'), text.size());
  input.distribution = text.substr(0, end);
  read_word("distribution", distributions(), input.distribution);
  input.transforms.clear();
  while (end < text.size()) {
    const std::size_t begin = end + 1;
    end = std::min(text.find('+', begin), text.size());
    input.transforms.push_back(text.substr(begin, end - begin));
    read_word("transform", transforms(), input.transforms.back());
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
  const Word distribution = read("distribution", distributions(), input.distribution, plan.element);
  Elements elements(plan, input.seed);
  elements.argument = distribution.argument;
  fills[distribution.row](elements);
  for (std::size_t i = 0; i < input.transforms.size(); ++i) {
    const Word transform = read("transform", transforms(), input.transforms[i], plan.element);
    elements.argument = transform.argument;
    elements.random = SplitMix(mixed(input.seed) + i);
    if (elements.size() != 0) changes[transform.row](elements);
  }
  plant(elements, input);
  return elements.take();
}

}  // namespace foldproof
