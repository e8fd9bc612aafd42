// Loads and stores, with fast paths for common patterns.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>

#include "devices/emulated/execution/executor.h"
#include "devices/emulated/state/columns.h"
#include "sanitizer/lane_set.h"

namespace foldproof::emulated {
namespace {

using isa::StateSpace;
using isa::warp_size;

/// A 128-bit value of one lane.
struct Wide {
  std::uint64_t low, high;
};

// Calls visit(element, column) with values of the memory type and the register type.
template <class Visit>
void with_types(const MachineOperands& detail, Visit visit) {
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

template <class T>
T read_as(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

// Copies between the columns of consecutive lanes and consecutive memory; both pointers are those of the
// first lane. A full warp of words takes a few instructions.
void copy_run(std::byte* to, const std::byte* from, std::uint32_t bytes_of_lane, LaneMask lanes) {
  constexpr std::uint32_t word = 4;
  if (lanes == all_lanes && bytes_of_lane == word)
    std::memcpy(to, from, word * warp_size);
  else
    std::memcpy(to, from, std::size_t{bytes_of_lane} * (last_lane(lanes) - first_lane(lanes) + 1));
}

}  // namespace

void Executor::load(Warp& warp, Frame& frame, const Instruction& i, LaneMask lanes) {
  const MachineOperands& detail = parts_.program.details[i.detail];
  if (detail.address.base == MachineOperands::Base::slot) return access_slot(frame, i, lanes);
  if (detail.address.base == MachineOperands::Base::entry_parameter) return load_parameter(frame, i, lanes);
  parts_.progress.read();
  WarpAccess access(warp, frame, i, detail, lanes);
  parts_.find_addresses(access, detail.address);
  parts_.addresses.find_common(access);
  if (!access.host) parts_.addresses.resolve(access, "read", access.bytes);
  if (parts_.events.accesses() && access.valid != 0) parts_.events.emit_access(access);
  parts_.shadow.loaded(access);
  std::byte* registers = frame.registers();
  if (access.is_simple())
    return copy_run(registers + detail.data[0] + std::size_t{access.bytes} * first_lane(lanes),
                    access.host + access.at.low, access.bytes, lanes);
  with_types(detail, [&](auto element, auto column) {
    using E = decltype(element);
    using C = decltype(column);
    for (std::size_t k = 0; k < detail.data.size(); ++k) {
      C* to = isa::row<C>(registers, detail.data[k]);
      const auto take = [&](unsigned lane, const std::byte* from) {
        to[lane] = static_cast<C>(read_as<E>(from + k * sizeof(E)));
      };
      if (access.host && lanes == all_lanes) {
        for (unsigned lane = 0; lane < warp_size; ++lane) take(lane, access.host + access.at[lane]);
      } else if (access.host) {
        for_lanes(lanes, [&](unsigned lane) { take(lane, access.host + access.at[lane]); });
      } else {
        for_lanes(access.valid, [&](unsigned lane) { take(lane, access.hosts[lane]); });
        for_lanes(lanes & ~access.valid, [&](unsigned lane) {
          std::uint32_t words[4];
          for (std::uint64_t w = 0; w < std::size(words); ++w)
            words[w] = parts_.fill.word(global_memory, access.at[lane] / 4 * 4 + 4 * w);
          std::memcpy(&to[lane], words, sizeof(C));
        });
      }
    }
  });
}

void Executor::store(Warp& warp, Frame& frame, const Instruction& i, LaneMask lanes) {
  const MachineOperands& detail = parts_.program.details[i.detail];
  if (detail.address.base == MachineOperands::Base::slot) return access_slot(frame, i, lanes);
  WarpAccess access(warp, frame, i, detail, lanes);
  parts_.find_addresses(access, detail.address);
  const bool is_local =
      i.form->space == StateSpace::local || detail.address.base == MachineOperands::Base::frame_local;
  const bool visible = !is_local && access.at[0] >> isa::window_bits != isa::local_window >> isa::window_bits;
  if (visible) parts_.progress.changed();
  parts_.addresses.find_common(access);
  const std::byte* registers = frame.registers();
  if (access.is_simple()) {
    const std::byte* from = registers + detail.data[0] + std::size_t{access.bytes} * first_lane(lanes);
    std::byte* to = access.host + access.at.low;
    if (parts_.events.accesses()) parts_.events.emit_run_store(access, to, from);
    parts_.shadow.storing(access);
    return copy_run(to, from, access.bytes, lanes);
  }
  if (access.host)
    for_lanes(lanes, [&](unsigned lane) { access.hosts[lane] = access.host + access.at[lane]; });
  else
    parts_.addresses.resolve(access, "write", access.bytes);
  if (parts_.events.accesses() && access.valid != 0 && !is_local) parts_.events.emit_store(access);
  parts_.shadow.storing(access);
  const std::uint32_t size = detail.element_bytes;
  for (std::size_t k = 0; k < detail.data.size(); ++k) {
    const std::byte* from = registers + detail.data[k];
    // Little-endian: the low bytes of a wider register come first.
    auto copy = [&](auto width) {
      for_lanes(access.valid, [&](unsigned lane) {
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

// A slot has one row of 32-bit columns per 4 bytes of the variable: byte b of a lane is in row b / 4.
void Executor::access_slot(Frame& frame, const Instruction& i, LaneMask lanes) {
  const MachineOperands& detail = parts_.program.details[i.detail];
  parts_.shadow.slot_accessed(frame, i, detail, lanes);
  std::byte* registers = frame.registers();
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

void Executor::load_parameter(Frame& frame, const Instruction& i, LaneMask lanes) {
  const MachineOperands& detail = parts_.program.details[i.detail];
  const auto count = static_cast<std::uint32_t>(detail.data.size());
  const auto first = static_cast<std::uint64_t>(detail.address.displacement);
  const std::uint64_t bytes = std::uint64_t{detail.element_bytes} * count;
  const std::vector<std::byte>& parameters = parts_.addresses.parameters();
  if (first > parameters.size() || bytes > parameters.size() - first)
    throw InputError(fmt::format("a load reads {} bytes at offset {} of {} bytes of kernel parameters", bytes,
                                 first, parameters.size()),
                     parts_.program.position(i));
  parts_.shadow.fresh(frame, detail.data, lanes);
  with_types(detail, [&](auto element, auto column) {
    using E = decltype(element);
    using C = decltype(column);
    for (std::uint32_t k = 0; k < count; ++k) {
      const C value = static_cast<C>(read_as<E>(parameters.data() + first + k * sizeof(E)));
      C* to = isa::row<C>(frame.registers(), detail.data[k]);
      if (lanes == all_lanes)
        std::fill_n(to, warp_size, value);
      else
        for_lanes(lanes, [&](unsigned lane) { to[lane] = value; });
    }
  });
}

}  // namespace foldproof::emulated
