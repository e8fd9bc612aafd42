#include "properties/execution/case_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

#include "devices/undefined_fill.h"
#include "oracles/number.h"
#include "oracles/result_checker.h"
#include "oracles/sum_checkers.h"
#include "properties/distributions.h"
#include "properties/execution/outputs.h"
#include "properties/execution/reduction.h"
#include "properties/execution/uses.h"

namespace foldproof {
namespace {

/// Inputs of at most this many elements are printed in a finding.
constexpr std::size_t most_spelled_elements = 12;

constexpr std::string_view accumulation_hint =
    "; a kernel that accumulates into its output needs `initial` in [output]";

/// For a result that is right only because of the pattern in elements that the kernel did not write.
CheckResult not_written() {
  CheckResult wrong;
  wrong.ok = false;
  wrong.sentence = "the result is right only because of the previous contents of the output";
  return wrong;
}

std::string spelled(Element element, const std::vector<std::byte>& input) {
  std::string text;
  for (const std::uint64_t bits : elements_in(element, input))
    text += fmt::format("{}{}", text.empty() ? "" : ", ", to_text(element, bits));
  return text;
}

/// Checks the results of one planned case and collects the findings.
class CaseChecker {
 public:
  /// `results`: of the case and of the runs it is compared with; `of_derived`: of the inputs that its
  /// relation derives.
  CaseChecker(const CheckedKernel& kernel, const CasePlan& plan, std::vector<JobResult> results,
              std::vector<JobResult> of_derived)
      : instance_(kernel.instance),
        arithmetic_(kernel.arithmetic),
        fixed_tree_(kernel.fixed_tree),
        places_(kernel.places),
        plan_(plan),
        operands_(operands_of(kernel.instance, plan.c->variables, plan.prepared[0])),
        results_(std::move(results)),
        of_derived_(std::move(of_derived)) {}

  Evaluation all() {
    bool complete = true;
    for (const auto* runs : {&results_, &of_derived_})
      for (const JobResult& result : *runs) {
        evaluation_.warp_instructions = sum(evaluation_.warp_instructions, result.warp_instructions);
        evaluation_.cost += result.cost;
        if (result.unsupported) evaluation_.unsupported = result.unsupported;
        for (const Finding& finding : result.findings) add_worst(finding);
        complete &= result.completed;
      }
    if (!instance_.reduction) return std::move(evaluation_);
    if (!complete) {
      evaluation_.evidence = CheckResult::Evidence::nothing;
      evaluation_.why_not = "the run stopped at a finding";
      return std::move(evaluation_);
    }
    outputs_ = outputs_of(instance_);
    const OutputContent own = content(0, 0);
    evaluation_.output.assign(own.bytes.begin(), own.bytes.end());
    const bool kept = kept_input() && left_untouched();
    const bool right = kept && check_values();
    if (plan_.traced) check_uses(results_[*plan_.traced], right || !kept);
    if (right && agree() && satisfies_relation()) return std::move(evaluation_);
    // There is now evidence that the order matters.
    for (Finding& finding : evaluation_.findings)
      if (finding.kind == Kind::unordered_access) finding.severity = Severity::error;
    return std::move(evaluation_);
  }

 private:
  /// A fatal finding does not, since the runs are complete: it is accepted.
  static bool spoils_values(const Finding& finding) {
    return is_undefined_behaviour(finding.kind) && !is_fatal(finding.kind) &&
           finding.severity == Severity::error;
  }

  /// Findings of several runs at one place are reported once, with the highest severity.
  void add_worst(const Finding& finding) {
    std::vector<Finding>& all = evaluation_.findings;
    const auto [known, is_first] = known_.try_emplace({finding.kind, finding.at, finding.other}, all.size());
    if (is_first)
      all.push_back(finding);
    else if (all[known->second].severity < finding.severity)
      all[known->second] = finding;
  }

  /// The default is the last launch, which writes the result.
  void add(Kind kind, const std::string& message, std::optional<std::size_t> launch = std::nullopt) {
    Finding finding;
    finding.kind = kind;
    finding.message = message;
    finding.at = places_.at(launch.value_or(places_.size() - 1));
    evaluation_.findings.push_back(std::move(finding));
  }

  void add_wrong(const CheckResult& check_result, const std::string& message) {
    add(kind_of(check_result), message);
    evaluation_.findings.back().is_about_category = check_result.evidence == CheckResult::Evidence::category;
  }

  /// Of the case itself and the runs that it is compared with.
  OutputContent content(std::size_t run, std::size_t output) const {
    return content_of(outputs_[output], plan_.prepared[run].outputs[output], results_[run]);
  }

  /// A kernel that changes its input affects its later calls as well, so nothing further is reported.
  bool kept_input() {
    const bool may_change = instance_.in_place || !instance_.claims.keeps_input;
    for (std::size_t run = 0; run < results_.size() && !may_change; ++run) {
      const std::vector<std::byte>& after = results_[run].contents[plan_.prepared[run].input];
      const auto [before, now] = std::ranges::mismatch(plan_.input, after);
      if (before == plan_.input.end()) continue;
      const Element type = instance_.reduction->input;
      const auto index = static_cast<std::size_t>(before - plan_.input.begin()) / size_of(type);
      add(Kind::contract_violation,
          fmt::format("the kernel modified its input: element {} changed from {} to {}", index,
                      to_text(type, load(type, plan_.input, index)),
                      to_text(type, load(type, after, index))));
      return false;
    }
    return kept_padding() && kept_operands();
  }

  /// Padding belongs to the callers, as does the input.
  bool kept_padding() {
    for (std::size_t run = 0; run < results_.size() && instance_.input_capacity; ++run) {
      const PreparedJob& prepared = plan_.prepared[run];
      const JobResult& result = results_[run];
      const std::span<const std::byte> after =
          std::span(result.contents[prepared.input]).subspan(first_of_padding(prepared));
      const bool is_kept = prepared.padding.empty()
                               ? result.idle.empty() || are_idle(result.idle[prepared.input],
                                                                 first_of_padding(prepared), after.size())
                               : std::ranges::equal(after, std::span(prepared.padding).last(after.size()));
      if (is_kept) continue;
      add(Kind::contract_violation, "the kernel modified the padding after its input");
      return false;
    }
    return true;
  }

  /// In bytes; of an in-place kernel, also after the output.
  std::size_t first_of_padding(const PreparedJob& prepared) const {
    const PreparedOutput& output = prepared.outputs.front();
    const std::size_t end = (output.first + output.count) * size_of(instance_.reduction->output);
    return std::max(plan_.input.size(), instance_.in_place ? end : 0);
  }

  /// Whether nothing was written to those undefined bytes.
  static bool are_idle(const std::vector<ByteRange>& idle, std::size_t first, std::size_t bytes) {
    std::uint64_t covered = 0;
    for (const ByteRange& range : idle)
      if (range.end > first) covered += range.end - std::max<std::uint64_t>(range.first, first);
    return covered >= bytes;
  }

  bool kept_operands() {
    for (std::size_t run = 0; run < results_.size(); ++run) {
      const PreparedJob& prepared = plan_.prepared[run];
      for (std::size_t i = 0; i < instance_.operands.size(); ++i) {
        if (results_[run].contents[prepared.operands[i]] == prepared.operand_values[i]) continue;
        add(Kind::contract_violation,
            fmt::format("the kernel modified its operand \"{}\"", instance_.operands[i].name));
        return false;
      }
    }
    return true;
  }

  /// Checks that every element of the input is used as the contract claims. Undefined behaviour may lose any
  /// element and is the more informative finding. An uncertain use counts only next to a wrong value.
  void check_uses(const JobResult& result, bool value_is_right) {
    if (!result.trace || !instance_.claims.uses_every_input_once.value_or(true) ||
        std::ranges::any_of(evaluation_.findings, spoils_values))
      return;
    const ProvenanceTrace& trace = *result.trace;
    evaluation_.incomplete = trace.expressions.incomplete();
    if (evaluation_.incomplete) return;
    for (const WrongUse& wrong : wrong_uses(instance_, plan_.c->variables, trace, operands_, plan_.input))
      if (wrong.certain || !value_is_right)
        add(wrong.kind, wrong.message + unwritten(*plan_.traced, content(*plan_.traced, 0)), wrong.launch);
  }

  /// Whether every output is right after every run.
  bool check_values() {
    if (plan_.input.empty() && instance_.claims.empty != EmptyPolicy::identity) return true;
    for (std::size_t i = 0; i < outputs_.size(); ++i)
      if (!check_output(i)) return false;
    return check_by_tree();
  }

  bool check_output(std::size_t i) {
    if (content(0, i).count() == 0) return true;
    const bool is_result = i == 0;
    const std::span<const std::byte> before =
        i == 0 ? std::span<const std::byte>(plan_.prepared[0].before) : std::span<const std::byte>();
    const ResultChecker checker(arithmetic_of_output(i), layout_of(i), plan_.input, operands_, before);
    // The single-call run first: a kernel that is wrong on its first call is not reported as wrong on a later
    // one.
    std::optional<OutputContent> checked;
    CheckResult check_result;
    for (std::size_t run = results_.size(); run-- > 0;) {
      const OutputContent now = content(run, i);
      if (!checked || !std::ranges::equal(now.bytes, checked->bytes)) check_result = checker.check(now.bytes);
      checked = now;
      if (is_result) {
        keep_what_checked(check_result);
        evaluation_.ulps = check_result.ulps;
        forced_ = check_result.evidence == CheckResult::Evidence::exact;
      } else if (run == 0) {
        evaluation_.additional.push_back(
            {outputs_[i].name, check_result.evidence, check_result.why_not, check_result.vacuous});
      }
      if (check_result.ok && relies_on_fill(checker, now)) {
        check_result = not_written();
        check_result.index = unwritten_elements(now).front();
      }
      if (is_result && (run == 0 || !check_result.ok)) keep_error(check_result);
      if (check_result.ok) continue;
      if (is_known_unwritten(run, now, check_result.index))
        add(Kind::wrong_value, fmt::format("{}{}{}{}", outputs_[i].where, never_written(check_result.index),
                                           with_input(), accumulation_hint));
      else
        add_wrong(check_result,
                  outputs_[i].where + when(run) + check_result.sentence + with_input() + unwritten(run, now));
      keep_wrong_part(i, check_result.index);
      return false;
    }
    return true;
  }

  void keep_wrong_part(std::size_t output, std::size_t index) {
    const Reduction& reduction = outputs_[output].reduction;
    const std::size_t count = plan_.input.size() / size_of(reduction.input);
    if (needs_columns(reduction.result))
      evaluation_.wrong_part = part_of(layout_of(output), reduction.op, index, count);
  }

  ResultLayout layout_of(std::size_t output) const {
    return result_layout(outputs_[output].reduction, plan_.c->variables, operands_);
  }

  Arithmetic arithmetic_of_output(std::size_t output) const {
    const Arithmetic general = output == 0
                                   ? *arithmetic_
                                   : arithmetic_of(outputs_[output].reduction, instance_,
                                                   {arithmetic_->flush_to_zero, arithmetic_->approximates});
    return of_case(general, instance_, plan_.c->variables);
  }

  /// Whether the observed order respects the claimed height, and the value the running bound of that order.
  bool check_by_tree() {
    if (!plan_.traced || !results_[*plan_.traced].trace) return true;
    const ProvenanceTrace& trace = *results_[*plan_.traced].trace;
    if (trace.expressions.incomplete() || trace.results.front().empty()) return true;
    if (instance_.claims.height) {
      const HeightCheck height = check_height(instance_, plan_.c->variables, trace);
      evaluation_.height_known = height.is_known;
      if (height.wrong) {
        add(Kind::contract_violation, *height.wrong);
        return false;
      }
    }
    const ResultShape shape = instance_.reduction->result;
    if (shape != ResultShape::value && shape != ResultShape::partials) return true;
    // The traced elements are not what is summed, or not all of it.
    if (!instance_.operands.empty() || instance_.reduction->where || !plan_.prepared[0].before.empty())
      return true;
    const std::span<const std::byte> output = content(*plan_.traced, 0).bytes;
    const auto check_result = checked_by_tree(arithmetic_of_output(0), trace.expressions,
                                              trace.results.front(), output, plan_.input);
    if (!check_result) return true;
    evaluation_.trace = results_[*plan_.traced].trace;
    // The bound of a claimed method may be tighter than that of the order.
    if (check_result->ok && evaluation_.error_over_bound > check_result->error_over_bound) return true;
    keep_error(*check_result);
    keep_what_checked(*check_result);
    if (!evaluation_.ulps) evaluation_.ulps = check_result->ulps;
    if (!check_result->ok) add(Kind::outside_bound, check_result->sentence + with_input());
    return check_result->ok;
  }

  void keep_error(const CheckResult& check_result) {
    evaluation_.error_over_bound = check_result.error_over_bound;
    evaluation_.bounded = check_result.bounded;
  }

  void keep_what_checked(const CheckResult& check_result) {
    evaluation_.evidence = check_result.evidence;
    evaluation_.vacuous = check_result.vacuous;
    evaluation_.why_not = check_result.why_not;
  }

  /// Whether the results of an empty input, or of empty segments, are as before the run, if the contract
  /// claims so.
  bool left_untouched() {
    for (std::size_t i = 0; i < outputs_.size() && instance_.claims.empty == EmptyPolicy::untouched; ++i)
      if (!left_untouched(i)) return false;
    return true;
  }

  bool left_untouched(std::size_t i) {
    const Reduction& reduction = outputs_[i].reduction;
    if (!plan_.input.empty() && reduction.result != ResultShape::segments) return true;
    const OutputContent now = content(0, i);
    const std::vector<std::byte>& before = plan_.prepared[0].outputs[i].untouched;
    const ResultLayout layout = layout_of(i);
    const std::size_t size = size_of(now.type), count = plan_.input.size() / size_of(reduction.input);
    for (std::size_t k = 0; k < now.count(); ++k) {
      if (count != 0 && part_of(layout, reduction.op, k, count).size() != 0) continue;
      for (std::size_t at = k * size; at < (k + 1) * size; ++at) {
        const std::size_t in_buffer = now.start + at;
        if (now.bytes[at] ==
            (in_buffer < before.size() ? before[in_buffer] : UndefinedFill{}.byte(in_buffer)))
          continue;
        add(Kind::contract_violation,
            fmt::format("{}the kernel wrote output {}{}, although the contract claims that it leaves the "
                        "outputs untouched if there are no elements",
                        outputs_[i].where, k,
                        count == 0 ? " for an empty input" : ", the result of an empty segment"));
        return false;
      }
    }
    return true;
  }

  /// The bits of a deterministic kernel must not depend on the run or, if so claimed, on the launch.
  bool agree() {
    if (!is_deterministic(instance_)) return true;
    for (std::size_t i = 0; i < outputs_.size(); ++i)
      for (std::size_t run = 1; run < results_.size(); ++run)
        if (!agrees(run, i)) return false;
    return true;
  }

  bool agrees(std::size_t run, std::size_t i) {
    // Partial results depend on the launch.
    if (run == plan_.relaunched && outputs_[i].reduction.result == ResultShape::partials) return true;
    const OutputContent own = content(0, i), other = content(run, i);
    const auto [here, there] = std::ranges::mismatch(own.bytes, other.bytes);
    if (here == own.bytes.end()) return true;
    const auto index = static_cast<std::size_t>(here - own.bytes.begin()) / size_of(own.type);
    const Comparison& comparison = plan_.comparisons[run - 1];
    add(comparison.kind, fmt::format("{}the result{} is {} {} and {} {}, although the contract claims {}",
                                     outputs_[i].where, own.count() > 1 ? fmt::format(" [{}]", index) : "",
                                     to_text(own.type, load(own.type, own.bytes, index)), comparison.here,
                                     to_text(own.type, load(own.type, other.bytes, index)), comparison.there,
                                     comparison.claim) +
                             with_input() + unwritten(0, own));
    return false;
  }

  /// Whether the results of the derived inputs are right and satisfy the relation.
  bool satisfies_relation() {
    if (plan_.derived.empty()) return true;
    evaluation_.relation_tried = true;
    const Element output_type = instance_.reduction->output;
    std::vector<std::vector<std::uint64_t>> results{elements_in(output_type, content(0, 0).bytes)};
    bool forced = forced_;
    for (std::size_t i = 0; i < plan_.derived.size(); ++i) {
      const OutputContent of_derived =
          content_of(outputs_[0], plan_.of_derived[i].outputs[0], of_derived_[i]);
      results.push_back(elements_in(output_type, of_derived.bytes));
      const relations::Derived& derived = plan_.derived[i];
      const ResultChecker checker(*arithmetic_, result_layout(*instance_.reduction, derived.variables),
                                  derived.input);
      const CheckResult check_result = checker.check(of_derived.bytes);
      forced &= check_result.evidence == CheckResult::Evidence::exact;
      if (check_result.ok) continue;
      add_wrong(check_result,
                fmt::format("{}; {}", check_result.sentence, what_relation_compares("was checked", results)));
      return false;
    }
    const relations::RelationSubject subject{instance_, fixed_tree_, arithmetic_->flush_to_zero};
    if (relations::holds(subject, *plan_.c, plan_.input, results, forced)) return true;
    add(Kind::wrong_value, what_relation_compares("is violated", results));
    return false;
  }

  /// The relation, the inputs, and the results that are known so far.
  std::string what_relation_compares(std::string_view what,
                                     const std::vector<std::vector<std::uint64_t>>& results) const {
    const RelationInfo& relation =
        *std::ranges::find(relation_rows(), plan_.c->relation, &RelationInfo::name);
    std::string text = fmt::format("the relation \"{}\" {} ({}): for ", relation.name, what, relation.claim);
    for (std::size_t i = 0; i < results.size(); ++i) {
      const auto& input = i == 0 ? plan_.input : plan_.derived[i - 1].input;
      text += fmt::format("{}{} the result is {}", i == 0 ? "" : ", and for ", spelled_or_counted(input),
                          first_of(results[i]));
    }
    return text;
  }

  std::string spelled_or_counted(const std::vector<std::byte>& input) const {
    const Element type = instance_.reduction->input;
    const std::size_t count = input.size() / size_of(type);
    return count > most_spelled_elements ? fmt::format("the {} elements of the case", count)
                                         : fmt::format("[{}]", spelled(type, input));
  }

  std::string first_of(const std::vector<std::uint64_t>& results) const {
    if (results.empty()) return "nothing";
    const std::string first = to_text(instance_.reduction->output, results[0]);
    return results.size() == 1 ? first : fmt::format("{}, …", first);
  }

  std::string when(std::size_t run) const {
    std::string text = run == plan_.relaunched ? plan_.comparisons[run - 1].there + ", " : "";
    const std::uint64_t calls = plan_.prepared[run].calls;
    if (calls > 1) text += fmt::format("after {} calls, ", calls);
    return text;
  }

  /// Whether the device has seen that no call wrote the element. What its value seems to be is irrelevant.
  bool is_known_unwritten(std::size_t run, const OutputContent& content, std::size_t index) const {
    return content.idle != nullptr && plan_.prepared[run].calls == 1 &&
           std::ranges::binary_search(unwritten_elements(content), index);
  }

  static std::string never_written(std::size_t index) {
    return fmt::format("element {} of the output was never written", index);
  }

  std::string unwritten(std::size_t run, const OutputContent& content) const {
    const auto elements = unwritten_elements(content);
    if (elements.empty()) return "";
    if (plan_.prepared[run].calls > 1)
      return fmt::format("; the last call did not write element {} of the output", elements.front());
    return fmt::format("; {}{}", never_written(elements.front()), accumulation_hint);
  }

  std::string with_input() const {
    const Element type = instance_.reduction->input;
    const std::size_t count = plan_.input.size() / size_of(type);
    if (count > most_spelled_elements) return "";
    std::string text =
        count == 0 ? "; the input is empty" : fmt::format("; the input is {}", spelled(type, plan_.input));
    for (std::size_t i = 0; i < instance_.operands.size(); ++i) {
      const OperandContract& operand = instance_.operands[i];
      const auto& values = plan_.prepared[0].operand_values[i];
      if (!values.empty() && values.size() / size_of(operand.type) <= most_spelled_elements)
        text += fmt::format(", \"{}\" is {}", operand.name, spelled(operand.type, values));
    }
    const auto& before = plan_.prepared[0].before;
    const Element output = instance_.reduction->output;
    if (!before.empty() && before.size() / size_of(output) <= most_spelled_elements)
      text += fmt::format(", the output held {}", spelled(output, before));
    return text;
  }

  const Instance& instance_;
  const std::optional<Arithmetic>& arithmetic_;
  bool fixed_tree_;
  const std::vector<Position>& places_;
  const CasePlan& plan_;
  Operands operands_;
  std::vector<JobResult> results_, of_derived_;
  std::vector<Output> outputs_;  ///< once the runs have completed
  bool forced_ = false;          ///< the input leaves the case's own result no choice
  Evaluation evaluation_;
  std::map<std::tuple<Kind, Position, std::optional<Position>>, std::size_t>
      known_;  ///< findings of the runs
};

}  // namespace

Evaluation check_case(const CheckedKernel& kernel, const CasePlan& plan, std::vector<JobResult> results,
                      std::vector<JobResult> of_derived) {
  return CaseChecker(kernel, plan, std::move(results), std::move(of_derived)).all();
}

}  // namespace foldproof
