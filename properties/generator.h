// Generates cases: adversarial counts, blocks, inputs and schedules, each class in turn.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "contracts/contract.h"
#include "properties/case.h"
#include "properties/generation/domain.h"

namespace foldproof {

/// Classes of counts. Every eight consecutive cases contain each class once; every third time, `corner`
/// replaces `large`: the largest count with the largest grid, every other time with the largest block as
/// well. A medium count usually has at least three tiles.
enum class CountClass : std::uint8_t {
  none,
  one,
  warp_edge,
  tile_edge,
  power_edge,
  small,
  medium,
  large,
  corner
};

/// Identifies contract and instance to the generator, so that each has its own cases.
std::string identity_of(const Contract& contract, const Instance& instance);

/// Every value of a variable that has at most eight values, and does not determine the number of elements,
/// gets a turn: as many cases with elements as there are values contain them all.
class CaseGenerator {
 public:
  /// `identity` is the result of identity_of(). A case depends only on it, the seed and the index; its order
  /// also depends on whether the device obeys schedules.
  CaseGenerator(const Instance& instance, const Domain& domain, const std::string& identity,
                std::uint64_t seed, bool obeys_schedules = true);

  Case generate(std::uint64_t index) const;

  /// The distributions that suit the instance's input, simplest first; empty without a reduction.
  const std::vector<std::string>& distributions() const { return distributions_; }
  /// The names of the transforms that suit it; at most as many as there are distributions.
  const std::vector<std::string>& transforms() const { return transforms_; }
  /// Whether a transform would defeat the purpose of the distribution: exact sums, values that are otherwise
  /// rare and, for an extremum and for integers, elements that are all on one side of zero.
  bool stays_as_made(std::string_view distribution) const;
  /// A host function runs in whatever order the GPU chooses.
  bool draws_orders() const { return !is_host_function(instance_); }
  /// The device's substitute for this schedule.
  LaunchOrder order_for(const Schedule& schedule) const { return adapted(schedule, obeys_schedules_); }
  /// The relations that cases may be checked against; empty if none applies.
  const std::vector<std::string>& relations() const { return relations_; }

 private:
  /// A distribution, and a transform or an empty string.
  struct Ingredients {
    std::string distribution, transform;
  };
  /// In a round, each distribution has one case and each transform one; cases without elements do not count.
  Ingredients ingredients(std::uint64_t index) const;
  std::string relation(std::uint64_t index) const;
  /// The case before the elements of its threads are separated.
  Case drawn(std::uint64_t index) const;
  /// Whether its threads have several elements, which a transform may separate.
  bool may_separate(const Case& c) const;
  /// Whether the transform must occur in some cases of every audit.
  bool wants(std::string_view transform) const;

  const Instance& instance_;
  const Domain& domain_;
  std::uint64_t seed_;
  bool obeys_schedules_;
  std::vector<std::string> distributions_, transforms_, relations_;
  std::vector<std::string> separators_;  ///< for the first cases; empty texts: none
};

}  // namespace foldproof
