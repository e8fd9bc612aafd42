// When nobody can ever go on: everybody waits, or runs in circles that only somebody else could end.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "devices/emulated/machine/grid.h"
#include "sanitizer/lane_set.h"

namespace foldproof::machine {
namespace {

constexpr std::uint64_t first_quiet_rounds =
    4;  // before the first attempt at a proof; then twice as many each time
constexpr std::uint64_t longest_proof = 8192;  // warp instructions a split

/// All that decides what a split does next, as long as memory stays as it is: where it returns to, and the
/// registers of its callers, which it reads again then.
struct Standpoint {
  std::uint32_t pc = 0;
  Frame* frame = nullptr;
  std::vector<std::byte> registers;  // of the frame, its caller, …
  std::vector<std::uint32_t> return_pcs;
  std::vector<std::vector<std::byte>> local;  // of its lanes

  static Standpoint of(const Warp& warp, const Split& split) {
    Standpoint here{split.pc, split.frame, {}, {}, {}};
    for (const Frame* frame = split.frame; frame; frame = frame->parent) {
      here.return_pcs.push_back(frame->return_pc);
      here.registers.insert(here.registers.end(), frame->registers(),
                            frame->registers() + frame->code->frame.size());
    }
    for_lanes(split.lanes, [&](unsigned lane) { here.local.push_back(warp.local[lane]); });
    return here;
  }

  bool is(const Warp& warp, const Split& split) const {
    if (split.pc != pc || split.frame != frame) return false;
    const std::byte* then = registers.data();
    std::size_t depth = 0;
    for (const Frame* own = frame; own; own = own->parent) {
      const std::size_t bytes = own->code->frame.size();
      if (depth == return_pcs.size() || own->return_pc != return_pcs[depth++] ||
          then + bytes > registers.data() + registers.size() ||
          std::memcmp(own->registers(), then, bytes) != 0)
        return false;
      then += bytes;
    }
    if (depth != return_pcs.size()) return false;
    std::size_t k = 0;
    for (LaneMask left = split.lanes; left != 0; left &= left - 1)
      if (warp.local[first_lane(left)] != local[k++]) return false;
    return true;
  }
};

}  // namespace

// A round in which nobody changed anything that others can see raises a suspicion; the proof settles it.
void Grid::watch_for_livelock() {
  if (changes_ != changes_before_) {
    changes_before_ = changes_;
    quiet_rounds_ = 0;
    next_proof_ = first_quiet_rounds;
    return;
  }
  if (++quiet_rounds_ < next_proof_) return;
  next_proof_ *= 2;
  const std::uint64_t reads = reads_;
  if (!everybody_runs_in_circles()) return;
  // Who loops without looking at memory waits for nobody.
  if (reads_ == reads) report_deadlock(Kind::timeout, "the kernel never ends");
  report_deadlock(Kind::deadlock, "nobody changes any more what is waited for");
}

// The machine is deterministic. When every split that can run comes back to where it stood, with the same
// registers, and memory did not change meanwhile, then each goes on like that for ever.
bool Grid::everybody_runs_in_circles() {
  for (const auto& cluster : resident_)
    for (const auto& block : cluster->blocks) {
      if (!block->started) return false;  // under a random schedule its turn is still to come
      for (const auto& warp : block->warps)
        for (std::size_t k = 0; k < warp->splits.size(); ++k) {
          const Split::State state = warp->splits[k].state;
          if (state == Split::State::joining) return false;  // it may go on alone
          if (state == Split::State::ready && !runs_in_a_circle(*warp, k)) return false;
        }
    }
  return true;
}

// Brent's algorithm: the place that each step is compared with moves on at powers of two.
bool Grid::runs_in_a_circle(Warp& warp, std::size_t index) {
  const std::size_t splits = warp.splits.size();
  Standpoint reference = Standpoint::of(warp, warp.splits[index]);
  std::uint64_t until = 1, steps = 0;
  for (std::uint64_t done = 0; done < longest_proof; ++done) {
    run_split(warp, index, 1);
    if (changes_ != changes_before_ || warp.splits.size() != splits ||
        warp.splits[index].state != Split::State::ready)
      return false;
    if (reference.is(warp, warp.splits[index])) return true;
    if (++steps < until) continue;
    reference = Standpoint::of(warp, warp.splits[index]);
    until *= 2;
    steps = 0;
  }
  return false;
}

void Grid::report_deadlock(Kind kind, const char* how) {
  std::vector<std::string> who;
  std::vector<ThreadId> threads;
  const Instruction* first = nullptr;
  for (const auto& cluster : resident_)
    for (const auto& block : cluster->blocks)
      if (block->started) describe_waiters(*block, who, threads, first);
  constexpr std::size_t most = 6;
  const std::size_t more = who.size() > most ? who.size() - most : 0;
  who.resize(std::min(who.size(), most));
  Finding finding = make_finding(kind, first ? *first : *entry_.instructions.data(),
                                 fmt::format("{}: {}{}", how, fmt::join(who, "; "),
                                             more ? fmt::format("; and {} more groups", more) : ""));
  finding.threads = std::move(threads);
  end(std::move(finding));
}

void Grid::describe_waiters(const Block& block, std::vector<std::string>& who, std::vector<ThreadId>& threads,
                            const Instruction*& first) const {
  for (const auto& warp : block.warps)
    for (const Split& split : warp->splits) {
      const Instruction& i = at(split);
      const Position where = program_.position(i);
      std::string what = "in a loop that nobody ends";
      if (split.state == Split::State::barrier) what = fmt::format("at barrier {}", split.barrier);
      if (split.state == Split::State::cluster) what = "at the cluster barrier";
      if (split.state == Split::State::meeting)
        what = fmt::format("for the lanes of mask {:#010x}", split.member_mask);
      who.push_back(fmt::format("block ({},{},{}) warp {} lanes {:#010x} wait {} at {}", block.index.x,
                                block.index.y, block.index.z, warp->index, split.lanes, what,
                                to_string(where)));
      if (threads.size() < 2) threads.push_back(thread(*warp, first_lane(split.lanes)));
      if (!first) first = &i;
    }
}

}  // namespace foldproof::machine
