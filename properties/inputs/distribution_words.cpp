#include "properties/inputs/distribution_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>

#include "base/error.h"

namespace foldproof::inputs {
namespace {

constexpr std::string_view places[] = {"first", "last", "edge", "tile", "row", "all"};
/// Beyond the exponents of every format.
constexpr std::int64_t largest_exponent = 4096;
constexpr std::int64_t largest_index = std::int64_t{1} << 40;

[[noreturn]] void wrong(std::string_view text, std::string_view sentence) {
  throw InputError(fmt::format("\"{}\" {}", text, sentence));
}

std::int64_t number(std::string_view text, std::string_view digits, std::int64_t low, std::int64_t high) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || end != digits.data() + digits.size() || value < low || value > high)
    wrong(text, fmt::format("must have an integer between {} and {} after its colon", low, high));
  return value;
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

}  // namespace

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

}  // namespace foldproof::inputs
