// Which classes of cases an audit has sampled, and how often, so that a run can report those that it missed.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "contracts/contract.h"
#include "properties/case.h"
#include "properties/generation/domain.h"
#include "properties/generator.h"
#include "properties/verdict.h"

namespace foldproof {

/// What an input contains, whichever distribution generated it: for floating-point elements; empty for
/// others.
struct InputFacts {
  bool nan = false, infinity = false, minus_infinity = false, zero = false, minus_zero = false;
  bool subnormal = false;
  /// For a finite sum, its condition number k = sum |x| / |sum x| as d with 10^d <= k < 10^(d+1), at most
  /// 308; the largest int if the sum is zero and the elements are not. Absent for other operators.
  std::optional<int> decade;
};

/// `input`: elements of the instance's input type.
InputFacts facts_of(const Instance& instance, std::span<const std::byte> input);

class Coverage {
 public:
  /// `relation_tried`: the case's relation applied to it.
  void add(const Case& c, const InputFacts& facts, bool relation_tried);

  /// All counts.
  std::vector<CoverageGroup> groups() const;

  /// The classes that the domain admits and the generator draws but that no case sampled, as one sentence;
  /// empty if nothing was missed.
  std::string missed(const Domain& domain, const CaseGenerator& generator) const;

  /// The largest value of each variable for which the domain claims larger values than can be drawn; among
  /// those that depend on others, the count alone.
  std::map<std::string, std::int64_t> untried_above(const Domain& domain) const;

  /// Whether all cases had a count, and it was 0.
  bool only_empty_inputs() const { return counts_.size() == 1 && counts_.contains(0); }

 private:
  std::vector<std::string> missed_loads() const;
  std::vector<std::string> missed_schedules() const;

  using Counts = std::map<std::string, std::uint64_t>;

  Variables highest_;
  std::map<std::int64_t, std::uint64_t> counts_, blocks_;  ///< elements, and threads per block
  std::map<int, std::uint64_t> decades_;                   ///< of the condition number
  Counts distributions_, transforms_, specials_, relations_;
  std::map<Schedule::Order, std::uint64_t> schedules_;
  std::map<std::size_t, std::uint64_t> loads_;  ///< by index into the names of co-running loads
  std::uint64_t misaligned_ = 0, repeated_ = 0;
};

}  // namespace foldproof
