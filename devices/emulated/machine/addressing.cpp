#include "devices/emulated/machine/addressing.h"

#include <algorithm>
#include <cstring>

#include "devices/emulated/isa/lanes.h"
#include "devices/emulated/isa/processor.h"
#include "sanitizer/lane_set.h"

namespace foldproof::machine {
namespace {

using isa::LaneMask;
using isa::warp_size;

template <class Column>
void gather(const std::byte* base, std::uint64_t displacement, std::uint32_t bytes, LaneMask lanes,
            Addresses& out) {
  const auto* columns = reinterpret_cast<const Column*>(base);
  const auto offset = static_cast<Column>(displacement);
  Column at[warp_size];
  for (unsigned lane = 0; lane < warp_size; ++lane) at[lane] = static_cast<Column>(columns[lane] + offset);
  const unsigned start = first_lane(lanes);
  const auto from = static_cast<Column>(at[start] - start * bytes);
  Column off_course[warp_size];  // zero where a lane is where consecutive lanes would be
  for (unsigned lane = 0; lane < warp_size; ++lane)
    off_course[lane] = static_cast<Column>(at[lane] ^ static_cast<Column>(from + lane * bytes));
  if (lanes != isa::all_lanes)
    for (unsigned lane = 0; lane < warp_size; ++lane) {
      const bool takes_part = (lanes & isa::lanes::lane_bit[lane]) != 0;
      at[lane] = takes_part ? at[lane] : at[start];
      off_course[lane] = takes_part ? off_course[lane] : 0;
    }
  Column low = at[0], high = at[0], bits = 0, differs = 0;
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    low = std::min(low, at[lane]);
    high = std::max(high, at[lane]);
    bits |= at[lane];
    differs |= off_course[lane];
  }
  for (unsigned lane = 0; lane < warp_size; ++lane) out.at[lane] = at[lane];
  out.low = low;
  out.high = high;
  out.bits = bits;
  out.consecutive = differs == 0;
}

LaneMask compare_columns(const std::byte* a, const std::byte* b) {
  std::uint32_t x[warp_size], y[warp_size];
  std::memcpy(x, a, sizeof x);
  std::memcpy(y, b, sizeof y);
  alignas(16) std::uint8_t equal[warp_size];
  for (unsigned lane = 0; lane < warp_size; ++lane) equal[lane] = x[lane] == y[lane] ? 0xff : 0;
  return isa::lanes::pack(equal);
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

FOLDPROOF_AVX2 LaneMask compare_with_avx2(const std::byte* a, const std::byte* b) {
  return compare_columns(a, b);
}

}  // namespace

LaneMask equal_columns(const std::byte* a, const std::byte* b) {
  static const auto compare = isa::processor_has_avx2() ? &compare_with_avx2 : &compare_columns;
  return compare(a, b);
}

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
