#include "properties/distributions.h"

#include <fmt/format.h>

#include "properties/inputs/distribution_words.h"
#include "properties/inputs/fills.h"

namespace foldproof {
namespace {

using inputs::Elements;
using inputs::Word;
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

Word read(std::string_view kind, std::span<const DistributionInfo> rows, const std::string& text,
          Element element) {
  const Word word = inputs::read_word(kind, rows, text);
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

std::string distribution_names() { return names_of(distributions()); }
std::string transform_names() { return names_of(transforms()); }

std::string_view bare_name(std::string_view word) { return word.substr(0, word.find(':')); }

void read_words(const std::string& text, InputDistribution& input) {
  std::size_t end = std::min(text.find('+'), text.size());
  input.distribution = text.substr(0, end);
  inputs::read_word("distribution", distributions(), input.distribution);
  input.transforms.clear();
  while (end < text.size()) {
    const std::size_t begin = end + 1;
    end = std::min(text.find('+', begin), text.size());
    input.transforms.push_back(text.substr(begin, end - begin));
    inputs::read_word("transform", transforms(), input.transforms.back());
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
