// Provenance between registers and memory, byte by byte.
#include <algorithm>
#include <array>
#include <cstring>

#include "devices/emulated/memory/address_space.h"
#include "devices/emulated/shadow/operation_of.h"
#include "devices/emulated/shadow/provenance.h"
#include "devices/emulated/state/columns.h"
#include "oracles/formats.h"
#include "sanitizer/lane_set.h"

namespace foldproof::emulated {
namespace {

using isa::StateSpace;

constexpr unsigned widest = 16;  // maximum bytes of an element

Place shifted(const Place& place, std::uint64_t bytes) { return {place.of, place.at + bytes}; }

Element signed_integer(unsigned bytes) {
  return bytes == 1 ? Element::i8 : bytes == 2 ? Element::i16 : bytes == 4 ? Element::i32 : Element::i64;
}

Node sign_extension(NodeId value, std::uint64_t bits, unsigned from, unsigned to) {
  const unsigned shift = 64 - 8 * from;
  const auto wide = static_cast<std::uint64_t>(static_cast<std::int64_t>(bits << shift) >> shift);
  return {.operation = Operation::convert,
          .element = signed_integer(to),
          .source = signed_integer(from),
          .bytes = static_cast<std::uint8_t>(to),
          .operand = {value, 0, 0},
          .bits = cut_bytes(wide, 0, to)};
}

/// A loaded value, extended from the element's size to the register's size.
NodeId widened(Expressions& expressions, NodeId value, std::uint64_t bits, const MachineOperands& detail) {
  if (value == 0 || detail.register_bytes <= detail.element_bytes) return value;
  if (detail.sign_extend)
    return expressions.add(sign_extension(value, bits, detail.element_bytes, detail.register_bytes));
  std::array<BytePart, widest> parts{};
  expressions.take_apart(value, detail.element_bytes, 0, parts);
  return expressions.assembled(std::span(parts).first(detail.register_bytes));
}

NodeId address_node(const WarpAccess& access, unsigned lane) {
  const std::uint32_t row = access.detail.address.row;
  return row == isa::no_operand ? 0 : access.frame.nodes.at(row, lane);
}

Place place_of(const WarpAccess& access, unsigned lane, std::uint64_t offset) {
  return AddressSpace::place(access.warp, access.space, access.at[lane] + offset, lane);
}

}  // namespace

void Provenance::make_of(const Place& to, NodeId node, std::uint32_t bytes, std::uint64_t bits) {
  std::array<BytePart, widest> parts;
  job_.expressions.take_apart(node, bytes, bits, parts);
  for (std::uint32_t b = 0; b < bytes; ++b) job_.memory.set(shifted(to, b), parts[b]);
}

// Called before the registers change. The address may depend on the input, too.
void Provenance::loaded(const WarpAccess& access) {
  Expressions& expressions = job_.expressions;
  const MachineOperands& detail = access.detail;
  RegisterProvenance& nodes = access.frame.nodes;
  const std::uint32_t size = detail.element_bytes;
  std::array<NodeId, isa::warp_size> at{};
  for_lanes(access.valid, [&](unsigned lane) { at[lane] = address_node(access, lane); });
  for (std::size_t k = 0; k < detail.data.size(); ++k) {
    nodes.forget(detail.data[k], access.executing & ~access.valid);
    for_lanes(access.valid, [&](unsigned lane) {
      const std::byte* memory = access.bytes_of(lane) + k * size;
      NodeId value = job_.made_of(place_of(access, lane, k * size), {memory, size});
      const std::uint64_t bits = low_bytes(memory, size);
      if (at[lane] != 0) value = expressions.opaque(std::array{value, at[lane]}, bits, size);
      nodes.set(detail.data[k], lane, widened(expressions, value, bits, detail));
    });
  }
}

// A store to an address that depends on the input also implies that nothing was stored to any other address:
// values read there do not depend on the input by provenance, although their contents do.
void Provenance::storing(const WarpAccess& access) {
  const MachineOperands& detail = access.detail;
  const RegisterProvenance& nodes = access.frame.nodes;
  for (std::size_t k = 0; k < detail.data.size(); ++k) {
    for_lanes(access.valid, [&](unsigned lane) {
      const std::uint64_t bits =
          column(access.frame.registers(), detail.data[k], lane, detail.register_bytes);
      NodeId value = nodes.at(detail.data[k], lane);
      if (const NodeId address = address_node(access, lane); address != 0) {
        job_.expressions.decide(address);
        value = job_.expressions.opaque(std::array{value, address}, bits, detail.register_bytes);
      }
      make_of(place_of(access, lane, k * detail.element_bytes), value, detail.element_bytes, bits);
    });
  }
}

void Provenance::updating(const WarpAccess& access, const AtomicStep& step) {
  const unsigned lane = step.lane, k = step.element;
  const std::uint64_t old_bits = step.old, now = step.now;
  Expressions& expressions = job_.expressions;
  const MachineOperands& detail = access.detail;
  const isa::Form& form = *access.i.form;
  const std::uint32_t size = detail.element_bytes, count = form.vector;
  const bool returns = access.i.action == Action::atomic;
  const std::size_t b = (returns ? count : 0) + k, c = b + count;
  RegisterProvenance& nodes = access.frame.nodes;
  const std::byte* registers = access.frame.registers();
  const Place at = place_of(access, lane, std::uint64_t{k} * size);
  const std::byte* memory = access.hosts[lane] + k * size;
  const NodeId old = job_.made_of(at, {memory, size}), given = nodes.at(detail.data[b], lane);
  const auto bits_of = [&](std::size_t operand) {
    return cut_bytes(column(registers, detail.data[operand], lane, detail.register_bytes), 0, size);
  };
  const bool flushes = form.combine_shared && !AddressSpace::is_shared(access.space, access.at[lane]);
  NodeId stored = old;
  if (form.atomic == isa::AtomicKind::cas) {
    if (old_bits == bits_of(b)) stored = swapped(nodes.at(detail.data[c], lane), given, old, size);
  } else if (form.atomic == isa::AtomicKind::exch) {
    stored = expressions.part(given, 0, size);
  } else {
    stored =
        combined({old, old_bits}, {expressions.part(given, 0, size), bits_of(b)}, now, form, size, flushes);
  }
  NodeId returned = old;
  if (const NodeId address = address_node(access, lane); address != 0) {
    expressions.decide(address);
    stored = expressions.opaque(std::array{stored, address}, now, size);
    returned = expressions.opaque(std::array{old, address}, old_bits, size);
  }
  make_of(at, stored, size, now);
  if (returns) nodes.set(detail.data[k], lane, returned);
}

// The provenance of the value stored by a successful compare-and-swap. The bits in memory may have been
// recomputed meanwhile from more elements than the thread has read (x + 0); then the stored value depends on
// those.
NodeId Provenance::swapped(NodeId stored, NodeId expected, NodeId found, std::uint32_t bytes) {
  Expressions& expressions = job_.expressions;
  if (expected == found) return stored;
  std::array<BytePart, widest> before, now;
  expressions.take_apart(expected, bytes, 0, before);
  expressions.take_apart(found, bytes, 0, now);
  std::optional<NodeId> done;
  for (std::uint32_t b = 0; b < bytes; ++b) {
    if (before[b].node == now[b].node || before[b].node == done) continue;
    if (before[b].node == 0 || now[b].node == 0 || before[b].byte != now[b].byte) {
      expressions.mark_incomplete("a compare-and-swap found the expected bits with a different provenance");
      return stored;
    }
    done = before[b].node;
    stored = expressions.replaced(stored, *done, now[b].node);
  }
  return stored;
}

// An atomic's operation on an old value and an operand, element by element if they are packed.
NodeId Provenance::combined(const Value& old, const Value& given, std::uint64_t now, const isa::Form& form,
                            std::uint32_t bytes, bool flushes) {
  Expressions& expressions = job_.expressions;
  if (old.node == 0 && given.node == 0) return 0;
  const std::optional<Node> operation = operation_of(form.atomic, form.type);
  if (!operation) return expressions.opaque(std::array{old.node, given.node}, now, bytes);
  const auto size = static_cast<unsigned>(size_of(operation->element));
  std::array<BytePart, widest> parts;
  for (unsigned first = 0; first < bytes; first += size) {
    const auto operand = [&](const Value& value) {
      return value.node != 0 ? expressions.part(value.node, first, size)
                             : expressions.constant(cut_bytes(value.bits, first, size), size);
    };
    Node node = *operation;
    node.flushes = flushes;
    node.bytes = static_cast<std::uint8_t>(size);
    node.operand = {operand(old), operand(given), 0};
    node.bits = cut_bytes(now, first, size);
    expressions.take_apart(expressions.add(node), size, 0, std::span(parts).subspan(first));
  }
  return expressions.assembled(std::span(parts).first(bytes));
}

// A variable's rows have columns of 4 bytes.
void Provenance::slot_accessed(Frame& frame, const Instruction& i, const MachineOperands& detail,
                               LaneMask lanes) {
  constexpr std::uint32_t word = 4;
  if (!frame.nodes.any()) return;
  Expressions& expressions = job_.expressions;
  RegisterProvenance& nodes = frame.nodes;
  const std::byte* registers = frame.registers();
  const auto row_of = [&](std::uint64_t b) {
    return detail.address.row + static_cast<std::uint32_t>(b / word) * word * isa::warp_size;
  };
  const bool stores = i.action == Action::store;
  for (std::size_t k = 0; k < detail.data.size(); ++k)
    for_lanes(lanes, [&](unsigned lane) {
      const std::uint64_t first =
          static_cast<std::uint64_t>(detail.address.displacement) + k * detail.element_bytes;
      std::array<BytePart, widest> value{}, cell{};
      if (stores)
        expressions.take_apart(nodes.at(detail.data[k], lane), detail.register_bytes,
                               column(registers, detail.data[k], lane, detail.register_bytes), value);
      for (std::uint32_t b = 0; b < detail.element_bytes; ++b) {
        const std::uint32_t row = row_of(first + b);
        expressions.take_apart(nodes.at(row, lane), word, column(registers, row, lane, word), cell);
        BytePart& place = cell[(first + b) % word];
        (stores ? place : value[b]) = stores ? value[b] : place;
        if (stores) nodes.set(row, lane, expressions.assembled(std::span(cell).first(word)));
      }
      if (stores) return;
      const NodeId loaded = expressions.assembled(std::span(value).first(detail.element_bytes));
      nodes.set(detail.data[k], lane, widened(expressions, loaded, expressions[loaded].bits, detail));
    });
}

void Provenance::issued(const WarpAccess& source, CopyInFlight& copy, unsigned lane, std::uint32_t bytes) {
  copy.made_of.resize(std::size_t{CopyInFlight::most_bytes} * isa::warp_size);
  const Place from = place_of(source, lane, 0);
  for (std::uint32_t b = 0; b < bytes; ++b) {
    BytePart& part = copy.made_of[lane * CopyInFlight::most_bytes + b];
    part = job_.memory.at(shifted(from, b));
    part.constant = std::to_integer<std::uint8_t>(source.hosts[lane][b]);
  }
}

void Provenance::delivered(const Warp& warp, const CopyInFlight& copy, unsigned lane) {
  const Place to = AddressSpace::place(warp, copy.instruction->form->space, copy.to[lane], lane);
  for (std::uint32_t b = 0; b < copy.bytes; ++b)
    job_.memory.set(shifted(to, b),
                    copy.made_of.empty() ? BytePart{} : copy.made_of[lane * CopyInFlight::most_bytes + b]);
}

}  // namespace foldproof::emulated
