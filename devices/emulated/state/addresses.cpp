#include "devices/emulated/state/addresses.h"

#include <algorithm>

#include "devices/emulated/isa/lanes.h"
#include "devices/emulated/isa/processor.h"
#include "sanitizer/lane_set.h"

namespace foldproof::emulated {
namespace {

using isa::LaneMask;
using isa::warp_size;

/// Returns zero if each participating lane has the address that consecutive lanes would have. Fills `at`;
/// other lanes repeat the address of the first participating lane.
template <class Column, bool everybody>
Column gather_columns(const Column* columns, Column offset, std::uint32_t bytes, LaneMask lanes,
                      std::array<std::uint64_t, warp_size>& at) {
  const unsigned start = first_lane(lanes);
  const auto first = static_cast<Column>(columns[start] + offset);
  const auto from = static_cast<Column>(first - start * bytes);
  Column differs = 0;
  FOLDPROOF_NO_OVERLAP
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    const bool takes_part = everybody || (lanes & isa::lanes::lane_bit[lane]) != 0;
    const auto place = static_cast<Column>(columns[lane] + offset);
    const auto off_course = static_cast<Column>(place ^ static_cast<Column>(from + lane * bytes));
    at[lane] = takes_part ? place : first;
    differs |= takes_part ? off_course : 0;
  }
  return differs;
}

template <class Column>
void gather(const std::byte* base, std::uint64_t displacement, std::uint32_t bytes, LaneMask lanes,
            Addresses& out) {
  const auto* columns = reinterpret_cast<const Column*>(base);
  const auto offset = static_cast<Column>(displacement);
  out.consecutive =
      (lanes == all_lanes ? gather_columns<Column, true>(columns, offset, bytes, lanes, out.at)
                          : gather_columns<Column, false>(columns, offset, bytes, lanes, out.at)) == 0;
  out.low = out.bits = out.at[first_lane(lanes)];
  out.high = out.at[last_lane(lanes)];
  if (out.consecutive && out.low <= out.high) return;
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    out.low = std::min(out.low, out.at[lane]);
    out.high = std::max(out.high, out.at[lane]);
    out.bits |= out.at[lane];
  }
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

}  // namespace foldproof::emulated
