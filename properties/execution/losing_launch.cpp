#include "properties/execution/losing_launch.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace foldproof {
namespace {

bool passes_input(const ArgumentContract& argument) {
  return argument.buffer == "input" || std::ranges::any_of(argument.members, passes_input);
}

std::size_t first_with_input(const Instance& instance) {
  const auto found = std::ranges::find_if(instance.launches, [](const LaunchContract& launch) {
    return std::ranges::any_of(launch.arguments, passes_input);
  });
  return found == instance.launches.end() ? 0 : static_cast<std::size_t>(found - instance.launches.begin());
}

/// By node: whether it depends on the element.
std::vector<bool> dependents(const Expressions& expressions, std::size_t element) {
  std::vector<bool> depend(expressions.size());
  depend[element + 1] = true;
  for (NodeId id = expressions.inputs() + 1; id < expressions.size(); ++id)
    depend[id] =
        std::ranges::any_of(expressions[id].operand, [&](NodeId operand) { return depend[operand]; });
  return depend;
}

}  // namespace

std::size_t losing_launch(const Instance& instance, const Followed& followed, std::size_t element) {
  const std::vector<bool> depend = dependents(followed.expressions, element);
  std::optional<std::size_t> last;
  bool last_keeps = false;
  NodeId begin = followed.expressions.inputs() + 1;
  for (std::size_t i = 0; i < followed.launches.size(); ++i) {
    const FollowedLaunch& launch = followed.launches[i];
    const bool keeps = std::ranges::any_of(launch.kept, [&](NodeId node) { return depend[node]; });
    const bool makes =
        std::find(depend.begin() + begin, depend.begin() + launch.end, true) != depend.begin() + launch.end;
    if (makes || keeps) last = i, last_keeps = keeps;
    begin = launch.end;
  }
  if (!last) return first_with_input(instance);
  return last_keeps ? std::min(*last + 1, followed.launches.size() - 1) : *last;
}

}  // namespace foldproof
