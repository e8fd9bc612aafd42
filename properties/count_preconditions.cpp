#include "properties/count_preconditions.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "contracts/expression.h"
#include "contracts/scalar_arguments.h"
#include "contracts/sizes.h"
#include "properties/execution/evaluation.h"
#include "properties/fit.h"
#include "properties/generation/domain.h"
#include "properties/precondition_runs.h"

namespace foldproof {
namespace {

/// Of an instance with rows.
bool is_square(const Instance& instance) { return range_of(instance, "rows")->high.text() == "columns"; }

/// What the launch passes, unless it depends on a variable.
std::optional<std::int64_t> constant_of(const SourceLaunch& launch, std::size_t argument) {
  if (argument >= launch.arguments.size()) return std::nullopt;
  try {
    const Expression passed = Expression::parse(launch.arguments[argument], {});
    return passed.names().empty() ? std::optional(passed.evaluate({})) : std::nullopt;
  } catch (const InputError&) {  // unknown
    return std::nullopt;
  }
}

class CountTrials {
 public:
  CountTrials(const Contract& contract, const std::shared_ptr<const Image>& image, Runner& runner,
              Preconditions& preconditions)
      : instance_(contract.instances.at(0)),
        evaluator_(contract, instance_, image, runner),
        values_only_(without_uses(instance_)),
        of_values_(contract, values_only_, image, runner),
        usual_(trial_cases(instance_).front()),
        preconditions_(preconditions) {}

  /// The last block then has fewer elements: all but one, or only one.
  void warn_of_others() const {
    const std::int64_t count = usual_.variables.at("count"), per_block = count / usual_.variables.at("grid");
    if (per_block < 2 || !is_right(usual_)) return;
    for (const std::int64_t other : {count - 1, count - per_block + 1})
      if (const auto error = error_of(with(usual_, "count", other)))
        return preconditions_.warnings.push_back(warning_of(
            *error, fmt::format("pass a number of elements that is not a multiple of {}", per_block)));
  }

  /// With rows of at most so many columns, one for each thread. A launch that passes more is an error.
  void try_columns(const std::vector<SourceLaunch>& launches, std::size_t argument) const {
    const std::int64_t most = range_of(instance_, "columns")->high.evaluate({});
    if (!is_right(usual_)) return;
    for (const SourceLaunch& launch : launches)
      if (const auto passed = constant_of(launch, argument);
          passed && *passed > most && *passed <= most_columns)
        if (const auto error = error_of(with_columns(*passed))) return report_launched(*passed, *error);
    try_more("columns", [&](std::int64_t columns) { return with_columns(columns); });
  }

  /// With at most one element per thread.
  void try_elements() const {
    try_more("count", [&](std::int64_t count) { return with(usual_, "count", count); });
  }

  /// With a thread for each element.
  void try_one_block() const {
    const std::int64_t count = many_for(usual_.variables.at("block"));
    if (!reads_last(with(with(usual_, "grid", 1), "count", count))) return;
    preconditions_.limited.emplace_back("grid",
                                        fmt::format("1 .. {}", range_of(instance_, "grid")->high.text()));
    preconditions_.assumptions.push_back(
        fmt::format("any number of blocks, since one block reads the last of {} elements", count));
  }

 private:
  /// Of a variable whose range ends at the number of threads: the kernel may read more than one for each.
  template <typename CaseOf>
  void try_more(std::string_view variable, const CaseOf& case_of) const {
    constexpr std::int64_t most_per_thread = 16;
    if (!is_right(usual_)) return;
    const Range& range = *range_of(instance_, variable);
    const bool counts_columns = variable == "columns";
    const char* what = counts_columns ? "columns" : "elements";
    const std::int64_t most = counts_columns ? most_columns : most_elements;
    const std::int64_t threads = range.high.evaluate(usual_.variables), many = many_for(threads, most);
    const auto limit = [&](std::string high, std::string assumed) {
      preconditions_.limited.emplace_back(variable, fmt::format("{} .. {}", range.low.text(), high));
      preconditions_.assumptions.push_back(std::move(assumed));
    };
    if (many > 2 * threads && reads_last(case_of(many)))
      return limit("2^15",
                   fmt::format("up to 2^15 {}, since the kernel reads the last one of {}", what, many));
    std::int64_t each = std::min(most_per_thread, most / threads);
    while (each > 1 && !reads_last(case_of(each * threads))) --each;
    if (each > 1)
      limit(fmt::format("{} * ({})", each, range.high.text()),
            fmt::format("up to {} {} per thread, since the kernel reads the last one of {}", each, what,
                        each * threads));
    const std::int64_t supported = std::max<std::int64_t>(each, 1) * threads;
    // The threads of a row are those of the source, and others those of a trial run.
    const std::string condition = counts_columns ? fmt::format("pass more than {} columns", supported)
                                  : each > 1     ? fmt::format("pass more than {} elements per thread", each)
                                                 : "pass more elements than threads";
    const Case more = case_of(supported + 1);
    for (const Case& c : {more, with_telling_last(more)})
      if (const auto error = error_of(c))
        return preconditions_.warnings.push_back(warning_of(*error, condition));
  }

  void report_launched(std::int64_t columns, const Finding& error) const {
    // A square matrix of that size would be too large for the cases of an audit.
    if (is_square(instance_))
      return preconditions_.warnings.push_back(
          warning_of(error, fmt::format("pass {} columns, as a launch found in the source does", columns)));
    preconditions_.limited.emplace_back("columns", std::to_string(columns));
    preconditions_.assumptions.push_back(
        fmt::format("{} columns, as in a launch found in the source", columns));
  }

  static Instance without_uses(Instance instance) {
    instance.claims.uses_every_input_once = false;
    return instance;
  }

  Case with_columns(std::int64_t columns) const {
    const std::int64_t rows = is_square(instance_) ? columns : usual_.variables.at("rows");
    return with(with(with(with(usual_, "columns", columns), "rows", rows), "grid", rows), "count",
                rows * columns);
  }

  static Case with(Case c, const char* variable, std::int64_t value) {
    c.variables[variable] = value;
    return c;
  }

  static constexpr std::int64_t most_elements = 65'000, most_columns = 4096;

  /// Threads that read a few elements each would not read the last of so many.
  static std::int64_t many_for(std::int64_t threads, std::int64_t most = most_elements) {
    return std::min(64 * threads, most) + 5;
  }

  bool reads_last(Case c) const {
    // As many elements as are needed for a sum that is not reached, with or without the last one.
    return instance_.reduction->op != Operator::top_p && is_right(with_telling_last(std::move(c)));
  }

  /// Whatever becomes of elements that do not show in the result.
  bool is_right(const Case& c) const {
    const Evaluation run = of_values_.evaluate(c);
    return checks_value(run) && std::ranges::none_of(run.findings, is_error);
  }

  std::optional<Finding> error_of(const Case& c) const {
    return worst_error_of(evaluator_.evaluate(c).findings, c);
  }

  static bool is_error(const Finding& finding) { return finding.severity == Severity::error; }

  const Instance& instance_;
  Evaluator evaluator_;
  Instance values_only_;
  Evaluator of_values_;
  Case usual_;
  Preconditions& preconditions_;
};

/// The index of the argument that is the variable, if there is one.
std::optional<std::size_t> argument_of(const Instance& instance, std::string_view variable) {
  const auto arguments = scalar_arguments(instance.launches.at(0).arguments);
  for (std::size_t i = 0; i < arguments.size(); ++i)
    if (arguments[i]->value.text() == variable) return i;
  return std::nullopt;
}

/// Whether the kernel uses a number that is the count.
bool uses_count(const Instance& instance, const KnownBlocks& blocks) {
  const auto argument = argument_of(instance, "count");
  return argument && !blocks.unused_parameters.contains(*argument);
}

/// The trial cases, and one with three groups: many of the others have a power of two.
std::vector<Case> cases_of_groups(const Instance& instance) {
  std::vector<Case> cases = trial_cases(instance);
  if (range_of(instance, "groups") == nullptr) return cases;
  constexpr std::uint64_t most_elements = 1 << 20;
  Case c = cases.front();
  c.variables["groups"] = 3;
  c.variables = Domain(instance, most_elements).nearest(c.variables);
  cases.push_back(std::move(c));
  return cases;
}

using Ranges = std::vector<std::pair<std::string, std::string>>;

/// The ranges of the domain if the variable is a multiple of the divisor: "groups" counts the multiples.
Ranges multiples_of(const Range& range, std::string variable, std::int64_t divisor) {
  return {{"groups", fmt::format("ceil_div({}, {}) .. ({}) / {}", range.low.text(), divisor,
                                 range.high.text(), divisor)},
          {std::move(variable), fmt::format("groups * {}", divisor)}};
}

/// Which sizes callers pass, if the kernel is wrong with others.
class SizeTrials {
 public:
  SizeTrials(const Contract& contract, const KnownBlocks& blocks, const std::shared_ptr<const Image>& image,
             Runner& runner, Preconditions& preconditions)
      : contract_(contract),
        instance_(contract.instances.at(0)),
        blocks_(blocks),
        image_(image),
        runner_(runner),
        preconditions_(preconditions),
        variable_(has("rows") ? "columns" : "count"),
        argument_(argument_of(instance_, variable_)) {}

  void run() {
    if (!has(variable_) || !argument_ || has("groups")) return;
    try_multiples();
    if (preconditions_.counts.empty()) try_count_of_threads();
    if (preconditions_.counts.empty()) try_threads_for_each();
    if (preconditions_.counts.empty()) try_long_rows();
    if (preconditions_.counts.empty()) try_most_launched();
  }

 private:
  /// What all launches have in common; otherwise an empty value.
  template <typename Of>
  auto common(const Of& of) const {
    using Value = decltype(of(blocks_.launches.front()));
    if (blocks_.launches.empty()) return Value{};
    const Value first = of(blocks_.launches.front());
    const auto is_same = [&](const SourceLaunch& launch) { return of(launch) == first; };
    return std::ranges::all_of(blocks_.launches, is_same) ? first : Value{};
  }

  /// If each launch passes, or may pass, multiples of some number, or the kernel asserts that it gets them.
  void try_multiples() {
    constexpr std::int64_t most = 4096;
    if (!range().high.names().empty()) return;
    const bool launches_multiples = are_launched(2);
    if ((!launches_multiples && !blocks_.may_assert) || !error()) return;
    // Such as `n % 256 == 0`, but not a bound of an index.
    const bool is_asserted = error()->kind == Kind::crash && blocks_.may_assert && blocks_.launches.empty() &&
                             error()->message.find_first_of("%&") != std::string::npos;
    if (!launches_multiples && !is_asserted) return;
    const std::int64_t largest = std::min(range().high.evaluate({}), most);
    for (std::int64_t divisor = 2; divisor <= largest; divisor *= 2) {
      if (!is_asserted && !are_launched(divisor)) return;
      if (!adopt(multiples_of(range(), variable_, divisor))) continue;
      const char* what = has("rows") ? "columns" : "elements";
      preconditions_.assumptions.push_back(
          fmt::format("a number of {} that is a multiple of {}", what, divisor));
      return warn_of(fmt::format("pass a number of {} that is not a multiple of {}", what, divisor));
    }
  }

  bool are_launched(std::int64_t divisor) const {
    // A kernel that suits any number of blocks suits any number of elements.
    const Range* grid = range_of(instance_, "grid");
    const bool needs_blocks = grid != nullptr && is_fixed(*grid);
    const auto may_pass = [&](const SourceLaunch& launch) {
      return launch.passes_struct || (is_within_group(divisor) && !constant_of(launch, *argument_));
    };
    return !blocks_.launches.empty() &&
           std::ranges::all_of(blocks_.launches, [&](const SourceLaunch& launch) {
             return passes_multiples(launch, *argument_, divisor) || may_pass(launch) ||
                    (needs_blocks && covers_only_multiples(launch, *argument_, divisor));
           });
  }

  /// Whether the kernel reads that many elements together. Callers of such kernels know that they read whole,
  /// aligned groups.
  bool is_within_group(std::int64_t divisor) const {
    const std::uint64_t group = blocks_.widest_read / size_of(instance_.reduction->input);
    return static_cast<std::uint64_t>(divisor) <= group;
  }

  /// If each launch of the source is one block and passes as many elements as it has threads, or a multiple.
  void try_count_of_threads() {
    if (!has("block") || has("rows") || has("segments")) return;
    const std::int64_t each =
        common([&](const SourceLaunch& launch) { return elements_per_launched_thread(launch, *argument_); });
    if (each == 0 || !adopt({{variable_, each == 1 ? "block" : fmt::format("block * {}", each)}})) return;
    const std::string what =
        each == 1 ? "exactly one element per thread" : fmt::format("exactly {} elements per thread", each);
    preconditions_.assumptions.push_back(what + ", as in every launch found in the source");
    warn_of("do not pass " + what);
  }

  /// If each launch has a thread for each element, or column, and rounds their number up.
  void try_threads_for_each() {
    if (!has("block")) return;
    const std::string low = range().low.text();
    const auto is_unknown = [](const SourceLaunch& launch) { return launch.threads.empty(); };
    if (std::ranges::all_of(blocks_.launches, is_unknown)) {
      // There may be more threads than elements.
      if (range_of(instance_, "block")->high.text() == variable_)
        adopt({{"block", "256"}, {variable_, low + " .. block"}});
      return;
    }
    const auto threads =
        common([&](const SourceLaunch& launch) { return launched_threads(launch, *argument_, variable_); });
    if (threads && adopt({{variable_, fmt::format("{} .. {}", low, blocks_.most)}, {"block", *threads}}))
      warn_of(fmt::format("do not launch blocks of \"{}\" threads", *threads));
  }

  /// If rows have at least as many columns as a warp, or a block, has threads.
  void try_long_rows() {
    if (!has("rows") || is_fixed(range()) || !range().high.names().empty() || range().low.text() != "1")
      return;
    // A launch that passes a short row is the author's own.
    constexpr std::int64_t warp = 32;
    const auto passes_short_row = [&](const SourceLaunch& launch) {
      return constant_of(launch, *argument_).value_or(warp) < warp;
    };
    if (range().high.evaluate({}) <= warp || std::ranges::any_of(blocks_.launches, passes_short_row)) return;
    const auto adopt_least = [&](const std::string& least, const std::string& fewer) {
      if (!adopt({{variable_, fmt::format("{} .. {}", least, range().high.text())}})) return false;
      preconditions_.assumptions.push_back("no " + fewer);
      warn_of("pass " + fewer);
      return true;
    };
    const bool has_own_block = has("block") && range_of(instance_, "block")->high.names().empty();
    if (!adopt_least(std::to_string(warp), fmt::format("fewer than {} columns", warp)) && has_own_block)
      adopt_least("block", "fewer columns than a block has threads");
  }

  /// If the launches pass no more than some number, whatever their own callers pass.
  void try_most_launched() {
    constexpr std::int64_t few = 2048;  // sample values are larger, unless the source limits them
    if (!range().high.names().empty() || blocks_.launches.empty()) return;
    std::int64_t most = 0;
    for (const SourceLaunch& launch : blocks_.launches) {
      if (launch.calls.empty()) return;
      for (const HostCall& call : launch.calls) {
        if (*argument_ >= call.arguments.size() || !call.arguments[*argument_]) return;
        most = std::max(most, *call.arguments[*argument_]);
      }
    }
    if (most < 2 || most > few || most >= range().high.evaluate({})) return;
    const auto fault = error_with_more_than(most);
    if (!fault || error()) return;
    preconditions_.counts = {{variable_, fmt::format("{} .. {}", range().low.text(), most)}};
    const char* what = has("rows") ? "columns" : "elements";
    preconditions_.assumptions.push_back(
        fmt::format("at most {} {}, as in every launch found in the source", most, what));
    preconditions_.warnings.push_back(warning_of(*fault, fmt::format("pass more than {} {}", most, what)));
  }

  std::optional<Finding> error_with_more_than(std::int64_t most) const {
    constexpr std::uint64_t most_elements = 1 << 16;
    constexpr std::int64_t most_tried = 4097;
    std::vector<Case> cases;
    // An array in shared memory may hold more than the launches pass, often a power of two.
    for (std::int64_t tried = most + 1; tried <= std::max(most_tried, most + 1);
         tried = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(tried))) + 1) {
      Case c = trial_cases(instance_).front();
      Variables wanted = c.variables;
      wanted[variable_] = tried;
      if (has("rows")) wanted["rows"] = wanted["grid"] = 2;
      c.variables = Domain(instance_, most_elements).nearest(wanted);
      cases.push_back(with_telling_last(c));
    }
    return error_in(Evaluator(contract_, instance_, image_, runner_), cases);
  }

  /// Whether the kernel is right with these sizes, but wrong with others; the domain then has them.
  bool adopt(Ranges sizes) {
    if (!error() || error_with(with_ranges(instance_, sizes))) return false;
    preconditions_.counts = std::move(sizes);
    return true;
  }

  void warn_of(const std::string& condition) {
    preconditions_.warnings.push_back(warning_of(*error(), condition));
  }

  /// With the sizes of the guess.
  const std::optional<Finding>& error() {
    if (!error_) error_ = error_with(instance_);
    return *error_;
  }

  std::optional<Finding> error_with(const Instance& instance) const {
    return error_in(Evaluator(contract_, instance, image_, runner_), cases_of_groups(instance));
  }

  bool has(std::string_view name) const { return range_of(instance_, name) != nullptr; }
  const Range& range() const { return *range_of(instance_, variable_); }

  const Contract& contract_;
  const Instance& instance_;
  const KnownBlocks& blocks_;
  const std::shared_ptr<const Image>& image_;
  Runner& runner_;
  Preconditions& preconditions_;
  std::string variable_;                 ///< the number of elements, or of those of a row
  std::optional<std::size_t> argument_;  ///< its index
  std::optional<std::optional<Finding>> error_;
};

}  // namespace

void find_multiples(const Contract& contract, const KnownBlocks& blocks,
                    const std::shared_ptr<const Image>& image, Runner& runner, Preconditions& preconditions) {
  SizeTrials(contract, blocks, image, runner, preconditions).run();
}

void find_counts(const Contract& contract, const KnownBlocks& blocks,
                 const std::shared_ptr<const Image>& image, Runner& runner, Preconditions& preconditions) {
  const Instance& instance = contract.instances.at(0);
  const Range* count = range_of(instance, "count");
  const auto has = [&](std::string_view name) { return range_of(instance, name) != nullptr; };
  const bool is_of_threads = !preconditions.counts.empty() && preconditions.counts.front().first == "count";
  if (count == nullptr || !instance.reduction || !has("grid") || has("groups") || has("segments") ||
      is_of_threads)
    return;
  if (has("rows")) {
    // One for each thread of the blocks that the source launches.
    const auto argument = argument_of(instance, is_square(instance) ? "rows" : "columns");
    const Range* columns = range_of(instance, "columns");
    const bool is_limited = blocks.launched_threads && columns != nullptr &&
                            columns->high.text() == std::to_string(*blocks.launched_threads);
    if (argument && is_limited)
      CountTrials(contract, image, runner, preconditions).try_columns(blocks.launches, *argument);
    return;
  }
  if (!uses_count(instance, blocks)) return;
  const auto depends = [](const Range& range, std::string_view name) {
    const std::vector<std::string> names = range.high.names();
    return std::ranges::find(names, name) != names.end();
  };
  const Range& grid = *range_of(instance, "grid");
  const CountTrials trials(contract, image, runner, preconditions);
  if (depends(*count, "block"))
    is_fixed(*count) ? trials.warn_of_others() : trials.try_elements();
  else if (is_fixed(grid) && depends(grid, "count") && preconditions.limited.empty())
    trials.try_one_block();
}

}  // namespace foldproof
