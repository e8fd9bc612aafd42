#include "contracts/uncovered_launches.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <ranges>
#include <set>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "contracts/declarations.h"
#include "contracts/guessing/guesses.h"
#include "contracts/guessing/source_launches.h"
#include "contracts/placeholders.h"
#include "contracts/sizes.h"

namespace foldproof {
namespace {

using Block = std::array<std::int64_t, 3>;
/// Along one axis; std::nullopt: any.
using Extents = std::optional<std::set<std::int64_t>>;
/// A launch of a contract, and the blocks that the cases of its instance have along x, y and z.
struct Claim {
  const Instance& instance;
  const LaunchContract& launch;
  std::array<Extents, 3> blocks;
};

/// The values of the expression in the cases of the instance, if it depends on at most one variable with
/// constant limits.
Extents extents_of(const Expression& expression, const Instance& instance) try {
  const std::vector<std::string> names = expression.names();
  if (names.empty()) return std::set{expression.evaluate({})};
  const Range* range = names.size() == 1 ? range_of(instance, names[0]) : nullptr;
  if (range == nullptr || !range->low.names().empty() || !range->high.names().empty()) return std::nullopt;
  constexpr std::uint64_t most = 4096;
  const std::int64_t low = range->low.evaluate({}), high = range->high.evaluate({});
  if (low > high || static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) >= most)
    return std::nullopt;
  std::set<std::int64_t> values;
  for (std::int64_t value = low; value <= high; ++value)
    values.insert(expression.evaluate({{names[0], value}}));
  return values;
} catch (const InputError&) {  // a value for which the expression has none
  return std::nullopt;
}

Claim claim_of(const Instance& instance, const LaunchContract& launch) {
  Claim claim{instance, launch, {}};
  for (std::size_t axis = 0; axis < claim.blocks.size(); ++axis)
    claim.blocks.at(axis) = extents_of(launch.block.at(axis), instance);
  return claim;
}

bool includes(const Claim& claim, const Block& block) {
  for (std::size_t axis = 0; axis < block.size(); ++axis)
    if (const Extents& extents = claim.blocks.at(axis); extents && !extents->contains(block.at(axis)))
      return false;
  return true;
}

/// The blocks of the launches that the text of the source determines.
std::set<Block> blocks_of(const std::vector<SourceLaunch>& launches) {
  std::set<Block> blocks;
  for (const auto& [x, y, z] : std::views::transform(launches, &SourceLaunch::block))
    if (x && y && z) blocks.insert({*x, *y, *z});
  return blocks;
}

/// "512", "16 x 8 x 1".
std::string text_of(const Block& block) {
  return block[1] == 1 && block[2] == 1 ? std::to_string(block[0])
                                        : fmt::format("{} x {} x {}", block[0], block[1], block[2]);
}

std::string sentence_about(const std::string& kernel, const std::vector<Block>& blocks) {
  constexpr std::size_t shown = 3;
  std::vector<std::string> listed;
  for (const Block& block : blocks | std::views::take(shown)) listed.push_back(text_of(block));
  const std::string more =
      blocks.size() > shown ? fmt::format(" and {} other numbers of", blocks.size() - shown) : "";
  return fmt::format("the source launches {} with blocks of {}{} {}, which no contract covers", kernel,
                     fmt::join(listed, ", "), more,
                     listed.front() == "1" && blocks.size() == 1 ? "thread" : "threads");
}

using ClaimsOf = std::map<std::string, std::vector<Claim>>;  ///< by the kernel's lowered name

/// Adds what the contract claims of the kernels. One that is not compiled names them by their spelling.
void add_claims(const Contract& contract, const std::vector<EntrySignature>& kernels, ClaimsOf& claims) {
  for (const Instance& instance : contract.instances)
    for (const LaunchContract& launch : instance.launches)
      if (!launch.lowered.empty())
        claims[launch.lowered].push_back(claim_of(instance, launch));
      else
        for (const EntrySignature* kernel : named_by(launch.entry, kernels))
          claims[kernel->lowered].push_back(claim_of(instance, launch));
}

/// How many blocks the source launches along an axis for a value of an argument.
struct LaunchedGrid {
  const SourceLaunch& launch;
  Block block = {};
  std::size_t axis = 0, parameter = 0;  ///< indices
  std::int64_t argument = 0, blocks = 0;
};

struct Limits {
  std::int64_t low = 0, high = 0;
};

/// The argument of the launch with that index, if it is the same in all calls.
std::optional<std::int64_t> constant_argument(const SourceLaunch& launch, std::size_t index) {
  std::optional<std::int64_t> constant;
  for (const HostCall& call : launch.calls) {
    if (index >= call.arguments.size() || !call.arguments[index]) return std::nullopt;
    if (constant && constant != call.arguments[index]) return std::nullopt;
    constant = call.arguments[index];
  }
  return constant;
}

/// Those variables of the contract's cases that the arguments and the block determine. Nothing if no case has
/// these.
std::optional<Variables> variables_in(const Claim& claim, const LaunchedGrid& grid) {
  if (!includes(claim, grid.block)) return std::nullopt;
  Variables known{{claim.launch.arguments.at(grid.parameter).value.text(), grid.argument}};
  for (std::size_t k = 0; k < claim.launch.arguments.size(); ++k)
    if (const auto constant = constant_argument(grid.launch, k))
      known.emplace(claim.launch.arguments[k].value.text(), *constant);
  for (std::size_t axis = 0; axis < grid.block.size(); ++axis)
    if (const std::string& text = claim.launch.block.at(axis).text(); is_identifier(text))
      known.emplace(text, grid.block.at(axis));
  for (const auto& [name, range] : claim.instance.domain) {
    const auto low = evaluated(range.low, known), high = evaluated(range.high, known);
    const auto value = known.find(name);
    if (value == known.end()) {
      if (low && low == high) known.emplace(name, *low);
    } else if ((low && value->second < *low) || (high && value->second > *high)) {
      return std::nullopt;
    }
  }
  return known;
}

/// The numbers of blocks that the contract's launch may have along the axis; nothing if they are unknown.
std::optional<Limits> blocks_in(const Claim& claim, std::size_t axis, const Variables& known) {
  const Expression& blocks = claim.launch.grid.at(axis);
  if (const auto value = evaluated(blocks, known)) return Limits{*value, *value};
  const Range* range = range_of(claim.instance, blocks.text());
  if (range == nullptr) return std::nullopt;
  const auto low = evaluated(range->low, known), high = evaluated(range->high, known);
  return low && high ? std::optional(Limits{*low, *high}) : std::nullopt;
}

std::string sentence_about(const std::string& kernel, const std::string& variable, const LaunchedGrid& grid,
                           const Limits& claimed) {
  const auto counted = [](std::int64_t blocks) {
    return fmt::format("{} {}", blocks, blocks == 1 ? "block" : "blocks");
  };
  const std::string threads = text_of(grid.block);
  return fmt::format(
      "the source launches {} with {} of {} {} for {}={}, but the contract launches {}", kernel,
      counted(grid.blocks), threads, threads == "1" ? "thread" : "threads", variable, grid.argument,
      claimed.low == claimed.high ? counted(claimed.low)
                                  : fmt::format("{} to {}", claimed.low, counted(claimed.high)));
}

/// Nothing if some contract includes this number of blocks, or may do so.
std::optional<std::string> sentence_if_uncovered(const std::string& kernel, const std::vector<Claim>& claims,
                                                 const LaunchedGrid& grid) {
  std::optional<std::string> sentence;
  for (const Claim& claim : claims) {
    const auto& arguments = claim.launch.arguments;
    const std::string variable =
        grid.parameter < arguments.size() ? arguments[grid.parameter].value.text() : "";
    const Range* range = range_of(claim.instance, variable);
    if (range == nullptr) return std::nullopt;
    const auto known = variables_in(claim, grid);
    if (!known) continue;
    if (!evaluated(range->low, *known) || !evaluated(range->high, *known)) return std::nullopt;
    const auto claimed = blocks_in(claim, grid.axis, *known);
    if (!claimed || (claimed->low <= grid.blocks && grid.blocks <= claimed->high)) return std::nullopt;
    if (!sentence) sentence = sentence_about(kernel, variable, grid, *claimed);
  }
  return sentence;
}

/// About a launch whose number of blocks depends on one argument, for some value of it.
std::optional<std::string> uncovered_grid(const std::string& kernel, const std::vector<Claim>& claims,
                                          const SourceLaunch& launch) {
  const auto& [x, y, z] = launch.block;
  if (!x || !y || !z) return std::nullopt;
  for (std::size_t axis = 0; axis < launch.grid.size(); ++axis)
    for (std::size_t parameter = 0; parameter < launch.arguments.size(); ++parameter)
      for (const std::int64_t value : {1000, 4113, 20'000, 1'000'000})
        if (const auto size = launched_size(launch, axis, parameter, value))
          if (auto sentence = sentence_if_uncovered(
                  kernel, claims, {launch, {*x, *y, *z}, axis, parameter, size->argument, size->blocks}))
            return sentence;
  return std::nullopt;
}

/// The name of a kernel, and how many parameters and template parameters it has.
using Form = std::tuple<std::string, std::size_t, std::size_t>;
constexpr std::size_t any_number = ~std::size_t{0};  // a pack

std::size_t number_of(const std::vector<std::string>& parameters) {
  const auto is_pack = [](const std::string& one) { return one.find("...") != std::string::npos; };
  if (std::ranges::any_of(parameters, is_pack)) return any_number;
  return parameters == std::vector<std::string>{"void"} ? 0 : parameters.size();
}

std::size_t template_arguments(std::string_view spelled) {
  const std::size_t begin = spelled.find('<') + 1, end = spelled.rfind('>');
  return end <= begin ? 0 : split_list(spelled.substr(begin, end - begin), "<({[", ">)}]").size();
}

}  // namespace

std::vector<std::string> uncovered_launches(const Contract& contract,
                                            const std::vector<const Contract*>& others,
                                            const std::vector<EntrySignature>& kernels,
                                            std::string_view text) {
  ClaimsOf own;
  add_claims(contract, kernels, own);
  ClaimsOf all = own;
  for (const Contract* other : others) add_claims(*other, kernels, all);
  std::vector<LaunchedKernel> names;
  for (const EntrySignature& kernel : kernels) names.push_back(launched_kernel(kernel.spelled));
  const auto launches = launches_in(text, names);
  std::vector<std::string> sentences;
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    if (!own.contains(kernels[k].lowered)) continue;
    const std::vector<Claim>& claims = all.at(kernels[k].lowered);
    std::vector<Block> uncovered;
    for (const Block& block : blocks_of(launches[k]))
      if (std::ranges::none_of(claims, [&](const Claim& one) { return includes(one, block); }))
        uncovered.push_back(block);
    if (!uncovered.empty()) sentences.push_back(sentence_about(kernels[k].spelled, uncovered));
    for (const SourceLaunch& launch : launches[k])
      if (auto grid = uncovered_grid(kernels[k].spelled, claims, launch)) {
        sentences.push_back(*std::move(grid));
        break;
      }
  }
  return sentences;
}

std::vector<DeclaredKernel> templates_among(std::vector<DeclaredKernel> declared) {
  std::erase_if(declared, [](const DeclaredKernel& kernel) { return kernel.template_parameters.empty(); });
  return declared;
}

std::vector<std::string> without_instance(const std::vector<DeclaredKernel>& templates,
                                          const std::vector<EntrySignature>& kernels) {
  std::map<Form, std::size_t> declared;
  for (const DeclaredKernel& kernel : templates)
    ++declared[{kernel.name, number_of(kernel.parameters), number_of(kernel.template_parameters)}];
  std::map<Form, std::set<std::string>> instances;  // lowered names
  for (const EntrySignature& kernel : kernels) {
    if (kernel.spelled.find('<') == std::string::npos) continue;
    const std::string name = plain_name(kernel.spelled);
    for (const std::size_t parameters : {kernel.parameters.size(), any_number})
      for (const std::size_t arguments : {template_arguments(kernel.spelled), any_number})
        instances[{name, parameters, arguments}].insert(kernel.lowered);
  }
  std::set<std::string> lacking;
  for (const auto& [form, number] : declared)
    if (instances[form].size() < number) lacking.insert(std::get<0>(form));
  return {lacking.begin(), lacking.end()};
}

}  // namespace foldproof
