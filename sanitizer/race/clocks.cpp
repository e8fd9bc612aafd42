#include "sanitizer/race/clocks.h"

#include <algorithm>
#include <bit>

namespace foldproof {
namespace {

constexpr LaneSet all_lanes = ~LaneSet{0};
constexpr BlockNumber no_owner = ~BlockNumber{0};

LaneSet bit(unsigned lane) { return LaneSet{1} << lane; }

template <class Visit>
void for_each(LaneSet lanes, Visit visit) {
  for (; lanes != 0; lanes &= lanes - 1) visit(static_cast<unsigned>(std::countr_zero(lanes)));
}

/// Joins two pieces of knowledge, of which either may be missing.
Knowledge::Pointer join(const Knowledge::Pointer& a, const Knowledge::Pointer& b) {
  if (!a || a == b) return b;
  if (!b) return a;
  return std::make_shared<Knowledge>(std::vector<Knowledge::Part>{}, std::vector{a, b});
}

Knowledge::Pointer join_all(std::vector<Knowledge::Pointer> all) {
  if (all.size() == 1) return all.front();
  return std::make_shared<Knowledge>(std::vector<Knowledge::Part>{}, std::move(all));
}

bool contains(const std::vector<Knowledge::Pointer>& all, const Knowledge::Pointer& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

/// Adds what a message carries to another one, as far as a read of that scope may take it.
void add(Message& to, const Message& from, SyncScope scope) {
  for (Message::Item item : from.items) {
    item.scope = std::min(item.scope, scope);
    const auto same = [&](const Message::Item& known) { return known.what == item.what; };
    if (std::none_of(to.items.begin(), to.items.end(), same)) to.items.push_back(item);
  }
}

}  // namespace

void Clocks::launch_begins(const Scene& scene) {
  const std::uint32_t threads = scene.threads_per_block();
  warps_ = (threads + lanes_per_warp - 1) / lanes_per_warp;
  const std::uint32_t rest = threads % lanes_per_warp;
  last_lanes_ = rest == 0 ? all_lanes : bit(rest) - 1;
  blocks_per_cluster_ = scene.blocks_per_cluster();
  blocks_.clear();
  latest_ = nullptr;
  latest_time_ = 0;
  messages_.clear();
  clusters_.clear();
}

void Clocks::block_begins(BlockNumber number) {
  std::unique_ptr<BlockClock> block;
  if (spare_.empty()) {
    block = std::make_unique<BlockClock>();
  } else {
    block = std::move(spare_.back());
    spare_.pop_back();
  }
  block->number = number;
  block->base = latest_time_;
  block->outer = nullptr;
  for (auto& arrivals : block->barriers) arrivals.clear();
  block->warps.resize(warps_);
  for (std::uint32_t w = 0; w < warps_; ++w) {
    WarpClock& warp = block->warps[w];
    warp.id = {number, w};
    warp.time = latest_time_ + 1;
    warp.uniform = 0;
    warp.exited = w + 1 == warps_ ? ~last_lanes_ : 0;
    warp.has_outer = 0;
    warp.pairs.reset();
    warp.outer.reset();
    warp.fencing.reset();
  }
  latest_ = block.get();
  blocks_[number] = std::move(block);
}

void Clocks::block_ends(BlockNumber number) {
  if (latest_ && latest_->number == number) latest_ = nullptr;
  const auto found = blocks_.find(number);
  for (const WarpClock& warp : found->second->warps) latest_time_ = std::max(latest_time_, warp.time + 1);
  spare_.push_back(std::move(found->second));
  blocks_.erase(found);
}

BlockClock& Clocks::block(BlockNumber number) {
  if (!latest_ || latest_->number != number) latest_ = blocks_.at(number).get();
  return *latest_;
}

LaneSet Clocks::unordered(const WarpClock& who, unsigned lane, const WarpId& other, LaneSet lanes,
                          Time time) {
  const BlockClock& own = block(who.id.block);
  if (other.block == who.id.block) {
    if (time < own.base) return 0;
    if (other.warp == who.id.warp) {
      if (time < who.uniform) return 0;
      lanes &= ~bit(lane);
      if (who.pairs)
        for_each(lanes, [&](unsigned m) {
          if (time < (*who.pairs)[lane][m]) lanes &= ~bit(m);
        });
    }
  }
  const Knowledge::Pointer& outer = outer_of(who, lane, own);
  return lanes == 0 || !outer ? lanes : outer->unknown(other, lanes, time);
}

bool Clocks::include_each_other(SyncScope a, BlockNumber block_a, SyncScope b, BlockNumber block_b) const {
  switch (std::min(a, b)) {
    case SyncScope::cta: return block_a == block_b;
    case SyncScope::cluster: return block_a / blocks_per_cluster_ == block_b / blocks_per_cluster_;
    case SyncScope::gpu:
    case SyncScope::sys: return true;
  }
  return true;
}

bool Clocks::heard_of(const WarpClock& who, unsigned lane, BlockNumber other) {
  const Knowledge::Pointer& outer = outer_of(who, lane, block(who.id.block));
  return outer && outer->mentions(other);
}

const Knowledge::Pointer& Clocks::outer_of(const WarpClock& who, unsigned lane, const BlockClock& own) {
  return (who.has_outer & bit(lane)) != 0 ? (*who.outer)[lane] : own.outer;
}

// All that some lanes of a warp know, themselves included.
Knowledge::Pointer Clocks::known_to(const WarpClock& who, LaneSet lanes) {
  const BlockClock& own = block(who.id.block);
  std::vector<Knowledge::Part> parts;
  if (own.base != 0) parts.push_back({who.id, true, all_lanes, own.base});
  if (who.uniform > own.base) parts.push_back({who.id, false, all_lanes, who.uniform});
  parts.push_back({who.id, false, lanes, who.time});
  std::vector<Knowledge::Pointer> parents;
  for_each(lanes, [&](unsigned lane) {
    if (who.pairs)
      for (unsigned m = 0; m < lanes_per_warp; ++m)
        if (const Time time = (*who.pairs)[lane][m]; time > who.uniform)
          parts.push_back({who.id, false, bit(m), time});
    const Knowledge::Pointer& outer = outer_of(who, lane, own);
    if (outer && (parents.empty() || parents.back() != outer)) parents.push_back(outer);
  });
  return std::make_shared<Knowledge>(std::move(parts), std::move(parents));
}

void Clocks::learn(WarpClock& who, LaneSet lanes, const Knowledge::Pointer& what) {
  if (!what) return;
  const BlockClock& block = this->block(who.id.block);
  if (!who.outer) who.outer = std::make_unique<std::array<Knowledge::Pointer, lanes_per_warp>>();
  Knowledge::Pointer before, after;
  for_each(lanes, [&](unsigned lane) {
    const Knowledge::Pointer own = outer_of(who, lane, block);
    if (!after || own != before) {  // most lanes knew the same before
      before = own;
      after = join(own, what);
    }
    (*who.outer)[lane] = after;
  });
  who.has_outer |= lanes;
}

void Clocks::warp_meets(const BarrierEvent& event) {
  WarpClock& warp = this->warp(event.warp);
  const Time now = ++warp.time;
  if ((event.lanes | warp.exited) == all_lanes) {
    warp.uniform = now;
    warp.pairs.reset();
  } else {
    if (!warp.pairs) {
      warp.pairs = std::make_unique<std::array<std::array<Time, lanes_per_warp>, lanes_per_warp>>();
      for (auto& row : *warp.pairs) row.fill(0);
    }
    std::array<Time, lanes_per_warp> joined{};
    for_each(event.lanes, [&](unsigned lane) {
      for (unsigned m = 0; m < lanes_per_warp; ++m) joined[m] = std::max(joined[m], (*warp.pairs)[lane][m]);
    });
    for_each(event.lanes, [&](unsigned lane) { joined[lane] = now; });
    for_each(event.lanes, [&](unsigned lane) { (*warp.pairs)[lane] = joined; });
  }
  share_fencing({{&warp, event.lanes}}, {{&warp, event.lanes}});
  if ((warp.has_outer & event.lanes) == 0) return;
  Knowledge::Pointer all;
  for_each(warp.has_outer & event.lanes, [&](unsigned lane) { all = join(all, (*warp.outer)[lane]); });
  learn(warp, event.lanes, all);
}

void Clocks::barrier_arrives(const BarrierEvent& event) {
  BlockClock& block = this->block(event.warp.block);
  WarpClock& warp = block.warps[event.warp.warp];
  ++warp.time;
  const Knowledge::Pointer released = event.waits ? nullptr : known_to(warp, event.lanes);
  block.barriers[event.barrier].push_back({event.warp.warp, event.lanes, event.waits, released});
}

// The whole block has met: what any of its threads knew, all know.
void Clocks::meet_as_a_block(BlockClock& block) {
  Time latest = 0;
  bool individual = false;
  for (const WarpClock& warp : block.warps) {
    latest = std::max(latest, warp.time);
    individual |= warp.has_outer != 0;
  }
  block.base = latest + 1;
  if (individual) {
    std::vector<Knowledge::Pointer> parents{block.outer};
    for (WarpClock& warp : block.warps) {
      for_each(warp.has_outer, [&](unsigned lane) {
        if (parents.back() != (*warp.outer)[lane]) parents.push_back((*warp.outer)[lane]);
        (*warp.outer)[lane].reset();
      });
      warp.has_outer = 0;
    }
    block.outer = std::make_shared<Knowledge>(std::vector<Knowledge::Part>{}, std::move(parents));
  }
  bool fenced = false;
  for (WarpClock& warp : block.warps) {
    warp.time = block.base;
    warp.uniform = 0;
    warp.pairs.reset();
    fenced |= warp.fencing != nullptr;
  }
  if (!fenced) return;
  Met all;
  for (WarpClock& warp : block.warps) all.emplace_back(&warp, all_lanes);
  share_fencing(all, all);
}

void Clocks::barrier_completes(BlockNumber number, std::uint32_t barrier) {
  BlockClock& block = this->block(number);
  std::vector<BlockClock::Arrival>& arrivals = block.barriers[barrier];
  std::array<LaneSet, 32> waiting{};
  for (const auto& arrival : arrivals)
    if (arrival.waits) waiting[arrival.warp] |= arrival.lanes;
  bool everybody = true;
  for (std::uint32_t w = 0; w < warps_; ++w) everybody &= (waiting[w] | block.warps[w].exited) == all_lanes;
  if (everybody) {
    arrivals.clear();
    return meet_as_a_block(block);
  }
  std::vector<Knowledge::Pointer> parents;
  Met came, go_on;
  for (const auto& arrival : arrivals) came.emplace_back(&block.warps[arrival.warp], arrival.lanes);
  for (std::uint32_t w = 0; w < warps_; ++w)
    if (waiting[w] != 0) go_on.emplace_back(&block.warps[w], waiting[w]);
  share_fencing(came, go_on);
  for (const auto& arrival : arrivals)
    parents.push_back(arrival.waits ? known_to(block.warps[arrival.warp], arrival.lanes) : arrival.released);
  arrivals.clear();
  const auto met = std::make_shared<Knowledge>(std::vector<Knowledge::Part>{}, std::move(parents));
  for (const auto& [warp, lanes] : go_on) learn(*warp, lanes, met);
}

void Clocks::cluster_arrives(const BarrierEvent& event, bool releases) {
  if (!releases) return;
  WarpClock& warp = this->warp(event.warp);
  ++warp.time;
  clusters_[event.warp.block / blocks_per_cluster_].arrived.push_back(known_to(warp, event.lanes));
}

void Clocks::cluster_completes(std::uint64_t cluster) {
  ClusterPhase& phase = clusters_[cluster];
  phase.complete = std::make_shared<Knowledge>(std::vector<Knowledge::Part>{}, std::move(phase.arrived));
  phase.arrived.clear();
}

void Clocks::cluster_waits(const BarrierEvent& event, bool acquires) {
  if (acquires)
    learn(warp(event.warp), event.lanes, clusters_[event.warp.block / blocks_per_cluster_].complete);
}

void Clocks::exits(const BarrierEvent& event) { warp(event.warp).exited |= event.lanes; }

Fencing& Clocks::fencing(WarpClock& who, unsigned lane) {
  if (!who.fencing) who.fencing = std::make_unique<std::array<Fencing, lanes_per_warp>>();
  return (*who.fencing)[lane];
}

void Clocks::share_fencing(const Met& from, const Met& to) {
  std::array<std::vector<Knowledge::Pointer>, 4> released;
  Fencing shared;
  for (const auto& [warp, lanes] : from) {
    if (!warp->fencing) continue;
    for_each(lanes, [&, w = warp](unsigned lane) {
      const Fencing& one = (*w->fencing)[lane];
      for (std::size_t scope = 0; scope < released.size(); ++scope)
        if (one.released[scope] && !contains(released[scope], one.released[scope]))
          released[scope].push_back(one.released[scope]);
      add(shared.observed, one.observed, SyncScope::sys);
    });
  }
  bool any = !shared.observed.items.empty();
  for (std::size_t scope = 0; scope < released.size(); ++scope) {
    if (released[scope].empty()) continue;
    any = true;
    shared.released[scope] = join_all(released[scope]);
  }
  if (!any) return;
  for (const auto& [warp, lanes] : to)
    for_each(lanes, [&, w = warp](unsigned lane) { fencing(*w, lane) = shared; });
}

void Clocks::fences(const FenceEvent& event) {
  WarpClock& warp = this->warp(event.warp);
  for_each(event.lanes, [&](unsigned lane) {
    const Message observed = std::exchange(fencing(warp, lane).observed, {});
    acquire(warp, lane, observed, event.scope);
  });
  ++warp.time;
  const auto scope = static_cast<std::size_t>(event.scope);
  for_each(event.lanes, [&](unsigned lane) {
    auto& released = fencing(warp, lane).released;
    std::fill_n(released.begin(), scope, nullptr);  // the wider fence releases all that narrower ones did
    released[scope] = known_to(warp, bit(lane));
  });
}

// Learns what a message carries, as far as the scopes of release and acquire include each other.
void Clocks::acquire(WarpClock& who, unsigned lane, const Message& message, SyncScope scope) {
  for (const Message::Item& item : message.items) {
    const bool reaches = item.several ? std::min(scope, item.scope) >= SyncScope::gpu
                                      : include_each_other(scope, who.id.block, item.scope, item.block);
    const Knowledge::Pointer& outer = outer_of(who, lane, block(who.id.block));
    if (reaches && item.what != outer) learn(who, bit(lane), item.what);
  }
}

void Clocks::observe(WarpClock& who, unsigned lane, const Message& message, const AccessEvent& event) {
  if (event.acquires) return acquire(who, lane, message, event.scope);
  add(fencing(who, lane).observed, message, event.scope);
}

// A strong write hands on what its thread has released: by itself, or by the fence before. A
// read-modify-write hands on what stood there as well (PTX ISA 8.9.2: release patterns and the chains behind
// them).
void Clocks::publish(WarpClock& who, unsigned lane, const AccessEvent& event, const Location& location,
                     const Knowledge::Pointer& released) {
  std::vector<Message::Item> items;
  if (event.releases) items.push_back({event.scope, who.id.block, false, released});
  for (std::size_t scope = 0; who.fencing && scope < 4; ++scope)
    if (const Knowledge::Pointer& what = (*who.fencing)[lane].released[scope])
      items.push_back({std::min(static_cast<SyncScope>(scope), event.scope), who.id.block, false, what});
  if (event.what == AccessEvent::What::write) {
    if (items.empty())
      messages_.erase(location);
    else
      messages_[location].items = std::move(items);
    return;
  }
  if (items.empty()) return;
  Message& message = messages_[location];
  for (Message::Item& item : items) {
    const auto same = std::find_if(message.items.begin(), message.items.end(), [&](const auto& m) {
      return m.scope == item.scope && (m.scope >= SyncScope::gpu || m.block == item.block);
    });
    if (same == message.items.end()) {
      message.items.push_back(item);
    } else {
      same->several |= same->block != item.block;
      same->what = join(same->what, item.what);
    }
  }
}

void Clocks::accesses(const AccessEvent& event) {
  const bool reads = event.what != AccessEvent::What::write;
  const bool writes = event.what != AccessEvent::What::read;
  if (!event.strong) {
    if (!writes || messages_.empty()) return;
    for_each(event.lanes, [&](unsigned lane) {  // a weak write hands on nothing
      const BlockNumber owner = !event.shared ? no_owner : event.owner ? event.owner[lane] : event.warp.block;
      const auto first = messages_.lower_bound({owner, event.at[lane]});
      auto last = first;
      while (last != messages_.end() && last->first.owner == owner &&
             last->first.address < event.at[lane] + event.bytes)
        ++last;
      messages_.erase(first, last);
    });
    return;
  }
  WarpClock& warp = this->warp(event.warp);
  if (!event.releases && messages_.empty() && !warp.fencing) return;
  if (event.releases) ++warp.time;
  for_each(event.lanes, [&](unsigned lane) {
    const BlockNumber owner = !event.shared ? no_owner : event.owner ? event.owner[lane] : event.warp.block;
    const std::uint32_t element = std::max(event.element_bytes, 1U);
    for (std::uint32_t offset = 0; offset < event.bytes; offset += element) {
      const Location location{owner, event.at[lane] + offset};
      if (reads)
        if (const auto found = messages_.find(location); found != messages_.end())
          observe(warp, lane, Message(found->second), event);
      if (writes) publish(warp, lane, event, location, event.releases ? known_to(warp, bit(lane)) : nullptr);
    }
  });
}

}  // namespace foldproof
