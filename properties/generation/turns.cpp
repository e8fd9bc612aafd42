#include "properties/generation/turns.h"

#include <algorithm>
#include <numeric>

#include "properties/random.h"

namespace foldproof {
namespace {

constexpr std::size_t nudges = 3;

/// The index of the case without elements in a round of count classes.
std::uint64_t empty_place(std::uint64_t round, std::uint64_t seed) {
  const auto classes = permutation(count_classes, mixed(hash_of("count", seed) + round));
  const auto none = static_cast<std::size_t>(CountClass::none);
  return static_cast<std::uint64_t>(std::ranges::find(classes, none) - classes.begin());
}

bool has_own_block(const Turn& turn) { return turn.block != Turn::Block::drawn; }
bool takes_turn(const Turn& turn) { return turn.counts != CountClass::none && !has_own_block(turn); }

/// Number of cases before this one that took a turn; three corners per period do not.
std::uint64_t turns_before(std::uint64_t index, std::uint64_t seed) {
  constexpr std::uint64_t period = count_classes * nudges * 2;
  std::uint64_t corners = 3 * (index / period);
  for (std::uint64_t i = index - index % period; i < index; ++i)
    corners += has_own_block(turn_of(i, seed)) ? 1 : 0;
  return rank_of(index, seed) - corners;
}

/// Counts that can fill a block and are few enough to trace every element. Each round of count classes has
/// two.
bool is_filling(std::uint64_t index, std::uint64_t seed) {
  const CountClass counts = turn_of(index, seed).counts;
  return counts == CountClass::medium || counts == CountClass::power_edge;
}
constexpr std::uint64_t filling_of_round = 2;

std::uint64_t filling_before(std::uint64_t index, std::uint64_t seed) {
  std::uint64_t before = index / count_classes * filling_of_round;
  for (std::uint64_t i = index - index % count_classes; i < index; ++i) before += is_filling(i, seed) ? 1 : 0;
  return before;
}

}  // namespace

std::vector<std::size_t> permutation(std::size_t size, std::uint64_t seed) {
  std::vector<std::size_t> order(size);
  std::iota(order.begin(), order.end(), std::size_t{0});
  SplitMix random(seed);
  shuffle(order, random);
  return order;
}

std::size_t in_turn(std::uint64_t index, std::size_t classes, std::uint64_t seed) {
  return permutation(classes, mixed(seed + index / classes))[index % classes];
}

Turn turn_of(std::uint64_t index, std::uint64_t seed) {
  const auto counts = static_cast<CountClass>(in_turn(index, count_classes, hash_of("count", seed)));
  const auto nudge =
      static_cast<std::int64_t>(in_turn(index / count_classes, nudges, hash_of("nudge", seed))) - 1;
  if (counts != CountClass::large || nudge < 0) return {counts, nudge, Turn::Block::drawn};
  if (nudge == 0) return {CountClass::corner, nudge, Turn::Block::smallest};
  const bool is_largest = index / (count_classes * nudges) % 2 == 0;
  return {CountClass::corner, nudge, is_largest ? Turn::Block::largest : Turn::Block::drawn};
}

std::uint64_t rank_of(std::uint64_t index, std::uint64_t seed) {
  const std::uint64_t round = index / count_classes, place = index % count_classes;
  return round * (count_classes - 1) + place - (place > empty_place(round, seed) ? 1 : 0);
}

std::uint64_t index_of_rank(std::uint64_t rank, std::uint64_t seed) {
  const std::uint64_t round = rank / (count_classes - 1), place = rank % (count_classes - 1);
  return round * count_classes + place + (place >= empty_place(round, seed) ? 1 : 0);
}

ValueTurns::ValueTurns(std::uint64_t index, std::uint64_t seed)
    : index_(index), seed_(seed), before_(turns_before(index, seed)) {}

std::size_t ValueTurns::value(const std::string& name, std::size_t values) const {
  return in_turn(before_, values, hash_of(name, seed_));
}

std::size_t ValueTurns::value_with_blocks(const std::string& name, std::size_t values) const {
  const std::uint64_t hash = hash_of(name, seed_), place = before_ % values;
  std::vector<std::size_t> round = permutation(values, mixed(hash + before_ / values));
  const std::vector<std::size_t> filling = permutation(values, mixed(~hash));
  // The first case of the round.
  std::uint64_t index = index_;
  for (std::uint64_t left = place; left > 0;)
    if (takes_turn(turn_of(--index, seed_))) --left;
  // Each case with such counts swaps values with the case that has the value whose turn it is among them. No
  // swap undoes another: the values of such cases repeat only after all values.
  for (std::size_t at = 0; at < values; ++index) {
    if (!takes_turn(turn_of(index, seed_))) continue;
    if (is_filling(index, seed_)) {
      const std::size_t wanted = filling[filling_before(index, seed_) % values];
      std::swap(round[at], *std::ranges::find(round, wanted));
    }
    ++at;
  }
  return round[place];
}

bool ValueTurns::fills_block(std::size_t values) const {
  return is_filling(index_, seed_) && filling_before(index_, seed_) / values % 2 == 0;
}

}  // namespace foldproof
