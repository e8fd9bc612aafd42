// Collects the findings of an audit: each once, with the smallest case that shows it, stored for later
// audits.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "contracts/contract.h"
#include "oracles/layout.h"
#include "properties/audit.h"
#include "properties/case.h"
#include "properties/execution/evaluation.h"
#include "properties/generator.h"
#include "properties/store/store.h"
#include "sanitizer/finding.h"

namespace foldproof {

/// Callbacks of a running audit; both are required.
struct AuditEvents {
  std::function<void()> has_progressed;   ///< a case has run
  std::function<void()> found_something;  ///< the collected findings have changed
};

/// All arguments must outlive the collector.
class FindingCollector {
 public:
  FindingCollector(const Contract& contract, const Instance& instance, const Evaluator& evaluator,
                   const Domain& domain, const AuditOptions& options, AuditEvents events);

  /// For a case that the user gave: its findings are neither shrunk nor stored.
  void keep_as_given() { keeps_as_given_ = true; }

  /// Shrinks and keeps the first finding of its kind and place; later ones are redundant unless they are more
  /// severe. Throws Interrupted if the audit must end; the finding is kept.
  void collect(const Case& c, const Evaluation& evaluation, const Finding& finding);

  const std::vector<Finding>& findings() const { return findings_; }
  /// What the report says about findings that are omitted, and about cases that could not be stored.
  std::vector<std::string> notes() const;

 private:
  bool accepts(const Finding& finding) const;
  const Finding* like(const std::vector<Finding>& findings, const Finding& finding) const;
  bool has_too_many_like(const Finding& finding) const;
  void confirm_and_keep(const Case& c, const Evaluation& evaluation, const Finding& finding);
  void keep_shrunk(const Case& c, const Evaluation& evaluation, const Finding& finding);
  void keep(const Case& c, Finding shown, const Evaluation& evaluation);
  std::optional<Cause> cause_of(const Finding& finding, const Evaluation& evaluation) const;
  void announce(Finding finding, const Case& c);
  void store(const Case& c, Finding& finding);
  Case shrunk(const Case& c, const Finding& finding, const std::optional<Part>& wrong);
  Evaluation evaluated(const Case& c) const;

  const Contract& contract_;
  const Instance& instance_;
  const Evaluator& evaluator_;
  const Domain& domain_;
  const AuditOptions& options_;
  AuditEvents events_;
  CaseStore store_;
  std::string today_;
  bool keeps_as_given_ = false;
  std::vector<Finding> findings_;
  std::set<Kind> omitted_;        ///< kinds with more findings than are reported
  std::string why_not_stored_;    ///< of the first case that could not be stored
  std::uint64_t shrinking_cost_;  ///< that is left for all findings together
};

}  // namespace foldproof
