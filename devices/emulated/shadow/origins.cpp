#include "devices/emulated/shadow/origins.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>

namespace foldproof::emulated {
namespace {

bool is_whole(std::byte defined) { return defined == std::byte{0xff}; }

// Padding extends from the end of one member to a possible start of the next:
//
//     | float        | bool | .  .  . |     a hole that ends at a multiple of a power of two greater than it
bool is_shaped_like_padding(const ByteRange& hole) {
  constexpr std::uint64_t widest_alignment = 16;
  const std::uint64_t alignment = std::bit_ceil(hole.end - hole.first + 1);
  return alignment <= widest_alignment && hole.end % alignment == 0;
}

bool holds_an_element(const ByteRange& hole, std::uint32_t element_bytes) {
  const std::uint64_t first = (hole.first + element_bytes - 1) / element_bytes * element_bytes;
  return first + element_bytes <= hole.end;
}

// Whether the bytes still hold an initial value of undefined memory or registers, so that nothing was
// computed with them.
bool is_as_it_was(const std::byte* bytes, const ByteRange& hole) {
  return std::all_of(bytes + hole.first, bytes + hole.end, [](std::byte b) {
    return b == std::byte{0} || b == UndefinedFill{}.byte(0) || b == UndefinedFill{}.byte(1) ||
           b == UndefinedFill{}.byte(2) || b == UndefinedFill{}.byte(3);
  });
}

bool may_be_padding(const ByteRange& hole, const std::byte* bytes, std::uint32_t loose_element) {
  return loose_element != 0 && is_shaped_like_padding(hole) && is_as_it_was(bytes, hole) &&
         (loose_element == 1 || !holds_an_element(hole, loose_element));
}

}  // namespace

Finding undefined_finding(const Origin& origin, const Position& at, const ThreadId& who,
                          std::string_view what) {
  Finding finding;
  finding.kind = origin.kind;
  finding.message = fmt::format("{} depends on {}", what, origin.what);
  finding.at = at;
  finding.other = origin.at;
  finding.threads = {who};
  if (origin.thread) finding.threads.push_back(*origin.thread);
  return finding;
}

UndefinedOutput undefined_output(const Origins& origins, const Region& region, Address address,
                                 const JobBuffer& buffer) {
  UndefinedOutput output;
  if (!region.defined) return output;
  const std::byte* const map = region.defined + (address - region.begin);
  const std::byte* const bytes = region.host + (address - region.begin);
  std::set<std::pair<OriginId, bool>> reported;
  const auto report = [&](const Origins::Stored& store, std::uint64_t at, bool padding) {
    if (!reported.insert({store.origin, padding}).second) return;
    Finding finding = undefined_finding(origins.all[store.origin], store.at, store.thread,
                                        fmt::format("byte {} of the buffer {}", at, buffer.name));
    if (padding) {
      finding.severity = Severity::warning;
      finding.message += "; this is harmless if it is structure padding";
    }
    output.findings.push_back(std::move(finding));
  };
  const auto examine = [&](const ByteRange& hole) {
    const bool padding = may_be_padding(hole, bytes, buffer.loose_element);
    if (padding) output.idle.push_back(hole);
    std::uint64_t unwritten = hole.first;
    const auto skip_to = [&](std::uint64_t at) {
      if (unwritten < at && !padding) output.idle.push_back({unwritten, at});
      unwritten = at + 1;
    };
    const auto end = origins.stored.lower_bound({global_memory, address + hole.end});
    for (auto stored = origins.stored.lower_bound({global_memory, address + hole.first}); stored != end;
         ++stored) {
      const std::uint64_t at = stored->first.at - address;
      skip_to(at);
      if (!padding || stored->second.as_number) report(stored->second, at, padding);
    }
    skip_to(hole.end);
  };
  const std::byte* const end = map + buffer.bytes;
  for (const std::byte* at = map; (at = std::find_if_not(at, end, is_whole)) != end;) {
    const std::byte* after = std::find_if(at, end, is_whole);
    examine({static_cast<std::uint64_t>(at - map), static_cast<std::uint64_t>(after - map)});
    at = after;
  }
  return output;
}

}  // namespace foldproof::emulated
