// Undefined bits in loads, stores and atomics (definedness.h).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <tuple>

#include "devices/emulated/shadow/definedness.h"
#include "sanitizer/lane_set.h"

namespace foldproof::emulated {
namespace {

using isa::StateSpace;
using isa::warp_size;

constexpr std::byte all_ones{0xff};

}  // namespace

// The records of stores to the memory that the block reuses are dropped.
void Definedness::block_begins(Block& block) {
  const auto forget = [&](std::uint64_t first, std::uint64_t count) {
    origins_.stored.erase(origins_.stored.lower_bound({first, 0}),
                          origins_.stored.lower_bound({first + count, 0}));
  };
  forget(shared_memory(block.number), 1);
  forget(local_memory(block.number, 0), threads_of_block);
  block.shared_defined.assign(block.shared.size(), std::byte{0});
  for (const SharedRegion& region : addresses_.shared().regions)
    if (region.address == reserved_shared_address)  // initialized by the system
      std::fill_n(block.shared_defined.begin() + region.host, region.bytes, all_ones);
  for (const auto& warp : block.warps) frame_begins(*warp, *warp->groups.front().frame, ~warp->exited);
}

// Undefined bits that were stored keep the origin that they had then.
OriginId Definedness::origin_of_loaded(const Bytes& from) {
  const Place first = AddressSpace::place(from.warp, from.space, from.address, from.lane);
  for (std::uint32_t b = 0; b < from.count; ++b) {
    if (from.defined[b] == all_ones) continue;
    const auto stored = origins_.stored.find({first.of, first.at + b});
    if (stored != origins_.stored.end()) return stored->second.origin;
  }
  const StateSpace space = AddressSpace::owner(from.space, from.address);
  const bool shared = space == StateSpace::shared_cta || space == StateSpace::shared_cluster;
  return origin_at(Kind::uninitialized_read, from.i, from.warp, from.lane, [&] {
    return fmt::format("{} of {} that {} never written",
                       from.count == 1 ? "1 byte" : fmt::format("{} bytes", from.count),
                       space == StateSpace::local ? "local memory" : addresses_.name_at(shared, from.address),
                       from.count == 1 ? "was" : "were");
  });
}

// Marks bytes in memory as undefined like the given bits.
void Definedness::store_bits(const Bytes& to, const std::byte* undefined, OriginId origin) {
  std::ranges::transform(undefined, undefined + to.count, to.defined, std::bit_not{});
  if (is_defined(to.defined, to.count)) return;
  const Place first = AddressSpace::place(to.warp, to.space, to.address, to.lane);
  const bool as_number = to.count >= 4 && std::all_of(to.defined, to.defined + to.count,
                                                      [](std::byte b) { return b == std::byte{0}; });
  const Origins::Stored stored{origin, program_.position(to.i), geometry_.thread(to.warp, to.lane),
                               as_number};
  for (std::uint32_t b = 0; b < to.count; ++b)
    if (to.defined[b] != all_ones) origins_.stored[{first.of, first.at + b}] = stored;
}

void Definedness::store_undefined(const Bytes& to, OriginId origin) {
  constexpr std::size_t widest = 16;
  static constexpr auto all = [] {
    std::array<std::byte, widest> ones{};
    ones.fill(all_ones);
    return ones;
  }();
  store_bits(to, all.data(), origin);
}

// After a load, a register is undefined where memory is.
void Definedness::load(WarpAccess& access) {
  const MachineOperands& detail = access.detail;
  UndefinedBits& shadow = access.frame.undefined;
  const auto map = [&](unsigned lane, std::size_t k) {
    std::byte* defined = access.hosts.defined[lane];
    return defined ? defined + k * detail.element_bytes : nullptr;
  };
  for (std::size_t k = 0; k < detail.data.size(); ++k) {
    LaneMask undefined = 0;
    for_lanes(access.valid, [&](unsigned lane) {
      const std::byte* defined = map(lane, k);
      if (defined && !is_defined(defined, detail.element_bytes)) undefined |= bit(lane);
    });
    if (undefined == 0) {
      shadow.define(detail.data[k], access.valid);
      continue;
    }
    std::byte* bits = access.frame.undefined_bits() + detail.data[k];
    for_lanes(access.valid, [&](unsigned lane) {
      std::byte* column = bits + lane * detail.register_bytes;
      std::memset(column, 0, detail.register_bytes);
      const std::byte* defined = map(lane, k);
      if (!defined) return;
      for (unsigned b = 0; b < detail.element_bytes; ++b) column[b] = ~defined[b];
      if (detail.sign_extend && (column[detail.element_bytes - 1] & std::byte{0x80}) != std::byte{0})
        std::memset(column + detail.element_bytes, 0xff, detail.register_bytes - detail.element_bytes);
    });
    shadow.update(detail.data[k], detail.register_bytes,
                  origin_of_loaded(bytes_of(access, first_lane(undefined), k * detail.element_bytes,
                                            detail.element_bytes)));
  }
  for (const std::uint32_t row : detail.data) shadow.define(row, access.executing & ~access.valid);
  if (access.accepted != 0) load_accepted(access);
}

// What an invalid access reads is undefined, for a kernel that is checked although it makes one.
void Definedness::load_accepted(const WarpAccess& access) {
  const MachineOperands& detail = access.detail;
  const OriginId origin = origin_at(
      Kind::uninitialized_read, access.i, access.warp, first_lane(access.accepted),
      [&] { return fmt::format("{} bytes whose address was out of bounds or misaligned", access.bytes); },
      Source::invalid);
  for (const std::uint32_t row : detail.data) {
    std::byte* bits = access.frame.undefined_bits() + row;
    for_lanes(access.accepted, [&](unsigned lane) {
      std::memset(bits + lane * detail.register_bytes, 0xff, detail.register_bytes);
    });
    access.frame.undefined.update(row, detail.register_bytes, origin);
  }
}

// After a store, memory is undefined where the register is.
void Definedness::store(WarpAccess& access) {
  const MachineOperands& detail = access.detail;
  const std::uint32_t size = detail.element_bytes;
  Frame& frame = access.frame;
  for (std::size_t k = 0; k < detail.data.size(); ++k) {
    const UndefinedBits::Row* row = frame.undefined.any() ? frame.undefined.find(detail.data[k]) : nullptr;
    const LaneMask undefined = row ? frame.undefined.lanes(detail.data[k]) & access.valid : 0;
    for_lanes(access.valid, [&](unsigned lane) {
      std::byte*& defined = access.hosts.defined[lane];
      if (contains(undefined, lane)) {
        if (!defined) defined = addresses_.make_map(access, lane);
        store_bits(bytes_of(access, lane, k * size, size),
                   frame.undefined_bits() + detail.data[k] + lane * detail.register_bytes, row->origin);
      } else if (defined) {
        std::memset(defined + k * size, 0xff, size);
      }
    });
  }
}

// An atomic's result is undefined where the old value is; memory becomes undefined where the old value or an
// operand is.
void Definedness::updating(WarpAccess& access, const AtomicStep& step) {
  const auto& [frame, i, detail] = std::tie(access.frame, access.i, access.detail);
  const unsigned lane = step.lane;
  std::byte*& map = access.hosts.defined[lane];
  UndefinedBits& shadow = frame.undefined;
  if (!map) map = addresses_.map_of(access, lane);  // another lane of this instruction may have created it
  const std::uint32_t size = detail.element_bytes, count = i.form->vector, k = step.element;
  const bool returns = i.action == Action::atomic;
  const bool exchanges = i.form->atomic == isa::AtomicKind::exch;
  Bytes memory = bytes_of(access, lane, std::uint64_t{k} * size, size);
  std::optional<OriginId> old, operand;
  if (memory.defined && !is_defined(memory.defined, size)) old = origin_of_loaded(memory);
  for (std::size_t s = (returns ? count : 0) + k; s < detail.data.size(); s += count)
    if (contains(shadow.lanes(detail.data[s]), lane)) operand = shadow.find(detail.data[s])->origin;
  if ((old && !exchanges) || operand) {
    if (!memory.defined) {
      map = addresses_.make_map(access, lane);
      memory.defined = map + k * size;
    }
    store_undefined(memory, old ? *old : *operand);
  } else if (memory.defined) {
    std::memset(memory.defined, 0xff, size);
  }
  if (!returns || detail.data[k] == isa::no_operand) return;
  if (old) {
    std::memset(frame.undefined_bits() + detail.data[k] + lane * detail.register_bytes, 0xff,
                detail.register_bytes);
    shadow.update(detail.data[k], detail.register_bytes, old);
  } else {
    shadow.define(detail.data[k], bit(lane));
  }
}

// Fast path: most loads read defined memory into frames without undefined bits.
void Definedness::loaded(WarpAccess& access) {
  const Addresses& at = access.at;
  UndefinedBits& shadow = access.frame.undefined;
  if (access.host) {
    std::byte* map = access.defined;
    const std::uint64_t bytes = at.high - at.low + access.bytes;
    if (!shadow.any() && (!map || (bytes <= std::uint64_t{access.bytes} * (isa::warp_size + 1) &&
                                   is_defined(map + at.low, bytes))))
      return;
    for_lanes(access.valid,
              [&](unsigned lane) { access.hosts.defined[lane] = map ? map + at[lane] : nullptr; });
  }
  load(access);
}

void Definedness::storing(WarpAccess& access) {
  const Addresses& at = access.at;
  if (access.host) {
    std::byte* map = access.defined;
    if (!access.frame.undefined.any()) {
      if (!map) return;
      if (at.consecutive && is_run(access.executing))
        std::memset(map + at.low, 0xff, at.high - at.low + access.bytes);
      else
        for_lanes(access.executing, [&](unsigned lane) { std::memset(map + at[lane], 0xff, access.bytes); });
      return;
    }
    for_lanes(access.executing,
              [&](unsigned lane) { access.hosts.defined[lane] = map ? map + at[lane] : nullptr; });
  }
  store(access);
}

// Parameter slots consist of rows of 4 bytes; undefined bits move with the bytes.
void Definedness::slot_accessed(Frame& frame, const Instruction& i, const MachineOperands& detail,
                                LaneMask lanes) {
  UndefinedBits& shadow = frame.undefined;
  if (!shadow.any()) return;
  std::byte* bits = frame.undefined_bits();
  constexpr std::uint32_t word = 4, row_bytes = word * warp_size;
  const bool stores = i.action == Action::store;
  const auto row_of = [&](std::uint64_t b) {
    return detail.address.row + static_cast<std::uint32_t>(b / word) * row_bytes;
  };
  for (std::size_t k = 0; k < detail.data.size(); ++k) {
    const std::uint64_t first = static_cast<std::uint64_t>(detail.address.displacement) +
                                k * detail.element_bytes,
                        end = first + detail.element_bytes;
    const UndefinedBits::Row* source = stores ? shadow.find(detail.data[k]) : nullptr;
    for (std::uint32_t row = row_of(first); !source && !stores && row <= row_of(end - 1); row += row_bytes)
      source = shadow.find(row);
    const std::optional<OriginId> origin = source ? std::optional(source->origin) : std::nullopt;
    for_lanes(lanes, [&](unsigned lane) {
      std::byte* column = bits + detail.data[k] + lane * detail.register_bytes;
      if (!stores) std::memset(column, 0, detail.register_bytes);
      for (std::uint64_t b = first; b < end; ++b) {
        std::byte& place = bits[row_of(b) + lane * word + b % word];
        (stores ? place : column[b - first]) = stores ? column[b - first] : place;
      }
    });
    if (!stores) shadow.update(detail.data[k], detail.register_bytes, origin);
    for (std::uint32_t row = row_of(first); stores && row <= row_of(end - 1); row += row_bytes)
      shadow.update(row, word, origin);
  }
}

void Definedness::mbarrier_accessed(const WarpAccess& access, bool initializes) {
  constexpr std::uint32_t bytes = 8;
  for_lanes(access.valid, [&](unsigned lane) {
    const Bytes object = bytes_of(access, lane, 0, bytes);
    if (!object.defined) return;
    if (initializes)
      std::fill_n(object.defined, bytes, all_ones);
    else if (!is_defined(object.defined, bytes))
      report(access.warp, access.i, lane, origin_of_loaded(object), "the state of an mbarrier");
  });
}

void Definedness::matrix_moved(const WarpAccess& access, const MatrixPart& part) {
  constexpr std::uint32_t bytes = 2;
  const Bytes memory = bytes_of(access, part.giver, part.offset, bytes);
  if (!memory.defined) return;
  const bool loads = access.i.action == Action::load_matrix, defined = is_defined(memory.defined, bytes);
  UndefinedBits& shadow = access.frame.undefined;
  if (loads && defined && !shadow.any()) return;
  std::byte* bits = access.frame.undefined_bits() + part.row + part.column;
  if (!loads) {
    const UndefinedBits::Row* from = shadow.find(part.row);
    return store_bits(memory, bits, from ? from->origin : 0);
  }
  std::transform(memory.defined, memory.defined + bytes, bits, std::bit_not{});
  shadow.update(part.row, 4, defined ? std::nullopt : std::optional(origin_of_loaded(memory)));
}

void Definedness::issued(const WarpAccess& source, CopyInFlight& copy, unsigned lane, std::uint32_t bytes) {
  std::byte* defined = source.hosts.defined[lane];
  if (!defined || is_defined(defined, bytes)) return;
  std::transform(defined, defined + bytes, copy.undefined[lane].begin(), std::bit_not{});
  copy.origin[lane] = origin_of_loaded(bytes_of(source, lane, 0, bytes));
}

void Definedness::undelivered(const Warp& warp, const CopyInFlight& copy, unsigned lane) {
  make_undefined(warp, copy, lane, "for which the thread did not wait", Source::elsewhere);
}

void Definedness::overwritten(const Warp& warp, const CopyInFlight& copy, unsigned lane) {
  make_undefined(warp, copy, lane, "whose source was overwritten before the thread waited",
                 Source::overwritten);
}

void Definedness::make_undefined(const Warp& warp, const CopyInFlight& copy, unsigned lane, const char* why,
                                 Source source) {
  if (!copy.defined[lane]) return;
  const Instruction& i = *copy.instruction;
  const OriginId origin = origin_at(
      Kind::uninitialized_read, i, warp, lane,
      [&] {
        return fmt::format("{} bytes of {} from an asynchronous copy {}", copy.bytes,
                           addresses_.name_at(true, copy.to[lane]), why);
      },
      source);
  store_undefined({warp, i, lane, i.form->space, copy.to[lane], copy.defined[lane], copy.bytes}, origin);
}

void Definedness::delivered(const Warp& warp, const CopyInFlight& copy, unsigned lane) {
  if (!copy.defined[lane]) return;
  const Instruction& i = *copy.instruction;
  store_bits({warp, i, lane, i.form->space, copy.to[lane], copy.defined[lane], copy.bytes},
             copy.undefined[lane].data(), copy.origin[lane]);
}

void Definedness::printed(const Warp& warp, const Instruction& i, unsigned lane, const Region& region,
                          std::uint64_t address, std::uint32_t bytes) {
  if (!region.defined) return;
  std::byte* defined = region.defined + (address - region.begin);
  if (is_defined(defined, bytes)) return;
  report(warp, i, lane, origin_of_loaded({warp, i, lane, isa::StateSpace::none, address, defined, bytes}),
         "the printed value");
}

}  // namespace foldproof::emulated
