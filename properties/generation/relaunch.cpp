#include "properties/generation/relaunch.h"

#include <algorithm>
#include <array>
#include <bit>
#include <string_view>

#include "contracts/contract.h"
#include "properties/generation/domain.h"
#include "properties/random.h"

namespace foldproof {
namespace {

/// Variables of the input, not of the launch.
constexpr std::array<std::string_view, 5> kept{"count", "rows", "columns", "segments", "offset"};
/// A draw of the variables that determine the count may miss it.
constexpr int most_tries = 8;

/// All magnitudes are equally likely, and the upper end is drawn occasionally: it is the most work.
std::int64_t drawn(const Bounds& range, SplitMix& random) {
  if (random.below(8) == 0) return range.high;
  const auto span = static_cast<std::uint64_t>(range.high - range.low);
  const auto bits = static_cast<std::uint64_t>(std::bit_width(span));
  return range.low + static_cast<std::int64_t>(random.below((span >> random.below(bits + 1)) + 1));
}

Variables drawn_anew(const Domain& domain, const Variables& before, SplitMix& random) {
  Variables chosen;
  for (const auto& variable : domain.variables()) {
    const Bounds range = domain.bounds(variable, chosen);
    const bool keep = std::ranges::find(kept, variable.first) != kept.end();
    chosen[variable.first] = keep ? range.clamp(before.at(variable.first)) : drawn(range, random);
  }
  return chosen;
}

}  // namespace

std::optional<Case> relaunched(const Instance& instance, const Case& c) {
  const Domain domain(instance, static_cast<std::uint64_t>(c.variables.at("count")));
  SplitMix random(hash_of("relaunched", c.input.seed));
  for (int attempt = 0; attempt < most_tries; ++attempt) {
    Case other = c;
    other.variables = drawn_anew(domain, c.variables, random);
    const auto same = [&](std::string_view name) {
      const std::string key(name);
      return !c.variables.contains(key) || c.variables.at(key) == other.variables.at(key);
    };
    if (other.variables != c.variables && std::ranges::all_of(kept, same) &&
        instance.output_count.evaluate(other.variables) == instance.output_count.evaluate(c.variables))
      return other;
  }
  return std::nullopt;
}

}  // namespace foldproof
