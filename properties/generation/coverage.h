// Which classes of cases an audit has sampled, so that a run that missed one says so.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "properties/case.h"
#include "properties/generation/domain.h"

namespace foldproof {

class Coverage {
 public:
  void add(const Case& c);

  /// What the domain admits and no case sampled, as one sentence; empty where nothing was missed.
  std::string missed(const Domain& domain, const std::vector<std::string>& distributions) const;

  /// The largest count of a case, where the domain claims larger ones.
  std::optional<std::int64_t> untried_above(const Domain& domain) const;

 private:
  std::set<std::string> distributions_;
  std::set<Schedule::Order> orders_;
  std::set<std::int64_t> counts_;
  bool misaligned_ = false, repeated_ = false;
};

}  // namespace foldproof
