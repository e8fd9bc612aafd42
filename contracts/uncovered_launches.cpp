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

#include "contracts/declarations.h"
#include "contracts/guessing/guesses.h"
#include "contracts/guessing/source_launches.h"
#include "contracts/sizes.h"

namespace foldproof {
namespace {

using Block = std::array<std::int64_t, 3>;
/// Along one axis; std::nullopt: any.
using Extents = std::optional<std::set<std::int64_t>>;
/// Along x, y and z: the blocks that the cases of an instance have.
using Claimed = std::array<Extents, 3>;

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

Claimed claimed_by(const LaunchContract& launch, const Instance& instance) {
  Claimed claimed;
  for (std::size_t axis = 0; axis < claimed.size(); ++axis)
    claimed.at(axis) = extents_of(launch.block.at(axis), instance);
  return claimed;
}

bool includes(const Claimed& claimed, const Block& block) {
  for (std::size_t axis = 0; axis < block.size(); ++axis)
    if (const Extents& extents = claimed.at(axis); extents && !extents->contains(block.at(axis)))
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

using ClaimsOf = std::map<std::string, std::vector<Claimed>>;  ///< by the kernel's lowered name

/// Adds what the contract claims of the kernels. One that is not compiled names them by their spelling.
void add_claims(const Contract& contract, const std::vector<EntrySignature>& kernels, ClaimsOf& claims) {
  for (const Instance& instance : contract.instances)
    for (const LaunchContract& launch : instance.launches)
      for (const EntrySignature& kernel : kernels)
        if (launch.lowered.empty()
                ? is_same_spelling(kernel.spelled, launch.entry) || instantiates(kernel.spelled, launch.entry)
                : launch.lowered == kernel.lowered)
          claims[kernel.lowered].push_back(claimed_by(launch, instance));
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
    const std::vector<Claimed>& claimed = all.at(kernels[k].lowered);
    std::vector<Block> uncovered;
    for (const Block& block : blocks_of(launches[k]))
      if (std::ranges::none_of(claimed, [&](const Claimed& one) { return includes(one, block); }))
        uncovered.push_back(block);
    if (!uncovered.empty()) sentences.push_back(sentence_about(kernels[k].spelled, uncovered));
  }
  return sentences;
}

std::vector<std::string> uninstantiated_templates(const std::vector<EntrySignature>& kernels,
                                                  std::string_view text) {
  std::vector<std::string> sentences;
  for (const DeclaredKernel& declared : kernels_declared(text)) {
    const auto is_instance = [&](const EntrySignature& kernel) {
      return plain_name(kernel.spelled) == declared.name;
    };
    if (!declared.template_parameters.empty() && std::ranges::none_of(kernels, is_instance))
      sentences.push_back(fmt::format("no contract launches an instance of the template {}", declared.name));
  }
  return sentences;
}

}  // namespace foldproof
