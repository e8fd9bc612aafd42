// cp.async: asynchronous copies from global to shared memory (ISA 9.7.9.25.3).
//
//   issued ─────────── in flight: the target is undefined ───────────► delivered
//   cp.async                                                            wait_group, wait_all,
//                                                                       cp.async.mbarrier.arrive
//
// Hardware may read and deliver at any time in between. Here the source is read at issue and the target is
// written as late as possible, so a thread that does not wait uses undefined values. Observers see an access
// to source and target at both ends: an access between them is unordered with one of the two. If the source
// changed, the copy delivers undefined values.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "devices/emulated/execution/executor.h"
#include "sanitizer/lane_set.h"

namespace foldproof::emulated {
namespace {

using What = AccessEvent::What;

const std::uint32_t* numbers(const Frame& frame, std::uint32_t row) {
  return isa::row<std::uint32_t>(frame.registers(), row);
}

}  // namespace

// cp.async [shared], [global], size{, source-size}
void Executor::async_copy(Warp& warp, Frame& frame, const Instruction& i, LaneMask lanes) {
  parts_.progress.changed();
  const MachineOperands& detail = parts_.program.details[i.detail];
  const std::uint32_t bytes = numbers(frame, detail.data[0])[first_lane(lanes)];
  if (bytes != 4 && bytes != 8 && bytes != 16)
    parts_.findings.crash(i, fmt::format("cp.async copies 4, 8 or 16 bytes, not {}", bytes));
  CopyInFlight copy;
  copy.instruction = &i;
  copy.bytes = bytes;
  copy.group = warp.open_group;
  WarpAccess target(warp, frame, i, detail, lanes);
  target.bytes = bytes;
  parts_.find_addresses(target, detail.address);
  WarpAccess source(warp, frame, i, detail, lanes);
  source.space = i.form->space2;
  source.bytes = bytes;
  source.writes = false;
  parts_.find_addresses(source, detail.source);
  copy.from = source.at;
  parts_.addresses.resolve(target, "write", bytes);
  copy.lanes = target.valid;
  if (copy.lanes == 0) return;
  copy.to = target.at;
  copy.target = target.hosts.bytes;
  copy.defined = target.hosts.defined;
  if (parts_.events.accesses()) emit_copy(warp, copy, copy.lanes, false);
  read_source(source, copy);
  for_lanes(copy.lanes, [&](unsigned lane) { begin_delivery(warp, copy, lane); });
  warp.copies.push_back(copy);
}

// Emits the access to the target at the beginning or end of a copy.
void Executor::emit_copy(const Warp& warp, const CopyInFlight& copy, LaneMask lanes, bool repeats) {
  const Instruction& i = *copy.instruction;
  AccessEvent event = Events::event_of(warp, parts_.program.details[i.detail].attributes, copy.to, lanes);
  event.bytes = event.element_bytes = copy.bytes;
  event.repeats = repeats;
  parts_.events.emit_access(warp, i.form->space, copy.to, event);
}

// Reads lanes of equal size together. Memory beyond the source size need not exist; its bytes are zero.
void Executor::read_source(WarpAccess& source, CopyInFlight& copy) {
  const MachineOperands& detail = source.detail;
  if (detail.data.size() > 1)
    parts_.shadow.decided(
        {source.warp, source.frame, source.i, detail.data[1], copy.lanes, Decision::Of::copied_bytes});
  const auto read = [&](unsigned lane) {
    return detail.data.size() > 1 ? std::min(copy.bytes, numbers(source.frame, detail.data[1])[lane])
                                  : copy.bytes;
  };
  for (LaneMask left = copy.lanes; left != 0;) {
    const std::uint32_t size = read(first_lane(left));
    source.bytes = size;
    source.valid = 0;
    for_lanes(left, [&](unsigned lane) { source.valid |= read(lane) == size ? bit(lane) : 0; });
    left &= ~source.valid;
    if (size == 0) continue;
    parts_.addresses.resolve(source, "read", copy.bytes);
    if (parts_.events.accesses() && source.valid != 0) {
      AccessEvent event = Events::event_of(source);
      event.what = What::read;
      event.bytes = event.element_bytes = size;
      event.consecutive &= size == copy.bytes;
      parts_.events.emit_access(source, event);
    }
    for_lanes(source.valid, [&](unsigned lane) {
      copy.source[lane] = source.hosts[lane];
      copy.read[lane] = size;
      std::memcpy(copy.data[lane].data(), source.hosts[lane], size);
      parts_.shadow.issued(source, copy, lane, size);
    });
  }
}

void Executor::begin_delivery(const Warp& warp, const CopyInFlight& copy, unsigned lane) {
  const Instruction& i = *copy.instruction;
  const Place target = AddressSpace::place(warp, i.form->space, copy.to[lane], lane);
  fill_undefined({copy.target[lane], copy.bytes}, parts_.fill, target.of, target.at);
  parts_.shadow.undelivered(warp, copy, lane);
}

// cp.async.commit_group: the copies since the last one form a group.
void Executor::close_group(Warp& warp, LaneMask lanes) {
  warp.closed_groups = true;
  for_lanes(lanes, [&](unsigned lane) { ++warp.open_group[lane]; });
}

// cp.async.wait_group n: all but the last n groups are delivered; wait_all: everything.
void Executor::wait_for_copies(Warp& warp, Frame& frame, const Instruction& i, LaneMask lanes) {
  if (i.operand[0] == isa::no_operand) return deliver(warp, lanes, warp.open_group);
  const std::uint32_t* under_way = numbers(frame, i.operand[0]);
  LaneMask waiting = 0;
  std::array<std::uint32_t, isa::warp_size> last{};
  for_lanes(lanes, [&](unsigned lane) {
    if (warp.open_group[lane] <= under_way[lane]) return;
    waiting |= bit(lane);
    last[lane] = warp.open_group[lane] - under_way[lane] - 1;
  });
  deliver(warp, waiting, last);
}

// Emits a second read of the source: hardware may read it as late as this.
void Executor::emit_late_read(const Warp& warp, const CopyInFlight& copy, LaneMask lanes) {
  const Instruction& i = *copy.instruction;
  for (LaneMask left = lanes; left != 0;) {
    const unsigned first = first_lane(left);
    LaneMask alike = 0;
    for_lanes(left, [&](unsigned lane) { alike |= copy.read[lane] == copy.read[first] ? bit(lane) : 0; });
    left &= ~alike;
    if (copy.source[first] == nullptr) continue;
    AccessEvent event = Events::event_of(warp, parts_.program.details[i.detail].attributes, copy.from, alike);
    event.what = What::read;
    event.repeats = true;
    event.bytes = event.element_bytes = copy.read[first];
    event.consecutive &= copy.read[first] == copy.bytes;
    parts_.events.emit_access(warp, i.form->space2, copy.from, event);
  }
}

// Delivers the lanes' copies in flight up to and including the group `last`.
void Executor::deliver(Warp& warp, LaneMask lanes, const std::array<std::uint32_t, isa::warp_size>& last) {
  if (warp.copies.empty()) return;
  parts_.progress.changed();
  for (CopyInFlight& copy : warp.copies) {
    LaneMask due = 0;
    for_lanes(copy.lanes & lanes,
              [&](unsigned lane) { due |= copy.group[lane] <= last[lane] ? bit(lane) : 0; });
    if (due == 0) continue;
    copy.lanes &= ~due;
    if (parts_.events.accesses()) {
      emit_late_read(warp, copy, due);
      emit_copy(warp, copy, due, true);
    }
    for_lanes(due, [&](unsigned lane) {
      const std::byte* source = copy.source[lane];
      if (source != nullptr && std::memcmp(source, copy.data[lane].data(), copy.read[lane]) != 0)
        return parts_.shadow.overwritten(warp, copy, lane);
      parts_.shadow.delivered(warp, copy, lane);
      std::memcpy(copy.target[lane], copy.data[lane].data(), copy.bytes);
    });
  }
  std::erase_if(warp.copies, [](const CopyInFlight& copy) { return copy.lanes == 0; });
}

}  // namespace foldproof::emulated
