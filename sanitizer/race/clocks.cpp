#include "sanitizer/race/clocks.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace foldproof {
namespace {

constexpr std::size_t items_together = 16;  // of a message, before the next link of its chain

/// Adds what one thread released to what others had released before. `is_over` tells of an item that nobody
/// is left to take.
template <class IsOver>
void add(Message& to, const Message::Item& item, const IsOver& is_over) {
  if (item.scope >= SyncScope::gpu)
    to.wide.join(item.what);
  else
    to.narrow = true;
  const auto same = std::find_if(to.items.begin(), to.items.end(), [&](const Message::Item& known) {
    return known.scope == item.scope && known.block == item.block;
  });
  if (same != to.items.end()) {
    same->what.join(item.what);
    return;
  }
  if (to.items.size() == items_together) std::erase_if(to.items, is_over);
  if (to.items.size() == items_together) {
    to.before = std::make_shared<Message>(to);
    to.items.clear();
  }
  to.items.push_back(item);
}

}  // namespace

// Chains of messages may be as long as a grid has blocks: they are taken apart without recursion.
Message::~Message() {
  Pointer next = std::move(before);
  while (next && next.use_count() == 1) next = Pointer(std::move(const_cast<Message&>(*next).before));
}

void Clocks::launch_begins(const LaunchView& launch) {
  const std::uint32_t threads = launch.threads_per_block();
  warps_ = (threads + lanes_per_warp - 1) / lanes_per_warp;
  const std::uint32_t rest = threads % lanes_per_warp;
  last_lanes_ = rest == 0 ? all_lanes : bit(rest) - 1;
  blocks_per_cluster_ = launch.blocks_per_cluster();
  blocks_.clear();
  latest_ = nullptr;
  latest_time_ = 0;
  messages_.clear();
  clusters_.clear();
  lesson_ = {};
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
  block->outer = {};
  for (auto& barrier : block->barriers) barrier = {};
  block->warps.resize(warps_);
  for (std::uint32_t w = 0; w < warps_; ++w) {
    WarpClock& warp = block->warps[w];
    warp.id = {number, w};
    warp.block = block.get();
    warp.time = latest_time_ + 1;
    warp.uniform = 0;
    warp.exited = warp.missing = w + 1 == warps_ ? ~last_lanes_ : 0;
    warp.has_outer = 0;
    warp.pairs.reset();
    warp.outer.reset();
    warp.fencing.reset();
    warp.released_at.clear();
  }
  latest_ = block.get();
  blocks_[number] = std::move(block);
  if (clustered()) clusters_.try_emplace(number / blocks_per_cluster_);
}

bool Clocks::is_over(const Message::Item& item) const {
  return clustered() ? !clusters_.contains(item.block / blocks_per_cluster_) : !blocks_.contains(item.block);
}

void Clocks::block_ends(BlockNumber number) {
  if (latest_ && latest_->number == number) latest_ = nullptr;
  erase_shared(messages_, number);
  if (clustered()) {
    const auto cluster = clusters_.find(number / blocks_per_cluster_);
    if (++cluster->second.ended == blocks_per_cluster_) clusters_.erase(cluster);
  }
  const auto found = blocks_.find(number);
  for (const WarpClock& warp : found->second->warps) latest_time_ = std::max(latest_time_, warp.time + 1);
  spare_.push_back(std::move(found->second));
  blocks_.erase(found);
}

LaneSet Clocks::unordered(const WarpClock& who, unsigned lane, const WarpId& other, LaneSet lanes,
                          Time time) {
  const BlockClock& own = *who.block;
  if (other.block == who.id.block) {
    if (time < own.base) return 0;
    if (other.warp == who.id.warp) {
      if (time < who.uniform) return 0;
      lanes &= ~bit(lane);
      if (who.pairs)
        for_lanes(lanes, [&](unsigned m) {
          if (time < (*who.pairs)[lane][m]) lanes &= ~bit(m);
        });
    }
  }
  return lanes == 0 ? 0 : outer_of(who, lane).unknown(other, lanes, time);
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
  return outer_of(who, lane).mentions(other);
}

const Knowledge& Clocks::outer_of(const WarpClock& who, unsigned lane) {
  return (who.has_outer & bit(lane)) != 0 ? (*who.outer)[lane] : who.block->outer;
}

// What lanes of a warp know of its block.
Knowledge Clocks::known_inside(const WarpClock& who, LaneSet lanes) {
  LaneTimes times;
  times.fill(who.uniform);
  for_lanes(lanes, [&](unsigned lane) {
    if (who.pairs)
      for (unsigned m = 0; m < lanes_per_warp; ++m) times[m] = std::max(times[m], (*who.pairs)[lane][m]);
    times[lane] = who.time;
  });
  return {who.id, who.block->base, times};
}

// Besides that, what they learnt of others. `joined`: what `sum` holds already; most lanes know the same.
void Clocks::join_outside(Knowledge& sum, const WarpClock& who, LaneSet lanes, Knowledge& joined) {
  for_lanes(lanes, [&](unsigned lane) {
    const Knowledge& outer = outer_of(who, lane);
    if (outer.is(joined)) return;
    sum.join(outer);
    joined = outer;
  });
}

// All that some lanes of a warp know, themselves included.
Knowledge Clocks::known_to(const WarpClock& who, LaneSet lanes) {
  Knowledge all = known_inside(who, lanes), joined;
  join_outside(all, who, lanes, joined);
  return all;
}

void Clocks::learn(WarpClock& who, LaneSet lanes, const Knowledge& what) {
  if (what.empty()) return;
  if (!who.outer) who.outer = std::make_unique<std::array<Knowledge, lanes_per_warp>>();
  for_lanes(lanes, [&](unsigned lane) {
    const Knowledge& own = outer_of(who, lane);
    if (!own.is(lesson_.before) || !what.is(lesson_.what)) {
      lesson_ = {own, what, own};
      lesson_.after.join(what);
    }
    (*who.outer)[lane] = lesson_.after;
  });
  who.has_outer |= lanes;
}

void Clocks::warp_meets(const BarrierEvent& event) {
  WarpClock& warp = this->warp(event.warp);
  const Time now = ++warp.time;
  if ((event.lanes | warp.missing) == all_lanes) {
    warp.uniform = now;
    warp.pairs.reset();
  } else {
    if (!warp.pairs) {
      warp.pairs = std::make_unique<std::array<std::array<Time, lanes_per_warp>, lanes_per_warp>>();
      for (auto& row : *warp.pairs) row.fill(0);
    }
    std::array<Time, lanes_per_warp> joined{};
    for_lanes(event.lanes, [&](unsigned lane) {
      for (unsigned m = 0; m < lanes_per_warp; ++m) joined[m] = std::max(joined[m], (*warp.pairs)[lane][m]);
    });
    for_lanes(event.lanes, [&](unsigned lane) { joined[lane] = now; });
    for_lanes(event.lanes, [&](unsigned lane) { (*warp.pairs)[lane] = joined; });
  }
  if (warp.fencing) share_fencing(fencing_of({{&warp, event.lanes}}), {{&warp, event.lanes}});
  if ((warp.has_outer & event.lanes) == 0) return;
  Knowledge all;
  for_lanes(warp.has_outer & event.lanes, [&](unsigned lane) { all.join((*warp.outer)[lane]); });
  learn(warp, event.lanes, all);
}

void Clocks::barrier_arrives(const BarrierEvent& event) {
  BlockClock& block = this->block(event.warp.block);
  WarpClock& warp = block.warps[event.warp.warp];
  BlockClock::Barrier& barrier = block.barriers[event.barrier];
  barrier.counted |= event.threads != 0;
  if (event.waits && (event.lanes | warp.missing) == all_lanes) {
    barrier.whole_warps |= std::uint32_t{1} << event.warp.warp;
    return;
  }
  ++warp.time;
  barrier.arrivals.push_back({event.warp.warp, event.lanes, nullptr});
  if (!event.waits)  // what these lanes do from now on is not part of it
    barrier.arrivals.back().released = std::make_unique<BlockClock::Released>(
        BlockClock::Released{known_to(warp, event.lanes), fencing_of({{&warp, event.lanes}})});
}

void Clocks::warps_arrive(const BarrierEvent& event, std::uint32_t warps) {
  BlockClock::Barrier& barrier = block(event.warp.block).barriers[event.barrier];
  barrier.counted |= event.threads != 0;
  barrier.whole_warps |= warps;
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
    // This says more than all that was learnt of the block's own lanes, which is dropped for it.
    block.outer.join({{block.number, 0}, block.base, {}});
    for (WarpClock& warp : block.warps) {
      for_lanes(warp.has_outer, [&](unsigned lane) {
        block.outer.join((*warp.outer)[lane]);
        (*warp.outer)[lane] = {};
      });
      warp.has_outer = 0;
    }
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
  share_fencing(fencing_of(all), all);
}

void Clocks::barrier_completes(BlockNumber number, std::uint32_t barrier) {
  BlockClock& block = this->block(number);
  BlockClock::Barrier& complete = block.barriers[barrier];
  if (complete.whole_warps == lowest_lanes(warps_))
    meet_as_a_block(block);
  else
    meet_by_lanes(block, complete);
  complete.arrivals.clear();
  complete.whole_warps = 0;
  complete.counted = false;
}

void Clocks::meet_by_lanes(BlockClock& block, BlockClock::Barrier& complete) {
  for_lanes(complete.whole_warps, [&](std::uint32_t w) {
    WarpClock& warp = block.warps[w];
    ++warp.time;
    complete.arrivals.push_back({w, ~warp.missing, nullptr});
  });
  ByWarp waiting{}, came{};
  for (const auto& arrival : complete.arrivals) {
    came[arrival.warp] |= arrival.lanes;
    if (!arrival.released) waiting[arrival.warp] |= arrival.lanes;
  }
  bool everybody = true;
  for (std::uint32_t w = 0; w < warps_; ++w) {
    const WarpClock& warp = block.warps[w];
    everybody &= (waiting[w] | (complete.counted ? warp.missing : warp.exited)) == all_lanes;
  }
  if (everybody)
    meet_as_a_block(block);
  else
    meet_in_part(block, complete, came, waiting);
}

// Lanes that have ended count as arrived: at a counted barrier if their warp has come to it, else all.
void Clocks::meet_in_part(BlockClock& block, const BlockClock::Barrier& complete, const ByWarp& came,
                          const ByWarp& waiting) {
  Knowledge met;
  Fencing fencing;
  Met go_on;
  const auto joins = [&](WarpClock& warp, LaneSet lanes) {
    met.join(known_to(warp, lanes));
    add_fencing(fencing, fencing_of({{&warp, lanes}}));
  };
  for (const auto& arrival : complete.arrivals) {
    if (!arrival.released) {
      joins(block.warps[arrival.warp], arrival.lanes);
    } else {
      met.join(arrival.released->known);
      add_fencing(fencing, arrival.released->fencing);
    }
  }
  for (std::uint32_t w = 0; w < warps_; ++w) {
    WarpClock& warp = block.warps[w];
    const LaneSet ended = warp.exited & ~warp.missing & ~came[w];
    if (ended != 0 && (came[w] != 0 || !complete.counted)) {
      ++warp.time;
      joins(warp, ended);
    }
    if (waiting[w] != 0) go_on.emplace_back(&warp, waiting[w]);
  }
  share_fencing(fencing, go_on);
  for (const auto& [warp, lanes] : go_on) learn(*warp, lanes, met);
}

// A relaxed arrival hands on what fences have released, and that the block has begun.
void Clocks::cluster_arrives(const BarrierEvent& event, bool releases) {
  WarpClock& warp = this->warp(event.warp);
  ClusterPhase& phase = clusters_[event.warp.block / blocks_per_cluster_];
  Knowledge& arrived = phase.arrived;
  if (releases) {
    ++warp.time;
    arrived.join(known_inside(warp, event.lanes));
    join_outside(arrived, warp, event.lanes, phase.joined);
    return;
  }
  constexpr Time beginning = 1;  // before which nobody has done anything
  LaneTimes begun{};
  for_lanes(event.lanes, [&](unsigned lane) { begun[lane] = beginning; });
  arrived.join({event.warp, 0, begun});
  const Fencing fencing = fencing_of({{&warp, event.lanes}});
  for (const SyncScope scope : {SyncScope::cluster, SyncScope::gpu, SyncScope::sys})
    arrived.join(fencing.released[static_cast<std::size_t>(scope)]);
}

void Clocks::cluster_completes(std::uint64_t cluster) {
  ClusterPhase& phase = clusters_[cluster];
  phase.complete = std::exchange(phase.arrived, {});
  phase.joined = {};
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

void Clocks::add_fencing(Fencing& sum, const Fencing& one) {
  for (std::size_t scope = 0; scope < one.released.size(); ++scope)
    sum.released[scope].join(one.released[scope]);
  for (const Fencing::Observed& observed : one.observed) {
    const bool known = std::any_of(sum.observed.begin(), sum.observed.end(),
                                   [&](const auto& other) { return other.message == observed.message; });
    if (!known) sum.observed.push_back(observed);
  }
}

Fencing Clocks::fencing_of(const Met& lanes) {
  Fencing sum;
  for (const auto& [warp, set] : lanes)
    if (warp->fencing)
      for_lanes(set, [&, w = warp](unsigned lane) { add_fencing(sum, (*w->fencing)[lane]); });
  return sum;
}

void Clocks::share_fencing(const Fencing& sum, const Met& to) {
  bool any = !sum.observed.empty();
  for (const Knowledge& released : sum.released) any |= !released.empty();
  if (!any) return;
  for (const auto& [warp, lanes] : to)
    for_lanes(lanes, [&, w = warp](unsigned lane) {
      Fencing& own = fencing(*w, lane);
      Fencing shared = sum;
      for (Fencing::Observed& observed : shared.observed)
        observed.by_itself = std::any_of(own.observed.begin(), own.observed.end(), [&](const auto& known) {
          return known.message == observed.message && known.by_itself;
        });
      own = std::move(shared);
    });
}

void Clocks::fences(const FenceEvent& event) {
  WarpClock& warp = this->warp(event.warp);
  for_lanes(event.lanes, [&](unsigned lane) {
    std::vector<Fencing::Observed>& observed = fencing(warp, lane).observed;
    for (const Fencing::Observed& one : observed) acquire(warp, lane, *one.message, event.scope);
    if (event.scope >= SyncScope::gpu) observed.clear();  // else a wider fence may acquire more
  });
  ++warp.time;
  const auto scope = static_cast<std::size_t>(event.scope);
  for_lanes(event.lanes, [&](unsigned lane) {
    auto& released = fencing(warp, lane).released;
    std::fill_n(released.begin(), scope, Knowledge());  // the wider fence releases all that narrower ones did
    released[scope] = known_to(warp, bit(lane));
  });
}

// Learns what a message carries, as far as the scopes of release and acquire include each other.
void Clocks::acquire(WarpClock& who, unsigned lane, const Message& message, SyncScope scope) {
  const auto take = [&](const Knowledge& what) {
    if (!what.is(outer_of(who, lane))) learn(who, bit(lane), what);
  };
  const bool wide = scope >= SyncScope::gpu;
  if (wide) take(message.wide);
  for (const Message* m = &message; m && (m->narrow || !wide); m = m->before.get())
    for (const Message::Item& item : m->items)
      if (!(wide && item.scope >= SyncScope::gpu) &&
          include_each_other(scope, who.id.block, item.scope, item.block))
        take(item.what);
}

// PTX ISA 8.9.1: who is not morally strong with the write observes nothing.
bool Clocks::sees(const Written& written, const AccessEvent& event) const {
  return written.bytes == event.element_bytes &&
         include_each_other(written.scope, written.block, event.scope, event.warp.block);
}

// Acquire patterns (PTX ISA 8.9.2): the access acquires itself, also what its thread read there before, or a
// fence to come will.
void Clocks::observe(WarpClock& who, unsigned lane, const AccessEvent& event, const Datum& element,
                     const Written* written) {
  if (event.acquires && who.fencing)
    for (const Fencing::Observed& one : fencing(who, lane).observed)
      if (one.by_itself && one.element == element) acquire(who, lane, *one.message, event.scope);
  if (!written || !sees(*written, event)) return;
  if (event.acquires) acquire(who, lane, *written->message, event.scope);
  if (event.acquires && event.scope >= SyncScope::gpu) return;
  std::vector<Fencing::Observed>& observed = fencing(who, lane).observed;
  const auto continued = std::find_if(observed.begin(), observed.end(), [&](const auto& known) {
    return known.message->number == written->message->number && known.by_itself;
  });
  if (continued != observed.end())
    continued->message = written->message;
  else
    observed.push_back({element, written->message, true});
}

// Release patterns (PTX ISA 8.9.2): a strong write hands on what its thread has released: by itself, by an
// earlier release of this location, or by a fence before. A read-modify-write hands on what stood there as
// well.
void Clocks::publish(WarpClock& who, unsigned lane, const AccessEvent& event, const Datum& element) {
  std::vector<Message::Item> items;
  if (event.releases) {
    std::vector<Message::Item>& earlier = who.released_at[{lane, element}];
    std::erase_if(earlier, [&](const Message::Item& item) { return item.scope <= event.scope; });
    earlier.push_back({event.scope, who.id.block, known_to(who, bit(lane))});
    items = earlier;
  } else if (!who.released_at.empty()) {
    if (const auto found = who.released_at.find({lane, element}); found != who.released_at.end())
      items = found->second;
  }
  for (std::size_t scope = 0; who.fencing && scope < 4; ++scope)
    if (const Knowledge& what = (*who.fencing)[lane].released[scope]; !what.empty())
      items.push_back({static_cast<SyncScope>(scope), who.id.block, what});
  const auto found = messages_.find(element.location);
  const bool continues =
      event.what == AccessEvent::What::update && found != messages_.end() && sees(found->second, event);
  if (items.empty() && !continues) {
    if (found != messages_.end()) messages_.erase(found);
    return;
  }
  Written& written = found != messages_.end() ? found->second : messages_[element.location];
  if (!items.empty()) {
    const auto message =
        continues ? std::make_shared<Message>(*written.message) : std::make_shared<Message>();
    if (!continues) message->number = ++messages_made_;
    for (const Message::Item& item : items)
      add(*message, item, [&](const Message::Item& old) { return is_over(old); });
    written.message = message;
  }
  written.bytes = element.bytes;
  written.scope = event.scope;
  written.block = event.warp.block;
}

// A write ends the messages of whatever it overlaps; those of its own location as well, unless it is strong.
void Clocks::forget_around(const Datum& element, bool itself) {
  erase_overlapping(messages_, element.location, element.bytes, [&](const auto& message) {
    return !itself && Datum{message.first, message.second.bytes} == element;
  });
}

// A weak write hands on nothing.
void Clocks::overwrite_messages(const AccessEvent& event) {
  for_lanes(event.lanes, [&](unsigned lane) {
    forget_around({location_of(event, lane), event.bytes}, true);
  });
}

void Clocks::pass_messages(const AccessEvent& event) {
  const bool reads = event.what != AccessEvent::What::write && event.returns;
  const bool writes = event.what != AccessEvent::What::read;
  WarpClock& warp = this->warp(event.warp);
  if (!event.releases && messages_.empty() && !warp.fencing && warp.released_at.empty()) return;
  if (event.releases) ++warp.time;
  const std::uint32_t bytes = std::max(event.element_bytes, 1U);
  for_lanes(event.lanes, [&](unsigned lane) {
    const Location first = location_of(event, lane);
    for (std::uint32_t offset = 0; offset < event.bytes; offset += bytes) {
      const Datum element{{first.owner, first.address + offset}, bytes};
      const auto found = messages_.find(element.location);
      if (reads) observe(warp, lane, event, element, found == messages_.end() ? nullptr : &found->second);
      if (!writes) continue;
      if (!messages_.empty()) forget_around(element, false);
      publish(warp, lane, event, element);
    }
  });
}

}  // namespace foldproof
