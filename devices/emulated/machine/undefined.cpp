// The grid's part of definedness: undefined bits on their way through instructions, memory and shuffles, and
// the places where they must not arrive.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "devices/emulated/isa/definedness.h"
#include "devices/emulated/machine/grid.h"
#include "sanitizer/lane_set.h"

namespace foldproof::machine {
namespace {

using isa::warp_size;

constexpr std::byte all_ones{0xff};

void set_column(std::byte* row, std::uint32_t bytes, unsigned lane) {
  if (bytes == 0)
    *reinterpret_cast<LaneMask*>(row) |= bit(lane);
  else
    std::memset(row + lane * bytes, 0xff, bytes);
}

}  // namespace

OriginId Grid::new_origin(Kind kind, const Instruction& i, const Warp& warp, unsigned lane,
                          std::string what) {
  const auto [known, is_new] = origin_sites_.try_emplace({kind, i.site}, 0);
  if (is_new) {
    known->second = static_cast<OriginId>(origins_->all.size());
    origins_->all.push_back({kind, program_.position(i), thread(warp, lane), std::move(what)});
  }
  return known->second;
}

// A register-only instruction: from the sources' bits to the destinations'. Where the guard itself is
// undefined, so is whether the destination changed.
void Grid::spread(Frame& frame, const Instruction& i, LaneMask split_lanes, LaneMask lanes) {
  Taint& taint = frame.taint;
  const Taint::Row* from = nullptr;
  bool concerned = false;
  isa::for_each_row(i, [&](std::uint32_t offset, unsigned, bool written) {
    const Taint::Row* row = taint.find(offset);
    concerned |= row != nullptr;
    if (row && !written) from = row;
  });
  const LaneMask doubtful = i.guard == isa::no_operand ? 0 : taint.lanes(i.guard) & split_lanes;
  if (!concerned && doubtful == 0) return;
  std::optional<OriginId> origin;
  if (doubtful != 0)
    origin = taint.find(i.guard)->origin;
  else if (from)
    origin = from->origin;
  std::byte* bits = frame.undefined_bits();
  if (lanes != 0) isa::spread_undefined(frame.registers(), bits, i, lanes);
  isa::for_each_row(i, [&](std::uint32_t offset, unsigned bytes, bool written) {
    if (!written) return;
    for_lanes(doubtful, [&](unsigned lane) { set_column(bits + offset, bytes, lane); });
    taint.update(offset, bytes, origin);
  });
}

// An undefined value in a row decides what the program does: `what` says as what it is used.
void Grid::check_sink(const Warp& warp, const Frame& frame, const Instruction& i, std::uint32_t row,
                      LaneMask lanes, const char* what) {
  const LaneMask undefined = frame.taint.lanes(row) & lanes;
  if (undefined == 0) return;
  const OriginId origin = frame.taint.find(row)->origin;
  if (!reported_sinks_.emplace(i.site, origin).second) return;
  report_.findings.push_back(undefined_finding(origins_->all[origin], program_.position(i),
                                               thread(warp, first_lane(undefined)), what));
}

Finding undefined_finding(const Origin& origin, const Position& at, const ThreadId& who,
                          std::string_view what) {
  Finding finding;
  finding.kind = origin.kind;
  finding.message = fmt::format("{} depends on {}", what, origin.what);
  finding.at = at;
  finding.other = origin.at;
  finding.threads = {who, origin.thread};
  return finding;
}

// What a load brought along: where memory is not defined, neither is the register.
void Grid::taint_loaded(const Warp& warp, const Split& split, const Instruction& i, const Addresses& at,
                        LaneMask lanes, const Hosts& hosts) {
  const Detail& detail = program_.details[i.detail];
  Taint& taint = split.frame->taint;
  for (std::size_t k = 0; k < detail.data.size(); ++k) {
    LaneMask undefined = 0;
    for_lanes(lanes, [&](unsigned lane) {
      const std::byte* defined = hosts.defined[lane];
      if (!defined) return;
      defined += k * detail.element_bytes;
      if (!is_defined(defined, detail.element_bytes)) undefined |= bit(lane);
    });
    if (undefined == 0) {
      taint.define(detail.data[k], lanes);
      continue;
    }
    std::byte* bits = split.frame->undefined_bits() + detail.data[k];
    for_lanes(lanes, [&](unsigned lane) {
      std::byte* column = bits + lane * detail.register_bytes;
      std::memset(column, 0, detail.register_bytes);
      const std::byte* defined = hosts.defined[lane];
      if (!defined) return;
      defined += k * detail.element_bytes;
      for (unsigned b = 0; b < detail.element_bytes; ++b) column[b] = ~defined[b];
      if (detail.sign_extend && (column[detail.element_bytes - 1] & std::byte{0x80}) != std::byte{0})
        std::memset(column + detail.element_bytes, 0xff, detail.register_bytes - detail.element_bytes);
    });
    const auto lane = first_lane(undefined);
    taint.update(detail.data[k], detail.register_bytes,
                 origin_of_loaded(warp, i, at[lane], lane, hosts.defined[lane] + k * detail.element_bytes));
  }
}

// Undefined bits that somebody stored have the origin that they had then.
OriginId Grid::origin_of_loaded(const Warp& warp, const Instruction& i, std::uint64_t address, unsigned lane,
                                const std::byte* defined) {
  const Detail& detail = program_.details[i.detail];
  for (unsigned b = 0; b < detail.element_bytes; ++b)
    if (const auto stored = origins_->stored.find(defined + b); stored != origins_->stored.end())
      return stored->second.origin;
  const isa::StateSpace space = owner(i.form->space, address);
  const bool shared = space == isa::StateSpace::shared_cta || space == isa::StateSpace::shared_cluster;
  const std::string where =
      space == isa::StateSpace::local || detail.address.base == Detail::Base::frame_local
          ? "local memory"
          : memory_at(shared, address);
  return new_origin(Kind::uninitialized_read, i, warp, lane,
                    fmt::format("{} bytes of {} that nobody wrote", detail.element_bytes, where));
}

// Stored bits are as defined as the register that they come from.
void Grid::store_definedness(Warp& warp, const Split& split, const Instruction& i, const Addresses& at,
                             LaneMask lanes, Hosts& hosts) {
  const Detail& detail = program_.details[i.detail];
  const std::uint32_t size = detail.element_bytes;
  Frame& frame = *split.frame;
  for (std::size_t k = 0; k < detail.data.size(); ++k) {
    const Taint::Row* row = frame.taint.any() ? frame.taint.find(detail.data[k]) : nullptr;
    const LaneMask undefined = row ? frame.taint.lanes(detail.data[k]) & lanes : 0;
    for_lanes(lanes, [&](unsigned lane) {
      if (contains(undefined, lane)) {
        if (!hosts.defined[lane]) hosts.defined[lane] = make_map(warp, i, at[lane], lane);
        std::byte* to = hosts.defined[lane] + k * size;
        const std::byte* bits = frame.undefined_bits() + detail.data[k] + lane * detail.register_bytes;
        for (unsigned b = 0; b < size; ++b) {
          to[b] = ~bits[b];
          if (to[b] != all_ones)
            origins_->stored[to + b] = {row->origin, program_.position(i), thread(warp, lane)};
        }
      } else if (hosts.defined[lane]) {
        std::memset(hosts.defined[lane] + k * size, 0xff, size);
      }
    });
  }
}

// The place in the map of defined bits, made now where all bits of the allocation were defined until now.
std::byte* Grid::make_map(Warp& warp, const Instruction& i, std::uint64_t address, unsigned lane) {
  memory_.map_definedness(address);
  const Region found = region(warp, i.form->space, address, lane);
  return found.defined + (address - found.begin);
}

// An atomic's result is undefined where the old value or an operand is; memory is from then on, too.
void Grid::atomic_definedness(Warp& warp, const Split& split, const Instruction& i, const Addresses& at,
                              unsigned lane, Hosts& hosts) {
  const Detail& detail = program_.details[i.detail];
  const std::uint32_t size = detail.element_bytes, count = i.form->vector;
  Frame& frame = *split.frame;
  Taint& taint = frame.taint;
  const bool returns = i.action == Action::atomic;
  const bool exchanges = i.form->atomic == isa::AtomicKind::exch;
  const std::size_t first_source = returns ? count : 0;
  for (std::uint32_t k = 0; k < count; ++k) {
    std::byte* defined = hosts.defined[lane] ? hosts.defined[lane] + k * size : nullptr;
    const bool old_undefined = defined && !is_defined(defined, size);
    OriginId origin = old_undefined ? origin_of_loaded(warp, i, at[lane], lane, defined) : 0;
    const OriginId old_origin = origin;
    bool operand_undefined = false;
    for (std::size_t s = first_source + k; s < detail.data.size(); s += count)
      if (contains(taint.lanes(detail.data[s]), lane)) {
        operand_undefined = true;
        if (!old_undefined) origin = taint.find(detail.data[s])->origin;
      }
    if ((old_undefined && !exchanges) || operand_undefined) {
      if (!defined) defined = make_map(warp, i, at[lane], lane) + k * size;
      std::memset(defined, 0, size);
      for (unsigned b = 0; b < size; ++b)
        origins_->stored[defined + b] = {origin, program_.position(i), thread(warp, lane)};
    } else if (defined) {
      std::memset(defined, 0xff, size);
    }
    if (!returns || detail.data[k] == isa::no_operand) continue;
    if (old_undefined) {
      set_column(frame.undefined_bits() + detail.data[k], detail.register_bytes, lane);
      taint.update(detail.data[k], detail.register_bytes, old_origin);
    } else {
      taint.define(detail.data[k], bit(lane));
    }
  }
}

// The destinations of an instruction that only gives defined results.
void Grid::define_results(Frame& frame, const Instruction& i, LaneMask lanes) {
  if (!frame.taint.any()) return;
  for (const std::uint32_t row : {i.operand[0], i.operand[1]})
    if (row != isa::no_operand) frame.taint.define(row, lanes);
}

void Grid::check_address(const Warp& warp, const Split& split, const Instruction& i,
                         const Detail::Address& address, LaneMask lanes) {
  if (address.row != isa::no_operand && split.frame->taint.any())
    check_sink(warp, *split.frame, i, address.row, lanes, "an address");
}

// Most loads read defined memory into frames that have nothing undefined.
void Grid::note_load(const Warp& warp, const Split& split, const Instruction& i, const Addresses& at,
                     LaneMask lanes, LaneMask good, Hosts& hosts, const Region& common) {
  const Detail& detail = program_.details[i.detail];
  Taint& taint = split.frame->taint;
  if (common.host) {
    const std::uint64_t bytes = std::uint64_t{detail.element_bytes} * detail.data.size();
    std::byte* map = common.defined ? common.defined - common.begin : nullptr;
    if (!taint.any() &&
        (!map || (at.high - at.low <= 32 * bytes && is_defined(map + at.low, at.high - at.low + bytes))))
      return;
    for_lanes(good, [&](unsigned lane) { hosts.defined[lane] = map ? map + at[lane] : nullptr; });
  }
  taint_loaded(warp, split, i, at, good, hosts);
  for (const std::uint32_t row : detail.data) taint.define(row, lanes & ~good);
}

void Grid::note_store(Warp& warp, const Split& split, const Instruction& i, const Addresses& at,
                      LaneMask lanes, Hosts& hosts, const Region& common) {
  const Detail& detail = program_.details[i.detail];
  if (common.host) {
    std::byte* map = common.defined ? common.defined - common.begin : nullptr;
    if (!split.frame->taint.any()) {
      const std::uint64_t bytes = std::uint64_t{detail.element_bytes} * detail.data.size();
      if (map && at.consecutive && lanes == isa::all_lanes)
        std::memset(map + at.low, 0xff, bytes * warp_size);
      else if (map)
        for_lanes(lanes, [&](unsigned lane) { std::memset(map + at[lane], 0xff, bytes); });
      return;
    }
    for_lanes(lanes, [&](unsigned lane) { hosts.defined[lane] = map ? map + at[lane] : nullptr; });
  }
  store_definedness(warp, split, i, at, lanes, hosts);
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

// What a shuffle gives is as defined as what its source holds; a lane that is not there holds nothing.
void Grid::shuffle_definedness(const Warp& warp, Members members, const Split& split, LaneMask present,
                               const std::array<std::uint8_t, warp_size>& from) {
  const Instruction& i = at(split);
  Taint& taint = split.frame->taint;
  std::array<const Split*, warp_size> holder{};
  bool tainted = taint.any();
  for (const std::size_t k : members) {
    tainted |= warp.splits[k].frame->taint.any();
    for_lanes(warp.splits[k].lanes, [&](unsigned lane) { holder[lane] = &warp.splits[k]; });
  }
  LaneMask absent = 0;
  for_lanes(split.lanes, [&](unsigned lane) { absent |= contains(present, from[lane]) ? 0 : bit(lane); });
  if (!tainted && absent == 0) return;
  std::optional<OriginId> origin;
  std::array<std::uint32_t, warp_size> result{};
  for_lanes(split.lanes & ~absent, [&](unsigned lane) {
    const Split& source = *holder[from[lane]];
    const std::uint32_t row = at(source).operand[2];
    const Taint::Row* undefined = source.frame->taint.find(row);
    if (!undefined) return;
    std::memcpy(&result[lane], source.frame->undefined_bits() + row + from[lane] * 4, 4);
    if (result[lane] != 0) origin = undefined->origin;
  });
  if (absent != 0) {
    const auto lane = first_lane(absent);
    origin = new_origin(Kind::undefined_shuffle_source, i, warp, lane,
                        fmt::format("a shuffle in which thread {} reads from lane {}, which takes no part",
                                    to_string(thread(warp, lane).thread), from[lane]));
    for_lanes(absent, [&](unsigned one) { result[one] = ~0u; });
  }
  auto* bits = reinterpret_cast<std::uint32_t*>(split.frame->undefined_bits() + i.operand[0]);
  for_lanes(split.lanes, [&](unsigned lane) { bits[lane] = result[lane]; });
  taint.update(i.operand[0], 4, origin);
  if (i.operand[1] != isa::no_operand) taint.define(i.operand[1], split.lanes);
}

// Votes, matches and reductions give all lanes something that depends on each member's source. A ballot has a
// bit for each.
void Grid::gather_definedness(const Warp& warp, Members members, std::size_t source, bool bitwise) {
  LaneMask undefined = 0;
  OriginId origin = 0;
  bool tainted = false;
  for (const std::size_t k : members) {
    const Split& split = warp.splits[k];
    tainted |= split.frame->taint.any();
    const std::uint32_t row = at(split).operand[source];
    const LaneMask lanes = split.frame->taint.lanes(row) & split.lanes;
    if (lanes == 0) continue;
    undefined |= lanes;
    origin = split.frame->taint.find(row)->origin;
  }
  if (!tainted) return;
  for (const std::size_t k : members) {
    const Split& split = warp.splits[k];
    const Instruction& i = at(split);
    const bool predicate = i.action == Action::vote && i.form->vote != isa::VoteKind::ballot;
    const std::uint32_t bytes = predicate ? 0 : 4;
    std::byte* row = split.frame->undefined_bits() + i.operand[0];
    split.frame->taint.define(i.operand[0], split.lanes);
    if (i.action == Action::match && i.operand[1] != isa::no_operand && source == 2)
      split.frame->taint.define(i.operand[1], split.lanes);
    if (undefined == 0) continue;
    for_lanes(split.lanes, [&](unsigned lane) {
      set_column(row, bytes, lane);
      if (bitwise) std::memcpy(row + lane * 4, &undefined, sizeof undefined);
    });
    split.frame->taint.update(i.operand[0], bytes, origin);
  }
}

}  // namespace foldproof::machine
