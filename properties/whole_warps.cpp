#include "properties/whole_warps.h"

#include <algorithm>
#include <string>
#include <vector>

#include "properties/execution/evaluation.h"
#include "properties/representative.h"

namespace foldproof {
namespace {

constexpr std::uint64_t largest_count = 1024;
constexpr std::uint32_t warp = 32;

/// The first thread to leave memory; later out-of-bounds reads by others may be a consequence.
std::optional<std::uint32_t> first_outside(const std::vector<Finding>& findings) {
  const auto outside = std::ranges::find(findings, Kind::out_of_bounds, &Finding::kind);
  if (outside == findings.end() || outside->threads.empty()) return std::nullopt;
  const auto x = [](const ThreadId& id) { return id.thread.x; };
  return x(*std::ranges::min_element(outside->threads, {}, x));
}

}  // namespace

bool leaves_memory_by_warps(const Contract& contract, const std::shared_ptr<const Image>& image,
                            Runner& runner) {
  const Instance& instance = contract.instances.at(0);
  Case c = representative_case(instance, largest_count);
  c.input.distribution.name = "integers";
  const auto threads = static_cast<std::uint32_t>(c.variables.at("block"));
  const auto first = first_outside(Evaluator(contract, instance, image, runner).evaluate(c).findings);
  return first && *first % warp == 0 && *first + warp < threads;
}

}  // namespace foldproof
