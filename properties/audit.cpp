#include "properties/audit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <deque>
#include <iterator>
#include <set>
#include <utility>

#include "base/interrupts.h"
#include "contracts/sizes.h"
#include "oracles/number.h"
#include "properties/distributions.h"
#include "properties/execution/evaluation.h"
#include "properties/execution/measurements.h"
#include "properties/finding_collector.h"
#include "properties/generation/coverage.h"
#include "properties/generator.h"
#include "properties/random.h"
#include "properties/search/guided_search.h"
#include "properties/shrinking/shrink.h"
#include "properties/store/store.h"
#include "properties/store/triage.h"

namespace foldproof {
namespace {

using Clock = std::chrono::steady_clock;

/// So many cases are not all empty by chance if the domain admits other inputs.
constexpr std::uint64_t enough_for_elements = 8;

/// Number of guided cases, which come last: by default a quarter and at least four, but no more than half.
std::uint64_t guided_of(const AuditOptions& options) {
  constexpr std::uint64_t least = 4;
  const std::uint64_t all = options.cases;
  return std::min(all, options.guided.value_or(std::min(all / 2, std::max(least, all / 4))));
}

/// Grows with the work of the case.
double size_of_run(const Case& c) {
  auto size = static_cast<double>(c.calls);
  for (const char* variable : {"count", "block", "grid"})
    size *= static_cast<double>(std::max<std::int64_t>(value_of(c.variables, variable).value_or(1), 1));
  return size;
}

class Audit {
 public:
  Audit(const Contract& contract, const Instance& instance, const std::shared_ptr<const Image>& image,
        Runner& runner, const AuditOptions& options, std::uint64_t largest_count)
      : contract_(contract),
        instance_(instance),
        options_(options),
        evaluator_(contract, instance, image, runner),
        capabilities_(runner.capabilities()),
        domain_(instance, largest_count),
        given_(instance, largest_given_count),
        generator_(instance, domain_, identity_of(contract, instance), options.seed,
                   capabilities_.obeys_schedules),
        search_(instance, domain_, generator_, hash_of(identity_of(contract, instance), options.seed)),
        collector_(contract, instance, evaluator_, domain_, options,
                   {[this] { note_progress(); }, [this] { report_so_far(); }}),
        report_(empty_report(contract, instance)),
        measurements_(instance) {}

  KernelReport run() {
    try {
      if (options_.tries_stored) check_stored_cases();
      generate();
      check_deferred_cases();
    } catch (const Interrupted&) {
      end_early(end_reason());
    } catch (const Unsupported& lack) {
      end_for(lack);
    }
    return finished(ended_by_, ended_early_);
  }

  KernelReport replay(Case c) {
    c = domain_.completed(std::move(c));
    domain_.check(c.variables);
    is_replay_ = true;
    collector_.keep_as_given();
    try {
      check(normalized(c));
    } catch (const Interrupted&) {
      end_early(end_reason());
    } catch (const Unsupported& lack) {
      end_for(lack);
    }
    return finished(ended_by_, ended_early_);
  }

 private:
  struct FromStore {
    StoredCase stored;
    double size = 0;           ///< of its run
    bool is_committed = true;  ///< next to the contract; a store elsewhere can only be cleared
  };

  /// The small ones first: failing cases are shrunk, and one that is not may take long.
  void check_stored_cases() {
    std::vector<FromStore> cases;
    const auto add_all = [&](CaseStore::Loaded loaded, bool is_committed) {
      std::ranges::move(loaded.not_read, std::back_inserter(not_audited(is_committed)));
      for (StoredCase& one : loaded.cases) {
        const double size = size_of_run(completed(one.c));
        cases.push_back({std::move(one), size, is_committed});
      }
    };
    add_all(CaseStore(options_.store).load(contract_, instance_), options_.other_stores.empty());
    for (const std::filesystem::path& other : options_.other_stores)
      add_all(CaseStore(other).load(contract_, instance_), true);
    std::ranges::stable_sort(cases, {}, &FromStore::size);
    std::set<std::string> known;
    for (const FromStore& one : cases)
      if (!stopped_ && known.insert(describe(one.stored.c)).second) check_stored(one, true);
  }

  /// Where the report says that a stored case was not run.
  std::vector<std::string>& not_audited(bool is_committed) {
    return is_committed ? report_.not_audited : report_.notes;
  }

  /// A contract that has changed may no longer claim a stored case; that is not the kernel's error.
  void check_stored(const FromStore& one, bool may_wait) {
    try {
      const Case c = given_.completed(one.stored.c);
      given_.check(c.variables);
      if (may_wait && waits(c.variables))
        deferred_.push_back(one);
      else
        check(normalized(c), true);
    } catch (const InputError& outdated) {
      not_audited(one.is_committed)
          .push_back(fmt::format(
              "a stored case no longer fits the contract and was skipped ({}); correct or delete {}: {}",
              outdated.sentence(), one.stored.where.file, describe(one.stored.c)));
    }
  }

  /// Stored cases may have been written by an attacker: neither one that is larger than generated ones nor
  /// many of them may use up the time for these.
  bool waits(const Variables& variables) const {
    const bool is_late = options_.budget && Clock::now() - start_ >= *options_.budget / 2;
    return is_late || domain_.nearest(variables) != variables;
  }

  /// The case itself if it does not fit the contract.
  Case completed(const Case& c) const {
    try {
      return given_.completed(c);
    } catch (const InputError&) {
      return c;
    }
  }

  void check_deferred_cases() {
    while (!deferred_.empty() && !stopped_ && ended_by_ == EndReason::none && !is_out_of_time()) {
      check_stored(deferred_.front(), false);
      deferred_.pop_front();  // not if an interrupt ended it
    }
  }

  bool is_out_of_time() const { return options_.budget && Clock::now() - start_ >= *options_.budget; }

  /// Whether time was too short for some stored case, which may be the only one that fails.
  bool lacks_stored_cases(EndReason ended_by) const {
    return !deferred_.empty() && !stopped_ &&
           (ended_by == EndReason::none || (ended_by == EndReason::out_of_time && has_enough_cases()));
  }

  /// Rewrites planted elements that were given as bits as the values that they represent, and adapts the
  /// order to the device.
  Case normalized(Case c) const {
    c.order = adapted(c.order, capabilities_.obeys_schedules);
    if (instance_.reduction)
      for (Planted& planted : c.input.planted) {
        const Element type = instance_.reduction->input;
        planted.value = planted_text(type, planted_bits(type, planted.value));
      }
    return c;
  }

  void generate() {
    const std::uint64_t drawn = options_.cases - guided_of(options_);
    while (generated_ < options_.cases && !stopped_) {
      const EndReason reason = is_out_of_time() ? EndReason::out_of_time : end_reason();
      if (reason != EndReason::none) {
        end_early(reason);
        if (reason != EndReason::out_of_time) return;
        break;
      }
      const std::uint64_t index = generated_;
      const std::uint64_t next =
          index < drawn ? std::min(drawn, index + evaluator_.cases_together()) : index + 1;
      if (index < drawn)
        draw(index, next);
      else
        guide(index);
      generated_ = next;
      note_progress();
    }
    if (stopped_) return;
    report_.untried_above = coverage_.untried_above(domain_);
    if (!options_.notes_missed) return;
    if (std::string missed = coverage_.missed(domain_, generator_); !missed.empty())
      report_.notes.push_back(std::move(missed));
  }

  void note_progress() const {
    if (options_.progress) options_.progress(generated_, options_.cases);
  }

  /// Notes why not all cases were checked.
  void end_early(EndReason reason) {
    ended_by_ = reason;
    report_.is_cut_off = reason == EndReason::out_of_time;
    ended_early_ = reason == EndReason::too_slow
                       ? fmt::format("a case exceeded the limit of {:g} s set by --case-limit ({})",
                                     std::chrono::duration<double>(options_.case_limit).count(), running_)
                   : reason == EndReason::out_of_time ? "its share of the time budget was exhausted"
                                                      : "the run was interrupted";
    report_.notes.push_back(
        fmt::format("after {} of {} cases, {}", generated_, options_.cases, ended_early_));
  }

  /// Findings remain although the device cannot go on.
  void end_for(const Unsupported& lack) {
    if (collector_.findings().empty()) throw lack;
    ended_early_ = lack.what();
    report_.notes.push_back(
        fmt::format("after {} of {} cases: {}", generated_, options_.cases, ended_early_));
  }

  /// Checks the drawn cases from `begin` up to, but not including, `end`.
  void draw(std::uint64_t begin, std::uint64_t end) {
    std::vector<Case> cases;
    for (std::uint64_t index = begin; index < end; ++index) cases.push_back(generator_.generate(index));
    running_ = describe(cases.front());
    const std::vector<Evaluation> evaluations = evaluator_.evaluate(cases);
    note_progress();
    for (std::size_t k = 0; k < evaluations.size() && !stopped_; ++k) {
      take(cases[k], evaluations[k]);
      search_.start_from(cases[k], evaluations[k].error_over_bound);
    }
    if (stopped_ || evaluations.size() == cases.size()) return;
    // The runner has lost too many processes.
    left_out_ = options_.cases - begin - evaluations.size();
    ended_early_ = "the kernel crashed too many worker processes";
    stopped_ = true;
  }

  /// Checks a case that may have a larger error than all before it or, if no bound guides the search, a drawn
  /// one.
  void guide(std::uint64_t index) {
    const std::optional<Case> c = search_.next(index);
    if (!c) {
      check(generator_.generate(index));
      return;
    }
    search_.take(*c, check(*c).error_over_bound);
  }

  Evaluation check(const Case& c, bool is_stored = false) {
    running_ = describe(c);
    Evaluation evaluation = evaluator_.evaluate(c);
    note_progress();
    take(c, evaluation, is_stored);
    return evaluation;
  }

  void take(const Case& c, const Evaluation& evaluation, bool is_stored = false) {
    report_.warp_instructions = sum(report_.warp_instructions, evaluation.warp_instructions);
    if (evaluation.unsupported) {
      report_.verdict = Verdict::unsupported;
      report_.reason = *evaluation.unsupported;
      stopped_ = true;
      return;
    }
    ++report_.cases;
    coverage_.add(c, facts_of(instance_, evaluation.input), evaluation.relation_tried);
    const bool is_accepted = std::ranges::any_of(evaluation.findings, [&](const Finding& finding) {
      return is_about_values(finding.kind) && is_allowed(finding, contract_, today_);
    });
    measurements_.take(c, evaluation, {is_accepted, is_stored});
    for (const Finding& finding : evaluation.findings) collector_.collect(c, evaluation, finding);
    if (std::ranges::count(evaluation.findings, Kind::timeout, &Finding::kind) != 0) end_for_timeouts();
  }

  /// The next cases would most likely take as long. On the emulated device they always do, unless the
  /// contract is a guess, which may include sizes that no caller uses; on a GPU, a kernel may wait for an
  /// event that may still occur. These get a second chance.
  void end_for_timeouts() {
    const bool has_second_chance = !capabilities_.observes_launches || contract_.file.empty();
    if (is_replay_ || stopped_ || (++timeouts_ == 1 && has_second_chance)) return;
    ended_early_ =
        fmt::format("the audit stopped at the {} case that did not end", timeouts_ == 1 ? "first" : "second");
    report_.notes.push_back(ended_early_);
    stopped_ = true;
  }

  void report_so_far() const {
    if (options_.so_far) options_.so_far(finished(EndReason::interrupted, "the process did not finish"));
  }

  /// The report without measurements and triage.
  KernelReport known_so_far() const {
    KernelReport report = report_;
    report.coverage = coverage_.groups();
    report.seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    report.findings = collector_.findings();
    // What also happens in the domain is not a matter of other launches.
    const auto is_outside = [&](const Finding& one) {
      return std::ranges::none_of(collector_.findings(), [&](const Finding& own) {
        return own.severity == Severity::error && is_like(own, one);
      });
    };
    if (!is_replay_)
      std::ranges::copy_if(contract_.preconditions, std::back_inserter(report.findings), is_outside);
    std::ranges::stable_sort(report.findings, {}, order_in_report);
    if (report.cases == 0 && left_out_ != 0) {
      report.verdict = Verdict::unsupported;
      report.reason = "none of its cases could be run, because other cases had crashed the worker process";
    }
    return report;
  }

  /// A cause is reported itself: where no report shows the place of the same run, another one of its kind.
  static void keep_reported_causes(std::vector<Finding>& findings) {
    for (Finding& finding : findings) {
      if (!finding.cause) continue;
      const auto is_it = [&](const Finding& other) {
        return other.kind == finding.cause->kind && !other.expected &&
               (other.severity == Severity::error || other.kind == Kind::unordered_access);
      };
      const auto is_there = [&](const Finding& other) {
        return is_it(other) && (other.at == finding.cause->at || other.other == finding.cause->at);
      };
      if (std::ranges::any_of(findings, is_there)) continue;
      const auto other = std::ranges::find_if(findings, is_it);
      finding.cause = other == findings.end() ? std::nullopt : std::optional(Cause{other->kind, other->at});
    }
  }

  /// What computes a wrong number usually computes a wrong NaN or infinity as well.
  static void explain_categories(std::vector<Finding>& findings) {
    const auto number = std::ranges::find_if(findings, [](const Finding& finding) {
      return is_about_values(finding.kind) && finding.severity == Severity::error &&
             !finding.is_about_category && !finding.expected;
    });
    if (number == findings.end()) return;
    for (Finding& finding : findings)
      if (finding.is_about_category && !finding.cause) finding.cause = {number->kind, number->at};
  }

  std::vector<std::string> closing_notes() const {
    std::vector<std::string> notes = collector_.notes();
    if (left_out_ != 0)
      notes.push_back(fmt::format(
          "{} cases were skipped because earlier cases had crashed the worker process", left_out_));
    if (!instance_.reduction)
      notes.emplace_back("the values of the outputs were not checked, since the contract has no [reduction]");
    if (evaluator_.accepts_flushing() && !instance_.claims.flushes_subnormals)
      notes.emplace_back(
          "subnormal numbers may be flushed to zero, since the kernel has instructions that do so (.ftz)");
    return notes;
  }

  static KernelReport with_verdict(KernelReport report, Verdict verdict, std::string reason) {
    report.verdict = verdict;
    report.reason = std::move(reason);
    return report;
  }

  KernelReport finished(EndReason ended_by, const std::string& ended_early) const {
    KernelReport report = known_so_far();
    if (report.verdict == Verdict::unsupported) return report;
    measurements_.report_to(report);
    std::ranges::move(closing_notes(), std::back_inserter(report.notes));
    KernelReport triaged = triaged_for(contract_, report);
    const std::string too_little = why_too_little(ended_by, ended_early);
    if (triaged.verdict == Verdict::clean && (ended_early.empty() || lacks_stored_cases(ended_by)) &&
        !too_little.empty())
      return with_verdict(std::move(triaged), Verdict::unchecked, too_little);
    if (triaged.verdict == Verdict::findings && has_only_warnings(triaged) && triaged.reason.empty())
      triaged.reason = too_little;
    if (shows_enough(triaged, ended_by, ended_early)) return triaged;
    // What the source announces may still have come.
    Contract patient = contract_;
    for (Announced& announced : patient.expected) announced.is_optional = true;
    triaged = triaged_for(patient, report);
    triaged.expected = false;
    return with_verdict(std::move(triaged), Verdict::skipped,
                        ended_by == EndReason::out_of_time && generated_ != 0
                            ? fmt::format("{} after {} of {} cases; use --min-cases to accept fewer",
                                          ended_early, generated_, options_.cases)
                            : ended_early);
  }

  /// Why a kernel that does not fail was not checked as intended; empty if it was.
  std::string why_too_little(EndReason ended_by, const std::string& ended_early) const {
    if (lacks_stored_cases(ended_by))
      return fmt::format(
          "{} of the stored cases {} not run: those larger than generated cases run last, as do all that "
          "remain after half of the time budget; allow more time",
          deferred_.size(), deferred_.size() == 1 ? "was" : "were");
    if (ended_early.empty()) return why_unchecked();
    return ended_by == EndReason::out_of_time && has_enough_cases() ? "" : ended_early;
  }

  /// Why the verdict `clean` would claim more than was checked; empty if it would not.
  std::string why_unchecked() const {
    if (instance_.reduction && report_.cases != 0) {
      if (evaluator_.accepts_flushing() && is_compensated(instance_.reduction->sum))
        return "the claimed method was not checked: no bound for compensated sums is proven for kernels that "
               "may flush subnormal numbers (.ftz, --use_fast_math, flushes_subnormals)";
      if (std::string why = measurements_.why_unchecked(); !why.empty()) return why;
      if (!contract_.unchecked_outputs.empty())
        return fmt::format(
            "no guessed contract matches what the kernel stores to \"{}\"; describe it in an "
            "[[additional_output]] of the contract that `foldproof init` writes",
            fmt::join(contract_.unchecked_outputs, "\", \""));
      if (measurements_.with_value() == 0 && !coverage_.only_empty_inputs())
        return "the output had no elements in any case, so no result was checked";
    }
    if (is_replay_)
      return instance_.reduction && report_.cases != 0 && measurements_.with_value() == 0 &&
                     !claims_empty_result()
                 ? "the contract does not specify the result of this case (\"empty\" in [claims])"
                 : "";
    if (!claims_elements())
      return !claims_empty_result()
                 ? "the contract claims only empty inputs, and does not specify their result"
             : instance_.reduction && instance_.claims.empty != EmptyPolicy::untouched &&
                     measurements_.with_value() == 0 && report_.cases != 0
                 ? "the contract claims only empty inputs, whose result has no elements"
                 : "";
    if (!coverage_.only_empty_inputs()) return "";
    if (domain_.claimed_count() > 0 && domain_.reach("count").high == 0)
      return "only the empty input was tried: all others have more elements than --largest allows";
    return generated_ >= enough_for_elements ? "every case had an empty input; use --case to specify another"
                                             : "";
  }

  /// Whether the contract may claim more than the empty input.
  bool claims_elements() const {
    const Range* count = range_of(instance_, "count");
    return count != nullptr && (!count->high.names().empty() || count->high.evaluate({}) != 0);
  }

  /// Whether the contract claims something about the result of an input without elements.
  bool claims_empty_result() const {
    if (!instance_.reduction || instance_.claims.empty == EmptyPolicy::untouched) return true;
    const Operator op = instance_.reduction->op;
    return instance_.claims.empty == EmptyPolicy::identity && info(op).gives != OperatorInfo::Gives::index &&
           op != Operator::cross_entropy;
  }

  KernelReport triaged_for(const Contract& contract, KernelReport report) const {
    triage(report, contract, today_, capabilities_.observes_launches ? Watched::yes : Watched::no);
    keep_reported_causes(report.findings);
    explain_categories(report.findings);
    return report;
  }

  /// A run that ended early, or at a timeout (even an accepted one), cannot show that a kernel is clean, or
  /// that a defect has only the announced findings. A run that used up its budget counts if it generated
  /// enough cases; stored cases do not count, because an attacker may have written them.
  bool shows_enough(const KernelReport& triaged, EndReason ended_by, const std::string& ended_early) const {
    const bool is_clean = triaged.verdict == Verdict::clean;
    if (ended_by == EndReason::none) return !is_clean || ended_early.empty();
    if (is_clean || triaged.expected) return ended_by == EndReason::out_of_time && has_enough_cases();
    return contract_.expected.empty();
  }

  bool has_enough_cases() const {
    return generated_ != 0 &&
           generated_ >= std::min(options_.least_cases.value_or(options_.cases), options_.cases);
  }

  const Contract& contract_;
  const Instance& instance_;
  const AuditOptions& options_;
  Evaluator evaluator_;
  Capabilities capabilities_;
  Domain domain_, given_;  ///< of generated cases, and of those that a user or a store gives
  CaseGenerator generator_;
  GuidedSearch search_;
  std::string today_ = today();
  Coverage coverage_;
  FindingCollector collector_;
  KernelReport report_;  ///< without the findings
  Measurements measurements_;
  std::deque<FromStore> deferred_;  ///< stored cases that run last and have not run yet
  unsigned timeouts_ = 0;
  std::uint64_t left_out_ = 0;   ///< cases that the runner did not run
  std::uint64_t generated_ = 0;  ///< cases that were generated and checked
  std::string running_;          ///< the case that runs
  EndReason ended_by_ = EndReason::none;
  std::string ended_early_;  ///< the reason as a sentence
  bool stopped_ = false, is_replay_ = false;
  Clock::time_point start_ = Clock::now();
};

/// An image that the device cannot load leads to a verdict, not an error.
template <typename Work>
KernelReport unless_unsupported(const Contract& contract, const Instance& instance, const Work& work) {
  try {
    return work();
  } catch (const Unsupported& reason) {
    return empty_report(contract, instance, Verdict::unsupported, reason.what());
  }
}

}  // namespace

KernelReport audit_instance(const Contract& contract, const Instance& instance,
                            const std::shared_ptr<const Image>& image, Runner& runner,
                            const AuditOptions& options) {
  return unless_unsupported(contract, instance, [&] {
    return Audit(contract, instance, image, runner, options, options.largest_count).run();
  });
}

KernelReport replay_case(const Contract& contract, const Instance& instance,
                         const std::shared_ptr<const Image>& image, Runner& runner, const Case& c,
                         const AuditOptions& options) {
  return unless_unsupported(contract, instance, [&] {
    return Audit(contract, instance, image, runner, options, largest_given_count).replay(c);
  });
}

}  // namespace foldproof
