#include "devices/emulated/scheduling/livelock.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "sanitizer/lane_set.h"

namespace foldproof::emulated {
namespace {

constexpr std::uint64_t first_quiet_rounds =
    4;  // before the first attempt at a proof; doubled after each attempt
constexpr std::uint64_t longest_proof = 8192;  // warp instructions per group

/// "k.cu:17:3"; only the position of the finding has a path.
std::string without_folder(Position position) {
  position.file = std::filesystem::path(position.file).filename().string();
  return to_string(position);
}

/// Everything that determines what a group does next while memory does not change, including its return
/// addresses and its callers' registers, which it uses again after returning.
struct Standpoint {
  std::uint32_t pc = 0;
  const Frame* frame = nullptr;
  std::vector<std::byte> registers;  // of the frame, its caller, …
  std::vector<std::uint32_t> return_pcs;
  std::vector<std::vector<std::byte>> local;  // of its lanes

  bool operator==(const Standpoint&) const = default;

  static Standpoint of(const Warp& warp, const DivergentGroup& group) {
    Standpoint here{group.pc, group.frame, {}, {}, {}};
    for (const Frame* frame = group.frame; frame; frame = frame->parent) {
      here.return_pcs.push_back(frame->return_pc);
      here.registers.insert(here.registers.end(), frame->registers(),
                            frame->registers() + frame->code->frame.size());
    }
    for_lanes(group.lanes, [&](unsigned lane) { here.local.push_back(warp.local[lane]); });
    return here;
  }
};

std::string activity_of(const DivergentGroup& group) {
  switch (group.state) {
    case DivergentGroup::State::barrier: return fmt::format("at barrier {}", group.barrier);
    case DivergentGroup::State::cluster: return "at the cluster barrier";
    case DivergentGroup::State::warp_sync:
      return fmt::format("for the lanes of mask {:#010x}", group.member_mask);
    default: return "in a loop that never ends";
  }
}

}  // namespace

// A round without a change raises a suspicion; the proof decides.
void Livelock::watch() {
  const Progress& progress = parts_.progress;
  if (progress.changes() != changes_before_) {
    changes_before_ = progress.changes();
    quiet_rounds_ = 0;
    next_proof_ = first_quiet_rounds;
    return;
  }
  if (++quiet_rounds_ < next_proof_) return;
  next_proof_ *= 2;
  const std::uint64_t reads = progress.reads();
  const std::optional<std::size_t> circling = groups_in_circles();
  if (!circling) return;
  if (*circling == 0) report(Kind::deadlock, "no thread can run");
  // Threads that loop without reading memory do not wait for another thread.
  if (progress.reads() == reads) report(Kind::timeout, "the kernel never ends");
  report(Kind::deadlock, "all threads wait for changes to memory that no thread can make");
}

// The executor is deterministic. If every group that can run returns to the same state, with the same
// registers and without a change to memory, then each repeats this forever.
std::optional<std::size_t> Livelock::groups_in_circles() {
  std::size_t circling = 0;
  for (const auto& cluster : residency_.clusters())
    for (const auto& block : cluster->blocks) {
      if (!block->started) return std::nullopt;  // under a random schedule, its turn may still come
      for (const auto& warp : block->warps)
        for (std::size_t k = 0; k < warp->groups.size(); ++k) {
          const DivergentGroup::State state = warp->groups[k].state;
          if (state == DivergentGroup::State::joining) return std::nullopt;  // it may continue alone
          if (state != DivergentGroup::State::ready) continue;
          if (!runs_in_a_circle(*warp, k)) return std::nullopt;
          ++circling;
        }
    }
  return circling;
}

// Brent's algorithm: the reference state is updated at powers of two.
bool Livelock::runs_in_a_circle(Warp& warp, std::size_t index) {
  const std::size_t groups = warp.groups.size();
  Standpoint reference = Standpoint::of(warp, warp.groups[index]);
  std::uint64_t until = 1, steps = 0;
  for (std::uint64_t done = 0; done < longest_proof; ++done) {
    executor_.run(warp, index, 1);
    if (parts_.progress.changes() != changes_before_ || warp.groups.size() != groups ||
        warp.groups[index].state != DivergentGroup::State::ready)
      return false;
    const DivergentGroup& group = warp.groups[index];
    if (group.pc == reference.pc && Standpoint::of(warp, group) == reference) return true;
    if (++steps < until) continue;
    reference = Standpoint::of(warp, group);
    until *= 2;
    steps = 0;
  }
  return false;
}

void Livelock::report(Kind kind, const char* how) {
  constexpr std::size_t most = 6, most_threads = 2;
  struct Waiting {
    std::string where, first;
    std::size_t groups = 0;
  };
  std::vector<Waiting> places;
  std::map<std::string, std::size_t> known;  // index of each place
  std::vector<ThreadId> threads;
  const Instruction* first = nullptr;
  const auto note = [&](const Warp& warp, const DivergentGroup& group) {
    const Instruction& i = group.instruction();
    const std::string where =
        fmt::format("{} at {}", activity_of(group), without_folder(parts_.program.position(i)));
    const auto [place, is_new] = known.try_emplace(where, places.size());
    if (is_new)
      places.push_back({where, fmt::format("lanes {:#010x} of warp {} of block {}", group.lanes, warp.index,
                                           index_text(warp.block->index))});
    ++places[place->second].groups;
    if (threads.size() < most_threads)
      threads.push_back(parts_.geometry.thread(warp, first_lane(group.lanes)));
    if (!first) first = &i;
  };
  for (const auto& cluster : residency_.clusters())
    for (const auto& block : cluster->blocks)
      for (std::size_t w = 0; block->started && w < block->warps.size(); ++w)
        for (const DivergentGroup& group : block->warps[w]->groups) note(*block->warps[w], group);
  std::ranges::stable_sort(places, {}, &Waiting::groups);  // what differs from the others comes first
  std::vector<std::string> who;
  for (const Waiting& place : places)
    who.push_back(fmt::format("{}{} wait {}", place.first,
                              place.groups == 1 ? ""
                                                : fmt::format(" and {} other group{} of lanes",
                                                              place.groups - 1, place.groups == 2 ? "" : "s"),
                              place.where));
  const std::size_t more = who.size() > most ? who.size() - most : 0;
  who.resize(std::min(who.size(), most));
  Finding finding =
      parts_.findings.make(kind, first ? *first : parts_.entry.instructions.front(),
                           fmt::format("{}: {}{}", how, fmt::join(who, "; "),
                                       more ? fmt::format("; others wait at {} more places", more) : ""));
  finding.threads = std::move(threads);
  parts_.findings.end(std::move(finding));
}

}  // namespace foldproof::emulated
