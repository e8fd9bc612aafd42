#include "properties/grid_preconditions.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

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

  void run() const {
    const Range* grid = range_of(instance_, "grid");
    if (grid == nullptr || instance_.launches.at(0).has_cluster) return;
    const bool is_constant = grid->low.names().empty() && grid->low.text() == grid->high.text();
    if (is_constant && blocks_.may_be_several)
      try_others(static_cast<std::uint32_t>(grid->low.evaluate({})));
    else if (!is_constant && blocks_.launched_grid && range_of(instance_, "rows") == nullptr)
      try_more(*blocks_.launched_grid, *grid);
  }

 private:
  void try_others(std::uint32_t blocks) const {
    for (const std::uint32_t other : std::set{1U, 2U, blocks + 1}) {
      if (other == blocks) continue;
      const Instance changed = with_range(instance_, "grid", std::to_string(other));
      const auto error = error_in(changed, trial_cases(changed));
      if (!error || error_in(instance_, trial_cases(instance_))) continue;
      const std::string condition = fmt::format("launch {} block{}", other, other == 1 ? "" : "s");
      return preconditions_.warnings.push_back(warning_of(*error, condition));
    }
  }

  /// Limits the blocks to the largest power of two that is not less than those of the source and with which
  /// the kernel is right, unless it is right with all of them.
  void try_more(std::uint32_t launched, const Range& grid) const {
    constexpr std::uint32_t most = 1024;
    for (std::uint32_t limit = 1; limit <= most; limit *= 2) {
      if (limit < launched) continue;
      const auto error = error_with(limit + 1);
      if (!error) continue;
      if (error_with(limit)) return;
      preconditions_.limited = limited(limit, grid);
      preconditions_.assumptions.push_back(
          fmt::format("grids of up to {} blocks, with which trial runs show no error", limit));
      preconditions_.warnings.push_back(
          warning_of(*error, fmt::format("launch grids of more than {} blocks", limit)));
      return;
    }
  }

  /// The variable that limits the blocks: their number, or what it is computed from.
  std::pair<std::string, std::string> limited(std::uint32_t limit, const Range& grid) const {
    const auto at_most = [](const Range& range, const std::string& most) {
      return fmt::format("{} .. min({}, {})", range.low.text(), range.high.text(), most);
    };
    if (grid.low.text() != grid.high.text()) return {"grid", at_most(grid, std::to_string(limit))};
    const std::string unit = range_of(instance_, "groups") != nullptr ? "groups" : "count";
    return {unit, at_most(*range_of(instance_, unit), fmt::format("{} * block", limit))};
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

  /// The first error of the runs, with its case.
  std::optional<Finding> error_in(const Instance& instance, const std::vector<Case>& cases) const {
    const Evaluator evaluator(contract_, instance, image_, runner_);
    for (const Case& c : cases) {
      const std::vector<Finding> findings = evaluator.evaluate(c).findings;
      if (findings.empty()) continue;
      const Finding& first = worst_of(findings);
      if (first.severity != Severity::warning) return with_case(first, c);
    }
    return std::nullopt;
  }

  const Contract& contract_;
  const Instance& instance_;
  const KnownBlocks& blocks_;
  const std::shared_ptr<const Image>& image_;
  Runner& runner_;
  Preconditions& preconditions_;
};

}  // namespace

void find_grids(const Contract& contract, const KnownBlocks& blocks,
                const std::shared_ptr<const Image>& image, Runner& runner, Preconditions& preconditions) {
  GridTrials(contract, blocks, image, runner, preconditions).run();
}

}  // namespace foldproof
