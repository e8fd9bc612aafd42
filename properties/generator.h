// Draws cases: adversarial counts, blocks, inputs and schedules, each class in its turn.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "contracts/contract.h"
#include "properties/case.h"
#include "properties/generation/domain.h"

namespace foldproof {

/// Classes of counts. Every run of eight consecutive cases holds each class once; every third time, `corner`
/// takes the turn of `large`: the largest count with the largest grid, at first with the largest block.
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

/// What names contract and instance to the generator, so that each has cases of its own.
std::string identity_of(const Contract& contract, const Instance& instance);

/// Of a variable that has at most eight values, and says nothing about the number of elements, each has its
/// turn: as many cases with elements hold them all.
class CaseGenerator {
 public:
  /// `identity` is that of identity_of: a case depends on it, the seed and the index alone; only its order
  /// also on whether the device obeys schedules.
  CaseGenerator(const Instance& instance, const Domain& domain, std::string identity, std::uint64_t seed,
                bool obeys_schedules = true);

  Case generate(std::uint64_t index) const;

  /// The distributions that suit the instance's input, the simplest first; empty without a reduction.
  const std::vector<std::string>& distributions() const { return distributions_; }
  /// The names of the modifiers that suit it; never more than there are distributions.
  const std::vector<std::string>& modifiers() const { return modifiers_; }
  /// A function of the host runs in whatever order the GPU takes.
  bool draws_orders() const { return !is_host(instance_); }
  /// What stands for this schedule on the device.
  LaunchOrder order_for(const Schedule& schedule) const { return adapted(schedule, obeys_schedules_); }
  /// The laws that cases may be tried against; empty where none holds.
  const std::vector<std::string>& laws() const { return laws_; }

 private:
  /// A distribution, and a modifier or the empty text.
  struct Ingredients {
    std::string distribution, modifier;
  };
  /// In a round each distribution has one case and each modifier one; those without elements take none away.
  Ingredients ingredients(std::uint64_t index) const;
  std::string law(std::uint64_t index) const;
  /// Whether the modifier belongs to some cases of every audit.
  bool wants(std::string_view modifier) const;

  const Instance& instance_;
  const Domain& domain_;
  std::string identity_;
  std::uint64_t seed_;
  bool obeys_schedules_;
  std::vector<std::string> distributions_, modifiers_, laws_;
};

}  // namespace foldproof
