#include "devices/emulated/coverage/coverage.h"

#include <algorithm>
#include <array>

#include "devices/emulated/isa/shadow_propagation.h"
#include "devices/emulated/state/columns.h"
#include "sanitizer/lane_set.h"

namespace foldproof::emulated {

void Coverage::branches(const isa::Instruction& i, isa::LaneMask lanes, isa::LaneMask taken) {
  Branch& branch = branches_[i.site];
  branch.taken += taken != 0 ? 1 : 0;
  branch.not_taken += (lanes & ~taken) != 0 ? 1 : 0;
}

void Coverage::compares(const Frame& frame, const isa::Instruction& i, isa::LaneMask lanes) {
  struct Source {
    std::uint32_t row;
    unsigned bytes;
  };
  std::array<Source, 2> sources{};
  std::size_t count = 0;
  isa::for_each_row(i, [&](std::uint32_t row, unsigned bytes, bool written) {
    if (!written && bytes != 0 && count < sources.size()) sources[count++] = {row, bytes};
  });
  if (count != sources.size()) return;
  std::vector<Operands>& known = comparisons_[i.site];
  const auto value = [&](const Source& source, unsigned lane) {
    return column(frame.registers(), source.row, lane, source.bytes);
  };
  for_lanes(lanes, [&](unsigned lane) {
    if (known.size() == most_operands) return;
    const Operands operands{value(sources[0], lane), value(sources[1], lane)};
    if (std::ranges::find(known, operands) == known.end()) known.push_back(operands);
  });
}

}  // namespace foldproof::emulated
