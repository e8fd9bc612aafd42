#include "properties/execution/reduction.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "contracts/entry_facts.h"
#include "contracts/sizes.h"

namespace foldproof {
namespace {

/// The threads of all launches of a case; nothing if host functions choose them.
std::optional<std::uint64_t> threads_of(const Instance& instance, const Variables& variables) {
  std::uint64_t threads = 0;
  for (const LaunchContract& launch : instance.launches) {
    if (launch.host || !launch.gpus.empty()) return std::nullopt;
    std::uint64_t threads_here = 1;
    for (const auto* extents : {&launch.grid, &launch.block})
      for (const Expression& extent : *extents)
        if (__builtin_mul_overflow(threads_here, extent.evaluate(variables), &threads_here))
          return std::nullopt;
    if (__builtin_add_overflow(threads, threads_here, &threads)) return std::nullopt;
  }
  return threads;
}

/// Elements for which the expression has no value have no bin.
BinOf bin_by(const Expression& expression) {
  return [expression](std::int64_t element) -> std::optional<std::uint64_t> {
    try {
      const std::int64_t bin = expression.evaluate({{"x", element}});
      return bin < 0 ? std::nullopt : std::optional(static_cast<std::uint64_t>(bin));
    } catch (const InputError&) {
      return std::nullopt;
    }
  };
}

}  // namespace

MathInCode math_in_code(const Instance& instance, const ptx::Source& ptx) {
  MathInCode math{instance.claims.flushes_subnormals, false};
  for (const LaunchContract& launch : instance.launches) {
    const EntryFacts facts = facts_of(ptx, launch.lowered);
    math.flushes |= facts.flushes_subnormals;
    math.approximates |= facts.divides_approximately;
  }
  return math;
}

Arithmetic arithmetic_of(const Reduction& reduction, const Instance& instance, MathInCode math) {
  return {.op = reduction.op,
          .input = reduction.input,
          .accumulator = reduction.accumulator,
          .output = reduction.output,
          .nan = instance.claims.nan,
          .flush_to_zero = math.flushes,
          .ties = instance.claims.ties,
          .masked = instance.claims.masked,
          .functions = reduction.functions,
          .maximum = reduction.maximum,
          .affine = reduction.affine,
          .moment_method = reduction.moment_method,
          .sum = reduction.sum,
          .checks_empty = instance.claims.empty == EmptyPolicy::identity,
          .epsilon = reduction.epsilon,
          .delta = reduction.delta,
          .correction = reduction.correction,
          .p = reduction.p,
          .custom = reduction.custom,
          .formula = reduction.formula,
          .bin_of = reduction.bin ? bin_by(*reduction.bin) : BinOf{},
          .approximates = math.approximates,
          .is_ambiguous = reduction.where ? [where = *reduction.where](
                                                std::uint64_t bits) { return where.is_ambiguous(bits); }
                                          : ElementTest{},
          .where = reduction.where
                       ? [where = *reduction.where](std::uint64_t bits) { return where.holds(bits); }
                       : ElementTest{}};
}

void require_checker(const Arithmetic& arithmetic, const Contract& contract) {
  if (const auto why = why_no_checker(arithmetic)) throw InputError(*why, {contract.file.string()});
}

Arithmetic of_case(Arithmetic arithmetic, const Instance& instance, const Variables& variables) {
  if (const auto& height = instance.claims.height)
    arithmetic.height = static_cast<std::uint64_t>(std::max<std::int64_t>(height->evaluate(variables), 0));
  arithmetic.threads = threads_of(instance, variables);
  return arithmetic;
}

Kind kind_of(const CheckResult& check_result) {
  return check_result.evidence == CheckResult::Evidence::bound ? Kind::outside_bound : Kind::wrong_value;
}

std::optional<ValueRange> values_of(const Instance& instance, const Variables& variables) {
  if (!instance.reduction || !instance.reduction->values || value_of(variables, "count") == 0)
    return std::nullopt;
  const Range& values = *instance.reduction->values;
  const ValueRange all{values.low.evaluate(variables), values.high.evaluate(variables)};
  const Element element = instance.reduction->input;
  if (const auto range = narrowed(all, element)) return range;
  throw InputError(fmt::format("no {} number is in the range \"values\", which is {} .. {}", name(element),
                               all.low, all.high),
                   values.low.where());
}

ResultLayout result_layout(const Reduction& reduction, const Variables& variables, const Operands& operands) {
  ResultLayout layout{.shape = reduction.result, .scan = reduction.scan};
  if (needs_columns(reduction.result))
    layout.columns =
        static_cast<std::size_t>(std::max<std::int64_t>(value_of(variables, "columns").value_or(0), 0));
  if (const auto spatial = value_of(variables, "spatial");
      spatial && reduction.result == ResultShape::columns)
    layout.run = static_cast<std::size_t>(std::max<std::int64_t>(*spatial, 1));
  if (reduction.k)
    layout.k = static_cast<std::size_t>(std::max<std::int64_t>(reduction.k->evaluate(variables), 0));
  layout.offsets = operands[Role::offsets];
  return layout;
}

}  // namespace foldproof
