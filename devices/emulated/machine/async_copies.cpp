// cp.async: copies from global to shared memory that go on while their threads do (ISA 9.7.9.25.3).
//
//   issued ─────────── under way: the target is undefined ───────────► delivered
//   cp.async                                                            wait_group, wait_all,
//                                                                       cp.async.mbarrier.arrive
//
// Hardware may deliver at any time between. Here the source is read at once and the target written as late as
// possible, so that who does not wait uses what nobody determined. Observers are told of both ends: whoever
// uses the target between is unordered with one of them.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "devices/emulated/machine/grid.h"
#include "sanitizer/lane_set.h"

namespace foldproof::machine {
namespace {

using What = AccessEvent::What;

const std::uint32_t* numbers(const Split& split, std::uint32_t row) {
  return isa::row<std::uint32_t>(split.frame->registers(), row);
}

}  // namespace

// cp.async [shared], [global], size{, source-size}
void Grid::async_copy(Warp& warp, const Split& split, const Instruction& i, LaneMask lanes) {
  ++changes_;
  const Detail& detail = program_.details[i.detail];
  const std::uint32_t bytes = numbers(split, detail.data[0])[first_lane(lanes)];
  if (bytes != 4 && bytes != 8 && bytes != 16)
    end(make_finding(Kind::crash, i, fmt::format("cp.async copies 4, 8 or 16 bytes, not {}", bytes)));
  CopyUnderWay copy;
  copy.instruction = &i;
  copy.bytes = bytes;
  copy.group = warp.open_group;
  if (follows()) copy.made_of.resize(std::size_t{CopyUnderWay::most_bytes} * isa::warp_size);
  Access target(warp, split, i, detail, lanes);
  target.bytes = bytes;
  find_addresses(target, detail.address);
  Access source(warp, split, i, detail, lanes);
  source.space = i.form->space2;
  source.bytes = bytes;
  source.writes = false;
  find_addresses(source, detail.source);
  resolve(target, "write", bytes);
  copy.lanes = target.good;
  if (copy.lanes == 0) return;
  copy.to = target.at;
  copy.target = target.hosts.bytes;
  copy.defined = target.hosts.defined;
  if (watches_accesses()) announce_copy(warp, copy, copy.lanes);
  read_source(source, copy);
  for_lanes(copy.lanes, [&](unsigned lane) { leave_undelivered(warp, copy, lane); });
  warp.copies.push_back(copy);
}

// A copy's beginning or end at its target.
void Grid::announce_copy(const Warp& warp, const CopyUnderWay& copy, LaneMask lanes) {
  const Instruction& i = *copy.instruction;
  AccessEvent event = event_of(warp, program_.details[i.detail].manner, copy.to, lanes);
  event.bytes = event.element_bytes = copy.bytes;
  announce_access(warp, i.form->space, copy.to, event);
}

// Lanes that read equally much, together; what a lane does not read need not exist, and is zero.
void Grid::read_source(Access& source, CopyUnderWay& copy) {
  const Detail& detail = source.detail;
  const auto read = [&](unsigned lane) {
    return detail.data.size() > 1 ? std::min(copy.bytes, numbers(source.split, detail.data[1])[lane])
                                  : copy.bytes;
  };
  for (LaneMask left = copy.lanes; left != 0;) {
    const std::uint32_t size = read(first_lane(left));
    source.bytes = size;
    source.good = 0;
    for_lanes(left, [&](unsigned lane) { source.good |= read(lane) == size ? bit(lane) : 0; });
    left &= ~source.good;
    if (size == 0) continue;
    resolve(source, "read", copy.bytes);
    if (watches_accesses() && source.good != 0) {
      AccessEvent event = event_of(source);
      event.what = What::read;
      event.bytes = event.element_bytes = size;
      event.consecutive &= size == copy.bytes;
      announce_access(source, event);
    }
    for_lanes(source.good, [&](unsigned lane) {
      std::memcpy(copy.data[lane].data(), source.hosts[lane], size);
      if (follows()) follow_source(source, copy, lane, size);
      std::byte* defined = source.hosts.defined[lane];
      if (!defined || is_defined(defined, size)) return;
      std::ranges::transform(defined, defined + size, copy.undefined[lane].begin(), std::bit_not{});
      copy.origin[lane] =
          origin_of_loaded(source.warp, source.i, lane, {source.space, source.at[lane], defined, size});
    });
  }
}

void Grid::leave_undelivered(const Warp& warp, const CopyUnderWay& copy, unsigned lane) {
  const Instruction& i = *copy.instruction;
  const Place target = place(warp, i.form->space, copy.to[lane], lane);
  fill_undefined({copy.target[lane], copy.bytes}, filling(), target.of, target.at);
  if (!copy.defined[lane]) return;
  const OriginId origin = origin_at(Kind::uninitialized_read, i, warp, lane, [&] {
    return fmt::format(
        "{} bytes of {} that an asynchronous copy was to bring, which the thread did not wait for",
        copy.bytes, memory_at(true, copy.to[lane]));
  });
  store_undefined(warp, i, lane, {i.form->space, copy.to[lane], copy.defined[lane], copy.bytes}, origin);
}

// cp.async.commit_group: the copies so far are a group.
void Grid::close_group(Warp& warp, LaneMask lanes) {
  warp.closed_groups = true;
  for_lanes(lanes, [&](unsigned lane) { ++warp.open_group[lane]; });
}

// cp.async.wait_group n: all but the last n groups are delivered; wait_all: everything.
void Grid::wait_for_copies(Warp& warp, const Split& split, const Instruction& i, LaneMask lanes) {
  if (i.operand[0] == isa::no_operand) return deliver(warp, lanes, warp.open_group);
  const std::uint32_t* under_way = numbers(split, i.operand[0]);
  LaneMask waiting = 0;
  std::array<std::uint32_t, isa::warp_size> last{};
  for_lanes(lanes, [&](unsigned lane) {
    if (warp.open_group[lane] <= under_way[lane]) return;
    waiting |= bit(lane);
    last[lane] = warp.open_group[lane] - under_way[lane] - 1;
  });
  deliver(warp, waiting, last);
}

// Delivers what the lanes have under way up to the group `last`.
void Grid::deliver(Warp& warp, LaneMask lanes, const std::array<std::uint32_t, isa::warp_size>& last) {
  if (warp.copies.empty()) return;
  ++changes_;
  for (CopyUnderWay& copy : warp.copies) {
    LaneMask due = 0;
    for_lanes(copy.lanes & lanes,
              [&](unsigned lane) { due |= copy.group[lane] <= last[lane] ? bit(lane) : 0; });
    if (due == 0) continue;
    copy.lanes &= ~due;
    const Instruction& i = *copy.instruction;
    if (watches_accesses()) announce_copy(warp, copy, due);
    for_lanes(due, [&](unsigned lane) {
      std::memcpy(copy.target[lane], copy.data[lane].data(), copy.bytes);
      if (follows()) follow_delivery(warp, copy, lane);
      if (copy.defined[lane])
        store_bits(warp, i, lane, {i.form->space, copy.to[lane], copy.defined[lane], copy.bytes},
                   copy.undefined[lane].data(), copy.origin[lane]);
    });
  }
  std::erase_if(warp.copies, [](const CopyUnderWay& copy) { return copy.lanes == 0; });
}

}  // namespace foldproof::machine
