#include "contracts/guessing/guesses.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <utility>

#include "contracts/names.h"

namespace foldproof {
namespace {

bool has_operation(const std::set<TypedOperation>& operations, std::string_view name, Element element) {
  return std::ranges::any_of(operations, [&](const TypedOperation& known) {
    return known.name == name && works_on(known.type, element);
  });
}

/// For an operator that does not fold: `, with operator = "softmax" and result = "rows" or "array"`.
std::string what_to_write(Operator op) {
  if (folds(op)) return "";
  return fmt::format(", with operator = \"{}\" and result = {}", name(op), possible_results(op));
}

/// Gives up if a correct kernel with that name could be reported as wrong.
void check_name(const KernelRoles& roles, const NameRow& named) {
  const EntryFacts& facts = roles.kernel().facts;
  const auto unless = [&](bool right, std::string_view unknown) {
    if (!right)
      roles.give_up(fmt::format("its name or that of its output contains \"{}\", but it is unknown {}",
                                named.word, unknown),
                    what_to_write(named.op));
  };
  unless(named.unknown.empty(), named.unknown);
  const auto integers = std::ranges::count_if(roles.kernel().parameters, [](const Parameter& parameter) {
    return !parameter.is_pointer && !is_float(*parameter.element);
  });
  unless(!facts.uses_block_index && facts.atomics.empty() && roles.scratch().empty() && integers <= 1,
         "what each block computes from the input, or how long its rows are (columns in [domain])");
  const bool is_index = info(named.op).gives == OperatorInfo::Gives::index;
  unless(is_float(roles.output_type()) != is_index && (!is_index || size_of(roles.output_type()) >= 4) &&
             (is_index || is_float(roles.input_type())),
         fmt::format("what its output of type {} holds", name(roles.output_type())));
}

/// Gives up if the kernel divides or computes roots, exponentials or logarithms, which a sum, product,
/// minimum or maximum does not need.
void check_arithmetic(const KernelRoles& roles) {
  for (const std::string_view operation : {"div", "sqrt", "rsqrt", "rcp", "ex2", "lg2"})
    for (const Element element : {Element::f32, Element::f64})
      if (has_operation(roles.kernel().facts.arithmetic, operation, element))
        roles.give_up(
            "it divides or computes roots, exponentials or logarithms, so it is not a plain sum, prod, min "
            "or max",
            ", with its operator, such as mean, norm, variance, log-sum-exp or softmax");
}

Operator operation_of(const KernelRoles& roles) {
  const EntryFacts& facts = roles.kernel().facts;
  const Element output = roles.output_type();
  if (const auto named = fold_in_name(roles.kernel().signature.spelled)) return *named;
  for (const auto* operations : {&facts.atomics, &facts.arithmetic}) {
    const bool adds = has_operation(*operations, "add", output);
    if (is_float(output) ? adds : operations == &facts.atomics && adds) return Operator::sum;
    if (has_operation(*operations, "max", output)) return Operator::max;
    if (has_operation(*operations, "min", output)) return Operator::min;
  }
  const bool multiplies = is_float(output) && has_operation(facts.arithmetic, "mul", output);
  return multiplies ? Operator::prod : Operator::sum;
}

/// The operator that the kernel's name, or its instructions, suggest.
Operator guess_operator(const KernelRoles& roles) {
  const Kernel& kernel = roles.kernel();
  const EntryFacts& facts = kernel.facts;
  const std::string name = plain_name(kernel.signature.spelled);
  const NameRow* named = row_of_name(name);
  if (named == nullptr) named = row_of_name(kernel.parameters[roles.output()].name);
  const bool looks_like_one =
      named != nullptr || facts.uses_shared || facts.uses_shuffle || !facts.atomics.empty() ||
      mentions(name, {"sum", "reduc", "max", "min", "prod", "fold", "total", "accum"});
  if (!looks_like_one)
    roles.give_up("it does not look like a reduction (no shared memory, no shuffle, no atomic)");
  if (named != nullptr && (!folds(named->op) || !named->unknown.empty())) check_name(roles, *named);
  const Operator op = named != nullptr ? named->op : operation_of(roles);
  if (named == nullptr && says_other_result(name, op))
    roles.give_up(fmt::format("its name says that it computes something other than {}", foldproof::name(op)));
  if (folds(op)) check_arithmetic(roles);
  return op;
}

/// Whether one of the operations is done in that type, or in vectors of it.
bool has_operation_in(const EntryFacts& facts, std::initializer_list<std::string_view> names,
                      Element element) {
  return std::ranges::any_of(facts.arithmetic, [&](const TypedOperation& known) {
    return std::ranges::find(names, known.name) != names.end() &&
           std::string_view(known.type).starts_with(name(element));
  });
}

/// Sums of narrow elements are in f32, unless an instruction of the kernel may add in their type.
void widen_accumulator(const KernelRoles& roles, Reduction& reduction) {
  const bool is_given = roles.reference() != nullptr && roles.reference()->value_of("accumulator") != nullptr;
  if (is_given || size_of(reduction.accumulator) >= size_of(Element::f32)) return;
  const EntryFacts& facts = roles.kernel().facts;
  const bool computes = computes_in(facts, reduction.accumulator),
             is_affine = info(reduction.op).takes("affine");
  if ((!computes || is_affine) && facts.atomics.empty() && !roles.supposed().rounds_early) {
    if (computes) reduction.affine = AffineType::output;
    reduction.accumulator = Element::f32;
  }
  roles.assume(fmt::format("accumulator {}", foldproof::name(reduction.accumulator)));
  if (reduction.affine == AffineType::output) roles.assume("weights applied in the type of the output");
}

/// Exponentials are computed, and added, in f32 or f64.
void use_fast_functions(const KernelRoles& roles, Reduction& reduction) {
  reduction.accumulator = reduction.output == Element::f64 ? Element::f64 : Element::f32;
  reduction.functions = MathFunctions::fast;
  if (reduction.input != reduction.accumulator)
    roles.assume(fmt::format("accumulator {}", foldproof::name(reduction.accumulator)));
  roles.assume(
      "exponentials and logarithms by fast intrinsics (functions = \"library\" in a contract requires more "
      "accuracy)");
  if (!info(reduction.op).takes("maximum")) return;
  // How exponentials of f64 are computed is not visible.
  if (!roles.kernel().facts.compares_after_exponential && reduction.accumulator != Element::f64) return;
  reduction.maximum = Maximum::running;
  roles.assume("a maximum that is found during the sum");
}

bool names_no_method(const KernelRoles& roles) {
  return roles.reference() == nullptr || roles.reference()->value_of("method") == nullptr;
}

}  // namespace

bool computes_in(const EntryFacts& facts, Element element) {
  return adds_in(facts, element) || has_operation_in(facts, {"mul"}, element);
}

bool adds_in(const EntryFacts& facts, Element element) {
  return has_operation_in(facts, {"add", "sub", "fma"}, element);
}

Reduction guess_reduction(const KernelRoles& roles) {
  if (const auto& constants = roles.kernel().facts.host_constants; !constants.empty())
    roles.give_up(fmt::format("it reads the variable {}, which only the host sets", *constants.begin()));
  Reduction reduction;
  reduction.op = roles.reference() != nullptr ? roles.reference()->op : guess_operator(roles);
  reduction.input = roles.input_type();
  reduction.output = roles.output_type();
  const bool widens = size_of(reduction.input) > size_of(reduction.output);
  using Gives = OperatorInfo::Gives;
  const Gives gives = info(reduction.op).gives;
  // The output is an index or a number of elements, or consists of elements.
  const bool selects = gives == Gives::index || gives == Gives::tally || gives == Gives::ranked;
  // What adds elements in their own type may widen only the sums.
  const bool adds_elements =
      is_float(reduction.input) && has_operation(roles.kernel().facts.arithmetic, "add", reduction.input);
  const bool counts = gives == Gives::counts;  // only its output has a type to add in
  reduction.accumulator =
      !counts && (widens || selects || adds_elements) ? reduction.input : reduction.output;
  if (info(reduction.op).takes("functions"))
    use_fast_functions(roles, reduction);
  else if (is_float(reduction.accumulator) && !selects && !is_extremum(underlying(reduction.op)))
    widen_accumulator(roles, reduction);
  if (is_about_deviation(reduction.op) && names_no_method(roles))
    roles.assume("any method for the variance (method = \"two-pass\" in a contract requires more accuracy)");
  if (roles.reference() == nullptr) roles.assume(fmt::format("operator {}", foldproof::name(reduction.op)));
  return reduction;
}

}  // namespace foldproof
