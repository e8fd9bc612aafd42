// What an audit measures over all cases of an instance: how values were checked, and how well.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "properties/case.h"
#include "properties/execution/evaluation.h"
#include "properties/verdict.h"

namespace foldproof {

/// What limits the evidence of a case.
struct Evidential {
  bool is_accepted = false;  ///< the contract accepts a wrong value, so nothing checks the value
  bool is_stored = false;    ///< an attacker may have added it, so it does not show that values are checked
};

class Measurements {
 public:
  /// The instance must live as long as this object.
  explicit Measurements(const Instance& instance) : instance_(instance) {}

  void take(const Case& c, const Evaluation& evaluation, Evidential limits = {});

  /// Number of cases that had a value to check, whether or not it was checked.
  std::uint64_t with_value() const;
  /// Why the value, or that of an additional output, was not checked, if so in more than half of the cases
  /// that had it, without stored ones in which it was; otherwise empty.
  std::string why_unchecked() const;

  /// Fills in the accuracy, the worst case, and notes on what was not, or hardly, checked.
  void report_to(KernelReport& report) const;

 private:
  void keep_trace(const Evaluation& evaluation);
  std::optional<OrderShown> order_shown() const;

  const Instance& instance_;
  Accuracy accuracy_;
  std::optional<double> worst_error_over_bound_;
  std::pair<bool, double> worst_{false,
                                 -1};  ///< of that case: whether the ratio is informative, and the ratio
  std::string worst_case_;
  std::uint64_t checked_of_store_ = 0;            ///< stored cases whose value was checked
  std::map<std::string, std::uint64_t> reasons_;  ///< why a value was not checked, and in how many cases
  /// An additional output, by its name.
  struct Additional {
    std::uint64_t cases = 0, unchecked = 0;  ///< without stored cases that were checked
    std::string why_not;                     ///< in the last unchecked case
  };
  std::map<std::string, Additional> additional_;
  std::uint64_t bounded_ = 0, vacuous_ = 0;  ///< cases checked by a bound, and those with a vacuous bound
  std::shared_ptr<const ProvenanceTrace> trace_;           ///< of the largest case whose order can be named
  std::uint64_t incomplete_cases_ = 0;                     ///< cases with incomplete provenance
  std::string incomplete_;                                 ///< the reason
  std::uint64_t known_heights_ = 0, unknown_heights_ = 0;  ///< cases; see Evaluation
};

}  // namespace foldproof
