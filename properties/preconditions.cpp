#include "properties/preconditions.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "contracts/sizes.h"
#include "properties/count_preconditions.h"
#include "properties/execution/evaluation.h"
#include "properties/fit.h"
#include "properties/generation/domain.h"
#include "properties/grid_preconditions.h"
#include "properties/precondition_runs.h"
#include "properties/verdict.h"

namespace foldproof {
namespace {

constexpr std::uint32_t warp = 32;

/// What sizes of blocks may have in common.
struct Shape {
  bool (*has)(std::uint32_t threads);
  const char* otherwise;  ///< "if callers launch blocks whose size …"
  const char* described;  ///< after "blocks of 32 to 1024 threads"
  /// The variables of the domain, for sizes from `low` to `high`, which have the shape.
  std::vector<std::pair<std::string, std::string>> (*variables)(std::uint32_t low, std::uint32_t high);
};

std::string range(std::uint32_t low, std::uint32_t high) {
  return low == high ? std::to_string(low) : fmt::format("{} .. {}", low, high);
}

const Shape shapes[] = {
    {[](std::uint32_t) { return true; }, "", "",
     [](std::uint32_t low, std::uint32_t high) {
       return std::vector<std::pair<std::string, std::string>>{{"block", range(low, high)}};
     }},
    {[](std::uint32_t threads) { return threads % warp == 0; }, "is not a multiple of 32",
     ", a multiple of 32",
     [](std::uint32_t low, std::uint32_t high) {
       return std::vector<std::pair<std::string, std::string>>{
           {"warps", range((low + warp - 1) / warp, high / warp)}, {"block", "warps * 32"}};
     }},
    {[](std::uint32_t threads) { return std::has_single_bit(threads); }, "is not a power of two",
     ", a power of two",
     [](std::uint32_t low, std::uint32_t high) {
       const auto log2 = [](std::uint32_t x) { return static_cast<std::uint32_t>(std::bit_width(x)) - 1; };
       return std::vector<std::pair<std::string, std::string>>{{"log2_block", range(log2(low), log2(high))},
                                                               {"block", "2 ^ log2_block"}};
     }},
};

/// A condition that an author could mean.
struct Condition {
  const Shape* shape = nullptr;
  std::uint32_t low = 0, high = 0;

  bool holds(std::uint32_t threads) const { return low <= threads && threads <= high && shape->has(threads); }
};

/// Blocks of one warp, of several and of parts, and the edges of what authors choose.
constexpr std::uint32_t usual_blocks[] = {1,   2,   8,   17,  31,  32,  33,  48,  64,   65,  96,
                                          100, 128, 129, 255, 256, 257, 512, 513, 1000, 1024};

using Faults = std::map<std::uint32_t, std::optional<Finding>>;  ///< by block; nothing: it works

/// Whether the condition separates what works from what does not. What works with a part of a warp may be a
/// coincidence; that a warp does not race with itself shows nothing.
bool separates(const Condition& condition, const Faults& faults) {
  bool works_with_warps = false, has_race = false;
  for (const auto& [block, fault] : faults) {
    if (condition.holds(block) == fault.has_value() && (fault || block > warp)) return false;
    works_with_warps |= !fault && block > warp;
    has_race |= fault && block > warp && is_about_order(*fault);
  }
  return works_with_warps || !has_race;
}

/// The condition that the most blocks fulfil; nothing if none separates them.
std::optional<Condition> condition_of(const Faults& faults, std::uint32_t most) {
  std::optional<Condition> best;
  std::ptrdiff_t best_count = 0;
  std::vector<std::uint32_t> limits;
  for (std::uint32_t limit = warp; limit < most; limit *= 2) limits.push_back(limit);
  limits.push_back(most);
  std::vector<std::uint32_t> lows = limits;
  lows.insert(lows.begin(), 1);
  for (const Shape& shape : shapes)
    for (const std::uint32_t low : lows)
      for (const std::uint32_t high : limits) {
        const Condition condition{&shape, low, high};
        const auto count =
            std::ranges::count_if(faults, [&](const auto& entry) { return condition.holds(entry.first); });
        if (low > high || count <= best_count || !separates(condition, faults)) continue;
        best = condition;
        best_count = count;
      }
  return best;
}

class BlockTrials {
 public:
  BlockTrials(const Contract& contract, const KnownBlocks& blocks, const std::shared_ptr<const Image>& image,
              Runner& runner)
      : contract_(contract), blocks_(blocks), image_(image), runner_(runner) {
    find_usual_warnings();
    for (const std::uint32_t block : usual_blocks)
      if (block <= blocks.most) try_block(block);
    for (const std::uint32_t block : blocks.launched) try_block(block);
  }

  void add_to(Preconditions& preconditions) const {
    const auto fails = [&](std::uint32_t block) {
      const auto found = faults_.find(block);
      return found != faults_.end() && found->second;
    };
    const auto failing = std::ranges::find_if(blocks_.launched, fails);
    if (failing != blocks_.launched.end()) {
      preconditions.block = {{"block", std::to_string(*failing)}};
      preconditions.assumptions.push_back(
          fmt::format("block size {}, as in a launch found in the source", *failing));
      return;
    }
    const auto condition = condition_of(faults_, blocks_.most);
    if (!condition ||
        !std::ranges::all_of(blocks_.launched, [&](std::uint32_t block) { return condition->holds(block); }))
      return warn_of_some(preconditions.warnings);
    preconditions.block = condition->shape->variables(condition->low, condition->high);
    preconditions.assumptions.push_back(described(*condition));
    if (condition->low < condition->high) return add_warnings(*condition, preconditions.warnings);
    // A template argument says it.
    if (std::ranges::count(blocks_.template_integers, condition->low) != 0) return;
    // A block with a part of a warp may fail for another reason.
    const auto is_other = [&](std::uint32_t block) { return block != condition->low; };
    const bool fails_with_whole_warps = std::ranges::any_of(faults_, [&](const auto& tried) {
      return tried.second && is_other(tried.first) && tried.first % warp == 0;
    });
    add_warning(fmt::format("launch blocks whose size is not {}", condition->low), preconditions.warnings,
                [&](std::uint32_t block) {
                  return is_other(block) && (!fails_with_whole_warps || block % warp == 0);
                });
  }

 private:
  /// Which elements are lost is recorded only for what is shown, since that costs most.
  enum class Provenance : bool { ignored, recorded };

  /// The trial runs, the cases with the fewest elements first, until `use` returns true.
  void for_each_run(std::uint32_t block, Provenance provenance,
                    const std::function<bool(const Case&, Evaluation)>& use) const {
    Instance instance = with_range(contract_.instances.at(0), "block", std::to_string(block));
    if (provenance == Provenance::ignored) instance.claims.uses_every_input_once = false;
    const Evaluator evaluator(contract_, instance, image_, runner_);
    std::vector<Case> cases = trial_cases(instance);
    std::ranges::move(large_trial_cases(instance, block), std::back_inserter(cases));
    std::ranges::stable_sort(cases, {}, [](const Case& c) { return value_of(c.variables, "count"); });
    for (const Case& c : cases)
      if (use(c, evaluator.evaluate(c))) return;
  }

  /// What a kernel shows with the block that the source, or the guess, says does not depend on the block.
  /// Lost elements show only in their provenance if the values are not checked, such as for want of a bound,
  /// or if they are those of an extremum.
  void find_usual_warnings() {
    try {
      bool are_checked = false;
      for_each_run(usual_block(), Provenance::ignored, [&](const Case&, const Evaluation& run) {
        for (const Finding& finding : run.findings)
          if (finding.severity == Severity::warning) usual_warnings_.insert(finding.kind);
        are_checked |= checks_value(run);
        return false;
      });
      const auto& reduction = contract_.instances.at(0).reduction;
      const bool shows_in_value = are_checked && reduction && !is_extremum(underlying(reduction->op));
      if (!shows_in_value) usual_provenance_ = Provenance::recorded;
    } catch (const InputError&) {  // such as more elements than can be run
    }
  }

  std::optional<Finding> fault_with(std::uint32_t block, Provenance provenance) const {
    std::optional<Finding> fault;
    for_each_run(block, provenance, [&](const Case& c, Evaluation run) {
      std::vector<Finding>& findings = run.findings;
      std::erase_if(findings, [&](const Finding& finding) {
        return finding.severity == Severity::warning && usual_warnings_.contains(finding.kind);
      });
      if (!findings.empty() && !is_wrong_with_usual_block(c, block)) fault = with_case(worst_of(findings), c);
      return fault.has_value();
    });
    return fault;
  }

  std::uint32_t usual_block() const {
    return blocks_.launched.empty() ? guessed_block() : blocks_.launched.front();
  }

  /// Whether the sizes of the case are to blame instead of the block, such as many rows. The audit shows
  /// that.
  bool is_wrong_with_usual_block(const Case& c, std::uint32_t block) const {
    if (blocks_.launched.empty() || block == blocks_.launched.front()) return false;
    const std::uint32_t usual = blocks_.launched.front();
    const Instance instance = with_range(contract_.instances.at(0), "block", std::to_string(usual));
    Case with_usual = c;
    with_usual.variables["block"] = usual;
    constexpr std::uint64_t most_elements = 1 << 20;
    with_usual.variables = Domain(instance, most_elements).nearest(with_usual.variables);
    for (const char* size : {"count", "rows", "columns"})
      if (value_of(with_usual.variables, size) != value_of(c.variables, size)) return false;
    const Evaluation run = Evaluator(contract_, instance, image_, runner_).evaluate(with_usual);
    return std::ranges::any_of(run.findings,
                               [](const Finding& finding) { return finding.severity == Severity::error; });
  }

  std::uint32_t guessed_block() const {
    return static_cast<std::uint32_t>(range_of(contract_.instances.at(0), "block")->low.evaluate({}));
  }

  /// Without a condition, what happens with a block of several warps, unless it happens with the usual one.
  void warn_of_some(std::vector<Finding>& warnings) const {
    if (const auto usual = faults_.find(guessed_block()); usual == faults_.end() || usual->second) return;
    for (const auto& [block, fault] : faults_)
      if (fault && block > warp)
        return warnings.push_back(warning_of(*fault, fmt::format("launch blocks of {} threads", block)));
  }

  static std::string described(const Condition& condition) {
    if (condition.low == condition.high)
      return fmt::format("blocks of {} threads, the only size without an error in trial runs", condition.low);
    return fmt::format("blocks of {} to {} threads{}, which show no error in trial runs", condition.low,
                       condition.high, condition.shape->described);
  }

  void add_warnings(const Condition& condition, std::vector<Finding>& warnings) const {
    const auto [shape, low, high] = condition;
    add_warning(
        "launch blocks of {} or fewer threads", warnings,
        [&, shape = shape, low = low](std::uint32_t block) { return shape->has(block) && block < low; });
    add_warning(fmt::format("launch blocks whose size {}", shape->otherwise), warnings,
                [&, shape = shape, low = low, high = high](std::uint32_t block) {
                  return low <= block && block <= high && !shape->has(block);
                });
    add_warning(
        "launch blocks of {} or more threads", warnings,
        [&, shape = shape, high = high](std::uint32_t block) { return shape->has(block) && block > high; });
  }

  /// What happens with the smallest block of several warps that is affected or, if there is none, with the
  /// largest. The condition may have a place for its size.
  void add_warning(const std::string& condition, std::vector<Finding>& warnings,
                   const std::function<bool(std::uint32_t)>& is_affected) const {
    std::uint32_t shown = 0;
    for (const auto& [block, fault] : faults_) {
      if (!fault || !is_affected(block)) continue;
      shown = block;
      if (block > warp) break;
    }
    if (shown == 0) return;
    warnings.push_back(
        warning_of(fault_with(shown, Provenance::recorded).value_or(*faults_.at(shown)),
                   shown == 1 ? "launch blocks of one thread" : fmt::format(fmt::runtime(condition), shown)));
  }

  void try_block(std::uint32_t block) {
    try {
      faults_[block] = fault_with(block, usual_provenance_);
    } catch (const InputError&) {  // such as more elements than can be run
      faults_.erase(block);
    }
  }

  const Contract& contract_;
  const KnownBlocks& blocks_;
  const std::shared_ptr<const Image>& image_;
  Runner& runner_;
  Faults faults_;
  std::set<Kind> usual_warnings_;
  Provenance usual_provenance_ = Provenance::ignored;
};

/// Whether the domain has one block, of one dimension, and says nothing else about it.
bool leaves_block_open(const Instance& instance) {
  const Range* block = range_of(instance, "block");
  return block != nullptr && instance.launches.at(0).block[0].text() == "block" &&
         block->low.names().empty() && is_fixed(*block);
}

void try_alignment(const Contract& contract, const std::shared_ptr<const Image>& image, Runner& runner,
                   Preconditions& preconditions) {
  const Instance& instance = contract.instances.at(0);
  if (range_of(instance, "offset") != nullptr) return;
  Case c = trial_cases(instance).front();
  const Evaluator evaluator(contract, instance, image, runner);
  const auto misaligned = [&](const Case& tried) -> std::optional<Finding> {
    const std::vector<Finding> findings = evaluator.evaluate(tried).findings;
    const auto found = std::ranges::find(findings, Kind::misaligned, &Finding::kind);
    return found == findings.end() ? std::nullopt : std::optional(with_case(*found, tried));
  };
  if (misaligned(c)) return;
  c.offset = 1;
  const auto finding = misaligned(c);
  if (!finding) return;
  preconditions.is_aligned = true;
  preconditions.assumptions.emplace_back("an aligned input");
  preconditions.warnings.push_back(warning_of(*finding, "pass an unaligned input"));
}

Instance with_limits(Instance instance, const Preconditions& preconditions) {
  for (const auto& [name, text] : preconditions.limited)
    instance = with_range(std::move(instance), name, text);
  return instance;
}

void find_launches(const Contract& contract, const KnownBlocks& blocks,
                   const std::shared_ptr<const Image>& image, Runner& runner, Preconditions& preconditions) {
  try_alignment(contract, image, runner, preconditions);
  const bool has_wrong_launch = find_grids(contract, blocks, image, runner, preconditions);
  try {
    if (!has_wrong_launch) find_counts(contract, blocks, image, runner, preconditions);
  } catch (const InputError&) {  // such as more elements than can be run
  }
  Contract limited = contract;
  limited.instances.at(0) = with_limits(contract.instances.at(0), preconditions);
  if (!has_wrong_launch && !blocks.is_required && leaves_block_open(limited.instances.at(0)))
    BlockTrials(limited, blocks, image, runner).add_to(preconditions);
  if (preconditions.block.empty())
    preconditions.assumptions.push_back(
        fmt::format("block size {}", range_of(contract.instances.at(0), "block")->low.text()));
}

}  // namespace

Preconditions preconditions_of(const Contract& contract, const KnownBlocks& blocks,
                               const std::shared_ptr<const Image>& image, Runner& runner) {
  Preconditions preconditions;
  try {
    find_multiples(contract, blocks, image, runner, preconditions);
  } catch (const InputError&) {  // such as more elements than can be run
  }
  Contract changed = contract;
  changed.instances.at(0) = with_ranges(contract.instances.at(0), preconditions.counts);
  find_launches(changed, blocks, image, runner, preconditions);
  return preconditions;
}

void add(const Preconditions& preconditions, Contract& contract) {
  Instance& instance = contract.instances.at(0);
  instance = with_ranges(with_ranges(std::move(instance), preconditions.block), preconditions.counts);
  instance = with_limits(std::move(instance), preconditions);
  if (preconditions.shared)
    instance.launches.at(0).shared = Expression::constant(static_cast<std::int64_t>(*preconditions.shared));
  if (preconditions.is_aligned) instance.domain.emplace_back("offset", Range::parse("0", {}));
  std::ranges::copy(preconditions.assumptions, std::back_inserter(contract.assumptions));
  std::ranges::copy(preconditions.warnings, std::back_inserter(contract.preconditions));
}

}  // namespace foldproof
