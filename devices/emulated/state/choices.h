// The schedule of a launch and its random numbers.
#pragma once

#include <cstdint>
#include <random>

#include "devices/schedule.h"

namespace foldproof::emulated {

/// One sequence of random numbers serves all parts of a launch, so a seed's meaning includes the order of the
/// draws: moving, adding or removing a draw changes every random schedule.
class Choices {
 public:
  explicit Choices(const Schedule& schedule) : schedule_(schedule), random_(schedule.seed) {}

  bool is(Schedule::Order order) const { return schedule_.order == order; }
  bool is_random() const { return is(Schedule::Order::random); }
  /// Whether the last block and warp run first.
  bool backward() const { return is(Schedule::Order::warps_backward) || is(Schedule::Order::lanes_backward); }
  /// Whether each lane starts as a separate group.
  bool lane_by_lane() const {
    return is(Schedule::Order::lanes_forward) || is(Schedule::Order::lanes_backward);
  }
  std::uint64_t draw() { return random_(); }
  /// Where warps and blocks are placed on the multiprocessors, which no program may rely on. 0: in order, as
  /// under the usual schedule.
  std::uint64_t placement() const {
    constexpr std::uint64_t another = 0x2b;
    return is_random() ? schedule_.seed : backward() ? another : 0;
  }

 private:
  Schedule schedule_;
  std::mt19937_64 random_;
};

}  // namespace foldproof::emulated
