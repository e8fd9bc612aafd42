#include "sanitizer/truth.h"

#include <algorithm>

namespace foldproof::sanitizer_tests {
namespace {

using What = AccessEvent::What;

template <class Visit>
void for_each(LaneSet lanes, Visit visit) {
  for (unsigned lane = 0; lane < lanes_per_warp; ++lane)
    if ((lanes >> lane & 1) != 0) visit(lane);
}

bool reads(const Truth::Node& n) {
  return n.event.what == What::read || (n.event.what == What::update && n.event.returns);
}
bool writes(const Truth::Node& n) { return n.event.what != What::read; }

}  // namespace

void Truth::launch_begins(const LaunchView& launch) {
  launch_ = &launch;
  blocks_per_cluster_ = launch.blocks_per_cluster();
  nodes_.clear();
  lanes_.clear();
  chains_.clear();
  observers_.clear();
  strong_.clear();
  fences_.clear();
  barriers_.clear();
  clusters_.clear();
  memo_.clear();
}

bool Truth::reach(SyncScope a, BlockNumber block_a, SyncScope b, BlockNumber block_b) const {
  for (const SyncScope scope : {a, b}) {
    if (scope == SyncScope::cta && block_a != block_b) return false;
    if (scope == SyncScope::cluster && block_a / blocks_per_cluster_ != block_b / blocks_per_cluster_)
      return false;
  }
  return true;
}

Truth::Place Truth::place_of(const Node& n) { return {n.event.shared, n.owner, n.address, n.event.bytes}; }

// ISA 8.7: both strong, scopes that include each other, complete overlap.
bool Truth::morally_strong(const Node& a, const Node& b) const {
  return a.event.strong && b.event.strong && a.event.element_bytes == b.event.element_bytes &&
         reach(a.event.scope, a.warp.block, b.event.scope, b.warp.block);
}

bool Truth::overlap(const Node& a, const Node& b) {
  return a.event.shared == b.event.shared && a.owner == b.owner && a.address < b.address + b.event.bytes &&
         b.address < a.address + a.event.bytes;
}

void Truth::accesses(const AccessEvent& event) {
  for_each(event.lanes, [&](unsigned lane) { access(event, lane); });
}

void Truth::access(const AccessEvent& event, unsigned lane_number) {
  const std::size_t n = nodes_.size();
  Lane& who = lane({event.warp.block, event.warp.warp, lane_number});
  Node& node = nodes_.emplace_back();
  node.warp = event.warp;
  node.lane = lane_number;
  node.line = launch_->position(event.site).line;
  node.event = event;
  node.address = event.at[lane_number];
  node.owner = !event.shared ? 0 : event.owner ? event.owner[lane_number] : event.warp.block;
  node.unchanged = event.what == AccessEvent::What::write && (event.unchanged >> lane_number & 1) != 0;
  node.event.at = nullptr;
  node.event.owner = nullptr;
  node.before = who.knows;
  node.met = who.met;
  who.knows.set(n);
  who.met.set(n);
  const Place place = place_of(node);
  if (writes(node))  // any other overlapping access ends its chains
    for (auto& [other, chain] : chains_)
      if (other.shared == place.shared && other.owner == place.owner &&
          other.address < place.address + place.bytes && place.address < other.address + other.bytes &&
          (other != place || !event.strong))
        chain.clear();
  if (event.strong) strong_element(n, place, who);
}

// PTX ISA, observation order and patterns: observation through read-modify-writes, release and acquire
// patterns. Strong accesses here have one element.
void Truth::strong_element(std::size_t n, const Place& place, Lane& who) {
  Node& node = nodes_[n];
  std::vector<std::size_t>& chain = chains_[place];
  const bool sees = !chain.empty() && morally_strong(nodes_[chain.back()], node);
  if (reads(node) && sees) {
    node.observed = chain;
    observers_[place].push_back(n);
  }
  const auto of_this_thread = [&](const Node& other) {
    return other.warp == node.warp && other.lane == node.lane && !other.fence;
  };
  strong_[place].push_back(n);
  if (node.event.acquires) {
    std::vector<std::size_t> seen{n};
    for (const std::size_t k : strong_[place])
      if (k != n && of_this_thread(nodes_[k]) && reads(nodes_[k])) seen.push_back(k);
    Bits acquired;
    acquire(n, seen, acquired);
    node.before.add(acquired);
    who.knows.add(acquired);
  }
  if (node.event.releases) node.after = who.knows;
  if (!writes(node)) return;
  for (const std::size_t k : fences_)
    if (node.met.test(k)) node.patterns.push_back(k);
  for (const std::size_t k : strong_[place])
    if (of_this_thread(nodes_[k]) && nodes_[k].event.releases) node.patterns.push_back(k);
  if (node.event.what == What::write || !sees) chain.clear();
  chain.push_back(n);
}

// Adds what is released by the writes observed by `reads` to the operation `last`, which ends the acquire
// pattern.
void Truth::acquire(std::size_t last, const std::vector<std::size_t>& reads, Bits& into) const {
  std::set<std::size_t> firsts;
  for (const std::size_t read : reads)
    for (const std::size_t write : nodes_[read].observed)
      for (const std::size_t first : nodes_[write].patterns) firsts.insert(first);
  for (const std::size_t first : firsts)
    if (reach(nodes_[first].event.scope, nodes_[first].warp.block, nodes_[last].event.scope,
              nodes_[last].warp.block))
      into.add(nodes_[first].after);
}

void Truth::fences(const FenceEvent& event) {
  for_each(event.lanes, [&](unsigned lane_number) {
    const std::size_t n = nodes_.size();
    Lane& who = lane({event.warp.block, event.warp.warp, lane_number});
    Node& node = nodes_.emplace_back();
    node.warp = event.warp;
    node.lane = lane_number;
    node.fence = true;
    fences_.push_back(n);
    node.event.scope = event.scope;
    std::vector<std::size_t> seen;
    for (std::size_t k = 0; k < n; ++k)
      if (!nodes_[k].observed.empty() && who.met.test(k)) seen.push_back(k);
    acquire(n, seen, who.knows);
    who.knows.set(n);
    who.met.set(n);
    node.after = who.knows;
  });
}

void Truth::warp_barrier_completes(const BarrierEvent& event) {
  Bits knows, met;
  for_each(event.lanes, [&](unsigned l) {
    const Lane& who = lane({event.warp.block, event.warp.warp, l});
    knows.add(who.knows);
    met.add(who.met);
  });
  for_each(event.lanes, [&](unsigned l) {
    Lane& who = lane({event.warp.block, event.warp.warp, l});
    who.knows = knows;
    who.met = met;
  });
}

void Truth::barrier_arrives(const BarrierEvent& event) {
  Barrier& barrier = barriers_[{event.warp.block, event.barrier}];
  barrier.counted |= event.threads != 0;
  for_each(event.lanes, [&](unsigned l) {
    const LaneKey key{event.warp.block, event.warp.warp, l};
    barrier.knows.add(lane(key).knows);
    barrier.met.add(lane(key).met);
    barrier.came.insert(key);
    if (event.waits) barrier.waiting.insert(key);
  });
}

// Exited threads count as arrived: at a counted barrier only if their warp arrived.
void Truth::barrier_completes(BlockNumber block, std::uint32_t number) {
  Barrier& barrier = barriers_[{block, number}];
  for (const auto& [key, who] : lanes_) {
    if (std::get<0>(key) != block || !who.exited || barrier.came.contains(key)) continue;
    const bool warp_came = std::any_of(barrier.came.begin(), barrier.came.end(), [&](const LaneKey& other) {
      return std::get<1>(other) == std::get<1>(key);
    });
    if (barrier.counted && !warp_came) continue;
    barrier.knows.add(who.knows);
    barrier.met.add(who.met);
  }
  for (const LaneKey& key : barrier.waiting) {
    lane(key).knows.add(barrier.knows);
    lane(key).met.add(barrier.met);
  }
  barrier = {};
}

// A relaxed arrival forms a release pattern with a preceding fence.
void Truth::cluster_arrives(const BarrierEvent& event, bool releases) {
  ClusterPhase& phase = clusters_[event.warp.block / blocks_per_cluster_];
  for_each(event.lanes, [&](unsigned l) {
    const Lane& who = lane({event.warp.block, event.warp.warp, l});
    if (releases) phase.arriving.add(who.knows);
    for (const std::size_t fence : fences_)
      if (nodes_[fence].event.scope >= SyncScope::cluster && who.met.test(fence))
        phase.arriving.add(nodes_[fence].after);
  });
}

void Truth::cluster_completes(std::uint64_t cluster) {
  ClusterPhase& phase = clusters_[cluster];
  phase.complete = phase.arriving;
  phase.arriving = {};
}

void Truth::cluster_waits(const BarrierEvent& event, bool acquires) {
  if (!acquires) return;
  const Bits& complete = clusters_[event.warp.block / blocks_per_cluster_].complete;
  for_each(event.lanes, [&](unsigned l) {
    lane({event.warp.block, event.warp.warp, l}).knows.add(complete);
  });
}

void Truth::exits(const BarrierEvent& event) {
  for_each(event.lanes, [&](unsigned l) { lane({event.warp.block, event.warp.warp, l}).exited = true; });
}

// Causality (PTX ISA, causality order): base causality, or a strong write observed by an operation that comes
// before.
bool Truth::ordered(std::size_t a, std::size_t b) {
  if (is_before(a, b)) return true;
  if (!nodes_[a].event.strong) return false;
  return std::ranges::any_of(observers_[place_of(nodes_[a])], [&](std::size_t r) {
    return is_before(r, b) && std::ranges::find(nodes_[r].observed, a) != nodes_[r].observed.end();
  });
}

// The same, but strong accesses before an observed write count as well.
bool Truth::leniently_ordered(std::size_t a, std::size_t b) {
  if (ordered(a, b)) return true;
  if (!nodes_[a].event.strong) return false;
  const auto [entry, is_new] = memo_.try_emplace({a, b}, false);
  if (!is_new) return entry->second;
  bool found = false;
  for (const std::size_t r : observers_[place_of(nodes_[a])]) {
    if (found || r >= b) break;
    if (r < a || !is_before(r, b)) continue;
    for (const std::size_t w : nodes_[r].observed) found = found || (w > a && leniently_ordered(a, w));
  }
  memo_[{a, b}] = found;
  return found;
}

std::vector<Truth::Race> Truth::races() {
  std::vector<Race> found;
  std::map<std::pair<bool, BlockNumber>, std::vector<std::size_t>> memories;
  for (std::size_t n = 0; n < nodes_.size(); ++n)
    if (!nodes_[n].fence) memories[{nodes_[n].event.shared, nodes_[n].owner}].push_back(n);
  for (const auto& [memory, accesses] : memories)
    for (std::size_t i = 0; i < accesses.size(); ++i)
      for (std::size_t j = i + 1; j < accesses.size(); ++j) {
        const Node &a = nodes_[accesses[i]], &b = nodes_[accesses[j]];
        const bool own = a.warp == b.warp;
        if ((!writes(a) && !writes(b)) || (own && a.lane == b.lane) || !overlap(a, b)) continue;
        const bool plain = !a.event.acquires && !a.event.releases && !a.event.polled && !b.event.acquires &&
                           !b.event.releases && !b.event.polled && a.event.what != What::update &&
                           b.event.what != What::update;
        const bool atomic = morally_strong(a, b);
        if ((atomic && !(own && plain)) || ordered(accesses[i], accesses[j])) continue;
        const bool remote = a.warp.block != b.warp.block || b.owner != b.warp.block;
        const Kind kind = atomic            ? Kind::unordered_access
                          : !a.event.shared ? Kind::global_race
                          : remote          ? Kind::cluster_race
                                            : Kind::shared_race;
        const bool harmless = writes(b) ? b.unchanged : a.unchanged;
        found.push_back({accesses[i],
                         accesses[j],
                         {kind, b.line, a.line},
                         harmless || atomic ? Severity::warning : Severity::error,
                         !leniently_ordered(accesses[i], accesses[j])});
      }
  return found;
}

}  // namespace foldproof::sanitizer_tests
