#include "contracts/uncovered_launches.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>

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

template <class Number>
std::optional<Block> known(const std::array<std::optional<Number>, 3>& extents) {
  if (std::ranges::any_of(extents, [](const auto& extent) { return !extent; })) return std::nullopt;
  return Block{*extents[0], *extents[1], *extents[2]};
}

/// The known blocks of a kernel's launches.
std::set<Block> blocks_of(const std::vector<SourceLaunch>& launches) {
  std::set<Block> blocks;
  const auto add = [&](const std::optional<Block>& block) {
    if (block) blocks.insert(*block);
  };
  for (const SourceLaunch& launch : launches) {
    add(known(launch.block));
    for (const HostCall& call : launch.calls) add(known(call.block));
  }
  return blocks;
}

std::string threads_text(const Block& block) {
  return block == Block{1, 1, 1}          ? "1 thread"
         : block[1] == 1 && block[2] == 1 ? fmt::format("{} threads", block[0])
                                          : fmt::format("{} x {} x {} threads", block[0], block[1], block[2]);
}

}  // namespace

std::vector<std::string> uncovered_launches(
    const Contract& contract, const std::vector<EntrySignature>& kernels,
    const std::function<std::string(const std::string& entry)>& lowered, std::string_view text) {
  std::map<std::string, std::vector<Claimed>> by_kernel;
  for (const Instance& instance : contract.instances)
    for (const LaunchContract& launch : instance.launches)
      by_kernel[lowered(launch.entry)].push_back(claimed_by(launch, instance));
  std::vector<LaunchedKernel> names;
  for (const EntrySignature& kernel : kernels) names.push_back(launched_kernel(kernel.spelled));
  const auto launches = launches_in(text, names);
  std::vector<std::string> notes;
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    const auto claimed = by_kernel.find(kernels[k].lowered);
    if (claimed == by_kernel.end()) continue;
    for (const Block& block : blocks_of(launches[k]))
      if (std::ranges::none_of(claimed->second, [&](const Claimed& one) { return includes(one, block); }))
        notes.push_back(
            fmt::format("the source launches {} with blocks of {}, which the contract does not include; "
                        "no case shows what that launch does",
                        kernels[k].spelled, threads_text(block)));
  }
  return notes;
}

}  // namespace foldproof
