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
  return {warp.block->index, thread_index(warp.index, lane)};
}

Dim3 Grid::thread_index(std::uint32_t warp, unsigned lane) const {
  const std::size_t place = warp * isa::warp_size + lane;
  return {threads_[0][place], threads_[1][place], threads_[2][place]};
}

void Grid::end(Finding finding) {
  report_.findings.push_back(std::move(finding));
  throw LaunchEnded{};
}

}  // namespace foldproof::machine
