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

/// Starts from the worst of the cases that were drawn, and changes something about it at each step; a case
/// that is worse takes its place. After a while without one it goes on from the next of the worst few. A case
/// depends on the seed, its index and what was taken before, so a search is the same wherever it runs.
class GuidedSearch {
 public:
  /// `seed`: of the instance.
  GuidedSearch(const Instance& instance, const Domain& domain, const CaseGenerator& generator,
               std::uint64_t seed)
      : instance_(instance), domain_(domain), generator_(generator), seed_(seed) {}

  /// What became of a case that was drawn. `ratio`: its error over the bound; absent where no bound checked
  /// it.
  void start_from(const Case& c, std::optional<double> ratio);

  /// The next case; nothing where there is no error to begin with (nothing rounds, or no bound checks), or
  /// where one is beyond its bound already.
  std::optional<Case> next(std::uint64_t index) const;

  /// What became of a case of next().
  void take(const Case& c, std::optional<double> ratio);

 private:
  struct Peak {
    Case c;
    double ratio = 0;  ///< error over bound, in (0, 1]
  };

  const Instance& instance_;
  const Domain& domain_;
  const CaseGenerator& generator_;
  std::uint64_t seed_;
  std::vector<Peak> peaks_;    ///< of different starts, the worst drawn case first
  std::size_t at_ = 0;         ///< the one that is climbed
  std::uint64_t in_vain_ = 0;  ///< steps since it became worse
  bool beyond_bound_ = false;
};

}  // namespace foldproof
