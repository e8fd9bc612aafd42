#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "contracts/guessing/candidates.h"
#include "contracts/guessing/guesses.h"
#include "contracts/loading/tables.h"
#include "contracts/placeholders.h"
#include "contracts/sizes.h"
#include "oracles/layout.h"

namespace foldproof {
namespace {

/// Near 1e-5, and exact in every format.
constexpr double usual_epsilon = 0x1p-17;

/// Fills in one instance and adds a phrase for each guess.
class Guess {
 public:
  Guess(const Kernel& kernel, const Supposition& supposed)
      : kernel_(kernel), facts_(kernel.facts), supposed_(supposed), roles_(kernel, supposed, assumptions_) {}

  InstanceGuess take() {
    name_buffers();
    instance_.reduction = guess_reduction(roles_);
    check_groups();
    find_launch();
    sizes_ = guess_sizes(roles_, instance_.reduction->op);
    instance_.domain = guess_domain(roles_, sizes_, *instance_.reduction);
    find_shape();
    find_initial();
    for (const KernelRoles::OperandRole& one : roles_.operands()) instance_.operands.push_back(operand(one));
    for (const std::size_t index : roles_.scratch()) instance_.buffers.push_back(scratch(index));
    for (std::size_t i = 0; i < kernel_.parameters.size(); ++i) launch_.arguments.push_back(argument(i));
    find_other_axes();
    gather_members();
    launch_.entry = kernel_.entry;
    instance_.launches.push_back(launch_);
    instance_.claims.empty = EmptyPolicy::unspecified;
    apply_name(last_name(kernel_), instance_.reduction->op, instance_.claims);
    if (roles_.reference() != nullptr) {
      apply_keys(*roles_.reference(), instance_);
      if (epsilon_) instance_.reduction->epsilon = *epsilon_;
      if (values_) instance_.reduction->values = values_;
      find_method();
    }
    assume_claims();
    return {std::move(instance_), std::move(assumptions_), std::move(inventions_),
            std::move(unchecked_outputs_), facts_.has_two_dimensions && !kernel_.launched_shape()};
  }

 private:
  /// Says what the claims leave unspecified.
  void assume_claims() {
    const OperatorInfo& op = info(instance_.reduction->op);
    if (op.takes("ties") && instance_.claims.ties == Ties::any)
      roles_.assume("any index among equal elements");
    if ((is_extremum(instance_.reduction->op) || op.takes("ties")) && is_float(instance_.reduction->input) &&
        instance_.claims.nan == NanPolicy::unspecified)
      roles_.assume("no NaN in the input");
  }

  void name_buffers() {
    const Parameter& input = kernel_.parameters[roles_.input()];
    const std::string& output = kernel_.parameters[roles_.output()].name;
    instance_.in_place = roles_.in_place();
    if (!input.name.empty()) instance_.input_name = input.name;
    if (!output.empty()) instance_.output_name = output;
    instance_.claims.keeps_input = roles_.in_place() || input.is_only_read() || !input.accesses.is_output();
    if (!instance_.claims.keeps_input) roles_.assume("an input that the kernel may overwrite");
  }

  /// Gives up if what the kernel stores in each lane of a group is unknown.
  void check_groups() const {
    const bool stores_elements = info(instance_.reduction->op).gives == OperatorInfo::Gives::elements ||
                                 (roles_.reference() != nullptr && is_scan(roles_.reference()->result));
    const auto is_group = [&](std::size_t index) { return kernel_.parameters[index].lanes > 1; };
    if ((is_group(roles_.output()) && !stores_elements) || std::ranges::any_of(roles_.scratch(), is_group))
      roles_.give_up("it is unknown what it stores in each component of a vector type");
  }

  bool has_cluster() const { return facts_.cluster[0] != 0; }

  void find_launch() {
    launch_.cluster.fill(Expression::constant(1));
    for (std::size_t i = 0; i < 3 && has_cluster(); ++i)
      launch_.cluster[i] = Expression::constant(facts_.cluster[i]);
    launch_.has_cluster = has_cluster();
    launch_.cooperative = facts_.uses_grid_sync;
    if (launch_.cooperative) roles_.assume("a cooperative launch, since the kernel synchronizes the grid");
    find_grid();
    find_block();
    launch_.shared = Expression::constant(0);
    if (facts_.uses_dynamic_shared) find_shared();
  }

  void find_grid() {
    launch_.grid = launch_.cluster;
    const std::size_t grid_axis = has_cluster() ? 0 : kernel_.grid_axis();
    launch_.grid.at(grid_axis) = Expression::parse("grid", {});
    if (has_cluster()) return;
    if (grid_axis != 0)
      roles_.assume(
          fmt::format("a grid along {}, since the kernel does not use blockIdx.x", axis_names[grid_axis]));
  }

  /// Along axes other than that of the variable "grid".
  void find_other_axes() {
    if (has_cluster()) return;
    bool has_expression = false, are_several = false;
    const std::size_t grid_axis = kernel_.grid_axis();
    for (std::size_t axis = 0; axis < axis_names.size(); ++axis) {
      if (axis == grid_axis) continue;
      const auto blocks = launched_grid_in(kernel_, axis, launch_.arguments);
      if (!blocks && facts_.block_axes.at(axis))
        roles_.give_up(fmt::format("the number of blocks along {} is unknown", axis_names[axis]));
      // A size that depends on the input is meant for another axis if the kernel ignores this one.
      const bool is_used = facts_.block_axes.at(axis),
                 is_meant = blocks && (is_used || blocks->names().empty());
      launch_.grid.at(axis) = is_meant ? *blocks : Expression::constant(1);
      if (!is_used) continue;
      has_expression |= !launch_.grid.at(axis).names().empty();
      are_several |= kernel_.launched_grid(axis).value_or(2) > 1;
    }
    const bool knows_shape =
        launched_grid_in(kernel_, grid_axis, launch_.arguments) && kernel_.launched_threads();
    const bool has_partials = instance_.reduction->result == ResultShape::partials;
    if (has_expression || (are_several && knows_shape && !has_partials)) take_launched_shape(grid_axis);
  }

  /// If the grid along another axis is an expression, it suits only the rest of the launch.
  void take_launched_shape(std::size_t grid_axis) {
    if (instance_.reduction->result == ResultShape::partials)
      roles_.give_up("it is unknown which partial results the blocks of a multidimensional grid store");
    if (const auto blocks = launched_grid_in(kernel_, grid_axis, launch_.arguments))
      launch_.grid.at(grid_axis) = *blocks;
    const auto threads = kernel_.launched_threads();
    if (!threads) roles_.give_up("its block size is unknown");
    if (!kernel_.launched_shape()) launch_.block[0] = Expression::constant(*threads);
    roles_.assume(fmt::format("a grid of {} x {} x {} blocks, as in a launch found in the source",
                              launch_.grid[0].text(), launch_.grid[1].text(), launch_.grid[2].text()));
  }

  void find_block() {
    launch_.block = {Expression::parse("block", {}), Expression::constant(1), Expression::constant(1)};
    auto shape = kernel_.launched_shape();
    if (const std::uint32_t y = supposed_.threads_y; y != 0)
      shape = {guess_block(roles_, *instance_.reduction) / y, y, 1};
    if (!shape) return;
    std::ranges::transform(*shape, launch_.block.begin(),
                           [](std::uint32_t threads) { return Expression::constant(threads); });
    roles_.assume((*shape)[2] == 1 ? fmt::format("blocks of {} x {} threads", (*shape)[0], (*shape)[1])
                                   : fmt::format("blocks of {} threads", fmt::join(*shape, " x ")));
  }

  void find_shared() {
    const Element type = instance_.reduction->accumulator;
    const bool is_wider = facts_.widest_shared_store > size_of(type);
    const std::string element =
        is_wider ? std::to_string(facts_.widest_shared_store) : fmt::format("sizeof({})", name(type));
    const std::uint32_t per_thread = supposed_.shared_per_thread;
    launch_.shared = Expression::parse(
        fmt::format("block * {}{}", per_thread == 1 ? "" : fmt::format("{} * ", per_thread), element), {});
    roles_.assume(fmt::format("dynamic shared memory of {} per thread",
                              per_thread == 1 ? "one element" : fmt::format("{} elements", per_thread)));
  }

  /// The shape of the output after the launch: one value, one partial result per block, or one value per
  /// element, row or column.
  void find_shape() {
    if (sizes_.matrix) {
      const bool scans = roles_.has_result(ResultShape::row_scans);
      const bool is_elementwise =
          scans || info(instance_.reduction->op).gives == OperatorInfo::Gives::elements;
      const bool is_ranked = info(instance_.reduction->op).gives == OperatorInfo::Gives::ranked;
      instance_.reduction->result = scans               ? ResultShape::row_scans
                                    : sizes_.by_columns ? ResultShape::columns
                                                        : ResultShape::rows;
      instance_.output_count = Expression::parse(is_elementwise      ? "count"
                                                 : is_ranked         ? "rows * " + roles_.k()
                                                 : sizes_.by_columns ? "columns"
                                                                     : "rows",
                                                 {});
      roles_.assume(is_elementwise      ? "one result per element, in the order of the elements"
                    : sizes_.spatial    ? "one result and one block per channel"
                    : sizes_.by_columns ? "one result and one block per column"
                                        : "one result and one block per row");
      return;
    }
    if (roles_.has_result(ResultShape::segments)) {
      instance_.reduction->result = ResultShape::segments;
      instance_.output_count = Expression::parse("segments", {});
      return;
    }
    if (roles_.has_result(ResultShape::bins)) return find_bins();
    if (roles_.has_result(ResultShape::scan)) {
      instance_.reduction->result = ResultShape::scan;
      instance_.output_count = Expression::parse("count", {});
      return;
    }
    if (info(instance_.reduction->op).gives == OperatorInfo::Gives::elements) {
      instance_.reduction->result = ResultShape::array;
      instance_.output_count = Expression::parse("count", {});
      roles_.assume("one result per element");
      return;
    }
    const bool is_partial = roles_.has_result(ResultShape::partials);
    const bool has_one_result = supposed_.has_one_result || supposed_.grid == 1U;
    const bool has_own_results = facts_.uses_block_index && facts_.atomics.empty() && !facts_.uses_grid_sync;
    if (!supposed_.is_chosen && !supposed_.holds_identity && has_own_results && !has_one_result &&
        !has_shape(instance_.reduction->op, ResultShape::partials))
      roles_.give_up("it is unknown which elements each block reduces");
    const bool finishes = !is_partial && (has_one_result || !facts_.atomics.empty() ||
                                          facts_.uses_grid_sync || !facts_.uses_block_index ||
                                          !has_shape(instance_.reduction->op, ResultShape::partials));
    instance_.reduction->result = finishes ? ResultShape::value : ResultShape::partials;
    instance_.output_count = Expression::parse(finishes ? "1" : "grid", {});
    roles_.assume(finishes ? "one result" : "one partial result per block");
    if (!supposed_.output_is_scratch || !finishes) return;
    instance_.output_capacity = Expression::parse("grid", {});
    roles_.assume("an output that also holds one partial result per block");
  }

  /// Without a key for the values, every element has a bin.
  void find_bins() {
    const std::string bins = sizes_.bins ? "bins" : roles_.bins();
    instance_.reduction->result = ResultShape::bins;
    instance_.output_count = Expression::parse(bins, {});
    if (facts_.uses_dynamic_shared)
      launch_.shared =
          Expression::parse(fmt::format("{} * sizeof({})", bins, name(roles_.output_type())), {});
    for (const char* key : {"values", "bin"})
      if (!roles_.key_of_reference(key, "").empty()) return;
    const std::size_t bits =
        8 * size_of(roles_.input_type()) - (is_signed_integer(roles_.input_type()) ? 1 : 0);
    const std::string last = bits < 31 ? fmt::format("min({}, 2^{}) - 1", bins, bits) : bins + " - 1";
    values_ = Range::parse("0 .. " + last, {});
    roles_.assume(fmt::format("elements from 0 to {}", last));
  }

  /// What the output holds before the launch.
  void find_initial() {
    const bool atomic_on_output = std::ranges::any_of(facts_.atomics, [&](const TypedOperation& atomic) {
      return works_on(atomic.type, roles_.output_type()) || atomic.name == "cas";
    });
    const bool atomic_on_bits = std::ranges::any_of(
        facts_.atomics, [&](const TypedOperation& atomic) { return is_extremum_of_bits(atomic); });
    const bool accumulates_with_atomics = (atomic_on_output || atomic_on_bits) && accumulates();
    if (accumulates_with_atomics || supposed_.holds_identity) {
      instance_.output_initial = initial_of(instance_.reduction->op);
      roles_.assume(
          fmt::format("an output that holds {} before each launch{}",
                      instance_.output_initial == BufferContract::Initial::identity ? "the identity" : "0",
                      accumulates_with_atomics ? ", since the kernel accumulates with atomics" : ""));
    }
    if (atomic_on_output && roles_.output_type() == Element::f32) {
      instance_.claims.flushes_subnormals = true;
      roles_.assume("subnormals flushed to zero, as f32 atomics on global memory do");
    }
  }

  /// If blocks accumulate a mean with atomics, each one may divide its sum before it adds it.
  void find_method() {
    Reduction& reduction = *instance_.reduction;
    if (reduction.op == Operator::mean && reduction.moment_method == MomentMethod::unspecified &&
        accumulates() && !facts_.atomics.empty())
      reduction.moment_method = MomentMethod::shares;
  }

  /// Whether atomics are what leaves the result in the output.
  bool accumulates() const {
    const Accesses& accesses = kernel_.parameters[roles_.output()].accesses;
    if (accesses.is_read || accesses.is_output()) return accesses.is_accumulated && !accesses.is_written;
    return instance_.reduction->result == ResultShape::value && roles_.scratch().empty();
  }

  /// atomicMax or atomicMin of the bits of a floating-point result, as of an int.
  bool is_extremum_of_bits(const TypedOperation& atomic) const {
    const Element output = roles_.output_type();
    return is_float(output) && is_extremum(underlying(instance_.reduction->op)) &&
           (atomic.name == "max" || atomic.name == "min") &&
           atomic.type == "s" + std::to_string(8 * size_of(output));
  }

  /// If the kernel only stores to it, as many elements as there are results, or blocks. Otherwise a counter
  /// if its type is an integer type other than that of the output, or one element per block, which holds the
  /// identity before each launch if the kernel accumulates in it with atomics.
  BufferContract scratch(std::size_t index) {
    const Parameter& parameter = kernel_.parameters[index];
    const bool is_output = parameter.is_only_written() && !parameter.accesses.is_awaited;
    const bool is_counter =
        !is_output && *parameter.element != roles_.output_type() && !is_float(*parameter.element);
    BufferContract buffer;
    buffer.name = is_free_name(parameter.name) ? parameter.name : fmt::format("scratch{}", index + 1);
    buffer.type = *parameter.element;
    const bool is_per_result = is_output && instance_.reduction->result != ResultShape::value;
    if (is_output) unchecked_outputs_.push_back(buffer.name);
    const char* usual = supposed_.has_wide_scratch ? "8 * grid + 32" : is_counter ? "1" : "grid";
    buffer.count = is_per_result ? instance_.output_count : Expression::parse(usual, {});
    const bool accumulates = !is_counter && parameter.accesses.is_accumulated;
    if (is_counter) buffer.initial = BufferContract::Initial::zero;
    if (accumulates) buffer.initial = initial_of(instance_.reduction->op);
    roles_.assume(roles_.described(index) +
                  (is_output     ? " as another output"
                   : is_counter  ? " as a counter that starts at zero"
                   : accumulates ? " as scratch memory that holds the identity before each launch"
                   : supposed_.has_wide_scratch ? " as scratch memory"
                                                : " as scratch memory with one element per block"));
    buffer_names_.emplace_back(index, buffer.name);
    return buffer;
  }

  ArgumentContract argument(std::size_t index) {
    const Parameter& parameter = kernel_.parameters[index];
    ArgumentContract argument;
    if (parameter.is_pointer) {
      argument.form = ArgumentContract::Form::pointer;
      argument.value = Expression::constant(0);
      argument.buffer = buffer_name(index);
    } else if (is_float(*parameter.element)) {
      argument.form = ArgumentContract::Form::number;
      argument.type = *parameter.element;
      argument.typed = true;
      argument.number = number_value(index);
      const bool is_ignored = facts_.unused_parameters.contains(index);
      roles_.assume(roles_.described(index) +
                    (is_ignored ? ", which the kernel ignores" : fmt::format(" = {}", argument.number)));
    } else {
      argument.value = Expression::parse(integer_value(index), {});
    }
    return argument;
  }

  /// The value of the key of the reference contract that the parameter is; otherwise 1. A caller of the
  /// kernel chooses epsilon, so any value is right.
  double number_value(std::size_t index) {
    const auto is = [&](const char* key, std::string_view letters, std::string_view word) {
      return roles_.reference() != nullptr &&
             (index == roles_.named(key) || has_name(kernel_.parameters[index].name, letters, {word}));
    };
    const bool takes_p = roles_.reference() != nullptr && info(roles_.reference()->op).takes("p");
    const bool takes_delta = roles_.reference() != nullptr && info(roles_.reference()->op).takes("delta");
    const char* key = is("epsilon", "", "eps") ? "epsilon"
                      : takes_p && (is("p", "pP", "top") || is("p", "", "thr") || is("p", "", "prob")) ? "p"
                      : takes_delta && is("delta", "", "delta") ? "delta"
                                                                : nullptr;
    if (key == nullptr) {
      const bool is_addend = has_name(kernel_.parameters[index].name, "b", {"beta", "bias", "shift"});
      invent(index, false);
      inventions_.back().is_addend = is_addend;
      return is_addend ? 0 : 1;
    }
    if (info(roles_.reference()->op).takes("epsilon") && roles_.reference()->value_of(key) == nullptr)
      return *(epsilon_ = usual_epsilon);
    return number_in(roles_.key_of_reference(key, std::string_view(key) == "delta" ? "1" : "0")).value_or(0);
  }

  /// Makes structs of the arguments that are their members.
  void gather_members() {
    std::vector<ArgumentContract> gathered;
    for (std::size_t i = 0; i < kernel_.parameters.size(); ++i) {
      const Parameter& parameter = kernel_.parameters[i];
      ArgumentContract one = std::move(launch_.arguments[i]);
      if (parameter.whole.empty()) {
        gathered.push_back(std::move(one));
        continue;
      }
      if (gathered.size() <= parameter.argument)
        gathered.emplace_back().form = ArgumentContract::Form::structure;
      one.type = *parameter.element;
      one.typed = true;
      gathered.back().members.push_back(std::move(one));
    }
    launch_.arguments = std::move(gathered);
  }

  void invent(std::size_t index, bool is_usual) {
    inventions_.push_back(
        {index, roles_.described(index), facts_.unused_parameters.contains(index), false, is_usual});
  }

  OperandContract operand(const KernelRoles::OperandRole& one) {
    const auto& [role, index, variable] = one;
    OperandContract operand;
    const std::string& name = kernel_.parameters[index].name;
    operand.name = is_free_name(name) ? name : fmt::format("operand{}", index + 1);
    if (!variable.empty()) {
      operand.name = variable;
      Reduction reduction = *instance_.reduction;
      reduction.formula = roles_.reference()->formula;
      const std::string why = why_not_variable(*reduction.formula->operand(variable),
                                               *kernel_.parameters[index].element, reduction);
      if (!why.empty()) roles_.give_up(why);
    }
    operand.role = role;
    operand.type = *kernel_.parameters[index].element;
    const bool is_common = role == Role::second && sizes_.matrix && supposed_.has_common_factors;
    const auto rows = sizes_.matrix ? std::optional<std::string>("rows") : std::nullopt;
    if (sizes_.spatial && (role == Role::weights || role == Role::biases))
      operand.group = Expression::parse("spatial", {});
    const std::string count = role == Role::variable
                                  ? number_of_values(roles_.reference()->formula->operand(variable)->value)
                              : is_common ? "columns"
                                          : usual_count(role, rows);
    operand.count = Expression::parse(count, {});
    buffer_names_.emplace_back(index, operand.name);
    return operand;
  }

  std::string buffer_name(std::size_t index) const {
    if (index == roles_.input()) return "input";
    if (index == roles_.output()) return "output";
    return std::ranges::find(buffer_names_, index, [](const auto& entry) { return entry.first; })->second;
  }

  std::string integer_value(std::size_t index) {
    if (index == sizes_.segments) return "segments";
    if (index == sizes_.bins) return "bins";
    const bool ranks = roles_.reference() != nullptr && info(roles_.reference()->op).takes("k");
    if (index == roles_.named("k") || (ranks && is_name_of_k(kernel_.parameters[index].name)))
      return roles_.k();
    if (index == sizes_.spatial) return "spatial";
    if (sizes_.matrix && index == sizes_.total) return "count";
    if (index == sizes_.steps) return "steps";
    if (sizes_.matrix && index == sizes_.matrix->rows) return sizes_.steps ? "batch" : "rows";
    if (sizes_.matrix && index == sizes_.matrix->columns)
      return counts_groups(roles_, index) ? "groups" : "columns";
    if (kernel_.parameters[index].is_placeholder) return "0";
    const std::string& name = kernel_.parameters[index].name;
    if (index == sizes_.count && mentions(name, {"last"})) return "count - 1";
    if (index == sizes_.count && mentions(name, {"byte"}))
      return fmt::format("count * {}", size_of(roles_.input_type()));
    if (index == sizes_.count && mentions(name, {"log"})) invent(index, false);
    if (index == sizes_.count) return counts_groups(roles_, index) ? "groups" : "count";
    if (sizes_.matrix && is_name_of_stride(name)) {
      roles_.assume(fmt::format("{} = columns", roles_.described(index)));
      invent(index, true);
      return "columns";
    }
    if (mentions(name, {"grid", "blocks"})) return "grid";
    if (mentions(name, {"block", "threads"})) return "block";
    // An index that no label has.
    const bool is_label = roles_.reference() != nullptr && roles_.reference()->op == Operator::cross_entropy;
    const std::string value = is_label && mentions(name, {"ignore"}) ? "-1" : "1";
    roles_.assume(fmt::format("{} = {}", roles_.described(index), value));
    if (value == "1") invent(index, is_name_of_stride(name));
    return value;
  }

  const Kernel& kernel_;
  const EntryFacts& facts_;
  const Supposition& supposed_;
  std::vector<std::string> assumptions_;
  KernelRoles roles_;
  Instance instance_;
  LaunchContract launch_;
  Sizes sizes_;
  std::optional<double> epsilon_;  ///< what the kernel gets as an argument, if the reference does not say it
  std::optional<Range> values_;    ///< of elements, if the reference does not say it
  std::vector<std::pair<std::size_t, std::string>> buffer_names_;
  std::vector<Invention> inventions_;
  std::vector<std::string> unchecked_outputs_;
};

}  // namespace

InstanceGuess guess_instance(const Kernel& kernel, const Supposition& supposed) {
  return Guess(kernel, supposed).take();
}

}  // namespace foldproof
