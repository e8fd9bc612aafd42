#include "properties/execution/case_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "devices/undefined_fill.h"
#include "oracles/number.h"
#include "oracles/result_checker.h"
#include "oracles/sum_checkers.h"
#include "properties/distributions.h"
#include "properties/execution/reduction.h"
#include "properties/execution/uses.h"

namespace foldproof {
namespace {

/// Inputs of at most this many elements are printed in a finding.
constexpr std::size_t most_spelled_elements = 12;

/// For a result that is right only because of the pattern in elements that the kernel did not write.
CheckResult not_written() {
  CheckResult wrong;
  wrong.ok = false;
  wrong.sentence = "the result is right only because of what the output held before";
  return wrong;
}

std::vector<std::byte> output_of(const PreparedJob& prepared, const JobResult& result, Element type) {
  std::vector<std::byte> bytes = result.contents[prepared.output];
  bytes.resize(prepared.output_count * size_of(type));
  return bytes;
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
        operands_(operands_of(kernel.instance, plan.prepared[0])),
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
    if (!complete || !instance_.reduction) return std::move(evaluation_);
    evaluation_.output = output_of(plan_.prepared[0], results_[0], output_type());
    const bool right = kept_input() && check_values();
    if (plan_.traced) check_uses(results_[*plan_.traced], right);
    if (right && agree() && satisfies_relation()) return std::move(evaluation_);
    // There is now evidence that the order matters.
    for (Finding& finding : evaluation_.findings)
      if (finding.kind == Kind::unordered_access) finding.severity = Severity::error;
    return std::move(evaluation_);
  }

 private:
  static bool spoils_values(const Finding& finding) {
    return is_undefined_behaviour(finding.kind) && finding.severity == Severity::error;
  }

  /// Findings of several runs at one place are reported once, with the highest severity.
  void add_worst(const Finding& finding) {
    const auto known = std::ranges::find_if(evaluation_.findings, [&](const Finding& f) {
      return f.kind == finding.kind && f.at == finding.at && f.other == finding.other;
    });
    if (known == evaluation_.findings.end())
      evaluation_.findings.push_back(finding);
    else if (known->severity < finding.severity)
      *known = finding;
  }

  /// The default is the last launch, which writes the result.
  void add(Kind kind, const std::string& message, std::optional<std::size_t> launch = std::nullopt) {
    Finding finding;
    finding.kind = kind;
    finding.message = message;
    finding.at = places_.at(launch.value_or(places_.size() - 1));
    evaluation_.findings.push_back(std::move(finding));
  }

  Element output_type() const { return instance_.reduction->output; }

  /// A kernel that changes its input affects its later calls as well, so nothing further is reported.
  bool kept_input() {
    for (std::size_t run = 0; run < results_.size() && !instance_.in_place; ++run) {
      const std::vector<std::byte>& after = results_[run].contents[plan_.prepared[run].input];
      const auto [before, now] = std::ranges::mismatch(plan_.input, after);
      if (before == plan_.input.end()) continue;
      const Element type = instance_.reduction->input;
      const auto index = static_cast<std::size_t>(before - plan_.input.begin()) / size_of(type);
      add(Kind::contract_violation,
          fmt::format("the kernel changed its input: element {} was {} and is {} afterwards", index,
                      to_text(type, load(type, plan_.input, index)),
                      to_text(type, load(type, after, index))));
      return false;
    }
    return kept_operands();
  }

  bool kept_operands() {
    const PreparedJob& prepared = plan_.prepared[0];
    for (std::size_t i = 0; i < instance_.operands.size(); ++i) {
      if (results_[0].contents[prepared.operands[i]] == prepared.operand_values[i]) continue;
      add(Kind::contract_violation,
          fmt::format("the kernel changed its operand \"{}\"", instance_.operands[i].name));
      return false;
    }
    return true;
  }

  /// Checks that every element of the input is used as the contract claims. Undefined behaviour may lose any
  /// element and is the more informative finding.
  void check_uses(const JobResult& result, bool value_is_right) {
    if (!result.trace || !instance_.claims.uses_every_input_once.value_or(true) ||
        std::ranges::any_of(evaluation_.findings, spoils_values))
      return;
    const ProvenanceTrace& trace = *result.trace;
    evaluation_.incomplete = trace.expressions.incomplete();
    if (evaluation_.incomplete) return;
    for (const WrongUse& wrong : wrong_uses(instance_, plan_.c->variables, trace, operands_))
      if (wrong.certain || !value_is_right) add(wrong.kind, wrong.message, wrong.launch);
  }

  /// Whether the value of every run is right.
  bool check_values() {
    if (plan_.input.empty() && instance_.claims.empty == EmptyPolicy::unspecified) return true;
    if (!left_untouched()) return false;
    if (plan_.input.empty() && !plan_.prepared[0].untouched.empty()) return true;
    const ResultChecker checker(arithmetic(), layout_of(*instance_.reduction), plan_.input, operands_);
    // The single-call run first: a kernel that is wrong on its first call is not reported as wrong on a later
    // one.
    std::vector<std::byte> checked;
    CheckResult check_result;
    for (std::size_t run = results_.size(); run-- > 0;) {
      std::vector<std::byte> output = output_of(plan_.prepared[run], results_[run], output_type());
      if (run + 1 == results_.size() || output != checked) check_result = checker.check(output);
      checked = std::move(output);
      if (run == 0 && check_result.error_over_bound)
        evaluation_.error_over_bound = check_result.error_over_bound;
      forced_ = check_result.evidence == CheckResult::Evidence::exact;
      keep_what_checked(check_result);
      evaluation_.ulps = check_result.ulps;
      const auto filled = filled_output(run, checked);
      if (check_result.ok && relies_on_fill(checker, filled)) check_result = not_written();
      if (check_result.ok) continue;
      evaluation_.error_over_bound = check_result.error_over_bound;
      add(kind_of(check_result), when(run) + check_result.sentence + with_input() + unwritten(filled));
      return false;
    }
    return check_additional_outputs() && check_by_tree();
  }

  ResultLayout layout_of(const Reduction& reduction) const {
    return result_layout(reduction, plan_.c->variables, operands_);
  }

  /// Whether the additional outputs are right in every run.
  bool check_additional_outputs() {
    for (std::size_t i = 0; i < instance_.additional_outputs.size(); ++i) {
      const AdditionalOutput& additional = instance_.additional_outputs[i];
      const ResultChecker checker(arithmetic_of(additional.reduction, instance_, arithmetic_->flush_to_zero),
                                  layout_of(additional.reduction), plan_.input, operands_);
      for (std::size_t run = results_.size(); run-- > 0;) {
        CheckResult check_result = checker.check(additional_output_of(run, i));
        const auto filled = filled_additional_output(run, i);
        if (check_result.ok && relies_on_fill(checker, filled)) check_result = not_written();
        if (check_result.ok) continue;
        add(kind_of(check_result), fmt::format("{}in the buffer \"{}\", {}{}{}", when(run), additional.buffer,
                                               check_result.sentence, with_input(), unwritten(filled)));
        return false;
      }
    }
    return true;
  }

  const std::vector<std::byte>& additional_output_of(std::size_t run, std::size_t i) const {
    return results_[run].contents[plan_.prepared[run].additional_outputs[i]];
  }

  Arithmetic arithmetic() const { return of_case(*arithmetic_, instance_, plan_.c->variables); }

  /// Whether the observed order respects the claimed height, and the value the running bound of that order.
  bool check_by_tree() {
    if (!plan_.traced || !results_[*plan_.traced].trace) return true;
    const ProvenanceTrace& trace = *results_[*plan_.traced].trace;
    if (trace.expressions.incomplete()) return true;
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
    if (!instance_.operands.empty()) return true;  // the traced elements are not what is summed
    const std::vector<std::byte> output =
        output_of(plan_.prepared[*plan_.traced], results_[*plan_.traced], output_type());
    const auto check_result =
        checked_by_tree(arithmetic(), trace.expressions, trace.results.front(), output, plan_.input);
    if (!check_result) return true;
    evaluation_.trace = results_[*plan_.traced].trace;
    evaluation_.error_over_bound = check_result->error_over_bound;
    keep_what_checked(*check_result);
    if (!check_result->ok) add(Kind::outside_bound, check_result->sentence + with_input());
    return check_result->ok;
  }

  void keep_what_checked(const CheckResult& check_result) {
    evaluation_.evidence = check_result.evidence;
    evaluation_.vacuous = check_result.vacuous;
    evaluation_.why_not = check_result.why_not;
  }

  /// Whether the results of an empty input, or of empty segments, are as before the run, if the contract
  /// claims it.
  bool left_untouched() {
    if (plan_.prepared[0].untouched.empty()) return true;
    const PreparedJob& prepared = plan_.prepared[0];
    bool left = left_untouched(*instance_.reduction, output_of(prepared, results_[0], output_type()),
                               prepared.untouched[0], "");
    for (std::size_t i = 0; left && i < instance_.additional_outputs.size(); ++i) {
      const AdditionalOutput& additional = instance_.additional_outputs[i];
      left = left_untouched(additional.reduction, additional_output_of(0, i), prepared.untouched[i + 1],
                            fmt::format(" of the buffer \"{}\"", additional.buffer));
    }
    return left;
  }

  /// `initial`: empty if it is undefined. `of`: empty, or " of the buffer "b"".
  bool left_untouched(const Reduction& reduction, const std::vector<std::byte>& output,
                      const std::vector<std::byte>& initial, std::string_view of) {
    const bool by_segments = reduction.result == ResultShape::segments;
    if (!plan_.input.empty() && !by_segments) return true;
    const std::size_t size = size_of(reduction.output), count = plan_.input.size() / size_of(reduction.input);
    for (std::size_t k = 0; k < output.size() / size; ++k) {
      if (count != 0 && part_of(layout_of(reduction), reduction.op, k, count).size() != 0) continue;
      for (std::size_t at = k * size; at < (k + 1) * size; ++at) {
        if (output[at] == (initial.empty() ? UndefinedFill{}.byte(at) : initial[at])) continue;
        add(Kind::contract_violation,
            fmt::format("the kernel wrote output {}{}{}, although the contract claims that it leaves the "
                        "outputs untouched if there are no elements",
                        k, of, count == 0 ? " for an empty input" : ", the result of an empty segment"));
        return false;
      }
    }
    return true;
  }

  /// The bits of a deterministic kernel must not depend on the run or, if so claimed, on the launch.
  bool agree() {
    if (!is_deterministic(instance_)) return true;
    const std::vector<std::byte> output = output_of(plan_.prepared[0], results_[0], output_type());
    for (std::size_t run = 1; run < results_.size(); ++run) {
      const std::vector<std::byte> other = output_of(plan_.prepared[run], results_[run], output_type());
      const auto [here, there] = std::ranges::mismatch(output, other);
      if (here == output.end()) continue;
      const auto index = static_cast<std::size_t>(here - output.begin()) / size_of(output_type());
      const Comparison& comparison = plan_.comparisons[run - 1];
      add(comparison.kind,
          fmt::format("the result{} is {} {} and {} {}, although the contract claims {}",
                      plan_.prepared[0].output_count > 1 ? fmt::format(" [{}]", index) : "",
                      to_text(output_type(), load(output_type(), output, index)), comparison.here,
                      to_text(output_type(), load(output_type(), other, index)), comparison.there,
                      comparison.claim) +
              with_input() + unwritten(filled_output(0, output)));
      return false;
    }
    return additional_outputs_agree();
  }

  bool additional_outputs_agree() {
    for (std::size_t run = 1; run < results_.size(); ++run)
      for (std::size_t i = 0; i < instance_.additional_outputs.size(); ++i) {
        if (additional_output_of(0, i) == additional_output_of(run, i)) continue;
        const Comparison& comparison = plan_.comparisons[run - 1];
        add(comparison.kind,
            fmt::format(
                "the result in the buffer \"{}\" {} differs from that {}, although the contract claims {}",
                instance_.additional_outputs[i].buffer, comparison.here, comparison.there, comparison.claim) +
                with_input());
        return false;
      }
    return true;
  }

  /// Whether the results of the derived inputs are right and satisfy the relation.
  bool satisfies_relation() {
    if (plan_.derived.empty()) return true;
    evaluation_.relation_tried = true;
    std::vector<std::vector<std::uint64_t>> outputs{elements_of(plan_.prepared[0], results_[0])};
    bool forced = forced_;
    for (std::size_t i = 0; i < plan_.derived.size(); ++i) {
      outputs.push_back(elements_of(plan_.of_derived[i], of_derived_[i]));
      const relations::Derived& derived = plan_.derived[i];
      const ResultChecker checker(*arithmetic_, result_layout(*instance_.reduction, derived.variables),
                                  derived.input);
      const CheckResult check_result =
          checker.check(output_of(plan_.of_derived[i], of_derived_[i], output_type()));
      forced &= check_result.evidence == CheckResult::Evidence::exact;
      if (check_result.ok) continue;
      add(kind_of(check_result),
          fmt::format("{}; {}", check_result.sentence, what_relation_compares("was checked", outputs)));
      return false;
    }
    const relations::RelationSubject subject{instance_, fixed_tree_, arithmetic_->flush_to_zero};
    if (relations::holds(subject, *plan_.c, plan_.input, outputs, forced)) return true;
    add(Kind::wrong_value, what_relation_compares("is violated", outputs));
    return false;
  }

  std::vector<std::uint64_t> elements_of(const PreparedJob& prepared, const JobResult& result) const {
    return elements_in(output_type(), output_of(prepared, result, output_type()));
  }

  /// The relation, the inputs, and the results that are known so far.
  std::string what_relation_compares(std::string_view what,
                                     const std::vector<std::vector<std::uint64_t>>& outputs) const {
    const RelationInfo& relation =
        *std::ranges::find(relation_rows(), plan_.c->relation, &RelationInfo::name);
    std::string text = fmt::format("the relation \"{}\" {} ({}): for ", relation.name, what, relation.claim);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const auto& input = i == 0 ? plan_.input : plan_.derived[i - 1].input;
      text += fmt::format("{}{} the result is {}", i == 0 ? "" : ", and for ", spelled_or_counted(input),
                          first_of(outputs[i]));
    }
    return text;
  }

  std::string spelled_or_counted(const std::vector<std::byte>& input) const {
    const Element type = instance_.reduction->input;
    const std::size_t count = input.size() / size_of(type);
    return count > most_spelled_elements ? fmt::format("the {} elements of the case", count)
                                         : fmt::format("[{}]", spelled(type, input));
  }

  std::string first_of(const std::vector<std::uint64_t>& outputs) const {
    if (outputs.empty()) return "nothing";
    const std::string first = to_text(output_type(), outputs[0]);
    return outputs.size() == 1 ? first : fmt::format("{}, …", first);
  }

  std::string when(std::size_t run) const {
    std::string text = run == plan_.relaunched ? plan_.comparisons[run - 1].there + ", " : "";
    const std::uint64_t calls = plan_.prepared[run].calls;
    if (calls > 1) text += fmt::format("after {} calls, ", calls);
    return text;
  }

  /// An output of a run: its buffer, which the runner fills before each call, and its content.
  struct Filled {
    std::size_t run;
    std::uint32_t buffer;
    std::size_t element_size;
    const std::vector<std::byte>& content;
  };

  std::optional<Filled> filled_output(std::size_t run, const std::vector<std::byte>& content) const {
    if (instance_.in_place || instance_.output_initial != BufferContract::Initial::undefined)
      return std::nullopt;
    return Filled{run, plan_.prepared[run].output, size_of(output_type()), content};
  }

  std::optional<Filled> filled_additional_output(std::size_t run, std::size_t i) const {
    const AdditionalOutput& additional = instance_.additional_outputs[i];
    const auto buffer = std::ranges::find(instance_.buffers, additional.buffer, &BufferContract::name);
    if (buffer->initial != BufferContract::Initial::undefined) return std::nullopt;
    return Filled{run, plan_.prepared[run].additional_outputs[i], size_of(buffer->type),
                  additional_output_of(run, i)};
  }

  /// The elements that no launch of the last call wrote. A device that does not know them leaves a pattern in
  /// them, which may be a result of less than four bytes.
  std::vector<std::size_t> unwritten_elements(const Filled& output) const {
    const std::size_t size = output.element_size, end = output.content.size() / size;
    std::vector<std::size_t> elements;
    if (const auto& idle = results_[output.run].idle; !idle.empty()) {
      for (const ByteRange& range : idle[output.buffer])
        for (std::size_t k = (range.first + size - 1) / size; k < end && (k + 1) * size <= range.end; ++k)
          elements.push_back(k);
      return elements;
    }
    for (std::size_t k = 0; size >= 4 && k < end; ++k) {
      std::size_t at = k * size;
      while (at < (k + 1) * size && output.content[at] == UndefinedFill{}.byte(at)) ++at;
      if (at == (k + 1) * size) elements.push_back(k);
    }
    return elements;
  }

  /// Whether an output that `checker` accepts is right only because of the pattern, which is a NaN in some
  /// types.
  bool relies_on_fill(const ResultChecker& checker, const std::optional<Filled>& output) const {
    const auto elements = output ? unwritten_elements(*output) : std::vector<std::size_t>{};
    if (elements.empty()) return false;
    std::vector<std::byte> content = output->content;
    for (const std::size_t k : elements)
      std::fill_n(content.begin() + static_cast<std::ptrdiff_t>(k * output->element_size),
                  output->element_size, std::byte{0x5e});
    return !checker.check(content).ok;
  }

  std::string unwritten(const std::optional<Filled>& output) const {
    const auto elements = output ? unwritten_elements(*output) : std::vector<std::size_t>{};
    if (elements.empty()) return "";
    if (plan_.prepared[output->run].calls > 1)
      return fmt::format("; the last call did not write element {} of the output", elements.front());
    return fmt::format(
        "; element {} of the output was never written; a kernel that accumulates into its output needs "
        "`initial` in [output]",
        elements.front());
  }

  std::string with_input() const {
    const Element type = instance_.reduction->input;
    const std::size_t count = plan_.input.size() / size_of(type);
    if (count == 0) return "; the input is empty";
    if (count > most_spelled_elements) return "";
    std::string text = fmt::format("; the input is {}", spelled(type, plan_.input));
    for (std::size_t i = 0; i < instance_.operands.size(); ++i) {
      const OperandContract& operand = instance_.operands[i];
      const auto& values = plan_.prepared[0].operand_values[i];
      if (!values.empty() && values.size() / size_of(operand.type) <= most_spelled_elements)
        text += fmt::format(", \"{}\" is {}", operand.name, spelled(operand.type, values));
    }
    return text;
  }

  const Instance& instance_;
  const std::optional<Arithmetic>& arithmetic_;
  bool fixed_tree_;
  const std::vector<Position>& places_;
  const CasePlan& plan_;
  Operands operands_;
  std::vector<JobResult> results_, of_derived_;
  bool forced_ = false;  ///< the input leaves the case's own result no choice
  Evaluation evaluation_;
};

}  // namespace

Evaluation check_case(const CheckedKernel& kernel, const CasePlan& plan, std::vector<JobResult> results,
                      std::vector<JobResult> of_derived) {
  return CaseChecker(kernel, plan, std::move(results), std::move(of_derived)).all();
}

}  // namespace foldproof
