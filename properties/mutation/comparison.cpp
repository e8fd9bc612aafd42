// Integer comparisons: bounds checks, loop conditions, thread indices.
#include <fmt/format.h>

#include <algorithm>

#include "properties/mutation/mutations.h"

namespace foldproof::mutation {
namespace {

bool is_integer_comparison(const Candidate& candidate) {
  constexpr const char* types[] = {"u16", "s16", "b16", "u32", "s32", "b32", "u64", "s64", "b64"};
  return candidate.is("setp") && candidate.spelled.operands.size() >= 3 &&
         std::ranges::find(types, candidate.type()) != std::end(types);
}

std::string always(const Candidate& candidate, const char* comparison) {
  Spelled forced = candidate.spelled.with_operand(1, "0").with_operand(2, "0");
  forced.suffixes.front() = comparison;
  return forced.text();
}

}  // namespace

std::vector<Change> force_compare(const Candidate& candidate) {
  if (!is_integer_comparison(candidate)) return {};
  const std::string& how = candidate.spelled.suffixes.front();
  return {{fmt::format("make the comparison ({}) always true", how), always(candidate, "eq")},
          {fmt::format("make the comparison ({}) always false", how), always(candidate, "ne")}};
}

std::vector<Change> shift_compare(const Candidate& candidate) {
  if (!is_integer_comparison(candidate)) return {};
  constexpr const char* moved[][2] = {{"lt", "le"}, {"le", "lt"}, {"gt", "ge"}, {"ge", "gt"},
                                      {"lo", "ls"}, {"ls", "lo"}, {"hi", "hs"}, {"hs", "hi"}};
  const std::string& how = candidate.spelled.suffixes.front();
  for (const auto& [from, to] : moved) {
    if (how != from) continue;
    Spelled changed = candidate.spelled;
    changed.suffixes.front() = to;
    return {{fmt::format("compare with {} instead of {}", to, from), changed.text()}};
  }
  const auto constant = candidate.integer(2);
  if ((how != "eq" && how != "ne") || !constant) return {};
  const auto next = static_cast<std::int64_t>(*constant) + 1;
  return {{fmt::format("compare with {} instead of {} ({})", next, next - 1, how),
           candidate.spelled.with_operand(2, std::to_string(next)).text()}};
}

}  // namespace foldproof::mutation
