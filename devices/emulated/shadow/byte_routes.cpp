#include "devices/emulated/shadow/byte_routes.h"

#include <algorithm>
#include <cstring>

#include "devices/emulated/isa/shadow_propagation.h"
#include "sanitizer/lane_set.h"

namespace foldproof::emulated {
namespace {

/// Marks that identify a byte, in three variants. The second is the complement of the first, so a byte that
/// is equal in both contains no bit of a source; and no arithmetic maps the marks of one byte to those of
/// another in all three variants.
constexpr std::size_t kinds_of_marks = ByteRoutes::kinds_of_marks;
using Marks = std::array<std::array<std::uint8_t, most_operands * widest_column>, kinds_of_marks>;
constexpr Marks marks = [] {
  Marks all{};
  std::uint32_t state = 12345;
  for (std::size_t kind : {0u, 2u})
    for (std::size_t k = 0; k < all[kind].size(); ++k) {
      const auto is_known = [&](std::uint8_t mark) {
        return std::find(all[kind].begin(), all[kind].begin() + static_cast<std::ptrdiff_t>(k), mark) !=
               all[kind].begin() + static_cast<std::ptrdiff_t>(k);
      };
      do state = state * 1664525 + 1013904223;
      while (is_known(static_cast<std::uint8_t>(state >> 24)));
      all[kind][k] = static_cast<std::uint8_t>(state >> 24);
    }
  for (std::size_t k = 0; k < all[1].size(); ++k) all[1][k] = static_cast<std::uint8_t>(~all[0][k]);
  return all;
}();

}  // namespace

Operands sources_of(const isa::Instruction& i) {
  Operands sources;
  const std::uint32_t* rows = isa::rows_of(i);
  for (std::size_t k = 0; k < i.form->ports.size() && sources.count < most_operands; ++k)
    if (rows[k] != isa::no_operand && !i.form->ports[k].written)
      sources.all[sources.count++] = {rows[k], &i.form->ports[k]};
  return sources;
}

ByteRoutes::ByteRoutes(const std::byte* registers, std::size_t frame_bytes, std::span<std::byte> scratch,
                       const RegisterProvenance& nodes, const isa::Instruction& i, const Operands& sources,
                       LaneMask lanes)
    : sources_(sources), nodes_(nodes) {
  for (std::size_t kind = 0; kind < results_.size(); ++kind) {
    std::byte* frame = scratch.data() + kind * frame_bytes;
    results_[kind] = frame;
    isa::for_each_row(i, [&](std::uint32_t offset, unsigned bytes, bool) {
      std::memcpy(frame + offset, registers + offset, bytes == 0 ? 4 : std::size_t{bytes} * isa::warp_size);
    });
    for (std::size_t s = 0; s < sources.count && kind < kinds_of_marks; ++s) {
      const auto [row, port] = sources.all[s];
      if (port->bytes == 0) continue;
      for_lanes(nodes.lanes(row) & lanes, [&, row = row, port = port](unsigned lane) {
        std::memcpy(frame + row + lane * port->bytes, &marks[kind][s * widest_column], port->bytes);
      });
    }
    i.compute(frame, i, lanes);
  }
}

bool ByteRoutes::find(const Expressions& expressions, std::uint32_t row, unsigned bytes, unsigned lane,
                      std::span<BytePart> to) const {
  for (unsigned b = 0; b < bytes; ++b) {
    Seen seen{};
    for (std::size_t kind = 0; kind < seen.size(); ++kind)
      seen[kind] = std::to_integer<std::uint8_t>(results_[kind][row + lane * bytes + b]);
    const auto real = std::to_integer<std::uint8_t>(results_.back()[row + lane * bytes + b]);
    if (seen[0] == real && seen[1] == real && seen[2] == real)
      to[b] = {0, 0, real};
    else if (!find_marked(expressions, seen, lane, to[b]))
      return false;
  }
  return true;
}

bool ByteRoutes::find_marked(const Expressions& expressions, const Seen& seen, unsigned lane,
                             BytePart& to) const {
  for (std::size_t s = 0; s < sources_.count; ++s)
    for (unsigned b = 0; b < sources_.all[s].port->bytes; ++b) {
      const std::size_t k = s * widest_column + b;
      if (marks[0][k] != seen[0] || marks[1][k] != seen[1] || marks[2][k] != seen[2]) continue;
      std::array<BytePart, widest_column> bytes;
      expressions.take_apart(nodes_.at(sources_.all[s].row, lane), sources_.all[s].port->bytes, 0, bytes);
      to = bytes[b];
      return true;
    }
  return false;
}

}  // namespace foldproof::emulated
