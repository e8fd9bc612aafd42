// Member masks, shuffles, shifts, and the operation of the reduction itself.
#include <fmt/format.h>

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

}  // namespace foldproof::mutation
