// Clocks: the order established by releases and acquires. A release leaves a message where it writes; a fence
// releases for later accesses and acquires for earlier ones.
#include <algorithm>
#include <utility>

#include "sanitizer/race/clocks.h"

namespace foldproof {
namespace {

constexpr std::size_t wide = 2;  // index of the scopes gpu and sys in Acquirable

std::size_t index_of(SyncScope scope) { return std::min(static_cast<std::size_t>(scope), wide); }

}  // namespace

// Adds what one thread has released to what others had released before.
void Clocks::add(Message& to, const Message::Item& item) {
  if (item.scope >= SyncScope::gpu)
    joined_.add(to.wide, item.what);
  else
    to.narrow = true;
  joined_.add(to.items[{item.block, item.scope}], item.what);
  if (to.items.size() < to.prune_at) return;
  std::erase_if(to.items, [&](const auto& entry) { return is_over(entry.first.first); });
  to.prune_at = std::max(to.prune_at, 2 * to.items.size());
}

bool Clocks::is_over(BlockNumber block) const {
  return clustered() ? !clusters_.contains(block / blocks_per_cluster_) : !blocks_.contains(block);
}

Fencing& Clocks::fencing(WarpClock& who, unsigned lane) {
  if (!who.fencing) who.fencing = std::make_unique<std::array<Fencing, lanes_per_warp>>();
  return (*who.fencing)[lane];
}

void Clocks::add_fencing(Fencing& sum, const Fencing& one) {
  for (std::size_t scope = 0; scope < one.released.size(); ++scope)
    joined_.add(sum.released[scope], one.released[scope]);
  for (std::size_t scope = 0; scope < one.observed.size(); ++scope)
    joined_.add(sum.observed[scope], one.observed[scope]);
}

Fencing Clocks::fencing_of(const Participants& lanes) {
  Fencing sum;
  for (const auto& [warp, set] : lanes)
    if (warp->fencing)
      for_lanes(set, [&, w = warp](unsigned lane) { add_fencing(sum, (*w->fencing)[lane]); });
  return sum;
}

void Clocks::share_fencing(const Fencing& sum, const Participants& to) {
  const auto is_empty = [](const VectorClock& clock) { return clock.empty(); };
  if (std::ranges::all_of(sum.released, is_empty) && std::ranges::all_of(sum.observed, is_empty)) return;
  for (const auto& [warp, lanes] : to)
    for_lanes(lanes, [&, w = warp](unsigned lane) { fencing(*w, lane) = sum; });
}

void Clocks::fences(const FenceEvent& event) {
  WarpClock& warp = this->warp(event.warp);
  for_lanes(event.lanes, [&](unsigned lane) {
    Acquirable& observed = fencing(warp, lane).observed;
    learn(warp, bit(lane), observed[index_of(event.scope)]);
    if (event.scope < SyncScope::gpu) return;  // a wider fence may acquire more
    observed = {};
    warp.observed_at.erase(warp.observed_at.lower_bound({lane, Datum{{0, 0}, 0}}),
                           warp.observed_at.lower_bound({lane + 1, Datum{{0, 0}, 0}}));
  });
  ++warp.time;
  block(event.warp.block).has_released = true;
  const auto scope = static_cast<std::size_t>(event.scope);
  for_lanes(event.lanes, [&](unsigned lane) {
    auto& released = fencing(warp, lane).released;
    std::fill_n(released.begin(), scope,
                VectorClock());  // the wider fence releases everything that narrower ones did
    released[scope] = known_to(warp, bit(lane));
  });
}

// What an acquire of this scope obtains: the releases for which the scope of each side includes the other.
VectorClock Clocks::acquirable(const Message& message, BlockNumber block, SyncScope scope) {
  VectorClock all;
  if (scope >= SyncScope::gpu) all = message.wide;
  if (scope >= SyncScope::gpu && !message.narrow) return all;
  const BlockNumber first = first_of_cluster(block);
  const auto end = message.items.lower_bound({first + blocks_per_cluster_, SyncScope::cta});
  for (auto item = message.items.lower_bound({first, SyncScope::cta}); item != end; ++item) {
    const auto [releaser, to] = item->first;
    const bool is_in_wide = scope >= SyncScope::gpu && to >= SyncScope::gpu;
    if (!is_in_wide && include_each_other(scope, block, to, releaser)) joined_.add(all, item->second);
  }
  return all;
}

// PTX ISA, observation order: an access that is not morally strong with the write does not observe it.
bool Clocks::sees(const Written& written, const AccessEvent& event) const {
  return written.bytes == event.element_bytes &&
         include_each_other(written.scope, written.block, event.scope, event.warp.block);
}

// Acquire patterns (PTX ISA, release and acquire patterns): the access itself acquires, including what its
// thread read there before, or a later fence acquires.
void Clocks::observe(WarpClock& who, unsigned lane, const AccessEvent& event, const Datum& element,
                     const Written* written) {
  if (event.acquires && !who.observed_at.empty())
    if (const auto found = who.observed_at.find({lane, element}); found != who.observed_at.end())
      learn(who, bit(lane), found->second.what[index_of(event.scope)]);
  if (!written || !sees(*written, event)) return;
  const Message& message = event.waits_for_phase ? written->completed : written->message;
  const std::uint64_t version = event.waits_for_phase ? written->completed_version : written->version;
  if (event.acquires) learn(who, bit(lane), acquirable(message, who.id.block, event.scope));
  if (event.acquires && event.scope >= SyncScope::gpu) return;
  Observed& own = who.observed_at[{lane, element}];
  if (own.version == version) return;
  own.version = version;
  Acquirable& observed = fencing(who, lane).observed;
  for (const SyncScope scope : {SyncScope::cta, SyncScope::cluster, SyncScope::gpu}) {
    const VectorClock what = acquirable(message, who.id.block, scope);
    joined_.add(own.what[index_of(scope)], what);
    joined_.add(observed[index_of(scope)], what);
  }
}

// Release patterns (PTX ISA, release and acquire patterns): a strong write passes on what its thread has
// released by the write itself, by an earlier release of this location, or by an earlier fence. A
// read-modify-write also passes on the message of the value that it replaces.
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
    if (const VectorClock& what = (*who.fencing)[lane].released[scope]; !what.empty())
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
    if (!continues) written.message = {};
    for (const Message::Item& item : items) add(written.message, item);
    written.version = ++versions_;
  }
  if ((event.completes_phase & bit(lane)) != 0) {
    written.completed = written.message;
    written.completed_version = written.version;
  }
  written.bytes = element.bytes;
  written.scope = event.scope;
  written.block = event.warp.block;
}

// A write removes the messages of everything that it overlaps; if it is strong, it keeps those of its own
// location.
void Clocks::forget_around(const Datum& element, bool itself) {
  erase_overlapping(messages_, element.location, element.bytes, [&](const auto& message) {
    return !itself && Datum{message.first, message.second.bytes} == element;
  });
}

// A weak write passes on nothing.
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
  if (event.releases) {
    ++warp.time;
    block(event.warp.block).has_released = true;
  }
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
