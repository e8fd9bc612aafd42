// A search for the largest error in units of its bound: hill climbing with restarts.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "contracts/contract.h"
#include "properties/case.h"
#include "properties/generation/domain.h"
#include "properties/generator.h"

namespace foldproof {

/// Starts from the worst of the drawn cases and changes it slightly at each step; a case that is at
/// least as bad replaces it. After a while without success it continues from the next of the worst few. A
/// case depends only on the seed, its index and the results so far, so that a search is reproducible
/// everywhere.
class GuidedSearch {
 public:
  /// `seed`: of the instance.
  GuidedSearch(const Instance& instance, const Domain& domain, const CaseGenerator& generator,
               std::uint64_t seed)
      : instance_(instance), domain_(domain), generator_(generator), seed_(seed) {}

  /// Records the result of a drawn case. `ratio`: its error over the bound; absent if no bound checked it.
  void start_from(const Case& c, std::optional<double> ratio);

  /// The next case; nothing if there is no error to start from (no operation rounds, or no bound checks), or
  /// if a case is already outside its bound.
  std::optional<Case> next(std::uint64_t index) const;

  /// Records the result of a case of next().
  void take(const Case& c, std::optional<double> ratio);

 private:
  struct Peak {
    Case c;
    double ratio = 0;  ///< error over bound; above 0, and above 1 the search ends
  };

  const Instance& instance_;
  const Domain& domain_;
  const CaseGenerator& generator_;
  std::uint64_t seed_;
  std::vector<Peak> peaks_;    ///< the worst drawn cases, each replaced by the worst case reached from it
  std::size_t at_ = 0;         ///< the current one
  std::uint64_t in_vain_ = 0;  ///< steps since the last improvement
  bool beyond_bound_ = false;
};

/// One step of a search: the case with one or two changes to what determines the rounding of a sum: its seed,
/// its distribution or the distribution's argument, a transform, the count, the block, single elements, or,
/// if the contract does not claim determinism, the order. The result is inside the domain, is run once, and
/// is drawn from the seed `draw`.
Case neighbour_of(const Case& c, const Instance& instance, const Domain& domain,
                  const CaseGenerator& generator, std::uint64_t draw);

}  // namespace foldproof
