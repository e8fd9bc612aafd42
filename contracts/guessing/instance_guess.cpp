#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "contracts/guessing/guesses.h"
#include "contracts/placeholders.h"
#include "oracles/layout.h"

namespace foldproof {
namespace {

/// Fills in one instance and adds a phrase for each guess.
class Guess {
 public:
  Guess(const Kernel& kernel, std::vector<std::string>& assumptions)
      : kernel_(kernel), facts_(kernel.facts), roles_(kernel, assumptions) {}

  Instance instance() {
    name_buffers();
    instance_.reduction = guess_reduction(roles_);
    find_launch();
    find_domain();
    find_result();
    for (const std::size_t index : roles_.scratch()) instance_.buffers.push_back(scratch(index));
    for (std::size_t i = 0; i < kernel_.parameters.size(); ++i) launch_.arguments.push_back(argument(i));
    launch_.entry = kernel_.entry;
    instance_.launches.push_back(launch_);
    instance_.claims.empty = EmptyPolicy::unspecified;
    if (info(instance_.reduction->op).takes("ties")) roles_.assume("any of several equal elements");
    return std::move(instance_);
  }

 private:
  void name_buffers() {
    const std::string& input = kernel_.parameters[roles_.input()].name;
    const std::string& output = kernel_.parameters[roles_.output()].name;
    instance_.in_place = roles_.in_place();
    if (!input.empty()) instance_.input_name = input;
    if (!output.empty()) instance_.output_name = output;
  }

  void find_launch() {
    const bool has_cluster = facts_.cluster[0] != 0;
    launch_.cluster.fill(Expression::constant(1));
    for (std::size_t i = 0; i < 3 && has_cluster; ++i)
      launch_.cluster[i] = Expression::constant(facts_.cluster[i]);
    launch_.has_cluster = has_cluster;
    launch_.cooperative = facts_.uses_grid_sync;
    if (launch_.cooperative) roles_.assume("a cooperative launch, since the kernel synchronizes the grid");
    launch_.grid = {Expression::parse("grid", {}), launch_.cluster[1], launch_.cluster[2]};
    launch_.block = {Expression::parse("block", {}), Expression::constant(1), Expression::constant(1)};
    const std::string shared = fmt::format("block * sizeof({})", name(instance_.reduction->accumulator));
    launch_.shared = facts_.uses_dynamic_shared ? Expression::parse(shared, {}) : Expression::constant(0);
    if (facts_.uses_dynamic_shared) roles_.assume("dynamic shared memory of one element per thread");
  }

  std::uint32_t block() const {
    constexpr std::uint32_t usual = 256, warp = 32;
    if (facts_.required_threads) return *facts_.required_threads;
    std::uint32_t threads = usual;
    if (facts_.shared_arrays.size() == 1) {
      const std::uint64_t elements = facts_.shared_arrays[0] / size_of(instance_.reduction->accumulator);
      if (elements == 64 || elements == 128 || elements == 512 || elements == 1024)
        threads = static_cast<std::uint32_t>(elements);
    }
    if (facts_.uses_shuffle && !facts_.uses_shared && facts_.atomics.empty()) threads = warp;
    return std::min(threads, facts_.most_threads.value_or(threads));
  }

  void find_domain() {
    find_matrix();
    if (!matrix_) find_count_parameter();
    add_variable("block", std::to_string(block()));
    if (matrix_) {
      // More elements would overflow the index of a kernel whose sizes are ints.
      add_variable("columns", "1 .. 2^15");
      add_variable("rows", "1 .. 2^15");
      add_variable("count", "rows * columns");
      const std::string parts = by_columns() ? "columns" : "rows";
      add_variable("grid", strides() ? "1 .. " + parts : parts);
    } else if (count_) {
      add_variable(read_unit(), units());
      add_groups();
      add_variable("grid", grid());
    } else {
      roles_.assume("one element per thread, since no parameter is a count");
      add_variable("grid", facts_.uses_block_index && cluster() == 1 ? "1 .. 64" : one_cluster());
      add_variable(read_unit(), "grid * block");
      add_groups();
    }
    if (roles_.lanes() > 1)
      add_variable("offset", "0");
    else if (facts_.widest_read > size_of(roles_.input_type()))
      roles_.assume(
          "an input of any alignment, although the kernel reads several elements at once (offset = \"0\" in "
          "[domain] of a contract states that callers align it)");
  }

  /// The variable that counts the units in which a thread reads the input.
  std::string read_unit() const { return roles_.lanes() > 1 ? "groups" : "count"; }

  void add_groups() {
    if (roles_.lanes() > 1) add_variable("count", fmt::format("groups * {}", roles_.lanes()));
  }

  /// The range of that variable.
  std::string units() {
    if (!facts_.uses_block_index && !facts_.reads_in_loop) {
      roles_.assume("at most one element per thread, since no loop reads the input");
      return "1 .. block";
    }
    const bool narrow_index = info(instance_.reduction->op).gives == OperatorInfo::Gives::index &&
                              size_of(roles_.output_type()) < 8;
    const bool wide = size_of(*kernel_.parameters[*count_].element) == 8 && !narrow_index;
    if (roles_.lanes() > 1) return fmt::format("1 .. {} / {}", wide ? "2^33" : "(2^31 - 1)", roles_.lanes());
    return wide ? "1 .. 2^33" : "1 .. 2^31 - 1";
  }

  /// Blocks per cluster along the x axis, by whose multiples a grid grows.
  std::uint32_t cluster() const { return std::max(facts_.cluster[0], 1U); }

  /// Whether any grid covers the input.
  bool strides() const { return facts_.uses_grid_size && facts_.reads_in_loop; }

  std::string one_cluster() const { return std::to_string(cluster()); }

  std::string grid() const {
    if (!facts_.uses_block_index) return one_cluster();
    const std::string all = fmt::format("ceil_div({}, block)", read_unit());
    const std::string blocks = launch_.cooperative && strides() ? fmt::format("min({}, 64)", all) : all;
    if (cluster() > 1) return fmt::format("ceil_div({}, {}) * {}", blocks, cluster(), cluster());
    return strides() ? fmt::format("1 .. {}", blocks) : blocks;
  }

  void add_variable(const std::string& name, const std::string& range) {
    instance_.domain.emplace_back(name, Range::parse(range, {}));
  }

  /// Indices of parameters.
  struct Matrix {
    std::size_t rows, columns;
  };

  std::vector<std::size_t> integer_parameters() const {
    std::vector<std::size_t> integers;
    for (std::size_t i = 0; i < kernel_.parameters.size(); ++i)
      if (!kernel_.parameters[i].is_pointer && !is_float(*kernel_.parameters[i].element))
        integers.push_back(i);
    return integers;
  }

  /// A kernel whose blocks work on their own and that has the sizes of a matrix among its parameters.
  void find_matrix() {
    if (!facts_.uses_block_index || !facts_.atomics.empty() || facts_.uses_grid_sync || cluster() > 1 ||
        roles_.lanes() > 1 || roles_.in_place() || !has_shape(instance_.reduction->op, ResultShape::rows))
      return;
    const std::vector<std::size_t> integers = integer_parameters();
    const auto named = [&](std::string_view letters, std::initializer_list<std::string_view> words) {
      return std::ranges::find_if(integers, [&](std::size_t index) {
        const std::string& name = kernel_.parameters[index].name;
        return (name.size() == 1 && letters.find(name) != std::string_view::npos) || mentions(name, words);
      });
    };
    const auto rows = named("MmHhR", {"row", "height", "batch", "token"});
    const auto columns = named("NnWwC", {"col", "width", "hidden", "dim", "feature"});
    if (rows == integers.end() || columns == integers.end() || rows == columns) return;
    matrix_ = {*rows, *columns};
    roles_.assume(fmt::format("a matrix of {} rows and {} columns", roles_.described(*rows),
                              roles_.described(*columns)));
  }

  /// Whether the kernel's name says that it reduces columns.
  bool by_columns() const {
    const std::string name = plain_name(kernel_.signature.spelled);
    return mentions(name, {"col"}) && !mentions(name, {"row"}) &&
           has_shape(instance_.reduction->op, ResultShape::columns);
  }

  void find_count_parameter() {
    const std::vector<std::size_t> integers = integer_parameters();
    const auto named = std::ranges::find_if(integers, [&](std::size_t index) {
      const std::string& name = kernel_.parameters[index].name;
      return name == "n" || name == "N" || counts_groups(index) ||
             mentions(name, {"count", "size", "len", "num", "elem"});
    });
    if (!integers.empty()) count_ = named == integers.end() ? integers.front() : *named;
    if (count_)
      roles_.assume(fmt::format("number of {} {}", counts_groups(*count_) ? "groups" : "elements",
                                roles_.described(*count_)));
  }

  bool counts_groups(std::size_t index) const {
    return roles_.lanes() > 1 &&
           mentions(kernel_.parameters[index].name, {"group", "vec", "pair", "quad", "pack", "n2", "n4"});
  }

  /// The shape of the output after the launch: one value, one partial result per block, or one value per
  /// element, row or column.
  void find_result() {
    if (matrix_) {
      const bool is_elementwise = info(instance_.reduction->op).gives == OperatorInfo::Gives::elements;
      instance_.reduction->result = by_columns() ? ResultShape::columns : ResultShape::rows;
      instance_.output_count = Expression::parse(is_elementwise ? "count"
                                                 : by_columns() ? "columns"
                                                                : "rows",
                                                 {});
      roles_.assume(is_elementwise ? "one result per element, by rows"
                    : by_columns() ? "one result per column, and as many blocks"
                                   : "one result per row, and as many blocks");
      return;
    }
    if (info(instance_.reduction->op).gives == OperatorInfo::Gives::elements) {
      instance_.reduction->result = ResultShape::array;
      instance_.output_count = Expression::parse("count", {});
      roles_.assume("one result per element");
      return;
    }
    const bool atomic_on_output = std::ranges::any_of(facts_.atomics, [&](const TypedOperation& atomic) {
      return works_on(atomic.type, roles_.output_type()) || atomic.name == "cas";
    });
    const bool atomic_on_bits = std::ranges::any_of(
        facts_.atomics, [&](const TypedOperation& atomic) { return is_extremum_of_bits(atomic); });
    const bool finishes = !facts_.atomics.empty() || facts_.uses_grid_sync || !facts_.uses_block_index;
    instance_.reduction->result = finishes ? ResultShape::value : ResultShape::partials;
    instance_.output_count = Expression::parse(finishes ? "1" : "grid", {});
    roles_.assume(finishes ? "one result" : "one partial result per block");
    if (finishes && (atomic_on_output || atomic_on_bits) && roles_.scratch().empty()) {
      instance_.output_initial = BufferContract::Initial::identity;
      roles_.assume(
          "an output that holds the identity before each launch, since the kernel accumulates with atomics");
    }
    if (atomic_on_output && roles_.output_type() == Element::f32) {
      instance_.claims.flushes_subnormals = true;
      roles_.assume("flushed subnormals, as by f32 atomics on global memory");
    }
  }

  /// atomicMax or atomicMin of the bits of a floating-point result, as of an int.
  bool is_extremum_of_bits(const TypedOperation& atomic) const {
    const Element output = roles_.output_type();
    return is_float(output) && is_extremum(underlying(instance_.reduction->op)) &&
           (atomic.name == "max" || atomic.name == "min") &&
           atomic.type == "s" + std::to_string(8 * size_of(output));
  }

  /// A counter if its type is an integer type other than that of the output; otherwise one element per block.
  BufferContract scratch(std::size_t index) {
    const Parameter& parameter = kernel_.parameters[index];
    const bool is_counter = *parameter.element != roles_.output_type() && !is_float(*parameter.element);
    BufferContract buffer;
    const bool usable = is_identifier(parameter.name) && parameter.name != "input" &&
                        parameter.name != "output" && parameter.name != "count" &&
                        parameter.name != "block" && parameter.name != "grid" && parameter.name != "groups" &&
                        parameter.name != "rows" && parameter.name != "columns" && parameter.name != "offset";
    buffer.name = usable ? parameter.name : fmt::format("scratch{}", index + 1);
    buffer.type = *parameter.element;
    buffer.count = Expression::parse(is_counter ? "1" : "grid", {});
    if (is_counter) buffer.initial = BufferContract::Initial::zero;
    roles_.assume(roles_.described(index) + (is_counter ? " as a counter that starts at zero"
                                                        : " as scratch memory of one element per block"));
    scratch_names_.emplace_back(index, buffer.name);
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
      argument.number = 1;
      roles_.assume(fmt::format("{} = 1", roles_.described(index)));
    } else {
      argument.value = Expression::parse(integer_value(index), {});
    }
    return argument;
  }

  std::string buffer_name(std::size_t index) const {
    if (index == roles_.input()) return "input";
    if (index == roles_.output()) return "output";
    return std::ranges::find(scratch_names_, index, [](const auto& entry) { return entry.first; })->second;
  }

  std::string integer_value(std::size_t index) {
    if (matrix_ && index == matrix_->rows) return "rows";
    if (matrix_ && index == matrix_->columns) return "columns";
    if (index == count_) return counts_groups(index) ? "groups" : "count";
    const std::string& name = kernel_.parameters[index].name;
    if (matrix_ && (name.starts_with("ld") || mentions(name, {"stride", "pitch"}))) {
      roles_.assume(fmt::format("{} = columns", roles_.described(index)));
      return "columns";
    }
    if (mentions(name, {"grid", "blocks"})) return "grid";
    if (mentions(name, {"block", "threads"})) return "block";
    roles_.assume(fmt::format("{} = 1", roles_.described(index)));
    return "1";
  }

  const Kernel& kernel_;
  const EntryFacts& facts_;
  KernelRoles roles_;
  Instance instance_;
  LaunchContract launch_;
  std::optional<Matrix> matrix_;
  std::optional<std::size_t> count_;
  std::vector<std::pair<std::size_t, std::string>> scratch_names_;
};

}  // namespace

Instance guess_instance(const Kernel& kernel, std::vector<std::string>& assumptions) {
  return Guess(kernel, assumptions).instance();
}

}  // namespace foldproof
