#include "devices/emulated/shadow/definedness_output.h"

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

class Search {
 public:
  Search(const Origins& origins, const Region& region, const OutputBuffer& buffer)
      : origins_(origins),
        buffer_(buffer),
        map_(region.defined + (buffer.address - region.begin)),
        bytes_(region.host + (buffer.address - region.begin)) {}

  UndefinedOutput run() {
    const std::byte* const end = map_ + buffer_.bytes;
    for (const std::byte* at = map_; (at = std::find_if_not(at, end, is_whole)) != end;) {
      const std::byte* behind = std::find_if(at, end, is_whole);
      look_at({static_cast<std::uint64_t>(at - map_), static_cast<std::uint64_t>(behind - map_)});
      at = behind;
    }
    return std::move(output_);
  }

 private:
  bool may_be_padding(const ByteRange& hole) const {
    return buffer_.loose_element != 0 && is_shaped_like_padding(hole) && is_as_it_was(bytes_, hole) &&
           (buffer_.loose_element == 1 || !holds_an_element(hole, buffer_.loose_element));
  }

  void look_at(const ByteRange& hole) {
    const bool padding = may_be_padding(hole);
    if (padding) output_.idle.push_back(hole);
    std::uint64_t unwritten = hole.first;
    const auto skip_to = [&](std::uint64_t at) {
      if (unwritten < at && !padding) output_.idle.push_back({unwritten, at});
      unwritten = at + 1;
    };
    for (auto stored = origins_.stored.lower_bound({global_memory, buffer_.address + hole.first});
         stored != origins_.stored.end() && stored->first.of == global_memory &&
         stored->first.at < buffer_.address + hole.end;
         ++stored) {
      const std::uint64_t at = stored->first.at - buffer_.address;
      skip_to(at);
      if (!padding || stored->second.as_number) report(stored->second, at, padding);
    }
    skip_to(hole.end);
  }

  void report(const Origins::Stored& store, std::uint64_t at, bool padding) {
    if (!reported_.insert({store.origin, padding}).second) return;
    Finding finding = undefined_finding(origins_.all[store.origin], store.at, store.thread,
                                        fmt::format("byte {} of the buffer {}", at, buffer_.name));
    if (padding) {
      finding.severity = Severity::warning;
      finding.message += "; this is harmless if it is structure padding";
    }
    output_.findings.push_back(std::move(finding));
  }

  const Origins& origins_;
  const OutputBuffer& buffer_;
  const std::byte *map_, *bytes_;
  std::set<std::pair<OriginId, bool>> reported_;
  UndefinedOutput output_;
};

}  // namespace

UndefinedOutput undefined_output(const Origins& origins, const Region& region, const OutputBuffer& buffer) {
  if (!region.defined) return {};
  return Search(origins, region, buffer).run();
}

}  // namespace foldproof::emulated
