#include "ptx/types.h"

#include <algorithm>
#include <array>
#include <utility>

namespace foldproof::ptx {
namespace {

constexpr std::array<std::pair<std::string_view, Space>, 6> spaces = {{{"reg", Space::reg},
                                                                       {"param", Space::param},
                                                                       {"shared", Space::shared},
                                                                       {"local", Space::local},
                                                                       {"const", Space::constant},
                                                                       {"global", Space::global}}};

/// Types that a variable may have, with their size in bytes.
constexpr std::array<std::pair<std::string_view, std::uint32_t>, 24> types = {
    {{"pred", 1}, {"b8", 1},    {"u8", 1},     {"s8", 1},         {"b16", 2},     {"u16", 2},
     {"s16", 2},  {"f16", 2},   {"bf16", 2},   {"b32", 4},        {"u32", 4},     {"s32", 4},
     {"f32", 4},  {"f16x2", 4}, {"bf16x2", 4}, {"b64", 8},        {"u64", 8},     {"s64", 8},
     {"f64", 8},  {"b128", 16}, {"texref", 8}, {"samplerref", 8}, {"surfref", 8}, {"tf32", 4}}};

}  // namespace

std::optional<Space> space_of(std::string_view word) {
  const auto* row = std::ranges::find(spaces, word, &std::pair<std::string_view, Space>::first);
  return row == spaces.end() ? std::nullopt : std::optional(row->second);
}

std::optional<std::uint32_t> bytes_of_type(std::string_view type) {
  const auto* row = std::ranges::find(types, type, &std::pair<std::string_view, std::uint32_t>::first);
  return row == types.end() ? std::nullopt : std::optional(row->second);
}

std::uint64_t bytes_of(const Variable& variable) {
  std::uint64_t bytes = std::uint64_t{bytes_of_type(variable.type).value_or(0)} * variable.vector;
  for (const std::uint64_t extent : variable.extents)
    if (__builtin_mul_overflow(bytes, extent, &bytes)) return UINT64_MAX;
  return bytes;
}

}  // namespace foldproof::ptx
