#include "properties/execution/job.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>

#include "contracts/sizes.h"
#include "oracles/number.h"
#include "properties/distributions.h"
#include "properties/random.h"

namespace foldproof {
namespace {

bool has_rows(const Instance& instance) { return instance.reduction->result == ResultShape::rows; }

/// The variable that gives the length of a row, which is the whole input if there are no rows.
const char* columns_in(const Instance& instance) { return has_rows(instance) ? "columns" : "count"; }

class Maker {
 public:
  Maker(const OperandContract& operand, const Instance& instance, const Case& c,
        std::span<const std::byte> input, std::size_t size)
      : operand_(operand),
        instance_(instance),
        input_(input),
        case_(c),
        op_(instance.reduction->op),
        columns_(columns_in(instance)),
        size_(size),
        seed_(hash_of(operand.name, c.input.seed)),
        random_(seed_),
        values_(size * size_of(operand.type)) {}

  std::vector<std::byte> make() {
    switch (operand_.role) {
      case Role::second: return like_elements();
      case Role::weights:
      case Role::biases: return of(random_.below(4) == 0 ? "integers" : "uniform");
      case Role::variable: return of_variable();
      case Role::targets: make_targets(); break;
      case Role::offsets: make_offsets(); break;
      case Role::scales: make_scales(); break;
    }
    return std::move(values_);
  }

 private:
  std::int64_t variable(const std::string& name) const {
    return std::max<std::int64_t>(value_of(case_.variables, name).value_or(0), 0);
  }

  std::vector<std::byte> of(std::string distribution, std::vector<InputStep> transforms = {}) const {
    InputPlan plan{Operator::sum, operand_.type, operand_.type, size_, operand_.type};
    plan.is_nonnegative = operand_.role == Role::second && takes_probabilities(op_);
    return make_input({{std::move(distribution)}, seed_, {}, std::move(transforms)}, plan);
  }

  std::vector<std::byte> like_elements() {
    constexpr const char* integers[] = {"integers", "uniform", "extremes"};
    constexpr const char* moderate[] = {"integers", "uniform", "positive"};
    constexpr const char* wide[] = {"exponents", "codes"};
    const std::string& elements = case_.input.distribution.name;
    // So that all products have one sign, and overflow an accumulator that is too narrow.
    if (elements == "negative" && is_signed_integer(operand_.type)) return of("negative");
    if (!is_float(operand_.type)) return of(integers[random_.below(std::size(integers))]);
    const bool has_partners = input_.size() >= size_ * size_of(instance_.reduction->input);  // one for each
    if (compares_pairs(op_) && has_partners && random_.below(3) == 0) return near_elements();
    if (takes_probabilities(op_))
      return of(random_.below(4) != 0 ? "positive" : wide[random_.below(std::size(wide))]);
    if (elements == "integers" || elements == "equal") return signs();
    const bool nan = random_.below(16) == 0 && float_format(operand_.type).has_nan && size_ != 0;
    // With factors of any magnitude, products are rarely close enough for the bound of their sum to be
    // informative.
    const bool is_moderate = random_.below(4) != 0;
    return of(
        is_moderate ? moderate[random_.below(std::size(moderate))] : wide[random_.below(std::size(wide))],
        nan ? std::vector<InputStep>{{"nan", PlantedAt::last}} : std::vector<InputStep>{});
  }

  /// Divisors and arguments of roots are positive, and not far from 1.
  std::vector<std::byte> of_variable() {
    return instance_.reduction->formula->operand(operand_.name)->is_positive ? of("positive")
                                                                             : like_elements();
  }

  /// Predictions that are nearly right: differences of a few units in the last place, of a small part of the
  /// element or, for a Huber loss, about as large as delta.
  std::vector<std::byte> near_elements() {
    const Reduction& reduction = *instance_.reduction;
    const bool is_huber = info(op_).takes("delta") && random_.flip();
    const int digits = random_.flip() ? float_format(operand_.type).precision : 8;
    for (std::size_t i = 0; i < size_; ++i) {
      const double x = to_double(decode(reduction.input, load(reduction.input, input_, i)));
      const double nearby = x + std::ldexp(x, 2 - digits) * random_.symmetric();
      const double off_delta = std::ldexp(random_.symmetric(), -static_cast<int>(random_.below(24)));
      const double at_delta = x + (random_.flip() ? 1 : -1) * reduction.delta * (1 + off_delta);
      const double y = is_huber ? at_delta : nearby;
      set(i, encode(operand_.type, number_of(std::isfinite(y) ? y : 1.0)));
    }
    return std::move(values_);
  }

  /// Factors of integers whose sum is exact in any order: the sum of the products is, too.
  std::vector<std::byte> signs() {
    for (std::size_t i = 0; i < size_; ++i)
      set(i, encode(operand_.type, number_of(random_.flip() ? -1.0 : 1.0)));
    return std::move(values_);
  }

  void make_targets() {
    const auto columns = static_cast<std::uint64_t>(variable(columns_));
    for (std::size_t i = 0; i < size_; ++i) set(i, columns == 0 ? 0 : random_.below(columns));
  }

  /// Sorted draws; in some cases about half of them repeat the one before, so that segments are empty.
  void make_offsets() {
    const auto count = static_cast<std::uint64_t>(variable("count"));
    std::vector<std::uint64_t> offsets(size_);
    const bool many_empty = random_.below(3) == 0;
    for (std::size_t i = 0; i < size_; ++i)
      offsets[i] = many_empty && i != 0 && random_.below(2) == 0 ? offsets[i - 1] : random_.below(count + 1);
    std::ranges::sort(offsets);
    if (size_ != 0) offsets.front() = 0, offsets.back() = count;
    for (std::size_t i = 0; i < size_; ++i) set(i, offsets[i]);
  }

  void make_scales() {
    const bool everywhere = random_.below(4) == 0, nan = random_.below(16) == 0;
    for (std::size_t i = 0; i < size_; ++i) {
      if (operand_.type == Element::e4m3)
        set(i, everywhere ? random_.below(0x7f) : 0x30 + random_.below(0x10));
      else
        set(i, everywhere ? random_.below(nan_scale) : 107 + random_.below(41));
    }
    if (nan && size_ != 0) set(random_.below(size_), operand_.type == Element::e4m3 ? 0x7f : nan_scale);
  }

  void set(std::size_t i, std::uint64_t bits) { store(operand_.type, values_, i, bits); }

  const OperandContract& operand_;
  const Instance& instance_;
  std::span<const std::byte> input_;
  const Case& case_;
  Operator op_;
  const char* columns_;
  std::size_t size_;
  std::uint64_t seed_;
  SplitMix random_;
  std::vector<std::byte> values_;
};

/// Whether it has one value for each column, which every row uses.
bool is_per_column(const OperandContract& operand, const Instance& instance, const Variables& variables,
                   std::int64_t size) {
  return operand.role == Role::second && has_rows(instance) && value_of(variables, "columns") == size;
}

/// How many consecutive elements share a value.
std::int64_t group_of(const OperandContract& operand, const Variables& variables) {
  const std::int64_t group = operand.group.evaluate(variables);
  if (group >= 1) return group;
  throw InputError(
      fmt::format("a group of the operand \"{}\" has at least 1 element, not {}", operand.name, group),
      operand.group.where());
}

/// Throws InputError if an element would get the weight of another row, or of another channel.
void check_groups(const OperandContract& operand, const Instance& instance, const Variables& variables) {
  if (operand.role != Role::weights && operand.role != Role::biases) return;
  const std::int64_t group = group_of(operand, variables);
  const std::int64_t columns = value_of(variables, "columns").value_or(group);
  if (reduces_columns(instance) && group != value_of(variables, "spatial").value_or(1))
    throw InputError(
        fmt::format("a group of the operand \"{}\" has {} elements, but a channel has {} in a row",
                    operand.name, group, value_of(variables, "spatial").value_or(1)),
        operand.group.where());
  if (has_rows(instance) && columns != 0 && columns % group != 0 && group % columns != 0)
    throw InputError(
        fmt::format("a group of the operand \"{}\" has {} elements, so that it ends within a row of "
                    "{} columns",
                    operand.name, group, columns),
        operand.group.where());
}

/// Number of values for the role, if the sizes of the case determine it.
std::optional<std::int64_t> due(const OperandContract& operand, const Instance& instance,
                                const Variables& variables) {
  const auto value = [&](const char* name) { return value_of(variables, name); };
  const bool is_constant = operand.group.names().empty();
  const std::int64_t group = value("count") == 0 && !is_constant ? 1 : group_of(operand, variables);
  switch (operand.role) {
    case Role::second: return value("count");
    case Role::variable:
      return value(number_of_values(instance.reduction->formula->operand(operand.name)->value));
    case Role::weights:
    case Role::biases:
      if (reduces_columns(instance)) return value("columns");
      return is_constant && group == 1 ? value(columns_in(instance)) : std::nullopt;
    case Role::targets: return has_rows(instance) ? value("rows") : 1;
    case Role::offsets: return *value("segments") + 1;
    case Role::scales: break;
  }
  return (*value("count") + group - 1) / group;
}

}  // namespace

std::vector<std::byte> make_operand(const OperandContract& operand, const Instance& instance, const Case& c,
                                    std::span<const std::byte> input) {
  const std::int64_t size = operand.count.evaluate(c.variables);
  const auto wanted = due(operand, instance, c.variables);
  if (wanted && size != *wanted && !is_per_column(operand, instance, c.variables, size))
    throw InputError(fmt::format("the operand \"{}\" has {} values but must have {}: {}", operand.name, size,
                                 *wanted, info(operand.role).synopsis),
                     operand.count.where());
  if (c.variables.at("count") != 0) check_groups(operand, instance, c.variables);
  if (size == 0 && !wanted && c.variables.at("count") != 0)
    throw InputError(fmt::format("the operand \"{}\" has no values", operand.name), operand.count.where());
  if (operand.role == Role::offsets && c.variables.at("segments") == 0 && c.variables.at("count") != 0)
    throw InputError("there are elements but no segments; start \"segments\" at 1, or set \"count\" to 0",
                     operand.count.where());
  return Maker(operand, instance, c, input, static_cast<std::size_t>(size)).make();
}

std::vector<std::byte> values_of_caller(const Instance& instance, const Case& c, std::size_t count) {
  const Reduction& reduction = *instance.reduction;
  const std::uint64_t seed = hash_of("values of the caller", c.input.seed);
  const std::string& elements = c.input.distribution.name;
  const bool are_integers =
      elements == "integers" || elements == "equal" || elements == "zeros" || SplitMix(seed).below(4) == 0;
  return make_input({{are_integers ? "integers" : "uniform"}, seed, {}, {}},
                    {reduction.op, reduction.output, reduction.output, count, reduction.output});
}

Operands operands_of(const Instance& instance, const Variables& variables, const PreparedJob& prepared) {
  Operands operands;
  for (std::size_t i = 0; i < instance.operands.size(); ++i) {
    const OperandContract& contract = instance.operands[i];
    const Operand operand{
        contract.type, prepared.operand_values[i],
        static_cast<std::uint64_t>(std::max<std::int64_t>(contract.group.evaluate(variables), 1))};
    if (contract.role == Role::variable)
      operands.variables().emplace(contract.name, operand);
    else
      operands.set(contract.role, operand);
  }
  return operands;
}

}  // namespace foldproof
