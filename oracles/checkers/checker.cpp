#include "oracles/checker.h"

#include <fmt/format.h>

#include "oracles/checkers/checkers.h"
#include "oracles/number.h"

namespace foldproof {
namespace {

/// Whether `outer` represents every value of `inner`; both are integer types.
bool holds(Element outer, Element inner) {
  if (is_signed_integer(outer) == is_signed_integer(inner)) return size_of(outer) >= size_of(inner);
  return is_signed_integer(outer) && size_of(outer) > size_of(inner);
}

/// Whether `to` represents every value of `from`.
bool widens(Element from, Element to) {
  if (is_float(from) != is_float(to)) return false;
  return is_float(from) ? includes(to, from) : holds(to, from);
}

/// The same for a floating-point `to`.
bool is_represented(Element from, Element to) {
  const int precision = float_format(to).precision;
  return is_float(from) ? includes(to, from) : static_cast<int>(8 * size_of(from)) <= precision;
}

bool lacks_nan(Element element) { return is_float(element) && !float_format(element).has_nan; }

/// For operators that do not fold.
std::optional<std::string> why_no_checker_apart(const Arithmetic& a) {
  const auto sentence = [&](std::string_view what) {
    return fmt::format("{} of {} elements with accumulator {} and output {} is not checked: {}",
                       info(a.op).name, name(a.input), name(a.accumulator), name(a.output), what);
  };
  switch (info(a.op).gives) {
    case OperatorInfo::Gives::fold: break;
    case OperatorInfo::Gives::index:
      if (is_float(a.output)) return sentence("an index requires an integer output");
      break;
    case OperatorInfo::Gives::tally:
      if (is_float(a.output)) return sentence("an element count requires an integer output");
      if (a.op == Operator::top_p && !is_float(a.accumulator))
        return sentence("a sum that is compared with p requires a floating-point accumulator");
      break;
    case OperatorInfo::Gives::ranked:
      if (a.op == Operator::top_k ? is_float(a.output) : !widens(a.input, a.output))
        return sentence(
            "indices require an integer output, and element values an output of the same or a wider type");
      break;
    case OperatorInfo::Gives::counts:
      if (is_float(a.input) || is_float(a.output)) return sentence("bin indices and counts must be integers");
      break;
    case OperatorInfo::Gives::number:
    case OperatorInfo::Gives::elements:
      if (a.op == Operator::dot && !is_float(a.input) && !is_float(a.accumulator) && !is_float(a.output))
        break;
      if (!is_float(a.input) || !is_float(a.accumulator) || !is_float(a.output) || lacks_nan(a.accumulator) ||
          lacks_nan(a.output))
        return sentence(
            "it requires floating-point types, and an accumulator and an output that can hold NaN");
      if (!includes(a.accumulator, a.input))
        return sentence("choose an accumulator that represents every element");
      if (a.nan == NanPolicy::ignore)
        return sentence(
            "ignoring NaN is not defined for it; nan = \"ignore\" applies to sum, prod, min, max, argmin and "
            "argmax");
      if (info(a.op).takes("functions") && a.accumulator != Element::f32 && a.accumulator != Element::f64)
        return sentence("the error of exp and log is known only for f32 and f64 accumulators");
      break;
  }
  return std::nullopt;
}

std::optional<std::string> why_no_integer_checker(const Arithmetic& a) {
  if (!is_float(a.input) && a.accumulator == a.input && a.output == a.input) return std::nullopt;
  return fmt::format("\"{}\" requires integer elements, with an accumulator and an output of the same type",
                     info(a.op).name);
}

}  // namespace

std::optional<std::string> why_no_checker(const Arithmetic& arithmetic) {
  if (!folds(arithmetic.op)) return why_no_checker_apart(arithmetic);
  if (is_bitwise(arithmetic.op) || arithmetic.op == Operator::custom)
    return why_no_integer_checker(arithmetic);
  const Arithmetic a = of_magnitudes(arithmetic);
  const auto converts_to_integer = [](Element from, Element to) { return is_float(from) && !is_float(to); };
  if (converts_to_integer(a.input, a.accumulator) || converts_to_integer(a.accumulator, a.output))
    return "floating-point reductions with an integer accumulator or output are not checked; if the kernel "
           "stores the bits of a floating-point value, as for atomicMax of an int, write the type of that "
           "value: accumulator = \"f32\" and output = \"f32\" in [reduction]";
  if (!is_float(a.accumulator) && is_float(a.output))
    return "integer accumulators with a floating-point output are not checked; choose a floating-point "
           "accumulator";
  if (a.op == Operator::prod && is_float(a.accumulator) && !is_float(a.input))
    return "integer products with a floating-point accumulator are not checked";
  if (a.op == Operator::sum_of_squares && is_float(a.accumulator) && !is_represented(a.input, a.accumulator))
    return "an element may be rounded before it is squared; choose an accumulator that represents every "
           "element";
  if (lacks_nan(a.accumulator) || lacks_nan(a.output))
    if (!is_extremum(a.op) || (is_float(a.input) && float_format(a.input).has_nan))
      return fmt::format(
          "{} has neither NaN nor infinity, so an overflow goes unnoticed: it is supported as an input, "
          "and as the output of min and max of {} elements; choose a wider accumulator and output",
          name(lacks_nan(a.output) ? a.output : a.accumulator),
          name(lacks_nan(a.output) ? a.output : a.accumulator));
  if (is_extremum(a.op) && !is_float(a.output) &&
      !(holds(a.accumulator, a.input) && holds(a.output, a.input)))
    return fmt::format("the smallest or largest {} may not fit in the {} accumulator and the {} output",
                       name(a.input), name(a.accumulator), name(a.output));
  return std::nullopt;
}

std::unique_ptr<Checker> make_checker(const Arithmetic& a, std::span<const std::byte> input,
                                      const Operands& operands) {
  switch (a.op) {
    case Operator::argmin:
    case Operator::argmax: return make_index_checker(a, input);
    case Operator::mean:
    case Operator::norm:
    case Operator::variance: return make_moment_checker(a, input);
    case Operator::deviation:
    case Operator::reciprocal_deviation: return make_deviation_checker(a, input);
    case Operator::log_sum_exp:
    case Operator::log_softmax:
    case Operator::softmax: return make_exponential_checker(a, input, std::nullopt);
    case Operator::cross_entropy: return make_exponential_checker(a, input, operands[Role::targets]);
    case Operator::dense_cross_entropy:
      return make_dense_cross_entropy_checker(a, input, *operands[Role::second]);
    case Operator::l2_normalize:
    case Operator::layer_norm:
    case Operator::rms_norm: return make_normalisation_checker(a, input, operands);
    case Operator::dot: return make_dot_checker(a, input, *operands[Role::second]);
    case Operator::formula:
    case Operator::element_formula: return make_formula_checker(a, input, operands);
    case Operator::max_ratio: return make_ratio_checker(a, input, *operands[Role::second]);
    case Operator::squared_error:
    case Operator::absolute_error:
    case Operator::mse:
    case Operator::mae:
    case Operator::huber:
    case Operator::mean_huber: return make_difference_checker(a, input, *operands[Role::second]);
    case Operator::kl_divergence: return make_divergence_checker(a, input, *operands[Role::second]);
    case Operator::any:
    case Operator::all:
    case Operator::count: return make_counting_checker(a, input);
    case Operator::top_p: return make_nucleus_checker(a, input);
    case Operator::top_k:
    case Operator::largest: return make_ranking_checker(a, input);
    case Operator::histogram: return make_histogram_checker(a, input);
    default: return make_fold_checker(a, input);
  }
}

std::unique_ptr<PartialsChecker> make_partials_checker(const Arithmetic& a, std::span<const std::byte> input,
                                                       const Operands& operands) {
  if (a.op == Operator::dot) return make_dot_checker(a, input, *operands[Role::second]);
  if (is_formula(a.op)) return make_formula_checker(a, input, operands);
  if (adds_pairs(a.op)) return make_difference_checker(a, input, *operands[Role::second]);
  return make_fold_checker(a, input);
}

std::unique_ptr<FoldChecker> make_fold_checker(const Arithmetic& a, std::span<const std::byte> input) {
  if (takes_magnitudes(a.op)) return make_magnitude_checker(a, input);
  if (is_extremum(a.op)) return make_extremum_checker(a, input);
  if (!is_float(a.accumulator)) return make_integer_checker(a, input);
  return a.op == Operator::prod ? make_product_checker(a, input) : make_sum_checker(a, input);
}

}  // namespace foldproof
