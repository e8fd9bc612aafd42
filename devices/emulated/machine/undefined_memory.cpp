// Undefined bits on their way between registers and memory (definedness.h).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <tuple>

#include "devices/emulated/machine/grid.h"
#include "sanitizer/lane_set.h"

namespace foldproof::machine {
namespace {

using isa::StateSpace;
using isa::warp_size;

constexpr std::byte all_ones{0xff};

}  // namespace

Place Grid::place(const Warp& warp, StateSpace space, std::uint64_t address, unsigned lane) const {
  const StateSpace in = owner(space, address);
  if (in == StateSpace::local)
    return {local_memory(warp.block->number, warp.index * warp_size + lane), address % isa::window_size};
  if (in != StateSpace::shared_cta && in != StateSpace::shared_cluster) return {global_memory, address};
  const auto [block, offset] = shared_place(warp, address);
  return {shared_memory(block), offset};
}

// The block begins: what was stored in the memory that it takes over is gone.
void Grid::forget_stored(const Block& block) {
  const auto forget = [&](std::uint64_t first, std::uint64_t count) {
    origins_->stored.erase(origins_->stored.lower_bound({first, 0}),
                           origins_->stored.lower_bound({first + count, 0}));
  };
  forget(shared_memory(block.number), 1);
  forget(local_memory(block.number, 0), threads_of_block);
}

// Undefined bits that somebody stored have the origin that they had then.
OriginId Grid::origin_of_loaded(const Warp& warp, const Instruction& i, unsigned lane, const Bytes& from) {
  const Place first = place(warp, from.space, from.address, lane);
  for (std::uint32_t b = 0; b < from.count; ++b) {
    if (from.defined[b] == all_ones) continue;
    const auto stored = origins_->stored.find({first.of, first.at + b});
    if (stored != origins_->stored.end()) return stored->second.origin;
  }
  const StateSpace space = owner(from.space, from.address);
  const bool shared = space == StateSpace::shared_cta || space == StateSpace::shared_cluster;
  return origin_at(Kind::uninitialized_read, i, warp, lane, [&] {
    return fmt::format("{} byte{} of {} that nobody wrote", from.count, from.count == 1 ? "" : "s",
                       space == StateSpace::local ? "local memory" : memory_at(shared, from.address));
  });
}

// Bytes in memory become as undefined as these.
void Grid::store_bits(const Warp& warp, const Instruction& i, unsigned lane, const Bytes& to,
                      const std::byte* undefined, OriginId origin) {
  std::ranges::transform(undefined, undefined + to.count, to.defined, std::bit_not{});
  if (is_defined(to.defined, to.count)) return;
  const Place first = place(warp, to.space, to.address, lane);
  const bool as_number = to.count >= 4 && std::all_of(to.defined, to.defined + to.count,
                                                      [](std::byte b) { return b == std::byte{0}; });
  const Origins::Stored stored{origin, program_.position(i), thread(warp, lane), as_number};
  for (std::uint32_t b = 0; b < to.count; ++b)
    if (to.defined[b] != all_ones) origins_->stored[{first.of, first.at + b}] = stored;
}

void Grid::store_undefined(const Warp& warp, const Instruction& i, unsigned lane, const Bytes& to,
                           OriginId origin) {
  constexpr std::size_t widest = 16;
  static constexpr auto all = [] {
    std::array<std::byte, widest> ones{};
    ones.fill(all_ones);
    return ones;
  }();
  store_bits(warp, i, lane, to, all.data(), origin);
}

// What a load brought along: where memory is not defined, neither is the register.
void Grid::taint_loaded(const Access& access) {
  const Detail& detail = access.detail;
  Taint& taint = access.split.frame->taint;
  const auto map = [&](unsigned lane, std::size_t k) {
    std::byte* defined = access.hosts.defined[lane];
    return defined ? defined + k * detail.element_bytes : nullptr;
  };
  for (std::size_t k = 0; k < detail.data.size(); ++k) {
    LaneMask undefined = 0;
    for_lanes(access.good, [&](unsigned lane) {
      const std::byte* defined = map(lane, k);
      if (defined && !is_defined(defined, detail.element_bytes)) undefined |= bit(lane);
    });
    if (undefined == 0) {
      taint.define(detail.data[k], access.good);
      continue;
    }
    std::byte* bits = access.split.frame->undefined_bits() + detail.data[k];
    for_lanes(access.good, [&](unsigned lane) {
      std::byte* column = bits + lane * detail.register_bytes;
      std::memset(column, 0, detail.register_bytes);
      const std::byte* defined = map(lane, k);
      if (!defined) return;
      for (unsigned b = 0; b < detail.element_bytes; ++b) column[b] = ~defined[b];
      if (detail.sign_extend && (column[detail.element_bytes - 1] & std::byte{0x80}) != std::byte{0})
        std::memset(column + detail.element_bytes, 0xff, detail.register_bytes - detail.element_bytes);
    });
    const auto lane = first_lane(undefined);
    const Bytes from{access.space, access.at[lane] + k * detail.element_bytes, map(lane, k),
                     detail.element_bytes};
    taint.update(detail.data[k], detail.register_bytes, origin_of_loaded(access.warp, access.i, lane, from));
  }
}

// Stored bits are as defined as the register that they come from.
void Grid::store_definedness(Access& access) {
  const Detail& detail = access.detail;
  const std::uint32_t size = detail.element_bytes;
  Frame& frame = *access.split.frame;
  for (std::size_t k = 0; k < detail.data.size(); ++k) {
    const Taint::Row* row = frame.taint.any() ? frame.taint.find(detail.data[k]) : nullptr;
    const LaneMask undefined = row ? frame.taint.lanes(detail.data[k]) & access.good : 0;
    for_lanes(access.good, [&](unsigned lane) {
      std::byte*& defined = access.hosts.defined[lane];
      if (contains(undefined, lane)) {
        if (!defined) defined = make_map(access, lane);
        store_bits(access.warp, access.i, lane,
                   {access.space, access.at[lane] + k * size, defined + k * size, size},
                   frame.undefined_bits() + detail.data[k] + lane * detail.register_bytes, row->origin);
      } else if (defined) {
        std::memset(defined + k * size, 0xff, size);
      }
    });
  }
}

// The place in the map of defined bits; null where all bits of the allocation are.
std::byte* Grid::map_of(const Access& access, unsigned lane) {
  const std::uint64_t address = access.at[lane];
  const Region found = region(access.warp, access.space, address, lane);
  return found.defined ? found.defined + (address - found.begin) : nullptr;
}

// The same, made now if there is none.
std::byte* Grid::make_map(const Access& access, unsigned lane) {
  memory_.map_definedness(access.at[lane]);
  return map_of(access, lane);
}

// An atomic's result is undefined where the old value is; memory is from then on where that or an operand is.
void Grid::atomic_definedness(Access& access, unsigned lane) {
  const auto& [warp, split, i, detail] = std::tie(access.warp, access.split, access.i, access.detail);
  const std::uint32_t size = detail.element_bytes, count = i.form->vector;
  Taint& taint = split.frame->taint;
  const bool returns = i.action == Action::atomic;
  const bool exchanges = i.form->atomic == isa::AtomicKind::exch;
  // Another lane of this very instruction may have made the map.
  std::byte*& map = access.hosts.defined[lane];
  if (!map) map = map_of(access, lane);
  for (std::uint32_t k = 0; k < count; ++k) {
    Bytes memory{access.space, access.at[lane] + k * size, map ? map + k * size : nullptr, size};
    std::optional<OriginId> old, operand;
    if (memory.defined && !is_defined(memory.defined, size)) old = origin_of_loaded(warp, i, lane, memory);
    for (std::size_t s = (returns ? count : 0) + k; s < detail.data.size(); s += count)
      if (contains(taint.lanes(detail.data[s]), lane)) operand = taint.find(detail.data[s])->origin;
    if ((old && !exchanges) || operand) {
      if (!memory.defined) {
        map = make_map(access, lane);
        memory.defined = map + k * size;
      }
      store_undefined(warp, i, lane, memory, old ? *old : *operand);
    } else if (memory.defined) {
      std::memset(memory.defined, 0xff, size);
    }
    if (!returns || detail.data[k] == isa::no_operand) continue;
    if (old) {
      std::memset(split.frame->undefined_bits() + detail.data[k] + lane * detail.register_bytes, 0xff,
                  detail.register_bytes);
      taint.update(detail.data[k], detail.register_bytes, old);
    } else {
      taint.define(detail.data[k], bit(lane));
    }
  }
}

// Most loads read defined memory into frames that have nothing undefined.
void Grid::note_load(Access& access) {
  const Addresses& at = access.at;
  Taint& taint = access.split.frame->taint;
  if (access.host) {
    std::byte* map = access.defined;
    const std::uint64_t bytes = at.high - at.low + access.bytes;
    if (!taint.any() && (!map || (bytes <= std::uint64_t{access.bytes} * (isa::warp_size + 1) &&
                                  is_defined(map + at.low, bytes))))
      return;
    for_lanes(access.good,
              [&](unsigned lane) { access.hosts.defined[lane] = map ? map + at[lane] : nullptr; });
  }
  taint_loaded(access);
  for (const std::uint32_t row : access.detail.data) taint.define(row, access.lanes & ~access.good);
}

void Grid::note_store(Access& access) {
  const Addresses& at = access.at;
  if (access.host) {
    std::byte* map = access.defined;
    if (!access.split.frame->taint.any()) {
      if (!map) return;
      if (at.consecutive && is_run(access.lanes))
        std::memset(map + at.low, 0xff, at.high - at.low + access.bytes);
      else
        for_lanes(access.lanes, [&](unsigned lane) { std::memset(map + at[lane], 0xff, access.bytes); });
      return;
    }
    for_lanes(access.lanes,
              [&](unsigned lane) { access.hosts.defined[lane] = map ? map + at[lane] : nullptr; });
  }
  store_definedness(access);
}

// Parameter slots are rows of 4 bytes; bits go the way of the bytes.
void Grid::slot_definedness(const Split& split, const Instruction& i, LaneMask lanes) const {
  const Detail& detail = program_.details[i.detail];
  Taint& taint = split.frame->taint;
  std::byte* bits = split.frame->undefined_bits();
  const auto displacement = static_cast<std::uint64_t>(detail.address.displacement);
  for (std::size_t k = 0; k < detail.data.size(); ++k) {
    const std::uint64_t first = displacement + k * detail.element_bytes,
                        last = first + detail.element_bytes - 1;
    const Taint::Row* source = i.action == Action::store ? taint.find(detail.data[k]) : nullptr;
    for (std::uint64_t chunk = first / 4; !source && i.action != Action::store && chunk <= last / 4; ++chunk)
      source = taint.find(detail.address.row + static_cast<std::uint32_t>(chunk) * 128);
    const std::optional<OriginId> origin = source ? std::optional(source->origin) : std::nullopt;
    for_lanes(lanes, [&](unsigned lane) {
      std::byte* column = bits + detail.data[k] + lane * detail.register_bytes;
      for (unsigned b = 0; b < detail.element_bytes; ++b) {
        std::byte& place = bits[detail.address.row + (first + b) / 4 * 128 + lane * 4 + (first + b) % 4];
        (i.action == Action::store ? place : column[b]) = i.action == Action::store ? column[b] : place;
      }
      if (i.action != Action::store)
        std::memset(column + detail.element_bytes, 0, detail.register_bytes - detail.element_bytes);
    });
    if (i.action != Action::store) {
      taint.update(detail.data[k], detail.register_bytes, origin);
      continue;
    }
    for (std::uint64_t chunk = first / 4; chunk <= last / 4; ++chunk) {
      const auto row = detail.address.row + static_cast<std::uint32_t>(chunk) * 128;
      taint.update(row, 4, origin);
    }
  }
}

// Half a column of a matrix, in `row` at byte `column`, from or to the memory that lane `giver` addresses.
void Grid::matrix_definedness(const Warp& warp, Frame& frame, const Instruction& i, std::uint32_t row,
                              std::uint32_t column, unsigned giver, const Bytes& memory) {
  const bool loads = i.action == Action::load_matrix, defined = is_defined(memory.defined, memory.count);
  if (loads && defined && !frame.taint.any()) return;
  std::byte* bits = frame.undefined_bits() + row + column;
  if (!loads) {
    const Taint::Row* from = frame.taint.find(row);
    store_bits(warp, i, giver, memory, bits, from ? from->origin : 0);
    return;
  }
  std::ranges::transform(memory.defined, memory.defined + memory.count, bits, std::bit_not{});
  frame.taint.update(row, 4,
                     defined ? std::nullopt : std::optional(origin_of_loaded(warp, i, giver, memory)));
}

}  // namespace foldproof::machine
