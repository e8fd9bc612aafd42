#include "sanitizer/memory_requests.h"

#include <algorithm>
#include <tuple>
#include <vector>

namespace foldproof {
namespace {

constexpr std::uint64_t banks = 32, word_bytes = 4, sector_bytes = 32;

/// A unit of work of a bank.
struct Wanted {
  BlockNumber owner;
  std::uint64_t bank, word;
  unsigned lane;  ///< of atomics; otherwise 0, since lanes share a word
  auto operator<=>(const Wanted&) const = default;
};

std::vector<Wanted> wanted(const AccessEvent& event, LaneSet lanes) {
  std::vector<Wanted> all;
  for_lanes(lanes, [&](unsigned lane) {
    const BlockNumber owner = event.owner ? event.owner[lane] : event.warp.block;
    const std::uint64_t last = (event.at[lane] + event.bytes - 1) / word_bytes;
    const unsigned alone = event.what == AccessEvent::What::update ? lane : 0;
    for (std::uint64_t word = event.at[lane] / word_bytes; word <= last; ++word)
      all.push_back({owner, word % banks, word, alone});
  });
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

/// The number of units that the busiest bank must serve.
std::uint32_t busiest(const std::vector<Wanted>& all) {
  std::uint32_t most = 0, of_bank = 0;
  for (std::size_t k = 0; k < all.size(); ++k) {
    const bool same =
        k > 0 && std::tie(all[k].owner, all[k].bank) == std::tie(all[k - 1].owner, all[k - 1].bank);
    of_bank = same ? of_bank + 1 : 1;
    most = std::max(most, of_bank);
  }
  return most;
}

/// The number of lanes that are served together.
unsigned together(std::uint32_t bytes) {
  return lanes_per_warp / std::max(1u, bytes / static_cast<std::uint32_t>(word_bytes));
}

}  // namespace

BankService serve(const AccessEvent& event) {
  BankService service;
  const unsigned size = together(event.bytes);
  for (unsigned first = 0; first < lanes_per_warp; first += size) {
    const std::uint32_t passes = busiest(wanted(event, event.lanes & (lowest_lanes(size) << first)));
    service.passes += passes;
    service.conflicts += passes == 0 ? 0 : passes - 1;
  }
  return service;
}

std::uint32_t sectors(const AccessEvent& event) {
  std::vector<std::uint64_t> touched;
  for_lanes(event.lanes, [&](unsigned lane) {
    const std::uint64_t last = (event.at[lane] + event.bytes - 1) / sector_bytes;
    for (std::uint64_t sector = event.at[lane] / sector_bytes; sector <= last; ++sector)
      touched.push_back(sector);
  });
  std::ranges::sort(touched);
  return static_cast<std::uint32_t>(std::unique(touched.begin(), touched.end()) - touched.begin());
}

}  // namespace foldproof
