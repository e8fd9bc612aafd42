// What an audit measures over all cases of an instance: how values were checked, and how well.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "properties/case.h"
#include "properties/execution/evaluation.h"
#include "properties/verdict.h"

namespace foldproof {

class Measurements {
 public:
  /// The instance must live as long as this object.
  explicit Measurements(const Instance& instance) : instance_(instance) {}

  /// `is_accepted`: the contract accepts a wrong value, so nothing checks the value of this case.
  void take(const Case& c, const Evaluation& evaluation, bool is_accepted = false);

  /// Number of cases that had a value to check, whether or not it was checked.
  std::uint64_t with_value() const;
  /// Why the value, or that of an additional output, was not checked, if so in more than half of the cases
  /// that had it; otherwise empty.
  std::string why_unchecked() const;

  /// Fills in the accuracy, the worst case, and notes on what was not, or hardly, checked.
  void report_to(KernelReport& report) const;

 private:
  void keep_trace(const Evaluation& evaluation);
  std::optional<OrderShown> order_shown() const;

  const Instance& instance_;
  Accuracy accuracy_;
  std::optional<double> worst_error_over_bound_;
  std::string worst_case_;
  std::map<std::string, std::uint64_t> reasons_;  ///< why a value was not checked, and in how many cases
  /// An additional output, by its name.
  struct Additional {
    std::uint64_t cases = 0, unchecked = 0;
    std::string why_not;  ///< in the last unchecked case
  };
  std::map<std::string, Additional> additional_;
  std::uint64_t bounded_ = 0, vacuous_ = 0;  ///< cases checked by a bound, and those with a vacuous bound
  std::shared_ptr<const ProvenanceTrace> trace_;           ///< of the largest case whose order can be named
  std::uint64_t incomplete_cases_ = 0;                     ///< cases with incomplete provenance
  std::string incomplete_;                                 ///< the reason
  std::uint64_t known_heights_ = 0, unknown_heights_ = 0;  ///< cases; see Evaluation
};

}  // namespace foldproof
