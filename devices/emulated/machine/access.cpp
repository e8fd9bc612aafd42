// Loads, stores and atomics, with short ways for the common patterns.
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

// Between the columns of a run of lanes and their places in memory, which follow each other as well; both
// sides begin with the first lane's. A whole warp's words take a few instructions.
void copy_run(std::byte* to, const std::byte* from, std::uint32_t bytes_of_lane, LaneMask lanes) {
  constexpr std::uint32_t word = 4;
  if (lanes == isa::all_lanes && bytes_of_lane == word)
    std::memcpy(to, from, word * warp_size);
  else
    std::memcpy(to, from, std::size_t{bytes_of_lane} * (last_lane(lanes) - first_lane(lanes) + 1));
}

}  // namespace

Access::Access(Warp& of, const Split& by, const Instruction& instruction, const Detail& its_detail,
               LaneMask executing)
    : warp(of),
      split(by),
      i(instruction),
      detail(its_detail),
      space(i.form->space),
      bytes(detail.manner.bytes),
      writes(detail.manner.what != AccessManner::What::read ||
             i.action == Action::mbarrier),  // waiting, too, needs an object that can be written
      lanes(executing),
      good(executing) {}

bool Access::is_simple() const {
  return host && at.consecutive && detail.data.size() == 1 && bytes == detail.register_bytes && is_run(lanes);
}

void Grid::find_addresses(Access& access, const Detail::Address& address) {
  const Frame& frame = *access.split.frame;
  if (frame.taint.any() && address.row != isa::no_operand)
    check_choice(access.warp, frame, access.i, address.row, access.lanes, "an address");
  const auto displacement = static_cast<std::uint64_t>(address.displacement);
  const auto gather = [&](unsigned column_bytes) {
    gather_addresses(frame.registers() + address.row, column_bytes, displacement, access.bytes, access.lanes,
                     access.at);
  };
  switch (address.base) {
    case Detail::Base::register64: return gather(8);
    case Detail::Base::register32: return gather(4);
    case Detail::Base::frame_local: return repeat_address(frame.local_base + displacement, access.at);
    default: return repeat_address(displacement, access.at);
  }
}

void Grid::load(Warp& warp, const Split& split, const Instruction& i, LaneMask lanes) {
  const Detail& detail = program_.details[i.detail];
  if (detail.address.base == Detail::Base::slot) return slot_access(split, i, lanes);
  if (detail.address.base == Detail::Base::entry_parameter) return load_parameter(split, i, lanes);
  ++reads_;
  Access access(warp, split, i, detail, lanes);
  find_addresses(access, detail.address);
  find_common(access);
  if (!access.host) resolve(access, "read", access.bytes);
  if (watches_accesses() && access.good != 0) {
    AccessEvent event = event_of(access);
    announce_access(access, event);
  }
  if (tracks()) note_load(access);
  if (follows()) follow_load(access);
  std::byte* registers = split.frame->registers();
  if (access.is_simple())
    return copy_run(registers + detail.data[0] + std::size_t{access.bytes} * first_lane(lanes),
                    access.host + access.at.low, access.bytes, lanes);
  with_types(detail, [&](auto element, auto column) {
    using E = decltype(element);
    using C = decltype(column);
    for (std::size_t k = 0; k < detail.data.size(); ++k) {
      C* to = isa::row<C>(registers, detail.data[k]);
      const auto take = [&](unsigned lane, const std::byte* from) {
        to[lane] = widen<C>(read_as<E>(from + k * sizeof(E)));
      };
      if (access.host && lanes == isa::all_lanes) {
        for (unsigned lane = 0; lane < warp_size; ++lane) take(lane, access.host + access.at[lane]);
      } else if (access.host) {
        for_lanes(lanes, [&](unsigned lane) { take(lane, access.host + access.at[lane]); });
      } else {
        for_lanes(access.good, [&](unsigned lane) { take(lane, access.hosts[lane]); });
        for_lanes(lanes & ~access.good, [&](unsigned lane) {
          const std::uint32_t words[4] = {Filling::poison, Filling::poison, Filling::poison, Filling::poison};
          std::memcpy(&to[lane], words, sizeof(C));
        });
      }
    }
  });
}

void Grid::store(Warp& warp, const Split& split, const Instruction& i, LaneMask lanes) {
  const Detail& detail = program_.details[i.detail];
  if (detail.address.base == Detail::Base::slot) return slot_access(split, i, lanes);
  Access access(warp, split, i, detail, lanes);
  find_addresses(access, detail.address);
  const bool visible = i.form->space != StateSpace::local &&
                       detail.address.base != Detail::Base::frame_local &&
                       access.at[0] >> isa::window_bits != isa::local_window >> isa::window_bits;
  if (visible) ++changes_;
  find_common(access);
  const std::byte* registers = split.frame->registers();
  if (access.is_simple()) {
    const std::byte* from = registers + detail.data[0] + std::size_t{access.bytes} * first_lane(lanes);
    std::byte* to = access.host + access.at.low;
    if (watches_accesses()) announce_run_store(access, to, from);
    if (tracks()) note_store(access);
    if (follows()) follow_store(access);
    return copy_run(to, from, access.bytes, lanes);
  }
  if (access.host)
    for_lanes(lanes, [&](unsigned lane) { access.hosts[lane] = access.host + access.at[lane]; });
  else
    resolve(access, "write", access.bytes);
  if (watches_accesses() && access.good != 0) announce_store(access);
  if (tracks()) note_store(access);
  if (follows()) follow_store(access);
  const std::uint32_t size = detail.element_bytes;
  for (std::size_t k = 0; k < detail.data.size(); ++k) {
    const std::byte* from = registers + detail.data[k];
    // Little-endian columns: the low bytes of a wider register come first.
    auto copy = [&](auto width) {
      for_lanes(access.good, [&](unsigned lane) {
        std::memcpy(access.hosts[lane] + k * size, from + lane * detail.register_bytes, width());
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

// Rows of 32-bit columns, one for each 4 bytes of the variable: byte b of a lane lies in row b / 4.
void Grid::slot_access(const Split& split, const Instruction& i, LaneMask lanes) const {
  if (split.frame->taint.any()) slot_definedness(split, i, lanes);
  if (split.frame->nodes.any()) follow_slot(split, i, lanes);
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
  if (split.frame->taint.any())
    for (const std::uint32_t row : detail.data) split.frame->taint.define(row, lanes);
  if (split.frame->nodes.any())
    for (const std::uint32_t row : detail.data) split.frame->nodes.forget(row, lanes);
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
  Access access(warp, split, i, detail, lanes);
  find_addresses(access, detail.address);
  resolve(access, "read-modify-write", access.bytes);
  const bool returns = i.action == Action::atomic;
  const std::size_t b_row = returns ? count : 0, c_row = b_row + count;
  std::byte* registers = split.frame->registers();
  auto column = [&](std::size_t k, unsigned lane) {
    return registers + detail.data[k] + lane * detail.register_bytes;
  };
  LaneMask changed = 0;
  for_lanes(access.good, [&](unsigned lane) {
    const StateSpace in = owner(access.space, access.at[lane]);
    const bool shared = in == StateSpace::shared_cta || in == StateSpace::shared_cluster;
    const isa::Combine combine = shared && i.form->combine_shared ? i.form->combine_shared : i.form->combine;
    if (tracks() && (access.hosts.defined[lane] || split.frame->taint.any()))
      atomic_definedness(access, lane);
    for (std::uint32_t k = 0; k < count; ++k) {
      std::byte* memory = access.hosts[lane] + k * size;
      std::uint64_t old = 0, b = 0, c = 0;
      std::memcpy(&old, memory, size);
      std::memcpy(&b, column(b_row + k, lane), size);
      if (c_row + k < detail.data.size()) std::memcpy(&c, column(c_row + k, lane), size);
      const std::uint64_t now = combine(old, b, c);
      if (now != old) changed |= bit(lane);
      if (follows()) follow_atomic(access, lane, k, now);
      std::memcpy(memory, &now, size);
      if (returns) std::memcpy(column(k, lane), &old, size);
    }
  });
  changes_ += lane_count(changed);
  if (!watches_accesses() || access.good == 0) return;
  AccessEvent event = event_of(access);
  event.unchanged = access.good & ~changed;
  announce_access(access, event);
}

}  // namespace foldproof::machine
