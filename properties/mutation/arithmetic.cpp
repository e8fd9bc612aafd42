// Member masks, shuffles, shifts, the operation of the reduction itself, and integer comparisons: bounds
// checks, loop conditions, thread indices.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "properties/mutation/mutations.h"

namespace foldproof::mutation {
namespace {

/// The index of the operand that is a member mask.
std::optional<std::size_t> mask_operand(const Candidate& candidate) {
  const std::size_t count = candidate.spelled.operands.size();
  if (count == 0) return std::nullopt;
  if (candidate.is("bar") && candidate.has("warp")) return 0;
  const bool meets =
      candidate.is("shfl") || candidate.is("vote") || candidate.is("match") || candidate.is("redux");
  return meets && candidate.has("sync") ? std::optional(count - 1) : std::nullopt;
}

bool is_floating(const std::string& type) {
  return type == "f16" || type == "f16x2" || type == "bf16" || type == "bf16x2" || type == "f32" ||
         type == "f32x2" || type == "f64";
}

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

std::vector<Change> clear_mask_bit(const Candidate& candidate) {
  const auto operand = mask_operand(candidate);
  const auto constant = operand ? candidate.integer(*operand) : std::nullopt;
  const auto mask = static_cast<std::uint32_t>(constant.value_or(0));
  if (mask == 0) return {};
  const auto without = [&](std::uint32_t bit) {
    return Change{fmt::format("remove lane {} from the mask {:#x}", std::countr_zero(bit), mask),
                  candidate.spelled.with_operand(*operand, fmt::format("{:#x}", mask & ~bit)).text()};
  };
  const std::uint32_t lowest = mask & (~mask + 1), highest = std::bit_floor(mask);
  if (lowest == highest) return {without(lowest)};
  return {without(lowest), without(highest)};
}

std::vector<Change> shift_lane(const Candidate& candidate) {
  constexpr std::size_t lane = 2;  // shfl.sync d|p, a, lane, clamp, mask
  const auto constant = candidate.is("shfl") ? candidate.integer(lane) : std::nullopt;
  if (!constant) return {};
  std::vector<Change> changes;
  for (const std::uint64_t other : {*constant + 1, *constant - 1})
    if (other < 32)
      changes.push_back({fmt::format("shuffle by {} instead of {}", other, *constant),
                         candidate.spelled.with_operand(lane, std::to_string(other)).text()});
  return changes;
}

std::vector<Change> shift_amount(const Candidate& candidate) {
  const auto amount = candidate.is("shl") || candidate.is("shr") ? candidate.integer(2) : std::nullopt;
  if (!amount) return {};
  return {{fmt::format("shift by {} instead of {}", *amount + 1, *amount),
           candidate.spelled.with_operand(2, std::to_string(*amount + 1)).text()}};
}

std::vector<Change> swap_extremum(const Candidate& candidate) {
  if (!candidate.is("min") && !candidate.is("max")) return {};
  Spelled swapped = candidate.spelled;
  swapped.opcode = candidate.is("min") ? "max" : "min";
  return {{fmt::format("use {} instead of {}", swapped.opcode, candidate.spelled.opcode), swapped.text()}};
}

std::vector<Change> subtract(const Candidate& candidate) {
  if (!candidate.is("add") || !is_floating(candidate.type())) return {};
  Spelled changed = candidate.spelled;
  changed.opcode = "sub";
  return {{"subtract instead of adding", changed.text()}};
}

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
