// Clocks: the order established by releases and acquires. A release leaves a message where it writes; a fence
// releases for later accesses and acquires for earlier ones.
#include <algorithm>
#include <utility>

#include "sanitizer/race/clocks.h"

namespace foldproof {
namespace {

constexpr std::size_t items_together = 16;  // items of a message before the next link of its chain is created

/// Adds what one thread has released to what others had released before. `is_over` returns whether no thread
/// is left that could acquire an item.
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

// A chain of messages may have as many links as the grid has blocks, so it is destroyed without recursion.
Message::~Message() {
  Pointer next = std::move(before);
  while (next && next.use_count() == 1) next = Pointer(std::move(const_cast<Message&>(*next).before));
}

bool Clocks::is_over(const Message::Item& item) const {
  return clustered() ? !clusters_.contains(item.block / blocks_per_cluster_) : !blocks_.contains(item.block);
}

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

Fencing Clocks::fencing_of(const Participants& lanes) {
  Fencing sum;
  for (const auto& [warp, set] : lanes)
    if (warp->fencing)
      for_lanes(set, [&, w = warp](unsigned lane) { add_fencing(sum, (*w->fencing)[lane]); });
  return sum;
}

void Clocks::share_fencing(const Fencing& sum, const Participants& to) {
  bool any = !sum.observed.empty();
  for (const VectorClock& released : sum.released) any |= !released.empty();
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
    if (event.scope >= SyncScope::gpu) observed.clear();  // otherwise a wider fence may acquire more
  });
  ++warp.time;
  const auto scope = static_cast<std::size_t>(event.scope);
  for_lanes(event.lanes, [&](unsigned lane) {
    auto& released = fencing(warp, lane).released;
    std::fill_n(released.begin(), scope,
                VectorClock());  // the wider fence releases everything that narrower ones did
    released[scope] = known_to(warp, bit(lane));
  });
}

// Learns what a message carries, as far as the scopes of release and acquire include each other.
void Clocks::acquire(WarpClock& who, unsigned lane, const Message& message, SyncScope scope) {
  const auto take = [&](const VectorClock& what) {
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

// PTX ISA, observation order: an access that is not morally strong with the write does not observe it.
bool Clocks::sees(const Written& written, const AccessEvent& event) const {
  return written.bytes == event.element_bytes &&
         include_each_other(written.scope, written.block, event.scope, event.warp.block);
}

// Acquire patterns (PTX ISA, release and acquire patterns): the access itself acquires, including what its
// thread read there before, or a later fence acquires.
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
