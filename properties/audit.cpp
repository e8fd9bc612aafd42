#include "properties/audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/interrupts.h"
#include "contracts/sizes.h"
#include "oracles/number.h"
#include "properties/distributions.h"
#include "properties/execution/evaluation.h"
#include "properties/execution/measurements.h"
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

/// Maximum number of findings to shrink; a kernel with more findings is wrong enough for the rest to wait.
constexpr std::size_t most_shrunk = 8;
/// Of all findings together, in warp instructions: with races under a random schedule up to two microseconds
/// each.
constexpr std::uint64_t most_shrinking = 30'000'000;
/// So many cases are not all empty by chance if the domain admits other inputs.
constexpr std::uint64_t enough_for_elements = 8;
constexpr std::ptrdiff_t most_of_a_kind = 100;  ///< of the same severity, in a report

/// Number of guided cases, which come last: by default a quarter and at least four, but no more than half.
std::uint64_t guided_of(const AuditOptions& options) {
  constexpr std::uint64_t least = 4;
  const std::uint64_t all = options.cases;
  return std::min(all, options.guided.value_or(std::min(all / 2, std::max(least, all / 4))));
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
        generator_(instance, domain_, identity_of(contract, instance), options.seed,
                   capabilities_.obeys_schedules),
        search_(instance, domain_, generator_, hash_of(identity_of(contract, instance), options.seed)),
        store_(options.store),
        report_(empty_report(contract, instance)),
        measurements_(instance) {}

  KernelReport run() {
    try {
      if (options_.tries_stored) check_stored_cases();
      generate();
    } catch (const Interrupted&) {
      end_early(end_reason());
    } catch (const Unsupported& lack) {
      end_for(lack);
    }
    return finished(ended_by_, ended_early_);
  }

  KernelReport replay(Case c) {
    c = with_offset_variable(instance_, std::move(c));
    domain_.check(c.variables);
    is_replay_ = true;
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
  void check_stored_cases() {
    std::set<std::string> known;
    const auto check_all = [&](CaseStore::Loaded loaded) {
      std::ranges::move(loaded.notes, std::back_inserter(report_.notes));
      for (const StoredCase& stored : loaded.cases)
        if (!stopped_ && known.insert(describe(stored.c)).second) check_stored(stored.c);
    };
    check_all(store_.load(contract_, instance_));
    for (const std::filesystem::path& other : options_.other_stores)
      if (!stopped_) check_all(CaseStore(other).load(contract_, instance_));
  }

  /// A contract that has changed may no longer claim a stored case; that is not the kernel's error.
  void check_stored(const Case& c) {
    try {
      domain_.check(c.variables);
      check(normalized(c));
    } catch (const InputError& outdated) {
      report_.notes.push_back(
          fmt::format("a stored case was skipped ({}): {}", outdated.sentence(), describe(c)));
    }
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
      const bool is_late = options_.budget && Clock::now() - start_ >= *options_.budget;
      const EndReason reason = is_late ? EndReason::out_of_time : end_reason();
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
                       ? fmt::format("a case exceeded the limit of {:g} s, which --case-limit sets ({})",
                                     std::chrono::duration<double>(options_.case_limit).count(), running_)
                   : reason == EndReason::out_of_time ? "its share of the time budget was exhausted"
                                                      : "the run was interrupted";
    report_.notes.push_back(
        fmt::format("after {} of {} cases, {}", generated_, options_.cases, ended_early_));
  }

  /// Findings remain although the device cannot go on.
  void end_for(const Unsupported& lack) {
    if (report_.findings.empty()) throw lack;
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

  Evaluation check(const Case& c) {
    running_ = describe(c);
    Evaluation evaluation = evaluated(c);
    take(c, evaluation);
    return evaluation;
  }

  Evaluation evaluated(const Case& c) const {
    Evaluation evaluation = evaluator_.evaluate(c);
    note_progress();
    return evaluation;
  }

  void take(const Case& c, const Evaluation& evaluation) {
    report_.warp_instructions = sum(report_.warp_instructions, evaluation.warp_instructions);
    if (evaluation.unsupported) {
      report_.verdict = Verdict::unsupported;
      report_.reason = *evaluation.unsupported;
      stopped_ = true;
      return;
    }
    ++report_.cases;
    coverage_.add(c, facts_of(instance_, evaluation.input), evaluation.relation_tried);
    measurements_.take(c, evaluation);
    for (const Finding& finding : evaluation.findings) collect(c, evaluation, finding);
    if (std::ranges::count(evaluation.findings, Kind::timeout, &Finding::kind) != 0) end_for_timeouts();
  }

  /// The next cases would most likely take as long. On the emulated device they always do; on a GPU, a kernel
  /// that waits for an event that may still occur gets a second chance.
  void end_for_timeouts() {
    if (is_replay_ || stopped_ || (++timeouts_ == 1 && !capabilities_.observes_launches)) return;
    ended_early_ =
        fmt::format("the audit stopped at the {} case that did not end", timeouts_ == 1 ? "first" : "second");
    report_.notes.push_back(ended_early_);
    stopped_ = true;
  }

  /// Shrinks and keeps the first finding of its kind and place; later ones are redundant unless they are more
  /// severe.
  void collect(const Case& c, const Evaluation& evaluation, const Finding& finding) {
    if (find_like(report_.findings, finding) != nullptr) return;
    // Accepted findings are counted by themselves: however many there are, the others are reported.
    const auto is_of_its_kind = [&, is_accepted = is_accepted(finding)](const Finding& other) {
      return other.kind == finding.kind && other.severity == finding.severity &&
             this->is_accepted(other) == is_accepted;
    };
    if (std::ranges::count_if(report_.findings, is_of_its_kind) >= most_of_a_kind) {
      omitted_.insert(finding.kind);
      return;
    }
    tell_so_far_with(finding, c);
    try {
      confirm_and_keep(c, evaluation, finding);
    } catch (const Interrupted&) {
      if (find_like(report_.findings, finding) == nullptr) keep(c, finding);
      throw;
    }
  }

  bool is_accepted(const Finding& finding) const {
    return foldproof::is_accepted(finding, contract_, today_);
  }

  void confirm_and_keep(const Case& c, const Evaluation& evaluation, const Finding& finding) {
    const auto changing =
        options_.shrinks ? not_reproduced(evaluator_, instance_, c, evaluation, finding) : std::nullopt;
    note_progress();
    if (changing) {
      if (find_like(report_.findings, *changing) == nullptr) keep(c, *changing);
    } else if (!options_.shrinks || is_replay_ || report_.findings.size() >= most_shrunk) {
      keep(c, finding);
    } else {
      keep_shrunk(c, finding);
    }
  }

  /// Reports the finding with the message and numbers of the smallest case.
  void keep_shrunk(const Case& c, const Finding& finding) {
    const Case small = shrunk(c, finding);
    if (describe(small) == describe(c)) return keep(c, finding);
    const Evaluation again = evaluated(small);
    if (const Finding* found = find_like(again.findings, finding))
      keep(small, *found);
    else
      keep(c, finding);
  }

  void keep(const Case& c, Finding shown) {
    shown.case_text = describe(c);
    if (!is_replay_) store(c, shown);
    std::erase_if(report_.findings, [&](const Finding& milder) { return is_like(milder, shown); });
    report_.findings.push_back(std::move(shown));
    tell_so_far();
  }

  /// Before the finding is shrunk, which may take long.
  void tell_so_far_with(Finding finding, const Case& c) {
    if (!options_.so_far) return;
    finding.case_text = describe(c);
    report_.findings.push_back(std::move(finding));
    tell_so_far();
    report_.findings.pop_back();
  }

  void tell_so_far() const {
    if (options_.so_far) options_.so_far(finished(EndReason::interrupted, "the process did not finish"));
  }

  /// Adds the command that replays the finding. One note per instance says that cases could not be stored.
  void store(const Case& c, Finding& finding) {
    CaseStore::Saved saved = store_.save(contract_, instance_, c, finding);
    finding.replay = std::move(saved.replay);
    if (!saved.why_not.empty() && !std::exchange(has_store_failed_, true))
      report_.notes.push_back(std::move(saved.why_not));
  }

  /// If runs may differ, a smaller case must fail twice before it replaces a larger one, except for a
  /// timeout, where each run costs the full time limit.
  Case shrunk(const Case& c, const Finding& finding) {
    const int runs = instance_.claims.deterministic || finding.kind == Kind::timeout ? 1 : 2;
    const auto fails = [&](const Case& candidate, std::uint64_t& cost) {
      for (int run = 0; run < runs; ++run) {
        if (end_reason() != EndReason::none) return false;
        const Evaluation evaluation = evaluated(candidate);
        cost += evaluation.cost;
        shrinking_cost_ -= std::min(shrinking_cost_, evaluation.cost);
        if (find_like(evaluation.findings, finding) == nullptr) return false;
      }
      return true;
    };
    const auto input = [&](const Case& candidate) {
      return elements_in(instance_.reduction->input, input_of(instance_, candidate));
    };
    ShrinkBudget budget;
    budget.cost = std::min(budget.cost, shrinking_cost_);
    return shrink(c, domain_, instance_, fails, input, budget);
  }

  KernelReport finished(EndReason ended_by, const std::string& ended_early) const {
    KernelReport report = report_;
    report.coverage = coverage_.groups();
    report.seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    if (report.cases == 0 && left_out_ != 0) {
      report.verdict = Verdict::unsupported;
      report.reason = "none of its cases could be run, because other cases had crashed the worker process";
    }
    if (report.verdict == Verdict::unsupported) return report;
    measurements_.report_to(report);
    if (left_out_ != 0)
      report.notes.push_back(fmt::format(
          "{} cases were skipped because earlier cases had crashed the worker process", left_out_));
    for (const Kind kind : omitted_)
      report.notes.push_back(
          fmt::format("there are more than {} findings of the kind {}; the others are omitted",
                      most_of_a_kind, name(kind)));
    if (evaluator_.accepts_flushing() && !instance_.claims.flushes_subnormals)
      report.notes.emplace_back(
          "subnormal numbers may be flushed to zero, since the kernel has instructions that do so (.ftz)");
    // Undefined behaviour first: it explains wrong values.
    std::stable_partition(report.findings.begin(), report.findings.end(),
                          [](const Finding& finding) { return is_undefined_behaviour(finding.kind); });
    KernelReport triaged = triaged_for(contract_, report);
    if (triaged.verdict == Verdict::clean && ended_early.empty() && has_checked_nothing()) {
      triaged.verdict = Verdict::skipped;
      triaged.reason =
          "every case ended early with a finding that the contract accepts, so no result was checked";
      return triaged;
    }
    if (triaged.verdict == Verdict::clean && ended_early.empty() && !is_replay_ && claims_elements() &&
        coverage_.only_empty_inputs()) {
      const bool fits_none = domain_.claimed_count() > 0 && domain_.reach("count").high == 0;
      if (fits_none || generated_ >= enough_for_elements) {
        triaged.verdict = Verdict::skipped;
        triaged.reason =
            fits_none ? "only the empty input was tried: any other exceeds the largest count (--largest)"
                      : "every case had an empty input; --case specifies another";
        return triaged;
      }
    }
    if (shows_enough(triaged, ended_by, ended_early)) return triaged;
    // What the source announces may still have come.
    Contract patient = contract_;
    for (Announced& announced : patient.expected) announced.is_optional = true;
    triaged = triaged_for(patient, report);
    triaged.verdict = Verdict::skipped;
    triaged.expected = false;
    triaged.reason = ended_by == EndReason::out_of_time && generated_ != 0
                         ? fmt::format("{} after {} of {} cases; --min-cases accepts fewer", ended_early,
                                       generated_, options_.cases)
                         : ended_early;
    return triaged;
  }

  /// Whether the contract may claim more than the empty input.
  bool claims_elements() const {
    const Range* count = range_of(instance_, "count");
    return count != nullptr && (!count->high.names().empty() || count->high.evaluate({}) != 0);
  }

  /// Whether findings ended all cases before the check of their result.
  bool has_checked_nothing() const {
    return instance_.reduction && !report_.findings.empty() &&
           std::ranges::all_of(measurements_.checked_by(), [](std::uint64_t cases) { return cases == 0; });
  }

  KernelReport triaged_for(const Contract& contract, KernelReport report) const {
    triage(report, contract, today_, capabilities_.observes_launches ? Watched::yes : Watched::no);
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
  Domain domain_;
  CaseGenerator generator_;
  GuidedSearch search_;
  CaseStore store_;
  std::string today_ = today();
  Coverage coverage_;
  KernelReport report_;
  Measurements measurements_;
  unsigned timeouts_ = 0;
  std::set<Kind> omitted_;                         ///< kinds with more findings than are reported
  std::uint64_t left_out_ = 0;                     ///< cases that the runner did not run
  std::uint64_t shrinking_cost_ = most_shrinking;  ///< that is left for all findings together
  std::uint64_t generated_ = 0;                    ///< cases that were generated and checked
  std::string running_;                            ///< the case that runs
  EndReason ended_by_ = EndReason::none;
  std::string ended_early_;  ///< the reason as a sentence
  bool stopped_ = false, is_replay_ = false, has_store_failed_ = false;
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

KernelReport empty_report(const Contract& contract, const Instance& instance, Verdict verdict,
                          const std::string& reason) {
  KernelReport report;
  report.verdict = verdict;
  report.reason = reason;
  report.id = contract.id;
  report.label = instance.label;
  report.bindings = instance.bindings;
  report.file = contract.source.string();
  if (!instance.launches.empty()) report.entry = instance.launches.front().entry;
  const std::string stem = contract.source.stem().string();
  report.kernel = contract.id.empty() || contract.id == stem ? stem : contract.id + " " + stem;
  if (instance.reduction)
    report.kernel += fmt::format(" {} {}", name(instance.reduction->input), name(instance.reduction->op));
  return report;
}

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
