#include "devices/emulated/isa/shadow_propagation.h"

#include "devices/emulated/isa/shadow_lanes.h"
#include "devices/emulated/isa/shadow_rules.h"

namespace foldproof::isa {
namespace {

void define(std::byte* undefined, std::uint32_t offset, unsigned bytes, LaneMask lanes) {
  if (bytes == 0) return lanes::assign(undefined, offset, 0, lanes);
  if (lanes == all_lanes) {
    std::memset(undefined + offset, 0, std::size_t{warp_size} * bytes);
  } else {
    for_lanes(lanes,
              [&](unsigned lane) { std::memset(undefined + offset + std::size_t{lane} * bytes, 0, bytes); });
  }
}

}  // namespace

bool any_undefined(const std::byte* undefined, std::uint32_t offset, unsigned bytes) {
  if (bytes == 0) return shadow::read_column(undefined, offset, sizeof(LaneMask), 0) != 0;
  std::uint64_t words = 0;
  for (unsigned k = 0; k < warp_size / sizeof words * bytes; ++k)
    words |= shadow::read_column(undefined, offset, sizeof words, k);
  return words != 0;
}

void propagate_undefined(const std::byte* values, std::byte* undefined, const Instruction& instruction,
                         LaneMask lanes) {
  bool any = false;
  for_each_row(instruction, [&](std::uint32_t offset, unsigned bytes, bool written) {
    any = any || (!written && any_undefined(undefined, offset, bytes));
  });
  if (any) return rows()[instruction.form->row].shadow(values, undefined, instruction, lanes);
  for_each_row(instruction, [&](std::uint32_t offset, unsigned bytes, bool written) {
    if (written) define(undefined, offset, bytes, lanes);
  });
}

}  // namespace foldproof::isa
