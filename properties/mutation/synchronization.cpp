// Barriers and fences.
#include <fmt/format.h>

#include "properties/mutation/mutations.h"

namespace foldproof::mutation {
namespace {

bool is_barrier(const Candidate& candidate) { return candidate.is("bar") || candidate.is("barrier"); }
bool is_fence(const Candidate& candidate) { return candidate.is("membar") || candidate.is("fence"); }

/// The result of bar.red for a thread that synchronizes with no other: its own predicate.
std::string alone(const Candidate& candidate) {
  const Spelled& s = candidate.spelled;
  const std::string& result = s.operands.front();
  const std::string& own = s.operands.back();
  const bool negated = own.starts_with('!');
  const std::string predicate = negated ? own.substr(1) : own;
  if (s.has("popc"))
    return fmt::format("{}selp.u32 {}, {}, {}, {};", s.guard, result, negated ? 0 : 1, negated ? 1 : 0,
                       predicate);
  return fmt::format("{}{}.pred {}, {};", s.guard, negated ? "not" : "mov", result, predicate);
}

std::string barrier_name(const Candidate& candidate) {
  if (!candidate.has("cluster")) return candidate.has("arrive") ? "barrier arrival" : "barrier";
  return candidate.has("arrive") ? "cluster barrier arrival" : "wait at the cluster barrier";
}

}  // namespace

std::vector<Change> delete_barrier(const Candidate& candidate) {
  if (!is_barrier(candidate) || candidate.has("warp")) return {};
  return {{"delete the " + barrier_name(candidate), candidate.has("red") ? alone(candidate) : ""}};
}

std::vector<Change> delete_warp_barrier(const Candidate& candidate) {
  if (!is_barrier(candidate) || !candidate.has("warp")) return {};
  return {{"delete the warp barrier", ""}};
}

std::vector<Change> delete_fence(const Candidate& candidate) {
  if (!is_fence(candidate)) return {};
  return {{"delete the fence", ""}};
}

std::vector<Change> narrow_fence(const Candidate& candidate) {
  if (!is_fence(candidate)) return {};
  struct Step {
    const char *from, *to, *words;
  };
  constexpr Step of_fence[] = {{"sys", "gpu", "the system to the device"},
                               {"gpu", "cta", "the device to the block"},
                               {"cluster", "cta", "the cluster to the block"}};
  constexpr Step of_membar[] = {{"sys", "gl", "the system to the device"},
                                {"gl", "cta", "the device to the block"}};
  for (const Step& step : candidate.is("fence") ? std::span<const Step>(of_fence) : of_membar)
    if (candidate.has(step.from))
      return {{fmt::format("narrow the fence from {}", step.words),
               candidate.spelled.with(step.from, step.to).text()}};
  return {};
}

}  // namespace foldproof::mutation
