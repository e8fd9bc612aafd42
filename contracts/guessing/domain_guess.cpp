// The sizes that a kernel supports, and its launches.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "contracts/guessing/guesses.h"

namespace foldproof {
namespace {

class DomainGuess {
 public:
  DomainGuess(const KernelRoles& roles, const Sizes& sizes, const Reduction& reduction)
      : roles_(roles),
        kernel_(roles.kernel()),
        facts_(kernel_.facts),
        supposed_(roles.supposed()),
        sizes_(sizes),
        reduction_(reduction) {}

  std::vector<std::pair<std::string, Range>> domain() {
    find_domain();
    return std::move(domain_);
  }

  std::uint32_t block() const {
    constexpr std::uint32_t usual = 256, warp = 32;
    if (facts_.required_threads) return *facts_.required_threads;
    if (supposed_.block) return std::min(*supposed_.block, facts_.most_threads.value_or(*supposed_.block));
    if (const auto launched = kernel_.launched_threads()) return *launched;
    if (const auto launched = kernel_.launched_blocks(); !launched.empty()) return launched.front();
    std::uint32_t threads = usual;
    if (const std::uint64_t elements = shared_elements();
        elements == 16 || elements == 64 || elements == 128 || elements == 512 || elements == 1024)
      threads = static_cast<std::uint32_t>(elements);
    if (facts_.uses_shuffle && !facts_.uses_shared && facts_.atomics.empty()) threads = warp;
    return std::min(threads, facts_.most_threads.value_or(threads));
  }

 private:
  /// How many elements each array in shared memory has; 0 without one, or if they differ.
  std::uint64_t shared_elements() const {
    const auto& arrays = facts_.shared_arrays;
    const bool differ = std::ranges::adjacent_find(arrays, std::ranges::not_equal_to{}) != arrays.end();
    return arrays.empty() || differ ? 0 : arrays.front() / size_of(reduction_.accumulator);
  }

  /// That of every launch, if the kernel or the source says it.
  std::optional<std::uint32_t> only_block() const {
    return facts_.required_threads ? facts_.required_threads : kernel_.launched_threads();
  }

  /// The most threads per block of a kernel that keeps one element for each.
  std::uint64_t most_threads() const {
    std::uint64_t threads = only_block().value_or(facts_.most_threads.value_or(1024));
    const std::uint64_t elements = shared_elements();
    return elements == 0 ? threads : std::min(threads, elements);
  }

  void find_domain() {
    const bool fills_rows = sizes_.matrix && supposed_.columns_per_thread != 0;
    const bool has_thread_for_each = sizes_.matrix && !reads_in_loop() && !sizes_.by_columns && !fills_rows;
    const std::string unit = roles_.lanes() > 1 ? "groups" : "columns";
    if (has_thread_for_each) {
      roles_.assume(
          fmt::format("one thread for each of the {} of a row, since no loop reads the input", unit));
      add_variable(unit, fmt::format("{} .. {}", roles_.k(), most_threads()));
    }
    const bool is_as_long = has_thread_for_each && !only_block();
    if (is_as_long) check_launched_rows();
    add_variable("block", is_as_long ? unit : std::to_string(block()));
    if (sizes_.bins) add_variable("bins", "1 .. block");
    if (sizes_.spatial) {
      add_tensor();
    } else if (sizes_.matrix) {
      // More elements would overflow the index of a kernel whose sizes are ints.
      if (fills_rows)
        add_columns_of_threads(unit);
      else if (!has_thread_for_each)
        add_variable(unit,
                     fmt::format("{} .. {}", roles_.k(),
                                 most_of(sizes_.matrix->columns, roles_.lanes() > 1 ? "2^13" : "2^15")));
      if (roles_.lanes() > 1) add_variable("columns", fmt::format("groups * {}", roles_.lanes()));
      if (sizes_.steps) {
        add_variable("batch", "1 .. 2^7");
        add_variable("steps", "1 .. 2^8");
      }
      const bool is_square = sizes_.matrix->rows && sizes_.matrix->rows == sizes_.matrix->columns;
      add_variable("rows", is_square      ? "columns"
                           : sizes_.steps ? "batch * steps"
                                          : "1 .. " + most_of(sizes_.matrix->rows, "2^15"));
      add_variable("count", "rows * columns");
      const std::string parts = sizes_.by_columns ? "columns" : "rows";
      const bool covers_rows = strides() && (sizes_.matrix->rows || sizes_.by_columns);
      add_variable("grid", covers_rows ? "1 .. " + parts : parts);
    } else if (roles_.has_result(ResultShape::segments)) {
      add_variable("segments", "1 .. 2^15");
      add_variable("count", "0 .. 2^31 - 1");
      add_variable("grid", strides() ? "1 .. segments" : "segments");
    } else if (supposed_.count) {
      add_constant_count();
    } else if (sizes_.count && supposed_.elements_per_thread == 1) {
      add_variable(read_unit(), units());
      add_groups();
      add_variable("grid", grid());
    } else {
      find_elements_per_thread();
    }
    if (roles_.lanes() > 1) add_variable("offset", "0");
  }

  /// The largest value of the parameter, if it has 8 bits.
  std::string most_of(std::optional<std::size_t> parameter, const char* usual) const {
    if (!parameter || size_of(*kernel_.parameters[*parameter].element) > 1) return usual;
    return is_signed_integer(*kernel_.parameters[*parameter].element) ? "127" : "255";
  }

  /// More elements would overflow the index of a kernel whose sizes are ints.
  void add_tensor() {
    for (const char* size : {"rows", "columns", "spatial"}) add_variable(size, "1 .. 2^10");
    add_variable("count", "rows * columns * spatial");
    add_variable("grid", strides() ? "1 .. columns" : "columns");
  }

  void add_columns_of_threads(const std::string& unit) {
    if (supposed_.columns_per_thread % roles_.lanes() != 0)
      roles_.give_up("its threads read more columns together than each has");
    const std::uint32_t each = supposed_.columns_per_thread / roles_.lanes();
    roles_.assume(fmt::format("rows of {} for each thread of a block",
                              supposed_.columns_per_thread == 1
                                  ? "one column"
                                  : fmt::format("{} columns", supposed_.columns_per_thread)));
    add_variable(unit, each == 1 ? "block" : fmt::format("block * {}", each));
  }

  void add_constant_count() {
    roles_.assume(fmt::format("{} elements, a constant of the kernel", *supposed_.count));
    if (roles_.lanes() > 1) roles_.give_up("it counts groups of elements");
    add_variable("count", std::to_string(*supposed_.count));
    add_variable("grid", grid());
  }

  /// The count of a kernel that reads as many elements as it has threads, or a multiple.
  void find_elements_per_thread() {
    const std::uint32_t elements = supposed_.elements_per_thread;
    if (sizes_.count) check_launched_grid();
    roles_.assume(elements == 1 ? "one element per thread, since no parameter is a count"
                                : fmt::format("{} elements per thread", elements));
    add_variable("grid", has_fixed_grid() || cluster() > 1 ? fixed_grid() : "1 .. 64");
    add_variable(read_unit(), elements == 1 ? "grid * block" : fmt::format("grid * block * {}", elements));
    add_groups();
  }

  /// The variable that counts the units in which a thread reads the input.
  std::string read_unit() const { return roles_.lanes() > 1 ? "groups" : "count"; }

  void add_groups() {
    if (roles_.lanes() > 1) add_variable("count", fmt::format("groups * {}", roles_.lanes()));
  }

  /// The range of that variable.
  std::string units() {
    if (has_fixed_grid() && !reads_in_loop()) {
      roles_.assume("at most one element per thread, since no loop reads the input");
      const std::uint32_t blocks = facts_.uses_block_index ? fixed_blocks() : 1;
      return blocks == 1 ? "1 .. block" : fmt::format("1 .. {} * block", blocks);
    }
    const bool narrow_index =
        info(reduction_.op).gives == OperatorInfo::Gives::index && size_of(roles_.output_type()) < 8;
    const Element count = *kernel_.parameters[*sizes_.count].element;
    const bool wide = size_of(count) == 8 && !narrow_index;
    if (size_of(count) < 4)
      return fmt::format("1 .. 2^{} - 1", 8 * size_of(count) - (is_signed_integer(count) ? 1 : 0));
    if (roles_.lanes() > 1) return fmt::format("1 .. {} / {}", wide ? "2^33" : "(2^31 - 1)", roles_.lanes());
    return wide ? "1 .. 2^33" : "1 .. 2^31 - 1";
  }

  /// Blocks per cluster along the x axis, by whose multiples a grid grows.
  std::uint32_t cluster() const { return std::max(facts_.cluster[0], 1U); }

  /// Whether any number of blocks along the axis of the variable "grid" covers the input.
  bool strides() const { return facts_.stride_axes.at(kernel_.grid_axis()) && reads_in_loop(); }

  /// Whether a loop reads the input or, if the PTX does not show all uses of its pointer, any global memory.
  bool reads_in_loop() const {
    const Accesses& accesses = kernel_.parameters[roles_.input()].accesses;
    return accesses.is_read && !accesses.is_unknown ? accesses.is_read_in_loop : facts_.reads_in_loop;
  }

  /// Whether the number of blocks does not depend on the input.
  bool has_fixed_grid() const { return !facts_.uses_block_index || supposed_.grid; }

  std::uint32_t fixed_blocks() const {
    if (cluster() > 1) return cluster();
    return supposed_.grid.value_or(kernel_.launched_grid(kernel_.grid_axis()).value_or(1));
  }

  std::string fixed_grid() const {
    const std::uint32_t blocks = fixed_blocks();
    if (blocks > 1 && cluster() == 1)
      roles_.assume(fmt::format("a grid of {} blocks, as in a launch found in the source", blocks));
    return std::to_string(blocks);
  }

  std::string grid() const {
    if (has_fixed_grid()) return fixed_grid();
    const std::string all = fmt::format("ceil_div({}, block)", read_unit());
    const std::string blocks = facts_.uses_grid_sync && strides() ? fmt::format("min({}, 64)", all) : all;
    if (cluster() > 1) return fmt::format("ceil_div({}, {}) * {}", blocks, cluster(), cluster());
    if (strides()) return fmt::format("1 .. {}", blocks);
    check_launched_grid();
    roles_.assume(roles_.lanes() > 1 ? "enough blocks to cover all groups of elements"
                                     : "enough blocks to cover all elements");
    return blocks;
  }

  /// Gives up if the number of blocks varies although the launch passes the same constant as the number of
  /// elements, which it therefore is not.
  void check_blocks_of(const SourceLaunch& launch) const {
    const std::size_t axis = kernel_.grid_axis();
    std::set<std::int64_t> blocks, counts;
    for (const HostCall& call : launch.calls) {
      if (*sizes_.count >= call.arguments.size() || !call.arguments[*sizes_.count] || !call.grid.at(axis))
        return;
      blocks.insert(*call.grid.at(axis));
      counts.insert(*call.arguments[*sizes_.count]);
    }
    if (blocks.size() > 1 && counts.size() == 1)
      roles_.give_up(fmt::format("the source launches different numbers of blocks for {} = {}",
                                 roles_.described(*sizes_.count), *counts.begin()));
  }

  /// Gives up if the launches of the source pass the same constant as the number of columns, and it is not
  /// that of the threads: blocks whose threads are rounded up have a number of columns that varies.
  void check_launched_rows() const {
    const auto columns = sizes_.matrix->columns;
    std::set<std::int64_t> passed, threads;
    std::size_t calls = 0;
    for (const SourceLaunch& launch : kernel_.launches)
      for (const HostCall& call : launch.calls) {
        if (!columns || *columns >= call.arguments.size() || !call.arguments[*columns] || !call.block[0])
          return;
        passed.insert(*call.arguments[*columns]);
        threads.insert(*call.block[0]);
        ++calls;
      }
    if (calls > 1 && passed.size() == 1 && threads != passed)
      roles_.give_up(fmt::format("the source launches blocks of {} threads for rows of {} columns",
                                 *threads.rbegin(), *passed.begin()));
  }

  /// Gives up if the source launches far more blocks than there are elements for, such as one per row.
  void check_launched_grid() const {
    constexpr std::int64_t many = 4096, far_more = 4;
    if (kernel_.launches.empty() || !sizes_.count) return;
    for (const SourceLaunch& launch : kernel_.launches) check_blocks_of(launch);
    const auto launched = launched_size(kernel_.launches.front(), kernel_.grid_axis(), *sizes_.count, many);
    if (launched && !launched->is_constant && launched->blocks > far_more * (many / block() + 1))
      roles_.give_up(fmt::format("the source launches {} blocks for {} = {}", launched->blocks,
                                 roles_.described(*sizes_.count), many));
  }

  void add_variable(const std::string& name, const std::string& range) {
    domain_.emplace_back(name, Range::parse(range, {}));
  }

  const KernelRoles& roles_;
  const Kernel& kernel_;
  const EntryFacts& facts_;
  const Supposition& supposed_;
  const Sizes& sizes_;
  const Reduction& reduction_;
  std::vector<std::pair<std::string, Range>> domain_;
};

}  // namespace

std::uint32_t guess_block(const KernelRoles& roles, const Reduction& reduction) {
  return DomainGuess(roles, {}, reduction).block();
}

std::vector<std::pair<std::string, Range>> guess_domain(const KernelRoles& roles, const Sizes& sizes,
                                                        const Reduction& reduction) {
  return DomainGuess(roles, sizes, reduction).domain();
}

}  // namespace foldproof
