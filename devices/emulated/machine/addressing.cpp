#include "devices/emulated/machine/addressing.h"

#include <algorithm>
#include <cstring>

#include "devices/emulated/isa/processor.h"
#include "devices/emulated/machine/lane_set.h"

namespace foldproof::machine {
namespace {

using isa::LaneMask;
using isa::warp_size;

template <class Column>
void gather(const std::byte* base, std::uint64_t displacement, std::uint32_t bytes, LaneMask lanes,
            Addresses& out) {
  const auto* columns = reinterpret_cast<const Column*>(base);
  const auto offset = static_cast<Column>(displacement);
  if (lanes == isa::all_lanes) {
    for (unsigned lane = 0; lane < warp_size; ++lane)
      out.at[lane] = static_cast<Column>(columns[lane] + offset);
  } else {
    out.at.fill(static_cast<Column>(columns[first_lane(lanes)] + offset));
    for_lanes(lanes, [&](unsigned lane) { out.at[lane] = static_cast<Column>(columns[lane] + offset); });
  }
  const std::uint64_t first = out.at[0];
  std::uint64_t low = first, high = first, bits = 0, differs = 0;
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    const std::uint64_t address = out.at[lane];
    low = std::min(low, address);
    high = std::max(high, address);
    bits |= address;
    differs |= address ^ (first + lane * std::uint64_t{bytes});
  }
  out.low = low;
  out.high = high;
  out.bits = bits;
  out.consecutive = differs == 0;
}

using Gather = void (*)(const std::byte*, std::uint64_t, std::uint32_t, LaneMask, Addresses&);

template <Gather body>
FOLDPROOF_AVX2 void gather_with_avx2(const std::byte* base, std::uint64_t displacement, std::uint32_t bytes,
                                     LaneMask lanes, Addresses& out) {
  body(base, displacement, bytes, lanes, out);
}

template <Gather body>
Gather fastest() {
  return isa::processor_has_avx2() ? &gather_with_avx2<body> : body;
}

}  // namespace

void gather_addresses(const std::byte* base, unsigned column_bytes, std::uint64_t displacement,
                      std::uint32_t bytes, LaneMask lanes, Addresses& out) {
  static const Gather gather32 = fastest<&gather<std::uint32_t>>(),
                      gather64 = fastest<&gather<std::uint64_t>>();
  (column_bytes == 4 ? gather32 : gather64)(base, displacement, bytes, lanes, out);
}

void repeat_address(std::uint64_t address, Addresses& out) {
  out.at.fill(address);
  out.low = out.high = out.bits = address;
  out.consecutive = false;
}

}  // namespace foldproof::machine
