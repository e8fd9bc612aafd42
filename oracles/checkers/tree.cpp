#include <algorithm>

#include "oracles/checkers/outcome.h"
#include "oracles/rounding_path.h"
#include "oracles/sum_checkers.h"
#include "oracles/tally.h"
#include "oracles/uses.h"

namespace foldproof {

std::optional<CheckResult> checked_by_tree(const Arithmetic& arithmetic, const Expressions& expressions,
                                           std::span<const NodeId> results,
                                           std::span<const std::byte> outputs,
                                           std::span<const std::byte> input) {
  if (arithmetic.op != Operator::sum || !is_float(arithmetic.output)) return std::nullopt;
  const std::vector<Use> uses = uses_of_nodes(expressions, results, Operator::sum);
  const auto of_elements = std::span(uses).subspan(1, expressions.inputs());
  if (std::ranges::any_of(of_elements, [](const Use& use) { return use.times != 1.0; })) return std::nullopt;
  const Tally exact = tally(arithmetic.input, input);
  const Outcome outcome = summed(arithmetic.output, outputs);
  if (exact.specials.give_nan() || exact.specials.have_infinity() || !outcome.is_finite())
    return std::nullopt;
  const std::optional<Dyadic> bound = running_bound(expressions, results, uses, arithmetic.accumulator);
  if (!bound) return std::nullopt;
  if (bound->is_zero()) return checked_exactly(outcome, exact.sum(), arithmetic.output, "sum");
  CheckResult check_result = checked_by_bound(outcome, exact.sum(), *bound, arithmetic.output, "sum");
  check_result.evidence = CheckResult::Evidence::tree;
  return check_result;
}

}  // namespace foldproof
