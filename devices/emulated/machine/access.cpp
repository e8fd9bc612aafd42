// Loads, stores and atomics: exact bounds, alignment, and short ways for the common patterns.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "devices/emulated/machine/columns.h"
#include "devices/emulated/machine/grid.h"
#include "sanitizer/lane_set.h"

namespace foldproof::machine {
namespace {

using isa::StateSpace;
using isa::warp_size;

/// A 128-bit column.
struct Wide {
  std::uint64_t low, high;
};

bool equal_bytes(const std::byte* a, const std::byte* b, std::size_t size) {
  return size == 4 ? std::memcmp(a, b, 4) == 0 : std::memcmp(a, b, size) == 0;  // 4: one instruction
}

// Calls visit(element, column) with values of the types that memory and register hold.
template <class Visit>
void with_types(const Detail& detail, Visit visit) {
  const unsigned key =
      detail.element_bytes * 32u + detail.register_bytes * 2u + (detail.sign_extend ? 1u : 0u);
  auto code = [](unsigned element, unsigned column, bool is_signed) {
    return element * 32u + column * 2u + is_signed;
  };
  switch (key) {
// NOLINTBEGIN(bugprone-macro-parentheses): types take none
#define FOLDPROOF_PAIR(E, S, U, C)                                \
  case code(sizeof(E), sizeof(C), false): return visit(U{}, C{}); \
  case code(sizeof(E), sizeof(C), true): return visit(S{}, C{});
    // NOLINTEND(bugprone-macro-parentheses)
    FOLDPROOF_PAIR(std::uint8_t, std::int8_t, std::uint8_t, std::uint8_t)
    FOLDPROOF_PAIR(std::uint8_t, std::int8_t, std::uint8_t, std::uint16_t)
    FOLDPROOF_PAIR(std::uint8_t, std::int8_t, std::uint8_t, std::uint32_t)
    FOLDPROOF_PAIR(std::uint8_t, std::int8_t, std::uint8_t, std::uint64_t)
    FOLDPROOF_PAIR(std::uint16_t, std::int16_t, std::uint16_t, std::uint16_t)
    FOLDPROOF_PAIR(std::uint16_t, std::int16_t, std::uint16_t, std::uint32_t)
    FOLDPROOF_PAIR(std::uint16_t, std::int16_t, std::uint16_t, std::uint64_t)
    FOLDPROOF_PAIR(std::uint32_t, std::int32_t, std::uint32_t, std::uint32_t)
    FOLDPROOF_PAIR(std::uint32_t, std::int32_t, std::uint32_t, std::uint64_t)
    FOLDPROOF_PAIR(std::uint64_t, std::int64_t, std::uint64_t, std::uint64_t)
#undef FOLDPROOF_PAIR
    default: return visit(Wide{}, Wide{});
  }
}

template <class Column, class Element>
Column widen(Element element) {
  if constexpr (std::is_same_v<Column, Element>)
    return element;
  else
    return static_cast<Column>(element);
}

template <class T>
T read_as(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

std::string_view space_name(StateSpace space) {
  switch (space) {
    case StateSpace::none: return "generic";
    case StateSpace::global: return "global";
    case StateSpace::shared_cta: return "shared";
    case StateSpace::shared_cluster: return "shared::cluster";
    case StateSpace::local: return "local";
    case StateSpace::constant: return "const";
    case StateSpace::param: return "param";
  }
  return "";
}

}  // namespace

void Grid::addresses(const Split& split, const Detail::Address& address, std::uint32_t bytes, LaneMask lanes,
                     Addresses& out) {
  const auto displacement = static_cast<std::uint64_t>(address.displacement);
  const std::byte* registers = split.frame->registers();
  switch (address.base) {
    case Detail::Base::register64:
      return gather_addresses(registers + address.row, 8, displacement, bytes, lanes, out);
    case Detail::Base::register32:
      return gather_addresses(registers + address.row, 4, displacement, bytes, lanes, out);
    case Detail::Base::frame_local: return repeat_address(split.frame->local_base + displacement, out);
    default: return repeat_address(displacement, out);
  }
}

Region Grid::shared_region(Block& block, std::uint64_t address, std::uint64_t origin) {
  const auto offset = static_cast<std::uint32_t>(address - origin);
  const std::uint32_t rank = offset >> isa::shared_rank_shift;
  Block* owner = &block;
  if (rank != 0) {
    if (rank > block.cluster->blocks.size()) return {};
    owner = block.cluster->blocks[rank - 1].get();
    if (!owner->started) start(*owner);
  }
  const auto place = static_cast<std::uint32_t>(offset & isa::shared_offset_mask);
  for (const SharedRegion& region : shared_)
    if (place - region.address < region.bytes)
      return {owner->shared.data() + region.host,
              tracks() ? owner->shared_defined.data() + region.host : nullptr,
              origin + (std::uint64_t{rank} << isa::shared_rank_shift) + region.address, region.bytes};
  return {};
}

Region Grid::local_region(Warp& warp, unsigned lane, std::uint64_t begin) const {
  auto& memory = warp.local[lane];
  return {memory.data(), tracks() ? warp.local_defined[lane].data() : nullptr, begin, memory.size()};
}

Region Grid::region(Warp& warp, StateSpace space, std::uint64_t address, unsigned lane) {
  switch (space) {
    case StateSpace::global: return memory_.find(address);
    case StateSpace::shared_cta:
    case StateSpace::shared_cluster: return shared_region(*warp.block, address, 0);
    case StateSpace::local: return local_region(warp, lane, 0);
    case StateSpace::constant: return {constants_.data(), nullptr, 0, constants_.size()};
    // The launch's parameters are read only: loads alone reach this.
    case StateSpace::param:
      return {const_cast<std::byte*>(parameters_.data()), nullptr, 0, parameters_.size()};
    case StateSpace::none: break;
  }
  switch (address >> isa::window_bits) {
    case isa::shared_window >> isa::window_bits:
      return shared_region(*warp.block, address, isa::shared_window);
    case isa::local_window >> isa::window_bits: return local_region(warp, lane, isa::local_window);
    case isa::constant_window >> isa::window_bits:
      return {constants_.data(), nullptr, isa::constant_window, constants_.size()};
    case isa::param_window >> isa::window_bits:
      return {const_cast<std::byte*>(parameters_.data()), nullptr, isa::param_window, parameters_.size()};
    default: return memory_.find(address);
  }
}

// Host addresses for the lanes whose access is in bounds and aligned; reports the others and leaves them out.
LaneMask Grid::resolve(Warp& warp, const Instruction& i, StateSpace space, const Addresses& at,
                       const Access& access, LaneMask lanes, Hosts& hosts) {
  const char* const what = access.what;
  const std::uint32_t bytes = access.bytes, alignment = access.alignment;
  const bool writes = what != std::string_view("read");
  LaneMask outside = 0, misaligned = 0;
  Region last;
  const bool per_lane = space == StateSpace::local || space == StateSpace::none;
  for_lanes(lanes, [&](unsigned lane) {
    if ((at[lane] & (alignment - 1)) != 0) {
      misaligned |= bit(lane);
      return;
    }
    if (last.bytes == 0 || per_lane || !last.contains(at[lane], bytes))
      last = region(warp, space, at[lane], lane);
    if (last.host == nullptr || !last.contains(at[lane], bytes) || (writes && !writable(space, at[lane]))) {
      outside |= bit(lane);
      last = {};
      return;
    }
    hosts[lane] = last.host + (at[lane] - last.begin);
    hosts.defined[lane] = last.defined ? last.defined + (at[lane] - last.begin) : nullptr;
  });
  if (misaligned != 0) {
    const auto lane = first_lane(misaligned);
    report_access(Kind::misaligned, warp, i, misaligned,
                  fmt::format("a {} of {} bytes at {} address {:#x} is not aligned to {} bytes", what, bytes,
                              space_name(space), at[lane], alignment));
  }
  if (outside != 0) {
    const auto lane = first_lane(outside);
    report_access(Kind::out_of_bounds, warp, i, outside,
                  fmt::format("a {} of {} bytes in {} memory begins {}", what, bytes, space_name(space),
                              describe_address(space, at[lane], bytes)));
  }
  return lanes & ~(outside | misaligned);
}

// The space that an address belongs to: for a generic one, by its window.
StateSpace Grid::owner(StateSpace space, std::uint64_t address) {
  if (space != StateSpace::none) return space;
  switch (address >> isa::window_bits) {
    case isa::shared_window >> isa::window_bits: return StateSpace::shared_cta;
    case isa::local_window >> isa::window_bits: return StateSpace::local;
    case isa::constant_window >> isa::window_bits: return StateSpace::constant;
    case isa::param_window >> isa::window_bits: return StateSpace::param;
    default: return StateSpace::global;
  }
}

// Nobody writes constants and the launch's parameters.
bool Grid::writable(StateSpace space, std::uint64_t address) {
  const StateSpace in = owner(space, address);
  return in != StateSpace::constant && in != StateSpace::param;
}

std::string Grid::describe_address(StateSpace space, std::uint64_t address, std::uint32_t bytes) const {
  if (space == StateSpace::none) {
    const StateSpace in = owner(space, address);
    return describe_address(in, in == StateSpace::global ? address : address % isa::window_size, bytes);
  }
  if (space == StateSpace::global) return memory_.describe(address, bytes);
  if (space == StateSpace::local)
    return fmt::format("at offset {} of the thread's local memory, which nothing owns",
                       static_cast<std::int64_t>(address));
  if (!writable(space, address))
    return fmt::format("at offset {} of {} memory, which nothing owns or which is only read",
                       static_cast<std::int64_t>(address), space_name(space));
  const auto place = static_cast<std::int64_t>(address & isa::shared_offset_mask);
  const SharedRegion* nearest = nullptr;
  std::int64_t distance = 0;
  for (const SharedRegion& region : shared_) {
    const std::int64_t from = place - region.address;
    const std::int64_t past = from < 0 ? -from : from - region.bytes;
    if (nearest && past >= distance) continue;
    nearest = &region;
    distance = past;
  }
  if (!nearest) return fmt::format("at offset {:#x}, where the block has no shared memory", place);
  const std::string what = fmt::format("{} ({} bytes)", nearest->variable->name, nearest->bytes);
  if (place < nearest->address) return fmt::format("{} bytes before {}", distance, what);
  if (distance >= 0) return fmt::format("{} bytes past the end of {}", distance, what);
  return fmt::format("across the end of {} by {} bytes", what, distance + bytes);
}

void Grid::report_access(Kind kind, const Warp& warp, const Instruction& i, LaneMask lanes,
                         const std::string& sentence) {
  if (!reported_.emplace(kind, &i).second) return;
  Finding finding = make_finding(kind, i, sentence);
  constexpr std::size_t most_threads = 8;
  for_lanes(lanes, [&](unsigned lane) {
    if (finding.threads.size() < most_threads) finding.threads.push_back(thread(warp, lane));
  });
  report_.findings.push_back(std::move(finding));
}

std::byte* Grid::resolve_generic(Warp& warp, unsigned lane, std::uint64_t address, std::uint32_t bytes) {
  const Region found = region(warp, StateSpace::none, address, lane);
  return found.host && found.contains(address, bytes) ? found.host + (address - found.begin) : nullptr;
}

// The region that all lanes access, in bounds and aligned; one without a host where there is none such. Most
// accesses have one, and need no look-up for each lane.
Region Grid::common_region(Warp& warp, StateSpace space, const Addresses& at, std::uint32_t bytes,
                           bool writes) {
  const bool own_to_each_lane =
      space == StateSpace::local || at.low >> isa::window_bits == isa::local_window >> isa::window_bits;
  if (own_to_each_lane || (at.bits & (bytes - 1)) != 0 || at.high - at.low > isa::window_size ||
      (writes && !writable(space, at.low)))
    return {};
  Region found = space == StateSpace::shared_cta ? shared_region(*warp.block, at.low, 0)
                                                 : region(warp, space, at.low, 0);
  if (!found.host || !found.contains(at.low, at.high - at.low + bytes)) found = {};
  return found;
}

void Grid::load(Warp& warp, const Split& split, const Instruction& i, LaneMask lanes) {
  const Detail& detail = program_.details[i.detail];
  if (detail.address.base == Detail::Base::slot) return slot_access(split, i, lanes);
  if (detail.address.base == Detail::Base::entry_parameter) return load_parameter(split, i, lanes);
  ++reads_;
  check_address(warp, split, i, detail.address, lanes);
  Addresses at;
  std::byte* registers = split.frame->registers();
  const auto count = static_cast<std::uint32_t>(detail.data.size());
  const std::uint32_t bytes = detail.element_bytes * count;
  addresses(split, detail.address, bytes, lanes, at);
  LaneMask good = lanes;
  Hosts hosts;
  const Region common = common_region(warp, i.form->space, at, bytes, false);
  const std::byte* origin = common.host ? common.host - common.begin : nullptr;
  const bool in_a_run = origin && at.consecutive && is_run(lanes);
  if (!origin) good = resolve(warp, i, i.form->space, at, {"read", bytes, bytes}, lanes, hosts);
  if (watches_accesses() && good != 0) {
    AccessEvent event = access_event(warp, i, AccessEvent::What::read, at, good, bytes, detail.element_bytes);
    announce_access(warp, i.form->space, at, event);
  }
  if (tracks()) note_load(warp, split, i, at, lanes, good, hosts, common);
  with_types(detail, [&](auto element, auto column) {
    using E = decltype(element);
    using C = decltype(column);
    for (std::uint32_t k = 0; k < count; ++k) {
      C* to = isa::row<C>(registers, detail.data[k]);
      if (in_a_run && count == 1 && sizeof(E) == sizeof(C)) {
        if (lanes == isa::all_lanes)
          std::memcpy(to, origin + at.low, sizeof(C) * warp_size);  // in a few instructions
        else
          std::memcpy(to + first_lane(lanes), origin + at.low, sizeof(C) * lane_count(lanes));
      } else if (origin && lanes == isa::all_lanes) {
        for (unsigned lane = 0; lane < warp_size; ++lane)
          to[lane] = widen<C>(read_as<E>(origin + at[lane] + k * sizeof(E)));
      } else if (origin) {
        for_lanes(lanes,
                  [&](unsigned lane) { to[lane] = widen<C>(read_as<E>(origin + at[lane] + k * sizeof(E))); });
      } else {
        for_lanes(good, [&](unsigned lane) { to[lane] = widen<C>(read_as<E>(hosts[lane] + k * sizeof(E))); });
        for_lanes(lanes & ~good, [&](unsigned lane) {
          const std::uint32_t words[4] = {poison, poison, poison, poison};
          std::memcpy(&to[lane], words, sizeof(C));
        });
      }
    }
  });
}

void Grid::store(Warp& warp, const Split& split, const Instruction& i, LaneMask lanes) {
  const Detail& detail = program_.details[i.detail];
  if (detail.address.base == Detail::Base::slot) return slot_access(split, i, lanes);
  check_address(warp, split, i, detail.address, lanes);
  Addresses at;
  const std::byte* registers = split.frame->registers();
  const auto count = static_cast<std::uint32_t>(detail.data.size());
  const std::uint32_t size = detail.element_bytes;
  const std::uint32_t bytes = size * count;
  addresses(split, detail.address, bytes, lanes, at);
  const bool visible = i.form->space != StateSpace::local &&
                       detail.address.base != Detail::Base::frame_local &&
                       at[0] >> isa::window_bits != isa::local_window >> isa::window_bits;
  if (visible) ++changes_;
  const Region common = common_region(warp, i.form->space, at, bytes, true);
  std::byte* origin = common.host ? common.host - common.begin : nullptr;
  Hosts hosts;
  if (origin && count == 1 && size == detail.register_bytes && at.consecutive && is_run(lanes)) {
    const std::byte* from = registers + detail.data[0] + std::size_t{size} * first_lane(lanes);
    if (watches_accesses()) announce_run_store(warp, i, at, lanes, origin + at.low, from);
    if (tracks()) note_store(warp, split, i, at, lanes, hosts, common);
    std::memcpy(origin + at.low, from, std::size_t{size} * lane_count(lanes));
    return;
  }
  LaneMask good = lanes;
  if (origin)
    for_lanes(lanes, [&](unsigned lane) { hosts[lane] = origin + at[lane]; });
  else
    good = resolve(warp, i, i.form->space, at, {"write", bytes, bytes}, lanes, hosts);
  if (watches_accesses() && good != 0) announce_store(warp, split, i, at, good, hosts);
  if (tracks()) note_store(warp, split, i, at, good, hosts, common);
  for (std::uint32_t k = 0; k < count; ++k) {
    const std::byte* from = registers + detail.data[k];
    // Little-endian columns: the low bytes of a wider register come first.
    auto copy = [&](auto width) {
      for_lanes(good, [&](unsigned lane) {
        std::memcpy(hosts[lane] + k * size, from + lane * detail.register_bytes, width());
      });
    };
    if (size == 4)
      copy([] { return std::size_t{4}; });
    else if (size == 8)
      copy([] { return std::size_t{8}; });
    else
      copy([&] { return std::size_t{size}; });
  }
}

// A store of a run of lanes to consecutive places, before memory changes. Both sides begin with the first.
void Grid::announce_run_store(const Warp& warp, const Instruction& i, const Addresses& at, LaneMask lanes,
                              const std::byte* memory, const std::byte* registers) {
  const std::uint32_t size = program_.details[i.detail].element_bytes;
  AccessEvent event = access_event(warp, i, AccessEvent::What::write, at, lanes, size, size);
  if (size == 4 && lanes == isa::all_lanes) {
    event.unchanged = equal_rows(memory, registers);
  } else {
    std::size_t place = 0;
    for_lanes(lanes, [&](unsigned lane) {
      if (equal_bytes(memory + place, registers + place, size)) event.unchanged |= bit(lane);
      place += size;
    });
  }
  announce_access(warp, i.form->space, at, event);
}

// A store, before memory changes: lanes whose bytes stand there already are told apart. Of lanes that store
// to one address the last one wins, and finds there what the one before it has written.
void Grid::announce_store(const Warp& warp, const Split& split, const Instruction& i, const Addresses& at,
                          LaneMask lanes, const Hosts& hosts) {
  const Detail& detail = program_.details[i.detail];
  const std::uint32_t size = detail.element_bytes;
  const auto count = static_cast<std::uint32_t>(detail.data.size());
  AccessEvent event = access_event(warp, i, AccessEvent::What::write, at, lanes, size * count, size);
  const std::byte* registers = split.frame->registers();
  const auto column = [&](std::uint32_t k, unsigned lane) {
    return registers + detail.data[k] + lane * detail.register_bytes;
  };
  bool ascending = true;
  if (!at.consecutive) {
    const std::byte* highest = nullptr;
    for_lanes(lanes, [&](unsigned lane) {
      ascending &= highest == nullptr || hosts[lane] > highest;
      highest = hosts[lane];
    });
  }
  for_lanes(lanes, [&](unsigned lane) {
    unsigned before = lane;
    if (!ascending)
      for_lanes(lanes & lowest_lanes(lane), [&](unsigned other) {
        if (hosts[other] == hosts[lane]) before = other;
      });
    bool same = true;
    for (std::uint32_t k = 0; same && k < count; ++k) {
      const std::byte* there = before == lane ? hosts[lane] + k * size : column(k, before);
      same = equal_bytes(there, column(k, lane), size);
    }
    if (same) event.unchanged |= bit(lane);
  });
  announce_access(warp, i.form->space, at, event);
}

// Rows of 32-bit columns, one for each 4 bytes of the variable: byte b of a lane lies in row b / 4.
void Grid::slot_access(const Split& split, const Instruction& i, LaneMask lanes) const {
  if (split.frame->taint.any()) slot_definedness(split, i, lanes);
  const Detail& detail = program_.details[i.detail];
  std::byte* registers = split.frame->registers();
  for (std::size_t k = 0; k < detail.data.size(); ++k)
    for_lanes(lanes, [&](unsigned lane) {
      std::byte* column = registers + detail.data[k] + lane * detail.register_bytes;
      std::byte bytes[16] = {};
      const std::uint64_t first =
          static_cast<std::uint64_t>(detail.address.displacement) + k * detail.element_bytes;
      auto place = [&](std::uint64_t b) {
        return registers + detail.address.row + b / 4 * 128 + lane * 4 + b % 4;
      };
      if (i.action == Action::store) {
        for (unsigned b = 0; b < detail.element_bytes; ++b) *place(first + b) = column[b];
        return;
      }
      for (unsigned b = 0; b < detail.element_bytes; ++b) bytes[b] = *place(first + b);
      const bool negative =
          detail.sign_extend && (bytes[detail.element_bytes - 1] & std::byte{0x80}) != std::byte{0};
      for (unsigned b = detail.element_bytes; b < detail.register_bytes; ++b)
        bytes[b] = negative ? std::byte{0xff} : std::byte{0};
      std::memcpy(column, bytes, detail.register_bytes);
    });
}

void Grid::load_parameter(const Split& split, const Instruction& i, LaneMask lanes) {
  const Detail& detail = program_.details[i.detail];
  const auto count = static_cast<std::uint32_t>(detail.data.size());
  const auto first = static_cast<std::uint64_t>(detail.address.displacement);
  const std::uint64_t bytes = std::uint64_t{detail.element_bytes} * count;
  if (first > parameters_.size() || bytes > parameters_.size() - first)
    throw InputError(fmt::format("a load reads {} bytes at offset {} of {} bytes of kernel parameters", bytes,
                                 first, parameters_.size()),
                     program_.position(i));
  with_types(detail, [&](auto element, auto column) {
    using E = decltype(element);
    using C = decltype(column);
    for (std::uint32_t k = 0; k < count; ++k) {
      const C value = widen<C>(read_as<E>(parameters_.data() + first + k * sizeof(E)));
      C* to = isa::row<C>(split.frame->registers(), detail.data[k]);
      if (lanes == isa::all_lanes)
        std::fill_n(to, warp_size, value);
      else
        for_lanes(lanes, [&](unsigned lane) { to[lane] = value; });
    }
  });
}

// atom d, [a], b{, c} and red [a], b: lane after lane, which is one of the orders that hardware may choose.
void Grid::atomic(Warp& warp, const Split& split, const Instruction& i, LaneMask lanes) {
  ++reads_;
  const Detail& detail = program_.details[i.detail];
  const std::uint32_t size = detail.element_bytes;
  const std::uint32_t count = i.form->vector;
  check_address(warp, split, i, detail.address, lanes);
  Addresses at;
  addresses(split, detail.address, size * count, lanes, at);
  Hosts hosts;
  const LaneMask good =
      resolve(warp, i, i.form->space, at, {"read-modify-write", size * count, size * count}, lanes, hosts);
  const bool returns = i.action == Action::atomic;
  const std::size_t b_row = returns ? count : 0, c_row = b_row + count;
  std::byte* registers = split.frame->registers();
  auto column = [&](std::size_t k, unsigned lane) {
    return registers + detail.data[k] + lane * detail.register_bytes;
  };
  LaneMask changed = 0;
  for_lanes(good, [&](unsigned lane) {
    const StateSpace in = owner(i.form->space, at[lane]);
    const bool shared = in == StateSpace::shared_cta || in == StateSpace::shared_cluster;
    const isa::Combine combine = shared && i.form->combine_shared ? i.form->combine_shared : i.form->combine;
    if (tracks() && (hosts.defined[lane] || split.frame->taint.any()))
      atomic_definedness(warp, split, i, at, lane, hosts);
    for (std::uint32_t k = 0; k < count; ++k) {
      std::uint64_t old = 0, b = 0, c = 0;
      std::memcpy(&old, hosts[lane] + k * size, size);
      std::memcpy(&b, column(b_row + k, lane), size);
      if (c_row + k < detail.data.size()) std::memcpy(&c, column(c_row + k, lane), size);
      const std::uint64_t now = combine(old, b, c);
      if (now != old) changed |= bit(lane);
      std::memcpy(hosts[lane] + k * size, &now, size);
      if (returns) std::memcpy(column(k, lane), &old, size);
    }
  });
  changes_ += lane_count(changed);
  if (!watches_accesses() || good == 0) return;
  AccessEvent event = access_event(warp, i, AccessEvent::What::update, at, good, size * count, size);
  event.unchanged = good & ~changed;
  announce_access(warp, i.form->space, at, event);
}

}  // namespace foldproof::machine
