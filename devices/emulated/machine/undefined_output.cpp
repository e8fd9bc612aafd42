#include "devices/emulated/machine/undefined_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>

namespace foldproof::machine {
namespace {

// Padding goes from the end of one member to where another may begin:
//
//   | float        | bool | .  .  . |     a hole narrower than the power of two that it ends at a multiple of
bool is_shaped_like_padding(std::uint64_t first, std::uint64_t end) {
  constexpr std::uint64_t widest_alignment = 16;
  const std::uint64_t alignment = std::bit_ceil(end - first + 1);
  return alignment <= widest_alignment && end % alignment == 0;
}

}  // namespace

UndefinedOutput undefined_output(const Origins& origins, const Region& region, std::uint64_t from,
                                 std::uint64_t bytes, std::string_view name, bool may_be_padded) {
  UndefinedOutput output;
  if (!region.defined) return output;
  const std::byte* map = region.defined + (from - region.begin);
  const auto is_whole = [](std::byte defined) { return defined == std::byte{0xff}; };
  std::set<std::pair<OriginId, bool>> told;
  const auto look_at = [&](std::uint64_t at, bool may_be_padding) {
    const auto found = origins.stored.find({0, from + at});
    const bool is_stored = found != origins.stored.end();
    if (!is_stored || may_be_padding) output.idle.push_back(at);
    if (!is_stored || (may_be_padding && !found->second.as_number)) return;
    const Origins::Stored& store = found->second;
    if (!told.insert({store.origin, may_be_padding}).second) return;
    Finding finding = undefined_finding(origins.all[store.origin], store.at, store.thread,
                                        fmt::format("byte {} of the buffer {}", at, name));
    if (may_be_padding) {
      finding.severity = Severity::warning;
      finding.message += "; where that is padding of a structure, nothing is wrong";
    }
    output.findings.push_back(std::move(finding));
  };
  for (const std::byte* hole = map; (hole = std::find_if_not(hole, map + bytes, is_whole)) != map + bytes;) {
    const std::byte* behind = std::find_if(hole, map + bytes, is_whole);
    const auto first = static_cast<std::uint64_t>(hole - map), end = static_cast<std::uint64_t>(behind - map);
    const bool may_be_padding = may_be_padded && is_shaped_like_padding(first, end);
    for (std::uint64_t at = first; at != end; ++at) look_at(at, may_be_padding);
    hole = behind;
  }
  return output;
}

}  // namespace foldproof::machine
