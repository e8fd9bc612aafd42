// The variables of a case, within the ranges that a contract claims and within what can be run in time.
#pragma once

#include <cstdint>
#include <string>

#include "contracts/contract.h"

namespace foldproof {

/// The default of --largest: what the emulated device can run in time. Exceeds 256 blocks of 256 threads, 64
/// blocks of 1024 threads, … by at least one block.
inline constexpr std::int64_t usual_largest_count = (1 << 16) + (1 << 10);

/// Whether a case with these variables is small enough for schedules that run one lane at a time, which cost
/// up to 32 times as much. A row may have a block of its own.
inline bool suits_slow_schedules(const Variables& variables) {
  constexpr std::int64_t most_elements = 4096, most_rows = 128;
  const auto is_at_most = [&](const char* name, std::int64_t most) {
    const auto found = variables.find(name);
    return found == variables.end() || found->second <= most;
  };
  return is_at_most("count", most_elements) && is_at_most("rows", most_rows);
}

/// Maximum element count of a case that a user or a store gives: more than is ever generated, less than would
/// exhaust a machine.
inline constexpr std::uint64_t largest_given_count = std::uint64_t{1} << 30;

struct Case;

struct Bounds {
  std::int64_t low = 0, high = 0;  ///< inclusive, low <= high

  std::int64_t clamp(std::int64_t x) const { return x < low ? low : x > high ? high : x; }
};

class Domain {
 public:
  /// Cases have at most `largest_count` elements.
  Domain(const Instance& instance, std::uint64_t largest_count)
      : instance_(instance), largest_count_(static_cast<std::int64_t>(largest_count)) {}

  std::int64_t largest_count() const { return largest_count_; }
  const std::vector<std::pair<std::string, Range>>& variables() const { return instance_.domain; }

  /// The values that the variable may have once those before it are chosen, such that the count can be tried.
  /// An empty range (a grid for no elements) is replaced by its low end. Throws InputError if even the low
  /// end of a count exceeds the largest one.
  Bounds bounds(const std::pair<std::string, Range>& variable, const Variables& chosen) const;

  /// For every variable of the domain, in order, the admitted value nearest to the wanted one.
  Variables nearest(const Variables& wanted) const;

  /// The case with the variables that it lacks, such as those that were added to the contract after it was
  /// stored. Its offset is known. Each other one, in the order of the domain, gets the only value among its
  /// 64 lowest with which nearest() changes no variable of the case; the case stays unchanged if there are
  /// none or several. Throws InputError like bounds().
  Case completed(Case c) const;

  /// The smallest and the largest value of a variable over the domain, with those before it at their ends.
  Bounds reach(const std::string& variable) const;

  /// The largest count that the contract claims, whether tried or not; 0 without one.
  std::int64_t claimed_count() const;

  /// Throws InputError, naming variable and range, if the values are not in the domain.
  void check(const Variables& values) const;

 private:
  Bounds claimed(const std::pair<std::string, Range>& variable, const Variables& chosen) const;
  /// The part of a range that the contract allows to be tried. Throws InputError if it is empty.
  Bounds tried_of(const std::string& name, Bounds range, const Variables& chosen) const;
  /// For a variable that the count grows with, the largest value with which the count can be tried.
  std::int64_t highest_that_fits(const std::string& name, Bounds range, Variables chosen) const;
  /// The count for these values, with the other variables at their low ends; 0 without a count. If a range
  /// begins with 0 and has larger values, 1 is used: a factor of 0 would hide the effect of the other
  /// factors.
  std::int64_t least_count(Variables chosen) const;

  const Instance& instance_;
  std::int64_t largest_count_;
};

}  // namespace foldproof
