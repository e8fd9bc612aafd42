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
  /// The names of the transforms that suit it; never more than there are distributions.
  const std::vector<std::string>& transforms() const { return transforms_; }
  /// A host function runs in whatever order the GPU takes.
  bool draws_orders() const { return !is_host_function(instance_); }
  /// What stands for this schedule on the device.
  LaunchOrder order_for(const Schedule& schedule) const { return adapted(schedule, obeys_schedules_); }
  /// The relations that cases may be tried against; empty where none holds.
  const std::vector<std::string>& relations() const { return relations_; }

 private:
  /// A distribution, and a transform or the empty text.
  struct Ingredients {
    std::string distribution, transform;
  };
  /// In a round each distribution has one case and each transform one; those without elements take none away.
  Ingredients ingredients(std::uint64_t index) const;
  std::string relation(std::uint64_t index) const;
  /// Whether the transform belongs to some cases of every audit.
  bool wants(std::string_view transform) const;

  const Instance& instance_;
  const Domain& domain_;
  std::string identity_;
  std::uint64_t seed_;
  bool obeys_schedules_;
  std::vector<std::string> distributions_, transforms_, relations_;
};

}  // namespace foldproof
