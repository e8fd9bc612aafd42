// How the machine words what it found.
#include "devices/emulated/machine/grid.h"

namespace foldproof::machine {

Finding Grid::make_finding(Kind kind, const Instruction& instruction, const std::string& sentence) const {
  Finding finding;
  finding.kind = kind;
  finding.message = sentence;
  finding.at = program_.position(instruction);
  return finding;
}

ThreadId Grid::thread(const Warp& warp, unsigned lane) const {
  const std::uint64_t linear = std::uint64_t{warp.index} * isa::warp_size + lane;
  ThreadId id;
  id.block = warp.block->index;
  id.thread = {static_cast<std::uint32_t>(linear % shape_.block.x),
               static_cast<std::uint32_t>(linear / shape_.block.x % shape_.block.y),
               static_cast<std::uint32_t>(linear / shape_.block.x / shape_.block.y)};
  return id;
}

void Grid::end(Finding finding) {
  report_.findings.push_back(std::move(finding));
  throw LaunchEnded{};
}

}  // namespace foldproof::machine
