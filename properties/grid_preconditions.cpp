#include "properties/grid_preconditions.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "contracts/expression.h"
#include "contracts/scalar_arguments.h"
#include "contracts/sizes.h"
#include "properties/execution/evaluation.h"
#include "properties/fit.h"
#include "properties/generation/domain.h"
#include "properties/precondition_runs.h"

namespace foldproof {
namespace {

class GridTrials {
 public:
  GridTrials(const Contract& contract, const KnownBlocks& blocks, const std::shared_ptr<const Image>& image,
             Runner& runner, Preconditions& preconditions)
      : contract_(contract),
        instance_(contract.instances.at(0)),
        blocks_(blocks),
        image_(image),
        runner_(runner),
        preconditions_(preconditions) {}

  bool run() {
    const Range* grid = range_of(instance_, "grid");
    if (grid == nullptr || instance_.launches.at(0).has_cluster) return false;
    if (has_wrong_launch()) return true;
    if (!grid_axis()) return false;
    const bool is_constant = grid->low.names().empty() && grid->high.names().empty();
    const bool is_range = !is_fixed(*grid);
    if (is_constant && !is_range && blocks_.may_be_several)
      try_others(static_cast<std::uint32_t>(grid->low.evaluate({})));
    else if (!is_constant && blocks_.launched_grid && range_of(instance_, "rows") == nullptr)
      is_range ? try_more(*blocks_.launched_grid, *grid) : try_more_elements(*blocks_.launched_grid);
    return false;
  }

 private:
  /// Whether the kernel is right, but not with the memory of a launch of the source, or with its number of
  /// blocks, if it is the only launch. The domain then has these, so that the audit reports an error.
  bool has_wrong_launch() {
    if (!blocks_.launched_threads) return false;
    return std::ranges::any_of(blocks_.launches, [&](const SourceLaunch& launch) {
      try {
        return has_wrong_grid(launch) || has_wrong_memory(launch);
      } catch (const InputError&) {  // the source does not say how much memory, or too much
        return false;
      }
    });
  }

  bool has_wrong_memory(const SourceLaunch& launch) {
    if (instance_.launches.at(0).shared.names().empty() || launch.shared.empty()) return false;
    const std::int64_t bytes = Expression::parse(launch.shared, {}).evaluate({});
    Instance changed = with_launched_block(instance_);
    changed.launches.at(0).shared = Expression::constant(bytes);
    if (bytes < 0 || !error_if_wrong(changed, trial_cases(changed))) return false;
    preconditions_.limited = {{"block", std::to_string(block())}};
    preconditions_.shared = static_cast<std::uint64_t>(bytes);
    preconditions_.assumptions.push_back(
        fmt::format("{} bytes of dynamic shared memory, as in a launch found in the source", bytes));
    return true;
  }

  /// Whether it launches too few, or too many, blocks for the number of elements that it passes. If that is
  /// not a constant and the blocks are too few, callers may limit it, and another launch may be for the other
  /// elements: then a warning says what happens.
  bool has_wrong_grid(const SourceLaunch& launch) {
    const auto arguments = scalar_arguments(instance_.launches.at(0).arguments);
    const auto found =
        std::ranges::find(arguments, size(), [](const ArgumentContract* a) { return a->value.text(); });
    const auto parameter = static_cast<std::size_t>(found - arguments.begin());
    if (found == arguments.end() || range_of(instance_, "groups") != nullptr ||
        launch.arguments.size() != arguments.size())
      return false;
    const auto along = grid_axis();
    if (!along) return false;
    // The blocks of the domain are along another axis only if the kernel ignores x.
    const bool is_other_axis = *along != 0 && launch.blocks.at(*along) == "1" &&
                               depends_on(launch.blocks[0], launch.arguments[parameter]);
    std::optional<Finding> warning;
    std::vector<std::int64_t> sizes{block(), 1000, 4096, 4113};
    // Also one more than some blocks read, with one or several elements per thread.
    if (size() == "count") sizes.insert(sizes.end(), {20'000, block() + 1, 4 * block() + 1, 8 * block() + 1});
    for (const std::int64_t tried : sizes) {
      const auto launched = is_other_axis ? std::optional(LaunchedSize{1, tried, false})
                                          : launched_size(launch, *along, parameter, tried);
      const auto error = launched ? error_if_launched(*launched) : std::nullopt;
      if (!error) continue;
      // What the kernel does not read may mean something else.
      const bool is_certain =
          is_other_axis || (!blocks_.unused_parameters.contains(parameter) &&
                            ((launched->is_constant && launch.is_only_one) || covers(*launched)));
      if (is_certain) return limit_to(*launched), true;
      if (!warning) warning = warning_about(*error, *launched, launch.blocks.at(*along));
    }
    if (warning) preconditions_.warnings.push_back(std::move(*warning));
    return false;
  }

  static bool depends_on(const std::string& blocks, const std::string& argument) {
    try {
      const std::vector<std::string> names = Expression::parse(blocks, {}).names();
      return std::ranges::find(names, argument) != names.end();
    } catch (const InputError&) {  // unknown
      return false;
    }
  }

  /// Whether there are as many blocks as the domain says, or a thread for each element.
  bool covers(const LaunchedSize& launched) const {
    const Range* count = range_of(instance_, "count");
    if (size() == "count" && !is_fixed(*count)) return launched.blocks * block() >= launched.argument;
    if (size() == "count")  // what a block reads is a multiple of its threads
      return launched.blocks * count->high.evaluate({{"grid", 1}, {"block", block()}}) >= launched.argument;
    const std::vector<std::string> names = range_of(instance_, "grid")->high.names();
    const bool is_known = std::ranges::all_of(
        names, [&](const std::string& name) { return name == "block" || name == size(); });
    const std::int64_t needed =
        is_known
            ? range_of(instance_, "grid")->high.evaluate({{"block", block()}, {size(), launched.argument}})
            : launched.argument;
    return launched.blocks >= needed;
  }

  /// The variable of the domain on which the number of blocks depends.
  std::string size() const {
    if (range_of(instance_, "segments") != nullptr) return "segments";
    const bool has_rows = range_of(instance_, "rows") != nullptr;
    const bool by_columns = instance_.reduction && instance_.reduction->result == ResultShape::columns;
    return by_columns ? "columns" : has_rows ? "rows" : "count";
  }

  std::optional<Finding> error_if_launched(const LaunchedSize& launched) {
    constexpr std::int64_t most = 1 << 20;
    const auto [blocks, value, is_constant] = launched;
    if (blocks < 1 || value < 1 || blocks > most / block() || value > most) return std::nullopt;
    Instance changed = with_launched_block(instance_);
    changed = with_range(with_range(std::move(changed), "grid", std::to_string(blocks)), size(),
                         std::to_string(value));
    const Case usual = trial_cases(changed).front();
    auto error = error_if_wrong(changed, {usual, with_telling_last(usual)});
    // More blocks may need more scratch memory than was guessed.
    const bool may_need_more = error && error->kind == Kind::out_of_bounds &&
                               error->message.find(" of " + instance_.input_name + " (") == std::string::npos;
    return may_need_more ? std::nullopt : error;
  }

  void limit_to(const LaunchedSize& launched) {
    preconditions_.limited = {{"block", std::to_string(block())},
                              {"grid", std::to_string(launched.blocks)},
                              {size(), std::to_string(launched.argument)}};
    preconditions_.assumptions.push_back(
        fmt::format("{} and a grid of {} blocks, as in a launch found in the source",
                    counted(launched.argument), launched.blocks));
  }

  Finding warning_about(const Finding& error, const LaunchedSize& launched, const std::string& blocks) const {
    const std::string spelled = blocks.empty() ? "as" : fmt::format("\"{}\"", blocks);
    return warning_of(
        error, fmt::format("launch {} block{} for {} ({} in a launch found in the source)", launched.blocks,
                           launched.blocks == 1 ? "" : "s", counted(launched.argument), spelled));
  }

  std::string counted(std::int64_t value) const {
    return fmt::format("{} {}", value, size() == "count" ? "elements" : size());
  }

  /// Of the launches; only if it is known.
  std::int64_t block() const { return blocks_.launched_threads.value(); }

  /// The axis along which the variable "grid" counts blocks.
  std::optional<std::size_t> grid_axis() const {
    const auto& grid = instance_.launches.at(0).grid;
    const auto axis = std::ranges::find(grid, "grid", &Expression::text);
    return axis == grid.end() ? std::nullopt : std::optional(static_cast<std::size_t>(axis - grid.begin()));
  }

  Instance with_launched_block(Instance instance) const {
    return with_range(std::move(instance), "block", std::to_string(block()));
  }

  /// What the cases of the changed instance show, unless the instance itself shows an error.
  std::optional<Finding> error_if_wrong(const Instance& changed, const std::vector<Case>& cases) {
    auto error = error_in(changed, cases);
    return error && is_usually_right() ? error : std::nullopt;
  }

  bool is_usually_right() {
    if (!is_usually_right_) {
      const Instance usual = with_launched_block(instance_);
      is_usually_right_ = !error_in(usual, trial_cases(usual));
    }
    return *is_usually_right_;
  }

  void try_others(std::uint32_t blocks) const {
    for (const std::uint32_t other : std::set{1U, 2U, blocks + 1}) {
      if (other == blocks) continue;
      const Instance changed = with_range(instance_, "grid", std::to_string(other));
      const auto error = error_in(changed, trial_cases(changed));
      if (!error) continue;
      if (error_in(instance_, trial_cases(instance_))) return;
      const std::string condition = fmt::format("launch {} block{}", other, other == 1 ? "" : "s");
      return preconditions_.warnings.push_back(warning_of(*error, condition));
    }
  }

  /// Limits the blocks to the largest power of two that is not less than those of the source and with which
  /// the kernel is right, unless it is right with all of them.
  void try_more(std::uint32_t launched, const Range& grid) const {
    constexpr std::uint32_t most = 1024;
    if (launched > most) return;
    for (std::uint32_t limit = std::bit_ceil(launched); limit <= most; limit *= 2) {
      const auto error = error_with(limit + 1);
      if (!error) continue;
      if (error_with(limit)) return;
      preconditions_.limited = {
          {"grid", fmt::format("{} .. min({}, {})", grid.low.text(), grid.high.text(), limit)}};
      preconditions_.assumptions.push_back(
          fmt::format("grids of up to {} blocks, for which trial runs show no error", limit));
      preconditions_.warnings.push_back(
          warning_of(*error, fmt::format("launch grids of more than {} blocks", limit)));
      return;
    }
  }

  /// If the blocks that the source launches suit more elements than they have threads, they are the domain,
  /// unless the kernel is right with as many blocks as those need.
  void try_more_elements(std::uint32_t launched) const {
    constexpr std::uint32_t most = 1024;
    if (launched > most) return;
    const auto error = error_with(std::int64_t{launched} + 1);
    const Instance fixed = with_range(instance_, "grid", std::to_string(launched));
    if (!error || error_with(launched) || error_in(fixed, trial_cases(fixed))) return;
    preconditions_.limited = {{"grid", std::to_string(launched)}};
    preconditions_.assumptions.push_back(
        fmt::format("a grid of {} blocks, as in a launch found in the source", launched));
    preconditions_.warnings.push_back(warning_of(*error, fmt::format("launch {} blocks", launched + 1)));
  }

  /// With a thread for each element.
  std::optional<Finding> error_with(std::int64_t blocks) const {
    Case c = trial_cases(instance_).front();
    const std::int64_t elements = blocks * value_of(c.variables, "block").value_or(1);
    c.variables = Domain(instance_, static_cast<std::uint64_t>(elements))
                      .nearest({{"grid", blocks},
                                {"block", value_of(c.variables, "block").value_or(1)},
                                {"count", elements},
                                {"groups", elements}});
    if (value_of(c.variables, "grid") != blocks) return std::nullopt;
    return error_in(instance_, {std::move(c)});
  }

  std::optional<Finding> error_in(const Instance& instance, const std::vector<Case>& cases) const {
    return foldproof::error_in(Evaluator(contract_, instance, image_, runner_), cases);
  }

  const Contract& contract_;
  const Instance& instance_;
  const KnownBlocks& blocks_;
  const std::shared_ptr<const Image>& image_;
  Runner& runner_;
  Preconditions& preconditions_;
  std::optional<bool> is_usually_right_;  ///< with the block that the source launches
};

}  // namespace

bool find_grids(const Contract& contract, const KnownBlocks& blocks,
                const std::shared_ptr<const Image>& image, Runner& runner, Preconditions& preconditions) {
  return GridTrials(contract, blocks, image, runner, preconditions).run();
}

}  // namespace foldproof
